"""The J transform: from a program to one that also returns its backpropagator.

    J(f) = x -> (f(x), dy -> (df, dx))                      after Pearlmutter and Siskind, "Reverse-mode AD in a
    y = op(a, b)     becomes   y = op(a, b)                 functional framework: Lambda the ultimate
                     and, going backward,   da, db += bprop_op(a, b, y, dy)         backpropagator" (2008)
    y = g(a, b)      becomes   y, back_g = J(g)(a, b)
                     and, going backward,   dg, da, db += back_g(dy)

The backpropagator of a graph is a graph nested in its transform. Values of the forward pass are its free variables, so
there is no tape, and the result is an ordinary program that can be transformed again. The gradient of a function (dg
above) is an environment: the gradients of its free variables, by variable. Choices, loops and recursion need no rules:
`Switch` chooses between transformed functions, and their backpropagators go back along the same path.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from framework.ad.adjoints import FUNCTION, Adjoints, Sums
from framework.ad.effects import last_call, later, states_before, with_last
from framework.ad.sensitivity import Sensitivity, flows, node_of, of_type
from framework.ad.structural import through_python, through_structural
from framework.infer.evaluators.inference import Inference
from framework.infer.state.emitter import Emitter
from framework.infer.values import constant
from framework.ir.abstract import (
    Abstract,
    AbstractEnv,
    AbstractMonad,
    AbstractTensor,
    AbstractTuple,
)
from framework.ir.anf import CNode, FuncGraph, Node, ValueNode
from framework.ir.errors import GraphError
from framework.ir.naming import COMPILED, gradient_scope
from framework.ir.operators import (
    DEPEND,
    EMPTY_ENVIRON,
    ENVIRON_SET,
    MAKE_TUPLE,
    TUPLE_GETITEM,
    Structural,
)
from framework.ir.python_ops import PythonOp
from framework.ops import operations as P  # noqa: N812
from framework.ops.arguments import with_defaults
from framework.ops.gradients import bprop_getters
from framework.ops.primitive import Primitive

__all__ = ["JTransform"]

_ENV = AbstractEnv()


class JTransform:
    """Transforms one function and all functions that it calls.

    Args:
        infer: infers backward functions and makes nodes.
        root: the function; its program must be typed.
        variables: the parameters and free variables to differentiate with respect to.

    Attributes:
        adjoints: the gradients of its nodes.
        types: what the backpropagator of the function returns.
    """

    def __init__(self, infer: Inference, root: FuncGraph, variables: Iterable[Node]) -> None:
        self.adjoints = Adjoints(infer, root, variables)
        self.types: Abstract | None = None
        self._infer = infer
        self._program = infer.program
        self._root = root
        self._manager = self.adjoints.manager
        self._images = self.adjoints.forward
        self._transformed = self.adjoints.transformed
        self._backpropagators: dict[CNode, Node] = {}

    def run(self) -> FuncGraph:
        """The transform of the function."""
        order = sorted(self._manager.graphs, key=lambda graph: len(self._manager.ancestors(graph)))
        for graph in order:
            made = self._transformed[graph] = FuncGraph(f"grad_{graph.name}", graph.location)
            for parameter in graph.parameters:
                self._images[parameter] = made.add_parameter(parameter.name, abstract=parameter.abstract)
        for graph in order:
            self._forward(graph)
        for graph in order:
            self._backward(graph)
        return self._transformed[self._root]

    # Forward

    def _forward(self, graph: FuncGraph) -> None:
        made = self._transformed[graph]
        if "bprop" in graph.attrs:
            call = made.apply(graph, *made.parameters, abstract=graph.output.abstract, location=graph.location)
            self._images[graph.output] = call
            return
        last, state = last_call(graph)
        for node in with_last(self._manager.nodes(graph), last):
            inputs = [self.adjoints.image(item) for item in node.inputs]
            if node is last and state is not None:
                # A call in the last place comes after all earlier effects, although no node of the program says so.
                place = 1 if node.arguments else 0
                inputs[place] = made.apply(
                    DEPEND, inputs[place], self.adjoints.image(state), abstract=inputs[place].abstract
                )
            notes: dict[str, Any] = {"location": node.location, "scope": node.scope, "name": node.name}
            if node.operator is not None and not isinstance(node.operator, FuncGraph):
                image = self._images[node] = CNode(made, inputs, node.full_name, abstract=node.abstract, **notes)
                image.also, image.marks = node.also, dict(node.marks)
                continue
            assert node.abstract is not None  # noqa: S101
            both = CNode(made, inputs, abstract=AbstractTuple((node.abstract, FUNCTION)), **notes)
            both = later(
                both, next((self._images[s] for s in states_before(self._manager, node) if s in self._images), None)
            )
            self._images[node] = made.apply(TUPLE_GETITEM, both, constant(0), abstract=node.abstract, **notes)
            self._backpropagators[node] = made.apply(TUPLE_GETITEM, both, constant(1), abstract=FUNCTION, **notes)

    # Backward

    def _backward(self, graph: FuncGraph) -> None:
        made = self._transformed[graph]
        output = self._images[graph.output] if "bprop" in graph.attrs else self.adjoints.image(graph.output)
        back = FuncGraph(f"back_{graph.name}", graph.location)
        assert graph.output.abstract is not None  # noqa: S101
        dout = back.add_parameter("dout", abstract=of_type(graph.output.abstract))
        outer, self._infer.build.emitter = self._infer.build.emitter, Emitter(back, 1)
        place = self._program.location
        program = self._program
        try:
            custom = "bprop" in graph.attrs
            # Operators that belong to no backward function exist in compiled programs only.
            with program.backward(COMPILED, program.made):
                gradients = self._custom(graph, output, dout) if custom else self._gradients(graph, dout)
                self._infer.build.finish(self._infer.build.emitter, self._infer.build.make_tuple(gradients))
        finally:
            self._infer.build.emitter = outer
            self._program.location = place
        pair = AbstractTuple((graph.output.abstract, FUNCTION))
        if graph is self._root:
            self.types = back.output.abstract
        made.output = made.apply(MAKE_TUPLE, output, ValueNode(back, FUNCTION), abstract=pair)

    def _custom(self, graph: FuncGraph, output: Node, dout: Node) -> list[Node]:
        """The gradients that a Cell's own `bprop` returns."""
        inputs = self._transformed[graph].parameters
        with self._program.backward(gradient_scope(graph.attrs["full_name"]), Counter()):
            result = self._infer.call(constant(graph.attrs["bprop"]), [*inputs, output, dout], {})
        items = self._infer.build.items(result) if isinstance(result.abstract, AbstractTuple) else [result]
        if len(items) < len(inputs):
            raise self._program.error(f"bprop returns {len(items)} gradients for {len(inputs)} inputs")
        pairs = zip(items, inputs, strict=False)  # What is left over belongs to no input.
        return [constant(EMPTY_ENVIRON), *[item if flows(x.abstract) else constant(None) for item, x in pairs]]

    def _gradients(self, graph: FuncGraph, dout: Node) -> list[Node]:
        """The result of a graph's backpropagator: the environment of its free variables, then a gradient for each
        parameter."""
        sums: Sums = {}
        self.adjoints.add_to(sums, graph.output, dout)
        for node in reversed(self._manager.nodes(graph)):
            sensitivity = sums.pop(node, None)
            if sensitivity is not None:
                self._through(sums, node, sensitivity)
        env: Node = constant(EMPTY_ENVIRON)
        for variable, sensitivity in sums.items():
            if variable.graph is not graph and sensitivity is not None:
                value = _of_its_type(self._infer, sensitivity, self.adjoints.image(variable))
                env = self._infer.build.emit(ENVIRON_SET, [env, self.adjoints.key(variable), value], _ENV)
        typed = node_of if graph is self._root else _of_its_type
        own = [typed(self._infer, sums.get(item), self.adjoints.image(item)) for item in graph.parameters]
        return [env, *own]

    def _through(self, sums: Sums, node: CNode, sensitivity: Sensitivity) -> None:
        """Go backward through one node."""
        program = self._program
        program.location = node.location or program.location
        operator = node.operator
        if isinstance(operator, Structural):
            through_structural(self.adjoints, sums, node, operator, sensitivity)
        elif isinstance(operator, Primitive):
            with program.backward(gradient_scope(node.full_name or f"{node.scope}/{operator.name}"), Counter()):
                self._primitive(sums, node, operator, sensitivity)
        elif isinstance(operator, PythonOp):
            through_python(self.adjoints, sums, node, operator, sensitivity)
        elif operator is None or isinstance(operator, FuncGraph):
            dout = _of_its_type(self._infer, sensitivity, self._images[node])
            types = [_ENV, *(of_type(item.abstract) for item in node.arguments)]  # type: ignore[arg-type]
            result = self._infer.build.emit(self._backpropagators[node], [dout], AbstractTuple(tuple(types)))
            for place, item in enumerate(node.inputs):
                if flows(item.abstract):
                    self.adjoints.add_to(sums, item, self._infer.build.get_item(result, place))

    def _primitive(self, sums: Sums, node: CNode, primitive: Primitive, sensitivity: Sensitivity) -> None:
        if isinstance(primitive, P.StopGradient):
            return
        arguments = [item for item in node.arguments if not isinstance(item.abstract, AbstractMonad)]
        if not any(flows(item.abstract) and item in self.adjoints.active for item in arguments):
            return
        try:
            bprop = bprop_getters.get(primitive)
        except NotImplementedError as error:
            raise GraphError(str(error), node.location) from error
        dout = node_of(self._infer, sensitivity, self._images[node])
        images = tuple(self.adjoints.image(item) for item in arguments)
        defaults = [constant(value) for value in with_defaults(primitive, images)[len(images) :]]
        unneeded = {image for item, image in zip(arguments, images, strict=True) if item not in self.adjoints.active}
        unneeded.update(defaults)
        with self._program.leaving_out(unneeded):
            result = self._infer.call(constant(bprop), [*images, *defaults, self._images[node], dout], {})
        gradients = self._items(result, len(images) + len(defaults))
        for item, gradient in zip(arguments, gradients, strict=not defaults):
            self.adjoints.add_to(sums, item, gradient)

    def _items(self, result: Node, count: int) -> Iterable[Node]:
        if isinstance(result.abstract, AbstractTuple) and len(result.abstract.elements) == count:
            items: list[Node] = self._infer.build.items(result)
            return items
        return [result]


def _of_its_type(infer: Inference, sensitivity: Sensitivity, primal: Node) -> Node:
    """A sensitivity as a node of the type that calls rely on: the gradient by an integer may have a fraction."""
    node, wanted = node_of(infer, sensitivity, primal), primal.abstract
    if not isinstance(wanted, AbstractTensor) or not isinstance(node.abstract, AbstractTensor):
        return node
    if node.abstract.dtype is wanted.dtype:
        return node
    return infer.build.primitive(P.Cast(), [node, constant(wanted.dtype)])
