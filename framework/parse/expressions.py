"""Parses expressions: operators become applications, and operands that may not be evaluated become closures."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any, Final

from framework.ir.anf import Node, ValueNode
from framework.ir.operators import MAKE_DICT, MAKE_LIST, MAKE_TUPLE, SWITCH
from framework.parse.comprehensions import Comprehension, as_function
from framework.parse.function import FunctionParser
from framework.parse.names import assigned_within, changed_by
from framework.parse.ssa import Block

__all__ = ["BINARY", "Expressions"]

BINARY: Final[dict[type[ast.operator], str]] = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "truediv", ast.FloorDiv: "floordiv", ast.Mod: "mod",
    ast.Pow: "pow", ast.MatMult: "matmul", ast.BitAnd: "and_", ast.BitOr: "or_", ast.BitXor: "xor",
    ast.LShift: "lshift", ast.RShift: "rshift",
}  # fmt: skip
_UNARY: Final[dict[type[ast.unaryop], str]] = {
    ast.USub: "neg", ast.UAdd: "pos", ast.Invert: "invert", ast.Not: "not_",
}  # fmt: skip
_COMPARE: Final[dict[type[ast.cmpop], str]] = {
    ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge", ast.Eq: "eq", ast.NotEq: "ne", ast.Is: "is_",
    ast.IsNot: "is_not", ast.In: "in_", ast.NotIn: "not_in",
}  # fmt: skip
_REFUSED: Final[dict[str, tuple[str, str]]] = {
    "Yield": ("yield", "build a list and return it"),
    "YieldFrom": ("yield from", "build a list and return it"),
    "Await": ("await", "call the function outside of the compiled one"),
    "SetComp": ("a set comprehension", "use a list"),
    "Set": ("a set", "use a tuple"),
}


class Expressions:
    """Parses the expressions of a function.

    Args:
        function: the parser of that function.
    """

    def __init__(self, function: FunctionParser) -> None:
        self.function = function

    def value(self, node: ast.expr) -> Node:
        """The node of an expression."""
        name = type(node).__name__
        visit: Callable[[Any], Node] | None = getattr(self, f"visit_{name.lower()}", None)
        if visit is None:
            what, instead = _REFUSED.get(name, (f"the expression {name}", "use a simpler expression"))
            self.function.unsupported(node, what, instead)
            raise AssertionError(name)
        return visit(node)

    def condition(self, node: ast.expr) -> Node:
        """The truth value of an expression, for `if`, `while` and `not`. `and` and `or` pass it to their operands."""
        if isinstance(node, ast.BoolOp):
            return self._short(node, node.values, self.condition)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return self._apply(node, "not_", self.condition(node.operand))
        return self._apply(node, "bool", self.value(node))

    def visit_constant(self, node: ast.Constant) -> Node:
        """A number, a text, None, `...`."""
        return ValueNode(node.value, location=self.function.location(node))

    def visit_name(self, node: ast.Name) -> Node:
        """A variable."""
        return self.function.read(node.id, node)

    def visit_namedexpr(self, node: ast.NamedExpr) -> Node:
        """`(name := value)`."""
        self._refuse_where_not_reached(node)
        value = self.value(node.value)
        self.function.write(node.target.id, value, node)
        return value

    def _refuse_where_not_reached(self, node: ast.AST) -> None:
        if self.function.conditional:
            self.function.unsupported(node, "an assignment that may not be reached", "assign in a statement before")

    def visit_attribute(self, node: ast.Attribute) -> Node:
        """`value.name`."""
        return self._apply(node, "getattr", self.value(node.value), node.attr)

    def visit_binop(self, node: ast.BinOp) -> Node:
        """`a + b`."""
        return self._apply(node, BINARY[type(node.op)], self.value(node.left), self.value(node.right))

    def visit_unaryop(self, node: ast.UnaryOp) -> Node:
        """`-a`, `not a`."""
        if isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant):
            return ValueNode(-node.operand.value, location=self.function.location(node))  # type: ignore[operator]
        return self._apply(node, _UNARY[type(node.op)], self.value(node.operand))

    def visit_compare(self, node: ast.Compare) -> Node:
        """`a < b`. In `a < b < c`, b is evaluated once, and c only if a < b."""
        left = self.value(node.left)
        right = self.value(node.comparators[0])
        first = self._apply(node, _COMPARE[type(node.ops[0])], left, right)
        if len(node.ops) == 1:
            return first
        return self._choice(node, first, lambda: self._compare_on(node, 1, right), lambda: first)

    def _compare_on(self, node: ast.Compare, place: int, left: Node) -> Node:
        right = self.value(node.comparators[place])
        result = self._apply(node, _COMPARE[type(node.ops[place])], left, right)
        if place + 1 == len(node.ops):
            return result
        return self._choice(node, result, lambda: self._compare_on(node, place + 1, right), lambda: result)

    def visit_boolop(self, node: ast.BoolOp) -> Node:
        """`a and b` is one of the operands, not a bool. b is evaluated only if a does not decide."""
        return self._short(node, node.values, self.value)

    def _short(self, node: ast.BoolOp, values: list[ast.expr], of: Callable[[ast.expr], Node]) -> Node:
        first = of(values[0])
        if len(values) == 1:
            return first
        rest: Callable[[], Node] = lambda: self._short(node, values[1:], of)  # noqa: E731
        same: Callable[[], Node] = lambda: first  # noqa: E731
        both = isinstance(node.op, ast.And)
        return self._choice(node, first, rest if both else same, same if both else rest)

    def visit_ifexp(self, node: ast.IfExp) -> Node:
        """`a if condition else b`."""
        condition = self.condition(node.test)
        return self._choice(node.test, condition, lambda: self.value(node.body), lambda: self.value(node.orelse), "way")

    def _choice(
        self, node: ast.AST, condition: Node, then: Callable[[], Node], otherwise: Callable[[], Node], note: str = ""
    ) -> Node:
        """One of two values, evaluated only if it is chosen: a call of one of two closures."""
        tested = self._apply(node, "bool", condition)
        closures = [self._thunk(node, name, make) for name, make in (("true", then), ("false", otherwise))]
        if note:
            closures[0].graph.attrs[note] = True
        return self._apply(node, self._apply(node, SWITCH, tested, *(closure.graph for closure in closures)))

    def _thunk(self, node: ast.AST, name: str, make: Callable[[], Node]) -> Block:
        outer = self.function.block
        block = self.function.new_block(name, node)
        block.entries.append(outer)
        self.function.block = block
        self.function.conditional += 1
        block.finish(make())
        self.function.conditional -= 1
        self.function.block = outer
        return block

    def visit_call(self, node: ast.Call) -> Node:
        """`f(a, *b, name=c, **d)`."""
        if isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name):
            name = changed_by(node)
            if name is not None and name in self.function.scope and not self.function.conditional:
                return self._change(node, name, node.func.attr)
        if isinstance(node.func, ast.Name) and node.func.id == "super" and not node.args:
            return self._super(node)
        function = self.value(node.func)
        if not node.keywords and not any(isinstance(argument, ast.Starred) for argument in node.args):
            return self._apply(node, function, *(self.value(argument) for argument in node.args))
        return self._apply(node, "call_with", function, *self._passed(node))

    def _super(self, node: ast.Call) -> Node:
        """`super()` is `super(__class__, self)`."""
        method = self.function.node.args
        names = [argument.arg for argument in (*method.posonlyargs, *method.args)][:1]
        given = [self.function.read(name, node) for name in ("__class__", *names)]
        return self._apply(node, self.value(node.func), *given)

    def _passed(self, node: ast.Call) -> tuple[Node, Node]:
        """The arguments of a call: a tuple of those by position, a dictionary of those by name."""
        positional = self._items(node, node.args)
        parts: list[Node] = []
        for keyword in node.keywords:
            value = self.value(keyword.value)
            parts.append(value if keyword.arg is None else self._apply(node, MAKE_DICT, (keyword.arg,), value))
        return positional, self._apply(node, "merge", *parts)

    def _change(self, node: ast.Call, name: str, method: str) -> Node:
        """`x.append(item)`: the variable x becomes another list. The value is the method's result."""
        positional, named = self._passed(node)
        both = self._apply(node, "change", self.function.read(name, node), method, positional, named)
        self.function.write(name, self._apply(node, "item", both, 0), node)
        return self._apply(node, "item", both, 1)

    def visit_tuple(self, node: ast.Tuple) -> Node:
        """`(a, *b)`."""
        return self._items(node, node.elts)

    def visit_list(self, node: ast.List) -> Node:
        """`[a, *b]`."""
        if any(isinstance(item, ast.Starred) for item in node.elts):
            return self._apply(node, "add_to", self._apply(node, MAKE_LIST), self._items(node, node.elts))
        return self._apply(node, MAKE_LIST, *(self.value(item) for item in node.elts))

    def _items(self, node: ast.AST, items: list[ast.expr]) -> Node:
        """A tuple of items, some of which may be starred."""
        if not any(isinstance(item, ast.Starred) for item in items):
            return self._apply(node, MAKE_TUPLE, *(self.value(item) for item in items))
        whole: Node = self._apply(node, MAKE_TUPLE)
        for item in items:
            part = (
                self._apply(item, "as_tuple", self.value(item.value))
                if isinstance(item, ast.Starred)
                else self._apply(item, MAKE_TUPLE, self.value(item))
            )
            whole = self._apply(node, "add", whole, part)
        return whole

    def visit_dict(self, node: ast.Dict) -> Node:
        """`{key: value, **others}` with keys that are known at compile time."""
        parts = [
            self.value(value)
            if key is None
            else self._apply(node, MAKE_DICT, self._apply(key, MAKE_TUPLE, self.value(key)), self.value(value))
            for key, value in zip(node.keys, node.values, strict=True)
        ]
        return self._apply(node, "merge", *parts)

    def visit_subscript(self, node: ast.Subscript) -> Node:
        """`value[index]`."""
        return self._apply(node, "getitem", self.value(node.value), self.index(node.slice))

    def index(self, node: ast.expr) -> Node:
        """The index in brackets."""
        return self.value(node)

    def visit_slice(self, node: ast.Slice) -> Node:
        """`first:last:step`."""
        parts = [ValueNode(None) if part is None else self.value(part) for part in (node.lower, node.upper, node.step)]
        return self._apply(node, "slice", *parts)

    def visit_lambda(self, node: ast.Lambda) -> Node:
        """A closure."""
        return self.closure(node)

    def closure(self, node: ast.FunctionDef | ast.Lambda, name: str = "") -> Node:
        """A nested function.

        Args:
            node: the function.
            name: the variable that it is directly assigned to.
        """
        graph = self.function.nested(node, name)
        self._defaults(node, graph.signature)
        return self.function.capturing(node, ValueNode(graph, location=self.function.location(node)))

    def _defaults(self, node: ast.FunctionDef | ast.Lambda, signature: Any) -> None:
        """Evaluate the defaults of a nested function's parameters where the function is defined."""
        arguments = node.args
        positional = zip(reversed(signature.positional), reversed(arguments.defaults), strict=False)
        named = zip(signature.named, arguments.kw_defaults, strict=True)
        for name, default in [*positional, *named]:
            if default is not None:
                signature.defaults[name] = self.value(default)

    def visit_listcomp(self, node: ast.ListComp) -> Node:
        """`[item for target in items if condition]`: a function with a loop, called at once."""
        return self._comprehension(node)

    def visit_generatorexp(self, node: ast.GeneratorExp) -> Node:
        """A generator becomes a list: all its items are computed, and can be read once."""
        return self.function.capturing(node, self._apply(node, "iterator", self._comprehension(node)))

    def visit_dictcomp(self, node: ast.DictComp) -> Node:
        """`{key: value for ...}`."""
        return self._comprehension(node)

    def _comprehension(self, node: Comprehension) -> Node:
        made = ValueNode(self.function.nested(as_function(node)), location=self.function.location(node))
        found = self._apply(node, self.function.capturing(node, made))
        names = assigned_within(node)
        if not names:
            return found
        self._refuse_where_not_reached(node)
        for place, name in enumerate(names, 1):
            self.function.write(name, self._apply(node, "item", found, place), node)
        return self._apply(node, "item", found, 0)

    def visit_joinedstr(self, node: ast.JoinedStr) -> Node:
        """`f"text {value}"`."""
        return self._apply(node, "join", *(self.value(part) for part in node.values))

    def visit_formattedvalue(self, node: ast.FormattedValue) -> Node:
        """`{value!r:spec}` in an f-string."""
        spec = ValueNode("") if node.format_spec is None else self.value(node.format_spec)
        return self._apply(node, "format", self.value(node.value), node.conversion, spec)

    def visit_starred(self, node: ast.Starred) -> Node:
        """`*items` in a place that takes one value."""
        self.function.unsupported(node, "* here", "unpack in a call, a tuple or a list")
        raise AssertionError

    def _apply(self, node: ast.AST, function: Any, *arguments: Any) -> Node:
        return self.function.apply(node, function, *arguments)
