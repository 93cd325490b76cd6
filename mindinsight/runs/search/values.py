"""The database expression of an operand: a number, a text, or null if a run has no value.

Used by the compiler, for sorting, and for values of rows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

from django.db.models import (
    Case,
    Exists,
    F,
    FloatField,
    Max,
    Min,
    OuterRef,
    QuerySet,
    Subquery,
    Sum,
    TextField,
    Value,
    When,
)
from django.db.models.functions import Abs, Cast, Coalesce, Greatest, Least, NullIf

from mindinsight.api.json_numbers import json_number
from mindinsight.runs.models import EventFile, RunMarks, Series
from mindinsight.runs.search.expressions import JsonNumber, JsonText, text
from mindinsight.runs.search.tree import Call, Column, Field, Function, Name, Operand
from mindinsight.runs.search.vocabulary import FIELDS, Holds, best_of
from summaries.kinds import Kind

Sql = Any
"""A Django expression. Django's own types differ from class to class."""

ColumnValue = float | str | bool | None
_NUMBERS = {
    "step": "last_step",
    "points": "point_count",
    "disk": "bytes_on_disk",
    "started": "first_wall",
    "updated": "last_wall",
}
_TEXTS = {"state": "state", "writer": "writer"}


def number_of(operand: Operand) -> Sql:
    """Returns the operand as a number; null for runs without one."""
    match operand:
        case Call(function, tag):
            return Coalesce(_FIGURES[function](tag), JsonNumber(F("metrics"), text(tag)))
        case Name(name, "param"):
            return JsonNumber(F("params"), text(name))
        case Name(name, "metric"):
            return Coalesce(JsonNumber(F("metrics"), text(name)), _last(name))
        case Name(name, _):
            noted = [JsonNumber(F(column), text(name)) for column in ("params", "metrics")]
            return Coalesce(*noted, _last(name))
        case Field(name):
            return _field_number(name)


def text_of(operand: Operand) -> Sql:
    """Returns the operand as a text; null for runs without one."""
    match operand:
        case Name(name, "any"):
            return Coalesce(JsonText(F("params"), text(name)), JsonText(F("metrics"), text(name)))
        case Name(name, source):
            return JsonText(F(f"{source}s"), text(name))
        case Field("name"):
            return Coalesce(NullIf(Cast(_mark("display_name"), TextField()), text("")), directory())
        case Field("note"):
            return NullIf(_mark("note"), text(""))
        case Field(name) if name in _TEXTS:
            return Cast(F(_TEXTS[name]), TextField())
    return Value(None, output_field=TextField())


def directory() -> Sql:
    """Returns a run's path relative to the base directory, whatever name a user gave it."""
    return Cast(F("name"), TextField())


def has_mark(*conditions: Sql, **values: object) -> Exists:
    """Returns whether a run's marks match the conditions and values; false without marks."""
    return Exists(RunMarks.objects.filter(*conditions, run=OuterRef("name"), **values))


def best_direction(operand: Operand) -> Literal["min", "max"] | None:
    """Returns which values of an operand are better: higher, lower, or unknown."""
    match operand:
        case Call(_, tag):
            return best_of(tag)
        case Name(name, source) if source != "param":
            return best_of(name)
    return None


def value_annotations(columns: Sequence[Column]) -> dict[str, Sql]:
    """Returns the annotations of a query of runs that `columns_of` needs for the values of columns."""
    annotations: dict[str, Sql] = {}
    for index, column in enumerate(columns):
        annotations[f"column_{index}_number"] = number_of(column.operand)
        annotations[f"column_{index}_text"] = text_of(column.operand)
        if (tag := _last_of(column.operand)) is not None:
            annotations[f"column_{index}_nan"] = Exists(_series(tag).filter(last_value__isnull=True))
    return annotations


def columns_of(run: Mapping[str, Any], columns: Sequence[Column]) -> Mapping[str, ColumnValue]:
    """Returns the values of columns of an annotated run, by the requested texts."""
    return {column.title: shown(run, index, column) for index, column in enumerate(columns)}


def shown(run: Mapping[str, Any], index: int, column: Column) -> ColumnValue:
    """Returns the value of one column of an annotated run. A newest value that is not finite is a word."""
    number: float | None = run[f"column_{index}_number"]
    if isinstance(column.operand, Field) and FIELDS[column.operand.name] is Holds.FLAG:
        return bool(number)
    if number is not None:
        return json_number(number)
    text: str | None = run[f"column_{index}_text"]
    return "NaN" if text is None and run.get(f"column_{index}_nan") else text


def _last_of(operand: Operand) -> str | None:
    """Returns the scalar tag whose newest value the operand may be. Its null means NaN."""
    match operand:
        case Call("last", tag):
            return tag
        case Name(name, "any" | "metric"):
            return name
    return None


def _field_number(name: str) -> Sql:
    if FIELDS[name] is Holds.FLAG:
        return Case(When(has_mark(**{name: True}), then=Value(1.0)), default=Value(0.0), output_field=FloatField())
    if name == "duration":
        return F("last_wall") - F("first_wall")
    if name == "size":
        files = EventFile.objects.filter(run=OuterRef("pk")).order_by().values("run")
        return Cast(Subquery(files.annotate(size=Sum("size")).values("size")), FloatField())
    if name == "colour":
        return Cast(_mark("colour"), FloatField())
    if name == "icon":
        return NullIf(Cast(_mark("icon"), FloatField()), Value(0.0))
    if name in _NUMBERS:
        return Cast(F(_NUMBERS[name]), FloatField())
    return Value(None, output_field=FloatField())


def _mark(column: str) -> Subquery:
    return Subquery(RunMarks.objects.filter(run=OuterRef("name")).values(column)[:1])


def _series(tag: str) -> QuerySet[Series]:
    return Series.objects.filter(run=OuterRef("pk"), kind=Kind.SCALAR.value, tag=tag, count__gt=0)


def _last(tag: str) -> Subquery:
    """The value in lists of runs: the last step of the newest segment. Null means NaN."""
    newest = _series(tag).order_by("-segment", F("last_step").desc(nulls_last=True), "-last_wall", "-pk")
    return Subquery(newest.values("last_value")[:1])


def _extreme(tag: str, extreme: Min | Max) -> Subquery:
    """The lowest or highest finite value of all segments."""
    return Subquery(_series(tag).order_by().values("run").annotate(extreme=extreme).values("extreme"))


def _mean(tag: str) -> Subquery:
    """The mean of all finite values of all segments.

    A series that an older version has read has no sum. A mean outside the range of its values is therefore ignored.
    Rounding may place a mean outside by up to a billionth.
    """
    found = _series(tag).order_by().values("run").annotate(finite=Sum(F("count") - F("not_finite")))
    found = found.filter(finite__gt=0).annotate(low=Min("min"), high=Max("max"))
    found = found.annotate(mean=Cast(Sum("sum"), FloatField()) / Cast(F("finite"), FloatField()))
    room = (Abs(F("low")) + Abs(F("high"))) * Value(1e-9)
    inside = found.filter(mean__gte=F("low") - room, mean__lte=F("high") + room)
    return Subquery(inside.annotate(held=Least(Greatest(F("mean"), F("low")), F("high"))).values("held"))


_FIGURES: dict[Function, Callable[[str], Subquery]] = {
    "last": _last,
    "min": lambda tag: _extreme(tag, Min("min")),
    "max": lambda tag: _extreme(tag, Max("max")),
    "mean": _mean,
}
