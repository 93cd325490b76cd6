"""Figures of scalar tags as columns of the table: `last(loss)`. Called by `table.py`."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from mindinsight.lineage.cells import Cells
from mindinsight.runs.models import Run
from mindinsight.runs.search import shown, value_annotations
from mindinsight.runs.search.tree import Call, Column

MAX_NAMED = 20
"""Maximum number of tags that runs name as results and that are added without a request. The most frequent ones count.
"""
# With more runs all are read: databases limit the number of parameters.
_MANY = 500


@dataclass(frozen=True)
class Scalar:
    """A figure of a scalar tag.

    Attributes:
        title: the text of the request, which is the column's name.
        call: the parsed function call.
    """

    title: str
    call: Call

    @property
    def tag(self) -> str:
        """The scalar tag."""
        return self.call.tag


def named_by(result_tags: Mapping[int, Sequence[str]], runs: Collection[int]) -> list[Scalar]:
    """Returns the last values of the tags that the hparams of some runs name as results."""
    if not result_tags:
        return []
    counts: dict[str, int] = {}
    for run in runs:
        for tag in result_tags.get(run, ()):
            counts[tag] = counts.get(tag, 0) + 1
    often = sorted(counts, key=lambda tag: (-counts[tag], tag))[:MAX_NAMED]
    return [Scalar(f"last({tag})", Call("last", tag)) for tag in sorted(often)]


def scalars_of(runs: Collection[int], scalars: Sequence[Scalar]) -> dict[Scalar, Cells]:
    """Returns the figures of tags by run, with at most one query."""
    if not scalars:
        return {}
    columns = [Column(scalar.title, scalar.call) for scalar in scalars]
    annotations = value_annotations(columns)
    found = Run.objects.filter(removed=Run.Removed.NO).order_by().annotate(**annotations)
    if len(runs) <= _MANY:
        found = found.filter(pk__in=runs)
    wanted = set(runs)
    rows = [row for row in found.values("pk", *annotations) if row["pk"] in wanted]
    return {
        scalar: _cells([(row["pk"], shown(row, at, column)) for row in rows])
        for at, (scalar, column) in enumerate(zip(scalars, columns, strict=True))
    }


def _cells(values: Sequence[tuple[int, object]]) -> Cells:
    having = [(run, float(value)) for run, value in values if isinstance(value, (int, float, str))]
    runs, numbers = zip(*having, strict=True) if having else ((), ())
    return Cells(np.array(runs, np.int64), np.array(numbers, np.float64), np.zeros(len(runs), np.uint32), ())
