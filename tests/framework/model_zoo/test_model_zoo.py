"""The networks of the zoo: as many parameters as their papers have, and a loss that falls on real data."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_digits

import framework as ms
from framework import Tensor, nn
from framework import model_zoo as zoo
from framework.model_zoo.resnet import BasicBlock, Bottleneck, ResNet


def count(network: nn.Cell) -> int:
    return sum(math.prod(parameter.shape) for parameter in network.trainable_params())


@pytest.mark.parametrize(
    ("make", "published"),
    [
        (lambda: zoo.LeNet5(has_bias=True), 61_706),
        (lambda: zoo.AlexNet(), 62_378_344),
        (lambda: zoo.resnet18(), 11_689_512),
        (lambda: zoo.resnet50(), 25_557_032),
        # Keras' example, and the second bias of each gate that its LSTM has not.
        (lambda: zoo.LSTMClassifier(20_000, 1), 2_691_713 + 4 * 128),
        (lambda: zoo.Bert(zoo.bert_base(weight_init="zeros")), 109_482_240),
        (lambda: zoo.GPT(zoo.gpt2_small(weight_init="zeros")), 124_439_808),
    ],
    ids=["LeNet-5", "AlexNet", "ResNet-18", "ResNet-50", "LSTM", "BERT", "GPT-2"],
)
def test_a_network_has_as_many_parameters_as_is_published(make: Callable[[], nn.Cell], published: int) -> None:
    assert count(make()) == published


def digits(size: int, number: int, channels: int = 1) -> tuple[Any, Any]:
    """Pictures of digits, enlarged to a size."""
    pixels, labels = load_digits(return_X_y=True)
    places = np.arange(size) * 8 // size
    pictures = (pixels[:number].reshape(-1, 1, 8, 8) / 16)[:, :, places][:, :, :, places]
    return np.repeat(pictures, channels, axis=1).astype(np.float32), labels[:number].astype(np.int32)


def lines(length: int, number: int) -> tuple[Any, Any]:
    """The first bytes of lines, and whether these are of Python or of a page of documentation."""
    root = Path(__file__).resolve().parents[3]
    found: list[tuple[bytes, int]] = []
    for label, path in enumerate(("framework/nn/cell.py", "docs/training.md")):
        text = (root / path).read_bytes().splitlines()
        found += [(line, label) for line in text if len(line) >= length][: number // 2]
    ids = np.array([list(line[:length]) for line, _ in found], np.int32)
    return ids, np.array([label for _, label in found], np.int32)


SMALL = {
    "hidden_size": 32, "num_layers": 2, "num_heads": 4, "intermediate_size": 64, "max_position": 32, "dropout": 0.0
}  # fmt: skip


def text_config() -> zoo.TransformerConfig:
    return zoo.TransformerConfig(256, **SMALL)  # type: ignore[arg-type]


CASES: dict[str, tuple[Callable[[], nn.Cell], Callable[[], tuple[Any, Any]], float]] = {
    "LeNet-5": (zoo.LeNet5, lambda: digits(32, 64), 0.005),
    "AlexNet": (lambda: zoo.AlexNet(10, 1, dropout=0.0, width=1 / 16), lambda: digits(227, 8), 0.003),
    "ResNet-18": (
        lambda: ResNet(BasicBlock, (2, 2, 2, 2), 10, width=8, channels=1, small=True), lambda: digits(16, 16), 0.003,
    ),
    "ResNet-50": (
        lambda: ResNet(Bottleneck, (1, 1, 1, 1), 10, width=8, channels=1), lambda: digits(32, 16), 0.003,
    ),
    "LSTM": (lambda: zoo.LSTMClassifier(256, 2, 16, 16), lambda: lines(16, 32), 0.02),
    "BERT": (lambda: zoo.BertClassifier(text_config(), 2), lambda: lines(16, 32), 0.003),
}  # fmt: skip


def losses_of(step: nn.Cell, batch: tuple[Any, ...], steps: int = 15) -> list[float]:
    return [float(step(*map(Tensor, batch)).asnumpy()) for _ in range(steps)]


@pytest.fixture
def graph_mode() -> Iterator[None]:
    ms.set_context(mode=ms.GRAPH_MODE)
    ms.set_seed(1)
    yield
    ms.set_context(mode=ms.PYNATIVE_MODE)


@pytest.mark.usefixtures("graph_mode")
@pytest.mark.parametrize("name", CASES)
def test_the_loss_falls_on_real_data(name: str) -> None:
    make, data, rate = CASES[name]
    if "ResNet" in name:
        # Compiling so many layers takes longer than training them; recorded losses check ResNet-18 in graph mode.
        ms.set_context(mode=ms.PYNATIVE_MODE)
    network = make()
    loss = nn.WithLossCell(network, nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean"))
    step = nn.TrainOneStepCell(loss, nn.Adam(network.trainable_params(), rate)).set_train()
    found = losses_of(step, data())
    # AlexNet, a sixteenth as wide, takes its time.
    assert found[-1] < (0.93 if name == "AlexNet" else 0.7) * found[0]


@pytest.mark.usefixtures("graph_mode")
def test_a_gpt_learns_a_text_and_writes_what_is_most_probable() -> None:
    text = list(b"to be or not to be, that is the question: ")
    network = zoo.GPT(text_config())
    step = nn.TrainOneStepCell(zoo.GPTWithLoss(network), nn.Adam(network.trainable_params(), 0.005)).set_train()
    starts = range(0, len(text) - 17, 2)
    ids = np.array([text[start : start + 17] for start in starts], np.int32)
    found = losses_of(step, (ids,), 60)
    assert found[0] == pytest.approx(math.log(256), rel=0.05)
    assert found[-1] < 0.3 * found[0]
    ms.set_context(mode=ms.PYNATIVE_MODE)
    written = network.write(text[:12], 2)
    assert written[:12] == text[:12]
    scores = network(Tensor(np.array([written], np.int32))).asnumpy()[0]
    assert written[12:] == scores[11:13].argmax(axis=1).tolist()


@pytest.mark.parametrize("name", ["LSTM", "BERT"])
def test_both_modes_give_the_same_losses(name: str) -> None:
    make, data, rate = CASES[name]
    found = []
    for mode in (ms.PYNATIVE_MODE, ms.GRAPH_MODE):
        ms.set_context(mode=mode)
        ms.set_seed(1)
        network = make()
        loss = nn.WithLossCell(network, nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean"))
        step = nn.TrainOneStepCell(loss, nn.Adam(network.trainable_params(), rate)).set_train()
        found.append(losses_of(step, data(), 2))
    ms.set_context(mode=ms.PYNATIVE_MODE)
    assert found[0] == pytest.approx(found[1], rel=1e-3)


def test_no_token_of_gpt_sees_what_comes_behind_it() -> None:
    network = zoo.GPT(text_config()).set_train(False)
    ids = np.arange(10, dtype=np.int32)[None]
    changed = ids.copy()
    changed[0, 6:] += 100
    before, after = (network(Tensor(item)).asnumpy() for item in (ids, changed))
    np.testing.assert_array_equal(before[:, :6], after[:, :6])
    assert not np.allclose(before[:, 6:], after[:, 6:])


def test_bert_leaves_out_what_its_mask_says() -> None:
    network = zoo.Bert(text_config()).set_train(False)
    ids = np.arange(10, dtype=np.int32)[None]
    mask = np.array([[1.0] * 6 + [0.0] * 4], np.float32)
    changed = ids.copy()
    changed[0, 6:] += 100
    before, after = (network(Tensor(item), Tensor(mask))[1].asnumpy() for item in (ids, changed))
    np.testing.assert_allclose(before, after, atol=1e-6)


def test_heads_share_the_features_equally() -> None:
    with pytest.raises(ValueError, match="5 heads"):
        zoo.TransformerConfig(10, hidden_size=32, num_heads=5)


def test_the_page_s_program_runs_and_its_table_names_every_network() -> None:
    text = (Path(__file__).resolve().parents[3] / "docs" / "model-zoo.md").read_text()
    (block,) = re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    exec(compile(block, "model-zoo.md", "exec"), {})  # noqa: S102 - our own page
    assert [name for name in zoo.__all__ if name not in text] == []
