"""What a query says, as a tree: made by the parser, turned into a condition for the database by the compiler."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Source = Literal["any", "param", "metric"]
Function = Literal["last", "min", "max", "mean"]
Comparator = Literal["<", "<=", ">", ">=", "=", "!="]
Value = float | str


@dataclass(frozen=True)
class Field:
    """Something that every run has a place for, such as its state; see `vocabulary.FIELDS`."""

    name: str


@dataclass(frozen=True)
class Name:
    """A parameter or a metric; `any` is the first of parameter, noted metric and last value of a scalar tag."""

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
    """An operand against a number or a text; false where the run lacks it, or has something of the other kind."""

    left: Operand
    comparator: Comparator
    right: Value


@dataclass(frozen=True)
class Among:
    """An operand that equals one of several values."""

    left: Operand
    values: tuple[Value, ...]


@dataclass(frozen=True)
class Like:
    """An operand's text against a pattern, upper and lower case alike: `*` is any text, `?` any one character."""

    left: Operand
    pattern: str


@dataclass(frozen=True)
class Containing:
    """An operand's text has another in it, upper and lower case alike."""

    left: Operand
    part: str


@dataclass(frozen=True)
class Flag:
    """A mark that is set."""

    field: Field


@dataclass(frozen=True)
class Not:
    """What does not hold."""

    term: Term


@dataclass(frozen=True)
class All:
    """What holds altogether; nothing always holds."""

    terms: tuple[Term, ...]


@dataclass(frozen=True)
class AnyOf:
    """What holds at least once."""

    terms: tuple[Term, ...]


Term = Comparison | Among | Like | Containing | Flag | Not | All | AnyOf


@dataclass(frozen=True)
class SortKey:
    """What rows are ordered by."""

    operand: Operand
    descending: bool


@dataclass(frozen=True)
class Column:
    """A value that rows shall carry, under the text that asked for it."""

    title: str
    operand: Operand
