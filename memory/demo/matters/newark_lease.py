"""Kestrelgate against Pellworth: the Newark cold store, the leak of January 14, 2025, and what followed."""

from memory.demo.shape import record as r

RECORDS = (
    r(
        "lease-01",
        "contract",
        "2021-03-03",
        "Cold store lease, 88 Corrigan Dock Road, Newark",
        """Lease between Pellworth Terminals LLC and Kestrelgate Cold Chain, Inc. for 412,000 square feet,
        fifteen years from April 1, 2021, base rent $204,000 a month. Section 14.2: the landlord maintains
        the central refrigeration plant in good working order at its own cost. Section 22: rent abates
        from the day a chamber cannot hold minus 10 °F for more than 24 hours. Section 31: notice of a
        claim within ten business days.""",
        company=("Pellworth Terminals LLC", "Kestrelgate Cold Chain, Inc."),
        document="Newark lease",
        location="Newark cold store",
        topic="landlord's maintenance duty",
    ),
    r(
        "lease-02",
        "email",
        "2024-11-19",
        "Plant inspection before the winter peak",
        """Vince Tordoff to Pellworth's facilities desk (facilities@pellworth.example): compressor C-3 in
        Engine Room 2 is weeping oil at the shaft seal and tripped twice last week. Please confirm that a
        technician will attend within seven days, before the December volume arrives. No answer is on
        file.""",
        person="Vince Tordoff",
        company="Pellworth Terminals LLC",
        topic="compressor C-3",
        location="Newark cold store",
        document="E-mail of November 19, 2024",
    ),
    r(
        "lease-03",
        "fact",
        "2024-12",
        "Landlord deferred the shaft seal to spring",
        """Pellworth's maintenance log shows the C-3 shaft seal marked 'defer to Q2 2025, budget'. The entry
        is initialled but not dated; the page before it ends on December 6.""",
        person="Gideon Marsh-Tully",
        company="Pellworth Terminals LLC",
        topic=("compressor C-3", "deferred maintenance"),
        document="PEL 004417",
    ),
    r(
        "lease-04",
        "fact",
        "2025-01-14T05:52-05:00",
        "Ammonia alarm, Engine Room 2",
        """The ammonia alarm in Engine Room 2 sounded at 5:52 a.m. and the plant shut itself down. Chambers
        4, 5 and 6 were above minus 10 °F by noon and stayed there for 31 hours. Nobody was hurt; eleven
        people were evacuated.""",
        person="Vince Tordoff",
        location="Newark cold store",
        topic=("ammonia leak", "compressor C-3"),
        event="Leak of January 14, 2025",
    ),
    r(
        "lease-05",
        "call",
        "2025-01-14T16:20-05:00",
        "Ottilie Grangemouth: first call about the leak",
        """Ottilie called from the site. She wants to know who pays for the food, and whether she may keep
        January's rent. Advised: photograph everything, keep the logger files, do not move C-3, send
        notice under section 31 well inside ten business days, and pay the rent under protest. Follow-up
        tomorrow at 9 a.m.; her mobile is (267) 555-0148.""",
        by="margit",
        person=("Ottilie Grangemouth", "Margit Hallgren"),
        topic=("ammonia leak", "rent abatement"),
        event="Leak of January 14, 2025",
    ),
    r(
        "lease-06",
        "letter",
        "2025-01-24",
        "Notice of claim under section 31",
        """Kestrelgate gives notice of loss of chambers 4 to 6 from January 14 to 15, 2025, claims abatement
        of $40,800 for the first week, and reserves all rights for spoiled goods, presently put at $4.2
        million. Sent by courier and by e-mail on the eighth business day.""",
        company="Pellworth Terminals LLC",
        person="Margit Hallgren",
        topic=("notice of claim", "rent abatement"),
        document="Notice of January 24, 2025",
        event="Leak of January 14, 2025",
    ),
    r(
        "lease-07",
        "letter",
        "2025-02-12",
        "Pellworth denies the claim",
        """Philip Sykorsen of Drummond Sykorsen LLP writes that 'Kestrel Gate Cold Chain Inc.' changed the
        defrost set-points without consent and that this, not the shaft seal, overloaded C-3. He demands
        the unpaid part of February's rent, $102,000, within 15 days.""",
        company=("Pellworth Terminals LLC", "Kestrel Gate Cold Chain Inc."),
        counsel="Drummond Sykorsen LLP",
        person="Philip Sykorsen",
        topic=("defrost set-points", "rent abatement"),
    ),
    r(
        "lease-08",
        "agent_note",
        "2025-02-20",
        "Set-point changes found in the control log",
        """The control log for November 1, 2024 to January 14, 2025 holds three set-point changes. All three
        were made from Pellworth's own operator account, none from the tenant's. The earliest is December
        2 at 22:14. Confidence is moderate: the account is shared by four people.""",
        by="research-agent",
        company="Pellworth Terminals LLC",
        topic=("defrost set-points", "control log"),
        document="Control log export",
        status="to verify",
    ),
    r(
        "lease-09",
        "memo",
        "2025-03-06",
        "Landlord's duty to maintain: New Jersey law",
        """An express covenant to maintain plant is independent of rent unless the lease ties them together;
        section 22 does. See Harrow Point Cold Storage, Inc. v. Tidewater Pier Corp., 418 F. Supp. 3d 602
        (D.N.J. 2019), and Marchbanks v. Essex Pier Realty, 233 N.J. 417 (2018). Spoiled goods of third
        parties are recoverable as foreseeable loss if the landlord knew what was stored. We expect a
        fight about foreseeability and about section 40, the waiver of consequential damages.""",
        by="nadia",
        person="Nadia Ferrante",
        topic=("landlord's maintenance duty", "consequential damages"),
        authority="Harrow Point v. Tidewater Pier",
        document="Research memo",
    ),
    r(
        "lease-10",
        "decision",
        "2025-04-10",
        "File in federal court, not in Essex County",
        """Ottilie and Margit decided to file in the District of New Jersey. Reasons: diversity is clean, the
        calendar is faster, and both sides' witnesses are within 100 miles. Budget to the close of
        discovery: $385,000.""",
        person=("Ottilie Grangemouth", "Margit Hallgren"),
        court="D.N.J.",
        topic="forum",
        status="decided",
    ),
    r(
        "lease-11",
        "filing",
        "2025-04-21",
        "Complaint, Kestrelgate v. Pellworth Terminals",
        """Complaint in Kestrelgate Cold Chain, Inc. v. Pellworth Terminals LLC, No. 2:25-cv-03187-MSS
        (D.N.J.). Counts: breach of sections 14.2 and 22, negligence, declaratory judgment on rent under
        28 U.S.C. § 2201. Demand: $4.2 million in spoiled goods and $244,800 in abated rent. Jury
        demanded.""",
        company=("Pellworth Terminals LLC", "Kestrelgate Cold Chain, Inc."),
        court="D.N.J.",
        docket="2:25-cv-03187",
        judge="Miriam S. Stroudwater",
        document="Complaint",
    ),
    r(
        "lease-12",
        "filing",
        "2025-05-27",
        "Answer and counterclaim for rent",
        """Pellworth denies breach, pleads the set-point changes and section 40, and counterclaims $612,000
        in rent withheld from February to April 2025. The caption again reads 'Kestrel Gate Cold Chain
        Inc.'.""",
        company=("Pellworth Terminals LLC", "Kestrel Gate Cold Chain Inc."),
        counsel="Drummond Sykorsen LLP",
        court="D.N.J.",
        docket="2:25-cv-03187",
        topic="rent abatement",
    ),
    r(
        "lease-13",
        "order",
        "2025-07-09",
        "Scheduling order",
        """Fact discovery closes on January 30, 2026; opening expert reports are due on February 27, 2026;
        dispositive motions by May 15, 2026. The parties shall mediate within 60 days after expert
        discovery.""",
        judge="Miriam S. Stroudwater",
        court="D.N.J.",
        docket="2:25-cv-03187",
        document="ECF 24",
    ),
    r(
        "lease-14",
        "fact",
        "2025-09-18",
        "Loss put at $3.87 million after salvage",
        """Desmond Paikert's reconciliation credits $330,000 of goods that were sold as salvage in March
        2025. The spoiled-goods figure is $3.87 million, not the $4.2 million in the notice and the
        complaint. An amended disclosure under Rule 26(e) will be served next week.""",
        person="Desmond Paikert",
        topic="spoiled goods",
        document="Loss reconciliation",
        amount="$3.87 million",
        event="Leak of January 14, 2025",
    ),
    r(
        "lease-15",
        "filing",
        "2025-10-22",
        "Deposition of Vince Tordoff",
        """Tordoff held up well for six hours. He was firm that no one at the site had the code for the
        defrost panel (72:4 to 74:19). He was weaker on why the November e-mail was never chased (118:2).
        Sykorsen asked twice about Teodor Wisk's audit of the loggers.""",
        by="callum",
        person=("Vince Tordoff", "Philip Sykorsen", "Teodor Wisk"),
        docket="2:25-cv-03187",
        topic=("defrost set-points", "compressor C-3"),
    ),
    r(
        "lease-16",
        "filing",
        "2026-02-27",
        "Expert report of Dr. Maud Castellane",
        """Dr. Castellane, a refrigeration engineer, concludes that the shaft seal failed by wear over at
        least ten weeks and that the set-point changes added no more than 4 % to the load. Her fee is $525
        an hour. She discloses that Pellworth retained her in 2019 in an unrelated warehouse fire.""",
        person="Dr. Maud Castellane",
        topic=("compressor C-3", "expert evidence"),
        docket="2:25-cv-03187",
        document="Castellane report",
    ),
    r(
        "lease-17",
        "order",
        "2026-05-29",
        "Motion to exclude Dr. Castellane denied",
        """The motion under Federal Rule of Evidence 702 is denied. Her earlier work for the landlord goes to
        weight, if to anything. The court relies on Pruettman v. Lyceum Health Corp., 921 F.3d 188 (3d
        Cir. 2019).""",
        judge="Miriam S. Stroudwater",
        person="Dr. Maud Castellane",
        court="D.N.J.",
        docket="2:25-cv-03187",
        topic="expert evidence",
        document="ECF 88",
    ),
    r(
        "lease-18",
        "call",
        "2026-06-24",
        "Mediation before Curtis Balfourd",
        """Twelve hours, no deal. Pellworth moved from $900,000 to $2.1 million; we stopped at $3.4 million.
        The mediator thinks the set-point point is dead and that rent credits are the way to bridge.
        Corbel's subrogation interest must be written into any release.""",
        by="margit",
        person=("Curtis Balfourd", "Philip Sykorsen", "Ottilie Grangemouth"),
        topic=("mediation", "subrogation"),
        company="Corbel Mutual Insurance Company",
    ),
    r(
        "lease-19",
        "decision",
        "2026-09-08",
        "Accept $2.95 million and eighteen months of credits",
        """Kestrelgate's board accepts $2.95 million in cash, payable in two halves, and a rent credit of
        $17,000 a month for eighteen months. Pellworth will replace C-3 by March 31, 2027. Both sides
        release the other; Corbel has signed a limited consent.""",
        person=("Ottilie Grangemouth", "Margit Hallgren"),
        company=("Pellworth Terminals LLC", "Corbel Mutual Insurance Company"),
        topic="settlement",
        amount="$2.95 million",
    ),
    r(
        "lease-20",
        "filing",
        "2026-10-14",
        "Stipulation of dismissal with prejudice",
        """The parties stipulate to dismissal of all claims and counterclaims under Rule 41(a)(1)(A)(ii),
        each side to bear its own costs. The court keeps jurisdiction for 180 days to enforce the
        settlement.""",
        company=("Pellworth Terminals LLC", "Kestrelgate Cold Chain, Inc."),
        court="D.N.J.",
        docket="2:25-cv-03187",
        judge="Miriam S. Stroudwater",
        topic="settlement",
    ),
)
