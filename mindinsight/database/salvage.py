"""Saves from a damaged database what users created: marks, notes, saved views, the trash, debugger sessions.

Everything else is read again from the event files. Called by `quarantine` with a copy, because SQLite
changes what it opens.
"""

from __future__ import annotations

import logging
import sqlite3
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import orjson
from django.apps import apps
from django.db import models, transaction

from mindinsight.database.checks import HEADER_BYTES, MAGIC

logger = logging.getLogger(__name__)

# For runs only what a user sees or has changed. The rest comes from their event files.
_RUN_FIELDS = ("id", "uid", "name", "colour", "opened", "removed", "removed_at", "removed_files", "removal_problem")
_SAVED: dict[str, Sequence[str] | None] = {
    "runs.Run": _RUN_FIELDS,
    "runs.RunMarks": None,
    "views.SavedView": None,
    "exports.Export": None,
    "debugger.DebugSession": None,
    "debugger.DebugTensor": None,
}
_BATCH = 500
# After a damaged page, rows continue at one of these distances.
_LEAPS = [1 << power for power in range(21)]


def save_rows(damaged: Path, fresh: Path) -> dict[str, int]:
    """Copies rows from a damaged database into the new one, which is open in Django's connection.

    Args:
        damaged: a copy of the damaged database. It is changed.
        fresh: the new database.

    Returns:
        The number of saved rows, by `app.Model`.
    """
    saved = dict.fromkeys(_SAVED, 0)
    _write_out(fresh)
    with suppress(OSError):
        _mend_header(damaged, fresh, HEADER_BYTES)
        if not _tables(damaged):
            _mend_header(damaged, fresh, _page_bytes(fresh))
    there = _tables(damaged)
    for name, fields in _SAVED.items():
        model = apps.get_model(name)
        columns = there.get(model._meta.db_table)
        if columns:
            saved[name] = _save(damaged, model, columns, fields)
    return saved


def _write_out(database: Path) -> None:
    """Makes SQLite copy the write-ahead log into the database itself."""
    with suppress(sqlite3.Error), closing(sqlite3.connect(database)) as connection:
        connection.execute("PRAGMA wal_checkpoint(FULL)")


def _mend_header(damaged: Path, fresh: Path, count: int) -> None:
    """Replaces lost first bytes by those of the new database. The same statements created both."""
    with damaged.open("r+b") as file, fresh.open("rb") as source:
        if count == HEADER_BYTES and file.read(len(MAGIC)) == MAGIC:
            return
        head = bytearray(source.read(count))
        pages = damaged.stat().st_size // _page_bytes(fresh)
        head[28:32] = pages.to_bytes(4, "big")
        head[32:40] = bytes(8)  # The list of free pages is empty.
        head[92:96] = head[24:28]
        file.seek(0)
        file.write(head)


def _page_bytes(database: Path) -> int:
    with database.open("rb") as file:
        return int.from_bytes(file.read(18)[16:], "big")


def _open(database: Path) -> closing[sqlite3.Connection]:
    connection = sqlite3.connect(database, isolation_level=None)
    connection.text_factory = bytes
    return closing(connection)


def _tables(database: Path) -> dict[str, list[str]]:
    """The columns of each table whose definition can be read."""
    found: dict[str, list[str]] = {}
    with suppress(sqlite3.Error), _open(database) as connection:
        for model in map(apps.get_model, _SAVED):
            table = model._meta.db_table
            with suppress(sqlite3.Error):
                rows = connection.execute(f"PRAGMA table_info('{table}')").fetchall()
                found[table] = [name.decode() for _, name, *_ in rows]
    return {table: columns for table, columns in found.items() if columns}


def _save(damaged: Path, model: type[models.Model], columns: list[str], wanted: Sequence[str] | None) -> int:
    fields = [
        field
        for field in model._meta.concrete_fields
        if field.column in columns and (wanted is None or field.name in wanted)
    ]
    made: list[models.Model] = []
    for row in _rows(damaged, model._meta.db_table, [str(field.column) for field in fields]):
        with suppress(ValueError, TypeError):
            made.append(model(**{field.attname: _value(field, raw) for field, raw in zip(fields, row, strict=True)}))
    made = _with_parents(model, made)
    with transaction.atomic():
        model._default_manager.bulk_create(made, batch_size=_BATCH, ignore_conflicts=True)
    return int(model._default_manager.count())


def _with_parents(model: type[models.Model], rows: list[models.Model]) -> list[models.Model]:
    """Leaves out rows with references to lost rows."""
    for field in model._meta.concrete_fields:
        if isinstance(field, models.ForeignKey):
            known = set(field.related_model._default_manager.values_list("pk", flat=True))
            rows = [row for row in rows if getattr(row, field.attname) in known]
    return rows


def _rows(database: Path, table: str, columns: list[str]) -> Iterator[tuple[Any, ...]]:
    """Yields the readable rows: from the beginning, after damaged pages, and from the end."""
    names = ", ".join(f'"{column}"' for column in columns)
    question = f'SELECT rowid, {names} FROM "{table}"'  # noqa: S608  (names of our own models)
    found: dict[int, tuple[Any, ...]] = {}
    with _open(database) as connection:
        whole = _read(connection, f"{question} ORDER BY rowid", (), found)
        if not whole:
            last = max(found, default=0)
            for leap in _LEAPS:
                _read(connection, f"{question} WHERE rowid >= ? ORDER BY rowid", (last + leap,), found)
            _read(connection, f"{question} ORDER BY rowid DESC", (), found)
    for number in sorted(found):
        yield found[number]


def _read(
    connection: sqlite3.Connection, question: str, values: tuple[int, ...], found: dict[int, tuple[Any, ...]]
) -> bool:
    """Adds rows by number. Returns whether it reached the end without an error."""
    try:
        for number, *row in connection.execute(question, values):
            found[number] = tuple(row)
    except sqlite3.Error:
        return False
    return True


_NUMBERS: Mapping[type, type | tuple[type, ...]] = {models.FloatField: (float, int), models.IntegerField: int}


def _value(field: models.Field[Any, Any], raw: object) -> object:
    """Returns the Python value of a stored field.

    Raises:
        ValueError: the dashboard never writes such a value, so it is damaged.
    """
    if raw is None:
        if not field.null:
            raise ValueError(field.name)
        return None
    if isinstance(field, models.JSONField | models.UUIDField | models.CharField | models.TextField):
        return _text_value(field, raw)
    if isinstance(field, models.ForeignKey):
        return _value(field.target_field, raw)
    if isinstance(field, models.BooleanField):
        if raw in (0, 1):
            return bool(raw)
        raise ValueError(field.name)
    kinds = next(kinds for kind, kinds in _NUMBERS.items() if isinstance(field, kind))
    if not isinstance(raw, kinds):
        raise ValueError(field.name)
    return raw


def _text_value(field: models.Field[Any, Any], raw: object) -> object:
    if not isinstance(raw, bytes):
        raise ValueError(field.name)
    if isinstance(field, models.JSONField):
        return orjson.loads(raw)
    text = raw.decode()
    if isinstance(field, models.UUIDField):
        return uuid.UUID(text)
    if field.max_length is not None and len(text) > field.max_length:
        raise ValueError(field.name)
    if field.choices and text not in dict(field.flatchoices):
        raise ValueError(field.name)
    return text
