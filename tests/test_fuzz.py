"""Whatever a caller sends, the answer is a reply or a clear refusal; never a 500, never half a write."""

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from api import registry
from tests import matrix
from tests.algebra.model import rolled_back
from tests.test_persona_matrix import CASES

pytestmark = pytest.mark.django_db

texts = st.one_of(
    st.text(max_size=20),
    st.sampled_from(
        ["", " ", "\x00", "\ud800", "e_connect", "client:", ":x", "1:08-cv-00284", "C++", "'; --", "%", "_", "\\",
         "a & b | !c", "<->", "(", "字", "ＡＢＣ", "\u202e", "x" * 600, "9" * 400, "0001-01-01", "9999-12-31", "-1",
         "2024-02-30", "1e309", "NaN", "null", "sr_", "sr_" + "g" * 32, "sr_" + "A" * 32]
    ),
)  # fmt: skip
scalars = st.one_of(
    st.none(), st.booleans(), texts, st.integers(), st.sampled_from([-1, 0, 1, 2**31, 2**63, 10**30]),
    st.floats(allow_nan=False, allow_infinity=False),
)  # fmt: skip
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=3), max_leaves=8
)


def examples() -> list[tuple[str, dict[str, Any]]]:
    """One good body of every action, before any record is known."""
    return sorted(CASES, key=str)


@settings(
    max_examples=150, deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.data_too_large],
)  # fmt: skip
@given(st.data())
def test_no_argument_whatever_it_is_breaks_an_action(marked_once, data):
    caller = marked_once.caller("anna")
    tool, name = data.draw(st.sampled_from(examples()))
    body = dict(CASES[(tool, name)](marked_once, "anna", marked_once.own("anna"))[0])
    fields = list(registry.TOOLS[tool][name].Arguments.model_json_schema()["properties"])
    for field in data.draw(st.lists(st.sampled_from(fields), min_size=1, max_size=2, unique=True)):
        body[field] = data.draw(values)
    with rolled_back():
        reply = caller.post(f"/api/v1/tools/{tool}", json.dumps(body))
        assert reply.status in (200, 400, 403, 404, 409), (body, reply.body)
        if reply.status != 200:
            assert set(reply.body) == {"detail", "code", "errors", "request_id"}
            assert reply.status != 400 or reply.body["errors"], (body, reply.body)


@pytest.fixture
def marked_once(db):
    return matrix.build()


@pytest.mark.parametrize("action", registry.ACTIONS, ids=lambda action: f"{action.tool}.{action.name}")
def test_the_schema_of_an_action_is_good_enough_for_a_model(action):
    schema = registry.schema_of(action)
    Draft202012Validator.check_schema(schema)
    assert schema["type"] == "object"
    assert schema["additionalProperties"] is False
    for where, node in nodes(schema):
        assert node.get("type") != "array" or "items" in node, where
    assert action.__doc__, "callers read the docstring"


def nodes(node: Any, where: str = "") -> list[tuple[str, dict[str, Any]]]:
    """Every object inside a schema with its place."""
    found: list[tuple[str, dict[str, Any]]] = []
    if isinstance(node, dict):
        found.append((where, node))
        for key, inner in node.items():
            found += nodes(inner, f"{where}/{key}")
    elif isinstance(node, list):
        for index, inner in enumerate(node):
            found += nodes(inner, f"{where}/{index}")
    return found


def test_the_tools_say_what_they_take(world):
    told = world.anna.get("/api/v1/tools")["tools"]
    assert {tool["name"] for tool in told} == set(registry.TOOLS)
    for tool in told:
        assert tool["description"]
        assert tool["actions"] or "input_schema" in tool
