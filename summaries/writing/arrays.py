"""Takes arrays from the values that a training records, and copies them before it continues.

Runs in the training's thread, so nothing is computed here. Tensors of any library are recognized by their methods,
without importing that library.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from summaries.checks import type_name
from summaries.writing.items import Item, ValueEncoder
from summaries.writing.run_files import RunFiles

# Below this size, allocating is as fast as reusing memory.
_SMALL_BYTES = 64 << 10
# Below this size, a copy costs less than the new array that the next step would need while this one is held.
_HELD_BYTES = 1 << 20
# Memory that is kept for reuse.
_KEPT_BYTES = 64 << 20
# Bytes that are copied at once; then another thread may take the GIL.
_COPIED_AT_ONCE = 4 << 20


@dataclass(frozen=True, slots=True)
class Held:
    """An array that will not change any more: `SummaryWriter` does not copy it."""

    array: NDArray[Any]


@dataclass(frozen=True, slots=True)
class Taken:
    """An array taken from a recorded value.

    Attributes:
        array: the elements, possibly in memory that the training changes later.
        element: name of the element type. numpy has no bfloat16; the array is then float32.
        fresh: whether the array will not change any more.
    """

    array: NDArray[Any]
    element: str
    fresh: bool


def take_array(tag: str, value: object, *, real: bool = False) -> Taken:
    """Return `value` as a numpy array, without unnecessary copies.

    Args:
        tag: named in the error.
        value: a numpy array, a tensor (anything with `detach().cpu().numpy()`, `asnumpy()`, `numpy()` or
            `__array__`), a number, nested lists of numbers, or a `Held`. See also `held_array`.
        real: whether complex numbers are refused.

    Raises:
        TypeError: `value` is not an array of numbers.
    """
    try:
        taken = _take(value)
    except (TypeError, ValueError, RuntimeError) as error:
        message = f"The value of {tag!r} must be an array of numbers, but {type_name(value)} gave none: {error}"
        raise TypeError(message) from error
    if taken.array.dtype.kind not in ("biuf" if real else "biufc"):
        what = f"{type_name(value)} of {taken.array.dtype}"
        numbers = "real numbers" if real else "numbers"
        raise TypeError(f"The value of {tag!r} must be an array of {numbers}, but it is a {what}.")
    return taken


def held_array(value: Any) -> NDArray[Any] | None:
    """Return the array of a large tensor whose library guarantees that it stays unchanged while held; else None.

    Args:
        value: anything; such tensors have `nbytes` and `held_array()`, which returns an array or None.
    """
    hold = getattr(value, "held_array", None)
    if hold is None or value.nbytes < _HELD_BYTES:
        return None
    array: NDArray[Any] | None = hold()
    return array


class BufferPool:
    """Copies arrays into reused memory: new pages from the system would cost more than the copy.

    Several threads may copy at once, while one thread returns buffers.
    """

    def __init__(self) -> None:
        self._free: dict[int, list[NDArray[np.uint8]]] = {}

    def copy(self, array: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.uint8] | None]:
        """Return a copy of `array`, C-contiguous, in this machine's byte order, and the buffer to give back."""
        kind = array.dtype.newbyteorder("=")
        size = array.size * kind.itemsize
        if size < _SMALL_BYTES:
            return np.array(array, kind, order="C"), None
        buffer = self._take(1 << (size - 1).bit_length())
        copied = buffer[:size].view(kind).reshape(array.shape)
        if array.dtype == kind and array.flags.c_contiguous:
            _copy_bytes(buffer, array)
        else:
            np.copyto(copied, array)
        return copied, buffer

    def give_back(self, buffer: NDArray[np.uint8] | None) -> None:
        """Return `buffer` to the pool. The copy in it must not be used any more."""
        if buffer is not None and self._kept() + buffer.size <= _KEPT_BYTES:
            self._free.setdefault(buffer.size, []).append(buffer)

    def _kept(self) -> int:
        """Number of bytes in the pool."""
        return sum(size * len(buffers) for size, buffers in self._free.items())

    def _take(self, size: int) -> NDArray[np.uint8]:
        # The training's threads take and the writer's thread returns; pop is atomic.
        try:
            return self._free[size].pop()
        except (KeyError, IndexError):
            return np.empty(size, np.uint8)


class ArrayQueue:
    """Queues arrays for the writer's thread, copied unless nobody else can change them.

    Args:
        files: where the records go.
    """

    def __init__(self, files: RunFiles) -> None:
        self._files = files
        self._pool = BufferPool()

    def take(self, tag: str, value: object, *, real: bool) -> Taken:
        """Return `value` as an array; see `take_array`."""
        return take_array(tag, value, real=real)

    def put(self, kind: str, tag: str, step: int, wall: float, taken: Taken, fill: Callable[..., None]) -> None:
        """Queue one array.

        Args:
            kind: named in messages, such as "image".
            tag, step, wall: of the value.
            taken: the array.
            fill: makes a value of it, in the writer's thread.
        """
        array, name = taken.array, f"the {kind} {tag!r}"
        if taken.fresh:
            encode = ValueEncoder(tag, step, wall, partial(fill, array=array))
            self._files.put_item(Item(name, encode, array.nbytes))
            return
        array, buffer = self._pool.copy(array)
        encode = ValueEncoder(tag, step, wall, partial(fill, array=array))
        self._files.put_item(Item(name, encode, array.nbytes, partial(self._pool.give_back, buffer)))


def _copy_bytes(buffer: NDArray[np.uint8], array: NDArray[Any]) -> None:
    """Copy a contiguous array without releasing the GIL.

    `numpy.copyto` releases it. The training would then wait milliseconds until the writer's thread, busy with the
    previous array, gives it back.
    """
    target, source = buffer.data, np.asarray(array).reshape(-1).view(np.uint8).data
    for start in range(0, len(source), _COPIED_AT_ONCE):
        end = min(start + _COPIED_AT_ONCE, len(source))
        target[start:end] = source[start:end]


def _take(value: Any) -> Taken:
    if isinstance(value, np.ndarray):
        return _named(value, fresh=False)
    if isinstance(value, Held):
        return _named(value.array, fresh=True)
    if (array := held_array(value)) is not None:
        return _named(array, fresh=True)
    fresh = isinstance(value, list | tuple | int | float | complex)
    if not hasattr(value, "asnumpy") and hasattr(value, "detach"):
        value = value.detach()
        fresh = getattr(value, "is_cpu", None) is False  # The copy from the device belongs to us.
        value = value.cpu()
    if str(getattr(value, "dtype", "")).lower().endswith("bfloat16") and callable(getattr(value, "float", None)):
        return Taken(_numpy(value.float()), "bfloat16", True)
    return _named(_numpy(value), fresh=fresh)


def _numpy(value: Any) -> NDArray[Any]:
    for name in ("asnumpy", "numpy"):
        method = getattr(value, name, None)
        if callable(method):
            return np.asarray(method())
    return np.asarray(value)


def _named(array: NDArray[Any], *, fresh: bool) -> Taken:
    name = _name_of(array.dtype)
    if name == "bfloat16":
        return Taken(array.astype(np.float32), name, True)
    return Taken(array, name, fresh)


@cache
def _name_of(dtype: np.dtype[Any]) -> str:
    """Return the name of a type, which numpy composes on every access."""
    return str(dtype.name)
