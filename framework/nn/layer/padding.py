"""Padding of tensors with zeros, constants or their own elements. Paddings go from the last dimension to the first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from framework.common.tensor import Tensor
from framework.common.validator import check_type
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
    """Padding of any number of dimensions.

    Args:
        paddings: for each dimension the number of elements before and after.
        mode: "CONSTANT" for zeros; "REFLECT" to mirror without repeating the edge; "SYMMETRIC" to mirror with the edge.

    Example:
        >>> print(nn.Pad(((0, 0), (1, 2)))(Tensor([[1.0, 2.0]])))
        [[0. 1. 2. 0. 0.]]

    """

    def __init__(self, paddings: Sequence[Sequence[int]], mode: str = "CONSTANT") -> None:
        super().__init__()
        self.paddings = tuple(tuple(sides) for sides in paddings)
        self.mode, self.constant = mode, mode == "CONSTANT"
        self.pad: Any = P.Pad(self.paddings) if self.constant else P.MirrorPad(mode)

    def construct(self, x: Tensor) -> Any:
        """Pad a tensor with as many dimensions as there are paddings."""
        return self.pad(x) if self.constant else self.pad(x, self.paddings)


class _Around(Cell):
    """Base class of padding along the last dimensions.

    Args:
        padding: number of elements on each side; or before and after each dimension, from the last one on.
    """

    #: Number of padded dimensions, and mode of the padding.
    dimensions: ClassVar[int] = 0
    mode: ClassVar[str] = "constant"

    def __init__(self, padding: int | Sequence[int]) -> None:
        super().__init__()
        name, count = type(self).__name__, 2 * self.dimensions
        check_type(f"{name}: padding", padding, (int, tuple))
        sides = (padding,) * count if isinstance(padding, int) else tuple(padding)
        for side in sides:
            check_type(f"{name}: each number of padding", side, int)
        if self.mode == "constant" and 0 < len(sides) < count and len(sides) % 2 == 0:
            count = len(sides)  # The dimensions that are left out are not padded.
        if len(sides) != count:
            raise ValueError(f"{name}: padding must have {count} numbers, not {sides}")
        if self.mode != "constant" and min(sides) < 0:
            raise ValueError(f"{name}: padding must be at least 0, not {sides}")
        self.padding: tuple[int, ...] = sides
        self.value: float = 0

    def construct(self, x: Tensor) -> Any:
        """Pad a tensor with at least as many dimensions."""
        return F.pad(x, self.padding, self.mode, self.value)

    def extend_repr(self) -> str:
        """The padding."""
        return f"padding={self.padding}"


class _ConstantPad(_Around):
    """Base class of padding with a constant.

    Args:
        padding: number of elements on each side; or before and after each dimension, from the last one on.
        value: value of the padding.
    """

    def __init__(self, padding: int | Sequence[int], value: float) -> None:
        super().__init__(padding)
        self.value = value


class ConstantPad1d(_ConstantPad):
    """Padding with a constant along the last dimension.

    Args:
        padding: number of elements on each side; or before and after.
        value: value of the padding.

    Example:
        >>> print(nn.ConstantPad1d((1, 2), 9.0)(Tensor([[1.0, 2.0]])))
        [[9. 1. 2. 9. 9.]]

    """

    dimensions = 1


class ConstantPad2d(_ConstantPad):
    """Padding of images with a constant.

    Args:
        padding: number of elements on each side; or left, right, top and bottom.
        value: value of the padding.

    Example:
        >>> print(nn.ConstantPad2d(1, 9.0)(Tensor([[[[1.0]]]])))
        [[[[9. 9. 9.]
           [9. 1. 9.]
           [9. 9. 9.]]]]

    """

    dimensions = 2


class ConstantPad3d(_ConstantPad):
    """Padding of volumes with a constant.

    Args:
        padding: number of elements on each side; or left, right, top, bottom, front and back.
        value: value of the padding.

    Example:
        >>> print(nn.ConstantPad3d((1, 0, 0, 0, 0, 0), 9.0)(Tensor([[[[[1.0]]]]])))
        [[[[[9. 1.]]]]]

    """

    dimensions = 3


class ZeroPad2d(_Around):
    """Padding of images with zeros.

    Args:
        padding: number of elements on each side; or left, right, top and bottom.

    Example:
        >>> print(nn.ZeroPad2d(1)(Tensor([[[[1.0]]]])))
        [[[[0. 0. 0.]
           [0. 1. 0.]
           [0. 0. 0.]]]]

    """

    dimensions = 2


class ReflectionPad1d(_Around):
    """Padding by reflection along the last dimension, without repeating the edge.

    Args:
        padding: number of elements on each side; or before and after.

    Example:
        >>> print(nn.ReflectionPad1d((2, 1))(Tensor([[[1.0, 2.0, 3.0]]])))
        [[[3. 2. 1. 2. 3. 2.]]]

    """

    dimensions = 1
    mode = "reflect"


class ReflectionPad2d(_Around):
    """Padding of images by reflection, without repeating the edge.

    Args:
        padding: number of elements on each side; or left, right, top and bottom.

    Example:
        >>> print(nn.ReflectionPad2d((1, 0, 0, 0))(Tensor([[[[1.0, 2.0], [3.0, 4.0]]]])))
        [[[[2. 1. 2.]
           [4. 3. 4.]]]]

    """

    dimensions = 2
    mode = "reflect"


class ReflectionPad3d(_Around):
    """Padding of volumes by reflection, without repeating the edge.

    Args:
        padding: number of elements on each side; or left, right, top, bottom, front and back.

    Example:
        >>> print(nn.ReflectionPad3d(1)(ops.ones((1, 1, 2, 3, 4))).shape)
        (1, 1, 4, 5, 6)

    """

    dimensions = 3
    mode = "reflect"


class ReplicationPad1d(_Around):
    """Padding with the edge's element along the last dimension.

    Args:
        padding: number of elements on each side; or before and after.

    Example:
        >>> print(nn.ReplicationPad1d((2, 1))(Tensor([[[1.0, 2.0, 3.0]]])))
        [[[1. 1. 1. 2. 3. 3.]]]

    """

    dimensions = 1
    mode = "replicate"


class ReplicationPad2d(_Around):
    """Padding of images with the pixels of the edge.

    Args:
        padding: number of elements on each side; or left, right, top and bottom.

    Example:
        >>> print(nn.ReplicationPad2d((1, 0, 0, 0))(Tensor([[[[1.0, 2.0], [3.0, 4.0]]]])))
        [[[[1. 1. 2.]
           [3. 3. 4.]]]]

    """

    dimensions = 2
    mode = "replicate"


class ReplicationPad3d(_Around):
    """Padding of volumes with the elements of the edge.

    Args:
        padding: number of elements on each side; or left, right, top, bottom, front and back.

    Example:
        >>> print(nn.ReplicationPad3d(1)(ops.ones((1, 1, 2, 3, 4))).shape)
        (1, 1, 4, 5, 6)

    """

    dimensions = 3
    mode = "replicate"
