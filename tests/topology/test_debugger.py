"""A training calls one web server, browsers are at another: they watch and control it all the same."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack

import numpy as np
import pytest

from tests.mindinsight.debugger.browser import Browser
from tests.mindinsight.debugger.fake_training import Training, paused

from .conftest import Cluster
from .services import wait_for

pytestmark = [pytest.mark.topology, pytest.mark.processes]


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    """Closes what a test has opened."""
    with ExitStack() as stack:
        yield stack


def test_browsers_of_another_web_server_watch_control_and_see_tensors(cluster: Cluster, stack: ExitStack) -> None:
    here, there = cluster.servers
    training = stack.enter_context(Training(here)).greet()
    near, far = stack.enter_context(Browser(here)), stack.enter_context(Browser(there))
    far.hear("sessions", lambda told: any(row["id"] == training.session for row in told["sessions"]))
    training.say(paused(4))
    wait_for("the state", lambda: near.watch(training.session)["state"])
    whole = far.watch(training.session)
    assert (whole["state"]["step"], whole["viewers"], whole["you"]) == (4, 2, far.name)
    assert far.control(training.session)["granted"]
    assert near.hear("viewers", lambda told: told["controller"] is not None)["controller"] == far.name
    name = far.ask(training.session, {"step": {"steps": 2}})
    assert training.obey().step.steps == 2
    assert far.reply(name)["ok"]
    training.say(paused(6))
    assert far.hear("state")["state"]["step"] == 6
    path = f"/api/debugger/sessions/{training.session}"
    status, row = far.send(f"{path}/tensors", {"full_name": "w"})
    assert (status, row["state"]) == (202, "asked")
    training.show(np.arange(12.0).reshape(3, 4), step=6)
    far.hear("tensor", lambda told: told["tensor"]["state"] == "ready")
    number = there.get(path)["row"]["number"]
    shown = there.get(f"/api/debugger/tensors/statistics?series={number}&index={row['number']}")
    assert (shown["shape"], shown["statistics"]["max"]) == ([3, 4], 11.0)
    far.close()
    near.hear("viewers", lambda told: (told["viewers"], told["controller"]) == (1, None))


def test_a_training_that_comes_back_to_another_web_server_is_the_same_session(
    cluster: Cluster, stack: ExitStack
) -> None:
    here, there = cluster.servers
    first = stack.enter_context(Training(here)).greet(pid=41)
    page = stack.enter_context(Browser(here))
    page.watch(first.session)
    first.say(paused(4))
    page.hear("state")
    second = stack.enter_context(Training(there)).greet(pid=41, session=first.session)
    assert second.session == first.session
    assert first.closed_with() == 4409
    # The page follows it.
    page.hear("session", lambda told: told["connected"])
    second.say(paused(5))
    assert page.hear("state", lambda told: told["state"]["step"] == 5)
