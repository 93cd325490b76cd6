"""Views as files, piece by piece: NumPy's `.npy`, and CSV. Called by `api.py`."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any

import numpy as np

from mindinsight.tensors.arrays.elements import Array, portions

_LINES = 4096


def npy_header(view: Array) -> bytes:
    """Returns the header of a `.npy` file."""
    out = io.BytesIO()
    element = view.dtype.newbyteorder("<")
    header = {"descr": np.lib.format.dtype_to_descr(element), "fortran_order": False, "shape": view.shape}
    np.lib.format.write_array_header_1_0(out, header)
    return out.getvalue()


def npy_pieces(view: Array) -> Iterator[bytes]:
    """Yields a `.npy` file."""
    yield npy_header(view)
    element = view.dtype.newbyteorder("<")
    for _, (portion,) in portions([view]):
        yield portion.astype(element, copy=False).tobytes()


def csv_pieces(view: Array) -> Iterator[bytes]:
    """Yields a CSV file: for up to two axes one line per row; for more, indices and value of each element."""
    if view.ndim > 2:
        yield from _long_lines(view)
        return
    rows = view.reshape(-1, 1) if view.ndim < 2 else view
    if not rows.size:
        return
    step = max(1, _LINES * 8 // rows.shape[1])
    for first in range(0, len(rows), step):
        lines = (",".join(_texts(row)) for row in rows[first : first + step])
        yield ("\r\n".join(lines) + "\r\n").encode()


def _long_lines(view: Array) -> Iterator[bytes]:
    yield (",".join([*(f"axis {axis}" for axis in range(view.ndim)), "value"]) + "\r\n").encode()
    for start, (portion,) in portions([view]):
        for first in range(0, len(portion), _LINES):
            values = portion[first : first + _LINES]
            index = np.unravel_index(np.arange(start + first, start + first + len(values)), view.shape)
            columns = [[str(place) for place in axis.tolist()] for axis in index]
            lines = (",".join(line) for line in zip(*columns, _texts(values), strict=True))
            yield ("\r\n".join(lines) + "\r\n").encode()


def _texts(values: Any) -> list[str]:
    """The shortest decimals that convert back to the same number; infinities as `inf`."""
    if values.dtype.kind == "f" and values.dtype.itemsize < 8:
        return [
            np.format_float_scientific(value, trim="-")
            if _needs_exponent(value)
            else np.format_float_positional(value, trim="0")
            for value in values
        ]
    return [str(value) for value in values.tolist()]


def _needs_exponent(value: Any) -> bool:
    size = abs(float(value))
    return size != 0 and (size < 1e-4 or size >= 1e16)
