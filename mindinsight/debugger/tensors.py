"""Tensor values sent by trainings, for the views of the tensors app. `series` is the session's number, `index` the
tensor's.
"""

from __future__ import annotations

import mmap
from pathlib import Path

from mindinsight.api.problems import Problem
from mindinsight.debugger.models import DebugSession, DebugTensor
from mindinsight.debugger.sessions.files import tensor_file
from mindinsight.tensors.cache import Cache, array_bytes
from mindinsight.tensors.decoding import Layout, array_of
from mindinsight.tensors.queries import Found
from mindinsight.tensors.records import KEPT_BYTES, Tensor

_opened: Cache[Tensor] = Cache(KEPT_BYTES, lambda tensor: array_bytes(tensor.array))


class DebuggedShelf:
    """The tensors of sessions."""

    def identity(self, series: int) -> str:
        """Returns the key of the session with this number.

        Raises:
            Problem: there is no such session.
        """
        key = DebugSession.objects.filter(pk=series).values_list("key", flat=True).first()
        if key is None:
            message = f"There is no session of number {series}; it may have been removed."
            raise Problem("unknown_session", message, 404, session=series)
        return key

    def find(self, series: int, index: int) -> Found:
        """Returns a tensor by its session's number and its own.

        Raises:
            Problem: its values have not arrived, or were deleted to make room.
        """
        key = self.identity(series)
        known = DebugTensor.objects.filter(session_id=series, number=index).first()
        if known is None:
            message = f"The values of tensor {index} are not here. Request them, and wait until they have arrived."
            raise Problem("tensor_not_here", message, 409, session=key, number=index)
        try:
            tensor = _opened.get((key, index), lambda: _open(known, tensor_file(key, index)))
        except FileNotFoundError:
            message = f"The values of tensor {index} were deleted to make room. Request them again."
            raise Problem("tensor_gone", message, 404, session=key, number=index) from None
        return Found(known.full_name, None, known.step, known.came, tensor, (key, index))


def _open(known: DebugTensor, path: Path) -> Tensor:
    """Maps a file. Its pages stay readable while they are in use, even if the file is deleted to make room."""
    with path.open("rb") as file:
        content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if known.bytes else b""
    data = memoryview(content)
    layout = Layout(known.dtype, tuple(known.shape), "exact", (0, len(data)), (0, len(data)))
    try:
        return Tensor(array_of(layout, data), known.dtype)
    except ValueError as error:
        message = f"The values of {known.full_name} cannot be shown: the file {error}."
        raise Problem("values_unreadable", message, 422, tensor=known.full_name, reason=str(error)) from None
