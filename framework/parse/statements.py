"""Parses statements: control flow becomes blocks, assignments become versions of variables."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from framework.ir.anf import Node, ValueNode
from framework.ir.errors import PythonOnlySyntaxError, UnsupportedSyntaxError
from framework.ir.operators import MAKE_TUPLE
from framework.ir.python_ops import NEVER, Deleted
from framework.parse.expressions import BINARY, Expressions
from framework.parse.function import FunctionParser
from framework.parse.names import assigned_names, function_of

__all__ = ["Statements"]

_IN_PLACE: Final[dict[type[ast.operator], str]] = {ast.Add: "add_to", ast.Mult: "multiply_by"}
_REFUSED: Final[dict[str, tuple[str, str]]] = {
    "Try": ("try/except", "test for the condition with if beforehand; errors end a compiled program"),
    "TryStar": ("try/except*", "test for the condition with if beforehand; errors end a compiled program"),
    "With": ("with", "call what you need directly, or open the context around the call of the compiled function"),
    "AsyncWith": ("async with", "open the context around the call of the compiled function"),
    "AsyncFor": ("async for", "use for"),
    "AsyncFunctionDef": ("async def", "use def"),
    "ClassDef": ("class", "define the class outside of the compiled function"),
    "Global": ("global", "return the value and assign it outside of the compiled function"),
    "Nonlocal": ("nonlocal", "pass the value as an argument and return the new one"),
    "Import": ("import", "import at the top of the file"),
    "ImportFrom": ("from ... import", "import at the top of the file"),
    "Match": ("match", "use if/elif/else"),
}


class Statements:
    """Parses the statements of a function.

    Args:
        function: the parser of that function. It knows the current block.
    """

    def __init__(self, function: FunctionParser) -> None:
        self.function = function
        self.expressions = Expressions(function)

    def run(self, statements: list[ast.stmt]) -> None:
        """Parse statements, up to one that leaves the block: what follows is never reached."""
        for statement in statements:
            if self.function.block.finished:
                return
            self.statement(statement)

    def statement(self, node: ast.stmt) -> None:
        """Parse one statement."""
        name = type(node).__name__
        visit: Callable[[Any], None] | None = getattr(self, f"visit_{name.lower()}", None)
        if visit is None:
            what, instead = _REFUSED.get(name, (f"the statement {name}", "use simpler statements"))
            kind = PythonOnlySyntaxError if isinstance(node, ast.With) else UnsupportedSyntaxError
            self.function.unsupported(node, what, instead, kind)
        else:
            visit(node)

    def visit_pass(self, node: ast.Pass) -> None:
        """`pass` does nothing."""

    def visit_expr(self, node: ast.Expr) -> None:
        """An expression that is evaluated for its side effect."""
        if isinstance(node.value, ast.Name):
            # Nothing is computed, but the name must exist.
            self._apply(node, "is_", self.expressions.value(node.value), ValueNode(None))
        elif not isinstance(node.value, ast.Constant):
            self.expressions.value(node.value)

    def visit_assign(self, node: ast.Assign) -> None:
        """`a = b = value`, `a, b = values`."""
        named = function_of(node)
        if named is not None:
            value = self.expressions.closure(named[1], named[0])
        else:
            value = self.expressions.value(node.value)
        for target in node.targets:
            self.assign(target, value)

    def visit_annassign(self, node: ast.AnnAssign) -> None:
        """`a: type = value`."""
        if node.value is not None:
            self.assign(node.target, self.expressions.value(node.value))

    def visit_augassign(self, node: ast.AugAssign) -> None:
        """`a += value` gives the name a new value. Inference checks that no other name refers to a changed list."""
        operator = _IN_PLACE.get(type(node.op), BINARY[type(node.op)])
        if isinstance(node.target, ast.Subscript):
            place = self._place(node.target, node.value)
            old = self._apply(node.target, "getitem", *place.steps[-1][1:])
            self._put(place, self._apply(node, operator, old, self.expressions.value(node.value)))
        elif isinstance(node.target, ast.Attribute):
            owner = self.expressions.value(node.target.value)
            old = self._apply(node.target, "getattr", owner, node.target.attr)
            value = self._apply(node, operator, old, self.expressions.value(node.value))
            self._apply(node.target, "setattr", owner, node.target.attr, value)
        else:
            load = ast.copy_location(ast.Name(node.target.id, ast.Load()), node.target)
            value = self._apply(node, operator, self.expressions.value(load), self.expressions.value(node.value))
            self.assign(node.target, value)

    def assign(self, target: ast.expr, value: Node) -> None:
        """Give a target a value."""
        if isinstance(target, ast.Name):
            if not value.name:
                value.name = target.id
            self.function.write(target.id, value, target)
        elif isinstance(target, ast.Tuple | ast.List):
            self._unpack(target, value)
        elif isinstance(target, ast.Subscript):
            self._put(self._place(target), value)
        elif isinstance(target, ast.Attribute):
            self._apply(target, "setattr", self.expressions.value(target.value), target.attr, value)
        else:
            self.function.unsupported(target, f"assigning to {type(target).__name__}", "assign to a variable")

    def _unpack(self, target: ast.Tuple | ast.List, value: Node) -> None:
        stars = [place for place, part in enumerate(target.elts) if isinstance(part, ast.Starred)]
        before = stars[0] if stars else len(target.elts)
        after = len(target.elts) - before - 1 if stars else 0
        items = self._apply(target, "unpack", value, before, bool(stars), after)
        for place, part in enumerate(target.elts):
            inner = part.value if isinstance(part, ast.Starred) else part
            self.assign(inner, self._apply(part, "item", items, place))

    def visit_delete(self, node: ast.Delete) -> None:
        """`del name, items[index]`: the name has no value any more, the container has one item less."""
        for target in node.targets:
            self._delete(target)

    def _delete(self, target: ast.expr) -> None:
        if isinstance(target, ast.Name):
            self._apply(target, "delete", self.expressions.value(_as_load(target)))
            self.function.write(target.id, ValueNode(Deleted(target.id, (target.lineno,))), target)
        elif isinstance(target, ast.Subscript):
            place = self._place(target)
            _, base, index = place.steps.pop()
            both = self._apply(
                target,
                "change",
                base,
                "__delitem__",
                self._apply(target, MAKE_TUPLE, index),
                self._apply(target, "merge"),
            )
            self._put(place, self._apply(target, "item", both, 0), "put_back")
        elif isinstance(target, ast.Tuple | ast.List):
            for part in target.elts:
                self._delete(part)
        else:
            self.function.unsupported(target, "del of an attribute", "leave it, or set it outside of the function")

    def _place(self, target: ast.Subscript, operand: ast.expr | None = None) -> _Place:
        """Evaluate the parts of a target such as `a.b[i][j]`, each once, as Python does.

        Args:
            target: the target of the assignment.
            operand: the right side of an augmented assignment. It is evaluated between reading and assigning.
        """
        subscripts, root = [target], target.value
        while isinstance(root, ast.Subscript):
            subscripts.append(root)
            root = root.value
        name = root.id if isinstance(root, ast.Name) else None
        if name is not None and name not in self.function.scope:
            self.function.unsupported(
                target,
                f"changing a part of '{name}', which is not a variable of this function",
                "pass it as an argument, and return its new value",
            )
        within = [subscript.slice for subscript in subscripts] + ([] if operand is None else [operand])
        if name in assigned_names(within):
            self.function.unsupported(
                target,
                f"an assignment to a part of '{name}' whose index or value changes '{name}' too",
                "compute the index and the value in statements before",
            )
        owner = self.expressions.value(root.value) if isinstance(root, ast.Attribute) else None
        if owner is not None:
            base = self._apply(root, "getattr", owner, root.attr)  # type: ignore[attr-defined]
        else:
            base = self.expressions.value(_as_load(root))
        steps: list[tuple[ast.Subscript, Node, Node]] = []
        for subscript in reversed(subscripts):
            if steps:
                base = self._apply(*steps[-1][:1], "getitem", *steps[-1][1:])
            steps.append((subscript, base, self.expressions.index(subscript.slice)))
        return _Place(root, owner, steps)

    def _put(self, place: _Place, value: Node, operator: str = "setitem") -> None:
        """Assign to a place: its container gets a new value, and so on up to the variable."""
        # A Parameter belongs to its Cell, which must see the change, so it is assigned in place.
        operator = operator if isinstance(place.root, ast.Name) else "put_back"
        for subscript, base, index in reversed(place.steps):
            value = self._apply(subscript, operator, base, index, value)
            operator = "put_back"
        if place.owner is not None:
            self._apply(place.root, "setattr", place.owner, place.root.attr, value)  # type: ignore[attr-defined]
        else:
            self.assign(place.root, value)

    def visit_functiondef(self, node: ast.FunctionDef) -> None:
        """A nested function: a closure."""
        value = self.expressions.closure(node, "" if node.decorator_list else node.name)
        for decorator in reversed(node.decorator_list):
            value = self._apply(decorator, self.expressions.value(decorator), value)
        self.function.write(node.name, value, node)

    def visit_return(self, node: ast.Return) -> None:
        """The end of the function."""
        value = ValueNode(None) if node.value is None else self.expressions.value(node.value)
        self.function.block.graph.attrs["returned"] = self.function.location(node)
        self.function.block.finish(value)

    def visit_raise(self, node: ast.Raise) -> None:
        """An exception that ends the program if it is reached."""
        if node.exc is None:
            self.function.unsupported(node, "raise without an exception", "name the exception to raise")
            return
        self._apply(node, "raise", self.expressions.value(node.exc))
        self.function.block.finish(ValueNode(NEVER))

    def visit_assert(self, node: ast.Assert) -> None:
        """A condition that must hold."""
        message = ValueNode(None) if node.msg is None else self.expressions.value(node.msg)
        self._apply(node, "assert", self.expressions.value(node.test), message)

    def visit_if(self, node: ast.If) -> None:
        """A choice. The statements after it are a block that both branches jump to."""
        function = self.function
        then, otherwise, after = (function.new_block(name, node) for name in ("if_true", "if_false", "after_if"))
        around = [block.graph for loop in reversed(function.loops) for block in loop]
        then.graph.attrs["joins"] = otherwise.graph.attrs["joins"] = (after.graph, *around)
        condition = self.expressions.condition(node.test)
        function.block.branch(condition, then, otherwise, function.location(node.test))
        for block, statements in ((then, node.body), (otherwise, node.orelse)):
            function.block = block
            self.run(statements)
            function.block.jump(after, function.location(node))
        self._continue_with(after)

    def visit_while(self, node: ast.While) -> None:
        """A loop: its header jumps to the body or to the block after the loop, and the body jumps to the header."""
        self._loop(node, lambda: self.expressions.condition(node.test), lambda: None)

    def visit_for(self, node: ast.For) -> None:
        """A loop over anything that can be indexed: a `while` with a counter that is less than the length."""
        function = self.function
        items = self._apply(node.iter, "sequence", self.expressions.value(node.iter))
        length = self._apply(node.iter, "length", items)
        counter = function.counter()
        function.block.write(counter, ValueNode(0))

        def condition() -> Node:
            return self._apply(node.iter, "lt", function.block.read(counter), length)

        def begin() -> None:
            count = function.block.read(counter)
            self.assign(node.target, self._apply(node, "item", items, count))
            function.block.write(counter, self._apply(node.iter, "add", count, 1))

        self._loop(node, condition, begin, counter)

    def _loop(
        self, node: ast.For | ast.While, condition: Callable[[], Node], begin: Callable[[], None], counter: str = ""
    ) -> None:
        function = self.function
        assigned = assigned_names([node]) | ({counter} if counter else set())
        header = function.new_block("loop", node, assigned)
        header.graph.attrs["loop"] = True
        function.block.jump(header, function.location(node))
        function.block = header
        body, end = (function.new_block(name, node) for name in ("loop_body", "loop_end"))
        # Any iteration can break to the block after the loop, so variables of the loop are passed as arguments.
        after = function.new_block("after_loop", node, assigned)
        end.graph.attrs["loop_end"] = True
        header.graph.attrs["join"] = after.graph
        header.branch(condition(), body, end, function.location(getattr(node, "test", node)))
        function.block = body
        function.loops.append((header, after))
        begin()
        self.run(node.body)
        function.loops.pop()
        function.block.jump(header, function.location(node))
        function.block = end
        self.run(node.orelse)
        function.block.jump(after, function.location(node))
        self._continue_with(after)

    def visit_break(self, node: ast.Break) -> None:
        """A jump to the block after the loop."""
        self.function.block.jump(self.function.loops[-1][1], self.function.location(node))

    def visit_continue(self, node: ast.Continue) -> None:
        """A jump to the next iteration."""
        self.function.block.jump(self.function.loops[-1][0], self.function.location(node))

    def _continue_with(self, block: Any) -> None:
        """Continue in a block, unless it cannot be reached."""
        self.function.block = block
        if not block.entries:
            block.finish(ValueNode(NEVER))
        elif len(block.entries) == 1:
            block.graph.attrs["around"] = block.entries[0].graph

    def _apply(self, node: ast.AST, function: Any, *arguments: Any) -> Node:
        return self.function.apply(node, function, *arguments)


@dataclass(frozen=True)
class _Place:
    """A part of a value that is assigned.

    Attributes:
        root: the variable or attribute that holds the whole value.
        owner: the object of that attribute.
        steps: from the outermost part to the assigned one: its subscript, its container and its index.
    """

    root: ast.expr
    owner: Node | None
    steps: list[tuple[ast.Subscript, Node, Node]]


def _as_load(node: ast.expr) -> ast.expr:
    return ast.copy_location(ast.Name(node.id, ast.Load()), node) if isinstance(node, ast.Name) else node
