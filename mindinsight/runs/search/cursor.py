"""Walks over the tokens of a query, one ahead. Used by the parser."""

from __future__ import annotations

from mindinsight.runs.search.errors import QueryError, Span
from mindinsight.runs.search.tokens import Token, Type, tokenize


class Cursor:
    """A place among the tokens of a query.

    Args:
        query: the text.

    Raises:
        QueryError: the text cannot be taken apart.
    """

    def __init__(self, query: str) -> None:
        self._tokens = tokenize(query)
        self._at = 0

    @property
    def token(self) -> Token:
        """The token that comes next."""
        return self._tokens[self._at]

    @property
    def following(self) -> Token:
        """The token behind the next one."""
        return self._tokens[min(self._at + 1, len(self._tokens) - 1)]

    @property
    def behind(self) -> Span:
        """Where the token stood that was taken last."""
        return self._tokens[max(self._at - 1, 0)].span

    def take(self) -> Token:
        """Returns the next token and steps behind it; the end stays the next."""
        token = self.token
        if token.type is not Type.END:
            self._at += 1
        return token

    def meets(self, text: str) -> bool:
        """Whether the next token is this sign or keyword."""
        return self.token.type in (Type.SIGN, Type.KEYWORD) and self.token.text == text

    def skip(self, text: str) -> bool:
        """Steps over a sign or keyword; returns whether it was there."""
        if not self.meets(text):
            return False
        self.take()
        return True

    def demand(self, text: str, code: str) -> None:
        """Steps over a sign.

        Raises:
            QueryError: it is not there.
        """
        if not self.skip(text):
            raise QueryError(self.token.span, code)

    def demand_end(self, code: str) -> None:
        """Makes sure that nothing is left.

        Raises:
            QueryError: something is.
        """
        if self.token.type is not Type.END:
            raise QueryError(self.token.span, code)
