"""Expands gradients within compiled functions: infers the function, transforms it, and calls its backpropagator."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from framework.ad.gradients import (
    SENS,
    Gradient,
    GradOperation,
    Wanted,
    arranged,
    grad,
    value_and_grad,
    wanted_of,
)
from framework.ad.identifiers import found_gradient, get_grad
from framework.ad.j_transform import JTransform
from framework.ad.seeds import seed
from framework.ad.sens import lacks_sens, without_sens
from framework.ad.sensitivity import flows, of_type, zeros
from framework.infer.evaluators.inference import Inference
from framework.infer.evaluators.registry import register, register_kind
from framework.infer.state.emitter import Emitter
from framework.infer.state.results import are_new
from framework.infer.values import constant, value_of
from framework.infer.whole_regions import GradientInsideError, cutting
from framework.ir.abstract import (
    Abstract,
    AbstractConst,
    AbstractDict,
    AbstractTensor,
    AbstractTuple,
    broaden,
)
from framework.ir.anf import CNode, FuncGraph, Node, Parameter, ValueNode, is_operator
from framework.ir.clone import inline
from framework.ir.errors import InferenceError, MissingGradientError, PythonOnlyError
from framework.ir.operators import ENVIRON_GET, MAKE_TUPLE
from framework.ops import operations as P  # noqa: N812
from framework.ops.control.dependencies import passed_on
from framework.opt.pipeline import simplify
from framework.pynative.tape import tape
from framework.pynative.tensor_hooks import changes, register_hook

__all__ = ["differentiate", "linearized", "type_of_result", "weights_of"]


class _Pending:
    """The gradient of a function of the program; called by inference only."""

    def __init__(self, function: Node, wanted: Wanted, weights: list[Node]) -> None:
        self.function = function
        self.wanted = wanted
        self.weights = weights

    def __call__(self) -> None:
        """Called by inference only."""


@register_kind(GradOperation)
def _operation(infer: Inference, callee: GradOperation, arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
    function, *rest = [*arguments, *named.values()]
    weights, one = (
        (weights_of(infer, rest[0]) if rest else (_own(infer, function), False)) if callee.get_by_list else ([], False)
    )
    return constant(_Pending(function, callee.wanted(one_weight=one), weights))


@register(grad, value_and_grad)
def _grad(infer: Inference, callee: object, arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
    names = ("fn", "grad_position", "weights", "has_aux", "return_ids", "sens_param")
    given = {**dict(zip(names, arguments, strict=False)), **named}
    position = value_of(given["grad_position"]) if "grad_position" in given else 0
    weights: list[Node] = []
    one, wants = False, None
    if "weights" in given and not _is_none(given["weights"]):
        weights, one = weights_of(infer, given["weights"])
        wants = tuple(weights)
    aux, ids, sens = (name in given and bool(value_of(given[name])) for name in names[3:])
    value = callee is value_and_grad
    wanted = wanted_of(position, wants, has_aux=aux, value=value, one_weight=one, ids=ids, sens=sens)
    return constant(_Pending(given["fn"], wanted, weights))


@register(get_grad)
def _get_grad(infer: Inference, callee: object, arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
    given = {**dict(zip(("gradients", "identifier"), arguments, strict=False)), **named}
    node = given["identifier"]
    identifier = node.default.name if isinstance(node, Parameter) and node.default is not None else _known(node)
    if isinstance(identifier, bool) or not isinstance(identifier, int | str):
        raise infer.program.error("get_grad: the identifier must be a position or a Parameter")
    try:
        return found_gradient(_unpacked(infer, given["gradients"]), identifier)  # type: ignore[no-any-return]
    except RuntimeError as error:
        raise infer.program.error(str(error), MissingGradientError) from None


@register(register_hook)
def _register_hook(infer: Inference, callee: object, arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
    raise infer.program.error(
        "register_hook: compiled functions do not run hooks; ops.InsertGradientOf(f)(x) replaces a gradient there"
    )


@register(passed_on)
def _passed_on(infer: Inference, callee: object, arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
    return arguments[0]


def _unpacked(infer: Inference, node: Node) -> Any:
    """Nested tuples of nodes, with positions and names as Python values."""
    if isinstance(node.abstract, AbstractTuple):
        return tuple([_unpacked(infer, item) for item in infer.build.items(node)])
    known = _known(node)
    return known if isinstance(known, int | str) else node


def _known(node: Node) -> Any:
    return node.value if isinstance(node, ValueNode) else None


def _is_none(node: Node) -> bool:
    return isinstance(node.abstract, AbstractConst) and node.abstract.value is None


def weights_of(infer: Inference, node: Node) -> tuple[list[Node], bool]:
    """The weights of a node, and whether it is a single one rather than a tuple."""
    if isinstance(node.abstract, AbstractTuple):
        return infer.build.items(node), False
    return [node], True


def _own(infer: Inference, function: Node) -> list[Node]:
    cell = function.value if isinstance(function, ValueNode) else None
    trainable = getattr(cell, "trainable_params", None)
    if trainable is None:
        raise infer.program.error("GradOperation(get_by_list=True) needs the weights: pass a ParameterTuple")
    return [infer.build.weight(parameter) for parameter in trainable()]


@register_kind(_Pending)
def _pending(infer: Inference, callee: _Pending, arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
    return differentiate(infer, callee.function, callee.wanted, callee.weights, arguments, named)


@register_kind(Gradient)
def _gradient(infer: Inference, callee: Gradient, arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
    weights = [infer.build.weight(parameter) for parameter in callee.weights]
    return differentiate(infer, constant(callee.function), callee.wanted, weights, arguments, named)


def differentiate(
    infer: Inference,
    function: Node,
    wanted: Wanted,
    weights: Sequence[Node],
    arguments: Sequence[Node],
    named: Mapping[str, Node],
) -> Node:
    """The gradients of a function at arguments, as nodes.

    Args:
        infer: the inference.
        function: a function of the program.
        wanted: which gradients are returned, and in which form.
        weights: the parameters of the program to differentiate with respect to.
        arguments: the arguments of the function and, if `wanted.sens`, the gradient of its result.
        named: those that are given by name.
    """
    given, sens, named = list(arguments), None, dict(named)
    if wanted.sens:
        if SENS in named:
            sens = named.pop(SENS)
        else:
            _check_sens(infer, function, wanted, arguments)
            sens = given.pop()
    if named:
        function, given = constant(_ByName(function, len(given), tuple(named))), [*given, *named.values()]
    positions = [*wanted.of(_are_tensors(given))] if wanted.ids else []
    value, pull = linearized(infer, function, wanted, weights, given)
    inputs, by_weight = conjugating(infer, pull)(sens)
    names = [_name(weight) for weight in weights] if wanted.ids else []
    arranged_ = arranged(wanted, positions, inputs, by_weight, names, infer.build.make_tuple, constant)
    if wanted.value:
        return infer.build.make_tuple([value, arranged_])
    return (
        infer.build.make_tuple([arranged_, infer.build.make_tuple(infer.build.items(value)[1:])])
        if wanted.has_aux
        else arranged_
    )


class _ByName:
    """A function of positions alone; called by inference only.

    Args:
        function: the function of the program that it calls.
        count: the number of arguments that it passes by position.
        names: the names of the others.
    """

    def __init__(self, function: Node, count: int, names: Sequence[str]) -> None:
        self.function = function
        self.count = count
        self.names = names

    def __call__(self) -> None:
        """Called by inference only."""


@register_kind(_ByName)
def _by_name(infer: Inference, callee: _ByName, arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
    by_name = dict(zip(callee.names, arguments[callee.count :], strict=True))
    return infer.call(callee.function, arguments[: callee.count], by_name)


def _are_tensors(nodes: Sequence[Node]) -> list[bool]:
    return [isinstance(node.abstract, AbstractTensor) and not _is_constant(node) for node in nodes]


def _is_constant(node: Node) -> bool:
    """Whether an argument was passed as a constant, by `Tensor(const_arg=True)`: it has no gradient."""
    return bool(getattr(_known(node), "const_arg", False))


def _check_sens(infer: Inference, function: Node, wanted: Wanted, arguments: Sequence[Node]) -> None:
    """Raise an error if the gradient with respect to the result is missing."""
    known, count = _known(function), len(arguments)
    if lacks_sens(known, count):
        result = f", {type_of_result(infer, function, arguments, wanted)}" if arguments else ""
        raise infer.program.error(without_sens(known, count, result))
    if _is_none(arguments[-1]):
        raise infer.program.error(without_sens(known, count))


def _name(weight: Node) -> str:
    return str(weight.default.name) if isinstance(weight, Parameter) and weight.default is not None else str(weight)


Pull = Callable[[Node | None], tuple[list[Node], list[Node]]]
"""From the gradient of a result (None: ones) to the gradients of inputs and of weights."""


def linearized(
    infer: Inference, function: Node, wanted: Wanted, weights: Sequence[Node], arguments: Sequence[Node]
) -> tuple[Node, Pull]:
    """The result of a function at arguments, and its pullback there, which can be called any number of times.

    Args:
        infer: the inference.
        function: a function of the program.
        wanted: which results are differentiated, with respect to which arguments.
        weights: the parameters of the program to differentiate with respect to.
        arguments: the arguments of the function.
    """
    given = [infer.build.at_present(node) for node in arguments]
    try:
        positions = wanted.of(_are_tensors(given))
    except ValueError as error:
        raise infer.program.error(str(error)) from None
    for position in positions:
        given[position] = _variable(infer, given[position])
    before = infer.build.effects
    graph, passed, places = _simplified(infer, function, given, positions)
    _refuse_hooks(infer, weights)
    variables = [graph.parameters[places[position]] for position in positions]
    is_new = infer.program.is_part and are_new(graph, variables)
    loaded = [infer.build.variable(weight) for weight in weights]
    transform = JTransform(infer, graph, [*variables, *loaded])
    # The forward pass runs here. The backward pass is a function that uses it and can be transformed again.
    emitter = infer.build.emitter
    both = inline(transform.run(), passed, emitter.graph, state=emitter.state if emitter.effects else None)
    value, back = infer.build.get_item(both, 0), infer.build.get_item(both, 1)
    if infer.build.effects > before:
        infer.build.effect(value)
    if is_new:
        infer.program.new.update([value, *_items_of(value)])
    assert transform.types is not None  # noqa: S101
    types = transform.types

    def pull(sens: Node | None) -> tuple[list[Node], list[Node]]:
        result = infer.build.emit(back, [seed(infer, value, sens, has_aux=wanted.has_aux)], types)
        inputs = [_or_zeros(infer, result, places[position] + 1, given[position]) for position in positions]
        env = infer.build.get_item(result, 0)
        by_weight: list[Node] = [
            infer.build.emit(ENVIRON_GET, [env, transform.adjoints.key(w), zeros(infer, w)], of_type(w.abstract))  # type: ignore[arg-type]
            for w in loaded
        ]
        infer.program.new.update([*inputs, *by_weight])
        return inputs, by_weight

    return value, pull


def conjugating(infer: Inference, pull: Pull) -> Pull:
    """A pullback as users know it: gradients by complex tensors are the conjugates of what operators' rules compute.

    See `framework.pynative.gradient.conjugate`.
    """

    def pulled(sens: Node | None) -> tuple[list[Node], list[Node]]:
        inputs, by_weight = pull(None if sens is None else _conjugate(infer, sens))
        return [_conjugate(infer, item) for item in inputs], [_conjugate(infer, item) for item in by_weight]

    return pulled


def _conjugate(infer: Inference, node: Node) -> Node:
    """The conjugates of complex tensors; other values, and structures without complex tensors, stay as they are."""
    if not _is_complex(node.abstract):
        return node
    if isinstance(node.abstract, AbstractTensor):
        return infer.build.primitive(P.Conj(), [node])
    if isinstance(node.abstract, AbstractDict):
        parts = {key: _conjugate(infer, item) for key, item in infer.build.entries(node).items()}
        return infer.build.make_dict(parts)
    items = [_conjugate(infer, item) for item in infer.build.items(node)]
    return infer.build.make_list(items) if node.abstract.is_list else infer.build.make_tuple(items)  # type: ignore[union-attr]


def _is_complex(abstract: Abstract | None) -> bool:
    if isinstance(abstract, AbstractTuple | AbstractDict):
        return any(map(_is_complex, abstract.elements))
    return isinstance(abstract, AbstractTensor) and abstract.dtype.kind == "complex"


def _items_of(node: Node) -> list[Node]:
    """The items of a tuple that the program makes."""
    return node.arguments if isinstance(node, CNode) and is_operator(node, MAKE_TUPLE) else []


def _refuse_hooks(infer: Inference, weights: Sequence[Node]) -> None:
    """Refuse Parameters with hooks, which are functions of Python, and note that there are none now."""
    for weight in weights:
        if isinstance(weight, Parameter) and tape.kept_hooks.get(id(weight.default)):
            raise infer.program.error(
                f"Parameter {_name(weight)} has a hook, a function of Python, which no compiled function runs: use "
                "ops.InsertGradientOf(f)(x) in its place",
                PythonOnlyError,
            )
    # Cells count such changes, so that a program with Cells needs no further guard.
    if weights and not any(read.what == "_changes" for read in infer.program.reads):
        infer.program.note(changes, "count", changes.count)


def type_of_result(infer: Inference, function: Node, arguments: Sequence[Node], wanted: Wanted) -> Abstract:
    """The abstract value of a function's result; of its first result if `wanted.has_aux`."""
    checkpoint = infer.flow.checkpoint()
    graph, _, _ = _as_graph(infer, function, [_variable(infer, node) for node in arguments], ())
    infer.flow.rollback(checkpoint)
    abstract = graph.output.abstract
    assert abstract is not None  # noqa: S101
    return abstract.elements[0] if wanted.has_aux and isinstance(abstract, AbstractTuple) else abstract


def _or_zeros(infer: Inference, result: Node, place: int, primal: Node) -> Node:
    if _is_constant(primal):
        return infer.build.make_tuple([])  # As MindSpore returns.
    if flows(primal.abstract):
        return _as_given(infer, infer.build.get_item(result, place), primal.abstract)
    raise infer.program.error(f"gradients are taken with respect to tensors, not {primal.abstract}")


def _as_given(infer: Inference, gradient: Node, abstract: Abstract | None) -> Node:
    """A gradient in the structure of its argument. Within the program, the gradient of a dictionary is a tuple."""
    if not isinstance(abstract, AbstractTuple | AbstractDict) or not isinstance(gradient.abstract, AbstractTuple):
        return gradient
    pairs = zip(infer.build.items(gradient), abstract.elements, strict=True)
    parts = [_as_given(infer, item, element) for item, element in pairs]
    if isinstance(abstract, AbstractDict):
        return infer.build.make_dict(dict(zip(abstract.keys, parts, strict=True)))
    return infer.build.make_list(parts) if abstract.is_list else infer.build.make_tuple(parts)


def _variable(infer: Inference, node: Node) -> Node:
    """An argument to differentiate with respect to: a constant becomes a value of which only the type is known."""
    abstract = node.abstract
    if isinstance(node, ValueNode) and isinstance(node.value, int | float) and not isinstance(node.value, bool):
        from framework.common.tensor import Tensor

        node = constant(Tensor(float(node.value)))
        abstract = node.abstract
    if isinstance(node, ValueNode) and isinstance(abstract, AbstractTensor | AbstractTuple):
        return ValueNode(node.value, broaden(abstract), location=node.location)
    return node


def _simplified(
    infer: Inference, function: Node, given: Sequence[Node], positions: Sequence[int]
) -> tuple[FuncGraph, list[Node], dict[int, int]]:
    """As `_as_graph`, after simple rewriting. Where operators are cut over ranks, it is the function of this rank."""
    cuts = cutting()
    if cuts is None:
        found = _as_graph(infer, function, given, positions)
        simplify(found[0])
        return found
    if infer.program.in_region:
        raise GradientInsideError
    with infer.program.region():
        try:
            graph, passed, places = _as_graph(infer, function, given, positions, cuts.whole)
        except InferenceError as error:
            raise cuts.explained(error) from None
        simplify(graph)
        decided = cuts.decide(infer, graph)
    return decided.written(infer), passed, places


def _as_graph(
    infer: Inference,
    function: Node,
    given: Sequence[Node],
    positions: Sequence[int],
    whole: Callable[[Abstract, int], Abstract] | None = None,
) -> tuple[FuncGraph, list[Node], dict[int, int]]:
    """The function as a separate graph, the arguments that the graph takes, and the position of each."""
    build = infer.build
    graph = FuncGraph(getattr(getattr(function, "value", None), "name", "function"), infer.program.location)
    graph.attrs["differentiated"] = True
    outer, build.emitter = build.emitter, Emitter(graph, build.emitter.depth)
    passed: list[Node] = []
    inner: list[Node] = []
    places: dict[int, int] = {}
    number = 0  # Among the arguments that have dimensions, which may be parts.
    for place, node in enumerate(given):
        if place in positions or not isinstance(node, ValueNode):
            places[place] = len(passed)
            passed.append(node)
            abstract = node.abstract
            if whole is not None and abstract is not None:
                abstract = whole(abstract, number)
                number += bool(getattr(abstract, "shape", None))
            inner.append(graph.add_parameter(f"x{place}", abstract=abstract))
        else:
            inner.append(node)
    try:
        result = infer.build.materialized(infer.call(function, inner, {}))
        build.finish(build.emitter, result)
    finally:
        build.emitter = outer
    return graph, passed, places
