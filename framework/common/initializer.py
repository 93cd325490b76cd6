"""Initializers: the first elements of parameters, by MindSpore's names and formulas.

All draw from the stream that `set_seed` starts.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from framework.common import dtype as mstype
from framework.common.device import Array
from framework.common.dtype import DType
from framework.common.seed import generator
from framework.common.tensor import Tensor

__all__ = [
    "Constant",
    "Dirac",
    "HeNormal",
    "HeUniform",
    "Identity",
    "Initializer",
    "Normal",
    "One",
    "Orthogonal",
    "Sparse",
    "TruncatedNormal",
    "Uniform",
    "VarianceScaling",
    "XavierNormal",
    "XavierUniform",
    "Zero",
    "initializer",
]


#: The standard deviation of a standard normal distribution cut at -2 and 2.
_STD_CUT_AT_TWO = 0.87962566103423978


class Initializer:
    """Fills an array: subclasses define `_initialize(arr)`.

    Args:
        kwargs: what it was made with, kept for whoever prints or stores it.

    """

    def __init__(self, **kwargs: object) -> None:
        self._kwargs = kwargs

    def __call__(self, arr: Array) -> None:
        """Fill an array in place."""
        self._initialize(arr)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{k}={v!r}' for k, v in self._kwargs.items())})"

    def _initialize(self, arr: Array) -> None:
        raise NotImplementedError(f"{type(self).__name__} must define _initialize, which fills an array")


class Zero(Initializer):
    """All zeros."""

    def _initialize(self, arr: Array) -> None:
        arr.fill(0)


class One(Initializer):
    """All ones."""

    def _initialize(self, arr: Array) -> None:
        arr.fill(1)


class Constant(Initializer):
    """One value everywhere, or the values of an array of the same shape."""

    def __init__(self, value: npt.ArrayLike) -> None:
        super().__init__(value=value)
        self.value = value

    def _initialize(self, arr: Array) -> None:
        arr[...] = self.value


class Uniform(Initializer):
    """Uniform between -scale and scale."""

    def __init__(self, scale: float = 0.07) -> None:
        super().__init__(scale=scale)
        self.scale = scale

    def _initialize(self, arr: Array) -> None:
        _uniform(arr, self.scale)


class Normal(Initializer):
    """Normal with standard deviation `sigma` around `mean`."""

    def __init__(self, sigma: float = 0.01, mean: float = 0.0) -> None:
        super().__init__(sigma=sigma, mean=mean)
        self.sigma, self.mean = sigma, mean

    def _initialize(self, arr: Array) -> None:
        _normal(arr, self.sigma, self.mean)


class TruncatedNormal(Initializer):
    """Normal with standard deviation `sigma` around `mean`, drawn again where it falls outside of [a, b]."""

    def __init__(self, sigma: float = 0.01, mean: float = 0.0, a: float = -2.0, b: float = 2.0) -> None:
        super().__init__(sigma=sigma, mean=mean, a=a, b=b)
        if not a < b:
            raise ValueError(f"TruncatedNormal: a must lie below b, not a={a}, b={b}")
        self.sigma, self.mean, self.a, self.b = sigma, mean, a, b

    def _initialize(self, arr: Array) -> None:
        _truncated_normal(arr, self.sigma, self.mean, self.a, self.b)


class XavierUniform(Initializer):
    """Uniform within gain * sqrt(6 / (fan_in + fan_out)) (Glorot and Bengio 2010)."""

    def __init__(self, gain: float = 1) -> None:
        super().__init__(gain=gain)
        self.gain = gain

    def _initialize(self, arr: Array) -> None:
        fan_in, fan_out = _fans(arr.shape)
        _uniform(arr, self.gain * math.sqrt(6.0 / (fan_in + fan_out)))


class XavierNormal(Initializer):
    """Normal with standard deviation gain * sqrt(2 / (fan_in + fan_out)) (Glorot and Bengio 2010)."""

    def __init__(self, gain: float = 1) -> None:
        super().__init__(gain=gain)
        self.gain = gain

    def _initialize(self, arr: Array) -> None:
        fan_in, fan_out = _fans(arr.shape)
        _normal(arr, self.gain * math.sqrt(2.0 / (fan_in + fan_out)))


class _He(Initializer):
    def __init__(self, negative_slope: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu") -> None:
        super().__init__(negative_slope=negative_slope, mode=mode, nonlinearity=nonlinearity)
        self.negative_slope, self.mode, self.nonlinearity = negative_slope, mode, nonlinearity

    def _spread(self, shape: tuple[int, ...]) -> float:
        """Standard deviation that keeps the variance through layers with this nonlinearity."""
        return _gain(self.nonlinearity, self.negative_slope) / math.sqrt(_fan(shape, self.mode))


class HeNormal(_He):
    """Normal with standard deviation gain / sqrt(fan) (He et al. 2015); `gain` is the nonlinearity's."""

    def _initialize(self, arr: Array) -> None:
        _normal(arr, self._spread(arr.shape))


class HeUniform(_He):
    """Uniform within gain * sqrt(3 / fan) (He et al. 2015); `gain` is the nonlinearity's."""

    def _initialize(self, arr: Array) -> None:
        _uniform(arr, math.sqrt(3.0) * self._spread(arr.shape))


class VarianceScaling(Initializer):
    """Variance scale / fan, from the distribution named.

    Args:
        scale: the variance times the fan.
        mode: "fan_in", "fan_out" or "fan_avg".
        distribution: "truncated_normal" (cut at two standard deviations), "untruncated_normal" or "uniform".

    """

    def __init__(self, scale: float = 1.0, mode: str = "fan_in", distribution: str = "truncated_normal") -> None:
        super().__init__(scale=scale, mode=mode, distribution=distribution)
        known = ("truncated_normal", "untruncated_normal", "uniform")
        if distribution not in known:
            raise ValueError(f"VarianceScaling: distribution must be one of {', '.join(known)}, not {distribution!r}")
        self.scale, self.mode, self.distribution = scale, mode, distribution

    def _initialize(self, arr: Array) -> None:
        sigma = math.sqrt(self.scale / _fan(arr.shape, self.mode))
        if self.distribution == "uniform":
            _uniform(arr, math.sqrt(3.0) * sigma)
        elif self.distribution == "untruncated_normal":
            _normal(arr, sigma)
        else:
            sigma /= _STD_CUT_AT_TWO
            _truncated_normal(arr, sigma, 0.0, -2 * sigma, 2 * sigma)


class Sparse(Initializer):
    """Normal, with a share `sparsity` of each column set to zero; for matrices."""

    def __init__(self, sparsity: float, sigma: float = 0.01) -> None:
        super().__init__(sparsity=sparsity, sigma=sigma)
        self.sparsity, self.sigma = sparsity, sigma

    def _initialize(self, arr: Array) -> None:
        if arr.ndim != 2:
            raise ValueError(f"Sparse fills matrices, not a tensor of shape {arr.shape}")
        _normal(arr, self.sigma)
        zeros = math.ceil(self.sparsity * arr.shape[0])
        for column in range(arr.shape[1]):
            arr[generator().permutation(arr.shape[0])[:zeros], column] = 0


class Orthogonal(Initializer):
    """An orthogonal matrix times `gain` (Saxe et al. 2013); dimensions after the first count as columns."""

    def __init__(self, gain: float = 1.0) -> None:
        super().__init__(gain=gain)
        self.gain = gain

    def _initialize(self, arr: Array) -> None:
        if arr.ndim < 2:
            raise ValueError(f"Orthogonal needs at least two dimensions, not shape {arr.shape}")
        rows, columns = arr.shape[0], math.prod(arr.shape[1:])
        drawn = generator().standard_normal((max(rows, columns), min(rows, columns)))
        q, r = np.linalg.qr(drawn)
        q *= np.sign(np.diag(r))  # makes the factors, and with them the distribution, unique
        arr[...] = self.gain * (q if rows >= columns else q.T).reshape(arr.shape)


class Identity(Initializer):
    """Ones on the diagonal of a matrix."""

    def _initialize(self, arr: Array) -> None:
        if arr.ndim != 2:
            raise ValueError(f"Identity fills matrices, not a tensor of shape {arr.shape}")
        arr[...] = np.eye(*arr.shape)


class Dirac(Initializer):
    """Kernels of a convolution that hands as many channels through as it can, for each group."""

    def __init__(self, groups: int = 1) -> None:
        super().__init__(groups=groups)
        self.groups = groups

    def _initialize(self, arr: Array) -> None:
        if arr.ndim not in (3, 4, 5):
            raise ValueError(f"Dirac fills kernels of 3 to 5 dimensions, not shape {arr.shape}")
        if arr.shape[0] % self.groups:
            raise ValueError(f"Dirac: {arr.shape[0]} output channels do not divide into {self.groups} groups")
        arr.fill(0)
        per_group = arr.shape[0] // self.groups
        centre = tuple(size // 2 for size in arr.shape[2:])
        for group in range(self.groups):
            for channel in range(min(per_group, arr.shape[1])):
                arr[(group * per_group + channel, channel, *centre)] = 1


_BY_NAME: dict[str, type[Initializer]] = {
    "zeros": Zero,
    "zero": Zero,
    "ones": One,
    "one": One,
    "uniform": Uniform,
    "normal": Normal,
    "truncatednormal": TruncatedNormal,
    "truncated_normal": TruncatedNormal,
    "xavier_uniform": XavierUniform,
    "xavieruniform": XavierUniform,
    "xavier_normal": XavierNormal,
    "xaviernormal": XavierNormal,
    "he_normal": HeNormal,
    "henormal": HeNormal,
    "he_uniform": HeUniform,
    "heuniform": HeUniform,
    "orthogonal": Orthogonal,
    "identity": Identity,
    "dirac": Dirac,
}


def initializer(init: Any, shape: Any = None, dtype: DType = mstype.float32) -> Tensor:
    """A tensor with the elements that an initializer makes.

    Args:
        init: an `Initializer`, its name ("normal", "he_uniform" ...), a number, or a tensor, which is returned.
        shape: the shape: an int, or a tuple or list of them.
        dtype: the element type.

    Raises:
        ValueError: there is no initializer of this name, or a tensor has another shape.
        TypeError: `init` is of another type.

    """
    wanted = () if shape is None else (shape,) if isinstance(shape, int) else tuple(shape)
    if isinstance(init, Tensor):
        if shape is not None and init.shape != wanted:
            raise ValueError(f"initializer: the tensor has shape {tuple(init.shape)}, not {wanted}")
        return init
    if isinstance(init, str):
        if init.lower() not in _BY_NAME:
            raise ValueError(f"there is no initializer {init!r}; there are {', '.join(sorted(_BY_NAME))}")
        init = _BY_NAME[init.lower()]()
    elif isinstance(init, int | float):
        init = Constant(init)
    if not isinstance(init, Initializer):
        raise TypeError(f"init must be an Initializer, its name, a number or a tensor, not a {type(init).__name__}")
    return Tensor(shape=wanted, dtype=dtype, init=init)


def _uniform(arr: Array, bound: float) -> None:
    arr[...] = generator().uniform(-bound, bound, arr.shape)


def _normal(arr: Array, sigma: float, mean: float = 0.0) -> None:
    arr[...] = generator().normal(mean, sigma, arr.shape)


def _truncated_normal(arr: Array, sigma: float, mean: float, low: float, high: float) -> None:
    drawn = np.asarray(generator().normal(mean, sigma, arr.shape))
    outside = (drawn < low) | (drawn > high)
    while outside.any():
        drawn[outside] = generator().normal(mean, sigma, int(outside.sum()))
        outside = (drawn < low) | (drawn > high)
    arr[...] = drawn


def _fans(shape: tuple[int, ...]) -> tuple[int, int]:
    """How many elements enter and leave one unit of a layer with weights of this shape."""
    if len(shape) < 2:
        raise ValueError(f"fan_in and fan_out need a tensor of at least two dimensions, not shape {shape}")
    field = math.prod(shape[2:])
    return shape[1] * field, shape[0] * field


def _fan(shape: tuple[int, ...], mode: str) -> float:
    fan_in, fan_out = _fans(shape)
    known = {"fan_in": float(fan_in), "fan_out": float(fan_out), "fan_avg": (fan_in + fan_out) / 2}
    if mode not in known:
        raise ValueError(f"mode must be one of {', '.join(known)}, not {mode!r}")
    return known[mode]


def _gain(nonlinearity: str, slope: float) -> float:
    """By how much a nonlinearity shrinks the standard deviation of what passes through it."""
    known = {
        "linear": 1.0,
        "sigmoid": 1.0,
        "tanh": 5.0 / 3,
        "relu": math.sqrt(2.0),
        "leaky_relu": math.sqrt(2.0 / (1 + slope**2)),
    }
    if nonlinearity not in known:
        raise ValueError(f"nonlinearity must be one of {', '.join(known)}, not {nonlinearity!r}")
    return known[nonlinearity]
