"""Jacobians and their products: `vjp`, `jvp`, `jacrev`, `jacfwd`, `hessian`.

All of them use the pullback of a function at a point, u -> J^T u, which reverse mode computes. The pullback is linear,
and its own pullback is the pushforward, v -> J v. So forward mode needs no rules of its own: it is reverse mode twice,
and costs one more pass (the idea is from Christianson, "Automatic Hessians by reverse accumulation", 1992). A Jacobian
by columns runs the two passes once, and then one pass for each element of the inputs.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable
from typing import Any

from framework.ad.gradients import Gradient, Wanted, Weights
from framework.common.parameter import Parameter
from framework.common.tensor import Tensor
from framework.graph_mode import compiled_gradient
from framework.observe import is_watched
from framework.ops import functional as F  # noqa: N812
from framework.ops.constexpr import constexpr
from framework.pynative.gradient import pullback, pushforward
from framework.pynative.taps import outermost

__all__ = ["Jacobian", "Pushforward", "as_matrix", "hessian", "jacfwd", "jacrev", "jvp", "vjp"]

Tensors = tuple[Tensor, ...]
Linear = Callable[..., Any]
"""A pullback or a pushforward."""
Matrix = Tensor | Tensors | tuple[Tensors, ...]
"""A Jacobian; a tuple for several results or arguments, a tuple of tuples for both."""


class Jacobian:
    """The Jacobian of a function, as a function.

    Args:
        function: the function that is differentiated.
        positions: the positions of the arguments to differentiate with respect to.
        has_aux: whether only the first of several results is differentiated.
        forward: whether it is computed by columns, in forward mode, rather than by rows.
    """

    def __init__(
        self, function: Callable[..., Any], positions: tuple[int, ...], *, has_aux: bool, forward: bool
    ) -> None:
        self.function = function
        self.positions = positions
        self.has_aux = has_aux
        self.forward = forward
        self.compiled: Callable[..., Any] | None = None
        self.__name__ = f"jacobian_{getattr(function, '__name__', type(function).__name__)}"

    def __call__(self, *arguments: Any) -> Any:
        """The Jacobian at these arguments."""
        compiled = compiled_gradient(self)
        if compiled is not None:
            return compiled(*arguments)
        check_positions(self.positions, len(arguments))
        given = [Tensor(float(x)) if isinstance(x, int | float) else x for x in arguments]
        around = outermost(self) if is_watched() else contextlib.nullcontext()
        linear = pushforward if self.forward else pullback
        with around, linear(self.function, given, self.positions, has_aux=self.has_aux) as (value, apply):
            out = value[0] if self.has_aux else value
            inputs = tuple([given[position] for position in self.positions])

            def rows(*seeds: Tensor) -> list[Tensor]:
                found = zip(apply(*seeds), inputs, strict=True)
                return [F.zeros_like(x) if gradient is None else gradient for gradient, x in found]

            jacobian = as_matrix(apply if self.forward else rows, out, inputs, self.forward, False)
        return (jacobian, *value[1:]) if self.has_aux else jacobian


class Pushforward:
    """The product of a function's Jacobian with vectors, as a function of the arguments and the vectors.

    Args:
        function: the function that is differentiated.
        has_aux: whether only the first of several results is differentiated.
    """

    def __init__(self, function: Callable[..., Any], *, has_aux: bool) -> None:
        self.function = function
        self.has_aux = has_aux
        self.compiled: Callable[..., Any] | None = None
        self.__name__ = f"jvp_{getattr(function, '__name__', type(function).__name__)}"

    def __call__(self, inputs: Tensors, vectors: Tensors) -> Any:
        """The result, and its derivative along the vectors."""
        compiled = compiled_gradient(self)
        if compiled is not None:
            return compiled(inputs, vectors)
        around = outermost(self) if is_watched() else contextlib.nullcontext()
        positions = tuple(range(len(inputs)))
        with around, pushforward(self.function, inputs, positions, has_aux=self.has_aux) as (value, push):
            return with_aux(value, push(*vectors), self.has_aux)


def jacrev(fn: Callable[..., Any], grad_position: int | tuple[int, ...] = 0, has_aux: bool = False) -> Jacobian:
    """The Jacobian of `fn`, row by row in reverse mode. Efficient if the result has fewer elements than the arguments.

    Args:
        fn: a Cell or a function of tensors that returns a tensor or a tuple of them.
        grad_position: the arguments to differentiate with respect to: an int or a tuple of ints.
        has_aux: whether `fn` returns several values, of which the first is differentiated. The others follow the
            Jacobian.

    Returns:
        A function of the arguments of `fn`. For a result of shape r and an argument of shape a it returns a tensor of
        shape (*r, *a); for several results or several positions a tuple of these, for both a tuple of tuples.

    Raises:
        TypeError: `grad_position` is neither an int nor a tuple of ints.
    """
    return Jacobian(fn, positions_of(grad_position, "jacrev"), has_aux=has_aux, forward=False)


def jacfwd(fn: Callable[..., Any], grad_position: int | tuple[int, ...] = 0, has_aux: bool = False) -> Jacobian:
    """Like `jacrev`, but column by column in forward mode: for functions with more results than arguments."""
    return Jacobian(fn, positions_of(grad_position, "jacfwd"), has_aux=has_aux, forward=True)


def hessian(fn: Callable[..., Any], grad_position: int | tuple[int, ...] = 0, has_aux: bool = False) -> Jacobian:
    """The second derivatives of `fn`: forward mode over reverse mode.

    Returns:
        A function of the arguments of `fn`. For a result of shape r and an argument of shape a it returns a tensor of
        shape (*r, *a, *a); for several positions a tuple of tuples.
    """
    return jacfwd(jacrev(fn, grad_position, has_aux), grad_position, has_aux)


def vjp(fn: Callable[..., Any], *inputs: Any, weights: Weights | None = None, has_aux: bool = False) -> tuple[Any, ...]:
    """The result of `fn` at inputs, and a function that multiplies vectors with the Jacobian there.

    Args:
        fn: a Cell or a function of tensors.
        inputs: the arguments of `fn`.
        weights: a Parameter, or a tuple or list of them, to differentiate with respect to as well.
        has_aux: whether only the first of several results is differentiated.

    Returns:
        The result and the function, and with `has_aux` the other results of `fn`. The function takes one vector for
        each result, of its shape, and returns a tuple of gradients of the inputs; with weights, a pair of this tuple
        and the gradients of the weights. In PyNative mode it runs `fn` again, because the tape is gone.
    """
    for item in inputs:
        if not isinstance(item, Tensor):
            raise TypeError("vjp: the inputs must be tensors")
    value = fn(*inputs)
    given = None if weights is None else _Weights((weights,) if isinstance(weights, Parameter) else weights)
    pull = _pull(fn, given, has_aux)

    def vjp_fn(*vectors: Tensor) -> Any:
        gradients = pull(*inputs, vectors[0] if len(vectors) == 1 else vectors)
        return gradients[0] if has_aux else gradients

    return with_aux(value, vjp_fn, has_aux)


def jvp(
    fn: Callable[..., Any],
    inputs: Tensor | tuple[Tensor, ...] | list[Tensor],
    v: Tensor | tuple[Tensor, ...] | list[Tensor],
    has_aux: bool = False,
) -> Any:
    """The result of `fn` at inputs, and its derivative along vectors: the product of the Jacobian with them.

    Args:
        fn: a Cell or a function of tensors.
        inputs: a tensor, or a tuple or list of them.
        v: vectors of the same structure and shapes.
        has_aux: whether only the first of several results is differentiated.

    Returns:
        The result and the derivative, and with `has_aux` the other results of `fn`.

    Raises:
        TypeError: an input or a vector is no tensor.
        ValueError: a vector does not fit its input.
    """
    for item in as_tuple(inputs) + as_tuple(v):
        if not isinstance(item, Tensor):
            raise TypeError("jvp: the inputs and the vectors must be tensors")
    return _push(fn, has_aux)(as_tuple(inputs), as_tuple(v))


def positions_of(grad_position: int | tuple[int, ...], caller: str) -> tuple[int, ...]:
    """The positions that `grad_position` names."""
    positions = grad_position if isinstance(grad_position, tuple) else (grad_position,)
    if not positions or not all(isinstance(place, int) and not isinstance(place, bool) for place in positions):
        raise TypeError(f"{caller}: grad_position is an int or a tuple of ints, not {grad_position!r}")
    return positions


def check_positions(positions: tuple[int, ...], count: int) -> None:
    """Raise an error for positions that do not exist."""
    if any(not 0 <= position < count for position in positions):
        raise ValueError(f"grad_position names arguments {positions}, but there are {count} arguments")


# Parts that both modes run


def as_tuple(value: Tensor | tuple[Tensor, ...] | list[Tensor]) -> Tensors:
    """One tensor, or several, as a tuple."""
    return tuple(value) if isinstance(value, tuple | list) else (value,)


def with_aux(value: Any, derivative: object, has_aux: bool) -> tuple[Any, ...]:
    """The differentiated result, the value computed from it, and the other results."""
    if not has_aux:
        return value, derivative
    return value[0], derivative, value[1] if len(value) == 2 else value[1:]


def as_matrix(linear: Linear, out: Tensor | Tensors, inputs: Tensors, forward: bool, compiled: bool) -> Matrix:
    """The Jacobian as a matrix, from the linear function that multiplies with it.

    Args:
        linear: the pullback, or if `forward` the pushforward. It returns a tensor or a tuple of tensors.
        out: the result of the differentiated function.
        inputs: the arguments to differentiate with respect to.
        forward: whether `linear` is the pushforward.
        compiled: whether this is being compiled. Then large Jacobians become a loop.
    """
    outputs = as_tuple(out)
    if forward:
        matrix = F.transpose(_rows(linear, inputs, outputs, compiled), (1, 0))
    else:
        matrix = _rows(linear, outputs, inputs, compiled)
    blocks = _blocks(matrix, outputs, inputs)
    if len(outputs) == 1:
        return blocks[0][0] if len(inputs) == 1 else blocks[0]
    return tuple([line[0] for line in blocks]) if len(inputs) == 1 else tuple(blocks)


def _rows(linear: Linear, given: Tensors, others: Tensors, compiled: bool) -> Any:
    """The results of a linear function for all unit vectors, as the rows of a matrix."""
    sizes = sizes_of(tuple([x.shape for x in given]))
    count = sizes[-1]
    index = F.arange(count)
    if compiled and count > MOST_COPIES:
        matrix = F.zeros((count, sizes_of(tuple([x.shape for x in others]))[-1]), others[0].dtype)
        number = F.reshape(index[0:1], ())
        while number < count:
            row = _flat(as_tuple(linear(*_units(index, number, sizes, given))))
            at = F.cast(F.equal(index, number), row.dtype)
            matrix = matrix + F.reshape(at, (-1, 1)) * F.reshape(row, (1, -1))
            number = number + 1
        return matrix
    return F.stack([_flat(as_tuple(linear(*_units(index, i, sizes, given)))) for i in range(count)])


def _blocks(matrix: Tensor, outputs: Tensors, inputs: Tensors) -> list[Tensors]:
    """Cut a matrix into a block for each output and input. The block's shape is the two shapes joined."""
    rows, columns = sizes_of(tuple([x.shape for x in outputs])), sizes_of(tuple([x.shape for x in inputs]))
    blocks = []
    for k, y in enumerate(outputs):
        line = []
        for j, x in enumerate(inputs):
            block = matrix[rows[k] : rows[k + 1], columns[j] : columns[j + 1]]
            line.append(F.reshape(block, y.shape + x.shape))
        blocks.append(tuple(line))
    return blocks


MOST_COPIES = 8
"""The largest number of rows or columns for which a compiled Jacobian is unrolled; larger ones are a loop."""


def _units(index: Tensor, number: Tensor | int, sizes: tuple[int, ...], given: Tensors) -> list[Tensor]:
    """Zeros like the tensors, except for a one at a number. Elements are counted through all tensors."""
    hot = F.equal(index, number)
    return [F.reshape(F.cast(hot[sizes[place] : sizes[place + 1]], x.dtype), x.shape) for place, x in enumerate(given)]


def _flat(items: Tensors) -> Any:
    return F.concat([F.reshape(x, (-1,)) for x in items])


@constexpr
def sizes_of(shapes: tuple[tuple[int, ...], ...]) -> tuple[int, ...]:
    """The cumulative number of elements: how many each tensor and those before it have together."""
    totals = [0]
    for shape in shapes:
        count = 1
        for dim in shape:
            count *= dim
        totals.append(totals[-1] + count)
    return tuple(totals)


# Functions that are kept, so that graph mode compiles them once


class _Weights(tuple[Parameter, ...]):
    """Parameters as a key of a cache: compared by identity, not by their elements."""

    __slots__ = ()

    def __hash__(self) -> int:
        return hash(tuple(map(id, self)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Weights) and list(map(id, self)) == list(map(id, other))


@functools.lru_cache(maxsize=64)
def _pull(fn: Callable[..., Any], weights: _Weights | None, has_aux: bool) -> Gradient:
    wanted = Wanted(positions=None, one=False, weights=weights is not None, sens=True, has_aux=has_aux)
    return Gradient(fn, wanted, weights or ())


@functools.lru_cache(maxsize=64)
def _push(fn: Callable[..., Any], has_aux: bool) -> Pushforward:
    return Pushforward(fn, has_aux=has_aux)
