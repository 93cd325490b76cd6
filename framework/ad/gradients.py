"""What users call: `GradOperation`, `grad` and `value_and_grad`.

Each makes a `Gradient`, a function of the same arguments. In PyNative mode it goes backward over the tape; within a
compiled function it is expanded by the J transform (`framework.ad.expand`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from framework.ad.sens import lacks_sens, without_sens
from framework.common.parameter import Parameter
from framework.common.tensor import Tensor
from framework.observe import is_watched
from framework.pynative.gradient import value_and_gradient
from framework.pynative.taps import outermost

__all__ = ["GradOperation", "Gradient", "arranged", "grad", "value_and_grad"]

Positions = int | tuple[int, ...] | None
"""By which arguments; None for none of them."""
Weights = Parameter | Sequence[Parameter]
"""By which Parameters."""


@dataclass(frozen=True)
class Wanted:
    """Which gradients are wanted, and in which form.

    Attributes:
        positions: of the arguments to differentiate by, None for all.
        one: whether a single gradient by an argument is returned as it is rather than in a tuple.
        weights: how many weights there are, None where none were asked for.
        one_weight: whether a weight was given rather than a tuple of them.
        by_inputs: whether gradients by arguments are returned.
        sens: whether the last argument is the gradient with respect to the result.
        has_aux: whether only the first of several results is differentiated.
        value: whether the result is returned as well.
        ids: whether each gradient is returned in a pair, after the argument's position or the weight's name.
    """

    positions: tuple[int, ...] | None = (0,)
    one: bool = True
    weights: bool = False
    one_weight: bool = False
    by_inputs: bool = True
    sens: bool = False
    has_aux: bool = False
    value: bool = False
    ids: bool = False

    def of(self, count: int) -> tuple[int, ...]:
        """The positions among a number of arguments.

        Raises:
            ValueError: there are not as many arguments.
        """
        positions = tuple(range(count)) if self.positions is None else self.positions
        if any(not 0 <= position < count for position in positions):
            raise ValueError(f"gradients by arguments {positions} are wanted, but there are {count} arguments")
        return positions if self.by_inputs else ()


def arranged(
    wanted: Wanted,
    inputs: Sequence[Any],
    weights: Sequence[Any],
    names: Sequence[str],
    make: Callable[[Sequence[Any]], Any],
    known: Callable[[int | str], Any],
) -> Any:
    """Gradients in the form in which they are returned.

    Args:
        wanted: that form.
        inputs: gradients by arguments.
        weights: gradients by weights.
        names: of the weights.
        make: makes a tuple.
        known: makes a position or a name.
    """
    if wanted.ids:
        positions = wanted.of(len(inputs)) if wanted.positions is None else wanted.positions
        inputs = [make([known(position), by]) for position, by in zip(positions, inputs, strict=True)]
        weights = [make([known(name), by]) for name, by in zip(names, weights, strict=True)]
    by_inputs = inputs[0] if wanted.one and wanted.by_inputs else make(inputs)
    if not wanted.weights:
        return by_inputs
    by_weights = weights[0] if wanted.one_weight else make(weights)
    return make([by_inputs, by_weights]) if wanted.by_inputs else by_weights


_compiler: Callable[[Any], Callable[..., Any] | None] = lambda function: None  # noqa: E731


def set_compiler(compiler: Callable[[Any], Callable[..., Any] | None]) -> None:
    """Say what runs a gradient, or a Jacobian, instead of the tape, if anything; the engine does, for graph mode."""
    global _compiler
    _compiler = compiler


def compiled_of(function: Callable[..., Any]) -> Callable[..., Any] | None:
    """What runs a function made here instead of the tape; None in PyNative mode."""
    return _compiler(function)


class Gradient:
    """The gradient of a function, as a function.

    Args:
        function: what is differentiated.
        wanted: which gradients, and in which form.
        weights: parameters to differentiate by.
    """

    def __init__(self, function: Callable[..., Any], wanted: Wanted, weights: Sequence[Parameter] = ()) -> None:
        self.function = function
        self.wanted = wanted
        self.weights = tuple(weights)
        self.compiled: Callable[..., Any] | None = None
        self.__name__ = f"grad_{getattr(function, '__name__', type(function).__name__)}"

    def __call__(self, *arguments: Any) -> Any:
        """The gradients at these arguments."""
        compiled = compiled_of(self)
        if compiled is not None:
            return compiled(*arguments)
        if is_watched():
            with outermost(self):
                return self._on_the_tape(arguments)
        return self._on_the_tape(arguments)

    def _on_the_tape(self, arguments: tuple[Any, ...]) -> Any:
        wanted = self.wanted
        if wanted.sens and (lacks_sens(self.function, len(arguments)) or arguments[-1] is None):
            raise TypeError(without_sens(self.function, len(arguments)))
        given, sens = (arguments[:-1], arguments[-1]) if wanted.sens else (arguments, None)
        positions = wanted.of(len(given))
        if wanted.sens:
            sens = sens if isinstance(sens, Tensor | tuple | list | dict) else Tensor(sens)
        value, inputs, weights = value_and_gradient(
            self.function, given, positions, self.weights, sens=sens, has_aux=wanted.has_aux
        )
        names = [weight.name for weight in self.weights]
        result = arranged(wanted, inputs, weights, names, tuple, lambda identifier: identifier)
        if wanted.value:
            return value, result
        return (result, tuple(value[1:])) if wanted.has_aux else result


class GradOperation:
    """Makes gradient functions: `GradOperation(get_all=True)(net)(x, y)`.

    Args:
        get_all: by all arguments, as a tuple; else by the first.
        get_by_list: by the weights that are passed with the function; by these only, unless `get_all` is set.
        sens_param: the gradient with respect to the result is passed as last argument; else it is ones.
    """

    def __init__(self, get_all: bool = False, get_by_list: bool = False, sens_param: bool = False) -> None:
        for name, value in (("get_all", get_all), ("get_by_list", get_by_list), ("sens_param", sens_param)):
            if not isinstance(value, bool):
                raise TypeError(f"GradOperation: {name} is True or False, not {value!r}")
        self.get_all = get_all
        self.get_by_list = get_by_list
        self.sens_param = sens_param

    def wanted(self, *, one_weight: bool) -> Wanted:
        """Which gradients it asks for."""
        return Wanted(
            positions=None if self.get_all else (0,),
            one=not self.get_all,
            weights=self.get_by_list,
            one_weight=one_weight,
            by_inputs=self.get_all or not self.get_by_list,
            sens=self.sens_param,
        )

    def __call__(self, fn: Callable[..., Any], weights: Weights | None = None) -> Gradient:
        """The gradient function of `fn`.

        Args:
            fn: a Cell or a function of tensors.
            weights: a Parameter or a tuple of them, for `get_by_list`; by default those that `fn` trains.

        Raises:
            TypeError: weights are wanted, and neither given nor known.
        """
        if not self.get_by_list:
            return Gradient(fn, self.wanted(one_weight=False))
        if weights is None:
            trainable = getattr(fn, "trainable_params", None)
            if trainable is None:
                raise TypeError(
                    "GradOperation(get_by_list=True) needs the weights: pass a ParameterTuple as second argument"
                )
            weights = tuple(trainable())
        given = (weights,) if isinstance(weights, Parameter) else tuple(weights)
        return Gradient(fn, self.wanted(one_weight=isinstance(weights, Parameter)), given)


def wanted_of(
    grad_position: Positions, weights: object, *, has_aux: bool, value: bool, one_weight: bool, ids: bool = False
) -> Wanted:
    """Which gradients the arguments of `grad` and `value_and_grad` ask for.

    Raises:
        ValueError: none.
        TypeError: a position is no int.
    """
    if grad_position is None and weights is None:
        raise ValueError("grad: either grad_position or weights must say what to differentiate by")
    positions = (grad_position,) if isinstance(grad_position, int) else tuple(grad_position or ())
    if not all(isinstance(position, int) for position in positions):
        raise TypeError(f"grad: grad_position is an int or a tuple of ints, not {grad_position!r}")
    return Wanted(
        positions=positions,
        one=isinstance(grad_position, int),
        weights=weights is not None,
        one_weight=one_weight,
        by_inputs=grad_position is not None,
        has_aux=has_aux,
        value=value,
        ids=ids,
    )


def grad(
    fn: Callable[..., Any],
    grad_position: Positions = 0,
    weights: Weights | None = None,
    has_aux: bool = False,
    return_ids: bool = False,
) -> Gradient:
    """The gradient function of `fn`.

    Args:
        fn: a Cell or a function of tensors.
        grad_position: by which arguments: an int, a tuple of ints, or None.
        weights: by which Parameters: one, or a tuple or list of them.
        has_aux: `fn` returns several values, of which the first is differentiated; a tuple of the others follows the
            gradients.
        return_ids: each gradient follows the argument's position or the weight's name in a pair, which `get_grad`
            looks up.

    Returns:
        A function that returns the gradient by one argument, a tuple for a tuple of positions, and with weights a pair
        of gradients by arguments and by weights.
    """
    return _gradient(fn, grad_position, weights, has_aux=has_aux, value=False, ids=return_ids)


def value_and_grad(
    fn: Callable[..., Any],
    grad_position: Positions = 0,
    weights: Weights | None = None,
    has_aux: bool = False,
    return_ids: bool = False,
) -> Gradient:
    """As `grad`, for a function that returns a pair of the value of `fn` and the gradients."""
    return _gradient(fn, grad_position, weights, has_aux=has_aux, value=True, ids=return_ids)


def _gradient(
    fn: Callable[..., Any], grad_position: Positions, weights: Weights | None, *, has_aux: bool, value: bool, ids: bool
) -> Gradient:
    one = isinstance(weights, Parameter)
    given = () if weights is None else (weights,) if isinstance(weights, Parameter) else tuple(weights)
    wanted = wanted_of(grad_position, weights, has_aux=has_aux, value=value, one_weight=one, ids=ids)
    return Gradient(fn, wanted, given)
