"""Searches the nodes of a graph. Works on its columns of texts, and looks at each different text once."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import orjson

from mindinsight.graphs.json_text import json_text
from mindinsight.graphs.model import Graph, NodeKind
from mindinsight.graphs.scene.bookkeeping import BOOKKEEPING, is_any_of
from mindinsight.graphs.scene.box_search import boxes_with
from mindinsight.graphs.scene.nodes import node_row
from mindinsight.graphs.scene.scene import Scene
from mindinsight.graphs.scene.terms import Term, TermError, parse_terms
from mindinsight.graphs.scene.texts import having, strings_with

_COMMONEST = 100

_COLUMNS = {"type": ("op",), "shape": ("type",), "in": ("scope",), "source": ("source",), "": ("name", "full_name")}
_LAST = 3
_RANKS = np.zeros(len(NodeKind), np.uint8)
_RANKS[NodeKind.PARAMETER], _RANKS[NodeKind.MISSING], _RANKS[NodeKind.CONSTANT] = 1, 1, _LAST
Found = npt.NDArray[np.bool]


def search(graph: Graph, scene: Scene, query: str, first: int, count: int) -> dict[str, Any]:
    """Returns the boxes and nodes that match a query: operators first, then parameters, bookkeeping and constants last.

    Args:
        graph: the graph.
        scene: its scene.
        query: the query; an empty one matches everything.
        first: the number of the first row.
        count: the number of rows.
    """
    nothing: dict[str, Any] = {"total": 0, "first": first, "error": None, "boxes": [], "rows": [], "by_op": {}}
    try:
        terms = parse_terms(query)
        found = _by_rank(graph, np.flatnonzero(matching(graph, terms)))
        boxes = boxes_with(scene, terms) if first == 0 else []
    except TermError as error:
        problem = {"term": json_text(error.term), "start": error.start, "end": error.end, "message": str(error)}
        return {**nothing, "error": problem}
    ops, counts = np.unique(np.asarray(graph.op)[found], return_counts=True)
    often = np.lexsort((ops, -counts))[:_COMMONEST]
    rows = [node_row(graph, scene, int(node)) for node in found[first : first + count]]
    by_op = {json_text(graph.strings[int(ops[place])]): int(counts[place]) for place in often}
    return {**nothing, "total": len(found), "boxes": boxes, "rows": rows, "by_op": by_op}


def _by_rank(graph: Graph, nodes: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Returns nodes in the order in which they are listed."""
    rank = _RANKS[np.asarray(graph.kind)[nodes]]
    rank[is_any_of(BOOKKEEPING, graph, nodes)] = _LAST
    return np.asarray(nodes[np.argsort(rank, kind="stable")])


def matching(graph: Graph, terms: list[Term]) -> Found:
    """Returns which nodes match all terms.

    Raises:
        TermError: a regular expression took too long.
    """
    found = np.ones(len(graph), np.bool)
    for term in terms:
        found &= _holding(graph, term) ^ term.negated
    return found


def _holding(graph: Graph, term: Term) -> Found:
    if term.key == "attr":
        return _having(graph, "attributes", _attribute_test(term))
    if term.key == "" and term.regex is None:
        holds = strings_with(graph.strings, term.text)
        return np.asarray(holds[graph.name] | holds[graph.full_name] | holds[graph.scope])
    found = np.zeros(len(graph), np.bool)
    columns = _COLUMNS[term.key] if term.key else ("name", "full_name", "scope")
    for column in columns:
        found |= _having(graph, column, term.matches)
    return found


def _having(graph: Graph, column: str, test: Callable[[str], bool]) -> Found:
    """Returns which nodes have a text that passes a test."""
    return having(graph.strings, np.asarray(getattr(graph, column)), test, column)


def _attribute_test(term: Term) -> Callable[[str], bool]:
    if term.regex is not None:
        return term.matches
    name, equals, value = term.text.partition("=")

    def test(text: str) -> bool:
        if not text or name not in text.lower():
            return False
        try:
            parsed = orjson.loads(text)
        except orjson.JSONDecodeError:
            return term.text in text.lower()
        if not isinstance(parsed, dict):
            return False
        values = [item for key, item in parsed.items() if key.lower() == name]
        return any(not equals or _plain(item) == value for item in values)

    return test


def _plain(value: Any) -> str:
    text = value if isinstance(value, str) else orjson.dumps(value).decode()
    return re.sub(r"\s", "", text).lower()
