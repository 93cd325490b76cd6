"""Hooks around Cells, and Cells that compute with another type than their parameters have."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import framework as ms
from framework import Tensor, nn
from framework.pynative import value_and_gradient

X = Tensor(np.array([[1.0, -2.0, 3.0]], np.float32))


@pytest.fixture(autouse=True)
def _mode() -> Iterator[None]:
    yield
    ms.set_context(mode=ms.PYNATIVE_MODE)


class Net(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.relu = nn.ReLU()
        self.scale = ms.Parameter(Tensor([2.0, 3.0, 4.0]))

    def construct(self, x: Any) -> Any:
        return self.relu(x * self.scale).sum()


def test_forward_hooks_see_and_replace() -> None:
    net, seen = Net(), []
    before = net.relu.register_forward_pre_hook(lambda cell, inputs: seen.append(inputs[0].tolist()))
    after = net.relu.register_forward_hook(lambda cell, inputs, output: output * 10)
    assert float(net(X)) == 140.0
    assert seen == [[[2.0, -6.0, 12.0]]]
    after.remove()
    before.remove()
    before.remove()
    assert float(net(X)) == 14.0
    assert len(seen) == 1
    changed = net.relu.register_forward_pre_hook(lambda cell, inputs: -inputs[0])
    assert float(net(X)) == 6.0
    changed.remove()
    with pytest.raises(TypeError, match="a hook must be a function, not int"):
        net.register_forward_hook(3)  # type: ignore[arg-type]


def test_backward_hooks_see_and_replace_gradients() -> None:
    net, seen = Net(), []

    def hook(cell: nn.Cell, grad_input: Any, grad_output: Any) -> Any:
        seen.append((type(cell).__name__, grad_input[0].tolist(), grad_output[0].tolist()))
        return (grad_input[0] * 100,)

    handle = net.relu.register_backward_hook(hook)
    net.relu.register_backward_pre_hook(lambda cell, grad_output: (grad_output[0] + 1,)).remove()
    _, _, (scale,) = value_and_gradient(net, [X], (), [net.scale])
    assert seen == [("ReLU", [[1.0, 0.0, 1.0]], [[1.0, 1.0, 1.0]])]
    assert scale.tolist() == [100.0, 0.0, 300.0]
    handle.remove()
    net.relu.register_backward_pre_hook(lambda cell, grad_output: grad_output[0] * 2)
    _, (x,), (scale,) = value_and_gradient(net, [X], (0,), [net.scale])
    assert (scale.tolist(), x.tolist()) == ([2.0, 0.0, 6.0], [[4.0, 0.0, 8.0]])


def test_a_hook_is_called_where_no_input_has_a_gradient() -> None:
    net, seen = Net(), []
    net.register_backward_hook(lambda cell, grad_input, grad_output: seen.append((grad_input, grad_output[0].tolist())))
    value_and_gradient(net, [X], (), [net.scale])
    assert seen == [((None,), 1.0)]
    net(X)
    assert len(seen) == 1


def test_hooks_on_several_outputs() -> None:
    cell, seen = nn.LSTMCell(3, 2), []
    cell.register_backward_hook(lambda cell, grad_input, grad_output: seen.append([g.shape for g in grad_output]))
    states = (Tensor(np.zeros((1, 2), np.float32)),) * 2
    value_and_gradient(lambda x: cell(x, states)[0].sum(), [X])
    assert seen == [[(1, 2), (1, 2)]]


class Mixed(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.inner = nn.Dense(3, 2, weight_init="ones", bias_init="zeros")
        self.outer = nn.Dense(2, 2, weight_init="ones", bias_init="zeros")

    def construct(self, x: Any) -> Any:
        return self.outer(self.inner(x))


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE], ids=["pynative", "graph"])
def test_to_float(mode: int) -> None:
    ms.set_context(mode=mode)
    net = Mixed()
    x = Tensor(np.array([[1.0, 2.0, 0.0001]], np.float32))
    exact = float(net(x)[0, 0])
    assert exact == pytest.approx(6.0002)
    net.inner.to_float(ms.float16)
    out = net(x)
    assert (out.dtype, float(out[0, 0])) == (ms.float32, 6.0)
    net.to_float(ms.float16)
    assert net(x).dtype == ms.float16
    gradient = ms.grad(lambda x: net(x).sum(), 0, net.trainable_params())
    of_x, of_weights = ms.jit(gradient)(x) if mode == ms.GRAPH_MODE else gradient(x)
    assert {item.dtype for item in (of_x, *of_weights)} == {ms.float32}
    np.testing.assert_allclose(of_weights[0].asnumpy(), np.tile(2 * x.asnumpy(), (2, 1)), rtol=1e-3)
    assert all(parameter.dtype == ms.float32 for parameter in net.get_parameters())
    with pytest.raises(ValueError, match="must be float16, bfloat16, float32 or float64, not Int32"):
        net.to_float(ms.int32)


def test_flags_are_recorded() -> None:
    net = Mixed().recompute()
    net.inner.add_flags(fused=True)
    assert net.get_flags() == {"recompute": True}
    assert net.inner.get_flags() == {"recompute": True, "fused": True}
    assert list(net.init_parameters_data().values()) == net.trainable_params()
