"""Runs a search, and says what it found, what it believes that this costs, and what else there was."""

from __future__ import annotations

import importlib.util
import time
from collections.abc import Sequence
from dataclasses import dataclass

from framework.parallel.cost import Machine, network_cost
from framework.parallel.divisions import DivisionsOf
from framework.parallel.network import Network
from framework.parallel.propagation import propagated
from framework.parallel.rules.indices import Division
from framework.parallel.search.elimination import solve
from framework.parallel.search.network_choices import Choices, choices_of
from framework.parallel.search.recursive import recursive
from framework.parallel.search.wide_elimination import order_of, solve_wide

__all__ = ["Alternative", "Answer", "searched"]

#: The search modes of the setting `search_mode`.
MODES = ("dynamic_programming", "recursive_programming", "sharding_propagation")


@dataclass(frozen=True)
class Alternative:
    """Another division of all operators.

    Attributes:
        name: what it is.
        seconds: the predicted time of a training step.
    """

    name: str
    seconds: float


@dataclass(frozen=True)
class Answer:
    """What a search has found.

    Attributes:
        network: the network.
        divisions: the division of each operator.
        mode: the search mode.
        seconds: the predicted time of a training step of a rank.
        alternatives: what other divisions would cost.
        took: the seconds that the search took.
    """

    network: Network
    divisions: list[Division]
    mode: str
    seconds: float
    alternatives: tuple[Alternative, ...]
    took: float

    def __str__(self) -> str:
        lines = [
            f"{len(self.network.operations)} operators on {_ranks(self.network)} ranks by {self.mode}, found in "
            f"{self.took:.2f} s: {self.seconds * 1e3:.3f} ms a step are predicted"
        ]
        lines += [f"  {item.name}: {item.seconds * 1e3:.3f} ms" for item in self.alternatives]
        for operation, division in zip(self.network.operations, self.divisions, strict=True):
            numbers = " x ".join(
                "·".join(str(division.parts(index)) for index in axes) or "1" for axes in operation.indices.inputs
            )
            lines.append(f"  {operation.name or operation.application.primitive.name}: {numbers}")
        return "\n".join(lines)


def _ranks(network: Network) -> int:
    ranks = 1
    for length in network.mesh:
        ranks *= length
    return ranks


def searched(network: Network, machine: Machine, mode: str = "dynamic_programming") -> Answer:
    """Search divisions for all operators of a network.

    Args:
        network: the network; operators with a given division keep it.
        machine: the speed of a rank and its links.
        mode: "dynamic_programming" finds the cheapest by the model; "recursive_programming" cuts the ranks in two again
            and again; "sharding_propagation" chooses one operator after another.

    Raises:
        ValueError: there is no such mode.
    """
    if mode not in MODES:
        raise ValueError(f"search_mode must be one of {', '.join(MODES)}, not {mode!r}")
    divisions_of = DivisionsOf(network, machine)
    others = {
        "whole on every rank": _whole(network),
        "sharding_propagation": propagated(network, machine, divisions_of),
    }
    alternatives = [
        Alternative(name, network_cost(network, divisions, machine))
        for name, divisions in others.items()
        if name != mode
    ]
    began = time.perf_counter()
    found = _by_mode(network, machine, mode, divisions_of)
    took = time.perf_counter() - began
    return Answer(network, found, mode, network_cost(network, found, machine), tuple(alternatives), took)


def _by_mode(network: Network, machine: Machine, mode: str, divisions_of: DivisionsOf) -> list[Division]:
    """The divisions that a mode finds; the first one also decides where Parameters are that several operators read."""
    if mode == "sharding_propagation":
        return propagated(network, machine, divisions_of)
    choices, options = choices_of(network, machine, divisions_of)
    if mode == "recursive_programming":
        cuts = [[division.cuts for division in item.divisions] for item in options]
        works = [operation.indices.work * operation.indices.passes for operation in network.operations]
        states: Sequence[int] = recursive(choices, cuts, works)
    else:
        solution = solve(choices, _rest)
        states = [solution[number] for number in range(len(options))]
        for own, (number, placements) in choices.places.items():
            network.values[number].placement = placements[solution[own]]
    return [item.divisions[state] for item, state in zip(options, states, strict=True)]


def _rest(choices: Choices) -> dict[int, int]:
    """Solve what the elimination of choices with two neighbours has left."""
    order = order_of(choices)
    if order is not None:
        return solve_wide(choices, order)
    if importlib.util.find_spec("scipy") is None:
        raise ImportError("the search of this network needs SciPy: pip install 'mindinsight[parallel]'")
    from framework.parallel.search.integer_program import solve_program  # Few networks need it, and it is large.

    return solve_program(choices)


def _whole(network: Network) -> list[Division]:
    nothing = Division(network.mesh, (None,) * len(network.mesh))
    return [nothing if operation.given is None else operation.given for operation in network.operations]
