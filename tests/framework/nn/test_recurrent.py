"""Recurrent layers against what MindSpore 2.10 gave on the CPU, in both modes; lengths, element types, training."""

from typing import Any

import numpy as np
import pytest

import framework as ms
from framework import Tensor, nn

#: By layer and lengths: the sum and the sum of squares of the outputs, then of each last state.
RECORDED: dict[tuple[str, tuple[int, ...] | None], tuple[tuple[float, float], ...]] = {
    ("LSTM", None): ((-1.2308, 1.5872), (0.366, 0.9851), (1.0291, 11.8246)),
    ("LSTM", (3, 5, 2)): ((-0.6163, 1.0039), (0.3632, 0.769), (1.1173, 7.5367)),
    ("GRU", None): ((12.1639, 13.3763), (4.0862, 7.6667)),
    ("GRU", (3, 5, 2)): ((7.7569, 7.1228), (3.6123, 5.5757)),
    ("RNN", None): ((-32.167, 30.0918), (-13.291, 12.6022)),
    ("RNN", (3, 5, 2)): ((-19.6839, 19.0392), (-13.2688, 12.3479)),
}


def layer_of(kind: str, **given: Any) -> Any:
    """A layer with weights that are sines."""
    layer = getattr(nn, kind)(3, 2, num_layers=2, bidirectional=True, **given)
    for parameter in layer.trainable_params():
        places = np.arange(parameter.size) + len(parameter.name)
        parameter.set_data(Tensor((np.sin(places) * 0.6).reshape(parameter.shape), parameter.dtype))
    return layer


def inputs_of(kind: str) -> tuple[Tensor, Any]:
    """Three sequences of five steps, and initial states."""
    x = Tensor(np.cos(np.arange(45) * 0.7).reshape(5, 3, 3).astype(np.float32))
    h = Tensor((np.cos(np.arange(24)) * 0.3).reshape(4, 3, 2).astype(np.float32))
    return x, (h, h * 2) if kind == "LSTM" else h


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
@pytest.mark.parametrize(("kind", "lengths"), RECORDED)
def test_a_layer_computes_what_mindspore_computes(kind: str, lengths: tuple[int, ...] | None, mode: int) -> None:
    ms.set_context(mode=mode)
    x, first = inputs_of(kind)
    given = () if lengths is None else (Tensor(np.array(lengths, np.int32)),)
    outputs, last = layer_of(kind)(x, first, *given)
    found = [outputs, *(last if isinstance(last, tuple) else (last,))]
    for made, (total, squares) in zip(found, RECORDED[kind, lengths], strict=True):
        assert float(made.sum()) == pytest.approx(total, abs=2e-4)
        assert float((made * made).sum()) == pytest.approx(squares, abs=2e-4)


@pytest.mark.parametrize("kind", ["LSTM", "GRU", "RNN"])
def test_what_lies_behind_a_length_changes_nothing(kind: str) -> None:
    x, first = inputs_of(kind)
    lengths = Tensor(np.array([3, 5, 2], np.int32))
    layer = layer_of(kind)
    other = x.asnumpy().copy()
    other[3:, 0], other[2:, 2] = 9.0, -9.0

    def loss(x: Tensor) -> Any:
        outputs, last = layer(x, first, lengths)
        last = last if isinstance(last, tuple) else (last,)
        return (outputs**2).sum() + sum([state.sum() for state in last])

    value, gradient = ms.value_and_grad(loss)(x)
    assert float(loss(Tensor(other))) == pytest.approx(float(value), rel=1e-6)
    assert not gradient.asnumpy()[3:, 0].any()
    assert not gradient.asnumpy()[2:, 2].any()
    assert gradient.asnumpy()[:, 1].all()


@pytest.mark.parametrize("kind", ["LSTM", "GRU"])
def test_both_modes_and_numpy_train_the_same(kind: str) -> None:
    def trained(mode: int) -> list[float]:
        ms.set_context(mode=mode)
        layer = layer_of(kind, has_bias=False, batch_first=True)
        network = nn.WithLossCell(_Outputs(layer), nn.MSELoss())
        step = nn.TrainOneStepCell(network, nn.Momentum(network.trainable_params(), 0.3, 0.9)).set_train()
        x = inputs_of(kind)[0]
        return [float(step(x, x.reshape((5, 9))[:, :4].expand_dims(1).tile((1, 3, 1)))) for _ in range(5)]

    lines, graph = trained(ms.PYNATIVE_MODE), trained(ms.GRAPH_MODE)
    names = ("lstm", "lstm_grad", "gru", "gru_grad")
    ms.kernels.use("numpy", *names)
    try:
        plain = trained(ms.PYNATIVE_MODE)
    finally:
        ms.kernels.use("fast", *names)
    assert lines[-1] < lines[0]
    np.testing.assert_allclose(lines, graph, rtol=1e-6)
    np.testing.assert_allclose(lines, plain, rtol=1e-5)


@pytest.mark.parametrize("kind", ["LSTM", "GRU"])
def test_half_numbers(kind: str) -> None:
    """Float16, by numpy, is close to Float32, by the loops."""
    x, _ = inputs_of(kind)
    made = layer_of(kind, dtype=ms.float16)(x.astype(ms.float16))[0]
    assert made.dtype == ms.float16
    np.testing.assert_allclose(made.asnumpy(), layer_of(kind)(x)[0].asnumpy(), atol=5e-3)


def test_states_of_another_type() -> None:
    """The types meet, as those of other operators do."""
    x, first = inputs_of("GRU")
    outputs, last = layer_of("GRU")(x, first.astype(ms.float64))
    assert outputs.dtype == last.dtype == ms.float64


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
@pytest.mark.parametrize("kind", ["LSTM", "GRU"])
def test_shapes_that_do_not_fit(kind: str, mode: int) -> None:
    ms.set_context(mode=mode)
    x, first = inputs_of(kind)
    layer = layer_of(kind)
    fewer = tuple([state[:, :2] for state in first]) if kind == "LSTM" else first[:, :2]
    with pytest.raises(ValueError, match=r"states .*\(2, 2\).* \(N, units\)"):
        layer(x, fewer)
    with pytest.raises(ValueError, match=r"lengths \(2,\) \(N,\)"):
        layer(x, first, Tensor(np.array([3, 4], np.int32)))


class _Outputs(nn.Cell):
    def __init__(self, layer: nn.Cell) -> None:
        super().__init__()
        self.layer = layer

    def construct(self, x: Tensor) -> Any:
        return self.layer(x)[0]
