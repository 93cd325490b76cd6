"""Backups of a training, MindSpore's tools around checkpoint files, and data that is its own iterator."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import framework as ms
from framework import Parameter, Tensor, nn, ops
from framework.compat import saved_files
from framework.train import BackupAndRestore, CheckpointConfig, LambdaCallback, Model, RunContext
from framework.train.callback.base import CallbackParam


@pytest.fixture(autouse=True)
def _line_by_line_afterwards() -> Iterator[None]:
    yield
    ms.set_context(mode=ms.PYNATIVE_MODE)


class Ones:
    """Two batches; reading them again needs a reset, as with MindSpore's datasets."""

    def __init__(self) -> None:
        self.at = 0

    def get_dataset_size(self) -> int:
        return 2

    def create_tuple_iterator(self) -> "Ones":
        return self

    def __iter__(self) -> Iterator[tuple[Tensor, Tensor]]:
        return self

    def __next__(self) -> tuple[Tensor, Tensor]:
        if self.at == 2:
            raise StopIteration
        self.at += 1
        return ops.ones((2, 3)), ops.ones((2, 1))

    def reset(self) -> None:
        self.at = 0


def training() -> tuple[nn.Cell, Model]:
    net = nn.Dense(3, 1, weight_init="zeros", bias_init="zeros")
    return net, Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.05))


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def test_a_training_goes_on_from_its_backup(mode: int, tmp_path: Path) -> None:
    ms.set_context(mode=mode)
    whole, model = training()
    model.train(2, Ones())

    _, broken = training()
    backup = BackupAndRestore(str(tmp_path / "new"))
    stop = LambdaCallback(on_train_epoch_end=lambda run: 1 // 0)
    with pytest.raises(ZeroDivisionError):
        broken.train(1, Ones(), [backup, stop])
    net, resumed = training()
    resumed.train(1, Ones(), [backup])
    np.testing.assert_allclose(net.weight.asnumpy(), whole.weight.asnumpy(), rtol=1e-6)
    assert not Path(backup.backup_file).exists()


def test_the_policy_of_checkpoints_is_told() -> None:
    config = CheckpointConfig()
    assert (config.save_checkpoint_seconds, config.keep_checkpoint_per_n_minutes) == (None, None)
    assert config.get_checkpoint_policy()["keep_checkpoint_max"] == 5
    assert CheckpointConfig(save_checkpoint_steps=0, save_checkpoint_seconds=3).save_checkpoint_seconds == 3


def test_a_loop_of_a_users_own_counts_steps_within_epochs() -> None:
    run = CallbackParam(cur_step_num=70, batch_num=32)
    assert RunContext(run).original_args().cur_step_in_epoch == 6


def test_files_of_one_prefix_are_managed(tmp_path: Path) -> None:
    manager = saved_files.CheckpointManager()
    for name in ("a-1_1.ckpt", "a-1_2.ckpt", "a-b.ckpt", "c-1_1.ckpt"):
        (tmp_path / name).touch()
    manager.update_ckpoint_filelist(str(tmp_path), "a")
    assert manager.ckpoint_num == 2
    manager.remove_oldest_ckpoint_file()
    assert manager.ckpoint_num == 1
    assert saved_files.free_name(str(tmp_path), "c") == "c_1"
    assert saved_files.check_file_name_prefix("a")
    assert not saved_files.check_file_name_prefix(1)


def test_saved_parameters_go_into_the_chosen_network() -> None:
    net = nn.Dense(1, 1, weight_init="zeros")
    saved_files.set_current(net)
    assert saved_files.load_saved([{"name": "weight", "data": Tensor([[3.0]])}])
    assert float(net.weight) == 3.0
    assert isinstance(net.weight, Parameter)
