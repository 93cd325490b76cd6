"""Activations over an axis: softmax and its variants, and gated linear units."""

from __future__ import annotations

from typing import Any

from framework.common.tensor import Tensor
from framework.common.validator import check_type
from framework.nn.cell import Cell
from framework.ops import functional as F  # noqa: N812
from framework.ops import operations as P  # noqa: N812

__all__ = ["GLU", "LogSoftmax", "Softmax", "Softmax2d", "Softmin"]


class Softmax(Cell):
    """Softmax: exp(x) / sum of exp(x) over axes.

    Args:
        axis: an axis or several.

    Example:
        >>> print(nn.Softmax()(Tensor([[0.0, 0.0], [0.0, 1.0]])).asnumpy().round(3))
        [[0.5   0.5  ]
         [0.269 0.731]]

    """

    def __init__(self, axis: int | tuple[int, ...] = -1) -> None:
        super().__init__()
        check_type("Softmax: axis", axis, (int, tuple))
        self.softmax = P.Softmax(axis)

    def construct(self, x: Tensor) -> Any:
        """Apply the layer to a tensor of any shape."""
        return self.softmax(x)


class Softmax2d(Cell):
    """Softmax over the channels of each pixel.

    Input: images (N, C, H, W), or one, (C, H, W), of a floating-point type. Output: a tensor of that shape and type.

    Example:
        >>> print(nn.Softmax2d()(ops.zeros((1, 2, 1, 1))).asnumpy().ravel())
        [0.5 0.5]

    """

    def __init__(self) -> None:
        super().__init__()
        self.softmax = P.Softmax(-3)

    def construct(self, x: Tensor) -> Any:
        """Apply softmax to images (N, C, H, W) or (C, H, W)."""
        return self.softmax(x)


class LogSoftmax(Cell):
    """The logarithm of softmax: x - log of the sum of exp(x) over an axis.

    Args:
        axis: axis of the operation.

    Example:
        >>> print(nn.LogSoftmax()(Tensor([0.0, 0.0])).asnumpy().round(3))
        [-0.693 -0.693]

    """

    def __init__(self, axis: int = -1) -> None:
        super().__init__()
        self.log_softmax = P.LogSoftmax(axis)

    def construct(self, x: Tensor) -> Any:
        """Apply the layer to a tensor of any shape."""
        return self.log_softmax(x)


class Softmin(Cell):
    """Softmax of -x over an axis.

    Args:
        axis: axis of the operation.

    Example:
        >>> print(nn.Softmin()(Tensor([0.0, 1.0])).asnumpy().round(3))
        [0.731 0.269]

    """

    def __init__(self, axis: int | tuple[int, ...] = -1) -> None:
        super().__init__()
        self.axis = axis

    def construct(self, x: Tensor) -> Any:
        """Apply the layer to a tensor of any shape."""
        return F.softmin(x, self.axis)


class GLU(Cell):
    """Gated linear unit (Dauphin et al. 2016): one half of x along an axis times the sigmoid of the other half.

    Args:
        axis: axis of the operation.

    Example:
        >>> print(nn.GLU()(Tensor([1.0, 2.0, 0.0, 100.0])))
        [0.5 2. ]

    """

    def __init__(self, axis: int = -1) -> None:
        super().__init__()
        self.dim = axis

    def construct(self, x: Tensor) -> Any:
        """Apply the gate to a tensor of an even length along the axis."""
        return F.glu(x, self.dim)
