"""Models that the tests write: results against numpy, training, open dimensions, control flow, refusals."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import framework as ms
from framework import nn, ops
from framework.ir.model_values import ModelError
from framework.onnx import Limits
from tests.framework.onnx.writing import graph, node, written

FLOAT, INT, BOOL = 1, 7, 9
rng = np.random.default_rng(0)


def _layers(folder: Path) -> tuple[Path, np.ndarray, np.ndarray]:
    w, b = rng.normal(size=(4, 3)).astype(np.float32), rng.normal(size=4).astype(np.float32)
    nodes = [node("Gemm", ["x", "w", "b"], ["h"], transB=1), node("Relu", ["h"], ["y"])]
    return written(folder, graph(nodes, {"x": (FLOAT, ["batch", 3])}, ["y"], {"w": w, "b": b})), w, b


@pytest.mark.smoke
def test_weights_are_parameters_and_any_batch_runs(tmp_path: Path) -> None:
    path, w, b = _layers(tmp_path)
    net = ms.load_onnx(path)
    assert [p.name for p in net.trainable_params()] == ["w", "b"]
    for batch in (1, 2, 5, 7):
        x = rng.normal(size=(batch, 3)).astype(np.float32)
        wanted = np.maximum(x @ w.T + b, 0)
        np.testing.assert_allclose(net(ms.Tensor(x)).asnumpy(), wanted, rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(net.construct(ms.Tensor(x)).asnumpy(), wanted, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
def test_it_trains_on(tmp_path: Path, mode: int) -> None:
    ms.set_context(mode=mode)
    path, _, _ = _layers(tmp_path)
    net = ms.load_onnx(path)
    x, y = ms.Tensor(rng.normal(size=(8, 3)), ms.float32), ms.Tensor(np.abs(rng.normal(size=(8, 4))), ms.float32)
    step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), nn.Adam(net.trainable_params(), 0.05))
    losses = [float(step(x, y)) for _ in range(30)]
    assert losses[-1] < 0.9 * losses[0]


def test_gradients_are_those_of_differences(tmp_path: Path) -> None:
    w = rng.normal(size=(2, 1, 3, 3))
    nodes = [
        node("Conv", ["x", "w"], ["c"], pads=[1, 1, 1, 1], strides=[2, 2]),
        node("Sigmoid", ["c"], ["s"]),
        node("AveragePool", ["s"], ["p"], kernel_shape=[2, 2], pads=[1, 1, 0, 0]),
        node("Softmax", ["p"], ["y"], axis=-1),
    ]
    path = written(tmp_path, graph(nodes, {"x": (11, [1, 1, 6, 6])}, ["y"], {"w": w}))
    net = ms.load_onnx(path)
    mask = ms.Tensor(rng.normal(size=(1, 2, 3, 3)))
    x = rng.normal(size=(1, 1, 6, 6))

    def f(t: ms.Tensor) -> ms.Tensor:
        return (net(t) * mask)[:, :, :2, :2].sum()

    found = ms.grad(f)(ms.Tensor(x)).asnumpy()
    slopes = np.zeros_like(x)
    for place in np.ndindex(x.shape):
        way = np.zeros_like(x)
        way[place] = 1e-5
        slopes[place] = (float(f(ms.Tensor(x + way))) - float(f(ms.Tensor(x - way)))) / 2e-5
    np.testing.assert_allclose(found, slopes, rtol=1e-6, atol=1e-9)


def test_a_loop_without_a_trip_count_collects_what_it_makes(tmp_path: Path) -> None:
    body = graph(
        [
            node("Mul", ["v", "factor"], ["next"]),
            node("ReduceSum", ["next"], ["sum"], keepdims=0),
            node("Less", ["sum", "bound"], ["going"]),
            node("Identity", ["next"], ["seen"]),
        ],
        {"i": (INT, []), "c": (BOOL, []), "v": (FLOAT, [2])},
        ["going", "next", "seen"],
    )
    body.output[2].type.tensor_type.elem_type = FLOAT
    body.output[2].type.tensor_type.shape.dim.add(dim_value=2)
    nodes = [node("Loop", ["", "start", "x"], ["last", "all"], body=body)]
    weights = {"factor": np.float32([2.0]), "bound": np.float32(20.0), "start": np.asarray(True)}
    path = written(tmp_path, graph(nodes, {"x": (FLOAT, [2])}, ["last", "all"], weights))
    net = ms.load_onnx(path)
    for run in (net, net.construct):
        last, collected = run(ms.Tensor([1.0, 2.0], ms.float32))
        np.testing.assert_allclose(collected.asnumpy(), [[2, 4], [4, 8], [8, 16]])
        np.testing.assert_allclose(last.asnumpy(), [8, 16])
    slope = ms.grad(lambda x: ops.sum(net(x)[0]))(ms.Tensor([1.0, 2.0], ms.float32))
    np.testing.assert_allclose(slope.asnumpy(), [8, 8])
    with pytest.raises(ModelError, match="2 rounds"):
        ms.load_onnx(path, max_rounds=2)(ms.Tensor([1.0, 2.0], ms.float32))


def test_all_that_is_not_supported_is_named_at_once(tmp_path: Path) -> None:
    nodes = [node("Wink", ["x"], ["a"]), node("Nod", ["a"], ["b"]), node("Concat", ["b"], ["y"], axis="first")]
    path = written(tmp_path, graph(nodes, {"x": (FLOAT, [2])}, ["y"]))
    with pytest.raises(ModelError) as refused:
        ms.load_onnx(path)
    for part in ("Wink 'the_a'", "Nod 'the_b'", "opset 18", "'axis' must be of type int, not string"):
        assert part in str(refused.value)


def test_inputs_are_compared_with_what_the_model_declares(tmp_path: Path) -> None:
    nodes = [node("Add", ["a", "b"], ["y"])]
    path = written(tmp_path, graph(nodes, {"a": (FLOAT, ["n", 2]), "b": (FLOAT, ["n", 2])}, ["y"]))
    net = ms.load_onnx(path)
    with pytest.raises(ModelError, match="'n' has the length 3 in 'a' and 1 in 'b'"):
        net(ms.Tensor(np.zeros((3, 2), np.float32)), ms.Tensor(np.zeros((1, 2), np.float32)))
    with pytest.raises(ModelError, match="Float64"):
        net(ms.Tensor(np.zeros((3, 2))), ms.Tensor(np.zeros((3, 2), np.float32)))


def test_a_value_beyond_the_budget_is_refused_before_it_is_made(tmp_path: Path) -> None:
    nodes = [node("Expand", ["x", "shape"], ["y"])]
    path = written(tmp_path, graph(nodes, {"x": (FLOAT, [1])}, ["y"], {"shape": np.int64([1 << 40])}))
    with pytest.raises(ModelError, match="4,398,046,511,104 bytes"):
        ms.load_onnx(path, limits=Limits(memory=1 << 30))(ms.Tensor([1.0], ms.float32))


@pytest.mark.parametrize("kind", ["symlink", "hard link", "parent"])
def test_external_data_stays_in_the_folder_of_the_model(tmp_path: Path, kind: str) -> None:
    folder = tmp_path / "model"
    folder.mkdir()
    secret = tmp_path / "secret.bin"
    secret.write_bytes(np.ones(2, np.float32).tobytes())
    content = graph([node("Add", ["x", "w"], ["y"])], {"x": (FLOAT, [2])}, ["y"], {"w": np.ones(2, np.float32)})
    weight = content.initializer[0]
    weight.raw_data, weight.data_location = b"", 1
    weight.external_data.add(key="location", value="../secret.bin" if kind == "parent" else "w.bin")
    if kind == "symlink":
        (folder / "w.bin").symlink_to(secret)
    elif kind == "hard link":
        (folder / "w.bin").hardlink_to(secret)
    with pytest.raises(ModelError, match="external data"):
        ms.load_onnx(written(folder, content))
    (folder / "w.bin").unlink(missing_ok=True)
    (folder / "w.bin").write_bytes(secret.read_bytes())
    weight.external_data[0].value = "w.bin"
    assert ms.load_onnx(written(folder, content))(ms.Tensor([1.0, 2.0], ms.float32)).tolist() == [2.0, 3.0]
