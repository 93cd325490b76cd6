"""The error of an invalid query: its place, and what was expected there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

# The expected text at the place of an error, by code, as the end of a sentence. The pages have translations:
# frontend/src/queries/texts.
EXPECTED: Mapping[str, str] = {
    "comparison": "a comparison (>, >=, <, <=, =, !=, in, ~), 'and', 'or' or the end",
    "no_order": "=, !=, in or ~: only numbers and times have an order",
    "not_tag": "'not tag:...': a run has any number of tags",
    "number": "a number, such as 0.01, 1e-3, 10k or 2h",
    "smaller_number": "a smaller number",
    "time": "a time, such as 2026-11-20, '2026-11-20 18:30' or -2h for two hours ago",
    "flag": "true or false",
    "value": "a number or a text",
    "mark_alone": "the mark alone, or with 'not' before it",
    "values_in_parentheses": "values in parentheses, such as in (1, 2)",
    "most_values": "at most {most} values",
    "comma_or_closing": "a comma or a closing )",
    "text_before_pattern": "a text before ~; numbers are compared by >, >=, <, <=, = and !=",
    "pattern": "a pattern, such as lenet/* or '*adam*'",
    "sign_or_quotes": ">, >=, <, <=, =, !=, in or ~; a name with a colon in it needs quotes",
    "choice": "one of {choices}",
    "most_conditions": "at most {most} conditions",
    "condition": "a condition, such as lr < 0.01, tag:seed or a part of a run's name",
    "name_in_front": "the name first and then the number, such as lr < 0.01",
    "most_parentheses": "at most {most} nested parentheses",
    "join_or_closing": "'and', 'or' or a closing )",
    "join_or_end": "'and', 'or' or the end; a name or text with spaces or signs in it needs quotes",
    "most_names": "at most {most} names",
    "name": "a name, such as lr or best(accuracy)",
    "comma_or_end": "a comma or the end",
    "one_value": "something with one value; a run has any number of tags",
    "function": "one of the functions {choices}",
    "param_or_metric": "the name of a parameter or metric",
    "scalar_tag": "the name of a scalar tag",
    "closing": "a closing )",
    "known_best": "a tag whose name suggests a loss or an accuracy; for others write min(...) or max(...)",
    "most_characters": "at most {most} characters",
    "closing_quote": "a closing {quote}",
    "no_null": "a text without null characters",
    "quotes": "a name, a value or a sign; a text with {sign} needs quotes",
}


@dataclass(frozen=True)
class Span:
    """A part of a query's text, in characters (Unicode code points) from its beginning."""

    position: int
    length: int

    def to(self, last: Span) -> Span:
        """Returns the part from here to the end of `last`."""
        return Span(self.position, last.position + last.length - self.position)


class QueryError(ValueError):
    """An invalid query.

    Attributes:
        span: the wrong part of the query.
        code: the expectation: a key of EXPECTED.
        values: the values in the sentence of the code.
        expected: the expectation as the end of a sentence.
    """

    def __init__(self, span: Span, code: str, **values: str | int) -> None:
        self.span = span
        self.code = code
        self.values = values
        self.expected = EXPECTED[code].format(**values)
        super().__init__(f"At character {span.position + 1} of the query: expected {self.expected}.")
