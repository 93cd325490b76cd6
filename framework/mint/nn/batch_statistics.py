"""Batch normalization of `mint.nn`: parameters and running statistics have PyTorch's names."""

from __future__ import annotations

from typing import Any

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.common.parameter import Parameter
from framework.common.tensor import Tensor
from framework.mint.nn import functional as F  # noqa: N812
from framework.nn.cell import Cell
from framework.ops.functional import assign_add

__all__ = ["BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "SyncBatchNorm"]


class _BatchNorm(Cell):
    """Base class; the arguments are those of `BatchNorm2d`."""

    ranks: tuple[int, ...] = ()

    def __init__(
        self, num_features: int, eps: float = 1e-5, momentum: float | None = 0.1, affine: bool = True,
        track_running_stats: bool = True, dtype: DType | None = None,
    ) -> None:  # fmt: skip
        super().__init__()
        if momentum is None:
            raise ValueError(f"{type(self).__name__}: momentum must be a number; a cumulative average is not supported")
        self.num_features, self.eps, self.momentum = num_features, eps, momentum
        self.affine, self.track_running_stats = affine, track_running_stats
        kind = mstype.float32 if dtype is None else dtype
        self.weight = _filled(1.0, num_features, "weight", kind) if affine else None
        self.bias = _filled(0.0, num_features, "bias", kind) if affine else None
        self.running_mean: Parameter | None = None
        self.running_var: Parameter | None = None
        self.num_batches_tracked: Parameter | None = None
        if track_running_stats:
            self.running_mean = _filled(0.0, num_features, "running_mean", kind, trained=False)
            self.running_var = _filled(1.0, num_features, "running_var", kind, trained=False)
            count = Tensor(0, mstype.int64)
            self.num_batches_tracked = Parameter(count, name="num_batches_tracked", requires_grad=False)

    def construct(self, input: Tensor) -> Any:  # noqa: A002 - MindSpore's name
        """Normalize a tensor of shape (N, num_features, ...)."""
        if len(input.shape) not in self.ranks:
            raise ValueError("batch norm: the input has the wrong number of dimensions for this Cell")
        if self.training and self.num_batches_tracked is not None:
            assign_add(self.num_batches_tracked, 1)
        own = self.training or not self.track_running_stats
        return F.batch_norm(
            input, self.running_mean, self.running_var, self.weight, self.bias, own, self.momentum, self.eps
        )


class BatchNorm1d(_BatchNorm):
    """Batch normalization of features (N, C) or sequences (N, C, L); arguments as of `BatchNorm2d`."""

    ranks = (2, 3)


class BatchNorm2d(_BatchNorm):
    """Batch normalization of images (N, C, H, W).

    Args:
        num_features: the number of channels.
        eps: a number added to the variance.
        momentum: the weight of the batch in the running mean and variance.
        affine: whether channels are then scaled and shifted, by the parameters `weight` and `bias`.
        track_running_stats: keep a running mean and variance, and use them out of training. Without them the
            statistics of the batch are used there, too.
        dtype: the element type of the parameters; None for Float32.

    Raises:
        ValueError: `momentum` is None.

    """

    ranks = (4,)


class BatchNorm3d(_BatchNorm):
    """Batch normalization of volumes (N, C, D, H, W); arguments as of `BatchNorm2d`."""

    ranks = (5,)


class SyncBatchNorm(_BatchNorm):
    """Batch normalization over all processes of a training; here there is one process.

    Args:
        num_features: the number of channels.
        eps: a number added to the variance.
        momentum: the weight of the batch in the running mean and variance.
        affine: whether channels are then scaled and shifted.
        track_running_stats: keep a running mean and variance.
        process_group: None.
        dtype: the element type of the parameters; None for Float32.

    Raises:
        ValueError: a process group is given.

    """

    ranks = (2, 3, 4, 5)

    def __init__(
        self, num_features: int, eps: float = 1e-5, momentum: float = 0.1, affine: bool = True,
        track_running_stats: bool = True, process_group: str | None = None, dtype: DType | None = None,
    ) -> None:  # fmt: skip
        if process_group is not None:
            raise ValueError("SyncBatchNorm: process_group must be None, because there is one process")
        super().__init__(num_features, eps, momentum, affine, track_running_stats, dtype)


def _filled(value: float, length: int, name: str, dtype: DType, trained: bool = True) -> Parameter:
    return Parameter(Tensor([value] * length, dtype), name=name, requires_grad=trained)
