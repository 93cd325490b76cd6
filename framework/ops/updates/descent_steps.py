"""Steps of gradient descent with l1 and l2, and Adagrad with an epsilon or by dual averaging, for users' steps."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

from framework.ops.arrays import Array, ArrayModule
from framework.ops.primitive import prim_attr_register
from framework.ops.updates.adaptive_steps import like
from framework.ops.updates.momentum_steps import Update

__all__ = ["ApplyAdagradDA", "ApplyAdagradV2", "ApplyGradientDescent", "ApplyProximalGradientDescent"]


class ApplyGradientDescent(Update):
    """Gradient descent: `(var, alpha, delta)`, var -= alpha * delta.

    Inputs: var, a Parameter; alpha, a number or a tensor with one element; delta, a tensor of the shape of var.

    Output: the new value of var.

    Example:
        >>> var = ms.Parameter(Tensor([1.0], ms.float32), name="var")
        >>> print(ops.ApplyGradientDescent()(var, 0.5, Tensor([3.0], ms.float32)))
        [-0.5]
    """

    writes = MappingProxyType({0: 0})

    @prim_attr_register
    def __init__(self) -> None:
        self.init_prim_io_names(inputs=["var", "alpha", "delta"], outputs=["var"])

    def compute(self, xp: ArrayModule, var: Array, alpha: float, delta: Array) -> Array:
        (new,) = like(var, var - alpha * delta)
        return new


class ApplyProximalGradientDescent(Update):
    """Gradient descent with l1 and l2 (Duchi and Singer 2009): `(var, alpha, l1, l2, delta)`.

    With p = var - alpha * delta, var = sign(p) * max(|p| - alpha * l1, 0) / (1 + alpha * l2); p / (1 + alpha * l2)
    where l1 is 0.

    Inputs: var, a Parameter; alpha, l1 and l2, numbers or tensors of shape (); delta, a tensor of the shape of var.

    Output: the new value of var.

    Example:
        >>> var = ms.Parameter(Tensor([4.0], ms.float32), name="var")
        >>> print(ops.ApplyProximalGradientDescent()(var, 0.5, 1.0, 2.0, Tensor([2.0], ms.float32)))
        [1.25]
    """

    writes = MappingProxyType({0: 0})

    @prim_attr_register
    def __init__(self) -> None:
        self.init_prim_io_names(inputs=["var", "alpha", "l1", "l2", "delta"], outputs=["var"])

    def compute(self, xp: ArrayModule, var: Array, alpha: float, l1: float, l2: float, delta: Array) -> Array:
        moved = var - alpha * delta
        (new,) = like(var, _shrunk(xp, moved, alpha * l1) / (1 + alpha * l2))
        return new


class ApplyAdagradV2(Update):
    """Adagrad (Duchi et al. 2011) with an epsilon: `(var, accum, lr, grad)`.

    accum += grad^2; var -= lr * grad / (sqrt(accum) + epsilon).

    Inputs: var and accum, Parameters of one shape; lr, a number or a tensor of shape (); grad, a tensor of the shape of
    var.

    Output: the new values of var and accum.

    Args:
        epsilon: added to the root of the sum.
        update_slots: update accum.

    Example:
        >>> var, accum = (ms.Parameter(Tensor([n], ms.float32), name=f"p{n}") for n in (1.0, 16.0))
        >>> out = ops.ApplyAdagradV2(epsilon=1.0)(var, accum, 0.5, Tensor([3.0], ms.float32))
        >>> print(var.asnumpy(), accum.asnumpy())
        [0.75] [25.]
    """

    writes = MappingProxyType({0: 0, 1: 1})

    @prim_attr_register
    def __init__(self, epsilon: float, update_slots: bool = True) -> None:
        self.init_prim_io_names(inputs=["var", "accum", "lr", "grad"], outputs=["var", "accum"])

    def compute(self, xp: ArrayModule, var: Array, accum: Array, lr: float, grad: Array) -> tuple[Array, ...]:
        if self.update_slots:
            accum = accum + grad * grad
        return like(var, var - lr * grad / (xp.sqrt(accum) + self.epsilon), accum)


class ApplyAdagradDA(Update):
    """Adagrad by dual averaging (Duchi et al. 2011, section 1.1), with l1 and l2.

    Inputs: `(var, gradient_accumulator, gradient_squared_accumulator, grad, lr, l1, l2, global_step)`; the first three
    are Parameters of the shape of grad, the others numbers or tensors of shape ().

    sum += grad; squares += grad^2; with t = global_step,
    var = -lr * sign(sum) * max(|sum| - l1 * t, 0) / (l2 * t * lr + sqrt(squares)).

    Output: the new values of var, of the sum and of the squares.

    Args:
        use_locking: accepted for compatibility; has no effect.

    Example:
        >>> var, total, squares = (ms.Parameter(Tensor([n], ms.float32), name=f"p{n}") for n in (1.0, 2.0, 7.0))
        >>> out = ops.ApplyAdagradDA()(var, total, squares, Tensor([3.0], ms.float32), 0.5, 1.0, 0.0, 1)
        >>> print(var.asnumpy(), total.asnumpy(), squares.asnumpy())
        [-0.5] [5.] [16.]
    """

    writes = MappingProxyType({0: 0, 1: 1, 2: 2})

    @prim_attr_register
    def __init__(self, use_locking: bool = False) -> None:
        names = ["var", "gradient_accumulator", "gradient_squared_accumulator", "grad", "lr", "l1", "l2", "global_step"]
        self.init_prim_io_names(inputs=names, outputs=names[:3])

    def compute(self, xp: ArrayModule, var: Array, total: Array, squares: Array, *rest: Any) -> tuple[Array, ...]:
        grad, lr, l1, l2, step = rest
        total, squares = total + grad, squares + grad * grad
        new = -lr * _shrunk(xp, total, l1 * step) / (l2 * step * lr + xp.sqrt(squares))
        return like(var, new, total, squares)


def _shrunk(xp: ArrayModule, values: Array, by: Any) -> Array:
    """Values that are nearer to 0 by an amount, and 0 where they would cross it."""
    return xp.sign(values) * xp.maximum(xp.absolute(values) - by, 0)
