"""Random programs with control flow, closures and recursion mean the same in both modes, and so do their gradients."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import framework as ms
from framework import Tensor, ops
from tests.framework.sources import names_of

COUNT = 200 if os.environ.get("MINDINSIGHT_TEST_COUNTS") == "long" else 25

UNARY = ("ops.sin({})", "ops.tanh({})", "{} * 0.5", "-{}", "{} * {}", "ops.exp(ops.tanh({}))", "inner({})", "late({})")
BINARY = ("{} + {}", "{} - {}", "{} * {}", "ops.maximum({}, {})")
# No slope is looked for where a comparison turns: what is compared is far from what it is compared with, mostly.
CONDITIONS = ("{}.sum() > 0.37", "{}.sum() < -0.91", "({} * {}).sum() > 1.13", "k > 1", "not {}.sum() > 2.41 and k < 3")


@st.composite
def expressions(draw: Any, names: tuple[str, ...]) -> str:
    shape = draw(st.sampled_from((*UNARY, *BINARY)))
    first, second = draw(st.sampled_from(names)), draw(st.sampled_from(names))
    parts = [first, first] if shape in UNARY else [first, second]
    return shape.format(*parts[: shape.count("{}")])


@st.composite
def conditions(draw: Any, names: tuple[str, ...]) -> str:
    shape = draw(st.sampled_from(CONDITIONS))
    return shape.format(*[draw(st.sampled_from(names))] * shape.count("{}"))


@st.composite
def blocks(draw: Any, depth: int, in_loop: bool) -> list[str]:
    """Lines of a block that sets some of a, b and the number k."""
    names = ("x", "a", "b")
    lines: list[str] = []
    for _ in range(draw(st.integers(1, 3))):
        kinds = ["set", "set", "number", "choose"]
        if depth > 0:
            kinds += ["if", "for", "while", "recursive", "closure", "kept", "nested", "tuple", "list", "lambda", "sum"]
        if in_loop:
            kinds += ["break", "continue"]
        elif depth < 2:
            kinds.append("return")
        lines += draw(statements(draw(st.sampled_from(kinds)), names, depth, in_loop))
    return lines


@st.composite
def statements(draw: Any, kind: str, names: tuple[str, ...], depth: int, in_loop: bool) -> list[str]:
    target = draw(st.sampled_from(("a", "b")))
    value, condition = draw(expressions(names)), draw(conditions(names))
    if kind == "set":
        return [f"{target} = {value}"]
    if kind == "number":
        return ["k = k + 1"]
    if kind == "choose":
        return [f"{target} = {value} if {condition} else {draw(expressions(names))}"]
    if kind in ("break", "continue"):
        return [f"if {condition}:", f"    {kind}"]
    if kind == "return":
        return [f"if {condition}:", f"    return {value}"]
    if kind == "closure":
        return [f"{target} = (lambda y: y * {draw(st.sampled_from(names))} + y)(x)"]
    if kind == "kept":
        return [f"kept = lambda y: y * {draw(st.sampled_from(names))} * 0.5 + k", f"{target} = ops.tanh(kept({value}))"]
    if kind == "nested":
        inner = f"return lambda z: z * {draw(st.sampled_from(names))} + y * 0.5"
        return ["def made(y):", f"    {inner}", f"{target} = ops.sin(made({value})({draw(st.sampled_from(names))}))"]
    if kind == "lambda":
        step = f"down = lambda y, n: y if n == 0 else ops.sin(down(y * {draw(st.sampled_from(names))} + k, n - 1))"
        return [step, f"{target} = down({value}, {draw(st.integers(0, 2))})"]
    if kind == "tuple":
        return ["a, (b, k) = b, (a, k + 1)"] if draw(st.booleans()) else ["pair = (b, a * 0.5)", "a, b = pair"]
    if kind == "list":
        last = draw(st.sampled_from(("-1", "0", "len(items) - 2")))
        return [
            f"items = [a, {value}]",
            "items.append(b * 0.5)",
            "items[1] = items[0] + x",
            f"{target} = items[{last}]",
        ]
    if kind == "sum":
        # Not of k: where that is known only when the program runs, so is how long the list is, which is refused.
        condition = draw(st.sampled_from(("j % 2 == 0", "j < 2", "True")))
        return [f"{target} = ops.tanh(sum([{value} * j for j in range(3) if {condition}], x))"]
    if kind == "recursive":
        return [f"{target} = repeat({target}, {draw(st.integers(0, 3))})", f"{target} = shrink({target})"]
    body = [f"    {line}" for line in draw(blocks(depth - 1, in_loop or kind != "if"))]
    if kind == "if":
        other = [f"    {line}" for line in draw(blocks(depth - 1, in_loop))]
        return [f"if {condition}:", *body, "else:", *other]
    if kind == "for":
        return [f"for i{depth} in range({draw(st.integers(0, 3))}):", *body]
    begin = [
        f"n{depth} = 0",
        f"while n{depth} < 3 and ops.tanh({target}).sum() < 1.57:",
        f"    n{depth} = n{depth} + 1",
    ]
    return [*begin, *body]


@st.composite
def sources(draw: Any) -> str:
    lines = draw(blocks(2, False))
    return "\n".join(
        [
            "def program(x):",
            "    def inner(y):",
            "        return ops.tanh(y) * x + 0.25",
            "    def repeat(y, n):",
            "        return y if n == 0 else ops.sin(repeat(y * 0.9, n - 1))",
            "    def shrink(y):",
            "        return y * x if (y * y).sum() < 1.71 else shrink(y * 0.7) + 0.1",
            "    def late(y):",
            "        return ops.sin(y * a) + b * k * 0.1",
            "    a, b, k = x * 1.1, ops.sin(x), 0",
            *(f"    {line}" for line in lines),
            "    return a * 1.3 + b + x * k",
        ]
    )


def function_of(source: str) -> Any:
    """The function of a source."""
    return names_of(source, ops=ops)["program"]


@settings(max_examples=COUNT, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
@given(sources(), st.sampled_from(([0.3, -0.4], [0.8, 0.9], [-0.7, -0.2])))
def test_both_modes_and_the_slopes_agree(source: str, values: list[float]) -> None:
    function = function_of(source)
    x = Tensor(np.array(values))
    total = lambda x: function(x).sum()  # noqa: E731
    eager = function(x).asnumpy()
    np.testing.assert_allclose(ms.jit(function)(x).asnumpy(), eager, rtol=1e-10, atol=1e-12)
    taped = ms.grad(total)(x).asnumpy()
    np.testing.assert_allclose(ms.jit(ms.grad(total))(x).asnumpy(), taped, rtol=1e-9, atol=1e-11)
    step = 1e-6
    slopes = [
        (total(Tensor(values + way)).asnumpy() - total(Tensor(values - way)).asnumpy()) / (2 * step)
        for way in np.eye(2) * step
    ]
    np.testing.assert_allclose(taped, slopes, rtol=1e-4, atol=1e-5)
