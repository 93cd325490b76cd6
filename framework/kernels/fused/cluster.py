"""What a generated kernel computes, as plain data. Equal clusters share one kernel, in memory and on disk."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Final

__all__ = [
    "ANY",
    "MOST_THREADS",
    "Cluster",
    "Input",
    "Number",
    "Output",
    "Step",
    "Stride",
    "axes_read",
    "can_reduce",
    "flat",
    "is_one_row",
    "read_strides",
    "shape_written",
]

Number = bool | int | float
ANY: Final = (-1,)
"""The shape of a cluster that is computed for arrays of any length, element after element."""

MOST_THREADS: Final = 16
"""No kernel runs on more threads."""


@dataclass(frozen=True, slots=True)
class Input:
    """An array that a kernel reads.

    Attributes:
        dtype: numpy's name of its element type.
        shape: its shape, with as many dimensions as the cluster's; each is 1 or that of the cluster.
        given: the shape of the array itself, which may lack leading dimensions of 1.
        strided: whether it may be a view that is not contiguous.
    """

    dtype: str
    shape: tuple[int, ...]
    given: tuple[int, ...]
    strided: bool = False


@dataclass(frozen=True, slots=True)
class Step:
    """One operator.

    Attributes:
        name: the operator's name, a key of `framework.kernels.fused.expressions`.
        dtype: numpy's name of the element type of its output.
        operands: for each operand the number of a value (inputs first, then steps, in order), or a constant.
        meets: the element type to which the operands are converted first.
    """

    name: str
    dtype: str
    operands: tuple[int | tuple[Number], ...]
    meets: str


@dataclass(frozen=True, slots=True)
class Output:
    """An array that a kernel writes.

    Attributes:
        value: the number of the value.
        reduction: "" for the value itself; "sum" or "mean" for a reduction over axes.
        axes: the reduced axes: the last ones of the cluster's shape.
        keeps: whether the array keeps these axes, with length 1.
    """

    value: int
    reduction: str = ""
    axes: tuple[int, ...] = ()
    keeps: bool = False


@dataclass(frozen=True, slots=True)
class Cluster:
    """What one kernel computes: the steps, in order, for each element of a shape.

    Attributes:
        shape: the shape of all values.
        inputs: the arrays that the kernel reads.
        steps: the operators.
        outputs: the arrays that the kernel writes; they are contiguous. One that is no reduction may be an input of its
            type and shape: all inputs of an element are read before its outputs are written.
    """

    shape: tuple[int, ...]
    inputs: tuple[Input, ...]
    steps: tuple[Step, ...]
    outputs: tuple[Output, ...]

    @property
    def size(self) -> int:
        """The number of elements."""
        return prod(self.shape)


def shape_written(cluster: Cluster, output: Output) -> tuple[int, ...]:
    """The shape of an output."""
    if output.reduction and not output.keeps:
        return tuple(size for axis, size in enumerate(cluster.shape) if axis not in output.axes)
    return tuple(1 if axis in output.axes else size for axis, size in enumerate(cluster.shape))


def flat(cluster: Cluster) -> Cluster:
    """The same cluster for arrays of any length, if each input has the cluster's shape or is a single element.

    So operators on arrays of all sizes share a kernel.
    """
    whole = all(not item.strided and (item.shape == cluster.shape or set(item.shape) <= {1}) for item in cluster.inputs)
    if not whole or any(out.reduction for out in cluster.outputs):
        return cluster
    inputs = tuple(
        Input(item.dtype, ANY if item.shape == cluster.shape else (1,), ANY if item.shape == cluster.shape else (1,))
        for item in cluster.inputs
    )
    return Cluster(ANY, inputs, cluster.steps, cluster.outputs)


Stride = int | str
"""A number of elements, or the name of a stride that is read from the array when the kernel runs."""


def axes_read(cluster: Cluster) -> tuple[tuple[int, ...], tuple[tuple[Stride, ...], ...]]:
    """The loops of a cluster: neighbouring axes become one where all inputs and reductions treat them alike.

    Returns:
        The length of each loop, the outermost first, and for each loop one stride per input, then one per output: 0
        where it is repeated or reduced.
    """
    strides = [
        *(_input_strides(number, item) for number, item in enumerate(cluster.inputs)),
        *(_output_strides(cluster.shape, output) for output in cluster.outputs),
    ]
    lengths: list[int] = []
    columns: list[tuple[Stride, ...]] = []
    for axis, size in enumerate(cluster.shape):
        if size == 1:
            continue
        column = tuple(stride[axis] for stride in strides)
        if lengths and all(_continues(outer, inner, size) for outer, inner in zip(columns[-1], column, strict=True)):
            lengths[-1] *= size
            columns[-1] = column
        else:
            lengths.append(size)
            columns.append(column)
    if not lengths:
        return (1,), (tuple(0 for _ in strides),)
    return tuple(lengths), tuple(columns)


def _input_strides(number: int, item: Input) -> list[Stride]:
    """The strides of an input along the cluster's axes, by name where they are read when the kernel runs."""
    if not item.strided:
        return _strides(item.shape)
    missing = len(item.shape) - len(item.given)
    return [f"{number}.{axis - missing}" if size != 1 else 0 for axis, size in enumerate(item.shape)]


def _output_strides(shape: Sequence[int], output: Output) -> list[Stride]:
    """The strides of an output along the axes of its cluster's shape, 0 along those that are reduced."""
    return _strides([1 if axis in output.axes else size for axis, size in enumerate(shape)])


def can_reduce(cluster: Cluster) -> bool:
    """Whether the innermost loop goes along the axes of all reductions, and along nothing else."""
    reduced = {output.axes for output in cluster.outputs if output.reduction}
    if not reduced:
        return True
    if len(reduced) > 1:
        return False
    (axes,) = reduced
    length = prod(cluster.shape[axis] for axis in axes)
    is_last = axes == tuple(range(len(cluster.shape) - len(axes), len(cluster.shape)))
    return is_last and length > 1 and axes_read(cluster)[0][-1] == length


def is_one_row(cluster: Cluster) -> bool:
    """Whether a cluster reduces all its elements, so that its only loop cannot be divided."""
    return any(output.reduction for output in cluster.outputs) and len(axes_read(cluster)[0]) == 1


def read_strides(cluster: Cluster) -> tuple[list[str], list[str]]:
    """The strides that the body is given, and those that must be the size of an element.

    Returns:
        Names `input.axis`, in the order of the table.
    """
    *outer, inner = axes_read(cluster)[1]
    given = dict.fromkeys(stride for column in outer for stride in column if isinstance(stride, str))
    return list(given), [stride for stride in inner if isinstance(stride, str)]


def _continues(outer: Stride, inner: Stride, size: int) -> bool:
    """Whether one loop can go along two neighbouring axes of an array."""
    return isinstance(inner, int) and outer == inner * size


def _strides(shape: Sequence[int]) -> list[Stride]:
    """Strides of a contiguous array, 0 along dimensions of length 1."""
    found: list[Stride] = [0] * len(shape)
    step = 1
    for axis in reversed(range(len(shape))):
        found[axis] = step if shape[axis] != 1 else 0
        step *= shape[axis]
    return found
