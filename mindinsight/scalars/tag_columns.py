"""All scalar series of runs as columns: the index that pages load, many times lighter than rows with names.

Asked by `tag_columns_api`. What is in a column is what `queries` says of a series.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from mindinsight.runs.models import Run, Series
from summaries.kinds import Kind

COLUMNS = (
    *("run_id", "pk", "segment", "count", "first_step", "last_step"),
    *("first_wall", "last_wall", "last_value", "min", "max", "not_finite"),
)
_NAMES = ("run", "series", *COLUMNS[2:])
# Databases take only so many parameters: of more runs, all series are looked at.
_MANY = 500


def tag_columns(runs: Collection[int] | None = None) -> dict[str, Any]:
    """Returns the names of tags in order, and of every series its place among them and its numbers.

    Args:
        runs: of these only; of all runs that were not removed by default.
    """
    found = Series.objects.filter(kind=Kind.SCALAR)
    if runs is None:
        found = found.filter(run__removed=Run.Removed.NO)
    elif len(runs) <= _MANY:
        found = found.filter(run_id__in=runs)
    rows = list(found.values_list("tag", *COLUMNS))
    if runs is not None and len(runs) > _MANY:
        wanted = set(runs)
        rows = [row for row in rows if row[1] in wanted]
    tags, *columns = zip(*rows, strict=True) if rows else [() for _ in range(len(COLUMNS) + 1)]
    names = sorted(set(tags))
    place = {name: at for at, name in enumerate(names)}
    return {"names": names, "tag": [place[tag] for tag in tags], **dict(zip(_NAMES, columns, strict=True))}
