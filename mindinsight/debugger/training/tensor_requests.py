"""Pending tensor requests: which values were requested, and how much has arrived. Used by a session.

Values keep their number. The same values are not requested twice: a name means the same values until the training
moves on.
"""

from __future__ import annotations

import math
import time
from typing import Any

from mindinsight.debugger.json_messages import Json
from mindinsight.debugger.limits import MOST_TENSORS
from summaries.schema.debugger_pb2 import BlobBegin, TensorName

_TOLD_EVERY_S = 0.2
_Name = tuple[str, int, int, bool]


class TensorRequests:
    """The tensors of one session.

    Args:
        session: the session's key.
        rows: rows of the stored values, newest first.
        last: the highest number in use.
    """

    def __init__(self, session: str, rows: list[Json], last: int) -> None:
        self._session = session
        self._rows = {int(row["number"]): row for row in reversed(rows)}
        self._last = last
        self._now: dict[_Name, int] = {}
        self._blobs: dict[int, int] = {}
        self._moment: tuple[Any, ...] = ()
        self._told = 0.0

    def rows(self) -> list[Json]:
        """All rows, newest first."""
        return list(reversed(self._rows.values()))

    def row(self, number: int) -> Json | None:
        """The row with this number."""
        return self._rows.get(number)

    def look_at(self, state: Json) -> None:
        """Handles the training's state: after a further step, names mean other values."""
        names = ("status", "reason", "step", "mode", "within_step", "node_number", "learning_rates")
        moment = tuple(str(state[name]) for name in names)
        if moment != self._moment:
            self._now.clear()
        self._moment = moment

    def forget_now(self) -> None:
        """Handles actions of the training after which names may mean other values."""
        self._now.clear()

    def want(self, tensor: TensorName, previous: bool, step: int) -> tuple[Json, bool]:
        """Returns the row of some values, and whether it is new. New values have to be requested."""
        name = (tensor.full_name, tensor.slot, tensor.iteration, previous)
        known = self._rows.get(self._now.get(name, 0))
        if known is not None and known["state"] in ("asked", "arriving", "ready"):
            return known, False
        self._last += 1
        row = {
            "number": self._last,
            "session": self._session,
            "tensor": {"full_name": tensor.full_name, "slot": tensor.slot, "iteration": tensor.iteration},
            "step": step - previous,
            "previous": previous,
            "state": "asked",
            "dtype": None,
            "shape": None,
            "bytes": None,
            "received": 0,
            "problem": "",
            "message": "",
        }
        self._rows[self._last] = row
        self._now[name] = self._last
        if len(self._rows) > MOST_TENSORS:
            del self._rows[next(iter(self._rows))]
        return row, True

    def begun(self, begin: BlobBegin) -> Json | None:
        """Returns the row of values that begin to arrive, or None if they were not requested."""
        tensor = begin.tensor
        name = (tensor.full_name, tensor.slot, tensor.iteration, begin.previous)
        for row in reversed(self._rows.values()):
            if row["state"] == "asked" and _name_of(row) == name:
                row |= {
                    "state": "arriving",
                    "step": begin.step,
                    "dtype": begin.dtype[:16],
                    "shape": list(begin.shape[:32]),
                    "bytes": int(begin.bytes) if math.isfinite(begin.bytes) else None,
                }
                self._blobs[begin.id] = row["number"]
                return row
        return None

    def expects(self, blob: int) -> bool:
        """Whether a blob carries requested values."""
        return blob in self._blobs

    def received(self, blob: int, count: int) -> Json | None:
        """Updates how much has arrived; returns the row if browsers should get it."""
        row = self._rows.get(self._blobs.get(blob, 0))
        if row is None:
            return None
        row["received"] = count
        now = time.monotonic()
        if now - self._told < _TOLD_EVERY_S:
            return None
        self._told = now
        return row

    def of_blob(self, blob: int) -> Json | None:
        """Returns the row whose values a blob carried, and drops the blob."""
        return self._rows.get(self._blobs.pop(blob, 0))

    def fail(self, row: Json, problem: str, message: str) -> Json:
        """Marks values that will not arrive."""
        row |= {"state": "failed", "problem": problem, "message": message}
        return row

    def fail_all(self, problem: str, message: str) -> list[Json]:
        """Marks all missing values as never arriving."""
        self._blobs.clear()
        open_rows = [row for row in self._rows.values() if row["state"] in ("asked", "arriving")]
        return [self.fail(row, problem, message) for row in open_rows]


def _name_of(row: Json) -> _Name:
    tensor = row["tensor"]
    return tensor["full_name"], tensor["slot"], tensor["iteration"], row["previous"]
