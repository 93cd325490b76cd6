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
from framework.ad.effects import last_call, later, states_before, with_last
from framework.ad.sensitivity import Sensitivity, add, flows, node_of, of_type, zeros
from framework.ad.structural import through_python, through_structural
from framework.infer.values import Emitter, constant
from framework.ir.abstract import (
    AbstractConst,
    AbstractEnv,
    AbstractFunction,
    AbstractMonad,
    AbstractTuple,
)
from framework.ir.anf import CNode, FuncGraph, Node, Parameter, ValueNode, is_operator
from framework.ir.errors import GraphError
from framework.ir.manager import Manager
from framework.ir.naming import COMPILED, gradient_scope
from framework.ir.operators import (
    DEPEND,
    EMPTY_ENVIRON,
    ENVIRON_GET,
    ENVIRON_SET,
    MAKE_TUPLE,
    TUPLE_GETITEM,
    Structural,
    SymbolicKey,
)
from framework.ir.python_ops import PythonOp
from framework.ops.gradients import bprop_getters
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
        last, state = last_call(graph)
        for node in with_last(self.manager.nodes(graph), last):
            inputs = [self.image(item) for item in node.inputs]
            if node is last and state is not None:
                # Nothing says so in the program: a call in the last place comes after all effects before it.
                place = 1 if node.arguments else 0
                inputs[place] = made.apply(DEPEND, inputs[place], self.image(state), abstract=inputs[place].abstract)
            notes: dict[str, Any] = {"location": node.location, "scope": node.scope, "name": node.name}
            if node.operator is not None and not isinstance(node.operator, FuncGraph):
                image = self.forward[node] = CNode(made, inputs, node.full_name, abstract=node.abstract, **notes)
                image.also, image.marks = node.also, dict(node.marks)
                continue
            assert node.abstract is not None  # noqa: S101
            both = CNode(made, inputs, abstract=AbstractTuple((node.abstract, _FUNCTION)), **notes)
            both = later(
                both, next((self.forward[s] for s in states_before(self.manager, node) if s in self.forward), None)
            )
            self.forward[node] = made.apply(TUPLE_GETITEM, both, constant(0), abstract=node.abstract, **notes)
            self.backpropagators[node] = made.apply(TUPLE_GETITEM, both, constant(1), abstract=_FUNCTION, **notes)

    def image(self, node: Node) -> Node:
        """What a node is on the way forward: itself, if it is a constant or from outside of the function."""
        if isinstance(node, ValueNode) and isinstance(node.value, FuncGraph):
            return ValueNode(self.transformed[node.value], _FUNCTION, location=node.location)
        return self.forward.get(node, node)

    # Backward

    def _backward(self, graph: FuncGraph) -> None:
        made = self.transformed[graph]
        output = self.forward[graph.output] if "bprop" in graph.attrs else self.image(graph.output)
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
        self.add_to(sums, graph.output, dout)
        for node in reversed(self.manager.nodes(graph)):
            sensitivity = sums.pop(node, None)
            if sensitivity is not None:
                self._through(sums, node, sensitivity)
        env: Node = constant(EMPTY_ENVIRON)
        for variable, sensitivity in sums.items():
            if variable.graph is not graph and sensitivity is not None:
                value = node_of(self.calls, sensitivity, self.image(variable))
                env = self.calls.emit(ENVIRON_SET, [env, self.key(variable), value], _ENV)
        own = [node_of(self.calls, sums.get(parameter), self.image(parameter)) for parameter in graph.parameters]
        return [env, *own]

    def add_to(self, sums: dict[Node, Sensitivity], node: Node, sensitivity: Sensitivity) -> None:
        """Add to the gradient of a node."""
        if sensitivity is None or not flows(node.abstract):
            return
        if isinstance(sensitivity, ValueNode) and sensitivity.value is None:
            return
        if isinstance(node, ValueNode):
            if isinstance(node.value, FuncGraph):
                self.distribute(sums, [node.value], sensitivity)
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

    def distribute(self, sums: dict[Node, Sensitivity], graphs: list[FuncGraph], env: Node) -> None:
        """The gradient of a closure goes to its free variables."""
        free = dict.fromkeys(node for graph in graphs for node in self.manager.free_variables(graph))
        for node in free:
            if flows(node.abstract):
                image = self.image(node)
                found = self.calls.emit(
                    ENVIRON_GET,
                    [env, self.key(node), zeros(self.calls, image)],
                    of_type(node.abstract),  # type: ignore[arg-type]
                )
                self.add_to(sums, node, found)

    def _through(self, sums: dict[Node, Sensitivity], node: CNode, sensitivity: Sensitivity) -> None:
        """Go backward through one node."""
        program = self.specializer.program
        program.location = node.location or program.location
        operator = node.operator
        if isinstance(operator, Structural):
            through_structural(self, sums, node, operator, sensitivity)
        elif isinstance(operator, Primitive):
            with program.backward(gradient_scope(node.full_name or f"{node.scope}/{operator.name}"), Counter()):
                self._primitive(sums, node, operator, sensitivity)
        elif isinstance(operator, PythonOp):
            through_python(self, sums, node, operator, sensitivity)
        elif operator is None or isinstance(operator, FuncGraph):
            dout = node_of(self.calls, sensitivity, self.forward[node])
            types = [_ENV, *(of_type(item.abstract) for item in node.arguments)]  # type: ignore[arg-type]
            result = self.calls.emit(self.backpropagators[node], [dout], AbstractTuple(tuple(types)))
            for place, item in enumerate(node.inputs):
                if flows(item.abstract):
                    self.add_to(sums, item, self.calls.get_item(result, place))

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
        images = [self.image(item) for item in arguments]
        unneeded = {image for item, image in zip(arguments, images, strict=True) if item not in self.active}
        with self.specializer.program.leaving_out(unneeded):
            result = self.calls.call(constant(bprop), [*images, self.forward[node], dout], {})
        for item, gradient in zip(arguments, self._items(result, len(arguments)), strict=True):
            self.add_to(sums, item, gradient)

    def _items(self, result: Node, count: int) -> Iterable[Node]:
        if isinstance(result.abstract, AbstractTuple) and len(result.abstract.elements) == count:
            items: list[Node] = self.calls.items(result)
            return items
        return [result]


def _name_of(node: Node) -> str:
    """What the sum of the gradients with respect to a node is named by."""
    while isinstance(node, CNode) and is_operator(node, TUPLE_GETITEM):
        node = node.arguments[0]
    if isinstance(node, CNode):
        return node.full_name or f"{node.scope}/Call"
    return str(getattr(node.default, "name", node.name)) if isinstance(node, Parameter) else node.name


def parameters_of(graph: FuncGraph) -> list[Parameter]:
    """The parameters of a graph that gradients flow to."""
    return [parameter for parameter in graph.parameters if flows(parameter.abstract)]
