"""What e_property list and e_record read tell of properties: intervals, ended ones, what connections carry."""

import pytest

pytestmark = pytest.mark.django_db


def listed(caller, sr_id, **arguments):
    found = caller("e_property", "list", sr_id=sr_id, **arguments)["edge_properties"]
    read = caller("e_record", "read", sr_id=sr_id, **arguments)["record"]["edge_properties"]
    assert read == found
    return found


def test_ended_properties_are_listed_when_asked_for_and_as_of(anna):
    held = {"label": "status", "value": "open", "valid_from": "2024-01-01", "confidence": 0.5}
    sr_id = anna.write("red", properties=(held, "client:Acme"))
    anna("e_property", "invalidate", sr_id=sr_id, label="status", value="open", at="2024-06-01", reason="settled")
    anna("e_property", "add", sr_id=sr_id, edge_properties=[{**held, "valid_from": "2024-09-01"}])
    first = {
        "label": "status", "value": "open", "valid_from": "2024-01-01T00:00:00+00:00", "confidence": 0.5,
        "invalidated_at": "2024-06-01T00:00:00+00:00", "reason": "settled",
    }  # fmt: skip
    again = {"label": "status", "value": "open", "valid_from": "2024-09-01T00:00:00+00:00", "confidence": 0.5}
    acme = {"label": "client", "value": "Acme"}
    assert listed(anna, sr_id) == [acme, again]
    assert listed(anna, sr_id, as_of="2024-03-01") == [first, acme]
    assert listed(anna, sr_id, as_of="2024-07-01") == [acme]
    assert listed(anna, sr_id, include_invalidated=True) == [first, acme, again]


def test_a_connection_tells_all_that_was_said_of_it(anna):
    one, two = anna.write("red"), anna.write("red")
    said = {"type": "causes", "directed": True, "strength": 0.7, "confidence": 0.5, "reason": "Said so.",
            "attributes": {"page": 4}, "valid_from": "2024-01-01"}  # fmt: skip
    name = anna("e_property", "connect", sr_id=[one, two], hint="led to", **said)["property"]
    anna("e_property", "connect", sr_id=[one, two], hint="led to", **said)
    for sr_id, role in ((one, "source"), (two, "target")):
        (told,) = listed(anna, sr_id)
        assert told.pop("last_mentioned") > "2026"
        assert told == {
            "label": "e_connect", "value": name.partition(":")[2], "role": role, "type": "causes", "directed": True,
            "strength": 0.7, "confidence": 0.6, "reason": "Said so.", "attributes": {"page": 4}, "mentions": 2,
            "valid_from": "2024-01-01T00:00:00+00:00", "invalidated_at": None,
        }  # fmt: skip
    anna("e_property", "invalidate", property=name, at="2024-06-01", reason="Over.")
    assert listed(anna, one) == []
    (ended,) = listed(anna, one, include_invalidated=True)
    assert (ended["invalidated_at"], ended["reason"]) == ("2024-06-01T00:00:00+00:00", "Over.")
    assert len(listed(anna, one, as_of="2024-03-01")) == 1


def test_nothing_is_told_of_a_connection_to_what_cannot_be_seen(world):
    anna, andy = world.anna, world.andy
    red, also, blue = anna.write("red"), anna.write("red"), anna.write("blue")
    anna("e_property", "connect", sr_id=[red, blue], hint="secret", reason="Blue.")
    both = anna("e_property", "connect", sr_id=[blue, red, also], hint="partly", directed=True,
                attributes={"source": blue, "page": 1})["property"]  # fmt: skip
    for arguments in ({}, {"include_invalidated": True}, {"as_of": "9999-12-31"}):
        (told,) = listed(andy, red, **arguments)
        assert (f"e_connect:{told['value']}", told["role"], told["attributes"]) == (both, "target", {"page": 1})
    (_, told) = listed(anna, red)
    assert told["attributes"] == {"source": blue, "page": 1}
    assert len(listed(anna, red, lanes=["red"])) == 1
    assert andy("e_property", "list", sr_id=blue).status == 404
    edges = andy("e_gather", "radius", sr_id=red)["edges"]
    assert [(edge["source"], sorted(edge["target"])) for edge in edges] == [([], sorted([red, also]))]
    assert andy("e_property", "list", sr_id=red, lanes=["blue"]).status == 404


def test_walks_say_which_end_of_a_directed_connection_is_which(anna):
    one, two, three = anna.write("red"), anna.write("red"), anna.write("red", properties=("client:Acme",))
    plain = anna.write("red", properties=("client:Acme",))
    anna("e_property", "connect", sr_id=[one, two, three], hint="led to", directed=True)
    for origin in (one, two):
        edges = {edge["label"]: edge for edge in anna("e_gather", "radius", sr_id=origin)["edges"]}
        directed = edges["e_connect"]
        assert (directed["source"], sorted(directed["target"])) == ([one], sorted([two, three]))
        assert "source" not in edges["client"]
    path = anna("e_gather", "path", **{"from": two, "to": plain})
    first, last = path["steps"]
    assert (first["via"]["source"], sorted(first["via"]["target"])) == ([], sorted([two, three]))
    assert "source" not in last["via"]
    straight = anna("e_gather", "path", **{"from": two, "to": one})["steps"][0]
    assert (straight["via"]["source"], straight["via"]["target"]) == ([one], [two])
