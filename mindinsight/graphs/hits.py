"""Watchpoint hit counts of a graph's nodes. Used by the view of colours.

No app imports the debugger. At its start the debugger registers the function that finds hits (`find_hits_with`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from mindinsight.graphs.amounts import by_full_name
from mindinsight.runs.models import Run

if TYPE_CHECKING:  # Web servers import the reading of graphs at the first request for one.
    from mindinsight.graphs.model import Graph
    from mindinsight.graphs.source import Source


@dataclass(frozen=True, slots=True)
class Hits:
    """The hits of a debugger session.

    Attributes:
        version: stays equal until hits are added.
        step: step of the last hit; None before the first.
        counts: hits by the full name of a node, or the name of a parameter.
    """

    version: str
    step: int | None
    counts: Mapping[str, int] = field(compare=False)
    unit: str = "hits"

    def of_nodes(self, graph: Graph) -> npt.NDArray[np.float64]:
        """Returns the number of hits of each node; NaN if there were none."""
        return by_full_name(graph, {name: float(count) for name, count in self.counts.items()})


Finder = Callable[[str, str], Hits | None]
"""Called with the name of a run and the key of a session; one of them is empty."""
_finders: list[Finder] = []


def find_hits_with(finder: Finder) -> None:
    """Registers the function that finds the hits of sessions.

    Args:
        finder: returns the hits of a run's newest session, or of one session; None if there is no such session.
    """
    if finder not in _finders:
        _finders.append(finder)


def hits_of(source: Source) -> Hits | None:
    """Returns the hits in the run of a graph, or in its session; None if no debugger was attached."""
    kind, _, key = source.text.partition(":")
    session = key if kind == "debugger" else ""
    run = "" if source.run is None else Run.objects.filter(pk=source.run).values_list("name", flat=True).first() or ""
    if not session and not run:
        return None
    return next((found for finder in _finders if (found := finder("" if session else run, session)) is not None), None)
