"""Applies a query to the runs' recorded values in memory. Called by `table.py`.

The database would parse the JSON of every run for each query; columns in memory are much faster. Only comparisons of
names are decided here. The rest of a query is left to the database (`mindinsight.runs.search.compiler`), and so are
names that may also be scalar tags of runs without such a recorded value.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from functools import reduce
from typing import Any

import numpy as np
import numpy.typing as npt

from mindinsight.lineage.cells import Cells
from mindinsight.lineage.columns import Rows
from mindinsight.lineage.notes import MAX_NAMES, Notes, Source
from mindinsight.runs.models import Series
from mindinsight.runs.search.tree import All, Among, AnyOf, Comparison, Name, Not, Term
from mindinsight.runs.search.tree import Source as Named
from summaries.kinds import Kind

Mask = npt.NDArray[np.bool_]

_SOURCES: Mapping[Named, tuple[Source, ...]] = {
    "any": ("params", "metrics"),
    "param": ("params",),
    "metric": ("metrics",),
}
_COMPARE: Mapping[str, Callable[[Any, Any], Mask]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "=": operator.eq,
}


class NotNotedError(Exception):
    """The recorded values cannot decide the term."""


def split(query: Term) -> tuple[Term, tuple[Term, ...]]:
    """Splits a query into the part for the database and the part for recorded values. Both have to hold."""
    terms = query.terms if isinstance(query, All) else (query,)
    noted = tuple(term for term in terms if _compares_names(term))
    return All(tuple(term for term in terms if not _compares_names(term))), noted


def _compares_names(term: Term) -> bool:
    match term:
        case All(terms) | AnyOf(terms):
            return all(map(_compares_names, terms))
        case Not(inner):
            return _compares_names(inner)
        case Comparison(Name(), _, _) | Among(Name(), _):
            return True
    return False


class NotedRuns:
    """Evaluates terms on the recorded values of some runs.

    Args:
        notes: the recorded values of at least these runs.
        table: the runs.
    """

    def __init__(self, notes: Notes, table: Rows) -> None:
        self._notes = notes
        self._table = table

    def decide(self, term: Term) -> Mask:
        """Returns for which runs a term holds. `split` has found that recorded values can decide the term.

        Raises:
            NotNotedError: recorded values cannot decide it.
        """
        match term:
            case All(terms):
                return reduce(np.logical_and, map(self.decide, terms), np.ones(self._table.count, np.bool_))
            case AnyOf(terms):
                return reduce(np.logical_or, map(self.decide, terms), np.zeros(self._table.count, np.bool_))
            case Not(inner):
                return ~self.decide(inner)
            case Comparison(Name() as name, sign, right):
                return self._compared(name, sign, right)
            case Among(Name() as name, values):
                return self.decide(AnyOf(tuple(Comparison(name, "=", value) for value in values)))
        raise NotNotedError

    def _compared(self, name: Name, sign: str, right: float | str) -> Mask:
        if isinstance(right, str):
            known, equal = self._texts(name, right)
            return known & ~equal if sign == "!=" else equal
        numbers = self._numbers(name)
        if sign == "!=":
            return np.asarray(~np.isnan(numbers) & (numbers != right))
        return _COMPARE[sign](numbers, right)

    def _numbers(self, name: Name) -> npt.NDArray[np.float64]:
        """The number of each run; NaN if it has none."""
        numbers = np.full(self._table.count, np.nan)
        for source in _SOURCES[name.source]:
            cells = self._cells(source, name.name)
            if cells is not None:
                rows, chosen = self._table.find(cells.runs)
                numbers[rows] = np.where(np.isnan(numbers[rows]), cells.numbers[chosen], numbers[rows])
        if name.source != "param" and np.isnan(numbers).any() and _is_scalar_tag(name.name):
            raise NotNotedError
        return numbers

    def _texts(self, name: Name, wanted: str) -> tuple[Mask, Mask]:
        """Which runs have a text, and which have this text."""
        known, equal = np.zeros(self._table.count, np.bool_), np.zeros(self._table.count, np.bool_)
        for source in _SOURCES[name.source]:
            cells = self._cells(source, name.name)
            if cells is None:
                continue
            is_text, is_wanted = _texts_of(cells, wanted)
            rows, chosen = self._table.find(cells.runs)
            first = ~known[rows] & is_text[chosen]
            known[rows[first]] = True
            equal[rows[first]] = is_wanted[chosen[first]]
        return known, equal

    def _cells(self, source: Source, name: str) -> Cells | None:
        of_source = self._notes.cells[source]
        if name not in of_source and len(of_source) >= MAX_NAMES:
            raise NotNotedError
        return of_source.get(name)


def _texts_of(cells: Cells, wanted: str) -> tuple[Mask, Mask]:
    """For each value, whether it is a text for queries (as NaN and infinities are), and whether it matches."""
    words = [str(word).lower() if isinstance(word, bool) else word for word in cells.words]
    # Queries do not see lists as texts, but here they look like JSON texts.
    if any(word[:1] in ("[", "{") for word in words):
        raise NotNotedError
    odd = {"NaN": np.isnan(cells.numbers), "Infinity": cells.numbers == np.inf, "-Infinity": cells.numbers == -np.inf}
    is_number = cells.codes == 0
    is_text = ~is_number | ~np.isfinite(cells.numbers)
    is_wanted = np.array([False, *(word == wanted for word in words)])[cells.codes]
    if wanted in odd:
        is_wanted |= is_number & odd[wanted]
    return is_text, is_wanted


def _is_scalar_tag(name: str) -> bool:
    return Series.objects.filter(kind=Kind.SCALAR.value, tag=name, count__gt=0).exists()
