"""Loops whose rounds machine code goes through by itself."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import framework as ms
from framework import Tensor, ops
from framework.common.plain import PLAIN
from framework.engine.codegen import native_loops
from framework.observe import Execution, watching

RNG = np.random.default_rng(17)


pytestmark = pytest.mark.usefixtures("tier_up_at_once")


def floats(*shape: int) -> Tensor:
    return Tensor(RNG.standard_normal(shape, np.float32) * np.float32(0.4))


def up(x: Any, w: Any, n: Any) -> Any:
    i = 0
    while i < n:
        x = ops.tanh(ops.matmul(x, w))
        i = i + 1
    return x


def up_to(x: Any, w: Any, n: Any) -> Any:
    i = 1
    while n >= i:
        x = ops.sigmoid(x) + w[0]
        i = i + 1
    return x


def by_threes(x: Any, w: Any, n: Any) -> Any:
    i = 0
    while i <= n:
        x = x * 0.5 + w[0]
        i = i + 3
    return x, i


def down(x: Any, w: Any, n: Any) -> Any:
    i, end = 5, 5 - n
    while i > end:
        x = ops.relu(x) - w[1]
        i = i - 2
    return i, x


def two(x: Any, w: Any, n: Any) -> Any:
    """The states of an LSTM, each of which is read by both."""
    i, c = 0, x * 0.0
    while i < n:
        gates = ops.matmul(x, w)
        c = c * ops.sigmoid(gates) + ops.tanh(x)
        x = ops.tanh(c) * 0.5
        i += 1
    return x, c


def overwritten(x: Any, w: Any, n: Any) -> Any:
    """What a round makes of what stays is not read by the next one."""
    i, last = 0, w
    while i < n:
        last = ops.exp(w) * 2.0
        x = x + 1.0
        i += 1
    return x, last


def numbers(x: Any, w: Any, n: Any) -> Any:
    """Several integers, one of which stays."""
    i, j, k = 0, 10, 3
    while i < n:
        x = x * 0.9
        i, j = i + 1, j - 4
    return x, i, j, k


def nested(x: Any, w: Any, n: Any) -> Any:
    i = 0
    while i < n:
        j = 0
        while j < n:
            x = ops.tanh(x + w[0])
            j = j + 1
        i = i + 1
    return x


LOOPED = [up, up_to, by_threes, down, two, overwritten, numbers, nested]


def exchanged(x: Any, w: Any, n: Any) -> Any:
    """One array becomes the other."""
    i, y = 0, x + 1.0
    while i < n:
        x, y = y, ops.tanh(x)
        i = i + 1
    return x, y


def left_early(x: Any, w: Any, n: Any) -> Any:
    i = 0
    while i < n:
        x = x * 1.5
        if x.max() > 3.0:
            break
        i = i + 1
    return x


def by_its_number(x: Any, w: Any, n: Any) -> Any:
    i = 0
    while i < n:
        x = x + w[0] * i
        i = i + 1
    return x


def faster_and_faster(x: Any, w: Any, n: Any) -> Any:
    i, step = 0, 1
    while i < n:
        x = x * 0.9
        i, step = i + step, step + 1
    return x, i


def nearer(x: Any, w: Any, n: Any) -> Any:
    """The end comes nearer."""
    i = 0
    while i < n:
        x = x * 0.9
        i, n = i + 1, n - 1
    return x, i


OTHERS = [exchanged, left_early, by_its_number, faster_and_faster, nearer]


def flat(value: Any) -> list[Any]:
    items = value if isinstance(value, tuple) else (value,)
    return [item.asnumpy() if isinstance(item, Tensor) else item for item in items]


def source_of(compiled: Any) -> str:
    return str(compiled.latest.executable.source)


@pytest.mark.parametrize("count", [0, 1, 2, 3, 8, 65])
@pytest.mark.parametrize("function", [*LOOPED, *OTHERS])
def test_loops_compute_what_they_do_without(function: Any, count: int) -> None:
    x, w, n = floats(6, 6), floats(6, 6), Tensor(count)
    compiled = ms.jit(function)
    before = x.asnumpy().copy()
    for _ in range(4):
        made = flat(compiled(x, w, n))
    assert ("r = min(" in source_of(compiled)) is (function in LOOPED and not PLAIN)
    ms.kernels.use("numpy", "driver")
    plain = ms.jit(function)
    for _ in range(4):
        wanted = flat(plain(x, w, n))
    for one, other in zip(made, wanted, strict=True):
        np.testing.assert_array_equal(one, other)
    np.testing.assert_array_equal(x.asnumpy(), before)


def test_against_numpy() -> None:
    x, w = floats(6, 6), floats(6, 6)
    compiled = ms.jit(two)
    for _ in range(3):
        made = flat(compiled(x, w, Tensor(9)))
    h, c = x.asnumpy().astype(np.float64), np.zeros((6, 6))
    for _ in range(9):
        gates = h @ w.asnumpy()
        c = c / (1 + np.exp(-gates)) + np.tanh(h)
        h = np.tanh(c) * 0.5
    np.testing.assert_allclose(made[0], h, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(made[1], c, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("most", [1.0, 5000.0])
def test_long_loops_are_gone_through_in_parts(most: float, monkeypatch: pytest.MonkeyPatch) -> None:
    x, w = floats(6, 6), floats(6, 6)
    whole = ms.jit(up)
    for _ in range(3):
        wanted = flat(whole(x, w, Tensor(101)))
    monkeypatch.setattr(native_loops, "MAX_WORK", most)
    compiled = ms.jit(up)
    for _ in range(3):
        made = flat(compiled(x, w, Tensor(101)))
    assert ("r = min(1, " in source_of(compiled)) is (most == 1.0 and not PLAIN)
    np.testing.assert_array_equal(made[0], wanted[0])


def test_arrays_that_lie_in_another_way_begin_in_python() -> None:
    w = floats(6, 6)
    x = Tensor(np.asfortranarray(RNG.standard_normal((6, 6)).astype(np.float32)))
    compiled = ms.jit(up)
    for _ in range(4):
        made = flat(compiled(x, w, Tensor(5)))
    wanted = x.asnumpy().astype(np.float64)
    for _ in range(5):
        wanted = np.tanh(wanted @ w.asnumpy())
    np.testing.assert_allclose(made[0], wanted, rtol=1e-5, atol=1e-6)


def test_watchers_see_every_round() -> None:
    x, w = floats(6, 6), floats(6, 6)
    compiled = ms.jit(up)
    for _ in range(3):
        plain = flat(compiled(x, w, Tensor(7)))
    seen: list[Execution] = []
    with watching(seen.append):
        watched = flat(compiled(x, w, Tensor(7)))
    np.testing.assert_array_equal(watched[0], plain[0])
    assert [one.iteration for one in seen if one.primitive.name == "MatMul"] == list(range(7))
    np.testing.assert_array_equal(flat(compiled(x, w, Tensor(7)))[0], plain[0])


def test_gradients_of_such_loops() -> None:
    x, w = floats(6, 6), floats(6, 6)
    compiled = ms.jit(ms.grad(lambda x, w, n: up(x, w, n).sum(), grad_position=(0, 1)))
    for _ in range(3):
        made = flat(compiled(x, w, Tensor(4)))
    step = 1e-3
    for place, of in enumerate((x, w)):
        direction = RNG.standard_normal((6, 6))
        values = []
        for sign in (1, -1):
            moved = [item.asnumpy().astype(np.float64) for item in (x, w)]
            moved[place] = moved[place] + sign * step * direction
            state = moved[0]
            for _ in range(4):
                state = np.tanh(state @ moved[1])
            values.append(state.sum())
        assert of.shape == made[place].shape
        np.testing.assert_allclose((made[place] * direction).sum(), (values[0] - values[1]) / (2 * step), rtol=1e-3)
