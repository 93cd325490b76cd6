"""Splits the text of a query into tokens with places. Used by the parser."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto

from mindinsight.runs.search.errors import QueryError, Span

MAX_LENGTH = 4000
KEYWORDS = ("and", "or", "not", "in")
# The suffixes of numbers, and their factors (seconds for times).
UNITS = {
    "ms": 1e-3,
    "s": 1.0,
    "min": 60.0,
    "h": 3600.0,
    "d": 86400.0,
    "w": 604800.0,
    "k": 1e3,
    "M": 1e6,
    "G": 1e9,
    "T": 1e12,
    "%": 1e-2,
}

_SIGNS = ("<=", ">=", "==", "!=", "<", ">", "=", "~", ":", "(", ")", ",")
_IN_WORDS = frozenset("_./-*?@#+%&$")
_NUMBER = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)([A-Za-z%]*)", re.ASCII)


class Type(Enum):
    """The type of a token."""

    WORD = auto()
    QUOTED = auto()
    NUMBER = auto()
    SIGN = auto()
    KEYWORD = auto()
    END = auto()


@dataclass(frozen=True)
class Token:
    """A token of a query.

    Attributes:
        type: its type.
        text: a word unchanged, a text without its quotes, or a sign or keyword in its normal spelling.
        span: its place.
        number: value of a number, in seconds for a time; 0 for other types.
    """

    type: Type
    text: str
    span: Span
    number: float = 0.0


def tokenize(query: str) -> list[Token]:
    """Returns the tokens of a query. The last one is the end token.

    Raises:
        QueryError: the query is too long, a quote is not closed, or a character is invalid.
    """
    if len(query) > MAX_LENGTH:
        raise QueryError(Span(MAX_LENGTH, len(query) - MAX_LENGTH), "most_characters", most=MAX_LENGTH)
    return [*_tokens(query), Token(Type.END, "", Span(len(query), 0))]


def _tokens(query: str) -> Iterator[Token]:
    at = 0
    while at < len(query):
        if query[at].isspace():
            at += 1
            continue
        token = _quoted(query, at) if query[at] in "\"'" else _sign(query, at) or _word(query, at)
        yield token
        at += token.span.length


def _sign(query: str, at: int) -> Token | None:
    sign = next((sign for sign in _SIGNS if query.startswith(sign, at)), None)
    if sign is None:
        return None
    return Token(Type.SIGN, "=" if sign == "==" else sign, Span(at, len(sign)))


def _quoted(query: str, at: int) -> Token:
    quote, end = query[at], at + 1
    letters: list[str] = []
    while end < len(query) and query[end] != quote:
        end += query[end] == "\\"
        letters += query[end : end + 1]
        end += 1
    if end >= len(query):
        raise QueryError(Span(at, len(query) - at), "closing_quote", quote=quote)
    if "\0" in letters:
        raise QueryError(Span(at, end + 1 - at), "no_null")
    return Token(Type.QUOTED, "".join(letters), Span(at, end + 1 - at))


def _word(query: str, at: int) -> Token:
    end = at
    while end < len(query) and (query[end].isalnum() or query[end] in _IN_WORDS):
        end += 1
    text, span = query[at:end], Span(at, end - at)
    if not text:
        raise QueryError(Span(at, 1), "quotes", sign=repr(query[at]))
    if text.lower() in KEYWORDS:
        return Token(Type.KEYWORD, text.lower(), span)
    number = _number(text, span)
    return Token(Type.WORD, text, span) if number is None else Token(Type.NUMBER, text, span, number)


def _number(text: str, span: Span) -> float | None:
    """Returns the number in `text`, or None if it is a word."""
    found = _NUMBER.fullmatch(text)
    if found is None or (found[2] and found[2] not in UNITS):
        return None
    number = float(found[1]) * UNITS.get(found[2], 1.0)
    if not math.isfinite(number):
        raise QueryError(span, "smaller_number")
    return number
