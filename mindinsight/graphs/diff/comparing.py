"""Compares matched nodes: which differ, and how. Called by `result`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest

import numpy as np
import numpy.typing as npt
import orjson

from mindinsight.graphs.diff.batch import BatchChange
from mindinsight.graphs.diff.pair import GraphPair, Nodes, edges_of
from mindinsight.graphs.substructures.equivalence import structural_attributes
from mindinsight.graphs.substructures.work import CONTROL_CLASS, Integers

Mask = npt.NDArray[np.bool]
_COLUMNS = ("op", "type", "value")
Wire = tuple[int, int, int]
"""Source in the right graph's numbering (below 0 for a removed one), slot, kind."""


@dataclass(frozen=True, slots=True)
class Difference:
    """One difference of a node.

    Attributes:
        field: `op`, `type`, `value`, `output`, `attr:NAME`, or `input:PORT`.
        left: the old value, or None.
        right: the new value, or None.
    """

    field: str
    left: str | None
    right: str | None


class Comparison:
    """Compares the matched nodes of two graphs.

    Args:
        pair: the graphs.
        right_of: the right node of each left node, or -1.
        batch: a change of the batch, which alone is no difference.
    """

    def __init__(self, pair: GraphPair, right_of: Integers, batch: BatchChange | None = None) -> None:
        self._pair, self._batch = pair, batch
        self._lefts: Nodes = np.flatnonzero(right_of >= 0)
        self._rights: Nodes = right_of[self._lefts].astype(np.int64)
        # Each removed node has a number below 0.
        self.named: Nodes = np.where(right_of >= 0, right_of, -1 - np.arange(len(right_of)))
        self._outputs = (set(pair.left.outputs.tolist()), set(pair.right.outputs.tolist()))

    def changed(self) -> Nodes:
        """Returns the right graph's numbers of the matched nodes that differ."""
        pair, rights = self._pair, self._rights + self._pair.split
        differs = np.zeros(len(self._lefts), np.bool)
        for column, numbers in pair.numbers.items():
            different = numbers[self._lefts] != numbers[rights]
            if self._batch is not None and column != "op":
                different[different] = ~self._explained(column, different)
            differs |= different
        was, now = (np.zeros(len(graph), np.bool) for graph in (pair.left, pair.right))
        was[pair.left.outputs], now[pair.right.outputs] = True, True
        differs |= was[self._lefts] != now[self._rights]
        differs |= self._rewired()
        return self._rights[differs]

    def _explained(self, column: str, different: Mask) -> Mask:
        """Which of the nodes that differ in a column differ there in the batch alone."""
        texts = np.stack(
            [
                np.asarray(getattr(self._pair.left, column))[self._lefts[different]],
                np.asarray(getattr(self._pair.right, column))[self._rights[different]],
            ]
        )
        pairs, which = np.unique(texts, axis=1, return_inverse=True)
        left, right = self._pair.left.strings, self._pair.right.strings
        convert = structural_attributes if column == "attributes" else str
        same = [self._is_explained(convert(left[was]), convert(right[now])) for was, now in pairs.T.tolist()]
        return np.asarray(same, np.bool)[which.ravel()]

    def _is_explained(self, left: str, right: str) -> bool:
        """Whether a change of the batch explains the difference of two texts."""
        return self._batch is not None and self._batch.explains(left, right)

    def _rewired(self) -> Mask:
        """Which matched nodes have different inputs, or the same at different ports if the order matters."""
        pair = self._pair
        sizes = np.diff(pair.in_ptr)
        rights = self._rights + pair.split
        differs = np.asarray(sizes[self._lefts] != sizes[rights])
        kept = np.flatnonzero(~differs)
        ends, mine = edges_of(pair.in_ptr, self._lefts[kept])
        _, others = edges_of(pair.in_ptr, rights[kept])
        owner = np.repeat(kept, np.diff(ends))
        left = self._wires(mine, self.named[pair.in_src[mine]])
        right = self._wires(others, pair.in_src[others].astype(np.int64) - pair.split)
        loose = np.zeros(len(differs), np.bool)
        loose[owner[(left[:, 0] >= CONTROL_CLASS) | (right[:, 0] >= CONTROL_CLASS)]] = True
        sorting = loose[owner]
        for rows in (left, right):
            rows[sorting] = rows[sorting][np.lexsort((*rows[sorting].T[::-1], owner[sorting]))]
        differs[owner[(left != right).any(axis=1)]] = True
        return differs

    def _wires(self, edges: Nodes, sources: Nodes) -> npt.NDArray[np.int64]:
        pair = self._pair
        return np.stack([pair.in_class[edges], sources, pair.in_slot[edges], pair.in_kind[edges]], axis=1)

    def differences(self, left: int, right: int) -> list[Difference]:
        """Returns the differences of two matched nodes.

        Args:
            left: number of the left node.
            right: number of the right node.
        """
        pair, found = self._pair, []
        for column in _COLUMNS:
            if pair.numbers[column][left] == pair.numbers[column][right + pair.split]:
                continue
            texts = (pair.left.text(column, left), pair.right.text(column, right))
            if column == "op" or not self._is_explained(*texts):
                found.append(Difference(column, *texts))
        texts = (pair.left.text("attributes", left), pair.right.text("attributes", right))
        attributes = (structural_attributes(texts[0]), structural_attributes(texts[1]))
        if not self._is_explained(*attributes):
            found += _attribute_differences(*attributes)
        was, now = left in self._outputs[0], right in self._outputs[1]
        if was != now:
            found.append(Difference("output", orjson.dumps(was).decode(), orjson.dumps(now).decode()))
        found += self._input_differences(left, right)
        return found

    def _input_differences(self, left: int, right: int) -> Iterator[Difference]:
        pair = self._pair
        mine = [(int(self.named[source]), slot, int(kind)) for source, slot, kind in pair.left.inputs(left)]
        others = [(source, slot, int(kind)) for source, slot, kind in pair.right.inputs(right)]
        ports = pair.in_class[pair.in_ptr[left] : pair.in_ptr[left + 1]]
        was, now = _different_wires(mine, others, ordered=not (ports >= CONTROL_CLASS).any())
        for before, after in zip_longest(was, now):
            port = (after or before)[0]
            yield Difference(
                f"input:{port}",
                self._said(before[1]) if before else None,
                self._said(after[1]) if after else None,
            )

    def _said(self, wire: Wire) -> str:
        """The name of a source. A matched source of the left graph has its name in the right graph."""
        node, slot, _ = wire
        graph, index = (self._pair.right, node) if node >= 0 else (self._pair.left, -1 - node)
        return f"{graph.text('op', index)} {graph.text('name', index)}" + (f":{slot}" if slot else "")


def _different_wires(
    mine: list[Wire], others: list[Wire], *, ordered: bool
) -> tuple[list[tuple[int, Wire]], list[tuple[int, Wire]]]:
    """The different inputs of two nodes, with their ports.

    Args:
        mine: the inputs of the first node, by port.
        others: the inputs of the other node.
        ordered: whether the order of ports matters; otherwise inputs are compared as multisets.
    """
    if not ordered:
        gone, come = Counter(mine) - Counter(others), Counter(others) - Counter(mine)
        was = [(port, wire) for port, wire in enumerate(mine) if _take(gone, wire)]
        return was, [(port, wire) for port, wire in enumerate(others) if _take(come, wire)]
    if len(mine) == len(others):
        ports = [port for port, wire in enumerate(mine) if wire != others[port]]
        return [(port, mine[port]) for port in ports], [(port, others[port]) for port in ports]
    first, last = _common_ends(mine, others)
    return list(enumerate(mine))[first : len(mine) - last], list(enumerate(others))[first : len(others) - last]


def _attribute_differences(left: str, right: str) -> list[Difference]:
    if left == right:
        return []
    was, now = _object(left), _object(right)
    return [
        Difference(f"attr:{name}", _json(was, name), _json(now, name))
        for name in sorted(was.keys() | now.keys())
        if _json(was, name) != _json(now, name)
    ]


def _object(text: str) -> dict[str, object]:
    """Attributes as an object. Text that is not a JSON object is kept unchanged."""
    if not text:
        return {}
    try:
        attributes = orjson.loads(text)
    except orjson.JSONDecodeError:
        return {"": text}
    return attributes if isinstance(attributes, dict) else {"": attributes}


def _json(attributes: dict[str, object], name: str) -> str | None:
    return orjson.dumps(attributes[name], option=orjson.OPT_SORT_KEYS).decode() if name in attributes else None


def _take(left: Counter[Wire], wire: Wire) -> bool:
    if not left[wire]:
        return False
    left[wire] -= 1
    return True


def _common_ends(one: list[Wire], other: list[Wire]) -> tuple[int, int]:
    """The number of equal wires at the beginning, and at the end of the rest."""
    most = min(len(one), len(other))
    first = next((place for place in range(most) if one[place] != other[place]), most)
    most -= first
    last = next((place for place in range(most) if one[-1 - place] != other[-1 - place]), most)
    return first, last
