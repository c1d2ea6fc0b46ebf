"""Kestrelgate's standing advice: safety, transport rules, money, contracts, the board."""

from memory.demo.shape import record as r

RECORDS = (
    r(
        "kg-01",
        "minutes",
        "2024-11-21",
        "Board: budget and the telemetry programme",
        """The board approved the 2025 budget and $1.1 million for telemetry: loggers, gateways and a
        director to run them. Graciela Montalbañez will report each quarter. Desmond Paikert warned that
        fleet leases end in 2026.""",
        person=("Graciela Montalbañez", "Desmond Paikert"),
        topic=("telemetry", "fleet leases"),
        document="Board minutes",
    ),
    r(
        "kg-02",
        "letter",
        "2025-01-29",
        "OSHA opens an inspection at Newark",
        """The area office opened inspection 1801447 under the process safety standard, 29 C.F.R. § 1910.119,
        after the leak. It asks for the hazard analysis and training records by February 12. The landlord
        runs the plant, but eleven of Kestrelgate's people work beside it.""",
        person="Vince Tordoff",
        location="Newark cold store",
        topic=("process safety", "ammonia leak"),
        event="Leak of January 14, 2025",
        document="OSHA letter",
    ),
    r(
        "kg-03",
        "call",
        "2025-02-05",
        "How far to help the inspector",
        """Advised Ottilie to give the records we hold, name the landlord as operator of the plant, and
        prepare Vince Tordoff for a voluntary interview of one hour. What is said will be used in the
        lease dispute too.""",
        by="margit",
        person=("Ottilie Grangemouth", "Vince Tordoff", "Margit Hallgren"),
        topic="process safety",
        location="Newark cold store",
    ),
    r(
        "kg-04",
        "fact",
        "2025-07",
        "OSHA cites the landlord only",
        """Citations for $96,000 went to Pellworth Terminals LLC in July. Kestrelgate received a letter
        closing the file as to it.""",
        company="Pellworth Terminals LLC",
        topic="process safety",
        location="Newark cold store",
        document="OSHA citation",
    ),
    r(
        "kg-05",
        "memo",
        "2025-06-10",
        "Hiring from a supplier",
        """Section 15 of the Fennwick agreement forbids soliciting engineers, not hiring one who answers an
        advertisement. A non-compete of his own is another matter: get it, read it, and keep him off
        sensor procurement for twelve months. Put in the offer letter that he brings nothing with him.""",
        by="margit",
        person="Teodor Wisk",
        company="Fennwick Sensors, Inc.",
        topic=("non-solicitation", "non-compete"),
        document="Advice memo",
    ),
    r(
        "kg-06",
        "note",
        "2025-10-09",
        "Sanitary transport: who is the shipper?",
        """Under 21 C.F.R. § 1.908 the shipper sets the temperature in writing. The carriage terms leave it
        to the bill of lading, which is often blank. Add a line to the order form and refuse loads without
        one.""",
        by="nadia",
        person="Nadia Ferrante",
        topic=("sanitary transport", "carriage terms"),
        document="Carriage terms",
    ),
    r(
        "kg-07",
        "contract",
        "2026-01-15",
        "Fleet facility of $28 million",
        """Dunmarrow Capital Partners LP lends $28 million over seven years at 3.1 % above the reference
        rate, secured on 140 refrigerated trailers. Covenant: a litigation reserve of at least $1.5
        million while the Fennwick case is open. Signed for the lender by Sloane Petrakides.""",
        company=("Dunmarrow Capital Partners LP", "Kestrelgate Cold Chain, Inc."),
        person=("Sloane Petrakides", "Desmond Paikert"),
        topic=("fleet leases", "financing"),
    ),
    r(
        "kg-08",
        "email",
        "2026-02-11",
        "Drivers' waiting time",
        """A driver, Leon Abramsky-Holt, asks for pay for time spent at the dock. Desmond Paikert wants a
        view on 34 Pa. Code § 231.1 before the next pay date, February 27. Three hundred drivers could ask
        the same.""",
        person=("Leon Abramsky-Holt", "Desmond Paikert"),
        topic="wage and hour",
        status="open",
        document="E-mail of February 11, 2026",
    ),
    r(
        "kg-09",
        "decision",
        "2026-02-24",
        "Pay for waiting over fifteen minutes",
        """From March 2, 2026 drivers are paid for waiting beyond fifteen minutes, and for two years back on
        request. Expected cost: $410,000 a year. The alternative, a collective action, would cost more
        than a defence is worth.""",
        person=("Desmond Paikert", "Ottilie Grangemouth"),
        topic="wage and hour",
        amount="$410,000",
        status="decided",
    ),
    r(
        "kg-10",
        "minutes",
        "2026-06-03",
        "Board: litigation report",
        """Margit Hallgren reported on three matters: Newark (mediation on June 24), Corbel (award of $3.64
        million) and Fennwick (discovery closed). The board set a floor of $2.8 million for Newark and
        asked for a customer letter once it is settled.""",
        person=("Margit Hallgren", "Ottilie Grangemouth"),
        company=("Pellworth Terminals LLC", "Corbel Mutual Insurance Company", "Fennwick Sensors, Inc."),
        topic="settlement",
    ),
    r(
        "kg-11",
        "call",
        "2026-08-28T10:30-04:00",
        "Orvanto shipment: we cannot advise",
        """Ottilie asked what Kestrelgate owes for a warm load of diagnostic cartridges. Stopped her there:
        Orvanto is our client as well and neither side has consented to our acting. Suggested separate
        counsel within the week, because the claim notice runs 30 days from delivery.""",
        by="margit",
        person=("Ottilie Grangemouth", "Margit Hallgren"),
        company="Orvanto Diagnostics, Inc.",
        topic=("conflict of interest", "temperature excursion"),
        event="Excursion of August 19, 2026",
    ),
    r(
        "kg-12",
        "fact",
        "2026",
        "Trailers re-registered in Delaware",
        """The trailers were re-registered in Delaware at some time in 2026; the lender has the titles. The
        exact day does not appear in the file.""",
        company="Dunmarrow Capital Partners LP",
        topic=("fleet leases", "financing"),
        document="Fleet facility",
    ),
    r(
        "kg-13",
        "note",
        "",
        "Retention of logger files",
        """Keep raw logger files for seven years; the sanitary transport rule asks for one, the reagent
        customers ask for five, and two lawsuits taught us the rest. Never overwrite a device before its
        file is on two disks.""",
        person="Graciela Montalbañez",
        product="FL-7 logger",
        topic=("record retention", "telemetry"),
    ),
)
