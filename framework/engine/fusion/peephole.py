"""Peephole: joins small Python operators between kernels into one expression.

`while i < n` compares and then tests the result. Backward through a loop, closures look up gradients in environments
and prepare zeros in case there are none. Each becomes one expression.
"""

from __future__ import annotations

from typing import Any, Final

from framework.ir.abstract import AbstractScalar, AbstractTensor
from framework.ir.anf import CNode, FuncGraph, Node, Operator, Parameter, ValueNode, is_operator
from framework.ir.manager import Manager
from framework.ir.operators import EMPTY_ENVIRON, ENVIRON_GET, ENVIRON_SET
from framework.ir.python_ops import op
from framework.ops import operations as P  # noqa: N812
from framework.opt.rewrite import replace_all

__all__ = ["Expression", "apply_peepholes"]

_COMPARISONS: Final[dict[type, str]] = {
    P.Less: "<",
    P.LessEqual: "<=",
    P.Greater: ">",
    P.GreaterEqual: ">=",
    P.Equal: "==",
    P.NotEqual: "!=",
}
_PYTHON_TYPES: Final = {"int32": (int,), "int64": (int,), "float32": (int, float), "float64": (int, float)}
"""By the element type of a tensor the numbers that are compared with it in that type, by numpy as by MindSpore."""


class Expression(Operator):
    """What Python computes by an expression.

    Attributes:
        template: the expression, with {0}, {1} and so on for arguments; `xp` is the array module.
        comparison: of a question, how it compares {0} with {1}.
    """

    def __init__(self, name: str, template: str, comparison: str = "") -> None:
        super().__init__(name)
        self.template, self.comparison = template, comparison


def apply_peepholes(root: FuncGraph, is_tapped: Any = lambda node: False) -> int:
    """Put expressions in the place of several operators.

    Args:
        root: the program, which is changed.
        is_tapped: whether somebody wants to see a node, which stays then.

    Returns:
        How many expressions there are.
    """
    manager = Manager(root)
    replacements: dict[Node, Node] = {}
    python_numbers: dict[Node, Node] = {}
    for node in manager.all_nodes():
        assert node.graph is not None  # noqa: S101
        made = (
            _condition(node, is_tapped, python_numbers)
            or _environment_lookup(node, is_tapped)
            or _environment_update(node)
        )
        if made is not None:
            expression, inputs = made
            replacements[node] = CNode(
                node.graph,
                [ValueNode(expression), *inputs],
                node.full_name,
                name=node.name,
                abstract=node.abstract,
                location=node.location,
                scope=node.scope,
            )
    replace_all(root, replacements)
    return len(replacements)


def _condition(node: CNode, is_tapped: Any, python_numbers: dict[Node, Node]) -> tuple[Expression, list[Node]] | None:
    """Whether a comparison of single elements holds.

    Args:
        node: what may be one.
        is_tapped: whether somebody wants to see a node.
        python_numbers: for tensors from further out what they are as numbers.
    """
    if node.operator is not op("bool"):
        return None
    (comparison_node,) = node.arguments
    if not isinstance(comparison_node, CNode) or comparison_node.graph is not node.graph or is_tapped(comparison_node):
        return None
    comparison = _COMPARISONS.get(type(comparison_node.operator))
    if comparison is None or not _compares_alike(*(item.abstract for item in comparison_node.arguments)):
        return None
    first, second = comparison_node.arguments
    compared_as = [
        _as_python_number(node, first, second, python_numbers),
        _as_python_number(node, second, first, python_numbers),
    ]
    return Expression(node.operator.name, f"bool({{0}} {comparison} {{1}})", comparison), compared_as


def _as_python_number(node: CNode, item: Node, other: Node, python_numbers: dict[Node, Node]) -> Node:
    """A single whole number from further out, which does not change from round to round, as Python's, made there.

    Python compares two of its numbers in a thirtieth of the time that numpy takes.
    """
    is_whole = isinstance(item.abstract, AbstractTensor) and item.abstract.dtype.numpy.kind == "i"
    is_weight = isinstance(item, Parameter) and item.default is not None
    if not is_whole or is_weight or not isinstance(other.abstract, AbstractScalar) or item.graph in (None, node.graph):
        return item
    if item not in python_numbers:
        assert item.graph is not None  # noqa: S101
        made = Expression("Item", "{0}.item()")
        python_numbers[item] = item.graph.apply(made, item, abstract=AbstractScalar(type=int), scope=item.scope)
    return python_numbers[item]


def _compares_alike(first: Any, second: Any) -> bool:
    """Whether numpy compares two values in the type in which the operator does."""
    tensors = [item for item in (first, second) if isinstance(item, AbstractTensor)]
    if any(item.shape != () or item.dtype.numpy.name not in _PYTHON_TYPES for item in tensors):
        return False
    if len(tensors) == 2:
        return first.dtype is second.dtype
    python_numbers = [item for item in (first, second) if isinstance(item, AbstractScalar)]
    return (
        len(tensors) == len(python_numbers) == 1
        and python_numbers[0].type in _PYTHON_TYPES[tensors[0].dtype.numpy.name]
    )


def _environment_lookup(node: CNode, is_tapped: Any) -> tuple[Expression, list[Node]] | None:
    """A gradient from an environment; zeros, made only then, where there is none."""
    if not is_operator(node, ENVIRON_GET):
        return None
    env, key, default = node.arguments
    if not isinstance(default, CNode) or type(default.operator) is not P.ZerosLike or is_tapped(default):
        return None
    abstract = default.abstract
    if not isinstance(abstract, AbstractTensor) or None in abstract.shape:
        return None
    zeros = f"xp.zeros({abstract.shape}, {abstract.dtype.numpy.name!r})"
    return Expression(node.operator.name, f"{{0}}[{{1}}] if {{1}} in {{0}} else {zeros}"), [env, key]


def _environment_update(node: CNode) -> tuple[Expression, list[Node]] | None:
    """An environment with one more gradient."""
    if not is_operator(node, ENVIRON_SET):
        return None
    env, key, value = node.arguments
    if isinstance(env, ValueNode) and env.value is EMPTY_ENVIRON:
        return Expression(node.operator.name, "{{{0}: {1}}}"), [key, value]
    return Expression(node.operator.name, "{{**{0}, {1}: {2}}}"), [env, key, value]
