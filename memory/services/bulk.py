"""Bulk import: lines of JSON, streamed, in batches, restartable; a bad line never stops or spoils the rest.

Batches are written by the same service as single records, so every rule holds. Restarting is safe because records
are found again by external_id; a line without one is given one made of its content (see `_identity`).
"""

import hashlib
import json
import logging
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from django.db import InterfaceError, OperationalError

from lanes import services as lane_services
from lanes.errors import Invalid, LanewiseError, NotVisible
from lanes.models import Tenant
from lanes.readers import Reader
from memory import normal, strict_json
from memory.services import drafts, records
from memory.services.drafts import Draft

log = logging.getLogger(__name__)

# No line's fault: the database is not there.
GONE = (OperationalError, InterfaceError)
BATCH = 1_000
BOM = b"\xef\xbb\xbf"
# Characters of text and word vectors in a batch: so that long documents do not make a transaction of gigabytes.
BATCH_CHARACTERS = 8_000_000
FIELDS = {
    "external_id", "lane", "title", "text", "occurred_at", "date_precision", "recorded_at", "edge_properties",
    "tags", "kind", "source",
}  # fmt: skip


@dataclass
class Refused:
    """A line that was not imported, and why."""

    line: int
    external_id: str | None
    reason: str

    def __post_init__(self) -> None:
        # Told on terminals and in files, which take no lone surrogates.
        self.external_id = self.external_id and _writable(self.external_id)
        self.reason = _writable(self.reason)


def _writable(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode()


@dataclass
class Report:
    """What became of the lines."""

    lines: int = 0
    created: int = 0
    updated: int = 0
    unchanged: int = 0
    refused: list[Refused] = field(default_factory=list)
    skipped_properties: int = 0

    @property
    def written(self) -> int:
        return self.created + self.updated + self.unchanged


class Lanes:
    """Lane slugs to writable lanes, making missing ones when allowed."""

    def __init__(self, reader: Reader, default: str | None, create: Callable[[str], Reader] | None) -> None:
        self.reader = reader
        self._default = default
        self._create = create

    def id(self, slug: Any) -> int:
        """The writable lane with that slug, made when it is missing and may be made."""
        slug = slug if slug is not None else self._default
        if not isinstance(slug, str) or not slug:
            raise Invalid.field("lane", "Required, and must be a string.")
        normal.check_text(slug, "lane")
        try:
            return self.reader.writable_lane_id(slug)
        except NotVisible:
            if self._create is None:
                raise Invalid.field("lane", "No such lane, or not visible to you.") from None
            self.reader = self._create(slug)
            return self.reader.writable_lane_id(slug)


def maker(tenant: Tenant, resolve: Callable[[], Reader]) -> Callable[[str], Reader]:
    """A function that makes a lane of the tenant and resolves the reader anew."""

    def create(slug: str) -> Reader:
        lane_services.create_lane(tenant=tenant, slug=slug)
        return resolve()

    return create


def import_lines(
    lines: Iterable[bytes | str], lanes: Lanes, *, progress: Callable[[int, int], None] | None = None
) -> Report:
    """Import lines; `progress` is told (bytes read since the last call, records written so far).

    The next batch is read, checked and split into words in a thread while the database writes this one.
    """
    report = Report()
    chunks = _chunks(lines)
    with ThreadPoolExecutor(1, thread_name_prefix="import") as pool:
        ahead = pool.submit(next, chunks, None)
        while (chunk := ahead.result()) is not None:
            ahead = pool.submit(next, chunks, None)
            report.lines += chunk.lines
            report.refused += chunk.refused
            batch = []
            for number, slug, made in chunk.good:
                try:
                    made.lane_id = lanes.id(slug)
                except GONE:
                    raise
                except Exception as error:
                    report.refused.append(Refused(number, made.external_id, _said(error)))
                else:
                    batch.append((number, made))
            _write(lanes.reader, batch, report)
            if progress:
                progress(chunk.read, report.written)
    report.refused.sort(key=lambda refused: refused.line)
    return report


@dataclass
class _Chunk:
    """Lines read and checked, but for their lanes: (line number, lane as named, draft)."""

    read: int = 0
    lines: int = 0
    good: list[tuple[int, Any, Draft]] = field(default_factory=list)
    refused: list[Refused] = field(default_factory=list)


def _chunks(lines: Iterable[bytes | str]) -> Iterator[_Chunk]:
    """Batches of checked lines. Runs in a thread of its own, so it never touches the database."""
    chunk, size = _Chunk(), 0
    for number, raw in enumerate(lines, 1):
        chunk.read += len(raw)
        if not raw.strip():
            continue
        chunk.lines += 1
        try:
            slug, made = parse_line(raw)
            size += len(made.text) + len(made.words[0])  # the words are made here, to be ready when they are written
        except Exception as error:
            chunk.refused.append(Refused(number, _external_id(raw), _said(error)))
            continue
        chunk.good.append((number, slug, made))
        if len(chunk.good) >= BATCH or size >= BATCH_CHARACTERS:
            yield chunk
            chunk, size = _Chunk(), 0
    if chunk.read:
        yield chunk


def import_items(items: Iterable[dict[str, Any]], lanes: Lanes) -> Report:
    """Import records as dicts of the same shape as the lines."""
    return import_lines(_dumped(items), lanes)


def _dumped(items: Iterable[dict[str, Any]]) -> Iterator[str]:
    for item in items:
        yield json.dumps(item)


def _write(reader: Reader, batch: list[tuple[int, Draft]], report: Report) -> None:
    """Write a batch in one transaction; when anything refuses it, halve it until the culprit is alone."""
    if not batch:
        return
    try:
        written = records.save(reader, [made for _, made in batch])
    except GONE:
        raise
    except Exception as error:
        if len(batch) == 1:
            report.refused.append(Refused(batch[0][0], batch[0][1].external_id, _said(error)))
            return
        middle = len(batch) // 2
        _write(reader, batch[:middle], report)
        _write(reader, batch[middle:], report)
        return
    for item in written:
        report.created += item.created
        report.updated += not item.created and item.changed
        report.unchanged += not item.created and not item.changed
        report.skipped_properties += len(item.skipped)


def _said(error: Exception) -> str:
    """Why a line was refused, in a line."""
    if isinstance(error, LanewiseError):
        return error.detail
    log.warning("A line could not be imported", exc_info=error)
    return next(iter(str(error).splitlines()), "") or type(error).__name__


def parse_line(raw: bytes | str) -> tuple[Any, Draft]:
    """The lane a line names and a checked draft, its lane still open; Invalid says what is wrong with the line."""
    item = strict_json.loads(raw.removeprefix(BOM) if isinstance(raw, bytes) else raw, "line")
    if not isinstance(item, dict):
        raise Invalid("Not a JSON object.")
    unknown = sorted(set(item) - FIELDS)
    if unknown:
        raise Invalid.field(unknown[0], "Unknown field.")
    for name in ("title", "text", "kind", "external_id", "occurred_at", "date_precision", "recorded_at"):
        if not isinstance(item.get(name), str | None):
            raise Invalid.field(name, "Must be a string.")
    for name in ("edge_properties", "tags"):
        if not isinstance(item.get(name), list | None):
            raise Invalid.field(name, "Must be a list.")
    if not all(isinstance(tag, str) for tag in item.get("tags") or ()):
        raise Invalid.field("tags", "Must be strings.")
    if not all(isinstance(entry, str | dict) for entry in item.get("edge_properties") or ()):
        raise Invalid.field("edge_properties", "Must be objects or label:value strings.")
    if not isinstance(item.get("source"), dict | None):
        raise Invalid.field("source", "Must be an object.")
    for name in ("source", "edge_properties"):
        strict_json.check(item.get(name), name)
    return item.get("lane"), drafts.draft(
        lane_id=0,
        text=item.get("text") or "",
        title=item.get("title") or "",
        kind=item.get("kind") or "note",
        external_id=item.get("external_id") or _identity(item),
        source=item.get("source"),
        occurred_at=item.get("occurred_at"),
        date_precision=item.get("date_precision"),
        recorded_at=item.get("recorded_at"),
        edge_properties=item.get("edge_properties"),
        tags=item.get("tags"),
    )


def _identity(item: dict[str, Any]) -> str:
    """An external_id for a line without one: the digest of its content, so that importing it again finds it."""
    content = json.dumps(item, sort_keys=True).encode()
    return "import:" + hashlib.blake2b(content, digest_size=16).hexdigest()


def _external_id(raw: bytes | str) -> str | None:
    try:
        found = json.loads(raw)
    except (ValueError, RecursionError):
        return None
    name = found.get("external_id") if isinstance(found, dict) else None
    return name[:200] if isinstance(name, str) else None
