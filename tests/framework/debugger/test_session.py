"""A training under the debugger, driven over a real link: pauses, steps, modes, views, leases, ends."""

from __future__ import annotations

import math
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from websockets.exceptions import ConnectionClosed

import framework as ms
from debugging.link.link import Link
from framework import nn
from framework.debugger import Debugger, attach
from framework.debugger.modes import set_mode
from framework.train import Model
from framework.train.callback import Callback, LambdaCallback
from summaries.reading.parameters import read_lineage
from summaries.schema.debugger_pb2 import (
    Bye,
    Command,
    Continue,
    Detach,
    Divergence,
    Health,
    Hello,
    NextLine,
    NextNode,
    Pause,
    Program,
    ReadSource,
    Recommend,
    Reply,
    RunAgain,
    RunToNode,
    SetLearningRate,
    SetLease,
    SetMode,
    SetWatchpoints,
    State,
    Step,
    Stop,
    TensorName,
    View,
    Watching,
)
from summaries.schema.summary_pb2 import Event
from tests.framework.debugger.networks import Small, batch, lenet, training, weights
from tests.framework.debugger.playing import TOKEN, Dashboard, played, said_goodbye

PAUSED, RUNNING, ENDED = State.PAUSED, State.RUNNING, State.ENDED


@pytest.fixture(autouse=True)
def pynative() -> Iterator[None]:
    ms.set_context(mode=ms.PYNATIVE_MODE)
    yield
    ms.set_context(mode=ms.PYNATIVE_MODE)


@contextmanager
def trained(dashboard: Dashboard, steps: int = 1_000_000, **settings: Any) -> Iterator[nn.Cell]:
    """A loop of a user's own in a thread, paused before its first step; it is stopped at the end."""
    step = training()
    failures: list[BaseException] = []

    def loop() -> None:
        try:
            with attach(step, dashboard.url, TOKEN, pause_at_start=True, **settings):
                for number in range(steps):
                    step(*batch(number))
        except BaseException as error:
            failures.append(error)

    thread = threading.Thread(target=loop)
    thread.start()
    try:
        dashboard.wait_state(PAUSED, reason="started")
        yield step
    finally:
        with suppress(ConnectionClosed, AssertionError):  # It has ended by itself.
            dashboard.send(Command(stop=Stop()))
        thread.join(30)
        assert not thread.is_alive()
    assert not failures


def undisturbed(steps: int, modes: Callable[[int], str] = lambda step: "pynative") -> list[bytes]:
    """The weights after this many steps without a debugger."""
    step = training()
    for number in range(steps):
        ms.set_context(mode=ms.GRAPH_MODE if modes(number + 1) == "graph" else ms.PYNATIVE_MODE)
        step(*batch(number))
    return weights(step)


def test_it_pauses_steps_and_goes_on_and_the_numbers_stay_what_they_are() -> None:
    with played() as dashboard, trained(dashboard) as step:
        assert dashboard.state.step == 0
        for done in (1, 4):
            assert dashboard.ask(step=Step(steps=done - dashboard.state.step)).ok
            state = dashboard.wait_state(PAUSED, step=done, reason="step")
            assert state.can_run_again
            assert weights(step) == undisturbed(done)
        assert state.learning_rates[0].name == "learning_rate"
        assert state.learning_rates[0].can_change
        np.testing.assert_allclose(state.learning_rates[0].value, 0.1, rtol=1e-6)
        assert np.isfinite(state.loss)
        dashboard.ask(go_on=Continue())
        dashboard.wait_for(lambda: dashboard.state.step > 4 and dashboard.state.status == RUNNING)
        dashboard.ask(pause=Pause())
        state = dashboard.wait_state(PAUSED, reason="asked")
        assert state.can_run_again, "a pause waits for a step that is kept"
        assert weights(step) == undisturbed(state.step)


def test_any_tensor_of_a_paused_step_can_be_seen_and_of_the_one_before() -> None:
    with played() as dashboard, trained(dashboard) as step:
        dashboard.ask(step=Step(steps=3))
        dashboard.wait_state(PAUSED, step=3, has_current=True, has_previous=True)
        after = weights(step)
        program: Program = dashboard.of(Program)[-1]
        node = next(item.full_name for item in program.nodes if item.type == "ReLU")

        def seen(name: str, previous: bool = False) -> np.ndarray[Any, Any]:
            reply = dashboard.ask(view=View(tensor=TensorName(full_name=name), previous=previous, values=True))
            assert reply.ok, reply.message
            begin, data = dashboard.wait_for(lambda: dashboard.blobs.get(reply.blob))
            assert begin.step == 3 - previous
            (told,) = reply.statistics
            assert told.tensor.full_name == name
            values = data.view(begin.dtype)
            assert (told.count, told.zeros) == (values.size, (values == 0).sum())
            np.testing.assert_allclose([told.min, told.max], [values.min(), values.max()], rtol=1e-6)
            return data.view(begin.dtype).reshape(tuple(begin.shape))

        expected = training()
        for number in range(3):
            before = {item.name: item.asnumpy().copy() for item in expected.get_parameters()}
            rows = batch(number)[0].asnumpy()
            relu = np.maximum(rows @ before["first.weight"].T + before["first.bias"], 0)
            if number == 1:
                np.testing.assert_allclose(seen(node, previous=True), relu, rtol=1e-5, atol=1e-6)
            expected(*batch(number))
        np.testing.assert_allclose(seen(node), relu, rtol=1e-5, atol=1e-6)
        np.testing.assert_array_equal(seen("first.weight", previous=True), before["first.weight"])
        np.testing.assert_array_equal(seen("first.weight"), dict(expected.parameters_dict())["first.weight"].asnumpy())
        health = dashboard.ask(health=Health())
        assert {item.tensor.full_name for item in health.statistics} > {node, "first.weight", "moments.first.weight"}
        assert weights(step) == after
        reply = dashboard.ask(view=View(tensor=TensorName(full_name="Default/nothing")))
        assert (reply.ok, reply.problem) == (False, "unknown_node")


def test_it_goes_node_by_node_in_both_modes() -> None:
    for mode in ("pynative", "graph"):
        with played() as dashboard, trained(dashboard) as step:
            dashboard.ask(set_mode=SetMode(mode=mode))
            dashboard.wait_state(PAUSED, mode=mode)
            program: Program = dashboard.of(Program)[-1]
            node = next(item.full_name for item in program.nodes if item.type == "ReLU")
            dashboard.ask(run_to_node=RunToNode(full_name=node))
            state = dashboard.wait_state(PAUSED, reason="node", within_step=True)
            assert state.node.full_name == node
            assert state.stack[0].line > 0
            # A compiled program knows the line of the operator only.
            where = "networks.py" if mode == "pynative" else "element_wise.py"
            assert state.files[state.stack[0].file].endswith(where)
            reply = dashboard.ask(view=View(tensor=TensorName(full_name=node), values=True))
            _, data = dashboard.wait_for(lambda: dashboard.blobs.get(reply.blob))  # noqa: B023
            assert data.view(np.float32).min() >= 0
            dashboard.ask(next_node=NextNode())
            state = dashboard.wait_for(
                lambda: dashboard.state if dashboard.state.node.full_name not in ("", node) else None  # noqa: B023
            )
            assert state.status == PAUSED
            late = dashboard.ask(view=View(tensor=TensorName(full_name=program.nodes[-1].full_name)))
            assert late.problem == "not_executed"
            assert dashboard.ask(set_learning_rate=SetLearningRate(value=1)).problem == "within_step"
            source = dashboard.ask(read_source=ReadSource(file=state.files[state.stack[0].file]))
            assert "class " in source.text
            assert dashboard.ask(read_source=ReadSource(file="/etc/passwd")).problem == "unknown_file"
            dashboard.ask(step=Step(steps=1))
            dashboard.wait_state(PAUSED, step=1, within_step=False)
            assert weights(step) == undisturbed(1, lambda number: mode)  # noqa: B023


def test_it_goes_line_by_line_in_pynative_mode() -> None:
    with played() as dashboard, trained(dashboard):
        assert dashboard.ask(next_line=NextLine()).ok
        lines = []
        for _ in range(3):
            state = dashboard.wait_state(PAUSED, reason="line")
            lines.append(state.stack[0].line)
            assert state.stack[0].function == "construct"
            dashboard.heard.clear()
            dashboard.ask(next_line=NextLine(over=True))
        state = dashboard.wait_state(PAUSED, reason="line")
        assert lines == [lines[0], lines[0] + 1, lines[0] + 2], "construct of Small has three lines in a row"
        dashboard.ask(step=Step(steps=1))
        dashboard.wait_state(PAUSED, reason="step")
        dashboard.ask(set_mode=SetMode(mode="graph"))
        assert dashboard.ask(next_line=NextLine()).problem == "no_lines"


def test_a_step_runs_again_in_the_other_mode_and_everything_is_put_back() -> None:
    with played() as dashboard, trained(dashboard) as step:
        assert dashboard.ask(run_again=RunAgain()).problem == "cannot_run_again"
        dashboard.ask(step=Step(steps=2))
        dashboard.wait_state(PAUSED, step=2)
        assert dashboard.ask(run_again=RunAgain(mode="graph")).ok
        divergence: Divergence = dashboard.wait_for(lambda: dashboard.of(Divergence))[0]
        assert (divergence.step, divergence.first_mode, divergence.second_mode) == (2, "pynative", "graph")
        assert any(item.type == "MatMul" for item in divergence.differences)
        assert not divergence.first.full_name
        assert dashboard.ask(run_again=RunAgain(mode="sideways")).problem == "bad_mode"
        assert weights(step) == undisturbed(2)
        node = next(item.full_name for item in dashboard.of(Program)[-1].nodes if item.type == "ReLU")
        assert dashboard.ask(run_again=RunAgain(to_node=node)).ok
        dashboard.wait_state(PAUSED, within_step=True, reason="node")
        dashboard.ask(go_on=Continue())
        dashboard.wait_state(PAUSED, within_step=False, step=2)
        assert weights(step) == undisturbed(2)


@pytest.mark.parametrize("mode", ["graph", "pynative"])
def test_what_watchpoints_take_is_known_once_steps_are(mode: str) -> None:
    set_mode(mode)
    with played() as dashboard, trained(dashboard):
        assert all(math.isnan(item.cost) for item in dashboard.ask(recommend=Recommend()).recommended)
        # The first step of a mode compiles.
        for step in (1, 2):
            dashboard.ask(step=Step(steps=1))
            dashboard.wait_state(PAUSED, step=step)
        offered = dashboard.ask(recommend=Recommend()).recommended
        assert sum(item.cost for item in offered) > 0
        fewer = dashboard.ask(recommend=Recommend(without=[item.watchpoint.id for item in offered[1:]])).recommended
        assert [item.watchpoint for item in fewer] == [item.watchpoint for item in offered]


def test_what_is_armed_before_the_first_step_is_measured_too() -> None:
    with played() as dashboard, trained(dashboard):
        offered = dashboard.ask(recommend=Recommend()).recommended
        assert dashboard.ask(set_watchpoints=SetWatchpoints(watchpoints=[item.watchpoint for item in offered])).ok
        dashboard.ask(step=Step(steps=5))
        dashboard.wait_state(PAUSED, step=5)
        told = dashboard.wait_for(lambda: [item for item in dashboard.of(Watching) if item.cost_known])
        assert told[-1].cost > 0


def test_the_learning_rate_is_changed_live_and_noted_in_the_run(tmp_path: Path) -> None:
    with played() as dashboard, trained(dashboard, summary_dir=tmp_path) as step:
        dashboard.ask(step=Step(steps=2))
        dashboard.wait_state(PAUSED, step=2)
        assert dashboard.ask(set_learning_rate=SetLearningRate(name="learning_rate", value=0.01)).ok
        dashboard.ask(step=Step(steps=2))
        dashboard.wait_state(PAUSED, step=4)
        expected = training()
        for number in range(4):
            if number == 2:
                expected.optimizer.learning_rate.set_data(ms.Tensor(0.01, ms.float32))
            expected(*batch(number))
        assert weights(step) == weights(expected)
        for value in (-1.0, float("nan"), float("inf")):
            assert dashboard.ask(set_learning_rate=SetLearningRate(value=value)).problem == "cannot_change"
        assert dashboard.ask(set_learning_rate=SetLearningRate(name="other", value=1)).problem == "cannot_change"
    (events,) = (item for item in tmp_path.iterdir() if not item.name.endswith("_lineage"))
    (edit,) = (event for event in events_of(events) if event.HasField("live_edit"))
    assert (edit.step, edit.live_edit.name, edit.live_edit.author) == (2, "learning_rate", "debugger")
    np.testing.assert_allclose(edit.live_edit.before.double_val, 0.1, rtol=1e-6)
    assert edit.live_edit.after.double_val == 0.01
    (lineage,) = tmp_path.glob("*_lineage")
    assert read_lineage(lineage).params["edits"] == "learning_rate 0.1 to 0.01 after step 2"


def events_of(path: Path) -> Iterator[Event]:
    """The records of a file: a length, its checksum, the payload and its checksum."""
    data, at = path.read_bytes(), 0
    while at < len(data):
        (length,) = struct.unpack_from("<Q", data, at)
        yield Event.FromString(data[at + 12 : at + 12 + length])
        at += length + 16


def test_nobody_there_a_pause_ends_by_itself() -> None:
    with played() as dashboard, trained(dashboard, lease=500.0) as step:
        assert 400 < dashboard.state.lease.left <= 500
        dashboard.ask(set_lease=SetLease(length=0.2))
        dashboard.cut()
        dashboard.wait_state(RUNNING)
        dashboard.wait_for(lambda: dashboard.connected)
        dashboard.ask(set_lease=SetLease(length=100))
        dashboard.ask(pause=Pause())
        state = dashboard.wait_state(PAUSED)
        assert 90 < state.lease.left <= 100
        dashboard.ask(set_lease=SetLease(hold=True))
        assert dashboard.wait_for(lambda: dashboard.state if dashboard.state.lease.held else None)
        assert dashboard.ask(set_lease=SetLease(at_end="explode")).problem == "bad_lease"
        dashboard.ask(set_lease=SetLease(length=-5))
        assert weights(step)


def test_nobody_there_a_training_is_saved_and_stopped(tmp_path: Path) -> None:
    with played() as dashboard, trained(dashboard, at_end="save_and_stop", summary_dir=tmp_path) as step:
        dashboard.ask(set_lease=SetLease(length=0.2))
        assert said_goodbye(dashboard).reason == "stopped"
    (file,) = tmp_path.glob("*.ckpt")
    saved = ms.load_checkpoint(str(file))
    assert [saved[item.name].asnumpy().tobytes() for item in step.get_parameters()] == weights(step)


def test_a_detached_training_goes_on_alone() -> None:
    with played() as dashboard, trained(dashboard, steps=5) as step:
        assert dashboard.ask(detach=Detach()).ok
        assert said_goodbye(dashboard).reason == "detached"
    assert weights(step) == undisturbed(5)


def test_a_command_that_crosses_the_goodbye_is_not_obeyed(monkeypatch: pytest.MonkeyPatch) -> None:
    with played() as dashboard, trained(dashboard, steps=5) as step:
        session = step._run_by
        assert session is not None
        say_goodbye = Link.close

        def crossed(link: Link, bye: Bye) -> None:
            session.conversation.hear(Command(id="late", stop=Stop()))
            say_goodbye(link, bye)

        monkeypatch.setattr(Link, "close", crossed)
        assert dashboard.ask(detach=Detach()).ok
        said_goodbye(dashboard)
    assert weights(step) == undisturbed(5)


def test_what_makes_no_sense_is_refused_with_a_sentence() -> None:
    with played() as dashboard, trained(dashboard):
        dashboard.ask(go_on=Continue())
        dashboard.wait_state(RUNNING)
        for action in ({"view": View()}, {"run_again": RunAgain()}, {"health": Health()}):
            reply = dashboard.ask(**action)
            assert not reply.ok
            assert reply.problem
            assert reply.message
        assert dashboard.ask(set_mode=SetMode(mode="")).problem == "bad_mode"
        assert dashboard.ask(run_to_node=RunToNode(full_name="x" * 1000)).problem == "unknown_node"


# ---- Model.train


def model(rate: Any = 0.1) -> Model:
    ms.set_seed(7)
    network = Small()
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    return Model(network, loss, nn.Momentum(network.trainable_params(), rate, 0.9))


def rows(steps: int) -> list[tuple[Any, ...]]:
    return [batch(number) for number in range(steps)]


def in_thread(work: Callable[[], None]) -> threading.Thread:
    thread = threading.Thread(target=work)
    thread.start()
    return thread


def test_a_model_is_stopped_and_goes_on_from_its_checkpoint(tmp_path: Path) -> None:
    whole = model()
    whole.train(2, rows(6))
    stopped = model()
    with played() as dashboard:
        debugger = Debugger(dashboard.url, TOKEN, tmp_path, pause_at_start=True)
        thread = in_thread(lambda: stopped.train(2, rows(6), callbacks=[debugger]))
        hello: Hello = dashboard.wait_for(lambda: dashboard.of(Hello))[0]
        assert hello.summary_dir == str(tmp_path)
        dashboard.wait_state(PAUSED)
        dashboard.ask(step=Step(steps=8))
        state = dashboard.wait_state(PAUSED, step=8)
        assert (state.epoch, state.steps_per_epoch, state.steps) == (2, 6, 12)
        dashboard.ask(stop=Stop(save=True))
        assert said_goodbye(dashboard).reason == "stopped"
        thread.join(30)
    (file,) = tmp_path.glob("*.ckpt")
    resumed = model()
    resumed.train(2, rows(6), resume_from=file)
    assert weights(resumed.train_network) == weights(whole.train_network)


def test_the_last_step_can_be_paused_at_too() -> None:
    trained_model = model()
    with played() as dashboard:
        debugger = Debugger(dashboard.url, TOKEN, pause_at_start=True)
        thread = in_thread(lambda: trained_model.train(1, rows(3), callbacks=debugger))
        dashboard.wait_state(PAUSED)
        dashboard.ask(step=Step(steps=3))
        dashboard.wait_state(PAUSED, step=3)
        dashboard.ask(go_on=Continue())
        assert said_goodbye(dashboard).reason == "finished"
        assert dashboard.state.status == ENDED
        thread.join(30)


def test_a_training_that_fails_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    with played() as dashboard:

        def fail(_: Any) -> None:
            dashboard.wait_for(lambda: dashboard.connected)
            raise RuntimeError("the data is gone")

        monkeypatch.setenv("MS_DEBUGGER_URL", f"{dashboard.url}?token={TOKEN}")
        callbacks: list[Callback] = [LambdaCallback(on_train_step_end=fail)]

        def train() -> None:
            with pytest.raises(RuntimeError, match="the data is gone"):
                model().train(1, rows(3), callbacks=callbacks)

        in_thread(train).join(30)
        bye: Bye = said_goodbye(dashboard)
        assert (bye.reason, bye.message) == ("failed", "RuntimeError: the data is gone")


def test_the_context_attaches_and_a_schedule_is_not_changed() -> None:
    with played() as dashboard:
        ms.set_context(debugger=f"{dashboard.url}?token={TOKEN}")
        try:
            thread = in_thread(lambda: model([0.1] * 900_000).train(1, rows(1) * 100_000))
            dashboard.wait_state(RUNNING)
            dashboard.ask(pause=Pause())
            state = dashboard.wait_state(PAUSED)
            assert not state.learning_rates[0].can_change
            assert "schedule" in dashboard.ask(set_learning_rate=SetLearningRate(value=1)).message
            dashboard.ask(stop=Stop())
            thread.join(30)
        finally:
            ms.set_context(debugger=None)


def test_arguments_are_checked_before_anything_trains() -> None:
    with pytest.raises(ValueError, match="not the address"):
        Debugger("ftp://x")
    with pytest.raises(ValueError, match="lease"):
        Debugger(lease=0)
    with pytest.raises(ValueError, match="at_end"):
        Debugger(at_end="explode")
    with pytest.raises(TypeError, match="the Cell that trains"), attach(print):  # type: ignore[arg-type]
        pass


def test_replies_have_the_number_of_their_command() -> None:
    with played() as dashboard, trained(dashboard):
        numbers = [dashboard.ask(pause=Pause()).id for _ in range(3)]
        assert numbers == [item.id for item in dashboard.of(Reply)]
    assert lenet()
