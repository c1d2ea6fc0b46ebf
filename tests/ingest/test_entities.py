"""People, organisations and places from the local model."""

import pytest

from memory.ingest.extractors.base import ExtractContext
from memory.ingest.extractors.entities import EntityExtractor, plausible

entities = EntityExtractor()
CONTEXT = ExtractContext()


def test_names_are_found_where_they_stand():
    text = "Marta Ellison of Harbour Holdings Ltd. met Tobias Rehm in Lisbon."
    tags = entities.extract(text, CONTEXT)
    assert ("person", "Tobias Rehm") in [(t.label, text[t.start : t.end]) for t in tags]
    assert ("place", "Lisbon") in [(t.label, t.value) for t in tags]
    assert all(text[t.start : t.end] == t.value for t in tags)


def test_a_batch_gives_each_text_its_own_names_in_order():
    texts = ["Tobias Rehm went to Lisbon.", "", "  \n ", "Marta Ellison stayed in Vienna.", "nothing here"]
    result = entities.extract_many(texts, [CONTEXT] * 5)
    assert [{t.value for t in tags} for tags in result] == [
        {"Tobias Rehm", "Lisbon"}, set(), set(), {"Marta Ellison", "Vienna"}, set(),
    ]  # fmt: skip


def test_a_long_text_is_read_in_pieces_with_offsets_of_the_whole():
    text = "The clerk filed it. " * 1_500 + "Tobias Rehm went to Lisbon."
    tags = entities.extract(text, CONTEXT)
    assert "Tobias Rehm" in [text[t.start : t.end] for t in tags]


@pytest.mark.parametrize("name", ["the court", "12-34", "x", "a@b.co", "A\n\nB", "Y" * 200, "CHF 1'200.00", ""])
def test_what_is_no_name_is_dropped(name):
    assert not plausible(name)


def test_odd_texts_do_no_harm():
    for text in ("\u200b" * 50, "é" * 20_000, "\U0001f600 " * 500, "A" * 25_000, "\n" * 300):
        for tag in entities.extract(text, CONTEXT):
            assert 0 <= tag.start < tag.end <= len(text)
