"""SQL expressions that Django does not have, for SQLite and PostgreSQL. Used by `values` and the compiler.

Names of parameters are free text, so they are passed to the database as parameters. They are put into a JSON path,
which is itself a parameter, only if they have no characters with a meaning there.
"""

from __future__ import annotations

import re
from typing import Any, ClassVar

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import BooleanField, FloatField, Func, TextField, Value
from django.db.models.sql.compiler import SQLCompiler

_Sql = tuple[str, list[Any]]
# Names whose characters a JSON text does not escape.
_PLAIN = re.compile(r"[ !#-\[\]-~]+")


class _Template(Func):
    """SQL with placeholders for its arguments, each used once and in order."""

    sqlite: ClassVar[str]
    postgresql: ClassVar[str]

    def as_sqlite(  # type: ignore[override]  # the stubs know lists of parameters elsewhere only
        self, compiler: SQLCompiler, connection: BaseDatabaseWrapper, **context: Any
    ) -> _Sql:
        """Called by Django."""
        return self._filled(compiler, self.sqlite)

    def as_postgresql(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper, **context: Any) -> _Sql:
        """Called by Django."""
        return self._filled(compiler, self.postgresql)

    def _filled(self, compiler: SQLCompiler, template: str) -> _Sql:
        parts = [compiler.compile(argument) for argument in self.get_source_expressions()]
        return template.format(*(sql for sql, _ in parts)), [value for _, values in parts for value in values]


class _JsonItem(_Template):
    """The value under a name of a JSON object. In SQLite a path is twice as fast as a search of all items."""

    by_path: ClassVar[str]

    def as_sqlite(  # type: ignore[override]  # as above
        self, compiler: SQLCompiler, connection: BaseDatabaseWrapper, **context: Any
    ) -> _Sql:
        """Called by Django."""
        column, name = self.get_source_expressions()
        # SQLite compares the characters of a path with those of the JSON text, in which others are escaped.
        if not isinstance(name, Value) or not _PLAIN.fullmatch(str(name.value)):
            return super().as_sqlite(compiler, connection, **context)
        sql, values = compiler.compile(column)
        places = self.by_path.count("{item}")
        return self.by_path.format(item=f"{sql}, %s"), [*values, f'$."{name.value}"'] * places


class JsonNumber(_JsonItem):
    """The number under a name of a JSON object (infinities are stored as words), or null for any other value."""

    output_field = FloatField()
    by_path = (
        "(CASE json_type({item}) WHEN 'real' THEN json_extract({item})"
        " WHEN 'integer' THEN CAST(json_extract({item}) AS REAL)"
        " WHEN 'text' THEN CASE json_extract({item}) WHEN 'Infinity' THEN 9e999 WHEN '-Infinity' THEN -9e999 END END)"
    )
    sqlite = (
        "(SELECT CASE WHEN type IN ('integer', 'real') THEN CAST(value AS REAL) WHEN type <> 'text' THEN NULL"
        " WHEN value = 'Infinity' THEN 9e999 WHEN value = '-Infinity' THEN -9e999 END"
        " FROM json_each({}) WHERE key = {} LIMIT 1)"
    )
    # Integers may be larger than any float, and PostgreSQL refuses to cast them.
    postgresql = (
        "(SELECT CASE WHEN jsonb_typeof(item) = 'number' THEN"
        " LEAST(GREATEST((item #>> '{{}}')::numeric, -1.7e308::numeric), 1.7e308::numeric)::float8"
        " WHEN item IN ('\"Infinity\"'::jsonb, '\"-Infinity\"'::jsonb) THEN (item #>> '{{}}')::float8 END"
        " FROM (SELECT {} -> ({})::text AS item) AS items)"
    )


class JsonText(_JsonItem):
    """The text under a name of a JSON object, or null. Booleans are the words true and false."""

    output_field = TextField()
    by_path = (
        "(CASE json_type({item}) WHEN 'text' THEN json_extract({item})"
        " WHEN 'true' THEN 'true' WHEN 'false' THEN 'false' END)"
    )
    sqlite = (
        "(SELECT CASE WHEN type = 'text' THEN value WHEN type IN ('true', 'false') THEN type END"
        " FROM json_each({}) WHERE key = {} LIMIT 1)"
    )
    postgresql = (
        "(SELECT CASE WHEN jsonb_typeof(item) IN ('string', 'boolean') THEN item #>> '{{}}' END"
        " FROM (SELECT {} -> ({})::text AS item) AS items)"
    )


class NotEqual(_Template):
    """Whether two values exist and differ."""

    output_field = BooleanField()
    sqlite = postgresql = "({} <> {})"


class ItemEquals(_Template):
    """Whether a text of a JSON list equals a text."""

    output_field = BooleanField()
    sqlite = "EXISTS (SELECT 1 FROM json_each({}) WHERE value = {})"
    postgresql = "EXISTS (SELECT 1 FROM jsonb_array_elements_text({}) AS items(item) WHERE item = ({})::text)"


class ItemLike(_Template):
    """Whether a text of a JSON list matches a LIKE pattern."""

    output_field = BooleanField()
    sqlite = "EXISTS (SELECT 1 FROM json_each({}) WHERE value LIKE {} ESCAPE '\\')"
    postgresql = (
        "EXISTS (SELECT 1 FROM jsonb_array_elements_text({}) AS items(item) WHERE item ILIKE ({})::text ESCAPE '\\')"
    )


class TextLike(_Template):
    """Whether a text matches a LIKE pattern, ignoring case."""

    output_field = BooleanField()
    sqlite = "({} LIKE {} ESCAPE '\\')"
    postgresql = "({} ILIKE ({})::text ESCAPE '\\')"


def text(value: str) -> Value:
    """Returns a text as a parameter."""
    return Value(value, output_field=TextField())


def glob_pattern(glob: str) -> Value:
    """Returns the LIKE pattern of a pattern with `*` and `?`."""
    return text(_escaped(glob).replace("*", "%").replace("?", "_"))


def part_pattern(part: str) -> Value:
    """Returns the LIKE pattern of texts that contain `part`."""
    return text(f"%{_escaped(part)}%")


def _escaped(plain: str) -> str:
    return plain.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
