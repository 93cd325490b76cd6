"""`OnRequestExit`: a signal or a file ends a run after its step, and the next run continues with the trained
weights."""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import framework as ms
from framework.train import LambdaCallback, OnRequestExit
from framework.train.callback.base import RunContext
from tests.framework.train.networks import batches, model


def at_step(number: int, action: Any) -> LambdaCallback:
    def act(run_context: RunContext) -> None:
        if run_context.original_args().cur_step_num == number:
            action()

    return LambdaCallback(on_train_step_end=act)


@pytest.mark.skipif(sys.platform == "win32", reason="a process of Windows cannot send itself SIGTERM to handle")
def test_a_signal_ends_a_training_whose_state_the_next_one_takes_over(tmp_path: Path) -> None:
    steps: list[int] = []
    count = LambdaCallback(on_train_step_end=lambda run: steps.append(run.original_args().cur_step_num))
    before = signal.getsignal(signal.SIGTERM)
    first = model()
    leaving = OnRequestExit(file_name="Lenet", directory=str(tmp_path))
    first.train(3, batches(), [at_step(2, lambda: os.kill(os.getpid(), signal.SIGTERM)), count, leaving])
    assert steps[-1] <= 3
    assert signal.getsignal(signal.SIGTERM) is before
    saved = tmp_path / "rank_0"
    assert sorted(path.name for path in saved.iterdir()) == ["Lenet_train.ckpt", "Lenet_train.msir"]
    state = ms.load_checkpoint(str(saved / "Lenet_train.ckpt"))
    assert int(state["step_num"].asnumpy()) == steps[-1]

    second = model()
    seen: dict[str, Any] = {}

    def look(run_context: RunContext) -> None:
        seen.update({one.name: one.asnumpy() for one in run_context.original_args().train_network.get_parameters()})

    second.train(
        1,
        batches(1),
        [OnRequestExit(file_name="Lenet", directory=str(tmp_path)), LambdaCallback(on_train_step_begin=look)],
    )
    for name, value in seen.items():
        np.testing.assert_array_equal(value, state[name].asnumpy(), err_msg=name)


def test_a_file_ends_a_training(tmp_path: Path) -> None:
    path, steps = tmp_path / "exit.json", list[int]()
    path.write_text("{")
    count = LambdaCallback(on_train_step_end=lambda run: steps.append(run.original_args().cur_step_num))
    ask = at_step(3, lambda: path.write_text(json.dumps({"GracefulExit": 1})))
    leaving = OnRequestExit(save_ckpt=False, save_mindir=False, directory=str(tmp_path), config_file=str(path))
    model().train(2, batches(), [ask, count, leaving])
    assert steps == [1, 2, 3, 4]
    assert not (tmp_path / "rank_0").exists()


def test_wrong_arguments_are_refused() -> None:
    with pytest.raises(TypeError, match="save_ckpt must be a bool, not int"):
        OnRequestExit(save_ckpt=1)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="cannot handle SIGKILL: use SIGTERM"):
        OnRequestExit(sig=signal.SIGKILL)
