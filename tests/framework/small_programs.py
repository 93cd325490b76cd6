"""Small programs of Python's builtins, operators and methods, and of the functions and methods of tensors.

`programs` makes them; each is a function `program(x, n, m)` of a 2 x 3 tensor of floats, one of integers, and a number.
`meaning` runs one in plain Python, on numpy's arrays: what both modes of the training core have to give.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from functools import reduce
from types import SimpleNamespace
from typing import Any

import numpy as np
from hypothesis import strategies as st

from tests.framework.sources import names_of

# An expression of each kind may be written in these ways; {name} is an expression of that kind.
WAYS: dict[str, tuple[str, ...]] = {
    "int": (
        "m", "2", "3", "-1", "{int} + {int}", "{int} * {int}", "{int} - {int}", "{int} // 3", "{int} % 5", "-{int}",
        "{int} // (abs({int}) + 1)", "{int} % (abs({int}) + 1)", "{int} ** 2", "~{int}", "{int} & {int}",
        "{int} | {int}", "{int} ^ {int}", "{int} << 1", "{int} >> 1", "abs({int})", "len({ints})", "len({text})",
        "len({numbers})", "max({ints})", "min({ints})", "max({int}, {int})", "min({int}, {int}, 4)", "sum({ints})",
        "sum({ints}, {int})", "int({float})", "int({bool})", "round({float})", "pow({int}, 2)", "{ints}[0]",
        "{ints}[-1]", "{ints}[len({ints}) - 1]", "{ints}.index({ints}[0])", "{ints}.count({int})", "{numbers}['a']",
        "{numbers}.get('b', {int})", "{numbers}.get('z', {int})", "{int} if {bool} else {int}", "{int} or {int}",
        "{int} and {int}", "x.ndim", "x.shape[1]", "x.size", "len(x)", "{text}.count('a')", "{text}.find('b')",
        "ord({text}[0])", "(lambda a, b=2: a * b)({int})", "double({int})", "next_one(a={int})",
        "sum(map(double, {ints}))", "sum(filter(is_odd, {ints}))", "len(list(filter(is_odd, {ints})))",
        "sum(filter(lambda a: a > 1, {ints}))", "reduce(lambda a, b: a * 2 - b, {ints}, 1)",
        "sum([a * b for a, b in zip({ints}, {ints})])", "sum([i * a for i, a in enumerate({ints})])",
        "sum([i for i in range({int} % 4)])", "operator.add({int}, {int})", "operator.mul({int}, 2)",
        "operator.itemgetter(0)({ints})", "divmod({int}, 3)[1]", "divmod({int}, 3)[0]",
        "sorted({ints}, key=lambda a: -a)[0]", "int('12')", "max({ints}, key=abs)",
        "min({ints}, key=lambda a: (a - 1) ** 2)", "sum(double(a) for a in {ints} if is_odd(a))",
        "len({ints} + {ints})",
    ),
    "float": (
        "0.5", "1.5", "-2.25", "{float} + {int}", "{float} * {float}", "{float} - {float}", "{int} / 4",
        "abs({float})", "-{float}", "float({int})", "max({float}, {float})", "min({float}, 0.75)", "round({float}, 1)",
        "{float} // 2", "{float} % 3", "pow({float}, 2)", "sum([{float}, {float}])", "sum([{float}], {float})",
        "float('0.25')", "{float} if {bool} else {float}", "({int}, {float})[1]", "half({float})",
    ),
    "bool": (
        "True", "False", "{int} > {int}", "{int} <= {int}", "{int} == {int}", "{int} != {int}", "{float} < {float}",
        "not {bool}", "{bool} and {bool}", "{bool} or {bool}", "{int} in {ints}", "{int} not in {ints}",
        "{text} == {text}", "{text} in {text}", "'a' in {numbers}", "{int} < {int} < {int}", "bool({int})",
        "bool({text})", "bool({ints})", "any([{bool}, {bool}])", "all([{bool}, {bool}])",
        "any([a > 1 for a in {ints}])", "isinstance({int}, int)", "isinstance(x, int)",
        "isinstance({float}, (int, float))", "{text}.startswith('a')", "{text}.endswith('b')", "{ints} == {ints}",
        "None is None", "{int} is None", "is_odd({int})", "{bool} ^ {bool}", "{bool} & {bool}", "{bool} | {bool}",
        "x.shape == (2, 3)", "hasattr(x, 'shape')", "{text} < {text}", "bool()", "all(map(is_odd, {ints}))",
        "operator.lt({int}, {int})", "operator.not_({bool})",
    ),
    "text": (
        "'a'", "'ab'", "'bca'", "{text} + {text}", "{text} * 2", "str({int})", "f'{{{int}}}a'",
        "'{{}}b'.format({int})", "'a%d' % {int}", "{text}.upper()", "{text}.replace('a', 'c')",
        "'-'.join(['a', {text}])", "{text}[::-1]", "{text}[0]", "{text}.strip('a') + 'b'",
        "{text} if {bool} else {text}", "'a b'.split()[1]", "chr(97)", "{text}.lower()",
        "'a{{0}}{{key}}'.format({int}, key={text})", "{text}.zfill(3)", "str({bool})", "f'{{{float}:.2f}}'",
        "f'a{{{int}:03d}}'",
    ),
    "ints": (
        "[1, 2, 3]", "[{int}, {int}]", "[{int}]", "list(range(3))", "list(({int}, {int}))", "[*{ints}, {int}]",
        "sorted({ints})", "sorted({ints}, reverse=True)", "list(reversed({ints}))", "[a + 1 for a in {ints}]",
        "{ints} + {ints}", "[{int}] * 2", "list(map(double, {ints}))", "list(map(lambda a, b: a - b, {ints}, {ints}))",
        "[0] + list(filter(is_odd, {ints}))", "[0] + [a for a in {ints} if a > 1]", "{ints}[::-1]",
        "list({numbers}.values())", "{ints} if {bool} else {ints}", "list(x.shape)",
        "[i * a for i, a in enumerate({ints}, 1)]", "[a for pair in zip({ints}, {ints}) for a in pair]",
        "[max(a, b) for a, b in zip({ints}, {ints})]", "list(dict(zip('ab', [{int}, {int}])).values())",
        "[9, 8] + {ints}[1:]", "appended({ints}, {int})",
    ),
    "numbers": (
        "{{'a': m, 'b': 2}}", "{{'a': {int}}}", "{{'a': {int}, 'b': {int}}}", "dict(a={int}, b={int})",
        "{{**{numbers}, 'c': {int}}}", "{{k: v + 1 for k, v in {numbers}.items()}}", "dict([('a', {int})])",
        "dict(zip(('a', 'b'), ({int}, {int})))", "updated({numbers}, {int})",
    ),
    # Floats of shape (2, 3).
    "tensor": (
        "x", "x", "n.astype(kind)", "{tensor} + {tensor}", "{tensor} - {tensor}", "{tensor} * {tensor}",
        "{tensor} + {int}", "{float} * {tensor}", "{int} - {tensor}", "{tensor} / 4", "{tensor} / (abs({tensor}) + 1)",
        "-{tensor}", "abs({tensor})", "{tensor} ** 2", "pow({tensor}, 2)", "{tensor} // 2", "{tensor} % 3",
        "3 / (abs({tensor}) + 1)", "+{tensor}", "{tensor}.reshape(3, 2).reshape(2, 3)",
        "{tensor}.transpose((1, 0)).reshape((2, 3))", "{tensor}.T.reshape(2, 3)", "{tensor}[::-1]",
        "{tensor}[:, ::-1]", "{tensor}[0] + {tensor}", "{tensor} - {tensor}[:, 1:2]", "{tensor} * {row}",
        "{tensor} + {one}", "{tensor} if {bool} else {tensor}", "ops.tanh({tensor})", "ops.sin({tensor})",
        "ops.maximum({tensor}, {tensor})", "ops.minimum({tensor}, {float})", "ops.where({mask}, {tensor}, {tensor})",
        "ops.stack([{row}, {row}])", "ops.clip({tensor}, -1.0, 1.0)", "ops.square({tensor})", "{tensor}.clip(-1, 2)",
        "sum([{tensor}, {tensor}])", "sum([{tensor}, {tensor}], {tensor})", "sum(({tensor},), 2)",
        "sum({tensor}) + {tensor}", "sum(map(double, [{tensor}, {tensor}]))", "sum([{tensor} * i for i in range(3)])",
        "reduce(lambda a, b: a * 0.5 + b, [{tensor}, {tensor}])", "double({tensor})", "next_one(a={tensor})",
        "[{tensor}, {tensor}][{int} % 2]", "({tensor}, 1)[0]", "{{'k': {tensor}}}['k']",
        "(lambda t, k=2: t * k)({tensor})", "{tensor}.astype(kind)", "ops.concat([{tensor}[:1], {tensor}[1:]])",
        "{tensor}.flatten().reshape(x.shape)", "{tensor} * x.shape[0]", "{mask}.astype(kind)", "{tensor}.cumsum(1)",
        "{tensor}.cumsum(axis=0)", "{tensor}[[1, 0]]", "operator.sub({tensor}, {tensor})",
        "set_first({tensor}, {float})", "max([{float}, {float}]) * {tensor}",
        "{tensor} if {one} > 0 else {tensor} * 2", "while_small({tensor})", "{tensor} + {row}",
        "ops.where({tensor} > {float}, {tensor}, {float})", "{tensor}.swapaxes(0, 1).reshape(2, 3)",
        "{tensor} * {bool}",
    ),
    # Floats of shape (3,).
    "row": (
        "x[0]", "{tensor}[0]", "{tensor}[{int} % 2]", "{tensor}.sum(0)", "{tensor}.sum(axis=0)",
        "{tensor}.mean(axis=0)", "{tensor}.max(axis=0)", "{tensor}.min(axis=0)", "{tensor}[1, :]", "{tensor}[-1]",
        "sum([t for t in {tensor}])", "sum({tensor})", "{row} * 2", "{row} + {row}", "[t for t in {tensor}][1]",
        "{tensor}.reshape(-1)[:3]",
    ),
    # Floats without axes.
    "one": (
        "x.sum()", "{tensor}.sum()", "{tensor}.max()", "{tensor}.min()", "{tensor}.mean()", "{row}.sum()",
        "{tensor}[0, 1]", "{tensor}[1][2]", "{one} * 2", "{one} + {one}", "abs({one})", "max({one}, {one})",
        "min({one}, {one})", "{one} if {one} > {float} else {float} * {one}", "{row}[0]",
        "({mask}).any().astype(kind)", "sum([{one}, {one}])",
    ),
    # Booleans of shape (2, 3).
    "mask": (
        "x > 0.25", "{tensor} > {tensor}", "{tensor} < {float}", "{tensor} >= {int}", "{tensor} != {tensor}",
        "{mask} & {mask}", "{mask} | {mask}", "~{mask}", "ops.logical_not({mask})", "ops.logical_and({mask}, {mask})",
        "n > 1", "n == {int}", "{mask} ^ {mask}",
    ),
}  # fmt: skip
KINDS = tuple(WAYS)
# A place for an expression in a way, or a bracket that is meant.
HOLE = re.compile(r"\{\{|\}\}|\{(\w+)\}")

HELPERS = """
def double(a):
    return a * 2

def next_one(*, a):
    return a + 1

def half(a):
    return a / 2

def is_odd(a):
    return a % 2 == 1

def appended(items, item):
    made = list(items)
    made.append(item)
    made.insert(0, item - 1)
    made.extend([item, 2])
    made.pop()
    return made

def updated(numbers, value):
    made = dict(numbers)
    made['b'] = value
    made.update({'d': value + 1})
    return made

def set_first(t, value):
    made = t * 1
    made[0] = value
    made[:, 1] += 2
    return made

def while_small(t):
    rounds = 0
    while t.sum() < 5 and rounds < 3:
        t = t * 0.5 + 1
        rounds += 1
    return t - rounds
"""


@st.composite
def expressions(draw: Any, kind: str, depth: int) -> str:
    """An expression of a kind of WAYS, with as many levels below it, in brackets where it is not a name."""
    ways = WAYS[kind] if depth > 0 else [way for way in WAYS[kind] if not any(HOLE.findall(way))]
    way = draw(st.sampled_from(ways))
    text = HOLE.sub(lambda hole: draw(expressions(hole[1], depth - 1)) if hole[1] else hole[0][0], way)
    return text if text.isidentifier() or text.isdigit() else f"({text})"


@st.composite
def programs(draw: Any) -> str:
    """A function of some statements that returns what they computed."""
    count = draw(st.integers(1, 3))
    lines = [f"    v{number} = {draw(expressions(draw(st.sampled_from(KINDS)), 3))}" for number in range(count)]
    results = ", ".join(f"v{number}" for number in range(count))
    return "\n".join([HELPERS, "def program(x, n, m):", *lines, f"    return ({results},)"])


def numpys_functions() -> SimpleNamespace:
    """The functions of `ops` that the programs use, by numpy."""
    same = ("tanh", "sin", "maximum", "minimum", "where", "stack", "square", "clip", "logical_not", "logical_and")
    return SimpleNamespace(concat=np.concatenate, **{name: getattr(np, name) for name in same})


def function_of(source: str, ops: Any, kind: Any) -> Callable[..., Any]:
    """The program of a source, with functions on tensors and a type of floats."""
    names = names_of(source, ops=ops, kind=kind, operator=operator, reduce=reduce)
    return names["program"]  # type: ignore[no-any-return]


def meaning(source: str, x: np.ndarray, n: np.ndarray, m: int) -> Any:
    """What a program gives in plain Python, on numpy's arrays."""
    return function_of(source, numpys_functions(), np.float64)(x, n, m)
