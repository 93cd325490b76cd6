"""Searches the nodes of a graph. Works on its columns of texts, and looks at each different text once."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import orjson

from mindinsight.graphs.json_text import json_text
from mindinsight.graphs.model import Graph, StringTable
from mindinsight.graphs.scene.nodes import node_row
from mindinsight.graphs.scene.scene import Scene
from mindinsight.graphs.scene.terms import Term, TermError, parse_terms

_COMMONEST = 100
MOST_SECONDS = 5.0
"""The time limit of a regular expression in seconds."""

_COLUMNS = {"type": ("op",), "shape": ("type",), "in": ("scope",), "source": ("source",), "": ("name", "full_name")}
Found = npt.NDArray[np.bool]


def search(graph: Graph, scene: Scene, query: str, first: int, count: int) -> dict[str, Any]:
    """Returns the nodes that match a query.

    Args:
        graph: the graph.
        scene: its scene.
        query: the query; an empty one matches everything.
        first: the number of the first row.
        count: the number of rows.
    """
    nothing: dict[str, Any] = {"total": 0, "first": first, "error": None, "rows": [], "by_op": {}}
    try:
        found = np.flatnonzero(matching(graph, parse_terms(query)))
    except TermError as error:
        problem = {"term": json_text(error.term), "start": error.start, "end": error.end, "message": str(error)}
        return {**nothing, "error": problem}
    ops, counts = np.unique(np.asarray(graph.op)[found], return_counts=True)
    often = np.lexsort((ops, -counts))[:_COMMONEST]
    rows = [node_row(graph, scene, int(node)) for node in found[first : first + count]]
    by_op = {json_text(graph.strings[int(ops[place])]): int(counts[place]) for place in often}
    return {**nothing, "total": len(found), "rows": rows, "by_op": by_op}


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
    numbers = np.asarray(getattr(graph, column))
    used = np.flatnonzero(np.bincount(numbers, minlength=len(graph.strings)))
    held = np.zeros(len(graph.strings), np.bool)
    begun = time.monotonic()
    for place, number in enumerate(used.tolist()):
        if test(graph.strings[number]):
            held[number] = True
        if place % 256 == 0 and time.monotonic() - begun > MOST_SECONDS:
            raise TermError("This takes too long in a graph of this size; search for a plain text.", column, 0, 0)
    return np.asarray(held[numbers])


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


def strings_with(strings: StringTable, text: str) -> Found:
    """Returns which texts of a table contain a text. The case of ASCII letters does not matter.

    Args:
        strings: the table.
        text: the text in lower case.
    """
    held = np.zeros(len(strings), np.bool)
    needle = text.encode("utf-8", "replace")
    data, offsets = np.asarray(strings.data), np.asarray(strings.offsets)
    if not needle or len(data) < len(needle):
        held[:] = not needle
        return held
    span = len(data) - len(needle) + 1
    at = np.flatnonzero(_is(data[:span], needle[0]))
    for distance, byte in enumerate(needle[1:], 1):
        at = at[_is(data[at + distance], byte)]
    which = np.searchsorted(offsets, at, side="right") - 1
    held[which[at + len(needle) <= offsets[which + 1]]] = True
    return held


def _is(data: npt.NDArray[np.uint8], byte: int) -> Found:
    letter = chr(byte)
    same = data == byte
    return np.asarray(same | (data == ord(letter.upper())) if letter.isascii() and letter.isalpha() else same)
