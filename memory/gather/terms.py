"""Terms of a match: what a caller writes, what it means in each lane, and the SQL that finds or tests it.

A term names a hyperedge (label and value), a label with any value, or words of the record; any of them negated.
What a value means can differ by lane (old spellings are kept per lane), so a term is bound to one key a lane and
the lanes go into SQL side by side with their keys.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from lanes.errors import Invalid
from memory import normal, sql, words
from memory.gather.scope import Scope, live

TERMS_MAX = 32
# A reader of more lanes than this searches words by one index of the tenant's words instead of lane by lane.
LANE_HASH_MAX = 64
STAMPS = (normal.CONNECT, normal.ADJUST)


@dataclass(frozen=True)
class Term:
    """One term. `label` None: words of the record; `value` None: the label with any value. `written`: the shorthand
    it was read from, where a colon in it made a label."""

    label: str | None
    value: str | None
    negated: bool = False
    written: str = field(default="", compare=False)

    def shown(self) -> dict[str, Any]:
        """The term as the caller may write it."""
        shape: dict[str, Any] = {} if self.label is None else {"label": self.label}
        if self.value is not None:
            shape["value"] = self.value
        if self.negated:
            shape["not"] = True
        return shape

    def __str__(self) -> str:
        text = ": ".join(part for part in (self.label, self.value) if part is not None)
        return f"not {text}" if self.negated else text


def parse(raw: Sequence[str | Mapping[str, Any]], field_name: str = "match") -> list[Term]:
    """Terms from {"label", "value", "not"} objects or "label:value", "label:" (any value) and "words" strings."""
    if not raw:
        raise Invalid.field(field_name, "Name at least one term.")
    if len(raw) > TERMS_MAX:
        raise Invalid.field(field_name, f"At most {TERMS_MAX} terms.")
    return [_one(item, f"{field_name}[{index}]") for index, item in enumerate(raw)]


def _one(raw: str | Mapping[str, Any], where: str) -> Term:
    if isinstance(raw, str):
        label, colon, rest = raw.partition(":")
        # "1:08-cv-00284" and "note that: x" are words; what stands before the colon of a property is a label.
        if colon and not rest and normal.is_label(label):
            return Term(normal.label(label, where), None, written=raw[:80])
        if colon and rest.strip() and normal.is_label(label):
            return Term(normal.label(label, where), normal.value(rest, where), written=raw[:80])
        return Term(None, normal.value(raw, where))
    named, value = raw.get("label"), raw.get("value")
    if named is None and value is None:
        raise Invalid.field(where, "A term has a label, a value, or both.")
    return Term(
        normal.label(named, f"{where}.label") if named is not None else None,
        normal.value(value, f"{where}.value") if value is not None else None,
        bool(raw.get("not", False)),
    )


@dataclass
class Bound:
    """A term bound to a scope: with the keys it has in each lane, or the words it asks for."""

    term: Term
    index: int
    keys: list[UUID | None] = field(default_factory=list)
    query: str | None = None
    lexemes: list[str] = field(default_factory=list)

    @property
    def kind(self) -> str:
        return "words" if self.term.label is None else "label" if self.term.value is None else "property"

    @property
    def impossible(self) -> bool:
        """No record can match (before negation): only common words, or a stamp the reader may not know of."""
        return (self.kind == "words" and self.query is None) or (self.kind == "property" and not any(self.keys))

    @property
    def same_key(self) -> UUID | None:
        """The key of a property term where it is the same in every lane, as it is without old spellings."""
        first = self.keys[0] if self.keys else None
        return first if all(key == first for key in self.keys) else None

    @property
    def params(self) -> dict[str, Any]:
        i = self.index
        if self.kind == "property":
            return {f"k{i}": self.keys, f"key{i}": self.same_key}
        if self.kind == "label":
            return {f"label{i}": self.term.label}
        return {f"query{i}": self.query or "", f"lexemes{i}": self.lexemes}


class Match:
    """Terms bound to a scope, with the SQL pieces that every set operation is built from."""

    def __init__(self, scope: Scope, terms: Sequence[Term]) -> None:
        self.scope = scope
        self.terms = [self._bind(index, term) for index, term in enumerate(terms)]
        # Whether any row of the properties asked for does not always hold; None until `sets.sizes` has looked.
        self.dated: bool | None = None
        self._resolve_keys()

    @staticmethod
    def _bind(index: int, term: Term) -> Bound:
        bound = Bound(term, index)
        if bound.kind == "words":
            bound.query = words.tsquery_all(term.value or "")
            bound.lexemes = words.required(term.value or "")
        return bound

    def _resolve_keys(self) -> None:
        """Old spellings lead to new ones, lane by lane; a stamp with fewer than two visible members is nothing."""
        named = [bound for bound in self.terms if bound.kind == "property"]
        if not named:
            return
        key = {bound.index: normal.edge_key(bound.term.label or "", bound.term.value or "") for bound in named}
        aliased = {
            (lane, old): new
            for lane, old, new in sql.fetch(
                "select lane_id, key, alias_of from memory_lanevalue "
                "where key = any(%s) and alias_of is not null and lane_id = any(%s)",
                (list(key.values()), self.scope.lanes),
            )
        }
        for bound in named:
            own = key[bound.index]
            bound.keys = [aliased.get((lane, own), own) for lane in self.scope.lanes]
            if bound.term.label in STAMPS and not self._is_visible(own):
                bound.keys = [None] * len(self.scope.lanes)

    def _is_visible(self, key: UUID) -> bool:
        rows = sql.fetch(
            "select count(*) from (select distinct record_id from memory_edgeproperty "
            "where key = %s and lane_id = any(%s) limit 2) members",
            (key, self.scope.lanes),
        )
        return rows[0][0] == 2

    @property
    def params(self) -> dict[str, Any]:
        made = {"lanes": self.scope.lanes, "asked": self.asked, **self.scope.params}
        for bound in self.terms:
            made |= bound.params
        return made

    @property
    def asked(self) -> list[UUID]:
        """The keys of the properties asked for (not of those that are excluded), in any lane."""
        named = [bound for bound in self.terms if bound.kind == "property" and not bound.term.negated]
        return list({key for bound in named for key in bound.keys if key is not None})

    @property
    def any_dated(self) -> str:
        """SQL: some row of the properties asked for does not always hold: one look into an index of such rows."""
        return (
            "exists (select 1 from memory_edgeproperty e where e.state & 5 <> 0 and e.key = any(%(asked)s::uuid[]) "
            "and e.lane_id = any(%(lanes)s::int[]))"
        )

    @property
    def lanes(self) -> str:
        """SQL: one row a lane, `l`, with the lane and the key of every property term in it."""
        named = [bound.index for bound in self.terms if bound.kind == "property"]
        arrays = "".join(f", %(k{i})s::uuid[]" for i in named)
        columns = "".join(f", k{i}" for i in named)
        return f"unnest(%(lanes)s::int[]{arrays}) as l(lane{columns})"

    def everywhere(self, bound: Bound) -> str:
        """SQL: `from … where …` of the rows t, in any lane, that carry a property whose key is the same in all."""
        return (
            f"from memory_edgeproperty t where t.key = %(key{bound.index})s::uuid "
            f"and t.lane_id = any(%(lanes)s::int[]) and {live('t')}{self._once('t')}"
        )

    def source(self, bound: Bound, rare: bool = True) -> str:
        """SQL: `from … where …` of the rows in lane l that carry the (positive) term, as alias t with at, record_id.

        `rare` tells whether few records carry a label, which decides between sorting them and walking the lane.
        """
        i = bound.index
        if bound.kind == "property":
            return (
                f"from memory_edgeproperty t where t.key = l.k{i} and t.lane_id = l.lane "
                f"and {live('t')}{self._once('t')}"
            )
        if bound.kind == "words":
            return (
                f"from memory_recordtext t where t.lane_id = l.lane and {self._words('t', i)} "
                f"and {self._not_superseded('t')}"
            )
        if rare:
            return (
                "from (select distinct r.at, r.id as record_id from memory_edgeproperty e "
                f"join memory_record r on r.id = e.record_id where e.lane_id = l.lane and e.label = %(label{i})s "
                f"and {live('e')}{self._stamp_visible('e', bound)}) t where true"
            )
        return f"{self.everything} and {self.probe(bound, positive=True)}"

    @property
    def everything(self) -> str:
        """SQL: `from … where …` of every record in lane l, as alias t."""
        return (
            "from (select r.at, r.id as record_id, r.superseded_at from memory_record r where r.lane_id = l.lane "
            "and (r.superseded_at is null or r.superseded_at > %(as_of)s or %(ended)s)) t where true"
        )

    def probe(self, bound: Bound, *, positive: bool | None = None) -> str:
        """SQL: the row t (at, record_id) of lane l satisfies the term.

        Fenced by `offset 0`, so that it is always one look-up a row. As a join the planner, which thinks that few
        rows have any one key in any one lane, may compare every row of one hub with every row of the other.
        """
        i = bound.index
        if bound.kind == "property":
            test = (
                f"select 1 from memory_edgeproperty p where p.key = l.k{i} and p.lane_id = l.lane "
                f"and p.at = t.at and p.record_id = t.record_id and {live('p')}"
            )
        elif bound.kind == "label":
            test = (
                f"select 1 from memory_edgeproperty p where p.record_id = t.record_id and p.label = %(label{i})s "
                f"and {live('p')}{self._stamp_visible('p', bound)}"
            )
        else:
            test = (
                f"select 1 from memory_recordtext p where p.record_id = t.record_id and p.tsv @@ %(query{i})s::tsquery"
            )
        holds = not bound.term.negated if positive is None else positive
        if bound.impossible:
            return "false" if holds else "true"
        return f"{'' if holds else 'not '}exists ({test} offset 0)"

    def _words(self, alias: str, i: int) -> str:
        exact = f"{alias}.tsv @@ %(query{i})s::tsquery"
        if len(self.scope.lanes) > LANE_HASH_MAX:
            return exact
        return (
            f"lane_terms({alias}.lane_id, {alias}.tsv) @> (select array_agg(hashtextextended(x, l.lane)) "
            f"from unnest(%(lexemes{i})s::text[]) x) and {exact}"
        )

    @staticmethod
    def _not_superseded(alias: str) -> str:
        return (
            f"(%(ended)s or not exists (select 1 from memory_record s where s.id = {alias}.record_id "
            "and s.superseded_at is not null and s.superseded_at <= %(as_of)s))"
        )

    def _once(self, alias: str) -> str:
        """With ended intervals counted too, a record that had the property more than once still counts once."""
        if not self.scope.include_invalidated:
            return ""
        return (
            f" and not exists (select 1 from memory_edgeproperty d where d.record_id = {alias}.record_id "
            f"and d.key = {alias}.key and d.seq < {alias}.seq)"
        )

    @staticmethod
    def _stamp_visible(alias: str, bound: Bound) -> str:
        if bound.term.label not in STAMPS:
            return ""
        return (
            f" and exists (select 1 from memory_edgeproperty o where o.key = {alias}.key "
            f"and o.record_id <> {alias}.record_id and o.lane_id = any(%(lanes)s))"
        )
