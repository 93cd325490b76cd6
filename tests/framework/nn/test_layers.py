"""Layers beyond the recorded calls: how parameters begin, sequences, training and not."""

import json
from typing import Any

import numpy as np
import pytest

from framework import Tensor, nn, set_seed
from tests.framework.oracle.cases import DIRECTORY

RECORDING = DIRECTORY / "init/init.json"
DEFAULTS = json.loads(RECORDING.read_text())["layer_defaults"] if RECORDING.exists() else []


@pytest.mark.skipif(not DEFAULTS, reason=f"no recording in {DIRECTORY}: set ORACLE_DIR")
@pytest.mark.parametrize("case", DEFAULTS, ids=lambda case: case["cell"])
def test_parameters_begin_as_recorded(case: dict[str, Any]) -> None:
    kind = getattr(nn, case["cell"], None)
    if kind is None:
        pytest.skip(f"not there yet: nn.{case['cell']}")
    set_seed(0)
    cell = kind(**case["kwargs"])
    parameters = cell.parameters_dict()
    assert set(parameters) == set(case["parameters"])
    for name, wanted in case["parameters"].items():
        values = parameters[name].asnumpy()
        assert list(values.shape) == wanted["shape"]
        assert parameters[name].requires_grad == wanted["requires_grad"]
        assert abs(values.mean() - wanted["mean"]) <= 8 * wanted["std"] / np.sqrt(wanted["count"]) + 1e-7
        few = wanted["count"] < 1000
        assert values.std() == pytest.approx(wanted["std"], rel=0.2 if few else 0.02, abs=1e-7)


def sigmoid(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))


def lstm(x: np.ndarray, p: dict[str, np.ndarray], suffix: str, reverse: bool) -> np.ndarray:
    """The hidden states of one layer, by the formulas."""
    h = c = np.zeros((x.shape[1], p[f"weight_hh{suffix}"].shape[1]))
    outputs = [h] * len(x)
    for t in reversed(range(len(x))) if reverse else range(len(x)):
        gates = x[t] @ p[f"weight_ih{suffix}"].T + h @ p[f"weight_hh{suffix}"].T
        gates = gates + p[f"bias_ih{suffix}"] + p[f"bias_hh{suffix}"]
        i, f, g, o = np.split(gates, 4, 1)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        outputs[t] = h = sigmoid(o) * np.tanh(c)
    return np.stack(outputs)


def test_two_layers_in_both_directions() -> None:
    cell = nn.LSTM(3, 4, num_layers=2, bidirectional=True, batch_first=True)
    p = {name: parameter.asnumpy() for name, parameter in cell.parameters_and_names()}
    x = np.random.default_rng(0).standard_normal((2, 5, 3)).astype(np.float32)
    out, (h, c) = cell(Tensor(x))
    wanted = x.transpose(1, 0, 2)
    for layer in (0, 1):
        both = [lstm(wanted, p, f"_l{layer}{'_reverse' if r else ''}", r) for r in (False, True)]
        wanted = np.concatenate(both, 2)
    np.testing.assert_allclose(out.asnumpy(), wanted.transpose(1, 0, 2), atol=1e-5)
    assert h.shape == c.shape == (4, 2, 4)
    np.testing.assert_allclose(h.asnumpy()[3], wanted[0, :, 4:], atol=1e-5)


def test_a_held_lstm_keeps_its_names() -> None:
    net = nn.SequentialCell(nn.LSTM(2, 2))
    assert next(name for name, _ in net.parameters_and_names()) == "0.weight_ih_l0"
    assert net.trainable_params()[0].name == "0.weight_ih_l0"


def test_dropout_acts_in_training_only() -> None:
    cell = nn.Dropout(p=0.4)
    x = Tensor(np.ones((100, 100), np.float32))
    assert cell(x) is x
    cell.set_train()
    assert (cell(x).asnumpy() == 0).mean() == pytest.approx(0.4, abs=0.03)
    with pytest.raises(ValueError, match="p must lie between 0 and 1"):
        nn.Dropout(p=1.0)


def test_dense_over_many_dimensions_with_activation() -> None:
    cell = nn.Dense(3, 2, weight_init="ones", bias_init="zeros", activation="relu")
    out = cell(Tensor(np.full((2, 5, 3), -1.0, np.float32)))
    assert out.shape == (2, 5, 2)
    assert not out.asnumpy().any()
    with pytest.raises(KeyError, match="there is no activation 'swash'"):
        nn.Dense(1, 1, activation="swash")


def test_a_padded_row_begins_as_zeros() -> None:
    cell = nn.Embedding(4, 3, padding_idx=1)
    assert not cell(Tensor([1])).asnumpy().any()
    assert cell(Tensor([0])).asnumpy().any()


def test_batch_norm_checks_dimensions() -> None:
    with pytest.raises(ValueError, match="wrong number of dimensions"):
        nn.BatchNorm2d(2)(Tensor(np.zeros((3, 2), np.float32)))


def test_losses_reduce() -> None:
    logits, labels = Tensor([[1.0, 3.0]]), Tensor([[0.0, 1.0]])
    assert nn.MSELoss("none")(logits, labels).tolist() == [[1.0, 4.0]]
    assert float(nn.L1Loss("sum")(logits, labels)) == 3.0
    assert float(nn.SmoothL1Loss(reduction="mean")(logits, labels)) == 1.0
    with pytest.raises(ValueError, match="reduction must be 'mean', 'sum' or 'none', not 'max'"):
        nn.MSELoss("max")
