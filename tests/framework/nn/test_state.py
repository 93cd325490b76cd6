"""The state of Cells: buffers, dictionaries, flags, copies; and containers whose Cells change places."""

import copy
import pickle
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import framework as ms
from framework import Tensor, nn, ops

MODES = (ms.PYNATIVE_MODE, ms.GRAPH_MODE)


@pytest.fixture(autouse=True)
def _mode() -> Iterator[None]:
    yield
    ms.set_context(mode=ms.PYNATIVE_MODE)


class Shifted(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.scale = ms.Parameter(Tensor([2.0, 3.0]), name="scale")
        self.register_buffer("shift", Tensor([1.0, 1.0]))
        self.register_buffer("passing", Tensor([0.0]), persistent=False)
        self.register_buffer("later", None)

    def construct(self, x: Any) -> Any:
        return x * self.scale + self.shift


class Net(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.inner = Shifted()
        self.norm = nn.BatchNorm1d(2)

    def construct(self, x: Any) -> Any:
        return self.norm(self.inner(x))


@pytest.mark.parametrize("mode", MODES)
def test_buffers_take_part(mode: int) -> None:
    ms.set_context(mode=mode)
    cell = Shifted()
    assert cell(Tensor([1.0, 1.0])).tolist() == [3.0, 4.0]
    cell.shift = Tensor([10.0, 20.0])
    assert cell(Tensor([1.0, 1.0])).tolist() == [12.0, 23.0]
    cell.load_state_dict({"scale": Tensor([1.0, 1.0]), "shift": Tensor([5.0, 5.0])})
    assert cell(Tensor([1.0, 1.0])).tolist() == [6.0, 6.0]
    assert [name for name, _ in cell.named_buffers()] == ["shift", "passing"]
    assert cell.trainable_params() == [cell.scale]


def test_state_goes_by_paths_and_is_not_copied() -> None:
    net = Net()
    state = net.state_dict()
    assert list(state) == [
        "inner.scale", "inner.shift", "norm.moving_mean", "norm.moving_variance", "norm.gamma", "norm.beta",
    ]  # fmt: skip
    assert state["inner.scale"] is net.inner.scale
    assert [name for name, _ in net.named_buffers("net")] == ["net.inner.shift", "net.inner.passing"]
    assert net.get_buffer("inner.shift") is net.inner.shift is net.get_sub_cell("inner").shift
    assert len(list(net.buffers())) == 2
    assert not list(net.buffers(recurse=False))
    assert list(net.inner.state_dict(prefix="x.")) == ["x.scale", "x.shift"]


def test_loading_tells_what_does_not_fit() -> None:
    net, other = Net(), Net()
    other.inner.scale.set_data(Tensor([7.0, 8.0]))
    assert net.load_state_dict(other.state_dict()) == ([], [])
    assert net.inner.scale.asnumpy().tolist() == [7.0, 8.0]
    state = dict(other.state_dict())
    del state["norm.gamma"]
    state["inner.more"] = state["else"] = Tensor(1.0)
    assert net.load_state_dict(state, strict=False) == (["norm.gamma"], ["else", "inner.more"])
    with pytest.raises(RuntimeError, match=r"unexpected keys: else, inner\.more; missing keys: norm\.gamma"):
        net.load_state_dict(state)
    with pytest.raises(RuntimeError, match=r"inner\.scale has shape \(2,\), not \(3,\)"):
        net.load_state_dict({"inner.scale": Tensor([1.0, 2.0, 3.0])}, strict=False)
    with pytest.raises(TypeError, match="must be a dictionary"):
        net.load_state_dict([])  # type: ignore[arg-type]


def test_extra_state_and_hooks() -> None:
    class Counting(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.count = 0

        def get_extra_state(self) -> Any:
            return self.count

        def set_extra_state(self, state: Any) -> None:
            self.count = state

    net, seen = nn.SequentialCell(Counting()), []
    handles = [
        net.register_state_dict_pre_hook(lambda cell, prefix, keep: seen.append("saving")),
        net.register_state_dict_post_hook(lambda cell, state, prefix, metadata: state.update(more=1)),
        net.register_load_state_dict_pre_hook(lambda cell, state, *_: state.pop("more")),
        net.register_load_state_dict_post_hook(lambda cell, keys: seen.append(keys.missing_keys)),
    ]
    assert net.state_dict() == {"0._extra_state": 0, "more": 1}
    net.load_state_dict({"0._extra_state": 4, "more": 1})
    assert net[0].count == 4
    assert seen == ["saving", []]
    for handle in handles:
        handle.remove()
    assert net.state_dict() == {"0._extra_state": 4}
    with pytest.raises(RuntimeError, match=r"missing keys: 0\._extra_state"):
        net.load_state_dict({})
    with pytest.raises(NotImplementedError, match="define get_extra_state"):
        nn.ReLU().get_extra_state()


def test_buffers_refuse_bad_names_and_values() -> None:
    cell = Shifted()
    for name in ("", "a.b", "scale"):
        with pytest.raises(KeyError, match="a buffer cannot have the name"):
            cell.register_buffer(name, None)
    with pytest.raises(TypeError, match="must be a Tensor or None"):
        cell.register_buffer("x", 3)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="must be a string"):
        cell.register_buffer(3, None)  # type: ignore[arg-type]
    with pytest.raises(AttributeError, match="there is no buffer 'nothing'"):
        cell.get_buffer("nothing")
    with pytest.raises(AttributeError, match="has no inner Cell 'a'"):
        cell.get_sub_cell("a.b")
    del cell.shift
    assert not hasattr(cell, "shift")


def test_casts_of_parameters_and_buffers() -> None:
    net = Net()
    net.inner.register_buffer("count", Tensor([1]))
    assert net.to(ms.float16).inner.scale.dtype == net.inner.shift.dtype == ms.float16
    assert net.inner.count.dtype == ms.int64
    assert net.to(Tensor([1.0])).norm.gamma.dtype == ms.float32
    assert net.to("CPU", ms.float64).norm.gamma.dtype == net.to(device="CPU").norm.gamma.dtype == ms.float64
    with pytest.raises(TypeError, match="must be a floating-point or complex type"):
        net.to(ms.int32)
    with pytest.raises(ValueError, match="they cannot move to 'Ascend'"):
        net.to("Ascend")


def test_flags_are_attributes() -> None:
    net = nn.Cell(flags={"sink": True})
    assert net.sink
    assert net.get_flags() == {"sink": True}
    net = nn.SequentialCell(nn.ReLU(), nn.Tanh())
    assert net.add_flags_recursive(b=2)[1].b == net.add_flags(a=1).b == 2
    assert (net.get_flags(), net[0].get_flags()) == ({"b": 2, "a": 1}, {"b": 2})
    net.recompute(mp_comm_recompute=False)
    assert net[0].get_flags()["recompute"] is True
    assert callable(net[0].recompute)
    assert (net.cls_name, net.phase, net[0].get_scope()) == ("SequentialCell", "train", "0-ReLU")
    order: list[str] = []
    net.apply(lambda cell: order.append(type(cell).__name__))
    assert order == ["ReLU", "Tanh", "SequentialCell"]


def test_inputs_of_any_rank() -> None:
    ms.set_context(mode=ms.GRAPH_MODE)
    net = nn.ReLU()
    given = Tensor(shape=None, dtype=ms.float32)
    assert tuple(given.shape) == (-2,)
    net.set_inputs(given)
    assert net.get_inputs() == (given,)
    assert [net(ops.ones(shape)).shape for shape in ((2,), (2, 3), (1, 2, 3))] == [(2,), (2, 3), (1, 2, 3)]
    net.set_inputs(x=Tensor(shape=[None, 3], dtype=ms.float32))
    assert net(-ops.ones((4, 3))).sum() == 0
    with pytest.raises(ValueError, match="construct takes x"):
        net.set_inputs(y=given)


def test_containers_rename_their_parameters() -> None:
    # The names are those of MindSpore 2.10.0.
    def dense() -> nn.Dense:
        return nn.Dense(1, 1, has_bias=False)

    class Holder(nn.Cell):
        def __init__(self, cells: Any) -> None:
            super().__init__()
            self.seq = cells

    def names(holder: nn.Cell) -> list[str]:
        return [item.name.removesuffix(".weight") for item in holder.get_parameters()]

    for kind in (nn.SequentialCell, nn.CellList):
        net = Holder(kind([dense(), nn.ReLU(), dense(), dense()]))
        del net.seq[0]
        assert names(net) == ["seq.1", "seq.2"]
        net.seq.append(dense())
        net.seq.insert(1, dense())
        assert names(net) == ["seq.1", "seq.2", "seq.3", "seq.4"]
        del net.seq[0:2]
        assert names(net) == ["seq.0", "seq.1", "seq.2"]
        net.seq += [dense()]
        net.seq[0] = dense()
        assert names(net) == ["seq.0", "seq.1", "seq.2", "seq.3"]
        assert net.seq
        assert not kind([])
        with pytest.raises(IndexError, match="out of range for inserting"):
            net.seq.insert(9, dense())
        with pytest.raises(IndexError):
            del net.seq[4]
        alone = kind([dense(), dense()])
        del alone[0]
        assert names(alone) == ["0"]


def test_hooks_with_inputs_by_name() -> None:
    class Twice(nn.Cell):
        def construct(self, x: Any, by: float = 2.0) -> Any:
            return x * by

    cell, seen = Twice(), []
    cell.register_forward_pre_hook(lambda cell, args, kwargs: (args, {"by": kwargs["by"] + 1}), with_kwargs=True)
    cell.register_forward_pre_hook(lambda cell, args: (args[0] + 1,), prepend=True)
    cell.register_forward_hook(
        lambda cell, args, kwargs, out: seen.append((args[0].tolist(), kwargs)), with_kwargs=True
    )
    cell.register_forward_hook(lambda cell, args, out: out * 10, prepend=True)
    assert cell(Tensor([1.0]), by=3.0).tolist() == [80.0]
    assert seen == [([2.0], {"by": 4.0})]

    class Failing(nn.Cell):
        def construct(self, x: Any) -> Any:
            raise ValueError("no")

    failing = Failing()
    failing.register_forward_hook(lambda cell, args, out: seen.append(out), always_call=True)
    failing.register_forward_hook(lambda cell, args, out: seen.append("not called"))
    with pytest.raises(ValueError, match="no"):
        failing(Tensor(1.0))
    assert seen[1:] == [None]
    wrong = Twice()
    wrong.register_forward_pre_hook(lambda cell, args, kwargs: args, with_kwargs=True)
    with pytest.raises(RuntimeError, match="a pair of args and kwargs"):
        wrong(Tensor(1.0))


@pytest.mark.parametrize("mode", MODES)
def test_networks_are_copied_and_pickled_after_training(mode: int) -> None:
    ms.set_context(mode=mode)
    ms.set_seed(1)
    net = nn.SequentialCell(
        nn.Conv2d(1, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(2, 2), nn.Flatten(), nn.Dense(16, 3)
    )
    optimizer = nn.Adam(net.trainable_params(), 0.1)
    loss = nn.SoftmaxCrossEntropyWithLogits(True, "mean")
    step = nn.TrainOneStepCell(nn.WithLossCell(net, loss), optimizer).set_train()
    x, labels = Tensor(np.linspace(-1, 1, 32, dtype=np.float32).reshape(2, 1, 4, 4)), Tensor([0, 1])
    step(x, labels)
    copies = [copy.deepcopy(step), pickle.loads(pickle.dumps(step))]  # noqa: S301 - our own bytes
    wanted = [float(step(x, labels)) for _ in range(2)]
    assert wanted[1] < wanted[0]
    for made in copies:
        assert made.optimizer.parameters[0] is not optimizer.parameters[0]
        assert made.optimizer.parameters[0] is made.network.backbone_network[0].weight
        assert [float(made(x, labels)) for _ in range(2)] == wanted
    assert len(copy.deepcopy(optimizer).moment1) == len(pickle.loads(pickle.dumps(net)).trainable_params())  # noqa: S301
