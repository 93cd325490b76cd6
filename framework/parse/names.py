"""What the parser must know of a function's names before it parses it: which are local, what nested ones capture."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator
from types import FunctionType
from typing import Any, Final

from framework.parse.reads import CELL, GLOBAL, Read

__all__ = ["CHANGING", "Scope", "assigned_names", "captured_names", "changed_by", "resolve"]

CHANGING: Final = frozenset({
    "append", "extend", "insert", "remove", "pop", "clear", "sort", "reverse", "update", "setdefault", "popitem",
})  # fmt: skip
"""The methods that change a list or a dictionary."""
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def _own(nodes: list[ast.AST]) -> Iterator[ast.AST]:
    """The nodes of a scope without those of scopes within it."""
    waiting = list(reversed(nodes))
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, (*_SCOPES, *_COMPREHENSIONS)):
            waiting.extend(reversed(list(ast.iter_child_nodes(node))))


def _stores(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        yield node.id
    elif isinstance(node, ast.FunctionDef | ast.ClassDef):
        yield node.name


def _changes(node: ast.AST) -> Iterator[str]:
    """The variables whose values a node changes in place."""
    if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store) and (base := subscripted(node)) is not None:
        yield base
    elif isinstance(node, ast.Call) and (changed := changed_by(node)) is not None:
        yield changed


def subscripted(target: ast.expr) -> str | None:
    """The variable that `x[i] = ...` changes."""
    inner = target
    while isinstance(inner, ast.Subscript):
        inner = inner.value
    return inner.id if isinstance(inner, ast.Name) and inner is not target else None


def changed_by(call: ast.Call) -> str | None:
    """The variable whose list or dictionary a call such as `x.append(...)` changes."""
    method = call.func
    if isinstance(method, ast.Attribute) and isinstance(method.value, ast.Name) and method.attr in CHANGING:
        return method.value.id
    return None


def assigned_names(nodes: list[ast.stmt]) -> frozenset[str]:
    """The variables that statements set, or whose values they change."""
    return frozenset(name for node in _own(list(nodes)) for name in (*_stores(node), *_changes(node)))


def parameter_names(arguments: ast.arguments) -> list[str]:
    """The names of a function's parameters, in the order in which its graph has them."""
    named = [*arguments.posonlyargs, *arguments.args, *filter(None, [arguments.vararg]), *arguments.kwonlyargs]
    return [argument.arg for argument in [*named, *filter(None, [arguments.kwarg])]]


def captured_names(node: ast.FunctionDef | ast.Lambda) -> dict[str, ast.Name]:
    """The variables of surrounding scopes that a function uses, and where."""
    body: list[ast.AST] = [*node.body] if isinstance(node, ast.FunctionDef) else [node.body]
    own = {name for part in _own(body) for name in _stores(part)} | set(parameter_names(node.args))
    found: dict[str, ast.Name] = {}
    for part in _own(body):
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load):
            found.setdefault(part.id, part)
        elif isinstance(part, ast.FunctionDef | ast.Lambda):
            found.update((name, place) for name, place in captured_names(part).items() if name not in found)
        elif isinstance(part, _COMPREHENSIONS):
            bound = {n.id for n in ast.walk(part) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
            loads = (n for n in ast.walk(part) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load))
            found.update((name.id, name) for name in loads if name.id not in bound and name.id not in found)
    return {name: place for name, place in found.items() if name not in own}


class Scope:
    """The local variables of one function.

    Args:
        node: the function.
    """

    def __init__(self, node: ast.FunctionDef | ast.Lambda) -> None:
        self.body: list[ast.AST] = [*node.body] if isinstance(node, ast.FunctionDef) else [node.body]
        self.parameters = frozenset(parameter_names(node.args))
        self._stores: dict[str, list[ast.AST]] = {}
        for part in _own(self.body):
            for name in _stores(part):
                self._stores.setdefault(name, []).append(part)
        self._loops = [part for part in _own(self.body) if isinstance(part, ast.For | ast.While)]

    def __contains__(self, name: str) -> bool:
        return name in self._stores or name in self.parameters

    def lines(self, name: str) -> tuple[int, ...]:
        """Where a variable is set."""
        return tuple(dict.fromkeys(getattr(part, "lineno", 0) for part in self._stores.get(name, ())))

    def only_definition(self, name: str) -> ast.FunctionDef | None:
        """The nested function that a name stands for, if nothing else is ever assigned to it."""
        stores = self._stores.get(name, [])
        plain = len(stores) == 1 and isinstance(stores[0], ast.FunctionDef) and not stores[0].decorator_list
        return stores[0] if plain and name not in self.parameters else None  # type: ignore[return-value]

    def set_later(self, name: str, node: ast.AST) -> int | None:
        """The line in which a variable that a function captures is set after the function was made, else None."""
        for store in self._stores.get(name, ()):
            line: int = getattr(store, "lineno", 0)
            if line > node.end_lineno or any(_within(store, loop) and _within(node, loop) for loop in self._loops):  # type: ignore[attr-defined]
                return line
        return None


def _within(node: ast.AST, around: ast.AST) -> bool:
    first, last = getattr(node, "lineno", 0), getattr(node, "end_lineno", 0)
    return around.lineno <= first and last <= (around.end_lineno or 0)  # type: ignore[attr-defined]


def resolve(function: FunctionType, name: str, reads: list[Read]) -> Any:
    """What a name that is not local means to a function: a variable of its closure, a global, a builtin.

    Args:
        function: the function.
        name: the name.
        reads: gets a note of what was found.

    Raises:
        NameError: nothing.
    """
    if name in function.__code__.co_freevars:
        cell = (function.__closure__ or ())[function.__code__.co_freevars.index(name)]
        try:
            value = cell.cell_contents
        except ValueError:
            raise NameError(f"variable '{name}' of the surrounding function is not set yet") from None
        reads.append(Read(name, CELL, cell, value))
        return value
    if name in function.__globals__:
        value = function.__globals__[name]
        # What the modules of the core call each other by does not change.
        if str(function.__globals__.get("__name__")).partition(".")[0] != "framework":
            reads.append(Read(name, GLOBAL, function.__globals__, value))
        return value
    if hasattr(builtins, name):
        return getattr(builtins, name)
    raise NameError(f"name '{name}' is not defined")
