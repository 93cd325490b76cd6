"""Products with a Jacobian as Cells, MindSpore's `nn.grad`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from framework.ad import jvp, vjp
from framework.nn.cell import Cell

__all__ = ["Jvp", "Vjp"]


class Jvp(Cell):
    """The result of a function and its derivative along vectors: `Jvp(net)(x, y, (v, w))`.

    Inputs: the arguments of the function, tensors; last the vectors, of the shapes of the arguments: a tensor for one
        argument, a tuple for several.

    Output: the result, and the product of the Jacobian with the vectors, of its structure.

    Args:
        fn: a Cell or a function of tensors.

    Raises:
        TypeError: the vectors are a tuple for one argument, or a tensor for several.
        ValueError: the vectors do not fit the arguments.

    Example:
        >>> value, along = nn.Jvp(nn.ReLU())(Tensor([1.0, -1.0]), Tensor([5.0, 5.0]))
        >>> print(value, along)
        [1. 0.] [5. 0.]
    """

    def __init__(self, fn: Callable[..., Any]) -> None:
        super().__init__()
        self.fn = fn

    def construct(self, *args: Any) -> Any:
        """The result and its derivative."""
        if isinstance(args[-1], tuple) != (len(args) > 2):
            raise TypeError("Jvp: the last argument must be a tensor for one argument, and a tuple for several")
        return jvp(self.fn, args[:-1], args[-1])


class Vjp(Cell):
    """The result of a function and the product of a vector with its Jacobian: `Vjp(net)(x, y, v)`.

    Inputs: the arguments of the function, tensors; last the vector, of the structure and the shapes of the result.

    Output: the result, and the gradient by the argument, a tuple of them for several arguments.

    Args:
        fn: a Cell or a function of tensors.

    Raises:
        TypeError: the vector is a tuple for one result, or a tensor for several.
        ValueError: the vector does not fit the result.

    Example:
        >>> value, gradient = nn.Vjp(nn.ReLU())(Tensor([1.0, -1.0]), Tensor([5.0, 5.0]))
        >>> print(value, gradient)
        [1. 0.] [5. 0.]
    """

    def __init__(self, fn: Callable[..., Any]) -> None:
        super().__init__()
        self.fn = fn

    def construct(self, *args: Any) -> Any:
        """The result and the gradients."""
        value, pull = vjp(self.fn, *args[:-1])
        if isinstance(args[-1], tuple) != isinstance(value, tuple):
            raise TypeError("Vjp: the last argument must be a tensor for one result, and a tuple for several")
        gradients = pull(args[-1])
        return value, gradients[0] if len(args) == 2 else gradients
