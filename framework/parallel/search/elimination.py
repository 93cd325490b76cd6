"""Solves choices by elimination: a choice with at most two neighbours becomes costs of these (min-plus products).

Networks are mostly chains, branches that meet again, and residual connections between them. For these it is exact and
complete; transformers of any number of layers are such.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from framework.parallel.search.network_choices import Choices, Table

__all__ = ["solve"]

#: The states that an eliminated choice has for each state of its neighbours.
_Best = tuple[int, list[int], "np.ndarray[tuple[int, ...], np.dtype[np.intp]]"]


def solve(choices: Choices, rest: Callable[[Choices], dict[int, int]]) -> dict[int, int]:
    """The state of each choice at which the sum of all costs is least.

    Args:
        choices: the choices; they are used up.
        rest: solves choices of which each has three or more neighbours.
    """
    steps: list[_Best] = []
    while (number := _next(choices)) is not None:
        steps.append(_eliminate(choices, number))
    found = rest(choices) if choices.costs else {}
    for number, neighbours, best in reversed(steps):
        found[number] = int(best[tuple(found[item] for item in neighbours)])
    return found


def _next(choices: Choices) -> int | None:
    """A choice with the fewest neighbours, of these one with few states around; None if all have three."""
    degrees = dict.fromkeys(choices.costs, 0)
    for first, second in choices.pairs:
        degrees[first] += 1
        degrees[second] += 1
    open_ = [number for number, degree in degrees.items() if degree <= 2]
    return min(open_, key=lambda number: (degrees[number], len(choices.costs[number]), number), default=None)


def _eliminate(choices: Choices, number: int) -> _Best:
    """Replace a choice by costs of its neighbours; returns its best state for each of their states."""
    neighbours = choices.neighbours(number)
    own = choices.costs.pop(number)
    tables = [choices.pair(item, number) for item in neighbours]
    for item in neighbours:
        del choices.pairs[min(item, number), max(item, number)]
    if not neighbours:
        return number, [], np.asarray(own.argmin())
    if len(neighbours) == 1:
        total = tables[0] + own
        choices.costs[neighbours[0]] = choices.costs[neighbours[0]] + total.min(1)
        return number, neighbours, total.argmin(1)
    best, least = _min_plus(tables[0] + own, tables[1])
    choices.add_pair(neighbours[0], neighbours[1], least)
    return number, neighbours, best


def _min_plus(first: Table, second: Table) -> tuple[np.ndarray[tuple[int, ...], np.dtype[np.intp]], Table]:
    """For each pair of rows the place where their sum is least, and the sum there. Equal rows are computed once."""
    rows, of_row = np.unique(first, axis=0, return_inverse=True)
    columns, of_column = np.unique(second, axis=0, return_inverse=True)
    best = np.empty((len(rows), len(columns)), np.intp)
    least = np.empty((len(rows), len(columns)))
    for place, row in enumerate(rows):
        sums = columns + row
        best[place] = sums.argmin(1)
        least[place] = sums.min(1)
    return best[np.ix_(of_row, of_column)], least[np.ix_(of_row, of_column)]
