"""Expressions of watchpoints that a person writes: `abs_max > 1e3 and step > 100`, `max("*/conv*.weight") > 50`.

A text becomes tokens, and these become functions by recursive descent. Python never evaluates it. The grammar:

    expression = conjunction {"or" conjunction}         comparison = sum [("<" | "<=" | ">" | ">=" | "==" | "!=") sum]
    conjunction = negation {"and" negation}             sum = product {("+" | "-") product}
    negation = "not" negation | comparison              product = factor {("*" | "/") factor}
    factor = "-" factor | number | name | name "(" [argument {"," argument}] ")" | "(" expression ")"

Names are `step`, `loss`, `lr`, and those of `STATISTICS` for the watched tensor. A statistic with a pattern in quotes
covers all tensors whose names match: for `min` and `abs_min` the smallest value, for the others the largest.
`ema(x, n)` is the exponential moving average of x over about n steps; `prev(x)` is x in the step before.
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from debugging.watch.expression_values import (
    STATISTICS,
    AllAsked,
    Average,
    Moment,
    Previous,
    Value,
    divided,
    joined,
    truth,
)
from debugging.watch.problems import WatchError

__all__ = ["Expression"]

_SMALLEST: Final = ("min", "abs_min")
_STEP: Final = ("step", "loss", "lr")
_ONE: Final[Mapping[str, Callable[[float], float]]] = {
    "abs": abs,
    "sqrt": lambda x: math.sqrt(x) if x >= 0 else math.nan,
    "log10": lambda x: math.log10(x) if x > 0 else math.nan,
    "isnan": lambda x: float(math.isnan(x)),
    "isfinite": lambda x: float(math.isfinite(x)),
}
_COMPARING: Final[Mapping[str, Callable[[float, float], bool]]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}
_TOKEN: Final = re.compile(
    r"""\s*(?:(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)|(?P<name>[A-Za-z_]\w*)|(?P<text>"[^"]*"|'[^']*')"""
    r"""|(?P<sign><=|>=|==|!=|[-+*/()<>,]))""",
    re.ASCII,
)
_LONGEST, _DEEPEST = 500, 40


@dataclass
class Expression:
    """A parsed expression.

    Args:
        text: Its text.

    Attributes:
        patterns: The patterns of names in it.
        is_of_tensor: Whether it depends on the watched tensor.
        asks_rate: Whether it depends on the learning rate.

    Raises:
        WatchError: The text is not an expression. The message says what is expected and where.
    """

    text: str
    patterns: list[str] = field(init=False, default_factory=list)
    is_of_tensor: bool = field(init=False, default=False)
    asks_rate: bool = field(init=False, default=False)

    def __post_init__(self) -> None:
        if len(self.text) > _LONGEST:
            raise WatchError(f"an expression has at most {_LONGEST} characters", "bad_expression", _LONGEST)
        parser = _Parser(self.text)
        self._value = parser.whole()
        self.patterns, self.is_of_tensor, self.asks_rate = parser.patterns, parser.is_of_tensor, parser.asks_rate

    def __call__(self, moment: Moment) -> bool:
        """Whether it holds; NaN is false."""
        return truth(self._value(moment))


class _Parser:
    """Parses a text. Each method parses one rule of the grammar and returns a function that computes it."""

    def __init__(self, text: str) -> None:
        self.patterns: list[str] = []
        self.is_of_tensor = self.asks_rate = False
        self._tokens = list(_tokens(text))
        self._place = 0
        self._depth = 0

    def whole(self) -> Value:
        made = self.expression()
        kind, what, at = self._tokens[self._place]
        if kind != "end":
            raise WatchError(f"{what!r} is not expected here", "bad_expression", at)
        return made

    def expression(self) -> Value:
        at = self._tokens[self._place][2]
        self._depth += 1
        if self._depth > _DEEPEST:
            raise WatchError(f"brackets are nested more than {_DEEPEST} deep", "bad_expression", at)
        parts = [self.conjunction()]
        while self._take("name", "or"):
            parts.append(self.conjunction())
        self._depth -= 1
        return parts[0] if len(parts) == 1 else AllAsked(parts, any)

    def conjunction(self) -> Value:
        parts = [self.negation()]
        while self._take("name", "and"):
            parts.append(self.negation())
        return parts[0] if len(parts) == 1 else AllAsked(parts, all)

    def negation(self) -> Value:
        count = 0
        while self._take("name", "not"):
            count += 1
        inner = self.comparison()
        return inner if not count else lambda moment: float(truth(inner(moment)) == (count % 2 == 0))

    def comparison(self) -> Value:
        left = self.sum()
        kind, sign, _ = self._tokens[self._place]
        if kind != "sign" or sign not in _COMPARING:
            return left
        self._place += 1
        holds, right = _COMPARING[sign], self.sum()
        return lambda moment: float(holds(left(moment), right(moment)))

    def sum(self) -> Value:
        made = self.product()
        while sign := self._take("sign", "+", "-"):
            made = joined(operator.add if sign == "+" else operator.sub, made, self.product())
        return made

    def product(self) -> Value:
        made = self.factor()
        while sign := self._take("sign", "*", "/"):
            made = joined(operator.mul if sign == "*" else divided, made, self.factor())
        return made

    def factor(self) -> Value:
        minus = 0
        while self._take("sign", "-"):
            minus += 1
        made = self.atom()
        return made if minus % 2 == 0 else lambda moment: -made(moment)

    def atom(self) -> Value:
        kind, what, at = self._tokens[self._place]
        self._place += 1
        if kind == "number":
            number = float(what)
            return lambda _: number
        if kind == "name" and what not in ("and", "or", "not"):
            return self.call(what, at) if self._take("sign", "(") else self.named(what, at)
        if kind == "sign" and what == "(":
            made = self.expression()
            self._want(")")
            return made
        named = "the end" if kind == "end" else repr(what)
        raise WatchError(f"a number, a name or a bracket is expected, not {named}", "bad_expression", at)

    def named(self, name: str, at: int) -> Value:
        if name in _STEP:
            self.asks_rate |= name == "lr"
            field_name = {"step": "step", "loss": "loss", "lr": "rate"}[name]
            return lambda moment: float(getattr(moment, field_name))
        if name in STATISTICS:
            self.is_of_tensor = True
            found = STATISTICS[name]
            return lambda moment: math.nan if moment.tensor is None else float(found(moment.tensor))
        known = ", ".join((*STATISTICS, *_STEP))
        raise WatchError(f"there is no {name!r}; there are {known}", "bad_expression", at)

    def call(self, name: str, at: int) -> Value:
        kind, what, _ = self._tokens[self._place]
        if name in STATISTICS and kind == "text":
            self._place += 1
            self._want(")")
            return self._of_pattern(name, what[1:-1])
        if name in _ONE or name == "prev":
            inner = self.expression()
            self._want(")")
            one = _ONE.get(name)
            return Previous(inner) if one is None else lambda moment: float(one(inner(moment)))
        if name == "ema":
            inner = self.expression()
            self._want(",")
            kind, count, place = self._tokens[self._place]
            self._place += 1
            if kind != "number" or float(count) < 1:
                raise WatchError("ema(x, n) takes a number of steps, of at least 1", "bad_expression", place)
            self._want(")")
            return Average(inner, float(count))
        if name in STATISTICS:
            raise WatchError(f'{name}(...) takes a pattern in quotes: {name}("*.weight")', "bad_expression", at)
        known = ", ".join((*STATISTICS, *_ONE, "prev", "ema"))
        raise WatchError(f"there is no function {name!r}; there are {known}", "bad_expression", at)

    def _of_pattern(self, name: str, pattern: str) -> Value:
        self.patterns.append(pattern)
        found, best = STATISTICS[name], min if name in _SMALLEST else max

        def value(moment: Moment) -> float:
            numbers = [float(found(item)) for item in moment.of_pattern(pattern)]
            return best(numbers, default=math.nan, key=lambda number: (math.isnan(number), number))

        return value

    def _take(self, kind: str, *words: str) -> str:
        found, what, _ = self._tokens[self._place]
        if found != kind or what not in words:
            return ""
        self._place += 1
        return what

    def _want(self, sign: str) -> None:
        kind, what, at = self._tokens[self._place]
        if not self._take("sign", sign):
            named = "the end" if kind == "end" else repr(what)
            raise WatchError(f"{sign!r} is expected, not {named}", "bad_expression", at)


def _tokens(text: str) -> Iterator[tuple[str, str, int]]:
    place = 0
    while text[place:].strip():
        found = _TOKEN.match(text, place)
        if found is None:
            at = place + len(text[place:]) - len(text[place:].lstrip())
            raise WatchError(f"{text[at]!r} is not expected here", "bad_expression", at)
        kind = str(found.lastgroup)
        yield kind, found.group(kind), found.start(kind)
        place = found.end()
    yield "end", "", len(text)
