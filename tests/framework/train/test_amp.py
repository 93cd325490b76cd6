"""Mixed precision: what computes in which type at each level, and that trainings learn the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import framework as ms
from framework import Tensor, nn, ops
from framework.train import DynamicLossScaleManager, FixedLossScaleManager, Model
from tests.framework.train.networks import batches


class Seen(nn.Cell):
    """A network that reports the type of each part's output."""

    def __init__(self) -> None:
        super().__init__()
        self.dense = nn.Dense(8, 6)
        self.norm = nn.BatchNorm1d(6)
        self.head = nn.Dense(6, 3)

    def construct(self, x: Any) -> Any:
        first = self.dense(x)
        second = self.norm(first)
        return first, second, self.head(ops.relu(second)), x * 1.0


TYPES = {
    "O0": ("Float32", "Float32", "Float32", "Float32"),
    "O1": ("Float32", "Float32", "Float32", "Float32"),
    "O2": ("Float16", "Float16", "Float16", "Float16"),
    "O3": ("Float16", "Float16", "Float16", "Float16"),
}


def points() -> Tensor:
    return Tensor(batches(1)[0][0])


@pytest.mark.parametrize("level", TYPES)
def test_each_level_computes_in_its_types(mode: int, level: str) -> None:
    network = ms.amp.auto_mixed_precision(Seen().set_train(), level)
    outputs = network(points())
    assert tuple(str(item.dtype) for item in outputs) == TYPES[level]
    assert {str(p.dtype) for p in network.get_parameters()} == {"Float32"}


def rounded(value: Any) -> Any:
    return value.astype(np.float16).astype(np.float64)


def test_a_dense_cell_of_float16_rounds_its_inputs_and_weights(mode: int) -> None:
    dense = nn.Dense(8, 6).to_float(ms.float16)
    x = points()
    wanted = rounded(x.asnumpy()) @ rounded(dense.weight.asnumpy()).T + rounded(dense.bias.asnumpy())
    out = dense(x)
    assert out.dtype == ms.float16
    np.testing.assert_allclose(out.asnumpy().astype(np.float64), wanted, rtol=4e-3, atol=2e-3)
    gradients = ms.grad(lambda x: dense(x).sum(), None, dense.trainable_params())(x)
    assert [str(item.dtype) for item in gradients] == ["Float32", "Float32"]
    np.testing.assert_allclose(
        gradients[0].asnumpy(), np.tile(rounded(x.asnumpy()).sum(0), (6, 1)), rtol=4e-3, atol=4e-3
    )


def test_normalization_adds_up_in_float32(mode: int) -> None:
    # The squares of such numbers are beyond float16.
    x = Tensor((np.arange(32, dtype=np.float32).reshape(16, 2) + 1) * 500)
    found = {}
    for level in ("O2", "O3"):
        norm = ms.amp.auto_mixed_precision(nn.SequentialCell(nn.BatchNorm1d(2)), level).set_train()
        with np.errstate(all="ignore"):
            found[level] = norm(x).asnumpy().astype(np.float64)
    wanted = (x.asnumpy() - x.asnumpy().mean(0)) / x.asnumpy().std(0)
    np.testing.assert_allclose(found["O2"], wanted, atol=5e-3)
    np.testing.assert_allclose(found["O3"], wanted, atol=5e-3)


def trained(level: str, **settings: Any) -> list[float]:
    ms.set_seed(3)
    network = nn.SequentialCell(nn.Dense(8, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Dense(16, 3))
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    scale = settings.get("loss_scale_manager")
    fixed = isinstance(scale, FixedLossScaleManager) and not scale.get_drop_overflow_update()
    optimizer = nn.Momentum(network.trainable_params(), 0.1, 0.9, loss_scale=128.0 if fixed else 1.0)
    model = Model(network, loss, optimizer, metrics={"accuracy"}, amp_level=level, **settings)
    losses: list[float] = []

    def note(context: ms.RunContext) -> None:
        outputs = context.original_args().net_outputs
        losses.append(float((outputs[0] if isinstance(outputs, tuple) else outputs).asnumpy()))

    model.train(3, batches(), callbacks=[ms.LambdaCallback(on_train_step_end=note)])
    assert 0 <= model.eval(batches())["accuracy"] <= 1
    return losses


@pytest.mark.parametrize(
    ("level", "manager"),
    [
        ("O1", None),
        ("O2", None),
        ("O2", DynamicLossScaleManager(2.0**10, 2, 5)),
        ("O3", FixedLossScaleManager(128.0)),
        ("O2", FixedLossScaleManager(128.0, drop_overflow_update=False)),
    ],
    ids=["O1", "O2", "O2-dynamic", "O3-fixed", "O2-fixed-kept"],
)
@pytest.mark.filterwarnings("ignore:.*encountered:RuntimeWarning")
def test_a_training_learns_as_in_float32(mode: int, level: str, manager: Any) -> None:
    plain = trained("O0")
    mixed = trained(level, **({} if manager is None else {"loss_scale_manager": manager}))
    assert len(mixed) == len(plain) == 24
    assert mixed != plain
    # The first steps overflow while a dynamic scale finds its size, and are left out.
    assert mixed[0] == pytest.approx(plain[0], rel=2e-2)
    assert np.mean(mixed[-4:]) < 0.75 * plain[0]


def test_both_modes_give_the_same_losses() -> None:
    found = []
    for mode in (ms.PYNATIVE_MODE, ms.GRAPH_MODE):
        ms.set_context(mode=mode)
        found.append(trained("O2", loss_scale_manager=FixedLossScaleManager(64.0)))
    ms.set_context(mode=ms.PYNATIVE_MODE)
    assert found[0] == pytest.approx(found[1], rel=1e-3)


def test_a_compiled_network_notices_a_new_type() -> None:
    ms.set_context(mode=ms.GRAPH_MODE)
    dense = nn.Dense(8, 6)
    try:
        assert dense(points()).dtype == ms.float32
        dense.to_float(ms.float16)
        assert dense(points()).dtype == ms.float16
        dense.to_float(ms.float32)
        assert dense(points()).dtype == ms.float32
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: ms.amp.auto_mixed_precision(nn.Dense(2, 2), "O4"), ValueError, "O0, O1, O2, O3"),
        (lambda: ms.amp.auto_mixed_precision(None, "O1"), TypeError, "Cell"),  # type: ignore[arg-type]
        (lambda: nn.Dense(2, 2).to_float(ms.int32), ValueError, "float16"),
    ],
)
def test_wrong_arguments_are_refused(call: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call()
