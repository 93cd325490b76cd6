"""The order of side effects in the forward pass of a transformed function.

The transform of a call returns a value and a backpropagator, and either may be read first. So the call itself
waits for the effects before it, and a call in the last place runs last.
"""

from __future__ import annotations

from collections.abc import Iterable

from framework.ir.anf import CNode, FuncGraph, Node, ValueNode, is_operator
from framework.ir.clone import state_of
from framework.ir.manager import Manager
from framework.ir.operators import DEPEND, UPDATE_STATE

__all__ = ["last_call", "later", "states_before", "with_last"]


def later(call: CNode, state: Node | None) -> CNode:
    """Let a call wait for the side effects before it, whichever part of its result is read first.

    Args:
        call: the call of a transformed function.
        state: the state token in the forward pass that it comes after; None if it can run at any time.
    """
    if state is None or call.graph is None or not isinstance(call.function, ValueNode):
        return call  # a choice waits for them with its condition
    if not call.arguments:
        return call.graph.apply(DEPEND, call, state, abstract=call.abstract)
    first = call.arguments[0]
    if state_of(first) is None:
        call.inputs[1] = call.graph.apply(DEPEND, first, state, abstract=first.abstract)
    return call


def states_before(manager: Manager, node: CNode) -> Iterable[Node]:
    """The state tokens that a call comes after in the source."""
    for user, _ in manager.users.get(node, {}):
        if is_operator(user, UPDATE_STATE) and user.arguments[1] is node:
            yield user.arguments[0]
        elif is_operator(user, DEPEND) and user.arguments[0] is node:
            yield user.arguments[1]


def last_call(graph: FuncGraph) -> tuple[CNode | None, Node | None]:
    """The call that a graph ends with, and the effects that come before it, if there are any."""
    output = graph.output
    if not isinstance(output, CNode) or not is_operator(output, DEPEND):
        return None, None
    call, state = output.arguments
    is_call = (
        isinstance(call, CNode)
        and call.graph is graph
        and (call.operator is None or isinstance(call.operator, FuncGraph))
    )
    return (call, state) if is_call and isinstance(call, CNode) and not _waits_for(state, call) else (None, None)


def with_last(nodes: Iterable[CNode], last: CNode | None) -> list[CNode]:
    """Move one node, and those that need it, after all others. The order stays a valid execution order."""
    first: list[CNode] = []
    then: dict[Node, CNode] = {}
    for node in nodes:
        if node is last or any(item in then for item in node.inputs):
            then[node] = node
        else:
            first.append(node)
    return [*first, *then.values()]


def _waits_for(state: Node, call: CNode) -> bool:
    """Whether a state token comes after a call."""
    while isinstance(state, CNode):
        if call in state.inputs:
            return True
        state = state.arguments[0]
    return False
