"""Transforms of any data: types, one-hot vectors, slices, fillings."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import IntEnum
from typing import Any, Self

import numpy as np

from framework.common import dtype as mstype
from framework.dataset.ir.to_json import operation_json
from framework.dataset.transforms.operation import TensorOperation

__all__ = [
    "Concatenate",
    "Duplicate",
    "Fill",
    "Lambda",
    "Mask",
    "OneHot",
    "PadEnd",
    "Relational",
    "Slice",
    "TypeCast",
    "Unique",
]

Random = np.random.Generator


class TypeCast(TensorOperation):
    """Elements of another type.

    Args:
        output_type: MindSpore's or numpy's name of it.

    """

    json_names = {"output_type": "data_type"}

    def __init__(self, output_type: Any) -> None:
        dtype = output_type.numpy if isinstance(output_type, mstype.DType) else np.dtype(output_type)
        super().__init__(output_type=dtype.name)
        self.dtype = dtype

    def apply(self, rng: Random | None, *values: Any) -> Any:
        """A value of any shape."""
        return np.asarray(values[0]).astype(self.dtype)


class OneHot(TensorOperation):
    """Of the number of a class a vector that is 1 there and 0 elsewhere.

    With smoothing, smoothing_rate / num_classes elsewhere, and there what is left of 1 - smoothing_rate plus as much.

    Args:
        num_classes: how long vectors are.
        smoothing_rate: how much is taken from the 1; the result is Float32 then, else of the type of the labels.

    """

    def __init__(self, num_classes: int, smoothing_rate: float = 0.0) -> None:
        if num_classes < 1 or not 0 <= smoothing_rate <= 1:
            raise ValueError(
                "OneHot: num_classes must be above 0 and smoothing_rate between 0 and 1,"
                f" not {num_classes} and {smoothing_rate}"
            )
        super().__init__(num_classes=num_classes, smoothing_rate=float(smoothing_rate))
        self.num_classes, self.smoothing_rate = num_classes, smoothing_rate

    def apply(self, rng: Random | None, *values: Any) -> Any:
        """A whole number, or an array of them."""
        labels = np.asarray(values[0])
        if labels.dtype.kind not in "iu":
            raise TypeError(f"OneHot: labels are whole numbers, not {labels.dtype}")
        outside = (labels < 0) | (labels >= self.num_classes)
        if outside.any():
            raise ValueError(f"OneHot: label {labels[outside].flat[0]} is none of the {self.num_classes} classes")
        picked = np.eye(self.num_classes, dtype=labels.dtype)[labels]
        if not self.smoothing_rate:
            return picked
        share = self.smoothing_rate / self.num_classes
        return (picked * (1 - self.smoothing_rate) + share).astype(np.float32)


class Fill(TensorOperation):
    """A value in place of all elements.

    Args:
        fill_value: a number or a text.

    """

    def __init__(self, fill_value: Any) -> None:
        super().__init__(fill_value=fill_value)
        self.fill_value = fill_value

    def apply(self, rng: Random | None, *values: Any) -> Any:
        """A value of any shape; its element type stays."""
        array = np.asarray(values[0])
        return np.full(array.shape, self.fill_value, None if array.dtype.kind in "SU" else array.dtype)


class PadEnd(TensorOperation):
    """Arrays filled up at their ends; what is larger is cut.

    Args:
        pad_shape: the shape to bring them to; None leaves a dimension as it is.
        pad_value: what is filled in, 0 or the empty text where it is left out.

    """

    def __init__(self, pad_shape: Sequence[int | None], pad_value: Any = None) -> None:
        super().__init__(pad_shape=list(pad_shape), pad_value=pad_value)
        self.pad_shape, self.pad_value = list(pad_shape), pad_value

    def apply(self, rng: Random | None, *values: Any) -> Any:
        """A value with as many dimensions as the shape."""
        array = np.asarray(values[0])
        if array.ndim != len(self.pad_shape):
            raise ValueError(f"PadEnd: {array.shape} has not as many dimensions as pad_shape {self.pad_shape}")
        shape = [size if wanted is None else wanted for size, wanted in zip(array.shape, self.pad_shape, strict=True)]
        texts = array.dtype.kind in "SU"
        filler = self.pad_value if self.pad_value is not None else ("" if texts else 0)
        out = np.full(shape, filler, np.result_type(array, np.asarray(filler)) if texts else array.dtype)
        kept = tuple(slice(0, size) for size in map(min, shape, array.shape))
        out[kept] = array[kept]
        return out


class Slice(TensorOperation):
    """A part of an array.

    Args:
        slices: for each of the first dimensions a number, a list of numbers, a slice, `...` or None for all.

    """

    def __init__(self, *slices: Any) -> None:
        super().__init__(slices=[_slice_json(item) for item in slices])
        self.place = tuple(slice(None) if item is None else item for item in slices)

    @classmethod
    def from_json(cls, parameters: Mapping[str, Any]) -> Self:
        """The transform that has these parameters in JSON."""
        return cls(*[_slice_of(item) for item in parameters["slices"]])

    def apply(self, rng: Random | None, *values: Any) -> Any:
        """A value with at least this many dimensions."""
        return np.asarray(values[0])[self.place]


def _slice_json(item: Any) -> Any:
    if item is Ellipsis:
        return "..."
    return {"start": item.start, "stop": item.stop, "step": item.step} if isinstance(item, slice) else item


def _slice_of(item: Any) -> Any:
    if item == "...":
        return Ellipsis
    return slice(item["start"], item["stop"], item["step"]) if isinstance(item, Mapping) else item


class Relational(IntEnum):
    """How `Mask` compares."""

    EQ = 0
    NE = 1
    LT = 2
    LE = 3
    GT = 4
    GE = 5


_COMPARISONS = (np.equal, np.not_equal, np.less, np.less_equal, np.greater, np.greater_equal)


class Mask(TensorOperation):
    """Where elements compare as wanted with a constant.

    Args:
        operator: how they are compared.
        constant: what they are compared with.
        dtype: the element type of the result.

    """

    def __init__(self, operator: Relational | int, constant: Any, dtype: Any = mstype.bool_) -> None:
        kind = dtype.numpy if isinstance(dtype, mstype.DType) else np.dtype(dtype)
        super().__init__(operator=int(operator), constant=constant, dtype=kind.name)
        self.compare, self.constant, self.dtype = _COMPARISONS[operator], constant, kind

    def apply(self, rng: Random | None, *values: Any) -> Any:
        """A value of any shape."""
        return self.compare(np.asarray(values[0]), self.constant).astype(self.dtype)


class Concatenate(TensorOperation):
    """The arrays of several columns as one.

    Args:
        axis: along which axis.
        prepend: an array before them.
        append: an array behind them.

    """

    takes_all = True

    def __init__(self, axis: int = 0, prepend: Any = None, append: Any = None) -> None:
        before = None if prepend is None else np.asarray(prepend)
        after = None if append is None else np.asarray(append)
        super().__init__(
            axis=axis,
            prepend=None if before is None else before.tolist(),
            append=None if after is None else after.tolist(),
        )
        self.axis, self.before, self.after = axis, before, after

    def apply(self, rng: Random | None, *values: Any) -> Any:
        """Values with the same number of dimensions."""
        parts = [part for part in (self.before, *values, self.after) if part is not None]
        kind = np.asarray(values[0]).dtype
        joined = np.concatenate(parts, self.axis)
        return joined if kind.kind in "SU" else joined.astype(kind)


class Duplicate(TensorOperation):
    """The value twice, for two columns."""

    takes_all = True

    def __init__(self) -> None:
        super().__init__()

    def apply(self, rng: Random | None, *values: Any) -> Any:
        """One value."""
        return values[0], np.array(values[0])


class Unique(TensorOperation):
    """The different elements in order, where in them each element is, and how often each occurs: three columns."""

    takes_all = True

    def __init__(self) -> None:
        super().__init__()

    def apply(self, rng: Random | None, *values: Any) -> Any:
        """One value; its elements are taken in a row."""
        found, places, counts = np.unique(np.ravel(values[0]), return_inverse=True, return_counts=True)
        return found, places.astype(np.int32), counts.astype(np.int32)


class Lambda(TensorOperation):
    """A Python function as a transform.

    Args:
        func: called with the value.

    """

    takes_all = True

    def __init__(self, func: Callable[..., Any]) -> None:
        if not callable(func):
            raise TypeError(f"Lambda: func must be a function, not {func!r}")
        super().__init__()
        self.func = func

    def apply(self, rng: Random | None, *values: Any) -> Any:
        """Values of any kind."""
        return self.func(*values)

    def to_json(self) -> dict[str, Any]:
        """The function's name."""
        return operation_json(self.func)
