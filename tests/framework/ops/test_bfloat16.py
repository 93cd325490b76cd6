"""bfloat16: numbers that MindSpore 2.10 gave on the CPU, or results of Float32 rounded once; trainings; files."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import framework as ms
from debugging.tensors.statistics import statistics_of
from framework import Tensor, nn, ops
from framework.ops.primitive import PrimitiveWithInfer

X = [1.5, 2.3]


@pytest.fixture(params=[ms.PYNATIVE_MODE, ms.GRAPH_MODE], ids=["pynative", "graph"])
def mode(request: pytest.FixtureRequest) -> Iterator[int]:
    before = ms.get_context("mode")
    ms.set_context(mode=request.param)
    yield request.param
    ms.set_context(mode=before)


# (function, element type, elements) as MindSpore 2.10 prints them for X.
RECORDED: list[tuple[Callable[[Any], Any], Any, list[float]]] = [
    (lambda x: x + x, ms.bfloat16, [3, 4.59375]),
    (lambda x: x + 1, ms.bfloat16, [2.5, 3.296875]),
    (lambda x: x + 1.5, ms.bfloat16, [3, 3.796875]),
    (lambda x: x * x, ms.bfloat16, [2.25, 5.28125]),
    (lambda x: x / x, ms.bfloat16, [1, 1]),
    (lambda x: -x, ms.bfloat16, [-1.5, -2.296875]),
    (lambda x: x + Tensor([1], ms.int32), ms.bfloat16, [2.5, 3.296875]),
    (lambda x: x + Tensor([1.0], ms.float16), ms.float32, [2.5, 3.296875]),
    (lambda x: x + Tensor([1.0], ms.float32), ms.float32, [2.5, 3.296875]),
    (lambda x: x.float(), ms.float32, [1.5, 2.296875]),
    (lambda x: x.astype(ms.float16), ms.float16, [1.5, 2.296875]),
    (lambda x: ops.cast(x, ms.int32), ms.int32, [1, 2]),
    (lambda x: ops.zeros((2,), ms.bfloat16), ms.bfloat16, [0, 0]),
    (lambda x: x[0], ms.bfloat16, [1.5]),
]


@pytest.mark.parametrize(("function", "dtype", "wanted"), RECORDED)
def test_results_are_mindspores(function: Any, dtype: Any, wanted: list[float], mode: int) -> None:
    out = function(Tensor(X, ms.bfloat16))
    assert out.dtype is dtype
    assert out.asnumpy().astype(np.float64).ravel().tolist() == wanted


def test_a_tensor_tells_its_type_and_its_elements() -> None:
    x = Tensor(np.array(X), ms.bfloat16)
    assert (str(x.dtype), x.itemsize, x.nbytes, x.tolist()) == ("BFloat16", 2, 4, [1.5, 2.296875])
    assert x.asnumpy().dtype.name == "bfloat16"
    assert str(x) == "[1.5 2.29688]"
    assert Tensor(x.asnumpy()).dtype is ms.bfloat16
    assert ms.dtype_to_nptype(ms.bfloat16) == x.asnumpy().dtype
    assert pickle.loads(pickle.dumps(ms.bfloat16)) is ms.bfloat16  # noqa: S301
    assert copy.deepcopy(x).dtype is ms.bfloat16
    assert pickle.loads(pickle.dumps(x)).tolist() == x.tolist()  # noqa: S301


def test_it_is_loaded_when_it_is_used() -> None:
    code = "import sys, framework as ms; assert 'ml_dtypes' not in sys.modules; ms.Tensor(1.0, ms.bfloat16); print(1)"
    assert subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout == "1\n"


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "exp": ops.exp, "tanh": ops.tanh, "sigmoid": ops.sigmoid, "gelu": ops.gelu, "sqrt": lambda x: ops.sqrt(ops.abs(x)),
    "softmax": ops.softmax, "log_softmax": ops.log_softmax, "mean": lambda x: x.mean(0), "sum": lambda x: x.sum(1),
    "max": lambda x: ops.max(x, 1)[0], "layer_norm": lambda x: ops.layer_norm(x, (16,)), "square": ops.square,
    "concat": lambda x: ops.cat((x, x), 1), "index": lambda x: x[1:, ::2],
    "power": lambda x: ops.pow(ops.abs(x), 1.5),
    "select": lambda x: ops.where(x > 0, x, 0.5), "std": lambda x: x.std(1), "erf": ops.erf,
    "cumsum": lambda x: ops.cumsum(x, 1),
}  # fmt: skip


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_are_those_of_float32_rounded(name: str, mode: int) -> None:
    function = FUNCTIONS[name]
    x = Tensor(np.random.default_rng(2).standard_normal((8, 16)), ms.bfloat16)

    def total(x: Any) -> Any:
        return (ops.cast(function(x), ms.float32) * 0.37).sum()

    found, wanted = (function(x), ms.grad(total)(x)), (function(x.float()), ms.grad(total)(x.float()))
    for one, other in zip(found, wanted, strict=True):
        assert one.dtype is ms.bfloat16
        # A function of several operators rounds after each of them.
        np.testing.assert_allclose(one.float().asnumpy(), other.asnumpy(), rtol=0.02, atol=0.02)


def test_one_operator_rounds_once() -> None:
    x = Tensor(np.random.default_rng(4).standard_normal((40, 50)), ms.bfloat16)
    for operator in (ops.Exp(), ops.Tanh(), ops.Softmax(), ops.Erf(), ops.Square()):
        once = operator(x.float()).asnumpy().astype(ms.bfloat16.numpy)
        assert operator(x).asnumpy().tolist() == once.tolist()


def test_an_own_primitive_gets_float32() -> None:
    class Cube(PrimitiveWithInfer):
        def infer_shape(self, x: Any) -> Any:
            return x

        def infer_dtype(self, x: Any) -> Any:
            return x

        def compute(self, xp: Any, x: Any) -> Any:
            assert x.dtype == np.float32
            return x * x * x

    assert Cube()(Tensor([1.5], ms.bfloat16)).tolist() == [3.375]


def network() -> nn.Cell:
    ms.set_seed(1)
    return nn.SequentialCell(
        nn.Conv2d(1, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(2, 2), nn.Flatten(), nn.Dense(64, 16),
        nn.LayerNorm((16,)), nn.Dense(16, 4),
    )  # fmt: skip


def losses(net: nn.Cell, optimizer: Any, steps: int = 12) -> list[float]:
    """The losses of a training on four classes."""
    classify = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    x = Tensor(np.random.default_rng(0).standard_normal((16, 1, 8, 8)), ms.float32)
    labels = Tensor(np.arange(16) % 4, ms.int32)

    def forward(x: Any, labels: Any) -> Any:
        return classify(ops.cast(net(x), ms.float32), labels)

    step = ms.value_and_grad(forward, None, optimizer.parameters)
    found = []
    for _ in range(steps):
        loss, gradients = step(x, labels)
        optimizer(gradients)
        found.append(float(loss))
    return found


def test_a_training_in_mixed_precision_learns_as_in_float32(mode: int) -> None:
    found = {}
    for dtype in (None, ms.bfloat16):
        net = network().set_train()
        if dtype is not None:
            ms.amp.auto_mixed_precision(net, "O2", dtype)
        found[dtype] = losses(net, nn.Momentum(net.trainable_params(), 0.05, 0.9))
        assert {str(p.dtype) for p in net.get_parameters()} == {"Float32"}
    np.testing.assert_allclose(found[ms.bfloat16][:4], found[None][:4], rtol=0.05)
    assert found[ms.bfloat16][-1] < 0.3 * found[ms.bfloat16][0]


@pytest.mark.parametrize("kind", ["Momentum", "Adam"])
def test_parameters_of_bfloat16_are_trained(kind: str, mode: int) -> None:
    net = network().set_train()
    for parameter in net.get_parameters():
        parameter.set_dtype(ms.bfloat16)
    net.to_float(ms.bfloat16)
    given = (0.05, 0.9) if kind == "Momentum" else (0.01,)
    found = losses(net, getattr(nn, kind)(net.trainable_params(), *given))
    assert {str(p.dtype) for p in net.get_parameters()} == {"BFloat16"}
    assert found[-1] < 0.6 * found[0]


def test_a_compiled_program_computes_what_pynative_computes() -> None:
    def function(x: Any, y: Any) -> Any:
        return ops.tanh(x * 2.5 + y) @ ops.relu(y.T) - 1.5

    rng = np.random.default_rng(6)
    x, y = (Tensor(rng.standard_normal((8, 8)), ms.bfloat16) for _ in range(2))
    compiled = ms.jit(function)
    wanted = function(x, y)
    for _ in range(12):  # Segments and generated kernels come with the tenth call.
        found = compiled(x, y)
    assert found.dtype is ms.bfloat16
    assert found.tolist() == wanted.tolist()


def test_checkpoints_keep_the_type(tmp_path: Path) -> None:
    path = str(tmp_path / "x.ckpt")
    ms.save_checkpoint([{"name": "h", "data": Tensor([1.5, -3], ms.bfloat16)}], path)
    found = ms.load_checkpoint(path)["h"]
    assert found.dtype is ms.bfloat16
    assert found.tolist() == [1.5, -3]


def test_the_debugger_sees_its_numbers() -> None:
    found = statistics_of(Tensor([1.5, -2.5, np.inf], ms.bfloat16).asnumpy())
    assert (found.min, found.max, found.finite) == (-2.5, 1.5, 2)


def test_summaries_show_it(tmp_path: Path) -> None:
    with ms.train.SummaryRecord(str(tmp_path)) as record:
        record.add_value("tensor", "t", Tensor([1.5, 2.3], ms.bfloat16))
        record.add_value("scalar", "s", Tensor(2.5, ms.bfloat16))
        record.add_value("histogram", "h", Tensor([1.5, 2.3], ms.bfloat16))
        assert record.record(1)
