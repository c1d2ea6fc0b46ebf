"""Connections, corrections and ended properties of the demo tenant, by record id."""

from memory.demo.shape import Adjustment, Connection, Ended

CONNECTIONS = (
    Connection(
        ("lease-02", "lease-04"),
        "ignored_warning",
        "causes",
        strength=0.8,
        confidence=0.7,
        reason="Dr. Castellane dates the wear of the seal to before the November e-mail.",
    ),
    Connection(
        ("lease-04", "corbel-02"),
        "reported_as",
        "causes",
        strength=1.0,
        confidence=1.0,
        reason="The notice to the insurer reports this leak.",
    ),
    Connection(
        ("lease-16", "lease-17"),
        "challenged_in",
        "related",
        strength=0.9,
        confidence=1.0,
        reason="The motion was directed at this report.",
    ),
    Connection(
        ("lease-19", "corbel-14"),
        "conditional_on",
        "related",
        strength=0.9,
        confidence=1.0,
        reason="The release needed the insurer's consent.",
        attributes={"signed": "2026-09-03"},
    ),
    Connection(
        ("who-wisk", "who-fennwick"),
        "works_for",
        "works_for",
        confidence=1.0,
        reason="Vice president of engineering.",
        valid_from="2018-04-02",
        invalidated_at="2025-07-01",
    ),
    Connection(
        ("who-wisk", "who-kestrelgate"),
        "works_for",
        "works_for",
        confidence=1.0,
        reason="Director of telemetry.",
        valid_from="2025-07-14",
    ),
    Connection(
        ("who-fennwick", "who-kestrelgate"),
        "sells_to",
        "supplies",
        confidence=1.0,
        reason="FL-7 purchase agreement.",
        valid_from="2024-11-14",
    ),
    Connection(
        ("fenn-02", "supply-08"),
        "same_defect",
        "similar",
        directed=False,
        strength=0.86,
        confidence=0.8,
        reason="Both report FL-7 loggers that read low.",
    ),
    Connection(
        ("fda-03", "norg-01"),
        "twelve_days_before",
        "related",
        strength=0.7,
        confidence=0.6,
        reason="The plaintiff says that the one led to the other.",
    ),
    Connection(
        ("fenn-17", "lantern-09"),
        "same_stay",
        "related",
        directed=False,
        strength=0.8,
        confidence=0.9,
        reason="The stay was asked for so that the sale could be talked about.",
    ),
)

ADJUSTMENTS = (
    Adjustment("lease-06", "lease-14", "corrects", "Salvage of $330,000 was credited; the figure is $3.87 million."),
    Adjustment("fenn-15", "fenn-16", "supersedes", "The release forms settled whose initials they were."),
)

ENDED = (
    Ended("who-wisk", "employer", "Fennwick Sensors, Inc.", "2025-07-01", "Left on June 30, 2025."),
    Ended("who-pellworth", "relation", "adverse", "2026-10-14", "The Newark case was dismissed."),
)
