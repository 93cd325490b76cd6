"""What networks of MindSpore's model zoo need of the core, in the form in which they write it."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
import pytest

import framework as ms
from framework import Parameter, ParameterTuple, Tensor, nn, ops
from framework._checkparam import check_bool, check_input_data, check_int, check_int_non_negative, check_int_positive
from framework.nn.wrap.cell_wrapper import _VirtualDatasetCell
from framework.ops import functional as F  # noqa: N812
from framework.ops import operations as P  # noqa: N812


@pytest.fixture(params=[ms.PYNATIVE_MODE, ms.GRAPH_MODE], ids=["pynative", "graph"])
def _mode(request: pytest.FixtureRequest) -> Any:
    ms.set_context(mode=request.param)
    yield
    ms.set_context(mode=ms.PYNATIVE_MODE)


clip = ops.MultitypeFuncGraph("clip")


@clip.register("Number", "Number", "Tensor")
def _clip(low: float, high: float, grad: Any) -> Any:
    return ops.clip_by_value(grad, low, high)


class Clipping(nn.Cell):
    """Clips as the training steps of BERT and Transformer do."""

    def __init__(self) -> None:
        super().__init__()
        self.hyper_map, self.partial = ops.HyperMap(), P.Partial()

    def construct(self, first: Any, second: Any) -> Any:
        one = self.hyper_map(ops.partial(clip, -1.0, 1.0), (first, second))
        return one, self.hyper_map(self.partial(clip, -0.5), (1.0, 0.25), (first, second))


@pytest.mark.usefixtures("_mode")
def test_a_function_gets_its_first_arguments() -> None:
    one, other = Clipping()(Tensor([3.0, -0.75]), Tensor([-2.0, 0.5]))
    assert [item.asnumpy().tolist() for item in one] == [[1.0, -0.75], [-1.0, 0.5]]
    assert [item.asnumpy().tolist() for item in other] == [[1.0, -0.5], [-0.5, 0.25]]


class Scaled(nn.Cell):
    """A step of a network without inputs; its loss has the shape (1,), and the scale of the loss is a scalar."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = Parameter(Tensor([1.0, 2.0]), name="weight")
        self.scale = Parameter(Tensor(4.0), name="scale", requires_grad=False)
        self.weights = ParameterTuple([self.weight])
        self.grad = ops.GradOperation(get_by_list=True, sens_param=True)

    def loss(self) -> Any:
        return (self.weight * self.weight).sum(0, keepdims=True)

    def construct(self) -> Any:
        scale = self.scale.value()
        (found,) = self.grad(self.loss, self.weights)(scale)
        ops.assign(self.scale, self.scale * 2.0)
        return found, scale


@pytest.mark.usefixtures("_mode")
def test_a_scalar_scales_a_loss_of_one_element() -> None:
    step = Scaled()
    for wanted in (4.0, 8.0):
        found, scale = step()
        assert scale.asnumpy() == wanted
        assert found.asnumpy().tolist() == [2 * wanted, 4 * wanted]


class Grid(nn.Cell):
    """Numbers of a grid, as YOLOv3 makes them, and operators by their names in MindSpore 1.0."""

    def construct(self, x: Any) -> Any:
        columns = P.Cast()(F.tuple_to_array(range(P.Shape()(x)[1])), ms.float32)
        return F.tensor_add(F.tensor_mul(x, columns), F.tensor_pow(x, 2.0)), P.Pack(0)((columns, columns))


@pytest.mark.usefixtures("_mode")
def test_ranges_become_tensors_and_old_names_compute() -> None:
    found, packed = Grid()(Tensor([[1.0, 2.0, 3.0]]))
    assert found.asnumpy().tolist() == [[1.0, 6.0, 15.0]]
    assert packed.asnumpy().tolist() == [[0.0, 1.0, 2.0]] * 2
    assert nn.Range(1, 8, 2)().asnumpy().tolist() == [1, 3, 5, 7]
    assert nn.Range(0.0, 1.0, 0.5)().dtype == ms.float32


@pytest.mark.usefixtures("_mode")
def test_maxima_come_with_their_places() -> None:
    x = Tensor(np.arange(15).reshape(1, 1, 3, 5).astype(np.float32))
    pool = ops.MaxPoolWithArgmax(2, 2, "same")
    largest, places = pool(x)
    # As MindSpore 2.10 gives them.
    assert largest.asnumpy().tolist() == [[[[6.0, 8.0, 9.0], [11.0, 13.0, 14.0]]]]
    assert places.asnumpy().tolist() == [[[[6, 8, 9], [11, 13, 14]]]]
    assert places.dtype == ms.int32
    slope = ms.grad(lambda x: (pool(x)[0] * pool(x)[0]).sum())(x).asnumpy().reshape(-1)
    picked = [6, 8, 9, 11, 13, 14]
    assert slope.tolist() == [2.0 * at if at in picked else 0.0 for at in range(15)]
    with pytest.raises(ValueError, match="must be 'valid' or 'same'"):
        ops.MaxPoolWithArgmax(pad_mode="pad")


@pytest.mark.usefixtures("_mode")
def test_one_device_has_the_whole_table() -> None:
    table = Tensor([[1.0], [2.0], [3.0]])
    mode = nn.EmbeddingLookup.TABLE_ROW_SLICE
    lookup = nn.EmbeddingLookup(3, 1, table, target="DEVICE", slice_mode=mode, sparse=False, vocab_cache_size=0)
    network = _VirtualDatasetCell(lookup)
    assert network(Tensor([2, 0])).asnumpy().tolist() == [[3.0], [1.0]]
    assert network.trainable_params()[0].name == "embedding_table"
    with pytest.raises(NotImplementedError, match="needs a parameter server"):
        nn.EmbeddingLookup(3, 1, vocab_cache_size=2)
    with pytest.raises(ValueError, match="slice_mode must be one of"):
        nn.EmbeddingLookup(3, 1, slice_mode="diagonal_slice")


class Squares(nn.LossBase):
    """A loss that reduces with the operators of its base class, as that of U-Net."""

    def construct(self, logits: Any, labels: Any) -> Any:
        return self.get_loss(self.reduce_mean(self.mul(self.cast(logits, ms.float32) - labels, logits)))


@pytest.mark.usefixtures("_mode")
def test_a_loss_uses_operators_of_its_base_class() -> None:
    assert Squares()(Tensor([2.0, 4.0]), Tensor([1.0, 1.0])).asnumpy() == 7.0


def test_a_parameter_server_is_refused() -> None:
    ms.set_ps_context(enable_ps=False, config_file_path="servers.json")
    assert ms.get_ps_context("config_file_path") == "servers.json"
    ms.reset_ps_context()
    assert ms.context.get_ps_context("config_file_path") == ""
    with pytest.raises(NotImplementedError, match="keep the weights in the training process"):
        ms.set_ps_context(enable_ps=True)
    with pytest.raises(ValueError, match="there is no setting 'servers'"):
        ms.set_ps_context(servers=2)


def test_a_second_order_optimizer_is_refused_where_it_is_used() -> None:
    # MindSpore's paths, which `framework.compat.paths` makes.
    thor = importlib.import_module("framework.nn.optim.thor").thor
    converters = importlib.import_module("framework.train.train_thor")
    assert vars(nn)["thor"] is thor
    with pytest.raises(NotImplementedError, match=r"nn\.Momentum"):
        thor(nn.Dense(1, 1), 0.1, 0.1, 0.9)
    with pytest.raises(NotImplementedError, match="convert_to_thor_net"):
        converters.ConvertNetUtils().convert_to_thor_net(nn.Dense(1, 1))
    with pytest.raises(NotImplementedError, match="convert_to_thor_model"):
        converters.ConvertModelUtils.convert_to_thor_model(None, nn.Dense(1, 1), optimizer=None)


def test_arguments_are_checked_by_the_names_of_mindspore_1() -> None:
    assert (check_int_positive(3), check_int_non_negative(0), check_int(-2), check_bool(True)) == (3, 0, -2, True)
    check_input_data(Tensor([1.0]), [Tensor([2.0])], data_class=Tensor)
    for check, wrong in ((check_int_positive, 0), (check_int_non_negative, -1)):
        with pytest.raises(ValueError, match="must be"):
            check(wrong)
    with pytest.raises(TypeError, match="must be int"):
        check_int(1.5)
    with pytest.raises(ValueError, match="must be of Tensor"):
        check_input_data([1.0], data_class=Tensor)
