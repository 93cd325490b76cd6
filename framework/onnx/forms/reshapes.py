"""Shapes: reshaping, transposing, joining and dividing, repeating, padding, tensors of one number."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.ir.abstract import AbstractTensor, AbstractTuple
from framework.onnx.forms.form_table import Application, Written, form, tensor_type
from framework.onnx.writer.nodes import UnwritableError

__all__: list[str] = []


@form("Reshape")
def reshape(a: Application) -> Written:
    shape = a.out.shape
    if shape.count(None) <= 1 and 0 not in shape:
        return a.emit("Reshape", a.of(0), a.numbers(*(-1 if length is None else length for length in shape)))
    return a.emit("Reshape", a.of(0), a.ints(1), **({"allowzero": 1} if a.opset >= 14 else {}))


@form("Flatten")
def flatten(a: Application) -> Written:
    return a.emit("Flatten", a.of(0), axis=1) if a.rank(0) else a.emit("Reshape", a.of(0), a.numbers(1, 1))


@form("ExpandDims")
def expand_dims(a: Application) -> Written:
    axis = int(a.value(1))
    return a.unsqueeze(a.of(0), axis % (a.rank(0) + 1))


@form("Squeeze")
def squeeze(a: Application) -> Written:
    given = a.operator.axis
    axes = (given,) if isinstance(given, int) else tuple(given)
    if not axes:
        axes = tuple(axis for axis, length in enumerate(a.known(0)) if length == 1)
    return a.emit("Squeeze", a.of(0), a.numbers(*(a.axis(0, axis) for axis in axes))) if axes else a.of(0)


@form("Transpose")
def transpose(a: Application) -> Written:
    return a.emit("Transpose", a.of(0), perm=[a.axis(0, int(axis)) for axis in a.value(1)])


@form("Tile")
def tile(a: Application) -> Written:
    counts = [int(count) for count in a.value(1)]
    missing = len(counts) - a.rank(0)
    x = a.unsqueeze(a.of(0), *range(missing))
    return a.emit("Tile", x, a.numbers(*[1] * -missing, *counts))


@form("BroadcastTo")
def broadcast_to(a: Application) -> Written:
    return expanded(a, a.of(0), a.out.shape)


def expanded(a: Application, name: str, shape: Sequence[int | None]) -> str:
    """A tensor with the lengths of a shape; its own where the shape is open."""
    return a.emit("Expand", name, a.numbers(*(1 if length is None else length for length in shape)))


@form("BroadcastLike")
def broadcast_like(a: Application) -> Written:
    if None not in a.shape(1):
        return expanded(a, a.of(0), a.shape(1))
    return a.emit("Expand", a.of(0), a.emit("Shape", a.of(1)))


@form("SumLike")
def sum_like(a: Application) -> Written:
    shape, wanted = a.shape(0), a.shape(1)
    extra = len(shape) - len(wanted)
    pairs = list(enumerate(zip(shape[extra:], wanted, strict=True), extra))
    if any(length is None and (other is not None or place != 0) for place, (other, length) in pairs):
        raise UnwritableError("which axes are summed depends on an open dimension")
    kept = [place for place, (other, length) in pairs if length == 1 and other != 1]
    found = a.reduce("ReduceSum", a.of(0), kept, True) if kept else a.of(0)
    return a.reduce("ReduceSum", found, list(range(extra)), False)


@form("Concat")
def concat(a: Application) -> Written:
    return a.emit("Concat", *a.items(0, a.out.dtype), axis=int(a.operator.axis) % len(a.out.shape))


@form("Stack")
def stack(a: Application) -> Written:
    axis = int(a.operator.axis) % len(a.out.shape)
    return a.emit("Concat", *(a.unsqueeze(item, axis) for item in a.items(0, a.out.dtype)), axis=axis)


def parts(a: Application, name: str, sizes: Sequence[int], axis: int) -> list[str]:
    """A tensor in parts of these lengths."""
    if len(sizes) == 1:
        return [name]
    return a.several("Split", name, a.numbers(*sizes), outputs=len(sizes), axis=axis)


@form("Unstack")
def unstack(a: Application) -> Written:
    axis = a.axis(0, a.operator.axis)
    count = len(a.abstract.elements) if isinstance(a.abstract, AbstractTuple) else 1
    found = parts(a, a.of(0), [1] * count, axis)
    return tuple(a.emit("Squeeze", part, a.numbers(axis)) for part in found)


@form("Split", "PartsLike")
def split(a: Application) -> Written:
    axis = a.axis(0, a.operator.axis)
    if not isinstance(a.abstract, AbstractTuple):
        raise UnwritableError("its result is no tuple")
    lengths = [tensor_type(part).shape[axis] for part in a.abstract.elements]
    sizes = [length for length in lengths if length is not None]
    if len(sizes) < len(lengths):
        raise UnwritableError("the length of a part is open")
    return tuple(parts(a, a.of(0), sizes, axis))


@form("Tril")
def tril(a: Application) -> Written:
    return a.emit("Trilu", a.of(0), a.number(int(a.operator.diagonal), mstype.int64), upper=0)


@form("Triu")
def triu(a: Application) -> Written:
    return a.emit("Trilu", a.of(0), a.number(int(a.operator.diagonal), mstype.int64), upper=1)


@form("ReverseV2")
def reverse(a: Application) -> Written:
    axes = [a.axis(0, axis) for axis in a.operator.axis]
    ends = (a.numbers(*[-1] * len(axes)), a.numbers(*[np.iinfo(np.int64).min] * len(axes)))
    return a.emit("Slice", a.of(0), *ends, a.numbers(*axes), a.numbers(*[-1] * len(axes)))


@form("ReverseSequence")
def reverse_sequence(a: Application) -> Written:
    axes = {"time_axis": a.axis(0, a.operator.seq_dim), "batch_axis": a.axis(0, a.operator.batch_dim)}
    if sorted(axes.values()) != [0, 1]:
        raise UnwritableError("ONNX's ReverseSequence takes the first two axes only")
    return a.emit("ReverseSequence", a.of(0), a.of(1, mstype.int64), **axes)


def padded(a: Application, name: str, sides: Sequence[tuple[int, int]], mode: str, value: str = "") -> str:
    """A tensor with elements added on the sides of each axis."""
    pads = a.numbers(*(before for before, _ in sides), *(after for _, after in sides))
    return a.emit("Pad", name, pads, *([value] if value else []), mode=mode)


@form("Pad")
def pad(a: Application) -> Written:
    return padded(a, a.of(0), a.operator.paddings, "constant")


@form("MirrorPad")
def mirror_pad(a: Application) -> Written:
    if a.operator.mode != "REFLECT":
        raise UnwritableError(f"ONNX has no padding by {a.operator.mode}")
    return padded(a, a.of(0), [tuple(pair) for pair in np.asarray(a.value(1)).tolist()], "reflect")


@form("PadV3")
def pad_v3(a: Application) -> Written:
    mode = {"circular": "wrap"}.get(a.operator.mode, a.operator.mode)
    if mode == "symmetric" or (mode == "wrap" and a.opset < 19):
        raise UnwritableError(f"ONNX has no padding by {a.operator.mode}")
    sides = a.operator.sides(a.value(1), a.rank(0))
    value = a.of(2, a.out.dtype) if mode == "constant" and len(a) > 2 and a.value(2) is not None else ""
    return padded(a, a.of(0), sides, mode, value)


def filled_like(a: Application, name: str, shape: Sequence[int | None], dtype: DType, value: float) -> str:
    """A tensor of one number with the shape of another.

    Args:
        a: the application.
        name: the name of the other tensor.
        shape: its shape.
        dtype: the element type of the result.
        value: the number.
    """
    lengths = [length for length in shape if length is not None]
    return a.zeros(a.numbers(*lengths) if len(lengths) == len(shape) else a.emit("Shape", name), dtype, value)


@form("ZerosLike")
def zeros_like(a: Application) -> Written:
    return filled_like(a, a.of(0), a.shape(0), a.out.dtype, 0)


@form("OnesLike")
def ones_like(a: Application) -> Written:
    return filled_like(a, a.of(0), a.shape(0), a.out.dtype, 1)


@form("Zeros")
def zeros(a: Application) -> Written:
    return a.zeros(a.ints(0), a.out.dtype)


@form("Ones")
def ones(a: Application) -> Written:
    return a.zeros(a.ints(0), a.out.dtype, 1)


@form("FillV2")
def fill_v2(a: Application) -> Written:
    return a.emit("Expand", a.of(1, a.out.dtype), a.ints(0))


@form("Fill")
def fill(a: Application) -> Written:
    return a.emit("Expand", a.of(2, a.out.dtype), a.ints(1))


@form("Eye")
def eye(a: Application) -> Written:
    return a.constant(np.eye(int(a.value(0)), int(a.value(1))), a.out.dtype)


@form("Range")
def range_(a: Application) -> Written:
    return a.emit("Range", *(a.of(place, a.out.dtype) for place in range(3)))


@form("Meshgrid")
def meshgrid(a: Application) -> Written:
    """Each vector along its axis, as often as the others are long."""
    if not isinstance(a.abstract, AbstractTuple):
        raise UnwritableError("its result is no tuple")
    items, found = a.items(0, a.out.dtype), []
    count = len(items)
    for place, (item, kind) in enumerate(zip(items, a.abstract.elements, strict=True)):
        axis = 1 - place if a.operator.indexing == "xy" and place < 2 else place
        upright = a.unsqueeze(item, *(other for other in range(count) if other != axis))
        found.append(expanded(a, upright, kind.shape if isinstance(kind, AbstractTensor) else ()))
    return tuple(found)


@form("SpaceToDepth")
def space_to_depth(a: Application) -> Written:
    """ONNX's SpaceToDepth puts the place within a block first, and so does this operator."""
    return a.emit("SpaceToDepth", a.of(0), blocksize=int(a.operator.block_size))


@form("DepthToSpace")
def depth_to_space(a: Application) -> Written:
    return a.emit("DepthToSpace", a.of(0), blocksize=int(a.operator.block_size), mode="DCR")
