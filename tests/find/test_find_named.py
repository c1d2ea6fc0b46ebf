"""What a question names comes up although nothing else speaks for it: rare words, values, numbers, titles."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.find import fusion, snippets
from tests.find.conftest import work

pytestmark = pytest.mark.django_db

TALK = ("The parties involved in this matter met and said what it involves.", "Which matters involve whom is kept.")
OTHER = (
    "The rent was paid and the keys were counted.",
    "A ferry left late because of fog.",
    "Apples are weighed by the crate.",
    "The printer on the second floor is out of ink.",
    "Two chairs were lent to the chapel.",
    "Rain is expected on Sunday.",
    "The invoice for the paint came twice.",
    "A dog was found beside the canal.",
    "The choir rehearses on Thursdays.",
    "Seeds were ordered for the south garden.",
    "The lift is inspected in June.",
    "A window in the hall was broken.",
)


@pytest.fixture
def office(world):
    """Sixty notes, of which six read like questions, and a few records that do not."""
    for number in range(60):
        text = TALK[number % 2] if number < 6 else OTHER[number % 12]
        world.anna.write("red", f"{text} Note {number}.", ("status:open",), external_id=f"talk-{number}")
    return world


def test_the_only_record_with_a_word_is_first(office, ask):
    office.anna.write("red", "Received: one crate of quillback, to be weighed.", external_id="crate")
    work()
    assert ask("anna", "quillback")[0] == "crate"
    # before it has vectors, too
    office.anna.write("red", "The marlinspike was returned.", external_id="spike")
    assert ask("anna", "marlinspike")[0] == "spike"


@pytest.mark.parametrize("question", ["What matters involve Osric Penhallow?", "who represented osric penhallow"])
def test_a_named_value_brings_its_records_to_the_first_page(office, ask, question):
    for number in range(2):
        office.anna.write(
            "red", f"Boxes {number} to the archive.", ("party:Osric Penhallow",), external_id=f"box-{number}"
        )
    office.anna.write("blue", "Boxes elsewhere.", ("party:Osric Penhallow",), external_id="hidden")
    work()
    found = ask("andy", question)
    assert {"box-0", "box-1"} <= set(found[:10])
    assert "hidden" not in found and "hidden" in ask("anna", question)[:10]


def test_a_value_that_most_records_carry_raises_nobody(office, ask):
    office.anna.write("red", "The kettle is open for repair.", external_id="kettle")
    work()
    assert ask("anna", "Is the kettle open?")[0] == "kettle"


def test_a_number_inside_a_value_means_the_records_that_carry_it(office, ask):
    for number, text in enumerate(("The fee application.", "A notice of hearing.", "An exhibit list.")):
        office.anna.write("red", text, ("matter:nysb/09-01172",), external_id=f"filed-{number}")
    office.anna.write("red", "Another docket's fee application.", ("matter:nysb/109-01172",), external_id="longer")
    office.anna.write("blue", "Hidden.", ("matter:nysb/09-01172",), external_id="hidden")
    work()
    filed = {"filed-0", "filed-1", "filed-2"}
    assert set(ask("andy", "09-01172")[:3]) == filed
    asked = ask("andy", "What did the fee application in 09-01172 say?")
    assert set(asked[:3]) == filed and asked[0] == "filed-0"
    why = ask.ranking("andy", "09-01172").named.why
    assert any("matter: nysb/09-01172" in reasons for reasons in why.values())


def test_the_record_titled_so_comes_before_those_that_carry_it_as_a_value(office, ask):
    for number in range(3):
        office.anna.write(
            "red",
            "Quarrel Holdings Inc. and again Quarrel Holdings Inc., its officers, its matters.",
            ("party:Quarrel Holdings Inc.",),
            external_id=f"carries-{number}",
        )
    office.anna.write("red", "Opened.", title="Quarrel Holdings Inc.", external_id="docket")
    work()
    assert ask("anna", "Quarrel Holdings Inc.")[0] == "docket"


@given(st.lists(st.integers(1, 400), min_size=1, max_size=6), st.booleans())
def test_words_of_any_length_have_a_snippet(lengths, spaced):
    text = ("x " * 40 if spaced else "").join("a1b2c3d4" * (n // 8 + 1) + str(n) + " " for n in lengths)
    wanted = set(text.split())
    passage, marks = snippets.snippet(text, wanted, {}, None)
    assert passage and all(0 <= start < end <= len(passage) for start, end in marks)


def test_a_url_longer_than_a_snippet_is_found(world, ask):
    url = "https://dms.example.com/matter/" + "a1b2c3d4" * 25
    world.anna.write("red", f"Kept at {url} since May.", external_id="url")
    assert world.anna("e_gather", "find", question=url).names[0] == "url"
    assert world.anna("e_gather", "find", question="9" * 300).status == 200


def test_a_list_of_few_words_is_told_from_nothing():
    alone = fusion.standard([(1, 7.0)], 60)
    several = fusion.standard([(n, 7.0) for n in range(60)], 60)
    assert alone[1] > 5 and set(several.values()) == {1.0}
    assert fusion.standard([(1, 7.0)]) == {1: 1.0}
