"""Layers that were not recorded, or only in part, against their formulas in numpy and against each other."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import framework as ms
from framework import Tensor, nn, ops


@pytest.fixture(autouse=True)
def _mode() -> Iterator[None]:
    ms.set_seed(5)
    yield
    ms.set_context(mode=ms.PYNATIVE_MODE)


def numbers(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def in_both_modes(cell: nn.Cell, *inputs: Any) -> np.ndarray:
    """What a Cell computes, the same in both modes, with the same gradients."""
    found = []
    tensors = [Tensor(item) if isinstance(item, np.ndarray) else item for item in inputs]
    for mode in (ms.PYNATIVE_MODE, ms.GRAPH_MODE):
        ms.set_context(mode=mode)
        out = cell(*tensors)
        out = out[0] if isinstance(out, tuple) else out
        gradient = ms.grad(lambda *args: _first(cell(*args)).sum(), 0, cell.trainable_params())
        of_x, of_weights = gradient(*tensors) if mode == ms.PYNATIVE_MODE else ms.jit(gradient)(*tensors)
        found.append([item.asnumpy() for item in (out, of_x, *of_weights)])
    for eager, compiled in zip(*found, strict=True):
        np.testing.assert_allclose(eager, compiled, rtol=2e-4, atol=2e-4)
    value: np.ndarray = found[0][0]
    return value


def _first(value: Any) -> Any:
    return value[0] if isinstance(value, tuple) else value


def normalized(x: np.ndarray, axes: tuple[int, ...]) -> np.ndarray:
    return (x - x.mean(axes, keepdims=True)) / np.sqrt(x.var(axes, keepdims=True) + 1e-5)


X3, X4 = numbers(2, 4, 5), numbers(2, 4, 3, 5)
FORMULAS: list[tuple[Callable[[], nn.Cell], np.ndarray, Callable[[np.ndarray], np.ndarray]]] = [
    (lambda: nn.InstanceNorm2d(4), X4, lambda x: normalized(x, (2, 3))),
    (lambda: nn.InstanceNorm1d(4), X3, lambda x: normalized(x, (2,))),
    (lambda: nn.GroupNorm(4, 4), X3, lambda x: normalized(x, (2,))),
    (nn.SoftSign, X3, lambda x: x / (1 + np.abs(x))),
    (nn.Mish, X3, lambda x: x * np.tanh(np.log1p(np.exp(x)))),
    (nn.SeLU, X3, lambda x: 1.0507009873554805 * np.where(x > 0, x, 1.6732632423543772 * np.expm1(x))),
    (lambda: nn.CELU(2.0), X3, lambda x: np.where(x > 0, x, 2 * np.expm1(x / 2))),
    (nn.HShrink, X3, lambda x: np.where(np.abs(x) > 0.5, x, 0)),
    (nn.SoftShrink, X3, lambda x: np.sign(x) * np.maximum(np.abs(x) - 0.5, 0)),
    (lambda: nn.Threshold(0.2, 7.0), X3, lambda x: np.where(x > 0.2, x, 7)),
    (lambda: nn.PReLU(4), X3, lambda x: np.where(x > 0, x, 0.25 * x)),
    (lambda: nn.Norm(1, True), X3, lambda x: np.sqrt((x * x).sum(1, keepdims=True))),
    (lambda: nn.ReflectionPad1d((2, 1)), X3, lambda x: np.pad(x, ((0, 0), (0, 0), (2, 1)), "reflect")),
    (lambda: nn.ReflectionPad3d(1), X4[None], lambda x: np.pad(x, ((0, 0), (0, 0), *[(1, 1)] * 3), "reflect")),
    (lambda: nn.ReplicationPad1d(2), X3, lambda x: np.pad(x, ((0, 0), (0, 0), (2, 2)), "edge")),
    (lambda: nn.ReplicationPad3d(1), X4[None], lambda x: np.pad(x, ((0, 0), (0, 0), *[(1, 1)] * 3), "edge")),
    (lambda: nn.ConstantPad1d(1, 0.5), X3, lambda x: np.pad(x, ((0, 0), (0, 0), (1, 1)), constant_values=0.5)),
    (lambda: nn.ConstantPad3d(1, 2), X4, lambda x: np.pad(x, ((0, 0), *[(1, 1)] * 3), constant_values=2)),
    (lambda: nn.ZeroPad2d((1, 0, 2, 1)), X4, lambda x: np.pad(x, ((0, 0), (0, 0), (2, 1), (1, 0)))),
    (lambda: nn.Pad(((0, 0), (1, 2), (0, 1))), X3, lambda x: np.pad(x, ((0, 0), (1, 2), (0, 1)))),
    (lambda: nn.Pad(((0, 0), (1, 2), (0, 1)), "SYMMETRIC"), X3,
     lambda x: np.pad(x, ((0, 0), (1, 2), (0, 1)), "symmetric")),
    (lambda: nn.AdaptiveAvgPool1d(2), X3, lambda x: np.stack([x[..., :3].mean(-1), x[..., 2:].mean(-1)], -1)),
    (lambda: nn.AdaptiveMaxPool1d(2), X3, lambda x: np.stack([x[..., :3].max(-1), x[..., 2:].max(-1)], -1)),
    (lambda: nn.PixelUnshuffle(2), numbers(1, 2, 4, 6),
     lambda x: x.reshape(1, 2, 2, 2, 3, 2).transpose(0, 1, 3, 5, 2, 4).reshape(1, 8, 2, 3)),
    (lambda: nn.Upsample(scale_factor=2.0), X4, lambda x: x.repeat(2, 2).repeat(2, 3)),
    (lambda: nn.Upsample((3, 5), mode="area"), X4, lambda x: x),
    (lambda: nn.OneHot(depth=3), np.array([2, 0]), lambda x: np.eye(3, dtype=np.float32)[x]),
    (lambda: nn.Conv3d(2, 3, (2, 2, 3), (1, 1, 2), "pad", (0, 0, 1, 0, 0, 0), has_bias=True, weight_init="ones",
                       bias_init="ones"), X4[None],
     lambda x: np.repeat(1 + np.lib.stride_tricks.sliding_window_view(
         np.pad(x, ((0, 0), (0, 0), (0, 0), (1, 0), (0, 0))), (1, 2, 2, 2, 3))[0, ..., ::2, :, :, :, :, :].sum(
             (-5, -4, -3, -2, -1)), 3, 0)[None]),
    (lambda: nn.MaxPool2d(2, 2, "pad", 0, return_indices=True), X4, lambda x: x[:, :, :2, :4].reshape(
        2, 4, 1, 2, 2, 2).max((3, 5))),
]  # fmt: skip


@pytest.mark.parametrize("case", FORMULAS, ids=lambda case: type(case[0]()).__name__)
def test_formula(case: tuple[Callable[[], nn.Cell], np.ndarray, Callable[[np.ndarray], np.ndarray]]) -> None:
    make, x, formula = case
    out = make()(Tensor(x)) if x.dtype.kind == "i" else in_both_modes(make(), x)
    np.testing.assert_allclose(_first(out) if isinstance(out, tuple) else np.asarray(out), formula(x), atol=1e-5)


def attended(q: np.ndarray, k: np.ndarray, v: np.ndarray, forbidden: np.ndarray) -> np.ndarray:
    """Attention of one head over (N, L, features)."""
    scores = q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])
    weights = np.exp(np.where(forbidden, -np.inf, scores))
    result: np.ndarray = weights / weights.sum(-1, keepdims=True) @ v
    return result


def test_attention_obeys_masks() -> None:
    cell = nn.MultiheadAttention(4, 1, kdim=3, vdim=2, batch_first=True)
    p = {name: parameter.asnumpy() for name, parameter in cell.parameters_and_names()}
    query, key, value = numbers(2, 3, 4), numbers(2, 5, 3, seed=1), numbers(2, 5, 2, seed=2)
    padding = np.array([[False] * 4 + [True], [False, True] + [False] * 3])
    mask = np.triu(np.ones((3, 5), bool), 2)
    out = in_both_modes(cell, query, key, value, Tensor(padding), False, Tensor(mask))
    q, k, v = (x @ p[f"{n}_proj_weight"].T for n, x in zip("qkv", (query, key, value), strict=True))
    wanted = attended(q, k, v, mask | padding[:, None, :]) @ p["out_proj.weight"].T + p["out_proj.bias"]
    np.testing.assert_allclose(out, wanted, atol=1e-5)
    added = Tensor(np.where(mask, -np.inf, 0).astype(np.float32))
    again = cell(*map(Tensor, (query, key, value)), Tensor(padding), True, added)
    np.testing.assert_allclose(again[0].asnumpy(), wanted, atol=1e-5)
    assert again[1].shape == (2, 3, 5)
    with pytest.raises(ValueError, match="5 features cannot be divided among 2 heads"):
        nn.MultiheadAttention(5, 2)


def test_a_decoder_attends_to_itself_and_to_memory() -> None:
    layer = nn.TransformerDecoderLayer(4, 2, 6, 0.0, batch_first=True)
    tgt, memory = numbers(2, 3, 4), numbers(2, 5, 4, seed=1)
    out = in_both_modes(layer, tgt, memory)
    x = Tensor(tgt)
    x = layer.norm1(x + layer.self_attn(x, x, x)[0])
    x = layer.norm2(x + layer.multihead_attn(x, Tensor(memory), Tensor(memory))[0])
    x = layer.norm3(x + layer.dense2(ops.relu(layer.dense1(x))))
    np.testing.assert_allclose(out, x.asnumpy(), atol=1e-6)


def test_a_transformer_holds_copies_of_its_layers() -> None:
    net = nn.Transformer(4, 2, 2, 1, 6, 0.0, "gelu", norm_first=True)
    names = [name for name, _ in net.parameters_and_names()]
    assert "encoder.layers.1.self_attn.in_proj_weight" in names
    assert len(names) == 2 * 12 + 18 + 4
    in_both_modes(net, numbers(3, 2, 4), numbers(5, 2, 4, seed=1))
    encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2, 6), 2)
    first, second = (layer.dense1.weight for layer in encoder.layers)
    assert first is not second


@pytest.mark.parametrize("kind", [nn.Dropout1d, nn.Dropout2d, nn.Dropout3d])
def test_whole_channels_are_dropped(kind: type[nn.Cell]) -> None:
    cell = kind(0.5).set_train()
    x = Tensor(np.ones((20, 30, 2, 3), np.float32))
    channels = cell(x).asnumpy().reshape(600, 6)
    assert set(np.unique(channels)) == {0.0, 2.0}
    assert (channels == channels[:, :1]).all()
    assert (channels[:, 0] == 0).mean() == pytest.approx(0.5, abs=0.1)
    assert cell.set_train(False)(x) is x


@pytest.mark.parametrize("kind", [nn.GRU, nn.RNN])
def test_layers_of_steps_are_the_steps(kind: Callable[..., nn.Cell]) -> None:
    layers, cell = kind(3, 4), {nn.GRU: nn.GRUCell, nn.RNN: nn.RNNCell}[kind](3, 4)
    for name, parameter in cell.parameters_and_names():
        parameter.set_data(layers.parameters_dict()[f"{name}_l0"])
    x, h = numbers(5, 2, 3), Tensor(np.zeros((2, 4), np.float32))
    outputs = []
    for row in x:
        h = cell(Tensor(row), h)
        outputs.append(h.asnumpy())
    np.testing.assert_allclose(in_both_modes(layers, x), np.stack(outputs), atol=1e-6)


def test_a_rectified_network() -> None:
    cell = nn.RNN(3, 4, nonlinearity="relu", bidirectional=True)
    assert (in_both_modes(cell, numbers(5, 2, 3)) >= 0).all()
    with pytest.raises(ValueError, match="nonlinearity must be 'tanh' or 'relu', not 'sin'"):
        nn.RNNCell(2, 2, nonlinearity="sin")


WRONG: list[tuple[Callable[[], Any], str]] = [
    (lambda: nn.Conv2d(3, 4, 3, group=2), "Conv2d: 3 and 4 channels cannot be divided into 2 groups"),
    (lambda: nn.Conv3d(1, 1, (2, 3)), "must be one number or 3"),
    (lambda: nn.Conv3d(1, 1, 2, pad_mode="pad", padding=(1, 1, 1)), "must be one number or 6"),
    (lambda: nn.Conv3d(2, 4, 3)(Tensor(X4)), "do not fit images"),
    (lambda: nn.Conv2dTranspose(3, 4, 3, output_padding=1), "needs pad_mode='pad'"),
    (lambda: nn.GroupNorm(2, 3), "3 channels cannot be divided into 2 groups"),
    (lambda: nn.InstanceNorm2d(2)(Tensor(X3)), "wrong number of dimensions"),
    (lambda: nn.ReflectionPad2d((1, 2)), "must have 4 numbers"),
    (lambda: nn.Upsample()(Tensor(X4)), "give either size or scale_factor, and not both"),
    (lambda: nn.Upsample(size=3, mode="cubic")(Tensor(X4)), "mode must be one of nearest"),
    (lambda: nn.PixelShuffle(2)(Tensor(X3)), "do not make blocks of 2 x 2"),
    (lambda: nn.ReflectionPad1d(7)(Tensor(X3)), "7 and 7 cannot be added to 5 elements by 'reflect'"),
    (lambda: nn.MaxPool2d(2, dilation=2), "need pad_mode='pad'"),
    (lambda: nn.PReLU(3)(Tensor(X3)), "do not fit the 4 channels"),
]


@pytest.mark.parametrize(("call", "message"), WRONG)
def test_what_does_not_fit(call: Callable[[], Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()
