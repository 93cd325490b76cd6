"""What programs for several devices and for Ascend find on one CPU."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import framework as ms
from framework import Tensor, context, nn, ops
from framework.boost import AutoBoost, GradientAccumulation
from framework.common.initializer import Initializer, initializer
from framework.compat.calling_callbacks import CallbackManager
from framework.compat.initializers import assignment, calculate_correct_fan, calculate_gain
from framework.compat.registering import cell_attr_register, opt_init_args_register
from framework.parallel import _utils, get_algo_parameters, reset_algo_parameters, set_algo_parameters
from framework.parallel._auto_parallel_context import auto_parallel_context
from framework.train.callback.base import CallbackParam


@pytest.fixture
def _restored() -> Iterator[None]:
    yield
    ms.set_context(mode=ms.PYNATIVE_MODE)
    ms.reset_auto_parallel_context()
    reset_algo_parameters()


@pytest.mark.usefixtures("_restored")
def test_a_device_that_is_not_here_gives_one_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(context, "_has_warned", False)
    with pytest.warns(UserWarning, match="device_target='Ascend': the CPU computes instead") as seen:
        ms.set_context(device_target="Ascend", device_id=1, ascend_config={"precision_mode": "force_fp16"})
    ms.set_device("Ascend")
    assert len(seen) == 1
    assert ms.get_current_device() == ("CPU", 0)
    with pytest.raises(ValueError, match="device_id must be at least 0"):
        ms.set_device("CPU", -1)
    ms.set_deterministic(True)
    assert ms.get_context("deterministic") == "ON"


def one_of(operator: Any) -> Any:
    return lambda x: (operator(x) ** 2).sum()


@pytest.mark.parametrize(
    "operator",
    [
        ops.AllReduce(), ops.AllReduce(ops.ReduceOp.MAX), ops.AllGather(), ops.ReduceScatter(), ops.AlltoAll(1, 0, 0),
    ],
)  # fmt: skip
def test_operators_over_processes_are_the_identity(operator: Any) -> None:
    gradient = ms.grad(one_of(operator))
    assert gradient(Tensor([1.0, 2.0])).tolist() == ms.jit(gradient)(Tensor([1.0, 2.0])).tolist() == [2.0, 4.0]


def test_broadcast_takes_a_tuple() -> None:
    gradient = ms.grad(lambda x: (ops.Broadcast(0)((x, x * 2))[1] ** 2).sum())
    assert gradient(Tensor([1.0])).tolist() == ms.jit(gradient)(Tensor([1.0])).tolist() == [8.0]
    for make, error in [
        (lambda: ops.Broadcast(1), ValueError), (lambda: ops.AllReduce("mean"), TypeError),
        (lambda: ops.AlltoAll(2, 0, 0), ValueError),
    ]:  # fmt: skip
        with pytest.raises(error):
            make()


@pytest.mark.usefixtures("_restored")
def test_parallel_settings_are_kept() -> None:
    set_algo_parameters(fully_use_devices=True)
    assert get_algo_parameters("fully_use_devices") is True
    with pytest.raises(ValueError, match="no setting 'fast'"):
        set_algo_parameters(fast=True)
    assert not auto_parallel_context().get_device_num_is_set()
    ms.set_auto_parallel_context(parallel_mode=ms.ParallelMode.DATA_PARALLEL, device_num=8, gradients_mean=True)
    assert (_utils._get_device_num(), _utils._get_gradients_mean()) == (8, True)
    assert _utils._get_parallel_mode() == "data_parallel"
    assert auto_parallel_context().get_device_num_is_set()


def test_sparse_gradients_choose_functions() -> None:
    scale = ops.MultitypeFuncGraph("scale")
    scale.register("Tensor", "Tensor")(lambda factor, grad: grad * factor)

    @scale.register("Tensor", "RowTensor")
    def _rows(factor: Any, grad: Any) -> Any:
        return ms.RowTensor(grad.indices, grad.values * factor, grad.dense_shape)

    rows = ms.RowTensor(Tensor([1]), Tensor([[1.0, 2.0]]), (3, 2))
    got = scale(Tensor(2.0), rows)
    assert (got.values.tolist(), got.shape, got.dtype) == ([[2.0, 4.0]], (3, 2), ms.float32)
    assert scale(Tensor(2.0), Tensor([3.0])).tolist() == [6.0]


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
@pytest.mark.usefixtures("_restored")
def test_gradients_of_several_steps_are_applied_at_once(mode: int) -> None:
    ms.set_context(mode=mode)
    weight = ms.Parameter(Tensor([1.0, 1.0]), name="weight")
    accumulate = GradientAccumulation(2, nn.SGD([weight], 1.0))
    seen = []
    for value in (1.0, 2.0, 4.0, 4.0):
        accumulate(Tensor(0.0), (Tensor([value, 0.0]),))
        seen.append(weight.asnumpy().tolist())
    # Two means: (1 + 2) / 2 and (4 + 4) / 2.
    assert seen == [[1.0, 1.0], [-0.5, 1.0], [-0.5, 1.0], [-4.5, 1.0]]
    net = nn.Dense(1, 1)
    assert AutoBoost("O9").level == "O0"
    assert AutoBoost("O1").network_auto_process_eval(net) is net


def test_constructors_keep_their_arguments() -> None:
    class Step(nn.Cell):
        @opt_init_args_register
        def __init__(self, params: Any, learning_rate: Any = 0.1, decay: float = 0.5) -> None:
            super().__init__()

    class Layer(nn.Cell):
        @cell_attr_register
        def __init__(self, size: int, rate: float = 0.5) -> None:
            super().__init__()

    class Named(nn.Cell):
        @cell_attr_register(attrs=["size"])
        def __init__(self, size: int) -> None:
            super().__init__()
            self.size = size

    step: Any = Step(["p"], Tensor(0.25))
    assert (step.init_params, step.init_learning_rate, step.init_args) == ({"params": ["p"]}, 0.25, {"decay": 0.5})
    layer: Any = Layer(3)
    named: Any = Named(4)
    assert (layer.cell_init_args, named.cell_init_args) == ("Layer[3]", "Named[4]")


def test_initializers_of_users() -> None:
    class Twice(Initializer):
        def _initialize(self, arr: Any) -> None:
            assignment(arr, np.full(arr.shape, 2.0))

    assert initializer(Twice(), (2,)).init_data().tolist() == [2.0, 2.0]
    assert assignment(np.zeros(()), 3.0).item() == 3.0
    assert (calculate_correct_fan((4, 3, 2, 2), "FAN_IN"), calculate_correct_fan((4, 3, 2, 2), "fan_out")) == (12, 16)
    assert calculate_gain("conv2d") == 1.0
    assert calculate_gain("leaky_relu") == pytest.approx((2 / (1 + 0.01**2)) ** 0.5)
    with pytest.raises(ValueError, match="mode must be fan_in or fan_out"):
        calculate_correct_fan((4, 3), "fan_avg")


def test_callbacks_in_loops_of_users() -> None:
    seen = []
    names = ["begin", "epoch_begin", "step_begin", "step_end", "epoch_end", "end"]

    class Notes(ms.Callback):
        def step_end(self, run_context: ms.RunContext) -> None:
            seen.append(run_context.original_args().cur_step_num)

        def end(self, run_context: ms.RunContext) -> None:
            seen.append("end")

    run = CallbackParam()
    run.cur_step_num = 3
    with CallbackManager([Notes(), Notes()]) as manager:
        for name in names:
            getattr(manager, name)(ms.RunContext(run))
    assert seen == [3, 3, "end", "end"]
    with pytest.raises(TypeError, match=r"must be a train\.Callback"):
        CallbackManager([3])  # type: ignore[list-item]


def test_optimizers_keep_a_target() -> None:
    optimizer = nn.SGD([ms.Parameter(Tensor([1.0]), name="weight")], 0.1)
    assert optimizer.target == "CPU"
    optimizer.target = "Ascend"
    assert optimizer.target == "Ascend"
    with pytest.raises(ValueError, match="target must be CPU, GPU or Ascend"):
        optimizer.target = "TPU"


def test_layouts_have_mindspores_form() -> None:
    layout = ms.parallel.Layout((2, 2, 2), ("dp", "sp", "mp"))
    assert layout("mp", ("sp", "dp")).to_dict() == {
        "device_matrix": (2, 2, 2),
        "tensor_map": (0, (1, 2)),
        "interleaved_parallel": False,
        "alias_name": ("dp", "sp", "mp"),
        "rank_list": [0, 1, 2, 3, 4, 5, 6, 7],
    }
    assert layout("None", "dp").to_dict()["tensor_map"] == (-1, 2)
    with pytest.raises(ValueError, match="can be used once"):
        layout("dp", "dp")
    with pytest.raises(ValueError, match="needs 2 different names"):
        ms.parallel.Layout((2, 4), ("dp",))
    with pytest.raises(ValueError, match="call it with a name"):
        layout.to_dict()


@pytest.mark.usefixtures("_restored")
@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def test_a_network_with_strategies_computes_on_one_device(mode: int, monkeypatch: pytest.MonkeyPatch) -> None:
    from framework.nn.initializing import no_init_parameters
    from framework.parallel import auto_parallel

    monkeypatch.setattr(auto_parallel, "_told", False)
    ms.set_context(mode=mode)
    with no_init_parameters():
        net = nn.Dense(3, 2)
    x = Tensor(np.ones((4, 3), np.float32))
    with pytest.warns(UserWarning, match="one device computes the whole network") as seen:
        spread = ms.parallel.AutoParallel(net, parallel_mode="semi_auto")
    assert len(seen) == 1
    multiply = ms.parallel.shard(ops.matmul, in_strategy=((2, 4), (4, 1)))
    spread.pipeline(stages=2)
    spread.dataset_strategy("full_batch")
    assert spread.get_pipeline_stages() == 2
    assert multiply is ops.matmul
    np.testing.assert_array_equal(spread(x).asnumpy(), net(x).asnumpy())
    assert [one.name for one in spread.get_parameters()] == ["weight", "bias"]
    step = ms.parallel.AutoParallel(lambda y: net(y) * 2)
    np.testing.assert_array_equal(step(x).asnumpy(), net(x).asnumpy() * 2)
    with pytest.raises(ValueError, match="parallel_mode must be one of"):
        ms.parallel.AutoParallel(net, parallel_mode="all")


def test_the_runtime_binds_the_process_to_cores() -> None:
    import os

    ms.runtime.launch_blocking()
    ms.runtime.synchronize()
    ms.runtime.set_memory(max_size="28GB")
    with pytest.raises(ValueError, match="max_size must have the form '2GB'"):
        ms.runtime.set_memory(max_size="28")
    if not hasattr(os, "sched_getaffinity"):
        return
    before = os.sched_getaffinity(0)
    try:
        ms.runtime.set_cpu_affinity(True, [str(min(before))])
        assert os.sched_getaffinity(0) == {min(before)}
        with pytest.raises(ValueError, match="a range of cores has the form"):
            ms.runtime.set_cpu_affinity(True, ["all"])
    finally:
        os.sched_setaffinity(0, before)


class Made(nn.Cell):
    """A Cell that compiled functions make."""

    def __init__(self) -> None:
        super().__init__()
        self.dense = nn.Dense(3, 2)

    def construct(self, x: Any) -> Any:
        return self.dense(x)


def test_a_cell_that_a_compiled_function_makes_keeps_its_weights() -> None:
    @ms.jit
    def run(x: Any) -> Any:
        return Made()(x)

    x = Tensor(np.ones((1, 3), np.float32))
    np.testing.assert_array_equal(run(x).asnumpy(), run(x).asnumpy())
