from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import framework as ms
from framework import Parameter, Tensor, nn, ops
from framework.ad import grad
from framework.engine.call.cells import cell_programs
from framework.engine.call.compiled import Compiled
from framework.engine.codegen.program import compile_program
from framework.infer import specialize
from framework.ir.abstract import AbstractTensor
from framework.ops import operations as P  # noqa: N812
from framework.opt.pipeline import optimize
from mindinsight.graphs.passes import find_histories, open_pass
from summaries.schema.anf_ir_pb2 import GraphProto
from tests.framework import programs

VECTOR = AbstractTensor((2,), ms.float64)
SCALE = 2.0


@pytest.fixture(autouse=True)
def modes() -> Iterator[None]:
    yield
    ms.set_context(mode=ms.PYNATIVE_MODE, save_graphs=False, save_graphs_path=".")


@pytest.mark.parametrize("order", [0, 1, 2])
@pytest.mark.parametrize("function", programs.EVERY, ids=lambda function: function.__name__)
def test_compiled_programs_do_what_python_does(function: Callable[[Any], Any], order: int) -> None:
    wanted: Any = function
    for _ in range(order):
        wanted = grad((lambda inner: lambda x: inner(x).sum())(wanted))
    program = specialize(wanted, [VECTOR])
    optimize(program.root)
    run = compile_program(program.root)
    for values in programs.INPUTS:
        x = np.array(values)
        np.testing.assert_allclose(run(x), wanted(Tensor(x)).asnumpy(), rtol=1e-10, atol=1e-14)


@ms.jit
def count(x: Any, n: Any) -> Any:
    i = 0
    while i < n:
        if i % 2 == 0:
            x = x + 1
        i = i + 1
    return x


def test_a_loop_does_ten_thousand_rounds() -> None:
    assert count(Tensor(np.zeros(2)), Tensor(10_000)).asnumpy().tolist() == [5000.0, 5000.0]


@pytest.mark.fast_path
def test_a_loop_runs_as_a_loop() -> None:
    source = count.compile(Tensor(np.zeros(2)), Tensor(3)).executable.source
    assert source.count("while True:") == 1
    assert "yield" not in source


def layer(x: Any, w: Any, b: Any) -> Any:
    return ops.relu(ops.bias_add(P.MatMul(transpose_b=True)(x, w), b)).sum(0)


def small_arguments(kind: Any) -> list[Tensor]:
    rng = np.random.default_rng(0)
    return [Tensor(rng.standard_normal(shape).astype(kind)) for shape in ((5, 4), (3, 4), (3,))]


@pytest.mark.fast_path
@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_small_kernels_are_written_out(kind: Any) -> None:
    source = ms.jit(layer).compile(*small_arguments(kind)).executable.source
    assert "dot(p0, p1.T" in source
    assert "add_reduce(" in source


def test_small_kernels_give_what_line_by_line_does_to_the_last_bit() -> None:
    def wanted(*given: Tensor) -> list[np.ndarray]:
        return [layer(*given).asnumpy(), *(g.asnumpy() for g in grad(lambda *x: layer(*x).sum(), (0, 1, 2))(*given))]

    for kind in (np.float32, np.float64):
        given = small_arguments(kind)
        compiled = ms.jit(layer)
        back = ms.jit(grad(lambda *x: layer(*x).sum(), (0, 1, 2)))
        for found, expected in zip((compiled(*given), *back(*given)), wanted(*given), strict=True):
            np.testing.assert_array_equal(found.asnumpy(), expected)
    half = [item.astype(ms.float16) for item in given]
    np.testing.assert_allclose(ms.jit(layer)(*half).asnumpy(), layer(*half).asnumpy())


def test_recursion_has_no_limit_but_memory() -> None:
    @ms.jit
    def deep(x: Any) -> Any:
        return x * 0.0 if x.sum() > 5000.0 else deep(x + 1.0) + 1.0

    assert deep(Tensor(np.zeros(1))).asnumpy().tolist() == [5001.0]


def test_a_function_is_compiled_once_for_a_signature() -> None:
    @ms.jit
    def scaled(x: Any, by: float = 1.0) -> Any:
        return x * by

    for size, by in ((2, 1.0), (2, 1.0), (3, 1.0), (2, 2.0), (3, 1.0)):
        assert scaled(Tensor(np.ones(size)), by).asnumpy().tolist() == [by] * size
    assert scaled.compilations == 3


def test_a_changed_global_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    @ms.jit
    def scaled(x: Any) -> Any:
        return x * SCALE

    assert scaled(Tensor(np.ones(1))).asnumpy().tolist() == [2.0]
    monkeypatch.setitem(globals(), "SCALE", 5.0)
    assert scaled(Tensor(np.ones(1))).asnumpy().tolist() == [5.0]


def test_a_gradient_of_a_compiled_function_and_a_compiled_gradient_agree() -> None:
    def square(x: Any) -> Any:
        return (x * x * x).sum()

    x = Tensor(np.array([1.0, 2.0]))
    assert grad(ms.jit(square))(x).asnumpy().tolist() == [3.0, 12.0]
    assert ms.jit(grad(square))(x).asnumpy().tolist() == [3.0, 12.0]
    assert ms.jit(grad(ms.jit(square)))(x).asnumpy().tolist() == [3.0, 12.0]


def test_containers_come_and_go() -> None:
    @ms.jit
    def swap(pair: Any, table: Any) -> Any:
        first, second = pair
        return {"sum": first + second + table["a"], "back": (second, [first, 3])}

    one, two = Tensor(np.array([1.0])), Tensor(np.array([2.0]))
    found = swap((one, two), {"a": one})
    assert found["sum"].asnumpy().tolist() == [4.0]
    assert found["back"][0].asnumpy().tolist() == [2.0]
    assert found["back"][1][1] == 3


class Counter(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.total = Parameter(Tensor(np.zeros(1)), name="total")
        self.bias = 1.0

    def construct(self, x: Any, n: Any) -> Any:
        i = 0
        while i < n:
            self.total = self.total + x + self.bias
            i = i + 1
        return self.total * 2.0 if self.training else self.total


def test_parameters_are_updated_in_loops_and_attributes_are_noticed() -> None:
    ms.set_context(mode=ms.GRAPH_MODE)
    cell = Counter()
    assert cell(Tensor(np.array([1.0])), Tensor(3)).asnumpy().tolist() == [6.0]
    assert cell(Tensor(np.array([1.0])), Tensor(2)).asnumpy().tolist() == [10.0]
    cell.bias = 0.0
    assert cell(Tensor(np.array([1.0])), Tensor(1)).asnumpy().tolist() == [11.0]
    cell.set_train()
    assert cell(Tensor(np.array([1.0])), Tensor(1)).asnumpy().tolist() == [24.0]
    assert cell.total.asnumpy().tolist() == [12.0]


class Doubling(nn.Cell):
    """Says of itself that its gradient is 100."""

    def construct(self, x: Any) -> Any:
        return x * 2.0

    def bprop(self, x: Any, out: Any, dout: Any) -> Any:
        return (dout * 100.0,)


def test_a_cell_may_say_how_to_go_backward() -> None:
    cell = Doubling()
    x = Tensor(np.array([3.0]))
    compiled = ms.jit(grad(lambda x: cell(x).sum()))
    assert compiled(x).asnumpy().tolist() == [100.0]
    assert ms.jit(lambda x: cell(x))(x).asnumpy().tolist() == [6.0]


class Network(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.CellList([nn.Dense(4, 8), nn.Dense(8, 3)])
        self.norm = nn.LayerNorm((8,))

    def construct(self, x: Any) -> Any:
        for i, layer in enumerate(self.layers):
            x = layer(x)
            if i == 0:
                x = ops.relu(self.norm(x))
        return x


@pytest.mark.parametrize("optimizer", ["Momentum", "Adam", "SGD"])
def test_training_is_the_same_in_both_modes(optimizer: str) -> None:
    losses = {}
    for mode in (ms.PYNATIVE_MODE, ms.GRAPH_MODE):
        ms.set_context(mode=mode)
        ms.set_seed(1)
        network = Network()
        options = {"learning_rate": 0.1, **({"momentum": 0.9} if optimizer == "Momentum" else {})}
        loss = nn.WithLossCell(network, nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean"))
        step = nn.TrainOneStepCell(loss, getattr(nn, optimizer)(network.trainable_params(), **options)).set_train()
        x, y = Tensor(np.linspace(-1, 1, 24, dtype=np.float32).reshape(6, 4)), Tensor([0, 1, 2, 0, 1, 2], ms.int32)
        losses[mode] = [float(step(x, y).asnumpy()) for _ in range(5)]
    assert cell_programs(step).compilations == 1
    np.testing.assert_allclose(losses[ms.GRAPH_MODE], losses[ms.PYNATIVE_MODE], rtol=1e-5)
    assert losses[ms.GRAPH_MODE][-1] < losses[ms.GRAPH_MODE][0]


def test_gradients_asked_for_in_graph_mode_are_compiled() -> None:
    ms.set_context(mode=ms.GRAPH_MODE)
    network = Network()
    gradient = ms.GradOperation(get_by_list=True)(network, network.trainable_params())
    found = gradient(Tensor(np.ones((2, 4), np.float32)))
    assert isinstance(gradient.compiled, Compiled)
    ms.set_context(mode=ms.PYNATIVE_MODE)
    for one, other in zip(found, gradient(Tensor(np.ones((2, 4), np.float32))), strict=True):
        np.testing.assert_allclose(one.asnumpy(), other.asnumpy(), rtol=1e-5, atol=1e-6)


def test_a_variable_asks_for_dumps_and_the_program_knows_better(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MS_DUMP_IR", str(tmp_path / "named"))
    ms.jit(programs.chooses)(Tensor(np.ones(2)))
    (directory,) = (tmp_path / "named").iterdir()
    assert [path.name for path in directory.glob("*_infer.ir")] == ["00_infer.ir"]
    assert len(list(directory.glob("*_fusion.txt"))) == 1
    ms.set_context(save_graphs=True, save_graphs_path=str(tmp_path / "said"))
    ms.jit(lambda x: x + 1.0)(Tensor(np.ones(2)))
    assert len(list((tmp_path / "said").iterdir())) == len(list((tmp_path / "named").iterdir())) == 1


def test_each_pass_leaves_text_and_messages(tmp_path: Path) -> None:
    ms.set_context(save_graphs=True, save_graphs_path=str(tmp_path))
    ms.jit(grad(programs.chooses))(Tensor(np.ones(2)))
    (directory,) = tmp_path.iterdir()
    texts = sorted(path.name for path in directory.glob("*.ir"))
    assert texts[:2] == ["00_infer.ir", "01_inline.ir"]
    parts = sorted(directory.glob("00_infer.fg*.pb"), key=lambda path: int(path.suffixes[0][3:]))
    graphs = [GraphProto.FromString(path.read_bytes()) for path in parts]
    assert len(graphs) > 1
    (history,) = find_histories(tmp_path)
    assert [step.name for step in history.passes][:2] == ["infer", "inline"]
    opened = [open_pass(history, step.index) for step in history.passes]
    assert all(len(graph.kind) > 10 and not graph.defects for graph in opened)
    named = {graph.name for graph in graphs}
    called = {constant.value.str_val[1:] for graph in graphs for constant in graph.const_vals}
    assert named - {graphs[0].name} <= called | {n.op_type.removeprefix("call @") for g in graphs for n in g.node}


def test_the_program_of_the_documents() -> None:
    def func(x: Any, y: Any) -> Any:
        return x / y

    @ms.ms_function
    def test_f(x: Any, y: Any) -> Any:
        a = x - 1
        b = a + y
        return b * func(a, b)

    x, y = Tensor(np.array([3.0])), Tensor(np.array([2.0]))
    assert test_f(x, y).asnumpy().tolist() == [2.0]
    root = test_f.compile(x, y).root
    assert [parameter.name for parameter in root.parameters] == ["x", "y"]
