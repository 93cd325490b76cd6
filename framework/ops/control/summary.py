"""Summary operators: values recorded for the dashboard from inside a network."""

from __future__ import annotations

from typing import Any, ClassVar

from framework.common.noted import is_heard, note
from framework.ir.abstract import Abstract, AbstractConst, AbstractScalar, AbstractTensor
from framework.ops.primitive import PrimitiveWithInfer, prim_attr_register

__all__ = [
    "HistogramSummary",
    "ImageSummary",
    "ScalarSummary",
    "TensorSummary",
]


class _Summary(PrimitiveWithInfer):
    """The base class of summary operators: `op(tag, value)` records a value under a tag.

    Raises:
        TypeError: the tag is not a string, or the value is neither a number nor a tensor.
        ValueError: the tag is empty, or the value's shape does not fit.

    """

    side_effect = True
    value_inputs: ClassVar[tuple[int, ...]] = (0,)
    kind: ClassVar[str]
    #: The smallest and the largest number of dimensions of a value.
    dimensions: ClassVar[tuple[int, int]] = (1, 64)

    @prim_attr_register
    def __init__(self) -> None:
        self.init_prim_io_names(inputs=["name", "value"], outputs=[])
        self.add_prim_attr("side_effect_io", True)

    def infer(self, *inputs: Abstract) -> Abstract:
        if len(inputs) != 2:
            raise TypeError("takes a tag and a value")
        tag, value = inputs
        self._check_tag(getattr(tag, "value", None))
        if isinstance(value, AbstractTensor):
            self._check_shape(value.shape)
        elif isinstance(value, AbstractScalar) and value.type in (bool, int, float):
            self._check_shape(())
        else:
            raise TypeError(f"records a tensor or a number, not {value}")
        return AbstractConst(None)

    def compute(self, xp: Any, name: Any, value: Any) -> None:
        self._check_tag(name)
        shape = getattr(value, "shape", None)
        if shape is None and not isinstance(value, bool | int | float):
            raise TypeError(f"records a tensor or a number, not a {type(value).__name__}")
        self._check_shape(shape or ())
        if is_heard():
            note(self.kind, name, value)

    @staticmethod
    def _check_tag(tag: Any) -> None:
        if not isinstance(tag, str):
            raise TypeError("the tag must be a string that is known at compile time")
        if not tag:
            raise ValueError("the tag is empty")

    def _check_shape(self, shape: Any) -> None:
        low, high = self.dimensions
        if not low <= len(shape) <= high:
            wanted = f"{low} dimensions" if low == high else f"{low} dimensions or more"
            raise ValueError(f"records a tensor of {wanted}, not of shape {tuple(shape)}")


class ScalarSummary(_Summary):
    """Records one number: `ScalarSummary()("loss", loss)`.

    Inputs: the tag, a string; a number, or a tensor of shape () or (1,). No output.

    Example:
        >>> ops.ScalarSummary()("loss", Tensor(0.5))
    """

    kind = "scalar"
    dimensions = (0, 1)

    def _check_shape(self, shape: Any) -> None:
        if tuple(shape) not in ((), (1,), (None,)):
            raise ValueError(f"records one number, a tensor of shape () or (1,), not of shape {tuple(shape)}")


class ImageSummary(_Summary):
    """Records images: `ImageSummary()("input", x)`.

    Inputs: the tag, a string; a tensor of shape (N, C, H, W) with 1 or 3 channels. The images of a batch are placed
    in rows of eight. Values from 0 to 1 are multiplied by 255; other ranges are scaled to 0 to 255. No output.

    Example:
        >>> ops.ImageSummary()("input", Tensor(np.zeros((4, 3, 8, 8)), ms.float32))
    """

    kind = "image"
    dimensions = (4, 4)


class TensorSummary(_Summary):
    """Records a tensor with all its elements: `TensorSummary()("weights", w)`.

    Inputs: the tag, a string; a tensor of one dimension or more. No output.

    Example:
        >>> ops.TensorSummary()("weights", Tensor([[1.0, 2.0], [3.0, 4.0]], ms.float32))
    """

    kind = "tensor"


class HistogramSummary(_Summary):
    """Records the distribution of a tensor's elements: `HistogramSummary()("gradient", g)`.

    Inputs: the tag, a string; a tensor of one dimension or more. No output.

    Example:
        >>> ops.HistogramSummary()("gradient", Tensor([0.1, -0.2, 0.1], ms.float32))
    """

    kind = "histogram"
