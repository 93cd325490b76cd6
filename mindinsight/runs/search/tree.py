"""The tree of a query: made by the parser, compiled to a database condition by the compiler."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Source = Literal["any", "param", "metric"]
Function = Literal["last", "min", "max", "mean"]
Comparator = Literal["<", "<=", ">", ">=", "=", "!="]
Value = float | str


@dataclass(frozen=True)
class Field:
    """A field that every run has, such as its state; see `vocabulary.FIELDS`."""

    name: str


@dataclass(frozen=True)
class Name:
    """A parameter or a metric. `any` is the first of parameter, recorded metric and last value of a scalar tag."""

    name: str
    source: Source = "any"


@dataclass(frozen=True)
class Call:
    """A figure of a scalar tag."""

    function: Function
    tag: str


Operand = Field | Name | Call


@dataclass(frozen=True)
class Comparison:
    """Compares an operand with a number or a text. False if the run has no value or one of the other type."""

    left: Operand
    comparator: Comparator
    right: Value


@dataclass(frozen=True)
class Among:
    """An operand equals one of several values."""

    left: Operand
    values: tuple[Value, ...]


@dataclass(frozen=True)
class Like:
    """An operand's text matches a pattern, ignoring case: `*` is any text, `?` any one character."""

    left: Operand
    pattern: str


@dataclass(frozen=True)
class Containing:
    """An operand's text contains another, ignoring case."""

    left: Operand
    part: str


@dataclass(frozen=True)
class Flag:
    """A mark is set."""

    field: Field


@dataclass(frozen=True)
class Not:
    """The negation of a term."""

    term: Term


@dataclass(frozen=True)
class All:
    """All terms hold. Without terms it is true."""

    terms: tuple[Term, ...]


@dataclass(frozen=True)
class AnyOf:
    """At least one term holds."""

    terms: tuple[Term, ...]


Term = Comparison | Among | Like | Containing | Flag | Not | All | AnyOf


@dataclass(frozen=True)
class SortKey:
    """A key of the order of rows."""

    operand: Operand
    descending: bool


@dataclass(frozen=True)
class Column:
    """A value of rows, with the text of its request."""

    title: str
    operand: Operand
