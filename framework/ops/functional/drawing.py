"""Random numbers by the names that newer scripts use; those of older ones are in `creation`."""

from __future__ import annotations

from typing import Any

from framework.common import dtype as mstype
from framework.ops import operations as P  # noqa: N812
from framework.ops.constexpr import constexpr
from framework.ops.functional.creation import cast, standard_normal, uniform
from framework.ops.functional.primitives import dtype as dtype_of
from framework.ops.functional.primitives import shape
from framework.ops.primitive import cached

__all__ = ["rand", "rand_like", "randint", "randint_like", "randn", "randn_like"]

_uniform_int = P.UniformInt()


def rand(*size: Any, dtype: Any = None, seed: Any = None) -> Any:
    """Numbers from 0 up to, but without, 1, all equally likely; Float32 where no element type is given.

    Example:
        >>> print(ops.rand(2, 3).shape, ops.rand((4,), dtype=ms.float16).dtype)
        (2, 3) Float16

    """
    return uniform(_sizes(size), 0.0, 1.0, seed, mstype.float32 if dtype is None else dtype)


def rand_like(input: Any, seed: Any = None, *, dtype: Any = None) -> Any:
    """The same in the shape of a tensor, and in its element type where none is given.

    Example:
        >>> print(ops.rand_like(ops.zeros((2, 3))).shape)
        (2, 3)

    """
    return rand(shape(input), dtype=dtype_of(input) if dtype is None else dtype, seed=seed)


def randn(*size: Any, dtype: Any = None, seed: Any = None) -> Any:
    """Numbers from the standard normal distribution; Float32 where no element type is given.

    Example:
        >>> print(ops.randn(2, 3).shape)
        (2, 3)

    """
    return cast(standard_normal(_sizes(size), seed), mstype.float32 if dtype is None else dtype)


def randn_like(input: Any, seed: Any = None, *, dtype: Any = None) -> Any:
    """The same in the shape of a tensor, and in its element type where none is given.

    Example:
        >>> print(ops.randn_like(ops.zeros((2, 3)), dtype=ms.float16).dtype)
        Float16

    """
    return randn(shape(input), dtype=dtype_of(input) if dtype is None else dtype, seed=seed)


def randint(low: int, high: int, size: Any, seed: Any = None, *, dtype: Any = None) -> Any:
    """Whole numbers from `low` up to, but without, `high`, within Int32; Int64 where no element type is given.

    Example:
        >>> print(np.unique(ops.randint(3, 6, (1000,)).asnumpy()))
        [3 4 5]

    """
    drawn = _uniform_int(size, low, high) if seed is None else cached(P.UniformInt, seed)(size, low, high)
    return cast(drawn, mstype.int64 if dtype is None else dtype)


def randint_like(input: Any, low: int, high: int, seed: Any = None, *, dtype: Any = None) -> Any:
    """The same in the shape of a tensor, and in its element type where none is given.

    Example:
        >>> print(ops.randint_like(Tensor([0, 0, 0]), 4, 5))
        [4 4 4]

    """
    return randint(low, high, shape(input), seed, dtype=dtype_of(input) if dtype is None else dtype)


@constexpr
def _sizes(size: Any) -> Any:
    """The shape that is meant by numbers one by one, or by one tuple of them."""
    return tuple(size[0]) if len(size) == 1 and not isinstance(size[0], int) else size
