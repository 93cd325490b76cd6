"""Calls of `nn.GraphCell`: inlined into a compiled program, or run node by node on the tape."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from framework.common.parameter import Parameter as Weight
from framework.common.tensor import Tensor, from_array
from framework.engine.arguments import match_signature
from framework.engine.interpreter import Closure, Frame, Machine
from framework.infer.evaluators.inference import Inference
from framework.infer.evaluators.registry import register_kind
from framework.infer.values import Closure as InferredClosure
from framework.infer.values import constant
from framework.ir.anf import CNode, FuncGraph, Node
from framework.ir.clone import effectful, inline
from framework.ir.manager import Manager
from framework.ir.operators import LOAD, STATE
from framework.nn.graph_cell import GraphCell
from framework.ops.primitive import Primitive

__all__ = ["run_on_tape"]


@register_kind(GraphCell)
def _inlined(infer: Inference, callee: GraphCell, arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
    root, title = callee.graph, f"GraphCell of {callee.graph.name}"
    wanted = [parameter for parameter in root.parameters if parameter.default is None]
    if named or len(arguments) != len(wanted):
        raise infer.program.error(f"{title} takes {len(wanted)} arguments, by position: {len(arguments)} were given")
    inputs = [infer.build.materialized(argument) for argument in arguments]
    given = iter(inputs)
    passed = [
        next(given) if p.default is None else infer.build.at_present(infer.build.weight(p.default))
        for p in root.parameters
    ]
    if root.order is not None:  # It has the form of a parsed function, without types.
        return infer.call(constant(InferredClosure(root, None)), passed, {})
    for number, (parameter, node) in enumerate(zip(wanted, inputs, strict=True), 1):
        try:
            match_signature(number, node.abstract, parameter.abstract, title)  # type: ignore[arg-type]
        except (TypeError, ValueError) as error:
            raise infer.program.error(str(error)) from None
    manager, emitter = Manager(root), infer.build.emitter
    infer.program.written.update(map(id, _written_weights(manager)))
    result = inline(root, passed, emitter.graph, state=emitter.state if emitter.effects else None)
    if root in effectful(manager):
        infer.build.effect(result)
    return result


def _written_weights(manager: Manager) -> list[Weight]:
    """The weights that a program may change: all that it reads, if one of its operators writes any."""
    writes = any(isinstance(node.operator, Primitive) and node.operator.writes for node in manager.all_nodes())
    return [parameter.default for parameter in manager.root.parameters if parameter.default is not None and writes]


def run_on_tape(root: FuncGraph, inputs: Sequence[object]) -> Any:
    """Run a program in PyNative mode, so that the tape records each operator.

    Args:
        root: the graph that the program is.
        inputs: the values of its parameters that are no weights.

    Raises:
        TypeError: the number of inputs is wrong.
    """
    machine, given = _TapeMachine(), iter(inputs)
    wanted = [parameter for parameter in root.parameters if parameter.default is None]
    if len(wanted) != len(inputs):
        raise TypeError(f"GraphCell of {root.name} takes {len(wanted)} arguments: {len(inputs)} were given")
    passed = [next(given) if p.default is None else machine.current_value(p.default) for p in root.parameters]
    return machine.run(Closure(root, None), passed)


class _OnTape(Closure):
    """A function of the program that Python functions can call with tensors."""

    def __init__(self, machine: _TapeMachine, closure: Closure) -> None:
        super().__init__(closure.graph, closure.frame)
        self._machine = machine

    def __call__(self, *arguments: object, **named: object) -> Any:
        """Run it."""
        return self._machine.run(self, [*arguments, *named.values()])


class _TapeMachine(Machine):
    """Runs a program on tensors. A value that was read from a weight stays the same when the weight changes."""

    def __init__(self) -> None:
        super().__init__()
        #: The values that were read from weights, by identity, each with its weight.
        self.weights: dict[int, tuple[Tensor, Weight]] = {}

    def current_value(self, weight: Weight) -> Tensor:
        """The present value of a weight."""
        return self._remember(weight, from_array(weight._data, weight._node))

    def _remember(self, weight: Weight, value: Tensor) -> Tensor:
        self.weights[id(value)] = (value, weight)
        return value

    def constant(self, value: object) -> object:
        return value

    def value(self, frame: Frame, node: Node) -> Any:
        found = super().value(frame, node)
        return _OnTape(self, found) if isinstance(found, Closure) else found

    def apply(self, node: CNode, function: Any, arguments: list[Any]) -> Any:
        if function is LOAD:
            return self.current_value(self.weights[id(arguments[0])][1])
        if not isinstance(function, Primitive):
            return super().apply(node, function, arguments)
        given = [argument for argument in arguments if argument is not STATE]
        for position in function.writes:
            given[position] = self.weights[id(given[position])][1]
        result = function(*given)
        for position, output in function.writes.items():
            self._remember(given[position], result[output] if isinstance(result, tuple) else result)
        return result
