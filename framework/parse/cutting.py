"""Cuts the body of a function into parts: statements that run as they are written, and runs of statements between them.

`framework.engine.call.parts` asks this when only Python can run a statement. The cut function is a Python function with
the globals, closure and defaults of the original one; it calls a function for each run of statements, which the
compiler finds by its source. Lines and columns remain those of the user's file.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import CellType, CodeType, FunctionType
from typing import Any, Final, TypeVar

from framework.ir.anf import Location
from framework.ir.errors import UnsupportedSyntaxError
from framework.parse.names import function_of, own_nodes, parameter_names, stored_names
from framework.parse.source import Source, find_source, made_of

__all__ = ["Body", "Run", "body_of"]

Made = TypeVar("Made", bound=ast.AST)

_SEES_FRAMES: Final = frozenset({"locals", "vars", "dir", "eval", "exec", "globals", "_getframe", "currentframe"})
"""Names of functions whose results depend on the frame that calls them."""
_NEVER_CUT: Final = (
    ast.Global, ast.Nonlocal, ast.Yield, ast.YieldFrom, ast.Await, ast.AsyncFor, ast.AsyncWith, ast.AsyncFunctionDef,
)  # fmt: skip
"""Constructs of functions that run whole."""
_AS_WRITTEN: Final = (
    ast.Try, ast.TryStar, ast.With, ast.Import, ast.ImportFrom, ast.ClassDef, ast.Match, ast.Raise, ast.Assert,
    ast.Delete,
)  # fmt: skip
"""Statements that always run as they are written: only Python runs them, or their errors and scopes are Python's."""
_COMPUTES: Final = (ast.Call, ast.BinOp, ast.UnaryOp, ast.Compare, ast.Subscript)
"""Constructs at least one of which is in a statement that computes with tensors."""
_LATE: Final = (ast.FunctionDef, ast.Lambda, ast.GeneratorExp)
"""Functions that may run after the statement in which they are made."""


@dataclass(frozen=True)
class Run:
    """A run of consecutive statements that can be a function of its own.

    Attributes:
        start: the first statement, counted from 0 in the function's body.
        stop: the statement after the last one.
        inputs: the variables that it reads, in the order of its parameters.
        unsure: those of them that may have no value.
        outputs: the variables that it sets and later statements read.
        functions: the statements before it that define functions which it reads. It defines them again, for itself.
        ends: whether the function ends with it, so that its result is the function's.
    """

    start: int
    stop: int
    inputs: tuple[str, ...]
    unsure: frozenset[str]
    outputs: tuple[str, ...]
    functions: tuple[int, ...]
    ends: bool


def body_of(function: FunctionType) -> Body | None:
    """The statements of a function; None if it cannot be cut.

    Args:
        function: a function that is written in Python.
    """
    try:
        source = find_source(function)
    except UnsupportedSyntaxError:
        return None
    node = source.node
    is_plain = isinstance(node, ast.FunctionDef) and not function.__code__.co_flags & (
        inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
    )
    if not is_plain or any(map(_forbids_cuts, ast.walk(node))):
        return None
    return Body(function, source, node)  # type: ignore[arg-type]


def _forbids_cuts(node: ast.AST) -> bool:
    """Whether a function with such a node runs whole."""
    named = next((name for key in ("id", "attr", "arg", "name") if (name := getattr(node, key, None))), None)
    if isinstance(node, _NEVER_CUT) or not isinstance(named, str):
        return isinstance(node, _NEVER_CUT)
    # A name such as __weight means another one within a class.
    return named in _SEES_FRAMES or (named.startswith("__") and not named.endswith("__"))


class Body:
    """The statements of a function.

    Args:
        function: the function.
        source: its source.
        node: the function in the syntax tree.
    """

    def __init__(self, function: FunctionType, source: Source, node: ast.FunctionDef) -> None:
        self.function = function
        self._source = source
        self._node = node
        self._statements = [_Statement(statement) for statement in node.body]
        self._parameters = parameter_names(node.args)
        stored = frozenset().union(*(statement.stores for statement in self._statements))
        self._locals = stored | frozenset(self._parameters)
        self._deleted = frozenset().union(*(statement.deletes for statement in self._statements))
        self._functions = self._inner_functions()
        self._fixed = self._as_written() | frozenset(self._functions.values())

    @property
    def first_parameter(self) -> str | None:
        """The name of the first parameter if nothing sets it again; else None."""
        first = self._parameters[0] if self._parameters else None
        return first if first and not any(first in one.stores for one in self._statements) else None

    def statement_at(self, places: Iterable[Location]) -> int | None:
        """The statement that holds one of some places of the source.

        Args:
            places: the place of an error and the calls that led there, innermost first.

        Returns:
            The statement of the outermost place in this function, counted from 0; None if there is none.
        """
        for place in reversed(list(places)):
            if place.file == self._source.file:
                for number, statement in enumerate(self._node.body):
                    if _is_at(place, statement):
                        return number
        return None

    def readers(self, run: Run, name: str) -> frozenset[int]:
        """The statements of a run that read a variable."""
        names = {name}
        for number in run.functions:
            if name in self._statements[number].captures:
                names |= self._statements[number].stores
        return frozenset(number for number in range(run.start, run.stop) if names & self._statements[number].reads)

    def setters(self, run: Run, name: str) -> frozenset[int]:
        """The statements of a run that may set a variable."""
        return frozenset(number for number in range(run.start, run.stop) if name in self._statements[number].stores)

    def runs(self, written: Iterable[int]) -> list[Run]:
        """The runs of statements that may be compiled.

        Args:
            written: the statements that run as they are written.
        """
        fixed = self._fixed | frozenset(written)
        while True:
            runs = [self._run(start, stop) for start, stop in self._between(fixed)]
            found = frozenset().union(*(self._misplaced(run) for run in runs))
            if not found:
                return [run for run in runs if self._is_worth(run)]
            fixed |= found

    def cut(self, runs: Mapping[Run, Callable[..., Any]]) -> FunctionType:
        """The function in which a call stands for each run of statements.

        Args:
            runs: the runs, each with what is called.
        """
        names = {run: f".part{number}" for number, run in enumerate(runs)}
        starts = {run.start: run for run in runs}
        body: list[ast.stmt] = []
        place = 0
        while place < len(self._node.body):
            run = starts.get(place)
            if run is None:
                body.append(self._node.body[place])
                place += 1
            else:
                body.extend(self._call(run, names[run]))
                place = run.stop
        cells = {names[run]: CellType(callee) for run, callee in runs.items()}
        made = self._function(self._node.args, body, self.function.__name__, cells)[0]
        made.__defaults__ = self.function.__defaults__
        made.__kwdefaults__ = self.function.__kwdefaults__
        return made

    def part(self, run: Run) -> FunctionType:
        """The function that a run of statements is. It returns a tuple of its outputs."""
        functions = [self._node.body[number] for number in run.functions]
        statements: list[ast.stmt] = [*functions, *self._node.body[run.start : run.stop]]
        if not run.ends:
            outputs = ast.Tuple([ast.Name(name, ast.Load()) for name in run.outputs], ast.Load())
            statements.append(_at(ast.Return(outputs), statements[-1]))
        parameters = ast.arguments([], [ast.arg(name) for name in run.inputs], None, [], [], None, [])
        name = f"{self.function.__name__}_{self._node.body[run.start].lineno}"
        made, node = self._function(parameters, statements, name, {})
        made_of(made, Source(self._source.file, self._source.lines, node, name))
        return made

    def _call(self, run: Run, name: str) -> list[ast.stmt]:
        """The statements of the cut function in the place of a run."""
        statements = self._node.body[run.start : run.stop]
        inputs: list[ast.expr] = [ast.Name(item, ast.Load()) for item in run.inputs]
        given = ".given"
        arguments = [ast.Starred(ast.Name(given, ast.Load()), ast.Load())] if run.unsure else inputs
        call = ast.Call(ast.Name(name, ast.Load()), arguments, [])  # type: ignore[arg-type]
        called: ast.stmt
        if run.ends:
            called = ast.Return(call)
        elif run.outputs:
            called = ast.Assign([ast.Tuple([ast.Name(item, ast.Store()) for item in run.outputs], ast.Store())], call)
        else:
            called = ast.Expr(call)
        if not run.unsure:
            return [_at(called, statements[0])]
        # A variable without a value is an error where the statements read it, so then they run as they are written.
        read = ast.Assign([ast.Name(given, ast.Store())], ast.Tuple(inputs, ast.Load()))
        none = ast.Assign([ast.Name(given, ast.Store())], ast.Constant(None))
        unbound = ast.ExceptHandler(ast.Name("UnboundLocalError", ast.Load()), None, [none])
        is_none = ast.Compare(ast.Name(given, ast.Load()), [ast.Is()], [ast.Constant(None)])
        choice = ast.If(is_none, statements, [called])
        return [_at(item, statements[0]) for item in (ast.Try([read], [unbound], [], []), choice)]

    def _function(
        self, arguments: ast.arguments, body: list[ast.stmt], name: str, cells: dict[str, CellType]
    ) -> tuple[FunctionType, ast.FunctionDef]:
        """A function of statements of this one, and its syntax tree."""
        own = self.function
        cells = {**dict(zip(own.__code__.co_freevars, own.__closure__ or (), strict=True)), **cells}
        # No program can contain its name, so it hides no variable.
        made = _at(ast.FunctionDef(".function", _without_values(arguments), body, [], None), self._node)
        made.type_params = []  # type: ignore[attr-defined]
        made.end_lineno, made.end_col_offset = self._node.end_lineno, self._node.end_col_offset
        free: list[ast.expr] = [ast.Name(item, ast.Store()) for item in cells]
        around: list[ast.stmt] = [ast.Assign(free, ast.Constant(None)), made] if free else [made]
        outer = ast.FunctionDef(".outer", ast.arguments([], [], None, [], [], None, []), around, [], None)
        outer.type_params = []  # type: ignore[attr-defined]
        module = ast.Module([_at(outer, self._node)], [])
        file = own.__code__.co_filename
        code = _code_within(_code_within(compile(module, file, "exec", dont_inherit=True), ".outer"), made.name)
        code = code.replace(co_name=self._node.name, co_qualname=own.__code__.co_qualname)
        made.name = self._node.name
        closure = tuple(cells[item] for item in code.co_freevars)
        function = FunctionType(code, own.__globals__, name, None, closure)
        function.__module__, function.__qualname__ = own.__module__, own.__qualname__
        return function, made

    def _as_written(self) -> frozenset[int]:
        """The statements that always run as they are written."""
        fixed = {number for number, statement in enumerate(self._statements) if statement.is_fixed}
        for number, statement in enumerate(self._statements):
            for later in range(number + 1, len(self._statements)):
                # A function sees what later statements give its variables, so these share one frame.
                if statement.captures & self._statements[later].stores:
                    fixed |= {number, later}
        return frozenset(fixed)

    def _between(self, fixed: frozenset[int]) -> Iterator[tuple[int, int]]:
        """The runs between the statements that run as they are written: where each starts and stops."""
        start: int | None = None
        for number in range(len(self._statements) + 1):
            is_outside = number == len(self._statements) or number in fixed
            if start is not None and is_outside:
                yield start, number
                start = None
            elif start is None and not is_outside:
                start = number

    def _run(self, start: int, stop: int) -> Run:
        before, within = self._statements[:start], self._statements[start:stop]
        possible = frozenset(self._parameters).union(*(statement.stores for statement in before))
        sure = frozenset(self._parameters).union(*(statement.sets for statement in before)) - self._deleted
        set_within = frozenset().union(*(statement.sets for statement in within))
        stored = frozenset().union(*(statement.stores for statement in within))
        live = _read_first(self._statements[stop:])
        outputs = stored & live & self._locals
        read, functions = self._with_functions(_read_first(within), start)
        needed = (read | (outputs - set_within)) & possible
        first = [self.first_parameter] if self.first_parameter in needed else []
        inputs = (*first, *sorted(needed.difference(first)))
        is_last = stop == len(self._statements)
        return Run(start, stop, inputs, needed - sure, () if is_last else tuple(sorted(outputs)), functions, is_last)

    def _with_functions(self, read: frozenset[str], start: int) -> tuple[frozenset[str], tuple[int, ...]]:
        """The variables that a run reads, with those that inner functions capture in place of the functions' names.

        Args:
            read: the variables that it reads.
            start: its first statement.

        Returns:
            The variables, and the statements that define these functions.
        """
        found: set[int] = set()
        while True:
            more = {self._functions[name] for name in read & self._functions.keys()}
            more = {number for number in more if number < start} - found
            if not more:
                names = frozenset().union(*(self._statements[number].stores for number in found))
                return read - names, tuple(sorted(found))
            found |= more
            read |= frozenset().union(*(self._statements[number].captures for number in more))

    def _inner_functions(self) -> dict[str, int]:
        """The functions that a statement of its own defines, by name, and that every run may define again for itself.

        Nothing else sets the name, no later statement sets what they capture, making them computes nothing, and all
        that is done with them is calling them.
        """
        everything = list(ast.walk(self._node))
        called = {id(part.func) for part in everything if isinstance(part, ast.Call)}
        names = [part for part in everything if isinstance(part, ast.Name) and id(part) not in called]
        passed = {part.id for part in names if not isinstance(part.ctx, ast.Store)}
        found: dict[str, int] = {}
        for number, node in enumerate(self._node.body):
            named = function_of(node)
            if named is None or named[1].args.defaults or any(named[1].args.kw_defaults):
                continue
            if named[0] not in passed and self._is_set_once(named[0], number):
                found[named[0]] = number
        return found

    def _is_set_once(self, name: str, number: int) -> bool:
        """Whether only this statement sets the name of a function, and no later one what the function captures."""
        others = [other for place, other in enumerate(self._statements) if place != number]
        is_set = name in self._parameters or any(name in other.stores for other in others)
        captures = self._statements[number].captures
        return not is_set and not any(captures & other.stores for other in self._statements[number + 1 :])

    def _misplaced(self, run: Run) -> frozenset[int]:
        """The statements of a run that must run as they are written because of what is around them."""
        found: set[int] = set()
        within = self._statements[run.start : run.stop]
        set_within = frozenset().union(*(statement.sets for statement in within))
        stored = frozenset().union(*(statement.stores for statement in within))
        read, _ = self._with_functions(_read_first(within), run.start)
        nowhere = (read & self._locals) - stored - frozenset(run.inputs)
        perhaps = frozenset(run.outputs) - set_within - frozenset(run.inputs)
        for number, statement in enumerate(within, run.start):
            returns = statement.returns and not run.ends
            if returns or statement.reads & nowhere or statement.stores & perhaps:
                found.add(number)
        return frozenset(found)

    def _is_worth(self, run: Run) -> bool:
        """Whether a run may compute with tensors."""
        return any(statement.computes for statement in self._statements[run.start : run.stop])


class _Statement:
    """What a statement does with variables.

    Attributes:
        reads: the names that it may read, also within functions that it defines.
        stores: the names that it may set.
        sets: the names that it sets for sure.
        deletes: the names that it may delete.
        captures: the names that functions in it may read later.
        returns: whether it may end the function by `return`.
        is_fixed: whether it runs as it is written.
        computes: whether it may compute with tensors.
    """

    def __init__(self, node: ast.stmt) -> None:
        everything = list(ast.walk(node))
        own = list(own_nodes([node]))
        self.stores = stored_names(own) | {part.target.id for part in everything if isinstance(part, ast.NamedExpr)}
        self.sets = _set_for_sure([node]) or frozenset()
        self.deletes = frozenset(filter(None, map(_deleted, own)))
        self.reads = frozenset(filter(None, map(_read, own))).union(*map(_names_in, own))
        self.captures = frozenset().union(*(_late_names(part) for part in everything if isinstance(part, _LATE)))
        self.returns = any(isinstance(part, ast.Return) for part in own)
        of_class = any(isinstance(part, ast.Name) and part.id in ("super", "__class__") for part in everything)
        self.is_fixed = of_class or any(map(_is_as_written, everything))
        self.computes = any(isinstance(part, _COMPUTES) for part in everything)


def _deleted(node: ast.AST) -> str | None:
    """The variable that a node may leave without a value."""
    if isinstance(node, ast.ExceptHandler):
        return node.name
    return node.id if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Del) else None


def _read(node: ast.AST) -> str | None:
    """The variable that a node reads."""
    if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
        return node.target.id
    return node.id if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Store) else None


def _is_as_written(node: ast.AST) -> bool:
    """Whether a statement with such a node runs as it is written."""
    return isinstance(node, _AS_WRITTEN) or (isinstance(node, ast.AnnAssign) and node.value is None)


def _is_at(place: Location, statement: ast.stmt) -> bool:
    """Whether a place of the source is in a statement."""
    end = (statement.end_lineno or statement.lineno, statement.end_col_offset or 0)
    return (statement.lineno, statement.col_offset) <= (place.line, place.column) < end


def _names_in(node: ast.AST) -> frozenset[str]:
    """The variables of functions around it that a function or class reads, when it is made or when it runs."""
    if isinstance(node, ast.FunctionDef | ast.Lambda):
        outside = [*node.args.defaults, *filter(None, node.args.kw_defaults), *getattr(node, "decorator_list", ())]
        made = frozenset(name.id for item in outside for name in ast.walk(item) if isinstance(name, ast.Name))
        return made | _late_names(node)
    if isinstance(node, ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
        return _late_names(node)
    if isinstance(node, ast.ClassDef):
        return frozenset(name.id for name in ast.walk(node) if isinstance(name, ast.Name))
    return frozenset()


def _late_names(function: ast.AST) -> frozenset[str]:
    """The variables of functions around it that a function reads when it runs."""
    body: list[ast.AST] = [*ast.iter_child_nodes(function)]
    own: frozenset[str] = frozenset()
    if isinstance(function, ast.FunctionDef | ast.Lambda):
        body = [*function.body] if isinstance(function, ast.FunctionDef) else [function.body]
        own = frozenset(parameter_names(function.args))
    within = list(own_nodes(body))
    own |= stored_names(within)
    read = frozenset(part.id for part in within if isinstance(part, ast.Name)).union(*map(_names_in, within))
    return read - own


def _read_first(statements: Sequence[_Statement]) -> frozenset[str]:
    """The variables that statements may read before they set them."""
    found: set[str] = set()
    known: set[str] = set()
    for statement in statements:
        found |= statement.reads - known
        known |= statement.sets
    return frozenset(found)


def _set_for_sure(statements: Sequence[ast.stmt]) -> frozenset[str] | None:
    """The variables that statements set on every path to their end; None if their end is never reached."""
    found: frozenset[str] = frozenset()
    for node in statements:
        if isinstance(node, ast.Return | ast.Raise | ast.Break | ast.Continue):
            return None
        if isinstance(node, ast.If):
            ways = [way for way in map(_set_for_sure, (node.body, node.orelse)) if way is not None]
            if not ways:
                return None
            found |= frozenset.intersection(*ways)
        else:
            found |= _set_by(node)
    return found


def _set_by(node: ast.stmt) -> frozenset[str]:
    """The variables that a statement without branches sets."""
    targets: list[ast.expr] = []
    if isinstance(node, ast.Assign):
        targets = node.targets
    elif isinstance(node, ast.AugAssign | ast.AnnAssign) and node.value is not None:
        targets = [node.target]
    elif isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Import | ast.ImportFrom):
        return stored_names([node])
    parts = own_nodes(targets)
    return frozenset(part.id for part in parts if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store))


def _without_values(arguments: ast.arguments) -> ast.arguments:
    """Parameters without annotations and defaults."""

    def plain(items: Iterable[ast.arg]) -> list[ast.arg]:
        return [ast.arg(item.arg) for item in items]

    more = [plain([item])[0] if item else None for item in (arguments.vararg, arguments.kwarg)]
    return ast.arguments(
        plain(arguments.posonlyargs), plain(arguments.args), more[0], plain(arguments.kwonlyargs),
        [None] * len(arguments.kwonlyargs), more[1], [],
    )  # fmt: skip


def _at(made: Made, where: ast.stmt) -> Made:
    """Give what was made the first line of a statement. Parts of the user's source keep their places."""
    line, column = where.lineno, where.col_offset
    for part in ast.walk(made):
        if "lineno" in part._attributes and not hasattr(part, "lineno"):
            part.lineno = part.end_lineno = line  # type: ignore[attr-defined]
            part.col_offset = part.end_col_offset = column  # type: ignore[attr-defined]
    return made


def _code_within(code: CodeType, name: str) -> CodeType:
    """The code of a function that another one defines."""
    return next(item for item in code.co_consts if isinstance(item, CodeType) and item.co_name == name)
