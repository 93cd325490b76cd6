"""The bijectors."""

from __future__ import annotations

from typing import Any

from framework.common.tensor import Tensor
from framework.nn.probability.bijector.bijector import Bijector
from framework.ops.activation.sigmoids import logsigmoid, softplus
from framework.ops.creation.filled_like import ones_like, zeros_like
from framework.ops.indexing.selecting import where
from framework.ops.mathematics.exponential import exp, expm1, log, log1p
from framework.ops.mathematics.rounding import abs as absolute

__all__ = ["Exp", "GumbelCDF", "Invert", "PowerTransform", "ScalarAffine", "Softplus"]

Given = Any


def _positive(value: Tensor, name: str, or_zero: bool = False) -> None:
    known = value.asnumpy()
    if not ((known >= 0) if or_zero else (known > 0)).all():
        raise ValueError(f"{name} must be greater than {'or equal to ' if or_zero else ''}zero")


class PowerTransform(Bijector):
    """g(x) = (1 + c x)^(1 / c), or exp(x) if the power c is 0.

    Args:
        power: c, of at least 0: a number, a list, an array or a tensor.
        name: a name for messages.

    Raises:
        ValueError: the power is negative.
        TypeError: the power has no floating-point type.

    Example:
        >>> from framework.nn.probability import bijector as msb
        >>> power = msb.PowerTransform(0.5)
        >>> print(power.forward(Tensor([2.0])), power.inverse(Tensor([4.0])))
        [4.] [2.]

    """

    def __init__(self, power: Given = 0.0, name: str = "PowerTransform") -> None:
        super().__init__(name=name, param={"power": power, "name": name, "param_dict": {"power": power}})
        self.power = self._add_parameter(power, "power")
        _positive(self.power, "power", or_zero=True)

    def _pair(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """A mask where the power is 0, the power with these elements set to 1, and the input; all broadcast."""
        c = self.cast_param_by_value(x, self.power) + zeros_like(x)
        none = c == 0.0
        return none, where(none, ones_like(c), c), x + zeros_like(c)

    def _forward(self, x: Tensor) -> Tensor:
        none, c, x = self._pair(x)
        return where(none, exp(x), exp(log1p(x * c) / c))

    def _inverse(self, y: Tensor) -> Tensor:
        none, c, y = self._pair(y)
        return where(none, log(y), expm1(log(y) * c) / c)

    def _forward_log_jacobian(self, x: Tensor) -> Tensor:
        none, c, x = self._pair(x)
        return where(none, x, (1.0 / c - 1.0) * log1p(x * c))

    def _inverse_log_jacobian(self, y: Tensor) -> Any:
        return (self.cast_param_by_value(y, self.power) - 1.0) * log(y)


class Exp(PowerTransform):
    """g(x) = exp(x).

    Args:
        name: a name for messages.

    Example:
        >>> from framework.nn.probability import bijector as msb
        >>> print(msb.Exp().forward(Tensor([0.0])), msb.Exp().inverse(Tensor([1.0])))
        [1.] [0.]

    """

    def __init__(self, name: str = "Exp") -> None:
        super().__init__(0.0, name)

    def extend_repr(self) -> str:
        """The function."""
        return "exp"


class ScalarAffine(Bijector):
    """g(x) = scale x + shift.

    Args:
        scale: factors: a number, a list, an array or a tensor.
        shift: what is added, which broadcasts with the factors.
        name: a name for messages.

    Raises:
        TypeError: a parameter has no floating-point type.

    Example:
        >>> from framework.nn.probability import bijector as msb
        >>> affine = msb.ScalarAffine(2.0, 1.0)
        >>> print(affine.forward(Tensor([3.0])), affine.inverse(Tensor([7.0])))
        [7.] [3.]

    """

    def __init__(self, scale: Given = 1.0, shift: Given = 0.0, name: str = "ScalarAffine") -> None:
        both = {"scale": scale, "shift": shift}
        super().__init__(is_constant_jacobian=True, name=name, param={**both, "name": name, "param_dict": both})
        self.scale = self._add_parameter(scale, "scale")
        self.shift = self._add_parameter(shift, "shift")

    def _forward(self, x: Tensor) -> Tensor:
        return self.cast_param_by_value(x, self.scale) * x + self.cast_param_by_value(x, self.shift)

    def _inverse(self, y: Tensor) -> Tensor:
        return (y - self.cast_param_by_value(y, self.shift)) / self.cast_param_by_value(y, self.scale)

    def _forward_log_jacobian(self, x: Tensor) -> Any:
        return log(absolute(self.cast_param_by_value(x, self.scale)))

    def _inverse_log_jacobian(self, y: Tensor) -> Any:
        return -log(absolute(self.cast_param_by_value(y, self.scale)))


class Softplus(Bijector):
    """g(x) = log(1 + exp(sharpness x)) / sharpness.

    Args:
        sharpness: factors: a number, a list, an array or a tensor.
        name: a name for messages.

    Raises:
        TypeError: the factor has no floating-point type.

    Example:
        >>> from framework.nn.probability import bijector as msb
        >>> y = msb.Softplus(2.0).forward(Tensor([0.0, 1.0]))
        >>> print(y.asnumpy().round(4), msb.Softplus(2.0).inverse(y).asnumpy().round(4) + 0.0)
        [0.3466 1.0635] [0. 1.]

    """

    def __init__(self, sharpness: Given = 1.0, name: str = "Softplus") -> None:
        super().__init__(
            name=name, param={"sharpness": sharpness, "name": name, "param_dict": {"sharpness": sharpness}}
        )
        self.sharpness = self._add_parameter(sharpness, "sharpness")

    def _forward(self, x: Tensor) -> Tensor:
        factor = self.cast_param_by_value(x, self.sharpness)
        return softplus(factor * x) / factor

    def _inverse(self, y: Tensor) -> Any:
        factor = self.cast_param_by_value(y, self.sharpness)
        return _before_softplus(factor * y) / factor

    def _forward_log_jacobian(self, x: Tensor) -> Tensor:
        return logsigmoid(self.cast_param_by_value(x, self.sharpness) * x)

    def _inverse_log_jacobian(self, y: Tensor) -> Any:
        return -log(-expm1(-self.cast_param_by_value(y, self.sharpness) * y))


def _before_softplus(y: Tensor) -> Any:
    """The x for which log(1 + exp(x)) is y: y + log(1 - exp(-y))."""
    return y + log(-expm1(-y))


class GumbelCDF(Bijector):
    """g(x) = exp(-exp(-(x - loc) / scale)), the distribution function of a Gumbel distribution.

    Args:
        loc: locations: a number, a list, an array or a tensor.
        scale: scales above 0, which broadcast with the locations.
        name: a name for messages.

    Raises:
        ValueError: a scale is not above 0.
        TypeError: a parameter has no floating-point type.

    Example:
        >>> from framework.nn.probability import bijector as msb
        >>> gumbel = msb.GumbelCDF(1.0, 2.0)
        >>> y = gumbel.forward(Tensor([1.0, 3.0]))
        >>> print(y.asnumpy().round(4), gumbel.inverse(y).asnumpy().round(4))
        [0.3679 0.6922] [1. 3.]

    """

    def __init__(self, loc: Given = 0.0, scale: Given = 1.0, name: str = "GumbelCDF") -> None:
        both = {"loc": loc, "scale": scale}
        super().__init__(name=name, param={**both, "name": name, "param_dict": both})
        self.loc = self._add_parameter(loc, "loc")
        self.scale = self._add_parameter(scale, "scale")
        _positive(self.scale, "scale")

    def _standard(self, x: Tensor) -> Tensor:
        return (x - self.cast_param_by_value(x, self.loc)) / self.cast_param_by_value(x, self.scale)

    def _forward(self, x: Tensor) -> Any:
        return exp(-exp(-self._standard(x)))

    def _inverse(self, y: Tensor) -> Any:
        return self.cast_param_by_value(y, self.loc) - self.cast_param_by_value(y, self.scale) * log(-log(y))

    def _forward_log_jacobian(self, x: Tensor) -> Any:
        z = self._standard(x)
        return -z - exp(-z) - log(self.cast_param_by_value(x, self.scale))

    def _inverse_log_jacobian(self, y: Tensor) -> Any:
        return log(self.cast_param_by_value(y, self.scale) / (-y * log(y)))


class Invert(Bijector):
    """The inverse of a bijector.

    Args:
        bijector: the bijector.
        name: a name for messages; by default "Invert" and the name of the bijector.

    Raises:
        TypeError: it is no bijector.

    Example:
        >>> from framework.nn.probability import bijector as msb
        >>> print(msb.Invert(msb.Exp()).forward(Tensor([1.0])))
        [0.]

    """

    def __init__(self, bijector: Bijector, name: str = "") -> None:
        if not isinstance(bijector, Bijector):
            raise TypeError(f"Invert takes a bijector, not {bijector!r}")
        super().__init__(
            bijector.is_constant_jacobian, bijector.is_injective, name or f"Invert{bijector.name}", bijector.dtype,
            {"bijector": bijector, "name": name},
        )  # fmt: skip
        self.bijector = bijector
        self._batch_shape = bijector.batch_shape
        self._is_scalar_batch = bijector.is_scalar_batch

    def forward(self, x: Tensor) -> Any:  # type: ignore[override]
        """The inverse of the bijector at x."""
        return self.bijector.inverse(x)

    def inverse(self, y: Tensor) -> Any:  # type: ignore[override]
        """The bijector at y."""
        return self.bijector.forward(y)

    def forward_log_jacobian(self, x: Tensor) -> Any:  # type: ignore[override]
        """The logarithm of the derivative of the bijector's inverse at x."""
        return self.bijector.inverse_log_jacobian(x)

    def inverse_log_jacobian(self, y: Tensor) -> Any:  # type: ignore[override]
        """The logarithm of the derivative of the bijector at y."""
        return self.bijector.forward_log_jacobian(y)
