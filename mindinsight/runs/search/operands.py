"""Parses an operand: a field, a parameter or metric, or a function of a scalar tag. Used by the parser.

operand = FIELD | [ ( "param" | "metric" ) ":" ] name | FUNCTION "(" name ")"
name    = WORD | QUOTED
"""

from __future__ import annotations

from mindinsight.runs.search.cursor import Cursor
from mindinsight.runs.search.errors import QueryError
from mindinsight.runs.search.tokens import Token, Type
from mindinsight.runs.search.tree import Call, Field, Function, Name, Operand, Source
from mindinsight.runs.search.vocabulary import FIELDS, FUNCTIONS, best_of

_SOURCES: dict[str, Source] = {"param": "param", "metric": "metric"}


def read_operand(cursor: Cursor) -> Operand:
    """Parses an operand, which begins with a word or quoted text.

    Raises:
        QueryError: the operand is invalid.
    """
    first = cursor.take()
    if first.type is Type.QUOTED:
        return Name(first.text)
    if cursor.meets("("):
        return _call(cursor, first)
    if first.text in _SOURCES and cursor.skip(":"):
        return Name(_name(cursor, "param_or_metric").text, _SOURCES[first.text])
    return Field(first.text) if first.text in FIELDS else Name(first.text)


def _call(cursor: Cursor, function: Token) -> Call:
    if function.text not in FUNCTIONS:
        raise QueryError(function.span, "function", choices=", ".join(FUNCTIONS))
    cursor.take()
    tag = _name(cursor, "scalar_tag")
    cursor.demand(")", "closing")
    return Call(_function(function.text, tag), tag.text)


def _function(name: str, tag: Token) -> Function:
    chosen = best_of(tag.text) if name == "best" else name
    if chosen is None:
        raise QueryError(tag.span, "known_best")
    return chosen  # type: ignore[return-value]  # one of FUNCTIONS


def _name(cursor: Cursor, code: str) -> Token:
    if cursor.token.type not in (Type.WORD, Type.QUOTED, Type.NUMBER):
        raise QueryError(cursor.token.span, code)
    return cursor.take()
