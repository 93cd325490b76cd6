"""Recurrent layers of ONNX: RNN, GRU and LSTM, in both directions, with sequences of different lengths."""

from __future__ import annotations

from collections.abc import Sequence

from framework import ops
from framework.common import dtype as mstype
from framework.common.tensor import Tensor
from framework.ir.model_values import ModelError
from framework.onnx.operators.operator_table import Floats, Strings, onnx
from framework.onnx.operators.values import tensor_of
from framework.ops.constexpr import constexpr

__all__: list[str] = []


def _activated(x: Tensor, kind: str, alpha: float | None, beta: float | None) -> Tensor:
    """An activation of a recurrent layer, by its name in ONNX."""
    name = kind.lower()
    if name == "sigmoid":
        return ops.sigmoid(x)
    if name == "tanh":
        return ops.tanh(x)
    if name == "relu":
        return ops.relu(x)
    if name == "softsign":
        return x / (ops.abs(x) + 1.0)
    if name == "softplus":
        return ops.maximum(x, 0.0) + ops.log1p(ops.exp(-ops.abs(x)))
    a, b = _constants(name, alpha, beta)
    return _scaled(x, name, a, b)


def _scaled(x: Tensor, name: str, alpha: float, beta: float) -> Tensor:
    """An activation with constants."""
    if name == "affine":
        return x * alpha + beta
    if name == "leakyrelu":
        return ops.where(ops.less(x, 0), x * alpha, x)
    if name == "thresholdedrelu":
        return ops.where(ops.greater(x, alpha), x, ops.zeros_like(x))
    if name == "scaledtanh":
        return ops.tanh(x * beta) * alpha
    if name == "hardsigmoid":
        return ops.clamp(x * alpha + beta, 0.0, 1.0)
    return ops.where(ops.less(x, 0), ops.expm1(ops.minimum(x, 0.0)) * alpha, x)


@constexpr
def _constants(name: str, alpha: float | None, beta: float | None) -> tuple[float, float]:
    """The constants of an activation, with their defaults."""
    defaults = {
        "affine": (1.0, 0.0), "leakyrelu": (0.01, 0.0), "thresholdedrelu": (1.0, 0.0), "scaledtanh": (1.0, 1.0),
        "hardsigmoid": (0.2, 0.5), "elu": (1.0, 0.0),
    }  # fmt: skip
    if name not in defaults:
        raise ModelError(f"there is no activation {name}")
    known_alpha, known_beta = defaults[name]
    return known_alpha if alpha is None else alpha, known_beta if beta is None else beta


@constexpr
def _functions(
    given: Strings | None, default: Strings, alphas: Floats | None, betas: Floats | None, direction: int
) -> tuple[tuple[str, float | None, float | None], ...]:
    """The activations of one direction, each with its alpha and beta."""
    names = given or default * 2
    takes_alpha = {"affine", "leakyrelu", "thresholdedrelu", "scaledtanh", "hardsigmoid", "elu"}
    takes_beta = {"affine", "scaledtanh", "hardsigmoid"}
    rest_a, rest_b = list(alphas or ()), list(betas or ())
    found = []
    for name in names:
        alpha = rest_a.pop(0) if rest_a and name.lower() in takes_alpha else None
        beta = rest_b.pop(0) if rest_b and name.lower() in takes_beta else None
        found.append((name, alpha, beta))
    count = len(default)
    part = found[direction * count : (direction + 1) * count]
    if len(part) != count:
        raise ModelError(f"the layer needs {count} activations for each direction, and has {list(names)}")
    return tuple(part)


@constexpr
def _directions(direction: str) -> tuple[bool, ...]:
    """For each direction, whether it reads backwards."""
    known = {"forward": (False,), "reverse": (True,), "bidirectional": (False, True)}
    if direction not in known:
        raise ModelError(f"there is no direction {direction!r}")
    return known[direction]


def _clipped(x: Tensor, bound: float | None) -> Tensor:
    return x if bound is None else ops.clamp(x, -bound, bound)


def _reversed(x: Tensor, lengths: Tensor | None) -> Tensor:
    """The steps of each sequence backwards; what is behind its end stays there."""
    if lengths is None:
        return ops.flip(x, (0,))
    steps = ops.reshape(ops.arange(0, x.shape[0], 1), (-1, 1))
    ends = ops.reshape(ops.cast(lengths, mstype.int64), (1, -1))
    places = ops.where(ops.less(steps, ends), ends - 1 - steps, steps)
    return ops.gather_elements(x, 0, ops.broadcast_to(ops.expand_dims(places, -1), x.shape))


def _kept(step: int, lengths: Tensor | None, new: Tensor, old: Tensor) -> Tensor:
    """The new state of sequences that go on, and the old one of those that have ended."""
    if lengths is None:
        return new
    return ops.where(ops.reshape(ops.greater(lengths, step), (-1, 1)), new, old)


def _output(step: int, lengths: Tensor | None, state: Tensor) -> Tensor:
    """The output of a step: zero for sequences that have ended."""
    return state if lengths is None else _kept(step, lengths, state, ops.zeros_like(state))


def _together(found: Sequence[tuple[Tensor, ...]], layout: int) -> tuple[Tensor, ...]:
    """The outputs of all directions: Y (steps, directions, batch, hidden), and each last state."""
    outputs = ops.stack([item[0] for item in found], 1)
    states = tuple([ops.stack([item[k] for item in found], 0) for k in range(1, len(found[0]))])
    if layout == 0:
        return (outputs, *states)
    return (ops.transpose(outputs, (2, 0, 1, 3)), *[ops.transpose(item, (1, 0, 2)) for item in states])


def _steps_first(x: Tensor, layout: int) -> Tensor:
    return x if layout == 0 else ops.transpose(x, (1, 0, 2))


def _first_state(x: Tensor, given: Tensor | None, direction: int, hidden: int, layout: int) -> Tensor:
    if given is None:
        return ops.broadcast_to(tensor_of(0, x.dtype), (x.shape[1], hidden))
    return _steps_first(given, layout)[direction]


def _of_steps(x: Tensor, weights: Tensor, bias: Tensor | None) -> Tensor:
    """What all steps contribute to the gates at once: (steps, batch, gates * hidden)."""
    found = ops.matmul(x, ops.transpose(weights, (1, 0)))
    return found if bias is None else found + bias


@onnx("RNN", since=7)
def rnn(
    x: Tensor,
    w: Tensor,
    r: Tensor,
    b: Tensor | None = None,
    lengths: Tensor | None = None,
    initial_h: Tensor | None = None,
    *,
    activations: Strings | None = None,
    activation_alpha: Floats | None = None,
    activation_beta: Floats | None = None,
    clip: float | None = None,
    direction: str = "forward",
    hidden_size: int | None = None,
    layout: int = 0,
) -> tuple[Tensor, ...]:
    steps, hidden = _steps_first(x, layout), r.shape[-1]
    found = []
    for place, backwards in enumerate(_directions(direction)):
        (function,) = _functions(activations, ("Tanh",), activation_alpha, activation_beta, place)
        bias = None if b is None else b[place][:hidden] + b[place][hidden:]
        given = _of_steps(_reversed(steps, lengths) if backwards else steps, w[place], bias)
        h, recurrent = _first_state(steps, initial_h, place, hidden, layout), ops.transpose(r[place], (1, 0))
        outputs = []
        for step in range(steps.shape[0]):
            new = _activated(_clipped(given[step] + ops.matmul(h, recurrent), clip), *function)
            h = _kept(step, lengths, new, h)
            outputs.append(_output(step, lengths, h))
        y = ops.stack(outputs, 0)
        found.append((_reversed(y, lengths) if backwards else y, h))
    return _together(found, layout)


@onnx("GRU", since=7)
def gru(
    x: Tensor,
    w: Tensor,
    r: Tensor,
    b: Tensor | None = None,
    lengths: Tensor | None = None,
    initial_h: Tensor | None = None,
    *,
    activations: Strings | None = None,
    activation_alpha: Floats | None = None,
    activation_beta: Floats | None = None,
    clip: float | None = None,
    direction: str = "forward",
    hidden_size: int | None = None,
    layout: int = 0,
    linear_before_reset: int = 0,
) -> tuple[Tensor, ...]:
    steps, hidden = _steps_first(x, layout), r.shape[-1]
    found = []
    for place, backwards in enumerate(_directions(direction)):
        gates, inner = _functions(activations, ("Sigmoid", "Tanh"), activation_alpha, activation_beta, place)
        bias_w = None if b is None else b[place][: 3 * hidden]
        bias_r = None if b is None else b[place][3 * hidden :]
        given = _of_steps(_reversed(steps, lengths) if backwards else steps, w[place], bias_w)
        h, recurrent = _first_state(steps, initial_h, place, hidden, layout), ops.transpose(r[place], (1, 0))
        outputs = []
        for step in range(steps.shape[0]):
            new = _gru_step(given[step], h, recurrent, bias_r, gates, inner, clip, linear_before_reset)
            h = _kept(step, lengths, new, h)
            outputs.append(_output(step, lengths, h))
        y = ops.stack(outputs, 0)
        found.append((_reversed(y, lengths) if backwards else y, h))
    return _together(found, layout)


def _gru_step(
    given: Tensor,
    h: Tensor,
    recurrent: Tensor,
    bias: Tensor | None,
    gates: tuple[str, float | None, float | None],
    inner: tuple[str, float | None, float | None],
    clip: float | None,
    linear_before_reset: int,
) -> Tensor:
    """One step of a GRU, whose gates are z, r, h."""
    hidden = h.shape[-1]
    pushed = ops.matmul(h, recurrent[:, : 2 * hidden])
    if bias is not None:
        pushed = pushed + bias[: 2 * hidden]
    both = _activated(_clipped(given[:, : 2 * hidden] + pushed, clip), *gates)
    update, reset = both[:, :hidden], both[:, hidden:]
    last = recurrent[:, 2 * hidden :]
    if linear_before_reset != 0:
        part = ops.matmul(h, last)
        part = reset * (part if bias is None else part + bias[2 * hidden :])
    else:
        part = ops.matmul(reset * h, last)
        part = part if bias is None else part + bias[2 * hidden :]
    candidate = _activated(_clipped(given[:, 2 * hidden :] + part, clip), *inner)
    return (1.0 - update) * candidate + update * h


@onnx("LSTM", since=7)
def lstm(
    x: Tensor,
    w: Tensor,
    r: Tensor,
    b: Tensor | None = None,
    lengths: Tensor | None = None,
    initial_h: Tensor | None = None,
    initial_c: Tensor | None = None,
    p: Tensor | None = None,
    *,
    activations: Strings | None = None,
    activation_alpha: Floats | None = None,
    activation_beta: Floats | None = None,
    clip: float | None = None,
    direction: str = "forward",
    hidden_size: int | None = None,
    input_forget: int = 0,
    layout: int = 0,
) -> tuple[Tensor, ...]:
    steps, hidden = _steps_first(x, layout), r.shape[-1]
    found = []
    for place, backwards in enumerate(_directions(direction)):
        functions = _functions(activations, ("Sigmoid", "Tanh", "Tanh"), activation_alpha, activation_beta, place)
        bias = None if b is None else b[place][: 4 * hidden] + b[place][4 * hidden :]
        given = _of_steps(_reversed(steps, lengths) if backwards else steps, w[place], bias)
        h = _first_state(steps, initial_h, place, hidden, layout)
        c = _first_state(steps, initial_c, place, hidden, layout)
        recurrent = ops.transpose(r[place], (1, 0))
        holes = None if p is None else p[place]
        outputs = []
        for step in range(steps.shape[0]):
            sums = given[step] + ops.matmul(h, recurrent)
            new_h, new_c = _lstm_step(sums, c, holes, functions, clip, input_forget)
            h, c = _kept(step, lengths, new_h, h), _kept(step, lengths, new_c, c)
            outputs.append(_output(step, lengths, h))
        y = ops.stack(outputs, 0)
        found.append((_reversed(y, lengths) if backwards else y, h, c))
    return _together(found, layout)


def _lstm_step(
    sums: Tensor,
    c: Tensor,
    holes: Tensor | None,
    functions: tuple[tuple[str, float | None, float | None], ...],
    clip: float | None,
    input_forget: int,
) -> tuple[Tensor, Tensor]:
    """One step of an LSTM, whose gates are i, o, f, c; peepholes are for i, o, f."""
    gate, inner, outer = functions
    hidden = c.shape[-1]
    enter, leave = sums[:, :hidden], sums[:, hidden : 2 * hidden]
    forget, cell = sums[:, 2 * hidden : 3 * hidden], sums[:, 3 * hidden :]
    if holes is not None:
        enter, forget = enter + holes[:hidden] * c, forget + holes[2 * hidden :] * c
    enter = _activated(_clipped(enter, clip), *gate)
    forget = 1.0 - enter if input_forget != 0 else _activated(_clipped(forget, clip), *gate)
    new = forget * c + enter * _activated(_clipped(cell, clip), *inner)
    if holes is not None:
        leave = leave + holes[hidden : 2 * hidden] * new
    return _activated(_clipped(leave, clip), *gate) * _activated(new, *outer), new
