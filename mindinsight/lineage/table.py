"""All runs that a query finds against everything that any of them notes: the table of lineage.

Asked by `table_api.py` and by analyses, in web servers and workers.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from django.db.models import Q

from mindinsight.lineage.columns import (
    CategoryColumn,
    Column,
    NumberColumn,
    Rows,
    Whole,
    as_codes,
    column_of,
)
from mindinsight.lineage.notes import MEMORY, SOURCES
from mindinsight.lineage.scalars import Scalar, named_by, scalars_of
from mindinsight.runs.models import Run
from mindinsight.runs.queries import Wanted, matching
from mindinsight.runs.search.vocabulary import best_of

MAX_COLUMNS = 1000
"""Of more, those are there that the most runs have."""
_FIELDS = ("pk", "noted", "opened", "first_wall", "last_wall", "last_step", "state")


@dataclass(frozen=True)
class LineageTable:
    """Runs and their columns.

    Attributes:
        runs: the runs' numbers, newest first; the rows of all columns.
        columns: facts about the runs (`opened`, `duration`, `last_step`, `state`), parameters and metrics as
            `params.NAME` and `metrics.NAME`, and figures of scalar tags as queries have them, `last(NAME)`.
        left_out: how many columns more there would be.
    """

    runs: Whole
    columns: list[Column]
    left_out: int = 0

    @cached_property
    def by_name(self) -> dict[str, Column]:
        """The columns by their names."""
        return {column.name: column for column in self.columns}


class FoundRuns:
    """The runs that a query finds, before anything is put together.

    Args:
        condition: what holds for them.
        scalars: figures of scalar tags that are wanted beside those that the runs name as results.
    """

    def __init__(self, condition: Q, scalars: Sequence[Scalar] = ()) -> None:
        rows = list(matching(wanted=Wanted(condition)).values_list(*_FIELDS))
        columns: list[tuple[Any, ...]] = list(zip(*rows, strict=True)) or [() for _ in _FIELDS]
        runs, self._noted, *self._facts = columns
        self.runs = np.array(runs, np.int64)
        self._notes = MEMORY.of(dict(zip(runs, self._noted, strict=True)))
        self._scalars = scalars_of(runs, list(dict.fromkeys([*scalars, *named_by(self._notes.result_tags, runs)])))

    def digest(self) -> str:
        """Returns what is another text whenever the table would be another."""
        known = hashlib.blake2b(self.runs.tobytes(), digest_size=16)
        known.update(repr((self._noted, self._facts)).encode())
        for scalar, cells in self._scalars.items():
            known.update(repr(scalar).encode())
            known.update(cells.runs.tobytes())
            known.update(cells.numbers.tobytes())
        return known.hexdigest()

    def table(self) -> LineageTable:
        """Returns the table."""
        rows = Rows(self.runs)
        found: list[Column | None] = []
        for source in SOURCES:
            for name, cells in sorted(self._notes.cells[source].items()):
                better = best_of(name) if source == "metrics" else None
                found.append(column_of(cells, rows, f"{source}.{name}", source, better))
        for scalar, cells in self._scalars.items():
            found.append(column_of(cells, rows, scalar.title, "scalars", best_of(scalar.tag)))
        columns = [column for column in found if column is not None]
        kept = sorted(range(len(columns)), key=lambda at: -columns[at].set)[:MAX_COLUMNS]
        chosen = [columns[at] for at in sorted(kept)]
        return LineageTable(self.runs, [*self._known(), *chosen], len(columns) - len(chosen))

    def _known(self) -> list[Column]:
        opened, first, last, step, state = self._facts
        duration = _floats(last) - _floats(first)
        states = list(Run.State.values)
        place = {name: at for at, name in enumerate(states, 1)}
        codes = np.array([place[name] for name in state], np.int64)
        return [
            _fact("opened", _floats(opened)),
            _fact("duration", duration),
            _fact("last_step", _floats(step)),
            CategoryColumn("state", "run", None, as_codes(codes, len(states)), tuple(states)),
        ]


def _floats(values: Sequence[Any]) -> Any:
    return np.array(values, np.float64)  # None becomes NaN.


def _fact(name: str, values: Any) -> NumberColumn:
    missing = np.isnan(values)
    return NumberColumn(name, "run", None, values, missing if missing.any() else None)
