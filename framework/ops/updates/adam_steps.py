"""Steps of Adam and its variants: AdaMax, AMSGrad, AdamW and LAMB."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

from framework.kernels import updates
from framework.ops.arrays import Array, ArrayModule
from framework.ops.primitive import prim_attr_register
from framework.ops.updates.adaptive_steps import like
from framework.ops.updates.momentum_steps import Update

__all__ = [
    "Adam",
    "AdamWeightDecay",
    "ApplyAdaMax",
    "ApplyAdamWithAmsgrad",
    "Lamb",
]


class Adam(Update):
    """Adam (Kingma and Ba 2015): `(var, m, v, beta1_power, beta2_power, lr, beta1, beta2, epsilon, gradient)`.

    m = beta1 * m + (1 - beta1) * gradient; v = beta2 * v + (1 - beta2) * gradient^2, running means of the gradient and
    its square; var -= lr * sqrt(1 - beta2_power) / (1 - beta1_power) * m / (sqrt(v) + epsilon).

    Inputs: var, m and v, Parameters of one shape; beta1_power, beta2_power, lr, beta1, beta2 and epsilon, tensors of
    shape () or numbers; gradient, a tensor of the shape of var. beta1_power is beta1^t in
    step t, which counts from 1, and beta2_power is beta2^t.

    Output: the new values of var, m and v.

    Args:
        use_locking: accepted for compatibility; has no effect.
        use_nesterov: use beta1 * m + (1 - beta1) * gradient in place of m (Dozat 2016).

    Example:
        >>> var, m, v = (ms.Parameter(Tensor([n], ms.float32), name=f"p{n}") for n in (1.0, 0.0, 16.0))
        >>> out = ops.Adam()(var, m, v, 0.5, 0.75, 0.25, 0.5, 0.75, 0.0, Tensor([4.0], ms.float32))
        >>> print(var.asnumpy(), m.asnumpy(), v.asnumpy())
        [0.875] [2.] [16.]
    """

    writes = MappingProxyType({0: 0, 1: 1, 2: 2})

    @prim_attr_register
    def __init__(self, use_locking: bool = False, use_nesterov: bool = False) -> None:
        self.init_prim_io_names(
            inputs=["var", "m", "v", "beta1_power", "beta2_power", "lr", "beta1", "beta2", "epsilon", "grad"],
            outputs=["var", "m", "v"],
        )

    def compute(
        self,
        xp: Any,
        var: Any,
        m: Any,
        v: Any,
        beta1_power: float,
        beta2_power: float,
        lr: float,
        beta1: Any,
        beta2: Any,
        epsilon: Any,
        grad: Any,
        *,
        out: Any = (None, None, None),
    ) -> tuple[Array, ...]:
        rate = lr * xp.sqrt(1 - beta2_power) / (1 - beta1_power)
        if self.use_nesterov:
            m = xp.add(xp.multiply(beta1, m, out=out[1]), (1 - beta1) * grad, out=out[1])
            v = xp.add(xp.multiply(beta2, v, out=out[2]), (1 - beta2) * grad * grad, out=out[2])
            mean = beta1 * m + (1 - beta1) * grad
            new = xp.subtract(var, rate * mean / (xp.sqrt(v) + epsilon), out=out[0])
        else:
            new, m, v = updates.adam(xp, var, m, v, rate, beta1, beta2, epsilon, grad, out)
        return tuple(item.astype(var.dtype, copy=False) for item in (new, m, v))


class ApplyAdaMax(Update):
    """Adam in the maximum norm (Kingma and Ba 2015): `(var, m, v, beta1_power, lr, beta1, beta2, epsilon, grad)`.

    m = beta1 * m + (1 - beta1) * grad; v = max(beta2 * v, |grad|);
    var -= lr / (1 - beta1_power) * m / (v + epsilon).

    Inputs: the parameters var, m and v of one shape and floating-point type; beta1_power = beta1^t in step t, lr,
    beta1, beta2 and epsilon, numbers or tensors of one element; grad, a tensor of var's shape.
    Output: the new values of var, m and v, of the element type of var. The parameters change in place.

    Example:
        >>> var, m, v = (ms.Parameter(Tensor([number])) for number in (1.0, 0.0, 0.0))
        >>> out = ops.ApplyAdaMax()(var, m, v, 0.5, 0.5, 0.5, 0.5, 1e-8, Tensor([2.0]))
        >>> print(var.asnumpy(), m.asnumpy(), v.asnumpy())
        [0.5] [1.] [2.]
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
        xp: ArrayModule,
        var: Array,
        m: Array,
        v: Array,
        beta1_power: float,
        lr: float,
        beta1: float,
        beta2: float,
        epsilon: float,
        grad: Array,
    ) -> tuple[Array, ...]:
        m = beta1 * m + (1 - beta1) * grad
        v = xp.maximum(beta2 * v, xp.absolute(grad))
        return like(var, var - lr / (1 - beta1_power) * m / (v + epsilon), m, v)


class ApplyAdamWithAmsgrad(Update):
    """AMSGrad (Reddi et al. 2018): `(var, m, v, vhat, beta1_power, beta2_power, lr, beta1, beta2, epsilon, grad)`.

    As `Adam`, with the maximum of v so far, vhat, under the root:
    m = beta1 * m + (1 - beta1) * grad; v = beta2 * v + (1 - beta2) * grad^2; vhat = max(vhat, v);
    var -= lr * sqrt(1 - beta2_power) / (1 - beta1_power) * m / (sqrt(vhat) + epsilon).

    Args:
        use_locking: accepted for compatibility; has no effect.

    Inputs: the parameters var, m, v and vhat of one shape and floating-point type; beta1_power = beta1^t and
    beta2_power = beta2^t in step t, lr, beta1, beta2 and epsilon, numbers or tensors of one element; grad, a tensor of
    var's shape.
    Output: the new values of var, m, v and vhat, of the element type of var. The parameters change in place.

    Example:
        >>> var, m, v, vhat = (ms.Parameter(Tensor([number])) for number in (1.0, 0.0, 0.0, 8.0))
        >>> out = ops.ApplyAdamWithAmsgrad()(var, m, v, vhat, 0.5, 0.5, 0.5, 0.5, 0.5, 1e-8, Tensor([2.0]))
        >>> print(var.asnumpy(), m.asnumpy(), v.asnumpy(), vhat.asnumpy())
        [0.75] [1.] [2.] [8.]
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
        xp: ArrayModule,
        var: Array,
        m: Array,
        v: Array,
        vhat: Array,
        beta1_power: float,
        beta2_power: float,
        lr: float,
        beta1: float,
        beta2: float,
        epsilon: float,
        grad: Array,
    ) -> tuple[Array, ...]:
        m = beta1 * m + (1 - beta1) * grad
        v = beta2 * v + (1 - beta2) * grad * grad
        vhat = xp.maximum(vhat, v)
        rate = lr * xp.sqrt(1 - beta2_power) / (1 - beta1_power)
        return like(var, var - rate * m / (xp.sqrt(vhat) + epsilon), m, v, vhat)


class AdamWeightDecay(Update):
    """Adam with decoupled weight decay and uncorrected means: `(var, m, v, lr, beta1, beta2, epsilon, decay, grad)`.

    m = beta1 * m + (1 - beta1) * grad; v = beta2 * v + (1 - beta2) * grad^2;
    var -= lr * (m / (sqrt(v) + epsilon) + decay * var) (Loshchilov and Hutter 2019). As in
    BERT, the means are not bias-corrected.

    Args:
        use_locking: accepted for compatibility; has no effect.

    Inputs: the parameters var, m and v of one shape and floating-point type; lr, beta1, beta2, epsilon and decay,
    numbers or tensors of one element; grad, a tensor of var's shape.
    Output: the new values of var, m and v, of the element type of var. The parameters change in place.

    Example:
        >>> var, m, v = (ms.Parameter(Tensor([number])) for number in (1.0, 0.0, 0.0))
        >>> out = ops.AdamWeightDecay()(var, m, v, 0.5, 0.5, 0.75, 1e-8, 0.5, Tensor([2.0]))
        >>> print(var.asnumpy(), m.asnumpy(), v.asnumpy())
        [0.25] [1.] [1.]
    """

    writes = MappingProxyType({0: 0, 1: 1, 2: 2})

    @prim_attr_register
    def __init__(self, use_locking: bool = False) -> None:
        self.init_prim_io_names(
            inputs=["var", "m", "v", "lr", "beta1", "beta2", "epsilon", "decay", "grad"], outputs=["var", "m", "v"]
        )

    def compute(
        self,
        xp: ArrayModule,
        var: Array,
        m: Array,
        v: Array,
        lr: float,
        beta1: float,
        beta2: float,
        epsilon: float,
        decay: float,
        grad: Array,
    ) -> tuple[Array, ...]:
        m = beta1 * m + (1 - beta1) * grad
        v = beta2 * v + (1 - beta2) * grad * grad
        return like(var, var - lr * (m / (xp.sqrt(v) + epsilon) + decay * var), m, v)


class Lamb(Update):
    """Layer-wise adaptive moments (You et al. 2020): `(var, m, v, lr, beta1, beta2, epsilon, decay, step, grad)`.

    m = beta1 * m + (1 - beta1) * grad; v = beta2 * v + (1 - beta2) * grad^2;
    r = m / (1 - beta1^step) / (sqrt(v / (1 - beta2^step)) + epsilon) + decay * var;
    var -= lr * |var| / |r| * r, where a norm of 0 is replaced by 1.

    Inputs: the parameters var, m and v of one shape and floating-point type; lr, beta1, beta2, epsilon, decay and step,
    which counts from 1, numbers or tensors of one element; grad, a tensor of var's shape.
    Output: the new values of var, m and v, of the element type of var. The parameters change in place.

    Example:
        >>> var = ms.Parameter(Tensor([3.0, 4.0]))
        >>> m, v = (ms.Parameter(Tensor([0.0, 0.0])) for _ in range(2))
        >>> out = ops.Lamb()(var, m, v, 0.5, 0.5, 0.5, 1e-8, 0.0, 1, Tensor([2.0, 0.0]))
        >>> print(var.asnumpy())
        [0.5 4. ]
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
        xp: ArrayModule,
        var: Array,
        m: Array,
        v: Array,
        lr: float,
        beta1: float,
        beta2: float,
        epsilon: float,
        decay: float,
        step: int,
        grad: Array,
    ) -> tuple[Array, ...]:
        m = beta1 * m + (1 - beta1) * grad
        v = beta2 * v + (1 - beta2) * grad * grad
        r = m / (1 - beta1**step) / (xp.sqrt(v / (1 - beta2**step)) + epsilon) + decay * var
        whole, of_step = xp.sqrt((var * var).sum()), xp.sqrt((r * r).sum())
        usual = (whole > 0) & (of_step > 0)
        trust = xp.where(usual, whole / xp.where(usual, of_step, 1), 1)
        return like(var, var - lr * trust * r, m, v)
