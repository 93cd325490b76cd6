"""What a node of an imported program applies: an operator's function with the node's attributes.

The interpreter calls an `Operation` on tensors. Inference calls it at once if all inputs are known, so that
computations of shapes leave no node, and else follows the source of the function.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from framework.infer.evaluators.inference import Inference
from framework.infer.evaluators.registry import register_kind
from framework.infer.values import constant, is_known, value_of
from framework.ir.anf import Node
from framework.ir.model_values import FAULTS, ModelError

__all__ = ["FAULTS", "Operation"]


class Operation:
    """An operator's function with attributes.

    Args:
        function: from inputs and attributes to the output, or to a tuple of outputs.
        attributes: the attributes by name.
        title: the node for messages: its operator and name.
        scope: the Cells around it, as the exporter noted them; may be empty.
    """

    __slots__ = ("attributes", "function", "scope", "title")

    def __init__(self, function: Callable[..., Any], attributes: Mapping[str, Any], title: str, scope: str) -> None:
        self.function = function
        self.attributes = dict(attributes)
        self.title = title
        self.scope = scope

    def __call__(self, *inputs: Any) -> Any:
        """Compute the output from tensors.

        Raises:
            ModelError: the inputs do not fit; the message names the node.
        """
        try:
            return self.function(*inputs, **self.attributes)
        except ModelError as error:
            raise ModelError(_named(self.title, error)) from error
        except FAULTS as error:
            raise ModelError(_named(self.title, error)) from error

    def __repr__(self) -> str:
        return self.title


def _named(title: str, error: Exception) -> str:
    text = str(error) or type(error).__name__
    return text if text.startswith(title) else f"{title}: {text}"


@register_kind(Operation)
def _inferred(infer: Inference, callee: Operation, arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
    if all(map(is_known, arguments)):
        return infer.build.of_value(callee(*map(value_of, arguments)), owner=None)
    attributes = {name: constant(value) for name, value in callee.attributes.items()}
    with infer.program.within(callee.scope):
        return infer.call(constant(callee.function), arguments, attributes)
