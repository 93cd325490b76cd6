"""Analyses a function's names before it is parsed: which are local, and which ones nested functions capture."""

from __future__ import annotations

import ast
import builtins
import functools
from collections.abc import Iterator, Sequence
from types import FunctionType
from typing import Any, Final

from framework.parse.reads import CELL, GLOBAL, Read

__all__ = [
    "CHANGING",
    "FUNCTIONS",
    "Scope",
    "assigned_names",
    "assigned_within",
    "changed_by",
    "function_of",
    "own_nodes",
    "parameter_names",
    "resolve",
    "stored_names",
]

CHANGING: Final = frozenset({
    "append", "extend", "insert", "remove", "pop", "clear", "sort", "reverse", "update", "setdefault", "popitem",
})  # fmt: skip
"""The methods that change a list or a dictionary."""
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
FUNCTIONS = (ast.FunctionDef, ast.Lambda, *_COMPREHENSIONS)
"""The constructs that are functions of their own and capture variables of the functions around them."""


def _own(nodes: list[ast.AST]) -> Iterator[ast.AST]:
    """The nodes of a scope, without those of nested scopes."""
    waiting = list(reversed(nodes))
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, (*_SCOPES, *_COMPREHENSIONS)):
            waiting.extend(reversed(list(ast.iter_child_nodes(node))))


def _stores(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store | ast.Del):
        yield node.id
    elif isinstance(node, ast.FunctionDef | ast.ClassDef):
        yield node.name
    elif isinstance(node, _COMPREHENSIONS):
        yield from assigned_within(node)


def own_nodes(nodes: Sequence[ast.AST]) -> Iterator[ast.AST]:
    """The nodes of a scope, without those of functions, classes and comprehensions in it."""
    return _own(list(nodes))


def stored_names(nodes: Sequence[ast.AST]) -> frozenset[str]:
    """The variables that any of some nodes sets or deletes, also as exceptions, modules and patterns.

    Args:
        nodes: nodes of one scope, as `own_nodes` gives them.
    """
    found = {name for node in nodes for name in _stores(node)}
    for node in nodes:
        if isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and node.name:
            found.add(node.name)
        elif isinstance(node, ast.MatchMapping) and node.rest:
            found.add(node.rest)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            found |= {alias.asname or alias.name.partition(".")[0] for alias in node.names}
    return frozenset(found)


def assigned_within(comprehension: ast.AST) -> tuple[str, ...]:
    """The variables that a comprehension sets by `(name := value)` in the function around it."""
    parts = list(ast.iter_child_nodes(comprehension))
    named = (part.target.id for part in _own(parts) if isinstance(part, ast.NamedExpr))
    inner = (name for part in _own(parts) if isinstance(part, _COMPREHENSIONS) for name in assigned_within(part))
    return tuple(dict.fromkeys((*named, *inner)))


def _changes(node: ast.AST) -> Iterator[str]:
    """The variables whose values a statement or call changes in place."""
    if isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
        base = subscripted(node)
        if base is not None:
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
    """The variable whose list, dictionary or tensor a call such as `x.append(...)` or `x.add_(...)` changes."""
    method = call.func
    if isinstance(method, ast.Attribute) and isinstance(method.value, ast.Name):
        name = method.attr
        changes = name in CHANGING or name == "register_hook" or (name.endswith("_") and not name.startswith("_"))
        return method.value.id if changes else None
    return None


def assigned_names(nodes: Sequence[ast.AST]) -> frozenset[str]:
    """The variables that statements or expressions set, or whose values they change."""
    return frozenset(name for node in _own(list(nodes)) for name in (*_stores(node), *_changes(node)))


def parameter_names(arguments: ast.arguments) -> list[str]:
    """The names of a function's parameters, in the order in which its graph has them."""
    named = [*arguments.posonlyargs, *arguments.args, *filter(None, [arguments.vararg]), *arguments.kwonlyargs]
    return [argument.arg for argument in [*named, *filter(None, [arguments.kwarg])]]


def _captured(node: ast.AST) -> dict[str, None]:
    """The variables of outer scopes that a function, comprehension or generator reads, in order of appearance."""
    body: list[ast.AST]
    if isinstance(node, ast.FunctionDef | ast.Lambda):
        body = [*node.body] if isinstance(node, ast.FunctionDef) else [node.body]
        own = {name for part in _own(body) for name in _stores(part)} | set(parameter_names(node.args))
    else:
        body = list(ast.iter_child_nodes(node))
        own = {name for part in _own(body) for name in _stores(part)}
    found: dict[str, None] = {}
    for part in _own(body):
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load):
            found[part.id] = None
        elif isinstance(part, FUNCTIONS):
            found.update(_captured(part))
    return {name: None for name in found if name not in own}


class Scope:
    """The local variables of one function.

    Args:
        node: the function.

    Attributes:
        functions: nested functions by name. Only those defined by a statement of the function itself whose name is
            assigned nowhere else, so that the name always means this function.
    """

    def __init__(self, node: ast.FunctionDef | ast.Lambda) -> None:
        self.body: list[ast.AST] = [*node.body] if isinstance(node, ast.FunctionDef) else [node.body]
        self.parameters = frozenset(parameter_names(node.args))
        self._stores: dict[str, list[ast.AST]] = {}
        self._after: dict[ast.AST, tuple[int, int]] = {}
        for part in _own(self.body):
            for name in _stores(part):
                self._stores.setdefault(name, []).append(part)
            if isinstance(part, ast.Assign | ast.AugAssign | ast.AnnAssign):
                self._after.update((target, _end(part)) for target in ast.walk(part))
        self._loops = [part for part in _own(self.body) if isinstance(part, ast.For | ast.While)]
        self.functions = dict(self._definitions())
        self._late: dict[ast.AST, frozenset[str]] = {}

    def __contains__(self, name: str) -> bool:
        return name in self._stores or name in self.parameters

    def lines(self, name: str) -> tuple[int, ...]:
        """The lines that set a variable."""
        sets = (part for part in self._stores.get(name, ()) if not isinstance(getattr(part, "ctx", None), ast.Del))
        return tuple(dict.fromkeys(getattr(part, "lineno", 0) for part in sets))

    def _definitions(self) -> Iterator[tuple[str, ast.FunctionDef | ast.Lambda]]:
        for part in self.body:
            named = function_of(part)
            if named is not None and named[0] not in self.parameters and len(self._stores[named[0]]) == 1:
                yield named

    def late(self, node: ast.AST) -> frozenset[str]:
        """The captured variables that may be set after a nested function is defined. Includes the captured variables
        of nested functions that it calls."""
        if node not in self._late:
            names, waiting, seen = set(), [node], {node}
            while waiting:
                for name in _captured(waiting.pop()):
                    called = self.functions.get(name)
                    if called is None and name in self and self._set_later(name, node):
                        names.add(name)
                    elif called is not None and called not in seen:
                        seen.add(called)
                        waiting.append(called)
            self._late[node] = frozenset(names)
        return self._late[node]

    @functools.cached_property
    def watched(self) -> frozenset[str]:
        """The variables that any nested function captures and that may be set after it is defined."""
        return frozenset().union(*(self.late(part) for part in _own(self.body) if isinstance(part, FUNCTIONS)))

    def _set_later(self, name: str, node: ast.AST) -> bool:
        return any(
            self._after.get(store, _end(store)) >= _end(node)
            or any(_within(store, loop) and _within(node, loop) for loop in self._loops)
            for store in self._stores.get(name, ())
        )


def function_of(statement: ast.AST) -> tuple[str, ast.FunctionDef | ast.Lambda] | None:
    """The name and the function in a `def` without decorators or in `name = lambda ...`; else None."""
    if isinstance(statement, ast.FunctionDef) and not statement.decorator_list:
        return statement.name, statement
    if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Lambda) and len(statement.targets) == 1:
        target = statement.targets[0]
        return (target.id, statement.value) if isinstance(target, ast.Name) else None
    return None


def _end(node: Any) -> tuple[int, int]:
    return node.end_lineno, node.end_col_offset


def _within(node: ast.AST, around: ast.AST) -> bool:
    first, last = getattr(node, "lineno", 0), getattr(node, "end_lineno", 0)
    return around.lineno <= first and last <= (around.end_lineno or 0)  # type: ignore[attr-defined]


def resolve(function: FunctionType, name: str, reads: list[Read]) -> Any:
    """The value of a name that is not local to a function: a variable of its closure, a global or a builtin.

    Args:
        function: the function.
        name: the name.
        reads: receives a note of the value.

    Raises:
        NameError: there is no such name, or the variable of the closure is not set yet.
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
        # The globals of the core's own modules do not change, so no note is needed.
        if str(function.__globals__.get("__name__")).partition(".")[0] != "framework":
            reads.append(Read(name, GLOBAL, function.__globals__, value))
        return value
    if hasattr(builtins, name):
        return getattr(builtins, name)
    raise NameError(f"name '{name}' is not defined")
