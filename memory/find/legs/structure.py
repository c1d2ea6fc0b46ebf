"""The structure leg: what a question names. Values in use, identifiers, a whole title, dates.

A value that the question names lifts the records that carry it, the more the fewer they are; most of all the record
that is titled so. A date in the question lifts the records of that time. When the whole question is one value,
title, external id or identifier, the records that have it come first, whatever the other legs say.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from memory import normal, sql, words
from memory.find.ask import Ask
from memory.gather.scope import live
from memory.ingest.extractors.base import ExtractContext
from memory.ingest.extractors.case_numbers import CaseNumberExtractor
from memory.ingest.extractors.contact import EmailExtractor, PhoneExtractor
from memory.ingest.extractors.known_values import COMMON, candidates
from memory.ingest.extractors.money import MoneyExtractor
from memory.ingest.extractors.times import TimeExtractor

HEAD = 2_000  # characters of a question in which names are looked for
MENTIONS_MAX = 16  # values of a question that are followed, longest first
HOLDERS_MAX = 500  # records of a value that are lifted, newest first
IDENTIFIER_RECORDS = 50  # records an identifier may occur in and still say which ones are meant
VALUE, TITLE = 0.5, 1.0  # of a value's weight: a record that carries it, the record titled so
TAGGED = 0.25  # a record that only mentions it
# Titled or numbered as the whole question is; carrying it as a value; carrying a value that has it; having it in its
# text.
TITLED, NAMED, HOLDING, CONTAINING = 4, 3, 2, 1
HELD_MAX = 200  # values that have an identifier in them
DATED_MAX = 200  # records of a date that are lifted although no other leg found them
DAY, FADE = 86_400.0, 7.0  # the lift of a date fades over a week before and after it

_EXTRACTORS = (CaseNumberExtractor(), EmailExtractor(), PhoneExtractor(), MoneyExtractor())
_TIMES = TimeExtractor()


@dataclass
class Mention:
    """A value that the question names, under every label it has in the reader's lanes."""

    label: str
    value: str
    key: UUID
    entire: bool = False  # it is the whole question
    identifier: bool = False  # a docket number, an address, an amount: whoever has it is meant


@dataclass(frozen=True)
class Span:
    """A time that the question names, and the weight of being of that time."""

    begins: datetime
    ends: datetime
    weight: float

    def lift(self, at: datetime) -> float:
        """1 inside, fading with the days outside."""
        gap = max((self.begins - at).total_seconds(), (at - self.ends).total_seconds(), 0.0) / DAY
        return self.weight * math.exp(-gap / FADE) if gap < 10 * FADE else 0.0


@dataclass
class Found:
    """`lifts`: record id → 0…1; `first`: records that are what was asked for (TITLED, NAMED) or have it (HOLDING,
    CONTAINING); `why`: what named them; `carried`: record id → the rarity of a value it carries, 0…1; `meant`: those
    with a value that has an identifier of the question: who names a number means what has it, however many."""

    lifts: dict[int, float] = field(default_factory=dict)
    first: dict[int, int] = field(default_factory=dict)
    why: dict[int, list[str]] = field(default_factory=dict)
    carried: dict[int, float] = field(default_factory=dict)
    meant: set[int] = field(default_factory=set)
    spans: list[Span] = field(default_factory=list)
    dated: list[int] = field(default_factory=list)
    keys: list[UUID] = field(default_factory=list)  # of the values that are named

    def put_first(self, record: int, tier: int) -> None:
        self.first[record] = max(self.first.get(record, 0), tier)

    def carry(self, record: int, rarity: float) -> None:
        self.carried[record] = max(self.carried.get(record, 0.0), rarity)

    def add(self, record: int, weight: float, why: str) -> None:
        self.lifts[record] = max(self.lifts.get(record, 0.0), weight)
        reasons = self.why.setdefault(record, [])
        if why not in reasons and len(reasons) < 8:
            reasons.append(why)


def search(ask: Ask, records: int) -> Found:
    """What the question names. `records` is how many the reader may read, for weighing how many carry a value."""
    found = Found()
    if ask.allowed is None or ask.allowed:
        _values(ask, records, found)
        _titles(ask, found)
        _identifiers(ask, records, found)
        _spans(ask, found)
    return found


_MENTIONED = """
select label, value, key, alias_of, alias_value, norm_key, true from memory_lanevalue
where lane_id = any(%(lanes)s) and norm_key = any(%(hashes)s::bigint[]) and label not in ('e_connect', 'e_adjust')
union
select label, value, key, alias_of, alias_value, bare_key, true from memory_lanevalue
where lane_id = any(%(lanes)s) and bare_key = any(%(hashes)s::bigint[]) and label not in ('e_connect', 'e_adjust')
union
select v.label, v.value, v.key, null, null, s.norm_key, false
from memory_controlledspelling s join memory_controlledvalue v on v.id = s.of_id
where s.tenant_id = %(tenant)s and s.norm_key = any(%(hashes)s::bigint[])
"""


def mentions(ask: Ask) -> list[Mention]:
    """The values in use in the readable lanes that the question names: the longest, and none inside another. Also
    those the tenant controls, which texts may be tagged with though no record carries them; they stand in no other's
    way."""
    text = ask.question[:HEAD]
    spans = candidates(text)
    whole = normal.norm_key(text)
    hashes = sql.array({*spans.hashes, whole})
    by_hash: dict[int, dict[UUID, Mention]] = {}
    in_use: set[int] = set()
    for label, value, key, alias_of, alias_value, hash_, used in sql.fetch(
        _MENTIONED, {"lanes": ask.lanes, "hashes": hashes, "tenant": ask.scope.reader.tenant_id}
    ):
        in_use |= {hash_} if used else set()
        target = alias_of or key
        mention = Mention(label, alias_value or value, target, hash_ == whole)
        by_hash.setdefault(hash_, {}).setdefault(target, mention)
    found: dict[UUID, Mention] = dict(by_hash.get(whole, {}))
    taken = bytearray(len(text))
    hits = [(-hit.size, hit.start - hit.end, hit.start, hit.end, hit.hash) for hit in spans.among(by_hash)]
    for _, _, start, end, hashed in sorted(hits):
        if 1 in taken[start:end]:
            continue
        if hashed in in_use:
            taken[start:end] = b"\x01" * (end - start)
        if not _says_something(text[start:end]):
            continue
        for key, mention in by_hash[hashed].items():
            if len(found) < MENTIONS_MAX:
                found.setdefault(key, mention)
    return list(found.values())


def _says_something(mention: str) -> bool:
    tokens = normal.norm_tokens(mention)
    if len(tokens) == 1 and len(tokens[0]) < 2 and tokens[0].isascii():
        return False
    return not all(token in COMMON for token in tokens)


_CARRIERS = f"""
select q.i, x.record_id, x.title from unnest(%(keys)s::uuid[]) with ordinality q(key, i) cross join lateral (
  select y.record_id, left(r.title, 500) as title from (
    select z.record_id from unnest(%(lanes)s::int[]) l(lane) cross join lateral (
      select t.record_id, t.at from memory_edgeproperty t
      where t.key = q.key and t.lane_id = l.lane{{filters}} and {live("t")}
      order by t.at desc, t.record_id desc limit %(cap)s) z
    order by z.at desc, z.record_id desc limit %(cap)s) y
  join memory_record r on r.id = y.record_id) x
"""
_TAGGED = """
select q.i, x.record_id from unnest(%(keys)s::uuid[]) with ordinality q(key, i) cross join lateral (
  select distinct t.record_id from memory_tag t where t.key = q.key and {rows} limit %(cap)s) x
"""


def _values(ask: Ask, records: int, found: Found) -> None:
    named = mentions(ask)
    proposals = [
        Mention(proposal.label, proposal.value, normal.edge_key(proposal.label, proposal.value), identifier=True)
        for extractor in _EXTRACTORS
        for proposal in extractor.extract(ask.question[:HEAD], ExtractContext())
    ]
    known = {mention.key for mention in named}
    named += [mention for mention in proposals if mention.key not in known][:MENTIONS_MAX]
    if not named:
        return
    found.keys = [mention.key for mention in named]
    params = {**ask.params, **ask.scope.params, "keys": found.keys, "cap": HOLDERS_MAX + 1}
    carriers: dict[int, dict[int, str]] = {}
    for i, record, title in sql.fetch(_CARRIERS.format(filters=ask.filters("t")), params):
        carriers.setdefault(i - 1, {})[record] = title
    tagged: dict[int, list[int]] = {}
    for i, record in sql.fetch(_TAGGED.format(rows=ask.rows("t")), params):
        tagged.setdefault(i - 1, []).append(record)
    for i, mention in enumerate(named):
        holders = carriers.get(i, {})
        weight = rarity(records, len(holders))
        title = normal.norm_tokens(mention.value)
        why = f"{mention.label}: {mention.value}"
        for record, record_title in holders.items():
            meant = mention.identifier or (bool(title) and normal.norm_tokens(record_title) == title)
            found.add(record, weight * (TITLE if meant else VALUE), why)
            found.carry(record, weight)
            if mention.entire:
                found.put_first(record, NAMED)
        mentioned = [record for record in tagged.get(i, []) if record not in holders]
        factor = TITLE if mention.identifier else TAGGED
        for record in mentioned:
            found.add(record, rarity(records, len(mentioned)) * factor, f"mentions {why}")


def rarity(records: int, holders: int) -> float:
    """1 for a value that one record carries, towards 0 for one that all do."""
    if holders <= 0 or records <= 0:
        return 0.0
    return min(1.0, math.log(1 + records / holders) / math.log(1 + max(records, 2)))


_TITLED = """
select t.record_id from memory_recordtext t
where lane_terms(t.lane_id, t.tsv) &&
    (select array_agg(hashtextextended(%(title)s, l)) from unnest(%(lanes)s::int[]) l)
  and t.tsv @@ %(query)s::tsquery and {rows} order by t.at desc limit %(cap)s
"""
_EXTERNAL = """
select t.id from memory_record t
where (t.external_id = %(name)s or t.public_id = %(public)s) and {rows} limit %(cap)s
"""


def _titles(ask: Ask, found: Found) -> None:
    """Records whose title, external id or sr_id is the question."""
    question = ask.question.strip()
    term = words.title_term(question)
    if term:
        params = {**ask.params, "title": term, "query": words.quote(term), "cap": HOLDERS_MAX}
        for (record,) in sql.fetch(_TITLED.format(rows=ask.rows("t", lane_index=False)), params):
            found.add(record, 1.0, "title")
            found.put_first(record, TITLED)
    if len(question) <= 200:
        public = question.removeprefix("sr_")
        is_public = len(public) == 32 and all(c in "0123456789abcdef" for c in public)
        params = {
            **ask.params,
            "name": question,
            "public": UUID(hex=public) if is_public else None,
            "cap": HOLDERS_MAX,
        }
        for (record,) in sql.fetch(_EXTERNAL.format(rows=ask.rows("t", record="id")), params):
            found.add(record, 1.0, "identifier")
            found.put_first(record, TITLED)


_HAVING = """
select t.record_id from memory_recordtext t
where lane_terms(t.lane_id, t.tsv) &&
    (select array_agg(hashtextextended(%(term)s, l)) from unnest(%(lanes)s::int[]) l)
  and t.tsv @@ %(query)s::tsquery and {rows} limit %(cap)s
"""


# Values that have an identifier in them: "nysb/09-01172" for 09-01172.
_HELD = """
select v.label, v.value, v.key, v.folded from unnest(%(lanes)s::int[]) l(lane) cross join lateral (
  select w.label, coalesce(w.alias_value, w.value) as value, coalesce(w.alias_of, w.key) as key, w.folded
  from memory_lanevalue w
  where lane_grams(w.lane_id, w.grams) @> lane_grams(l.lane, %(grams)s::int[]) and w.lane_id + 0 = l.lane
    and strpos(w.folded, %(name)s) > 0 and w.label not in ('e_connect', 'e_adjust') limit %(cap)s offset 0) v
limit %(cap)s
"""


def _identifiers(ask: Ask, records: int, found: Found) -> None:
    """Records that contain an identifier of the question, or carry a value that does: a compound with a digit, such as
    1:08-cv-00284. Contained in very many texts it says nothing; a value says what it says however many carry it."""
    names = words.identifiers(ask.question[:HEAD])[:4]
    alone = len(names) == 1 and words.is_one_token(ask.question)
    for name in names:
        params = {**ask.params, "term": name, "query": words.quote(name), "cap": IDENTIFIER_RECORDS + 1}
        rows = sql.fetch(_HAVING.format(rows=ask.rows("t", lane_index=False)), params)
        for (record,) in rows if len(rows) <= IDENTIFIER_RECORDS else ():
            found.add(record, 1.0, f"contains {name}")
            if alone:
                found.put_first(record, CONTAINING)
        for record, rare, why in _holding(ask, normal.fold(name), records):
            found.add(record, rare, why)
            found.meant.add(record)
            if alone:
                found.put_first(record, HOLDING)


def _holding(ask: Ask, name: str, records: int) -> list[tuple[int, float, str]]:
    """(record id, rarity, "label: value") of the records whose values have the whole identifier, at most HOLDERS_MAX:
    those of the value that is little else first."""
    whole = re.compile(rf"(?<![^\W_]){re.escape(name)}(?![^\W_])")
    params = {"lanes": ask.lanes, "name": name, "grams": normal.needle_grams(name), "cap": HELD_MAX}
    held = {key: (len(folded), label, value) for label, value, key, folded in sql.fetch(_HELD, params)
            if whole.search(folded)}  # fmt: skip
    keys = sorted(held, key=lambda key: held[key])
    if not keys:
        return []
    params = {**ask.params, **ask.scope.params, "keys": keys, "cap": HOLDERS_MAX}
    carriers: dict[int, list[int]] = {}
    for i, record, _ in sql.fetch(_CARRIERS.format(filters=ask.filters("t")), params):
        carriers.setdefault(i - 1, []).append(record)
    made = []
    for i, holders in sorted(carriers.items()):
        _, label, value = held[keys[i]]
        made += [(record, rarity(records, len(holders)), f"{label}: {value}") for record in holders]
    return made[:HOLDERS_MAX]


_DATED = """
select t.id from memory_record t
where t.occurred_at is not null and t.at >= %(begins)s and t.at < %(ends)s and {rows} order by t.at desc limit %(cap)s
"""


def _spans(ask: Ask, found: Found) -> None:
    """The times that the question names. A day says more than a year."""
    context = ExtractContext(at=ask.scope.instant)
    for proposal in _TIMES.extract(ask.question[:HEAD], context):
        if proposal.label != "time" or proposal.begins is None or proposal.ends is None:
            continue
        days = (proposal.ends - proposal.begins).total_seconds() / DAY
        if not 0 < days <= 370:
            continue
        weight = 1.0 if days <= 31 else 0.5 if days <= 92 else 0.15
        found.spans.append(Span(proposal.begins, proposal.ends, weight))
        if days <= 92:
            params = {**ask.params, "begins": proposal.begins, "ends": proposal.ends, "cap": DATED_MAX}
            rows = sql.fetch(_DATED.format(rows=ask.rows("t", record="id")), params)
            found.dated += [row[0] for row in rows]
