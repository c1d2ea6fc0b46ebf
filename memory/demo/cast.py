"""Who is in the demo tenant: the firm, its people, two clients, the lanes, the wall, the agents.

Everything and everybody here is invented.

Hallgren Oyelaran LLP, Philadelphia, acts for Kestrelgate Cold Chain, Inc. (refrigerated storage and haulage)
and for Orvanto Diagnostics, Inc. (cartridges for a bench analyser). Kestrelgate hauls Orvanto's cartridges, and
both buy or mean to buy from Fennwick Sensors, Inc., which is why one matter is walled off.
"""

from memory.demo.shape import HoldSpec, LaneSpec, Person, Profile, WallSpec

TENANT = ("demo", "Hallgren Oyelaran LLP")

KESTRELGATE = "Kestrelgate Cold Chain, Inc."
ORVANTO = "Orvanto Diagnostics, Inc."
FIRM_OFFICE = "Philadelphia"


def _matter(client: str, matter: str) -> dict[str, str]:
    return {"client": client, "matter": matter, "office": FIRM_OFFICE}


LANES = (
    LaneSpec(
        "newark-lease",
        "Kestrelgate / Pellworth: Newark lease",
        1,
        "Ammonia leak at the Newark cold store, rent abatement, spoiled goods. D.N.J. 2:25-cv-03187.",
        _matter(KESTRELGATE, "KG-0117 Newark lease"),
    ),
    LaneSpec(
        "corbel-coverage",
        "Kestrelgate / Corbel: coverage",
        2,
        "First-party property claim under policy CM-PRP-88213 after the Newark leak.",
        _matter(KESTRELGATE, "KG-0119 Corbel coverage"),
    ),
    LaneSpec(
        "fennwick-loggers",
        "Kestrelgate / Fennwick: loggers and Wisk",
        3,
        "Warranty on FL-7 temperature loggers, and Fennwick's non-compete suit over Teodor Wisk.",
        _matter(KESTRELGATE, "KG-0126 Fennwick"),
    ),
    LaneSpec(
        "kestrelgate-general",
        "Kestrelgate: general advice",
        4,
        "Safety, transport rules, financing, contracts and board matters.",
        _matter(KESTRELGATE, "KG-0001 General advice"),
    ),
    LaneSpec(
        "orvanto-fda",
        "Orvanto: Pallas clearance",
        5,
        "510(k) for the Pallas cartridge, and what follows clearance.",
        _matter(ORVANTO, "OR-0042 Pallas 510(k)"),
    ),
    LaneSpec(
        "orvanto-norgaardsen",
        "Orvanto / Norgaardsen",
        6,
        "Retaliation claim by a former quality manager. E.D. Pa. 2:25-cv-05120.",
        _matter(ORVANTO, "OR-0047 Norgaardsen"),
    ),
    LaneSpec(
        "orvanto-supply",
        "Orvanto: supply and logistics",
        7,
        "Reagent supply, the cold chain agreement, and the excursion of August 2026.",
        _matter(ORVANTO, "OR-0038 Supply and logistics"),
    ),
    LaneSpec(
        "project-lantern",
        "Project Lantern",
        8,
        "Confidential. Orvanto's proposed purchase of a supplier. Walled: ask Tunde Oyelaran.",
        _matter(ORVANTO, "OR-0053 Project Lantern"),
    ),
    LaneSpec(
        "intake",
        "Intake and conflicts",
        1,
        "New matters, conflict checks, engagement letters, waivers.",
        {"office": FIRM_OFFICE},
    ),
    LaneSpec(
        "directory",
        "People and organisations",
        2,
        "One entity record for each person and organisation the matters speak of.",
        {},
    ),
)

KESTRELGATE_LANES = ("newark-lease", "corbel-coverage", "fennwick-loggers", "kestrelgate-general")
ORVANTO_LANES = ("orvanto-fda", "orvanto-norgaardsen", "orvanto-supply", "project-lantern")
SHARED = ("directory",)

PEOPLE = (
    Person("tunde", "Tunde Oyelaran", "partner, corporate", ("*",), ("*",), ("project-lantern",)),
    Person("margit", "Margit Hallgren", "partner, disputes; walled from Project Lantern", ("*",), ("*",)),
    Person(
        "nadia",
        "Nadia Ferrante",
        "associate on the Kestrelgate disputes; walled from Project Lantern",
        (*KESTRELGATE_LANES, "intake", *SHARED),
        (*KESTRELGATE_LANES, *SHARED),
    ),
    Person(
        "wesley",
        "Wesley Tranmere",
        "associate, corporate and regulatory",
        (*ORVANTO_LANES, "intake", *SHARED),
        (*ORVANTO_LANES, *SHARED),
    ),
    Person(
        "callum",
        "Callum Oseman",
        "paralegal; walled from Project Lantern",
        ("newark-lease", "corbel-coverage", "fennwick-loggers", "orvanto-norgaardsen", "intake", *SHARED),
        ("newark-lease", "corbel-coverage", "fennwick-loggers", "orvanto-norgaardsen", "intake"),
    ),
    Person(
        "ottilie",
        "Ottilie Grangemouth",
        "general counsel of Kestrelgate",
        KESTRELGATE_LANES,
        ("kestrelgate-general",),
    ),
    Person("samir", "Samir Quellmann", "general counsel of Orvanto", ORVANTO_LANES, ("orvanto-supply",)),
    Person(
        "beatriz",
        "Beatriz Quintalha",
        "records manager and tenant admin",
        ("intake", *SHARED),
        ("intake", *SHARED),
        ("intake", *SHARED),
        admin=True,
    ),
)

PROFILES = (
    Profile(
        "research-agent",
        "Research agent",
        ("*",),
        ("newark-lease", "corbel-coverage", "fennwick-loggers", "orvanto-fda"),
        ("margit", "nadia"),
    ),
    Profile("intake-agent", "Intake agent", ("intake", *SHARED), ("intake",), ("beatriz", "callum")),
)

WALL = WallSpec(
    "Project Lantern",
    ("project-lantern",),
    ("margit", "nadia", "callum", "ottilie", "beatriz"),
    ("research-agent", "intake-agent"),
    "The disputes team acts against the company Orvanto means to buy.",
)

HOLD = HoldSpec(
    "Norgaardsen v. Orvanto: preservation",
    ("orvanto-norgaardsen",),
    "Preservation notice of the complaint, E.D. Pa. 2:25-cv-05120; everything in the matter is kept until it ends.",
)
