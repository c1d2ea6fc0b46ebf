"""What ingest may do in a lane beyond tagging: promote mentions, read relations, connect records that read alike.

Off in every lane until somebody turns it on. What is written so goes through the same services as a caller's writes,
by a reader of that one lane that is no person and no profile; so it is told apart from what people assert (nobody
asserted it, and `reason` says where it comes from) and can be taken back as a whole (`take_back`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from django.db import transaction

from lanes.models import Lane
from lanes.readers import LaneInfo, Reader
from memory import sql
from memory.ingest import language_model, queue
from memory.ingest.errors import Unavailable
from memory.ingest.steps import Item
from memory.models import IngestPolicy, sr_id

PROMOTED = "Mentioned in the text."
# Mentions are less certain than what a caller states.
CONFIDENCE = 0.6
PROMOTED_MAX = 64


def acting_lanes(lane_ids: Iterable[int]) -> set[int]:
    """Those of the lanes whose policy has something to do after tagging."""
    rows = sql.fetch(
        "select lane_id from memory_ingestpolicy where lane_id = any(%s) and (promote or relations or discover)",
        (sorted(lane_ids),),
    )
    return {row[0] for row in rows}


def defer(records: Iterable[tuple[int, int]]) -> None:
    """Have the policies of (record id, lane id) looked at, of those lanes whose policy has something to do."""
    given = list(records)
    governed = acting_lanes({lane for _, lane in given})
    queue.defer(queue.POLICIES, [record for record, lane in given if lane in governed])


def language_model_allowed(tenant_id: int, lane_id: int) -> bool:
    """Whether a lane's policy lets its texts go to the language model. Asked anew for every text."""
    return bool(
        sql.fetch(
            "select 1 from memory_ingestpolicy where lane_id = %s and tenant_id = %s and language_model",
            (lane_id, tenant_id),
        )
    )


def lane_reader(lane: Lane) -> Reader:
    """The engine as a reader and writer of one lane, and of nothing else."""
    return Reader(
        tenant_id=lane.tenant_id,
        tenant_slug=lane.tenant.slug,
        readable=(lane.pk,),
        writable=(lane.pk,),
        manageable=(),
        lanes={lane.pk: LaneInfo(lane.pk, lane.slug, lane.name, lane.colour)},
    )


def apply(record_ids: Sequence[int]) -> None:
    """Do what the lanes' policies say for these records. May be repeated: nothing is done twice."""
    rows = sql.fetch(
        "select id, tenant_id, lane_id, public_id, version, title, text, at from memory_record "
        "where id = any(%s) and kind <> 'entity' order by id",
        (list(record_ids),),
    )
    items = [Item(*row) for row in rows]
    away: Unavailable | None = None
    policies = IngestPolicy.everything.filter(lane_id__in={item.lane_id for item in items})
    for policy in policies.select_related("lane__tenant"):
        reader = lane_reader(policy.lane)
        mine = [item for item in items if item.lane_id == policy.lane_id]
        for item in mine:
            if policy.promote:
                promote(reader, item, policy.promote_labels)
            if policy.relations:
                relate(reader, item)
        if policy.discover:
            away = connect_alike(reader, policy, [item.record_id for item in mine]) or away
    if away is not None:
        raise away  # everything else is done; the questions are left for the job's next try


# A value that is in use by promotion alone holds nothing up: what was promoted from it goes when its last use or the
# tenant's control of it does.
_MENTIONED = """
select distinct on (t.key) t.key, t.label, t.value from memory_tag t
where t.record_id = %(record)s and t.extractor = 'known_values'
  and (cardinality(%(labels)s::text[]) = 0 or t.label = any(%(labels)s))
  and (exists (select 1 from memory_controlledvalue c where c.tenant_id = t.tenant_id and c.key = t.key)
    or exists (select 1 from memory_edgeproperty e where e.key = t.key and e.lane_id = t.lane_id
      and (e.reason <> %(promoted)s or e.asserted_by_id is not null or e.asserted_profile_id is not null)))
order by t.key limit %(most)s
"""


def promote(reader: Reader, item: Item, labels: Sequence[str] = ()) -> None:
    """Give a record the known values its text mentions, and take promoted ones back that it no longer mentions; none
    while it is under a hold."""
    from memory.services import held, properties

    if held.standing([item.record_id]):
        return
    public = sr_id(item.public_id)
    mentioned = {
        key: (label, value)
        for key, label, value in sql.fetch(
            _MENTIONED, {"record": item.record_id, "labels": list(labels), "most": PROMOTED_MAX, "promoted": PROMOTED}
        )
    }
    carried = {
        key: (label, value, reason)
        for key, label, value, reason in sql.fetch(
            "select key, label, value, reason from memory_edgeproperty where record_id = %s and seq = 0",
            (item.record_id,),
        )
    }
    gone = [carried[key][:2] for key in carried.keys() - mentioned.keys() if carried[key][2] == PROMOTED]
    new = [key for key in mentioned if key not in carried]
    if not gone and not new:
        return
    with transaction.atomic():
        if gone:
            properties.remove(reader, sr_id=public, edge_properties=_written(gone))
        if new:
            properties.add(reader, sr_id=public, edge_properties=_written([mentioned[key] for key in new]))
            sql.execute(
                "update memory_edgeproperty set reason = %s where record_id = %s and key = any(%s) and seq = 0 "
                "and asserted_by_id is null and asserted_profile_id is null and reason = ''",
                (PROMOTED, item.record_id, new),
            )


def _written(pairs: Iterable[tuple[str, str]]) -> list[dict]:
    return [{"label": label, "value": value, "confidence": CONFIDENCE} for label, value in pairs]


def relate(reader: Reader, item: Item) -> None:
    """Put the relationships a text states into its lane's graph, each once however often the record changes."""
    from memory.relations.steps import take_in

    take_in(reader, item)


def connect_alike(reader: Reader, policy: IngestPolicy, record_ids: Sequence[int]) -> Unavailable | None:
    """Connect records of a lane that read alike; the doubtful ones where the language model may be asked and confirms.

    Returns why it could not be asked, where it is away.
    """
    from memory.relations.confirm import ByModel
    from memory.relations.discovery import discover

    may_ask = language_model.allowed(policy.tenant_id, policy.lane_id) is not None
    confirm = ByModel() if may_ask else None
    discover(reader, record_ids, confirm=confirm)
    return confirm.away if confirm else None


def take_back(lane: Lane) -> int:
    """Remove every promoted edge property of a lane; returns how many records had any."""
    from memory.services import properties

    reader = lane_reader(lane)
    records: dict[str, list[tuple[str, str]]] = {}
    for public, label, value in sql.fetch(
        "select r.public_id, e.label, e.value from memory_edgeproperty e join memory_record r on r.id = e.record_id "
        "where e.lane_id = %s and e.reason = %s and e.asserted_by_id is null and e.asserted_profile_id is null",
        (lane.pk, PROMOTED),
    ):
        records.setdefault(sr_id(public), []).append((label, value))
    for public, pairs in records.items():
        properties.remove(
            reader, sr_id=public, edge_properties=[{"label": label, "value": value} for label, value in pairs]
        )
    return len(records)
