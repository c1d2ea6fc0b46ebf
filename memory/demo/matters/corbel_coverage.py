"""Kestrelgate's property claim against Corbel Mutual after the Newark leak."""

from memory.demo.shape import record as r

CORBEL = "Corbel Mutual Insurance Company"

RECORDS = (
    r(
        "corbel-01",
        "contract",
        "2024-11-01",
        "Property policy CM-PRP-88213",
        """All-risk property policy, November 1, 2024 to November 1, 2025, limit $10 million, deductible
        $250,000. Stock of others is covered where the insured is liable or has agreed to insure.
        Exclusion 9(c) removes loss by contamination; endorsement 14 gives back 'ammonia contamination' up
        to $1.5 million.""",
        company=(CORBEL, "Kestrelgate Cold Chain, Inc."),
        document="Policy CM-PRP-88213",
        topic=("contamination exclusion", "endorsement 14"),
    ),
    r(
        "corbel-02",
        "email",
        "2025-01-16",
        "First notice to Corbel",
        """Desmond Paikert reports the leak to claims@corbelmutual.example two days after it happened. Claim
        number 88213-0041 was assigned the same afternoon. The adjuster is Janine Ostrovich, (215)
        555-0172.""",
        person=("Desmond Paikert", "Janine Ostrovich"),
        company=CORBEL,
        claim="88213-0041",
        topic="notice of claim",
        event="Leak of January 14, 2025",
    ),
    r(
        "corbel-03",
        "letter",
        "2025-02-28",
        "Reservation of rights",
        """Corbel reserves its rights under exclusion 9(c) and under the condition that the insured protect
        property from further loss. It addresses the letter to 'Kestrel Gate Cold Chain Inc.', and asks
        for the logger data, the lease and three years of maintenance records within 30 days.""",
        person="Janine Ostrovich",
        company=(CORBEL, "Kestrel Gate Cold Chain Inc."),
        claim="88213-0041",
        topic="contamination exclusion",
        document="Reservation of rights",
    ),
    r(
        "corbel-04",
        "memo",
        "2025-03-20",
        "Is warm food 'contaminated'?",
        """Most of the stock was lost to temperature, not to ammonia: only chamber 4 tested above 25 ppm.
        Loss by change of temperature is covered outright; endorsement 14 and its sublimit matter only for
        chamber 4. The closest case is Dovetree Provisions v. Anchor Keystone Cas. Co., 902 F.3d 455 (3d
        Cir. 2018). Exclusions are read narrowly and the insurer bears the burden.""",
        by="nadia",
        person="Nadia Ferrante",
        topic=("contamination exclusion", "endorsement 14"),
        authority="Dovetree v. Anchor Keystone",
        document="Coverage memo",
    ),
    r(
        "corbel-05",
        "agent_note",
        "2025-03-27",
        "Logger data by chamber",
        """FL-7 readings for January 14 to 16, 2025: chamber 4 peaked at 21 °F, chamber 5 at 27 °F, chamber 6
        at 30 °F. Two of the forty loggers show a step of 3 °F at the same minute and should not be relied
        on until Fennwick explains the drift.""",
        by="research-agent",
        company="Fennwick Sensors, Inc.",
        product="FL-7 logger",
        topic=("logger drift", "temperature record"),
        location="Newark cold store",
        claim="88213-0041",
    ),
    r(
        "corbel-06",
        "letter",
        "2025-04-02",
        "Documents produced to Corbel",
        """Production of 2,318 pages: the lease, maintenance e-mails, logger files and customer claims. The
        loggers noted as doubtful are marked. Nothing in the production waives privilege; a claw-back
        agreement was signed on March 31.""",
        by="callum",
        person="Callum Oseman",
        company=CORBEL,
        claim="88213-0041",
        document="KG-COR 1–2318",
        topic="document production",
    ),
    r(
        "corbel-07",
        "filing",
        "2025-07-15",
        "Examination under oath of Desmond Paikert",
        """Paikert explained the customer claims line by line for four hours. He said that $4.2 million was a
        first estimate and that salvage had still to be credited. Corbel's counsel, Harriet Lindqvane,
        accepted that chamber 5 and 6 losses are temperature losses.""",
        person=("Desmond Paikert", "Harriet Lindqvane"),
        company=CORBEL,
        claim="88213-0041",
        topic=("spoiled goods", "temperature record"),
    ),
    r(
        "corbel-08",
        "fact",
        "2025-09-30",
        "Customers' claims by name",
        """Nineteen customers claim. The largest is Orvanto Diagnostics, Inc., $1.06 million for reagent kits
        in chamber 6; the next three are food importers. All but two have signed tolling agreements that
        run to September 30, 2026.""",
        company=("Orvanto Diagnostics, Inc.", "Kestrelgate Cold Chain, Inc."),
        person="Desmond Paikert",
        topic="spoiled goods",
        event="Leak of January 14, 2025",
    ),
    r(
        "corbel-09",
        "letter",
        "2025-11-12",
        "Partial payment of $1.1 million",
        """Corbel pays $1.1 million on account of chambers 5 and 6, less nothing for the deductible, which it
        will take from the balance. It says that salvage reduces the claim and asks for the buyer's
        invoices.""",
        person="Janine Ostrovich",
        company=CORBEL,
        claim="88213-0041",
        amount="$1.1 million",
        topic="partial payment",
        status="paid",
    ),
    r(
        "corbel-10",
        "decision",
        "2026-01-09",
        "Demand appraisal",
        """Demand appraisal of the amount of loss under condition 17; coverage for chamber 4 is carved out.
        Kestrelgate names Auberon Stilgate as its appraiser. The two-year suit limitation runs out on
        January 14, 2027, so a tolling letter goes with the demand.""",
        person=("Auberon Stilgate", "Margit Hallgren"),
        company=CORBEL,
        topic=("appraisal", "limitation"),
        status="decided",
    ),
    r(
        "corbel-11",
        "call",
        "2026-03",
        "Umpire agreed",
        """The two appraisers agreed on Winifred Dalhurst as umpire some time in March. Inspection of the
        salvage invoices will take three weeks.""",
        person=("Auberon Stilgate", "Winifred Dalhurst"),
        company=CORBEL,
        topic="appraisal",
        claim="88213-0041",
    ),
    r(
        "corbel-12",
        "fact",
        "2026-05-21",
        "Appraisal award: $3.64 million",
        """The panel set the loss at $3.64 million, of which $0.71 million is chamber 4. With the partial
        payment and the deductible, $2.29 million is open. The award is binding as to amount and says
        nothing on coverage.""",
        person="Winifred Dalhurst",
        company=CORBEL,
        amount="$3.64 million",
        topic="appraisal",
        document="Appraisal award",
    ),
    r(
        "corbel-13",
        "email",
        "2026-07-02",
        "Subrogation and the Pellworth talks",
        """Harriet Lindqvane (hlindqvane@lindqvanebrook.example) writes that Corbel will not consent to a
        release of Pellworth unless it is paid 35 cents on the dollar. Margit answered that Kestrelgate
        must be made whole first and offered 10 cents.""",
        person=("Harriet Lindqvane", "Margit Hallgren"),
        company=(CORBEL, "Pellworth Terminals LLC"),
        topic=("subrogation", "settlement"),
    ),
    r(
        "corbel-14",
        "contract",
        "2026-09-03",
        "Limited consent and final payment",
        """Corbel pays $1.9 million within 21 days, consents to the release of Pellworth, and takes $295,000
        of the first instalment in place of subrogation. Kestrelgate gives up bad-faith claims under 42
        Pa.C.S. § 8371.""",
        company=(CORBEL, "Pellworth Terminals LLC"),
        amount="$1.9 million",
        topic=("subrogation", "settlement"),
        status="signed",
    ),
    r(
        "corbel-15",
        "note",
        "",
        "What to do about endorsement 14 at renewal",
        """Ask the broker to raise the ammonia sublimit to $5 million and to strike 'contamination' from 9(c)
        for stock of others. The underwriter will want the new C-3 in first.""",
        by="margit",
        person="Margit Hallgren",
        company=CORBEL,
        topic=("endorsement 14", "renewal"),
    ),
)
