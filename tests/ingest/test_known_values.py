"""Known values: mentions of values in use, found by hashing runs of words."""

import unicodedata
from uuid import uuid4

from hypothesis import given, settings
from hypothesis import strategies as st

from memory.ingest.extractors.base import ExtractContext
from memory.ingest.extractors.known_values import (
    KnownValue,
    KnownValueExtractor,
    candidates,
    tokens,
)
from memory.normal import edge_key, hash64, norm_key, norm_tokens


class Values:
    """Stands in for the table: (lane, label, value) rows, and what was asked of it."""

    def __init__(self, *rows):
        self.rows = rows
        self.asked = []

    def __call__(self, tenant_id, lane_id, hashes):
        self.asked.append((tenant_id, lane_id))
        wanted = set(hashes)
        return [
            KnownValue(lane, norm_key(value), label, value, edge_key(label, value), value)
            for lane, label, value in self.rows
            if lane in (lane_id, None) and norm_key(value) in wanted
        ]


def mentions(values, text, title="", lane=1):
    rows = [(1, *v) if len(v) == 2 else v for v in values]
    found = KnownValueExtractor(Values(*rows)).extract(text, ExtractContext(title=title, tenant_id=9, lane_id=lane))
    return [(t.label, t.value, text[t.start : t.end]) for t in found]


def test_a_mention_is_found_in_any_case_and_unicode_form_and_tagged_with_the_value_in_use():
    values = [("client", "Café Ölberg"), ("party", "Quay Harbour Holdings, Ltd.")]
    for text in ("at CAFÉ ÖLBERG today", unicodedata.normalize("NFD", "at Café Ölberg today")):
        assert [m[:2] for m in mentions(values, text)] == [("client", "Café Ölberg")]
    text = "met QUAY HARBOUR HOLDINGS LTD in port"
    assert mentions(values, text) == [("party", "Quay Harbour Holdings, Ltd.", "QUAY HARBOUR HOLDINGS LTD")]


def test_the_tags_key_is_the_hyperedges_own_key():
    lookup = Values((1, "client", "Quay Harbour"))
    tag = KnownValueExtractor(lookup).extract("quay harbour", ExtractContext(lane_id=1))[0]
    assert tag.key == edge_key("client", "QUAY  HARBOUR")


def test_the_longest_mention_wins():
    values = [("party", "Quay"), ("party", "Quay Harbour"), ("party", "Quay Harbour Holdings")]
    assert mentions(values, "Quay Harbour Holdings sued Quay.") == [
        ("party", "Quay Harbour Holdings", "Quay Harbour Holdings"),
        ("party", "Quay", "Quay"),
    ]


def test_the_records_own_title_is_passed_over_with_everything_inside_it():
    values = [("title", "Ana Lopez"), ("title", "Lopez"), ("title", "Bo Quist")]
    text = "Ana Lopez (born 1951) taught Bo Quist. Lopez retired."
    assert mentions(values, text, title="Ana Lopez") == [
        ("title", "Bo Quist", "Bo Quist"),
        ("title", "Lopez", "Lopez"),
    ]


def test_values_under_several_labels_are_all_tagged():
    values = [("client", "Quay Harbour"), ("party", "Quay Harbour")]
    assert len(mentions(values, "Quay Harbour paid")) == 2


def test_only_the_records_own_lane_and_controlled_values_are_asked_for():
    lookup = Values((1, "client", "Quay Harbour"), (2, "client", "Zephyr Walled"), (None, "court", "High Court"))
    extractor = KnownValueExtractor(lookup)
    text = "Quay Harbour, Zephyr Walled, the High Court"
    contexts = [ExtractContext(tenant_id=9, lane_id=1), ExtractContext(tenant_id=9, lane_id=2)]
    first, second = extractor.extract_many([text, text], contexts)
    assert [t.value for t in first] == ["Quay Harbour", "High Court"]
    assert [t.value for t in second] == ["Zephyr Walled", "High Court"]
    assert sorted(lookup.asked) == [(9, 1), (9, 2)]


def test_a_common_word_counts_only_when_written_like_the_value_inside_a_sentence():
    values = [("party", "Does"), ("person", "May"), ("status", "open"), ("number", "7"), ("client", "Apple")]
    assert mentions(values, "Does he know? May he? It may be open. 7 of them. An apple fell.") == []
    assert mentions(values, "We met May and sued Does; Apple too.") == [
        ("person", "May", "May"),
        ("party", "Does", "Does"),
        ("client", "Apple", "Apple"),
    ]


def test_a_word_written_small_is_found_either_way():
    assert mentions([("topic", "indemnity")], "Indemnity and indemnity") == [
        ("topic", "indemnity", "Indemnity"),
        ("topic", "indemnity", "indemnity"),
    ]


def test_identifiers_are_found_by_their_words():
    values = [("matter", "2024-017"), ("docket", "1:08-cv-00284")]
    assert [m[2] for m in mentions(values, "Re 2024-017 (1:08-cv-00284)")] == ["2024-017", "1:08-cv-00284"]


def test_scripts_without_spaces_are_found_inside_a_run():
    assert mentions([("client", "東京電力")], "昨日東京電力と契約した") == [("client", "東京電力", "東京電力")]


def test_reserved_labels_are_never_tagged():
    assert mentions([("e_connect", "signed by 3a9f")], "signed by 3a9f") == []


def test_a_value_repeated_all_over_is_kept_eight_times():
    assert len(mentions([("client", "Quay Harbour")], "Quay Harbour. " * 100)) == 8


def test_an_alias_is_tagged_as_the_value_that_is_kept():
    kept = uuid4()

    def lookup(tenant_id, lane_id, hashes):
        return [KnownValue(1, norm_key("Quay Hbr"), "client", "Quay Harbour", kept, "Quay Hbr")]

    tag = KnownValueExtractor(lookup).extract("paid by Quay Hbr today", ExtractContext(lane_id=1))[0]
    assert (tag.value, tag.key) == ("Quay Harbour", kept)


NAMES = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=40).filter(
    lambda s: bool(norm_tokens(s)) and len(norm_tokens(s)) <= 12
)


@settings(max_examples=300, deadline=None)
@given(name=NAMES)
def test_whatever_a_value_is_made_of_the_value_itself_is_among_the_candidates(name):
    assert norm_key(name) in candidates(name).hashes or not tokens(name)


@settings(max_examples=300, deadline=None)
@given(text=st.text(max_size=200), name=NAMES)
def test_every_mention_hashes_to_the_value_it_is_tagged_with(text, name):
    text = f"{text} {name} {text}"
    found = KnownValueExtractor(Values((1, "party", name))).extract(text, ExtractContext(lane_id=1))
    for tag in found:
        assert 0 <= tag.start < tag.end <= len(text)
    spans = candidates(text)
    runs = spans.among(set(spans.hashes))
    assert [run.hash for run in runs] == list(spans.hashes)
    for run in runs:
        assert text[run.start : run.end].strip() and run.size >= 1
        assert norm_key(text[run.start : run.end]) == run.hash or not text.isascii()


def test_the_words_of_a_text_are_those_norm_key_sees():
    text = "Quay-Harbour's №5 ½ Straße ﬁne Acme™ हिन्दी"
    assert [t.word for t in tokens(text)] == norm_tokens(text)
    assert hash64(" ".join(t.word for t in tokens(text))) == norm_key(text)
