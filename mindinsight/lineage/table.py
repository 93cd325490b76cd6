"""The table of lineage: all runs that match a query, with all their recorded values.

Used by `api/table.py` and by analyses, in web servers and workers.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from django.db.models import Q, QuerySet

from mindinsight.lineage.columns import (
    CategoryColumn,
    Column,
    NumberColumn,
    Rows,
    Whole,
    as_codes,
    column_of,
    one_axis,
)
from mindinsight.lineage.filtering import NotedRuns, NotNotedError, split
from mindinsight.lineage.notes import MEMORY, SOURCES
from mindinsight.lineage.scalars import Scalar, named_by, scalars_of
from mindinsight.runs.models import Run
from mindinsight.runs.queries import Wanted, matching
from mindinsight.runs.search import condition, respelled
from mindinsight.runs.search.tree import All, Term
from mindinsight.runs.search.vocabulary import best_of

MAX_COLUMNS = 1000
"""Maximum number of columns. Those with the most runs are kept."""
SYNONYMS = (("params.lr", "params.learning_rate"),)
"""Names of one parameter; where no run has both, they are one column."""
_FIELDS = ("pk", "noted", "opened", "first_wall", "last_wall", "last_step", "state")
_STATE_CODES = {name: code for code, name in enumerate(Run.State.values, 1)}


@dataclass(frozen=True)
class LineageTable:
    """Runs and their columns.

    Attributes:
        runs: numbers of the runs, newest first. They are the rows of all columns.
        columns: facts about the runs (`opened`, `duration`, `last_step`, `state`), parameters and metrics as
            `params.NAME` and `metrics.NAME`, and figures of scalar tags in the form of queries, `last(NAME)`.
        left_out: number of omitted columns.
    """

    runs: Whole
    columns: list[Column]
    left_out: int = 0

    @cached_property
    def by_name(self) -> dict[str, Column]:
        """The columns by their names."""
        return {column.name: column for column in self.columns}


class FoundRuns:
    """The runs that match a query, before the table is made.

    Args:
        query: the tree of the query.
        shelf: which runs are searched: with, without, or only the archived ones.
        scalars: figures of scalar tags, in addition to the tags that runs name as results.
    """

    def __init__(self, query: Term, shelf: Q, scalars: Sequence[Scalar] = ()) -> None:
        self._shelf = shelf
        self._rest, noted = split(query)
        rows = self._matching(self._rest).values_list(*_FIELDS)
        pk, stamps, *times, step, state = list(zip(*rows, strict=True)) or [() for _ in _FIELDS]
        self._looked_through = len(pk)
        self._notes = MEMORY.of(dict(zip(pk, stamps, strict=True)))
        # Names that runs have noted as they are written need no question to the database.
        names = {name for cells in self._notes.cells.values() for name in cells}
        noted = tuple(respelled(term, names) for term in noted)
        runs = np.array(pk, np.int64)
        kept = np.flatnonzero(self._holds(noted, runs)) if noted else np.arange(len(runs))
        self.runs = runs[kept]
        self._stamps = np.array(stamps, np.int64)[kept]
        self._facts = [_floats(fact)[kept] for fact in (*times, step)]
        self._states = np.array([_STATE_CODES[name] for name in state], np.int64)[kept]
        found = self.runs.tolist()
        self._scalars = scalars_of(found, list(dict.fromkeys([*scalars, *named_by(self._notes.result_tags, found)])))

    def on_shelf(self) -> int:
        """Returns the number of runs without the query's conditions."""
        return self._matching(All(())).count() if self._rest != All(()) else self._looked_through

    def digest(self) -> str:
        """Returns a text that changes whenever the table would change."""
        known = hashlib.blake2b(digest_size=16)
        for column in (self.runs, self._stamps, *self._facts, self._states):
            known.update(column.tobytes())
        for scalar, cells in self._scalars.items():
            known.update(repr(scalar).encode())
            known.update(cells.runs.tobytes())
            known.update(cells.numbers.tobytes())
        return known.hexdigest()

    def _matching(self, term: Term) -> QuerySet[Run]:
        return matching(wanted=Wanted(condition(term) & self._shelf))

    def _holds(self, noted: Sequence[Term], runs: Whole) -> Any:
        """For which runs all terms hold. The database decides the terms that recorded values do not decide."""
        asked = NotedRuns(self._notes, Rows(runs))
        holds = np.ones(len(runs), np.bool_)
        for term in noted:
            try:
                holds &= asked.decide(term)
            except NotNotedError:
                holds &= np.isin(runs, list(self._matching(term).order_by().values_list("pk", flat=True)))
        return holds

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
        columns = one_axis([column for column in found if column is not None], SYNONYMS)
        kept = sorted(range(len(columns)), key=lambda at: -columns[at].set)[:MAX_COLUMNS]
        chosen = [columns[at] for at in sorted(kept)]
        return LineageTable(self.runs, [*self._known(), *chosen], len(columns) - len(chosen))

    def _known(self) -> list[Column]:
        opened, first, last, step = self._facts
        states = as_codes(self._states, len(_STATE_CODES))
        return [
            _fact("opened", opened),
            _fact("duration", last - first),
            _fact("last_step", step),
            CategoryColumn("state", "run", None, states, tuple(_STATE_CODES)),
        ]


def _floats(values: Sequence[Any]) -> Any:
    return np.array(values, np.float64)  # None becomes NaN.


def _fact(name: str, values: Any) -> NumberColumn:
    missing = np.isnan(values)
    return NumberColumn(name, "run", None, values, missing if missing.any() else None)
