"""Models that MindSpore has exported, with its results: compared, differentiated, trained on, damaged."""

from __future__ import annotations

import os
import random
import warnings
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import framework as ms
from framework import nn
from framework.train.mindir import ModelError

IS_LONG = os.environ.get("MINDINSIGHT_TEST_COUNTS") == "long"
BATCHES = (1, 3, 17)


def _load(folder: Path) -> nn.GraphCell:
    return nn.GraphCell(ms.load(folder / "model.mindir"))


def _case(folder: Path, kind: str) -> list[NDArray[np.generic]]:
    with np.load(folder / "case.npz") as case:
        return [case[name] for name in sorted(case, key=lambda name: (len(name), name)) if name.startswith(kind)]


def test_results_are_those_of_mindspore_in_both_modes(recorded: list[Path]) -> None:
    for folder in recorded:
        net, wanted = _load(folder), _case(folder, "output")
        inputs = [ms.Tensor(item) for item in _case(folder, "input")]
        for run in (net.construct, net):
            found = run(*inputs)
            for one, other in zip(found if isinstance(found, tuple) else (found,), wanted, strict=True):
                array = one.asnumpy()
                assert (array.shape, array.dtype) == (other.shape, other.dtype), folder.name
                tolerance = 1e-5 * max(float(np.abs(other).max()), 1e-30)
                np.testing.assert_allclose(array, other, rtol=0, atol=tolerance, err_msg=folder.name)


def test_parameters_have_the_names_and_values_of_the_checkpoint(recorded: list[Path]) -> None:
    for folder in recorded:
        if not (folder / "model.ckpt").is_file():
            continue
        net, saved = _load(folder), ms.load_checkpoint(folder / "model.ckpt")
        weights = {parameter.name: parameter.asnumpy() for parameter in net.get_parameters()}
        assert weights.keys() <= saved.keys(), folder.name
        for name, array in weights.items():
            np.testing.assert_array_equal(array, saved[name].asnumpy(), err_msg=f"{folder.name}: {name}")


def test_an_open_batch_takes_any_length(recorded: list[Path]) -> None:
    """Rows are computed one by one, so a batch of any length has the recorded rows."""
    found = 0
    for folder in recorded:
        net, inputs, wanted = _load(folder), _case(folder, "input"), _case(folder, "output")
        if len(inputs) > 1 or net.graph.parameters[0].abstract.shape[0] is not None:
            continue
        found += 1
        for batch in BATCHES:
            rows = np.arange(batch) % len(inputs[0])
            for run in (net.construct, net):
                np.testing.assert_allclose(
                    run(ms.Tensor(inputs[0][rows])).asnumpy(), wanted[0][rows], rtol=0,
                    atol=1e-5 * float(np.abs(wanted[0]).max()), err_msg=f"{folder.name}, {batch}",
                )  # fmt: skip
    assert found


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def test_gradients_are_those_of_differences(recorded: list[Path], mode: int) -> None:
    """In the direction of the gradient, so that float32 is exact enough."""
    ms.set_context(mode=mode)
    for folder in recorded:
        inputs = _case(folder, "input")
        if len(inputs) > 1 or inputs[0].dtype != np.float32:
            continue
        net = _load(folder)
        x = np.asarray(inputs[0], np.float32)

        def total(t: ms.Tensor, net: nn.GraphCell = net) -> ms.Tensor:
            return net(t).sum()

        slope = ms.grad(total)(ms.Tensor(x)).asnumpy()
        way = slope / np.linalg.norm(slope)
        step = 1e-2
        ends = [float(net(ms.Tensor((x + sign * step * way).astype(np.float32))).asnumpy().sum()) for sign in (1, -1)]
        assert (ends[0] - ends[1]) / (2 * step) == pytest.approx(float((slope * way).sum()), rel=1e-2), folder.name


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def test_a_model_trains_on(recorded: list[Path], mode: int) -> None:
    ms.set_context(mode=mode)
    for folder in recorded:
        inputs, outputs = _case(folder, "input"), _case(folder, "output")
        if len(inputs) > 1 or inputs[0].ndim != 4:
            continue
        net = _load(folder)
        assert all(parameter.requires_grad for parameter in net.get_parameters())
        optimizer = nn.Adam(net.trainable_params(), 1e-2)
        step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), optimizer)
        losses = [float(step(ms.Tensor(inputs[0]), ms.Tensor(outputs[0] + 1))) for _ in range(20)]
        assert losses[-1] < losses[0] / 2, folder.name


def test_damaged_copies_are_refused_or_computed(recorded: list[Path], tmp_path: Path) -> None:
    """Copies that are cut or have flipped bits lead to a result or to a ModelError in one line, and to nothing else."""
    random.seed(1)
    contents = [(folder / "model.mindir").read_bytes() for folder in recorded]
    messages: list[str] = []
    for number in range(5000 if IS_LONG else 60):
        content = bytearray(random.choice(contents))
        if number % 4 == 0:
            del content[random.randrange(len(content)) :]
        for _ in range(random.randrange(1, 4) if content else 0):
            # Most of a file are weights. What says how they are used is at its end.
            behind = int(random.random() ** 2 * min(len(content), 20_000))
            content[-1 - behind if number % 3 else random.randrange(len(content))] ^= 1 << random.randrange(8)
        path = tmp_path / "damaged.mindir"
        path.write_bytes(content)
        try:
            _run(path)
        except ModelError as error:
            messages.append(str(error))
    assert messages
    assert not [message for message in messages if "\n" in message]


def _run(path: Path) -> None:
    """Run a model on ones, operator by operator."""
    net = nn.GraphCell(ms.load(path))
    inputs = [parameter.abstract for parameter in net.graph.parameters if parameter.default is None]
    shapes = [[min(length or 2, 64) for length in item.shape] if item is not None else [] for item in inputs]
    types = [ms.float32 if item is None else item.dtype for item in inputs]
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        net.construct(*[ms.Tensor(np.ones(s, t.numpy)) for s, t in zip(shapes, types, strict=True)])
