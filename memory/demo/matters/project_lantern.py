"""Project Lantern, walled: Orvanto means to buy Fennwick Sensors, which the firm's disputes team is suing."""

from memory.demo.shape import record as r

FENNWICK = "Fennwick Sensors, Inc."

RECORDS = (
    r(
        "lantern-01",
        "call",
        "2026-03-02",
        "Dr. Vaszarelli: could we buy the logger people?",
        """Ingrid Vaszarelli asked whether Orvanto could buy Fennwick Sensors, Inc. The loggers would go
        inside the cartridge box. She thinks of $40 to $50 million and of signing before the end of the
        year. Nobody at Orvanto but Samir knows.""",
        by="tunde",
        person=("Dr. Ingrid Vaszarelli", "Tunde Oyelaran", "Samir Quellmann"),
        company=FENNWICK,
        topic=("acquisition", "valuation"),
    ),
    r(
        "lantern-02",
        "memo",
        "2026-03-04",
        "Conflict: we sue the target for another client",
        """The disputes team acts for Kestrelgate against Fennwick in Delaware. Acting for a buyer is not
        adverse to Kestrelgate today; at closing it becomes so. Conditions: Orvanto's written consent, no
        use of Kestrelgate's information, a wall from today, and separate counsel for Orvanto on the
        Delaware case. Rule 1.7 and Rule 1.10.""",
        by="tunde",
        person=("Tunde Oyelaran", "Margit Hallgren"),
        company=("Kestrelgate Cold Chain, Inc.", FENNWICK),
        topic=("conflict of interest", "wall"),
    ),
    r(
        "lantern-03",
        "decision",
        "2026-03-06",
        "Act, behind a wall",
        """The general counsel of the firm approves on the four conditions. Inside: Tunde Oyelaran, Wesley
        Tranmere. Outside: Margit Hallgren, Nadia Ferrante, Callum Oseman and everyone else, and both
        agents. The code name is Lantern; the target is not to be named in a calendar.""",
        person=("Tunde Oyelaran", "Wesley Tranmere"),
        topic=("wall", "conflict of interest"),
        status="decided",
        document="Wall notice",
    ),
    r(
        "lantern-04",
        "contract",
        "2026-03-20",
        "Confidentiality agreement",
        """Mutual agreement, two years, with a standstill of twelve months. Fennwick signed by Arno
        Vandermoor. Data room to open on April 6.""",
        company=(FENNWICK, "Orvanto Diagnostics, Inc."),
        person="Arno Vandermoor",
        topic="confidentiality",
        document="Lantern NDA",
        status="signed",
    ),
    r(
        "lantern-05",
        "note",
        "2026-04-13",
        "Data room: first read",
        """Revenue $21.4 million in 2025, EBITDA $3.9 million, forty-one people in Wilmington. Six customers
        make 70 %. The FL-7 is two thirds of sales. Warranty reserve: $180,000, which looks thin.""",
        by="wesley",
        person="Wesley Tranmere",
        company=FENNWICK,
        product="FL-7 logger",
        topic=("due diligence", "valuation"),
    ),
    r(
        "lantern-06",
        "memo",
        "2026-04-29",
        "The Delaware case as a liability",
        """From the public docket only: C.A. No. 2025-0914-JTR. The counterclaim asks for about $232,000, but
        a finding that Fennwick knew of the drift would open claims by every buyer of lots 24-K to 25-C,
        some 11,000 units. Exposure without the cap: $2.5 to $6 million.""",
        by="wesley",
        company=(FENNWICK, "Kestrelgate Cold Chain, Inc."),
        docket="2025-0914-JTR",
        product="FL-7 logger",
        topic=("due diligence", "logger drift"),
    ),
    r(
        "lantern-07",
        "call",
        "2026-05-11",
        "Dunmarrow will lend",
        """Sloane Petrakides offers $30 million of term debt at 3.8 % over the reference rate. She also lends
        to Kestrelgate and said so; she will keep the teams apart. She asks for a special indemnity on
        warranty.""",
        by="tunde",
        person=("Sloane Petrakides", "Tunde Oyelaran"),
        company="Dunmarrow Capital Partners LP",
        topic=("financing", "special indemnity"),
        amount="$30 million",
    ),
    r(
        "lantern-08",
        "letter",
        "2026-05-22",
        "Indicative offer: $46 million",
        """$46 million free of cash and debt, $4 million of it held back for 24 months against warranty and
        the Delaware case. Exclusivity of 60 days. The offer lapses on June 5, 2026.""",
        person=("Dr. Ingrid Vaszarelli", "Arno Vandermoor"),
        company=FENNWICK,
        amount="$46 million",
        topic=("valuation", "exclusivity"),
    ),
    r(
        "lantern-09",
        "email",
        "2026-06-04",
        "Counter: $49 million and a smaller holdback",
        """Arno Vandermoor asks for $49 million and a holdback of $2 million for twelve months. He will ask
        his trial counsel to seek a stay, so that the parties can talk.""",
        person=("Arno Vandermoor", "Samir Quellmann"),
        company=FENNWICK,
        amount="$49 million",
        topic=("valuation", "stay"),
    ),
    r(
        "lantern-10",
        "decision",
        "2026-06-18",
        "Settle at $47.5 million",
        """$47.5 million, holdback of $3.5 million for eighteen months, special indemnity for lots 24-K to
        25-C without a cap. Samir has the board's approval.""",
        person=("Samir Quellmann", "Dr. Ingrid Vaszarelli"),
        company=FENNWICK,
        amount="$47.5 million",
        topic=("valuation", "special indemnity"),
    ),
    r(
        "lantern-11",
        "fact",
        "2026-07-10",
        "A stay has been asked for in Delaware",
        """The public docket shows a letter proposing a stay of 90 days. We did not speak to the disputes
        team about it and must not.""",
        by="wesley",
        company=(FENNWICK, "Kestrelgate Cold Chain, Inc."),
        docket="2025-0914-JTR",
        topic=("stay", "wall"),
        court="Del. Ch.",
    ),
    r(
        "lantern-12",
        "memo",
        "2026-07-30",
        "Paulette Norgaardsen in the target's payroll",
        """Fennwick pays a consultant, Paulette Norgaardsen, $114,400 a year. She is suing Orvanto. She
        should neither be dropped because of that nor work on Orvanto's account before trial. Ask
        employment counsel outside the firm.""",
        by="wesley",
        person="Paulette Norgaardsen",
        company=(FENNWICK, "Orvanto Diagnostics, Inc."),
        topic=("due diligence", "retaliation"),
        status="privileged",
    ),
    r(
        "lantern-13",
        "note",
        "2026-09-02",
        "The August load changes the price?",
        """Eleven hours or six: if the FL-7 reads low, Orvanto's own claim proves the target's defect. Ingrid
        would rather have the indemnity than a lower price. Lathomer Virk must not learn of Lantern from
        us.""",
        by="tunde",
        person=("Dr. Ingrid Vaszarelli", "Tunde Oyelaran"),
        product="FL-7 logger",
        topic=("valuation", "logger drift"),
        event="Excursion of August 19, 2026",
    ),
    r(
        "lantern-14",
        "contract",
        "2026-10",
        "Stock purchase agreement, fourth draft",
        """The fourth draft went out in October. Open: the knowledge qualifier in section 3.14 (product
        warranty), who runs the Delaware case after closing, and a key-person clause for Tabitha Wren.""",
        by="wesley",
        person=("Tabitha Wren", "Arno Vandermoor"),
        company=FENNWICK,
        topic=("acquisition", "special indemnity"),
        document="SPA draft 4",
    ),
    r(
        "lantern-15",
        "filing",
        "2026-11-03",
        "Antitrust notification filed",
        """Notification under 15 U.S.C. § 18a filed on November 3, 2026; the waiting period of 30 days ends
        on December 3. No overlap in products; the agency may ask about supply to Kestrelgate.""",
        person="Wesley Tranmere",
        company=(FENNWICK, "Orvanto Diagnostics, Inc."),
        topic=("antitrust", "acquisition"),
        status="filed",
    ),
    r(
        "lantern-16",
        "decision",
        "2026-11-24",
        "Sign on December 8, close on December 15",
        """If the waiting period ends without a request, the parties sign on December 8 and close a week
        later. On signing, Orvanto's consent ends for the Delaware case and the disputes team must be told
        the same hour.""",
        person=("Tunde Oyelaran", "Samir Quellmann"),
        company=FENNWICK,
        topic=("acquisition", "conflict of interest"),
        status="decided",
    ),
)
