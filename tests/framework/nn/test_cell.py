"""Cells: names, phases, what they hold, custom backward functions, modes."""

import copy
from typing import Any

import numpy as np
import pytest

import framework as ms
from framework import Parameter, Tensor, context, nn, ops
from framework.pynative import value_and_gradient


class Net(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.scale = Parameter(Tensor([2.0]), requires_grad=False)
        self.fc1 = nn.Dense(3, 4)
        self.layers = nn.CellList([nn.Dense(4, 4, has_bias=False), nn.SequentialCell(nn.ReLU(), nn.Dense(4, 2))])

    def construct(self, x: Any) -> Any:
        x = self.fc1(x)
        for layer in self.layers:
            x = layer(x)
        return x * self.scale


def test_names_are_ways_through_the_cells() -> None:
    net = Net()
    names = ["scale", "fc1.weight", "fc1.bias", "layers.0.weight", "layers.1.1.weight", "layers.1.1.bias"]
    assert [name for name, _ in net.parameters_and_names()] == names
    assert [parameter.name for parameter in net.get_parameters()] == names
    assert [parameter.name for parameter in net.trainable_params()] == names[1:]
    assert [parameter.name for parameter in net.untrainable_params()] == ["scale"]
    assert set(net.parameters_dict()) == set(names)
    assert [name for name, _ in net.cells_and_names()][1:4] == ["fc1", "layers", "layers.0"]
    assert list(net.name_cells()) == ["fc1", "layers"]


def test_a_shared_cell_counts_once() -> None:
    shared = nn.Dense(2, 2)
    net = nn.SequentialCell(shared, nn.ReLU(), shared)
    assert len(net.trainable_params()) == 2


def test_phases_reach_inner_cells() -> None:
    net = Net()
    assert not net.layers[1].training
    net.set_train()
    assert net.layers[1][0].training
    assert net.phase == "train"
    net.set_train(False)
    assert net.phase == "predict"


def test_attributes_replace_each_other() -> None:
    net = Net()
    net.fc1 = nn.Dense(3, 4, has_bias=False)
    assert len(list(net.fc1.get_parameters())) == 1
    net.fc1 = None
    assert net.fc1 is None
    assert "fc1" not in net.name_cells()
    del net.scale
    with pytest.raises(AttributeError, match="'Net' object has no attribute 'scale'"):
        _ = net.scale


def test_init_must_begin_with_super() -> None:
    class Hasty(nn.Cell):
        def __init__(self) -> None:
            self.fc = nn.Dense(1, 1)

    with pytest.raises(AttributeError, match=r"Hasty.__init__ must call super\(\).__init__\(\) before"):
        Hasty()


def test_copies_have_their_own_parameters() -> None:
    net = Net()
    other = copy.deepcopy(net)
    other.fc1.weight.set_data(np.zeros((4, 3)))
    assert net.fc1.weight.asnumpy().any()
    assert other.fc1.weight.name == "fc1.weight"


def test_containers() -> None:
    cells = nn.CellList(nn.ReLU(), nn.Tanh())
    cells.append(nn.Sigmoid())
    cells.insert(0, nn.ELU())
    cells[1] = nn.GELU()
    assert [type(cell).__name__ for cell in cells] == ["ELU", "GELU", "Tanh", "Sigmoid"]
    assert type(cells[-1]).__name__ == "Sigmoid"
    assert len(cells[1:3]) == 2
    with pytest.raises(TypeError, match="CellList takes Cells, not int"):
        cells.append(3)
    with pytest.raises(IndexError, match="index 9 is out of range for 4 Cells"):
        cells[9]


def test_shown_as_a_tree() -> None:
    net = nn.SequentialCell(nn.Dense(2, 3), nn.ReLU())
    assert repr(net).splitlines() == [
        "SequentialCell(",
        "  (0): Dense(input_channels=2, output_channels=3, has_bias=True)",
        "  (1): ReLU()",
        ")",
    ]


class Tripled(nn.Cell):
    """Its backward function is not its derivative."""

    def construct(self, x: Any, y: Any) -> Any:
        return x * y

    def bprop(self, x: Any, y: Any, out: Any, dout: Any) -> Any:
        return dout * 3 * x, dout * out


def test_a_cells_own_backward_function() -> None:
    x, y = Tensor(2.0), Tensor(5.0)
    value, gradients, _ = value_and_gradient(Tripled(), [x, y], (0, 1))
    assert (float(value), [float(g) for g in gradients]) == (10.0, [6.0, 10.0])
    second = value_and_gradient(lambda x: value_and_gradient(Tripled(), [x, y])[1][0], [x])[1][0]
    assert float(second) == 3.0


def test_without_construct() -> None:
    with pytest.raises(AttributeError, match="Cell must define construct"):
        nn.Cell()()


@pytest.fixture
def _settings_restored() -> Any:
    mode = context.get_context("mode")
    yield
    context.set_context(mode=mode)
    context.reset_auto_parallel_context()


@pytest.mark.usefixtures("_settings_restored")
def test_settings() -> None:
    ms.set_context(mode=ms.GRAPH_MODE, save_graphs=True)
    assert context.get_context("mode") == context.GRAPH_MODE
    ms.set_context(save_graphs=False)
    ms.set_auto_parallel_context(parallel_mode=ms.ParallelMode.AUTO_PARALLEL, device_num=8)
    assert context.get_auto_parallel_context("parallel_mode") == "auto_parallel"
    for call, message in [
        (lambda: ms.set_context(modus=1), "there is no setting 'modus'; there are debugger, deterministic, device_id"),
        (lambda: ms.set_context(mode=3), r"mode must be context.GRAPH_MODE \(0\)"),
        (lambda: ms.set_context(device_target="TPU"), "device_target must be one of CPU, GPU"),
        (lambda: ms.set_auto_parallel_context(parallel_mode="all"), "parallel_mode must be one of stand_alone"),
    ]:
        with pytest.raises(ValueError, match=message):
            call()


def test_debuggers_see_plain_python() -> None:
    seen = []

    class Stops(nn.Cell):
        def construct(self, x: Any) -> Any:
            y = ops.relu(x)
            seen.append(locals()["y"].asnumpy().tolist())
            return y

    Stops()(Tensor([-1.0, 1.0]))
    assert seen == [[0.0, 1.0]]


def _dense() -> nn.Dense:
    return nn.Dense(1, 1, has_bias=False)


class Stage(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.blocks = nn.CellList([nn.SequentialCell([_dense(), _dense()]), nn.SequentialCell([_dense()])])
        self.fusion = nn.CellList([_dense()])


class Stages(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.blocks = nn.CellList()
        for _ in range(2):
            self.blocks.append(Stage())
        self.tail = nn.SequentialCell(_dense())
        self.tail.append(nn.SequentialCell(_dense(), nn.ReLU(), _dense()))
        self.more = nn.CellList([_dense()])
        self.more.extend([_dense(), _dense()])
        self.more.insert(0, _dense())
        self.nested = nn.CellList([nn.CellList([_dense()])])
        self.nested.append(nn.CellList([_dense(), _dense()]))


def test_names_of_appended_cells_are_those_of_mindspore() -> None:
    # Recorded from MindSpore 2.10: a Cell that joins a list of one Cell takes a longer prefix than a reader expects.
    # Checkpoints of its users carry these names.
    assert [parameter.name for parameter in Stages().get_parameters()] == [
        *("0.blocks.0.0.weight", "0.blocks.0.1.weight", "0.blocks.1.0.weight", "0.fusion.0.weight"),
        *("0.blocks.0.1.blocks.0.0.weight", "0.blocks.0.1.blocks.0.1.weight"),
        *("0.blocks.0.1.blocks.1.0.weight", "0.blocks.0.1.fusion.0.weight"),
        *("tail.0.weight", "tail.1.0.weight", "tail.1.2.weight"),
        *("more.0.weight", "more.1.weight", "more.2.weight", "more.3.weight"),
        *("nested.0.0.weight", "nested.0.1.0.weight", "nested.0.1.1.weight"),
    ]


def test_a_tensor_set_to_a_parameter_is_its_new_value() -> None:
    net = nn.Dense(2, 3)
    weight = net.weight
    net.weight = Tensor(np.ones((3, 2), np.float32))
    assert net.weight is weight
    assert list(net.parameters_dict()) == ["weight", "bias"]
    np.testing.assert_array_equal(weight.asnumpy(), np.ones((3, 2)))
    with pytest.raises(TypeError, match="'weight' of Dense is a Parameter"):
        net.weight = 3
    net.bias = None
    assert net.bias is None
    assert list(net.parameters_dict()) == ["weight"]


class Counting(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.count: Any = Parameter(Tensor(0.0), name="count")

    def construct(self, x: Any) -> Any:
        self.count = self.count + 1.0
        return x * self.count


@pytest.mark.parametrize("mode", [context.PYNATIVE_MODE, context.GRAPH_MODE])
def test_a_parameter_that_construct_assigns_stays_a_parameter(mode: int) -> None:
    context.set_context(mode=mode)
    net = Counting()
    assert [float(net(Tensor(2.0))) for _ in range(3)] == [2.0, 4.0, 6.0]
    assert isinstance(net.count, Parameter)
    assert float(net.count) == 3.0
