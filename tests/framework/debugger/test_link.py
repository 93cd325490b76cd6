"""The training's end of the link, against a server that plays the dashboard: well, badly, and not at all."""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from google.protobuf.message import Message

from debugging.link.address import address_of
from debugging.link.link import Link
from debugging.link.outbox import Outbox
from summaries.debugging import CHUNK_BYTES, LONGEST_MESSAGE
from summaries.schema.debugger_pb2 import (
    BlobBegin,
    Bye,
    Command,
    Continue,
    Credit,
    Hello,
    Hits,
    Log,
    Pause,
    Program,
    Reply,
    State,
    Step,
    Welcome,
)
from tests.framework.debugger.playing import TOKEN, WAIT, played, said_goodbye


@contextmanager
def linked(url: str, token: str | None = TOKEN, commands: list[Command] | None = None) -> Iterator[Link]:
    heard = [] if commands is None else commands
    link = Link(address_of(url, token), Hello(protocol=1, name="test", pid=os.getpid()), heard.append)
    link.start()
    try:
        yield link
    finally:
        link.close(Bye(reason="detached"))


def until(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + WAIT
    while not condition():
        assert time.monotonic() < deadline
        threading.Event().wait(0.005)


def test_a_training_says_hello_and_goodbye_and_commands_arrive() -> None:
    commands: list[Command] = []
    with played() as dashboard, linked(dashboard.url, commands=commands) as link:
        dashboard.wait_for(lambda: dashboard.of(Hello))
        until(lambda: link.lost_since is None and dashboard.connected)
        assert link.session == "s1"
        link.send(State(status=State.RUNNING, step=3))
        assert dashboard.state.step == 3
        dashboard.send(Command(id="a", step=Step(steps=5)))
        until(lambda: commands)
        assert commands[0].step.steps == 5
        link.close(Bye(reason="finished"))
        assert said_goodbye(dashboard).reason == "finished"


def test_the_last_word_is_said_also_where_the_link_is_closed_just_when_all_was_sent(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with played() as dashboard, linked(dashboard.url) as link:
        until(lambda: link.lost_since is None and dashboard.connected)
        take, closing = Outbox.take, threading.Event()

        def crossed(outgoing: Outbox) -> Message | None:
            found = take(outgoing)
            if found is None and not closing.is_set():
                closing.set()
                threading.Thread(target=link.close, args=(Bye(reason="finished"),)).start()
                until(link._closing.is_set)
            return found

        monkeypatch.setattr(Outbox, "take", crossed)
        link.send(State(step=1))
        assert said_goodbye(dashboard).reason == "finished"


def test_a_lost_connection_comes_back_with_its_session_and_with_what_is_kept() -> None:
    with played() as dashboard, linked(dashboard.url) as link:
        link.send(Program(digest="p"), keep=True)
        link.send(State(step=1), keep=True)
        link.send(Hits(step=1), keep=True)
        graph = np.arange(1000, dtype=np.uint8)
        link.send_blob(BlobBegin(id=1, content=BlobBegin.GRAPH, bytes=1000), memoryview(graph.data), keep=True)
        dashboard.wait_for(lambda: 1 in dashboard.blobs)
        link.forget(Hits)
        dashboard.heard.clear()
        dashboard.blobs.clear()
        dashboard.cut()
        dashboard.wait_for(lambda: 1 in dashboard.blobs)
        assert dashboard.of(Hello)[0].session == "s1"
        assert [item.digest for item in dashboard.of(Program)] == ["p"]
        assert dashboard.state.step == 1
        assert not dashboard.of(Hits)


def test_a_blob_arrives_whole_and_answers_pass_it() -> None:
    data = np.random.default_rng(0).integers(0, 256, 3 * CHUNK_BYTES + 17, dtype=np.uint8)
    with played(window=1) as dashboard, linked(dashboard.url) as link:
        dashboard.credits = False
        dashboard.wait_for(lambda: dashboard.connected)
        until(lambda: link.lost_since is None and dashboard.connected)
        link.send_blob(BlobBegin(id=7, content=BlobBegin.TENSOR, bytes=data.size), memoryview(data.data))
        dashboard.wait_for(lambda: dashboard.chunks == 1)
        link.send(Reply(id="x", ok=True))
        dashboard.wait_for(lambda: dashboard.of(Reply))
        assert dashboard.chunks == 1, "chunks went without credit"
        dashboard.credits = True
        dashboard.send(Credit(id=7, chunks=2))
        dashboard.wait_for(lambda: 7 in dashboard.blobs)
        np.testing.assert_array_equal(dashboard.blobs[7][1], data)


def test_a_blob_that_nobody_wants_any_more_ends() -> None:
    data = memoryview(bytes(4 * CHUNK_BYTES))
    with played(window=1) as dashboard, linked(dashboard.url) as link:
        dashboard.credits = False
        until(lambda: link.lost_since is None and dashboard.connected)
        link.send_blob(BlobBegin(id=1, bytes=len(data)), data)
        dashboard.wait_for(lambda: dashboard.chunks == 1)
        dashboard.send(Credit(id=1, cancel=True))
        dashboard.send(Credit(id=1, chunks=9))
        link.send_blob(BlobBegin(id=2, bytes=5), memoryview(b"after"))
        dashboard.wait_for(lambda: 2 in dashboard.blobs)
        assert dashboard.chunks == 2


def test_what_nobody_fetches_takes_bounded_room_and_only_the_newest_state_goes() -> None:
    link = Link(address_of("http://127.0.0.1:1"), Hello(), lambda command: None)
    for number in range(5000):
        link.send(Log(step=number))
    for number in range(5000):
        link.send(State(step=number))
    link.send(Reply(id="late"))
    link.send(State(step=5000))
    outgoing = link._outgoing
    outgoing.connected(8)
    taken: list[Message] = list(iter(outgoing.take, None))
    assert len(taken) <= 1025
    assert taken[-3:] == [State(step=4999), Reply(id="late"), State(step=5000)], "the order is kept"


@pytest.mark.parametrize(
    "nonsense",
    [
        "a text",
        b"\xff\xff\xff\xff",
        b"",
        bytes(LONGEST_MESSAGE),
        Command(id="1").SerializeToString(),
        bytes([0xC2, 0x3E, 0x00]),
    ],
    ids=["text", "malformed", "empty", "zeros", "no envelope", "unknown body"],
)
def test_nonsense_is_dropped_or_answered_and_the_link_lives(
    nonsense: bytes | str, caplog: pytest.LogCaptureFixture
) -> None:
    commands: list[Command] = []
    with played() as dashboard, linked(dashboard.url, commands=commands) as link:
        until(lambda: link.lost_since is None and dashboard.connected)
        for _ in range(20):
            dashboard.send_raw(nonsense)
        dashboard.send(Command(id="good", go_on=Continue()))
        until(lambda: commands)
        assert [item.id for item in commands] == ["good"]
        assert len([item for item in caplog.records if item.levelno == logging.WARNING]) <= 6, (
            "one line each, at most 5"
        )


def test_commands_that_are_not_known_are_answered() -> None:
    with played() as dashboard, linked(dashboard.url) as link:
        until(lambda: link.lost_since is None and dashboard.connected)
        dashboard.send(Command(id="later"))
        reply = dashboard.wait_for(lambda: dashboard.of(Reply))[0]
        assert (reply.id, reply.ok, reply.problem) == ("later", False, "unknown_command")
        dashboard.send(Welcome(protocol=1, session="other"))
        dashboard.send(Hello())
        dashboard.wait_for(lambda: len(dashboard.of(Reply)) == 2)
        assert link.session == "s1"


def test_a_message_that_is_too_long_ends_the_connection_and_the_next_one_works() -> None:
    commands: list[Command] = []
    with played() as dashboard, linked(dashboard.url, commands=commands) as link:
        until(lambda: link.lost_since is None and dashboard.connected)
        dashboard.send_raw(bytes(LONGEST_MESSAGE + 1))
        dashboard.wait_for(lambda: len(dashboard.of(Hello)) == 2 and dashboard.connected)
        until(lambda: link.lost_since is None and dashboard.connected)
        dashboard.send(Command(id="2", pause=Pause()))
        until(lambda: commands)


def test_an_answer_that_is_too_long_becomes_a_sentence() -> None:
    with played() as dashboard, linked(dashboard.url) as link:
        until(lambda: link.lost_since is None and dashboard.connected)
        link.send(Reply(id="long", ok=True, text="x" * LONGEST_MESSAGE))
        reply = dashboard.wait_for(lambda: dashboard.of(Reply))[0]
        assert (reply.id, reply.ok, reply.problem) == ("long", False, "too_long")


def test_a_wrong_token_is_said_once_and_harms_nothing(caplog: pytest.LogCaptureFixture) -> None:
    with played() as dashboard, linked(dashboard.url, token="wrong") as link:
        until(lambda: any("does not let this training in" in item.message for item in caplog.records))
        link.send(State(step=1))
        assert link.lost_since is not None
        assert not dashboard.heard
    assert "wrong" not in caplog.text.replace("wrong_token", "")


def test_another_protocol_is_refused_with_a_sentence(caplog: pytest.LogCaptureFixture) -> None:
    with played() as dashboard:
        dashboard.protocol = 99
        with linked(dashboard.url):
            until(lambda: "speaks version 99" in caplog.text)


def test_a_removed_session_does_not_come_back(caplog: pytest.LogCaptureFixture) -> None:
    with played() as dashboard, linked(dashboard.url) as link:
        until(lambda: link.lost_since is None and dashboard.connected)
        dashboard.refuse(4410)
        until(lambda: "has removed this session" in caplog.text)
        until(lambda: not link.is_alive)
        assert len(dashboard.of(Hello)) == 1


def test_a_killed_dashboard_is_found_again() -> None:
    def start(port: int = 0) -> tuple[subprocess.Popen[str], int]:
        command = [sys.executable, "-m", "tests.framework.debugger.playing", TOKEN, str(port)]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        return process, int(process.stdout.readline())

    first, port = start()
    with linked(f"http://127.0.0.1:{port}") as link:
        until(lambda: link.lost_since is None)
        first.send_signal(signal.SIGKILL)
        first.communicate()
        until(lambda: link.lost_since is not None)
        for number in range(100):
            link.send(State(step=number))
        second, _ = start(port)
        try:
            until(lambda: link.lost_since is None)
        finally:
            second.kill()
            second.communicate()


def test_a_forked_process_leaves_the_connection_to_its_parent() -> None:
    with played() as dashboard, linked(dashboard.url) as link:
        until(lambda: link.lost_since is None and dashboard.connected)
        ready, go = os.pipe(), os.pipe()
        child = os.fork()
        if child == 0:  # Only calls that are safe here.
            link.send(State(step=666))
            link.close(Bye(reason="failed"))
            os.write(ready[1], b"x")
            os.read(go[0], 1)
            os._exit(0)
        os.read(ready[0], 1)
        try:
            link.send(State(step=5))
            assert dashboard.state.step == 5
            link.close(Bye(reason="finished"))
            dashboard.wait_for(lambda: not dashboard.connected)  # Though the child still lives.
            assert [item.reason for item in dashboard.of(Bye)] == ["finished"]
        finally:
            os.write(go[1], b"x")
            os.waitpid(child, 0)
            for end in (*ready, *go):
                os.close(end)


def test_a_program_that_just_ends_says_goodbye() -> None:
    program = (
        "import sys; from debugging.link.address import address_of; "
        "from debugging.link.link import Link;"
        "from summaries.schema.debugger_pb2 import Hello; import time\n"
        "link = Link(address_of(sys.argv[1], sys.argv[2]), Hello(), print); link.start()\n"
        "while link.lost_since is not None: time.sleep(0.01)\n"
    )
    with played() as dashboard:
        subprocess.run([sys.executable, "-c", program, dashboard.url, TOKEN], check=True, timeout=WAIT)
        assert said_goodbye(dashboard).reason == "finished"


def test_addresses(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("MINDINSIGHT_WORKSPACE", str(tmp_path))
    monkeypatch.delenv("MINDINSIGHT_TOKEN", raising=False)
    monkeypatch.delenv("MS_DEBUGGER_URL", raising=False)
    assert address_of().socket == "ws://127.0.0.1:8080/ws/train"
    assert address_of().token is None
    (tmp_path / "token").write_text("of the workspace\n")
    assert address_of().token == "of the workspace"
    assert address_of("https://mind.example.com/team/").socket == "wss://mind.example.com/team/ws/train"
    assert address_of("https://mind.example.com/team/").token is None, "this machine's token is no one else's"
    assert address_of("localhost:9000?token=shown").token == "shown"
    monkeypatch.setenv("MS_DEBUGGER_URL", "http://[::1]:7000")
    monkeypatch.setenv("MINDINSIGHT_TOKEN", "of the variable")
    assert (address_of().socket, address_of().token) == ("ws://[::1]:7000/ws/train", "of the variable")
    assert address_of(token="given").token == "given"
    assert "given" not in repr(address_of(token="given"))
    for wrong in ("ftp://x", "http://user:secret@host", "http://host:99999", "http://"):
        with pytest.raises(ValueError, match="is not the address of a dashboard") as refused:
            address_of(wrong)
        assert "secret" not in str(refused.value)
