"""Children that are forked by a common stem: what differs from those that are started as programs.

That they are watched, restarted and ended like those is tested in `test_supervisor.py`, for both.
"""

from __future__ import annotations

import os
import re
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from mindinsight.supervisor.children.process import AdoptedProcess
from tests.dashboard import is_running, wait_until
from tests.mindinsight.supervisor.conftest import FakeDashboard

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs a kernel that gives orphans to a grandparent")

Start = Callable[..., FakeDashboard]
LeftRunning = Callable[[dict[str, int]], list[str]]


@pytest.fixture
def fake(start_fake: Start) -> FakeDashboard:
    started = start_fake(stem="good")
    started.wait_for_all()
    return started


def descriptors(pid: int) -> set[str]:
    return {str(number.readlink()) for number in Path(f"/proc/{pid}/fd").iterdir()}


def test_they_are_children_of_the_supervisor_and_the_stem_is_gone(fake: FakeDashboard) -> None:
    children = psutil.Process(fake.process.pid).children(recursive=True)
    assert {child.pid for child in children} == set(fake.pids().values())


def test_each_is_shown_under_its_own_name(fake: FakeDashboard) -> None:
    for name, pid in fake.pids().items():
        shown = [part for part in psutil.Process(pid).cmdline() if part]
        assert shown[:5] == [sys.executable, "-m", "tests.mindinsight.supervisor.fake_child", name, "good"]


def test_only_the_web_server_has_the_listening_socket(fake: FakeDashboard) -> None:
    sockets = {name: any("socket:" in held for held in descriptors(pid)) for name, pid in fake.pids().items()}
    assert sockets == {"redis": False, "worker": False, "web": True}


def test_no_pipe_of_another_is_held(fake: FakeDashboard) -> None:
    pids = fake.pids()
    pipes = [{held for held in descriptors(pids[name]) if "pipe:" in held} for name in ("worker", "web")]
    assert [len(held) for held in pipes] == [1, 1]
    assert not pipes[0] & pipes[1]


@pytest.mark.parametrize("behaviour", ["crash", "threads"])
def test_a_stem_that_cannot_fork_costs_nothing_but_memory(start_fake: Start, behaviour: str) -> None:
    fake = start_fake(stem=behaviour)
    fake.wait_for_all()
    assert "web was not forked and is started as a program" in fake.log("supervisor")
    assert {child.restarts for child in fake.instance().children} == {0}


def test_a_stem_that_cannot_be_run_costs_nothing_but_memory(start_fake: Start) -> None:
    fake = start_fake(stem="absent")
    fake.wait_for_all()
    assert "share no memory" in fake.log("supervisor")
    assert {child.restarts for child in fake.instance().children} == {0}


def test_what_keeps_a_stem_from_forking_is_in_the_log(start_fake: Start) -> None:
    fake = start_fake(stem="crash")
    fake.wait_for_all()
    assert "the stem is rotten" in fake.log("worker")


def test_what_it_did_not_fork_is_started_as_a_program(start_fake: Start, left_running: LeftRunning) -> None:
    fake = start_fake(stem="half")
    fake.wait_for_all()
    log = fake.log("supervisor")
    assert "web was not forked" in log
    assert "worker was not forked" not in log
    pids = fake.pids()
    fake.signal(signal.SIGTERM)
    assert fake.ended() == 0
    assert left_running(pids) == []


def hanging_stem(start_fake: Start) -> tuple[FakeDashboard, int]:
    fake = start_fake(stem="hangs")
    fake.instance()
    wait_until(lambda: "hangs" in fake.log("worker"))
    found = re.search(r"stem (\d+) hangs", fake.log("worker"))
    assert found
    return fake, int(found[1])


def test_can_be_stopped_while_the_stem_imports(start_fake: Start) -> None:
    fake, stem = hanging_stem(start_fake)
    fake.signal(signal.SIGINT)
    assert fake.ended() == 0
    assert not is_running(stem)
    assert fake.printed() == ""


def test_a_supervisor_that_is_killed_meanwhile_leaves_no_stem(start_fake: Start) -> None:
    fake, stem = hanging_stem(start_fake)
    fake.signal(signal.SIGKILL)
    wait_until(lambda: not is_running(stem), 3, "the end of the stem")


def test_the_restart_of_one_is_a_program(fake: FakeDashboard) -> None:
    before = fake.pids()
    os.kill(before["web"], signal.SIGKILL)
    fake.wait_for("note: web")
    after = fake.pids()
    assert after["worker"] == before["worker"]
    assert is_running(after["web"])


def test_the_status_of_an_adopted_process() -> None:
    pid = os.fork()
    if pid == 0:
        os._exit(3)
    process = AdoptedProcess(pid)
    assert process.wait() == 3
    assert process.poll() == 3
    process.kill()


def test_an_adopted_process_that_is_killed() -> None:
    pid = os.fork()
    if pid == 0:
        signal.pause()
        os._exit(0)
    process = AdoptedProcess(pid)
    assert process.poll() is None
    process.terminate()
    assert process.wait() == -signal.SIGTERM
