"""The tokeniser: what is a word, and literals that Postgres takes for every text."""

import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory import words


def lexemes_of(text):
    """Every lexeme a text is stored under."""
    literal, _ = words.vector("", text)
    return set(parse(literal))


def parse(literal):
    """A tsvector literal as {lexeme: [position, …]}, read the way Postgres reads it."""
    found, i = {}, 0
    while i < len(literal):
        assert literal[i] == "'"
        i += 1
        lexeme = ""
        while True:
            if literal[i] == "\\":
                lexeme += literal[i + 1]
                i += 2
            elif literal[i] == "'":
                if literal[i + 1] == "'":
                    lexeme += "'"
                    i += 2
                else:
                    i += 1
                    break
            else:
                lexeme += literal[i]
                i += 1
        assert lexeme
        assert literal[i] == ":"
        end = literal.find(" ", i)
        end = len(literal) if end < 0 else end
        found[lexeme] = literal[i + 1 : end].split(",")
        i = end + 1
    return found


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Case 1:08-cv-00284 was filed", {"1:08-cv-00284", "1", "08", "cv", "00284", "case", "file"}),
        ("They play AC/DC", {"ac/dc", "ac", "dc", "play"}),
        ("written in C++ and C#.", {"c++", "c#", "c", "written"}),
        ("28 U.S.C. § 1332", {"28", "u.s.c", "usc", "u", "c", "1332"}),
        ("matter 2024-017", {"matter", "2024-017", "2024", "017"}),
        ("Caroline's invoices for $2,000", {"carolin", "invoic", "2000"}),
        ("Mr O’Brien", {"mr", "o'brien", "o", "brien"}),
        ("naïve Łódź Straße", {"naiv", "lodz", "strass"}),
        ("ann.lee@example.org", {"ann.lee@example.org", "ann", "lee", "exampl", "org"}),
        ("a peer‑reviewed paper", {"peer-reviewed", "peer", "review", "paper"}),
        ("I don't think they'll", {"think"}),
        ("端口错配", {"端口", "口错", "错配", "端", "口", "错", "配"}),
        ("हिन्दी में", {"हिन्दी", "में"}),
    ],
)
def test_a_text_is_stored_under(text, expected):
    assert lexemes_of(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1:08-cv-00284", ["1", "08", "cv", "00284", "1:08-cv-00284"]),
        ("契約書 and 契約書", ["契約", "約書"]),
        ("書", ["書"]),
        ("C++", ["c", "c++"]),
        ("to be or not to be", []),
        ("the painting, painted paintings", ["paint"]),
        ("", []),
        ("\u0301 \u0301-\u0301", []),
        ("\x00 \ud800 — …", []),
    ],
)
def test_a_question_asks_for(text, expected):
    assert words.lexemes(text) == expected


@pytest.mark.parametrize(
    ("stored", "asked"),
    [
        ("Café Société", "cafe societe"),
        ("cafe societe", "Cafe\u0301 Socie\u0301te\u0301"),
        ("ＡＣＭＥ holdings", "acme"),
        ("ガイド", "カ\u3099イド"),
        ("계약서를 보냈다", "계약서"),
        ("端口8080错配", "错配"),
        ("AC/DC", "ac dc"),
        ("USC", "U.S.C."),
        ("the U.S. court", "us"),
        ("MÜLLER", "muller"),
    ],
)
def test_spellings_of_one_word_meet(stored, asked):
    wanted = words.lexemes(asked)
    assert wanted
    assert set(wanted) & lexemes_of(stored)
    assert not set(wanted) & lexemes_of("something else entirely")


def test_a_pair_of_characters_is_not_torn_from_two_words():
    assert not set(words.lexemes("列端")) & lexemes_of("队列 端口")


def test_positions_keep_stop_words_and_weigh_the_title():
    literal, length = words.vector("Lease", "terms of the lease")
    places = parse(literal)
    assert places["leas"] == ["1A", str(1 + words.TITLE_GAP + 4)]
    assert places["term"] == [str(1 + words.TITLE_GAP + 1)]
    assert length == 3


def test_a_title_is_one_lexeme_beside_its_words():
    places = parse(words.vector("The Who: live", "text")[0])
    assert words.title_term("the WHO -- Live") in places
    assert words.title_term("the who") not in places
    assert words.title_term("C++") != words.title_term("C")
    assert words.title_term(" … ") is None
    assert not set(words.lexemes(words.title_term("The Who: live"))) & {words.title_term("The Who: live")}


def test_queries():
    assert words.tsquery_all("the") is None
    assert words.tsquery_all("written notices of default") == "'written' & 'notic' & 'default'"
    assert words.tsquery_all("AC/DC tour") == "('ac/dc' | ('ac' <-> 'dc')) & 'tour'"
    assert words.tsquery_all("C++") == "'c++'"
    assert words.tsquery_all("契約書") == "('契約' <-> '約書')"
    assert words.tsquery_phrase("breach of the contract") == "('breach' <3> 'contract')"
    assert words.tsquery_phrase("of the") is None
    assert words.tsquery_phrase("O'Brien") == "('o' <-> 'brien')"
    assert words.tsquery_any(["o'brien", "a\\b"]) == "'o''brien' | 'a\\\\b'"


def test_what_a_match_must_have_is_in_every_spelling():
    assert words.required("AC/DC tour") == ["ac", "dc", "tour"]
    assert words.required("C++") == ["c++"]
    assert words.required("契約書") == ["契約", "約書"]
    for asked, stored in (("AC/DC tour", "the tour of AC DC"), ("C++", "in C++."), ("U.S.C.", "the U S C")):
        assert set(words.required(asked)) <= lexemes_of(stored)


def test_long_texts_stay_inside_what_postgres_takes():
    many, length = words.vector("", "notice " * 40_000)
    places = parse(many)["notic"]
    assert length == 40_000
    assert len(places) == words.MAX_POSITIONS
    late = parse(words.vector("", "filler " * 20_000 + "zebra")[0])
    assert late["zebra"] == [str(words.MAX_POSITION)]
    distinct, _ = words.vector("", " ".join(f"w{i}x" for i in range(200_000)))
    assert len(distinct.encode()) < 2_000_000
    monster, _ = words.vector("", "x" * 5_000 + " " + "-".join("ab" for _ in range(3_000)))
    assert all(len(lexeme.encode()) < 2_046 for lexeme in parse(monster))


def test_highlight_spans_point_into_the_text():
    text = "Filed as 1:08-cv-00284 in 契約書。"
    found = [(text[start:end], lexemes) for lexemes, start, end in words.spans(text)]
    assert [surface for surface, _ in found] == ["Filed", "1:08-cv-00284", "契", "約", "書"]
    assert "cv" in found[1][1]
    assert found[3][1] >= {"契約", "約書"}


@given(st.text(max_size=200), st.text(max_size=400))
def test_any_text_gives_a_readable_literal(title, text):
    literal, length = words.vector(title, text)
    places = parse(literal)
    assert length >= 0
    assert set(words.lexemes(text)) <= set(places)
    for lexemes, start, end in words.spans(text):
        assert lexemes <= set(places)
        assert 0 <= start < end <= len(text)
    for query in (words.tsquery_all(text), words.tsquery_phrase(text)):
        assert (query is None) == (not words.lexemes(text))


def test_threads_stem_alike():
    results = []

    def work(seed):
        results.append({word: words.lexemes(word) for word in (f"run{seed}", "relational", "conditions")})

    threads = [threading.Thread(target=work, args=(0,)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(result == results[0] for result in results)
