"""What graph mode runs under `MS_PLAIN=1`: the same numbers, effects, reports and errors as compiled programs."""

from __future__ import annotations

import tracemalloc
from typing import Any

import numpy as np
import pytest

import framework as ms
from framework import Parameter, Tensor, ops
from framework.engine import compiler
from framework.engine.interpreted_program import InterpretedProgram
from framework.observe import Execution, watching


@pytest.fixture
def interpreted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compiled functions run as under the switch."""
    monkeypatch.setattr(compiler, "PLAIN", True)


def rounds(x: Any, w: Any, n: Any) -> Any:
    i = 0
    while i < n:
        x = ops.tanh(ops.matmul(x, w)) if x.sum() > 0 else ops.matmul(x, w) + 1.0
        i = i + 1
    return x.sum()


def test_loops_choices_and_gradients(interpreted: None) -> None:
    rng = np.random.default_rng(0)
    x, w = (Tensor(rng.standard_normal((3, 3)).astype(np.float32)) for _ in range(2))
    compiled = ms.jit(ms.value_and_grad(rounds, (0, 1)))
    for count in (0, 1, 7):
        value, gradients = compiled(x, w, Tensor(count))
        wanted, others = ms.value_and_grad(rounds, (0, 1))(x, w, Tensor(count))
        np.testing.assert_allclose(value.asnumpy(), wanted.asnumpy(), rtol=1e-6)
        for one, other in zip(gradients, others, strict=True):
            np.testing.assert_allclose(one.asnumpy(), other.asnumpy(), rtol=1e-5, atol=1e-6)
    assert isinstance(compiled.latest.executable, InterpretedProgram)  # type: ignore[union-attr]


def test_a_long_loop_takes_the_memory_of_one_round(interpreted: None) -> None:
    @ms.jit
    def counted(x: Any, n: Any) -> Any:
        i = 0
        while i < n:
            x = x + 1.0
            i = i + 1
        return x

    x = Tensor(np.zeros(10_000))
    counted(x, Tensor(1))
    tracemalloc.start()
    try:
        assert counted(x, Tensor(2_000)).asnumpy()[0] == 2_000.0
        assert tracemalloc.get_traced_memory()[1] < 20 * x.nbytes
    finally:
        tracemalloc.stop()


def test_parameters_are_changed_in_order(interpreted: None) -> None:
    weight = Parameter(Tensor(np.ones(3, np.float32)), name="weight")

    @ms.jit
    def function(x: Any) -> Any:
        old = weight * 1.0
        ops.assign_add(weight, x)
        middle = weight * 2.0
        ops.assign(weight, middle)
        return old, middle, weight * 1.0

    assert [item.asnumpy()[0] for item in function(Tensor(np.ones(3, np.float32)))] == [1.0, 4.0, 4.0]
    assert [item.asnumpy()[0] for item in function(Tensor(np.ones(3, np.float32)))] == [4.0, 10.0, 10.0]
    assert weight.asnumpy().tolist() == [10.0] * 3


def test_watchers_are_told_of_what_they_want(interpreted: None) -> None:
    compiled = ms.jit(lambda x: (ops.tanh(x * 2.0) + 1.0).sum())
    seen: list[Execution] = []
    with watching(seen.append):
        wanted = compiled(Tensor([0.5, 1.0])).asnumpy()
    assert [item.primitive.name for item in seen] == ["Mul", "Tanh", "Add", "ReduceSum"]
    assert seen[-1].outputs.asnumpy() == wanted
    assert seen[-1].outputs.shape == ()
    some: list[Execution] = []
    with watching(some.append, [seen[1].full_name]):
        compiled(Tensor([0.5, 1.0]))
        compiled(Tensor([0.5, 1.0]))
    assert [(item.full_name, item.iteration) for item in some] == [(seen[1].full_name, 0)] * 2


def test_errors_name_the_operator_and_the_line(interpreted: None) -> None:
    def gathered(x: Any, place: Any) -> Any:
        return ops.gather(x, place, 0)

    with pytest.raises(IndexError, match=r"(?s)^Gather\(.*return ops\.gather"):
        ms.jit(gathered)(Tensor([1.0, 2.0]), Tensor([5]))
