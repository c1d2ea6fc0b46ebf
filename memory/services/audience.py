"""Who sees what joins records: whoever reads two of its members, and nobody else.

Where one connection makes another way (a new team ends the old one, a full record drops the weakest), whoever sees
the one go must see the other come: else its going tells of something hidden. So writes compare audiences, and theirs
are decided by the lanes of the members alone, never by who happens to write.
"""

from collections import Counter
from collections.abc import Collection, Iterable
from itertools import combinations

Audience = set[frozenset[int]]


def of(lanes: Iterable[int]) -> Audience:
    """The least lanes one must read to see what joins records of these lanes (one lane a record): each lane that holds
    two of them, and each two lanes that hold one each."""
    held = Counter(lanes)
    single = sorted(lane for lane, count in held.items() if count == 1)
    return {frozenset([lane]) for lane, count in held.items() if count > 1} | set(
        map(frozenset, combinations(single, 2))
    )


def sees(readable: Collection[int], lanes: Iterable[int]) -> bool:
    """Whether who reads just these lanes sees what joins records of `lanes`."""
    return sum(lane in readable for lane in lanes) > 1


def ends_with(old: dict[int, int], new: Collection[int]) -> list[int]:
    """The members of an old connection ({record: lane}) whose stamps end as one between records of the lanes `new`
    begins: those through whom only such see it as see the new one too. None where that cannot be told apart."""
    told: set[int] = set()
    others: set[int] = set()
    for least in of(old.values()):
        (told if sees(least, new) else others).update(least)
    return [] if told & others else [record for record, lane in old.items() if lane in told]
