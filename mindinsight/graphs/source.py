"""A graph that can be read, and how links name it. Made by `sources` and its neighbours, used by views and task."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote_to_bytes

from mindinsight.api.problems import Problem
from mindinsight.graphs.json_text import json_text
from mindinsight.runs.models import Run

if TYPE_CHECKING:  # Web servers load what reads graphs when a graph is asked for.
    from mindinsight.graphs.diff import GraphDiff
    from mindinsight.graphs.model import Graph


@dataclass(frozen=True, slots=True)
class Loaded:
    """A graph that was read.

    Attributes:
        graph: the graph.
        difference: what it shows of two graphs where it is a comparison.
    """

    graph: Graph
    difference: GraphDiff | None = None


@dataclass(frozen=True, slots=True)
class Source:
    """A graph that can be read.

    Attributes:
        text: how questions name it.
        graph: the hash by which everything about it is kept.
        load: reads it; a GraphError says why that is not possible.
        file: its place, as people know it.
        run: number of its run; None for comparisons.
        series, place: of recorded ones, the series and the index there.
    """

    text: str
    graph: str
    load: Callable[[], Loaded]
    file: str
    run: int | None = None
    series: int = 0
    place: int = 0


def written(name: str) -> str:
    """Returns a name as a graph's address has it between colons: percent-encoded but for its slashes."""
    return quote(os.fsencode(name), safe="/")


def read(text: str) -> str:
    """Returns the name in an address."""
    return os.fsdecode(unquote_to_bytes(text))


def run_of(text: str) -> Run:
    """Returns the run that an address names: by its name, which stays when the store is read again.

    Raises:
        Problem: there is none of this name.
    """
    name = read(text)
    shown = json_text(name)
    # No run has halves of characters or zeros in its name, and not every database takes the question.
    run = Run.objects.filter(name=name, removed="").first() if shown == name and "\0" not in name else None
    if run is None:
        raise Problem("unknown_run", f"There is no run {shown}; it may be gone.", 404, run=shown)
    return run


def is_number(text: str) -> bool:
    """Whether a text is a number that a database can hold."""
    return text.isascii() and text.isdecimal() and len(text) <= 15
