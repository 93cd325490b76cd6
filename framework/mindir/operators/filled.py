"""Operators whose size of the output the file chooses: it is compared with the budget before memory is taken."""

from __future__ import annotations

from math import prod
from typing import Any

from framework import ops
from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.common.tensor import Tensor
from framework.mindir.operators.meanings import dtype_of, mindspore
from framework.onnx.operators.values import affordable
from framework.ops import operations
from framework.ops.constexpr import constexpr

__all__: list[str] = []


@mindspore("Zeros")
def zeros(shape: Any, number: int | None = None, *, memory: int = 0) -> Tensor:
    dtype = _or_float(number)
    return ops.zeros(affordable(_dims(shape), dtype, memory), dtype)


@mindspore("Ones")
def ones(shape: Any, number: int | None = None, *, memory: int = 0) -> Tensor:
    dtype = _or_float(number)
    return ops.ones(affordable(_dims(shape), dtype, memory), dtype)


@mindspore("FillV2")
def filled(shape: Any, value: Tensor, *, memory: int = 0) -> Tensor:
    return ops.broadcast_to(value, affordable(_dims(shape), value.dtype, memory))


@mindspore("FillScalar")
def filled_with_number(shape: Any, value: Any, number: int | None = None, *, memory: int = 0) -> Tensor:
    dtype = _or_float(number)
    return ops.full(affordable(_dims(shape), dtype, memory), value, dtype=dtype)


@mindspore("FullLike")
def full_like(x: Tensor, value: Any, number: int | None = None) -> Tensor:
    return ops.full_like(x, value, dtype=x.dtype if number is None else dtype_of(number))


@mindspore("ZerosLikeExt")
def zeros_like(x: Tensor, number: int | None = None) -> Tensor:
    return ops.zeros_like(x, dtype=x.dtype if number is None else dtype_of(number))


@mindspore("OnesLikeExt")
def ones_like(x: Tensor, number: int | None = None) -> Tensor:
    return ops.ones_like(x, dtype=x.dtype if number is None else dtype_of(number))


@mindspore("Eye")
def eye(rows: int, columns: int, number: int | None = None, *, memory: int = 0) -> Tensor:
    dtype = _or_float(number)
    affordable((rows, columns), dtype, memory)
    return ops.eye(rows, columns, dtype)


@mindspore("Tile")
def tiled(x: Tensor, times: Any, *, memory: int = 0) -> Tensor:
    affordable(_multiplied(x.shape, times), x.dtype, memory)
    return ops.tile(x, times)


@mindspore("BroadcastTo")
def broadcast(x: Tensor, shape: Any, *, memory: int = 0) -> Tensor:
    affordable(_magnitudes(shape), x.dtype, memory)
    return ops.broadcast_to(x, shape)


@mindspore("PadV3")
def padded(
    x: Tensor, widths: Any, value: Any = None, *, mode: str = "constant", paddings_contiguous: bool = True,
    memory: int = 0,
) -> Tensor:  # fmt: skip
    affordable(_widened(x.shape, widths), x.dtype, memory)
    return operations.PadV3(mode, paddings_contiguous)(x, widths, value)


@mindspore("OneHot")
def one_hot(indices: Tensor, depth: int, on: Tensor, off: Tensor, axis: int = -1, *, memory: int = 0) -> Tensor:
    affordable(_longer(indices.shape, depth), on.dtype, memory)
    return operations.OneHot(axis)(indices, depth, on, off)


@mindspore("Range")
def numbers(start: Any, end: Any, step: Any, most: Any = None, *, memory: int = 0) -> Tensor:
    affordable(_steps(start, end, step), mstype.int64, memory)
    return ops.arange(start, end, step)


@mindspore("Arange")
def numbers_of_type(start: Any, end: Any, step: Any, number: int | None = None, *, memory: int = 0) -> Tensor:
    affordable(_steps(start, end, step), mstype.int64, memory)
    return ops.arange(start, end, step, dtype=dtype_of(number))


@mindspore("LinSpace")
def even_numbers(start: Any, end: Any, count: int, *, memory: int = 0) -> Tensor:
    affordable((count,), mstype.float32, memory)
    return ops.linspace(start, end, count)


@mindspore("ResizeBilinearV2")
def bilinear(x: Tensor, size: Any, align: bool = False, half: bool = False, *, memory: int = 0) -> Tensor:
    affordable(_resized(x.shape, size), x.dtype, memory)
    return operations.ResizeBilinearV2(align, half)(x, size)


@mindspore("ResizeNearestNeighborV2")
def nearest(x: Tensor, size: Any, align: bool = False, half: bool = False, *, memory: int = 0) -> Tensor:
    affordable(_resized(x.shape, size), x.dtype, memory)
    return operations.ResizeNearestNeighborV2(align, half)(x, size)


def _or_float(number: int | None) -> DType:
    return mstype.float32 if number is None else dtype_of(number)


@constexpr
def _dims(shape: Any) -> tuple[int, ...]:
    if isinstance(shape, Tensor):
        return tuple(int(item) for item in shape.asnumpy().reshape(-1))
    return (shape,) if isinstance(shape, int) else tuple(shape)


@constexpr
def _multiplied(shape: tuple[int, ...], times: tuple[int, ...]) -> tuple[int, ...]:
    return (prod(shape), max(prod(times), 0))


@constexpr
def _magnitudes(shape: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(abs(item) for item in shape)


@constexpr
def _widened(shape: tuple[int, ...], widths: Any) -> tuple[int, ...]:
    added = widths.asnumpy().reshape(-1).tolist() if isinstance(widths, Tensor) else widths
    return tuple(length + sum(max(item, 0) for item in added) for length in shape)


@constexpr
def _longer(shape: tuple[int, ...], depth: int) -> tuple[int, ...]:
    return (*shape, abs(int(depth)))


@constexpr
def _steps(start: Any, end: Any, step: Any) -> tuple[int, ...]:
    first, last, size = (item.asnumpy().item() if isinstance(item, Tensor) else item for item in (start, end, step))
    return (max(int((last - first) / size), 0),) if size else (0,)


@constexpr
def _resized(shape: tuple[int, ...], size: Any) -> tuple[int, ...]:
    wanted = size.asnumpy().reshape(-1).tolist() if isinstance(size, Tensor) else size
    return (*shape[:2], *(abs(int(item)) for item in wanted))
