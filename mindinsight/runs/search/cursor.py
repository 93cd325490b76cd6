"""A cursor over the tokens of a query, with one token of lookahead. Used by the parser."""

from __future__ import annotations

from mindinsight.runs.search.errors import QueryError, Span
from mindinsight.runs.search.tokens import Token, Type, tokenize


class Cursor:
    """A position in the tokens of a query.

    Args:
        query: the text.

    Raises:
        QueryError: the text has an invalid token.
    """

    def __init__(self, query: str) -> None:
        self._tokens = tokenize(query)
        self._at = 0

    @property
    def token(self) -> Token:
        """The next token."""
        return self._tokens[self._at]

    @property
    def following(self) -> Token:
        """The token after the next one."""
        return self._tokens[min(self._at + 1, len(self._tokens) - 1)]

    @property
    def behind(self) -> Span:
        """The place of the last consumed token."""
        return self._tokens[max(self._at - 1, 0)].span

    def take(self) -> Token:
        """Consumes and returns the next token. The end token is never consumed."""
        token = self.token
        if token.type is not Type.END:
            self._at += 1
        return token

    def meets(self, text: str) -> bool:
        """Whether the next token is this sign or keyword."""
        return self.token.type in (Type.SIGN, Type.KEYWORD) and self.token.text == text

    def skip(self, text: str) -> bool:
        """Consumes a sign or keyword if it comes next. Returns whether it did."""
        if not self.meets(text):
            return False
        self.take()
        return True

    def demand(self, text: str, code: str) -> None:
        """Consumes a sign.

        Raises:
            QueryError: the sign does not come next.
        """
        if not self.skip(text):
            raise QueryError(self.token.span, code)

    def demand_end(self, code: str) -> None:
        """Checks that all tokens are consumed.

        Raises:
            QueryError: a token is left.
        """
        if self.token.type is not Type.END:
            raise QueryError(self.token.span, code)
