"""Reads the text of a program back (`framework.ir.text` writes it), so that tests can hold programs as text."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from framework.common import dtype as mstype
from framework.ir import operators
from framework.ir.abstract import (
    UNKNOWN,
    Abstract,
    AbstractConst,
    AbstractEnv,
    AbstractFunction,
    AbstractMonad,
    AbstractScalar,
    AbstractTensor,
    AbstractTuple,
)
from framework.ir.anf import CNode, FuncGraph, Location, Node, ValueNode
from framework.ir.operators import EMPTY_ENVIRON, STATE, SymbolicKey, abstract_of

__all__ = ["TextError", "read_text", "read_type"]

Resolve = Callable[[str, dict[str, Any]], Any]
"""From an operator's name and attributes to the operator."""

_HEAD = re.compile(r"subgraph @(?P<name>[\w.]+)(?: parent: \[[^]]*\])?\((?P<parameters>.*)\) \{")
_NODE = re.compile(r"  %(?P<number>\d+)(?:\((?P<name>[^)]*)\))? = (?P<rest>.*)")
_TYPES = re.compile(r"# Parameters: \d+, \((?P<types>.*)\)")
_PLACE = re.compile(
    r"# In file (?P<file>.*):(?P<line>\d+)(?:~(?P<end>\d+))?, (?P<from>\d+)~(?P<to>\d+)/(?P<source>.*)/"
)
_ATTRIBUTES = " primitive_attrs: "
_DTYPES = {str(dtype): dtype for dtype in (mstype.bool_, *mstype.number_type)}
_NUMBERS = {"Bool": bool, "Int64": int, "Float64": float}
_CONSTANTS: dict[str, Any] = {"U": STATE, "{}": EMPTY_ENVIRON, "None": None, "True": True, "False": False, **_DTYPES}


class TextError(ValueError):
    """Text that is no program."""


@dataclass
class _Body:
    graph: FuncGraph
    nodes: dict[str, Node] = field(default_factory=dict)
    rows: list[tuple[CNode, str]] = field(default_factory=list)
    output: str = ""


def read_text(text: str, resolve: Resolve | None = None) -> FuncGraph:
    """The program that a text tells.

    Args:
        text: as `to_text` gives it; of each node only the first line is needed.
        resolve: finds operators that are not of the IR itself, such as primitives.

    Raises:
        TextError: a line cannot be read, naming it.
    """
    return _Reader(text, resolve or _no_operator).program()


def read_type(text: str) -> Abstract | None:
    """The abstract value that a type's text tells, None for `<?>`."""
    return None if text == "<?>" else _Types(text).whole()


def _no_operator(name: str, attrs: dict[str, Any]) -> Any:
    raise TextError(f"there is no operator {name}")


class _Reader:
    def __init__(self, text: str, resolve: Resolve) -> None:
        self.lines = text.splitlines()
        self.resolve = resolve
        self.bodies: dict[str, _Body] = {}

    def program(self) -> FuncGraph:
        for _ in self._rows():
            pass
        for body in self.bodies.values():
            for node, row in body.rows:
                self._inputs(body, node, row)
            body.graph.output = self._value(body, body.output)
        return next(iter(self.bodies.values())).graph

    def _rows(self) -> Iterator[None]:
        """Makes the graphs and their nodes, without inputs."""
        body: _Body | None = None
        types: list[Abstract | None] = []
        node: CNode | None = None
        for line in self.lines:
            if found := _TYPES.fullmatch(line):
                types = [read_type(part) for part in _parts(found["types"])]
            elif found := _HEAD.fullmatch(line):
                body = self._open(found["name"], found["parameters"], types)
                types = []
            elif body is not None and (found := _NODE.fullmatch(line)):
                node = CNode(body.graph, (), name=found["name"] or "")
                body.nodes[f"%{found['number']}"] = node
                body.rows.append((node, found["rest"]))
            elif body is not None and line.startswith("  Return("):
                body.output, node = line[len("  Return(") : -1], None
            elif node is not None and line.startswith("      "):
                _note(node, line.strip())
            elif line == "}":
                body = None
            yield

    def _open(self, name: str, parameters: str, types: list[Abstract | None]) -> _Body:
        body = self.bodies[name] = _Body(FuncGraph(name))
        names = _parts(parameters)
        for text, abstract in zip(names, types or [None] * len(names), strict=True):
            body.nodes[text] = body.graph.add_parameter(text.partition("_")[2], abstract=abstract)
        return body

    def _inputs(self, body: _Body, node: CNode, row: str) -> None:
        row, _, attributes = row.partition(_ATTRIBUTES)
        opened = _open_of_call(row)
        callee, arguments = row[:opened], _parts(row[opened + 1 : -1])
        attrs = dict(self._attributes(attributes[1:-1])) if attributes else {}
        node.inputs = [self._callee(body, callee, attrs), *(self._value(body, argument) for argument in arguments)]

    def _attributes(self, text: str) -> Iterator[tuple[str, Any]]:
        for part in _parts(text):
            name, _, value = part.partition(": ")
            yield name, _constant(value)

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
        try:
            value = _constant(text)
        except (ValueError, SyntaxError):
            value = self.resolve(text, {})
        return ValueNode(value, abstract_of(value))


def _note(node: CNode, line: str) -> None:
    if line.startswith(": ("):
        node.abstract = read_type(line.rpartition(" -> (")[2][:-1])
    elif line.startswith("# Fullname with scope: ("):
        node.full_name = line[len("# Fullname with scope: (") : -1]
        node.scope = node.full_name.rpartition("/")[0]
    elif found := _PLACE.fullmatch(line):
        end = int(found["end"] or found["line"])
        node.location = Location(
            found["file"], int(found["line"]), end, int(found["from"]), int(found["to"]), found["source"]
        )


def _constant(text: str) -> Any:
    if text in _CONSTANTS:
        return _CONSTANTS[text]
    if text.startswith("Key["):
        return SymbolicKey(text[4:-1])
    if text.startswith("["):
        return [_constant(part) for part in _parts(text[1:-1])]
    if text.startswith("("):
        return tuple(_constant(part) for part in _parts(text[1:-1].rstrip(",")))
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        if text.isidentifier():
            return text
        raise


def _open_of_call(row: str) -> int:
    """Where the parenthesis of the arguments opens; a callee may have parentheses itself."""
    depth = 0
    for place in range(len(row) - 1, -1, -1):
        depth += {")": 1, "(": -1}.get(row[place], 0)
        if depth == 0:
            return place
    raise TextError(f"no call: {row}")


def _parts(text: str) -> list[str]:
    """What commas separate outside of brackets and quotes."""
    parts: list[str] = []
    depth, start, quote = 0, 0, ""
    for place, letter in enumerate(text):
        if quote:
            quote = "" if letter == quote else quote
        elif letter in "'\"":
            quote = letter
        elif letter in "([{<":
            depth += 1
        elif letter in ")]}" or (letter == ">" and text[place - 1] != "-"):
            depth -= 1
        elif letter == "," and depth == 0:
            parts.append(text[start:place].strip())
            start = place + 1
    last = text[start:].strip()
    return [*parts, last] if last else parts


class _Types:
    """Reads one type, from left to right."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.place = 0

    def whole(self) -> Abstract:
        self._take("<")
        return self._type()

    def _type(self) -> Abstract:
        name = self._match(r"\w+")
        if name == "Tensor":
            dtype = self._match(r"\[\w+\]")[1:-1]
            shape = self._match(r", \([^)]*\)")[3:-1]
            dims = [None if dim.strip() == "?" else int(dim) for dim in shape.split(",") if dim.strip()]
            return AbstractTensor(tuple(dims), _DTYPES[dtype])
        if name in ("Tuple", "List"):
            return AbstractTuple(tuple(self._items()), name == "List")
        simple: dict[str, Abstract] = {
            "Func": AbstractFunction(),
            "EnvType": AbstractEnv(),
            "UMonad": AbstractMonad(),
            "None": AbstractConst(None),
        }
        if name in simple:
            return simple[name]
        if self.text.startswith(", value=", self.place):
            return abstract_of(ast.literal_eval(self._match(r", value=[^,>\]]*")[8:]))
        if name not in _NUMBERS:
            raise TextError(f"no type: {self.text}")
        return AbstractScalar(UNKNOWN, _NUMBERS[name])

    def _items(self) -> Iterator[Abstract]:
        self._take("[")
        while not self.text.startswith("]", self.place):
            yield self._type()
            if self.text.startswith(", ", self.place):
                self.place += 2
        self._take("]")

    def _take(self, text: str) -> None:
        self._match(re.escape(text))

    def _match(self, pattern: str) -> str:
        found = re.compile(pattern).match(self.text, self.place)
        if found is None:
            raise TextError(f"no type: {self.text}, at {self.place}")
        self.place = found.end()
        return found[0]
