"""A dump on the Debugger page: the other end of the wire is played, and the numbers are those that numpy computed."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mindinsight.dumps import DumpError, find_fault, open_dump
from mindinsight.dumps.session import show
from summaries.schema import debugger_pb2 as wire
from tests.debugging.dumps.builder import LOG, MATMUL, NEG, SOFTMAX, outputs, write_mindspore, write_msprobe
from tests.debugging.dumps.test_recorded import FOLDERS
from tests.framework.debugger.playing import TOKEN, Dashboard, played, said_goodbye

PAUSED = wire.State.PAUSED


@pytest.fixture
def dashboard() -> Iterator[Dashboard]:
    with played() as found:
        yield found


class Shown:
    """A dump that is shown in a thread of its own."""

    def __init__(self, dashboard: Dashboard, folder: Path, **options: Any) -> None:
        self.error: BaseException | None = None

        def run() -> None:
            try:
                show(open_dump(folder), dashboard.url, TOKEN, **options)
            except BaseException as error:
                self.error = error

        self._thread = threading.Thread(target=run, daemon=True)
        self._thread.start()

    def join(self) -> None:
        """Wait until it is over, without an error."""
        self._thread.join(60)
        assert not self._thread.is_alive()
        if self.error is not None:
            raise self.error


def viewed(dashboard: Dashboard, name: str) -> np.ndarray[Any, Any]:
    """The elements of a tensor of the paused step."""
    before = set(dashboard.blobs)
    reply = dashboard.ask(view=wire.View(tensor=wire.TensorName(full_name=name), values=True))
    assert reply.ok, reply.message
    begin, data = dashboard.wait_for(
        lambda: next((dashboard.blobs[n] for n in dashboard.blobs if n not in before), None)
    )
    return data.view(np.float32).reshape(tuple(begin.shape))


def test_each_iteration_is_a_step_with_the_tensors_of_the_dump(dashboard: Dashboard, tmp_path: Path) -> None:
    shown = Shown(dashboard, write_mindspore(tmp_path / "lenet_dump"))
    state = dashboard.wait_state(PAUSED, reason="started")
    assert state.mode == "graph"
    (hello,) = dashboard.of(wire.Hello)
    assert (hello.name, hello.device) == ("lenet_dump", "dump")
    for number, reason in ((0, "step"), (1, "asked")):
        assert dashboard.ask(step=wire.Step(steps=1)).ok
        state = dashboard.wait_state(PAUSED, reason=reason, step=number + 1)
        made = outputs(number)
        assert state.loss == pytest.approx(float(made[NEG]), nan_ok=True)
        for name in (MATMUL, SOFTMAX, LOG):
            np.testing.assert_array_equal(viewed(dashboard, name), made[name])
        np.testing.assert_array_equal(viewed(dashboard, "fc.weight"), made["fc.weight"])
    dashboard.ask(go_on=wire.Continue())
    shown.join()
    assert said_goodbye(dashboard).reason == "finished"


def test_watchpoints_and_the_cause_are_those_of_a_training(dashboard: Dashboard, tmp_path: Path) -> None:
    shown = Shown(dashboard, write_mindspore(tmp_path / "dump"))
    dashboard.wait_state(PAUSED, reason="started")
    watched = wire.Watchpoint(id=1, condition="tensor_overflow", enabled=True)
    assert dashboard.ask(set_watchpoints=wire.SetWatchpoints(watchpoints=[watched])).ok
    dashboard.ask(go_on=wire.Continue())
    dashboard.wait_state(PAUSED, step=2)
    hits = dashboard.wait_for(lambda: [hit for found in dashboard.of(wire.Hits) for hit in found.hits])
    assert {hit.tensor.full_name for hit in hits} >= {LOG}
    (cause,) = dashboard.wait_for(lambda: dashboard.of(wire.Cause))[-1:]
    assert (cause.verdict, cause.producer.tensor.full_name) == ("log_of_zero", LOG)
    assert (cause.producer.line.line, cause.producer.line.file) == (22, 0)
    dashboard.ask(stop=wire.Stop())
    shown.join()
    assert said_goodbye(dashboard).reason == "stopped"


def test_one_can_stop_within_an_iteration_and_read_it_again(dashboard: Dashboard, tmp_path: Path) -> None:
    shown = Shown(dashboard, write_mindspore(tmp_path / "dump"))
    dashboard.wait_state(PAUSED, reason="started")
    assert dashboard.ask(run_to_node=wire.RunToNode(full_name=LOG)).ok
    state = dashboard.wait_state(PAUSED, reason="node")
    assert state.node.full_name == LOG
    np.testing.assert_array_equal(viewed(dashboard, SOFTMAX), outputs(0)[SOFTMAX])
    assert dashboard.ask(step=wire.Step(steps=1)).ok
    dashboard.wait_state(PAUSED, reason="step", step=1)
    assert dashboard.ask(run_again=wire.RunAgain()).ok
    np.testing.assert_array_equal(viewed(dashboard, LOG), outputs(0)[LOG])
    dashboard.ask(stop=wire.Stop())
    shown.join()


def test_what_cannot_be_done_to_a_dump_is_refused_with_a_sentence(dashboard: Dashboard, tmp_path: Path) -> None:
    shown = Shown(dashboard, write_mindspore(tmp_path / "dump"))
    state = dashboard.wait_state(PAUSED, reason="started")
    assert [(rate.value, rate.can_change) for rate in state.learning_rates] == [(pytest.approx(0.1), False)]
    for action in (
        {"set_mode": wire.SetMode(mode="pynative")},
        {"set_learning_rate": wire.SetLearningRate(name="learning_rate", value=0.2)},
    ):
        reply = dashboard.ask(**action)
        assert not reply.ok
        assert "a dump of a training that is over" in reply.message
    dashboard.ask(stop=wire.Stop())
    shown.join()


def test_a_dump_of_msprobe_without_a_graph_is_shown(dashboard: Dashboard, tmp_path: Path) -> None:
    shown = Shown(dashboard, write_msprobe(tmp_path / "dump", factor=1000))
    dashboard.wait_state(PAUSED, reason="started")
    assert dashboard.ask(step=wire.Step(steps=1)).ok
    dashboard.wait_state(PAUSED, step=1)
    reply = dashboard.ask(health=wire.Health())
    assert reply.ok
    assert "Torch.log.0.forward" in {item.tensor.full_name for item in reply.statistics}
    dashboard.ask(go_on=wire.Continue())
    shown.join()


@pytest.mark.skipif(not FOLDERS, reason="CASES_DUMPS names no folder with recorded dumps")
@pytest.mark.parametrize("folder", FOLDERS, ids=lambda path: path.name)
def test_recorded_dumps_are_shown(dashboard: Dashboard, folder: Path) -> None:
    shown = Shown(dashboard, folder)
    dashboard.wait_state(PAUSED, reason="started")
    watched = wire.Watchpoint(id=1, condition="tensor_overflow", enabled=True)
    assert dashboard.ask(set_watchpoints=wire.SetWatchpoints(watchpoints=[watched])).ok
    dashboard.ask(go_on=wire.Continue())
    dashboard.wait_state(PAUSED, reason="not_finite" if "fault" in folder.name or "adam" in folder.name else "asked")
    fault = find_fault(open_dump(folder))
    if fault is not None:
        cause = dashboard.wait_for(lambda: dashboard.of(wire.Cause))[-1]
        assert (cause.verdict, cause.producer.tensor.full_name) == (fault.cause.verdict, fault.operator)
    dashboard.ask(stop=wire.Stop())
    shown.join()


@pytest.mark.parametrize(("options", "says"), [({"rank": 3}, "its ranks: 0, 1"), ({"graph": 7}, "with tensors: 0")])
def test_a_missing_rank_or_graph_is_named(tmp_path: Path, options: dict[str, int], says: str) -> None:
    dump = open_dump(write_mindspore(tmp_path / "dump", ranks=(0, 1)))
    with pytest.raises(DumpError, match=says):
        show(dump, "http://127.0.0.1:1", TOKEN, **options)
