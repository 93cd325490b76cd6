"""Batch normalization (Ioffe and Szegedy 2015) of features, images and volumes."""

from __future__ import annotations

from typing import Any

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.common.initializer import initializer
from framework.common.parameter import Parameter
from framework.common.tensor import Tensor
from framework.common.validator import check_positive_int, check_type
from framework.nn.annotations import Initial
from framework.nn.cell import Cell
from framework.ops import functional as F  # noqa: N812
from framework.ops import operations as P  # noqa: N812

__all__ = ["BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "SyncBatchNorm"]


class _BatchNorm(Cell):
    """Base class of batch normalization of `rank` dimensions. The arguments are those of `BatchNorm2d`."""

    rank = 0

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float = 0.9,
        affine: bool = True,
        gamma_init: Initial = "ones",
        beta_init: Initial = "zeros",
        moving_mean_init: Initial = "zeros",
        moving_var_init: Initial = "ones",
        use_batch_statistics: bool | None = None,
        data_format: str = "NCHW",
        dtype: DType = mstype.float32,
    ) -> None:
        super().__init__()
        name = type(self).__name__
        check_positive_int(num_features, f"{name}: num_features")
        check_type(f"{name}: momentum", momentum, (int, float))
        if not 0 <= momentum <= 1:
            raise ValueError(f"{name}: momentum must lie between 0 and 1, not {momentum}")
        #: As in MindSpore, the weight of the batch in the moving mean and variance, not that of the old value.
        self.momentum = 1 - momentum
        self.num_features, self.eps, self.affine = num_features, eps, affine
        self.use_batch_statistics, self.format, self.dtype = use_batch_statistics, data_format, dtype
        self.gamma_init, self.beta_init = gamma_init, beta_init
        self.moving_mean_init, self.moving_var_init = moving_mean_init, moving_var_init
        shape = (num_features,)
        self.moving_mean = Parameter(initializer(moving_mean_init, shape, dtype), name="mean", requires_grad=False)
        self.moving_variance = Parameter(
            initializer(moving_var_init, shape, dtype), name="variance", requires_grad=False
        )
        self.gamma = Parameter(initializer(gamma_init, shape, dtype), name="gamma", requires_grad=affine)
        self.beta = Parameter(initializer(beta_init, shape, dtype), name="beta", requires_grad=affine)
        self.bn_train = P.BatchNorm(True, eps, self.momentum, data_format)
        self.bn_infer = P.BatchNorm(False, eps, self.momentum, data_format)

    def construct(self, x: Tensor) -> Any:
        """Normalize a tensor of shape (N, num_features, ...)."""
        if len(x.shape) != self.rank:
            raise ValueError("batch norm: the input has the wrong number of dimensions for this Cell")
        own = self.training if self.use_batch_statistics is None else self.use_batch_statistics
        if own:
            return self.bn_train(x, self.gamma, self.beta, self.moving_mean, self.moving_variance)[0]
        return self.bn_infer(x, self.gamma, self.beta, self.moving_mean, self.moving_variance)[0]

    def extend_repr(self) -> str:
        """The channels, epsilon and momentum."""
        return f"num_features={self.num_features}, eps={self.eps}, momentum={self.momentum}"


class BatchNorm1d(_BatchNorm):
    """Batch normalization of (N, C) per feature, with the statistics of the batch in training.

    The moving mean and variance become momentum * moving + (1 - momentum) * batch. The arguments are those of
    `BatchNorm2d`.

    Example:
        >>> net = nn.BatchNorm1d(2).set_train()
        >>> print(net(Tensor([[1.0, 2.0], [3.0, 6.0]])).asnumpy().round(2))
        [[-1. -1.]
         [ 1.  1.]]
        >>> print(net.moving_mean.asnumpy().round(2))
        [0.2 0.4]

    """

    rank = 2


class BatchNorm2d(_BatchNorm):
    """Batch normalization of (N, C, H, W) per channel, with the statistics of the batch in training.

    The moving mean and variance become momentum * moving + (1 - momentum) * batch.

    Args:
        num_features: number of channels.
        eps: number added to the variance.
        momentum: weight of the old value in the moving mean and variance.
        affine: train gamma and beta.
        gamma_init: initializer of the factor.
        beta_init: initializer of the shift.
        moving_mean_init: initializer of the moving mean.
        moving_var_init: initializer of the moving variance.
        use_batch_statistics: use the batch's mean and variance, or the moving ones; None for the batch's in training
            only.
        data_format: "NCHW".
        dtype: element type of the parameters.

    Example:
        >>> net = nn.BatchNorm2d(1).set_train()
        >>> print(net(Tensor([[[[1.0, 3.0]]]])).asnumpy().round(2))
        [[[[-1.  1.]]]]

    """

    rank = 4


class SyncBatchNorm(_BatchNorm):
    """`BatchNorm2d` with the statistics of all processes of a training. There is one process.

    The arguments are those of `BatchNorm2d`.

    Args:
        num_features: number of channels.
        eps: number added to the variance.
        momentum: weight of the old value in the moving mean and variance.
        affine: train gamma and beta.
        gamma_init: initializer of the factor.
        beta_init: initializer of the shift.
        moving_mean_init: initializer of the moving mean.
        moving_var_init: initializer of the moving variance.
        use_batch_statistics: use the batch's mean and variance, or the moving ones; None for the batch's in training
            only.
        process_groups: accepted for compatibility; has no effect.
        dtype: element type of the parameters.

    Example:
        >>> net = nn.SyncBatchNorm(1).set_train()
        >>> print(net(Tensor([[[[1.0, 3.0]]]])).asnumpy().round(2))
        [[[[-1.  1.]]]]

    """

    rank = 4

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float = 0.9,
        affine: bool = True,
        gamma_init: Initial = "ones",
        beta_init: Initial = "zeros",
        moving_mean_init: Initial = "zeros",
        moving_var_init: Initial = "ones",
        use_batch_statistics: bool | None = None,
        process_groups: object = None,
        dtype: DType = mstype.float32,
    ) -> None:
        super().__init__(
            num_features, eps, momentum, affine, gamma_init, beta_init, moving_mean_init, moving_var_init,
            use_batch_statistics, "NCHW", dtype,
        )  # fmt: skip
        self.process_groups = process_groups


class BatchNorm3d(Cell):
    """Batch normalization of (N, C, D, H, W) per channel, with the statistics of the batch in training.

    The moving mean and variance become momentum * moving + (1 - momentum) * batch. The arguments are those of
    `BatchNorm2d`.

    Args:
        num_features: number of channels.
        eps: number added to the variance.
        momentum: weight of the old value in the moving mean and variance.
        affine: train gamma and beta.
        gamma_init: initializer of the factor.
        beta_init: initializer of the shift.
        moving_mean_init: initializer of the moving mean.
        moving_var_init: initializer of the moving variance.
        use_batch_statistics: use the batch's mean and variance, or the moving ones; None for the batch's in training
            only.
        dtype: element type of the parameters.

    Example:
        >>> print(nn.BatchNorm3d(1).set_train()(Tensor([[[[[1.0, 3.0]]]]])).asnumpy().round(3).ravel())
        [-1.  1.]

    """

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float = 0.9,
        affine: bool = True,
        gamma_init: Initial = "ones",
        beta_init: Initial = "zeros",
        moving_mean_init: Initial = "zeros",
        moving_var_init: Initial = "ones",
        use_batch_statistics: bool | None = None,
        dtype: DType = mstype.float32,
    ) -> None:
        super().__init__()
        self.bn2d = BatchNorm2d(
            num_features, eps, momentum, affine, gamma_init, beta_init, moving_mean_init, moving_var_init,
            use_batch_statistics, "NCHW", dtype,
        )  # fmt: skip

    def construct(self, x: Tensor) -> Any:
        """Normalize a tensor of shape (N, num_features, D, H, W)."""
        if len(x.shape) != 5:
            raise ValueError("batch norm: the input has the wrong number of dimensions for this Cell")
        flat = F.reshape(x, (x.shape[0], x.shape[1], x.shape[2] * x.shape[3], x.shape[4]))
        return F.reshape(self.bn2d(flat), x.shape)
