"""Amounts of a graph's nodes, which its colours show: from profiles, gradients and watchpoints.

Made by `profiles`, `gradients` and `hits`; `drawn` asks for what a question names, and the view of colours sums it up.
"""

from __future__ import annotations

import re
from collections.abc import Hashable
from typing import TYPE_CHECKING, Protocol

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:  # Web servers load what reads graphs when one is asked for.
    from mindinsight.graphs.model import Graph


_MODULE = re.compile(r"\w+\[(?P<attribute>[^\]]+)\]")


class Amounts(Protocol):
    """A number for some of a graph's nodes."""

    @property
    def unit(self) -> str:
        """`seconds`, `bytes`, `norm` (of several the root of the sum of squares) or `hits`."""

    @property
    def step(self) -> int | None:
        """The step of the newest amounts; None where steps mean nothing."""

    @property
    def version(self) -> Hashable:
        """Equal as long as the amounts are; printed alike in every process."""

    def of_nodes(self, graph: Graph) -> npt.NDArray[np.float64]:
        """Returns a number for each node; NaN where nothing is known, an infinity for what is no finite number.

        Raises:
            Problem: what was recorded cannot be read.
        """


def names_of(full_name: str) -> tuple[str, ...]:
    """Returns the names by which a run's values refer to a node: its own, and that of a parameter of PyTorch.

    Args:
        full_name: `conv1.weight`, or PyTorch's `Net/Sequential[body]/Conv2d[0]/weight/weight.17`, whose parameter is
            called `body.0.weight`.
    """
    *modules, parameter, copy = full_name.split("/") if full_name.count("/") > 1 else ("", "", "")
    attributes = [found["attribute"] if (found := _MODULE.fullmatch(module)) else "" for module in modules[1:]]
    if not parameter or copy.partition(".")[0] != parameter or not all(attributes):
        return (full_name,)
    return full_name, ".".join([*attributes, parameter])


def by_full_name(graph: Graph, numbers: dict[str, float]) -> npt.NDArray[np.float64]:
    """Returns the numbers of a graph's nodes by their names; all others are NaN."""

    def of(full_name: str) -> float:
        return next((numbers[name] for name in names_of(full_name) if name in numbers), np.nan) if full_name else np.nan

    used, place = np.unique(np.asarray(graph.full_name), return_inverse=True)
    row = np.asarray([of(full_name) for full_name in graph.strings.many(used)], np.float64)
    return row[place.ravel()] if len(row) else np.full(len(graph), np.nan)
