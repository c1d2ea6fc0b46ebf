"""Legs of different units into one score.

Each leg's list is brought to mean 0 and deviation 1 within its first DEPTH hits, and what a leg did not return
has the list's lowest: of the vector legs, the similarity of the last one; of words, none at all. A list of words is
therefore lengthened with nothings to WORDLESS records, so that the only records that have a word stand out and are
told from nothing, not from each other. So the best hit of a leg stands out by as much as it stands out in its own leg;
rank fusion would give every first place the same, and lost 4 to 9 points of recall where the two were compared.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Collection, Mapping, Sequence

DEPTH = 100
WEIGHTS = {"words": 1.0, "record_vector": 0.65, "window_vector": 0.2}
# Beyond this the few questions whose words are in 20 to 60 records lose more than the rare words win.
WORDLESS = 60
LIFT = 2.5  # for the record that is titled as the question names it
# A record that carries a rare value the question names comes up though nothing else speaks for it: it has at least the
# third best score times the value's rarity.
CARRIED_PLACE = 3
DATED = 6.0  # for a record of the very day or month that the question names


def standard(hits: Sequence[tuple[int, float]], among: int = 0) -> dict[int, float]:
    """{record id: standard score above the list's lowest}, from the first DEPTH of (record id, score), best first.

    `among`: how many records the list is drawn from at least; those it does not hold score 0 in it.
    """
    head = hits[:DEPTH]
    if not head:
        return {}
    values = [score for _, score in head] + [0.0] * (among - len(head))
    mean = sum(values) / len(values)
    deviation = math.sqrt(sum((score - mean) ** 2 for score in values) / len(values))
    if deviation < 1e-9:
        # All alike (or only one): found is still better than not found.
        return {record: 1.0 for record, _ in head}
    low = min(values)
    return {record: (score - low) / deviation for record, score in head}


def fuse(lists: Mapping[str, Sequence[tuple[int, float]]], records: int) -> dict[int, float]:
    """{record id: weighted sum of its legs' standard scores} over every record any leg returned. `records`: how many
    there are to be found."""
    scores: dict[int, float] = {}
    for leg, hits in lists.items():
        for record, score in standard(hits, min(WORDLESS, records) if leg == "words" else 0).items():
            scores[record] = scores.get(record, 0.0) + WEIGHTS[leg] * score
    return scores


def floor(scores: dict[int, float], carried: Mapping[int, float], meant: Collection[int]) -> None:
    """Raise the records that carry a value the question names ({record id: the value's rarity, 0 to 1}), and to the
    best score those that are meant. Among each other they stay in the order of their own scores."""
    if not scores or not (carried or meant):
        return
    best = heapq.nlargest(CARRIED_PLACE, scores.values())
    raised = {record: best[-1] * rarity for record, rarity in carried.items()}
    raised |= dict.fromkeys(meant, best[0])
    for record, level in raised.items():
        own = scores.get(record, 0.0)
        scores[record] = max(own, level + 0.01 * own)
