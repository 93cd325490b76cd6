"""A readable graph, and its name in links. Made by `sources` and its neighbours, used by views and task."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote_to_bytes

from mindinsight.api.problems import Problem
from mindinsight.graphs.json_text import json_text
from mindinsight.runs.models import Run

if TYPE_CHECKING:  # Web servers import the reading of graphs at the first request for one.
    from mindinsight.graphs.diff import GraphDiff
    from mindinsight.graphs.model import Graph


@dataclass(frozen=True, slots=True)
class Loaded:
    """A graph that has been read.

    Attributes:
        graph: the graph.
        difference: the differences of two graphs, for a comparison.
    """

    graph: Graph
    difference: GraphDiff | None = None


@dataclass(frozen=True, slots=True)
class Source:
    """A graph that can be read.

    Attributes:
        text: its name in requests.
        graph: the hash under which its results are stored.
        load: reads the graph. A GraphError says why it cannot be read.
        file: its file, for messages.
        run: number of the run; None for comparisons.
        series, place: series and index of a recorded graph.
    """

    text: str
    graph: str
    load: Callable[[], Loaded]
    file: str
    run: int | None = None
    series: int = 0
    place: int = 0


def written(name: str) -> str:
    """Returns a name in the form between the colons of a graph's address: percent-encoded except for slashes."""
    return quote(os.fsencode(name), safe="/")


def read(text: str) -> str:
    """Returns the name in an address."""
    return os.fsdecode(unquote_to_bytes(text))


def run_of(text: str) -> Run:
    """Returns the run of an address. It is identified by name, which stays when all files are read again.

    Raises:
        Problem: there is no run with this name.
    """
    name = read(text)
    shown = json_text(name)
    # No run's name has lone surrogates or zeros, and some databases reject such a query.
    run = Run.objects.filter(name=name, removed="").first() if shown == name and "\0" not in name else None
    if run is None:
        raise Problem("unknown_run", f"There is no run {shown}; it may have been removed.", 404, run=shown)
    return run


def is_number(text: str) -> bool:
    """Whether a text is a number that a database can hold."""
    return text.isascii() and text.isdecimal() and len(text) <= 15
