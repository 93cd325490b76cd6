"""Transforms of any data: types, one-hot vectors, slices, padding, masks, and Python functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import IntEnum
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from framework.common import dtype as mstype
from framework.dataset.ir.to_json import operation_json
from framework.dataset.transforms.checks import check_interval, check_type
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


def element_type(given: Any, name: str) -> np.dtype[Any]:
    """The numpy type of an argument that is MindSpore's or numpy's.

    Raises:
        TypeError: it is neither.
    """
    plain = given.numpy if isinstance(given, mstype.DType) else given
    try:
        if plain is None:
            raise TypeError
        known: np.dtype[Any] = np.dtype(plain)
        return known
    except TypeError:
        check_type(given, (mstype.DType, np.dtype), name)
        raise


def cast_to(values: npt.NDArray[Any], dtype: np.dtype[Any]) -> npt.NDArray[Any]:
    """Elements in another type; those that it cannot hold become what the processor makes of them."""
    with np.errstate(over="ignore", invalid="ignore"):
        return values.astype(dtype)


class TypeCast(TensorOperation):
    """Casts elements to another type.

    Args:
        output_type: element type of the result, MindSpore's or numpy's.
    """

    json_names = {"output_type": "data_type"}
    batchable = True

    def __init__(self, output_type: Any) -> None:
        dtype = element_type(output_type, "data_type")
        super().__init__(output_type=dtype.name)
        self.dtype = dtype

    def apply(self, rng: Random | None, *values: Any) -> Any:
        """Transform a value of any shape."""
        return cast_to(np.asarray(values[0]), self.dtype)

    def apply_batch(self, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Transform a batch at once, unless the type cannot hold all elements: the processor decides about these."""
        kinds = values.dtype.kind + self.dtype.kind
        whole = kinds in ("ff", "bb") or (kinds[0] in "biu" and kinds[1] in "biuf")
        return cast_to(values, self.dtype) if whole else super().apply_batch(values)


class OneHot(TensorOperation):
    """One-hot encoding: a class index becomes a vector that is 1 at the class and 0 elsewhere.

    With smoothing, the vector is smoothing_rate / num_classes elsewhere, and 1 - smoothing_rate more at the class.

    Args:
        num_classes: length of the vectors.
        smoothing_rate: share that is spread over all classes. With smoothing the result is Float64, otherwise it has
            the type of the labels.
    """

    batchable = True

    def __init__(self, num_classes: int, smoothing_rate: float = 0.0) -> None:
        check_type(num_classes, (int,), "num_classes")
        check_interval(num_classes, (1, 2**31 - 1), "num_classes")
        check_type(smoothing_rate, (int, float), "smoothing_rate")
        check_interval(smoothing_rate, (0, 1), "smoothing_rate")
        super().__init__(num_classes=num_classes, smoothing_rate=float(smoothing_rate))
        self.num_classes, self.smoothing_rate = num_classes, smoothing_rate

    def apply(self, rng: Random | None, *values: Any) -> Any:
        """Encode an integer, or an array of integers."""
        labels = np.asarray(values[0])
        if labels.dtype.kind not in "iu":
            raise RuntimeError(f"OneHot: OneHot only support input of int type, but got:{labels.dtype}")
        outside = (labels < 0) | (labels >= self.num_classes)
        if outside.any():
            wrong = labels[outside].flat[0]
            if wrong < 0:
                raise RuntimeError(f"OneHot: index values should not be negative, but got: {wrong}")
            raise RuntimeError(
                f"OneHot: index values should not bigger than num classes: {self.num_classes}, but got: {wrong}"
            )
        picked = np.eye(self.num_classes, dtype=labels.dtype)[labels]
        if not self.smoothing_rate:
            return picked
        return picked * (1.0 - self.smoothing_rate) + self.smoothing_rate / self.num_classes

    def apply_batch(self, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Encode a batch at once."""
        return np.asarray(self.apply(None, values))


class Fill(TensorOperation):
    """Replaces all elements by one value.

    Args:
        fill_value: a number or a text.
    """

    batchable = True

    def __init__(self, fill_value: Any) -> None:
        super().__init__(fill_value=fill_value)
        self.fill_value = fill_value

    def apply(self, rng: Random | None, *values: Any) -> Any:
        """Fill a value of any shape; its element type stays the same."""
        array = np.asarray(values[0])
        return np.full(array.shape, self.fill_value, None if array.dtype.kind in "SU" else array.dtype)


class PadEnd(TensorOperation):
    """Pads arrays at their ends, and cuts larger ones.

    Args:
        pad_shape: shape of the result; None leaves a dimension as it is.
        pad_value: fill value; None for 0 or the empty text.
    """

    def __init__(self, pad_shape: Sequence[int | None], pad_value: Any = None) -> None:
        super().__init__(pad_shape=list(pad_shape), pad_value=pad_value)
        self.pad_shape, self.pad_value = list(pad_shape), pad_value

    def to_json(self) -> dict[str, Any]:
        """The name and parameters for JSON, with the fill value as an array."""
        if self.pad_value is None:
            return super().to_json()
        value = np.asarray(self.pad_value)
        filler = {"data": value.reshape(-1).tolist(), "shape": list(value.shape), "type": value.dtype.name}
        filler |= {"type": "string"} if value.dtype.kind in "SU" else {}
        return {"tensor_op_name": "PadEnd", "tensor_op_params": {"pad_shape": self.pad_shape, "pad_value": filler}}

    @classmethod
    def from_json(cls, parameters: Mapping[str, Any]) -> Self:
        """Create the transform from its parameters in JSON."""
        filler = parameters.get("pad_value")
        return cls(parameters["pad_shape"], filler["data"][0] if isinstance(filler, dict) else filler)

    def apply(self, rng: Random | None, *values: Any) -> Any:
        """Pad a value with as many dimensions as the shape."""
        array = np.asarray(values[0])
        if array.ndim != len(self.pad_shape):
            raise RuntimeError(
                f"PadEnd: invalid pad shape, as rank of input is: {array.ndim}, and rank of pad value:"
                f" {len(self.pad_shape)}"
            )
        shape = [size if length is None else length for size, length in zip(array.shape, self.pad_shape, strict=True)]
        texts = array.dtype.kind in "SU"
        filler = self.pad_value if self.pad_value is not None else ("" if texts else 0)
        out = np.full(shape, filler, np.result_type(array, np.asarray(filler)) if texts else array.dtype)
        common = tuple(slice(0, size) for size in map(min, shape, array.shape))
        out[common] = array[common]
        return out


class Slice(TensorOperation):
    """Slices an array.

    Args:
        slices: for each of the first dimensions an index, a list of indices, a slice, `...`, or None for all.
    """

    def __init__(self, *slices: Any) -> None:
        super().__init__(slices=[_slice_json(item) for item in slices])
        self.place = tuple(slice(None) if item is None else item for item in slices)

    @classmethod
    def from_json(cls, parameters: Mapping[str, Any]) -> Self:
        """Create the transform from its parameters in JSON."""
        return cls(*[_slice_of(item) for item in parameters["slices"]])

    def apply(self, rng: Random | None, *values: Any) -> Any:
        """Slice a value with at least as many dimensions."""
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
    """Comparison of `Mask`."""

    EQ = 0
    NE = 1
    LT = 2
    LE = 3
    GT = 4
    GE = 5


_COMPARISONS = (np.equal, np.not_equal, np.less, np.less_equal, np.greater, np.greater_equal)


class Mask(TensorOperation):
    """Compares elements with a constant.

    Args:
        operator: the comparison.
        constant: the constant.
        dtype: element type of the result.
    """

    batchable = True

    def __init__(self, operator: Relational | int, constant: Any, dtype: Any = mstype.bool_) -> None:
        kind = dtype.numpy if isinstance(dtype, mstype.DType) else np.dtype(dtype)
        super().__init__(operator=int(operator), constant=constant, dtype=kind.name)
        self.compare, self.constant, self.dtype = _COMPARISONS[operator], constant, kind

    def apply(self, rng: Random | None, *values: Any) -> Any:
        """Transform a value of any shape."""
        return self.compare(np.asarray(values[0]), self.constant).astype(self.dtype)

    def apply_batch(self, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Transform a batch at once."""
        return np.asarray(self.apply(None, values))


class Concatenate(TensorOperation):
    """Concatenates the arrays of several columns.

    Args:
        axis: axis to concatenate along.
        prepend: array before them; None for none.
        append: array after them; None for none.
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
        """Concatenate values with the same number of dimensions."""
        parts = [part for part in (self.before, *values, self.after) if part is not None]
        kind = np.asarray(values[0]).dtype
        joined = np.concatenate(parts, self.axis)
        return joined if kind.kind in "SU" else joined.astype(kind)


class Duplicate(TensorOperation):
    """Duplicates the value, for two columns."""

    takes_all = True

    def __init__(self) -> None:
        super().__init__()

    def apply(self, rng: Random | None, *values: Any) -> Any:
        """Return the value twice."""
        return values[0], np.array(values[0])


class Unique(TensorOperation):
    """The distinct elements in order, the index of each element in them, and the count of each: three columns."""

    takes_all = True

    def __init__(self) -> None:
        super().__init__()

    def apply(self, rng: Random | None, *values: Any) -> Any:
        """Find the distinct elements of one value of at least two dimensions, which is flattened."""
        if np.ndim(values[0]) < 2:
            raise RuntimeError(
                f"Unique: input must be at least 2-D in order to do unique op, got rank:{np.ndim(values[0])}"
            )
        elements, places, counts = np.unique(np.ravel(values[0]), return_inverse=True, return_counts=True)
        return elements, places.astype(np.int32), counts.astype(np.int32)


class Lambda(TensorOperation):
    """A Python function as a transform.

    Args:
        func: function of the value.
    """

    takes_all = True

    def __init__(self, func: Callable[..., Any]) -> None:
        if not callable(func):
            raise TypeError(f"Lambda: func must be a function, not {func!r}")
        super().__init__()
        self.func = func

    def apply(self, rng: Random | None, *values: Any) -> Any:
        """Call the function with the values."""
        return self.func(*values)

    def to_json(self) -> dict[str, Any]:
        """The function's name."""
        return operation_json(self.func)
