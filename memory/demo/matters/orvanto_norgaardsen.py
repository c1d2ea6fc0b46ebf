"""Norgaardsen against Orvanto: a quality manager, an e-mail, and a dismissal twelve days later."""

from memory.demo.shape import record as r

PAULETTE = "Paulette Norgaardsen"

RECORDS = (
    r(
        "norg-01",
        "fact",
        "2025-02-15",
        "Paulette Norgaardsen is dismissed",
        """Orvanto ended Ms. Norgaardsen's employment on February 15, 2025, twelve days after her e-mail on
        lot 3. The letter gives 'restructuring of the quality function'. Two of nine positions were cut;
        she was the only manager.""",
        person=(PAULETTE, "Lowell Beckwithe"),
        company="Orvanto Diagnostics, Inc.",
        topic=("retaliation", "restructuring"),
        document="Dismissal letter",
    ),
    r(
        "norg-02",
        "call",
        "2025-03-03",
        "Samir Quellmann: a lawyer's letter has come",
        """Samir has a demand for $640,000 from Rosamund Tichener of Tichener Law PC. Told him to hold
        everything: e-mail, chat, the restructuring papers, Dr. Okubonishi's lab books, and to tell IT by
        tonight.""",
        by="margit",
        person=("Samir Quellmann", "Rosamund Tichener", PAULETTE),
        counsel="Tichener Law PC",
        topic=("litigation hold", "retaliation"),
    ),
    r(
        "norg-03",
        "filing",
        "2025-04-28",
        "EEOC charge 530-2025-04417",
        """Charge of sex discrimination and retaliation, cross-filed with the state commission. It adds that
        a man with less service was kept. Position statement due within 30 days.""",
        person=PAULETTE,
        company="Orvanto Diagnostics, Inc.",
        docket="530-2025-04417",
        topic="retaliation",
        document="EEOC charge",
    ),
    r(
        "norg-04",
        "memo",
        "2025-05-12",
        "Timing, pretext and the e-mail",
        """Twelve days is close enough to suggest cause by itself in this circuit: Quarlesby v. Bexhill
        Optics, 874 F.3d 1021 (3d Cir. 2017). The restructuring was first minuted on January 8, which
        helps if the January list already had her name. We have not seen that list. Exposure: back pay of
        $118,000 a year, front pay, fees.""",
        by="margit",
        person=("Margit Hallgren", PAULETTE),
        topic=("retaliation", "pretext"),
        authority="Quarlesby v. Bexhill Optics",
        status="privileged",
    ),
    r(
        "norg-05",
        "fact",
        "2025-05-16",
        "Her name was not on the January list",
        """Lowell Beckwithe sent the restructuring list of January 8, 2025. It names two technicians and no
        manager. Ms. Norgaardsen's name first appears in a draft of February 10.""",
        person=("Lowell Beckwithe", PAULETTE),
        topic=("restructuring", "pretext"),
        document="List of January 8",
        company="Orvanto Diagnostics, Inc.",
    ),
    r(
        "norg-06",
        "letter",
        "2025-05-27",
        "Position statement",
        """Orvanto states that the quality function moved from two managers to one and that the other had
        regulatory experience that she lacked. The statement does not rely on the January list.""",
        person=PAULETTE,
        docket="530-2025-04417",
        topic=("restructuring", "retaliation"),
        document="Position statement",
        status="filed",
    ),
    r(
        "norg-07",
        "filing",
        "2025-09-24",
        "Complaint, Norgaardsen v. Orvanto Diagnostics",
        """Norgaardsen v. Orvanto Diagnostics, Inc., No. 2:25-cv-05120 (E.D. Pa.): retaliation under 42
        U.S.C. § 2000e-3, wrongful discharge contrary to public policy, and the state whistleblower law.
        She asks for reinstatement and $1.2 million.""",
        person=PAULETTE,
        company="Orvanto Diagnostics, Inc.",
        court="E.D. Pa.",
        docket="2:25-cv-05120",
        judge="Anselm Greenhalghe",
        document="Complaint",
    ),
    r(
        "norg-08",
        "filing",
        "2025-11-25",
        "Answer",
        """Orvanto denies retaliation and pleads an independent business reason and failure to mitigate. Ms.
        Norgaardsen is said to have worked as a consultant since May 2025.""",
        by="callum",
        person=PAULETTE,
        court="E.D. Pa.",
        docket="2:25-cv-05120",
        topic="mitigation",
        document="Answer",
    ),
    r(
        "norg-09",
        "filing",
        "2026-03-05",
        "Deposition of Dr. Hana Okubonishi",
        """Dr. Okubonishi agreed that the e-mail was right about the retest and that the procedure was
        changed because of it (41:7 to 43:2). She had no part in the restructuring. She was a good witness
        and an inconvenient one.""",
        by="callum",
        person=("Dr. Hana Okubonishi", PAULETTE),
        docket="2:25-cv-05120",
        product="Pallas cartridge",
        topic=("stability data", "retaliation"),
    ),
    r(
        "norg-10",
        "filing",
        "2026-03-26",
        "Deposition of Paulette Norgaardsen",
        """She was calm and exact. Since June 2025 she consults for Fennwick Sensors, Inc. two days a week at
        $1,100 a day, which cuts back pay by about $95,000 a year. She had not told her own lawyer.""",
        by="callum",
        person=(PAULETTE, "Rosamund Tichener"),
        company="Fennwick Sensors, Inc.",
        docket="2:25-cv-05120",
        topic="mitigation",
        document="Norgaardsen transcript",
    ),
    r(
        "norg-11",
        "call",
        "2026-05-13",
        "Settlement conference",
        """Magistrate Judge Odalys Brightwater put the case at $350,000 to $450,000. Tichener asks for
        $520,000 and a neutral reference; Orvanto has authority for $275,000. No movement after three
        hours.""",
        by="margit",
        person=("Odalys Brightwater", "Rosamund Tichener", "Samir Quellmann"),
        docket="2:25-cv-05120",
        topic="settlement",
        status="open",
    ),
    r(
        "norg-12",
        "filing",
        "2026-07-31",
        "Motion for summary judgment",
        """Orvanto moves on all counts; the brief meets the timing point by the fact that the head of
        operations had not read the e-mail. Opposition is due in 21 days, on August 21, 2026.""",
        person=("Lowell Beckwithe", PAULETTE),
        court="E.D. Pa.",
        docket="2:25-cv-05120",
        topic="pretext",
        document="ECF 41",
    ),
    r(
        "norg-13",
        "order",
        "2026-10-19",
        "Summary judgment denied on retaliation",
        """Judge Greenhalghe grants judgment on the whistleblower count and denies it on retaliation: a jury
        could find that Mr. Beckwithe had been told of the e-mail on February 7. Trial is set for January
        25, 2027, five days.""",
        judge="Anselm Greenhalghe",
        person=(PAULETTE, "Lowell Beckwithe"),
        docket="2:25-cv-05120",
        topic=("pretext", "retaliation"),
    ),
    r(
        "norg-14",
        "decision",
        "2026-11-06",
        "Raise authority to $425,000",
        """Samir raised authority to $425,000 and a neutral reference. The reason is the Okubonishi
        transcript; the August lot makes a jury's view of quality less friendly still. An offer will go
        out before Thanksgiving.""",
        person=("Samir Quellmann", "Margit Hallgren"),
        topic="settlement",
        amount="$425,000",
        status="decided",
        docket="2:25-cv-05120",
    ),
    r(
        "norg-15",
        "note",
        "2026-11-20",
        "Trial list",
        """Witnesses: Beckwithe, Okubonishi, the benefits expert. Exhibits 1 to 64 are agreed. Pretrial
        memorandum due December 18; jury instructions on the motivating-factor test need work.""",
        by="callum",
        person=("Callum Oseman", "Lowell Beckwithe", "Dr. Hana Okubonishi"),
        court="E.D. Pa.",
        docket="2:25-cv-05120",
        topic="trial preparation",
    ),
)
