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
    (lambda x: mint.squeeze(x[None], 1), X[None]),
    (lambda x: mint.scatter(x, 1, Tensor([[0], [2]]), 1.5), np.array([[1.5, -1.5, 2.0], [3.0, 0.25, 1.5]])),
    (lambda x: mint.div(mint.floor(x), 2, rounding_mode="trunc"), np.trunc(np.floor(X) / 2)),
    (lambda x: mint.bitwise_not(x > 0), ~(X > 0)),
    (lambda x: mint.kthvalue(x, 2, 1)[0], np.sort(X, 1)[:, 1]),
    (lambda x: mint.unique(mint.floor(x), return_counts=True)[1], np.unique(np.floor(X), return_counts=True)[1]),
    (lambda x: mint.unique(mint.floor(x), return_inverse=True)[1], np.array([[2, 0, 3], [4, 2, 1]])),
    (lambda x: mint.linalg.matrix_norm(x), np.linalg.norm(X)),
    (lambda x: mint.linalg.norm(x, 2), np.linalg.norm(X, 2)),
    (lambda x: mint.special.exp2(x), np.exp2(X)),
    (lambda x: F.smooth_l1_loss(x, x * 3, beta=2.0), np.where(np.abs(X) < 1, X**2, np.abs(2 * X) - 1).mean()),
    (lambda x: F.softplus(x), np.log1p(np.exp(X))),
]

#: Functions whose results are whole numbers of 64 bits, as PyTorch's are.
LONG: list[Callable[[Any], Any]] = [
    lambda x: mint.topk(x, 2)[1],
    lambda x: mint.cummax(x, 1)[1],
    lambda x: mint.cummin(x, 1)[1],
    lambda x: mint.kthvalue(x, 1)[1],
    lambda x: mint.bincount(mint.floor(mint.abs(x)).astype(ms.int64).reshape(-1)),
    lambda x: mint.div(Tensor([7, -7]), 2, rounding_mode="trunc"),
]


@pytest.mark.parametrize("compiled", [False, True])
def test_places_and_counts_are_int64(compiled: bool) -> None:
    for place, function in enumerate(LONG):
        assert (ms.jit(function) if compiled else function)(Tensor(X)).dtype == ms.int64, place
    assert mint.div(Tensor([7, -7]), 2, rounding_mode="trunc").asnumpy().tolist() == [3, -3]
    assert mint.equal(Tensor(X), Tensor(X))
    assert not mint.equal(Tensor(X), Tensor(X[0]))
    assert mint.zeros(2, 3).shape == mint.ones((2, 3)).shape
    with pytest.raises(NotImplementedError, match="`dim` must be None"):
        mint.unique(Tensor(X), dim=0)


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


@pytest.mark.parametrize("compiled", [False, True])
def test_batch_norm_keeps_its_statistics_under_pytorchs_names(compiled: bool) -> None:
    x = np.random.default_rng(0).normal(size=(3, 2, 4, 4)).astype(np.float32)
    net = mint.nn.BatchNorm2d(2, momentum=0.3).set_train()
    run = ms.jit(net) if compiled else net
    mean, variance = x.mean((0, 2, 3)), x.var((0, 2, 3))
    along = (1, 2, 1, 1)
    want = (x - mean.reshape(along)) / np.sqrt(variance.reshape(along) + 1e-5)
    np.testing.assert_allclose(run(Tensor(x)).asnumpy(), want, atol=1e-5)
    state = net.parameters_dict()
    assert list(state) == ["weight", "bias", "running_mean", "running_var", "num_batches_tracked"]
    np.testing.assert_allclose(state["running_mean"].asnumpy(), 0.3 * mean, atol=1e-6)
    np.testing.assert_allclose(state["running_var"].asnumpy(), 0.7 + 0.3 * x.var((0, 2, 3), ddof=1), atol=1e-5)
    assert state["num_batches_tracked"].asnumpy() == 1
    free = mint.nn.BatchNorm2d(2, affine=False, track_running_stats=False).set_train(False)
    np.testing.assert_allclose((ms.jit(free) if compiled else free)(Tensor(x)).asnumpy(), want, atol=1e-5)
    assert not free.parameters_dict()
    with pytest.raises(ValueError, match="are required"):
        F.batch_norm(Tensor(x), None, None)


@pytest.mark.parametrize("compiled", [False, True])
def test_transposed_convolution_is_the_transpose_of_the_convolution(compiled: bool) -> None:
    random = np.random.default_rng(1)
    net = mint.nn.ConvTranspose2d(4, 6, (3, 2), stride=2, padding=1, output_padding=1, groups=2, bias=False)
    x = random.normal(size=(2, 4, 5, 5)).astype(np.float32)
    y = (ms.jit(net) if compiled else net)(Tensor(x)).asnumpy()
    assert y.shape == (2, 6, 10, 9)
    z = random.normal(size=y.shape).astype(np.float32)
    back = F.conv2d(Tensor(z), net.weight, None, 2, 1, 1, 2).asnumpy()
    np.testing.assert_allclose((y * z).sum(), (x * back).sum(), rtol=1e-4)


@pytest.mark.parametrize("compiled", [False, True])
def test_cells_of_functions(compiled: bool) -> None:
    x = Tensor(X)
    pairs: list[tuple[Any, Any]] = [
        (mint.nn.LayerNorm(3), (X - X.mean(1, keepdims=True)) / np.sqrt(X.var(1, keepdims=True) + 1e-5)),
        (mint.nn.PReLU(init=0.5), np.where(X > 0, X, X / 2)),
        (mint.nn.ZeroPad1d((1, 0)), np.pad(X, ((0, 0), (1, 0)))),
        (mint.nn.Threshold(0.3, 9.0), np.where(X > 0.3, X, 9)),
        (mint.nn.ELU(0.5), np.where(X > 0, X, np.expm1(X) / 2)),
        (mint.nn.Dropout2d(0.9).set_train(False), X),
    ]
    for net, want in pairs:
        got = (ms.jit(net) if compiled else net)(x[None] if "ZeroPad" in type(net).__name__ else x).asnumpy()
        np.testing.assert_allclose(got.reshape(want.shape), want, atol=1e-5, err_msg=type(net).__name__)
    loss = mint.nn.KLDivLoss("sum", log_target=True)
    other = Tensor(np.log(softmax(X, 1)))
    got = (ms.jit(loss) if compiled else loss)(x, other).asnumpy()
    np.testing.assert_allclose(got, (softmax(X, 1) * (np.log(softmax(X, 1)) - X)).sum(), rtol=1e-5)
