"""Steps of gradient descent, plain and with momentum, and the base class of all steps."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

from framework.kernels import updates
from framework.ops.arrays import Array, ArrayModule
from framework.ops.primitive import PrimitiveWithInfer, prim_attr_register

__all__ = [
    "SGD",
    "ApplyMomentum",
]


class Update(PrimitiveWithInfer):
    """Base class of operators that change Parameters in place and return their new values."""

    side_effect = True
    fresh = True

    def infer_shape(self, *shapes: object) -> Any:
        written = tuple(shapes[position] for position in self.writes)
        return written if len(written) > 1 else written[0]

    def infer_dtype(self, *dtypes: object) -> Any:
        written = tuple(dtypes[position] for position in self.writes)
        return written if len(written) > 1 else written[0]


class ApplyMomentum(Update):
    """Momentum: `(variable, accumulation, learning_rate, gradient, momentum)`.

    accumulation = accumulation * momentum + gradient; variable -= learning_rate * accumulation. With Nesterov's
    momentum, variable -= learning_rate * (gradient + momentum * accumulation).

    Inputs: variable and accumulation, Parameters of one shape; learning_rate, a number or a tensor of shape ();
    gradient, a tensor of the shape of the variable; momentum, as learning_rate.

    Output: the new values of variable and accumulation.

    Args:
        use_nesterov: use Nesterov's momentum.
        use_locking: accepted for compatibility; has no effect.
        gradient_scale: factor of the gradient.

    Example:
        >>> p = ms.Parameter(Tensor([1.0], ms.float32), name="p")
        >>> kept = ms.Parameter(Tensor([2.0], ms.float32), name="kept")
        >>> out = ops.ApplyMomentum()(p, kept, 0.25, Tensor([3.0], ms.float32), 0.5)
        >>> print(p.asnumpy(), kept.asnumpy())
        [0.] [4.]
    """

    writes = MappingProxyType({0: 0, 1: 1})

    @prim_attr_register
    def __init__(self, use_nesterov: bool = False, use_locking: bool = False, gradient_scale: float = 1.0) -> None:
        self.init_prim_io_names(
            inputs=["variable", "accumulation", "learning_rate", "gradient", "momentum"], outputs=["output", "moment"]
        )

    def compute(
        self,
        xp: Any,
        variable: Any,
        accumulation: Any,
        rate: Any,
        gradient: Any,
        momentum: Any,
        *,
        out: Any = (None, None),
    ) -> tuple[Array, ...]:
        if self.gradient_scale != 1.0:
            gradient = gradient * gradient.dtype.type(self.gradient_scale)
        if self.use_nesterov:
            accumulation = xp.add(xp.multiply(accumulation, momentum, out=out[1]), gradient, out=out[1])
            new = xp.subtract(variable, rate * (gradient + accumulation * momentum), out=out[0])
        else:
            new, accumulation = updates.momentum(xp, variable, accumulation, rate, gradient, momentum, out)
        if new.dtype is variable.dtype is accumulation.dtype:
            return new, accumulation
        return new.astype(variable.dtype, copy=False), accumulation.astype(variable.dtype, copy=False)


class SGD(Update):
    """Stochastic gradient descent: `(parameters, gradient, learning_rate, accumulation, momentum, stat)`.

    parameters -= learning_rate * gradient. With momentum the accumulation takes the place of the gradient:
    accumulation = momentum * accumulation + (1 - dampening) * gradient. In the first step, which `stat` above 0 marks,
    the accumulation is the gradient.

    Inputs: parameters, a Parameter; gradient, a tensor of its shape; learning_rate, a tensor of shape () or a number;
    accumulation, a Parameter of the same shape; momentum, as learning_rate; stat, a Parameter of the same shape.

    Output: the new values of parameters, accumulation and stat; with momentum stat becomes 0.

    Args:
        dampening: fraction of the gradient that is left out of the accumulation.
        weight_decay: factor of the parameters that is added to the gradient.
        nesterov: use gradient + momentum * accumulation in place of the accumulation.

    Example:
        >>> p, kept, stat = (ms.Parameter(Tensor([n], ms.float32), name=f"p{n}") for n in (1.0, 2.0, 0.0))
        >>> out = ops.SGD()(p, Tensor([3.0], ms.float32), 0.25, kept, 0.5, stat)
        >>> print(p.asnumpy(), kept.asnumpy())
        [0.] [4.]
    """

    writes = MappingProxyType({0: 0, 3: 1, 5: 2})

    @prim_attr_register
    def __init__(self, dampening: float = 0.0, weight_decay: float = 0.0, nesterov: bool = False) -> None:
        self.init_prim_io_names(
            inputs=["parameters", "gradient", "learning_rate", "accum", "momentum", "stat"],
            outputs=["output", "accum", "stat"],
        )
        if nesterov and dampening:
            raise ValueError(f"SGD: Nesterov's momentum needs dampening 0, not {dampening}")

    def compute(
        self,
        xp: ArrayModule,
        parameters: Array,
        gradient: Array,
        rate: float,
        accum: Array,
        momentum: float,
        stat: Array,
    ) -> tuple[Array, ...]:
        number = parameters.dtype.type
        if self.weight_decay:
            gradient = gradient + parameters * number(self.weight_decay)
        # Without momentum there is no accumulation.
        moved = xp.where(stat > 0, gradient, accum * momentum + gradient * number(1 - self.dampening))
        accum = xp.where(momentum > 0, moved, accum)
        step = xp.where(momentum > 0, gradient + accum * momentum if self.nesterov else accum, gradient)
        new = (parameters - rate * step).astype(parameters.dtype, copy=False)
        return new, accum.astype(parameters.dtype, copy=False), xp.where(momentum > 0, 0, stat).astype(stat.dtype)
