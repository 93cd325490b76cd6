"""Parses one function: its parameters, its blocks, its variables and those of the functions around it.

The parser of the body is passed in, so that nested functions can be parsed where they are defined.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from types import FunctionType
from typing import Any

from framework.ir.anf import FuncGraph, Location, Node, ValueNode
from framework.ir.errors import UnsupportedSyntaxError
from framework.ir.python_ops import Undefined, op
from framework.parse.binding import signature_of
from framework.parse.names import Scope, parameter_names, resolve
from framework.parse.reads import Read
from framework.parse.source import FunctionNode, Source
from framework.parse.ssa import Block

__all__ = ["FunctionParser"]


class FunctionParser:
    """Parses one function.

    Args:
        source: the source file.
        node: the function in the syntax tree.
        function: the outermost Python function around it, or itself. Its globals and closure are read.
        reads: receives a note of each value that is read from there.
        parse_body: parses the statements of a function.
        outer: the parser of the function around it.
        name: the variable that it is directly assigned to; it may call itself by this name.
    """

    def __init__(
        self,
        source: Source,
        node: FunctionNode,
        function: FunctionType,
        reads: list[Read],
        parse_body: Callable[[FunctionParser], None],
        outer: FunctionParser | None = None,
        name: str = "",
    ) -> None:
        self.source = source
        self.node = node
        self.function = function
        self.reads = reads
        self._parse_body = parse_body
        self.outer = outer
        self.own_name = name
        self.scope = Scope(node)
        self.signature = signature_of(node.args)
        self.declared: dict[str, FuncGraph] = {}
        self.loops: list[tuple[Block, Block]] = []
        self.conditional = 0
        self.counters = 0
        self._resolved: dict[str, ValueNode] = {}
        self._seen_now: dict[str, FuncGraph] = {}
        self.block: Block = None  # type: ignore[assignment]
        self.entry = self.block = self.new_block(_title(node), node)

    def graph(self) -> FuncGraph:
        """Parse it."""
        graph = self.entry.graph
        graph.signature = self.signature
        for name in parameter_names(self.node.args):
            self.entry.write(name, graph.add_parameter(name, location=graph.location))
        self._declare()
        self._parse_body(self)
        return graph

    def _declare(self) -> None:
        """Make graphs for all nested functions at the beginning, because they may call each other."""
        for name, node in self.scope.functions.items():
            graph = self.declared[name] = FuncGraph(_title(node), self.location(node))
            graph.order = []

    def nested(self, node: FunctionNode, name: str = "") -> FuncGraph:
        """The graph of a function within this one.

        Args:
            node: the function.
            name: the variable that it is directly assigned to.
        """
        parser = FunctionParser(self.source, node, self.function, self.reads, self._parse_body, self, name)
        if self.scope.functions.get(name) is node:
            parser.entry.graph = self.declared[name]
        parser.entry.graph.attrs["around"] = self.block.graph
        return parser.graph()

    def capturing(self, node: ast.AST, made: Node) -> Node:
        """A nested function or a generator's list, with a note of captured variables that may be set later."""
        late = sorted(self.scope.late(node))
        return self.apply(node, "captures", made, *late) if late else made

    def write(self, name: str, value: Node, node: ast.AST) -> None:
        """Set a variable, with a mark for inference if a nested function captures it."""
        if name in self.scope.watched:
            self.apply(node, "rebinds", name, value)
        self.block.write(name, value)

    def read(self, name: str, node: ast.AST) -> Node:
        """The value of a name where the parser is."""
        if name in self.declared:
            return self._declared(name, node)
        if name in self.scope:
            return self.block.read(name)
        return self._outside(name, node)

    def _declared(self, name: str, node: ast.AST) -> Node:
        """A nested function, read by its name. It captures the values that variables have here."""
        function = self.scope.functions[name]
        if not self.scope.late(function):
            return ValueNode(self.declared[name], location=self.location(node))
        if name in self._seen_now:
            return ValueNode(self._seen_now[name], location=self.location(node))
        outermost = not self._seen_now
        parser = FunctionParser(self.source, function, self.function, self.reads, self._parse_body, self, name)
        parser.signature.defaults = getattr(self.declared[name].signature, "defaults", {})
        parser.entry.graph.attrs["around"] = self.block.graph
        self._seen_now[name] = parser.entry.graph
        made = ValueNode(parser.graph(), location=self.location(node))
        if outermost:
            self._seen_now.clear()
        return self.capturing(function, made)

    def _outside(self, name: str, node: ast.AST) -> Node:
        if self.outer is not None:
            if name == self.own_name:
                return ValueNode(self.entry.graph, location=self.location(node))
            return self.outer.read(name, node)
        if name not in self._resolved:
            try:
                value = resolve(self.function, name, self.reads)
            except NameError as error:
                value = _Missing(str(error))
            self._resolved[name] = ValueNode(value, location=self.location(node))
        return self._resolved[name]

    def new_block(self, name: str, node: ast.AST, assigned: frozenset[str] | None = None) -> Block:
        """A block of this function. Every path to it passes the parser's present position."""
        block = Block(name, self._undefined, self.location(node), assigned)
        if self.block is not None:
            block.graph.attrs["around"] = self.block.graph
        return block

    def _undefined(self, name: str) -> Node:
        if name in self.scope:
            return ValueNode(Undefined(name, self.scope.lines(name)))
        return self._outside(name, self.node)

    def apply(self, node: ast.AST, function: Any, *arguments: Any) -> Node:
        """Make an application in the current block. An operator can be given by name."""
        applied = op(function) if isinstance(function, str) else function
        return self.block.graph.apply(applied, *arguments, location=self.location(node))

    def counter(self) -> str:
        """A variable that counts the iterations of a `for` loop. No program can contain its name."""
        self.counters += 1
        return f".for{self.counters}"

    def location(self, node: ast.AST) -> Location:
        """The place of a part of the syntax tree."""
        return self.source.location(node)

    def unsupported(
        self, node: ast.AST, what: str, instead: str, kind: type[UnsupportedSyntaxError] = UnsupportedSyntaxError
    ) -> None:
        """Raise an error for a construct that graph mode does not support.

        Raises:
            UnsupportedSyntaxError: always.
        """
        raise kind(f"graph mode does not support {what}; {instead}", self.location(node))


def _title(node: FunctionNode) -> str:
    return node.name if isinstance(node, ast.FunctionDef) else "lambda"


class _Missing(Undefined):
    """The value of a name that does not exist. It is an error only if the program uses it."""

    kind = NameError

    def __init__(self, complaint: str) -> None:
        super().__init__(complaint, ())

    def complaint(self) -> str:
        return self.name
