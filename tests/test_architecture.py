"""The rules between the rooms, read from the code itself."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.apps import apps

ROOT = Path(__file__).resolve().parent.parent
# Imports go one way: what stands left may know what stands right of it.
KNOWS = {
    "lanes": {"lanes"},
    "memory": {"memory", "lanes"},
    "api": {"api", "memory", "lanes"},
    "web": {"web", "memory", "lanes"},
}
ROOMS = set(KNOWS) | {"config"}


def modules(*rooms: str) -> Iterator[Path]:
    for room in rooms:
        yield from (path for path in (ROOT / room).rglob("*.py") if "migrations" not in path.parts)


def imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            yield node.module


@pytest.mark.parametrize("room", KNOWS)
def test_imports_go_one_way(room):
    allowed = KNOWS[room] | ({"config"} if room == "api" else set())
    for path in modules(room):
        for name in imported(path):
            top = name.split(".")[0]
            if top == "config":
                # Log lines carry the request id; that one module is everybody's.
                assert name == "config.logs" and room in ("api", "web"), f"{path} imports {name}"
            elif top in ROOMS:
                assert top in allowed, f"{path} imports {name}"


def test_api_and_web_read_records_only_through_a_reader():
    """`everything` and raw SQL stay inside memory; outside, models are read through visible_to(reader)."""
    for path in modules("api", "web"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Attribute):
                assert node.attr not in ("everything", "_base_manager", "_default_manager"), f"{path}:{node.lineno}"
        assert "memory.sql" not in set(imported(path)), path


def test_every_table_of_memory_belongs_to_a_tenant_and_cannot_be_read_without_a_reader():
    from memory.models.scoped import OfAdmins, OfTenant, ReaderRequired, Scoped

    for model in apps.get_app_config("memory").get_models():
        if not issubclass(model, Scoped):
            # What holds no content of any lane.
            names = {field.name for field in model._meta.fields}
            assert not names & {"lane", "record", "tenant"} or "hold" in names, model  # parts of what is of admins
            continue
        with pytest.raises(ReaderRequired):
            model.objects.all()
        names = {field.name for field in model._meta.fields}
        if issubclass(model, OfAdmins):
            assert "tenant" in names and model.objects.visible_to(None).query.is_empty(), model
            continue
        if issubclass(model, OfTenant):
            # What every member of the tenant may know: nothing of a lane or a record is in it.
            assert model.__name__ in {"ControlledValue", "ControlledSpelling"}
            assert "tenant" in names and not {"lane", "record"} & names, model
            continue
        assert {"tenant", "lane"} <= names, model


@pytest.mark.django_db
def test_child_tables_follow_their_record_by_the_databases_own_keys():
    from django.db import connection

    from memory.models import Record

    with connection.cursor() as cursor:
        cursor.execute(
            "select conrelid::regclass::text from pg_constraint where contype = 'f' and confdeltype = 'c' "
            "and confupdtype = 'c' and confrelid = 'memory_record'::regclass and cardinality(conkey) >= 2"
        )
        cascading = {row[0] for row in cursor.fetchall()}
    children = {
        relation.related_model._meta.db_table
        for relation in Record._meta.related_objects
        if relation.related_model is not Record
    }
    assert children <= cascading, children - cascading


def test_public_functions_say_what_they_do():
    for path in modules("lanes", "memory", "api"):
        if path.name in ("apps.py", "__init__.py") or "management" in path.parts:
            continue
        tree = ast.parse(path.read_text())
        assert ast.get_docstring(tree), f"{path} has no docstring"
        for node in tree.body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_"):
                assert ast.get_docstring(node) or isinstance(node, ast.ClassDef), f"{path}: {node.name}"


def test_modules_are_small():
    for path in modules(*ROOMS):
        lines = len(path.read_text().splitlines())
        assert lines <= 450, f"{path} has {lines} lines: two rooms?"
