"""The benchmark's own answers: brute force and the sqlite peer, written apart, agree."""

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from benchmarks.structure.peers import Sqlite
from benchmarks.structure.world import KINDS, Reference, World, build, questions

SIZE = 3_000


@pytest.fixture(scope="module")
def world() -> World:
    return build(SIZE, 7, np.arange(SIZE))


def test_arrays_hold_every_property_both_ways(world):
    assert len(world.rpid) == len(world.prec) > 7 * SIZE
    for record in (0, 17, SIZE - 1):
        for prop in world.held(record):
            assert record in world.carriers(prop)


def test_sqlite_gives_the_answers_of_brute_force(world, tmp_path):
    start = datetime(2016, 1, 1, tzinfo=UTC)
    instants = [start + timedelta(seconds=rank) for rank in range(SIZE)]
    reference = Reference(world, instants, [f"sr_{rank:032x}" for rank in range(SIZE)])
    peer, asked = Sqlite(world, tmp_path), questions(world, 15)
    compared = 0
    for method, kind in KINDS.values():
        if hasattr(peer, method):
            for question in asked[kind]:
                assert getattr(peer, method)(question) == getattr(reference, method)(question), (method, question)
                compared += 1
    assert compared == 15 * (len(KINDS) - 1), "all but the timeline"
