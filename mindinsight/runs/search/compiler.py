"""Compiles the tree of a query to a database condition. Called by the views of runs.

If a run has no such value, a comparison is false and not unknown, so its negation is true.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

from django.db.models import BooleanField, F, FloatField, Q, TextField, Value
from django.db.models.functions import Cast, Coalesce, NullIf
from django.db.models.lookups import Exact, GreaterThan, GreaterThanOrEqual, LessThan, LessThanOrEqual

from mindinsight.runs.search.expressions import (
    ItemEquals,
    ItemLike,
    NotEqual,
    TextLike,
    glob_pattern,
    part_pattern,
    text,
)
from mindinsight.runs.search.parser import parse, parse_sort
from mindinsight.runs.search.spelling import respelled
from mindinsight.runs.search.tree import (
    All,
    Among,
    AnyOf,
    Comparison,
    Containing,
    Field,
    Flag,
    Like,
    Not,
    Operand,
    SortKey,
    Term,
)
from mindinsight.runs.search.tree import Value as Literal
from mindinsight.runs.search.values import Sql, directory, has_mark, number_of, text_of
from mindinsight.runs.search.vocabulary import FIELDS, Holds

_LOOKUPS: dict[str, Callable[[Any, Any], Any]] = {
    "<": LessThan,
    "<=": LessThanOrEqual,
    ">": GreaterThan,
    ">=": GreaterThanOrEqual,
    "=": Exact,
    "!=": NotEqual,
}

_NAME = Field("name")
"""A run is found by the name that a user gave it, and by its directory."""


def parse_condition(query: str) -> Q:
    """Returns the database condition of a query.

    Raises:
        QueryError: the query is invalid.
    """
    return condition(parse(query))


def parse_order(sort: str) -> list[Any]:
    """Returns the order of runs; the newest first if `sort` is empty.

    Raises:
        QueryError: `sort` is invalid.
    """
    return ordering(parse_sort(sort))


def condition(term: Term, now: float | None = None) -> Q:
    """Returns the database condition of a tree.

    Args:
        term: the tree.
        now: the origin of negative times, in seconds since 1970; default: the current time.
    """
    return _Compiler(time.time() if now is None else now).condition(respelled(term))


def ordering(keys: Sequence[SortKey]) -> list[Any]:
    """Returns the order of runs: numbers before texts, missing values last, and the newest run first among equals."""
    order: list[Any] = []
    for key in keys:
        for value in (number_of(key.operand), text_of(key.operand)):
            if isinstance(value, Value):  # One null for all.
                continue
            order.append(value.desc(nulls_last=True) if key.descending else value.asc(nulls_last=True))
    return [*order, "-opened", "name"]


class _Compiler:
    """Compiles terms, with the current time."""

    def __init__(self, now: float) -> None:
        self._now = now

    def condition(self, term: Term) -> Q:
        match term:
            case All(terms):
                return Q(*map(self.condition, terms))
            case AnyOf(terms):
                return Q(*map(self.condition, terms), _connector=Q.OR)
            case Not(inner):
                return ~self.condition(inner)
            case Flag(field):
                return Q(has_mark(**{field.name: True}))
            case Comparison(left, comparator, right):
                return self._comparison(left, comparator, right)
            case Among(left, values):
                return Q(*(self._comparison(left, "=", value) for value in values), _connector=Q.OR)
            case Like(left, pattern):
                return _like(left, glob_pattern(pattern))
            case Containing(left, part):
                return _like(left, part_pattern(part))

    def _comparison(self, left: Operand, comparator: str, right: Literal) -> Q:
        if _is_tag(left):
            return Q(has_mark(ItemEquals(F("tags"), text(str(right)))))
        if left == _NAME:
            called = Q(has_mark(_holds(Exact(_given_name(), text(str(right)))))) | _holds(
                Exact(directory(), text(str(right)))
            )
            return ~called if comparator == "!=" else called
        if isinstance(right, str):
            compared, value = text_of(left), text(right)
        else:
            compared, value = number_of(left), Value(self._moment(left, right), output_field=FloatField())
        return _holds(_LOOKUPS[comparator](compared, value))

    def _moment(self, left: Operand, number: float) -> float:
        """Negative times are relative to now."""
        is_time = isinstance(left, Field) and FIELDS[left.name] is Holds.TIME
        return self._now + number if is_time and number < 0 else number


def _like(left: Operand, pattern: Value) -> Q:
    if _is_tag(left):
        return Q(has_mark(ItemLike(F("tags"), pattern)))
    if left == _NAME:
        return _holds(TextLike(directory(), pattern)) | Q(has_mark(_holds(TextLike(_given_name(), pattern))))
    return _holds(TextLike(text_of(left), pattern))


def _given_name() -> Sql:
    """Returns the name that a user gave a run, in its marks; null where the user gave none."""
    return NullIf(Cast(F("display_name"), TextField()), text(""))


def _is_tag(operand: Operand) -> bool:
    return isinstance(operand, Field) and FIELDS[operand.name] is Holds.WORDS


def _holds(decision: Sql) -> Q:
    return Q(Coalesce(decision, Value(False), output_field=BooleanField()))
