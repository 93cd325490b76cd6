"""Parses the right side of a comparison, and rejects values that make no sense for the operand. Used by the parser.

comparison = ( "<" | "<=" | ">" | ">=" | "=" | "!=" ) value | ":" value | "~" pattern
           | "in" "(" value { "," value } ")"
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import get_args

from mindinsight.runs.search.cursor import Cursor
from mindinsight.runs.search.errors import QueryError, Span
from mindinsight.runs.search.tokens import Token, Type
from mindinsight.runs.search.tree import (
    Among,
    Call,
    Comparator,
    Comparison,
    Containing,
    Field,
    Flag,
    Like,
    Not,
    Operand,
    Term,
    Value,
)
from mindinsight.runs.search.vocabulary import CHOICES, FIELDS, Holds

MAX_AMONG = 100

_ORDER = ("<", "<=", ">", ">=")
_VALUES = (Type.NUMBER, Type.WORD, Type.QUOTED)


def read(cursor: Cursor, left: Operand, place: Span) -> Term:
    """Parses the rest of a comparison.

    Args:
        cursor: the cursor, after the operand.
        left: the operand.
        place: the place of the operand.

    Raises:
        QueryError: there is no comparison, or it makes no sense for the operand.
    """
    sign = cursor.token
    if sign.type is Type.SIGN and sign.text in get_args(Comparator):
        cursor.take()
        return _comparison(cursor, left, sign.text, sign.span)
    if cursor.skip("in"):
        return _among(cursor, left)
    if cursor.skip("~"):
        return _like(cursor, left, place)
    if cursor.skip(":"):
        return _labelled(cursor, left, place)
    raise QueryError(sign.span, "comparison")


def _comparison(cursor: Cursor, left: Operand, sign: str, place: Span) -> Term:
    holds = _holds(left)
    if sign in _ORDER and holds in (Holds.TEXT, Holds.WORDS, Holds.FLAG):
        raise QueryError(place, "no_order")
    if holds is Holds.WORDS and sign == "!=":
        raise QueryError(place, "not_tag")
    token = _value_token(cursor, holds)
    if holds is Holds.FLAG:
        return _flag(left, token, sign == "=")
    value = _value(left, holds, token)
    if sign in _ORDER and isinstance(value, str):
        raise QueryError(token.span, "number")
    return Comparison(left, sign, value)  # type: ignore[arg-type]  # the caller knows the sign


def _flag(left: Operand, token: Token, positive: bool) -> Term:
    if token.text not in ("true", "false") or not isinstance(left, Field):
        raise QueryError(token.span, "flag")
    return Flag(left) if (token.text == "true") == positive else Not(Flag(left))


def _among(cursor: Cursor, left: Operand) -> Term:
    holds = _holds(left)
    if holds is Holds.FLAG:
        raise QueryError(cursor.behind, "mark_alone")
    cursor.demand("(", "values_in_parentheses")
    values = [_value(left, holds, _value_token(cursor, holds))]
    while cursor.skip(","):
        if len(values) == MAX_AMONG:
            raise QueryError(cursor.token.span, "most_values", most=MAX_AMONG)
        values.append(_value(left, holds, _value_token(cursor, holds)))
    cursor.demand(")", "comma_or_closing")
    return Among(left, tuple(values))


def _like(cursor: Cursor, left: Operand, place: Span) -> Term:
    if _holds(left) not in (Holds.TEXT, Holds.WORDS, None):
        raise QueryError(place, "text_before_pattern")
    if cursor.token.type not in _VALUES:
        raise QueryError(cursor.token.span, "pattern")
    return Like(left, cursor.take().text)


def _labelled(cursor: Cursor, left: Operand, place: Span) -> Term:
    """Parses `tag:seed`. For names and notes it means "contains", for all others "equals"."""
    holds = _holds(left)
    if not isinstance(left, Field) or holds in (Holds.NUMBER, Holds.TIME):
        raise QueryError(cursor.behind, "sign_or_quotes")
    token = _value_token(cursor, holds)
    if holds is Holds.FLAG:
        return _flag(left, token, positive=True)
    if left.name in ("name", "note"):
        return Containing(left, token.text)
    return Comparison(left, "=", _value(left, holds, token))


def _holds(left: Operand) -> Holds | None:
    """Returns the type of an operand, or None if it differs between runs."""
    if isinstance(left, Call):
        return Holds.NUMBER
    return FIELDS[left.name] if isinstance(left, Field) else None


def _value_token(cursor: Cursor, holds: Holds | None) -> Token:
    if cursor.token.type not in _VALUES:
        wanted = {Holds.NUMBER: "number", Holds.TIME: "time", Holds.FLAG: "flag"}
        raise QueryError(cursor.token.span, wanted.get(holds, "value") if holds else "value")
    return cursor.take()


def _value(left: Operand, holds: Holds | None, token: Token) -> Value:
    if holds in (Holds.TEXT, Holds.WORDS):
        return _choice(left, token)
    if token.type is Type.NUMBER:
        return token.number
    if holds is Holds.TIME:
        return _time(token)
    if holds is Holds.NUMBER:
        raise QueryError(token.span, "number")
    return token.text


def _choice(left: Operand, token: Token) -> str:
    choices = CHOICES.get(left.name) if isinstance(left, Field) else None
    if choices is not None and token.text not in choices:
        raise QueryError(token.span, "choice", choices=", ".join(choices))
    return token.text


def _time(token: Token) -> float:
    """Parses a date. Without a time it means midnight, without a time zone UTC."""
    try:
        moment = datetime.fromisoformat(token.text)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        raise QueryError(token.span, "time") from None
