"""Amounts of a graph's nodes for its colours: from profiles, gradients and watchpoints.

Made by `profiles`, `gradients` and `hits`. `drawn` requests the kind in the query, and the view of colours sums it up.
"""

from __future__ import annotations

import re
from collections.abc import Hashable
from typing import TYPE_CHECKING, Protocol

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:  # Web servers import the reading of graphs at the first request for one.
    from mindinsight.graphs.model import Graph


_MODULE = re.compile(r"\w+\[(?P<attribute>[^\]]+)\]")


class Amounts(Protocol):
    """A number for some of a graph's nodes."""

    @property
    def unit(self) -> str:
        """`seconds`, `bytes`, `norm` (several add up to the root of the sum of squares) or `hits`."""

    @property
    def step(self) -> int | None:
        """The step of the newest amounts, or None if steps do not apply."""

    @property
    def version(self) -> Hashable:
        """Equal as long as the amounts are equal. Every process prints it alike."""

    def of_nodes(self, graph: Graph) -> npt.NDArray[np.float64]:
        """Returns a number for each node; NaN if unknown, infinity if the value is not finite.

        Raises:
            Problem: the record cannot be read.
        """


def names_of(full_name: str) -> tuple[str, ...]:
    """Returns the names under which a run's values refer to a node: its full name, and its PyTorch parameter name.

    Args:
        full_name: `conv1.weight`, or in PyTorch `Net/Sequential[body]/Conv2d[0]/weight`, whose parameter name is
        `body.0.weight`.
    """
    network, *modules = full_name.split("/")
    parameter = modules.pop() if modules else network
    attributes = [found["attribute"] if (found := _MODULE.fullmatch(module)) else "" for module in modules]
    if not modules or not all(attributes):
        return (full_name,)
    return full_name, ".".join([*attributes, parameter])


def by_full_name(graph: Graph, numbers: dict[str, float]) -> npt.NDArray[np.float64]:
    """Returns the numbers of a graph's nodes by name; NaN for all others."""

    def of(full_name: str) -> float:
        return next((numbers[name] for name in names_of(full_name) if name in numbers), np.nan) if full_name else np.nan

    used, place = np.unique(np.asarray(graph.full_name), return_inverse=True)
    row = np.asarray([of(full_name) for full_name in graph.strings.many(used)], np.float64)
    return row[place.ravel()] if len(row) else np.full(len(graph), np.nan)
