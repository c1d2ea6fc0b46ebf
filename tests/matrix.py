"""The world the persona matrix is asked about: every lane full of its own markers, joined across every wall."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from memory.services import controlled
from tests.conftest import Caller, World, make_world

# Words that occur in one lane only. Whoever meets another lane's marker has met a leak.
MARKERS = {"red": "zqvermilion", "blue": "zqcobalt", "green": "zqmalachite", "elsewhere": "zqforeign"}
# An entity of each lane, and one name that is an entity in each of them.
ENTITIES = {lane: f"{marker.title()} Entity" for lane, marker in MARKERS.items()}
# Words of each tenant's vocabulary, which all of its people and agents may know whatever they read.
VOCABULARY = {"firm": "zqlexicon", "elsewhere": "zqforeign lexicon"}
READABLE = {
    "anna": {"red", "blue", "green"},
    "andy": {"red"},
    "rita": {"red", "blue"},
    "wally": {"red", "green"},
    "bert": {"elsewhere"},
}
SHARED = "client:Shared Holdings"


@dataclass
class Marked:
    """The world, the records of every lane, and the connections that cross lanes."""

    world: World
    records: dict[str, list[str]] = field(default_factory=dict)
    across: dict[tuple[str, ...], str] = field(default_factory=dict)

    def hidden_from(self, persona: str) -> set[str]:
        """Every text that must not be met by this persona: markers, ids, lane slugs, stamps."""
        lanes = set(MARKERS) - READABLE[persona]
        found = {MARKERS[lane] for lane in lanes} | {ENTITIES[lane] for lane in lanes}
        found |= {sr_id for lane in lanes for sr_id in self.records[lane]}
        found |= {VOCABULARY["firm"]} if persona == "bert" else set()
        found |= {f'"{lane}"' for lane in lanes - {"elsewhere", "red"}}
        for lanes_joined, name in self.across.items():
            if len([lane for lane in lanes_joined if lane in READABLE[persona]]) < 2:
                found.add(name.split(":")[1])
        return found

    def own(self, persona: str) -> str:
        """A record the persona may read."""
        return self.records["elsewhere" if persona == "bert" else "red"][0]

    def caller(self, persona: str) -> Caller:
        return self.world.personas[persona]


def fields(lane: str, number: int) -> dict[str, Any]:
    marker = MARKERS[lane]
    return {
        "text": f"The {marker} matter number {number}: on 3 May 2024 the notice was served. {marker}@example.com.",
        "title": f"{marker} note {number}",
        "occurred_at": f"2024-05-0{number + 1}" if number < 3 else None,
        "edge_properties": [
            SHARED,
            f"person:{marker} person",
            f"matter:{marker}-{number}",
            "status:open",
            "year:2024",
        ],
        "external_id": f"{marker}-{number}",
        "source": {"file": f"{marker}.txt"},
        "tags": [f"{marker} tag", "common tag"],
    }


def build() -> Marked:
    """Four lanes of four records each; connections red–blue, blue–green, red–green and red–blue–green."""
    world = make_world()
    marked = Marked(world)
    for lane in MARKERS:
        caller = world.bert if lane == "elsewhere" else world.anna
        slug = "red" if lane == "elsewhere" else lane
        marked.records[lane] = [
            caller("e_record", "write", lane=slug, **fields(lane, number))["sr_id"] for number in range(4)
        ]
    for lanes in (("red", "blue"), ("blue", "green"), ("red", "green"), ("red", "blue", "green")):
        members = [marked.records[lane][0] for lane in lanes]
        reply = world.anna("e_property", "connect", sr_id=members, hint="x_" + "_".join(lane[0] for lane in lanes))
        marked.across[lanes] = reply["property"]
    world.anna("e_property", "adjust", sr_id=marked.records["red"][3], by=marked.records["blue"][3], hint="corrects")
    for lane, name in ENTITIES.items():
        caller = world.bert if lane == "elsewhere" else world.anna
        joined = {"from": "Shared Entity", "to": name, "attributes": {"note": MARKERS[lane]}}
        slug = "red" if lane == "elsewhere" else lane
        reply = caller("add_relationship", lane=slug, type="works_with", **joined)
        assert reply.status == 200, reply.body
    for tenant, word in ((world.tenant, VOCABULARY["firm"]), (world.other, VOCABULARY["elsewhere"])):
        controlled.put(tenant.pk, [controlled.entry("client", word, [f"{word} alias"])])
    # An old spelling known in blue alone.
    world.anna("e_property", "rename", label="person", value="zqcobalt person", to="zqcobalt renamed", lanes=["blue"])
    return marked
