"""Random actions of a person, connections that are cut and dashboards that die: the weights stay what they are."""

from __future__ import annotations

import gc
import os
import random
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import psutil
import pytest
from google.protobuf.message import Message
from websockets.exceptions import ConnectionClosed

from framework import Tensor, nn
from framework.debugger import attach
from framework.debugger.modes import mode_now, set_mode
from summaries.schema.debugger_pb2 import (
    Command,
    Continue,
    NextNode,
    Pause,
    Program,
    Reply,
    RunAgain,
    RunToNode,
    SetMode,
    State,
    Step,
    Stop,
    TensorName,
    View,
)
from tests.framework.debugger.networks import lenet, weights
from tests.framework.debugger.playing import TOKEN, Dashboard

LONG = os.environ.get("MINDINSIGHT_TEST_COUNTS") == "long"
ACTIONS, CUTS, DEATHS = (2000, 50, 10) if LONG else (60, 3, 1)
WARM = ACTIONS // 5
"""After so many actions everything has been compiled and has had its first use."""
FLAT = 32 << 20
"""Bytes by which the process may be larger at the end than it was then: less than 20 KiB for an action."""


def picture(number: int) -> tuple[Tensor, Tensor]:
    """Two pictures and their labels."""
    rng = np.random.default_rng(number)
    return Tensor(rng.standard_normal((2, 1, 32, 32), "float32")), Tensor(rng.integers(0, 10, 2).astype("int32"))


class Person:
    """Does something at random, whatever comes of it: replies may be refusals, or be lost with the connection."""

    def __init__(self, dashboard: Dashboard, seed: int) -> None:
        self.dashboard = dashboard
        self.chance = random.Random(seed)
        self.done = self.agreed = 0
        self.names: list[str] = []

    def act(self) -> None:
        """One action, and its requirements for finishing."""
        way = self.chance.choice((self.steps, self.run_on, self.switch, self.again, self.look, self.walk, self.now))
        way()
        self.done += 1

    def steps(self) -> None:
        self.ask(step=Step(steps=self.chance.randint(1, 3)))
        self.settle()

    def run_on(self) -> None:
        self.ask(go_on=Continue())
        self.ask(pause=Pause())
        self.settle()

    def now(self) -> None:
        self.ask(go_on=Continue())
        self.ask(pause=Pause(now=True))
        self.settle()
        self.steps()

    def switch(self) -> None:
        self.ask(set_mode=SetMode(mode=self.chance.choice(("graph", "pynative"))))

    def again(self) -> None:
        self.ask(run_again=RunAgain(mode=self.chance.choice(("", "graph", "pynative"))))

    def look(self) -> None:
        name = TensorName(full_name=self.node())
        self.ask(view=View(tensor=name, values=True, previous=self.chance.random() < 0.3))

    def walk(self) -> None:
        self.ask(run_to_node=RunToNode(full_name=self.node()))
        self.ask(pause=Pause())  # It may be a node that this mode does not execute.
        self.settle()
        for _ in range(self.chance.randint(0, 3)):
            self.ask(next_node=NextNode())
            self.settle()
        self.steps()

    def node(self) -> str:
        if not self.names:
            program: Program = self.dashboard.wait_for(lambda: (self.dashboard.of(Program) or [None])[-1])
            self.names = [item.full_name for item in program.nodes if item.line.line]
        return self.chance.choice(self.names)

    def ask(self, **action: Message) -> None:
        """Send a command; again, when the connection was lost before its answer."""
        number = f"{self.done}-{self.chance.random()}"
        while True:
            self.dashboard.wait_for(lambda: self.dashboard.connected)
            connections = self.dashboard.connections
            try:
                self.dashboard.send(Command(id=number, **action))  # type: ignore[arg-type]
            except (ConnectionClosed, AssertionError):
                continue
            reply = self.dashboard.wait_for(
                lambda: self.answer(number) or self.dashboard.connections != connections  # noqa: B023
            )
            if isinstance(reply, Reply):
                self.agreed += reply.ok
                return

    def answer(self, number: str) -> Reply | None:
        return next(
            (item for item in self.dashboard.heard[::-1] if isinstance(item, Reply) and item.id == number), None
        )

    def settle(self) -> None:
        """Wait until the training is paused; one that continued because a reply was lost is paused."""
        state: State = self.dashboard.state
        if state.status != State.PAUSED:
            self.dashboard.wait_for(lambda: self.dashboard.state.status == State.PAUSED)
        del self.dashboard.heard[:-200]
        self.dashboard.blobs.clear()


class Noting(nn.TrainOneStepCell):
    """Notes the mode in which each step runs first: what runs again afterwards is the debugger's."""

    modes: dict[int, str]
    number = 0

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self._run_by is None or self._run_by.is_inside:
            self.modes.setdefault(self.number, mode_now())
        return super().__call__(*args, **kwargs)


def resident() -> int:
    """The bytes of memory that the process has, without what waits to be collected."""
    gc.collect()
    return int(psutil.Process().memory_info().rss)


def in_own_thread(work: Callable[[], None]) -> threading.Thread:
    thread = threading.Thread(target=work)
    thread.start()
    return thread


@pytest.mark.parametrize(("mode", "activation"), [("pynative", nn.ReLU), ("graph", nn.ReLU), ("graph", nn.Tanh)])
def test_whatever_a_person_does_the_weights_are_those_of_a_training_that_was_left_alone(
    mode: str, activation: type[nn.Cell]
) -> None:
    step = lenet(activation)
    step.__class__ = Noting
    step.modes = {}
    dashboard = Dashboard()
    address = dashboard.url
    person = Person(dashboard, 1)
    failures: list[BaseException] = []

    def loop() -> None:
        try:
            with attach(step, address, TOKEN, pause_at_start=True):
                for number in range(10_000_000):
                    step.number = number
                    step(*picture(number))
        except BaseException as error:
            failures.append(error)

    chance = random.Random(2)
    cuts = chance.sample(range(1, ACTIONS), CUTS + DEATHS)
    deaths = set(cuts[CUTS:])
    warm = 0
    set_mode(mode)
    try:
        thread = in_own_thread(loop)
        dashboard.wait_state(State.PAUSED)
        while person.done < ACTIONS:
            cutting = None
            if person.done in deaths:
                dashboard.close()
                dashboard = person.dashboard = dashboard.successor()
                dashboard.wait_for(lambda: dashboard.of(Program) and dashboard.of(State))  # noqa: B023
            elif person.done in cuts:
                cutting = in_own_thread(dashboard.cut)
            person.act()
            if cutting is not None:
                cutting.join()
            if person.done == WARM:
                warm = resident()
        grown = resident() - warm
        person.ask(stop=Stop())
        thread.join(60)
        assert not thread.is_alive()
        assert not failures
        assert person.agreed > ACTIONS, "most of what was asked for was done"
        done = weights(step)
        alone = lenet(activation)
        for number in range(step.number + 1):
            set_mode(step.modes[number])
            alone(*picture(number))
        assert set(step.modes.values()) == {"graph", "pynative"}
        assert done == weights(alone)
        assert not LONG or grown < FLAT, f"the process has grown by {grown / (1 << 20):.0f} MiB"
    finally:
        set_mode("pynative")
        dashboard.close()
