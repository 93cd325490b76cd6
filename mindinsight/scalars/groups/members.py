"""The members of a group of runs: each run's series of one tag, as one curve in which each step counts once.

After a restart, the older segment's points from that step on are superseded and left out. Used by `api`, for `points`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass

from mindinsight.runs.models import Series
from mindinsight.scalars.queries import Part
from summaries.kinds import Kind

# With more runs, all series of the tag are read: databases limit the number of parameters.
_MANY = 500


@dataclass(frozen=True)
class Member:
    """A run with the tag.

    Attributes:
        parts: its series of the tag, the oldest segment first.
        beside: its series of the scalar on the x axis, if there is one.
    """

    parts: tuple[Part, ...]
    beside: tuple[Part, ...] = ()

    def end_of(self, part: Part) -> int | None:
        """The step from which on the training was repeated, or None."""
        later = (one.first_step for one in self.parts if one.segment > part.segment and one.first_step is not None)
        return min(later, default=None)


def members_of(tag: str, runs: Collection[int], x_tag: str | None = None) -> dict[int, Member]:
    """Returns the runs that have a scalar tag, by number.

    Args:
        tag: name of the tag.
        runs: numbers of runs.
        x_tag: name of the scalar on the x axis, if there is one.
    """
    found = Series.objects.filter(kind=Kind.SCALAR, tag__in={tag, x_tag} - {None})
    if len(runs) <= _MANY:
        found = found.filter(run_id__in=runs)
    columns = ("pk", "run_id", "tag", "segment", "first_step", "last_step", "first_wall")
    wanted, of_run = set(runs), defaultdict[int, list[Part]](list)
    for values in found.order_by("segment", "pk").values_list(*columns):
        if values[1] in wanted:
            of_run[values[1]].append(Part(*values))
    members = {run: _member(parts, tag, x_tag) for run, parts in of_run.items()}
    return {run: member for run, member in members.items() if member.parts}


def _member(parts: list[Part], tag: str, x_tag: str | None) -> Member:
    return Member(
        tuple(part for part in parts if part.tag == tag),
        tuple(part for part in parts if part.tag == x_tag and x_tag != tag),
    )
