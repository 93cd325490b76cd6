"""Solves choices of more neighbours by elimination too, while the tables that arise are small enough.

A table has an axis for each of some choices. Eliminating a choice adds up all tables with it and takes the least value
along its axis (variable elimination, Bertele and Brioschi 1972). Recurrent networks, whose steps share two Parameters,
are solved so.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from framework.parallel.search.network_choices import Choices, Table

__all__ = ["LIMIT", "order_of", "solve_wide"]

#: The most numbers of a table.
LIMIT = 4_000_000


def order_of(choices: Choices, limit: int = LIMIT) -> list[int] | None:
    """An order of elimination whose tables have at most `limit` numbers; None if none was found."""
    neighbours = {number: set(choices.neighbours(number)) for number in choices.costs}
    sizes = {number: len(costs) for number, costs in choices.costs.items()}
    order = []
    while neighbours:

        def table(number: int) -> int:
            return math.prod(sizes[item] for item in neighbours[number]) * sizes[number]

        number = min(neighbours, key=lambda item: (table(item), item))
        if table(number) > limit:
            return None
        around = neighbours.pop(number)
        for item in around:
            neighbours[item] = (neighbours[item] | around) - {item, number}
        order.append(number)
    return order


def solve_wide(choices: Choices, order: Sequence[int]) -> dict[int, int]:
    """The state of each choice at which the sum of all costs is least, by elimination in this order."""
    tables: list[tuple[tuple[int, ...], Table]] = [((number,), costs) for number, costs in choices.costs.items()]
    tables += list(choices.pairs.items())
    steps = []
    for number in order:
        own = [item for item in tables if number in item[0]]
        tables = [item for item in tables if number not in item[0]]
        scope = (*sorted({item for numbers, _ in own for item in numbers} - {number}), number)
        total = np.zeros([1] * len(scope))
        for numbers, table in own:
            total = total + _spread(numbers, table, scope)
        steps.append((number, scope[:-1], total.argmin(-1)))
        tables.append((scope[:-1], total.min(-1)))
    found: dict[int, int] = {}
    for number, scope, best in reversed(steps):
        found[number] = int(best[tuple(found[item] for item in scope)])
    return found


def _spread(numbers: tuple[int, ...], table: Table, scope: tuple[int, ...]) -> Table:
    """A table with an axis of length 1 for each choice of the scope that it lacks."""
    order = sorted(range(len(numbers)), key=lambda place: scope.index(numbers[place]))
    shape = [1] * len(scope)
    for place in order:
        shape[scope.index(numbers[place])] = table.shape[place]
    return table.transpose(order).reshape(shape)
