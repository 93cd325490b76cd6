"""The values that a run recorded under the name of a node of its graph. Used by the view of one node."""

from __future__ import annotations

from typing import Any

import orjson

from mindinsight.graphs.amounts import names_of
from mindinsight.graphs.api.drawn import Drawn
from mindinsight.graphs.json_text import json_text
from mindinsight.runs.models import Series
from summaries.kinds import Kind

_PAGES = {Kind.TENSOR: "tensors", Kind.HISTOGRAM: "distributions"}
_SUMMARIES = ("TensorSummary", "HistogramSummary")


def tags_of(drawn: Drawn, node: int) -> list[dict[str, Any]]:
    """Returns the tensors and histograms recorded under a node's name, or under the tag of a summary operator.

    Args:
        drawn: the graph. Only a graph of a run has such values.
        node: number of the node.
    """
    from mindinsight.graphs.model import NodeKind

    if drawn.source.run is None:
        return []
    graph = drawn.graph
    names = {graph.text("name", node), *names_of(graph.text("full_name", node))}
    if graph.kind[node] == NodeKind.OPERATOR:
        names.discard(graph.text("name", node))  # The value is only a number.
    if graph.text("op", node) in _SUMMARIES:
        names.update(_constant_texts(drawn, node))
    names.discard("")
    tags = [json_text(tag) for name in names for tag in (name, f"{name}/auto")]
    found = Series.objects.filter(kind__in=list(_PAGES), tag__in=tags, run=drawn.source.run, count__gt=0)
    rows = sorted({(_PAGES[Kind(kind)], tag) for kind, tag in found.values_list("kind", "tag")})
    return [{"kind": kind, "tag": tag} for kind, tag in rows]


def _constant_texts(drawn: Drawn, node: int) -> set[str]:
    from mindinsight.graphs.model import NodeKind

    texts = set()
    for source, _, _ in drawn.graph.inputs(node):
        value = drawn.graph.text("value", source)
        if drawn.graph.kind[source] == NodeKind.CONSTANT and value.startswith('"'):
            texts.add(str(orjson.loads(value)))
    return texts
