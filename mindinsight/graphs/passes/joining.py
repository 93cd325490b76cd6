"""Joins a program's function graphs into one message: functions become scopes, calls become edges."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import networkx as nx

from mindinsight.graphs.model.strings import sound
from summaries.schema.anf_ir_pb2 import DataType, GraphProto, InputProto, NodeProto, ValueProto

_BACKWARD = "Gradients/"
_CALL = "call "
_MARK = "@"


@dataclass(eq=False)
class Function:
    """A function graph.

    Attributes:
        graph: the message.
        fallback: name if the message has none.
        name: unique name.
        own: names that the function defines.
        output: name of its output node in the joined graph.
        calls: the called functions, by position of the calling node.
    """

    graph: GraphProto
    fallback: str
    name: str = ""
    prefix: str = ""
    own: frozenset[str] = frozenset()
    output: str = ""
    calls: dict[int, list[Function]] = field(default_factory=dict)

    def called(self, name: str) -> str:
        """Returns a name of the function as it is in the joined graph."""
        return self.prefix + name


def join(functions: list[Function]) -> GraphProto:
    """Joins several graphs into one.

    The names of the main graph stay. The names of functions get the function's name as prefix. A recursive call gets no
    edge if that would close a cycle.

    Args:
        functions: all graphs of the program, in any order.
    """
    named = _name(functions)
    for function in functions:
        function.calls = dict(_calls(function, named))
    entry = _entry(functions)
    for function in functions:
        function.prefix = "" if function is entry else f"{function.name}/"
        function.output = _output(function)
    calling: nx.DiGraph[str] = nx.DiGraph()
    calling.add_nodes_from(function.name for function in functions)
    calling.add_edges_from(
        (function.name, called.name) for function in functions for many in function.calls.values() for called in many
    )
    circle = {name: number for number, part in enumerate(nx.strongly_connected_components(calling)) for name in part}
    joined = GraphProto(name=entry.name)
    for function in [entry, *(function for function in functions if function is not entry)]:
        _add(joined, function, entry, named, circle)
    for output in entry.graph.outputs:
        joined.outputs.add().CopyFrom(output)
    return joined


def _name(functions: list[Function]) -> dict[str, Function]:
    named: dict[str, Function] = {}
    for function in functions:
        said = sound(function.graph.name).removeprefix(_MARK) or function.fallback
        name, number = said, 2
        while name in named:
            name, number = f"{said}#{number}", number + 1
        function.name = name
        named[name] = function
        graph = function.graph
        names = [node.name for node in graph.node] + [parameter.name for parameter in graph.parameters]
        function.own = frozenset([*names, *(constant.key for constant in graph.const_vals)])
    return named


def _calls(function: Function, named: dict[str, Function]) -> Iterator[tuple[int, list[Function]]]:
    """The functions that each node names: as its type, in a text attribute, or as an input."""
    texts = {constant.key: constant.value.str_val for constant in function.graph.const_vals}
    for place, node in enumerate(function.graph.node):
        said = [node.op_type, *(attribute.value.str_val for attribute in node.attribute)]
        said += [texts.get(item.name, "" if item.name in function.own else item.name) for item in node.input]
        found = [named[name] for text in said if (name := _plain(text)) in named]
        if found:
            yield place, list(dict.fromkeys(found))


def _plain(text: str) -> str:
    """`call @name` and `@name` name the same function as `name`."""
    return sound(text).removeprefix(_CALL).removeprefix(_MARK)


def _entry(functions: list[Function]) -> Function:
    """The graph that nobody calls; the first one if there are several."""
    called = {found.name for function in functions for many in function.calls.values() for found in many}
    return next((function for function in functions if function.name not in called), functions[0])


def _output(function: Function) -> str:
    graph = function.graph
    if graph.outputs and graph.outputs[0].name in function.own:
        return function.called(graph.outputs[0].name)
    last = graph.node[-1].name if graph.node else next((p.name for p in graph.parameters), "")
    return function.called(last) if last else ""


def _add(
    joined: GraphProto, function: Function, entry: Function, named: dict[str, Function], circle: dict[str, int]
) -> None:
    graph = function.graph
    for place, node in enumerate(graph.node):
        made = joined.node.add()
        made.CopyFrom(node)
        made.name = function.called(node.name) if node.name else ""
        if function is not entry:
            made.scope = _scope(function.name, sound(node.scope))
        called = function.calls.get(place, [])
        del made.input[:]
        for item in node.input:
            if item.name in function.own or _plain(item.name) not in named:
                name = function.called(item.name) if item.name in function.own else item.name
                made.input.add(name=name, type=item.type)
        _link(made, [found for found in called if circle[found.name] != circle[function.name]])
        if called:
            made.attribute.add(name="calls").value.CopyFrom(_texts([found.name for found in called]))
    for parameter in graph.parameters:
        added = joined.parameters.add()
        added.CopyFrom(parameter)
        added.name = function.called(parameter.name)
    for constant in graph.const_vals:
        kept = joined.const_vals.add()
        kept.CopyFrom(constant)
        kept.key = function.called(constant.key)


def _link(node: NodeProto, called: list[Function]) -> None:
    for function in called:
        if function.output:
            node.input.add(name=function.output, type=InputProto.CONTROL_EDGE)


def _texts(names: list[str]) -> ValueProto:
    return ValueProto(dtype=DataType.DT_STRINGS, str_vals=names)


def _scope(function: str, scope: str) -> str:
    """Puts the scope of the function around a node's scope. The prefix of backward nodes stays in front."""
    if scope.startswith(_BACKWARD):
        return f"{_BACKWARD}{function}/{scope.removeprefix(_BACKWARD)}"
    return f"{function}/{scope}" if scope else function
