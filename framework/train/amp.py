"""Mixed precision: the parts of a network that compute in float16. Public as `ms.amp`; `Model(amp_level=)` uses it.

Products are computed in float16. Long sums, weights and the loss stay in float32, and the loss is scaled so that small
gradients survive. Source: Micikevicius et al., Mixed Precision Training, 2018.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.nn.cell import Cell
from framework.nn.layer.basic import Dense
from framework.nn.layer.conv import conv_1d_2d
from framework.nn.layer.normalization import batch_norm
from framework.nn.layer.recurrent import rnn_cells, rnns
from framework.nn.optim.optimizer import Optimizer
from framework.nn.wrap.cell_wrapper import TrainOneStepCell, WithLossCell
from framework.nn.wrap.loss_scale import TrainOneStepWithLossScaleCell
from framework.ops import functional as F  # noqa: N812
from framework.train.loss_scale_manager import DynamicLossScaleManager, LossScaleManager

__all__ = ["auto_mixed_precision", "build_train_network", "get_black_list", "get_white_list"]


def _cells_of(module: Any) -> tuple[type[Cell], ...]:
    """The Cell classes of a module."""
    found = (getattr(module, name) for name in module.__all__)
    return tuple(item for item in found if isinstance(item, type) and issubclass(item, Cell))


_WHITE: Final[tuple[type[Cell], ...]] = (Dense, *_cells_of(conv_1d_2d), *_cells_of(rnns), *_cells_of(rnn_cells))
_BLACK: Final[tuple[type[Cell], ...]] = _cells_of(batch_norm)


@dataclass(frozen=True)
class _Level:
    """The settings of a level.

    Attributes:
        dtype: element type of the whole network; None for no change.
        products: element type of the Cells of the white list, whose outputs are float32; None for that of the network.
        keep_normalization: keep normalization in float32.
        dynamic: use a dynamic loss scale by default.
    """

    dtype: DType | None = None
    products: DType | None = None
    keep_normalization: bool = False
    dynamic: bool = False


_LEVELS: Final = {
    "O0": _Level(),
    "O1": _Level(products=mstype.float16),
    "O2": _Level(dtype=mstype.float16, keep_normalization=True, dynamic=True),
    "O3": _Level(dtype=mstype.float16),
}


def get_white_list() -> list[type[Cell]]:
    """The classes of Cells that compute in float16 at level O1: those that mostly compute products."""
    return list(_WHITE)


def get_black_list() -> list[type[Cell]]:
    """The classes of Cells that stay in float32 at level O2: normalization."""
    return list(_BLACK)


def auto_mixed_precision(network: Cell, amp_level: str = "O0", dtype: DType = mstype.float16) -> Cell:
    """Let a network compute in float16, in part or as a whole. Its parameters keep their type.

    Args:
        network: the network, which is changed.
        amp_level: "O0" for no change; "O1" for dense, convolution and recurrent Cells, with float32 outputs; "O2" for
            all but normalization; "O3" for all; "auto" for O2 on a GPU and O0 on the CPU, which has no float16
            arithmetic.
        dtype: element type in place of float16.

    Returns:
        The network.

    Raises:
        ValueError: there is no such level.
        TypeError: `network` is not a Cell.
    """
    if not isinstance(network, Cell):
        raise TypeError(f"network must be a Cell, not {type(network).__name__}")
    level = _level(amp_level)
    if level.products is not None:
        for _, cell in network.cells_and_names():
            if isinstance(cell, _WHITE):
                cell._output_type = mstype.float32
                cell.to_float(dtype)
    if level.dtype is not None:
        network.to_float(dtype)
        if level.keep_normalization:
            _keep_normalization(network, dtype)
    return network


def build_train_network(
    network: Cell,
    optimizer: Optimizer,
    loss_fn: Any = None,
    level: str = "O0",
    boost_level: str = "O0",
    *,
    cast_model_type: DType | None = None,
    keep_batchnorm_fp32: bool | None = None,
    loss_scale_manager: LossScaleManager | None = None,
) -> Cell:
    """A training step in mixed precision, from a batch to the loss.

    Args:
        network: from data to outputs; without `loss_fn`, from a batch to the loss.
        optimizer: the optimizer.
        loss_fn: from outputs and labels to the loss; it computes in float32.
        level: level of `auto_mixed_precision`; at O2 the loss scale is dynamic by default.
        boost_level: accepted for compatibility; "O0".
        cast_model_type: element type of the whole network; overrides the level.
        keep_batchnorm_fp32: keep normalization in float32; overrides the level.
        loss_scale_manager: scales the loss before differentiation; None for the default of the level.

    Returns:
        The training step.

    Raises:
        ValueError: there is no such level.
    """
    meant = _level(level)
    auto_mixed_precision(network, level)
    dtype = cast_model_type if cast_model_type is not None else meant.dtype
    if cast_model_type is not None:
        network.to_float(cast_model_type)
    keep = meant.keep_normalization if keep_batchnorm_fp32 is None else keep_batchnorm_fp32
    if dtype is not None and keep:
        _keep_normalization(network, dtype)
    elif dtype is not None and keep_batchnorm_fp32 is False:
        network.to_float(dtype)
    if loss_fn is not None:
        network = _WithLoss(network, loss_fn) if dtype is not None else WithLossCell(network, loss_fn)
    scale = loss_scale_manager
    if scale is None and meant.dynamic:
        scale = DynamicLossScaleManager()
    update = scale.get_update_cell() if scale is not None else None
    if update is not None:
        return TrainOneStepWithLossScaleCell(network, optimizer, update)
    return TrainOneStepCell(network, optimizer, scale.get_loss_scale() if scale is not None else None)


class _WithLoss(WithLossCell):
    """A network with its loss, which computes in float32 whatever the network computes in."""

    def construct(self, data: Any, label: Any) -> Any:
        """Compute the loss."""
        return self._loss_fn(F.cast(self._backbone(data), mstype.float32), label)


def _level(name: str) -> _Level:
    if name == "auto":
        from framework import context

        name = "O2" if context.get_context("device_target") == "GPU" else "O0"
    if name not in _LEVELS:
        raise ValueError(f"amp_level must be one of {', '.join(_LEVELS)} and auto, not {name!r}")
    return _LEVELS[name]


def _keep_normalization(network: Cell, dtype: DType) -> None:
    for _, cell in network.cells_and_names():
        if isinstance(cell, _BLACK):
            cell._output_type = dtype
            cell.to_float(mstype.float32)
