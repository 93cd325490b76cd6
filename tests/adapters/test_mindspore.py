"""`mindinsight.mindspore` records and debugs a training of MindSpore, whose weights are those of the run left alone."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

ms = pytest.importorskip("mindspore", reason="MindSpore is not installed here; `make test-adapters` installs it")

from mindinsight.mindspore import Debugger  # noqa: E402 - only where MindSpore is
from summaries.reading.reader import EventFileReader  # noqa: E402
from summaries.schema import debugger_pb2 as wire  # noqa: E402
from tests.adapters.mindspore_networks import Net, Rows, training_step  # noqa: E402
from tests.framework.debugger.playing import TOKEN, Dashboard, played  # noqa: E402

Weights = list[np.ndarray[Any, Any]]
MODES = {"graph": ms.GRAPH_MODE, "pynative": ms.PYNATIVE_MODE}
STEPS = 6
NOBODY = {"url": "http://127.0.0.1:9", "token": "none"}


class Each(ms.Callback):  # type: ignore[misc]
    """Calls a function before each step, which may wait for the test."""

    def __init__(self, call: Callable[[int], None]) -> None:
        super().__init__()
        self.call = call

    def on_train_step_begin(self, run_context: Any) -> None:
        self.call(int(run_context.original_args().cur_step_num))


def hooks_of(network: Any, optimizer: Any) -> int:
    """How many hooks there are."""
    cells = [cell for _, cell in [*network.cells_and_names(), *optimizer.cells_and_names()]]
    return sum(len(cell._forward_hook) for cell in cells) + sum(len(one.hooks()) for one in network.trainable_params())


def train(
    mode: str,
    debugger: Any = None,
    rate: Any = 0.1,
    each: Callable[[int], None] = lambda step: None,
    steps: int = STEPS,
) -> Weights:
    """The weights after some steps of `Model.train`."""
    ms.set_context(mode=MODES[mode])
    ms.set_seed(1)
    network = Net()
    optimizer = ms.nn.Momentum(network.trainable_params(), rate, 0.9)
    loss = ms.nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    data = ms.dataset.GeneratorDataset(Rows(steps), ["x", "y"], shuffle=False, num_parallel_workers=1).batch(8)
    callbacks = [Each(each), *([] if debugger is None else [debugger])]
    try:
        ms.Model(network, loss, optimizer).train(1, data, callbacks=callbacks)
    finally:
        assert hooks_of(network, optimizer) == 0
    return [one.asnumpy().copy() for one in optimizer.get_parameters()]


def same(first: Weights, second: Weights) -> None:
    for one, other in zip(first, second, strict=True):
        np.testing.assert_array_equal(one, other)


def events_in(folder: Path) -> Any:
    """What was recorded."""
    # A change of the learning rate has a file of its own.
    paths = [path for path in folder.iterdir() if path.name.endswith("_MS")]
    return EventFileReader(max(paths, key=lambda path: path.stat().st_size)).read()


def curves(folder: Path) -> dict[str, list[tuple[int, float]]]:
    batch = events_in(folder)
    found: dict[str, list[tuple[int, float]]] = {}
    for number, rows in batch.scalars():
        for row in rows:
            found.setdefault(batch.tags[number], []).append((int(row["step"]), float(row["value"])))
    return found


@pytest.fixture
def dashboard() -> Iterator[Dashboard]:
    with played() as found:
        yield found


class Loop:
    """A training in a thread of its own that waits at a step, so that the test can be its user."""

    def __init__(self, dashboard: Dashboard, folder: Path, mode: str, stops_at: int = 3, **options: Any) -> None:
        self.weights: Weights = []
        self._error: BaseException | None = None
        self._gate = threading.Event()
        self.dashboard = dashboard
        before = options.pop("each", lambda step: None)

        def arrive(step: int) -> None:
            before(step)
            if step == stops_at:
                assert self._gate.wait(60)

        def run() -> None:
            try:
                debugger = Debugger(folder, url=dashboard.url, token=TOKEN)
                self.weights = train(mode, debugger, each=arrive, **options)
            except BaseException as error:
                self._error = error

        self._thread = threading.Thread(target=run, daemon=True)
        self._thread.start()
        dashboard.wait_for(lambda: dashboard.of(wire.Hello) and dashboard.connected)

    def begin(self, **action: Any) -> None:
        """Send a command, and let the training go on."""
        self.dashboard.send(wire.Command(id="first", **action))
        self._gate.set()

    def end(self) -> Weights:
        """Let the training end."""
        self.dashboard.send(wire.Command(id="last", go_on=wire.Continue()))
        self._thread.join(120)
        assert not self._thread.is_alive()
        if self._error is not None:
            raise self._error
        return self.weights


def paused(dashboard: Dashboard, reason: str, **fields: Any) -> wire.State:
    """The state of a pause for a reason."""

    def found() -> wire.State | None:
        states = [state for state in dashboard.of(wire.State) if state.status == wire.State.PAUSED]
        fits = (one for one in states if all(getattr(one, name) == value for name, value in fields.items()))
        return next((state for state in fits if state.reason == reason), None)

    state: wire.State = dashboard.wait_for(found)
    return state


@pytest.mark.parametrize("mode", MODES)
def test_recording_leaves_the_weights_alone(mode: str, tmp_path: Path) -> None:
    same(train(mode), train(mode, Debugger(tmp_path, histograms=2, **NOBODY)))
    found = curves(tmp_path)
    assert [step for step, _ in found["loss"]] == [1, 2, 3, 4, 5, 6]
    assert [value for _, value in found["learning_rate"]] == pytest.approx([0.1] * STEPS)
    data = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    for text in (b"conv.weight", b"Conv2D", b"Momentum", b"SoftmaxCrossEntropyWithLogits", b"GeneratorDataset"):
        assert text in data, text


@pytest.mark.parametrize("mode", MODES)
def test_the_rate_of_a_schedule_is_that_of_its_step(mode: str, tmp_path: Path) -> None:
    rates = [0.1, 0.09, 0.08, 0.07, 0.06, 0.05]
    train(mode, Debugger(tmp_path, **NOBODY), rate=rates)
    assert [value for _, value in curves(tmp_path)["learning_rate"]] == pytest.approx(rates)


def test_a_paused_step_in_pynative_mode_shows_outputs_and_gradients(dashboard: Dashboard, tmp_path: Path) -> None:
    loop = Loop(dashboard, tmp_path, "pynative")
    loop.begin(pause=wire.Pause())
    state = paused(dashboard, "asked")
    assert state.loss > 0
    assert state.has_current
    assert not state.can_run_again
    assert "no step of MindSpore can run again" in state.cannot_run_again
    reply = dashboard.ask(health=wire.Health())
    assert reply.ok, reply.message
    names = {item.tensor.full_name for item in reply.statistics}
    scope = "Default/network-WithLossCell/_backbone-Net"
    assert f"{scope}/conv-Conv2d/Conv2D-op0" in names
    assert f"Gradients/{scope}/fc-Dense/Grad_weight/Gradient-op0" in names
    refused = dashboard.ask(run_again=wire.RunAgain())
    assert "no step of MindSpore can run again" in refused.message
    assert dashboard.ask(next_node=wire.NextNode()).ok
    state = paused(dashboard, "node")
    assert state.node.full_name == f"{scope}/conv-Conv2d/Conv2D-op0"
    assert state.stack[0].function == "construct"
    assert dashboard.ask(next_line=wire.NextLine()).ok
    assert paused(dashboard, "line").within_step
    same(loop.end(), train("pynative"))


def test_gradients_are_those_of_value_and_grad(dashboard: Dashboard, tmp_path: Path) -> None:
    loop = Loop(dashboard, tmp_path, "pynative", stops_at=1)
    loop.begin(pause=wire.Pause())
    paused(dashboard, "asked")
    ms.set_seed(1)
    network = Net()
    loss = ms.nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    x, y = (ms.Tensor(np.stack(items)) for items in zip(*[Rows(1)[place] for place in range(8)], strict=True))
    gradients = ms.grad(lambda x, y: loss(network(x), y), None, network.trainable_params())(x, y)
    name = "Gradients/Default/network-WithLossCell/_backbone-Net/conv-Conv2d/Grad_weight/Gradient-op0"
    reply = dashboard.ask(view=wire.View(tensor=wire.TensorName(full_name=name), values=True))
    assert reply.ok, reply.message
    _, values = dashboard.wait_for(lambda: dashboard.blobs.get(reply.blob))
    seen = np.frombuffer(values.tobytes(), np.float32).reshape(gradients[0].shape)
    np.testing.assert_allclose(seen, gradients[0].asnumpy(), rtol=1e-5, atol=1e-7)
    loop.end()


def test_graph_mode_stops_at_steps_and_says_what_it_cannot_show(dashboard: Dashboard, tmp_path: Path) -> None:
    loop = Loop(dashboard, tmp_path, "graph")
    loop.begin(pause=wire.Pause(now=True))
    paused(dashboard, "asked")
    weight = dashboard.ask(view=wire.View(tensor=wire.TensorName(full_name="conv.weight")))
    assert list(weight.statistics[0].shape) == [4, 1, 3, 3]
    hidden = "shows no operators and no gradients: switch to PyNative mode"
    assert hidden in dashboard.ask(next_node=wire.NextNode()).message
    assert "no lines" in dashboard.ask(next_line=wire.NextLine()).message
    output = wire.TensorName(full_name="Default/network-WithLossCell/_backbone-Net/conv-Conv2d/Conv2D-op0")
    assert "this step was not observed" in dashboard.ask(view=wire.View(tensor=output)).message
    watched = wire.Watchpoint(
        id=1, condition="tensor_overflow", enabled=True, targets=wire.Targets(nodes=[output.full_name])
    )
    assert hidden in dashboard.ask(set_watchpoints=wire.SetWatchpoints(watchpoints=[watched])).message
    recommended = dashboard.ask(recommend=wire.Recommend()).recommended
    assert {one.watchpoint.condition for one in recommended} >= {"weight_overflow", "weight_change_too_large"}
    assert not any("gradient" in one.watchpoint.condition for one in recommended)
    same(loop.end(), train("graph"))


def test_the_mode_is_switched_both_ways(dashboard: Dashboard, tmp_path: Path) -> None:
    loop = Loop(dashboard, tmp_path, "graph", steps=10)
    loop.begin(pause=wire.Pause())
    first = paused(dashboard, "asked").step
    assert dashboard.ask(set_mode=wire.SetMode(mode="pynative")).ok
    assert dashboard.ask(step=wire.Step(steps=2)).ok
    state = paused(dashboard, "step", step=first + 2)
    assert state.mode == "pynative"
    assert state.has_current
    back = dashboard.ask(set_mode=wire.SetMode(mode="graph"))
    assert "the last compilation took" in back.message
    assert dashboard.ask(step=wire.Step(steps=2)).ok
    assert paused(dashboard, "step", step=first + 4).mode == "graph"
    # Neither mode has all bits of the other.
    for one, other in zip(loop.end(), train("graph", steps=10), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("mode", MODES)
def test_the_learning_rate_is_changed(mode: str, dashboard: Dashboard, tmp_path: Path) -> None:
    loop = Loop(dashboard, tmp_path, mode)
    loop.begin(pause=wire.Pause())
    step = paused(dashboard, "asked").step
    assert dashboard.ask(set_learning_rate=wire.SetLearningRate(name="learning_rate", value=0.02)).ok
    loop.end()
    first, last = ([value for _, value in curves(tmp_path)["learning_rate"]][place] for place in (step - 1, step))
    assert (first, last) == (pytest.approx(0.1), pytest.approx(0.02))


def test_the_rate_of_a_schedule_is_not_changed(dashboard: Dashboard, tmp_path: Path) -> None:
    loop = Loop(dashboard, tmp_path, "graph", rate=[0.1] * STEPS)
    loop.begin(pause=wire.Pause())
    assert not paused(dashboard, "asked").learning_rates[0].can_change
    refused = dashboard.ask(set_learning_rate=wire.SetLearningRate(name="learning_rate", value=0.02))
    assert "schedule IteratorLearningRate computes this learning rate" in refused.message
    loop.end()


@pytest.mark.parametrize(
    ("mode", "condition"),
    [("graph", "weight_overflow"), ("pynative", "gradient_exploding"), ("pynative", "tensor_overflow")],
)
def test_watchpoints_find_the_step(
    mode: str, condition: str, dashboard: Dashboard, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Rows, "bad_from", 8 * 4)
    loop = Loop(dashboard, tmp_path, mode)
    watched = wire.Watchpoint(id=1, condition=condition, enabled=True)
    if condition == "gradient_exploding":
        watched.targets.kinds.append(wire.GRADIENT)
    elif condition == "tensor_overflow":
        watched.targets.patterns.append("*/conv-Conv2d/*")
    loop.begin(set_watchpoints=wire.SetWatchpoints(watchpoints=[watched]))
    state = dashboard.wait_for(
        lambda: next((one for one in dashboard.of(wire.State) if one.status == wire.State.PAUSED), None)
    )
    assert [hit for found in dashboard.of(wire.Hits) for hit in found.hits]
    assert state.step == 5
    assert state.reason in ("hit", "not_finite")
    loop.end()


@pytest.mark.parametrize("mode", MODES)
def test_the_training_is_saved_and_stopped(mode: str, dashboard: Dashboard, tmp_path: Path) -> None:
    loop = Loop(dashboard, tmp_path, mode)
    loop.begin(pause=wire.Pause())
    step = paused(dashboard, "asked").step
    assert dashboard.ask(stop=wire.Stop(save=True)).ok
    assert dashboard.wait_for(lambda: dashboard.of(wire.Bye))[-1].reason == "stopped"
    loop._thread.join(60)
    assert len(curves(tmp_path)["loss"]) == step
    saved = ms.load_checkpoint(str(tmp_path / f"debugger-{step}.ckpt"))
    assert saved["step_num"] == step
    np.testing.assert_array_equal(saved["global_step"].asnumpy(), [step])
    assert "moments.conv.weight" in saved


@pytest.mark.parametrize("mode", MODES)
def test_a_loop_by_hand(mode: str, dashboard: Dashboard, tmp_path: Path) -> None:
    ms.set_context(mode=MODES[mode])
    step = training_step()
    x, y = (ms.Tensor(np.stack(items)) for items in zip(*[Rows(1)[place] for place in range(8)], strict=True))
    losses = []
    with Debugger(tmp_path, url=dashboard.url, token=TOKEN).watch(step) as debugger:
        dashboard.wait_for(lambda: dashboard.connected)
        for number in range(20):
            if number == 2:
                dashboard.send(wire.Command(id="stop", stop=wire.Stop()))
                dashboard.wait_for(lambda: debugger.is_stopped or debugger._session.conversation.inbox)
            with debugger.step(x, y) as now:
                now.output = step(x, y)
            losses.append(float(now.output.asnumpy()))
            debugger.log(accuracy=0.5)
    assert len(losses) < 20
    assert [value for _, value in curves(tmp_path)["loss"]][: len(losses)] == pytest.approx(losses)


def test_an_error_of_the_program_ends_the_run_as_failed(dashboard: Dashboard, tmp_path: Path) -> None:
    def fail(step: int) -> None:
        if step == 4:
            raise ZeroDivisionError("the program's own")

    loop = Loop(dashboard, tmp_path, "pynative", each=fail)
    loop.begin(pause=wire.Pause())
    paused(dashboard, "asked")
    with pytest.raises(ZeroDivisionError):
        loop.end()
    bye = dashboard.wait_for(lambda: dashboard.of(wire.Bye))[-1]
    assert (bye.reason, bye.message) == ("failed", "ZeroDivisionError: the program's own")


@pytest.mark.parametrize("broken", ["rates", "nodes", "note_duration", "array_of"])
def test_an_error_of_ours_ends_watching_and_not_the_training(
    broken: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*arguments: Any) -> None:
        raise ZeroDivisionError("ours")

    monkeypatch.setattr(f"mindinsight.mindspore.training.MindSporeTraining.{broken}", fail)
    same(train("pynative"), train("pynative", Debugger(tmp_path, pause_at_start=False, **NOBODY)))


def test_a_function_compiled_in_an_observed_step_keeps_no_hook(tmp_path: Path, dashboard: Dashboard) -> None:
    ms.set_context(mode=ms.PYNATIVE_MODE)
    step = training_step()
    x, y = (ms.Tensor(np.stack(items)) for items in zip(*[Rows(1)[place] for place in range(8)], strict=True))
    compiled = ms.jit(step.network._backbone.construct)
    with Debugger(tmp_path, url=dashboard.url, token=TOKEN, graph=True).watch(step) as debugger:
        for _ in range(3):
            with debugger.step(x, y) as now:
                now.output = step(x, y)
                compiled(x)
    assert hooks_of(step, step.optimizer) == 0


def test_a_fork_leaves_the_run_alone(tmp_path: Path) -> None:
    with Debugger(tmp_path, **NOBODY).watch(training_step()):
        child = os.fork()
        if child == 0:
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0


def test_wrong_arguments_are_refused(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match=r"network must be a mindspore\.nn\.Cell, not int"):
        Debugger(tmp_path, **NOBODY).watch(1)
    with pytest.raises(ValueError, match="at least 0"):
        Debugger(tmp_path, budget=-1)
