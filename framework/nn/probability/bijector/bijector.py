"""The base class of bijectors."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import numpy as np

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.common.parameter import Parameter
from framework.common.tensor import Tensor
from framework.nn.cell import Cell
from framework.ops.array.casting import cast
from framework.ops.constexpr import constexpr

__all__ = ["Bijector"]

#: What a parameter of a bijector may be.
Given = Any


@constexpr
def _need_float(dtype: DType, wanted: DType | None, name: str) -> None:
    if wanted is not None and dtype != wanted:
        raise TypeError(f"{name}: the input must be {wanted}, not {dtype}")
    if dtype not in mstype.float_type:
        raise TypeError(f"{name}: the input must have a floating-point type, not {dtype}")


@constexpr
def _function(name: str, bijector: str) -> str:
    if name not in ("forward", "inverse", "forward_log_jacobian", "inverse_log_jacobian"):
        raise ValueError(f"{bijector} has no function {name!r}: ask for forward, inverse or their log_jacobian")
    return name


class Bijector(Cell):
    """Base class of element-wise invertible functions g of random numbers.

    A subclass defines `_forward`, `_inverse`, `_forward_log_jacobian` and `_inverse_log_jacobian`. A bijector is called
    with the name of a function, `bijector("forward", x)`, or with a distribution, which gives the distribution of g(X).

    Args:
        is_constant_jacobian: whether the slope is the same everywhere.
        is_injective: whether no two numbers have the same image.
        name: a name for messages.
        dtype: element type of the inputs; None for any floating-point type.
        param: "param_dict" in it holds the parameters by name.

    Raises:
        TypeError: an argument has another type.

    """

    #: What makes a distribution of a bijector and a distribution; the module of such distributions enters it.
    on_distribution: ClassVar[Callable[[Bijector, Any], Any]]

    def __init__(
        self,
        is_constant_jacobian: bool = False,
        is_injective: bool = True,
        name: str | None = None,
        dtype: DType | None = None,
        param: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__()
        kind = type(self).__name__
        if not isinstance(name, str):
            raise TypeError(f"{kind}: name must be a string, not {name!r}")
        if not isinstance(is_constant_jacobian, bool) or not isinstance(is_injective, bool):
            raise TypeError(f"{kind}: is_constant_jacobian and is_injective must be bools")
        if dtype is not None and dtype not in mstype.float_type:
            raise TypeError(f"{kind}: dtype must be a floating-point type, not {dtype}")
        self._name = name
        self._dtype = dtype
        given = dict(param or {})
        self._given_as = {key: value for key, value in given.items() if key != "self" and not key.startswith("_")}
        self.default_parameters: list[Given] = []
        self.parameter_names: list[str] = []
        self.common_dtype: DType | None = None
        parameters: Mapping[str, Given] = given.get("param_dict", {})
        shapes = [np.shape(value) if not isinstance(value, Tensor) else value.shape for value in parameters.values()]
        self._batch_shape = _joined(kind, shapes) if parameters else None
        self._is_scalar_batch = bool(parameters) and all(isinstance(v, int | float) for v in parameters.values())
        self._is_constant_jacobian = is_constant_jacobian
        self._is_injective = is_injective

    @property
    def name(self) -> str:
        """The name given at construction."""
        return self._name

    @property
    def dtype(self) -> DType | None:
        """Element type of the inputs; None for any floating-point type."""
        return self._dtype

    @property
    def parameters(self) -> dict[str, Any]:
        """The arguments of the constructor."""
        return self._given_as

    @property
    def is_constant_jacobian(self) -> bool:
        """Whether the derivative is constant."""
        return self._is_constant_jacobian

    @property
    def is_injective(self) -> bool:
        """Whether the function is injective."""
        return self._is_injective

    @property
    def batch_shape(self) -> tuple[int, ...] | None:
        """The shape to which the parameters broadcast; None without parameters."""
        return self._batch_shape

    @property
    def is_scalar_batch(self) -> bool:
        """Whether all parameters were given as Python's numbers."""
        return self._is_scalar_batch

    def shape_mapping(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        """The shape of the output for an input of this shape."""
        return _joined(self._name, [shape, self._batch_shape or ()])

    def extend_repr(self) -> str:
        """The parameters, or their shape."""
        if self._is_scalar_batch:
            return ", ".join(f"{n} = {v}" for n, v in zip(self.parameter_names, self.default_parameters, strict=True))
        return f"batch_shape = {self._batch_shape}"

    def _add_parameter(self, value: Given, name: str) -> Tensor:
        """Add a parameter and return it as a tensor of a floating-point type."""
        if value is None or isinstance(value, bool):
            raise TypeError(f"{type(self).__name__}: {name} must be a number, list, array or tensor, not {value}")
        held = value if isinstance(value, Parameter) else Tensor(float(value) if isinstance(value, int) else value)
        wanted = self._dtype or self.common_dtype
        if held.dtype not in mstype.float_type or (wanted is not None and held.dtype != wanted):
            fitting = "a floating-point type" if wanted is None else str(wanted)
            raise TypeError(f"{type(self).__name__}: {name} must have {fitting}, not {held.dtype}")
        self.common_dtype = held.dtype
        self.default_parameters = [*self.default_parameters, value]
        self.parameter_names = [*self.parameter_names, name]
        return held

    def _check_value_dtype(self, value: Tensor) -> Tensor:
        """Check the input: a tensor of a matching type."""
        if not isinstance(value, Tensor):
            raise TypeError("the input of a bijector must be a Tensor")
        _need_float(value.dtype, self._dtype, self._name)
        return value

    def cast_param_by_value(self, value: Tensor, para: Tensor) -> Tensor:
        """A parameter in the element type of an input."""
        return cast(para, value.dtype)

    def forward(self, value: Tensor, *args: Tensor, **kwargs: Tensor) -> Any:
        """g(value)."""
        return self._forward(self._check_value_dtype(value), *args, **kwargs)

    def inverse(self, value: Tensor, *args: Tensor, **kwargs: Tensor) -> Any:
        """The x for which g(x) is the value."""
        return self._inverse(self._check_value_dtype(value), *args, **kwargs)

    def forward_log_jacobian(self, value: Tensor, *args: Tensor, **kwargs: Tensor) -> Any:
        """The logarithm of the derivative of g at the value."""
        return self._forward_log_jacobian(self._check_value_dtype(value), *args, **kwargs)

    def inverse_log_jacobian(self, value: Tensor, *args: Tensor, **kwargs: Tensor) -> Any:
        """The logarithm of the derivative of the inverse of g at the value."""
        return self._inverse_log_jacobian(self._check_value_dtype(value), *args, **kwargs)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call a function by its name, or transform a distribution.

        Args:
            args: the name of a function and its inputs, or a distribution.
            kwargs: inputs by name.

        """
        if args and isinstance(args[0], Cell):
            return type(self).on_distribution(self, args[0])
        return super().__call__(*args, **kwargs)

    def construct(self, name: str, *args: Any, **kwargs: Any) -> Any:
        """Call a function by its name.

        Args:
            name: "forward", "inverse", "forward_log_jacobian" or "inverse_log_jacobian".
            args: its inputs.
            kwargs: its inputs by name.

        Raises:
            ValueError: it has another name.

        """
        return getattr(self, _function(name, self._name))(*args, **kwargs)


def _joined(name: str, shapes: list[tuple[int, ...]]) -> tuple[int, ...]:
    try:
        return tuple(np.broadcast_shapes(*shapes))
    except ValueError:
        raise ValueError(f"{name}: shapes {', '.join(map(str, shapes))} do not broadcast") from None
