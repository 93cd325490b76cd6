"""Marks the operators that the training core does not have, before anybody runs a model. The adapters use it.

`known_operators.json` is made from the core's tables by `make operators`: the dashboard does not import the core.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import orjson

from mindinsight.graphs.model.builder import GraphBuilder
from mindinsight.graphs.model.defects import DefectCode

__all__ = ["mark_missing", "missing_onnx", "missing_operator"]

_FILE = Path(__file__).with_name("known_operators.json")


def missing_operator(name: str) -> str:
    """Why an operator of MindSpore cannot be run; empty if it can."""
    if name in _known()["mindspore"]:
        return ""
    return f"ms.load has no operator {name}."


def missing_onnx(domain: str, name: str, opset: int) -> str:
    """Why an operator of ONNX cannot be run; empty if it can.

    Args:
        domain: its domain; empty for ONNX's own operators.
        name: its name.
        opset: the version of its domain.
    """
    since = _known()["onnx"].get(f"{domain}:{name}")
    within = f"{domain} {opset}" if domain else f"opset {opset}"
    if since is None:
        return f"ms.load_onnx has no operator {name} ({within})."
    return "" if since <= opset else f"ms.load_onnx has {name} from opset {since} on, and the model has {within}."


def mark_missing(builder: GraphBuilder, node: int, title: str, reason: str) -> None:
    """Adds a defect for an operator that cannot be run.

    Args:
        builder: the builder of the graph.
        node: the index of the node.
        title: the node for people.
        reason: why it cannot be run.
    """
    builder.defects.add(DefectCode.MISSING_OPERATOR, node, f"{title}: {reason}")


@cache
def _known() -> dict[str, dict[str, int]]:
    known: dict[str, dict[str, int]] = orjson.loads(_FILE.read_bytes())
    return known
