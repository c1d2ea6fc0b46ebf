"""Kestrelgate against Fennwick: drifting loggers, and the engineer who changed sides."""

from memory.demo.shape import record as r

FENNWICK = "Fennwick Sensors, Inc."

RECORDS = (
    r(
        "fenn-01",
        "contract",
        "2024-11-14",
        "Master purchase agreement for FL-7 loggers",
        """Kestrelgate buys 1,800 FL-7 temperature loggers from Fennwick Sensors, Inc. at $142 each. Section
        8 warrants accuracy of ±0.5 °F for 36 months; section 11 limits liability to twice the price paid;
        section 15 forbids each side to solicit the other's engineers for twelve months.""",
        company=(FENNWICK, "Kestrelgate Cold Chain, Inc."),
        document="FL-7 purchase agreement",
        product="FL-7 logger",
        topic=("accuracy warranty", "non-solicitation"),
    ),
    r(
        "fenn-02",
        "email",
        "2025-05-08",
        "Drift in the spring batch",
        """Graciela Montalbañez reports that 212 of 600 loggers from the spring batch read 1.5 to 3 °F low
        after ninety days at minus 20 °F. Fennwick's support line says that new firmware will cure it.""",
        person="Graciela Montalbañez",
        company=FENNWICK,
        product="FL-7 logger",
        topic="logger drift",
    ),
    r(
        "fenn-03",
        "letter",
        "2025-05-30",
        "Warranty claim under section 8",
        """Kestrelgate rejects 600 loggers, claims $85,200 for the price and reserves consequential loss. It
        asks for the calibration records of lots 24-K to 25-C within 14 days.""",
        by="nadia",
        company=FENNWICK,
        person=("Nadia Ferrante", "Arno Vandermoor"),
        product="FL-7 logger",
        topic=("accuracy warranty", "logger drift"),
    ),
    r(
        "fenn-04",
        "fact",
        "2025-06-30",
        "Teodor Wisk leaves Fennwick",
        """Wisk's last day as vice president of engineering at Fennwick was June 30, 2025. His agreement of
        2018 has a non-compete of twelve months within 200 miles and Delaware law. He returned a laptop;
        whether he kept a backup drive is disputed.""",
        person="Teodor Wisk",
        company=FENNWICK,
        topic=("non-compete", "backup drive"),
        document="Wisk employment agreement",
    ),
    r(
        "fenn-05",
        "fact",
        "2025-07-14",
        "Wisk starts at Kestrelgate as director of telemetry",
        """Wisk began on July 14, 2025, two weeks after he left Fennwick. Salary $212,000. He answered an
        advertisement; no recruiter was used. Section 15 of the purchase agreement is about soliciting,
        not about hiring.""",
        person=("Teodor Wisk", "Graciela Montalbañez"),
        company=("Kestrelgate Cold Chain, Inc.", FENNWICK),
        topic=("non-compete", "non-solicitation"),
    ),
    r(
        "fenn-06",
        "filing",
        "2025-08-19",
        "Complaint, Fennwick Sensors v. Wisk and Kestrelgate",
        """Verified complaint in Fennwick Sensors, Inc. v. Wisk, C.A. No. 2025-0914-JTR (Del. Ch.): breach of
        the non-compete, misappropriation under 6 Del. C. § 2001, and tortious interference by
        Kestrelgate. Fennwick asks for a temporary restraining order.""",
        company=(FENNWICK, "Kestrelgate Cold Chain, Inc."),
        person="Teodor Wisk",
        docket="2025-0914-JTR",
        topic=("non-compete", "trade secrets"),
    ),
    r(
        "fenn-07",
        "call",
        "2025-08-21T18:00-04:00",
        "Wisk on what he took",
        """Joint call with Ottilie and Wisk; he was told that we act for Kestrelgate only and that he may
        want his own lawyer. He says he kept family photographs on an external drive and has not opened it
        since June. Told him to leave it in its envelope. A forensic vendor will image it by Friday.""",
        by="margit",
        person=("Teodor Wisk", "Ottilie Grangemouth", "Margit Hallgren"),
        topic=("backup drive", "trade secrets"),
        docket="2025-0914-JTR",
    ),
    r(
        "fenn-08",
        "order",
        "2025-09-11",
        "Temporary restraining order denied",
        """Vice Chancellor Jerome T. Ravensworth denies the restraining order from the bench: the overlap
        between building loggers and using them is thin, and harm is not imminent. He cites Rook Controls,
        Inc. v. Hadleyson, 187 A.3d 1204 (Del. Ch. 2018). Expedited discovery is granted in part.""",
        judge="Jerome T. Ravensworth",
        court="Del. Ch.",
        docket="2025-0914-JTR",
        person="Teodor Wisk",
        topic="non-compete",
        authority="Rook Controls v. Hadleyson",
    ),
    r(
        "fenn-09",
        "agent_note",
        "2025-09-25",
        "Delaware non-competes since 2023",
        """Nine Chancery opinions since 2023 refuse to trim an overbroad covenant. In seven the radius was
        over 100 miles. The 200 miles here reach Boston and Norfolk, where Fennwick has no customer of
        record. Checked against the opinions in the research folder only; two were unreported letters.""",
        by="research-agent",
        topic=("non-compete", "overbroad covenant"),
        court="Del. Ch.",
        docket="2025-0914-JTR",
        document="Research folder D",
        status="to verify",
    ),
    r(
        "fenn-10",
        "filing",
        "2025-10-02",
        "Answer and counterclaim on the warranty",
        """Kestrelgate denies interference and counterclaims $85,200 for the price, $147,000 for
        re-monitoring and cover, and a declaration that section 11 does not cap loss from a known defect.
        Demand under 6 Del. C. § 2-714.""",
        company=(FENNWICK, "Kestrelgate Cold Chain, Inc."),
        docket="2025-0914-JTR",
        product="FL-7 logger",
        topic=("accuracy warranty", "limit of liability"),
    ),
    r(
        "fenn-11",
        "fact",
        "2025-11-06",
        "The drive: 41 files, none opened after June 30",
        """The forensic image holds 41 files from Fennwick among 9,000 photographs: calibration tables and
        two schematics. File-system times show none opened after June 30, 2025. The vendor is Bramblewick
        Forensics; its declaration is due in a week.""",
        person="Teodor Wisk",
        company="Bramblewick Forensics",
        topic=("backup drive", "trade secrets"),
        docket="2025-0914-JTR",
        document="Imaging report",
    ),
    r(
        "fenn-12",
        "memo",
        "2025-11-20",
        "What the 41 files help us with",
        """The calibration tables on Wisk's drive may prove that Fennwick knew of the drift in lots 24-K to
        25-C by March 2025. We may not read them until the court rules on the protocol. Anyone who has
        seen them must say so to Margit today. Ask for the same tables in the ordinary way, by request for
        production 14.""",
        by="nadia",
        person=("Nadia Ferrante", "Margit Hallgren"),
        topic=("backup drive", "logger drift"),
        product="FL-7 logger",
        status="privileged",
    ),
    r(
        "fenn-13",
        "order",
        "2026-01-22",
        "Stipulated protocol for the drive",
        """Neutral custodian; Fennwick lists what it calls secret; Kestrelgate's counsel sees calibration
        tables for attorneys' eyes only. Wisk shall certify within ten days that he holds no other copy.""",
        judge="Jerome T. Ravensworth",
        court="Del. Ch.",
        docket="2025-0914-JTR",
        person="Teodor Wisk",
        topic=("backup drive", "trade secrets"),
    ),
    r(
        "fenn-14",
        "filing",
        "2026-03-18",
        "Deposition of Arno Vandermoor",
        """Fennwick's chief executive conceded that support tickets on drift were 'noticeable' from February
        2025 and that lot 25-C shipped anyway. He would not say who signed the release; the form bears the
        initials T.W. Asked about other customers he named Orvanto Diagnostics, Inc. as one that had
        complained.""",
        by="callum",
        person=("Arno Vandermoor", "Teodor Wisk"),
        company=(FENNWICK, "Orvanto Diagnostics, Inc."),
        topic="logger drift",
        docket="2025-0914-JTR",
    ),
    r(
        "fenn-15",
        "note",
        "2026-03-19",
        "Whose initials are T.W.?",
        """If Wisk released lot 25-C while at Fennwick, our best witness on drift made the decision we
        complain of. Tabitha Wren, then Fennwick's test lead, has the same initials. Do not guess: ask for
        the release forms of lots 24-K to 25-B and compare the hand.""",
        by="nadia",
        person=("Teodor Wisk", "Tabitha Wren"),
        company=FENNWICK,
        topic="logger drift",
        document="Release form 25-C",
        status="open",
    ),
    r(
        "fenn-16",
        "fact",
        "2026-04-16",
        "The initials are Tabitha Wren's",
        """The release forms of eleven lots came in. Lot 25-C was signed by Tabitha Wren on March 7, 2025,
        and countersigned 'per AV'. Wisk's own note of March 5 advises against release.""",
        person=("Tabitha Wren", "Teodor Wisk", "Arno Vandermoor"),
        company=FENNWICK,
        product="FL-7 logger",
        topic="logger drift",
    ),
    r(
        "fenn-17",
        "email",
        "2026-07-10",
        "Fennwick asks to pause",
        """Fennwick's counsel, Ivo Tarrasque of Coldwell Tarrasque PA (itarrasque@coldwelltarrasque.example),
        proposes to stay the case for 90 days 'for business reasons' with all deadlines tolled. He would
        not say more. Ottilie is inclined to agree if the loggers are replaced meanwhile.""",
        person=("Ivo Tarrasque", "Ottilie Grangemouth"),
        counsel="Coldwell Tarrasque PA",
        company=FENNWICK,
        docket="2025-0914-JTR",
        topic="stay",
    ),
    r(
        "fenn-18",
        "decision",
        "2026-07-17",
        "Agree to a stay of 90 days",
        """Stay agreed to October 15, 2026. Fennwick replaces 600 loggers at once, without admission. Wisk's
        non-compete has run out on its own terms on June 30, 2026.""",
        person=("Ottilie Grangemouth", "Margit Hallgren", "Teodor Wisk"),
        company=FENNWICK,
        docket="2025-0914-JTR",
        topic="stay",
    ),
)
