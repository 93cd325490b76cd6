"""Programs whose first dimension has any length: variable batches, sequences, masks, losses, in both modes."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import framework as ms
from framework import Tensor, nn, ops

DENSE = nn.Dense(4, 5)
BATCHED_LSTM = nn.LSTM(4, 6, batch_first=True)
LSTM = nn.LSTM(4, 6)
GRU = nn.GRU(4, 6, batch_first=True)
RNN = nn.RNN(4, 6)
CONV = nn.Conv2d(1, 3, 3)
CONV1D = nn.Conv1d(4, 3, 3)
EMBEDDING = nn.Embedding(11, 4)
ATTENTION = nn.MultiheadAttention(4, 2, batch_first=True)
LENGTHS = (4, 7, 2, 4)


def images(x: Any) -> Any:
    return x.reshape(x.shape[0], 1, 2, 2)


def pairs(x: Any) -> Any:
    return ops.stack((x, x * 2), 1)


def labels(x: Any) -> Any:
    return x.argmax(1).astype(ms.int32)


def causal_attention(x: Any) -> Any:
    length = x.shape[0]
    may_see = ops.arange(length).reshape(length, 1) >= ops.arange(length).reshape(1, length)
    scores = ops.select(may_see, x @ x.T / 2.0, ops.full((length, length), -1e9, dtype=ms.float32))
    return (ops.softmax(scores, -1) @ x).mean()


def masked_attention(x: Any) -> Any:
    scores = x @ x.swapaxes(0, 1) / 2.0
    scores = ops.masked_fill(scores, ops.tril(ops.ones_like(scores)) == 0, -1e9)
    return (ops.softmax(scores, -1) @ x).sum()


def assigned(x: Any) -> Any:
    x = x * 1
    x[0] = 0
    x[1:] = x[1:] * 2
    x[:, 0] += 1
    return (x * x).sum()


def over_steps(x: Any) -> Any:
    state = ops.zeros((4,), ms.float32)
    for step in range(x.shape[0]):
        state = ops.tanh(state + x[step])
    return state.sum()


def over_rows(x: Any) -> Any:
    state = ops.zeros((4,), ms.float32)
    for row in x:
        state = ops.tanh(state + row)
    return state.sum()


Function = Callable[[Any], Any]

#: One program serves all lengths.
ONCE: dict[str, Function] = {
    "all but the first": lambda x: (x[1:] * x[:-1]).sum(),
    "first and last": lambda x: x[-1].sum() * x[0].mean(),
    "every other": lambda x: (x[::2] ** 2).sum(),
    "at most two": lambda x: (x[:2] ** 2).sum(),
    "the last two": lambda x: (x[-2:] ** 2).sum(),
    "turned around": lambda x: (x[::-1] * x).sum(),
    "new axes": lambda x: (x[..., None] * x[:, None]).sum(),
    "where positive": lambda x: x[x > 0].sum() + (x * (x > 0)).sum(),
    "assigned": assigned,
    "concat": lambda x: (ops.cat((x, x * 2), 0) ** 2).mean(),
    "concat with a constant": lambda x: (ops.cat((x, ops.ones((1, 4), ms.float32)), 0) ** 2).mean(),
    "concat of columns": lambda x: (ops.cat((x, ops.zeros((x.shape[0], 1), ms.float32)), 1) ** 2).mean(),
    "split": lambda x: (ops.split(x, 2, 1)[0] * ops.chunk(x, 2, 1)[1]).sum(),
    "stack": lambda x: (ops.stack((x, x * 2), 0) ** 2).mean(),
    "tile": lambda x: (ops.tile(x, (2, 1)) ** 2).mean(),
    "largest": lambda x: x.max(axis=1).sum() * x.max(axis=0).mean() + x.max(),
    "sorted": lambda x: (ops.sort(x, 0)[0] * x).sum() + ops.topk(x, 2)[0].sum(),
    "running sum": lambda x: (ops.cumsum(x, 0) ** 2).mean(),
    "numbered": lambda x: (x * ops.arange(x.shape[0]).reshape(-1, 1)).sum(),
    "reshaped": lambda x: (x.reshape(x.shape[0], -1) ** 2).mean() + (x.view(x.shape[0] * 2, 2).sum(1) ** 2).mean(),
    "length": lambda x: x.sum() / x.shape[0] + x.sum() / x.size + x.sum() / len(x),
    "padded": lambda x: (ops.pad(x, (0, 0, 1, 2)) ** 2).sum(),
    "chosen by length": lambda x: x.sum() if x.shape[0] > 3 else x.mean(),
    "causal attention": causal_attention,
    "masked attention": masked_attention,
    "multi-head attention": lambda x: ATTENTION(pairs(x), pairs(x), pairs(x))[0].mean(),
    "embedding": lambda x: (EMBEDDING(labels(x)) * x).sum(),
    "one hot": lambda x: (ops.one_hot(labels(x), 4) * x).sum(),
    "cross entropy": lambda x: nn.CrossEntropyLoss()(x, labels(x)),
    "sparse cross entropy": lambda x: nn.SoftmaxCrossEntropyWithLogits(True, "mean")(x, labels(x)),
    "likelihood": lambda x: ops.nll_loss(ops.log_softmax(x, 1), labels(x)),
    "squared error": lambda x: nn.MSELoss()(DENSE(x), ops.ones_like(DENSE(x))),
    "convolution": lambda x: ops.relu(CONV(images(x))).mean() + ops.avg_pool2d(images(x), 2, 2).mean(),
    "pooling": lambda x: (nn.MaxPool2d(2, 2)(CONV(images(x))) * ops.adaptive_avg_pool2d(images(x), 1)).mean(),
    "convolution over time": lambda x: CONV1D(x.T.expand_dims(0)).mean(),
    "LSTM over batches": lambda x: BATCHED_LSTM(pairs(x))[0].mean(),
    "LSTM over time": lambda x: LSTM(x.expand_dims(1))[0].mean(),
    "GRU over batches": lambda x: GRU(pairs(x))[0].mean(),
}

#: What they do needs the length.
ONCE_PER_LENGTH: dict[str, Function] = {
    "RNN over time": lambda x: RNN(x.expand_dims(1))[0].mean(),
    "loop over steps": over_steps,
    "loop over rows": over_rows,
    "repeated": lambda x: (ops.repeat_interleave(x, 2, 0) ** 2).mean(),
    "rolled": lambda x: (ops.roll(x, 1, 0) * x).sum(),
}


def check(function: Function) -> Any:
    """Compare the program for any length with PyNative mode; returns the compiled function."""
    compiled = ms.jit(function, input_signature=Tensor(shape=[None, 4], dtype=ms.float32))
    rng = np.random.default_rng(0)
    for length in LENGTHS:
        x = Tensor(rng.standard_normal((length, 4), np.float32))
        got, wanted = compiled(x), function(x)
        got, wanted = (value if isinstance(value, tuple) else (value,) for value in (got, wanted))
        for one, other in zip(got, wanted, strict=True):
            assert one.shape == other.shape
            np.testing.assert_allclose(one.asnumpy(), other.asnumpy(), rtol=2e-4, atol=2e-5)
    return compiled


@pytest.mark.parametrize("name", sorted(ONCE))
def test_one_program_serves_all_lengths(name: str) -> None:
    assert check(ONCE[name]).compilations == 1
    assert check(ms.value_and_grad(ONCE[name], 0)).compilations == 1


@pytest.mark.parametrize("name", sorted(ONCE_PER_LENGTH))
def test_what_needs_the_length_is_compiled_for_each(name: str, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "framework"):
        # The first attempt leaves the length open.
        assert check(ONCE_PER_LENGTH[name]).compilations == 1 + len(set(LENGTHS))
        assert check(ms.value_and_grad(ONCE_PER_LENGTH[name], 0)).compilations == 1 + len(set(LENGTHS))
    assert caplog.text.count("is compiled once for each length") == 2


def test_what_is_wrong_for_every_length_says_so() -> None:
    compiled = ms.jit(lambda x: x @ x, input_signature=Tensor(shape=[None, 4], dtype=ms.float32))
    with pytest.raises(ValueError, match="MatMul"):
        compiled(Tensor(np.ones((3, 4), np.float32)))
    # A length that fits is still served.
    assert compiled(Tensor(np.ones((4, 4), np.float32))).shape == (4, 4)
