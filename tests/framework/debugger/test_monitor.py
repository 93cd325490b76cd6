"""Watchpoints and the cause over a real link: a training pauses by itself and says why."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import pytest
from websockets.exceptions import ConnectionClosed

import framework as ms
from framework.debugger import attach
from framework.debugger.modes import set_mode
from summaries.schema import debugger_pb2 as wire
from summaries.schema.debugger_pb2 import State
from tests.framework.debugger.faults import FINITE_LOST, Planted, first_not_finite, plant
from tests.framework.debugger.networks import batch, training, weights
from tests.framework.debugger.playing import TOKEN, Dashboard, played

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")
MODES = ("graph", "pynative")


@pytest.fixture(autouse=True)
def _mode() -> Iterator[None]:
    yield
    ms.set_context(mode=ms.PYNATIVE_MODE)


@contextmanager
def trained(dashboard: Dashboard, planted: Planted) -> Iterator[None]:
    """A training in a thread, paused before its first step."""

    def loop() -> None:
        with attach(planted.training, dashboard.url, TOKEN, pause_at_start=True):
            for rows in planted:
                planted.training(*rows)

    thread = threading.Thread(target=loop)
    thread.start()
    try:
        dashboard.wait_state(State.PAUSED, reason="started")
        yield
    finally:
        with suppress(ConnectionClosed, AssertionError):
            dashboard.send(wire.Command(stop=wire.Stop()))
        thread.join(30)
        assert not thread.is_alive()


def arm(dashboard: Dashboard, *watchpoints: wire.Watchpoint) -> wire.Reply:
    return dashboard.ask(set_watchpoints=wire.SetWatchpoints(watchpoints=watchpoints))


def arm_recommended(dashboard: Dashboard) -> None:
    offered = dashboard.ask(recommend=wire.Recommend())
    assert offered.ok
    assert arm(dashboard, *(item.watchpoint for item in offered.recommended)).ok


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("kind", FINITE_LOST)
def test_a_training_that_loses_its_numbers_pauses_and_says_why(kind: str, mode: str) -> None:
    set_mode(mode)
    wanted = first_not_finite(plant(kind, 5))
    assert wanted is not None
    with played() as dashboard, trained(dashboard, plant(kind, 5)):
        arm_recommended(dashboard)
        for _ in range(20):
            assert dashboard.ask(go_on=wire.Continue()).ok
            state = dashboard.wait_state(State.PAUSED)
            if state.reason == "not_finite":
                break
        assert state.reason == "not_finite"
        assert state.step == wanted[0]
        (cause,) = dashboard.of(wire.Cause)
        assert cause.step == wanted[0]
        assert cause.producer.tensor.full_name == (wanted[1] or "data")
        assert cause.ran_again


@pytest.mark.parametrize("mode", MODES)
def test_a_hit_pauses_behind_its_step_and_what_is_paused_is_looked_at_again(mode: str) -> None:
    set_mode(mode)
    planted = Planted("none", training(), (), [batch(number) for number in range(10)])
    third = wire.Watchpoint(id=4, condition="expression", expression="step == 3", enabled=True)
    with played() as dashboard, trained(dashboard, planted):
        assert arm(dashboard, third).ok
        assert dashboard.ask(go_on=wire.Continue()).ok
        state = dashboard.wait_state(State.PAUSED, reason="hit")
        assert state.step == 3
        assert state.can_run_again
        (hits,) = dashboard.of(wire.Hits)
        assert [hit.watchpoint for hit in hits.hits] == [4]
        large = wire.Setting(name="max_gt", value=-1e9, enabled=True)
        relu = wire.Targets(patterns=["*/ReLU-op0"])
        every = wire.Watchpoint(id=5, condition="tensor_too_large", settings=[large], targets=relu, enabled=True)
        assert arm(dashboard, third, every).ok
        answer = dashboard.ask(recheck=wire.Recheck())
        assert answer.ok
        assert answer.message == "2 hits"
        again = dashboard.of(wire.Hits)[-1]
        assert again.replace
        assert {hit.watchpoint for hit in again.hits} == {4, 5}


@pytest.mark.parametrize("mode", MODES)
def test_what_only_records_does_not_pause_and_changes_no_number(mode: str) -> None:
    set_mode(mode)
    alone = training()
    for number in range(8):
        alone(*batch(number))
    watched = training()
    planted = Planted("none", watched, (), [batch(number) for number in range(8)])
    log = wire.Watchpoint(
        id=1, condition="tensor_range", enabled=True, log_only=True, targets=wire.Targets(kinds=[wire.ACTIVATION]),
        settings=[wire.Setting(name="max_min_gt", value=-1.0, enabled=True)],
    )  # fmt: skip
    with played() as dashboard, trained(dashboard, planted):
        assert arm(dashboard, log).ok
        assert dashboard.ask(go_on=wire.Continue()).ok
        dashboard.wait_state(State.ENDED)
        assert [item.step for item in dashboard.of(wire.Log)] == list(range(1, 9))
        assert not dashboard.of(wire.Hits)
        counted = dashboard.of(wire.Watching)[-1].watched[0]
        assert counted.watchpoint.id == 1
    assert weights(watched) == weights(alone)


def test_a_watchpoint_that_makes_no_sense_is_refused_with_its_place() -> None:
    planted = Planted("none", training(), (), [batch()])
    with played() as dashboard, trained(dashboard, planted):
        bad = wire.Watchpoint(id=2, condition="expression", expression="loss >> 3", enabled=True)
        answer = arm(dashboard, bad)
        assert (answer.ok, answer.problem, answer.at) == (False, "bad_expression", 6)
        assert "watchpoint 2" in answer.message
