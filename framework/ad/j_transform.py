"""The J transform: from a program to one that also says how to go backward through it.

    J(f) = x -> (f(x), dy -> (df, dx))                      after Pearlmutter and Siskind, "Reverse-mode AD in a
    y = op(a, b)     becomes   y = op(a, b)                 functional framework: Lambda the ultimate
                     and, going backward,   da, db += bprop_op(a, b, y, dy)         backpropagator" (2008)
    y = g(a, b)      becomes   y, back_g = J(g)(a, b)
                     and, going backward,   dg, da, db += back_g(dy)

The backpropagator of a graph is a graph nested in its transform: it uses what the way forward has computed as free
variables, so there is no tape, and the result is a program like any other, which can be transformed again. The
gradient of a function is that of its free variables, an environment from variable to gradient. Choices, loops and
recursion need no rules: `Switch` chooses between transformed functions, whose backpropagators go back the same way.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from framework.ad.activity import active_nodes
from framework.ad.sensitivity import Sensitivity, add, element, flows, node_of, of_type, zeros
from framework.infer.values import Emitter, constant
from framework.ir.abstract import (
    AbstractConst,
    AbstractDict,
    AbstractEnv,
    AbstractFunction,
    AbstractMonad,
    AbstractTuple,
)
from framework.ir.anf import CNode, FuncGraph, Node, Parameter, ValueNode, is_operator
from framework.ir.clone import state_of
from framework.ir.errors import GraphError
from framework.ir.manager import Manager
from framework.ir.naming import COMPILED, gradient_scope
from framework.ir.operators import (
    DEPEND,
    DICT_GETITEM,
    EMPTY_ENVIRON,
    ENVIRON_ADD,
    ENVIRON_GET,
    ENVIRON_SET,
    LOAD,
    MAKE_DICT,
    MAKE_LIST,
    MAKE_TUPLE,
    SWITCH,
    TUPLE_GETITEM,
    UPDATE_STATE,
    Structural,
    SymbolicKey,
)
from framework.ir.python_ops import PythonOp, op
from framework.ops.bprop.registry import bprop_getters
from framework.ops.operations import StopGradient
from framework.ops.primitive import Primitive

if TYPE_CHECKING:
    from framework.infer.specialize import Specializer

__all__ = ["JTransform"]

_FUNCTION = AbstractFunction()
_ENV = AbstractEnv()


class JTransform:
    """Transforms one function and all that it calls.

    Args:
        specializer: infers backward functions and makes nodes.
        root: the function; its program must be typed.
        variables: the parameters, and free variables, that it is differentiated by.
    """

    def __init__(self, specializer: Specializer, root: FuncGraph, variables: Iterable[Node]) -> None:
        self.specializer = specializer
        self.calls: Any = specializer.calls
        self.manager = Manager(root)
        self.root = root
        self.active = active_nodes(self.manager, set(variables))
        self.keys: dict[Node, ValueNode] = {}
        self.forward: dict[Node, Node] = {}
        self.transformed: dict[FuncGraph, FuncGraph] = {}
        self.backpropagators: dict[CNode, Node] = {}
        self._added: dict[Node, Counter[str]] = {}

    def run(self) -> FuncGraph:
        """The transform of the function."""
        order = sorted(self.manager.graphs, key=lambda graph: len(self.manager.ancestors(graph)))
        for graph in order:
            made = self.transformed[graph] = FuncGraph(f"grad_{graph.name}", graph.location)
            for parameter in graph.parameters:
                self.forward[parameter] = made.add_parameter(parameter.name, abstract=parameter.abstract)
        for graph in order:
            self._forward(graph)
        for graph in order:
            self._backward(graph)
        return self.transformed[self.root]

    def key(self, node: Node) -> ValueNode:
        """The name of a variable in environments."""
        if node not in self.keys:
            name = node.name or type(node).__name__
            self.keys[node] = ValueNode(key := SymbolicKey(name), AbstractConst(key))
        return self.keys[node]

    # Forward

    def _forward(self, graph: FuncGraph) -> None:
        made = self.transformed[graph]
        if "bprop" in graph.attrs:
            call = made.apply(graph, *made.parameters, abstract=graph.output.abstract, location=graph.location)
            self.forward[graph.output] = call
            return
        last, state = _last_call(graph)
        for node in _with_last(self.manager.nodes(graph), last):
            inputs = [self._image(item) for item in node.inputs]
            if node is last and state is not None:
                # Nothing says so in the program: a call in the last place comes after all effects before it.
                place = 1 if node.arguments else 0
                inputs[place] = made.apply(DEPEND, inputs[place], self._image(state), abstract=inputs[place].abstract)
            notes: dict[str, Any] = {"location": node.location, "scope": node.scope, "name": node.name}
            if node.operator is not None and not isinstance(node.operator, FuncGraph):
                image = self.forward[node] = CNode(made, inputs, node.full_name, abstract=node.abstract, **notes)
                image.also, image.marks = node.also, dict(node.marks)
                continue
            assert node.abstract is not None  # noqa: S101
            both = self._later(node, CNode(made, inputs, abstract=AbstractTuple((node.abstract, _FUNCTION)), **notes))
            self.forward[node] = made.apply(TUPLE_GETITEM, both, constant(0), abstract=node.abstract, **notes)
            self.backpropagators[node] = made.apply(TUPLE_GETITEM, both, constant(1), abstract=_FUNCTION, **notes)

    def _later(self, node: CNode, both: CNode) -> CNode:
        """A call that comes after the side effects that came before it, whichever part of its result is read first."""
        state = next((self.forward[s] for s in self._states_before(node) if s in self.forward), None)
        if state is None or both.graph is None or not isinstance(both.function, ValueNode):
            return both  # a choice waits for them with its condition
        if not both.arguments:
            return both.graph.apply(DEPEND, both, state, abstract=both.abstract)
        first = both.arguments[0]
        if state_of(first) is None:
            both.inputs[1] = both.graph.apply(DEPEND, first, state, abstract=first.abstract)
        return both

    def _states_before(self, node: CNode) -> Iterable[Node]:
        """The state tokens after which a call is written to come."""
        for user, _ in self.manager.users.get(node, {}):
            if is_operator(user, UPDATE_STATE) and user.arguments[1] is node:
                yield user.arguments[0]
            elif is_operator(user, DEPEND) and user.arguments[0] is node:
                yield user.arguments[1]

    def _image(self, node: Node) -> Node:
        """What a node is on the way forward: itself, if it is a constant or from outside of the function."""
        if isinstance(node, ValueNode) and isinstance(node.value, FuncGraph):
            return ValueNode(self.transformed[node.value], _FUNCTION, location=node.location)
        return self.forward.get(node, node)

    # Backward

    def _backward(self, graph: FuncGraph) -> None:
        made = self.transformed[graph]
        output = self.forward[graph.output] if "bprop" in graph.attrs else self._image(graph.output)
        back = FuncGraph(f"back_{graph.name}", graph.location)
        assert graph.output.abstract is not None  # noqa: S101
        dout = back.add_parameter("dout", abstract=of_type(graph.output.abstract))
        outer, self.specializer.emitter = self.specializer.emitter, Emitter(back, 1)
        place = self.specializer.program.location
        program = self.specializer.program
        try:
            custom = "bprop" in graph.attrs
            # What no operator's backward function computes exists in compiled programs only.
            with program.backward(COMPILED, program.made):
                gradients = self._custom(graph, output, dout) if custom else self._gradients(graph, dout)
                self.specializer.finish(self.specializer.emitter, self.calls.make_tuple(gradients))
        finally:
            self.specializer.emitter = outer
            self.specializer.program.location = place
        pair = AbstractTuple((graph.output.abstract, _FUNCTION))
        made.output = made.apply(MAKE_TUPLE, output, ValueNode(back, _FUNCTION), abstract=pair)

    def _custom(self, graph: FuncGraph, output: Node, dout: Node) -> list[Node]:
        """What a Cell's own `bprop` says."""
        inputs = self.transformed[graph].parameters
        with self.specializer.program.backward(gradient_scope(graph.attrs["full_name"]), Counter()):
            result = self.calls.call(constant(graph.attrs["bprop"]), [*inputs, output, dout], {})
        items = self.calls.items(result) if isinstance(result.abstract, AbstractTuple) else [result]
        if len(items) != len(inputs):
            raise self.specializer.program.error(f"bprop returns {len(items)} gradients for {len(inputs)} inputs")
        return [constant(EMPTY_ENVIRON), *items]

    def _gradients(self, graph: FuncGraph, dout: Node) -> list[Node]:
        """What the backpropagator of a graph returns: that of its free variables, then those of its parameters."""
        sums: dict[Node, Sensitivity] = {}
        self._add(sums, graph.output, dout)
        for node in reversed(self.manager.nodes(graph)):
            sensitivity = sums.pop(node, None)
            if sensitivity is not None:
                self._through(sums, node, sensitivity)
        env: Node = constant(EMPTY_ENVIRON)
        for variable, sensitivity in sums.items():
            if variable.graph is not graph and sensitivity is not None:
                value = node_of(self.calls, sensitivity, self._image(variable))
                env = self.calls.emit(ENVIRON_SET, [env, self.key(variable), value], _ENV)
        own = [node_of(self.calls, sums.get(parameter), self._image(parameter)) for parameter in graph.parameters]
        return [env, *own]

    def _add(self, sums: dict[Node, Sensitivity], node: Node, sensitivity: Sensitivity) -> None:
        """Add to the gradient of a node."""
        if sensitivity is None or not flows(node.abstract):
            return
        if isinstance(sensitivity, ValueNode) and sensitivity.value is None:
            return
        if isinstance(node, ValueNode):
            if isinstance(node.value, FuncGraph):
                self._distribute(sums, [node.value], sensitivity)
            return
        if node not in self.active:
            return
        before = sums.get(node)
        if before is None:
            sums[node] = sensitivity
            return
        counts = self._added.setdefault(node, Counter())
        with self.specializer.program.backward(gradient_scope(_name_of(node), "Sum"), counts):
            sums[node] = add(self.calls, before, sensitivity)

    def _distribute(self, sums: dict[Node, Sensitivity], graphs: list[FuncGraph], env: Node) -> None:
        """The gradient of a closure goes to its free variables."""
        free = dict.fromkeys(node for graph in graphs for node in self.manager.free_variables(graph))
        for node in free:
            if flows(node.abstract):
                image = self._image(node)
                found = self.calls.emit(
                    ENVIRON_GET,
                    [env, self.key(node), zeros(self.calls, image)],
                    of_type(node.abstract),  # type: ignore[arg-type]
                )
                self._add(sums, node, found)

    def _through(self, sums: dict[Node, Sensitivity], node: CNode, sensitivity: Sensitivity) -> None:
        """Go backward through one node."""
        program = self.specializer.program
        program.location = node.location or program.location
        operator = node.operator
        if isinstance(operator, Structural):
            self._structural(sums, node, operator, sensitivity)
        elif isinstance(operator, Primitive):
            with program.backward(gradient_scope(node.full_name or f"{node.scope}/{operator.name}"), Counter()):
                self._primitive(sums, node, operator, sensitivity)
        elif isinstance(operator, PythonOp):
            self._python(sums, node, operator, sensitivity)
        elif operator is None or isinstance(operator, FuncGraph):
            dout = node_of(self.calls, sensitivity, self.forward[node])
            types = [_ENV, *(of_type(item.abstract) for item in node.arguments)]  # type: ignore[arg-type]
            result = self.calls.emit(self.backpropagators[node], [dout], AbstractTuple(tuple(types)))
            for place, item in enumerate(node.inputs):
                if flows(item.abstract):
                    self._add(sums, item, self.calls.get_item(result, place))

    def _primitive(
        self, sums: dict[Node, Sensitivity], node: CNode, primitive: Primitive, sensitivity: Sensitivity
    ) -> None:
        if isinstance(primitive, StopGradient):
            return
        arguments = [item for item in node.arguments if not isinstance(item.abstract, AbstractMonad)]
        if not any(flows(item.abstract) and item in self.active for item in arguments):
            return
        try:
            bprop = bprop_getters.get(primitive)
        except NotImplementedError as error:
            raise GraphError(str(error), node.location) from error
        dout = node_of(self.calls, sensitivity, self.forward[node])
        images = [self._image(item) for item in arguments]
        unneeded = {image for item, image in zip(arguments, images, strict=True) if item not in self.active}
        with self.specializer.program.leaving_out(unneeded):
            result = self.calls.call(constant(bprop), [*images, self.forward[node], dout], {})
        for item, gradient in zip(arguments, self._items(result, len(arguments)), strict=True):
            self._add(sums, item, gradient)

    def _items(self, result: Node, count: int) -> Iterable[Node]:
        if isinstance(result.abstract, AbstractTuple) and len(result.abstract.elements) == count:
            items: list[Node] = self.calls.items(result)
            return items
        return [result]

    def _structural(
        self, sums: dict[Node, Sensitivity], node: CNode, operator: Structural, sensitivity: Sensitivity
    ) -> None:
        arguments = node.arguments
        if operator in (MAKE_TUPLE, MAKE_LIST):
            for place, item in enumerate(arguments):
                self._add(sums, item, element(self.calls, sensitivity, place))
        elif operator is MAKE_DICT:
            for place, item in enumerate(arguments[1:]):
                self._add(sums, item, element(self.calls, sensitivity, place))
        elif operator in (TUPLE_GETITEM, DICT_GETITEM):
            whole, index = arguments
            assert isinstance(whole.abstract, AbstractTuple | AbstractDict)  # noqa: S101
            parts: list[Sensitivity] = [None] * len(whole.abstract.elements)
            assert isinstance(index, ValueNode)  # noqa: S101
            keys = whole.abstract.keys if isinstance(whole.abstract, AbstractDict) else ()
            parts[keys.index(index.value) if keys else index.value] = sensitivity
            self._add(sums, whole, parts)
        elif operator is SWITCH:
            self._chosen(sums, arguments, sensitivity)
        elif operator in (DEPEND, LOAD):
            self._add(sums, arguments[0], sensitivity)
        elif operator is ENVIRON_SET:
            self._add(sums, arguments[0], sensitivity)
            self._add(sums, arguments[2], self._get(sensitivity, arguments[1], arguments[2]))
        elif operator is ENVIRON_GET:
            value = node_of(self.calls, sensitivity, self.forward[node])
            made = self.calls.emit(ENVIRON_SET, [constant(EMPTY_ENVIRON), arguments[1], value], _ENV)
            self._add(sums, arguments[0], made)
        elif operator is ENVIRON_ADD:
            self._add(sums, arguments[0], sensitivity)
            self._add(sums, arguments[1], sensitivity)

    def _chosen(self, sums: dict[Node, Sensitivity], arguments: list[Node], env: Node) -> None:
        """The gradient of a choice of functions goes to the free variables of the one that was taken.

        Both may have a variable among theirs, of which the gradient counts once.
        """
        found = [item.value for item in arguments[1:] if isinstance(item, ValueNode)]
        if len(found) == 2:
            self._distribute(sums, found, env)
            return
        condition, nothing = self._image(arguments[0]), constant(EMPTY_ENVIRON)
        self._add(sums, arguments[1], self.calls.emit(SWITCH, [condition, env, nothing], _ENV))
        self._add(sums, arguments[2], self.calls.emit(SWITCH, [condition, nothing, env], _ENV))

    def _get(self, env: Node, key: Node, value: Node) -> Sensitivity:
        if not flows(value.abstract):
            return None
        default = zeros(self.calls, self._image(value))
        return self.calls.emit(ENVIRON_GET, [env, key, default], of_type(value.abstract))  # type: ignore[arg-type]

    def _python(self, sums: dict[Node, Sensitivity], node: CNode, operator: PythonOp, sensitivity: Sensitivity) -> None:
        """Of what Python's operators do to numbers and tuples, only the choice of an element has a gradient."""
        if operator is op("getitem") and flows(node.arguments[0].abstract):
            items, index = node.arguments
            assert isinstance(items.abstract, AbstractTuple)  # noqa: S101
            count = len(items.abstract.elements)
            chosen = node_of(self.calls, sensitivity, self.forward[node])
            given = [chosen, zeros(self.calls, self.forward[node]), self._image(index)]
            parts = [
                self.calls.call(constant(_where_chosen), [*given, constant(place), constant(count)], {})
                for place in range(count)
            ]
            self._add(sums, items, parts)


def _where_chosen(gradient: Any, nothing: Any, index: Any, place: int, count: int) -> Any:
    """The gradient of one element of a tuple, of which the element at an index is chosen when the program runs."""
    return gradient if index == place or index == place - count else nothing


def _name_of(node: Node) -> str:
    """What the sum of the gradients with respect to a node is named by."""
    while isinstance(node, CNode) and is_operator(node, TUPLE_GETITEM):
        node = node.arguments[0]
    if isinstance(node, CNode):
        return node.full_name or f"{node.scope}/Call"
    return str(getattr(node.default, "name", node.name)) if isinstance(node, Parameter) else node.name


def _last_call(graph: FuncGraph) -> tuple[CNode | None, Node | None]:
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


def _with_last(nodes: Iterable[CNode], last: CNode | None) -> list[CNode]:
    """Nodes in an order in which they can run, with one, and what needs it, behind all others."""
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


def parameters_of(graph: FuncGraph) -> list[Parameter]:
    """The parameters of a graph that gradients flow to."""
    return [parameter for parameter in graph.parameters if flows(parameter.abstract)]
