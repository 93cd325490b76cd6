"""Finds the source of a Python function: its syntax tree with the lines and columns of its file."""

from __future__ import annotations

import ast
import functools
import inspect
import linecache
from collections.abc import Iterator
from dataclasses import dataclass
from types import CodeType, FunctionType
from typing import Any, Final

from framework.ir.anf import Location
from framework.ir.errors import UnsupportedSyntaxError

__all__ = ["FunctionNode", "Source", "find_source", "made_of"]

FunctionNode = ast.FunctionDef | ast.Lambda
_MADE: Final = "_made_of"
"""The attribute of a function that was made of a part of another one: its source."""


@dataclass(frozen=True)
class Source:
    """The source of a function.

    Attributes:
        file: the path of the file.
        lines: the lines of the file.
        node: the function in the file's syntax tree.
        name: the name of the function.
    """

    file: str
    lines: tuple[str, ...]
    node: FunctionNode
    name: str

    def location(self, node: ast.AST) -> Location:
        """The place of a part of the syntax tree."""
        at: Any = node if hasattr(node, "lineno") else self.node
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.end_lineno != node.lineno:
            # In a chain of methods over several lines, the place is the method's name, as in Python's own tracebacks.
            line, end = node.func.end_lineno or node.lineno, node.func.end_col_offset or 0
            return self.place(line, line, end - len(node.func.attr), end)
        return self.place(at.lineno, at.end_lineno or at.lineno, at.col_offset, at.end_col_offset or at.col_offset + 1)

    def place(self, line: int, end_line: int, column: int, end_column: int) -> Location:
        """A place of the file."""
        text = self.lines[line - 1].rstrip("\n") if line <= len(self.lines) else ""
        return Location(self.file, line, end_line, column, end_column, text, self.name)


def made_of(function: FunctionType, source: Source) -> None:
    """Note the source of a function that was made of a part of another one, and is in no file by itself.

    Args:
        function: the function.
        source: its source, with the lines of the other one's file.
    """
    setattr(function, _MADE, source)


def find_source(function: FunctionType) -> Source:
    """The source of a function.

    Args:
        function: a function that is written in Python. For a decorated one (`functools.wraps`), the inner function.

    Raises:
        UnsupportedSyntaxError: there is no source, as for functions typed into an interpreter or made by `exec`.
    """
    if isinstance(made := getattr(function, _MADE, None), Source):
        return made
    code = function.__code__
    file = inspect.getsourcefile(code) or code.co_filename
    lines = tuple(linecache.getlines(file, function.__globals__))
    if not lines:
        raise UnsupportedSyntaxError(
            f"the source of {function.__qualname__} cannot be found ({file}): graph mode compiles source, so define "
            "the function in a file or a notebook cell, not with exec or in the interactive interpreter"
        )
    if code.co_flags & (inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR):
        behind = lines[code.co_firstlineno - 1 :]
        line, text = next((place, text) for place, text in enumerate(behind, code.co_firstlineno) if "async" in text)
        place = Location(file, line, line, text.index("async"), text.index("async") + 5, text.rstrip(), code.co_name)
        raise UnsupportedSyntaxError("graph mode does not support async def; use def", place)
    node = _find(_tree(file, lines), code)
    if node is None:
        raise UnsupportedSyntaxError(
            f"the source of {function.__qualname__} is not at line {code.co_firstlineno} of {file}: has the file "
            "changed since it was imported? Restart the program"
        )
    return Source(file, lines, node, function.__name__)


@functools.lru_cache(maxsize=256)
def _tree(file: str, lines: tuple[str, ...]) -> ast.Module:
    return ast.parse("".join(lines), file)


@functools.lru_cache(maxsize=256)
def _functions(tree: ast.Module) -> dict[tuple[str, int], ast.FunctionDef]:
    """The functions of a file by name and first line. Of several with the same key, the first."""
    found: dict[tuple[str, int], ast.FunctionDef] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            found.setdefault((node.name, _first_line(node)), node)
    return found


def _find(tree: ast.Module, code: CodeType) -> FunctionNode | None:
    if code.co_name != "<lambda>":
        return _functions(tree).get((code.co_name, code.co_firstlineno))
    lambdas = [n for n in ast.walk(tree) if isinstance(n, ast.Lambda) and n.lineno == code.co_firstlineno]
    places = set(_places(code))
    return next((node for node in lambdas if _span(node.body) in places), lambdas[0] if len(lambdas) == 1 else None)


def _first_line(node: ast.FunctionDef) -> int:
    return min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])


def _span(node: ast.expr) -> tuple[Any, ...]:
    return node.lineno, node.end_lineno, node.col_offset, node.end_col_offset


def _places(code: CodeType) -> Iterator[tuple[Any, ...]]:
    yield from code.co_positions()
