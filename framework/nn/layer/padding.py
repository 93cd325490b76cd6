"""Padding of tensors, as Cells; paddings go from the last dimension to the first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from framework.common.tensor import Tensor
from framework.nn.cell import Cell
from framework.ops import functional as F  # noqa: N812
from framework.ops import operations as P  # noqa: N812

__all__ = [
    "ConstantPad1d",
    "ConstantPad2d",
    "ConstantPad3d",
    "Pad",
    "ReflectionPad1d",
    "ReflectionPad2d",
    "ReflectionPad3d",
    "ReplicationPad1d",
    "ReplicationPad2d",
    "ReplicationPad3d",
    "ZeroPad2d",
]


class Pad(Cell):
    """Zeros, or mirrored elements, around a tensor.

    Args:
        paddings: per dimension how many before and after.
        mode: "CONSTANT": zeros; "REFLECT": mirrored at the outermost element; "SYMMETRIC": behind it.

    Example:
        >>> print(nn.Pad(((0, 0), (1, 2)))(Tensor([[1.0, 2.0]])))
        [[0. 1. 2. 0. 0.]]

    """

    def __init__(self, paddings: Sequence[Sequence[int]], mode: str = "CONSTANT") -> None:
        super().__init__()
        self.paddings = tuple(tuple(sides) for sides in paddings)
        self.constant = mode == "CONSTANT"
        self.pad: Any = P.Pad(self.paddings) if self.constant else P.MirrorPad(mode)

    def construct(self, x: Tensor) -> Any:
        """Of as many dimensions as there are paddings."""
        return self.pad(x) if self.constant else self.pad(x, self.paddings)


class _Around(Cell):
    """Adds something along the last dimensions.

    Args:
        padding: how many on each side, or before and after of each dimension, from the last one on.

    """

    #: Along how many dimensions, and what is added.
    dimensions: ClassVar[int] = 0
    mode: ClassVar[str] = "constant"

    def __init__(self, padding: int | Sequence[int]) -> None:
        super().__init__()
        sides = (padding,) * (2 * self.dimensions) if isinstance(padding, int) else tuple(padding)
        if len(sides) != 2 * self.dimensions:
            raise ValueError(f"{type(self).__name__}: padding {sides} must hold {2 * self.dimensions} numbers")
        self.padding, self.value = sides, 0.0

    def construct(self, x: Tensor) -> Any:
        """Of at least as many dimensions."""
        return F.pad(x, self.padding, self.mode, self.value)

    def extend_repr(self) -> str:
        """What is added."""
        return f"padding={self.padding}"


class _ConstantPad(_Around):
    """Adds a value.

    Args:
        padding: how many on each side, or before and after of each dimension, from the last one on.
        value: the value.

    """

    def __init__(self, padding: int | Sequence[int], value: float) -> None:
        super().__init__(padding)
        self.value = value


class ConstantPad1d(_ConstantPad):
    """A value along the last dimension.

    Args:
        padding: how many on both sides, or before and after.
        value: the value.

    Example:
        >>> print(nn.ConstantPad1d((1, 2), 9.0)(Tensor([[1.0, 2.0]])))
        [[9. 1. 2. 9. 9.]]

    """

    dimensions = 1


class ConstantPad2d(_ConstantPad):
    """A value around images.

    Args:
        padding: how many on all sides, or left, right, top and bottom.
        value: the value.

    Example:
        >>> print(nn.ConstantPad2d(1, 9.0)(Tensor([[[[1.0]]]])))
        [[[[9. 9. 9.]
           [9. 1. 9.]
           [9. 9. 9.]]]]

    """

    dimensions = 2


class ConstantPad3d(_ConstantPad):
    """A value around volumes.

    Args:
        padding: how many on all sides, or left, right, top, bottom, front and back.
        value: the value.

    Example:
        >>> print(nn.ConstantPad3d((1, 0, 0, 0, 0, 0), 9.0)(Tensor([[[[[1.0]]]]])))
        [[[[[9. 1.]]]]]

    """

    dimensions = 3


class ZeroPad2d(_Around):
    """Zeros around images.

    Args:
        padding: how many on all sides, or left, right, top and bottom.

    Example:
        >>> print(nn.ZeroPad2d(1)(Tensor([[[[1.0]]]])))
        [[[[0. 0. 0.]
           [0. 1. 0.]
           [0. 0. 0.]]]]

    """

    dimensions = 2


class ReflectionPad1d(_Around):
    """Elements mirrored at the outermost, along the last dimension.

    Args:
        padding: how many on both sides, or before and after.

    Example:
        >>> print(nn.ReflectionPad1d((2, 1))(Tensor([[[1.0, 2.0, 3.0]]])))
        [[[3. 2. 1. 2. 3. 2.]]]

    """

    dimensions = 1
    mode = "reflect"


class ReflectionPad2d(_Around):
    """Pixels mirrored at the outermost, around images.

    Args:
        padding: how many on all sides, or left, right, top and bottom.

    Example:
        >>> print(nn.ReflectionPad2d((1, 0, 0, 0))(Tensor([[[[1.0, 2.0], [3.0, 4.0]]]])))
        [[[[2. 1. 2.]
           [4. 3. 4.]]]]

    """

    dimensions = 2
    mode = "reflect"


class ReflectionPad3d(_Around):
    """Elements mirrored at the outermost, around volumes.

    Args:
        padding: how many on all sides, or left, right, top, bottom, front and back.

    Example:
        >>> print(nn.ReflectionPad3d(1)(ops.ones((1, 1, 2, 3, 4))).shape)
        (1, 1, 4, 5, 6)

    """

    dimensions = 3
    mode = "reflect"


class ReplicationPad1d(_Around):
    """The outermost elements again, along the last dimension.

    Args:
        padding: how many on both sides, or before and after.

    Example:
        >>> print(nn.ReplicationPad1d((2, 1))(Tensor([[[1.0, 2.0, 3.0]]])))
        [[[1. 1. 1. 2. 3. 3.]]]

    """

    dimensions = 1
    mode = "replicate"


class ReplicationPad2d(_Around):
    """The outermost pixels again, around images.

    Args:
        padding: how many on all sides, or left, right, top and bottom.

    Example:
        >>> print(nn.ReplicationPad2d((1, 0, 0, 0))(Tensor([[[[1.0, 2.0], [3.0, 4.0]]]])))
        [[[[1. 1. 2.]
           [3. 3. 4.]]]]

    """

    dimensions = 2
    mode = "replicate"


class ReplicationPad3d(_Around):
    """The outermost elements again, around volumes.

    Args:
        padding: how many on all sides, or left, right, top, bottom, front and back.

    Example:
        >>> print(nn.ReplicationPad3d(1)(ops.ones((1, 1, 2, 3, 4))).shape)
        (1, 1, 4, 5, 6)

    """

    dimensions = 3
    mode = "replicate"
