"""The tables a plain record is written to, and the columns that have no default."""

RECORD = (
    "id, public_id, tenant_id, lane_id, kind, title, text, external_id, source, occurred_at, date_precision, "
    "recorded_at, at, updated_at, version, ingested_version, ingest_error"
)
WORDS = "record_id, tenant_id, lane_id, at, dl, tsv"
EDGE = "tenant_id, record_id, lane_id, at, label, value, key, seq, state, role, type, reason, created_at"
VALUE = "tenant_id, lane_id, label, value, key, folded, grams, norm_key"

TABLES = {
    "record": ("memory_record", RECORD),
    "words": ("memory_recordtext", WORDS),
    "edge": ("memory_edgeproperty", EDGE),
    "value": ("memory_lanevalue", VALUE),
}
