"""What an agent is told of the tools: every argument described, every action with calls worth imitating."""

from __future__ import annotations

from typing import Any

import pytest
from jsonschema import Draft202012Validator

from api import mcp, registry

ACTIONS = [pytest.param(action, id=mcp.name_of(action)) for action in registry.ACTIONS]


def walked(schema: Any, place: str = ""):
    """(place, schema) of every property, those of nested objects too."""
    if isinstance(schema, dict):
        for name, one in schema.get("properties", {}).items():
            yield f"{place}.{name}", one
        for name, one in schema.items():
            if name != "examples":
                yield from walked(one, f"{place}/{name}")
    elif isinstance(schema, list):
        for number, one in enumerate(schema):
            yield from walked(one, f"{place}[{number}]")


def test_every_argument_of_every_action_is_described():
    for tool in registry.described():
        places = list(walked(tool["input_schema"])) + [
            p for one in tool["actions"] for p in walked(one["input_schema"])
        ]
        assert [place for place, one in places if len(one.get("description", "")) < 8] == [], tool["name"]
    for one in mcp.exposed().values():
        schema = one.tool.input_schema
        assert [place for place, found in walked(schema) if not found.get("description")] == [], one.tool.name
        assert "action" not in schema["properties"] and "'action'" not in str(schema.get("examples"))


@pytest.mark.parametrize("action", ACTIONS)
def test_every_action_has_examples_that_are_valid_calls(action):
    assert action.examples
    schema = registry.schema_of(action)
    Draft202012Validator.check_schema(schema)
    for example in schema["examples"]:
        action.Arguments.model_validate(example)
        assert list(Draft202012Validator(schema).iter_errors(example)) == []
    for example in mcp.exposed()[mcp.name_of(action)].tool.input_schema["examples"]:
        assert (
            list(Draft202012Validator(mcp.exposed()[mcp.name_of(action)].tool.input_schema).iter_errors(example)) == []
        )


@pytest.mark.parametrize("tool", [tool for tool, actions in registry.TOOLS.items() if None not in actions])
def test_a_tool_has_one_schema_that_tells_its_actions_apart(tool):
    schema = registry.schema_of_tool(tool)
    Draft202012Validator.check_schema(schema)
    valid = Draft202012Validator(schema)
    for action in registry.TOOLS[tool].values():
        for example in registry.schema_of(action)["examples"]:
            assert list(valid.iter_errors(example)) == []
            assert list(valid.iter_errors({**example, "action": "no_such"}))
            assert list(valid.iter_errors({**example, "no_such": 1}))


def test_the_records_of_write_many_are_described_as_write_takes_them(anna):
    schema = registry.schema_of(registry.TOOLS["e_record"]["write_many"])
    item = schema["$defs"]["RecordFields"]
    assert item["required"] == ["lane"] and "edge_properties" in item["properties"]
    assert schema["properties"]["records"]["items"] == {"$ref": "#/$defs/RecordFields"}


def test_a_bad_record_refuses_none_of_the_others(anna):
    good = {"lane": "red", "text": "Good."}
    bad: list[Any] = [
        {**good, "text": "a\x00b"}, {**good, "kind\x00": "x"}, {**good, "source": {"deep": ["\x00"]}}, "a text", None,
        {**good, "txt": "typo"}, {**good, "text": 5}, {"text": "no lane"}, {**good, "edge_properties": ["nolabel"]},
    ]  # fmt: skip
    reply = anna("e_record", "write_many", records=[good, *bad, good])
    assert (reply["written"], reply["refused"]) == (2, len(bad))
    results = reply["results"]
    assert "sr_id" in results[0] and "sr_id" in results[-1]
    for number, result in enumerate(results[1:-1], start=1):
        assert all(place.startswith(f"records[{number}]") for place in result["error"]["errors"]), result
    assert results[1]["error"]["errors"].keys() == {"records[1].text"}
    assert anna("e_record", "write", records=[{"a": "\x00"}], lane="red", text="x").status == 400
