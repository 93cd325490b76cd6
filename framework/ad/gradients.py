"""The functions that users call for gradients: `GradOperation`, `grad` and `value_and_grad`.

Each makes a `Gradient`, a function of the same arguments. In PyNative mode it goes backward over the tape. Within a
compiled function the J transform expands it (`framework.ad.expand`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from framework.ad.sens import lacks_sens, without_sens
from framework.common.parameter import Parameter
from framework.common.tensor import Tensor
from framework.graph_mode import compiled_gradient
from framework.observe import is_watched
from framework.pynative.gradient import value_and_gradient
from framework.pynative.tape import tape
from framework.pynative.taps import outermost

__all__ = ["GradOperation", "Gradient", "arranged", "grad", "value_and_grad"]

Positions = int | tuple[int, ...] | None
"""The arguments to differentiate with respect to; None for no argument."""
SENS = "sens"
"""The name by which the gradient with respect to the result may be passed."""
Weights = Parameter | Sequence[Parameter]
"""The Parameters to differentiate with respect to."""


@dataclass(frozen=True)
class Wanted:
    """Which gradients are returned, and in which form.

    Attributes:
        positions: the positions of the arguments to differentiate with respect to; None for all. Of several positions
            those count that hold a tensor.
        one: whether the gradient of a single argument is returned as it is rather than in a tuple.
        single: whether a single position is named. Its argument may be a number or a structure of tensors, too.
        weights: the number of weights; None if no weights were requested.
        one_weight: whether a single weight was given rather than a tuple.
        by_inputs: whether gradients of arguments are returned.
        sens: whether the last argument is the gradient with respect to the result.
        has_aux: whether only the first of several results is differentiated.
        value: whether the result is returned as well.
        ids: whether each gradient is returned in a pair, after the argument's position or the weight's name.
    """

    positions: tuple[int, ...] | None = (0,)
    one: bool = True
    single: bool = True
    weights: bool = False
    one_weight: bool = False
    by_inputs: bool = True
    sens: bool = False
    has_aux: bool = False
    value: bool = False
    ids: bool = False

    def of(self, are_tensors: Sequence[bool]) -> tuple[int, ...]:
        """The positions, given for each argument whether it is a tensor.

        Raises:
            ValueError: there are fewer arguments.
        """
        if not self.by_inputs:
            return ()
        count = len(are_tensors)
        positions = tuple(range(count)) if self.positions is None else self.positions
        if any(not 0 <= position < count for position in positions):
            raise ValueError(f"grad_position names arguments {positions}, but there are {count} arguments")
        return positions if self.single else tuple(position for position in positions if are_tensors[position])


def arranged(
    wanted: Wanted,
    positions: Sequence[int],
    inputs: Sequence[Any],
    weights: Sequence[Any],
    names: Sequence[str],
    make: Callable[[Sequence[Any]], Any],
    known: Callable[[int | str], Any],
) -> Any:
    """Arrange gradients in the form in which they are returned.

    Args:
        wanted: the form.
        positions: the positions of the arguments.
        inputs: the gradients of arguments.
        weights: the gradients of weights.
        names: the names of the weights.
        make: makes a tuple.
        known: makes a position or a name.
    """
    if wanted.ids:
        inputs = [make([known(position), by]) for position, by in zip(positions, inputs, strict=True)]
        weights = [make([known(name), by]) for name, by in zip(names, weights, strict=True)]
    by_inputs = inputs[0] if wanted.one and len(inputs) == 1 else make(inputs)
    if not wanted.weights:
        return by_inputs
    by_weights = weights[0] if wanted.one_weight else make(weights)
    return make([by_inputs, by_weights]) if wanted.by_inputs else by_weights


class Gradient:
    """The gradient of a function, as a function.

    Args:
        function: the function that is differentiated.
        wanted: which gradients are returned, and in which form.
        weights: the Parameters to differentiate with respect to.
    """

    def __init__(self, function: Callable[..., Any], wanted: Wanted, weights: Sequence[Parameter] = ()) -> None:
        self.function = function
        self.wanted = wanted
        self.weights = tuple(weights)
        self.compiled: Callable[..., Any] | None = None
        self.__name__ = f"grad_{getattr(function, '__name__', type(function).__name__)}"

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        """The gradients at these arguments; those that are given by name come last, in the order of the call."""
        compiled = compiled_gradient(self)
        if compiled is not None and not any(id(item) in tape.kept_hooks for item in (*arguments, *self.weights)):
            return compiled(*arguments, **named)
        if is_watched():
            with outermost(self):
                return self._on_the_tape(arguments, named)
        return self._on_the_tape(arguments, named)

    def _on_the_tape(self, arguments: tuple[Any, ...], named: dict[str, Any]) -> Any:
        wanted = self.wanted
        sens = None
        if wanted.sens:
            arguments, sens = self._without_sens(arguments, named)
        given = (*arguments, *named.values())
        function = by_name(self.function, len(arguments), tuple(named)) if named else self.function
        positions = wanted.of([isinstance(item, Tensor) for item in given])
        value, inputs, weights = value_and_gradient(
            function, given, positions, self.weights, sens=sens, has_aux=wanted.has_aux
        )
        names = [weight.name for weight in self.weights]
        result = arranged(wanted, positions, inputs, weights, names, tuple, lambda identifier: identifier)
        if wanted.value:
            return value, result
        return (result, tuple(value[1:])) if wanted.has_aux else result

    def _without_sens(self, arguments: tuple[Any, ...], named: dict[str, Any]) -> tuple[tuple[Any, ...], Any]:
        """The function's own arguments by position, and the gradient of the result; it is taken out of `named`."""
        if SENS in named:
            arguments = (*arguments, named.pop(SENS))
        elif lacks_sens(self.function, len(arguments)):
            raise TypeError(without_sens(self.function, len(arguments)))
        *given, sens = arguments
        if sens is None:
            raise TypeError(without_sens(self.function, len(arguments)))
        return tuple(given), sens if isinstance(sens, Tensor | tuple | list | dict) else Tensor(sens)


def by_name(function: Callable[..., Any], count: int, names: Sequence[str]) -> Callable[..., Any]:
    """A function of positional arguments only: the arguments after the first `count` are passed by these names."""

    def called(*arguments: Any) -> Any:
        return function(*arguments[:count], **dict(zip(names, arguments[count:], strict=True)))

    return called


class GradOperation:
    """Makes gradient functions: `GradOperation(get_all=True)(net)(x, y)`.

    They take the arguments of the function, by position or by name.

    Args:
        get_all: whether to differentiate with respect to all arguments that are tensors, as a tuple, instead of the
            first. Numbers, strings, None, and tuples, lists and dicts of tensors have no place in it.
        get_by_list: whether to differentiate with respect to the weights that are passed with the function; only these,
            unless `get_all` is set.
        sens_param: whether the last argument, or the one by the name `sens`, is the gradient with respect to the
            result; otherwise it is ones.
    """

    def __init__(self, get_all: bool = False, get_by_list: bool = False, sens_param: bool = False) -> None:
        for name, value in (("get_all", get_all), ("get_by_list", get_by_list), ("sens_param", sens_param)):
            if not isinstance(value, bool):
                raise TypeError(f"For 'GradOperation', the '{name}' should be bool, but got {value!r}")
        self.get_all = get_all
        self.get_by_list = get_by_list
        self.sens_param = sens_param

    def wanted(self, *, one_weight: bool) -> Wanted:
        """The gradients that it asks for, and their form."""
        return Wanted(
            positions=None if self.get_all else (0,),
            one=not self.get_all,
            single=not self.get_all,
            weights=self.get_by_list,
            one_weight=one_weight,
            by_inputs=self.get_all or not self.get_by_list,
            sens=self.sens_param,
        )

    def __call__(self, fn: Callable[..., Any], weights: Weights | None = None) -> Gradient:
        """The gradient function of `fn`.

        Args:
            fn: a Cell or a function of tensors.
            weights: for `get_by_list`, a Parameter or a tuple of them; by default those that `fn` trains.

        Raises:
            TypeError: `fn` cannot be called; or weights are needed, but none are given and `fn` has none.
        """
        if fn is None:
            raise TypeError("For 'GradOperation', the first argument must be a 'Function' or 'Cell', but got None")
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
    grad_position: Positions,
    weights: object,
    *,
    has_aux: bool,
    value: bool,
    one_weight: bool,
    ids: bool = False,
    sens: bool = False,
) -> Wanted:
    """Which gradients the arguments of `grad` and `value_and_grad` ask for.

    Raises:
        ValueError: they ask for no gradient, or a position is negative.
        TypeError: a position is not an int.
    """
    if grad_position is None and weights is None:
        raise ValueError("grad: give grad_position or weights")
    positions = (grad_position,) if isinstance(grad_position, int) else tuple(grad_position or ())
    if not all(isinstance(position, int) for position in positions):
        raise TypeError(f"grad: grad_position is an int or a tuple of ints, not {grad_position!r}")
    if any(position < 0 for position in positions):
        raise ValueError(f"grad: grad_position counts from 0, it is not {grad_position!r}")
    return Wanted(
        positions=positions,
        single=isinstance(grad_position, int),
        weights=weights is not None,
        one_weight=one_weight,
        by_inputs=grad_position is not None,
        has_aux=has_aux,
        value=value,
        ids=ids,
        sens=sens,
    )


def grad(
    fn: Callable[..., Any],
    grad_position: Positions = 0,
    weights: Weights | None = None,
    has_aux: bool = False,
    return_ids: bool = False,
    sens_param: bool = False,
) -> Gradient:
    """The gradient function of `fn`.

    Args:
        fn: a Cell or a function of tensors.
        grad_position: the arguments to differentiate with respect to: an int, a tuple of ints, or None. Those of a
            tuple that are no tensors are left out.
        weights: the Parameters to differentiate with respect to: one, or a tuple or list of them.
        has_aux: whether `fn` returns several values, of which the first is differentiated. A tuple of the others
            follows the gradients.
        return_ids: whether each gradient is returned in a pair after the argument's position or the weight's name.
            `get_grad` looks it up.
        sens_param: whether the last argument, or the one by the name `sens`, is the gradient with respect to the
            result; otherwise it is ones.

    Returns:
        A function of the arguments of `fn`, by position or by name, that returns the gradient of one argument, or a
        tuple for several of them. With weights it returns a pair: the gradients of arguments and those of weights.
    """
    wanted = {"has_aux": has_aux, "value": False, "ids": return_ids, "sens": sens_param}
    return _gradient(fn, grad_position, weights, **wanted)


def value_and_grad(
    fn: Callable[..., Any],
    grad_position: Positions = 0,
    weights: Weights | None = None,
    has_aux: bool = False,
    return_ids: bool = False,
    sens_param: bool = False,
) -> Gradient:
    """Like `grad`, but the function returns a pair: the value of `fn` and the gradients."""
    wanted = {"has_aux": has_aux, "value": True, "ids": return_ids, "sens": sens_param}
    return _gradient(fn, grad_position, weights, **wanted)


def _gradient(fn: Callable[..., Any], grad_position: Positions, weights: Weights | None, **form: bool) -> Gradient:
    one = isinstance(weights, Parameter)
    given = () if weights is None else (weights,) if isinstance(weights, Parameter) else tuple(weights)
    wanted = wanted_of(grad_position, weights, one_weight=one, **form)
    return Gradient(fn, wanted, given)
