"""Writes many rows at once: inserts new ones, or updates those that are there by primary key.

Used by the ledger and by back-log tasks. Prepared statements for all rows: ten thousand take a tenth of the time of
Django's `bulk_create`, which builds an expression for each value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from itertools import repeat
from operator import attrgetter
from typing import Any

import orjson
from django.db import connection, models

# Where the database names no bound of its own.
_MOST_PARAMETERS = 20_000


def upsert(model: type[models.Model], rows: Iterable[object], fields: Sequence[str]) -> None:
    """Inserts rows or updates some of their fields.

    Args:
        model: their model.
        rows: anything that has the model's columns as attributes, the primary key too.
        fields: names of the fields that are updated where the row exists.

    Raises:
        django.db.Error: nothing is promised about what was written; call it inside a transaction.
    """
    statement, values = _statement(model, tuple(fields), connection.vendor)
    arguments = [values(row) for row in rows]
    if arguments:
        with connection.cursor() as cursor:
            cursor.executemany(statement, arguments)


def insert_columns(model: type[models.Model], count: int, columns: Mapping[str, Iterable[object]]) -> None:
    """Inserts new rows that are given as columns; their primary keys are among these.

    Args:
        model: their model.
        count: how many rows there are.
        columns: values by attribute of the model; where one is missing, all rows have the field's default.

    Raises:
        django.db.Error: nothing is promised about what was written; call it inside a transaction.
    """
    fields = list(model._meta.concrete_fields)
    given = [columns.get(field.attname) or repeat(field.get_default(), count) for field in fields]
    names, marks = ", ".join(_quoted(field) for field in fields), ", ".join(["%s"] * len(fields))
    table = connection.ops.quote_name(model._meta.db_table)
    with connection.cursor() as cursor:
        cursor.executemany(f"INSERT INTO {table} ({names}) VALUES ({marks})", list(zip(*given, strict=True)))  # noqa: S608


def insert(model: type[models.Model], rows: Sequence[models.Model]) -> None:
    """Inserts new rows, to which the database gives their primary keys.

    Args:
        model: their model.
        rows: instances of it; they know their keys afterwards.

    Raises:
        django.db.Error: nothing is promised about what was written; call it inside a transaction.
    """
    columns = [field for field in model._meta.concrete_fields if not field.primary_key]
    values = _taker(columns)
    at_once = max(1, (connection.features.max_query_params or _MOST_PARAMETERS) // len(columns))
    for first in range(0, len(rows), at_once):
        part = rows[first : first + at_once]
        with connection.cursor() as cursor:
            cursor.execute(_insertion(model, columns, len(part)), [value for row in part for value in values(row)])
            for row, (number,) in zip(part, cursor.fetchall(), strict=True):
                row.pk = number
                row._state.adding, row._state.db = False, connection.alias


def _insertion(model: type[models.Model], columns: Sequence[models.Field[Any, Any]], count: int) -> str:
    table, key = connection.ops.quote_name(model._meta.db_table), _quoted(model._meta.pk)
    names = ", ".join(_quoted(field) for field in columns)
    marks = f"({', '.join(['%s'] * len(columns))})"
    return f"INSERT INTO {table} ({names}) VALUES {', '.join([marks] * count)} RETURNING {key}"  # noqa: S608  (names of our own models)


@cache
def _statement(
    model: type[models.Model], fields: tuple[str, ...], vendor: str
) -> tuple[str, Callable[[object], list[Any]]]:
    """The SQL, and what takes the values out of a row. SQLite and PostgreSQL share this dialect."""
    columns = list(model._meta.concrete_fields)
    names = ", ".join(_quoted(field) for field in columns)
    marks = ", ".join(["%s"] * len(columns))
    updated = [_quoted(field) for field in columns if field.name in fields]
    changes = ", ".join(f"{column} = excluded.{column}" for column in updated)
    table, key = connection.ops.quote_name(model._meta.db_table), _quoted(model._meta.pk)
    statement = f"INSERT INTO {table} ({names}) VALUES ({marks}) ON CONFLICT ({key}) DO UPDATE SET {changes}"  # noqa: S608  (names of our own models)
    return statement, _taker(columns)


def _quoted(field: models.Field[Any, Any]) -> str:
    return connection.ops.quote_name(field.column or field.name)


def _taker(columns: Sequence[models.Field[Any, Any]]) -> Callable[[object], list[Any]]:
    take = attrgetter(*(field.attname for field in columns))
    special = [(place, _PREPARED[type(field)]) for place, field in enumerate(columns) if type(field) in _PREPARED]

    def values(row: object) -> list[Any]:
        taken = list(take(row))
        for place, prepare in special:
            taken[place] = prepare(taken[place])
        return taken

    return values


def _json(value: object) -> str | None:
    return None if value is None else orjson.dumps(value, option=orjson.OPT_NON_STR_KEYS).decode()


# What is not passed to the database as it is; both databases take text for JSON and for a UUID without hyphens.
_PREPARED: dict[type[models.Field[Any, Any]], Callable[[Any], Any]] = {
    models.JSONField: _json,
    models.UUIDField: lambda value: value.hex,
}
