"""Readable names of sub-structures: the class in a matching scope, or else the main operators."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter

import numpy as np

from mindinsight.graphs.model import Graph, NodeKind
from mindinsight.graphs.model.torch_trace import TORCH_TYPES
from mindinsight.graphs.substructures.equivalence import BACKWARD, OPTIMIZER
from mindinsight.graphs.substructures.work import Rows

_PLUMBING = frozenset(
    {
        *("Load", "Depend", "UpdateState", "TupleGetItem", "MakeTuple", "tuple_getitem", "make_tuple"),
        *("Reshape", "Transpose", "Cast", "Identity", "Parameter", "Constant", "Missing"),
        *("GetAttr", "ListConstruct", "TupleConstruct", "TupleUnpack", "ListUnpack", "NumToTensor", "Int", "size"),
    }
)
_SAMPLES = 5
_AGREEMENT = 0.5
"""Minimum Jaccard index between a sub-structure and the scope that names it."""
_PREFIX = re.compile(r"^[^-]*-(?=[A-Za-z_])")
_ATTRIBUTE = re.compile(r"(?<=\w)\[[^\[\]]+\]$")
"""The attribute in a scope of PyTorch's traces: `Sequential[layer1]`."""
_NUMBERED = re.compile(r"[._\[(]*\d+[\])]*$")


class Namer:
    """Names the sub-structures of one graph.

    Args:
        graph: the graph.
    """

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        operators = graph.kind == NodeKind.OPERATOR
        used, counts = np.unique(np.asarray(graph.scope)[operators], return_counts=True)
        texts = graph.strings.many(used)
        order = sorted(range(len(texts)), key=texts.__getitem__)
        self._scopes = [texts[place] for place in order]
        self._before = np.concatenate([[0], np.cumsum(counts[order])])

    def name(self, nodes: Rows, phase: int) -> str:
        """Returns a name for occurrences.

        Args:
            nodes: the occurrences.
            phase: forward, backward, optimizer.
        """
        chosen = nodes[np.unique(np.linspace(0, len(nodes) - 1, _SAMPLES + 2)[1:-1].round().astype(int))]
        votes = Counter(filter(None, (self._class_of(row) for row in chosen)))
        found, agreeing = votes.most_common(1)[0] if votes else ("", 0)
        if 2 * agreeing <= len(chosen):
            found = ""
        if phase == BACKWARD:
            return f"{found} gradient" if found else self._operators(nodes)
        if phase == OPTIMIZER and found.lower().startswith("optimizer"):
            found = ""
        return found or self._operators(nodes)

    def _class_of(self, row: Rows) -> str:
        """The class whose scope matches an occurrence best."""
        operators = [int(node) for node in row if self._graph.kind[node] == NodeKind.OPERATOR]
        inside: Counter[str] = Counter()
        for number, count in Counter(int(self._graph.scope[node]) for node in operators).items():
            parts = self._graph.strings[number].split("/")
            for depth in range(1, len(parts) + 1):
                inside["/".join(parts[:depth])] += count
        best, found = _AGREEMENT, ""
        for prefix, count in inside.items():
            if not prefix or count < _AGREEMENT * len(operators):
                continue
            agreement = count / (len(operators) + self._total(prefix) - count)
            if agreement > best or (agreement == best and len(prefix) < len(found)):
                best, found = agreement, prefix
        return plain_name(found.rpartition("/")[2])

    def _total(self, prefix: str) -> int:
        """The number of operators in a scope."""
        scopes, before = self._scopes, self._before
        at = bisect_left(scopes, prefix)
        own = before[at + 1] - before[at] if at < len(scopes) and scopes[at] == prefix else 0
        # In the order of texts, the ones that begin with "A/" end before "A0".
        below = before[bisect_left(scopes, prefix + "0")] - before[bisect_left(scopes, prefix + "/")]
        return int(own + below)

    def _operators(self, nodes: Rows) -> str:
        """The main operators in their order, at most three."""
        ops = [_plain_type(self._graph.text("op", int(node))) for node in np.sort(nodes[0])]
        telling = [op for op in ops if op not in _PLUMBING] or ops
        names = list(dict.fromkeys(telling))
        if len(names) > 3:
            often = Counter(telling)
            kept = {name for name, _ in often.most_common(3)}
            return " + ".join(name for name in names if name in kept) + " …"
        return " + ".join(names)


def plain_name(component: str) -> str:
    """Returns a scope's last part without the instance number: `3-EncoderLayer` gives EncoderLayer."""
    return _NUMBERED.sub("", _ATTRIBUTE.sub("", _PREFIX.sub("", component))) or component


def _plain_type(op: str) -> str:
    """Returns an operator's type without the name space of PyTorch's: `aten::_convolution` gives convolution."""
    return op.partition("::")[2].lstrip("_") or op if op.startswith(TORCH_TYPES) else op
