"""Changes of Parameters: assignments and the steps of optimizers. A form gives the new values, as further outputs."""

from __future__ import annotations

from framework.onnx.forms.form_table import Application, Written, form

__all__: list[str] = []


def _scalar(a: Application, place: int) -> str:
    """A number or a tensor with one element, as a scalar of the first Parameter's type."""
    found = a.of(place, a.dtype(0))
    return a.emit("Reshape", found, a.numbers()) if a.rank(place) else found


@form("Assign")
def assign(a: Application) -> Written:
    value = a.of(1, a.dtype(0))
    return value if a.shape(1) == a.shape(0) else a.emit("Expand", value, a.numbers(*a.known(0)))


@form("AssignAdd")
def assign_add(a: Application) -> Written:
    return a.emit("Add", a.of(0), a.of(1, a.dtype(0)))


@form("AssignSub")
def assign_sub(a: Application) -> Written:
    return a.emit("Sub", a.of(0), a.of(1, a.dtype(0)))


@form("ApplyGradientDescent")
def descent(a: Application) -> Written:
    return a.emit("Sub", a.of(0), a.emit("Mul", _scalar(a, 1), a.of(2, a.dtype(0))))


@form("ApplyMomentum")
def momentum(a: Application) -> Written:
    dtype = a.dtype(0)
    rate, gradient, share = _scalar(a, 2), a.of(3, dtype), _scalar(a, 4)
    if a.operator.gradient_scale != 1.0:
        gradient = a.emit("Mul", gradient, a.number(a.operator.gradient_scale, dtype))
    moved = a.emit("Add", a.emit("Mul", a.of(1, dtype), share), gradient)
    step = moved
    if a.operator.use_nesterov:
        step = a.emit("Add", gradient, a.emit("Mul", moved, share))
    return a.emit("Sub", a.of(0), a.emit("Mul", rate, step)), moved


@form("SGD")
def stochastic_descent(a: Application) -> Written:
    dtype = a.dtype(0)
    weight, gradient, rate = a.of(0), a.of(1, dtype), _scalar(a, 2)
    kept, share, stat = a.of(3, dtype), _scalar(a, 4), a.of(5)
    if a.operator.weight_decay:
        decay = a.number(float(a.operator.weight_decay), dtype)
        gradient = a.emit("Add", gradient, a.emit("Mul", weight, decay))
    has_momentum = a.emit("Greater", share, a.number(0, dtype))
    new = a.emit("Mul", gradient, a.number(1 - float(a.operator.dampening), dtype))
    moved = a.emit("Add", a.emit("Mul", kept, share), new)
    moved = a.emit("Where", a.emit("Greater", stat, a.number(0, a.dtype(5))), gradient, moved)
    moved = a.emit("Where", has_momentum, moved, kept)
    step = a.emit("Add", gradient, a.emit("Mul", moved, share)) if a.operator.nesterov else moved
    step = a.emit("Where", has_momentum, step, gradient)
    changed = a.emit("Where", has_momentum, a.number(0, a.dtype(5)), stat)
    return a.emit("Sub", weight, a.emit("Mul", rate, step)), moved, changed


def _means(a: Application, beta1: str, beta2: str, gradient: str) -> tuple[str, str, str]:
    """The running means of the gradient and its square, and the new gradient's share of the first."""
    dtype = a.dtype(0)
    one = a.number(1, dtype)
    fresh = a.emit("Mul", a.emit("Sub", one, beta1), gradient)
    m = a.emit("Add", a.emit("Mul", beta1, a.of(1, dtype)), fresh)
    squares = a.emit("Mul", a.emit("Mul", a.emit("Sub", one, beta2), gradient), gradient)
    return m, a.emit("Add", a.emit("Mul", beta2, a.of(2, dtype)), squares), fresh


@form("Adam")
def adam(a: Application) -> Written:
    dtype = a.dtype(0)
    power1, power2, lr, beta1, beta2, epsilon = (_scalar(a, place) for place in range(3, 9))
    one = a.number(1, dtype)
    rate = a.emit("Mul", lr, a.emit("Sqrt", a.emit("Sub", one, power2)))
    rate = a.emit("Div", rate, a.emit("Sub", one, power1))
    m, v, fresh = _means(a, beta1, beta2, a.of(9, dtype))
    mean = a.emit("Add", a.emit("Mul", beta1, m), fresh) if a.operator.use_nesterov else m
    step = a.emit("Div", a.emit("Mul", rate, mean), a.emit("Add", a.emit("Sqrt", v), epsilon))
    return a.emit("Sub", a.of(0), step), m, v


@form("AdamWeightDecay")
def adam_with_decay(a: Application) -> Written:
    dtype = a.dtype(0)
    lr, beta1, beta2, epsilon, decay = (_scalar(a, place) for place in range(3, 8))
    m, v, _ = _means(a, beta1, beta2, a.of(8, dtype))
    step = a.emit("Div", m, a.emit("Add", a.emit("Sqrt", v), epsilon))
    step = a.emit("Add", step, a.emit("Mul", decay, a.of(0)))
    return a.emit("Sub", a.of(0), a.emit("Mul", lr, step)), m, v
