"""Random programs that change Parameters mean the same in both modes: every read sees the changes before it."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import framework as ms
from framework import Parameter, Tensor, nn, ops
from tests.framework.sources import names_of

COUNT = 300 if os.environ.get("MINDINSIGHT_TEST_COUNTS") == "long" else 40

VALUES = (
    "{0} * 0.5 + {1}",
    "ops.tanh({0}) - {1}",
    "ops.sin({0} * {1})",
    "{0} + 0.25",
    "self.read({0})",
    "self.bump({0})",
    "{0} * self.bump({1})",
)
CONDITIONS = ("{0} > 0.37", "{0} < -0.21", "self.w > {0}", "ops.abs(self.v) < 0.83")
NAMES = ("x", "a", "self.w", "self.v")


@st.composite
def values(draw: Any) -> str:
    return draw(st.sampled_from(VALUES)).format(draw(st.sampled_from(NAMES)), draw(st.sampled_from(NAMES)))


@st.composite
def blocks(draw: Any, depth: int) -> list[str]:
    """Lines that set a and change the Parameters."""
    lines: list[str] = []
    for _ in range(draw(st.integers(1, 3))):
        kinds = ["set", "assign", "assign", "branch", "gradient", "add", "reference", "each"]
        if depth > 0:
            kinds += ["if", "if", "for", "while", "recursive"]
        kinds += ["return"] if depth == 2 else []
        lines += draw(statements(draw(st.sampled_from(kinds)), depth))
    return lines


@st.composite
def statements(draw: Any, kind: str, depth: int) -> list[str]:
    value, weight = draw(values()), draw(st.sampled_from(("self.w", "self.v")))
    condition = draw(st.sampled_from(CONDITIONS)).format(draw(st.sampled_from(NAMES)))
    if kind == "set":
        return [f"a = {value}"]
    if kind == "assign":
        return [f"ops.assign({weight}, {value})"]
    if kind == "add":
        return [f"ops.assign_add({weight}, {value})"]
    if kind == "branch":
        return [f"if {condition}: ops.assign({weight}, {value})"]
    if kind == "gradient":
        return [f"ops.assign({weight}, {weight} - 0.1 * ms.grad(self.curve)({draw(st.sampled_from(NAMES))}))"]
    if kind == "reference":
        return [f"b = {weight}", f"ops.assign({weight}, {value})", "a = a + b"]
    if kind == "each":
        return ["for p in self.both:", f"    ops.assign(p, {value})", "    a = a + p * 0.5"]
    if kind == "recursive":
        return [f"a = self.climb({value}, {draw(st.integers(0, 2))})"]
    if kind == "return":
        return [f"if {condition}:", f"    return a * 1.0, {value}"]
    body = [f"    {line}" for line in draw(blocks(depth - 1))]
    if kind == "if":
        other = [f"    {line}" for line in draw(blocks(depth - 1))]
        return [f"if {condition}:", *body, *(["else:", *other] if draw(st.booleans()) else [])]
    if kind == "for":
        return [f"for i{depth} in range({draw(st.integers(0, 3))}):", *body]
    return [f"n{depth} = x * 0.0", f"while n{depth} < 3.0:", f"    n{depth} = n{depth} + 1.0", *body]


@st.composite
def sources(draw: Any) -> str:
    lines = draw(blocks(2))
    return "\n".join(
        [
            "class Program(nn.Cell):",
            "    def __init__(self):",
            "        super().__init__()",
            "        self.w = Parameter(Tensor(np.float64(0.4)), name='w')",
            "        self.v = Parameter(Tensor(np.float64(-0.7)), name='v')",
            "        self.both = ms.ParameterTuple([self.w, self.v])",
            "    def read(self, y):",
            "        return y * self.w + self.v",
            "    def bump(self, y):",
            "        ops.assign(self.v, ops.tanh(self.v + y))",
            "        return self.v * 2.0",
            "    def curve(self, y):",
            "        return ops.sin(y * self.w) * self.w",
            "    def climb(self, y, n):",
            "        if n == 0 or y > 0.9:",
            "            return y + self.v",
            "        ops.assign(self.w, self.w + 0.3)",
            "        return self.climb(y + 0.2, n - 1) * self.w",
            "    def construct(self, x):",
            "        a = x * 1.1",
            *(f"        {line}" for line in lines),
            "        return a * 1.0, self.w + self.v * 2.0",
        ]
    )


def program_of(source: str) -> Any:
    """A new Cell of a source."""
    return names_of(source, ops=ops, ms=ms, nn=nn, np=np, Parameter=Parameter, Tensor=Tensor)["Program"]()


def run(source: str, mode: int) -> list[list[float]]:
    """The results of some calls in sequence, and the Parameters after each."""
    ms.set_context(mode=mode)
    program = program_of(source)
    found = []
    for x in (0.3, -0.5, 1.4):
        first, second = program(Tensor(np.float64(x)))
        found.append([float(item.asnumpy()) for item in (first, second, program.w, program.v)])
    return found


@settings(max_examples=COUNT, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
@given(sources())
def test_both_modes_agree(source: str) -> None:
    try:
        eager = run(source, ms.PYNATIVE_MODE)
        np.testing.assert_allclose(run(source, ms.GRAPH_MODE), eager, rtol=1e-10, atol=1e-12)
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)
