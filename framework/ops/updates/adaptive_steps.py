"""Steps of optimizers that scale by sums or means of squared gradients: Adagrad, RMSProp, FTRL, Adadelta."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

from framework.ops.arrays import Array, ArrayModule
from framework.ops.primitive import prim_attr_register
from framework.ops.updates.momentum_steps import Update

__all__ = [
    "ApplyAdadelta",
    "ApplyAdagrad",
    "ApplyCenteredRMSProp",
    "ApplyFtrl",
    "ApplyProximalAdagrad",
    "ApplyRMSProp",
]


def like(var: Array, *values: Array) -> tuple[Any, ...]:
    """New values cast to the element type of the Parameter."""
    return tuple(value.astype(var.dtype, copy=False) for value in values)


class ApplyAdagrad(Update):
    """Adagrad (Duchi et al. 2011): `(var, accum, lr, grad)`.

    accum += grad^2; var -= lr * grad / sqrt(accum).

    Inputs: var and accum, Parameters of one shape; lr, a tensor of shape () or a number; grad, a tensor of the shape of
    var.

    Output: the new values of var and accum.

    Args:
        update_slots: update accum.

    Example:
        >>> var, accum = (ms.Parameter(Tensor([n], ms.float32), name=f"p{n}") for n in (1.0, 16.0))
        >>> out = ops.ApplyAdagrad()(var, accum, 0.5, Tensor([3.0], ms.float32))
        >>> print(var.asnumpy().round(4), accum.asnumpy())
        [0.7] [25.]
    """

    writes = MappingProxyType({0: 0, 1: 1})

    @prim_attr_register
    def __init__(self, update_slots: bool = True) -> None:
        self.init_prim_io_names(inputs=["var", "accum", "lr", "grad"], outputs=["var", "accum"])

    def compute(self, xp: ArrayModule, var: Array, accum: Array, lr: float, grad: Array) -> tuple[Array, ...]:
        if self.update_slots:
            accum = accum + grad * grad
        return like(var, var - lr * grad / xp.sqrt(accum), accum)


class ApplyProximalAdagrad(Update):
    """Adagrad with l1 and l2 (Duchi and Singer 2009): `(var, accum, lr, l1, l2, grad)`.

    accum += grad^2; with rate = lr / sqrt(accum) and p = var - rate * grad,
    var = sign(p) * max(|p| - rate * l1, 0) / (1 + rate * l2).

    Inputs: var and accum, Parameters of one shape; lr, l1 and l2, tensors of shape () or numbers; grad, a tensor of the
    shape of var.

    Output: the new values of var and accum.

    Args:
        use_locking: accepted for compatibility; has no effect.

    Example:
        >>> var, accum = (ms.Parameter(Tensor([n], ms.float32), name=f"p{n}") for n in (4.0, 7.0))
        >>> out = ops.ApplyProximalAdagrad()(var, accum, 4.0, 0.5, 1.0, Tensor([3.0], ms.float32))
        >>> print(var.asnumpy(), accum.asnumpy())
        [0.25] [16.]
    """

    writes = MappingProxyType({0: 0, 1: 1})

    @prim_attr_register
    def __init__(self, use_locking: bool = False) -> None:
        self.init_prim_io_names(inputs=["var", "accum", "lr", "l1", "l2", "grad"], outputs=["var", "accum"])

    def compute(
        self, xp: ArrayModule, var: Array, accum: Array, lr: float, l1: float, l2: float, grad: Array
    ) -> tuple[Array, ...]:
        accum = accum + grad * grad
        rate = lr / xp.sqrt(accum)
        moved = var - rate * grad
        new = xp.sign(moved) * xp.maximum(xp.absolute(moved) - rate * l1, 0) / (1 + rate * l2)
        return like(var, new, accum)


class ApplyRMSProp(Update):
    """RMSProp (Hinton 2012): `(var, mean_square, moment, lr, grad, decay, momentum, epsilon)`.

    mean_square = decay * mean_square + (1 - decay) * grad^2;
    moment = momentum * moment + lr * grad / sqrt(mean_square + epsilon); var -= moment.

    Inputs: var, mean_square and moment, Parameters of one shape; lr, decay, momentum and epsilon, tensors of shape ()
    or numbers; grad, a tensor of the shape of var.

    Output: the new values of var, mean_square and moment.

    Args:
        use_locking: accepted for compatibility; has no effect.

    Example:
        >>> var, square, moment = (ms.Parameter(Tensor([n], ms.float32), name=f"p{n}") for n in (5.0, 14.0, 2.0))
        >>> out = ops.ApplyRMSProp()(var, square, moment, 1.5, Tensor([2.0], ms.float32), 0.5, 0.5, 0.0)
        >>> print(var.asnumpy(), square.asnumpy(), moment.asnumpy())
        [3.] [9.] [2.]
    """

    writes = MappingProxyType({0: 0, 1: 1, 2: 2})

    @prim_attr_register
    def __init__(self, use_locking: bool = False) -> None:
        self.init_prim_io_names(
            inputs=["var", "mean_square", "moment", "learning_rate", "grad", "rho", "momentum", "epsilon"],
            outputs=["var", "mean_square", "moment"],
        )

    def compute(
        self,
        xp: ArrayModule,
        var: Array,
        mean_square: Array,
        moment: Array,
        lr: float,
        grad: Array,
        decay: float,
        momentum: float,
        epsilon: float,
    ) -> tuple[Array, ...]:
        mean_square = decay * mean_square + (1 - decay) * grad * grad
        moment = momentum * moment + lr * grad / xp.sqrt(mean_square + epsilon)
        return like(var, var - moment, mean_square, moment)


class ApplyCenteredRMSProp(Update):
    """RMSProp with the variance: `(var, mean_gradient, mean_square, moment, grad, lr, decay, momentum, epsilon)`.

    As `ApplyRMSProp`, with mean_square - mean_gradient^2 in place of mean_square under the root (Graves 2013), where
    mean_gradient = decay * mean_gradient + (1 - decay) * grad.

    Inputs: var, mean_gradient, mean_square and moment, Parameters of one shape; grad, a tensor of the shape of var; lr,
    decay, momentum and epsilon, tensors of shape () or numbers.

    Output: the new values of var, mean_gradient, mean_square and moment.

    Args:
        use_locking: accepted for compatibility; has no effect.

    Example:
        >>> var, mean, square, moment = (ms.Parameter(Tensor([n], ms.float32), name=f"p{n}") for n in (5, 0, 6, 2))
        >>> out = ops.ApplyCenteredRMSProp()(var, mean, square, moment, Tensor([2.0], ms.float32), 2.0, 0.5, 0.5, 0.0)
        >>> print(var.asnumpy(), mean.asnumpy(), square.asnumpy(), moment.asnumpy())
        [2.] [1.] [5.] [3.]
    """

    writes = MappingProxyType({0: 0, 1: 1, 2: 2, 3: 3})

    @prim_attr_register
    def __init__(self, use_locking: bool = False) -> None:
        self.init_prim_io_names(
            inputs=[
                "var",
                "mean_gradient",
                "mean_square",
                "moment",
                "grad",
                "learning_rate",
                "rho",
                "momentum",
                "epsilon",
            ],
            outputs=["var", "mean_gradient", "mean_square", "moment"],
        )

    def compute(
        self,
        xp: ArrayModule,
        var: Array,
        mean_gradient: Array,
        mean_square: Array,
        moment: Array,
        grad: Array,
        lr: float,
        decay: float,
        momentum: float,
        epsilon: float,
    ) -> tuple[Array, ...]:
        mean_gradient = decay * mean_gradient + (1 - decay) * grad
        mean_square = decay * mean_square + (1 - decay) * grad * grad
        moment = momentum * moment + lr * grad / xp.sqrt(mean_square - mean_gradient * mean_gradient + epsilon)
        return like(var, var - moment, mean_gradient, mean_square, moment)


class ApplyFtrl(Update):
    """Follow the regularized leader (McMahan et al. 2013): `(var, accum, linear, grad, lr, l1, l2, lr_power)`.

    new = accum + grad^2; linear += grad - (new^-lr_power - accum^-lr_power) / lr * var; accum = new;
    var = (sign(linear) * l1 - linear) / (new^-lr_power / lr + 2 * l2) where |linear| > l1, else 0.

    Inputs: var, accum and linear, Parameters of one shape; grad, a tensor of the shape of var; lr, l1, l2 and lr_power,
    tensors of shape () or numbers.

    Output: the new values of var, accum and linear.

    Args:
        use_locking: accepted for compatibility; has no effect.

    Example:
        >>> var, accum, linear = (ms.Parameter(Tensor([n], ms.float32), name=f"p{n}") for n in (1.0, 16.0, 0.0))
        >>> out = ops.ApplyFtrl()(var, accum, linear, Tensor([3.0], ms.float32), 1.0, 0.0, 0.0, -0.5)
        >>> print(var.asnumpy().round(4), accum.asnumpy(), linear.asnumpy().round(4))
        [-0.4] [25.] [2.]
    """

    writes = MappingProxyType({0: 0, 1: 1, 2: 2})

    @prim_attr_register
    def __init__(self, use_locking: bool = False) -> None:
        self.init_prim_io_names(
            inputs=["var", "accum", "linear", "grad", "lr", "l1", "l2", "lr_power"], outputs=["var", "accum", "linear"]
        )

    def compute(
        self,
        xp: ArrayModule,
        var: Array,
        accum: Array,
        linear: Array,
        grad: Array,
        lr: float,
        l1: float,
        l2: float,
        lr_power: float,
    ) -> tuple[Array, ...]:
        new = accum + grad * grad
        power = new**-lr_power
        linear = linear + grad - (power - accum**-lr_power) / lr * var
        moved = (xp.sign(linear) * l1 - linear) / (power / lr + 2 * l2)
        return like(var, xp.where(xp.absolute(linear) > l1, moved, 0), new, linear)


class ApplyAdadelta(Update):
    """Adadelta (Zeiler 2012): `(var, accum, accum_update, lr, rho, epsilon, grad)`.

    accum = rho * accum + (1 - rho) * grad^2; step = sqrt(accum_update + epsilon) / sqrt(accum + epsilon) * grad;
    accum_update = rho * accum_update + (1 - rho) * step^2; var -= lr * step.

    Inputs: var, accum and accum_update, Parameters of one shape; lr, rho and epsilon, tensors of shape () or numbers;
    grad, a tensor of the shape of var.

    Output: the new values of var, accum and accum_update.

    Example:
        >>> var, accum, moved = (ms.Parameter(Tensor([n], ms.float32), name=f"p{n}") for n in (5.0, 4.0, 16.0))
        >>> out = ops.ApplyAdadelta()(var, accum, moved, 0.5, 0.5, 0.0, Tensor([2.0], ms.float32))
        >>> print(var.asnumpy(), accum.asnumpy(), moved.asnumpy())
        [3.] [4.] [16.]
    """

    writes = MappingProxyType({0: 0, 1: 1, 2: 2})

    @prim_attr_register
    def __init__(self) -> None:
        self.init_prim_io_names(
            inputs=["var", "accum", "accum_update", "lr", "rho", "epsilon", "grad"],
            outputs=["var", "accum", "accum_update"],
        )

    def compute(
        self,
        xp: ArrayModule,
        var: Array,
        accum: Array,
        accum_update: Array,
        lr: float,
        rho: float,
        epsilon: float,
        grad: Array,
    ) -> tuple[Array, ...]:
        accum = rho * accum + (1 - rho) * grad * grad
        step = xp.sqrt(accum_update + epsilon) / xp.sqrt(accum + epsilon) * grad
        accum_update = rho * accum_update + (1 - rho) * step * step
        return like(var, var - lr * step, accum, accum_update)
