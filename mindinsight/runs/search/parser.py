"""Parses a query by recursive descent, one method for each rule of docs/reference/queries.md. Used by the views of
runs.

query   = or
or      = and { "or" and }
and     = not { "and" not }
not     = { "not" } term
term    = "(" or ")" | operand [ comparison ] | text
"""

from __future__ import annotations

from dataclasses import dataclass

from mindinsight.runs.search import comparisons
from mindinsight.runs.search.cursor import Cursor
from mindinsight.runs.search.errors import QueryError, Span
from mindinsight.runs.search.operands import read_operand
from mindinsight.runs.search.tokens import Type
from mindinsight.runs.search.tree import All, AnyOf, Column, Containing, Field, Flag, Not, Operand, SortKey, Term
from mindinsight.runs.search.vocabulary import FIELDS, Holds

MAX_DEPTH = 12
MAX_TERMS = 64
MAX_SORT_KEYS = 4
MAX_COLUMNS = 40


def parse(query: str) -> Term:
    """Returns the tree of a query. An empty query matches every run.

    Raises:
        QueryError: the query is invalid.
    """
    # An error at the end is placed after the last word, not after trailing spaces.
    cursor = Cursor(query.rstrip(" "))
    if cursor.token.type is Type.END:
        return All(())
    term = _Parser(cursor).either()
    cursor.demand_end("join_or_end")
    return term


@dataclass(frozen=True)
class PlacedOperand:
    """An operand of a query, its place, and the place of its condition."""

    operand: Operand
    place: Span
    condition: Span


def placed_operands(query: str) -> list[PlacedOperand]:
    """Returns the operands of a query's comparisons, in order.

    Raises:
        QueryError: the query is invalid.
    """
    cursor = Cursor(query.rstrip(" "))
    if cursor.token.type is Type.END:
        return []
    parser = _Parser(cursor)
    parser.either()
    cursor.demand_end("join_or_end")
    return parser.operands


def parse_sort(text: str) -> list[SortKey]:
    """Parses an order: names separated by commas, with `-` before a name for descending order.

    Raises:
        QueryError: the text is invalid.
    """
    keys = []
    for part, start in _parts(text, MAX_SORT_KEYS):
        descending = part.startswith("-")
        keys.append(SortKey(_operand(part[descending:], start + descending), descending))
    return keys


def parse_columns(text: str) -> list[Column]:
    """Parses the values of rows: names separated by commas.

    Raises:
        QueryError: the text is invalid.
    """
    return [Column(part, _operand(part, start)) for part, start in _parts(text, MAX_COLUMNS)]


class _Parser:
    """The rules of the grammar.

    Args:
        cursor: the cursor, before the first token.
    """

    def __init__(self, cursor: Cursor) -> None:
        self._cursor = cursor
        self._depth = 0
        self._terms = 0
        self.operands: list[PlacedOperand] = []

    def either(self) -> Term:
        terms = [self._both()]
        while self._cursor.skip("or"):
            terms.append(self._both())
        return terms[0] if len(terms) == 1 else AnyOf(tuple(terms))

    def _both(self) -> Term:
        terms = [self._negation()]
        while self._cursor.skip("and"):
            terms.append(self._negation())
        return terms[0] if len(terms) == 1 else All(tuple(terms))

    def _negation(self) -> Term:
        negative = False
        while self._cursor.skip("not"):
            negative = not negative
        term = self._term()
        return Not(term) if negative else term

    def _term(self) -> Term:
        token = self._cursor.token
        self._terms += 1
        if self._terms > MAX_TERMS:
            raise QueryError(token.span, "most_conditions", most=MAX_TERMS)
        if self._cursor.skip("("):
            return self._group(token.span)
        if token.type not in (Type.WORD, Type.QUOTED, Type.NUMBER):
            raise QueryError(token.span, "condition")
        if self._stands_alone():
            return self._text()
        if token.type is Type.NUMBER:
            raise QueryError(token.span, "name_in_front")
        operand = read_operand(self._cursor)
        place = token.span.to(self._cursor.behind)
        comparison = comparisons.read(self._cursor, operand, place)
        self.operands.append(PlacedOperand(operand, place, token.span.to(self._cursor.behind)))
        return comparison

    def _group(self, opening: Span) -> Term:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise QueryError(opening, "most_parentheses", most=MAX_DEPTH)
        term = self.either()
        self._cursor.demand(")", "join_or_closing")
        self._depth -= 1
        return term

    def _stands_alone(self) -> bool:
        following = self._cursor.following
        return following.type is Type.END or (
            following.text in ("and", "or", ")")
            and following.type
            in (
                Type.KEYWORD,
                Type.SIGN,
            )
        )

    def _text(self) -> Term:
        """A single word is a mark that is set, or a part of the name."""
        token = self._cursor.take()
        if token.type is Type.WORD and FIELDS.get(token.text) is Holds.FLAG:
            return Flag(Field(token.text))
        return Containing(Field("name"), token.text)


def _parts(text: str, at_most: int) -> list[tuple[str, int]]:
    """Returns the texts between commas outside quotes, and their start positions."""
    tokens = Cursor(text)
    parts: list[tuple[str, int]] = []
    begin = 0
    while tokens.token.type is not Type.END:
        comma = tokens.take()
        if comma.type is Type.SIGN and comma.text == ",":
            parts.append((text[begin : comma.span.position], begin))
            begin = comma.span.position + 1
    if text.strip():
        parts.append((text[begin:], begin))
    if len(parts) > at_most:
        raise QueryError(Span(parts[at_most][1], len(text) - parts[at_most][1]), "most_names", most=at_most)
    return [(part.strip(), start + len(part) - len(part.lstrip())) for part, start in parts]


def _operand(text: str, start: int) -> Operand:
    """Parses one operand. Errors have places in the whole text."""
    try:
        cursor = Cursor(text)
        if cursor.token.type not in (Type.WORD, Type.QUOTED):
            raise QueryError(cursor.token.span, "name")
        operand = read_operand(cursor)
        cursor.demand_end("comma_or_end")
    except QueryError as error:
        span = Span(error.span.position + start, error.span.length)
        raise QueryError(span, error.code, **error.values) from None
    if isinstance(operand, Field) and FIELDS[operand.name] is Holds.WORDS:
        raise QueryError(Span(start, len(text)), "one_value")
    return operand
