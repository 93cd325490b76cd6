"""Training, evaluating and predicting with a Model."""

from __future__ import annotations

import signal
import subprocess
import sys
import textwrap
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import framework as ms
from framework import Tensor, nn
from framework import dataset as ds
from framework.train import Callback, CheckpointConfig, LambdaCallback, LossMonitor, Model, ModelCheckpoint, RunContext
from tests.framework.train.networks import batches, classifier, model, values_of


class Noted(Callback):
    """Records its calls."""

    def __init__(self) -> None:
        self.seen: list[tuple[str, int, int]] = []
        self.losses: list[float] = []

    def note(self, moment: str, context: RunContext) -> None:
        run = context.original_args()
        self.seen.append((moment, run.cur_epoch_num, run.cur_step_in_epoch))

    def begin(self, run_context: RunContext) -> None:
        self.note("begin", run_context)

    def epoch_begin(self, run_context: RunContext) -> None:
        self.note("epoch_begin", run_context)

    def step_begin(self, run_context: RunContext) -> None:
        self.note("step_begin", run_context)

    def step_end(self, run_context: RunContext) -> None:
        self.note("step_end", run_context)
        self.losses.append(float(np.mean(run_context.original_args().net_outputs.asnumpy())))

    def epoch_end(self, run_context: RunContext) -> None:
        self.note("epoch_end", run_context)

    def end(self, run_context: RunContext) -> None:
        self.note("end", run_context)


def losses_by_hand(epochs: int) -> list[float]:
    """Steps of gradient descent with momentum, in numpy, without dropout."""
    network = classifier(dropout=0.0)
    w1, b1, w2, b2 = (p.asnumpy().astype(np.float64) for p in network.trainable_params())
    moments = [np.zeros_like(value) for value in (w1, b1, w2, b2)]
    losses = []
    for _ in range(epochs):
        for x, y in batches():
            hidden = x @ w1.T + b1
            active = np.maximum(hidden, 0)
            logits = active @ w2.T + b2
            shifted = logits - logits.max(1, keepdims=True)
            likely = np.exp(shifted) / np.exp(shifted).sum(1, keepdims=True)
            losses.append(float(-np.log(likely[np.arange(len(y)), y]).mean()))
            d_logits = (likely - np.eye(3)[y]) / len(y)
            d_hidden = (d_logits @ w2) * (hidden > 0)
            gradients = (d_hidden.T @ x, d_hidden.sum(0), d_logits.T @ active, d_logits.sum(0))
            for place, gradient in enumerate(gradients):
                moments[place] = 0.9 * moments[place] + gradient
            w1, b1, w2, b2 = (v - 0.1 * m for v, m in zip((w1, b1, w2, b2), moments, strict=True))
    return losses


def plain_model(**settings: Any) -> Model:
    network = classifier(dropout=0.0)
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    return Model(network, loss, nn.Momentum(network.trainable_params(), 0.1, 0.9), **settings)


@pytest.mark.usefixtures("mode")
def test_the_losses_are_those_of_gradient_descent_by_hand() -> None:
    noted = Noted()
    plain_model().train(3, batches(), noted)
    np.testing.assert_allclose(noted.losses, losses_by_hand(3), rtol=1e-4)


@pytest.mark.usefixtures("mode")
def test_callbacks_are_called_at_each_moment() -> None:
    noted = Noted()
    plain_model().train(2, batches(2), noted)
    steps = [("step_begin", "step_end")] * 2
    expected = ["begin"] + 2 * ["epoch_begin", *(moment for step in steps for moment in step), "epoch_end"] + ["end"]
    assert [moment for moment, _, _ in noted.seen] == expected
    assert noted.seen[3] == ("step_end", 1, 1)
    assert noted.seen[-2] == ("epoch_end", 2, 2)


@pytest.mark.usefixtures("mode")
def test_sinking_data_gives_the_same_steps_and_every_callback() -> None:
    straight, sunk = Noted(), Noted()
    plain_model().train(2, batches(), straight)
    plain_model().train(2, batches(), sunk, dataset_sink_mode=True)
    assert sunk.seen == straight.seen
    assert sunk.losses == straight.losses


@pytest.mark.usefixtures("mode")
@pytest.mark.parametrize("moment", ["on_train_epoch_end", "on_train_step_end"])
def test_what_callbacks_change_counts_from_the_next_step_on_while_data_sinks(moment: str) -> None:
    class Scaled(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.inner, self.factor = classifier(0.0), 1.0

        def construct(self, x: Any) -> Any:
            return self.inner(x) * self.factor

    def losses(sink: bool) -> list[float]:
        network, found = Scaled(), []

        def change(run_context: RunContext) -> None:
            network.factor += 1.0
            found.append(float(run_context.original_args().net_outputs))

        loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
        trained = Model(network, loss, nn.SGD(network.trainable_params(), 0.1))
        trained.train(3, batches(2), LambdaCallback(**{moment: change}), dataset_sink_mode=sink)
        return found

    assert losses(True) == losses(False)


def test_sinking_data_is_made_a_little_ahead_and_no_more_than_is_trained_with() -> None:
    made: list[int] = []
    seen: list[int] = []

    class Slow:
        def __len__(self) -> int:
            return 100

        def __iter__(self) -> Any:
            for number, batch in enumerate(batches(100)):
                made.append(number)
                yield batch

    class Stop(Callback):
        def on_train_step_end(self, run_context: RunContext) -> None:
            seen.append(len(made))
            if len(seen) == 20:
                run_context.request_stop()

    plain_model().train(1, Slow(), [Stop()], dataset_sink_mode=True)
    assert len(seen) == 20
    assert all(count <= step + 14 for step, count in enumerate(seen, 1))
    assert not [thread for thread in threading.enumerate() if thread.name == "batches"]


def test_an_epoch_of_sink_size_goes_on_in_the_data() -> None:
    straight, sunk = Noted(), Noted()
    plain_model().train(2, batches(), straight)
    plain_model().train(5, batches(), sunk, dataset_sink_mode=True, sink_size=3)
    assert sunk.losses == straight.losses[:15]
    assert [epoch for moment, epoch, step in sunk.seen if moment == "step_end" and step == 3] == [1, 2, 3, 4, 5]


def test_an_error_in_sinking_data_reaches_the_training() -> None:
    class Broken:
        def __len__(self) -> int:
            return 2

        def __iter__(self) -> Any:
            yield batches()[0]
            raise OSError("the disk is gone")

    with pytest.raises(OSError, match="the disk is gone"):
        plain_model().train(1, Broken(), dataset_sink_mode=True)


@pytest.mark.usefixtures("mode")
def test_evaluation_tells_what_the_metrics_say() -> None:
    trained = model()
    trained.train(10, batches())
    told = trained.eval(batches())
    points = np.concatenate([x for x, _ in batches()])
    labels = np.concatenate([y for _, y in batches()])
    logits = trained.predict(Tensor(points)).asnumpy()
    assert told["accuracy"] == pytest.approx((logits.argmax(1) == labels).mean())
    assert told["accuracy"] > 0.9
    likely = np.exp(logits) / np.exp(logits).sum(1, keepdims=True)
    assert told["loss"] == pytest.approx(-np.log(likely[np.arange(len(labels)), labels]).mean(), rel=1e-4)


@pytest.mark.usefixtures("mode")
def test_fit_evaluates_in_between_without_changing_the_training() -> None:
    alone, results = model(), []
    alone.train(4, batches())
    fitted = model()

    def note(context: RunContext) -> None:
        results.append(context.original_args().eval_results)

    fitted.fit(4, batches(), batches(2), valid_frequency=2, callbacks=LambdaCallback(on_train_epoch_end=note))
    assert [sorted(found or ()) for found in results] == [[], ["eval_accuracy", "eval_loss"]] * 2
    for name, value in values_of(alone).items():
        np.testing.assert_array_equal(values_of(fitted)[name], value)


@pytest.mark.usefixtures("mode")
@pytest.mark.parametrize("file", ["x-1_3.ckpt", "x-2_1.ckpt", "x-2_8.ckpt"])
def test_a_training_that_goes_on_ends_with_the_same_numbers(tmp_path: Path, file: str) -> None:
    whole = model()
    steps = {"x-1_3.ckpt": 3, "x-2_1.ckpt": 9, "x-2_8.ckpt": 16}[file]
    whole.train(3, batches(), ModelCheckpoint("x", tmp_path, CheckpointConfig(steps, keep_checkpoint_max=0)))
    resumed, noted = model(), Noted()
    resumed.train(3, batches(), noted, resume_from=tmp_path / file)
    assert len(noted.losses) == 24 - steps
    for name, value in values_of(whole).items():
        np.testing.assert_array_equal(values_of(resumed)[name], value, err_msg=name)


def test_a_shuffled_dataset_goes_on_where_it_was(tmp_path: Path) -> None:
    def data() -> Any:
        points = np.concatenate([x for x, _ in batches()])
        labels = np.concatenate([y for _, y in batches()])
        return ds.NumpySlicesDataset({"x": points, "y": labels}, shuffle=True).batch(8)

    whole = model()
    whole.train(3, data(), ModelCheckpoint("x", tmp_path, CheckpointConfig(11, keep_checkpoint_max=0)))
    resumed = model()
    resumed.train(3, data(), resume_from=tmp_path / "x-2_3.ckpt")
    for name, value in values_of(whole).items():
        np.testing.assert_array_equal(values_of(resumed)[name], value, err_msg=name)


SCRIPT = textwrap.dedent(
    """
    import sys, time
    from framework.train import CheckpointConfig, LambdaCallback, ModelCheckpoint
    from tests.framework.train.networks import batches, model

    def step(context):
        print("step", context.original_args().cur_step_num, flush=True)
        time.sleep(0.02)

    kept = ModelCheckpoint("x", sys.argv[1], CheckpointConfig(1, keep_checkpoint_max=0))
    model().train(50, batches(), [kept, LambdaCallback(on_train_step_end=step, on_train_end=lambda _: print("end"))])
    """
)


def start(directory: Path, until: int) -> tuple[subprocess.Popen[str], list[str]]:
    process = subprocess.Popen(
        [sys.executable, "-c", SCRIPT, str(directory)],
        cwd=Path(__file__).resolve().parents[3],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # Where the tests run in the background, Ctrl-C is ignored, and what they start would ignore it, too.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    assert process.stdout is not None
    lines = []
    for line in process.stdout:
        lines.append(line.strip())
        if line == f"step {until}\n":
            break
    return process, lines


def test_a_killed_training_goes_on_from_its_last_checkpoint_to_the_same_numbers(tmp_path: Path) -> None:
    process, _ = start(tmp_path, 11)
    process.kill()
    process.communicate()
    saved = [path for path in tmp_path.iterdir() if path.suffix == ".ckpt"]
    newest = max(saved, key=lambda path: tuple(map(int, path.stem.removeprefix("x-").split("_"))))
    whole = model()
    whole.train(4, batches())
    resumed = model()
    resumed.train(4, batches(), resume_from=newest)
    for name, value in values_of(whole).items():
        np.testing.assert_array_equal(values_of(resumed)[name], value, err_msg=name)


def test_a_callback_may_stop_the_training() -> None:
    noted = Noted()

    def stop(context: RunContext) -> None:
        if context.original_args().cur_step_num == 5:
            context.request_stop()

    plain_model().train(9, batches(), [noted, LambdaCallback(on_train_step_end=stop)])
    assert len(noted.losses) == 5
    assert noted.seen[-1][0] == "end"


def test_callbacks_end_when_a_step_fails() -> None:
    noted = Noted()
    with pytest.raises((ValueError, TypeError)):
        plain_model().train(1, [batches()[0], (np.ones((8, 5), np.float32), np.ones(8, np.int32))], noted)
    assert noted.seen[-1][0] == "end"
    assert len(noted.losses) == 1


def test_a_loss_that_is_no_number_ends_the_training() -> None:
    x, y = batches()[0]
    with pytest.raises(ValueError, match="the loss is nan at epoch 1, step 2"):
        plain_model().train(1, [(x, y), (x * np.float32("nan"), y)], LossMonitor(0))


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda: plain_model().train(0, batches()), "must be above initial_epoch 0, not 0"),
        (lambda: plain_model().train(2, batches(), initial_epoch=2), "must be above initial_epoch 2, not 2"),
        (lambda: plain_model().train(1, []), "the data has no batch"),
        (lambda: plain_model().train(1, [batch[:1] for batch in batches()]), r"1 column, but .* takes \(data, label\)"),
        (lambda: plain_model().train(1, [(*batch, 0) for batch in batches()], dataset_sink_mode=True), "3 columns"),
        (lambda: Model(classifier(), nn.MSELoss(), metrics={"mse"}).eval([(batches()[0][0],)]), "1 column, but"),
        (lambda: plain_model().train(2, iter(batches(1))), "can be read only once"),
        (lambda: plain_model().train(1, batches(), dataset_sink_mode=True, sink_size=0), "sink_size"),
        (lambda: plain_model().eval(batches()), "there are no metrics"),
        (lambda: Model(classifier(), nn.MSELoss()).train(1, batches()), "training with a loss needs an optimizer"),
        (lambda: Model(classifier(), nn.MSELoss(), metrics={"loss"}, eval_indexes=[0]), "eval_indexes"),
    ],
)
def test_what_cannot_be_is_said(call: Any, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        call()


def test_a_callback_of_another_kind_is_refused() -> None:
    with pytest.raises(TypeError, match=r"a callback must be a train.Callback, not function"):
        plain_model().train(1, batches(), [lambda context: None])  # type: ignore[list-item]


def test_the_model_and_checkpoints_are_where_mindspore_has_them() -> None:
    from framework.train.callback import CheckpointConfig as Config
    from framework.train.loss_scale_manager import DynamicLossScaleManager
    from framework.train.model import Model as Found

    assert ms.Model is Found
    assert ms.CheckpointConfig is Config
    assert ms.DynamicLossScaleManager is DynamicLossScaleManager
    assert ms.save_checkpoint is ms.train.save_checkpoint


class Held(Callback):
    """Counts how often it is entered and left, and hears of evaluations."""

    def __init__(self) -> None:
        self.moments: list[str] = []

    def __enter__(self) -> Held:
        self.moments.append("enter")
        return self

    def __exit__(self, *exception: object) -> None:
        self.moments.append("exit")

    def on_eval_end(self, run_context: RunContext) -> None:
        self.moments.append("evaluated")


def test_fit_enters_a_callback_once_although_it_takes_part_in_evaluations() -> None:
    held = Held()
    model().fit(2, batches(), batches(), callbacks=[held])
    assert held.moments == ["enter", "evaluated", "evaluated", "exit"]
    held.moments.clear()
    model().eval(batches(), callbacks=held)
    assert held.moments == ["enter", "evaluated", "exit"]
