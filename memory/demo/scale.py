"""Any number of invented records in the import format, for load work: as skewed as a firm's own.

The same `seed` and `total` give the same records, whichever part of them is asked for. Values are drawn from
Zipf-shaped lists: a status carried by almost half of all records at one end, tens of thousands of people and
matters met a few times at the other. At a million records there are about 97,000 distinct edge properties,
eight a record on average, in 50 lanes.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np

LANES = 50
TOPICS = 2000
_CHUNK = 20_000
_FIRST_DAY = datetime(2016, 11, 1, tzinfo=UTC)
_DAYS = 3660


def _words(text: str) -> list[str]:
    return text.split()


STATUSES = ("open", "closed", "draft", "archived", "on hold")
STATUS_SHARES = (0.45, 0.3, 0.15, 0.07, 0.03)
YEARS = tuple(str(year) for year in range(2014, 2027))
DOCUMENTS = _words(
    "contract e-mail memo invoice brief note letter deed minutes report pleading order statement opinion slides "
    "spreadsheet transcript filing notice receipt policy will licence schedule"
)

_ONSETS = _words("b br c cl d dr f fl g gr h j k l m n p pr qu r s sk st t tr v w")
_VOWELS = _words("a e i o u ai ea ou")
_CODAS = _words("ck ld ll lm n nd ng nt rd rk rn rr rt ss st th x")
_ENDINGS = _words("er man field well by ton wick son ley more ham stead gate worth")
_GIVEN = _words(
    "Ada Alba Amos Anouk Asa Basil Bela Bram Cato Celia Clem Cora Dalia Dov Edda Elio Enzo Etta Fay Felix Gus Hal "
    "Ida Ilse Ines Ivo Jules Juno Kit Lars Lena Lotte Luca Mabel Maeve Milo Nell Nico Noor Odile Olga Orla Otto "
    "Pia Quinn Rafi Rhea Rolf Saskia Silas Tove Uma Vera Vito Willa Xenia Yara Ysolde Zeno"
)
_TRADES = _words("Freight Mills Energy Foods Labs Estates Marine Metals Media Motors Paper Rail Systems Timber")
_FORMS = _words("Inc. LLC Ltd. Corp. Partners Group")
_FIELDS = _words(
    "indemnity warranty lease licence pension tariff royalty easement escrow audit merger privacy recall patent "
    "zoning freight storage insurance overtime bonus non-compete discovery mediation appeal"
)
_ASPECTS = _words(
    "notice cap term renewal breach dispute review waiver scope delay cost proof damages exclusion approval "
    "transfer deadline valuation consent standard"
)

_SENTENCES = (
    "{person} sent the {doc} on {topic}; {client} wants an answer within {n} days.",
    "Call with {person} about {topic}. The figure on the table is ${money},000.",
    "{client} accepts the {doc} but not the clause on {topic}, which {person} drafted.",
    "The {doc} of {year} says nothing on {topic}. {person} will ask the other side by e-mail.",
    "Reviewed the {doc}: {topic} is open, {n} documents are missing, and {client} was told.",
    "{person} expects {topic} to be decided in {n} weeks; reserve ${money},000 until then.",
    "Draft {doc} for {client}. {topic_c} follows the form used in {year}.",
    "No agreement on {topic} after {n} hours. {person} takes instructions from {client}.",
)


def _name(i: int) -> str:
    """A family name of its own for every i: digits of i in mixed bases, spelled with syllables."""
    i, onset = divmod(i, len(_ONSETS))
    i, vowel = divmod(i, len(_VOWELS))
    i, coda = divmod(i, len(_CODAS))
    i, ending = divmod(i, len(_ENDINGS))
    more = _name(i - 1).lower() if i else ""
    return (_ONSETS[onset] + _VOWELS[vowel] + _CODAS[coda] + more + _ENDINGS[ending]).capitalize()


def _spread(i: int, size: int) -> int:
    """A fixed shuffle of 0 … size-1, so that neighbours in a list do not look alike."""
    step = 7919
    while np.gcd(step, size) != 1:
        step += 2
    return (i * step + 17) % size


def _zipf(size: int, exponent: float) -> np.ndarray:
    """Cumulative shares of `size` values whose frequency falls as 1 / rank ** exponent."""
    shares = 1 / np.arange(1, size + 1) ** exponent
    return np.cumsum(shares / shares.sum())


def _draw(rng: np.random.Generator, cumulative: np.ndarray, size: int) -> np.ndarray:
    return np.searchsorted(cumulative, rng.random(size) * (1 - 1e-12)).clip(0, len(cumulative) - 1)


@dataclass(frozen=True)
class _World:
    """Everything the records draw from. Property dicts are made once and shared by all records."""

    topics: list[dict[str, str]]
    clients: list[dict[str, str]]
    matters: list[dict[str, str]]
    people: list[dict[str, str]]
    statuses: list[dict[str, str]]
    years: list[dict[str, str]]
    documents: list[dict[str, str]]
    lane_shares: np.ndarray
    home: np.ndarray
    first_matter: np.ndarray
    matter_count: np.ndarray
    ranks: np.ndarray


def _properties(label: str, values: Iterator[str] | tuple[str, ...] | list[str]) -> list[dict[str, str]]:
    return [{"label": label, "value": value} for value in values]


def _world(total: int, seed: int) -> _World:
    rng = np.random.default_rng((seed, total))
    n_clients, n_matters, n_people = max(total // 200, 200), max(total // 25, 1000), max(total // 20, 1000)
    lane_shares = np.diff(_zipf(LANES, 0.7), prepend=0.0)
    rng.shuffle(lane_shares)
    lane_shares = np.cumsum(lane_shares)
    client_of = np.sort(_draw(rng, _zipf(n_clients, 0.6), n_matters))
    first = np.searchsorted(client_of, np.arange(n_clients))
    last = np.searchsorted(client_of, np.arange(n_clients), side="right")
    clients = [
        f"{_name(_spread(i, 40_000))} {_TRADES[i % len(_TRADES)]} {_FORMS[i // 7 % len(_FORMS)]}"
        for i in range(n_clients)
    ]
    topics = [
        f"{_FIELDS[i % len(_FIELDS)]} {_ASPECTS[i // len(_FIELDS) % len(_ASPECTS)]}"
        + (f" {i // (len(_FIELDS) * len(_ASPECTS)) + 1}" if i >= len(_FIELDS) * len(_ASPECTS) else "")
        for i in range(TOPICS)
    ]
    matters = [
        f"M-{100_000 + i} {clients[client_of[i]].split()[0]} v. {_name(_spread(i, 47_000))}" for i in range(n_matters)
    ]
    people = [
        f"{_GIVEN[i % len(_GIVEN)]} {_name(_spread(i // len(_GIVEN) + i % 97 * 431, 44_000))}" for i in range(n_people)
    ]
    return _World(
        topics=_properties("topic", topics),
        clients=_properties("client", clients),
        matters=_properties("matter", matters),
        people=_properties("person", people),
        statuses=_properties("status", STATUSES),
        years=_properties("year", YEARS),
        documents=_properties("doc_type", DOCUMENTS),
        lane_shares=lane_shares,
        home=_draw(rng, lane_shares, n_clients),
        first_matter=first,
        matter_count=last - first,
        ranks=rng.permutation(n_people),
    )


def lane_slugs() -> list[str]:
    """The lanes the records are spread over."""
    return [f"scale-{i:02d}" for i in range(1, LANES + 1)]


def stream(total: int, seed: int = 7, start: int = 0, stop: int | None = None) -> Iterator[dict[str, Any]]:
    """Records `start` … `stop` (not included) of `total`, in the import format, made as they are asked for.

    Records share their property dicts: read them, do not change them.
    """
    world = _world(total, seed)
    stop = total if stop is None else min(stop, total)
    for chunk in range(start // _CHUNK, -(-stop // _CHUNK)):
        low = chunk * _CHUNK
        rows = _chunk(world, total, seed, chunk, min(_CHUNK, total - low))
        for i in range(max(start, low), min(stop, low + _CHUNK)):
            yield rows(i - low)


def _chunk(world: _World, total: int, seed: int, chunk: int, size: int) -> Callable[[int], dict[str, Any]]:
    """Draw one chunk's numbers at once; returns the function that builds its i-th record."""
    rng = np.random.default_rng((seed, total, chunk))
    n_clients, n_people = len(world.clients), len(world.people)
    has_client = rng.random(size) < 0.9
    client = _draw(rng, _zipf(n_clients, 1.0), size)
    at_home = has_client & (rng.random(size) < 0.8)
    lane = np.where(at_home, world.home[client], _draw(rng, world.lane_shares, size))
    matters = world.matter_count[client]
    has_matter = has_client & (matters > 0) & (rng.random(size) < 0.89)
    matter = world.first_matter[client] + (rng.random(size) ** 1.6 * matters).astype(int)
    topic_shares, people_shares = _zipf(TOPICS, 1.0), _zipf(n_people, 0.8)
    columns: list[tuple[list[dict[str, str]], list[bool], list[int]]] = []

    def add(values: list[dict[str, str]], mask: np.ndarray, index: np.ndarray) -> None:
        columns.append((values, mask.tolist(), index.clip(0, len(values) - 1).tolist()))

    every = np.ones(size, bool)
    add(world.statuses, every, _draw(rng, np.cumsum(STATUS_SHARES), size))
    day = (np.arange(size) + chunk * _CHUNK) * _DAYS // max(total, 1) - (rng.random(size) ** 3 * 900).astype(int)
    days = day.tolist()
    dates = {d: (_FIRST_DAY + timedelta(days=d)).date().isoformat() for d in set(days)}
    add(world.years, every, np.array([int(dates[d][:4]) - int(YEARS[0]) for d in days]))
    add(world.documents, every, _draw(rng, _zipf(len(DOCUMENTS), 1.0), size))
    add(world.clients, has_client, client)
    add(world.matters, has_matter, matter)
    for share in (1, 0.65, 0.35):
        add(world.topics, rng.random(size) < share, _draw(rng, topic_shares, size))
    for share in (0.8, 0.35, 0.15):
        add(world.people, rng.random(size) < share, world.ranks[_draw(rng, people_shares, size)])
    undated = (rng.random(size) < 0.02).tolist()
    number, money = rng.integers(2, 90, size).tolist(), rng.integers(5, 950, size).tolist()
    pick = ((rng.integers(0, len(_SENTENCES), (size, 1)) + (0, 3, 5)) % len(_SENTENCES)).tolist()
    sentences = (1 + (rng.random(size) < 0.6).astype(int) + (rng.random(size) < 0.3)).tolist()
    lanes, slugs, low = lane.tolist(), lane_slugs(), chunk * _CHUNK

    def build(i: int) -> dict[str, Any]:
        properties: list[dict[str, str]] = []
        for values, mask, index in columns:
            if mask[i]:
                prop = values[index[i]]
                if prop not in properties:
                    properties.append(prop)
        person = world.people[columns[8][2][i]]["value"]
        topic, document = world.topics[columns[5][2][i]]["value"], properties[2]["value"]
        client_name = world.clients[columns[3][2][i]]["value"] if columns[3][1][i] else "the client"
        words = {
            "person": person,
            "doc": document,
            "topic": topic,
            "topic_c": topic.capitalize(),
            "client": client_name,
            "year": properties[1]["value"],
            "n": number[i],
            "money": money[i],
        }
        text = " ".join(_SENTENCES[k].format_map(words) for k in pick[i][: sentences[i]]).replace("..", ".")
        return {
            "external_id": f"scale-{seed}-{low + i}",
            "lane": slugs[lanes[i]],
            "kind": "note",
            "title": f"{document.capitalize()} on {topic}",
            "text": text,
            "occurred_at": None if undated[i] else dates[days[i]],
            "date_precision": "" if undated[i] else "day",
            "edge_properties": properties,
        }

    return build
