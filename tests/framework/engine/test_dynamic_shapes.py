"""Functions that are called with batches of many sizes: what serves them, and that it is right for each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import pytest

import framework as ms
from framework import Tensor, nn, ops
from framework.common.plain import PLAIN
from framework.engine.call.cells import cell_programs
from framework.engine.call.dynamic_shapes import SPECIALIZE_AFTER


def compilations(of_any_length: int, of_each_length: int) -> int:
    """How many there are with programs for any length; under `MS_PLAIN=1` there are none of these."""
    return of_each_length if PLAIN else of_any_length


def rows(*shape: int, seed: int = 0) -> Tensor:
    return Tensor(np.random.default_rng(seed).standard_normal(shape, np.float32))


def halves(x: Any) -> Any:
    """The second half meets one row where there are two or three."""
    half = x.shape[0] // 2
    return (x[:half] * x[x.shape[0] - half :]).sum() + (x[: x.shape[0] - 2] * x[-1:]).sum()


def asserted(x: Any) -> Any:
    assert x.shape[0] > 1
    if x.shape[0] > 5:
        return x.sum()
    return x.mean()


FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "elementwise": lambda x: (ops.tanh(x) * x).mean(),
    "halves": halves,
    "asserted": asserted,
    "shape": lambda x: x.sum() / x.shape[0] + len(x) + x.size,
    "batch norm": lambda x: (ops.softmax(x - x.mean(0)) * x).sum(),
    "one row": lambda x: (x * x[:1]).sum() + (x + x[0:1] * 0).sum(),
    "rows": lambda x: sum(row.sum() * place for place, row in enumerate(x)),
    "product": lambda x: x.prod(0).sum() + x.prod() + x.prod(1).mean(),
    "pairs": lambda x: (x[:, None] - x[None]).abs().sum(),
}


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
@pytest.mark.parametrize("of", [lambda f: f, lambda f: ms.value_and_grad(f, 0)], ids=["value", "gradient"])
def test_every_length_is_right(name: str, of: Callable[[Any], Any]) -> None:
    function = of(FUNCTIONS[name])
    compiled = ms.jit(function)
    for number, length in enumerate((4, 6, 3, 2, 9, 4, 3, 5, 2)):
        x = rows(length, 4, seed=number)
        got, wanted = compiled(x), function(x)
        for one, other in zip(*(v if isinstance(v, tuple) else (v,) for v in (got, wanted)), strict=True):
            assert one.shape == other.shape
            np.testing.assert_allclose(one.asnumpy(), other.asnumpy(), rtol=2e-4, atol=2e-5)


def test_the_third_length_compiles_for_all_that_follow() -> None:
    compiled = ms.jit(lambda x: ops.relu(x) @ ops.ones((4, 2), ms.float32))
    for length in (8, 16, 24, 32, 5, 24, 8, 100):
        np.testing.assert_array_equal(compiled(rows(length, 4)), compiled.function(rows(length, 4)))
    assert compiled.compilations == compilations(3, 6)
    assert compiled.latest.root.parameters[0].abstract.shape == (100 if PLAIN else None, 4)


def test_lengths_of_one_and_none_are_compiled_for() -> None:
    compiled = ms.jit(lambda x, y: (x * y).sum())
    by = ms.jit(ms.grad(lambda x, y: (x * y).sum(), (0, 1)))
    for first, second in ((4, 4), (5, 5), (6, 6), (1, 7), (7, 1), (0, 0), (1, 1), (7, 7)):
        x, y = rows(first, 3), rows(second, 3, seed=1)
        np.testing.assert_allclose(compiled(x, y), compiled.function(x, y), rtol=1e-5)
        assert [item.shape for item in by(x, y)] == [x.shape, y.shape]


def test_tensors_whose_lengths_change_apart() -> None:
    compiled = ms.jit(lambda x, y: ops.concat((x, y)).sum())
    for first, second in ((4, 2), (5, 2), (6, 2), (7, 2), (7, 3), (7, 4), (9, 5), (3, 8)):
        x, y = rows(first, 3), rows(second, 3, seed=1)
        np.testing.assert_allclose(compiled(x, y), compiled.function(x, y), rtol=1e-5)
    assert compiled.compilations < compilations(6, 9)


def test_what_does_not_fit_together_names_the_line() -> None:
    def product(x: Any, y: Any) -> Any:
        return x * y

    compiled = ms.jit(product)
    for length in (4, 5, 6):
        compiled(rows(length, 3), rows(length, 3))
    with pytest.raises(ValueError, match=r"(?s)\(5, 3\).*\(7, 3\).*return x \* y"):
        compiled(rows(5, 3), rows(7, 3))
    compiled(rows(8, 3), rows(8, 3))
    assert compiled.compilations == compilations(4, 5)


def test_a_length_that_suits_no_operator_names_the_line() -> None:
    def regrouped(x: Any) -> Any:
        return x.reshape((-1, 8)) * 2

    compiled = ms.jit(regrouped)
    for length in (4, 6, 8):
        assert compiled(rows(length, 4)).shape == (length // 2, 8)
    with pytest.raises(ValueError, match=r"return x\.reshape"):
        compiled(rows(5, 4))
    assert compiled(rows(10, 4)).shape == (5, 8)


def test_what_needs_the_length_is_compiled_for_each() -> None:
    compiled = ms.jit(lambda x: ops.roll(x, 1, 0) * x)
    for length in (2, 3, 4, 5, 4):
        np.testing.assert_array_equal(compiled(rows(length, 4)), compiled.function(rows(length, 4)))
    # One attempt more than there are lengths, for a program of any length.
    assert compiled.compilations == compilations(5, 4)


@pytest.mark.fast_path
def test_a_length_that_comes_often_gets_its_own_program() -> None:
    compiled = ms.jit(lambda x: ops.tanh(x).sum(0))
    for length in (2, 3, 4):
        compiled(rows(length, 4))
    x = rows(6, 4)
    first = compiled(x).asnumpy()
    for _ in range(SPECIALIZE_AFTER):
        np.testing.assert_allclose(compiled(x), first, rtol=1e-6)
    assert compiled.compilations == 4
    assert compiled.latest.root.parameters[0].abstract.shape == (6, 4)
    compiled(rows(7, 4))
    assert compiled.compilations == 4


def test_calls_in_a_row_get_it_too() -> None:
    compiled = ms.jit(lambda x: ops.tanh(x).sum(0))
    for length in (2, 3, 4):
        compiled(rows(length, 4))
    call, x = compiled.consecutive(), rows(6, 4)
    for _ in range(SPECIALIZE_AFTER + 1):
        call(x)
    assert compiled.latest.root.parameters[0].abstract.shape == (6, 4)


class Pair(NamedTuple):
    x: Any
    y: Any


def of_pair(x: Any, y: Any) -> Any:
    return (ops.tanh(x) * y).mean() + x.max() * 0.5


#: By name: what a function is called with for two tensors, and the function.
HOLDERS: dict[str, tuple[Callable[[Any, Any], tuple[tuple[Any, ...], dict[str, Any]]], Callable[..., Any]]] = {
    "tuple": (lambda x, y: (((x, y),), {}), lambda pair: of_pair(pair[0], pair[1])),
    "list": (lambda x, y: (([x, y],), {}), lambda pair: of_pair(*pair)),
    "dictionary": (lambda x, y: (({"x": x, "y": y},), {}), lambda batch: of_pair(batch["x"], batch["y"])),
    "named tuple": (lambda x, y: ((Pair(x, y),), {}), lambda pair: of_pair(pair.x, pair.y)),
    "nested": (lambda x, y: (([{"x": x}, (y, 2)], 3), {}), lambda a, b: of_pair(a[0]["x"], a[1][0]) * a[1][1] * b),
    "by name": (lambda x, y: ((x,), {"y": y}), of_pair),
    "both by name": (lambda x, y: ((), {"y": y, "x": x}), of_pair),
    "held and by name": (lambda x, y: ((), {"pair": [x, y], "scale": 2.0}), lambda pair, scale: of_pair(*pair) * scale),
}


class Holder(nn.Cell):
    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__()
        self.function = function
        self.weight = ms.Parameter(Tensor(1.5, ms.float32))

    def construct(self, *args: Any, **kwargs: Any) -> Any:
        return self.function(*args, **kwargs) * self.weight


@pytest.fixture
def graph_mode() -> Iterator[None]:
    ms.set_context(mode=ms.GRAPH_MODE)
    yield
    ms.set_context(mode=ms.PYNATIVE_MODE)


LENGTHS = (4, 6, 3, 2, 9, 4, 3, 12)


@pytest.mark.parametrize("name", sorted(HOLDERS))
def test_tensors_that_arguments_hold_count_too(name: str) -> None:
    held, function = HOLDERS[name]
    compiled = ms.jit(function)
    for number, length in enumerate(LENGTHS):
        args, kwargs = held(rows(length, 4, seed=number), rows(length, 4, seed=50 + number))
        np.testing.assert_allclose(compiled(*args, **kwargs), function(*args, **kwargs), rtol=1e-5)
    assert compiled.compilations == compilations(3, 6)


@pytest.mark.parametrize("name", sorted(HOLDERS))
def test_in_cells_too(name: str, graph_mode: None) -> None:
    held, function = HOLDERS[name]
    cell = Holder(function)
    for number, length in enumerate(LENGTHS):
        args, kwargs = held(rows(length, 4, seed=number), rows(length, 4, seed=50 + number))
        np.testing.assert_allclose(cell(*args, **kwargs), function(*args, **kwargs).asnumpy() * 1.5, rtol=1e-5)
    assert cell_programs(cell).compilations == compilations(3, 6)


@pytest.mark.parametrize("name", sorted(HOLDERS))
def test_their_gradients_are_right_for_every_length(name: str) -> None:
    held, function = HOLDERS[name]

    def gradients(x: Any, y: Any) -> Any:
        def inner(x: Any, y: Any) -> Any:
            args, kwargs = held(x, y)
            return function(*args, **kwargs)

        return ms.grad(inner, (0, 1))(x, y)

    def apart(pair: Any, more: Any) -> Any:
        return gradients(pair[0], more["y"])

    compiled = ms.jit(apart)
    for number, length in enumerate(LENGTHS):
        x, y = rows(length, 4, seed=number), rows(length, 4, seed=50 + number)
        for one, other in zip(compiled((x,), more={"y": y}), gradients(x, y), strict=True):
            np.testing.assert_allclose(one, other.asnumpy(), rtol=1e-5, atol=1e-7)
    assert compiled.compilations == compilations(3, 6)


def test_what_else_is_held_has_programs_of_its_own() -> None:
    compiled = ms.jit(lambda pair, names: pair[0].sum() * (2 if "twice" in names else 1) + pair[1])
    for length in (4, 5, 6, 7):
        x = rows(length, 4)
        for number in (1, 2.5):
            for names in (["twice"], ["once"]):
                wanted = compiled.function((x, number), names)
                np.testing.assert_allclose(compiled((x, number), names), wanted, rtol=1e-6)
    assert compiled.compilations == compilations(12, 16)


def test_a_list_of_other_length_is_another_program() -> None:
    compiled = ms.jit(lambda parts: ops.concat(parts).sum(0))
    for length in (4, 5, 6, 7):
        for count in (1, 2, 3):
            parts = [rows(length, 4, seed=place) for place in range(count)]
            np.testing.assert_allclose(compiled(parts), compiled.function(parts), rtol=1e-5, atol=1e-6)
    assert compiled.compilations == compilations(9, 12)


def test_held_lengths_that_do_not_fit_name_the_line() -> None:
    def product(pair: Any) -> Any:
        return pair[0] * pair[1]

    compiled = ms.jit(product)
    for length in (4, 5, 6):
        compiled([rows(length, 3), rows(length, 3)])
    with pytest.raises(ValueError, match=r"(?s)\(5, 3\).*\(7, 3\).*return pair\[0\]"):
        compiled([rows(5, 3), rows(7, 3)])
    assert compiled([rows(8, 3), rows(1, 3)]).shape == (8, 3)


def test_a_held_length_that_comes_often_gets_its_own_program() -> None:
    compiled = ms.jit(lambda batch: ops.tanh(batch["x"]).sum(0))
    for length in (2, 3, 4):
        compiled({"x": rows(length, 4)})
    x = rows(6, 4)
    for _ in range(SPECIALIZE_AFTER + 2):
        compiled({"x": x})
    assert compiled.compilations == 4


def test_zero_switches_it_off() -> None:
    compiled = ms.jit(lambda x: ops.tanh(x), dynamic=0)
    for length in (2, 3, 4, 5):
        compiled(rows(length, 4))
    assert compiled.compilations == 4


def test_training_with_batches_of_many_sizes() -> None:
    def train(mode: int) -> tuple[list[float], Any, Any]:
        ms.set_context(mode=mode)
        ms.set_seed(3)
        net = nn.SequentialCell(nn.Dense(6, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Dense(8, 3))
        loss = nn.WithLossCell(net, nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean"))
        step = nn.TrainOneStepCell(loss, nn.Momentum(net.trainable_params(), 0.1, 0.9))
        step.set_train()
        losses = []
        for number, size in enumerate((8, 8, 5, 7, 6, 9, 5, 1 + 8, 12)):
            labels = Tensor(np.arange(size) % 3, ms.int32)
            losses.append(float(step(rows(size, 6, seed=number), labels).asnumpy()))
        return losses, [item.asnumpy() for item in net.get_parameters()], step

    try:
        compiled, plain = train(ms.GRAPH_MODE), train(ms.PYNATIVE_MODE)
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)
    np.testing.assert_allclose(compiled[0], plain[0], rtol=1e-4)
    for one, other in zip(compiled[1], plain[1], strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-3, atol=1e-5)
    assert cell_programs(compiled[2]).compilations == compilations(3, 6)
