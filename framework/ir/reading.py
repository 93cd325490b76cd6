"""Reads the text of a program back (`framework.ir.text` writes it), so that tests can hold programs as text."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from framework.common.parameter import Parameter as Weight
from framework.common.tensor import Tensor
from framework.ir import operators
from framework.ir.abstract import Abstract, AbstractFunction, AbstractTensor
from framework.ir.anf import CNode, FuncGraph, Location, Node, ValueNode
from framework.ir.literals import TextError, outside, parts, read_constant, read_type
from framework.ir.operators import SymbolicKey, abstract_of

__all__ = ["TextError", "read_location", "read_text", "read_type"]

Resolve = Callable[[str, dict[str, Any]], Any]
"""From an operator's name and attributes to the operator."""

_HEAD = re.compile(r"subgraph @(?P<name>[\w.]+)(?: parent: \[[^]]*\])?\((?P<parameters>.*)\) \{")
_NODE = re.compile(r"  %(?P<number>\d+)(?:\((?P<name>[^)]*)\))? = (?P<rest>.*)")
_TYPES = re.compile(r"# Parameters: \d+, \((?P<types>.*)\)")
_DEFAULT = re.compile(r"(?P<parameter>%para\d+_.*): <.*> : has_default")
_ATTRIBUTE = re.compile(r"(?P<name>\w+): (?P<value>.*)")
_PLACE = re.compile(
    r"(?:# )?In file (?P<file>.*?):(?P<line>\d+)(?:~(?P<end>\d+))?, (?P<from>\d+)~(?P<to>\d+)/(?P<source>.*)/"
)
_ATTRIBUTES = " primitive_attrs: "
_MARKS = " cnode_attrs: "


@dataclass
class _Row:
    """A node's line, and the types of its arguments from the line below."""

    node: CNode
    text: str
    types: list[Abstract | None] = field(default_factory=list)


@dataclass
class _Body:
    graph: FuncGraph
    nodes: dict[str, Node] = field(default_factory=dict)
    rows: list[_Row] = field(default_factory=list)
    output: str = ""
    type: Abstract | None = None


@dataclass
class _Head:
    """The lines above the next graph."""

    types: list[Abstract | None] = field(default_factory=list)
    attrs: dict[str, Any] = field(default_factory=dict)
    location: Location | None = None


def read_text(text: str, resolve: Resolve | None = None) -> FuncGraph:
    """Read a program from its text.

    Args:
        text: a text as `to_text` returns it; only the first line of each node is needed.
        resolve: finds operators that are not the IR's own, such as primitives.

    Raises:
        TextError: a line cannot be read; the message names it.
    """
    return _Reader(text, resolve or _no_operator).program()


def _no_operator(name: str, attrs: dict[str, Any]) -> Any:
    raise TextError(f"there is no operator {name}")


class _Reader:
    def __init__(self, text: str, resolve: Resolve) -> None:
        self.lines = text.split("\n")
        self.resolve = resolve
        self.bodies: dict[str, _Body] = {}
        self.defaults: set[str] = set()
        self.keys: dict[str, SymbolicKey] = {}

    def program(self) -> FuncGraph:
        self._rows()
        for body in self.bodies.values():
            for row in body.rows:
                self._inputs(body, row)
            body.graph.output = self._typed(self._value(body, body.output), body.type)
        return next(iter(self.bodies.values())).graph

    def _rows(self) -> None:
        """Make the graphs and their nodes, without inputs."""
        body: _Body | None = None
        head = _Head()
        for line in self.lines:
            if found := _HEAD.fullmatch(line):
                body, head = self._open(found["name"], found["parameters"], head), _Head()
            elif line == "}":
                body = None
            elif body is None:
                self._above(line, head)
            elif found := _NODE.fullmatch(line):
                node = CNode(body.graph, (), name=found["name"] or "")
                body.nodes[f"%{found['number']}"] = node
                body.rows.append(_Row(node, found["rest"]))
            elif line.startswith("  Return("):
                body.output = line[len("  Return(") : -1]
            elif body.output and line.startswith("      : ("):
                body.type = read_type(line.strip()[len(": (") : -1])
            elif body.rows and line.startswith("      "):
                _note(body.rows[-1], line.strip())

    def _above(self, line: str, head: _Head) -> None:
        if found := _TYPES.fullmatch(line):
            head.types = [read_type(part) for part in parts(found["types"])]
        elif found := _DEFAULT.fullmatch(line):
            self.defaults.add(found["parameter"])
        elif (place := read_location(line)) is not None:
            head.location = place
        elif line.startswith("subgraph attr:"):
            head.attrs = {}
        elif found := _ATTRIBUTE.fullmatch(line):
            value = found["value"]
            head.attrs[found["name"]] = read_constant(value, str)

    def _open(self, name: str, parameters: str, head: _Head) -> _Body:
        body = self.bodies[name] = _Body(FuncGraph(name, head.location))
        body.graph.attrs.update(head.attrs)
        names = parts(parameters)
        for text, abstract in zip(names, head.types or [None] * len(names), strict=True):
            parameter = body.graph.add_parameter(text.partition("_")[2], abstract=abstract)
            if text in self.defaults and isinstance(abstract, AbstractTensor):
                elements = np.zeros([dim or 0 for dim in abstract.shape], abstract.dtype.numpy)
                parameter.default = Weight(Tensor(elements), parameter.name)
            body.nodes[text] = parameter
        return body

    def _inputs(self, body: _Body, row: _Row) -> None:
        text, marks = _split(row.text, _MARKS)
        text, attributes = _split(text, _ATTRIBUTES)
        row.node.marks.update(self._attributes(marks[1:-1]) if marks else {})
        opened = _open_of_call(text)
        callee, arguments = text[:opened], parts(text[opened + 1 : -1])
        attrs = self._attributes(attributes[1:-1]) if attributes else {}
        types = row.types if len(row.types) == len(arguments) else [None] * len(arguments)
        given = [self._value(body, argument) for argument in arguments]
        typed = [self._typed(node, abstract) for node, abstract in zip(given, types, strict=True)]
        row.node.inputs = [self._callee(body, callee, attrs), *typed]

    @staticmethod
    def _typed(node: Node, abstract: Abstract | None) -> Node:
        """A constant with the type in the text, if that differs from its own."""
        if isinstance(node, ValueNode) and abstract is not None and str(node.abstract) != str(abstract):
            node.abstract = abstract
        return node

    def _attributes(self, text: str) -> dict[str, Any]:
        pairs = (part.partition(": ") for part in parts(text))
        return {name: read_constant(value, self._named) for name, _, value in pairs}

    def _named(self, text: str) -> Any:
        return text if text.isidentifier() else self.resolve(text, {})

    def _callee(self, body: _Body, text: str, attrs: dict[str, Any]) -> Node:
        if text.startswith(("%", "$", "@", "call @")):
            return self._value(body, text.removeprefix("call "))
        return ValueNode(operators.ALL[text] if text in operators.ALL else self.resolve(text, attrs))

    def _value(self, body: _Body, text: str) -> Node:
        if text.startswith("$(@"):
            graph, _, name = text[3:-1].rpartition(":")
            return self.bodies[graph].nodes[name]
        if text.startswith("%"):
            if text not in body.nodes:
                raise TextError(f"graph {body.graph.name} has no {text}")
            return body.nodes[text]
        if text.startswith("@"):
            return ValueNode(self.bodies[text[1:]].graph, AbstractFunction())
        if text.startswith("Key["):
            key = self.keys.setdefault(text, SymbolicKey(text[4:-1]))
            return ValueNode(key, abstract_of(key))
        value = read_constant(text, self._named)
        return ValueNode(value, abstract_of(value))


def _note(row: _Row, line: str) -> None:
    node = row.node
    if line.startswith(": ("):
        given, _, made = line.rpartition(" -> (")
        row.types = [read_type(part) for part in parts(given[len(": (") : -1])]
        node.abstract = read_type(made[:-1])
    elif line.startswith("# Fullname with scope: ("):
        node.full_name = line[len("# Fullname with scope: (") : -1]
        node.scope = node.full_name.rpartition("/")[0]
    else:
        node.location = read_location(line) or node.location


def read_location(line: str) -> Location | None:
    """Read a place from a line such as `In file net.py:7, 12~17/    y = y * 2/`. None for any other line."""
    found = _PLACE.fullmatch(line)
    if found is None:
        return None
    end = int(found["end"] or found["line"])
    return Location(found["file"], int(found["line"]), end, int(found["from"]), int(found["to"]), found["source"])


def _split(row: str, title: str) -> tuple[str, str]:
    """Split a text at a title. Titles in quotes or brackets do not count."""
    for place, letter, depth in outside(row):
        if letter == " " and depth == 0 and row.startswith(title, place):
            return row[:place], row[place + len(title) :]
    return row, ""


def _open_of_call(row: str) -> int:
    """The position of the parenthesis that opens the arguments. A callee may contain parentheses, too."""
    opened = [place for place, letter, depth in outside(row) if letter == "(" and depth == 0]
    if not opened or not row.endswith(")"):
        raise TextError(f"no call: {row}")
    return opened[-1]
