"""Compiled functions are compiled when they must be, and only then; no call gives a stale result."""

from __future__ import annotations

import gc
import logging
import types
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import framework as ms
from framework import Parameter, Tensor, nn, ops
from framework.engine.call.cells import cell_programs
from framework.engine.call.compiled import Compiled

SCALE = 2.0
SCALES = [1.0, [2.0]]
TABLE = {"a": {"b": 2.0}}
WEIGHT = Tensor([3.0, 3.0])
ARRAY = np.array([2.0, 2.0], np.float32)
settings = types.ModuleType("settings")
settings.scale = 2.0  # type: ignore[attr-defined]


class Options:
    scale = 2.0


def x() -> Tensor:
    return Tensor([1.0, 2.0])


def by_global(x: Any) -> Any:
    return x * SCALE


def by_list(x: Any) -> Any:
    return x * SCALES[0] * SCALES[1][0]


def by_table(x: Any) -> Any:
    return x * TABLE["a"]["b"]


def by_tensor(x: Any) -> Any:
    return x * WEIGHT


def by_module(x: Any) -> Any:
    return x * settings.scale


def by_class(x: Any) -> Any:
    return x * Options.scale


def called(x: Any) -> Any:
    return x * 2.0


def by_function(x: Any) -> Any:
    return called(x)


def set_item(owner: Any, key: Any, value: Any) -> Callable[[], None]:
    return lambda: owner.__setitem__(key, value)


CHANGES: dict[str, tuple[Any, Callable[[], None]]] = {
    "a global": (by_global, set_item(globals(), "SCALE", 5.0)),
    "a global of another type": (by_global, set_item(globals(), "SCALE", 7)),
    "an element of a list": (by_list, set_item(SCALES, 0, 5.0)),
    "an element of a list in a list": (by_list, set_item(SCALES[1], 0, 7.0)),
    "an entry of a dictionary in a dictionary": (by_table, set_item(TABLE["a"], "b", 5.0)),
    "the elements of a tensor": (by_tensor, set_item(WEIGHT, 0, 5.0)),
    "an attribute of a module": (by_module, lambda: setattr(settings, "scale", 5.0)),
    "an attribute of a class": (by_class, lambda: setattr(Options, "scale", 5.0)),
    "a function": (by_function, set_item(globals(), "called", lambda x: x * 9.0)),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_around_a_function_is_noticed(name: str) -> None:
    function, change = CHANGES[name]
    compiled = ms.jit(function)
    for _ in range(3):
        np.testing.assert_array_equal(compiled(x()).asnumpy(), function(x()).asnumpy())
    assert compiled.compilations == 1
    before = function(x()).asnumpy()
    change()
    after = function(x()).asnumpy()
    assert not np.array_equal(before, after)
    for _ in range(3):
        np.testing.assert_array_equal(compiled(x()).asnumpy(), after)
    assert compiled.compilations == 2
    assert len(compiled.reasons) == 1


def test_a_variable_of_a_closure_is_noticed() -> None:
    scale = 2.0

    @ms.jit
    def function(x: Any) -> Any:
        return x * scale

    assert function(x()).asnumpy().tolist() == [2.0, 4.0]
    scale = 3.0
    assert function(x()).asnumpy().tolist() == [3.0, 6.0]
    assert function.reasons == ["'scale', variable of a closure, is 3.0 and was 2.0"]
    scale = 2.0
    assert function(x()).asnumpy().tolist() == [2.0, 4.0]
    assert function.compilations == 2


class Inner(nn.Cell):
    def __init__(self, factor: float) -> None:
        super().__init__()
        self.factor = factor

    def construct(self, x: Any) -> Any:
        return x * self.factor


class Outer(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.inner = Inner(2.0)
        self.layers = nn.CellList([Inner(3.0), Inner(1.0)])
        self.weight = Parameter(Tensor([1.0, 1.0]), name="weight")
        self.sum = ops.ReduceSum(keep_dims=False)

    def construct(self, x: Any) -> Any:
        x = self.inner(x) * self.weight
        for layer in self.layers:
            x = layer(x)
        return (x + 1.0 if self.training else x) + self.sum(x, 0)


def replaced_weight(cell: Any) -> None:
    cell.weight = Parameter(Tensor([5.0, 7.0]), name="weight")


def wider_weight(cell: Any) -> None:
    cell.weight.set_data(Tensor([[5.0, 7.0], [1.0, 2.0]]), slice_shape=True)


CELL_CHANGES: dict[str, Callable[[Any], None]] = {
    "an attribute": lambda cell: setattr(cell.inner, "factor", 5.0),
    "the train flag": lambda cell: cell.set_train(),
    "the train flag of the outermost": lambda cell: setattr(cell, "training", True),
    "a cell": lambda cell: setattr(cell, "inner", Inner(7.0)),
    "a cell in a list": lambda cell: cell.layers.__setitem__(1, Inner(7.0)),
    "one more cell in a list": lambda cell: cell.layers.append(Inner(7.0)),
    "a parameter": replaced_weight,
    "the shape of a parameter": wider_weight,
    "the elements of a parameter": lambda cell: cell.weight.set_data(Tensor([2.0, 3.0])),
    "an attribute of a primitive": lambda cell: cell.sum.add_prim_attr("keep_dims", True),
    "an attribute of a primitive in place": lambda cell: cell.sum.attrs.update(keep_dims=True),
    "an attribute of a primitive as a set": lambda cell: cell.sum.attrs.__ior__({"keep_dims": True}),
    "construct": lambda cell: setattr(type(cell.inner), "construct", lambda self, x: x * self.factor * 11.0),
}


@pytest.fixture
def _graph_mode() -> Iterator[None]:
    ms.set_context(mode=ms.GRAPH_MODE)
    yield
    ms.set_context(mode=ms.PYNATIVE_MODE)


def line_by_line(cell: Any, *args: Any) -> np.ndarray:
    ms.set_context(mode=ms.PYNATIVE_MODE)
    found: np.ndarray = cell(*args).asnumpy()
    ms.set_context(mode=ms.GRAPH_MODE)
    return found


@pytest.mark.usefixtures("_graph_mode")
@pytest.mark.parametrize("name", CELL_CHANGES)
def test_a_change_of_a_cell_is_noticed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Inner, "construct", Inner.construct)
    cell = Outer()
    before = cell(x()).asnumpy()
    np.testing.assert_array_equal(cell(x()).asnumpy(), before)
    CELL_CHANGES[name](cell)
    wanted = line_by_line(cell, x())
    for _ in range(3):
        np.testing.assert_array_equal(cell(x()).asnumpy(), wanted)
    assert cell_programs(cell).compilations == (1 if name == "the elements of a parameter" else 2)
    assert "an attribute of a primitive" in name or not np.array_equal(before, wanted)


@pytest.mark.usefixtures("_graph_mode")
def test_going_back_compiles_nothing() -> None:
    cell = Outer()
    trained = {flag: cell.set_train(flag)(x()).asnumpy() for flag in (True, False)}
    for flag in (True, False, True):
        np.testing.assert_array_equal(cell.set_train(flag)(x()).asnumpy(), trained[flag])
    assert cell_programs(cell).compilations == 2


def test_shapes_types_and_values_of_arguments_have_programs_of_their_own() -> None:
    @ms.jit
    def function(x: Any, by: Any = 1) -> Any:
        return x * by

    calls: list[tuple[Any, ...]] = [
        (Tensor([1.0, 2.0]),),
        (Tensor([1.0, 2.0, 3.0]),),
        (Tensor([1, 2]),),
        (Tensor([1, 2]), 2),
        (Tensor([1, 2]), 2.0),
        (Tensor([1, 2]), True),
        (Tensor([1.0, 2.0]), Tensor(2.0)),
    ]
    for _ in range(3):
        for args in calls:
            found, wanted = function(*args), args[0] * (args[1] if len(args) > 1 else 1)
            np.testing.assert_array_equal(found.asnumpy(), wanted.asnumpy())
            assert found.dtype == wanted.dtype
    assert function.compilations == len(calls)
    assert function.reasons[0] == "argument 1 is Float32[3] and was Float32[2]"


def test_what_is_compiled_often_is_said(caplog: pytest.LogCaptureFixture) -> None:
    @ms.jit
    def scaled(x: Any, by: float) -> Any:
        return x * by

    with caplog.at_level(logging.INFO, "framework"):
        for number in range(12):
            scaled(x(), float(number))
    told = [record.getMessage() for record in caplog.records if record.levelno == logging.INFO]
    assert told[0] == "scaled is compiled again, for the 2. time: argument 2 is 1.0 and was 0.0"
    (warning,) = [record.getMessage() for record in caplog.records if record.levelno == logging.WARNING]
    assert "because of 'argument 2'" in warning
    assert len(told) == 11


DENSE, NORM = nn.Dense(4, 3), nn.LayerNorm((4,))
#: Functions of rows, of which the number is not known when they are compiled.
OF_BATCHES: dict[str, Callable[[Any], Any]] = {
    "sum": lambda x: ops.relu(DENSE(x)).sum(),
    "mean": lambda x: DENSE(x).mean(),
    "mean of rows": lambda x: (DENSE(x).mean(0) * DENSE(x)).sum(),
    "softmax": lambda x: (ops.softmax(x) * x).sum(),
    "norm": lambda x: (NORM(x) * x).mean(),
    "flat": lambda x: (ops.flatten(x) * 2).std(),
    "variance": lambda x: x.var(0, 1).sum() + x.var(1).mean(),
    "columns": lambda x: (x[:, 1:] * x[:, :-1]).mean(),
}


class TestInputSignature:
    """`jit(input_signature=)`: one program for all lengths of a dimension."""

    @staticmethod
    def compiled() -> Compiled:
        def normalized(x: Any) -> Any:
            return ops.relu(x - x.mean(axis=0)) @ ops.ones((3, 2), ms.float32) * x.shape[0]

        made: Compiled = ms.jit(normalized, input_signature=(Tensor(shape=[None, 3], dtype=ms.float32),))
        return made

    def test_one_program_serves_all_lengths(self) -> None:
        function = self.compiled()
        rng = np.random.default_rng(0)
        for rows in (4, 7, 1, 4):
            x = Tensor(rng.standard_normal((rows, 3), np.float32))
            np.testing.assert_allclose(function(x).asnumpy(), function.function(x).asnumpy(), rtol=1e-5, atol=1e-6)
        assert function.compilations == 1

    def test_a_cell_says_what_it_is_called_with(self) -> None:
        net = nn.Dense(3, 2)
        rng = np.random.default_rng(0)
        given = [Tensor(rng.standard_normal((rows, 3), np.float32)) for rows in (4, 7, 1)]
        wanted = [net(x).asnumpy() for x in given]
        ms.set_context(mode=ms.GRAPH_MODE)
        try:
            net(given[0])
            assert net.set_inputs(Tensor(shape=[None, 3], dtype=ms.float32)) is net
            for x, one in zip(given, wanted, strict=True):
                np.testing.assert_allclose(net(x).asnumpy(), one, rtol=1e-5, atol=1e-6)
            assert cell_programs(net).compilations == 1
            with pytest.raises(ValueError, match="input_signature says"):
                net(Tensor(np.ones((2, 4), np.float32)))
        finally:
            ms.set_context(mode=ms.PYNATIVE_MODE)

    @pytest.mark.parametrize("name", sorted(OF_BATCHES))
    def test_one_gradient_serves_all_batches(self, name: str) -> None:
        function = OF_BATCHES[name]
        compiled = ms.jit(ms.value_and_grad(function, 0), input_signature=Tensor(shape=[None, 4], dtype=ms.float32))
        rng = np.random.default_rng(0)
        for rows in (4, 7, 2):
            x = Tensor(rng.standard_normal((rows, 4), np.float32))
            for got, wanted in zip(compiled(x), ms.value_and_grad(function, 0)(x), strict=True):
                np.testing.assert_allclose(got.asnumpy(), wanted.asnumpy(), rtol=1e-4, atol=1e-5)
        assert compiled.compilations == 1

    @pytest.mark.parametrize(
        ("argument", "kind"),
        [
            (Tensor(np.ones((2, 4), np.float32)), ValueError),
            (Tensor(np.ones(3, np.float32)), ValueError),
            (Tensor(np.ones((2, 3))), TypeError),
            (3.0, TypeError),
        ],
    )
    def test_what_does_not_fit_is_refused(self, argument: Any, kind: type[Exception]) -> None:
        function = self.compiled()
        function(Tensor(np.ones((2, 3), np.float32)))
        with pytest.raises(kind, match=r"argument 1 of normalized is .*, but its input_signature says .*\(\?, 3\)"):
            function(argument)
        with pytest.raises(TypeError, match="called with 2"):
            function(argument, argument)

    def test_a_tensor_without_elements_says_so(self) -> None:
        placeholder = Tensor(shape=[None, 3], dtype=ms.float32)
        assert placeholder.shape == (None, 3)
        assert placeholder.dtype == ms.float32
        with pytest.raises(TypeError, match="without elements"):
            placeholder.asnumpy()


@pytest.mark.usefixtures("_graph_mode")
def test_a_cell_that_nobody_needs_is_gone_with_its_programs() -> None:
    cell = Outer()
    cell(x())
    gone = weakref.ref(cell)
    del cell
    gc.collect()
    assert gone() is None


@pytest.mark.usefixtures("_graph_mode")
def test_a_copy_of_a_cell_has_programs_of_its_own() -> None:
    import copy

    cell = Outer()
    cell(x())
    other = copy.deepcopy(cell)
    other.inner.factor = 5.0
    np.testing.assert_array_equal(other(x()).asnumpy(), line_by_line(other, x()))
    np.testing.assert_array_equal(cell(x()).asnumpy(), line_by_line(cell, x()))
