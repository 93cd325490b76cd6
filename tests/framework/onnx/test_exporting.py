"""Networks as ONNX models: judged by ONNX's checker and onnxruntime, by our own import, and by what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import framework as ms
from framework import nn, ops
from framework.ir.model_values import ModelError
from framework.onnx import load_onnx
from framework.onnx.exporting import export_onnx
from tests.framework.onnx.judging import exported, graph_of, judge, keep_case
from tests.framework.onnx.networks import Counting, inference, numbers, open_batch, training
from tests.framework.ops.every import PROGRAMS

#: Operators of the table that are written, at least.
LEAST = 240


class Called(nn.Cell):
    """Calls a function."""

    def __init__(self, function: Any) -> None:
        super().__init__()
        self.function = function

    def construct(self, *inputs: Any) -> Any:
        return self.function(*inputs)


@pytest.mark.parametrize("opset", [13, 20])
def test_operators_give_the_same_in_onnxruntime(tmp_path: Path, opset: int) -> None:
    """Each program of the table of operators is written or refused by name; judged in Float32."""
    written, exact, reasons = 0, 0, []
    for number, program in enumerate(PROGRAMS):
        inputs = [ms.Tensor(x.astype(np.float32) if x.dtype == np.float64 else x) for x in program.inputs]
        folder = tmp_path / f"{number}"
        try:
            path = exported(folder, Called(program.fn), *inputs, opset=opset)
        except ModelError as error:
            reasons.append(str(error))
            continue
        written += 1
        keep_case(path, inputs, Called(program.fn)(*inputs))
        nodes = [node for node in graph_of(path).node if node.op_type not in ("Constant", "Identity")]
        if len(nodes) == 1 and opset == 20:
            exact += _is_equal(load_onnx(path)(*inputs), Called(program.fn)(*inputs), program.name)
    assert written >= LEAST - (30 if opset == 13 else 0)
    assert exact >= 60 or opset == 13
    assert all(f"has no form in ONNX opset {opset}" in reason for reason in reasons)
    judge(tmp_path)


def _is_equal(found: Any, wanted: Any, name: str) -> bool:
    pairs = zip(*(item if isinstance(item, tuple) else (item,) for item in (found, wanted)), strict=True)
    for one, other in pairs:
        np.testing.assert_allclose(one.asnumpy(), other.asnumpy(), rtol=1e-6, atol=1e-6, err_msg=name)
    return all(np.array_equal(one.asnumpy(), other.asnumpy()) for one, other in pairs)


def test_networks_give_the_same_in_onnxruntime_and_here(tmp_path: Path) -> None:
    for name, (net, spec, given) in inference().items():
        path = exported(tmp_path / name, net, *spec)
        wanted = net(*given)
        keep_case(path, given, wanted)
        found = load_onnx(path).construct(*given)
        for one, other in zip(*(x if isinstance(x, tuple) else (x,) for x in (found, wanted)), strict=True):
            largest = np.abs(other.asnumpy()).max()
            np.testing.assert_allclose(one.asnumpy(), other.asnumpy(), rtol=0, atol=1e-6 * largest, err_msg=name)
    judge(tmp_path)


def test_training_steps_train_in_onnxruntime(tmp_path: Path) -> None:
    """20 steps, after which the losses still agree within 1e-4."""
    for name, (step, given) in training().items():
        path = exported(tmp_path / name, step, *given)
        losses = np.stack([step(*given).asnumpy() for _ in range(20)])
        assert losses[-1] < losses[0]
        keep_case(path, given, (losses,), steps=20, tolerance=1e-4)
    net, given = Counting(), (numbers(3),)
    path = exported(tmp_path / "counting", net, *given)
    keep_case(path, given, (np.stack([net(*given).asnumpy() for _ in range(3)]),), steps=3)
    judge(tmp_path)


def test_weights_inputs_and_open_dimensions_have_names(tmp_path: Path) -> None:
    net = inference()["lenet"][0]
    graph = graph_of(exported(tmp_path, net, open_batch(1, 32, 32)))
    assert {item.name for item in graph.initializer} == {item.name for item in net.get_parameters()}
    (given,) = graph.input
    dims = [dim.dim_param or dim.dim_value for dim in given.type.tensor_type.shape.dim]
    assert (given.name, dims) == ("x", ["batch", 1, 32, 32])
    step, images = training()["lenet"]
    graph = graph_of(exported(tmp_path / "step", step, *images))
    changed = {item.name.removesuffix(".new") for item in graph.output if item.name.endswith(".new")}
    assert changed <= {item.name for item in graph.input} & {item.name for item in graph.initializer}
    assert {"fc1.weight", "moments.fc1.weight", "global_step"} <= changed


def test_large_weights_lie_beside_the_model(tmp_path: Path) -> None:
    net, _, given = inference()["lenet"]
    path = export_onnx(net, *given, file_name=tmp_path / "large", external_above=10_000)
    assert path.stat().st_size < 20_000 < (tmp_path / "large.onnx.data").stat().st_size
    assert np.array_equal(load_onnx(path)(*given).asnumpy(), net(*given).asnumpy())


def unwritable(x: Any) -> Any:
    first = ops.lgamma(x)
    second = ops.digamma(x)
    return first + second


def factorial(x: Any) -> Any:
    if x.sum() < 1.0:
        return x
    return x * factorial(x - 1)


def test_all_that_has_no_form_is_named_at_once(tmp_path: Path) -> None:
    with pytest.raises(ModelError) as caught:
        exported(tmp_path, Called(unwritable), numbers(3))
    line = unwritable.__code__.co_firstlineno
    for name, place in (("Lgamma", line + 1), ("Digamma", line + 2)):
        assert f"{name} has no form in ONNX opset 20 (unwritable, line {place} of {__file__})" in str(caught.value)
    assert not list(tmp_path.glob("*"))
    with pytest.raises(ModelError, match="factorial calls itself other than at its end"):
        exported(tmp_path, Called(factorial), numbers(3))
    with pytest.raises(ModelError, match="Trilu"):
        exported(tmp_path, Called(ops.tril), numbers(3, 3), opset=13)


def test_formats_and_opsets_that_are_not_there(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="as MSIR or ONNX, not as AIR"):
        ms.export(Called(ops.abs), numbers(3), file_name=tmp_path / "a", file_format="AIR")
    with pytest.raises(ValueError, match="opset=99 is not written"):
        exported(tmp_path, Called(ops.abs), numbers(3), opset=99)
