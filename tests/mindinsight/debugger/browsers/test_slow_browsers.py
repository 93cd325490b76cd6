"""The messages for a slow browser, and the limits for a training that sends very much."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from mindinsight.debugger.browsers.viewer import Viewer
from mindinsight.debugger.limits import (
    MOST_HITS,
    MOST_LOGGED,
    MOST_TOLD_BYTES,
    MOST_UNSENT,
    MOST_UNSENT_BYTES,
    MOST_UNSENT_TO_TRAINING,
)
from mindinsight.debugger.training.link import Link
from mindinsight.debugger.training.report import Report
from mindinsight.sockets.json_socket import CLOSE_WITHIN_S
from summaries.schema.debugger_pb2 import Command, RunToNode

KEY = "0123456789abcdef"
Json = dict[str, Any]


async def told_to_a_slow_browser(*messages: Json) -> list[Json]:
    """What arrives where all messages come while the first one is being sent."""
    got: list[Json] = []
    begun, read, done = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def send(text: bytes) -> None:
        message = json.loads(text)
        got.append(message)
        begun.set()
        await read.wait()
        if message["type"] == "last":
            done.set()

    async def anew(session: str) -> Json:
        return {"type": "session", "session": session}

    viewer = Viewer("a", send, anew)
    pump = asyncio.create_task(viewer.pump())
    viewer.tell({"type": "first"})
    await asyncio.wait_for(begun.wait(), 5)
    for message in messages:
        viewer.tell(message)
    viewer.tell({"type": "last"})
    read.set()
    await asyncio.wait_for(done.wait(), 5)
    pump.cancel()
    return got[1:]


def state(step: int) -> Json:
    return {"type": "state", "session": KEY, "state": {"status": "RUNNING", "step": step}}


def hits(step: int) -> Json:
    return {"type": "hits", "session": KEY, "hits": {"step": step}}


async def test_of_states_the_last_one_arrives_and_of_hits_every_one() -> None:
    got = await told_to_a_slow_browser(state(1), hits(1), state(2), hits(2), state(3))
    assert [(told["type"], told.get("hits", told.get("state", {})).get("step")) for told in got] == [
        ("hits", 1),
        ("hits", 2),
        ("state", 3),
        ("last", None),
    ]


async def test_one_that_falls_behind_gets_the_session_anew_and_its_replies() -> None:
    reply = {"type": "reply", "session": KEY, "id": "c1"}
    got = await told_to_a_slow_browser(reply, *(hits(step) for step in range(MOST_UNSENT + 50)))
    assert [told["type"] for told in got] == ["session", "reply", "last"]


async def test_few_messages_that_are_large_make_one_fall_behind_too() -> None:
    large = [{**hits(step), "padding": "x" * (MOST_UNSENT_BYTES // 4)} for step in range(6)]
    got = await told_to_a_slow_browser({"type": "control", "session": KEY}, *large)
    assert [told["type"] for told in got] == ["session", "control", "last"]


async def nobody_reads(_: object) -> None:
    """A way out to who never reads."""
    await asyncio.Event().wait()


async def gone(_: str) -> None:
    """A session that is gone."""


async def test_of_answers_that_nobody_reads_only_some_megabytes_wait() -> None:
    viewer = Viewer("a", nobody_reads, gone)
    pump = asyncio.create_task(viewer.pump())
    overflow = asyncio.create_task(viewer.overflow())
    reply = {"type": "reply", "session": KEY, "text": "x" * (MOST_UNSENT_BYTES // 4)}
    viewer.tell(reply)
    await asyncio.sleep(0)
    room = asyncio.create_task(viewer.room())
    for _ in range(3):
        viewer.tell(reply)
        await asyncio.sleep(0)
    # Nothing is read of the browser, and it is not sent away yet.
    assert not room.done()
    assert not overflow.done()
    for _ in range(2):
        viewer.tell(reply)
    await asyncio.wait_for(overflow, 5)
    for task in (pump, room):
        task.cancel()


async def test_a_training_that_does_not_read_loses_its_connection() -> None:
    link = Link(nobody_reads)
    pump = asyncio.create_task(link.pump())
    command = Command(run_to_node=RunToNode(full_name="x" * (MOST_UNSENT_TO_TRAINING // 5)))
    for _ in range(4):
        link.send(command)
    await asyncio.sleep(0)
    assert not link.is_closing
    for _ in range(3):
        link.send(command)
    assert link.is_closing
    await asyncio.wait_for(pump, 2 * CLOSE_WITHIN_S + 5)


def found(count: int) -> list[Json]:
    return [{"tensor": number} for number in range(count)]


@pytest.mark.parametrize(
    ("held", "left", "now"), [(False, 600.0, 500.0), (True, 600.0, 600.0), (False, -1.0, -1.0), (False, 9.0, 0.0)]
)
def test_who_comes_later_sees_what_is_left_of_the_lease_by_then(held: bool, left: float, now: float) -> None:
    report = Report()
    report.put("state", {"step": 1, "lease": {"held": held, "left": left}})
    report.state_at -= 100
    state = report.everything()["state"]
    assert state["step"] == 1
    assert state["lease"]["left"] == pytest.approx(now, abs=5)


def test_of_many_hits_the_newest_steps_are_kept() -> None:
    report = Report()
    for step in range(5):
        report.add_hits({"step": step, "hits": found(MOST_HITS // 2), "left_out": 0, "replace": False})
        report.add_log({"step": step, "hits": found(MOST_LOGGED)})
    assert [one["step"] for one in report.hits] == [3, 4]
    assert [one["step"] for one in report.log] == [4]


def test_of_too_many_hits_of_one_step_it_is_said_how_many_are_left_out() -> None:
    report = Report()
    for _ in range(3):
        report.add_hits({"step": 1, "hits": found(MOST_HITS), "left_out": 7, "replace": False})
    assert (len(report.hits[0]["hits"]), report.hits[0]["left_out"]) == (MOST_HITS, 2 * MOST_HITS + 21)


def test_of_hits_that_are_large_the_newest_are_kept() -> None:
    report = Report()
    large = [{"tensor": "x" * (MOST_TOLD_BYTES // 4)}]
    for step in range(9):
        report.add_hits({"step": step, "hits": large, "left_out": 0, "replace": False})
        report.add_log({"step": step, "hits": large})
    assert [one["step"] for one in report.hits] == [6, 7, 8]
    assert [one["step"] for one in report.log] == [6, 7, 8]
    report.add_hits({"step": 8, "hits": large * 9, "left_out": 0, "replace": False})
    assert [one["step"] for one in report.hits] == [8]
    assert len(report.hits[0]["hits"]) + report.hits[0]["left_out"] == 10
    assert 0 < len(report.hits[0]["hits"]) < 4
