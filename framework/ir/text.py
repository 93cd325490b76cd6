"""The text of a program in the format of MindSpore's `.ir` files: values, attributes, types, scopes, source lines.

The text depends on nothing but the program, so tests can contain it. `framework.ir.reading` reads it back.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from framework.ir.anf import CNode, FuncGraph, Node, Parameter, ValueNode, is_graph
from framework.ir.manager import Manager

__all__ = ["constant_text", "graph_names", "to_text"]

MOST_ELEMENTS = 8
"""Tensors of more elements are shown without their values."""


def to_text(root: FuncGraph, *, notes: bool = True) -> str:
    """The text of a program.

    Args:
        root: the graph that the program is.
        notes: whether to show full names and source lines.
    """
    return _Printer(root, notes=notes).text()


def graph_names(manager: Manager) -> dict[FuncGraph, str]:
    """A unique name for each graph of a program: later graphs of the same name get a number."""
    names: dict[FuncGraph, str] = {}
    taken: set[str] = set()
    for graph in manager.graphs:
        base = "".join(letter if letter.isalnum() or letter in "_." else "_" for letter in graph.name)
        name, number = base, 2
        while name in taken:
            name, number = f"{base}_{number}", number + 1
        taken.add(name)
        names[graph] = name
    return names


class _Printer:
    def __init__(self, root: FuncGraph, *, notes: bool) -> None:
        self.root = root
        self.notes = notes
        self.manager = Manager(root)
        self.graphs = graph_names(self.manager)
        self.parameters: dict[Node, str] = {}
        self.numbers: dict[Node, int] = {}
        for graph in self.manager.graphs:
            for parameter in graph.parameters:
                self.parameters[parameter] = f"%para{len(self.parameters) + 1}_{parameter.name}"
            self.numbers.update((node, number) for number, node in enumerate(self.manager.nodes(graph)))

    def text(self) -> str:
        lines = [f"#IR entry: @{self.graphs[self.root]}", "#Attrs:", *_attributes(self.root), ""]
        lines.append(f"#Total params: {len(self.root.parameters)}")
        for parameter in self.root.parameters:
            default = "" if parameter.default is None else " : has_default"
            lines.append(f"{self.parameters[parameter]}: {_type(parameter)}{default}")
        lines += ["", f"#Total subgraphs: {len(self.manager.graphs)}"]
        for graph in self.manager.graphs:
            lines += ["", *self.graph(graph)]
        return "\n".join(lines) + "\n"

    def graph(self, graph: FuncGraph) -> list[str]:
        lines = ["subgraph attr:", *_attributes(graph)]
        types = ", ".join(_type(parameter) for parameter in graph.parameters)
        lines.append(f"# Parameters: {len(graph.parameters)}, ({types})")
        if self.notes and graph.location is not None:
            lines.append(f"# In file {graph.location}")
        around = self.manager.parent(graph)
        nested = "" if around is None else f" parent: [subgraph @{self.graphs[around]}]"
        parameters = ", ".join(self.parameters[parameter] for parameter in graph.parameters)
        lines.append(f"subgraph @{self.graphs[graph]}{nested}({parameters}) {{")
        for node in self.manager.nodes(graph):
            lines += self.node(graph, node)
        lines += [f"  Return({self.value(graph, graph.output)})", f"      : ({_type(graph.output)})", "}"]
        return lines

    def node(self, graph: FuncGraph, node: CNode) -> list[str]:
        arguments = ", ".join(self.value(graph, item) for item in node.arguments)
        attrs = getattr(node.operator, "attrs", None) if not is_graph(node.function) else None
        shown = f" primitive_attrs: {{{_pairs(attrs)}}}" if attrs else ""
        shown += f" cnode_attrs: {{{_pairs(node.marks)}}}" if node.marks else ""
        name = f"({node.name})" if node.name else ""
        lines = [f"  %{self.numbers[node]}{name} = {self.callee(graph, node.function)}({arguments}){shown}"]
        lines.append(f"      : ({', '.join(_type(item) for item in node.arguments)}) -> ({_type(node)})")
        if self.notes:
            if node.full_name:
                lines.append(f"      # Fullname with scope: ({node.full_name})")
            if node.location is not None:
                lines.append(f"      # In file {node.location}")
        return lines

    def callee(self, graph: FuncGraph, node: Node) -> str:
        if isinstance(node, ValueNode):
            return f"call @{self.graphs[node.value]}" if is_graph(node) else constant_text(node.value)
        return self.value(graph, node)

    def value(self, graph: FuncGraph, node: Node) -> str:
        if isinstance(node, ValueNode):
            return f"@{self.graphs[node.value]}" if is_graph(node) else constant_text(node.value)
        text = self.parameters[node] if isinstance(node, Parameter) else f"%{self.numbers[node]}"
        return text if node.graph is graph or node.graph is None else f"$(@{self.graphs[node.graph]}:{text})"


def constant_text(value: Any) -> str:
    """A constant as text."""
    if value is None or isinstance(value, bool | int | float | str | slice):
        return repr(value)
    if isinstance(value, tuple | list | dict):
        return _container_text(value)
    if hasattr(value, "asnumpy") and not isinstance(value, type):
        array = np.asarray(value.asnumpy())
        elements = str(array.tolist()) if array.size <= MOST_ELEMENTS else "..."
        return f"Tensor(shape={list(array.shape)}, dtype={value.dtype}, value={elements})"
    if hasattr(value, "attrs") and hasattr(value, "name") and not isinstance(value, type):
        return str(value.name)
    if isinstance(value, type) or callable(value):
        return f"<{getattr(value, '__qualname__', type(value).__name__)}>"
    text = repr(value)
    return text if " at 0x" not in text else f"<{type(value).__name__}>"


def _container_text(value: tuple[Any, ...] | list[Any] | dict[Any, Any]) -> str:
    if isinstance(value, dict):
        return f"{{{', '.join(f'{constant_text(key)}: {constant_text(item)}' for key, item in value.items())}}}"
    items = ", ".join(map(constant_text, value))
    if isinstance(value, list):
        return f"[{items}]"
    return f"({items}{',' if len(value) == 1 else ''})"


def _pairs(attrs: dict[str, Any]) -> str:
    return ", ".join(f"{name}: {constant_text(value)}" for name, value in attrs.items())


def _type(node: Node) -> str:
    return "<?>" if node.abstract is None else str(node.abstract)


def _attributes(graph: FuncGraph) -> list[str]:
    return [f"{name}: {value}" for name, value in graph.attrs.items() if isinstance(value, str | int)]
