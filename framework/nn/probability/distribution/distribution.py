"""The base class of distributions: its functions, and the rules by which some follow from others."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.common.tensor import Tensor
from framework.nn.cell import Cell
from framework.nn.probability.distribution.parameters import (
    Given,
    alike,
    all_scalars,
    batch_shape_of,
    cast_to_tensor,
    check_distribution_name,
    check_made_with,
    check_name_and_seed,
    need_tensor,
    need_tuple,
    set_param_type,
)
from framework.ops.array.casting import cast
from framework.ops.constexpr import constexpr
from framework.ops.mathematics.exponential import exp, log, sqrt, square

__all__ = ["Distribution"]

#: For each function, those of which it can be computed, the first choice first.
_FOLLOWS: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "prob": (("log_prob",),),
    "log_prob": (("prob",),),
    "sd": (("var",),),
    "var": (("sd",),),
    "cdf": (("log_cdf",), ("survival_function",), ("log_survival",)),
    "log_cdf": (("cdf",), ("survival_function",), ("log_survival",)),
    "survival_function": (("log_survival",), ("cdf",), ("log_cdf",)),
    "log_survival": (("survival_function",), ("cdf",), ("log_cdf",)),
    "cross_entropy": (("entropy", "kl_loss"),),
    "mean": (),
    "mode": (),
    "entropy": (),
    "kl_loss": (),
    "sample": (),
}


def _offered(kind: type[Any]) -> dict[str, str]:
    """For each function of a class, the function that it is computed from: itself, or another one."""
    own = {name for name in _FOLLOWS if hasattr(kind, f"_{name}")}
    found = {name: name for name in own}
    for name, ways in _FOLLOWS.items():
        way = next((way for way in ways if own.issuperset(way)), None)
        if name not in own and way is not None:
            found[name] = way[0]
    return found


@constexpr
def _way(offered: Mapping[str, str], name: str, kind: str) -> str:
    """The function that another one is computed from."""
    if name not in offered:
        raise NotImplementedError(f"{name} is not implemented for the distribution {kind}")
    return offered[name]


@constexpr
def _kind(kind: str, name: str) -> str:
    if kind == "":
        raise NotImplementedError(f"get_dist_type is not implemented for the distribution {name}")
    return kind


@constexpr
def _missing(name: str, kind: str) -> None:
    raise TypeError(f"{kind}: {name} must be given, as a Tensor, in the call, because it was not given at construction")


@constexpr
def _too_many(given: int, names: tuple[str, ...], kind: str) -> None:
    if given > len(names):
        raise TypeError(f"{kind} takes the parameters {', '.join(names)}; there are {given} in the call")


@constexpr
def _unknown(given: tuple[str, ...], allowed: tuple[str, ...], kind: str) -> None:
    for name in given:
        if name not in allowed:
            raise TypeError(f"{kind} has no parameter {name!r}; it takes {', '.join(allowed)}")


class Distribution(Cell):
    """Base class of probability distributions.

    The functions of a distribution, such as `prob` and `sample`, take its parameters as further arguments, by position
    or by name. One that is left out, or None, is that given at construction. They work in both modes, as methods and
    by name: `normal("log_prob", value)`.

    A subclass defines, with an underscore before the name, what it can: `_log_prob(self, value, *parameters)`,
    `_cdf(...)`, `_mean(self, *parameters)`, `_sample(self, shape, *parameters)`,
    `_kl_loss(self, dist, *parameters_of_b, *parameters)`. It gets tensors of one shape. What follows is computed:
    `prob` and `log_prob` of each other, also `sd` and `var`, all of `cdf`, `log_cdf`, `survival_function` and
    `log_survival` of one, `cross_entropy` of `entropy` and `kl_loss`. The rest raises NotImplementedError.

    Args:
        seed: seed of samples; with a seed each call draws the same. None or 0 for the global random stream.
        dtype: element type of events.
        name: a name for messages.
        param: "param_dict" in it holds the parameters by name.

    Raises:
        TypeError: the name is no string, or parameters have different element types.
        ValueError: the seed is negative, or parameters do not broadcast.

    """

    #: What `kl_loss` and `cross_entropy` must be asked for; empty for any.
    kind: ClassVar[str] = ""
    #: Other names of parameters in calls.
    also: ClassVar[Mapping[str, str]] = {}
    _offers: ClassVar[Mapping[str, str]] = {}

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls._offers = _offered(cls)

    def __init__(self, seed: int | None, dtype: DType, name: str, param: Mapping[str, Any]) -> None:
        super().__init__()
        check_name_and_seed(type(self).__name__, name, seed)
        self._name = name
        self._seed = 0 if seed is None else seed
        self._dtype = dtype
        self._given_as = {key: value for key, value in param.items() if key != "self" and not key.startswith("_")}
        self._reset_parameters()
        if "distribution" not in param:
            given: Mapping[str, Given] = param.get("param_dict", {})
            self.parameter_type = set_param_type(given, dtype)
            self._batch_shape = batch_shape_of(given)
            self._broadcast_shape = self._batch_shape
            self._is_scalar_batch = all_scalars(given)

    def _made_with(
        self, seed: int | None, dtype: DType, name: str, integers: bool = False, **parameters: Given
    ) -> tuple[Tensor | None, ...]:
        """The constructor of the classes here: the checked parameters as tensors."""
        allowed = (*mstype.int_type, *mstype.uint_type, *mstype.float_type) if integers else mstype.float_type
        check_made_with(type(self).__name__, name, seed, dtype, allowed)
        Distribution.__init__(self, seed, dtype, name, {"param_dict": parameters})
        return tuple(self._add_parameter(value, key) for key, value in parameters.items())

    @property
    def name(self) -> str:
        """The name given at construction."""
        return self._name

    @property
    def dtype(self) -> DType:
        """Element type of events."""
        return self._dtype

    @property
    def seed(self) -> int:
        """Seed of samples; 0 for the global random stream."""
        return self._seed

    @property
    def parameters(self) -> dict[str, Any]:
        """The arguments of the constructor."""
        return self._given_as

    @property
    def is_scalar_batch(self) -> bool:
        """Whether all parameters were given as Python numbers."""
        return self._is_scalar_batch

    @property
    def batch_shape(self) -> tuple[int, ...] | None:
        """The shape to which the parameters broadcast; None if one is not given."""
        return self._batch_shape

    @property
    def broadcast_shape(self) -> tuple[int, ...] | None:
        """The shape of the result for a single value."""
        return self._broadcast_shape

    def extend_repr(self) -> str:
        """The parameters, or their shape."""
        if self._is_scalar_batch:
            pairs = zip(self.parameter_names, self.default_parameters, strict=True)
            return ", ".join(f"{name} = {value}" for name, value in pairs)
        return f"batch_shape = {self._broadcast_shape}"

    def _reset_parameters(self) -> None:
        """Remove all parameters, so that a subclass can add others."""
        self.default_parameters: list[Tensor | None] = []
        self.parameter_names: list[str] = []

    def _add_parameter(self, value: Given, name: str) -> Tensor | None:
        """Add a parameter and return it as a tensor of the common type, or None."""
        held = None if value is None else cast_to_tensor(value, self.parameter_type)
        self.default_parameters = [*self.default_parameters, held]
        self.parameter_names = [*self.parameter_names, name]
        return held

    def _check_value(self, value: Tensor, name: str) -> Tensor:
        need_tensor(value, name)
        return value

    def _as_event(self, value: Tensor) -> Tensor:
        """The value argument of a probability function, in the element type of events."""
        need_tensor(value, "value")
        return cast(value, self._dtype)

    def _check_param_type(self, *args: Tensor | None) -> Any:
        """The completed parameters of a call, with a common type and shape; a single one is not in a tuple. For users'
        subclasses."""
        found = self._resolved(args, {})
        return found[0] if len(found) == 1 else found

    def _resolved(self, args: tuple[Tensor | None, ...], kwargs: Mapping[str, Tensor | None]) -> tuple[Any, ...]:
        """The parameters of a call, completed by those of the constructor, with a common type and shape."""
        if len(self.parameter_names) == 0:
            return args
        return alike(*self._completed(args, kwargs, True))

    def _completed(
        self, args: tuple[Tensor | None, ...], kwargs: Mapping[str, Tensor | None], needed: bool
    ) -> tuple[Any, ...]:
        """The parameters of a call, completed by those of the constructor."""
        names = tuple(self.parameter_names)
        _too_many(len(args), names, self._name)
        _unknown(tuple(kwargs.keys()), (*names, *self.also.values()), self._name)
        found: tuple[Any, ...] = ()
        for i, name in enumerate(names):
            given = args[i] if i < len(args) else kwargs.get(name)
            if given is None and name in self.also:
                given = kwargs.get(self.also[name])
            if given is not None:
                need_tensor(given, name)
            else:
                given = self.default_parameters[i]
            if given is None and needed:
                _missing(name, self._name)
            found = (*found, cast(given, self.parameter_type) if needed else given)
        return found

    def _both(
        self, args: tuple[Tensor | None, ...], kwargs: Mapping[str, Tensor | None]
    ) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        """For a call of `kl_loss`: the parameters of the other distribution, and those of this one."""
        names = tuple(self.parameter_names)
        count = len(names)
        if count == 0:
            return args, ()
        _too_many(len(args), (*[f"{name}_b" for name in names], *names), self._name)
        spelled = (*names, *self.also.values())
        _unknown(
            tuple(kwargs.keys()),
            (*spelled, *[f"{name}_a" for name in spelled], *[f"{name}_b" for name in spelled]),
            self._name,
        )
        theirs: tuple[Any, ...] = ()
        ours: tuple[Any, ...] = ()
        for i, name in enumerate(names):
            other = self.also.get(name, name)
            given = args[i] if i < len(args) else kwargs.get(f"{name}_b", kwargs.get(f"{other}_b"))
            if given is None:
                _missing(f"{name}_b", self._name)
            need_tensor(given, f"{name}_b")
            theirs = (*theirs, cast(given, self.parameter_type))
            own = args[count + i] if count + i < len(args) else kwargs.get(f"{name}_a", kwargs.get(name))
            if own is None:
                own = kwargs.get(f"{other}_a", kwargs.get(other))
            ours = (*ours, own)
        return theirs, self._resolved(ours, {})

    def _get_dist_args(self, *args: Tensor, **kwargs: Tensor) -> tuple[Tensor | None, ...]:
        return self._completed(args, kwargs, False)

    def get_dist_args(self, *args: Tensor, **kwargs: Tensor) -> tuple[Tensor | None, ...]:
        """The parameters from the call, otherwise from the constructor; None for missing ones."""
        return self._get_dist_args(*args, **kwargs)

    def _get_dist_type(self) -> str:
        return _kind(self.kind, self._name)

    def get_dist_type(self) -> str:
        """The name of the distribution, which `kl_loss` takes."""
        return self._get_dist_type()

    def prob(self, value: Tensor, *args: Tensor, **kwargs: Tensor) -> Any:
        """The density, or the probability, of a value.

        Args:
            value: a tensor that broadcasts with the parameters.
            args: parameters, which replace those of the constructor.
            kwargs: the same by name.

        Returns:
            A tensor of the broadcast shape.

        """
        if _way(self._offers, "prob", self._name) == "prob":
            return self._prob(self._as_event(value), *self._resolved(args, kwargs))
        return exp(self._log_prob(self._as_event(value), *self._resolved(args, kwargs)))

    def log_prob(self, value: Tensor, *args: Tensor, **kwargs: Tensor) -> Any:
        """The logarithm of `prob`; arguments as there."""
        if _way(self._offers, "log_prob", self._name) == "log_prob":
            return self._log_prob(self._as_event(value), *self._resolved(args, kwargs))
        return log(self._prob(self._as_event(value), *self._resolved(args, kwargs)))

    def cdf(self, value: Tensor, *args: Tensor, **kwargs: Tensor) -> Any:
        """The probability of at most a value; arguments as of `prob`."""
        way = _way(self._offers, "cdf", self._name)
        event, given = self._as_event(value), self._resolved(args, kwargs)
        if way == "cdf":
            return self._cdf(event, *given)
        if way == "log_cdf":
            return exp(self._log_cdf(event, *given))
        if way == "survival_function":
            return 1.0 - self._survival_function(event, *given)
        return 1.0 - exp(self._log_survival(event, *given))

    def log_cdf(self, value: Tensor, *args: Tensor, **kwargs: Tensor) -> Any:
        """The logarithm of `cdf`; arguments as of `prob`."""
        if _way(self._offers, "log_cdf", self._name) == "log_cdf":
            return self._log_cdf(self._as_event(value), *self._resolved(args, kwargs))
        return log(self.cdf(value, *args, **kwargs))

    def survival_function(self, value: Tensor, *args: Tensor, **kwargs: Tensor) -> Any:
        """The probability of more than a value; arguments as of `prob`."""
        way = _way(self._offers, "survival_function", self._name)
        if way == "survival_function":
            return self._survival_function(self._as_event(value), *self._resolved(args, kwargs))
        if way == "log_survival":
            return exp(self._log_survival(self._as_event(value), *self._resolved(args, kwargs)))
        return 1.0 - self.cdf(value, *args, **kwargs)

    def log_survival(self, value: Tensor, *args: Tensor, **kwargs: Tensor) -> Any:
        """The logarithm of `survival_function`; arguments as of `prob`."""
        if _way(self._offers, "log_survival", self._name) == "log_survival":
            return self._log_survival(self._as_event(value), *self._resolved(args, kwargs))
        return log(self.survival_function(value, *args, **kwargs))

    def mean(self, *args: Tensor, **kwargs: Tensor) -> Any:
        """The expected value, for the parameters of the call or of the constructor."""
        _way(self._offers, "mean", self._name)
        return self._mean(*self._resolved(args, kwargs))

    def mode(self, *args: Tensor, **kwargs: Tensor) -> Any:
        """The most probable value, for the parameters of the call or of the constructor."""
        _way(self._offers, "mode", self._name)
        return self._mode(*self._resolved(args, kwargs))

    def sd(self, *args: Tensor, **kwargs: Tensor) -> Any:
        """The standard deviation, for the parameters of the call or of the constructor."""
        if _way(self._offers, "sd", self._name) == "sd":
            return self._sd(*self._resolved(args, kwargs))
        return sqrt(self._var(*self._resolved(args, kwargs)))

    def var(self, *args: Tensor, **kwargs: Tensor) -> Any:
        """The variance, for the parameters of the call or of the constructor."""
        if _way(self._offers, "var", self._name) == "var":
            return self._var(*self._resolved(args, kwargs))
        return square(self._sd(*self._resolved(args, kwargs)))

    def entropy(self, *args: Tensor, **kwargs: Tensor) -> Any:
        """The entropy, in nats, for the parameters of the call or of the constructor."""
        _way(self._offers, "entropy", self._name)
        return self._entropy(*self._resolved(args, kwargs))

    def kl_loss(self, dist: str, *args: Tensor, **kwargs: Tensor) -> Any:
        """The Kullback-Leibler divergence of this distribution, a, from another, b, of the same kind, in nats.

        Args:
            dist: the kind of the distributions, as `get_dist_type` gives it.
            args: the parameters of b, then optionally those of a.
            kwargs: the same by name: `mean_b=...`.

        Raises:
            ValueError: another kind is asked for.

        """
        _way(self._offers, "kl_loss", self._name)
        if self.kind != "":
            check_distribution_name(dist, self.kind)
        theirs, ours = self._both(args, kwargs)
        return self._kl_loss(dist, *theirs, *ours)

    def cross_entropy(self, dist: str, *args: Tensor, **kwargs: Tensor) -> Any:
        """The cross entropy of this distribution and another: entropy + Kullback-Leibler divergence, in nats.

        Arguments are those of `kl_loss`.
        """
        way = _way(self._offers, "cross_entropy", self._name)
        if self.kind != "":
            check_distribution_name(dist, self.kind)
        theirs, ours = self._both(args, kwargs)
        if way == "cross_entropy":
            return self._cross_entropy(dist, *theirs, *ours)
        return self._entropy(*ours) + self._kl_loss(dist, *theirs, *ours)

    def sample(self, shape: tuple[int, ...] = (), *args: Tensor, **kwargs: Tensor) -> Any:
        """Random numbers from the distribution.

        Args:
            shape: a tuple of ints.
            args: parameters, which replace those of the constructor.
            kwargs: the same by name.

        Returns:
            A tensor of shape `shape` + the shape of the parameters.

        """
        _way(self._offers, "sample", self._name)
        return self._sample(need_tuple(shape, "shape"), *self._resolved(args, kwargs))

    def construct(self, name: str, *args: Any, **kwargs: Any) -> Any:
        """Call a function by its name.

        Args:
            name: the name of a function, such as "log_prob".
            args: its arguments.
            kwargs: its arguments by name.

        """
        _way(_NAMES, name, self._name)
        return getattr(self, name)(*args, **kwargs)


#: What can be called by name.
_NAMES: Mapping[str, str] = {name: name for name in (*_FOLLOWS, "get_dist_args", "get_dist_type")}
