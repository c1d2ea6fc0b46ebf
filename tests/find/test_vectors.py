"""Vectors: who makes them, that none is lost or stale, and that a small lane is never starved."""

import json
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import numpy as np
import pytest
from django.core.exceptions import ImproperlyConfigured
from django.core.management import call_command
from django.db import connection

from memory import sql
from memory.find.ask import Ask, bounded
from memory.find.legs import vectors
from memory.gather.scope import Scope
from memory.ingest import reembed, space
from memory.ingest import vectors as store
from memory.ingest.embedders import build
from memory.ingest.embedders.local import LocalEmbedder
from memory.ingest.embedders.openai import EmbedderFailed, OpenAIEmbedder
from memory.models import EmbeddingSpace, Record, RecordVector, Window
from tests.find.conftest import work


class Stand(BaseHTTPRequestHandler):
    """A local endpoint that speaks the embeddings API; `answer` decides what it says."""

    answer = None

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        status, body = type(self).answer(asked)
        raw = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)

    def log_message(self, *args):
        pass


@pytest.fixture
def endpoint():
    server = HTTPServer(("127.0.0.1", 0), Stand)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/v1"
    server.shutdown()


def hashed(text, dimension):
    rng = np.random.default_rng(abs(hash(text)) % 2**32)
    return rng.normal(size=dimension).tolist()


def good(dimension, order=1):
    def answer(asked):
        data = [
            {"object": "embedding", "index": i, "embedding": hashed(text, dimension)}
            for i, text in enumerate(asked["input"])
        ]
        return 200, {"object": "list", "model": asked["model"], "data": data[::order],
                     "usage": {"prompt_tokens": 1, "total_tokens": 1}}  # fmt: skip

    return answer


def test_the_local_embedder_gives_unit_vectors_that_mean_something():
    embedder = LocalEmbedder()
    made = embedder.documents(
        ["The cat sat on the mat.", "A kitten was sitting on a rug.", "Quarterly tax return", ""]
    )
    assert made.shape == (4, 384)
    assert np.allclose(np.linalg.norm(made, axis=1), 1, atol=1e-5)
    assert made[0] @ made[1] > 0.5 > made[0] @ made[2]
    assert np.allclose(embedder.query("Quarterly tax return"), made[2], atol=1e-6)
    assert embedder.documents([]).shape == (0, 384)


def test_an_endpoint_is_asked_in_batches_and_its_order_is_restored(endpoint):
    Stand.answer = staticmethod(good(8, order=-1))
    embedder = OpenAIEmbedder("m", endpoint, "key", 8)
    texts = [f"text {i}" for i in range(200)]
    made = embedder.documents(texts)
    expected = np.array([hashed(text, 8) for text in texts])
    assert np.allclose(made, expected / np.linalg.norm(expected, axis=1, keepdims=True), atol=1e-5)


@pytest.mark.parametrize(
    "answer",
    [
        lambda asked: (200, {"object": "list", "model": "m", "data": []}),
        lambda asked: (200, {"data": [{"index": 0, "embedding": [1, 2]}], "object": "list", "model": "m"}),
        lambda asked: (200, {"data": [{"index": 0, "embedding": [0.0] * 8}], "object": "list", "model": "m"}),
        lambda asked: (200, {"data": [{"index": 0, "embedding": ["x"] * 8}], "object": "list", "model": "m"}),
        lambda asked: (200, {"unexpected": True}),
        lambda asked: (400, {"error": {"message": "no such model"}}),
    ],
)
def test_a_wrong_answer_of_an_endpoint_is_an_error_and_never_a_vector(endpoint, answer):
    Stand.answer = staticmethod(answer)
    with pytest.raises(EmbedderFailed):
        OpenAIEmbedder("m", endpoint, "key", 8).documents(["one"])


@pytest.mark.parametrize("spec", ["", "openai", "openai:", "bert", "local:other"])
def test_an_unknown_embedder_is_refused_with_what_to_do(spec):
    with pytest.raises(ImproperlyConfigured, match="EMBEDDER"):
        build(spec)
    with pytest.raises(ImproperlyConfigured, match="EMBEDDER_DIMENSION"):
        build("openai:m")


@pytest.mark.django_db
def test_a_record_changed_while_it_is_embedded_gets_no_stale_vector(world):
    sr_id = world.anna.write("red", "The first wording.", external_id="a")
    record = Record.everything.get(external_id="a")
    read = store.read([record.id])
    world.anna("e_record", "update", sr_id=sr_id, text="The second wording.")
    assert store.embed(read) == set()
    assert not RecordVector.everything.filter(record=record).exists()
    assert store.embed(store.read([record.id])) == {record.id}


@pytest.mark.django_db
def test_a_long_text_has_windows_and_a_short_one_is_its_own(world):
    world.anna.write("red", "Short.", external_id="short")
    world.anna.write("red", "A sentence of some length about the weir. " * 60, external_id="long")
    work()
    assert RecordVector.everything.get(record__external_id="short").whole
    assert not Window.everything.filter(record__external_id="short").exists()
    found = Window.everything.filter(record__external_id="long").order_by("ordinal")
    assert len(found) > 3
    text = Record.everything.get(external_id="long").text
    assert all(text[w.start : w.end].startswith("A sentence") for w in found)
    work()
    assert Window.everything.filter(record__external_id="long").count() == len(found)


@pytest.mark.django_db
def test_the_check_at_start_says_what_to_do(world, settings):
    world.anna.write("red", "Something to embed.")
    work()
    assert space.check_embedder(databases=["default"]) == []
    settings.EMBEDDER, settings.EMBEDDER_URL, settings.EMBEDDER_DIMENSION = "openai:big", "http://127.0.0.1:9/v1", 768
    (error,) = space.check_embedder(databases=["default"])
    assert "384" in error.msg and "768" in error.msg and "reembed" in error.msg


@pytest.mark.django_db
def test_an_empty_database_takes_another_dimension(world, settings, endpoint, ask):
    Stand.answer = staticmethod(good(64))
    settings.EMBEDDER, settings.EMBEDDER_URL, settings.EMBEDDER_DIMENSION = "openai:small", endpoint, 64
    world.anna.write("red", "Something to embed.", external_id="a")
    work()
    assert space.column_dimension() == 64
    assert ask("andy", "anything", only="record_vector") == ["a"]


@pytest.mark.django_db(transaction=True)
def test_reembedding_swaps_all_at_once_while_the_old_vectors_serve(settings, endpoint, capsys):
    from tests.conftest import make_world

    world = make_world()
    for i in range(5):
        world.anna.write("red", f"Note {i} on the weir. " * (60 if i == 0 else 1), external_id=f"n{i}")
    work()
    Stand.answer = staticmethod(good(32))
    other = build("openai:new", endpoint, "", 32)
    question = "the weir"
    before = world.andy("e_gather", "find", question=question).names
    reembed.start(other)
    reembed.fill(other)
    told = reembed.progress()
    assert told["done"] == told["total"] > 5 and told["name"] == "openai:new"
    # Meanwhile: one record changes, one comes, one goes, and the old vectors answer.
    sr_id = Record.everything.get(external_id="n1").sr_id
    world.anna("e_record", "update", sr_id=sr_id, text="Changed while the others were made anew.")
    world.anna.write("red", "A late note on the weir.", external_id="late")
    world.anna("e_record", "delete", sr_id=Record.everything.get(external_id="n2").sr_id)
    work()
    assert set(world.andy("e_gather", "find", question=question).names) == (set(before) | {"late"}) - {"n2"}
    assert reembed.progress()["done"] < reembed.progress()["total"]
    settings.EMBEDDER, settings.EMBEDDER_URL, settings.EMBEDDER_DIMENSION = "openai:new", endpoint, 32
    call_command("reembed", status=True)
    assert "openai:new" in capsys.readouterr().out
    call_command("reembed")
    assert space.serving() == ("openai:new", 32) and space.column_dimension() == 32
    assert not EmbeddingSpace.objects.filter(role="next").exists()
    for record, vector in sql.fetch("select record_id, embedding::text from memory_recordvector", prepare=False):
        source = Record.everything.get(id=record)
        expected = np.array(hashed(store.plan(store.Source(record, 1, source.title, source.text)).head, 32))
        found = np.array(json.loads(vector))
        assert found @ expected / np.linalg.norm(expected) > 0.99
    reply = world.andy("e_gather", "find", question=question)
    assert {leg["leg"]: leg["status"] for leg in reply["legs"]}["record_vector"] == "ok"
    with connection.cursor() as cursor:  # leave the tables as every other test expects them
        cursor.execute("truncate memory_recordvector, memory_window, memory_embeddingspace")
    reembed.remake_empty_columns(384)


def plant(lane_id, tenant_id, count, centre, spread, rng):
    """Records with vectors around a centre."""
    ids = [
        row[0]
        for row in sql.fetch(
            "insert into memory_record (public_id, tenant_id, lane_id, kind, title, text, source, date_precision, "
            "recorded_at, at, updated_at, version, ingested_version, enriched_version, ingest_error) "
            "select gen_random_uuid(), %s, %s, 'note', '', 'x', '{}', '', now(), now(), now(), 1, 1, 1, '' "
            "from generate_series(1, %s) returning id",
            (tenant_id, lane_id, count),
        )
    ]
    made = centre + spread * rng.normal(size=(count, 384))
    made /= np.linalg.norm(made, axis=1, keepdims=True)
    sql.execute(
        "insert into memory_recordvector (record_id, tenant_id, lane_id, at, whole, embedding) "
        "select r.id, r.tenant_id, r.lane_id, r.at, true, u.v::halfvec from unnest(%s::bigint[], %s::text[]) u(id, v) "
        "join memory_record r on r.id = u.id",
        (ids, [store.literal(row) for row in made]),
    )
    return ids


@pytest.mark.django_db
def test_a_small_lane_among_many_nearer_vectors_gets_all_its_records(world, readers, monkeypatch):
    """1 % of the vectors are andy's, and all others are nearer to the question."""
    rng = np.random.default_rng(3)
    question = rng.normal(size=384)
    question /= np.linalg.norm(question)
    with connection.cursor() as cursor:
        cursor.execute("drop index recordvector_hnsw")  # made anew below: quicker than row by row
    red, blue = readers("anna").lane_id("red"), readers("anna").lane_id("blue")
    plant(blue, world.tenant.id, 8_000, question, 0.03, rng)
    mine = plant(red, world.tenant.id, 80, -question * 0.3, 0.05, rng)
    with connection.cursor() as cursor:
        cursor.execute(
            "create index recordvector_hnsw on memory_recordvector using hnsw (embedding halfvec_cosine_ops)"
        )
        cursor.execute("analyze memory_recordvector")

    def nearest(name):
        ask = Ask(Scope(readers(name)), "x")
        ask.vector = question
        with bounded(60_000):
            return [hit.record_id for hit in vectors.records(ask)]

    exact = nearest("andy")
    assert sorted(exact) == sorted(mine)
    # The same when the approximate index is tried first: it finds none of them and is not believed.
    monkeypatch.setattr(vectors, "EXACT", 0)
    monkeypatch.setattr(vectors, "EXACT_LEAST", 10)
    assert nearest("andy") == exact
    # Where it is meant to serve, it finds what exact search finds.
    approximate = nearest("rita")
    monkeypatch.setattr(vectors, "EXACT_LEAST", 100_000)
    whole = nearest("rita")
    assert len(approximate) == len(whole) == 100
    assert len(set(approximate) & set(whole)) >= 95


@pytest.mark.django_db
def test_the_approximate_index_is_what_answers_large_scopes(world, readers, monkeypatch):
    rng = np.random.default_rng(4)
    centre = rng.normal(size=384)
    plant(readers("anna").lane_id("red"), world.tenant.id, 1_500, centre, 1.0, rng)
    with connection.cursor() as cursor:
        cursor.execute("analyze memory_recordvector")
    monkeypatch.setattr(vectors, "EXACT", 0)
    monkeypatch.setattr(vectors, "EXACT_LEAST", 10)
    monkeypatch.setattr(vectors, "_exact", lambda *args: pytest.fail("read one by one"))
    ask = Ask(Scope(readers("andy")), "x")
    ask.vector = centre / np.linalg.norm(centre)
    with bounded(60_000):
        assert len(vectors.records(ask)) == 100
