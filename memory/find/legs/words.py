"""The words leg: BM25, computed inside Postgres from positions that are stored anyway.

`ts_rank('{1,1,1,1}', tsv, one lexeme)` is (1 + 1/4 + … + 1/tf²) / (π²/6), from which the term frequency tf comes
back exactly: tf = floor(1 / (π²/6 · (1 − rank))). Words that stand side by side in the question and in the text
add to the score (a phrase is worth more than its words). Document frequencies and the mean length are sums over
the readable lanes only.

Small scopes score every record. Large ones score candidates: records with any of the rare words, or any two of
the common ones, up to CAP; a question of one very common word looks at the newest records that have it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from memory import sql, words
from memory.find import frequencies
from memory.find.ask import TERMS_MAX, Ask

K1, B = 0.9, 0.4
PAIR_WEIGHT = 0.8  # of the mean of the two words' weights, for words side by side
SCALE = 2.2
CAP = 2_000
CAP_LARGE, LARGE = 4_000, 300_000  # candidates, from so many readable records on
NEWEST = 1_000  # candidates of a question that has only very common words
# Reading a record in a lane's order to see whether it has the words costs about so many times what finding one through
# the index does.
READING = 6.0
COMMON_MAX = 4  # common words of which pairs are sought
WIDE_LANES = 24  # lanes from which, or half of all records from which, the index over all lanes is used

# floor(1 / (pi^2/6 * (1.0000001 - rank))): the tiny excess keeps rank 1.0 finite.
_TF = "floor(1 / (1.6449341 * (1.0000001 - ts_rank('{{1,1,1,1}}', z.tsv, %({name})s::tsquery))))"
# A long tsvector is stored out of line; joining it with an empty one fetches it once, not once a word.
_ROWS = """
select t.record_id, t.dl, case when t.dl > 400 then t.tsv || ''::tsvector else t.tsv end as tsv
from memory_recordtext t
"""


@dataclass
class Found:
    """(record id, score), best first; `newest` tells that only the newest records with a common word were read."""

    hits: list[tuple[int, float]]
    records: int = 0
    newest: bool = False
    weights: dict[str, float] = field(default_factory=dict)


def search(ask: Ask) -> Found:
    """The `ask.depth` best records by BM25; nothing when the question has only stop words."""
    lexemes = ask.lexemes[: 4 * TERMS_MAX]
    is_small = frequencies.small(ask.lanes)
    if is_small:
        totals = frequencies.on_the_spot(ask.lanes, lexemes[:TERMS_MAX])
    else:
        totals = frequencies.counted(ask.lanes, lexemes)
    if not lexemes or not totals.records:
        return Found([], totals.records)
    present = [x for x in lexemes if totals.frequency.get(x, 0) > 0] or lexemes[:TERMS_MAX]
    kept = sorted(present, key=lambda x: totals.frequency.get(x, 0))[:TERMS_MAX]
    weights = {x: idf(totals.records, totals.frequency.get(x, 0)) for x in kept}
    score, params = _score(ask, weights, totals)
    newest = False
    if is_small or (ask.allowed is not None and len(ask.allowed) <= frequencies.SMALL):
        source = f"{_ROWS} where {ask.rows('t', driven=ask.allowed is not None)} offset 0"
        where = " where z.tsv @@ %(any)s::tsquery"
        params["any"] = words.tsquery_any(kept)
    else:
        source, more, newest = _candidates(ask, kept, totals)
        where = ""
        params |= more
    rows = sql.fetch(
        f"select z.record_id, ({score})::float8 as score from ({source}) z{where} order by 2 desc, 1 limit %(depth)s",
        {**ask.params, **params, "depth": ask.depth},
        prepare=False,
    )
    return Found([row for row in rows if row[1] > 0], totals.records, newest, weights)


def idf(records: int, frequency: int) -> float:
    """BM25's weight of a word, never negative."""
    frequency = min(frequency, records)
    return math.log(1 + (records - frequency + 0.5) / (frequency + 0.5))


def _score(ask: Ask, weights: dict[str, float], totals: frequencies.Totals) -> tuple[str, dict[str, Any]]:
    """The score as SQL over z(tsv, dl), and its parameters."""
    params: dict[str, Any] = {"base": K1 * (1 - B), "slope": K1 * B / max(totals.length, 1.0)}
    norm = "(%(base)s::float8 + %(slope)s::float8 * z.dl)"
    parts = []
    for i, (lexeme, weight) in enumerate(weights.items()):
        params[f"q{i}"], params[f"w{i}"] = words.quote(lexeme), SCALE * weight
        parts.append(f"%(w{i})s::float8 * (1 - {norm} / ({_TF.format(name=f'q{i}')} + {norm}))")
    pairs = [pair for pair in ask.pairs if pair[0] in weights and pair[1] in weights][:TERMS_MAX]
    for i, (first, second) in enumerate(pairs):
        params[f"p{i}"] = f"{words.quote(first)} <-> {words.quote(second)}"
        params[f"v{i}"] = PAIR_WEIGHT * (weights[first] + weights[second]) / 2
        parts.append(f"case when z.tsv @@ %(p{i})s::tsquery then %(v{i})s::float8 else 0 end")
    return " + ".join(parts), params


def _candidates(ask: Ask, lexemes: list[str], totals: frequencies.Totals) -> tuple[str, dict[str, Any], bool]:
    """SQL for the rows to score in a large scope, its parameters, and whether only the newest are read."""
    cap = CAP_LARGE if totals.records > LARGE else CAP
    rare, pairs = choose(lexemes, totals, cap)
    if not rare and not pairs:
        common = lexemes[:2]
        expected = _together(common, totals)
        if len(common) == 1 or 4 * expected > 4 * cap:
            return *_newest(ask, common, expected, totals.records), True
        pairs = [(common[0], common[1])]
    if _wide(ask, totals.records):
        query = " | ".join([*map(words.quote, rare), *(f"({words.quote(a)} & {words.quote(b)})" for a, b in pairs)])
        return (
            f"{_ROWS} where t.tsv @@ %(family)s::tsquery and {ask.rows('t', lane_index=False)} offset 0",
            {"family": query},
            False,
        )
    tests: list[str] = []
    params: dict[str, Any] = {}
    if rare:
        params["rare"] = rare
        tests.append(
            "lane_terms(t.lane_id, t.tsv) && (select array_agg(hashtextextended(x, l)) "
            "from unnest(%(rare)s::text[]) x, unnest(%(lanes)s::int[]) l)"
        )
    for i, pair in enumerate(pairs):
        more, bound = _with_all(ask, list(pair), f"a{i}_")
        tests += more
        params |= bound
    where = " or ".join(tests)
    return f"{_ROWS} where ({where}) and {ask.rows('t', lane_index=False)} offset 0", params, False


def _wide(ask: Ask, records: int) -> bool:
    """Whether the index of words over all lanes serves better than the one by lane."""
    return len(ask.lanes) > WIDE_LANES or records * 2 >= _table_rows()


def _with_all(ask: Ask, lexemes: list[str], name: str) -> tuple[list[str], dict[str, Any]]:
    """SQL, one test a lane, any of which holds for the records of the lanes that have all of these words."""
    params: dict[str, Any] = {f"{name}{i}": lexeme for i, lexeme in enumerate(lexemes)}
    tests = []
    for j, lane in enumerate(ask.lanes):
        params[f"l{j}"] = lane
        hashes = ", ".join(f"hashtextextended(%({name}{i})s, %(l{j})s::int)" for i in range(len(lexemes)))
        tests.append(f"lane_terms(t.lane_id, t.tsv) @> array[{hashes}]")
    return tests, params


def choose(lexemes: list[str], totals: frequencies.Totals, cap: int) -> tuple[list[str], list[tuple[str, str]]]:
    """(words whose records are all candidates, pairs of words whose common records are), within the cap.

    `lexemes` come rarest first. The pairs are of the next few words, heaviest first.
    """
    rare: list[str] = []
    used = 0.0
    for lexeme in lexemes:
        count = totals.frequency.get(lexeme, 0)
        if used + count > cap:
            break
        rare.append(lexeme)
        used += count
    common = lexemes[len(rare) : len(rare) + COMMON_MAX]
    weight = {x: idf(totals.records, totals.frequency.get(x, 0)) for x in common}
    both = [(a, b) for i, a in enumerate(common) for b in common[i + 1 :]]
    pairs: list[tuple[str, str]] = []
    for first, second in sorted(both, key=lambda pair: -(weight[pair[0]] + weight[pair[1]])):
        expected = 1.5 * _together([first, second], totals)
        if used + expected <= cap:
            pairs.append((first, second))
            used += expected
    return rare, pairs


def _together(lexemes: list[str], totals: frequencies.Totals) -> float:
    """How many records are expected to have all of these words."""
    share = 1.0
    for lexeme in lexemes:
        share *= totals.frequency.get(lexeme, 0) / totals.records
    return share * totals.records


def _newest(ask: Ask, lexemes: list[str], expected: float, records: int) -> tuple[str, dict[str, Any]]:
    """The newest records that have these words: found through the index and put in order where they are not too many,
    else read in each lane's own order until there are enough."""
    query = " & ".join(map(words.quote, lexemes))
    params: dict[str, Any] = {"family": query, "share": NEWEST}
    columns = "t.record_id, t.dl, case when t.dl > 400 then t.tsv || ''::tsvector else t.tsv end as tsv"
    to_read = NEWEST * records / max(expected, 1.0)
    if expected < READING * to_read:
        test = "t.tsv @@ %(family)s::tsquery"
        if not _wide(ask, records):
            tests, more = _with_all(ask, lexemes, "n")
            test = f"({' or '.join(tests)})"
            params |= more
        return (
            f"select {columns} from memory_recordtext t where {test} and {ask.rows('t', lane_index=False)} "
            "order by t.at desc, t.record_id desc limit %(share)s offset 0"
        ), params
    source = (
        "select x.record_id, x.dl, x.tsv from unnest(%(lanes)s::int[]) l(lane) cross join lateral ("
        f"select {columns} from memory_recordtext t where t.lane_id = l.lane{ask.filters('t')} "
        # Not the bare operator: the index on it would read every record that has a very common word.
        "and case when t.tsv @@ %(family)s::tsquery then true else false end "
        "order by t.at desc, t.record_id desc limit %(share)s) x offset 0"
    )
    return source, params | {"share": max(20, NEWEST // max(1, len(ask.lanes)))}


def _table_rows() -> float:
    return sql.fetch("select reltuples::float8 from pg_class where oid = 'memory_recordtext'::regclass")[0][0]
