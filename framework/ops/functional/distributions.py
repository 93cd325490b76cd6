"""Random numbers from named distributions, and random order."""

from __future__ import annotations

from typing import Any

from framework.common import dtype as mstype
from framework.ops import operations as P  # noqa: N812
from framework.ops.functional.creation import cast, uniform
from framework.ops.functional.picking import gather, where
from framework.ops.functional.primitives import dtype as dtype_of
from framework.ops.functional.primitives import shape as shape_of
from framework.ops.primitive import cached

__all__ = [
    "bernoulli", "gamma", "laplace", "multinomial_with_replacement", "poisson", "random_categorical", "random_gamma",
    "random_poisson", "rrelu", "shuffle", "standard_laplace",
]  # fmt: skip


def bernoulli(input: Any, p: Any = 0.5, seed: Any = None) -> Any:
    """1 with probability p, else 0.

    Args:
        input: a tensor, whose shape and element type the result has.
        p: a number from 0 to 1, or a tensor that broadcasts to the shape.
        seed: the stream that every execution starts anew; none where it is left out.

    Example:
        >>> print(ops.bernoulli(Tensor([7, 7, 7]), Tensor([0.0, 1.0, 0.0])))
        [0 1 0]

    """
    return cached(P.Bernoulli, 0 if seed is None else seed)(input, p)


def gamma(shape: Any, alpha: Any, beta: Any, seed: Any = None) -> Any:
    """Float32 numbers of density b^a / gamma(a) x^(a - 1) exp(-b x), a = alpha and b = beta.

    Args:
        shape: a tuple of ints.
        alpha: a tensor above 0.
        beta: a tensor above 0: the rate, by which the mean is alpha / beta.
        seed: the stream that every execution starts anew; none where it is left out.

    Returns:
        Of shape `shape` followed by what alpha and beta broadcast to.

    Example:
        >>> print(ops.gamma((3,), Tensor([1.0, 2.0]), Tensor(4.0)).shape)
        (3, 2)

    """
    return cached(P.Gamma, 0 if seed is None else seed)(shape, alpha, beta)


def random_gamma(shape: Any, alpha: Any, seed: Any = None) -> Any:
    """`gamma` of rate 1.

    Example:
        >>> print(ops.random_gamma((3,), Tensor([1.0, 2.0])).shape)
        (3, 2)

    """
    return gamma(shape, alpha, alpha * 0 + 1, seed)


def standard_laplace(shape: Any, seed: Any = None) -> Any:
    """Float32 numbers of density exp(-|x|) / 2.

    Example:
        >>> print(ops.standard_laplace((2, 3)).shape)
        (2, 3)

    """
    return cached(P.StandardLaplace, 0 if seed is None else seed)(shape)


def laplace(shape: Any, mean: Any, lambda_param: Any, seed: Any = None) -> Any:
    """Float32 numbers of density exp(-|x - mean| / lambda_param) / (2 lambda_param).

    Args:
        shape: a tuple of ints.
        mean, lambda_param: tensors, or numbers, which broadcast with it.
        seed: the stream that every execution starts anew; none where it is left out.

    Example:
        >>> print(ops.laplace((4, 2), Tensor([0.0, 5.0]), Tensor(1.0)).shape)
        (4, 2)

    """
    return standard_laplace(shape, seed) * lambda_param + mean


def poisson(shape: Any, mean: Any, seed: Any = None) -> Any:
    """Int32 numbers of probability mean^n exp(-mean) / n!.

    Args:
        shape: a tuple of ints.
        mean: a tensor that is not negative.
        seed: the stream that every execution starts anew; none where it is left out.

    Returns:
        Of shape `shape` followed by that of `mean`.

    Example:
        >>> print(ops.poisson((2,), Tensor([0.0, 0.0])))
        [[0 0]
         [0 0]]

    """
    return cached(P.Poisson, 0 if seed is None else seed)(shape, mean)


def random_poisson(shape: Any, rate: Any, seed: Any = None, dtype: Any = mstype.float32) -> Any:
    """`poisson` in an element type.

    Example:
        >>> print(ops.random_poisson((2,), Tensor(0.0)))
        [0. 0.]

    """
    return cast(poisson(shape, rate, seed), dtype)


def random_categorical(logits: Any, num_sample: int, seed: int = 0, dtype: Any = mstype.int64) -> Any:
    """Indices drawn with the probabilities softmax(logits) of each row.

    Args:
        logits: (N, classes).
        num_sample: how many of each row.
        seed: if it is not 0, the stream that every execution starts anew.
        dtype: the element type of the indices.

    Returns:
        (N, num_sample).

    Example:
        >>> print(ops.random_categorical(Tensor([[0.0, 1000.0], [1000.0, 0.0]]), 3))
        [[1 1 1]
         [0 0 0]]

    """
    return cached(P.RandomCategorical, dtype)(logits, num_sample, seed)


def multinomial_with_replacement(x: Any, seed: int, offset: int, numsamples: int, replacement: bool = False) -> Any:
    """Indices drawn with probabilities in proportion to weights.

    Args:
        x: (classes,) or (N, classes), not negative.
        seed, offset: if one is not 0, the stream that every execution starts anew.
        numsamples: how many of each row.
        replacement: recorded; each is drawn from all.

    Returns:
        (numsamples,) or (N, numsamples), Int64.

    Example:
        >>> print(ops.multinomial_with_replacement(Tensor([0.0, 9.0, 0.0]), 1, 2, 3))
        [1 1 1]

    """
    return cast(cached(P.Multinomial, seed, offset)(x, numsamples), mstype.int64)


def shuffle(x: Any, seed: Any = None) -> Any:
    """The slices along the first dimension in random order.

    Example:
        >>> print(np.sort(ops.shuffle(Tensor([3, 1, 2])).asnumpy()))
        [1 2 3]

    """
    return gather(x, cached(P.RandpermV2, 0 if seed is None else seed)(shape_of(x)[0]), 0)


def rrelu(input: Any, lower: float = 1.0 / 8, upper: float = 1.0 / 3) -> Any:
    """x, and where it is negative a random multiple of it: uniform between two bounds (Xu et al. 2015).

    Example:
        >>> print(ops.rrelu(Tensor([-2.0, 3.0]), 0.5, 0.5))
        [-1.  3.]

    """
    return where(input > 0, input, input * uniform(shape_of(input), lower, upper, None, dtype_of(input)))
