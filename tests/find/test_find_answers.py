"""What find answers: names first, words, meaning, filters, pages, and what it says about itself."""

import math
import random
from collections import Counter

import pytest

from memory import words
from memory.find import engine, frequencies
from memory.find.legs import vectors
from memory.find.legs import words as word_leg
from memory.ingest import space
from memory.models import Record
from tests.find.conftest import work

pytestmark = pytest.mark.django_db


@pytest.fixture
def archive(world):
    """A small archive of invented notes in red."""
    write = world.anna.write
    write(
        "red",
        "The tenant must repair the roof before winter.",
        ("client:Orrin Mills",),
        external_id="roof",
        title="Lease of the mill",
        occurred_at="2026-03-04",
        kind="note",
    )
    write(
        "red",
        "Call about the deposit; they will pay USD 4,500 by Friday.",
        ("client:Orrin Mills",),
        external_id="deposit",
        title="Call with the bank",
        occurred_at="2026-03-05",
        kind="call",
    )
    write(
        "red",
        "The vessel was arrested in the harbour of Kelmstad.",
        ("client:Saltway Shipping",),
        external_id="vessel",
        title="Arrest",
        occurred_at="2026-05-20",
        kind="note",
    )
    write(
        "red",
        "Filed under 1:26-cv-00417 in the district court, together with the bond.",
        ("docket:1:26-cv-00417",),
        external_id="docket",
        title="Complaint",
        occurred_at="2026-06-01",
        kind="filing",
    )
    write("red", "Minutes: budget, staffing, and the summer outing.", external_id="minutes", title="Partners' meeting")
    work()
    return world


def test_a_question_finds_by_meaning_what_shares_no_word(archive, ask):
    assert ask("andy", "ship seized by authorities", only="record_vector")[0] == "vessel"
    assert ask("andy", "ship seized by authorities", only="words") == []
    assert ask("andy", "ship seized by authorities")[0] == "vessel"


def test_every_leg_says_what_it_found_and_where(archive):
    reply = archive.andy("e_gather", "find", question="Who must repair the roof for Orrin Mills?")
    first = reply.srs[0]
    assert first["external_id"] == "roof"
    assert {"structure", "words", "record_vector", "window_vector"} <= set(first["legs"])
    assert first["legs"]["words"]["rank"] == 1
    assert "client: Orrin Mills" in first["legs"]["structure"]["why"]
    assert [leg["status"] for leg in reply["legs"]] == ["ok"] * 4
    marked = [first["snippet"][start:end] for start, end in first["highlights"]]
    assert marked == ["must", "repair", "roof"]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("lease of the MILL", "roof"),
        ("1:26-cv-00417", "docket"),
        ("Saltway Shipping", "vessel"),
        ("saltway shipping", "vessel"),
        ("minutes", "minutes"),
    ],
)
def test_an_exact_title_value_or_identifier_comes_first(archive, question, expected):
    # A crowd of records that read more like the question than the one that is meant.
    for i in range(12):
        archive.anna.write("red", f"{question} {question} {question} again, number {i}", external_id=f"crowd{i}")
    work()
    assert archive.andy("e_gather", "find", question=question).names[0] == expected


def test_an_sr_id_or_external_id_finds_its_record(archive):
    record = Record.everything.get(external_id="vessel")
    assert archive.andy("e_gather", "find", question=record.sr_id).ids[0] == record.sr_id
    assert archive.andy("e_gather", "find", question="vessel").names[0] == "vessel"


def test_a_rare_token_among_many_records_is_first(world):
    world.anna.write("red", "Reference zqx-7741 stands in the margin.", external_id="rare")
    for i in range(300):
        world.anna.write("red", f"Reference {i} stands in the margin of page {i * 7}.", external_id=f"n{i}")
    work()
    assert world.andy("e_gather", "find", question="zqx-7741 reference margin").names[0] == "rare"
    assert world.andy("e_gather", "find", question="where does zqx-7741 stand?").names[0] == "rare"


def test_a_date_in_the_question_lifts_the_records_of_that_day(archive, ask):
    assert ask("andy", "What happened on 5 March 2026?")[0] == "deposit"
    assert ask("andy", "What happened on 20 May 2026?")[0] == "vessel"


def test_filters(archive):
    def names(**arguments):
        return set(archive.andy("e_gather", "find", question="the tenant, the bank and the vessel", **arguments).names)

    assert len(names()) == 5
    assert names(match=["client:Orrin Mills"]) == {"roof", "deposit"}
    assert names(match=["client:orrin mills", {"value": "roof", "not": True}]) == {"deposit"}
    assert names(kind=["filing", "call"]) == {"deposit", "docket"}
    assert names(start_date="2026-03-05", end_date="2026-05-20") == {"deposit", "vessel"}
    assert names(tags=[{"label": "money"}]) == {"deposit"}
    assert names(match=["client:Nobody"]) == set()
    assert archive.andy("e_gather", "find", question="roof", match=["client:Nobody"])["hint"]


def test_filters_hold_for_neighbours_and_walks_too(world, ask):
    for i in range(6):
        world.anna.write(
            "red",
            f"Turn {i}: {'the kiln exploded' if i == 2 else 'and then'}",
            ("session:9",),
            external_id=f"t{i}",
            occurred_at=f"2026-01-0{i + 1}",
        )
    work()
    inside = world.andy(
        "e_gather", "find", question="kiln exploded", start_date="2026-01-03", end_date="2026-01-03", graph=True
    )
    assert inside.names == ["t2"]


def test_wrong_arguments_are_refused(archive):
    for bad in (
        {"question": ""},
        {"question": " \n"},
        {"question": "x" * 4_001},
        {"question": "a\x00b"},
        {"question": "roof", "graf": True},
        {"question": "roof", "start_date": "2026-05", "end_date": "2026-01"},
        {"question": "roof", "limit": 0},
        {"question": "roof", "cursor": "nonsense"},
    ):
        reply = archive.andy("e_gather", "find", **bad)
        assert reply.status == 400, bad


HOSTILE = [
    "' or 1=1 --",
    "a & | ! <-> :* ()",
    "\\",
    "'",
    "''''",
    "%s %(lanes)s {rows}",
    "=",
    "=0123456789abcdef",
    "the of and",
    "???",
    "\u0301",
    "\u200d\u200d",
    "🙂" * 200,
    "é" * 3000,
    "a-" * 1500,
    "((((" * 500,
    "1" * 4000,
    "select pg_sleep(10)",
    "書",
    "契約書の期限",
    "C++ or C#?",
    "x\ty\r\nz",
    "\ufeff",
    "ﷺ" * 300,
    "- - -",
    "1:1:1:1:1",
    "January February March 2026 2027 2028 last week yesterday",
    "$1,000,000.00 €5 £6 " * 50,
]


@pytest.mark.parametrize("question", HOSTILE)
def test_no_question_breaks_it_or_any_leg(archive, question):
    reply = archive.andy("e_gather", "find", question=question, graph=True)
    assert reply.status in (200, 400)
    if reply.status == 200:
        assert all(leg["status"] == "ok" for leg in reply["legs"]), reply["legs"]


def test_pages_hold_each_record_once(world):
    for i in range(130):
        world.anna.write("red", f"Shipment {i} of barley left the quay.", external_id=f"s{i}")
    work()
    found = world.andy.pages("e_gather", "find", limit=17, question="barley shipment")
    names = [record["external_id"] for record in found]
    assert len(names) == len(set(names)) == 130
    assert world.rita("e_gather", "find", question="barley shipment", limit=200).names == names
    other = world.andy("e_gather", "find", question="barley shipment", limit=5)["next_cursor"]
    assert world.rita("e_gather", "find", question="barley shipment", limit=5, cursor=other).status == 400


def test_a_superseded_record_is_out_unless_asked_for(archive, ask):
    ids = {r.external_id: r.sr_id for r in Record.everything.all()}
    archive.anna.write("red", "The landlord must repair the roof.", external_id="new")
    new = Record.everything.get(external_id="new").sr_id
    archive.anna("e_property", "adjust", sr_id=ids["roof"], by=new, hint="supersedes")["property"]
    work()
    question = "who must repair the roof"
    assert "roof" not in archive.andy("e_gather", "find", question=question).names
    assert "roof" in archive.andy("e_gather", "find", question=question, include_invalidated=True).names
    assert "roof" in archive.andy("e_gather", "find", question=question, as_of="2026-01-01").names


def test_a_leg_that_fails_is_reported_and_the_others_answer(archive, monkeypatch):
    from memory import sql

    def dies(ask):
        sql.fetch("select 1 / 0")

    monkeypatch.setattr(word_leg, "search", dies)
    reply = archive.andy("e_gather", "find", question="repair the roof")
    assert reply.names[0] == "roof"
    assert {leg["leg"]: leg["status"] for leg in reply["legs"]}["words"] == "failed"
    assert "words" in reply["hint"]
    assert "1 / 0" not in reply.raw.decode()


def test_without_an_embedder_words_and_structure_answer(archive, monkeypatch):
    monkeypatch.setattr(engine, "configured", lambda: (_ for _ in ()).throw(OSError("endpoint at 10.0.0.7 is down")))
    reply = archive.andy("e_gather", "find", question="repair the roof")
    assert reply.names[0] == "roof"
    statuses = {leg["leg"]: leg["status"] for leg in reply["legs"]}
    assert statuses["record_vector"] == statuses["window_vector"] == "failed"
    assert "10.0.0.7" not in reply.raw.decode()


def test_vectors_of_another_embedder_are_not_compared(archive, monkeypatch):
    class Other:
        name, dimension = "openai:other", 384

        def query(self, text):
            raise AssertionError("must not be asked")

    monkeypatch.setattr(engine, "configured", Other)
    reply = archive.andy("e_gather", "find", question="repair the roof")
    note = {leg["leg"]: leg.get("note", "") for leg in reply["legs"]}["record_vector"]
    assert "another embedder" in note
    with pytest.raises(space.WrongEmbedder, match="reembed"):
        space.ensure(Other())


def test_a_slow_leg_is_given_up(archive, monkeypatch):
    from memory import sql

    monkeypatch.setattr(engine, "LEG_MS", 50)
    monkeypatch.setattr(vectors, "windows", lambda ask: sql.fetch("select pg_sleep(5)"))
    reply = archive.andy("e_gather", "find", question="repair the roof")
    leg = next(leg for leg in reply["legs"] if leg["leg"] == "window_vector")
    assert leg["status"] == "failed" and leg["ms"] < 2_000
    assert reply.names[0] == "roof"


def test_a_record_is_found_by_words_before_it_is_worked(world):
    world.anna.write("red", "The aqueduct leaks at pier nine.", external_id="fresh")
    assert world.andy("e_gather", "find", question="aqueduct leaks").names == ["fresh"]


# --- BM25 -----------------------------------------------------------------------------------------------------


def bm25(texts: dict[str, str], question: str) -> dict[str, float]:
    """BM25 with the product's constants, counted in Python."""
    counts = {}
    for name, text in texts.items():
        found: Counter = Counter()
        length = 0
        for analysis, _, _, _ in words._tokens(text):
            for lexeme, _, phrase in analysis:
                if lexeme is not None:
                    found[lexeme] += 1
                    length += phrase
        counts[name] = (found, length)
    average = sum(length for _, length in counts.values()) / len(counts)
    terms = words.lexemes(question)
    frequency = {t: sum(1 for found, _ in counts.values() if t in found) for t in terms}
    scores = {}
    for name, (found, length) in counts.items():
        norm = word_leg.K1 * (1 - word_leg.B + word_leg.B * length / average)
        score = sum(
            word_leg.SCALE * word_leg.idf(len(texts), frequency[t]) * found[t] / (found[t] + norm)
            for t in terms
            if found[t]
        )
        if score:
            scores[name] = score
    return scores


_WORDS = "quay barley ledger roof tenant vessel anchor deed sluice copper tariff mill"
WORDS = _WORDS.split()


def test_scores_are_bm25(world, ask, monkeypatch):
    monkeypatch.setattr(word_leg, "PAIR_WEIGHT", 0.0)
    rng = random.Random(5)
    texts = {f"d{i}": " ".join(rng.choices(WORDS, weights=range(1, 13), k=rng.randint(3, 60))) for i in range(60)}
    texts["long"] = "sluice " * 300 + "copper"
    for name, text in texts.items():
        world.anna.write("red", text, external_id=name)
    expected = bm25(texts, "copper sluice of the quay")
    ranking = ask.ranking("andy", "copper sluice of the quay", only="words")
    names = dict(Record.everything.values_list("id", "external_id"))
    got = {names[record]: score for record, score in ranking.legs["words"].hits}
    assert got.keys() == expected.keys()
    for name, score in got.items():
        # Postgres keeps 255 positions of a word, so the longest text has fewer in its count.
        assert math.isclose(score, expected[name], rel_tol=1e-4 if name != "long" else 1e-2), name


def test_words_side_by_side_are_worth_more(world, ask):
    world.anna.write("red", "sluice of copper and some other gate here", external_id="apart")
    world.anna.write("red", "the copper sluice and some other gate here", external_id="together")
    assert ask("andy", "copper sluice", only="words") == ["together", "apart"]


@pytest.mark.parametrize("wide", [False, True])
def test_candidates_of_a_large_scope_hold_the_best(world, ask, monkeypatch, wide):
    rng = random.Random(11)
    for i in range(400):
        lane = "red" if i % 2 else "blue"
        text = " ".join(rng.choices(WORDS, weights=[2**k for k in range(12)], k=12))
        world.anna.write(lane, text, external_id=f"d{i}")
    question = "quay tariff mill vessel"
    exact = ask("rita", question, only="words")
    monkeypatch.setattr(frequencies, "SMALL", 0)
    monkeypatch.setattr(word_leg, "CAP", 150)
    monkeypatch.setattr(word_leg, "_table_rows", lambda: 1.0 if wide else 1e9)
    assert frequencies.refresh_stale() == 2
    assert frequencies.refresh_stale() == 0
    approximate = ask("rita", question, only="words")
    assert approximate[:10] == exact[:10]
    common = ask.ranking("rita", "mill", only="words")
    assert common.newest and len(common.order) == 100


@pytest.mark.parametrize("wide", [False, True])
def test_very_common_words_are_found_alike_both_ways(world, ask, monkeypatch, wide):
    """Through the index and put in order, or read in the lane's order: the newest with them, of one's own lane."""
    for i in range(120):
        world.anna.write("blue" if i % 3 else "red", "mill ledger" if i % 4 else "quay", external_id=f"d{i}")
    monkeypatch.setattr(frequencies, "SMALL", 0)
    monkeypatch.setattr(word_leg, "CAP", 5)
    monkeypatch.setattr(word_leg, "NEWEST", 20)
    monkeypatch.setattr(word_leg, "_table_rows", lambda: 1.0 if wide else 1e9)
    frequencies.refresh_stale()
    ways = []
    for reading in (0.0, 1e9):
        monkeypatch.setattr(word_leg, "READING", reading)
        ways.append(ask("andy", "mill", only="words"))
    assert ways[0] == ways[1]
    own = [f"d{i}" for i in range(119, -1, -1) if i % 3 == 0 and i % 4]
    assert set(ways[0]) == set(own[:20])


def test_a_lane_that_was_never_counted_is_counted_on_the_spot(world, ask, monkeypatch):
    for i in range(30):
        world.anna.write("red", f"copper {'sluice' if i == 3 else 'ledger'} {i}", external_id=f"d{i}")
    monkeypatch.setattr(frequencies, "SMALL", 0)
    assert ask("andy", "sluice copper", only="words")[0] == "d3"
