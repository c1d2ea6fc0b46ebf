"""Orvanto: clearance of the Pallas cartridge, and the questions that came after."""

from memory.demo.shape import record as r

PALLAS = "Pallas cartridge"

RECORDS = (
    r(
        "fda-01",
        "memo",
        "2024-11-18",
        "Route to clearance for the Pallas cartridge",
        """A 510(k) is open: the predicate measures the same three analytes by the same chemistry. The new
        thing is a shelf life of fourteen months at 2 to 8 °C, and that must be shown by real-time data.
        See 21 C.F.R. § 807.92 for what the summary must hold.""",
        by="wesley",
        person=("Wesley Tranmere", "Dr. Hana Okubonishi"),
        product=PALLAS,
        topic=("510(k) strategy", "shelf life"),
        document="Regulatory memo",
    ),
    r(
        "fda-02",
        "minutes",
        "2025-01-23",
        "Pre-submission meeting",
        """The agency accepted the predicate and asked for stability data on three lots, at least nine months
        in real time. Dr. Okubonishi promised an interim report by June 30, 2025. A question about
        transport simulation was left for the submission.""",
        person=("Dr. Hana Okubonishi", "Dr. Ingrid Vaszarelli"),
        product=PALLAS,
        topic=("shelf life", "stability data"),
        document="Meeting minutes",
    ),
    r(
        "fda-03",
        "email",
        "2025-02-03",
        "Quality manager questions lot 3",
        """Paulette Norgaardsen to Dr. Okubonishi: lot 3 fell under the limit at month six in two of ten
        cartridges and the retest was run without a deviation. 'We can't call that nine months.' Copied to
        Samir Quellmann.""",
        person=("Paulette Norgaardsen", "Dr. Hana Okubonishi", "Samir Quellmann"),
        product=PALLAS,
        topic="stability data",
        document="E-mail of February 3, 2025",
    ),
    r(
        "fda-04",
        "call",
        "2025-02-06",
        "What the deviation rule requires",
        """Told Dr. Okubonishi and Samir that a failed result cannot be averaged away: open a deviation, find
        the cause, keep both results. A retest with no cause found does not replace the first. 21 C.F.R. §
        820.90.""",
        by="wesley",
        person=("Dr. Hana Okubonishi", "Samir Quellmann", "Wesley Tranmere"),
        product=PALLAS,
        topic=("stability data", "deviation"),
    ),
    r(
        "fda-05",
        "fact",
        "2025-03-11",
        "Cause found: a mis-set incubator",
        """Deviation report DR-25-019 finds that incubator 7 ran 4 °C warm for eleven days. The two failures
        came from that shelf. Eight cartridges from the same lot, stored elsewhere, passed.""",
        person="Dr. Hana Okubonishi",
        product=PALLAS,
        topic=("stability data", "deviation"),
        document="DR-25-019",
    ),
    r(
        "fda-06",
        "filing",
        "2025-07-28",
        "510(k) submitted",
        """Submission for the Pallas cartridge, 1,940 pages, user fee paid. Claimed shelf life: nine months,
        to be extended by letter. The deviation of March is disclosed in section 12 with both results.""",
        person=("Dr. Hana Okubonishi", "Wesley Tranmere"),
        product=PALLAS,
        topic=("510(k) strategy", "shelf life"),
        status="filed",
    ),
    r(
        "fda-07",
        "letter",
        "2025-10-06",
        "Additional information request",
        """The agency has eleven questions. Number 4 asks for transport simulation with temperature
        excursions up to six hours; number 9 asks why a retest was allowed before the deviation was
        opened. The clock is stopped for up to 180 days.""",
        person="Dr. Hana Okubonishi",
        product=PALLAS,
        topic=("transport simulation", "stability data"),
        document="AI request",
    ),
    r(
        "fda-08",
        "agent_note",
        "2025-10-14",
        "Guidance that bears on question 4",
        """Three guidance documents and one consensus standard touch shipping studies. None gives a number of
        hours; two ask that the study follow the worst season and the longest lane. Orvanto's longest lane
        is Philadelphia to Tacoma, 62 hours.""",
        by="research-agent",
        product=PALLAS,
        topic="transport simulation",
        document="Guidance digest",
        status="to verify",
    ),
    r(
        "fda-09",
        "fact",
        "2026-01-19",
        "Shipping study: stable for eight hours at 12 °C",
        """Cartridges held for eight hours at 12 °C met every limit at month nine. At ten hours, one analyte
        failed. The study used FL-7 loggers that had been calibrated the week before.""",
        person="Dr. Hana Okubonishi",
        product=(PALLAS, "FL-7 logger"),
        topic="transport simulation",
        company="Fennwick Sensors, Inc.",
        document="Study PS-114",
    ),
    r(
        "fda-10",
        "filing",
        "2026-02-20",
        "Response to the agency",
        """All eleven questions answered on day 137. Question 9 is answered plainly: the retest should have
        waited, the procedure was changed on February 17, 2025, and staff were trained within 30 days.""",
        person=("Dr. Hana Okubonishi", "Samir Quellmann"),
        product=PALLAS,
        topic=("stability data", "deviation"),
        status="filed",
    ),
    r(
        "fda-11",
        "order",
        "2026-05-07",
        "Clearance letter",
        """The Pallas cartridge is substantially equivalent and may be marketed, with a shelf life of nine
        months at 2 to 8 °C. Launch is set for June 15, 2026.""",
        person="Dr. Ingrid Vaszarelli",
        product=PALLAS,
        topic=("510(k) strategy", "shelf life"),
        document="Clearance letter",
        status="cleared",
    ),
    r(
        "fda-12",
        "call",
        "2026-08-24T09:15-04:00",
        "Is the August load a recall?",
        """Fourteen pallets of lot PC-2207 may have been warm. None has been sold on. If they stay in
        quarantine this is no correction or removal under 21 C.F.R. § 806.10; if one kit left, Orvanto has
        ten working days to report. Dr. Okubonishi will count them tonight.""",
        by="wesley",
        person=("Dr. Hana Okubonishi", "Samir Quellmann"),
        product=PALLAS,
        lot="PC-2207",
        topic="recall",
        event="Excursion of August 19, 2026",
    ),
    r(
        "fda-13",
        "decision",
        "2026-08-27",
        "Destroy lot PC-2207, no report",
        """All 8,064 kits are accounted for and will be destroyed. No report is due because nothing left
        Orvanto's control. The memo to file says why, and quotes the study that holds for eight hours, not
        for the 6 to 11 hours the loggers leave open.""",
        person=("Samir Quellmann", "Dr. Hana Okubonishi"),
        product=PALLAS,
        lot="PC-2207",
        topic=("recall", "temperature excursion"),
    ),
    r(
        "fda-14",
        "note",
        "2026-11",
        "Shelf life to fourteen months",
        """Real-time data for month fourteen arrive in November. If all three lots pass, a letter to file
        will do; if any is marginal, a special 510(k). Budget $60,000 for the second.""",
        by="wesley",
        person="Dr. Hana Okubonishi",
        product=PALLAS,
        topic=("shelf life", "stability data"),
        status="open",
    ),
)
