"""Windows and snippets: places that always point into the text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory import words
from memory.find.snippets import LENGTH, snippet
from memory.ingest.windows import TARGET, sentences, windows

TEXT = st.text(st.sampled_from('ab .!?\n\u3002\u7aef\u00e9-(")1A'), max_size=1500) | st.text(max_size=400)


@given(TEXT)
def test_windows_cover_every_character_that_is_not_white_space(text):
    found = windows(text, target=80)
    covered = bytearray(len(text))
    for place, window in enumerate(found):
        assert window.ordinal == place
        assert 0 <= window.start < window.end <= len(text)
        assert window.end - window.start <= 80
        assert text[window.start : window.end].strip()
        covered[window.start : window.end] = b"\x01" * (window.end - window.start)
    assert all(covered[i] or text[i].isspace() for i in range(len(text)))
    assert [w.start for w in found] == sorted({w.start for w in found})
    assert bool(found) == bool(text.strip())


def test_windows_overlap_and_keep_sentences_whole():
    text = " ".join(f"Sentence number {i} of the deed, which is not short." for i in range(60))
    found = windows(text)
    assert len(found) > 5
    for before, after in zip(found, found[1:], strict=False):
        assert before.start < after.start < before.end
        assert text[after.start] == "S" and text[before.end - 1] == "."
        assert before.end - before.start <= TARGET


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Mr. Orrin v. Saltway Inc. was heard. It was lost.", 2),
        ("See No. 5 and Art. 7 of the deed. Then stop!", 2),
        ("\u5951\u7d04\u66f8\u3067\u3059\u3002\u7d42\u308f\u308a\u3002", 2),
        ("one\ntwo\n\nthree", 3),
        ("", 0),
        (" \n ", 0),
    ],
)
def test_sentences(text, expected):
    assert len(sentences(text)) == expected


def test_a_very_long_text_has_a_bounded_number_of_windows():
    assert len(windows("A sentence of the long deed. " * 60_000)) <= 2_100


@given(TEXT, TEXT)
def test_a_snippet_is_a_slice_and_its_marks_lie_inside(text, question):
    shown, marks = snippet(text, words.lexemes(question), {})
    assert len(shown) <= LENGTH + 2
    assert shown.strip("\u2026") in text
    for start, end in marks:
        assert 0 <= start < end <= len(shown)
    assert all(before[1] < after[0] for before, after in zip(marks, marks[1:], strict=False))


def test_a_snippet_shows_the_words_that_were_asked_for():
    text = "Nothing here. " * 200 + "The anchor chain broke near the sluice gate. " + "Nothing there. " * 200
    shown, marks = snippet(text, words.lexemes("why did the anchor chain break"), {})
    assert "anchor chain broke" in shown and shown.startswith("\u2026") and shown.endswith("\u2026")
    assert [shown[s:e] for s, e in marks][:2] == ["anchor", "chain"]
    within, _ = snippet(text, ["absent"], {}, (2_800, 2_900))
    assert within.strip("\u2026") in text[2_800:2_900]
    outside, marks = snippet(text, words.lexemes("anchor"), {}, (0, 400))
    assert "anchor" in outside and marks
