"""What the OpenAPI document says of replies is what is answered: no more and no less."""

from __future__ import annotations

import json
from typing import Any

import pytest

from api import registry
from tests import matrix, test_persona_matrix

pytestmark = pytest.mark.django_db


def test_every_reply_is_as_documented():
    marked = matrix.build()
    anna, red, blue = marked.world.anna, marked.records["red"], marked.records["blue"]
    seen: set[tuple[str, str | None]] = set()

    def call(tool: str, **arguments: Any) -> None:
        reply = anna.post(f"/api/v1/tools/{tool}", json.dumps(arguments))
        key = (tool, arguments.get("action"))
        if reply.status == 200:
            registry.TOOLS[tool][key[1]].Reply.model_validate(reply.body, extra="forbid", strict=True)
            seen.add(key)

    record, other = red[0], red[1]
    call("e_property", action="invalidate", property=marked.across["red", "green"], at="2030-01-01")
    call("e_property", action="connect", sr_id=[record, other], hint="signed", type="causes", directed=True,
         strength=0.5, confidence=0.5, reason="Said so.", attributes={"a": 1}, valid_from="2024-01-01")  # fmt: skip
    call("e_property", action="adjust", sr_id=red[2], by=blue[2], hint="supersedes", reason="Newer.")
    call("e_property", action="add", sr_id=record, edge_properties=[
        "client:Added", {"label": "q", "value": "z", "valid_from": "2024", "confidence": 0.4},
        {"label": "past", "value": "gone", "valid_from": "2020", "invalidated_at": "2021"},
        {"label": "ends", "value": "later", "invalidated_at": "2999"}])  # fmt: skip
    call("e_property", action="add", sr_id=other, edge_properties=[f"many:{n}" for n in range(260)])
    call("add_relationship", **{"from": "A", "to": "B"}, type="member_of", lane="red", single_valued=True)
    call("add_relationship", **{"from": "A", "to": "C"}, type="member_of", lane="red", single_valued=True)
    for match in (["client:Shared Holdings"], [{"label": "client", "value": "Added", "not": True}, "notice"]):
        for action in ("intersect", "union", "count"):
            call("e_gather", action=action, match=match, as_of="2030-01-01", include_invalidated=True)
    call("e_gather", action="communities", match=["client:Shared Holdings"])
    call("e_gather", action="central", match=["client:Shared Holdings"], by="betweenness")
    call("e_gather", action="path", **{"from": record, "to": blue[1]})
    call("e_gather", action="radius", sr_id=record, max_nodes=3, hub_limit=1)
    call("e_timeline", action="intersect", match=["status:open"], require="all", limit=2)
    call("e_record", action="write_many", records=[{"lane": "red", "text": "x"}, {"lane": "nowhere"}, "text", {}])
    call("traverse_entity", entity="A", include_invalidated=True)
    call("e_record", action="read", sr_id=other)
    call("e_record", action="read", sr_id=red[2])
    for key in sorted(test_persona_matrix.CASES, key=lambda key: key not in test_persona_matrix.READS):
        for about in (record, red[2], blue[2]):
            for arguments in test_persona_matrix.CASES[key](marked, "anna", about)[:8]:
                call(key[0], **arguments)
    call("e_gather", action="suggest", sr_id=other)
    assert seen == {*test_persona_matrix.CASES}


def test_the_document_names_what_each_tool_answers(client):
    import yaml

    document = yaml.safe_load(client.get("/api/v1/schema/").content)
    for tool in registry.TOOLS:
        answer = document["paths"][f"/api/v1/tools/{tool}"]["post"]["responses"]["200"]
        (content,) = answer["content"].values()
        assert content["schema"].get("$ref") or content["schema"].get("anyOf"), tool
    assert {"sr_id", "lane", "edge_properties"} <= document["components"]["schemas"]["RecordShown"][
        "properties"
    ].keys()
