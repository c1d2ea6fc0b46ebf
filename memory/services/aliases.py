"""Two spellings of one value become one; the old one stays as an alias."""

from dataclasses import replace
from typing import Any

from django.db import transaction

from lanes.errors import Invalid, NotVisible, Refused
from lanes.readers import Reader
from memory import normal, sql
from memory.services import drafts, held, locks, touch, values
from memory.services.drafts import Property


@locks.retried
def rename(reader: Reader, *, label: str, value: str, to: str, lanes: list[str] | None = None) -> dict[str, Any]:
    """Join the spelling `value` of a label to the spelling `to`, in every lane the reader may write.

    Records that carry the old spelling carry the new one afterwards (a record with both keeps one), and what is
    written or asked under the old one later means the new one, in those lanes. Other lanes are as before: what is
    written there is not this reader's to change.
    """
    old = drafts.property_from({"label": label, "value": value}, "")
    new = replace(old, value=(text := normal.value(to, "to")), key=normal.edge_key(old.label, text))
    scope = reader.narrow(lanes)
    if not scope.writable:
        raise Refused("You may not write to any of these lanes.")
    if old.key == new.key:
        return _respell_only(reader, scope, old, new)
    with transaction.atomic():
        locks.lanes(scope.writable, alone=True)
        carried = sql.fetch(
            "select distinct record_id, lane_id from memory_edgeproperty where key = %s and lane_id = any(%s)",
            (old.key, list(scope.writable)),
        )
        known = {
            lane
            for (lane,) in sql.fetch(
                "select lane_id from memory_lanevalue where key = %s and lane_id = any(%s)",
                (old.key, list(scope.writable)),
            )
        } | {lane for _, lane in carried}
        if not known:
            raise NotVisible("No record in lanes you may write carries this value.")
        locks.records([record for record, _ in carried])
        held.refuse(record for record, _ in carried)
        _alias(reader.tenant_id, sorted(known), old, new)
        respell([record for record, _ in carried], old.key, new)
        touch.announce(reader, [record for record, _ in carried], [old.key, new.key])
    return {
        "label": new.label, "value": old.value, "to": new.value, "records": len({record for record, _ in carried}),
        "lanes": [reader.lanes[lane].slug for lane in sorted(known)],
    }  # fmt: skip


def _respell_only(reader: Reader, scope: Reader, old: Property, new: Property) -> dict[str, Any]:
    """Another way to write the same value (case, accents' form): only what is shown changes."""
    if old.value == new.value:
        raise Invalid.field("to", "This is how the value is written already.")
    with transaction.atomic():
        locks.lanes(scope.writable, alone=True)
        carried = sql.fetch(
            "select distinct record_id, lane_id from memory_edgeproperty where key = %s and lane_id = any(%s)",
            (old.key, list(scope.writable)),
        )
        if not carried:
            raise NotVisible("No record in lanes you may write carries this value.")
        locks.records([record for record, _ in carried])
        held.refuse(record for record, _ in carried)
        ids = [record for record, _ in carried]
        sql.execute(
            "update memory_edgeproperty set value = %s where key = %s and record_id = any(%s)",
            (new.value, new.key, ids),
        )
        sql.execute(
            "update memory_lanevalue set value = %s where key = %s and lane_id = any(%s) and alias_of is null",
            (new.value, new.key, list(scope.writable)),
        )
        touch.announce(reader, ids, [new.key])
    return {
        "label": new.label, "value": old.value, "to": new.value, "records": len(ids),
        "lanes": [reader.lanes[lane].slug for lane in sorted({lane for _, lane in carried})],
    }  # fmt: skip


def _alias(tenant_id: int, lane_ids: list[int], old: Property, new: Property) -> None:
    """Make the old spelling lead to the new one, and whatever led to the old one too; the new one leads nowhere."""
    values.remember(tenant_id, [(lane, item.label, item.value, item.key) for lane in lane_ids for item in (old, new)])
    sql.execute(
        "update memory_lanevalue set alias_of = case when key = %(new)s then null else %(new)s end, "
        "alias_value = case when key = %(new)s then null else %(value)s end "
        "where lane_id = any(%(lanes)s) and (key in (%(old)s, %(new)s) or alias_of = %(old)s)",
        {"old": old.key, "new": new.key, "value": new.value, "lanes": lane_ids},
    )


def respell(record_ids: list[int], old_key: Any, new: Property) -> None:
    """Turn a property of locked records into another; where a record has both, the old row goes."""
    sql.execute(
        "delete from memory_edgeproperty o where o.record_id = any(%s) and o.key = %s and exists ("
        "select 1 from memory_edgeproperty n where n.record_id = o.record_id and n.key = %s and n.seq = o.seq)",
        (record_ids, old_key, new.key),
    )
    sql.execute(
        "update memory_edgeproperty set key = %s, value = %s where record_id = any(%s) and key = %s",
        (new.key, new.value, record_ids, old_key),
    )
