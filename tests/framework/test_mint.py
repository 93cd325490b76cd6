"""`framework.mint`: PyTorch's argument names; numbers against numpy, in both modes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import framework as ms
from framework import Tensor, mint, nn
from framework.mint.nn import functional as F  # noqa: N812

X = np.array([[0.5, -1.5, 2.0], [3.0, 0.25, -0.75]], np.float32)
W = np.arange(12, dtype=np.float32).reshape(4, 3) / 10


def softmax(x: Any, axis: int) -> Any:
    return np.exp(x) / np.exp(x).sum(axis, keepdims=True)


#: Functions, and what numpy gives for them.
CASES: list[tuple[Callable[[Any], Any], Any]] = [
    (lambda x: mint.max(x, dim=1, keepdim=True)[0], X.max(1, keepdims=True)),
    (lambda x: mint.max(x), X.max()),
    (lambda x: mint.min(x, x * 2), np.minimum(X, X * 2)),
    (lambda x: mint.sort(x, dim=1, descending=True)[1], np.argsort(-X, 1)),
    (lambda x: mint.cat((x, x), dim=-1), np.concatenate((X, X), -1)),
    (lambda x: mint.std(x, dim=0, correction=1), X.std(0, ddof=1)),
    (lambda x: mint.var_mean(x, dim=(0, 1))[0], X.var(ddof=1)),
    (lambda x: mint.norm(x, 3, dim=1), (np.abs(X) ** 3).sum(1) ** (1 / 3)),
    (lambda x: mint.linalg.vector_norm(x, float("inf")), np.abs(X).max()),
    (lambda x: mint.select(x, 1, -1), X[:, -1]),
    (lambda x: mint.index_select(x, dim=1, index=Tensor([2, 0])), X[:, [2, 0]]),
    (lambda x: mint.index_add(x, 1, Tensor([0, 0]), x[:, :2], alpha=2), X + np.array([[-2, 0, 0], [6.5, 0, 0]])),
    (lambda x: mint.scatter_add(x, 1, Tensor([[1], [1]]), x[:, :1]), X + np.array([[0, 0.5, 0], [0, 3, 0]])),
    (lambda x: mint.add(x, 1, alpha=3), X + 3),
    (lambda x: mint.permute(x, (-1, 0)), X.T),
    (lambda x: mint.squeeze(mint.unsqueeze(x, 1), (0, 1)), X),
    (lambda x: mint.median(x), -0.75 + 1.0),
    (lambda x: mint.take(x, Tensor([0, 5])), X.reshape(-1)[[0, 5]]),
    (lambda x: mint.meshgrid(x[0], x[1])[0], np.repeat(X[0][:, None], 3, 1)),
    (lambda x: mint.cumsum(x, dim=1), X.cumsum(1)),
    (lambda x: mint.exp2(x), np.exp2(X)),
    (lambda x: F.linear(x, Tensor(W), Tensor(W[:, 0])), X @ W.T + W[:, 0]),
    (lambda x: F.softmax(x), softmax(X, 1)),
    (lambda x: F.softmax(x[0]), softmax(X[0], 0)),
    (lambda x: F.normalize(x), X / np.sqrt((X**2).sum(1, keepdims=True))),
    (lambda x: F.leaky_relu(x), np.where(X > 0, X, X * 0.01)),
    (lambda x: F.embedding(Tensor([1, 0]), x), X[[1, 0]]),
    (lambda x: F.one_hot(Tensor([2, 0]), 3), np.eye(3)[[2, 0]]),
    (lambda x: F.avg_pool1d(x[None], 3), X.mean(1)[None, :, None]),
    (lambda x: F.max_pool2d(x[None, None], (2, 1)), X.max(0)[None, None, None]),
]


def test_functions_are_numpys() -> None:
    for place, (function, want) in enumerate(CASES):
        for run in (function, ms.jit(function)) if place % 3 == 0 else (function,):
            np.testing.assert_allclose(run(Tensor(X)).asnumpy(), want, rtol=1e-5, atol=1e-6, err_msg=str(place))


@pytest.mark.parametrize("compiled", [False, True])
def test_cells_are_those_of_nn(compiled: bool) -> None:
    x = Tensor(np.random.default_rng(0).normal(size=(2, 4, 6, 6)).astype(np.float32))
    ms.set_seed(1)
    ours = [mint.nn.Conv2d(4, 6, 3, padding=(1, 0)), mint.nn.GroupNorm(2, 6), mint.nn.ReLU(inplace=True)]
    ours += [mint.nn.MaxPool2d(2), mint.nn.Flatten(), mint.nn.Linear(36, 3), mint.nn.GELU(), mint.nn.Softmax(dim=-1)]
    ms.set_seed(1)
    theirs = [nn.Conv2d(4, 6, 3, pad_mode="pad", padding=(1, 1, 0, 0), has_bias=True), nn.GroupNorm(2, 6), nn.ReLU()]
    theirs += [nn.MaxPool2d(2, 2), nn.Flatten(), nn.Dense(36, 3), nn.GELU(approximate=False), nn.Softmax()]
    nets = [nn.SequentialCell(ours), nn.SequentialCell(theirs)]
    got, want = [(ms.jit(net) if compiled else net)(x).asnumpy() for net in nets]
    np.testing.assert_allclose(got, want, rtol=1e-5)
    assert [item.name for item in nets[0].get_parameters()][:4] == ["0.weight", "0.bias", "1.weight", "1.bias"]
    with pytest.raises(ValueError, match="padding_mode must be 'zeros'"):
        mint.nn.Conv2d(1, 1, 1, padding_mode="reflect")


def test_random_numbers() -> None:
    ms.set_seed(2)
    drawn = mint.randint(3, (40,)), mint.randperm(5), mint.rand((2, 3)), mint.normal(10.0, 0.1, (50,))
    assert (drawn[0].dtype, drawn[2].shape) == (ms.int64, (2, 3))
    assert set(drawn[0].asnumpy().tolist()) == {0, 1, 2}
    assert sorted(drawn[1].asnumpy().tolist()) == [0, 1, 2, 3, 4]
    assert abs(float(drawn[3].mean()) - 10) < 0.1
    assert mint.bernoulli(Tensor([0.0, 1.0])).tolist() == [0.0, 1.0]
    assert mint.allclose(drawn[2], drawn[2]) is True
