"""The updates of optimizers beyond SGD, Momentum and Adam; each changes a parameter and what is kept beside it."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

from framework.ops.operations.state import Update
from framework.ops.primitive import prim_attr_register

__all__ = [
    "AdamWeightDecay",
    "ApplyAdaMax",
    "ApplyAdadelta",
    "ApplyAdagrad",
    "ApplyAdamWithAmsgrad",
    "ApplyCenteredRMSProp",
    "ApplyFtrl",
    "ApplyProximalAdagrad",
    "ApplyRMSProp",
    "Lamb",
]


def _like(var: Any, *values: Any) -> tuple[Any, ...]:
    """New values in the parameter's element type."""
    return tuple(value.astype(var.dtype, copy=False) for value in values)


class ApplyAdagrad(Update):
    """Adagrad (Duchi et al. 2011): `(var, accum, lr, grad)`.

    accum += grad^2; var -= lr * grad / sqrt(accum).

    Args:
        update_slots: whether accum changes.

    """

    writes = MappingProxyType({0: 0, 1: 1})

    @prim_attr_register
    def __init__(self, update_slots: bool = True) -> None:
        self.init_prim_io_names(inputs=["var", "accum", "lr", "grad"], outputs=["var", "accum"])

    def compute(self, xp: Any, var: Any, accum: Any, lr: Any, grad: Any) -> Any:
        if self.update_slots:
            accum = accum + grad * grad
        return _like(var, var - lr * grad / xp.sqrt(accum), accum)


class ApplyProximalAdagrad(Update):
    """Adagrad with l1 and l2 (Duchi and Singer 2009): `(var, accum, lr, l1, l2, grad)`.

    accum += grad^2; with rate = lr / sqrt(accum) and p = var - rate * grad,
    var = sign(p) * max(|p| - rate * l1, 0) / (1 + rate * l2).

    Args:
        use_locking: recorded.

    """

    writes = MappingProxyType({0: 0, 1: 1})

    @prim_attr_register
    def __init__(self, use_locking: bool = False) -> None:
        self.init_prim_io_names(inputs=["var", "accum", "lr", "l1", "l2", "grad"], outputs=["var", "accum"])

    def compute(self, xp: Any, var: Any, accum: Any, lr: Any, l1: Any, l2: Any, grad: Any) -> Any:
        accum = accum + grad * grad
        rate = lr / xp.sqrt(accum)
        moved = var - rate * grad
        new = xp.sign(moved) * xp.maximum(xp.absolute(moved) - rate * l1, 0) / (1 + rate * l2)
        return _like(var, new, accum)


class ApplyRMSProp(Update):
    """RMSProp (Hinton 2012): `(var, mean_square, moment, lr, grad, decay, momentum, epsilon)`.

    mean_square = decay * mean_square + (1 - decay) * grad^2;
    moment = momentum * moment + lr * grad / sqrt(mean_square + epsilon); var -= moment.

    Args:
        use_locking: recorded.

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
        xp: Any,
        var: Any,
        mean_square: Any,
        moment: Any,
        lr: Any,
        grad: Any,
        decay: Any,
        momentum: Any,
        epsilon: Any,
    ) -> Any:
        mean_square = decay * mean_square + (1 - decay) * grad * grad
        moment = momentum * moment + lr * grad / xp.sqrt(mean_square + epsilon)
        return _like(var, var - moment, mean_square, moment)


class ApplyCenteredRMSProp(Update):
    """RMSProp with the variance: `(var, mean_gradient, mean_square, moment, grad, lr, decay, momentum, epsilon)`.

    As `ApplyRMSProp`, with mean_square - mean_gradient^2 in place of mean_square under the root (Graves 2013).

    Args:
        use_locking: recorded.

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
        xp: Any,
        var: Any,
        mean_gradient: Any,
        mean_square: Any,
        moment: Any,
        grad: Any,
        lr: Any,
        decay: Any,
        momentum: Any,
        epsilon: Any,
    ) -> Any:
        mean_gradient = decay * mean_gradient + (1 - decay) * grad
        mean_square = decay * mean_square + (1 - decay) * grad * grad
        moment = momentum * moment + lr * grad / xp.sqrt(mean_square - mean_gradient * mean_gradient + epsilon)
        return _like(var, var - moment, mean_gradient, mean_square, moment)


class ApplyFtrl(Update):
    """Follow the regularized leader (McMahan et al. 2013): `(var, accum, linear, grad, lr, l1, l2, lr_power)`.

    new = accum + grad^2; linear += grad - (new^-lr_power - accum^-lr_power) / lr * var;
    var = (sign(linear) * l1 - linear) / (new^-lr_power / lr + 2 * l2) where |linear| > l1, else 0.

    Args:
        use_locking: recorded.

    """

    writes = MappingProxyType({0: 0, 1: 1, 2: 2})

    @prim_attr_register
    def __init__(self, use_locking: bool = False) -> None:
        self.init_prim_io_names(
            inputs=["var", "accum", "linear", "grad", "lr", "l1", "l2", "lr_power"], outputs=["var", "accum", "linear"]
        )

    def compute(
        self, xp: Any, var: Any, accum: Any, linear: Any, grad: Any, lr: Any, l1: Any, l2: Any, lr_power: Any
    ) -> Any:
        new = accum + grad * grad
        power = new**-lr_power
        linear = linear + grad - (power - accum**-lr_power) / lr * var
        moved = (xp.sign(linear) * l1 - linear) / (power / lr + 2 * l2)
        return _like(var, xp.where(xp.absolute(linear) > l1, moved, 0), new, linear)


class ApplyAdaMax(Update):
    """Adam in the maximum norm (Kingma and Ba 2015): `(var, m, v, beta1_power, lr, beta1, beta2, epsilon, grad)`.

    m = beta1 * m + (1 - beta1) * grad; v = max(beta2 * v, |grad|);
    var -= lr / (1 - beta1_power) * m / (v + epsilon).
    """

    writes = MappingProxyType({0: 0, 1: 1, 2: 2})

    @prim_attr_register
    def __init__(self) -> None:
        self.init_prim_io_names(
            inputs=["var", "m", "v", "beta1_power", "lr", "beta1", "beta2", "epsilon", "grad"],
            outputs=["var", "m", "v"],
        )

    def compute(
        self,
        xp: Any,
        var: Any,
        m: Any,
        v: Any,
        beta1_power: Any,
        lr: Any,
        beta1: Any,
        beta2: Any,
        epsilon: Any,
        grad: Any,
    ) -> Any:
        m = beta1 * m + (1 - beta1) * grad
        v = xp.maximum(beta2 * v, xp.absolute(grad))
        return _like(var, var - lr / (1 - beta1_power) * m / (v + epsilon), m, v)


class ApplyAdadelta(Update):
    """Adadelta (Zeiler 2012): `(var, accum, accum_update, lr, rho, epsilon, grad)`.

    accum = rho * accum + (1 - rho) * grad^2; step = sqrt(accum_update + epsilon) / sqrt(accum + epsilon) * grad;
    accum_update = rho * accum_update + (1 - rho) * step^2; var -= lr * step.
    """

    writes = MappingProxyType({0: 0, 1: 1, 2: 2})

    @prim_attr_register
    def __init__(self) -> None:
        self.init_prim_io_names(
            inputs=["var", "accum", "accum_update", "lr", "rho", "epsilon", "grad"],
            outputs=["var", "accum", "accum_update"],
        )

    def compute(
        self, xp: Any, var: Any, accum: Any, accum_update: Any, lr: Any, rho: Any, epsilon: Any, grad: Any
    ) -> Any:
        accum = rho * accum + (1 - rho) * grad * grad
        step = xp.sqrt(accum_update + epsilon) / xp.sqrt(accum + epsilon) * grad
        accum_update = rho * accum_update + (1 - rho) * step * step
        return _like(var, var - lr * step, accum, accum_update)


class ApplyAdamWithAmsgrad(Update):
    """AMSGrad (Reddi et al. 2018): `(var, m, v, vhat, beta1_power, beta2_power, lr, beta1, beta2, epsilon, grad)`.

    As `Adam`, with the largest v so far, vhat, under the root.

    Args:
        use_locking: recorded.

    """

    writes = MappingProxyType({0: 0, 1: 1, 2: 2, 3: 3})

    @prim_attr_register
    def __init__(self, use_locking: bool = False) -> None:
        self.init_prim_io_names(
            inputs=["var", "m", "v", "vhat", "beta1_power", "beta2_power", "lr", "beta1", "beta2", "epsilon", "grad"],
            outputs=["var", "m", "v", "vhat"],
        )

    def compute(
        self,
        xp: Any,
        var: Any,
        m: Any,
        v: Any,
        vhat: Any,
        beta1_power: Any,
        beta2_power: Any,
        lr: Any,
        beta1: Any,
        beta2: Any,
        epsilon: Any,
        grad: Any,
    ) -> Any:
        m = beta1 * m + (1 - beta1) * grad
        v = beta2 * v + (1 - beta2) * grad * grad
        vhat = xp.maximum(vhat, v)
        rate = lr * xp.sqrt(1 - beta2_power) / (1 - beta1_power)
        return _like(var, var - rate * m / (xp.sqrt(vhat) + epsilon), m, v, vhat)


class AdamWeightDecay(Update):
    """Adam with decoupled weight decay and uncorrected means: `(var, m, v, lr, beta1, beta2, epsilon, decay, grad)`.

    m and v as in `Adam`; var -= lr * (m / (sqrt(v) + epsilon) + decay * var) (Loshchilov and Hutter 2019; without the
    correction of the means as in BERT).

    Args:
        use_locking: recorded.

    """

    writes = MappingProxyType({0: 0, 1: 1, 2: 2})

    @prim_attr_register
    def __init__(self, use_locking: bool = False) -> None:
        self.init_prim_io_names(
            inputs=["var", "m", "v", "lr", "beta1", "beta2", "epsilon", "decay", "grad"], outputs=["var", "m", "v"]
        )

    def compute(
        self, xp: Any, var: Any, m: Any, v: Any, lr: Any, beta1: Any, beta2: Any, epsilon: Any, decay: Any, grad: Any
    ) -> Any:
        m = beta1 * m + (1 - beta1) * grad
        v = beta2 * v + (1 - beta2) * grad * grad
        return _like(var, var - lr * (m / (xp.sqrt(v) + epsilon) + decay * var), m, v)


class Lamb(Update):
    """Layer-wise adaptive moments (You et al. 2020): `(var, m, v, lr, beta1, beta2, epsilon, decay, step, grad)`.

    r = m / (1 - beta1^step) / (sqrt(v / (1 - beta2^step)) + epsilon) + decay * var;
    var -= lr * |var| / |r| * r, where a norm of 0 counts as 1 in both.
    """

    writes = MappingProxyType({0: 0, 1: 1, 2: 2})

    @prim_attr_register
    def __init__(self) -> None:
        self.init_prim_io_names(
            inputs=["var", "m", "v", "lr", "beta1", "beta2", "epsilon", "decay", "global_step", "grad"],
            outputs=["var", "m", "v"],
        )

    def compute(
        self,
        xp: Any,
        var: Any,
        m: Any,
        v: Any,
        lr: Any,
        beta1: Any,
        beta2: Any,
        epsilon: Any,
        decay: Any,
        step: Any,
        grad: Any,
    ) -> Any:
        m = beta1 * m + (1 - beta1) * grad
        v = beta2 * v + (1 - beta2) * grad * grad
        r = m / (1 - beta1**step) / (xp.sqrt(v / (1 - beta2**step)) + epsilon) + decay * var
        whole, of_step = xp.sqrt((var * var).sum()), xp.sqrt((r * r).sum())
        usual = (whole > 0) & (of_step > 0)
        trust = xp.where(usual, whole / xp.where(usual, of_step, 1), 1)
        return _like(var, var - lr * trust * r, m, v)
