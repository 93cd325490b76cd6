"""The rules that look only at a node and its inputs, grouped by what they simplify."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from framework.common.tensor import Tensor, from_array
from framework.infer.values import is_known
from framework.ir.abstract import Abstract, AbstractScalar, AbstractTensor
from framework.ir.anf import CNode, FuncGraph, Node, ValueNode, is_graph, is_operator
from framework.ir.clone import inline as inlined
from framework.ir.clone import state_of
from framework.ir.operators import (
    DEPEND,
    DICT_GETITEM,
    EMPTY_ENVIRON,
    ENVIRON_ADD,
    ENVIRON_GET,
    ENVIRON_SET,
    MAKE_DICT,
    MAKE_LIST,
    MAKE_TUPLE,
    STATE,
    SWITCH,
    TUPLE_GETITEM,
    UPDATE_STATE,
    abstract_of,
)
from framework.ops import operations as P  # noqa: N812
from framework.ops.primitive import Primitive
from framework.opt.parts import join_gradients_of_parts
from framework.opt.rewrite import NOT_CONSTANT, Context, constant_of

__all__ = ["ALGEBRAIC", "CONTROL", "ENVIRONMENT", "FOLDING", "INLINING", "TUPLES"]

MOST_ELEMENTS = 4096
"""The largest number of elements of a constant that is computed at compile time."""


# Tuples


def item_of_tuple(node: CNode, context: Context) -> Node | None:
    """`TupleGetItem(MakeTuple(a, b), 1)` is b."""
    if not is_operator(node, TUPLE_GETITEM):
        return None
    whole, index = node.arguments
    place = constant_of(index)
    if place is NOT_CONSTANT:
        return None
    if isinstance(whole, CNode) and is_operator(whole, MAKE_TUPLE, MAKE_LIST):
        return list(whole.arguments)[int(place)]
    if isinstance(whole, ValueNode):
        return ValueNode(whole.value[place], abstract_of(whole.value[place]))
    return None


def item_of_dict(node: CNode, context: Context) -> Node | None:
    """`DictGetItem(MakeDict(keys, a, b), key)` is the value of that key."""
    if not is_operator(node, DICT_GETITEM):
        return None
    whole, key = node.arguments
    if isinstance(whole, CNode) and is_operator(whole, MAKE_DICT):
        place: int = constant_of(whole.arguments[0]).index(constant_of(key))
        return whole.arguments[1 + place]
    return None


TUPLES = (item_of_tuple, item_of_dict)


# Choices and order


def constant_switch(node: CNode, context: Context) -> Node | None:
    """`Switch(True, a, b)` is a, `Switch(False, a, b)` is b, and `Switch(c, a, a)` is a."""
    if not is_operator(node, SWITCH):
        return None
    condition, then, otherwise = node.arguments
    if isinstance(condition, ValueNode):
        return then if condition.value else otherwise
    return then if then is otherwise or (is_graph(then) and constant_of(then) is constant_of(otherwise)) else None


def nothing_to_wait_for(node: CNode, context: Context) -> Node | None:
    """`Depend(x, U)` is x, and `UpdateState(U, constant)` is U."""
    if is_operator(node, DEPEND) and constant_of(node.arguments[1]) is STATE:
        return node.arguments[0]
    if is_operator(node, UPDATE_STATE) and constant_of(node.arguments[0]) is STATE:
        return node.arguments[0] if all(isinstance(item, ValueNode) for item in node.arguments[1:]) else None
    return None


CONTROL = (constant_switch, nothing_to_wait_for)


# Environments


def environ_get(node: CNode, context: Context) -> Node | None:
    """`EnvironGet(EnvironSet(env, key, value), key, default)` is value; of an empty environment it is the default."""
    if not is_operator(node, ENVIRON_GET):
        return None
    env, key, default = node.arguments
    while isinstance(env, CNode) and is_operator(env, ENVIRON_SET):
        if constant_of(env.arguments[1]) is constant_of(key):
            return env.arguments[2]
        env = env.arguments[0]
    if constant_of(env) is EMPTY_ENVIRON:
        return default
    return _changed(node, [node.function, env, key, default]) if env is not node.arguments[0] else None


def environ_get_of_sum(node: CNode, context: Context) -> Node | None:
    """`EnvironGet(EnvironAdd(a, b), key)` is the sum of `EnvironGet` of a and of b."""
    if not is_operator(node, ENVIRON_GET) or node.graph is None:
        return None
    env, key, default = node.arguments
    if not isinstance(env, CNode) or not is_operator(env, ENVIRON_ADD) or not isinstance(node.abstract, AbstractTensor):
        return None
    parts = [_changed(node, [node.function, part, key, default]) for part in env.arguments]
    return node.graph.apply(P.Add(), *parts, abstract=node.abstract, location=node.location, scope=node.scope)


def environ_add_empty(node: CNode, context: Context) -> Node | None:
    """`EnvironAdd` of an environment and an empty one is the environment."""
    if not is_operator(node, ENVIRON_ADD):
        return None
    first, second = node.arguments
    if constant_of(first) is EMPTY_ENVIRON:
        return second
    return first if constant_of(second) is EMPTY_ENVIRON else None


ENVIRONMENT = (environ_get, environ_get_of_sum, environ_add_empty)


# Algebra


def add_zero(node: CNode, context: Context) -> Node | None:
    """x + 0, 0 + x and x - 0 are x, if x has the type of the sum."""
    if not is_operator(node, "Add", "Sub"):
        return None
    first, second = node.arguments
    if _is_number(second, 0) or _is_filled(second, "ZerosLike"):
        return _if_same_type(first, node)
    if is_operator(node, "Add") and (_is_number(first, 0) or _is_filled(first, "ZerosLike")):
        return _if_same_type(second, node)
    return None


def multiply_by_one(node: CNode, context: Context) -> Node | None:
    """x * 1, 1 * x and x / 1 are x, if x has the type of the product."""
    if not is_operator(node, "Mul", "Div", "RealDiv"):
        return None
    first, second = node.arguments
    if _is_number(second, 1) or _is_filled(second, "OnesLike"):
        return _if_same_type(first, node)
    if is_operator(node, "Mul") and (_is_number(first, 1) or _is_filled(first, "OnesLike")):
        return _if_same_type(second, node)
    return None


def multiply_by_zeros(node: CNode, context: Context) -> Node | None:
    """x * `ZerosLike(y)` is zeros. Such products come from gradients that do not count."""
    if not is_operator(node, "Mul"):
        return None
    for item in node.arguments:
        if _is_filled(item, "ZerosLike") and item.abstract == node.abstract:
            return item
    return None


def negate_twice(node: CNode, context: Context) -> Node | None:
    """-(-x) is x."""
    inner = node.arguments[0] if is_operator(node, "Neg") else None
    return inner.arguments[0] if isinstance(inner, CNode) and is_operator(inner, "Neg") else None


def sum_to_same_shape(node: CNode, context: Context) -> Node | None:
    """`SumLike(x, y)` is x if both have the same known shape: nothing was broadcast."""
    if not is_operator(node, "SumLike"):
        return None
    first, second = (item.abstract for item in node.arguments)
    same = isinstance(first, AbstractTensor) and isinstance(second, AbstractTensor) and first.shape == second.shape
    return _if_same_type(node.arguments[0], node) if same and _has_known_shape(second) else None


def cast_to_same(node: CNode, context: Context) -> Node | None:
    """A cast of x to its own type is x."""
    return _if_same_type(node.arguments[0], node) if is_operator(node, "Cast") else None


def reshape_once(node: CNode, context: Context) -> Node | None:
    """A reshape of x to its own shape is x. Of several reshapes in sequence, only the last counts."""
    if not is_operator(node, "Reshape", "Flatten"):
        return None
    inner = node.arguments[0]
    if (
        isinstance(node.abstract, AbstractTensor)
        and None not in node.abstract.shape
        and inner.abstract == node.abstract
    ):
        return inner
    if is_operator(node, "Reshape") and isinstance(inner, CNode) and is_operator(inner, "Reshape", "Flatten"):
        return _changed(node, [node.function, inner.arguments[0], *node.arguments[1:]])
    return None


def transpose_back(node: CNode, context: Context) -> Node | None:
    """Two transpositions of x that undo each other are x."""
    inner = node.arguments[0] if is_operator(node, "Transpose") else None
    if not isinstance(inner, CNode) or not is_operator(inner, "Transpose"):
        return None
    first, second = constant_of(inner.arguments[1]), constant_of(node.arguments[1])
    if not isinstance(first, tuple) or not isinstance(second, tuple):
        return None
    undone = [first[axis] for axis in second] == list(range(len(first)))
    return inner.arguments[0] if undone else None


def zeros_of_zeros(node: CNode, context: Context) -> Node | None:
    """`ZerosLike(ZerosLike(x))` is `ZerosLike(x)`; the same holds for ones."""
    if not is_operator(node, "ZerosLike", "OnesLike"):
        return None
    inner = node.arguments[0]
    if isinstance(inner, CNode) and is_operator(inner, "ZerosLike", "OnesLike"):
        return (
            inner if inner.operator.name == node.operator.name else _changed(node, [node.function, inner.arguments[0]])
        )
    return None


def one_of_scalar(node: CNode, context: Context) -> Node | None:
    """`OnesLike(x)` of a tensor without dimensions is 1: the gradient that a loss begins with."""
    if not is_operator(node, "OnesLike") or not isinstance(node.abstract, AbstractTensor) or node.abstract.shape != ():
        return None
    one = Tensor(1, node.abstract.dtype)
    return ValueNode(one, AbstractTensor((), node.abstract.dtype, one), location=node.location)


def broadcast_to_known(node: CNode, context: Context) -> Node | None:
    """`BroadcastLike(x, y)` reads only the shape of y. If the shape is known, it does not read y."""
    if not is_operator(node, "BroadcastLike") or isinstance(node.arguments[1], ValueNode):
        return None
    x, whole = node.arguments[0].abstract, node.abstract
    if not isinstance(x, AbstractTensor) or not isinstance(whole, AbstractTensor) or None in whole.shape:
        return None
    return (
        _changed(node, [ValueNode(P.BroadcastTo([dim or 0 for dim in whole.shape])), node.arguments[0]])
        if x.dtype is whole.dtype
        else None
    )


ALGEBRAIC = (
    add_zero, multiply_by_one, multiply_by_zeros, negate_twice, sum_to_same_shape, cast_to_same, reshape_once,
    transpose_back, zeros_of_zeros, one_of_scalar, broadcast_to_known, join_gradients_of_parts,
)  # fmt: skip


def _is_number(node: Node, number: int) -> bool:
    value = constant_of(node)
    if isinstance(value, Tensor):
        return value.size == 1 and bool(value.item() == number)
    return isinstance(value, int | float) and not isinstance(value, bool) and value == number


def _is_filled(node: Node, name: str) -> bool:
    """Whether a node is `ZerosLike` or `OnesLike` of a known shape. With open dimensions, it might be broadcast."""
    return is_operator(node, name) and _has_known_shape(node.abstract)


def _has_known_shape(abstract: Abstract | None) -> bool:
    return isinstance(abstract, AbstractTensor) and None not in abstract.shape


def _if_same_type(node: Node, whole: CNode) -> Node | None:
    return node if node.abstract == whole.abstract and isinstance(node.abstract, AbstractTensor) else None


def _changed(node: CNode, inputs: list[Node]) -> CNode:
    assert node.graph is not None  # noqa: S101
    made = CNode(
        node.graph,
        inputs,
        node.full_name,
        name=node.name,
        abstract=node.abstract,
        location=node.location,
        scope=node.scope,
    )
    made.also, made.marks = node.also, dict(node.marks)
    return made


# Constants


def fold_constants(node: CNode, context: Context) -> Node | None:
    """A primitive of constants is a constant, if it has no side effect and its output is small."""
    primitive = node.operator
    if not isinstance(primitive, Primitive) or primitive.side_effect or not node.arguments:
        return None
    if not all(isinstance(item, ValueNode) and is_known(item) for item in node.arguments):
        return None
    if not isinstance(node.abstract, AbstractTensor) or None in node.abstract.shape:
        return None
    if math.prod(dim or 0 for dim in node.abstract.shape) > MOST_ELEMENTS:
        return None
    values = [_array(item.value) for item in node.arguments if isinstance(item, ValueNode)]
    tensor = from_array(np.asarray(primitive.compute(np, *values)))
    return ValueNode(tensor, AbstractTensor(node.abstract.shape, node.abstract.dtype, tensor), location=node.location)


def fold_numbers(node: CNode, context: Context) -> Node | None:
    """Python's arithmetic on constants is a constant."""
    run = getattr(node.operator, "run", None)
    if run is None or not isinstance(node.abstract, AbstractScalar):
        return None
    values = [constant_of(item) for item in node.arguments]
    if not values or not all(isinstance(value, bool | int | float) for value in values):
        return None
    found = run(*values)
    return ValueNode(found, abstract_of(found), location=node.location)


FOLDING = (fold_constants, fold_numbers)


def _array(value: Any) -> Any:
    if isinstance(value, Tensor):
        return value.asnumpy()
    return tuple(_array(item) for item in value) if isinstance(value, tuple) else value


# Calls


def inline_call(node: CNode, context: Context) -> Node | None:
    """A call of a function becomes its body if the function is used once or is small, and not recursive."""
    function = node.function
    if state_of(function) is not None and isinstance(function, CNode):
        function = function.arguments[0]
    graph = constant_of(function)
    if not isinstance(graph, FuncGraph) or graph in context.recursive or context.keep(graph) or node.graph is None:
        return None
    if context.uses[graph] > 1 and graph not in context.small:
        return None
    return inlined(graph, node.arguments, node.graph, state=_state_at(node))


def _state_at(call: CNode) -> Node | None:
    """The state token that a call comes after: its first argument or the result of its graph waits for it."""
    for item in call.inputs[:2]:
        if (state := state_of(item)) is not None:
            return state
    output = call.graph.output if call.graph is not None else call
    return state_of(output) if isinstance(output, CNode) and output.inputs[1:2] == [call] else None


INLINING = (inline_call,)
