"""Parses queries that search a graph: `type:Cast -in:attention /conv\\d/`. Used by `search`."""

from __future__ import annotations

import re
from dataclasses import dataclass

MOST_TERMS = 20
KEYS = ("type", "shape", "attr", "in", "source")

_TERM = re.compile(
    r"""\s*(?P<term>(?P<minus>-(?=[^\s-]))?(?:(?P<key>type|shape|attr|in|source):)?"""
    r"""(?:/(?P<regex>(?:\\.|[^/\\])*)(?P<closed>/)?(?=\s|$)|"(?P<quoted>[^"]*)(?P<end>")?|(?P<bare>[^\s"]\S*)?))"""
)
_NESTED = re.compile(r"\((?:[^()\\]|\\.)*[*+}](?:[^()\\]|\\.)*\)\s*[*+{]")
_SHAPE = re.compile(r"^[\[(]?\s*(?:(?:\d+|[?*])(?:\s*[,x]\s*(?:\d+|[?*]))*\s*,?)?\s*[\])]?$")


class TermError(Exception):
    """A term is invalid.

    Attributes:
        term: the term.
        start, end: its place in the query.
    """

    def __init__(self, message: str, term: str, start: int, end: int) -> None:
        super().__init__(message)
        self.term, self.start, self.end = term, start, end


@dataclass(frozen=True, slots=True)
class Term:
    """One condition.

    Attributes:
        key: one of KEYS, or empty for name and scope.
        text: the text to find, in lower case; empty if there is a regular expression.
        regex: the regular expression.
        negated: whether matching nodes are excluded.
    """

    key: str
    text: str
    regex: re.Pattern[str] | None
    negated: bool

    def matches(self, said: str) -> bool:
        """Whether a text contains the term's text. An operator's type must equal it."""
        if self.regex is not None:
            return self.regex.search(said) is not None
        return self.text == said.lower() if self.key == "type" else self.text in said.lower()


def parse_terms(query: str) -> list[Term]:
    """Returns the conditions of a query, all of which must hold.

    Args:
        query: the query.

    Raises:
        TermError: a term is invalid; the error names it and the reason.
    """
    terms: list[Term] = []
    position = 0
    while position < len(query.rstrip()):
        found = _TERM.match(query, position)
        if found is None or found.end() == position:
            raise TermError("This cannot be read.", query[position:], position, len(query))
        terms.append(_term(found))
        position = found.end()
        if len(terms) > MOST_TERMS:
            message = f"A query has {MOST_TERMS} terms at most."
            raise TermError(message, found["term"], found.start("term"), found.end("term"))
    return terms


def _term(found: re.Match[str]) -> Term:
    key, negated = found["key"] or "", found["minus"] is not None

    def refuse(message: str) -> TermError:
        return TermError(message, found["term"], found.start("term"), found.end("term"))

    if found["regex"] is not None and (found["closed"] or not key):
        if not found["closed"]:
            raise refuse("A regular expression ends with /.")
        return Term(key, "", _compiled(found["regex"], refuse), negated)
    if found["quoted"] is not None and not found["end"]:
        raise refuse('This text begins with " and does not end.')
    text = found["quoted"] if found["quoted"] is not None else found["bare"]
    text = f"/{found['regex']}" if found["regex"] is not None else text or ""
    if not text:
        raise refuse(f"There is nothing after {found['term']}")
    if key == "shape":
        return Term(key, "", _shape(text, refuse), negated)
    return Term(key, text.lower(), None, negated)


def _compiled(text: str, refuse: object) -> re.Pattern[str]:
    if _NESTED.search(text):
        raise refuse("A group with a repetition inside is repeated. That may take forever; use a simpler expression.")  # type: ignore[operator]
    try:
        return re.compile(text, re.IGNORECASE)
    except (re.error, RecursionError, OverflowError) as error:
        raise refuse(f"This is not a regular expression: {error}.") from error  # type: ignore[operator]


def _shape(text: str, refuse: object) -> re.Pattern[str]:
    if not _SHAPE.match(text):
        raise refuse("A shape is numbers with commas, such as shape:64,128; * stands for any of them.")  # type: ignore[operator]
    sizes = re.findall(r"\d+|[?*]", text)
    return re.compile(r"\[" + ",".join(r"-?\d+" if size in "?*" else size for size in sizes) + r"\]")
