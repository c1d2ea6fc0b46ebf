# ruff: noqa: E501 - tables of examples read better a line each
"""The extractors that need neither a model nor a database."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.ingest.extractors.base import ExtractContext
from memory.ingest.extractors.case_numbers import CaseNumberExtractor
from memory.ingest.extractors.citations import CitationExtractor
from memory.ingest.extractors.contact import EmailExtractor, PhoneExtractor
from memory.ingest.extractors.money import MoneyExtractor
from memory.ingest.extractors.tense import TenseExtractor, clauses
from memory.ingest.extractors.times import TimeExtractor
from tests.ingest.test_time_terms import CONTEXT

LOCAL = [
    TimeExtractor(), TenseExtractor(), EmailExtractor(), PhoneExtractor(), MoneyExtractor(), CaseNumberExtractor(),
    CitationExtractor(),
]  # fmt: skip
by_name = {extractor.name: extractor for extractor in LOCAL}


def found(name, text):
    return [(p.label, p.value, text[p.start : p.end]) for p in by_name[name].extract(text, CONTEXT)]


def values(name, text):
    return [value for _, value, _ in found(name, text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("write to Ana.Lopez@Harbour-Quay.example.com.", ["ana.lopez@harbour-quay.example.com"]),
        ("<bo@quay.example>, (cy+x@quay.example)", ["bo@quay.example", "cy+x@quay.example"]),
        ("'dee@quay.example'", ["dee@quay.example"]),
        ("müller@straße.example", ["müller@straße.example"]),
        ("a@b, foo@@bar.com, x@-y.com, @handle, a..b@quay.example", []),
    ],
)
def test_email_addresses(text, expected):
    assert values("email", text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(212) 555-0147 ext. 12", ["+12125550147"]),
        ("1-800-555-0199 or 212.555.0147", ["+18005550199", "+12125550147"]),
        ("+44 (0)20 7946 0958", ["+442079460958"]),
        ("+49 30 901820", ["+4930901820"]),
        ("Tel: 020 7946 0123", ["02079460123"]),
        ("020 7946 0123", []),
        ("08-00284, 2024-05-03, 1:08-cv-00284, 10001-1234, $212-555-0147", []),
    ],
)
def test_telephone_numbers(text, expected):
    assert values("phone", text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("$1,250,000.50", ["USD 1250000.50"]),
        ("USD 5 million and €3.5bn", ["USD 5000000", "EUR 3500000000"]),
        ("1.234,56 EUR; CHF 1'200.00; 1 250 € ", ["EUR 1234.56", "CHF 1200", "EUR 1250"]),
        ("Ten Thousand Dollars ($10,000)", ["USD 10000"]),
        ("two hundred fifty thousand dollars", ["USD 250000"]),
        ("£2k, C$30, 50 cents", ["GBP 2000", "CAD 30", "USD 0.50"]),
        ("$5-7 million", ["USD 5000000"]),
        ("try 5 of them, 2000 shares, in 2024", []),
    ],
)
def test_sums_of_money(text, expected):
    assert values("money", text) == expected


def test_a_bare_dollar_is_marked_as_assumed_and_a_range_keeps_both_ends():
    proposals = by_name["money"].extract("$5-7 million, US$ 30", CONTEXT)
    assert proposals[0].data == {"assumed": True, "currency": "USD", "amount": "5000000", "upto": "7000000"}
    assert "assumed" not in proposals[1].data


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1:08-cv-00284", [("docket", "1:08-cv-00284")]),
        ("1:08-CV-284-ABC-DEF", [("docket", "1:08-cv-00284")]),
        ("1:08‑cv‑00284", [("docket", "1:08-cv-00284")]),
        ("No. 08 Civ. 1789 (BSJ)", [("docket", "08-cv-01789")]),
        ("CV-08-284", [("docket", "08-cv-00284")]),
        ("08-00284", [("docket", "08-00284")]),
        ("Case No. 09-01172 (SMB)", [("docket", "09-01172")]),
        ("Adv. Pro. No. 09-01172", [("docket", "09-01172")]),
        ("Nos. 19-1234 and 19-1235", [("docket", "19-1234"), ("docket", "19-1235")]),
        ("Index No. 650123/2020", [("docket", "650123/2020")]),
        ("Case C-123/45", [("docket", "C-123/45")]),
        ("HC-2015-000123", [("docket", "HC-2015-000123")]),
        ("I ZR 12/20", [("docket", "I ZR 12/20")]),
        ("matter 2024-017", [("matter_number", "2024-017")]),
        ("M-2024-017", [("matter_number", "M-2024-017")]),
        ("Matter No. 12345.0001", [("matter_number", "12345.0001")]),
        ("our ref: QH/2024/17", [("matter_number", "QH/2024/17")]),
        ("from 2001-2021", []),
        ("2024-05-03, 212-555-0147, 10001-1234, case 1234 of wine, ref 2024-05-03, Case study", []),
    ],
)  # fmt: skip
def test_docket_and_matter_numbers(text, expected):
    assert [(label, value) for label, value, _ in found("case_numbers", text)] == expected


def test_spellings_of_one_docket_share_their_short_form():
    spellings = ["1:08-cv-00284", "08-cv-284", "08 Civ. 284 (JSR)", "CV-08-284", "1:08-CV-00284-JSR"]
    shorts = {p.data["short"] for s in spellings for p in by_name["case_numbers"].extract(s, CONTEXT)}
    assert shorts == {"08-cv-00284"}


def test_citations_are_corrected_in_value_and_kept_as_written_in_the_text():
    text = "See Harbour v. Quay, 531 U. S. 98, 100 (2000); 28 U.S.C. § 1332; [2019] EWCA Civ 123."
    assert values("citations", text) == ["531 U.S. 98", "28 U.S.C. § 1332", "[2019] EWCA Civ 123"]
    case = by_name["citations"].extract(text, CONTEXT)[0]
    assert text[case.start : case.end] == "531 U. S. 98"
    assert (case.data["plaintiff"], case.data["defendant"], case.data["year"]) == ("Harbour", "Quay", "2000")


def test_spellings_of_a_section_are_one():
    for text in ("11 U.S.C. § 363", "11 U.S.C. Section 363", "11 U.S.C. Sections 363", "11 U.S.C. §§ 363"):
        assert values("citations", text) == ["11 U.S.C. § 363"]


def test_a_citation_is_found_once_wherever_it_stands_in_a_long_text():
    for lead in (19_990, 20_000, 20_390, 20_405, 39_995):
        text = "x " * (lead // 2) + "531 U.S. 98 (2000) " + "y " * 5_000
        proposals = by_name["citations"].extract(text, CONTEXT)
        assert [text[p.start : p.end] for p in proposals] == ["531 U.S. 98"]


@pytest.mark.parametrize(
    ("sentence", "tense"),
    [
        ("The board met.", "past"), ("He has been paid.", "past"), ("They filed it.", "past"),
        ("The motion was filed by counsel who will appear.", "past"), ("It will file the brief.", "future"),
        ("The tenant shall pay the rent.", "future"), ("I'll go.", "future"), ("We are going to appeal.", "future"),
        ("She is ready.", "present"), ("The attached agreement is valid.", "present"), ("The clause requires notice.", "present"),
    ],
)  # fmt: skip
def test_tense_of_a_sentence(sentence, tense):
    assert [c.tense for c in clauses(sentence)] == [tense]


def test_each_tense_of_a_record_is_one_tag():
    text = "The board met. It met again. It will meet. She is ready."
    tags = by_name["tense"].extract(text, CONTEXT)
    assert {(t.value, t.data["sentences"]) for t in tags} == {("past", 2), ("future", 1), ("present", 1)}
    assert all(t.label == "tense" for t in tags)


# Pieces that steer random text into the grammars, joined by anything.
PIECES = st.sampled_from(
    [
        "3 May 2024",
        "last",
        "Tuesday",
        "thirty (30) days",
        "$",
        "€1.2",
        "million",
        "1:08-cv-",
        "00284",
        "08-00284",
        "No.",
        "531 U.S.",
        "98",
        "§",
        "@",
        "a@b.co",
        "+44 20",
        "(212) 555-0147",
        "Q1",
        "2024",
        "from",
        "to",
        "between",
        "and",
        "noon",
        "pm",
        "ago",
        "Case No.",
        "will",
        "was",
        "\xa0",
        "İ",
        "ſ",
        "ﬁ",
        "𝟚𝟘𝟚𝟜",
        "٣ مايو",
        "２０２４年",
        "é",
        "é",
        "\u200b",
        "😀",
        "19",
        "'80s",
        "century",
        "-",
        "–",
        "/",
        ".",
        ",",
        ":",
    ]
)
TEXTS = st.one_of(
    st.text(max_size=300),
    st.lists(st.one_of(PIECES, st.text(max_size=4)), max_size=40).map(" ".join),
    st.lists(PIECES, max_size=40).map("".join),
)


@settings(max_examples=400, deadline=None)
@given(text=TEXTS, at=st.one_of(st.none(), st.datetimes(timezones=st.timezones())))
def test_no_text_breaks_an_extractor_and_every_mention_stands_where_it_says(text, at):
    context = ExtractContext(at=at)
    for extractor in LOCAL:
        last = 0
        for tag in extractor.extract(text, context):
            assert 0 <= tag.start < tag.end <= len(text)
            assert 0 < len(tag.value) <= 500 and "\x00" not in tag.value
            assert len(tag.label) <= 63
            if tag.begins is not None:
                assert tag.begins.tzinfo is not None and tag.begins < tag.ends
            if extractor.name not in ("tense",):
                assert tag.start >= last  # in order, not overlapping
                last = tag.end


@pytest.mark.parametrize(
    "unit",
    ["a", "1", "1-", "1 ", "$1,", "a@", "@a.", "(", "No. ", "one ", "hundred ", "1:", "the ", "May ", "§ ", "1 U.S. ",
     "[2019] ", "1/", "+1 ", "Case No. ", "\n", "e\u0301", "３", "2024-", "from 3 May to "],
)  # fmt: skip
def test_no_text_takes_more_than_linear_time(unit):
    """Repetition is what makes a pattern backtrack: 60,000 characters of it in seconds of processor time, not hours."""
    text = unit * (60_000 // len(unit))
    for extractor in LOCAL:
        start = time.process_time()
        extractor.extract(text, CONTEXT)
        assert time.process_time() - start < 5, extractor.name
