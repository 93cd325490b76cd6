"""Expands Jacobians and their products within compiled functions, with the same pullbacks as gradients."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from framework.ad.expand import Pull, conjugating, linearized, type_of_result, weights_of
from framework.ad.gradients import Wanted
from framework.ad.jacobians import (
    Jacobian,
    Pushforward,
    as_matrix,
    as_tuple,
    hessian,
    jacfwd,
    jacrev,
    jvp,
    positions_of,
    vjp,
    with_aux,
)
from framework.common.tensor import Tensor
from framework.infer.evaluators.inference import Inference
from framework.infer.evaluators.registry import register, register_kind
from framework.infer.values import constant, value_of
from framework.ir.abstract import Abstract, AbstractConst, AbstractTuple
from framework.ir.anf import Node

__all__: list[str] = []


class _Linear:
    """A linear function of the program; called by inference only.

    Args:
        pull: the pullback, from the gradient of a result.
        of: that result. The function takes a vector for it, or one for each of several results.
        weights: whether the function also returns gradients of weights.
        single: whether the function returns a tensor rather than a tuple.
    """

    def __init__(self, pull: Pull, of: Abstract | None, *, weights: bool = False, single: bool = False) -> None:
        self.pull = pull
        self.takes_tuple = isinstance(of, AbstractTuple)
        self.weights = weights
        self.single = single

    def __call__(self) -> None:
        """Called by inference only."""


@register_kind(_Linear)
def _linear(infer: Inference, callee: _Linear, arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
    is_tuple = isinstance(arguments[0].abstract, AbstractTuple)
    given = arguments[0] if callee.takes_tuple == is_tuple else infer.build.make_tuple(list(arguments))
    inputs, by_weight = callee.pull(given)
    if callee.weights:
        return infer.build.make_tuple([infer.build.make_tuple(inputs), infer.build.make_tuple(by_weight)])
    return inputs[0] if callee.single else infer.build.make_tuple(inputs)


class _Taken:
    """A Jacobian of a function of the program; called by inference only."""

    def __init__(self, function: Node, positions: tuple[int, ...], *, has_aux: bool, forward: bool) -> None:
        self.function = function
        self.positions = positions
        self.has_aux = has_aux
        self.forward = forward

    def __call__(self) -> None:
        """Called by inference only."""


@register_kind(_Taken)
def _taken(infer: Inference, callee: _Taken, arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
    wanted = Wanted(positions=callee.positions, one=False, has_aux=callee.has_aux)
    if callee.forward:
        value, linear = _forward(infer, callee.function, wanted, arguments)
        out = _main(infer, value, wanted)
    else:
        value, pull = linearized(infer, callee.function, wanted, [], arguments)
        out = _main(infer, value, wanted)
        linear = _Linear(pull, out.abstract)
    inputs = [arguments[position] for position in callee.positions]
    passed = [constant(linear), out, infer.build.make_tuple(inputs), constant(callee.forward), constant(True)]
    jacobian = infer.call(constant(as_matrix), passed, {})
    return infer.build.make_tuple([jacobian, *infer.build.items(value)[1:]]) if callee.has_aux else jacobian


def _main(infer: Inference, value: Node, wanted: Wanted) -> Node:
    """The result that is differentiated."""
    return infer.build.items(value)[0] if wanted.has_aux else value


class _Pulled:
    """From arguments and the gradient of a result to the gradients of the arguments, and the result."""

    def __init__(self, function: Node, wanted: Wanted, count: int) -> None:
        self.function = function
        self.wanted = wanted
        self.count = count

    def __call__(self) -> None:
        """Called by inference only."""


@register_kind(_Pulled)
def _pulled(infer: Inference, callee: _Pulled, arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
    inputs, seeds = arguments[: callee.count], list(arguments[callee.count :])
    value, pull = linearized(infer, callee.function, callee.wanted, [], inputs)
    is_tuple = isinstance(_main(infer, value, callee.wanted).abstract, AbstractTuple)
    gradients, _ = pull(infer.build.make_tuple(seeds) if is_tuple else seeds[0])
    return infer.build.make_tuple([infer.build.make_tuple(gradients), value])


def _forward(infer: Inference, function: Node, wanted: Wanted, inputs: Sequence[Node]) -> tuple[Node, _Linear]:
    """The result of a function and its pushforward: the pullback of its pullback, which is linear, so at any point."""
    abstract = type_of_result(infer, function, inputs, wanted)
    parts = abstract.elements if isinstance(abstract, AbstractTuple) else (abstract,)
    seeds = [constant(Tensor(np.zeros(part.shape, part.dtype.numpy))) for part in parts]  # type: ignore[attr-defined]
    by_seeds = Wanted(tuple(range(len(inputs), len(inputs) + len(seeds))), one=False, has_aux=True)
    pulled = constant(_Pulled(function, wanted, len(inputs)))
    value, push = linearized(infer, pulled, by_seeds, [], [*inputs, *seeds])
    gradients, result = infer.build.items(value)
    return result, _Linear(push, gradients.abstract, single=not isinstance(abstract, AbstractTuple))


@register_kind(Jacobian)
def _jacobian(infer: Inference, callee: Jacobian, arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
    made = _Taken(constant(callee.function), callee.positions, has_aux=callee.has_aux, forward=callee.forward)
    return _taken(infer, made, arguments, named)


@register(jacrev, jacfwd, hessian)
def _make(infer: Inference, callee: Callable[..., Any], arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
    given = {**dict(zip(("fn", "grad_position", "has_aux"), arguments, strict=False)), **named}
    has_aux = bool(value_of(given["has_aux"])) if "has_aux" in given else False
    position = value_of(given["grad_position"]) if "grad_position" in given else 0
    positions = positions_of(position, callee.__name__)
    made = constant(_Taken(given["fn"], positions, has_aux=has_aux, forward=callee is jacfwd))
    return constant(_Taken(made, positions, has_aux=has_aux, forward=True)) if callee is hessian else made


@register(vjp)
def _vjp(infer: Inference, callee: Callable[..., Any], arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
    function, *inputs = arguments
    has_aux = bool(value_of(named["has_aux"])) if "has_aux" in named else False
    by = named.get("weights")
    wants = by is not None and not (isinstance(by.abstract, AbstractConst) and by.abstract.value is None)
    weights = weights_of(infer, by)[0] if by is not None and wants else []
    wanted = Wanted(positions=None, one=False, weights=wants, has_aux=has_aux)
    value, pull = linearized(infer, function, wanted, weights, inputs)
    main = infer.build.items(value)[0] if has_aux else value
    linear = constant(_Linear(conjugating(infer, pull), main.abstract, weights=wants))
    return infer.call(constant(with_aux), [value, linear, constant(has_aux)], {})


@register(jvp)
def _jvp(infer: Inference, callee: Callable[..., Any], arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
    given = {**dict(zip(("fn", "inputs", "v", "has_aux"), arguments, strict=False)), **named}
    has_aux = bool(value_of(given["has_aux"])) if "has_aux" in given else False
    inputs, vectors = (infer.build.items(infer.call(constant(as_tuple), [given[name]], {})) for name in ("inputs", "v"))
    return _pushed(infer, given["fn"], inputs, vectors, has_aux=has_aux)


@register_kind(Pushforward)
def _pushforward(infer: Inference, callee: Pushforward, arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
    inputs, vectors = map(infer.build.items, arguments)
    return _pushed(infer, constant(callee.function), inputs, vectors, has_aux=callee.has_aux)


def _pushed(
    infer: Inference, function: Node, inputs: Sequence[Node], vectors: Sequence[Node], *, has_aux: bool
) -> Node:
    shapes = [[getattr(item.abstract, "shape", None) for item in items] for items in (inputs, vectors)]
    if shapes[0] != shapes[1]:
        wanted_shapes = ", ".join(map(str, shapes[0]))
        raise infer.program.error(f"the vectors must have the shapes of the inputs, {wanted_shapes}")
    value, linear = _forward(infer, function, Wanted(positions=None, one=False, has_aux=has_aux), inputs)
    return infer.call(constant(with_aux), [value, _linear(infer, linear, vectors, {}), constant(has_aux)], {})
