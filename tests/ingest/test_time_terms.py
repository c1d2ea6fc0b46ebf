# ruff: noqa: E501 - tables of examples read better a line each
"""Time and duration terms: what they mean, and that they stand where they say."""

from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.ingest.extractors.base import ExtractContext
from memory.ingest.extractors.times import TimeExtractor
from memory.ingest.times import grammar
from memory.ingest.timeterms import find_terms, parse_term

WEDNESDAY = datetime(2024, 5, 15, 10, 30, tzinfo=UTC)
CONTEXT = ExtractContext(at=WEDNESDAY)
times = TimeExtractor()


def one(text, context=CONTEXT):
    found = times.extract(text, context)
    assert len(found) == 1, found
    tag = found[0]
    assert text[tag.start : tag.end].strip() == text[tag.start : tag.end]
    return tag


def span(tag):
    return tag.begins.isoformat()[:10], tag.ends.isoformat()[:10]


@pytest.mark.parametrize(
    ("text", "mention", "value", "begins", "ends"),
    [
        ("filed on 3 May 2024 here", "3 May 2024", "2024-05-03", "2024-05-03", "2024-05-04"),
        ("filed May 3rd, 2024.", "May 3rd, 2024", "2024-05-03", "2024-05-03", "2024-05-04"),
        ("the 3rd day of May, 2024", "the 3rd day of May, 2024", "2024-05-03", "2024-05-03", "2024-05-04"),
        ("filed 2024-05-03;", "2024-05-03", "2024-05-03", "2024-05-03", "2024-05-04"),
        ("filed 1/19/2006", "1/19/2006", "2006-01-19", "2006-01-19", "2006-01-20"),
        ("filed 19/1/2006", "19/1/2006", "2006-01-19", "2006-01-19", "2006-01-20"),
        ("filed 19.1.2006", "19.1.2006", "2006-01-19", "2006-01-19", "2006-01-20"),
        ("am 3. Mai 2024", "3. Mai 2024", "2024-05-03", "2024-05-03", "2024-05-04"),
        ("el 3 de mayo de 2024", "3 de mayo de 2024", "2024-05-03", "2024-05-03", "2024-05-04"),
        ("2024年5月3日に契約", "2024年5月3日", "2024-05-03", "2024-05-03", "2024-05-04"),
        ("on 29 February 2024", "29 February 2024", "2024-02-29", "2024-02-29", "2024-03-01"),
        ("on 31 December 2023", "31 December 2023", "2023-12-31", "2023-12-31", "2024-01-01"),
        ("in May 2024 we", "May 2024", "2024-05", "2024-05-01", "2024-06-01"),
        ("in December 2023", "December 2023", "2023-12", "2023-12-01", "2024-01-01"),
        ("late May 2024", "late May 2024", "2024-05", "2024-05-21", "2024-06-01"),
        ("in 2024 we", "2024", "2024", "2024-01-01", "2025-01-01"),
        ("(1850)", "1850", "1850", "1850-01-01", "1851-01-01"),
        ("Q1 2024 results", "Q1 2024", "2024-Q1", "2024-01-01", "2024-04-01"),
        ("2024-Q4", "2024-Q4", "2024-Q4", "2024-10-01", "2025-01-01"),
        ("Q4 '23", "Q4 '23", "2023-Q4", "2023-10-01", "2024-01-01"),
        ("the first quarter of 2023", "first quarter of 2023", "2023-Q1", "2023-01-01", "2023-04-01"),
        ("H2 2022", "H2 2022", "2022-H2", "2022-07-01", "2023-01-01"),
        ("FY2024", "FY2024", "2024", "2024-01-01", "2025-01-01"),
        ("in summer 2019", "summer 2019", "2019-summer", "2019-06-01", "2019-09-01"),
        ("winter 2023", "winter 2023", "2023-winter", "2023-12-01", "2024-03-01"),
        ("the 1990s", "the 1990s", "1990s", "1990-01-01", "2000-01-01"),
        ("19th century", "19th century", "C19", "1801-01-01", "1901-01-01"),
        ("from 3 May to 6 June 2024", "from 3 May to 6 June 2024", "2024-05-03/2024-06-06", "2024-05-03", "2024-06-07"),
        ("November 20 to January 5, 2024", "November 20 to January 5, 2024", "2023-11-20/2024-01-05", "2023-11-20", "2024-01-06"),
        ("between 2019 and 2021", "between 2019 and 2021", "2019/2021", "2019-01-01", "2022-01-01"),
        ("May 3-5, 2024", "May 3-5, 2024", "2024-05-03/2024-05-05", "2024-05-03", "2024-05-06"),
        ("3 to 5 June 2023", "3 to 5 June 2023", "2023-06-03/2023-06-05", "2023-06-03", "2023-06-06"),
        ("the week of 6 May 2024", "the week of 6 May 2024", "2024-W19", "2024-05-06", "2024-05-13"),
        ("the week of January 1, 2025", "the week of January 1, 2025", "2025-W01", "2024-12-30", "2025-01-06"),
        ("Tuesday, May 7, 2024", "Tuesday, May 7, 2024", "2024-05-07", "2024-05-07", "2024-05-08"),
    ],
)  # fmt: skip
def test_a_written_date_means_its_days(text, mention, value, begins, ends):
    tag = one(text)
    assert (text[tag.start : tag.end], tag.label, tag.value) == (mention, "time", value)
    assert span(tag) == (begins, ends)
    assert tag.begins.tzinfo and tag.ends.tzinfo


@pytest.mark.parametrize(
    ("text", "begins", "ends"),
    [
        ("we met yesterday", "2024-05-14", "2024-05-15"),
        ("the day before yesterday", "2024-05-13", "2024-05-14"),
        ("the day after tomorrow", "2024-05-17", "2024-05-18"),
        ("tomorrow afternoon", "2024-05-16", "2024-05-17"),
        ("last night", "2024-05-14", "2024-05-15"),
        ("last Tuesday", "2024-05-14", "2024-05-15"),
        ("last Wednesday", "2024-05-08", "2024-05-09"),
        ("next Wednesday", "2024-05-22", "2024-05-23"),
        ("next Friday", "2024-05-17", "2024-05-18"),
        ("this Monday", "2024-05-13", "2024-05-14"),
        ("Friday of last week", "2024-05-10", "2024-05-11"),
        ("Friday next week", "2024-05-24", "2024-05-25"),
        ("last week", "2024-05-06", "2024-05-13"),
        ("the week before last", "2024-04-29", "2024-05-06"),
        ("next weekend", "2024-05-25", "2024-05-27"),
        ("last month", "2024-04-01", "2024-05-01"),
        ("last quarter", "2024-01-01", "2024-04-01"),
        ("next year", "2025-01-01", "2026-01-01"),
        ("last summer", "2023-06-01", "2023-09-01"),
        ("last December", "2023-12-01", "2024-01-01"),
        ("next March", "2025-03-01", "2025-04-01"),
        ("three days ago", "2024-05-12", "2024-05-13"),
        ("two weeks ago", "2024-04-29", "2024-05-06"),
        ("a month ago", "2024-04-01", "2024-05-01"),
        ("ten years ago", "2014-01-01", "2015-01-01"),
        ("2 months from now", "2024-07-01", "2024-08-01"),
        ("the last thirty days", "2024-04-15", "2024-05-16"),
        ("the end of last year", "2023-09-01", "2024-01-01"),
        ("Q3 is near", "2024-07-01", "2024-10-01"),
    ],
)
def test_a_relative_term_is_placed_by_the_records_own_date(text, begins, ends):
    assert span(one(text)) == (begins, ends)


def test_the_same_words_mean_another_day_in_a_record_of_another_day():
    march = ExtractContext(at=datetime(2023, 3, 1, tzinfo=UTC))
    assert span(one("last Tuesday", march)) == ("2023-02-28", "2023-03-01")


def test_without_a_record_date_a_relative_term_keeps_its_words_and_has_no_span():
    tag = one("we met last  Tuesday", ExtractContext())
    assert (tag.value, tag.begins, tag.ends) == ("last tuesday", None, None)


def test_tense_decides_which_may_or_monday_is_meant():
    assert span(one("In March we signed it; it was done.")) == ("2024-03-01", "2024-04-01")
    assert span(one("We will sign it in March.")) == ("2025-03-01", "2025-04-01")
    assert span(one("They met on Monday.")) == ("2024-05-13", "2024-05-14")
    assert span(one("They will meet on Monday.")) == ("2024-05-20", "2024-05-21")


def test_a_day_and_its_hour_are_one_term_in_the_zone_that_is_written():
    tag = one("on 3 May 2024 at 2:30 pm EST he called")
    assert tag.value == "2024-05-03T14:30"
    assert tag.begins.astimezone(UTC) == datetime(2024, 5, 3, 19, 30, tzinfo=UTC)
    assert one("yesterday at noon").value == "2024-05-14T12:00"
    assert one("2024-05-03T14:30:00+02:00").begins.astimezone(UTC).hour == 12


@pytest.mark.parametrize(
    ("text", "mention", "value"),
    [
        ("within thirty (30) days of notice", "thirty (30) days", "P30D"),
        ("a two-year term", "two-year", "P2Y"),
        ("for 18 months", "18 months", "P18M"),
        ("ten (10) business days", "ten (10) business days", "P10D"),
        ("a period of twenty-one days", "twenty-one days", "P21D"),
        ("one hundred and eighty days", "one hundred and eighty days", "P180D"),
        ("for a year", "a year", "P1Y"),
        ("two years and six months", "two years and six months", "P2Y6M"),
        ("1 hour 30 minutes", "1 hour 30 minutes", "PT1H30M"),
        ("2.5 years", "2.5 years", "P2.5Y"),
        ("a fortnight is two weeks", "two weeks", "P2W"),
        ("two decades", "two decades", "P20Y"),
        ("half an hour", "half an hour", "PT0.5H"),
    ],
)
def test_durations_are_normalised(text, mention, value):
    tag = one(text)
    assert (tag.label, text[tag.start : tag.end], tag.value, tag.begins) == ("duration", mention, value, None)
    assert tag.data["days"] > 0


def test_a_terms_relation_is_kept():
    assert one("since 2019").data["relation"] == "since"
    assert one("by 1 July 2024").data["relation"] == "by"
    assert one("within thirty days").data["relation"] == "within"
    assert one("five business days").data["business"] is True


def test_an_ambiguous_numeric_date_says_so_and_follows_the_setting():
    assert one("on 3/5/2024").data["ambiguous"]
    assert one("on 3/5/2024").value == "2024-03-05"
    assert TimeExtractor(month_first=False).extract("on 3/5/2024", CONTEXT)[0].value == "2024-05-03"


@pytest.mark.parametrize(
    "text",
    [
        "case 1:08-cv-00284", "matter 2024-017", "docket 08-00284", "call 212-555-0147", "paid $2000",
        "2000 shares", "you may go", "they march on", "the second party", "31.5.99.1", "30 February", "2023-02-29",
        "version 1.2.2024.7", "the spring broke", "12 U.S.C. 1831", "at 10.30", "see 3:16",
    ],
)  # fmt: skip
def test_what_is_no_time_is_left_alone(text):
    assert times.extract(text, CONTEXT) == []


def test_days_begin_in_the_zone_of_the_context():
    from zoneinfo import ZoneInfo

    auckland = ZoneInfo("Pacific/Auckland")
    late = ExtractContext(at=datetime(2024, 5, 15, 20, 0, tzinfo=UTC), zone=auckland)  # 16 May there
    assert one("yesterday", late).value == "2024-05-15"
    assert one("3 May 2024", late).begins == datetime(2024, 5, 3, tzinfo=auckland)


@pytest.mark.parametrize(
    ("value", "kind", "normal"),
    [
        ("Q1 2024", "time", "2024-Q1"), ("2024", "time", "2024"), ("2024-05", "time", "2024-05"),
        ("May 2024", "time", "2024-05"), ("2024-W19", "time", "2024-W19"), ("last Tuesday", "time", "2024-05-14"),
        ("in May", "time", "2024-05"), ("from 3 May to 6 June 2024", "time", "2024-05-03/2024-06-06"),
        ("since 2019", "time", "2019"), ("December", "time", "2023-12"), ("tuesday", "time", "2024-05-14"),
        ("30 days", "duration", "P30D"), ("thirty (30) days", "duration", "P30D"), ("P30D", "duration", "P30D"),
        ("P1Y6M", "duration", "P1Y6M"), ("PT36H", "duration", "PT36H"), ("a year", "duration", "P1Y"),
    ],
)  # fmt: skip
def test_a_search_term_that_is_a_time_is_recognised(value, kind, normal):
    span = parse_term(value, WEDNESDAY)
    assert (span.kind, span.value) == (kind, normal)
    assert (span.begins is not None) == (kind == "time")


@pytest.mark.parametrize(
    "value",
    ["", "May", "March", "June", "spring", "day", "second", "Acme 2024", "2024 budget", "1:08-cv-00284", "2024-017",
     "indemnity", "P", "PT", "P1.1.1Y", "2024-W99", "x" * 5000, "31 February 2024", "May Ellison", "from", "Fall River"],
)  # fmt: skip
def test_a_search_term_that_names_something_else_is_none(value):
    assert parse_term(value, WEDNESDAY) is None


def test_durations_in_different_units_compare_by_days():
    assert parse_term("PT48H", WEDNESDAY).days == pytest.approx(parse_term("2 days", WEDNESDAY).days)


def test_the_edge_of_the_calendar_drops_the_term_instead_of_failing():
    for at in (datetime(1, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, 23, 59, tzinfo=UTC)):
        for text in (
            "yesterday",
            "tomorrow",
            "last century",
            "99999 years ago",
            "next decade",
            "in May",
            "last winter",
        ):
            find_terms(text, at)


MONTH_PIECES = st.sampled_from(
    [
        "3",
        "3rd",
        "1st",
        "May",
        "may",
        "MARCH",
        "mars",
        "août",
        "Sept.",
        "Dec",
        "2024",
        "of",
        "the",
        "in",
        "-",
        "/",
        ",",
        " ",
        "4pm",
        "x",
    ]
)


@settings(max_examples=400, deadline=None)
@given(pieces=st.lists(MONTH_PIECES, max_size=14), gap=st.sampled_from(["", " ", "  "]))
def test_rules_that_need_a_month_are_only_left_out_where_none_is_named(pieces, gap):
    text = gap.join(pieces)
    found = find_terms(text, WEDNESDAY)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(grammar, "names_month", lambda text: True)
        assert find_terms(text, WEDNESDAY) == found
