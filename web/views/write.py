"""Writing: add a note, edit, properties, connect, correct, delete. Every form gives back what was typed."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render

from lanes.errors import Conflict, Invalid, LanewiseError, NotVisible, Refused
from memory import normal, times
from memory.gather.scope import Scope
from memory.gather.terms import Term
from memory.gather.traverse import traverse
from memory.selectors.rows import ids_of, rows, signed
from memory.selectors.search import Filters, hits
from memory.services import connections, drafts, locks, properties, records
from memory.services.held import Held
from web import dates, present, terms
from web.chips import typed_chip
from web.views.base import PageView, Posted, RefusedThere
from web.views.forms import Form, compared, typed_properties
from web.views.record import RecordView

SAVED = {
    "supersedes": "Saved. The old record says what took its place.",
    "corrects": "Saved. The old record says that this one corrects it.",
    "retracts": "Saved. The old record says that it was taken back.",
}
TYPES = (
    ("", "Just connected"), ("related", "Related"), ("similar", "Similar"), ("part_of", "Part of"),
    ("causes", "Causes"), ("opposite", "Opposite"),
)  # fmt: skip
SR_ID = re.compile(r"sr_[0-9a-f]{32}")
CHOSEN_MAX = 50  # records carried along from one search for others to the next
HINT_WRONG = "Use 1 to 63 letters a to z, digits and spaces."


class WriteView(RecordView):
    """Shared by the forms."""

    def writable_lanes(self) -> list[Any]:
        return present.lane_choices(self.reader, self.reader.writable)

    def writable_record(self, sr_id: str) -> dict[str, Any]:
        record = self.record(sr_id)
        if not record["writable"]:
            raise RefusedThere("You may read this record, but not change it.", "the record", record["url"])
        return record

    def changeable_record(self, sr_id: str) -> dict[str, Any]:
        """For forms that are opened. What is posted goes to the service, so that nothing typed is lost when a hold was
        placed meanwhile."""
        record = self.writable_record(sr_id)
        if record["on_hold"]:
            said = "This record is under a hold and stays as it is. New records and connections may be added."
            raise RefusedThere(said, "the record", record["url"])
        return record

    @staticmethod
    def fields(request: HttpRequest) -> dict[str, Any]:
        """What a form says of a record, as the service takes it."""
        post = request.POST
        return {
            "title": post.get("title", ""),
            "text": post.get("text", "").replace("\r\n", "\n"),
            "kind": post.get("kind", "") or "note",
            "occurred_at": dates.iso(post.get("date", ""), "occurred_at") or None,
        }

    def new_fields(self, request: HttpRequest, *checks: Callable[[], Any]) -> dict[str, Any]:
        """What the form of a new record says. Invalid for all that is wrong with it at once, `checks` included."""
        post = request.POST
        errors: dict[str, list[str]] = {}

        def read(part: Callable[[], Any]) -> Any:
            try:
                return part()
            except Invalid as error:
                for field, said in error.errors.items():
                    errors.setdefault(field, []).extend(said)
                return None

        def date() -> str | None:
            written = dates.iso(post.get("date", ""), "occurred_at") or None
            drafts.event_time(written, None)
            return written

        fields = {
            "lane": post.get("lane", ""),
            "title": post.get("title", ""),
            "text": post.get("text", "").replace("\r\n", "\n"),
            "kind": post.get("kind", "") or "note",
        }
        when = read(date)
        stamped = read(lambda: typed_properties(post.get("properties", "")))
        said = {name: fields[name] for name in ("title", "text", "kind")}
        read(lambda: drafts.draft(lane_id=0, **said))
        for check in checks:
            read(check)
        if errors:
            raise Invalid("Some of this cannot be taken.", errors)
        return {**fields, "occurred_at": when, "edge_properties": stamped}


class NewRecord(WriteView):
    def get(self, request: HttpRequest) -> HttpResponse:
        lanes = self.writable_lanes()
        # The matter is chosen by whoever writes, unless they come from its page or may write to no other.
        lane = request.GET.get("lane", "") if len(lanes) != 1 else lanes[0].slug
        return self._form(request, {"lane": lane, "kind": "note"})

    def post(self, request: HttpRequest) -> HttpResponse:
        try:
            fields = self.new_fields(request, lambda: self._check_lane(request))
            written = records.write(self.reader, **fields)
        except LanewiseError as error:
            return self._form(request, request.POST.dict(), error)
        messages.success(request, "Added.", extra_tags="ok")
        return redirect("web:record", sr_id=written.sr_id)

    def _check_lane(self, request: HttpRequest) -> None:
        if not request.POST.get("lane") and self.reader.writable:
            raise Invalid.field("lane", "Choose the matter that this belongs to.")

    def _form(self, request: HttpRequest, given: dict[str, str], error: LanewiseError | None = None) -> HttpResponse:
        lanes = self.writable_lanes()
        if not lanes:
            raise Refused("You may not write to any matter.")
        form = Form(self.reader, given, lanes, present.reverse("web:home"))
        if error:
            form.take(error)
        return render(request, "web/record_form.html", {"form": form}, status=400 if error else 200)


class EditRecord(WriteView):
    """Edit with optimistic locking: the version that was read comes back with the form."""

    def get(self, request: HttpRequest, sr_id: str) -> HttpResponse:
        record = self.changeable_record(sr_id)
        given = {
            "lane": record["lane"].slug, "kind": record["kind"], "title": record["title"] if self._titled else "",
            "text": record["text"], "date": self._written(record), "version": str(record["version"]),
        }  # fmt: skip
        return self._form(request, record, given)

    @property
    def _titled(self) -> bool:
        return bool(self._shape["title"])

    def _more(self, found: Any, shape: dict[str, Any], row: dict[str, Any]) -> dict[str, Any]:
        self._shape = shape
        return super()._more(found, shape, row)

    @staticmethod
    def _written(record: dict[str, Any]) -> str:
        return present.words.written_date(record["occurred_at"], record["date_precision"])

    @staticmethod
    def _date(record: dict[str, Any]) -> str:
        at = present.words.moment(record["occurred_at"])
        return times.shown(at, record["date_precision"]) if at else ""

    def post(self, request: HttpRequest, sr_id: str) -> HttpResponse:
        record = self.writable_record(sr_id)
        given = request.POST.dict()
        # "Save mine over theirs" names the version that was compared: a third one in between conflicts again.
        version = given.get("over") or given.get("version", "")
        try:
            fields = self.fields(request)
            if fields["occurred_at"] == self._date(record):
                fields.pop("occurred_at")
            if not fields["title"].strip() and not self._titled:
                fields.pop("title")
            if not version.isascii() or not version.isdigit():
                raise Invalid.field("version", "Open the form again.")
            records.update(self.reader, sr_id=sr_id, expected_version=int(version[:9]), **fields)
        except Conflict as error:
            if isinstance(error, Held) or record["version"] == int(version[:9] or 0):
                return self._form(request, record, given, error)
            return self._conflict(request, record, given)
        except LanewiseError as error:
            return self._form(request, record, given, error)
        messages.success(request, "Saved.", extra_tags="ok")
        return redirect("web:record", sr_id=sr_id)

    def _conflict(self, request: HttpRequest, record: dict[str, Any], given: dict[str, str]) -> HttpResponse:
        mine, theirs = compared(given.get("text", "").replace("\r\n", "\n"), record["text"])
        if given.get("title", "") != record["title"]:
            one, two = compared(given.get("title", ""), record["title"])
            mine, theirs = one + mine, two + theirs
        conflict = {"at": record["updated_at"], "mine": mine, "theirs": theirs, "version": record["version"],
                    "by": record["changer"]}  # fmt: skip
        return self._form(request, record, given, conflict=conflict, status=409)

    def _form(
        self,
        request: HttpRequest,
        record: dict[str, Any],
        given: dict[str, str],
        error: LanewiseError | None = None,
        *,
        conflict: dict[str, Any] | None = None,
        status: int = 200,
    ) -> HttpResponse:
        form = Form(self.reader, given, [record["lane"]], record["url"])
        form.set("lane", record["lane"].slug)
        if error:
            form.take(error)
            status = error.status
        return render(
            request, "web/record_form.html", {"form": form, "r": record, "conflict": conflict}, status=status
        )


class OfRecord(Posted, WriteView):
    """Only posted to; opened, it leads to the record, for those who may see it."""

    def place(self, **kwargs: Any) -> str:
        return str(self.record(kwargs["sr_id"], full=False)["url"])


class Properties(OfRecord):
    """Add or remove one property."""

    def post(self, request: HttpRequest, sr_id: str) -> HttpResponse:
        self.writable_record(sr_id)
        label = request.POST.get("label", "").strip().lower().replace(" ", "_")
        item = {"label": label, "value": request.POST.get("value", "")}
        remove = request.POST.get("do") == "remove"
        try:
            if remove:
                properties.remove(self.reader, sr_id=sr_id, edge_properties=[item])
                messages.success(request, f"Removed {_said(item)}.", extra_tags="ok")
            else:
                reply = properties.add(self.reader, sr_id=sr_id, edge_properties=[item])
                said = "This record carries it already" if reply["present"] else "Added"
                messages.success(request, f"{said}: {_said(item)}.", extra_tags="ok")
        except (Invalid, Conflict, Refused) as error:
            said = " ".join(m for errors in error.errors.values() for m in errors) or error.detail
            messages.error(request, f"Nothing was changed. {said}", extra_tags="danger")
        return redirect("web:record", sr_id=sr_id)


def _said(item: dict[str, str]) -> str:
    return terms.said(Term(item["label"], " ".join(item["value"].split())))


class Connect(WriteView):
    """Choose records by searching, or among the neighbours, and say what joins them.

    What is chosen and typed goes along in the address when another search is made.
    """

    kept = ("hint", "type", "reason")

    def get(self, request: HttpRequest, sr_id: str) -> HttpResponse:
        return self._form(request, self.writable_record(sr_id), request.GET)

    def post(self, request: HttpRequest, sr_id: str) -> HttpResponse:
        record = self.writable_record(sr_id)
        post = request.POST
        chosen = post.getlist("with")
        if "find" in post:
            kept = [(name, post.get(name, "")) for name in ("q", *self.kept)] + [("with", each) for each in chosen]
            return redirect(f"{request.path}?{urlencode([(name, said) for name, said in kept if said])}")
        try:
            if not chosen:
                raise Invalid.field("with", "Choose at least one record to connect with.")
            made = connections.connect(
                self.reader, sr_ids=[sr_id, *chosen], hint=post.get("hint", ""), type=post.get("type") or None,
                reason=post.get("reason", ""),
            )  # fmt: skip
            if made["property"] in made["dropped"]:
                raise Invalid.field("with", made["hint"])
        except NotVisible:
            raise
        except LanewiseError as error:
            if "hint" in error.errors:  # as the field takes it, not as it is kept
                error.errors["hint"] = [HINT_WRONG]
            return self._form(request, record, post, error)
        messages.success(request, f"Connected {len(chosen) + 1} records as “{post.get('hint', '')}”.", extra_tags="ok")
        return redirect("web:record", sr_id=sr_id)

    def _form(
        self, request: HttpRequest, record: dict[str, Any], given: QueryDict, error: LanewiseError | None = None
    ) -> HttpResponse:
        q = normal.check_text(given.get("q", ""), "q")[:500]
        chosen = self._chosen(record, given.getlist("with")[:CHOSEN_MAX])
        form: dict[str, Any] = {
            **{name: normal.check_text(given.get(name, ""), name)[:500] for name in self.kept}, "types": TYPES,
            "chosen": {c["sr_id"] for c in chosen}, "errors": error.errors if error else {}, "refused": "",
            "found": request.method == "GET" and "q" in given,
        }  # fmt: skip
        if error and not error.errors.get("hint"):
            form["refused"] = " ".join(m for said in error.errors.values() for m in said) or error.detail
        there = form["chosen"] | {record["sr_id"]}
        others = [c for c in self._candidates(record, q) if c["sr_id"] not in there]
        form["nothing"] = not others and (bool(q) or not chosen)
        context = {"r": record, "q": q, "candidates": chosen + others, "form": form}
        return render(request, "web/connect.html", context, status=error.status if error else 200)

    def _writable(self) -> Any:
        return self.reader.narrow([self.reader.lanes[i].slug for i in self.reader.writable])

    def _chosen(self, record: dict[str, Any], wanted: list[str]) -> list[dict[str, Any]]:
        """Records chosen before, as far as this reader may write to them; what is not there is left out."""
        names = [name for name in dict.fromkeys(wanted) if SR_ID.fullmatch(name) and name != record["sr_id"]]
        ids = ids_of(self._writable(), names)
        return present.rows(self.reader, rows(self.reader, list(ids.values())))

    def _candidates(self, record: dict[str, Any], q: str) -> list[dict[str, Any]]:
        scope = Scope(self._writable())
        if q.strip():
            term = typed_chip(self.reader, q) or Term(None, normal.value(q, "q"))
            found = rows(self.reader, hits(scope, [term], Filters(), limit=30).ids)
        else:
            found = signed(self.reader, traverse(scope, record["sr_id"], limit=20)["srs"])
        return present.rows(self.reader, found)


class Correct(WriteView):
    """Write a record that supersedes, corrects or retracts another."""

    def get(self, request: HttpRequest, sr_id: str) -> HttpResponse:
        record = self.changeable_record(sr_id)
        given = {
            "lane": record["lane"].slug, "kind": record["kind"], "title": record["title"], "text": record["text"],
            "date": EditRecord._written(record), "hint": "supersedes",
            "properties": "\n".join(f"{c['label']}: {c['value']}" for c in record["chips"] if not c.get("ended")),
        }  # fmt: skip
        return self._form(request, record, given)

    def post(self, request: HttpRequest, sr_id: str) -> HttpResponse:
        record = self.writable_record(sr_id)
        try:
            fields = self.new_fields(request, lambda: self._check_said(request, record))
            written = self._save(request, sr_id, fields)
        except LanewiseError as error:
            return self._form(request, record, request.POST.dict(), error)
        messages.success(request, SAVED.get(request.POST.get("hint", ""), "Saved."), extra_tags="ok")
        return redirect("web:record", sr_id=written.sr_id)

    def _check_said(self, request: HttpRequest, record: dict[str, Any]) -> None:
        """The form begins as a copy of the old record. What takes a statement back must not state it again."""
        if request.POST.get("hint") != "retracts":
            return
        text, title = (request.POST.get(name, "").split() for name in ("text", "title"))
        if text == record["text"].split() and (text or title == record["title"].split()):
            raise Invalid.field("text", "Say why it is taken back, rather than saying it again.")

    @locks.retried
    def _save(self, request: HttpRequest, sr_id: str, fields: dict[str, Any]) -> records.Written:
        """Both or neither."""
        post = request.POST
        with transaction.atomic():
            written = records.write(self.reader, **fields)
            connections.adjust(
                self.reader, sr_id=sr_id, by=written.sr_id, hint=post.get("hint", ""), reason=post.get("reason", "")
            )
        return written

    def _form(
        self, request: HttpRequest, record: dict[str, Any], given: dict[str, str], error: LanewiseError | None = None
    ) -> HttpResponse:
        form = Form(self.reader, given, self.writable_lanes(), record["url"])
        if error:
            form.take(error)
        return render(
            request, "web/record_form.html", {"form": form, "adjusts": record}, status=error.status if error else 200
        )


class Delete(OfRecord):
    def post(self, request: HttpRequest, sr_id: str) -> HttpResponse:
        record = self.writable_record(sr_id)
        try:
            records.delete(self.reader, sr_id=sr_id)
        except (Conflict, Refused) as error:
            messages.error(request, f"Nothing was deleted. {error.detail}", extra_tags="danger")
            return redirect("web:record", sr_id=sr_id)
        messages.success(request, f"Deleted “{record['title']}”.", extra_tags="ok")
        return redirect("web:home")


class LiveSession(PageView):
    """Whether this session may still open pages: asked by a page whose socket was refused."""

    def get(self, request: HttpRequest) -> HttpResponse:
        return HttpResponse(status=204)
