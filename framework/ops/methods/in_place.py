"""Methods that change a tensor in place: `x.add_(1)`. Bound by `framework.ops.tensor_methods`.

Each computes the new elements with the functions that compute them anywhere else, and `become` gives them to the
tensor. So an array never changes while the tape or a caller holds it, and a gradient through what was computed before
is that of the elements from before. Graph mode gives the variable another value, and refuses what would notice.
"""

# ruff: noqa: A002 - MindSpore's names
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from framework.common.dtype import DType
from framework.common.tensor import Tensor
from framework.ops import functional as F  # noqa: N812
from framework.ops.tensor_operators import add, mul, sub, truediv

__all__ = ["IN_PLACE", "become"]

_KINDS: Final = ("bool", "int", "float", "complex")


def become(x: Tensor, value: Tensor) -> Tensor:
    """Give a tensor other elements, and return it. Its shape and its element type stay.

    Who holds the tensor sees the change; who holds its array, such as the result of `asnumpy()`, does not. Gradients
    flow through the new elements.

    Args:
        x: the tensor that changes.
        value: the new elements; their shape broadcasts to that of x.

    Raises:
        ValueError: the shape is another; or x is a part of another tensor, which would not see the change.
        TypeError: the elements are of a kind that x cannot hold, such as fractions where it holds integers.

    """
    made = _fitting(x, value)
    whole = getattr(x, "_origin", None)
    if whole is not None:
        raise ValueError(
            "this tensor was taken from another one by an index, and a change of it would not reach that one: assign "
            "to the part, as in whole[index] = value, or change a copy: part.copy()"
        )
    return x.assign_value(made)


def _fitting(x: Tensor, value: Tensor) -> Tensor:
    """Elements in the shape and of the element type of the tensor that is to have them."""
    fits(tuple(x.shape), x.dtype, tuple(value.shape), value.dtype)
    made = value if value.shape == x.shape else F.broadcast_to(value, tuple(x.shape))
    return made if made.dtype is x.dtype else F.cast(made, x.dtype)


def fits(shape: Sequence[int | None], dtype: DType, new_shape: Sequence[int | None], new_dtype: DType) -> None:
    """Check that elements of a shape and type can be written into a tensor of another.

    Raises:
        ValueError: the shape does not broadcast to that of the tensor.
        TypeError: the tensor cannot hold elements of this kind.

    """
    behind = tuple(shape)[len(shape) - len(new_shape) :]
    if len(new_shape) > len(shape) or any(new not in (1, old) for old, new in zip(behind, new_shape, strict=True)):
        raise ValueError(
            f"a tensor of shape {tuple(shape)} cannot be changed in place to one of shape {tuple(new_shape)}: use the "
            "function without the underscore, which makes a new tensor"
        )
    if _KINDS.index(new_dtype.kind) > _KINDS.index(dtype.kind):
        raise TypeError(
            f"a tensor of {dtype} cannot be changed in place to {new_dtype}: convert it with x.astype() beforehand, or "
            "use the function without the underscore, which makes a new tensor"
        )


def add_(x: Tensor, other: Tensor | float, *, alpha: float = 1) -> Tensor:
    """Add `alpha` times another tensor or number."""
    return become(x, add(x, other if alpha == 1 else mul(other, alpha)))


def sub_(x: Any, other: Any, *, alpha: Any = 1) -> Tensor:
    """Subtract `alpha` times another tensor or number."""
    return become(x, sub(x, other if alpha == 1 else mul(other, alpha)))


def mul_(x: Any, other: Any) -> Tensor:
    """Multiply by another tensor or number."""
    return become(x, mul(x, other))


def div_(x: Tensor, other: Tensor | float, *, rounding_mode: str | None = None) -> Tensor:
    """Divide by another tensor or number; `rounding_mode` may be "floor" or "trunc"."""
    if rounding_mode == "floor":
        return become(x, F.floor_div(x, other))
    return become(x, F.trunc(truediv(x, other)) if rounding_mode == "trunc" else truediv(x, other))


def floor_divide_(x: Tensor, other: Tensor | float) -> Tensor:
    """Divide by another tensor or number and round down."""
    return become(x, F.floor_div(x, other))


def remainder_(x: Tensor, other: Tensor | float) -> Tensor:
    """Replace by the remainder of a division, which has the sign of the divisor."""
    return become(x, F.floor_mod(x, other))


def copy_(x: Tensor, src: Tensor, non_blocking: bool = False) -> Tensor:
    """Take over the elements of another tensor, converted; `non_blocking` has no effect."""
    return become(x, F.cast(src, x.dtype))


def fill_(x: Tensor, value: Tensor | float) -> Tensor:
    """Set all elements to one number."""
    return become(x, F.cast(value, x.dtype))


def zero_(x: Tensor) -> Tensor:
    """Set all elements to 0."""
    return become(x, F.zeros_like(x))


def clamp_(x: Tensor, min: Any = None, max: Any = None) -> Tensor:
    """Limit the elements to the range from `min` to `max`."""
    return become(x, F.clamp(x, min, max))


def masked_fill_(x: Tensor, mask: Tensor, value: Tensor | float) -> Tensor:
    """Set the elements where a mask is true to one number."""
    return become(x, F.masked_fill(x, mask, F.cast(value, x.dtype)))


def masked_scatter_(x: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    """Set the elements where a mask is true to those of another tensor, in order."""
    return become(x, F.masked_scatter(x, mask, source))


def index_add_(x: Any, dim: int, index: Tensor, source: Any, *, alpha: Any = 1) -> Tensor:
    """Add `alpha` times slices of another tensor at places along a dimension."""
    return become(x, F.tensor_scatter_elements(x, _along(x, dim, index, source), _times(source, alpha), dim, "add"))


def index_copy_(x: Any, dim: int, index: Tensor, tensor: Tensor) -> Tensor:
    """Set slices at places along a dimension to those of another tensor."""
    return become(x, F.tensor_scatter_elements(x, _along(x, dim, index, tensor), tensor, dim))


def index_fill_(x: Tensor, dim: int, index: Tensor, value: Any) -> Tensor:
    """Set slices at places along a dimension to one number."""
    return become(x, F.index_fill(x, dim, index, value))


def index_put_(x: Tensor, indices: Any, values: Any, accumulate: bool = False) -> Tensor:
    """Set, or with `accumulate` add to, the elements at indices: one tensor of indices for each dimension."""
    return become(x, index_put(x, indices, values, accumulate))


def scatter_(x: Any, dim: int, index: Tensor, src: Any = None, *, value: Any = None, reduce: str | None = None) -> Any:
    """Set elements at places along a dimension; `reduce` may be "add" or "multiply", to combine them with the old."""
    new = src if value is None else value
    updates = F.cast(cut(new, index) if isinstance(new, Tensor) else F.full(index.shape, new), x.dtype)
    how = "none" if reduce is None else "mul" if reduce == "multiply" else reduce
    return become(x, F.tensor_scatter_elements(x, index, updates, dim, how))


def scatter_add_(x: Any, dim: int, index: Tensor, src: Tensor) -> Tensor:
    """Add elements at places along a dimension."""
    return become(x, F.tensor_scatter_elements(x, index, cut(src, index), dim, "add"))


def cut(source: Any, index: Any) -> Any:
    """The first elements of a source along each dimension, as many as there are indices; one element for all."""
    if source.ndim == 0:
        return F.broadcast_to(source, index.shape)
    return source if source.shape == index.shape else F.slice(source, (0,) * index.ndim, tuple(index.shape))


def fill_diagonal_(x: Tensor, fill_value: float, wrap: bool = False) -> Tensor:
    """Set the elements of the diagonal to one number."""
    return become(x, F.fill_diagonal(x, fill_value, wrap))


def addmm_(x: Tensor, mat1: Tensor, mat2: Tensor, *, beta: float = 1, alpha: float = 1) -> Tensor:
    """Replace by `beta` times this matrix and `alpha` times a product of matrices."""
    return become(x, F.addmm(x, mat1, mat2, beta=beta, alpha=alpha))


def exp_(x: Tensor) -> Tensor:
    """Replace by e to the power of the elements."""
    return become(x, F.exp(x))


def log_(x: Tensor) -> Tensor:
    """Replace by the natural logarithm."""
    return become(x, F.log(x))


def floor_(x: Tensor) -> Tensor:
    """Round down."""
    return become(x, F.floor(x))


def sigmoid_(x: Tensor) -> Tensor:
    """Replace by the sigmoid."""
    return become(x, F.sigmoid(x))


def tanh_(x: Tensor) -> Tensor:
    """Replace by the hyperbolic tangent."""
    return become(x, F.tanh(x))


def erfinv_(x: Tensor) -> Tensor:
    """Replace by the inverse of the error function."""
    return become(x, F.erfinv(x))


def sign_(x: Tensor) -> Tensor:
    """Replace by the sign: -1, 0 or 1."""
    return become(x, F.sign(x))


def normal_(x: Tensor, mean: float = 0, std: float = 1, *, generator: None = None) -> Tensor:
    """Draw the elements from a normal distribution; of the seed of `ms.set_seed`."""
    return become(x, F.cast(F.randn(*x.shape) * std + mean, x.dtype))


def uniform_(x: Tensor, from_: float = 0, to: float = 1, *, generator: None = None) -> Tensor:
    """Draw the elements evenly from `from_` to `to`; of the seed of `ms.set_seed`."""
    return become(x, F.cast(F.rand(*x.shape) * (to - from_) + from_, x.dtype))


def exponential_(x: Tensor, lambd: float = 1, *, generator: None = None) -> Tensor:
    """Draw the elements from the exponential distribution of a rate; of the seed of `ms.set_seed`."""
    return become(x, F.cast(F.log1p(-F.rand(*x.shape)) / -lambd, x.dtype))


def bernoulli_(x: Tensor, p: Tensor | float = 0.5, *, generator: None = None) -> Tensor:
    """Draw each element: 1 with probability p, otherwise 0; of the seed of `ms.set_seed`."""
    return become(x, F.cast(F.rand(*x.shape) < p, x.dtype))


def index_put(x: Any, indices: Any, values: Any, accumulate: bool = False) -> Any:
    """A tensor with other elements at indices: `values` set there, or added with `accumulate`."""
    places = F.stack(tuple(F.broadcast_to(item, _common(indices)) for item in indices), -1)
    inner = tuple(places.shape[:-1]) + tuple(x.shape[places.shape[-1] :])
    updates = F.broadcast_to(F.cast(values, x.dtype), inner)
    return F.tensor_scatter_add(x, places, updates) if accumulate else F.tensor_scatter_update(x, places, updates)


def _common(indices: Sequence[Any]) -> tuple[int, ...]:
    """The shape to which indices broadcast."""
    return tuple(sum((item * 0 for item in indices[1:]), indices[0] * 0).shape)


def _times(source: Any, alpha: Any) -> Any:
    return source if alpha == 1 else source * alpha


def _along(x: Any, dim: int, index: Any, source: Any) -> Any:
    """Places along a dimension, one for each element of the source."""
    thin = tuple([source.shape[place] if place == dim % x.ndim else 1 for place in range(x.ndim)])
    return F.broadcast_to(F.reshape(index, thin), source.shape)


_FUNCTIONS: Final = (
    add_, sub_, mul_, div_, floor_divide_, remainder_, copy_, fill_, zero_, clamp_, masked_fill_, masked_scatter_,
    index_add_, index_copy_, index_fill_, index_put_, scatter_, scatter_add_, fill_diagonal_, addmm_, exp_, log_,
    floor_, sigmoid_, tanh_, erfinv_, sign_, normal_, uniform_, exponential_, bernoulli_,
)  # fmt: skip

IN_PLACE: Final[dict[str, Callable[..., Any]]] = {function.__name__: function for function in _FUNCTIONS}
"""For each name the method that changes a tensor in place."""
