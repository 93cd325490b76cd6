"""Random programs with steps for Python alone mean the same cut into parts: results, effects in order, errors."""

from __future__ import annotations

import logging
import os
import traceback
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import framework as ms
from framework import Parameter, Tensor, nn, ops
from framework.engine.call.cells import cell_programs
from tests.framework.sources import names_of
from tests.framework.test_random_programs import blocks

COUNT = 300 if os.environ.get("MINDINSIGHT_TEST_COUNTS") == "long" else 15
X = np.linspace(-1.0, 1.0, 6, dtype=np.float32).reshape(2, 3)

STEPS = (
    "seen.append(float({v}.asnumpy().sum()))",
    "k = k + int({v}.asnumpy().size > 3)",
    "{t} = {t} + Tensor(np.cos({v}.asnumpy()))",
    "found = {v}.asnumpy()\n{t} = {t} + Tensor(found)",
    "weight.set_data(weight + {v}.mean())",
    "ops.assign_add(weight, {v}.mean())\nseen.append(weight.asnumpy().item())",
    "{t} = {t} * weight",
    "{t} = reads({v}) * 2",
    "{t} = inner_cell({v})",
    "with half() as c:\n    {t} = {v} * c",
    "saved = {t}\n{t}[0] = 0.5\nseen.append(saved.asnumpy().sum())",
    "same = {t}\nsame.add_(1)\nseen.append(same is {t})",
    "later = lambda y: y * {t}\nseen.append(later({v}).asnumpy().mean())",
    "seen.append({v}.asnumpy().max())\nif {v}.asnumpy().max() > 0.8:\n    return {t} * 2",
    "if {v}.asnumpy().max() > 0.9:\n    raise ValueError('too large')",
    "assert {v}.asnumpy().max() < 0.95, 'too large'",
    "for _ in range(2):\n    {t} = {t} * 0.5 + {v}\n    seen.append({t}.asnumpy().sum())",
    "scale = float({v}.asnumpy().max())\n{t} = {t} * scale",
    "rows.append({v} * 2)\n{t} = {t} + rows[-1]",
    "loss, slope = ms.value_and_grad(lambda y: (ops.sin(y) * {t}).sum())({v})\n{t} = ops.tanh(slope) + loss * 0.1",
)


class Half:
    """A context that gives a number."""

    def __enter__(self) -> float:
        return 0.5

    def __exit__(self, *error: object) -> None:
        pass


@st.composite
def bodies(draw: Any) -> list[str]:
    """The lines of a function of x, with at least one step for Python at the beginning."""
    lines = ["x.asnumpy()", "a, b, k, rows = x * 1.1, ops.sin(x), 0, [x]"]
    for _ in range(draw(st.integers(1, 3))):
        lines += draw(blocks(1, False))
        names = {"v": draw(st.sampled_from("xab")), "t": draw(st.sampled_from("ab"))}
        lines += draw(st.sampled_from(STEPS)).format(**names).split("\n")
    late = "ops.sin(y * a) + b * k * 0.1" if draw(st.integers(0, 4)) == 0 else "ops.sin(y)"
    inner = [
        *("def inner(y):", "    return ops.tanh(y) * x + 0.25"),
        *("def repeat(y, n):", "    return y if n == 0 else ops.sin(repeat(y * 0.9, n - 1))"),
        *("def shrink(y):", "    return y * x if (y * y).sum() < 1.71 else shrink(y * 0.7) + 0.1"),
        *("def late(y):", f"    return {late}"),
    ]
    return [*inner, *lines, "return a * 1.3 + b + x * k"]


class World:
    """What a program sees and changes."""

    def __init__(self) -> None:
        self.seen: list[Any] = []
        self.weight = Parameter(Tensor(0.5, ms.float32), name="w")
        self.names: dict[str, Any] = {"ms": ms, "ops": ops, "np": np, "Tensor": Tensor, "nn": nn}
        self.names |= {"seen": self.seen, "weight": self.weight, "half": Half, "reads": self._reads}
        self.names["inner_cell"] = self._inner()

    def _reads(self, value: Tensor) -> Tensor:
        self.seen.append("read")
        return value + Tensor(value.asnumpy())

    def _inner(self) -> nn.Cell:
        lines = ["y = ops.sin(x)", "y.asnumpy()", "seen.append(y.asnumpy().sum())", "return ops.cos(y) + x"]
        return self.cell(lines)

    def function(self, lines: list[str]) -> Callable[..., Any]:
        """A function with these lines."""
        source = "\n".join(["def program(x, weight=weight, *, extra=0.5):", *(f"    {line}" for line in lines)])
        made: Callable[..., Any] = names_of(source, **self.names)["program"]
        return made

    def cell(self, lines: list[str]) -> nn.Cell:
        """A Cell with these lines."""
        head = ["class Program(nn.Cell):", "    def construct(self, x):"]
        made: nn.Cell = names_of("\n".join([*head, *(f"        {line}" for line in lines)]), **self.names)["Program"]()
        return made

    def outcome(self, call: Callable[..., Any], value: np.ndarray[Any, Any]) -> list[Any]:
        """The result or the error of a call, what was seen, and the weight."""
        self.seen.clear()
        try:
            result: Any = call(Tensor(value)).asnumpy()
        except Exception as error:
            places = traceback.extract_tb(error.__traceback__)
            lines = [place.lineno for place in places if place.filename.startswith("<made")]
            result = (type(error), str(error), lines[-1])
        return [result, list(self.seen), self.weight.asnumpy()]


def same(one: Any, two: Any) -> bool:
    """Whether outcomes are equal, numbers up to rounding."""
    if isinstance(one, list | tuple):
        return isinstance(two, list | tuple) and len(one) == len(two) and all(map(same, one, two))
    if isinstance(one, np.ndarray | np.floating | float):
        return not isinstance(two, tuple) and np.allclose(one, two, rtol=2e-4, atol=2e-5, equal_nan=True)
    return bool(one == two)


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    """Without the warnings of hundreds of programs."""
    logging.disable(logging.WARNING)
    yield
    logging.disable(logging.NOTSET)
    ms.set_context(mode=ms.PYNATIVE_MODE)


PROFILE = settings(
    max_examples=COUNT, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
)
SCALES = (1.0, 1.0, -0.7, 1.5, 0.3)


@PROFILE
@given(bodies())
def test_functions(lines: list[str]) -> None:
    """`ms.jit` gives what Python gives."""
    plain, cut = World(), World()
    expected, compiled = plain.function(lines), ms.jit(cut.function(lines))
    for scale in SCALES:
        wanted = plain.outcome(expected, X * scale)
        assert same(wanted, cut.outcome(compiled, X * scale)), "\n".join(lines)
    assert compiled.latest is None, "something was for Python alone"


@PROFILE
@given(bodies())
def test_cells(lines: list[str]) -> None:
    """A Cell in graph mode gives what it gives in PyNative mode."""
    plain, cut = World(), World()
    expected, compiled = plain.cell(lines), cut.cell(lines)
    for scale in SCALES:
        ms.set_context(mode=ms.PYNATIVE_MODE)
        wanted = plain.outcome(expected, X * scale)
        ms.set_context(mode=ms.GRAPH_MODE)
        assert same(wanted, cut.outcome(compiled, X * scale)), "\n".join(lines)
    assert cell_programs(compiled).latest is None
