"""The fusion report beside a program's dumps: which operators were fused, which were not, and why."""

from __future__ import annotations

from collections import Counter

from framework.ir.abstract import AbstractTensor
from framework.ir.anf import FUSION, CNode, FuncGraph
from framework.ir.manager import Manager
from framework.ir.text import graph_names
from framework.kernels.fused import supports
from framework.ops.primitive import Primitive
from framework.opt.fusion.fusable import step_type

__all__ = ["fusion_text"]


def fusion_text(root: FuncGraph) -> str:
    """The report: the operators of each cluster, and for each other operator the reason why it is in no cluster.

    Args:
        root: the program, with its marks.
    """
    manager = Manager(root)
    names = graph_names(manager)
    clusters: dict[int, list[str]] = {}
    others: Counter[tuple[str, str]] = Counter()
    for graph in manager.graphs:
        for node in manager.nodes(graph):
            if FUSION in node.marks:
                lines = clusters.setdefault(node.marks[FUSION], [f"in {names[graph]}: {node.abstract}"])
                lines.append(f"    {node.operator.name}  {node.full_name}".rstrip())
            elif isinstance(node.operator, Primitive):
                others[_reason(node), node.operator.name] += 1
    lines = [f"{len(clusters)} kernels of {sum(len(c) - 1 for c in clusters.values())} operators", ""]
    for number, cluster in clusters.items():
        lines += [f"kernel {number} {cluster[0]}", *cluster[1:], ""]
    for reason in dict.fromkeys(reason for reason, _ in others):
        found = [f"{name} ({count})" for (why, name), count in others.items() if why == reason]
        lines.append(f"{reason}: {', '.join(found)}")
    return "\n".join([*lines, ""])


def _reason(node: CNode) -> str:
    if step_type(node) is not None:
        return "element-wise, with no neighbour that can run at the same time, and numpy's kernel is as good"
    tensors = [item.abstract for item in (*node.arguments, node) if isinstance(item.abstract, AbstractTensor)]
    if not any(supports(type(node.operator).__name__, kind) for kind in ("bool", "int64", "float32")):
        return "no operator that is computed element by element, or none that kernels know"
    if any(None in tensor.shape for tensor in tensors):
        return "shapes are known only when the program runs"
    return "element types that kernels do not know"
