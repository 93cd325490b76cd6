"""What the callbacks that come with the framework do."""

from __future__ import annotations

from ast import literal_eval
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from framework.train import (
    CheckpointConfig,
    EarlyStopping,
    History,
    LambdaCallback,
    LearningRateScheduler,
    LossMonitor,
    ModelCheckpoint,
    ProgressBar,
    ReduceLROnPlateau,
    RunContext,
    TimeMonitor,
)
from framework.train.callback.base import CallbackParam
from tests.framework.train.networks import batches, model


def names(directory: Path) -> list[str]:
    return sorted(path.name for path in directory.iterdir())


def test_the_loss_is_printed_as_often_as_wanted(capsys: pytest.CaptureFixture[str]) -> None:
    model().train(2, batches(), LossMonitor(3))
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(",")[0] for line in lines] == [
        "epoch: 1 step: 3", "epoch: 1 step: 6", "epoch: 2 step: 1", "epoch: 2 step: 4", "epoch: 2 step: 7",
    ]  # fmt: skip
    assert all(0 < float(line.rpartition(" ")[2]) < 5 for line in lines)


def test_the_loss_is_printed_after_each_epoch(capsys: pytest.CaptureFixture[str]) -> None:
    model().fit(2, batches(), batches(2), callbacks=LossMonitor(0))
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(",")[0].split(": ")[0] for line in lines] == [
        "epoch",
        "Eval result",
        "epoch",
        "Eval result",
    ]
    head, _, metrics = lines[1].partition("metrics: ")
    assert head == "Eval result: epoch 1, "
    assert {name: type(value) for name, value in literal_eval(metrics).items()} == {"loss": float, "accuracy": float}


def test_the_time_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    model().train(1, batches(), TimeMonitor(data_time=True))
    whole, step, data = (float(part.split(": ")[1].split()[0]) for part in capsys.readouterr().out.split(", "))
    assert step == pytest.approx(whole / 8, abs=1e-3)
    assert 0 <= data < whole


def test_the_bar_shows_epoch_and_loss(capsys: pytest.CaptureFixture[str]) -> None:
    model().train(2, batches(), ProgressBar())
    shown = capsys.readouterr().err
    assert "epoch 2/2" in shown
    assert "8/8" in shown
    assert "loss=" in shown


def test_no_bar_is_shown_to_a_file(capsys: pytest.CaptureFixture[str]) -> None:
    model().train(1, batches())
    assert capsys.readouterr().err == ""


def test_the_newest_checkpoints_are_kept(tmp_path: Path) -> None:
    kept = ModelCheckpoint("net", tmp_path, CheckpointConfig(2, keep_checkpoint_max=3))
    model().train(2, batches(), kept)
    assert names(tmp_path) == ["net-2_4.ckpt", "net-2_6.ckpt", "net-2_8.ckpt"]
    assert kept.latest_ckpt_file_name == str(tmp_path / "net-2_8.ckpt")


def test_the_last_step_is_saved_too(tmp_path: Path) -> None:
    model().train(1, batches(), ModelCheckpoint("net", tmp_path, CheckpointConfig(5, keep_checkpoint_max=0)))
    assert names(tmp_path) == ["net-1_5.ckpt", "net-1_8.ckpt"]


def test_a_second_training_overwrites_no_checkpoint(tmp_path: Path) -> None:
    for _ in range(2):
        model().train(1, batches(), ModelCheckpoint("net", tmp_path, CheckpointConfig(8)))
    assert names(tmp_path) == ["net-1_8.ckpt", "net_1-1_8.ckpt"]


@pytest.mark.parametrize(("wanted", "saved"), [(True, ["net-1_2.ckpt"]), (False, [])])
def test_a_failing_training_is_saved_when_wanted(tmp_path: Path, wanted: bool, saved: list[str]) -> None:
    def fail(context: RunContext) -> None:
        if context.original_args().cur_step_num == 2:
            raise RuntimeError("no more")

    kept = ModelCheckpoint("net", tmp_path, CheckpointConfig(100, exception_save=wanted))
    with pytest.raises(RuntimeError, match="no more"):
        model().train(1, batches(), [LambdaCallback(on_train_step_end=fail), kept])
    assert names(tmp_path) == saved


def epoch_end(callback: Any, told: list[float], monitor: str = "eval_loss") -> list[int]:
    """Tells a callback a figure after each epoch; the epochs until it stops the training."""
    run = CallbackParam(train_network=model().train_network, optimizer=model()._optimizer)
    context = RunContext(run)
    callback.on_train_begin(context)
    for epoch, value in enumerate(told, 1):
        run.cur_epoch_num, run.eval_results = epoch, {monitor: value}
        callback.on_train_epoch_end(context)
        if context.get_stop_requested():
            return list(range(1, epoch + 1))
    return list(range(1, len(told) + 1))


def test_a_training_stops_when_nothing_improves() -> None:
    told = [1.0, 0.5, 0.6, 0.4, 0.41, 0.42, 0.43, 0.1]
    assert len(epoch_end(EarlyStopping(patience=3), told)) == 7
    assert len(epoch_end(EarlyStopping(patience=1), told)) == 3
    assert (
        len(epoch_end(EarlyStopping(monitor="eval_accuracy", patience=2), [0.1, 0.2, 0.15, 0.19, 0.5], "eval_accuracy"))
        == 4
    )


def test_what_the_epochs_gave_is_kept(capsys: pytest.CaptureFixture[str]) -> None:
    history, trained = History(), model()
    trained.fit(4, batches(), batches(2), valid_frequency=2, callbacks=[LossMonitor(0), history])
    printed = [
        float(line.rpartition(" ")[2]) for line in capsys.readouterr().out.splitlines() if line.startswith("epoch")
    ]
    assert history.epoch == {"epoch": [1, 2, 3, 4]}
    assert history.history["net_output"] == pytest.approx(printed, rel=1e-5)
    assert {name: len(values) for name, values in history.history.items()} == {
        "net_output": 4, "eval_loss": 2, "eval_accuracy": 2,
    }  # fmt: skip
    assert history.history["eval_loss"][1] == trained.eval(batches(2))["loss"]
    trained.train(2, batches(), history, dataset_sink_mode=True)
    assert (history.epoch["epoch"], list(history.history)) == ([1, 2], ["net_output"])


def test_a_figure_that_is_not_there_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert len(epoch_end(EarlyStopping(monitor="eval_f1"), [1.0, 1.0])) == 2
    assert "There is no 'eval_f1' to watch after epoch 1, only loss, eval_loss." in capsys.readouterr().err


def test_the_best_parameters_come_back() -> None:
    trained = model()
    best: dict[str, np.ndarray[Any, Any]] = {}

    def disturb(context: RunContext) -> None:
        run = context.original_args()
        run.eval_results = {"eval_loss": [3.0, 1.0, 2.0, 2.0][run.cur_epoch_num - 1]}
        if run.cur_epoch_num == 2:
            best.update({p.name: p.asnumpy().copy() for p in run.train_network.get_parameters()})

    stop = EarlyStopping(patience=2, restore_best_weights=True)
    trained.train(4, batches(), [LambdaCallback(on_train_epoch_end=disturb), stop])
    for parameter in trained.train_network.get_parameters():
        np.testing.assert_array_equal(parameter.asnumpy(), best[parameter.name])


def test_the_rate_is_lowered_on_a_plateau(capsys: pytest.CaptureFixture[str]) -> None:
    lower = ReduceLROnPlateau(factor=0.5, patience=2, verbose=True, cooldown=1)
    trained = model()
    run = CallbackParam(train_network=trained.train_network, optimizer=trained._optimizer)
    context = RunContext(run)
    lower.on_train_begin(context)
    rates = []
    for epoch, value in enumerate([1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.1], 1):
        run.cur_epoch_num, run.eval_results = epoch, {"eval_loss": value}
        lower.on_train_epoch_end(context)
        rates.append(float(trained._optimizer.learning_rate.asnumpy()))  # type: ignore[union-attr]
    assert rates == pytest.approx([0.1, 0.1, 0.05, 0.05, 0.05, 0.025, 0.025])
    assert "Epoch 3: the learning rate is 0.05 from here on." in capsys.readouterr().out


@pytest.mark.usefixtures("mode")
def test_a_function_gives_the_rate_of_each_step() -> None:
    rates: list[float] = []

    def note(context: RunContext) -> None:
        rates.append(float(context.original_args().optimizer.learning_rate.asnumpy()))

    halve = LearningRateScheduler(lambda rate, step: rate / 2 if step % 3 == 0 else rate)
    model().train(1, batches(), [LambdaCallback(on_train_step_begin=note), halve])
    assert rates == pytest.approx([0.1] * 3 + [0.05] * 3 + [0.025] * 2)


def test_moments_that_do_not_exist_are_refused() -> None:
    with pytest.raises(TypeError, match="there is no moment 'step_end'"):
        LambdaCallback(step_end=lambda context: None)


@pytest.mark.parametrize(
    "make",
    [
        lambda: LossMonitor(-1),
        lambda: CheckpointConfig(0),
        lambda: CheckpointConfig(-1),
        lambda: ModelCheckpoint("a/b"),
        lambda: EarlyStopping(patience=-1),
        lambda: EarlyStopping(mode="most"),
        lambda: ReduceLROnPlateau(factor=2),
    ],
)
def test_numbers_out_of_range_are_refused(make: Any) -> None:
    with pytest.raises(ValueError, match=r"must|there is no interval"):
        make()
