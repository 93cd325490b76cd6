"""Attention and what belongs to it: rotary embeddings, linear attention, causal convolution with a state.

The meaning of each is that of ONNX's operator of opset 23 to 27; where a state goes on, it is an input and an output.
"""

from __future__ import annotations

import math

import numpy as np

from framework import ops
from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.common.tensor import Tensor
from framework.ir.model_values import ModelError
from framework.onnx.operators.elementwise import sigmoid
from framework.onnx.operators.operator_table import ElementType, onnx
from framework.onnx.operators.reductions import softmax
from framework.onnx.operators.values import tensor_of, type_of
from framework.ops.constexpr import constexpr

__all__: list[str] = []


@onnx("Attention", since=23)
def attention(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    mask: Tensor | None = None,
    past_key: Tensor | None = None,
    past_value: Tensor | None = None,
    lengths: Tensor | None = None,
    *,
    is_causal: int = 0,
    kv_num_heads: int | None = None,
    left_window_size: int = -1,
    q_num_heads: int | None = None,
    qk_matmul_output_mode: int = 0,
    right_window_size: int = -1,
    scale: float | None = None,
    softcap: float = 0.0,
    softmax_precision: ElementType | None = None,
) -> tuple[Tensor, ...]:
    is_flat = len(q.shape) == 3
    queries = _heads(q, q_num_heads) if is_flat else q
    keys = _heads(k, kv_num_heads) if is_flat else k
    values = _heads(v, kv_num_heads) if is_flat else v
    before = 0
    if past_key is not None and past_value is not None:
        before = past_key.shape[2]
        keys, values = ops.concat((past_key, keys), 2), ops.concat((past_value, values), 2)
    bias = _bias(queries, keys, mask, lengths, before, is_causal, left_window_size, right_window_size)
    times = queries.shape[1] // keys.shape[1]
    all_keys, all_values = _repeated(keys, times), _repeated(values, times)
    factor = _root_of_scale(scale, queries.shape[3], q.dtype)
    products = ops.matmul(queries * factor, ops.transpose(all_keys, (0, 1, 3, 2)) * factor)
    capped = ops.tanh(products / softcap) * softcap if softcap > 0.0 else products
    scores = capped if bias is None else capped + bias
    shares = _shares(scores, bias, q.dtype, softmax_precision)
    out = ops.matmul(shares, all_values)
    if is_flat:
        out = ops.reshape(ops.transpose(out, (0, 2, 1, 3)), (out.shape[0], out.shape[2], -1))
    seen = capped
    if qk_matmul_output_mode == 2:
        seen = scores
    elif qk_matmul_output_mode == 3:
        seen = shares
    return out, keys, values, seen


def _heads(x: Tensor, count: int | None) -> Tensor:
    """(batch, steps, heads * size) as (batch, heads, steps, size)."""
    if count is None:
        raise ModelError("q_num_heads and kv_num_heads must be given for inputs of three dimensions")
    return ops.transpose(ops.reshape(x, (x.shape[0], x.shape[1], count, -1)), (0, 2, 1, 3))


def _repeated(x: Tensor, times: int) -> Tensor:
    """Each head so often, one after the other."""
    return x if times == 1 else ops.repeat_interleave(x, times, 1)


@constexpr
def _root_of_scale(scale: float | None, size: int, dtype: DType) -> Tensor:
    """What queries and keys are both multiplied by."""
    return tensor_of(math.sqrt(1.0 / math.sqrt(size) if scale is None else scale), dtype)


def _shares(scores: Tensor, bias: Tensor | None, dtype: DType, precision: int | None) -> Tensor:
    """The softmax of the scores; zeros for a query that may attend to no key."""
    seen = scores if precision is None else ops.cast(scores, type_of(precision))
    if bias is None:
        return ops.cast(softmax(seen, axis=-1), dtype)
    is_closed = ops.equal(ops.amax(bias, -1, True), float("-inf"))
    open_scores = ops.where(is_closed, ops.zeros_like(seen), seen)
    found = ops.where(is_closed, ops.zeros_like(seen), softmax(open_scores, axis=-1))
    return ops.cast(found, dtype)


def _bias(
    queries: Tensor,
    keys: Tensor,
    mask: Tensor | None,
    lengths: Tensor | None,
    before: int,
    is_causal: int,
    left: int,
    right: int,
) -> Tensor | None:
    """What is added to the scores: 0 or a float mask where a query may attend to a key, else minus infinity."""
    rows, columns, bias = queries.shape[2], keys.shape[2], None
    if mask is not None:
        bias = mask if mask.dtype != mstype.bool_ else _closed(mask, queries.dtype)
        missing = columns - mask.shape[-1]
        if missing > 0:
            tail = ops.broadcast_to(tensor_of(float("-inf"), queries.dtype), _tail(mask.shape, missing))
            bias = ops.concat((bias, tail), -1)
    if is_causal == 0 and left < 0 and right < 0 and lengths is None:
        return bias
    if lengths is None:
        allowed = _window(rows, columns, before, is_causal, left, right)
        return _joined(bias, _closed(allowed, queries.dtype))
    ends = ops.reshape(ops.cast(lengths, mstype.int64), (-1, 1, 1, 1))
    offset = ends - rows if before == 0 else tensor_of(before, mstype.int64)
    distance = _distances(rows, columns) + offset
    allowed = ops.less(_numbers(columns), ends)
    if is_causal != 0:
        allowed = ops.logical_and(allowed, ops.greater_equal(distance, 0))
    if left >= 0:
        allowed = ops.logical_and(allowed, ops.less_equal(distance, left))
    if right >= 0:
        allowed = ops.logical_and(allowed, ops.less_equal(-distance, right))
    return _joined(bias, _closed(allowed, queries.dtype))


def _joined(bias: Tensor | None, more: Tensor) -> Tensor:
    return more if bias is None else bias + more


def _closed(allowed: Tensor, dtype: DType) -> Tensor:
    return ops.where(allowed, tensor_of(0, dtype), tensor_of(float("-inf"), dtype))


@constexpr
def _tail(dims: tuple[int, ...], missing: int) -> tuple[int, ...]:
    return (*dims[:-1], missing)


@constexpr
def _window(rows: int, columns: int, before: int, is_causal: int, left: int, right: int) -> Tensor:
    """Whether each query may attend to each key, from their places alone."""
    distance = np.arange(rows)[:, None] + before - np.arange(columns)[None, :]
    allowed = distance >= 0 if is_causal else np.ones_like(distance, bool)
    if left >= 0:
        allowed = allowed & (distance <= left)
    if right >= 0:
        allowed = allowed & (-distance <= right)
    return Tensor(allowed)


@constexpr
def _distances(rows: int, columns: int) -> Tensor:
    return Tensor(np.arange(rows)[:, None] - np.arange(columns)[None, :])


@constexpr
def _numbers(count: int) -> Tensor:
    return Tensor(np.arange(count))


@onnx("RotaryEmbedding", since=23)
def rotary_embedding(
    x: Tensor,
    cosines: Tensor,
    sines: Tensor,
    positions: Tensor | None = None,
    *,
    interleaved: int = 0,
    num_heads: int = 0,
    rotary_embedding_dim: int = 0,
) -> Tensor:
    steps = _heads(x, num_heads) if len(x.shape) == 3 else x
    count = steps.shape[3] if rotary_embedding_dim == 0 else rotary_embedding_dim
    half = count // 2
    cos = cosines if positions is None else ops.gather(cosines, positions, 0)
    sin = sines if positions is None else ops.gather(sines, positions, 0)
    cos, sin = ops.expand_dims(cos, 1), ops.expand_dims(sin, 1)
    turned, rest = ops.narrow(steps, 3, 0, count), ops.narrow(steps, 3, count, steps.shape[3] - count)
    if interleaved != 0:
        pairs = ops.reshape(turned, (*_first_three(turned.shape), half, 2))
        one, two = pairs[..., 0], pairs[..., 1]
        found = ops.reshape(ops.stack((cos * one - sin * two, sin * one + cos * two), -1), turned.shape)
    else:
        one, two = ops.narrow(turned, 3, 0, half), ops.narrow(turned, 3, half, half)
        found = ops.concat((cos * one - sin * two, sin * one + cos * two), 3)
    out = ops.concat((found, rest), 3) if steps.shape[3] > count else found
    return ops.reshape(ops.transpose(out, (0, 2, 1, 3)), x.shape) if len(x.shape) == 3 else out


@constexpr
def _first_three(dims: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(dims[:3])


@onnx("LinearAttention", since=27)
def linear_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    past_state: Tensor | None = None,
    decay: Tensor | None = None,
    beta: Tensor | None = None,
    *,
    chunk_size: int = 64,
    kv_num_heads: int,
    q_num_heads: int,
    scale: float = 0.0,
    update_rule: str = "gated_delta",
) -> tuple[Tensor, Tensor]:
    q, k, v = _wide(query, q_num_heads), _wide(key, kv_num_heads), _wide(value, kv_num_heads)
    factor = scale if scale != 0.0 else 1.0 / math.sqrt(q.shape[3])
    state = ops.zeros((q.shape[0], kv_num_heads, k.shape[3], v.shape[3]), mstype.float32)
    if past_state is not None:
        state = ops.cast(past_state, mstype.float32)
    gates = None if decay is None else ops.exp(_wide(decay, kv_num_heads))
    rates = None if beta is None else _wide(beta, beta.shape[2])
    outputs = []
    for step in range(q.shape[2]):
        written = v[:, :, step]
        if gates is not None:
            state = state * ops.expand_dims(gates[:, :, step], -1)
        if rates is not None:
            read = ops.sum(state * ops.expand_dims(k[:, :, step], -1), 2)
            written = rates[:, :, step] * (written - read)
        state = state + ops.expand_dims(k[:, :, step], -1) * ops.expand_dims(written, -2)
        shown = _repeated(state, q_num_heads // kv_num_heads)
        outputs.append(ops.sum(shown * ops.expand_dims(q[:, :, step], -1), 2) * factor)
    out = ops.transpose(ops.stack(outputs, 2), (0, 2, 1, 3))
    flat = ops.reshape(out, (query.shape[0], query.shape[1], -1))
    return ops.cast(flat, query.dtype), ops.cast(state, query.dtype if past_state is None else past_state.dtype)


def _wide(x: Tensor, heads: int) -> Tensor:
    return ops.cast(_heads(x, heads), mstype.float32)


@onnx("CausalConvWithState", since=27)
def causal_conv_with_state(
    x: Tensor, weight: Tensor, bias: Tensor | None = None, past: Tensor | None = None, *, activation: str = "none"
) -> tuple[Tensor, Tensor]:
    channels, before = x.shape[1], weight.shape[2] - 1
    head = ops.zeros((x.shape[0], channels, before), x.dtype) if past is None else past
    wide = ops.concat((head, x), 2) if before > 0 else x
    rows = ops.conv2d(ops.expand_dims(wide, 2), ops.expand_dims(weight, 2), bias, 1, "valid", 0, 1, channels)
    out = ops.cast(ops.squeeze(rows, 2), x.dtype)
    if activation != "none":
        seen = ops.cast(out, mstype.float32)
        out = ops.cast(seen * sigmoid(seen), x.dtype)
    return out, ops.narrow(wide, 2, wide.shape[2] - before, before)
