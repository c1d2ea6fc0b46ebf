"""Orvanto: reagents in, cartridges out, and the warm load of August 19, 2026."""

from memory.demo.shape import record as r

LARKSPUR = "Larkspurr Reagenzien GmbH"

RECORDS = (
    r(
        "supply-01",
        "contract",
        "2024-12-02",
        "Reagent supply agreement with Larkspurr",
        """Larkspurr Reagenzien GmbH supplies enzyme mix for five years from January 1, 2025, at €38 a gram,
        90 days' stock in Pennsylvania. Price review each January by the producer index, never above 4 %.
        German law, arbitration in Zurich.""",
        company=(LARKSPUR, "Orvanto Diagnostics, Inc."),
        person="Lowell Beckwithe",
        topic=("reagent supply", "price review"),
        document="Reagent agreement",
    ),
    r(
        "supply-02",
        "letter",
        "2025-01-08",
        "Conflict waiver for the logistics agreement",
        """Orvanto and Kestrelgate each consent in writing to the firm's acting for Orvanto on the logistics
        agreement; Kestrelgate is advised by its own legal department. The consent ends if a dispute
        arises between them.""",
        person=("Samir Quellmann", "Ottilie Grangemouth", "Tunde Oyelaran"),
        company="Kestrelgate Cold Chain, Inc.",
        topic=("conflict of interest", "waiver"),
    ),
    r(
        "supply-03",
        "contract",
        "2025-02-01",
        "Logistics services agreement with Kestrelgate",
        """Kestrelgate Cold Chain, Inc. stores and hauls cartridges and reagents at 2 to 8 °C. Section 6: any
        reading above 8 °C for more than 30 minutes is an excursion. Section 9: claims within 30 days of
        delivery; liability limited to $2 million a shipment. The carrier's loggers are the record unless
        shown to be wrong.""",
        company=("Kestrelgate Cold Chain, Inc.", "Orvanto Diagnostics, Inc."),
        topic=("temperature excursion", "limit of liability", "logger evidence"),
        document="Logistics agreement",
    ),
    r(
        "supply-04",
        "fact",
        "2025-01-15",
        "Reagent kits lost at Newark",
        """Orvanto lost reagent kits worth $1.06 million in chamber 6 of the Newark store. They were there
        under the old spot terms, two weeks before the new agreement began.""",
        company="Kestrelgate Cold Chain, Inc.",
        person="Lowell Beckwithe",
        topic="spoiled goods",
        location="Newark cold store",
        event="Leak of January 14, 2025",
    ),
    r(
        "supply-05",
        "contract",
        "2025-06-20",
        "Tolling agreement with Kestrelgate",
        """Orvanto's claim for the Newark kits is tolled to September 30, 2026. Both sides used their own
        lawyers; the firm took no part beyond sending the form.""",
        company="Kestrelgate Cold Chain, Inc.",
        person="Samir Quellmann",
        topic=("spoiled goods", "limitation"),
        event="Leak of January 14, 2025",
        document="Tolling agreement",
    ),
    r(
        "supply-06",
        "email",
        "2025-11-17",
        "Larkspurr asks for 6.5 %",
        """Ulrike Sandvoss (u.sandvoss@larkspurr.example) asks for 6.5 % from January 2026 because of energy
        costs. The agreement caps the review at 4 %. Lowell Beckwithe would give 4 % for ten more days of
        stock.""",
        person=("Ulrike Sandvoss", "Lowell Beckwithe"),
        company=LARKSPUR,
        topic=("price review", "reagent supply"),
    ),
    r(
        "supply-07",
        "decision",
        "2025-12-11",
        "4 % and one hundred days of stock",
        """Agreed: 4 % from January 1, 2026, and stock of one hundred days in Pennsylvania. Wesley to paper
        it as amendment 1.""",
        person=("Lowell Beckwithe", "Wesley Tranmere"),
        company=LARKSPUR,
        topic=("price review", "reagent supply"),
        status="decided",
    ),
    r(
        "supply-08",
        "email",
        "2026-02-09",
        "Loggers in our own lab drift too",
        """Dr. Okubonishi tells Fennwick that nine of sixty FL-7 loggers in the stability lab read low by up
        to 2 °F and asks for replacements before the shipping study is repeated. She has calibrated the
        rest by hand.""",
        person="Dr. Hana Okubonishi",
        company="Fennwick Sensors, Inc.",
        product="FL-7 logger",
        topic=("logger drift", "stability data"),
    ),
    r(
        "supply-09",
        "fact",
        "2026-08-19T23:40-04:00",
        "The warm load",
        """Trailer 4471 left Allentown at 23:40 on August 19 with fourteen pallets of lot PC-2207 for Tacoma.
        The reefer unit failed near Youngstown. The trailer's loggers show 9.6 °C for six hours; Orvanto's
        own logger inside pallet 3 shows more than 8 °C for eleven.""",
        person="Leon Abramsky-Holt",
        company="Kestrelgate Cold Chain, Inc.",
        product="FL-7 logger",
        lot="PC-2207",
        topic="temperature excursion",
        event="Excursion of August 19, 2026",
    ),
    r(
        "supply-10",
        "call",
        "2026-08-21T08:30-04:00",
        "Samir Quellmann on the warm load",
        """Samir wants $1.9 million from Kestrelgate. Told him at once that the waiver of January 8, 2025
        ended with the dispute and that the firm can advise neither company on this claim. Dates only:
        notice is due 30 days from delivery, September 20, 2026.""",
        by="tunde",
        person=("Samir Quellmann", "Tunde Oyelaran"),
        company="Kestrelgate Cold Chain, Inc.",
        topic=("conflict of interest", "temperature excursion"),
        event="Excursion of August 19, 2026",
    ),
    r(
        "supply-11",
        "letter",
        "2026-08-31",
        "The firm steps aside on the excursion claim",
        """To both general counsel: the firm will not act for either company in the claim for lot PC-2207,
        will not share what it holds for one with the other, and has told its staff so. Orvanto has
        retained Lathomer Virk PC.""",
        by="tunde",
        person=("Samir Quellmann", "Ottilie Grangemouth", "Tunde Oyelaran"),
        counsel="Lathomer Virk PC",
        topic="conflict of interest",
        event="Excursion of August 19, 2026",
    ),
    r(
        "supply-12",
        "letter",
        "2026-09-14",
        "Notice of claim for lot PC-2207",
        """Lathomer Virk PC gives notice for Orvanto: $1.87 million, eleven hours above 8 °C, and the
        statement that the trailer's loggers are of a type known to read low. Copy received for the file
        only.""",
        counsel="Lathomer Virk PC",
        company="Kestrelgate Cold Chain, Inc.",
        lot="PC-2207",
        product="FL-7 logger",
        topic="logger evidence",
        event="Excursion of August 19, 2026",
    ),
    r(
        "supply-13",
        "fact",
        "2026-09",
        "Second carrier for the western lanes",
        """From September loads west of Chicago go with a second carrier. The logistics agreement is not
        exclusive, but a volume rebate of $84,000 a year is lost.""",
        person="Lowell Beckwithe",
        company="Kestrelgate Cold Chain, Inc.",
        topic="logistics",
        amount="$84,000",
        status="in force",
    ),
    r(
        "supply-14",
        "email",
        "2026-10-12",
        "Renewal or notice",
        """The logistics agreement renews for two years on February 1, 2027 unless either side gives 90 days'
        notice, that is by November 3, 2026. Lowell Beckwithe asks whether notice would hurt the claim. He
        was sent to Lathomer Virk for that and told the date.""",
        by="wesley",
        person=("Lowell Beckwithe", "Wesley Tranmere"),
        counsel="Lathomer Virk PC",
        company="Kestrelgate Cold Chain, Inc.",
        topic=("renewal", "conflict of interest"),
    ),
    r(
        "supply-15",
        "decision",
        "2026-10-29",
        "No notice; month-to-month is refused",
        """Orvanto lets the agreement renew and asks for daily calibration of loggers. Kestrelgate refused a
        month-to-month term.""",
        person=("Samir Quellmann", "Lowell Beckwithe"),
        company="Kestrelgate Cold Chain, Inc.",
        topic=("renewal", "logger evidence"),
        status="decided",
    ),
    r(
        "supply-16",
        "note",
        "",
        "Clauses to carry into the next agreement",
        """Two independent loggers a pallet; the worse reading counts; a standing expert to decide within
        five days; the cap to follow the value of the load. Dr. Maud Castellane has been suggested as
        expert: ask first for whom she works now.""",
        by="wesley",
        person="Dr. Maud Castellane",
        topic=("logger evidence", "limit of liability"),
        document="Clause bank",
    ),
)
