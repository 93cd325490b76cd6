"""Peephole: joins small Python operators between kernels into one expression.

`while i < n` compares and then tests the result. Backward through a loop, closures look up gradients in environments
and prepare zeros in case there are none. Each becomes one expression.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from framework.ir.abstract import Abstract, AbstractScalar, AbstractTensor
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
"""By element type of a tensor, the Python numbers that both numpy and MindSpore compare with it in that type."""


class Expression(Operator):
    """An operator that Python computes by an expression.

    Attributes:
        template: the expression, with {0}, {1} and so on for arguments; `xp` is the array module.
        comparison: for a condition, the comparison of {0} with {1}, such as "<"; else empty.
    """

    def __init__(self, name: str, template: str, comparison: str = "") -> None:
        super().__init__(name)
        self.template, self.comparison = template, comparison


Tapped = Callable[[CNode], bool]
"""Whether a tap observes a node."""


def apply_peepholes(root: FuncGraph, is_tapped: Tapped = lambda node: False) -> int:
    """Replace groups of operators by one expression each.

    Args:
        root: the program, which is changed.
        is_tapped: whether a tap observes a node, which then stays.

    Returns:
        The number of expressions.
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


def _condition(
    node: CNode, is_tapped: Tapped, python_numbers: dict[Node, Node]
) -> tuple[Expression, list[Node]] | None:
    """The truth of a comparison of single elements, as one expression with its inputs.

    Args:
        node: a node of the program.
        is_tapped: whether a tap observes a node.
        python_numbers: for tensors of enclosing graphs, the nodes with their Python numbers; new ones are added.

    Returns:
        The expression and its inputs; None if the node computes something else.
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
    """An integer tensor of an enclosing graph, as a Python number that is converted there, outside of the loop.

    Python compares two numbers in a thirtieth of numpy's time.
    """
    is_integer = isinstance(item.abstract, AbstractTensor) and item.abstract.dtype.numpy.kind == "i"
    is_weight = isinstance(item, Parameter) and item.default is not None
    if (
        not is_integer
        or is_weight
        or not isinstance(other.abstract, AbstractScalar)
        or item.graph in (None, node.graph)
    ):
        return item
    if item not in python_numbers:
        assert item.graph is not None  # noqa: S101
        made = Expression("Item", "{0}.item()")
        python_numbers[item] = item.graph.apply(made, item, abstract=AbstractScalar(type=int), scope=item.scope)
    return python_numbers[item]


def _compares_alike(first: Abstract | None, second: Abstract | None) -> bool:
    """Whether numpy compares two values in the same element type as the operator."""
    tensors = [item for item in (first, second) if isinstance(item, AbstractTensor)]
    if any(item.shape != () or item.dtype.numpy.name not in _PYTHON_TYPES for item in tensors):
        return False
    if len(tensors) == 2:
        return tensors[0].dtype is tensors[1].dtype
    python_numbers = [item for item in (first, second) if isinstance(item, AbstractScalar)]
    return (
        len(tensors) == len(python_numbers) == 1
        and python_numbers[0].type in _PYTHON_TYPES[tensors[0].dtype.numpy.name]
    )


def _environment_lookup(node: CNode, is_tapped: Tapped) -> tuple[Expression, list[Node]] | None:
    """The look-up of a gradient in an environment; zeros are made only if there is none."""
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
    """The addition of a gradient to an environment."""
    if not is_operator(node, ENVIRON_SET):
        return None
    env, key, value = node.arguments
    if isinstance(env, ValueNode) and env.value is EMPTY_ENVIRON:
        return Expression(node.operator.name, "{{{0}: {1}}}"), [key, value]
    return Expression(node.operator.name, "{{**{0}, {1}: {2}}}"), [env, key, value]
