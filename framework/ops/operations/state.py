"""Operators that change parameters, the updates of optimizers, and those that only order or cut the flow of values."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

from framework.common.dtype import DType
from framework.kernels import updates
from framework.ops.operations.shapes import Dims, broadcast
from framework.ops.primitive import PrimitiveWithInfer, prim_attr_register

__all__ = [
    "SGD",
    "Adam",
    "ApplyMomentum",
    "Assign",
    "AssignAdd",
    "AssignSub",
    "ControlDepend",
    "Depend",
    "StopGradient",
]


class StopGradient(PrimitiveWithInfer):
    """The value itself, through which no gradient flows.

    Inputs: x, a tensor.

    Output: x.

    Example:
        >>> x = Tensor(3.0, ms.float32)
        >>> print(ms.grad(lambda x: x * x)(x), ms.grad(lambda x: x * ops.StopGradient()(x))(x))
        6.0 3.0
    """

    arguments = ("value",)

    @prim_attr_register
    def __init__(self) -> None:
        self.init_prim_io_names(inputs=["x"], outputs=["output"])

    def infer_shape(self, x: Any) -> Any:
        return x

    def infer_dtype(self, x: Any) -> Any:
        return x

    def compute(self, xp: Any, x: Any) -> Any:
        return x


class Depend(PrimitiveWithInfer):
    """The first input, after whatever made the second has been executed.

    Inputs: value, a tensor; expr, what is executed before.

    Output: value.

    Example:
        >>> value = Tensor([1, 2])
        >>> print(ops.Depend()(value, ops.Print()("first")))
        first
        [1 2]
    """

    @prim_attr_register
    def __init__(self) -> None:
        self.init_prim_io_names(inputs=["value", "expr"], outputs=["output"])

    def infer_shape(self, value: Any, expr: Any) -> Any:
        return value

    def infer_dtype(self, value: Any, expr: Any) -> Any:
        return value

    def compute(self, xp: Any, value: Any, expr: Any) -> Any:
        return value


class ControlDepend(PrimitiveWithInfer):
    """Says that what made the first input is executed before what made the second (MindSpore 0.x).

    Operators with side effects execute in the order in which they are written anyway.

    Inputs: src and dst, tensors.

    Output: src.

    Args:
        depend_mode: recorded.

    Example:
        >>> print(ops.ControlDepend()(Tensor([1, 2]), Tensor([3])))
        [1 2]
    """

    side_effect = True

    @prim_attr_register
    def __init__(self, depend_mode: int = 0) -> None:
        self.init_prim_io_names(inputs=["src", "dst"], outputs=["output"])

    def infer_shape(self, src: Any, dst: Any) -> Any:
        return src

    def infer_dtype(self, src: Any, dst: Any) -> Any:
        return src

    def compute(self, xp: Any, src: Any, dst: Any) -> Any:
        return src


class Assign(PrimitiveWithInfer):
    """Gives a parameter another value, and returns it: variable = value.

    Inputs: variable, a Parameter; value, a tensor or a number that broadcasts to its shape.

    Output: the new value, of the shape and element type of the parameter.

    Example:
        >>> p = ms.Parameter(Tensor([1.0, 2.0], ms.float32), name="p")
        >>> out = ops.Assign()(p, Tensor([5.0, 7.0], ms.float32))
        >>> print(p.asnumpy(), out)
        [5. 7.] [5. 7.]
    """

    side_effect = True
    fresh = True
    writes = MappingProxyType({0: 0})

    @prim_attr_register
    def __init__(self) -> None:
        self.init_prim_io_names(inputs=["variable", "value"], outputs=["output"])

    def infer_shape(self, variable: Dims, value: Any) -> Dims:
        if broadcast(variable, value) != variable:
            raise ValueError(f"{self.name}: a value of shape {value} does not fit a parameter of shape {variable}")
        return variable

    def infer_dtype(self, variable: DType, value: Any) -> DType:
        return variable

    def compute(self, xp: Any, variable: Any, value: Any, *, out: Any = (None,)) -> Any:
        if out[0] is not None and type(value) in (int, float):
            return self.into(xp, out[0], value)
        self.infer_shape(variable.shape, getattr(value, "shape", ()))
        if out[0] is not None:
            return self.into(xp, out[0], value)
        return xp.broadcast_to(self.new(variable, value), variable.shape).astype(variable.dtype)

    def new(self, variable: Any, value: Any) -> Any:
        """The new value."""
        return value

    def into(self, xp: Any, variable: Any, value: Any) -> Any:
        """The variable after its elements have been changed."""
        xp.copyto(variable, value)
        return variable


class AssignAdd(Assign):
    """Adds to a parameter, and returns the sum: variable += value.

    Inputs: variable, a Parameter; value, a tensor or a number that broadcasts to its shape.

    Output: the sum, of the shape and element type of the parameter.

    Example:
        >>> p = ms.Parameter(Tensor([1.0, 2.0], ms.float32), name="p")
        >>> out = ops.AssignAdd()(p, Tensor([10.0, 20.0], ms.float32))
        >>> print(p.asnumpy())
        [11. 22.]
    """

    def new(self, variable: Any, value: Any) -> Any:
        return variable + value

    def into(self, xp: Any, variable: Any, value: Any) -> Any:
        return xp.add(variable, value, out=variable)


class AssignSub(Assign):
    """Subtracts from a parameter, and returns the difference: variable -= value.

    Inputs: variable, a Parameter; value, a tensor or a number that broadcasts to its shape.

    Output: the difference, of the shape and element type of the parameter.

    Example:
        >>> p = ms.Parameter(Tensor([10.0, 20.0], ms.float32), name="p")
        >>> out = ops.AssignSub()(p, Tensor([1.0, 2.0], ms.float32))
        >>> print(p.asnumpy())
        [ 9. 18.]
    """

    def new(self, variable: Any, value: Any) -> Any:
        return variable - value

    def into(self, xp: Any, variable: Any, value: Any) -> Any:
        return xp.subtract(variable, value, out=variable)


class Update(PrimitiveWithInfer):
    """Updates parameters from a gradient; returns their new values."""

    side_effect = True
    fresh = True

    def infer_shape(self, *shapes: Any) -> Any:
        written = tuple(shapes[position] for position in self.writes)
        return written if len(written) > 1 else written[0]

    def infer_dtype(self, *dtypes: Any) -> Any:
        written = tuple(dtypes[position] for position in self.writes)
        return written if len(written) > 1 else written[0]


class ApplyMomentum(Update):
    """Momentum: `(variable, accumulation, learning_rate, gradient, momentum)`.

    accumulation = accumulation * momentum + gradient; variable -= learning_rate * accumulation, or, with Nesterov's
    form, learning_rate * (gradient + momentum * accumulation).

    Inputs: variable and accumulation, Parameters of one shape; learning_rate, a number or a tensor of shape ();
    gradient, a tensor of the shape of the variable; momentum, as learning_rate.

    Output: the new variable and the new accumulation.

    Args:
        use_nesterov: Nesterov's form.
        use_locking: recorded.
        gradient_scale: what gradients are multiplied by.

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
    ) -> Any:
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

    parameters -= learning_rate * gradient. With momentum the step is the accumulation in place of the gradient:
    accumulation = momentum * accumulation + (1 - dampening) * gradient, where the first step, told by a `stat` above 0,
    takes the gradient as it is.

    Inputs: parameters, a Parameter; gradient, a tensor of its shape; learning_rate, a tensor of shape () or a number;
    accumulation, a Parameter of the same shape; momentum, as learning_rate; stat, a Parameter of the same shape.

    Output: the new parameters, accumulation and stat; with momentum stat becomes 0.

    Args:
        dampening: how much of the gradient is left out of the accumulation.
        weight_decay: times the parameters, added to the gradient.
        nesterov: step along gradient + momentum * accumulation.

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
            raise ValueError(f"SGD: Nesterov's form needs dampening 0, not {dampening}")

    def compute(self, xp: Any, parameters: Any, gradient: Any, rate: Any, accum: Any, momentum: Any, stat: Any) -> Any:
        number = parameters.dtype.type
        if self.weight_decay:
            gradient = gradient + parameters * number(self.weight_decay)
        # Without momentum nothing is accumulated.
        moved = xp.where(stat > 0, gradient, accum * momentum + gradient * number(1 - self.dampening))
        accum = xp.where(momentum > 0, moved, accum)
        step = xp.where(momentum > 0, gradient + accum * momentum if self.nesterov else accum, gradient)
        new = (parameters - rate * step).astype(parameters.dtype, copy=False)
        return new, accum.astype(parameters.dtype, copy=False), xp.where(momentum > 0, 0, stat).astype(stat.dtype)


class Adam(Update):
    """Adam (Kingma and Ba 2015): `(var, m, v, beta1_power, beta2_power, lr, beta1, beta2, epsilon, gradient)`.

    m = beta1 * m + (1 - beta1) * gradient; v = beta2 * v + (1 - beta2) * gradient^2, running means of the gradient and
    its square; var -= lr * sqrt(1 - beta2_power) / (1 - beta1_power) * m / (sqrt(v) + epsilon).

    Inputs: var, m and v, Parameters of one shape; beta1_power, beta2_power, lr, beta1, beta2 and epsilon, tensors of
    shape () or numbers; gradient, a tensor of the shape of var. beta1_power is beta1 to the number of the step, from 1,
    and so is beta2_power of beta2.

    Output: the new var, m and v.

    Args:
        use_locking: recorded.
        use_nesterov: use beta1 * m + (1 - beta1) * gradient in place of m.

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
        beta1_power: Any,
        beta2_power: Any,
        lr: Any,
        beta1: Any,
        beta2: Any,
        epsilon: Any,
        grad: Any,
        *,
        out: Any = (None, None, None),
    ) -> Any:
        rate = lr * xp.sqrt(1 - beta2_power) / (1 - beta1_power)
        if self.use_nesterov:
            m = xp.add(xp.multiply(beta1, m, out=out[1]), (1 - beta1) * grad, out=out[1])
            v = xp.add(xp.multiply(beta2, v, out=out[2]), (1 - beta2) * grad * grad, out=out[2])
            mean = beta1 * m + (1 - beta1) * grad
            new = xp.subtract(var, rate * mean / (xp.sqrt(v) + epsilon), out=out[0])
        else:
            new, m, v = updates.adam(xp, var, m, v, rate, beta1, beta2, epsilon, grad, out)
        return tuple(item.astype(var.dtype, copy=False) for item in (new, m, v))
