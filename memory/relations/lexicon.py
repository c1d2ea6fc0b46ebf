"""The words of the local grammar: which verbs and nouns state which relation, and what kind of thing a noun names.

A frame reads: for this verb, with these complements, `source` and `target` are taken from the named slots. Slots are
"subject" and "object" (the logical ones: a passive is turned round before), or a preposition.
"""

from __future__ import annotations

from dataclasses import dataclass

PEOPLE, BODIES = ("person",), ("organisation", "team")
ANY: tuple[str, ...] = ()


def listed(words: str) -> list[str]:
    """Words written in one line."""
    return words.split()


@dataclass(frozen=True)
class Frame:
    """One way a verb states a relation: its type, which slots hold its ends, and what those may be."""

    type: str
    source: str = "subject"
    target: str = "object"
    # What the ends must be; a bare name of unknown kind becomes the first of them.
    source_is: tuple[str, ...] = ANY
    target_is: tuple[str, ...] = ANY
    particle: str = ""
    ends: bool = False  # the relation stops holding instead of starting to


def _frames(words: str, *frames: Frame) -> dict[str, tuple[Frame, ...]]:
    return dict.fromkeys(words.split(), frames)


_WORKING = ("project", "document", "matter", "system", "thing", "organisation")
_DOERS = ("person", "team", "organisation")

VERBS: dict[str, tuple[Frame, ...]] = {
    # work and teams
    **_frames("finish complete deliver ship conclude", Frame("COMPLETED", target_is=_WORKING, source_is=_DOERS)),
    "wrap": (Frame("COMPLETED", target_is=_WORKING, particle="up", source_is=_DOERS),),
    **_frames(
        "hand pass",
        Frame("HANDED_OFF_TO", target="to", source_is=PEOPLE, target_is=("person", "team", "organisation")),
    ),
    **_frames("test", Frame("TESTING", target_is=_WORKING, source_is=_DOERS)),
    **_frames("review", Frame("REVIEWED", source_is=_DOERS)),
    **_frames("approve", Frame("APPROVED", source_is=_DOERS)),
    **_frames("draft prepare write", Frame("DRAFTED", target_is=("document",), source_is=_DOERS)),
    **_frames("build develop design", Frame("BUILT", target_is=("project", "system", "thing"), source_is=_DOERS)),
    **_frames("assign", Frame("ASSIGNED_TO", source="to", target="object", source_is=PEOPLE, target_is=_WORKING)),
    **_frames("lead head", Frame("LEADS", source_is=PEOPLE)),
    **_frames("manage supervise oversee", Frame("MANAGES", source_is=PEOPLE)),
    **_frames("report", Frame("REPORTS_TO", target="to", source_is=PEOPLE, target_is=PEOPLE)),
    **_frames("mentor", Frame("MENTORS", source_is=PEOPLE, target_is=PEOPLE)),
    "work": (
        Frame("EMPLOYED_BY", target="for", source_is=PEOPLE, target_is=("organisation",)),
        Frame("EMPLOYED_BY", target="at", source_is=PEOPLE, target_is=("organisation",)),
        Frame("MEMBER_OF", target="in", source_is=PEOPLE, target_is=("team",)),
        Frame("WORKS_ON", target="on", source_is=("person", "team", "organisation"), target_is=_WORKING),
        Frame("WORKS_WITH", target="with", source_is=("person", "team"), target_is=("person", "team", "organisation")),
    ),
    **_frames(
        "collaborate",
        Frame("WORKS_WITH", target="with"),
        Frame("WORKS_ON", target="on", target_is=_WORKING),
    ),
    **_frames(
        "employ hire recruit",
        Frame("EMPLOYED_BY", "object", "subject", source_is=PEOPLE, target_is=("organisation", "team")),
    ),
    **_frames("join", Frame("MEMBER_OF", source_is=PEOPLE, target_is=("team", "organisation"))),
    **_frames("leave quit", Frame("MEMBER_OF", source_is=PEOPLE, target_is=("team", "organisation"), ends=True)),
    **_frames(
        "resign depart retire",
        Frame("MEMBER_OF", target="from", source_is=PEOPLE, target_is=("team", "organisation"), ends=True),
    ),
    **_frames(
        "fire dismiss",
        Frame("EMPLOYED_BY", "object", "subject", source_is=PEOPLE, target_is=("organisation",), ends=True),
    ),
    **_frames(
        "move transfer switch relocate",
        Frame("MEMBER_OF", target="from", source_is=PEOPLE, target_is=("team", "organisation", "place"), ends=True),
        Frame("MEMBER_OF", target="to", source_is=PEOPLE, target_is=("team", "organisation", "place")),
    ),
    **_frames("depend rely", Frame("DEPENDS_ON", target="on"), Frame("DEPENDS_ON", target="upon")),
    **_frames("use", Frame("USES")),
    **_frames("replace succeed supersede", Frame("REPLACED")),
    "take": (Frame("REPLACED", target="from", particle="over", source_is=PEOPLE, target_is=PEOPLE),),
    # law and business
    **_frames("represent defend", Frame("REPRESENTS", source_is=("person", "organisation"))),
    **_frames(
        "act appear",
        Frame("REPRESENTS", target="for", source_is=("person", "organisation"), target_is=("organisation", "person")),
    ),
    **_frames("advise counsel", Frame("ADVISES", target_is=("organisation", "person"))),
    **_frames(
        "retain engage instruct",
        Frame("RETAINED", source_is=("organisation", "person"), target_is=("person", "organisation")),
    ),
    **_frames("sign execute countersign", Frame("SIGNED", target_is=("document",), source_is=_DOERS)),
    **_frames("acquire buy purchase", Frame("ACQUIRED", source_is=("organisation", "person"))),
    **_frames("merge", Frame("MERGED_WITH", target="with"), Frame("MERGED_WITH", target="into")),
    **_frames("oppose contest", Frame("OPPOSES")),
    **_frames("sue", Frame("SUED", source_is=("organisation", "person"))),
    **_frames("settle", Frame("SETTLED_WITH", target="with")),
    **_frames("file lodge submit", Frame("FILED", target_is=("document",), source_is=_DOERS)),
    **_frames("own", Frame("OWNS", source_is=("organisation", "person"))),
    **_frames("control", Frame("CONTROLS", source_is=("organisation", "person"))),
    **_frames("guarantee", Frame("GUARANTEES", source_is=("organisation", "person"))),
    **_frames("fund finance", Frame("FUNDED")),
    **_frames("appoint", Frame("APPOINTED", target_is=PEOPLE)),
    **_frames("insure", Frame("INSURES")),
    **_frames("audit", Frame("AUDITS")),
    **_frames("supply", Frame("SUPPLIES")),
    **_frames("lease rent", Frame("LEASES")),
}

# A noun saying what someone is to someone: "the general counsel of Norwick", "a partner at Hale LLP".
NOUNS: dict[str, str] = {
    **dict.fromkeys(listed("counsel attorney lawyer solicitor barrister advocate"), "REPRESENTS"),
    **dict.fromkeys(
        listed(
            "partner associate employee director officer paralegal secretary chairman chairwoman chair ceo cfo "
            "coo president engineer designer analyst clerk trainee manager"
        ),
        "EMPLOYED_BY",
    ),
    **dict.fromkeys(listed("member"), "MEMBER_OF"),
    **dict.fromkeys(listed("subsidiary affiliate"), "SUBSIDIARY_OF"),
    **dict.fromkeys(listed("client"), "CLIENT_OF"),
    **dict.fromkeys(listed("owner"), "OWNS"),
    **dict.fromkeys(listed("guarantor"), "GUARANTEES"),
    **dict.fromkeys(listed("tenant lessee"), "LEASES_FROM"),
    **dict.fromkeys(listed("supplier vendor"), "SUPPLIES"),
    **dict.fromkeys(listed("part component"), "PART_OF"),
    **dict.fromkeys(listed("trustee"), "TRUSTEE_OF"),
    **dict.fromkeys(listed("lead leader head"), "LEADS"),
}
# In-house counsel is employed; outside counsel represents.
IN_HOUSE = frozenset(listed("general in-house inhouse corporate deputy assistant"))

# What the receiver of something is to do with it: "for QA testing", "for approval".
PURPOSES: dict[str, str] = {
    **dict.fromkeys(listed("testing test tests qa"), "TESTING"),
    **dict.fromkeys(listed("review reviewing"), "REVIEWING"),
    **dict.fromkeys(listed("approval approving sign-off signoff"), "APPROVING"),
    **dict.fromkeys(listed("signature signing execution"), "SIGNING"),
    **dict.fromkeys(listed("drafting revision"), "DRAFTING"),
    **dict.fromkeys(listed("filing"), "FILING"),
}

NOUN_TYPES: dict[str, str] = {
    **dict.fromkeys(listed("team squad crew department desk committee taskforce practice"), "team"),
    **dict.fromkeys(
        listed(
            "redesign migration project launch rollout integration prototype refactor release campaign initiative "
            "programme program upgrade sprint pilot"
        ),
        "project",
    ),
    **dict.fromkeys(
        listed(
            "agreement contract motion brief memo memorandum lease deed will policy report complaint order letter "
            "filing petition pleading affidavit declaration statement amendment addendum licence license "
            "settlement nda opinion invoice minutes undertaking submission clause schedule"
        ),
        "document",
    ),
    **dict.fromkeys(
        listed(
            "matter case arbitration litigation dispute claim appeal lawsuit proceeding proceedings hearing trial "
            "investigation merger acquisition transaction deal"
        ),
        "matter",
    ),
    **dict.fromkeys(
        listed(
            "api service database system app application server website portal pipeline library module platform tool"
        ),
        "system",
    ),
    **dict.fromkeys(listed("company firm bank fund trust partnership corporation subsidiary insurer"), "organisation"),
}

# The last word of a name that tells what bears it.
NAME_TYPES: dict[str, str] = {
    **dict.fromkeys(
        listed(
            "llp llc lp inc ltd limited plc corp corporation co company holdings group partners bank shipping "
            "logistics energy capital ventures partnership associates chambers solicitors trust fund insurance "
            "industries pharmaceuticals labs laboratories foundation university college ministry commission "
            "agency authority gmbh ag glass freight works systems software technologies consulting international "
            "trading mining timber textiles hotels motors electric power water oil gas railways brewery breweries "
            "sa nv bv pte pty court tribunal council union airlines motors steel foods media"
        ),
        "organisation",
    ),
    **dict.fromkeys(listed("team squad desk committee department"), "team"),
    **dict.fromkeys(listed("project"), "project"),
    **dict.fromkeys(listed("agreement deed lease contract memorandum"), "document"),
    **dict.fromkeys(listed("api database service platform"), "system"),
    **dict.fromkeys(listed("arbitration litigation matter"), "matter"),
    **dict.fromkeys(listed("street road avenue square"), "place"),
}

TITLES = frozenset(listed("mr mrs ms miss dr prof professor sir dame judge justice lord lady"))

# "refused to sign": what hangs on these verbs is not said to have happened.
UNREAL = frozenset(
    listed(
        "plan want intend hope expect refuse decline fail try attempt seek agree offer propose threaten "
        "promise ask tell request need like wish consider decide deny dispute doubt allege forget wait "
        "hesitate avoid demand invite urge suggest recommend prepare"
    )
)
SAID = frozenset(listed("say claim report state believe think suspect understand assume hear argue"))
STOPPING = frozenset(listed("stop cease quit finish end"))
GOING_ON = frozenset(listed("start begin continue keep remain proceed go"))
MODALS = frozenset(listed("may might could would should can will shall must 'll 'd ca wo"))
CONDITIONS = frozenset(listed("if unless whether until lest once"))
# "no longer", "formerly": what is said held once and does not now.
PAST_ADVERBS = frozenset(listed("formerly previously once"))
NEVER = frozenset(listed("never hardly barely scarcely neither nor rarely almost nearly"))

SINGLE_VALUED = frozenset({"MEMBER_OF", "EMPLOYED_BY", "REPORTS_TO", "LOCATED_IN"})
UNDIRECTED = frozenset({"WORKS_WITH", "MERGED_WITH", "SETTLED_WITH", "SIMILAR", "RELATED", "OPPOSITE"})

# Other names of types, as callers and language models write them; "<" before a type: source and target change places.
OTHER_NAMES: dict[str, str] = {
    **dict.fromkeys(listed("WORKS_FOR WORKS_AT WORKED_FOR EMPLOYEE_OF IS_EMPLOYED_BY PARTNER_AT"), "EMPLOYED_BY"),
    **dict.fromkeys(listed("EMPLOYS EMPLOYED HIRED"), "<EMPLOYED_BY"),
    **dict.fromkeys(listed("IS_MEMBER_OF BELONGS_TO JOINED WORKS_IN"), "MEMBER_OF"),
    **dict.fromkeys(listed("HAS_MEMBER"), "<MEMBER_OF"),
    **dict.fromkeys(listed("COUNSEL_FOR COUNSEL_TO ATTORNEY_FOR LAWYER_FOR LAWYER_OF ACTS_FOR"), "REPRESENTS"),
    **dict.fromkeys(listed("REPRESENTED_BY IS_REPRESENTED_BY"), "<REPRESENTS"),
    **dict.fromkeys(listed("OWNER_OF OWNED"), "OWNS"),
    **dict.fromkeys(listed("OWNED_BY IS_OWNED_BY"), "<OWNS"),
    **dict.fromkeys(listed("PARENT_OF PARENT_COMPANY_OF HAS_SUBSIDIARY"), "<SUBSIDIARY_OF"),
    **dict.fromkeys(listed("IS_SUBSIDIARY_OF AFFILIATE_OF"), "SUBSIDIARY_OF"),
    **dict.fromkeys(listed("MANAGED_BY IS_MANAGED_BY SUPERVISED_BY"), "<MANAGES"),
    **dict.fromkeys(listed("HEADS LEADER_OF HEAD_OF"), "LEADS"),
    **dict.fromkeys(listed("LED_BY HEADED_BY"), "<LEADS"),
    **dict.fromkeys(listed("SIGNED_BY EXECUTED_BY"), "<SIGNED"),
    **dict.fromkeys(listed("FILED_BY SUBMITTED_BY"), "<FILED"),
    **dict.fromkeys(listed("WROTE AUTHORED PREPARED"), "DRAFTED"),
    **dict.fromkeys(listed("DRAFTED_BY WRITTEN_BY AUTHORED_BY PREPARED_BY"), "<DRAFTED"),
    "SUED_BY": "<SUED",
    **dict.fromkeys(listed("BOUGHT PURCHASED ACQUIRES"), "ACQUIRED"),
    **dict.fromkeys(listed("ACQUIRED_BY BOUGHT_BY"), "<ACQUIRED"),
    "INSURED_BY": "<INSURES",
    "GUARANTEED_BY": "<GUARANTEES",
    **dict.fromkeys(listed("LIVES_IN BASED_IN IS_IN"), "LOCATED_IN"),
    **dict.fromkeys(listed("RELATED_TO ASSOCIATED_WITH LINKED_TO CONNECTED_TO"), "RELATED"),
}
