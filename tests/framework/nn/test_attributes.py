"""The attributes of Cells, against those that MindSpore 2.10.0 has, recorded in `attributes_of_mindspore.json`."""

import json
from collections.abc import Iterator, Set
from pathlib import Path
from typing import Any

import pytest

import framework as ms
from framework import Parameter, Tensor, nn, ops
from framework.common.dtype import DType
from framework.common.initializer import Initializer

RECORDED = json.loads((Path(__file__).parent / "attributes_of_mindspore.json").read_text())

#: What only MindSpore's own code reads: its devices, its parallel modes, intermediate values.
INTERNAL = {
    "is_expand", "is_expand_3d", "only_pad", "parallel_mode", "group_name", "rank_id", "rank_size", "is_global",
    "support_non_tensor_inputs", "init_tensor", "shp_flat", "on_value", "off_value", "forward_unique", "prob", "rnn",
    "k_is_v", "q_is_k", "name", "math_pi", "math_e", "weight_tensor", "relu", "logsoftmax", "MSELoss",
    "minimum_loss_scale", "const_true", "use_graceful_exit", "enable_allfinite", "skip_auto_parallel_compile",
    "ascend_910a_target", "ascend_910b_target", "enable_tuple_broaden", "use_fused_opt", "is_cpugpu", "lens",
}  # fmt: skip
#: Held as Tensors or Parameters there, as numbers here; or in another layout, which a comment there says.
OTHER_FORM: dict[str, Set[str]] = {
    "Dropout": {"p", "keep_prob"},  # Numbers that fit each other here; there the argument that was left out is stale.
    "AdaptiveMaxPool3d": {"output_size"},
    "RReLU": {"lower", "upper"},
    "L1Regularizer": {"scale"},
    "Pad": {"paddings"},
    "ReflectionPad1d": {"padding"},
    "ReflectionPad2d": {"padding"},
    "ReflectionPad3d": {"padding"},
    "BiDense": {"in_channels"},
    "MSSSIM": {"conv"},
    "TripletMarginLoss": {"p"},
    "DynamicLossScaleUpdateCell": {"scale_window", "scale_factor"},
    # There are no moving values here.
    "InstanceNorm1d": {"moving_mean", "moving_variance"},
    "InstanceNorm2d": {"moving_mean", "moving_variance"},
    "InstanceNorm3d": {"moving_mean", "moving_variance"},
    # These losses do not hand their reduction on to the base class there.
    **dict.fromkeys(
        ("CTCLoss", "HingeEmbeddingLoss", "KLDivLoss", "L1Loss", "MultiMarginLoss", "SoftMarginLoss",
         "SampledSoftmaxLoss"),
        frozenset({"average"}),
    ),
    "ASGD": {"t0"},
    "FTRL": {"lr"},
    "ProximalAdagrad": {"l1", "l2", "use_locking"},
    "SGD": {"learning_rate"},
    **dict.fromkeys(
        ("AdaMax", "Adam", "AdamWeightDecay"), frozenset({"beta1", "beta2", "eps", "beta1_power", "group_lr"})
    ),
    **dict.fromkeys(("AdamOffload", "LazyAdam"), frozenset({"beta1", "beta2", "eps", "beta1_power", "beta2_power"})),
}  # fmt: skip
#: Layers that are not here, and an optimizer whose state is another one.
LEFT_OUT = ("FractionalMaxPool", "AdaFactor")


@pytest.fixture(autouse=True)
def _mode() -> Iterator[None]:
    yield
    ms.set_context(mode=ms.PYNATIVE_MODE)


def text(value: object) -> str | None:
    """A value as the record has it; None for a kind that it leaves out."""
    if value is None or isinstance(value, bool | int | float | str | DType):
        return repr(value)
    if isinstance(value, Parameter):
        return f"Parameter{tuple(value.shape)}"
    if type(value) is Tensor:
        return f"Tensor{tuple(value.shape)}"
    if isinstance(value, tuple | list):
        return ("({})" if isinstance(value, tuple) else "[{}]").format(", ".join(str(text(item)) for item in value))
    if isinstance(value, nn.Cell):
        return f"Cell {type(value).__name__}"
    return f"Initializer {type(value).__name__}" if isinstance(value, Initializer) else None


def test_constructors_keep_their_arguments_as_attributes() -> None:
    differing = []
    for made, attributes in RECORDED["layers"].items():
        if made.startswith(LEFT_OUT):
            continue
        cell = eval(f"nn.{made}", {"nn": nn, "Parameter": Parameter, "Tensor": Tensor})  # noqa: S307 - our own record
        other = INTERNAL | OTHER_FORM.get(type(cell).__name__, set())
        for name, wanted in attributes.items():
            if name not in other and (found := text(getattr(cell, name, "missing"))) != wanted:
                differing.append(f"{made}: {name} is {found}, not {wanted}")
    assert not differing


def test_cells_have_no_public_names_of_their_own() -> None:
    cell = nn.Cell()
    names = {name for name in (*dir(cell), *vars(cell)) if not name.startswith("_")}
    # A subclass defines `bprop`, which MindSpore's base class looks for but does not have.
    assert names - set(RECORDED["cell"]) == {"bprop"}


@pytest.mark.parametrize(
    "name", ["param_tuple", "changes", "compute_type", "output_type", "scope", "children", "place"]
)
def test_users_may_take_other_names(name: str) -> None:
    class Net(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            setattr(self, name, 3)
            self.fc = nn.Dense(2, 2, weight_init="ones", bias_init="zeros")

        def construct(self, x: Any) -> Any:
            return self.fc(x) * getattr(self, name)

    for mode in (ms.PYNATIVE_MODE, ms.GRAPH_MODE):
        ms.set_context(mode=mode)
        assert Net()(ops.ones((1, 2), ms.float32)).tolist() == [[6.0, 6.0]]
        assert Net().to_float(ms.float16)(ops.ones((1, 2), ms.float32)).tolist() == [[6.0, 6.0]]


def test_parameter_of_prelu_has_the_name_of_mindspore() -> None:
    assert [item.name for item in nn.SequentialCell(nn.PReLU()).trainable_params()] == ["0.w"]
