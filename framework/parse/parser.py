"""The entry of the parser: from a Python function to its function graph."""

from __future__ import annotations

import ast
from types import FunctionType

from framework.ir.anf import FuncGraph, ValueNode
from framework.parse.depth import deep
from framework.parse.function import FunctionParser
from framework.parse.reads import Read
from framework.parse.source import find_source
from framework.parse.statements import Statements

__all__ = ["parse"]


def parse(function: FunctionType, reads: list[Read] | None = None) -> FuncGraph:
    """Parse a Python function to a function graph.

    Args:
        function: a function that is written in Python.
        reads: receives a note of each value that is read from the function's environment.

    Raises:
        UnsupportedSyntaxError: graph mode does not support a construct. The message shows the place and an alternative.
    """
    source = find_source(function)
    with deep():
        parser = FunctionParser(source, source.node, function, reads if reads is not None else [], _parse_body)
        graph = parser.graph()
    defaults = dict(zip(reversed(parser.signature.positional), reversed(function.__defaults__ or ()), strict=False))
    defaults.update(function.__kwdefaults__ or {})
    parser.signature.defaults = {name: ValueNode(value) for name, value in defaults.items()}
    return graph


def _parse_body(function: FunctionParser) -> None:
    statements = Statements(function)
    if isinstance(function.node, ast.Lambda):
        function.block.finish(statements.expressions.value(function.node.body))
    else:
        statements.run(function.node.body)
        function.block.finish(ValueNode(None))
