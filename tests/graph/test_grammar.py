"""The local relation grammar on invented sentences: what is stated, what has ended, what states nothing."""

from datetime import UTC, datetime

import pytest

from memory.relations.grammar import find_relations, find_relations_in

SEED = "Raj from the frontend team just finished the checkout redesign. He's handing it off to Priya for QA testing."


def stated(text):
    return {r.triple for r in find_relations(text).relations}


def ended(text):
    return {r.triple for r in find_relations(text).ended}


def test_the_conversation_gives_its_graph():
    found = find_relations(SEED)
    assert {(e.name, e.type) for e in found.entities} == {
        ("Raj", "person"),
        ("Priya", "person"),
        ("Checkout Redesign", "project"),
        ("Frontend Team", "team"),
    }
    assert found.entity("raj").attributes == {"team": "frontend"}
    assert found.entity("Priya").attributes == {"role": "QA"}
    assert {r.triple for r in found.relations} == {
        ("Raj", "MEMBER_OF", "Frontend Team"),
        ("Raj", "COMPLETED", "Checkout Redesign"),
        ("Raj", "HANDED_OFF_TO", "Priya"),
        ("Priya", "TESTING", "Checkout Redesign"),
    }
    assert found.ended == []
    for relation in found.relations:
        assert SEED[relation.start : relation.end] == relation.evidence
        assert 0 < relation.confidence <= 1


@pytest.mark.parametrize(
    "text",
    [
        "Raj moved from frontend to platform.",
        "Raj moved from frontend to platform team",
        SEED + " Raj moved from frontend to platform.",
    ],
)
def test_a_move_ends_one_membership_and_begins_another(text):
    found = find_relations(text)
    assert {r.triple for r in found.ended} == {("Raj", "MEMBER_OF", "Frontend Team")}
    assert ("Raj", "MEMBER_OF", "Platform Team") in {r.triple for r in found.relations}
    assert ("Raj", "MEMBER_OF", "Frontend Team") not in {r.triple for r in found.relations}
    assert found.entity("Raj").attributes["team"] == "platform"


STATED = [
    (
        "Dana Whitfield represents Halden Shipping in the arbitration.",
        ("Dana Whitfield", "REPRESENTS", "Halden Shipping"),
    ),
    (
        "Halden Shipping was acquired by Norwick Holdings in March 2023.",
        ("Norwick Holdings", "ACQUIRED", "Halden Shipping"),
    ),
    ("Norwick Holdings, represented by Dana Whitfield, won.", ("Dana Whitfield", "REPRESENTS", "Norwick Holdings")),
    (
        "Norwick Holdings opposes the motion to dismiss filed by Halden Shipping.",
        ("Norwick Holdings", "OPPOSES", "Motion to Dismiss"),
    ),
    ("Susan reports to Amit.", ("Susan", "REPORTS_TO", "Amit")),
    ("Ottoline is a partner at Brackley LLP.", ("Ottoline", "EMPLOYED_BY", "Brackley LLP")),
    (
        "Tamsin Odell, the general counsel of Norwick Holdings, signed the share purchase agreement.",
        ("Tamsin Odell", "EMPLOYED_BY", "Norwick Holdings"),
    ),
    (
        "Tamsin Odell, the general counsel of Norwick Holdings, signed the share purchase agreement.",
        ("Tamsin Odell", "SIGNED", "Share Purchase Agreement"),
    ),
    ("Yusuf replaced Ingrid Solberg as lead counsel.", ("Yusuf", "REPLACED", "Ingrid Solberg")),
    ("Halden retained Linklow Partners.", ("Halden", "RETAINED", "Linklow Partners")),
    ("Ines quit Hale LLP last year and joined Brackley LLP.", ("Ines", "EMPLOYED_BY", "Brackley LLP")),
    ("Priya and Tomasz tested the payments migration.", ("Tomasz", "TESTING", "Payments Migration")),
    ("The billing API depends on the ledger service.", ("Billing API", "DEPENDS_ON", "Ledger Service")),
    ("Bram was hired by Orrin Capital.", ("Bram", "EMPLOYED_BY", "Orrin Capital")),
    ("Orrin Capital hired Bram as paralegal.", ("Bram", "EMPLOYED_BY", "Orrin Capital")),
    ("Norwick's lawyer, Dana Whitfield, filed the statement of claim.", ("Dana Whitfield", "REPRESENTS", "Norwick")),
    (
        "Norwick's lawyer, Dana Whitfield, filed the statement of claim.",
        ("Dana Whitfield", "FILED", "Statement of Claim"),
    ),
    (
        "Wren Castellane was appointed general counsel of Ardmore Foods plc.",
        ("Wren Castellane", "EMPLOYED_BY", "Ardmore Foods plc"),
    ),
    ("Corvane sued Orrin Capital. It settled with Marlow Steel.", ("Corvane", "SETTLED_WITH", "Marlow Steel")),
    ("After leaving Hale LLP, Ines joined Brackley LLP.", ("Ines", "EMPLOYED_BY", "Brackley LLP")),
    (
        "Marlow Steel, which was acquired by Orrin Capital in 2019, closed.",
        ("Orrin Capital", "ACQUIRED", "Marlow Steel"),
    ),
    ("Hale LLP acts for Corvane Ltd against Orrin Capital.", ("Hale LLP", "REPRESENTS", "Corvane Ltd")),
    ("Tessellate Inc. is a subsidiary of Orrin Capital.", ("Tessellate Inc", "SUBSIDIARY_OF", "Orrin Capital")),
    ("Ulla and Jens joined the data team in January 2024.", ("Jens", "MEMBER_OF", "Data Team")),
    ("Jens took over from Ulla.", ("Jens", "REPLACED", "Ulla")),
    ("Without consulting Ines, Bram signed the lease agreement.", ("Bram", "SIGNED", "Lease Agreement")),
    ("Raj assigned the invoice review project to Ulla.", ("Ulla", "ASSIGNED_TO", "Invoice Review Project")),
    ("Ulla passed the appeal brief to Jens for review.", ("Jens", "REVIEWING", "Appeal Brief")),
    ("Zainab started working for Corvane Ltd.", ("Zainab", "EMPLOYED_BY", "Corvane Ltd")),
    ("Zainab has been advising Corvane Ltd since 2020.", ("Zainab", "ADVISES", "Corvane Ltd")),
    ("The supply agreement was drafted and signed by Bram.", ("Bram", "SIGNED", "Supply Agreement")),
]


@pytest.mark.parametrize(("text", "triple"), STATED, ids=[f"{t[1]}: {s[:40]}" for s, t in STATED])
def test_stated(text, triple):
    assert triple in stated(text)
    assert triple not in ended(text)


ENDED = [
    ("Maria no longer works for Bexley LLP.", ("Maria", "EMPLOYED_BY", "Bexley LLP")),
    ("Ines left the litigation team.", ("Ines", "MEMBER_OF", "Litigation Team")),
    ("Ines quit Hale LLP last year and joined Brackley LLP.", ("Ines", "EMPLOYED_BY", "Hale LLP")),
    ("Zainab stopped representing Corvane Ltd in 2021.", ("Zainab", "REPRESENTS", "Corvane Ltd")),
    ("Kwame used to work for Tessellate Inc.", ("Kwame", "EMPLOYED_BY", "Tessellate Inc")),
    ("Bram is no longer a member of the disputes team.", ("Bram", "MEMBER_OF", "Disputes Team")),
    ("Sanjay, formerly of Hale LLP, now leads the platform team.", ("Sanjay", "EMPLOYED_BY", "Hale LLP")),
    ("Ulla transferred from Hale LLP to Brackley LLP.", ("Ulla", "EMPLOYED_BY", "Hale LLP")),
    ("Ulla was a partner at Hale LLP.", ("Ulla", "EMPLOYED_BY", "Hale LLP")),
    ("Tamsin resigned from Norwick Holdings.", ("Tamsin", "EMPLOYED_BY", "Norwick Holdings")),
    ("Hale LLP ceased to act for Corvane Ltd.", ("Hale LLP", "REPRESENTS", "Corvane Ltd")),
]


@pytest.mark.parametrize(("text", "triple"), ENDED, ids=[f"{t[1]}: {s[:40]}" for s, t in ENDED])
def test_ended(text, triple):
    assert triple in ended(text)
    assert triple not in stated(text)


SILENT = [
    "The firm has not retained Dr. Osei.",
    "Was Tamsin employed by Norwick Holdings?",
    "If Norwick Holdings acquires Halden Shipping, Tamsin will leave.",
    "Zainab may sign the lease agreement.",
    "Zainab refused to sign the lease agreement.",
    "Nobody at Hale LLP signed the supply agreement.",
    "Neither Bram nor Ines signed the supply agreement.",
    "Tamsin denied that Norwick acquired Halden Shipping.",
    "Ines has never worked for Hale LLP.",
    "Ulla might have left the data team.",
    "Ask Ulla to sign the lease agreement.",
    "Ulla was supposed to sign the deed of trust.",
    "Corvane Ltd plans to acquire Marlow Steel.",
    "It is not true that Corvane acquired Marlow Steel.",
    "Ulla wants Jens to review the audit report.",
    "Unless Jens reports to Ulla, nothing changes.",
    "Bram did not draft or sign the supply agreement.",
    "Orrin Capital tried to buy Marlow Steel.",
    "Would Hale LLP represent Corvane Ltd?",
    "The weather was fine and the meeting was long.",
    "",
]


@pytest.mark.parametrize("text", SILENT)
def test_silent(text):
    found = find_relations(text)
    assert (found.relations, found.ended) == ([], [])


def test_reported_speech_counts_for_less():
    plain = find_relations("Corvane Ltd acquired Marlow Steel.").relations[0]
    heard = find_relations("Ulla said that Corvane Ltd acquired Marlow Steel.").relations[0]
    assert heard.triple == plain.triple
    assert heard.confidence < plain.confidence


def test_a_surname_means_the_person_already_named():
    found = find_relations("Dana Whitfield joined Brackley LLP. Whitfield represents Corvane Ltd.")
    assert ("Dana Whitfield", "REPRESENTS", "Corvane Ltd") in {r.triple for r in found.relations}


def test_dates_are_read_where_given():
    found = find_relations("Halden Shipping was acquired by Norwick Holdings in March 2023.")
    assert found.relations[0].since == datetime(2023, 3, 1, tzinfo=UTC)
    assert find_relations("Ines joined Brackley LLP last year.").relations[0].since is None
    told = find_relations("Ines joined Brackley LLP in May 2021.", written_at=datetime(2024, 6, 1, tzinfo=UTC))
    assert told.relations[0].since == datetime(2021, 5, 1, tzinfo=UTC)


@pytest.mark.parametrize("text", ["\u201cQuoted\u201d \u2014 and odd;;; (", "a" * 5_000, "\n\n\n", "Raj Raj Raj", "…"])
def test_odd_text_is_read_without_complaint(text):
    find_relations(text)


def test_the_same_text_gives_the_same_findings():
    assert find_relations(SEED) == find_relations(SEED)


def test_texts_read_together_say_what_each_says_alone() -> None:
    when = datetime(2024, 6, 1, tzinfo=UTC)
    texts = [
        SEED,
        "",
        "Ines joined Brackley LLP in May 2021.",
        "  \n",
        "Corvane Ltd acquired Marlow Steel.",
        SEED[::-1],
    ]
    together = find_relations_in([(text, when) for text in texts])
    assert together == [find_relations(text, written_at=when) for text in texts]
    assert together[0].relations and together[2].relations and not together[1].relations
    assert find_relations_in([]) == []
