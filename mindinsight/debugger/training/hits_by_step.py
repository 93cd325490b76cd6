"""Hits and causes by step, limited in number and bytes. The oldest steps are dropped first. Used by `report.py`."""

from __future__ import annotations

import orjson

from mindinsight.debugger.json_messages import Json
from mindinsight.debugger.limits import MOST_TOLD_BYTES


def make_room(steps: list[Json], most: int, *, count_left_out: bool) -> None:
    """Drops whole steps from the front, and then hits of a single step above the limit.

    Args:
        steps: objects with `hits`, oldest first. Changed in place.
        most: maximum number of hits in all steps together.
        count_left_out: whether a step counts its dropped hits in `left_out`.
    """
    total = sum(len(one["hits"]) for one in steps)
    while len(steps) > most or (len(steps) > 1 and total > most):
        total -= len(steps.pop(0)["hits"])
    if total > most:
        _leave_out(steps[0], most, count_left_out)


def drop_oldest(items: list[Json], most: int) -> list[Json]:
    """Returns the newest items within a number and the limit of bytes, at least one.

    Args:
        items: oldest first.
        most: maximum number of items.
    """
    kept: list[Json] = []
    total = 0
    for item in reversed(items[-most:]):
        total += len(orjson.dumps(item))
        if kept and total > MOST_TOLD_BYTES:
            break
        kept.append(item)
    return kept[::-1]


class Sizes:
    """Bytes of the JSON of some steps. Only changed steps are measured again."""

    def __init__(self) -> None:
        self._sizes: dict[int, int] = {}

    def make_room(self, steps: list[Json], changed: Json, *, count_left_out: bool) -> None:
        """Drops whole steps from the front while there are too many bytes, and then hits of the remaining step.

        Args:
            steps: as in `make_room`.
            changed: the step with new hits.
            count_left_out: as in `make_room`.
        """
        self._sizes.pop(id(changed), None)
        # The id of a deleted step may be in use again, so only existing steps are kept.
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
