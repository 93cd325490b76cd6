"""Every optimization that can be switched off changes no result, of the networks of the zoo and of random programs."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import framework as ms
from framework import Tensor, nn
from framework import model_zoo as zoo
from framework.engine.fusion import fused_programs as fused
from framework.model_zoo.resnet import BasicBlock, Bottleneck, ResNet
from framework.opt import pipeline
from tests.framework.engine.programs import program

LONG = os.environ.get("MINDINSIGHT_TEST_COUNTS") == "long"
COUNT = 200 if LONG else 25
KERNELS = [row.name for row in ms.kernels.table()]
PASSES = ["algebra", "constants", "cse", "fusion"]
REWRITES = ["pack_operands", "batch_products", "apply_peepholes", "eliminate_loads"]
SWITCHES = ["everything", *PASSES, *REWRITES, *KERNELS]
#: What networks are compiled without, where not everything is tried.
CHOSEN = [("ResNet-18", "cse"), ("BERT", "cse"), ("ResNet-50", "fusion"), ("GPT", "fusion")]
CHOSEN += [("LSTM", "eliminate_loads"), ("ResNet-18", "eliminate_loads"), ("AlexNet", "driver")]

pytestmark = pytest.mark.usefixtures("tier_up_at_once")


def switch_off(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Compile without an optimization from now on, or without any."""
    is_all = name == "everything"
    left_out = {one for one in (*PASSES, *REWRITES) if is_all or one == name}
    # Without inlining there is nothing that the other passes could see.
    monkeypatch.setattr(pipeline, "PASSES", tuple(one for one in pipeline.PASSES if one[0] not in left_out))
    if "fusion" in left_out:
        monkeypatch.setattr(pipeline, "mark_fusion", lambda root: 0)
    for one in left_out.intersection(REWRITES):
        monkeypatch.setattr(fused, one, lambda root, *rest: 0)
    for kernel in KERNELS if is_all else [name] if name in KERNELS else []:
        ms.kernels.use("numpy", kernel)


CONFIG: dict[str, Any] = {
    "hidden_size": 32, "num_layers": 2, "num_heads": 4, "intermediate_size": 64, "max_position": 16, "dropout": 0.0
}  # fmt: skip


def tokens(*shape: int) -> np.ndarray:
    return np.random.default_rng(1).integers(0, 256, shape).astype(np.int32)


def pictures(*shape: int) -> np.ndarray:
    return np.random.default_rng(1).standard_normal(shape).astype(np.float32)


NETWORKS: dict[str, tuple[Callable[[], nn.Cell], np.ndarray]] = {
    "LeNet-5": (zoo.LeNet5, pictures(8, 1, 32, 32)),
    "AlexNet": (lambda: zoo.AlexNet(10, 1, dropout=0.0, width=1 / 16), pictures(2, 1, 227, 227)),
    "ResNet-18": (lambda: ResNet(BasicBlock, (2, 2, 2, 2), 10, width=8, small=True), pictures(4, 3, 16, 16)),
    "ResNet-50": (lambda: ResNet(Bottleneck, (1, 1, 1, 1), 10, width=8), pictures(8, 3, 32, 32)),
    "LSTM": (lambda: zoo.LSTMClassifier(256, 10, 16, 16), tokens(8, 12)),
    "BERT": (lambda: zoo.BertClassifier(zoo.TransformerConfig(256, **CONFIG), 10), tokens(4, 16)),
    "GPT": (lambda: zoo.GPT(zoo.TransformerConfig(256, **CONFIG)), tokens(4, 17)),
}

TRIED = [*itertools.product(NETWORKS, SWITCHES)] if LONG else [*((name, "everything") for name in NETWORKS), *CHOSEN]


def trained(name: str) -> tuple[list[float], list[Any]]:
    """Losses of a training, and the weights before its last steps have spread what rounding makes of them."""
    make, inputs = NETWORKS[name]
    ms.set_seed(3)
    network = make()
    if name == "GPT":
        whole, batch = zoo.GPTWithLoss(network), (inputs,)
    else:
        whole = nn.WithLossCell(network, nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean"))
        batch = inputs, np.random.default_rng(2).integers(0, 10, len(inputs)).astype(np.int32)
    step = nn.TrainOneStepCell(whole, nn.Momentum(network.trainable_params(), 0.002, 0.9)).set_train()
    losses = [float(step(*map(Tensor, batch)).asnumpy()) for _ in range(4)]
    return losses, [weight.asnumpy().copy() for weight in network.get_parameters()]


@pytest.fixture(scope="module")
def optimized() -> dict[str, Any]:
    """What networks compute with all optimizations, once each."""
    return {}


@pytest.mark.parametrize(("name", "switch"), TRIED)
def test_a_network_trains_the_same(
    name: str, switch: str, optimized: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    if name not in optimized:
        optimized[name] = trained(name)
    losses, weights = optimized[name]
    switch_off(switch, monkeypatch)
    wanted, others = trained(name)
    np.testing.assert_allclose(losses, wanted, rtol=1e-4)
    for weight, other in zip(weights, others, strict=True):
        np.testing.assert_allclose(weight, other, rtol=2e-3, atol=2e-4 * abs(other).max() + 1e-7)


@np.errstate(over="ignore", invalid="ignore")  # What is too large for Float32 is so in every form; numpy says so.
@pytest.mark.parametrize("seed", range(COUNT))
def test_random_programs_compute_the_same(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    function = program(seed)
    x, y = (Tensor(np.random.default_rng(seed + at).standard_normal((12, 12)).astype(np.float32)) for at in (1, 2))
    gradient = ms.grad(lambda x, y: function(x, y).sum(), grad_position=(0, 1))

    def called() -> tuple[Any, ...]:
        compiled = ms.jit(lambda x, y: (function(x, y), gradient(x, y)))
        for _ in range(3):
            value, gradients = compiled(x, y)
        return value, *gradients

    made = called()
    for switch in SWITCHES if LONG else ["everything", SWITCHES[1 + seed % (len(SWITCHES) - 1)]]:
        with monkeypatch.context() as patched:
            switch_off(switch, patched)
            wanted = called()
        ms.kernels.use("fast")
        for one, other in zip(made, wanted, strict=True):
            scale = abs(other.asnumpy()[np.isfinite(other.asnumpy())]).max(initial=0.0)
            # Where everything cancels, as in the gradient of a softmax's sum, only rounding is left.
            np.testing.assert_allclose(one.asnumpy(), other.asnumpy(), rtol=2e-4, atol=2e-5 * scale + 1e-7)
