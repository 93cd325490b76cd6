"""Hits by step, bound by number and bytes: the oldest steps make room. Used by `report.py`."""

from __future__ import annotations

import orjson

from mindinsight.debugger.json_messages import Json
from mindinsight.debugger.limits import MOST_TOLD_BYTES


def make_room(steps: list[Json], most: int, *, count_left_out: bool) -> None:
    """Leaves out whole steps from the front, and of a single step what is more than all may have.

    Args:
        steps: objects with `hits`, the oldest first; changed in place.
        most: hits of all steps together.
        count_left_out: whether a step says in `left_out` how many of its hits are not there.
    """
    total = sum(len(one["hits"]) for one in steps)
    while len(steps) > most or (len(steps) > 1 and total > most):
        total -= len(steps.pop(0)["hits"])
    if total > most:
        _leave_out(steps[0], most, count_left_out)


class Sizes:
    """Bytes of the JSON of some steps, so that only those which changed are measured."""

    def __init__(self) -> None:
        self._sizes: dict[int, int] = {}

    def make_room(self, steps: list[Json], changed: Json, *, count_left_out: bool) -> None:
        """Leaves out whole steps from the front while all have too many bytes, and then hits of the step that is left.

        Args:
            steps: as of `make_room`.
            changed: the step to which something was added.
            count_left_out: as of `make_room`.
        """
        self._sizes.pop(id(changed), None)
        # An address of a step that is gone may be another's by now, so only those that are there are kept.
        self._sizes = {id(one): self._sizes.get(id(one)) or len(orjson.dumps(one)) for one in steps}
        total = sum(self._sizes.values())
        while total > MOST_TOLD_BYTES and len(steps) > 1:
            total -= self._sizes.pop(id(steps.pop(0)))
        while total > MOST_TOLD_BYTES and steps[0]["hits"]:
            _leave_out(steps[0], len(steps[0]["hits"]) // 2, count_left_out)
            total = self._sizes[id(steps[0])] = len(orjson.dumps(steps[0]))


def _leave_out(step: Json, most: int, count_left_out: bool) -> None:
    if count_left_out:
        step["left_out"] += len(step["hits"]) - most
    step["hits"] = step["hits"][:most]
