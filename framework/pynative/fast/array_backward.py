"""Backward functions on arrays, written from the source of a gradient: backward then makes no tensors.

A backward function is defined once, beside its operator, in terms of primitives and Python's operators. Most are a few
lines of these, and what they say of tensors holds for arrays: a primitive is its kernel, `+ - * /` of arrays of one
floating-point type are numpy's, and what depends on shapes is computed as written. In all other cases the caller runs
the backward function itself.
"""

from __future__ import annotations

import ast
import functools
import inspect
import textwrap
from collections.abc import Callable
from types import CodeType, FunctionType
from typing import Any, Final

import numpy as np

from framework.common import dtype as mstype
from framework.common.tensor import Tensor, from_array
from framework.ops import operations as P  # noqa: N812
from framework.ops.calls import Pull
from framework.ops.constexpr import is_constexpr
from framework.ops.gradients import bprop_getters
from framework.ops.needed import is_needed
from framework.ops.primitive import Primitive
from framework.pynative.tape import Add

__all__ = ["give", "pull_of", "source_of"]

FLOAT, VALUE, OTHER = "float", "value", "other"
_OPERATORS: Final = (ast.Add, ast.Sub, ast.Mult, ast.Div)
_QUESTIONS: Final = (P.Shape, P.Rank, P.DType)


_GIVEN: Final = """\
if _of_{name} is not None:
    _place = _node_{name} - _first
    _known = _gradients[_place]
    if _known is None:
        _gradients[_place] = _of_{name}
    elif type(_known) is array and _known.dtype is _of_{name}.dtype:
        _gradients[_place] = _known + _of_{name}
    else:
        give(_gradients, _place, _of_{name}, _add)"""


def give(gradients: list[Any], place: int, gradient: Any, add: Add) -> None:
    """Add a gradient to the known one.

    Args:
        gradients: the known gradients, None where there is none yet.
        place: the place of the gradient to add to.
        gradient: an array, a tensor or a number. Among the known ones, numpy's scalars may stand for arrays without
            dimensions.
        add: the operator that adds two tensors, for arrays of different element types.
    """
    known = gradients[place]
    if isinstance(gradient, Tensor):
        gradient = gradient._data
    elif type(gradient) in (int, float):
        gradient = Tensor(gradient)._data
    if known is None:
        gradients[place] = gradient
    elif known.dtype is gradient.dtype:
        gradients[place] = known + gradient
    else:
        known = np.asarray(known) if isinstance(known, np.generic) else known
        gradients[place] = add(from_array(known), from_array(gradient))._data


class _RefusedError(Exception):
    """An expression has no meaning for arrays alone."""


def pull_of(primitive: Primitive) -> Pull | None:
    """The `pull` of a primitive, from its second use on: the first may be the only one, and writing one takes time."""
    if "_pulled" not in primitive.__dict__:
        primitive.__dict__["_pulled"] = True
        return None
    return _written(primitive)[1] or _never


def _never(*given: object) -> bool:
    """The `pull` of a primitive whose backward function has no form on arrays."""
    return False


def source_of(primitive: Primitive) -> str:
    """The source that is written for a primitive, to be read by people; empty if there is none."""
    return _written(primitive)[0]


def _written(primitive: Primitive) -> tuple[str, Pull | None]:
    if not bprop_getters.has(type(primitive)):
        return "", None
    bprop = bprop_getters.get(primitive)
    try:
        lowering = _Lowering(primitive, bprop)
        source = lowering.source()
    except _RefusedError:
        return "", None
    exec(compile(source, f"<backward of {primitive.name}>", "exec"), lowering.scope)  # noqa: S102
    return source, lowering.scope["pull"]


@functools.lru_cache(maxsize=1024)
def _definition(code: CodeType) -> ast.FunctionDef | None:
    """The syntax of a function."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(code)))
    except (OSError, SyntaxError, TypeError):
        return None
    return tree.body[0] if isinstance(tree.body[0], ast.FunctionDef) else None


class _Lowering:
    """One backward function on its way to arrays.

    Attributes:
        scope: the names that the written function refers to.
        kinds: of each name of the function: an array of the gradient's element type, a Python value, or else.
        read: the names whose elements, or type, it reads.
    """

    def __init__(self, primitive: Primitive, bprop: Callable[..., Any]) -> None:
        definition = _definition(bprop.__code__) if isinstance(bprop, FunctionType) else None
        if definition is None or primitive.writes:
            raise _RefusedError
        self.operator = primitive
        self.definition = definition
        self.names = [argument.arg for argument in definition.args.args]
        *self.inputs, self.out, self.dout = self.names
        self.values = set(type(primitive).value_inputs)
        self.kinds = {name: VALUE if i in self.values else FLOAT for i, name in enumerate(self.names)}
        self.free = inspect.getclosurevars(bprop)
        self.scope: dict[str, Any] = {"np": np, "array": np.ndarray, "numbers": (int, float), "give": give}
        self.scope["floats"] = (np.dtype(np.float32), np.dtype(np.float64))
        self.read: set[str] = set()
        self.temporaries = 0

    def source(self) -> str:
        body = ast.unparse(ast.Module([made for line in self.definition.body for made in self.statement(line)], []))
        tensors = [name for i, name in enumerate(self.inputs) if i not in self.values]
        nodes = "".join(f"_node_{name}, " for name in self.inputs)
        lines = [
            # What has been recorded in another way, as of other types, has one item more.
            f"_operator, {nodes}{''.join(f'{name}, ' for name in self.inputs)}{self.out} = _entry",
            *(f"_needs_{name} = _node_{name} > _first" for name in tensors),
            # Numpy's scalars stand for arrays without dimensions.
            f"if type({self.dout}) is not array:",
            f"    {self.dout} = np.asarray({self.dout})",
            f"_type = {self.dout}.dtype",
            f"if {' or '.join(self.guards())}:",
            "    return False",
            *([f"_shape = {self.dout}.shape"] if "_shape" in body else []),
        ]
        head = f"def pull(_entry, {self.dout}, _gradients, _first, _add):\n"
        return head + textwrap.indent("\n".join([*lines, body]), "    ")

    def guards(self) -> list[str]:
        """What must not be, for the function to hold."""
        tensors = [x for i, x in enumerate(self.inputs) if i not in self.values and x in self.read]
        checks = [f"{self.out}.dtype is not _type", "_type not in floats"]
        if self.operator.promotes and not self.makes_floats():
            return checks  # that has been seen to before it was recorded
        checks += [f"({x}.dtype is not _type if type({x}) is array else type({x}) not in numbers)" for x in tensors]
        return checks

    def makes_floats(self) -> bool:
        """Whether the output of integers is of a floating-point type."""
        found: bool = self.operator.infer_dtype(mstype.int32, mstype.int32).is_floating_point
        return found

    def statement(self, line: ast.stmt) -> list[ast.stmt]:
        match line:
            case ast.Expr(value=ast.Constant()):
                return []
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                made, kind = self.expression(value)
                self.kinds[name] = kind
                return [ast.copy_location(ast.Assign([ast.Name(name, ast.Store())], made, lineno=line.lineno), line)]
            case ast.If(test=test, body=body, orelse=orelse):
                chosen = [made for item in body for made in self.statement(item)]
                others = [made for item in orelse for made in self.statement(item)]
                return [ast.If(self.of_kind(test, VALUE), chosen or [ast.Pass()], others)]
            case ast.Return(value=ast.Tuple(elts=parts)) if len(parts) == len(self.inputs):
                return self.returned(parts)
            case ast.Return(value=ast.expr() as value) if len(self.inputs) == 1 and not isinstance(value, ast.Tuple):
                counted = self.temporaries
                if self.expression(value)[1] == OTHER:
                    raise _RefusedError  # may be the tuple of gradients itself
                self.temporaries = counted
                return self.returned([value])
        raise _RefusedError

    def returned(self, parts: list[ast.expr]) -> list[ast.stmt]:
        """The lines for a `return` of one gradient per input."""
        found = [self.result(*pair) for pair in zip(self.inputs, parts, strict=True)]
        given = [_GIVEN.format(name=name) for name, made in zip(self.inputs, found, strict=True) if made]
        return ast.parse("\n".join([*filter(None, found), *given, "return True"])).body

    def result(self, name: str, part: ast.expr) -> str:
        """The line that computes one gradient if it is needed; none for an input that has none."""
        if self.inputs.index(name) in self.values:
            return ""
        made, kind = self.expression(part)
        if kind == VALUE and not (isinstance(made, ast.Constant) and made.value is None):
            raise _RefusedError
        return f"_of_{name} = ({ast.unparse(ast.fix_missing_locations(made))}) if _needs_{name} else None"

    def of_kind(self, node: ast.expr, wanted: str) -> ast.expr:
        made, kind = self.expression(node)
        if kind != wanted:
            raise _RefusedError
        return made

    def expression(self, node: ast.expr) -> tuple[ast.expr, str]:
        match node:
            case ast.Constant():
                return node, VALUE
            case ast.Name(id=name):
                return self.name(name)
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                made, kind = self.expression(operand)
                if kind == OTHER:
                    raise _RefusedError
                return ast.UnaryOp(node.op, made), kind
            case ast.BinOp(left=left, op=op, right=right) if isinstance(op, _OPERATORS):
                return self.arithmetic(left, op, right)
            case ast.IfExp(test=test, body=body, orelse=orelse):
                first, kind = self.expression(body)
                other, of_other = self.expression(orelse)
                is_none = isinstance(other, ast.Constant) and other.value is None
                if kind != of_other and not is_none:
                    raise _RefusedError
                return ast.IfExp(self.of_kind(test, VALUE), first, other), kind
            case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]):
                return self.call(name, arguments)
        raise _RefusedError

    def name(self, name: str) -> tuple[ast.expr, str]:
        if name in self.kinds:
            self.read.add(name)
            return ast.Name(name, ast.Load()), self.kinds[name]
        value = self.known(name)
        if isinstance(value, Primitive | Tensor | np.ndarray) or callable(value):
            raise _RefusedError
        self.scope[name] = value
        return ast.Name(name, ast.Load()), VALUE

    def known(self, name: str) -> Any:
        for names in (self.free.nonlocals, self.free.globals, self.free.builtins):
            if name in names:
                return names[name]
        raise _RefusedError

    def arithmetic(self, left: ast.expr, op: ast.operator, right: ast.expr) -> tuple[ast.expr, str]:
        (first, kind), (second, other) = self.expression(left), self.expression(right)
        if OTHER in (kind, other):
            raise _RefusedError
        if kind != other and not self.is_number(first if kind == VALUE else second):
            raise _RefusedError  # what is computed from shapes may be of another element type than the arrays
        return ast.BinOp(first, op, second), VALUE if kind == other == VALUE else FLOAT

    def is_number(self, made: ast.expr) -> bool:
        """Whether a value is certainly a Python number, which gives way to any element type."""
        if isinstance(made, ast.UnaryOp):
            return self.is_number(made.operand)
        value = made.value if isinstance(made, ast.Constant) else None
        if isinstance(made, ast.Name):
            value = self.scope.get(made.id)
        return type(value) in (int, float)

    def call(self, name: str, arguments: list[ast.expr]) -> tuple[ast.expr, str]:
        callee = self.known(name)
        asked = self.question(name, callee, arguments)
        if asked is not None:
            return asked, VALUE
        given = [self.expression(argument) for argument in arguments]
        if isinstance(callee, Primitive):
            return self.primitive(name, callee, given)
        if is_constexpr(callee) and all(kind == VALUE for _, kind in given):
            self.scope[name] = callee
            return _called(name, [made for made, _ in given]), VALUE
        raise _RefusedError

    def question(self, name: str, callee: Any, arguments: list[ast.expr]) -> ast.expr | None:
        """A call that asks for something else than elements; None for any other."""
        if callee is is_needed and isinstance(arguments[0], ast.Name) and arguments[0].id in self.inputs:
            return ast.Name(f"_needs_{arguments[0].id}", ast.Load())
        if callee is isinstance and [type(argument) for argument in arguments] == [ast.Name, ast.Name]:
            return self.is_array(*[argument.id for argument in arguments if isinstance(argument, ast.Name)])
        if isinstance(callee, _QUESTIONS) and isinstance(arguments[0], ast.Name):
            # Of anything that has a shape: nothing has to be known of it.
            self.scope[f"{name}_of"] = functools.partial(callee.compute, np)
            return _called(f"{name}_of", [ast.Name(arguments[0].id, ast.Load())])
        return None

    def is_array(self, name: str, kind: str) -> ast.expr:
        """`isinstance(name, Tensor)`, for one of the inputs."""
        if name not in self.inputs or self.known(kind) is not Tensor:
            raise _RefusedError
        asked = _called("type", [ast.Name(name, ast.Load())])
        return ast.Compare(asked, [ast.Is()], [ast.Name("array", ast.Load())])

    def primitive(self, name: str, callee: Primitive, given: list[tuple[ast.expr, str]]) -> tuple[ast.expr, str]:
        if callee.writes or callee.side_effect or isinstance(callee, _QUESTIONS):
            raise _RefusedError
        made = [_as_array(item) if kind != VALUE else item for item, kind in given]
        if isinstance(callee, P.SumLike) and [kind for _, kind in given] == [FLOAT, FLOAT]:
            return self.summed(name, callee, given[0][0], given[1][0]), FLOAT
        return self.kernel(name, callee, made), FLOAT if _keeps_type(callee, given) else OTHER

    def summed(self, name: str, callee: Primitive, whole: ast.expr, like: ast.expr) -> ast.expr:
        """`SumLike`, which mostly has nothing to sum."""
        asked: ast.expr = whole
        shape: ast.expr = _attribute(whole, "shape")
        if isinstance(whole, ast.Name) and whole.id == self.dout:
            shape = ast.Name("_shape", ast.Load())
        elif not isinstance(whole, ast.Name):
            self.temporaries += 1
            asked = ast.NamedExpr(ast.Name(f"_whole{self.temporaries}", ast.Store()), whole)
            whole = ast.Name(asked.target.id, ast.Load())
            shape = _attribute(asked, "shape")
        test = ast.Compare(shape, [ast.Eq()], [_attribute(like, "shape")])
        return ast.IfExp(test, whole, self.kernel(name, callee, [whole, like]))

    def kernel(self, name: str, callee: Primitive, made: list[ast.expr]) -> ast.expr:
        self.scope[f"{name}_kernel"] = functools.partial(callee.compute, np)
        return _called(f"{name}_kernel", made)


def _keeps_type(callee: Primitive, given: list[tuple[ast.expr, str]]) -> bool:
    """Whether the output is of the element type of the inputs that are arrays of one floating-point type."""
    if any(kind == OTHER for _, kind in given):
        return False
    try:
        return all(
            callee.infer_dtype(*(None if kind == VALUE else dtype for _, kind in given)) is dtype
            for dtype in (mstype.float32, mstype.float64)
        )
    except (AttributeError, KeyError, TypeError, ValueError):
        return False


def _called(name: str, arguments: list[ast.expr]) -> ast.expr:
    return ast.Call(ast.Name(name, ast.Load()), arguments, [])


def _attribute(node: ast.expr, name: str) -> ast.expr:
    return ast.Attribute(node, name, ast.Load())


def _as_array(made: ast.expr) -> ast.expr:
    """For a kernel, which knows arrays: numpy's operators return its scalars where an array has no dimensions."""
    if not isinstance(made, ast.BinOp | ast.UnaryOp):
        return made
    return ast.Call(_attribute(ast.Name("np", ast.Load()), "asarray"), [made], [])
