"""PyTorch's traces in TensorBoard's graphs: scopes, names and constants. Used by `tensorboard`.

`torch/utils/tensorboard/_pytorch_graph.py` names a node by the modules around it and its value
(`Net/Conv2d[0]/input.3`), writes attributes as text, and leaves modules out, which `prim::GetAttr` still names as
inputs.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from summaries.schema.tensorboard_graph_pb2 import NodeDef

ATTRIBUTE, CONSTANT, END = "prim::GetAttr", "prim::Constant", "IO Node"
"""Operators that read an attribute of a module, that give a constant, and inputs and outputs of the graph."""

_LIST = "prim::ListConstruct"
TORCH_TYPES = ("aten::", "prim::")
"""The beginnings of the types of PyTorch's operators."""
_VALUE = re.compile(r"\{ ?value ?: *(.*?) *\}", re.DOTALL)


class TraceNode(NamedTuple):
    """What the text of a node says.

    Attributes:
        scope: the module around it.
        full_name: its module and the type of its operator, numbered if the module has several of these; of a parameter
            the module and the attribute.
        inputs: the inputs that exist.
        constant: the value of a constant as text, or None.
    """

    scope: str
    full_name: str
    inputs: list[str]
    constant: str | None


class Trace:
    """The nodes of a trace.

    Args:
        nodes: all nodes.
    """

    def __init__(self, nodes: Iterable[NodeDef]) -> None:
        self._nodes = {node.name: node for node in nodes}
        self._used: Counter[str] = Counter()
        self._lists = self._constant_lists()
        self._hidden = self._only_in_lists()

    def read(self, node: NodeDef) -> TraceNode | None:
        """Returns what the text of a node says; None for a constant that is only an element of constant lists."""
        if node.name in self._hidden:
            return None
        scope, full_name = self._names(node)
        if node.name in self._lists:
            return TraceNode(scope, full_name, [], self._lists[node.name])
        inputs = list(node.input)
        if node.op == ATTRIBUTE:
            inputs = [name for name in inputs if name and name in self._nodes]
        return TraceNode(scope, full_name, inputs, _constant(node))

    def _names(self, node: NodeDef) -> tuple[str, str]:
        scope, _, value = node.name.rpartition("/")
        if node.op == ATTRIBUTE and scope:
            # The last module is the attribute: `Conv2d[0]/weight/weight.5`.
            return scope.rpartition("/")[0], scope
        if node.op == END:
            return "", value.partition(".")[0] or node.name
        if not node.op.startswith(TORCH_TYPES):
            return scope, node.name
        title = node.op.partition("::")[2].strip("_")
        name = f"{scope}/{title}" if scope else title
        self._used[name] += 1
        return scope, name if self._used[name] == 1 else f"{name}_{self._used[name] - 1}"

    def _constant_lists(self) -> dict[str, str]:
        """The values of lists that have only constants."""
        found = {}
        for node in self._nodes.values():
            if node.op == _LIST:
                items = [_constant(self._nodes[name]) if name in self._nodes else None for name in node.input]
                if None not in items:
                    found[node.name] = f"[{', '.join(map(str, items))}]"
        return found

    def _only_in_lists(self) -> set[str]:
        elements = {name for each in self._lists for name in self._nodes[each].input}
        read = {name for node in self._nodes.values() if node.name not in self._lists for name in node.input}
        return elements - read


def is_trace(nodes: Iterable[NodeDef]) -> bool:
    """Whether a graph has operators of PyTorch."""
    return any(node.op.startswith(TORCH_TYPES) for node in nodes)


def _constant(node: NodeDef) -> str | None:
    if node.op != CONSTANT:
        return None
    text = node.attr["attr"].s.decode("utf-8", "replace") if "attr" in node.attr else ""
    match = _VALUE.fullmatch(text.strip())
    return match[1] if match else "None"
