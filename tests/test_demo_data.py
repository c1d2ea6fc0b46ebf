"""The demo tenant and the generator as data: what a reader of the demo relies on."""

import re
from collections import Counter

from memory.demo import items, records
from memory.demo.cast import LANES, PEOPLE, PROFILES, WALL
from memory.demo.links import ADJUSTMENTS, CONNECTIONS, ENDED
from memory.demo.matters import MATTERS
from memory.demo.scale import lane_slugs, stream
from memory.demo.shape import KINDS, properties
from memory.normal import edge_key, label, value

ALL = list(records())


def test_records_are_as_rich_as_promised():
    assert 140 <= len(ALL) <= 170
    assert set(MATTERS) == {lane.slug for lane in LANES}
    assert len({record["external_id"] for record in ALL}) == len(ALL)
    for record in ALL:
        assert record["kind"] in KINDS, record["external_id"]
        assert 4 <= len(record["edge_properties"]) <= 9, record["external_id"]
        assert len(record["text"]) > 40, record["external_id"]
        keys = [edge_key(p["label"], p["value"]) for p in record["edge_properties"]]
        assert len(set(keys)) == len(keys), record["external_id"]
        for given in record["edge_properties"]:
            assert label(given["label"]) == given["label"]
            assert value(given["value"]) == given["value"]


def test_every_precision_a_hub_and_two_spellings_are_there():
    assert {record["date_precision"] for record in ALL} == {"", "year", "month", "day", "time"}
    carried = Counter((p["label"], p["value"]) for record in ALL for p in record["edge_properties"])
    assert carried.most_common(1)[0][1] > len(ALL) * 0.8
    assert carried["company", "Kestrelgate Cold Chain, Inc."] > 10
    assert 3 <= carried["company", "Kestrel Gate Cold Chain Inc."] < 10


def test_agents_and_people_write_only_where_they_may():
    writers = {who.username: who for who in PEOPLE} | {profile.slug: profile for profile in PROFILES}
    written = Counter()
    for lane, item in items():
        if item.by is None:
            continue
        written[item.by] += 1
        assert item.by in writers, item.id
        assert (item.kind == "agent_note") == (item.by in {p.slug for p in PROFILES}), item.id
        assert lane.slug in writers[item.by].write or "*" in writers[item.by].write, item.id
        if lane.slug in WALL.lanes:
            assert item.by not in WALL.people + WALL.profiles, item.id
    assert written["research-agent"] >= 3 and written["intake-agent"] >= 3


def test_nothing_outside_the_wall_speaks_of_what_is_inside():
    inside = {(p["label"], p["value"]) for r in ALL if r["lane"] in WALL.lanes for p in r["edge_properties"]}
    outside = {(p["label"], p["value"]) for r in ALL if r["lane"] not in WALL.lanes for p in r["edge_properties"]}
    assert inside & outside, "the wall would be easy if nothing were shared across it"
    for record in ALL:
        if record["lane"] not in WALL.lanes:
            said = " ".join([record["title"], record["text"], *(p["value"] for p in record["edge_properties"])])
            assert not re.search(r"\b(lantern|acquisition|indicative offer)\b", said, re.I), record["external_id"]
    walled = set(WALL.people) | set(WALL.profiles)
    reads_all = {who.username for who in PEOPLE if "*" in who.read} | {p.slug for p in PROFILES if "*" in p.read}
    assert walled & reads_all, "one who reads everything else is walled off, so the wall is felt"


def test_links_join_records_that_exist():
    by_id = {item.id: (lane, item) for lane, item in items()}
    for connection in CONNECTIONS:
        assert len(set(connection.members)) >= 2
        assert set(connection.members) <= set(by_id)
    for adjustment in ADJUSTMENTS:
        assert {adjustment.record, adjustment.by} <= set(by_id)
        assert adjustment.hint in ("supersedes", "corrects", "retracts")
    for ended in ENDED:
        assert (ended.label, ended.value) in set(properties(*by_id[ended.record]))


def test_generator_is_deterministic_in_any_part_and_skewed():
    whole = list(stream(50_000))
    assert whole[19_990:20_010] == list(stream(50_000, start=19_990, stop=20_010))
    assert whole[:100] != list(stream(50_000, seed=8, stop=100))
    assert {record["lane"] for record in whole} == set(lane_slugs())
    carried = Counter((p["label"], p["value"]) for record in whole for p in record["edge_properties"])
    assert 7.5 < sum(carried.values()) / len(whole) < 8.5
    assert carried.most_common(1)[0][1] > 0.4 * len(whole)
    assert sum(1 for count in carried.values() if count <= 20) > len(carried) / 2
    for record in whole[:2000]:
        keys = {edge_key(p["label"], p["value"]) for p in record["edge_properties"]}
        assert len(keys) == len(record["edge_properties"])
