"""Solves choices as an integer program: one binary variable a state, one continuous variable a pair of groups.

States of a choice that cost the same beside every state of a neighbour are a group there, so programs stay small. The
solver is HiGHS, by `scipy.optimize.milp`.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from scipy import sparse
from scipy.optimize import Bounds, LinearConstraint, milp

from framework.parallel.search.network_choices import Choices, Table

__all__ = ["solve_program"]


class _Program:
    """The program as it is written: costs of variables, and equations of sparse rows."""

    def __init__(self) -> None:
        self.costs: list[float] = []
        self.rows: list[list[tuple[int, float]]] = []
        self.right: list[float] = []

    def variables(self, costs: Iterable[float]) -> list[int]:
        first = len(self.costs)
        self.costs += [float(cost) for cost in costs]
        return list(range(first, len(self.costs)))

    def equation(self, terms: list[tuple[int, float]], right: float) -> None:
        self.rows.append(terms)
        self.right.append(right)


def solve_program(choices: Choices) -> dict[int, int]:
    """The state of each choice at which the sum of all costs is least.

    Raises:
        RuntimeError: the solver has found no optimum.
    """
    program = _Program()
    states = {number: program.variables(costs) for number, costs in choices.costs.items()}
    binaries = len(program.costs)
    for variables in states.values():
        program.equation([(variable, 1.0) for variable in variables], 1.0)
    for (first, second), table in choices.pairs.items():
        _write_pair(program, states[first], states[second], table)
    found = milp(
        _scaled(program.costs),
        constraints=LinearConstraint(_matrix(program), program.right, program.right),
        integrality=np.arange(len(program.costs)) < binaries,
        bounds=Bounds(0, 1),
    )
    if not found.success:
        raise RuntimeError(f"no division of the operators was found: {found.message}")
    return {number: int(np.argmax(found.x[variables])) for number, variables in states.items()}


def _scaled(costs: list[float]) -> Table:
    """Costs with the largest 1,000: the solver's tolerances are absolute."""
    largest = max(map(abs, costs), default=0.0)
    return np.array(costs) * (1e3 / largest if largest else 1.0)


def _write_pair(program: _Program, first: list[int], second: list[int], table: Table) -> None:
    """The costs of a pair of choices: y[g, h] is 1 for the groups of the chosen states."""
    rows, of_row = np.unique(table, axis=0, return_inverse=True)
    groups, of_column = np.unique(rows, axis=1, return_inverse=True)
    both = program.variables(groups.ravel())
    grid = np.array(both).reshape(groups.shape)
    for group in range(groups.shape[0]):
        chosen = [(variable, -1.0) for variable, place in zip(first, of_row, strict=True) if place == group]
        program.equation([(int(item), 1.0) for item in grid[group]] + chosen, 0.0)
    for group in range(groups.shape[1]):
        chosen = [(variable, -1.0) for variable, place in zip(second, of_column, strict=True) if place == group]
        program.equation([(int(item), 1.0) for item in grid[:, group]] + chosen, 0.0)


def _matrix(program: _Program) -> sparse.csr_array:
    rows = [place for place, terms in enumerate(program.rows) for _ in terms]
    columns = [variable for terms in program.rows for variable, _ in terms]
    factors = [factor for terms in program.rows for _, factor in terms]
    return sparse.csr_array((factors, (rows, columns)), shape=(len(program.rows), len(program.costs)))
