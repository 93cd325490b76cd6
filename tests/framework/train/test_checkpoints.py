"""Checkpoints: MindSpore's are read, ours are complete or absent, and damage is detected."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import framework as ms
from framework import Parameter, Tensor, nn
from framework.model_zoo import LeNet5
from framework.schema.checkpoint_pb2 import Checkpoint
from framework.train import CheckpointError, load_checkpoint, load_param_into_net, save_checkpoint
from framework.train.checkpoints import elements, read_values, write_values
from tests.framework.train.networks import classifier

RECORDED = Path(os.environ.get("ORACLE_DIR", Path(__file__).parents[4] / "shared/data/oracle")) / "checkpoint"
recorded = pytest.mark.skipif(not RECORDED.is_dir(), reason=f"no recording in {RECORDED}: set ORACLE_DIR")


class LeNet(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(1, 6, 5, pad_mode="valid")
        self.conv2 = nn.Conv2d(6, 16, 5, pad_mode="valid")
        self.relu = nn.ReLU()
        self.pool = nn.MaxPool2d(2, 2)
        self.flatten = nn.Flatten()
        self.fc1, self.fc2, self.fc3 = nn.Dense(400, 120), nn.Dense(120, 84), nn.Dense(84, 10)

    def construct(self, x: Any) -> Any:
        x = self.pool(self.relu(self.conv1(x)))
        x = self.flatten(self.pool(self.relu(self.conv2(x))))
        return self.fc3(self.relu(self.fc2(self.relu(self.fc1(x)))))


@recorded
@pytest.mark.usefixtures("mode")
@pytest.mark.parametrize("make", [LeNet, LeNet5])
def test_the_recorded_network_has_its_recorded_accuracy(make: type[nn.Cell]) -> None:
    network = make()
    assert load_param_into_net(network, load_checkpoint(RECORDED / "lenet.ckpt"), strict_load=True) == ([], [])
    expected = np.load(RECORDED / "lenet_expected.npz")
    network.set_train(False)
    logits = network(Tensor(expected["test_x"])).asnumpy()
    np.testing.assert_allclose(logits, expected["logits"], rtol=1e-4, atol=1e-4)
    correct = int((logits.argmax(1) == expected["test_y"]).sum())
    assert abs(correct - json.loads((RECORDED / "checkpoint.json").read_text())["correct"]) <= 1


@recorded
def test_recorded_types_are_read() -> None:
    found = load_checkpoint(RECORDED / "dtypes.ckpt")
    values = {name: value.asnumpy() for name, value in found.items()}
    np.testing.assert_array_equal(values["f16"], np.arange(6, dtype=np.float16).reshape(2, 3))
    np.testing.assert_array_equal(values["f64"], np.linspace(0, 1, 5))
    assert (values["i8"].tolist(), values["i8"].dtype) == ([-1, 2], np.int8)
    assert (values["i64"].tolist(), values["u8"].tolist()) == ([[1], [2]], [0, 255])
    assert (values["b"].tolist(), values["scalar"].shape) == ([True, False], ())
    assert float(values["scalar"]) == 3.5
    assert values["bf16"].tolist() == [1.5, -2.25]


@recorded
def test_what_was_appended_is_read() -> None:
    found = load_checkpoint(RECORDED / "lenet_extra.ckpt")
    assert (int(found["epoch_num"].asnumpy()), bool(found["ok"].asnumpy())) == (6, True)
    assert float(found["lr"].asnumpy()) == pytest.approx(0.05)


@recorded
def test_what_is_read_and_written_again_is_the_same_file(tmp_path: Path) -> None:
    for name in ("lenet", "lenet_extra"):
        found = load_checkpoint(RECORDED / f"{name}.ckpt")
        save_checkpoint(found, tmp_path / name)
        ours, theirs = Checkpoint(), Checkpoint()
        ours.ParseFromString((tmp_path / f"{name}.ckpt").read_bytes())
        theirs.ParseFromString((RECORDED / f"{name}.ckpt").read_bytes())
        ours.ClearField("checksum")
        assert ours == theirs


arrays = st.sampled_from(
    ["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16", ">f4", ">i8"]
).flatmap(lambda kind: st.lists(st.integers(0, 3), max_size=3).map(lambda shape: np.ones(shape).astype(kind)))


# MindSpore's format writes a text without characters as one zero character, so these two are the same.
texts = st.text().filter(lambda text: text != "\0")


@settings(max_examples=60, deadline=None)
@given(st.dictionaries(st.text(min_size=1, max_size=8), arrays | texts, min_size=1, max_size=5))
def test_everything_comes_back(tmp_path_factory: pytest.TempPathFactory, values: dict[str, Any]) -> None:
    path = tmp_path_factory.mktemp("checkpoints") / "x.ckpt"
    write_values(path, values.items())
    found = dict(read_values(path))
    assert list(found) == list(values)
    for name, value in values.items():
        back = found[name]
        if isinstance(back, str):
            assert back == value
        else:
            np.testing.assert_array_equal(back, value)
            assert back.dtype == value.dtype.newbyteorder("=")


def test_a_large_tensor_is_spread_over_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(elements, "PART_BYTES", 100)
    value = np.arange(333, dtype=np.float32).reshape(3, 111)
    save_checkpoint({"w": Tensor(value)}, tmp_path / "x.ckpt")
    message = Checkpoint()
    message.ParseFromString((tmp_path / "x.ckpt").read_bytes())
    assert len(message.value) == 14
    np.testing.assert_array_equal(load_checkpoint(tmp_path / "x.ckpt")["w"].asnumpy(), value)


def test_saving_that_fails_leaves_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "x.ckpt"
    save_checkpoint({"w": Tensor(1.0)}, path)
    with pytest.raises(TypeError, match="'broken' cannot be saved"):
        save_checkpoint({"w": Tensor(2.0), "broken": object()}, path)
    with pytest.raises(CheckpointError, match="cannot be saved"):
        save_checkpoint({"w": np.array(["a"])}, path)
    assert float(load_checkpoint(path)["w"].asnumpy()) == 1.0
    assert [item.name for item in tmp_path.iterdir()] == ["x.ckpt"]


def test_saving_in_a_thread_keeps_the_values_of_now(tmp_path: Path) -> None:
    weight = Parameter(Tensor(np.ones(1000, np.float32)), name="w")
    thread = save_checkpoint([{"name": "w", "data": weight}], tmp_path / "x", async_save=True)
    weight.set_data(Tensor(np.zeros(1000, np.float32)))
    assert thread is not None
    thread.join()
    assert load_checkpoint(tmp_path / "x.ckpt")["w"].asnumpy().sum() == 1000


def test_a_network_that_does_not_fit_is_left_as_it_was(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    save_checkpoint(classifier(), tmp_path / "x")
    found = load_checkpoint(tmp_path / "x.ckpt")
    other = nn.SequentialCell(nn.Dense(8, 16), nn.ReLU(), nn.Dropout(p=0.1), nn.Dense(16, 4))
    before = other[0].weight.asnumpy().copy()
    with pytest.raises(ValueError, match=r"3.weight has shape \(4, 16\), the checkpoint \(3, 16\)") as error:
        load_param_into_net(other, found)
    assert "3.bias has shape (4,)" in str(error.value)
    np.testing.assert_array_equal(other[0].weight.asnumpy(), before)
    smaller = nn.SequentialCell(nn.Dense(8, 16), nn.Dense(16, 3))
    missing, unknown = load_param_into_net(smaller, found)
    assert (missing, unknown) == (["1.weight", "1.bias"], ["3.weight", "3.bias"])
    assert "2 of 4 parameters of the network got no value: 1.weight, 1.bias" in capsys.readouterr().err


def test_a_prefix_in_front_of_all_names_is_left_out(tmp_path: Path) -> None:
    network = classifier()
    wrapped = {f"backbone.{p.name}": Tensor(p.asnumpy() + 1) for p in network.get_parameters()}
    save_checkpoint(wrapped, tmp_path / "x")
    assert load_param_into_net(network, load_checkpoint(tmp_path / "x.ckpt")) == ([], [])
    np.testing.assert_array_equal(network[0].bias.asnumpy(), wrapped["backbone.0.bias"].asnumpy())


def test_names_are_chosen(tmp_path: Path) -> None:
    save_checkpoint({"a.w": Tensor(1.0), "a.b": Tensor(2.0), "c.w": Tensor(3.0)}, tmp_path / "x")
    assert list(load_checkpoint(tmp_path / "x.ckpt", filter_prefix="a")) == ["c.w"]
    assert list(load_checkpoint(tmp_path / "x.ckpt", specify_prefix=["a."])) == ["a.w", "a.b"]
    assert list(load_checkpoint(tmp_path / "x.ckpt", choice_func=lambda name: name.endswith("w"))) == ["a.w", "c.w"]
    with pytest.raises(CheckpointError, match="no parameter of the names"):
        load_checkpoint(tmp_path / "x.ckpt", specify_prefix="z")


def test_a_file_that_is_not_there_names_those_that_are(tmp_path: Path) -> None:
    save_checkpoint({"w": Tensor(1.0)}, tmp_path / "lenet-1_10")
    with pytest.raises(FileNotFoundError, match=r"has lenet-1_10.ckpt"):
        load_checkpoint(tmp_path / "lenet-1_1.ckpt")


def test_a_checkpoint_without_its_place_cannot_be_gone_on_from(tmp_path: Path) -> None:
    from tests.framework.train.networks import batches, model

    trained = model()
    save_checkpoint(trained.train_network, tmp_path / "x")
    with pytest.raises(CheckpointError, match="has no position of its training"):
        trained.train(1, batches(), resume_from=tmp_path / "x.ckpt")


def test_a_training_of_another_optimizer_is_refused(tmp_path: Path) -> None:
    from tests.framework.train.networks import batches, model

    model().train(1, batches(), ms.ModelCheckpoint("x", tmp_path, ms.CheckpointConfig(8)))
    network = classifier()
    other = ms.Model(network, nn.MSELoss(), nn.Adam(network.trainable_params(), 0.1))
    with pytest.raises(CheckpointError, match="of another network or optimizer"):
        other.train(2, batches(), resume_from=tmp_path / "x-1_8.ckpt")
