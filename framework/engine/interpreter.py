"""A plain interpreter of the IR. It defines the meaning of programs; passes and the compiler are checked against it.

It runs programs as parsed, on Python values, and programs after inference, on arrays. It keeps calls on a stack of its
own, and a tail call replaces its caller, so loops and recursion are limited by memory only.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import numpy as np

from framework.ir.anf import CNode, FuncGraph, Node, ValueNode
from framework.ir.manager import Manager
from framework.ir.operators import STATE, Structural
from framework.ir.python_ops import Undefined, op
from framework.parse.binding import bind

__all__ = ["Closure", "Frame", "Machine", "interpret"]


class Frame:
    """The values of one activation of a graph; `graph` is None outside of all of them."""

    __slots__ = ("around", "graph", "values")

    def __init__(self, around: Frame | None, graph: FuncGraph | None = None) -> None:
        self.around = around
        self.graph = graph
        self.values: dict[Node, object] = {}

    def find(self, node: Node) -> object:
        """The value of a node of the graph or of one around it."""
        frame: Frame | None = self
        while frame is not None:
            if node in frame.values:
                return frame.values[node]
            frame = frame.around
        raise LookupError(f"{node} has no value")


class Closure:
    """A function graph with the activation that has its free variables."""

    def __init__(self, graph: FuncGraph, frame: Frame | None) -> None:
        self.graph = graph
        self.frame = frame

    def __call__(self, *arguments: object, **named: object) -> Any:
        """Run it."""
        return Machine().run(self, _bound(self, arguments, named))


_Call = tuple[Closure, list[object]]


def interpret(root: FuncGraph, *arguments: object, **named: object) -> Any:
    """Run a program.

    Args:
        root: the outermost graph of the program.
        arguments: the values of its parameters.
        named: the values that are passed by name.
    """
    return Closure(root, None)(*arguments, **named)


class Machine:
    """Runs one call of a program to its end."""

    def __init__(self) -> None:
        self.orders: dict[FuncGraph, list[CNode]] = {}
        #: By graph, the one that it is nested in.
        self.parents: dict[FuncGraph, FuncGraph | None] = {}

    def run(self, closure: Closure, arguments: list[object]) -> Any:
        """The result of a call."""
        stack = [self.activation(closure, arguments)]
        value: Any = None
        while stack:
            try:
                called, given = stack[-1].send(value)
                stack.append(self.activation(called, given))
                value = None
            except StopIteration as end:
                stack.pop()
                value = end.value
        return value

    def activation(self, closure: Closure, arguments: list[object]) -> Generator[_Call, Any, Any]:
        """Run the nodes of a graph in their order; yields each call of another graph, and is sent its value."""
        while True:
            graph = closure.graph
            frame = Frame(closure.frame, graph)
            frame.values.update(zip(graph.parameters, arguments, strict=True))
            for node in self.order(graph):
                function, *given = [self.value(frame, item) for item in node.inputs]
                named: dict[str, Any] = {}
                if function is op("call_with") and isinstance(given[0], Closure):
                    function, given, named = given[0], list(given[1]), given[2]
                if not isinstance(function, Closure):
                    frame.values[node] = self.apply(node, function, given)
                elif node is graph.output:
                    closure, arguments = function, _bound(function, tuple(given), named)
                    self.leave(frame)
                    break
                else:
                    frame.values[node] = yield function, _bound(function, tuple(given), named)
            else:
                value = _defined(self.value(frame, graph.output))
                self.leave(frame)
                return value

    def leave(self, frame: Frame) -> None:
        """Called when an activation has ended; functions within it may still read its values."""

    def order(self, graph: FuncGraph) -> list[CNode]:
        """The nodes of a graph in an order in which they can run."""
        if graph not in self.orders:
            manager = Manager(graph)
            self.orders.update((inner, manager.nodes(inner)) for inner in manager.graphs)
            self.parents.update((inner, manager.parent(inner)) for inner in manager.graphs)
        return self.orders[graph]

    def value(self, frame: Frame, node: Node) -> Any:
        """The value of a node in an activation."""
        if not isinstance(node, ValueNode):
            return frame.find(node)
        if not isinstance(node.value, FuncGraph):
            return self.constant(node.value)
        return Closure(node.value, self.enclosing_frame(frame, node.value))

    def enclosing_frame(self, frame: Frame, graph: FuncGraph) -> Frame | None:
        """The activation of the graph that one is nested in, as one of the inner activations sees it.

        The others are not kept: a loop whose rounds call each other needs the memory of one round. A graph as parsed
        has a signature, whose defaults may be values of any activation around it.
        """
        if graph.signature is not None or graph not in self.parents:
            return frame
        found: Frame | None = frame
        while found is not None and found.graph is not self.parents[graph]:
            found = found.around
        return found

    def constant(self, value: object) -> object:
        """A constant of the program as kernels get it."""
        return value.asnumpy() if hasattr(value, "asnumpy") else value

    def apply(self, node: CNode, function: Any, arguments: list[Any]) -> Any:
        """The result of a node that calls an operator, or another function that is not part of the program."""
        del node
        for argument in (function, *arguments):
            _defined(argument)
        given = [argument for argument in arguments if argument is not STATE]
        if isinstance(function, Structural):
            return function.run(*arguments)
        if hasattr(function, "run"):
            return function.run(*given)
        return function.compute(np, *given) if hasattr(function, "compute") else function(*arguments)


def _bound(function: object, positional: tuple[object, ...], named: dict[str, Any]) -> list[Any]:
    """The arguments of a closure in the order of its parameters; other functions get them as they are."""
    if not isinstance(function, Closure) or function.graph.signature is None:
        return [*positional, *named.values()]
    frame = function.frame or Frame(None)
    return bind(function.graph.signature, positional, named, lambda node: Machine().value(frame, node), tuple, dict)


def _defined(value: object) -> object:
    """A value, if the program has assigned one."""
    if isinstance(value, Undefined):
        raise UnboundLocalError(value.complaint())
    return value
