"""The double recursive way: the ranks are cut in two again and again, each time the heaviest operators choose first.

It looks at each operator once for each axis of the mesh, so it is quick, and it never goes back, so it is often dear.
"""

from __future__ import annotations

from collections.abc import Sequence

from framework.parallel.search.network_choices import Choices

__all__ = ["recursive"]


def recursive(choices: Choices, cuts: Sequence[Sequence[tuple[str | None, ...]]], works: Sequence[float]) -> list[int]:
    """A state for each operator.

    Args:
        choices: the choices of the network; those of operators come first.
        cuts: for each operator and each of its states the index that each axis of the mesh cuts.
        works: the work of each operator.
    """
    order = sorted(range(len(cuts)), key=lambda number: -works[number])
    axes = len(cuts[0][0]) if cuts else 0
    fixed = [0] * len(cuts)
    for axis in range(axes):
        decided: set[int] = set()
        for number in order:
            before = cuts[number][fixed[number]][:axis]
            open_ = [
                state
                for state, cut in enumerate(cuts[number])
                if cut[:axis] == before and all(index is None for index in cut[axis + 1 :])
            ]
            if open_:
                fixed[number] = min(open_, key=lambda state: _cost(choices, number, state, fixed, decided))
            decided.add(number)
    return fixed


def _cost(choices: Choices, number: int, state: int, fixed: Sequence[int], decided: set[int]) -> float:
    """The cost of a state beside the neighbours that have chosen."""
    cost = float(choices.costs[number][state])
    for other in choices.neighbours(number):
        if other in decided:
            cost += float(choices.pair(number, other)[state, fixed[other]])
        elif other >= len(fixed):
            cost += float(choices.pair(number, other)[state].min())
    return cost
