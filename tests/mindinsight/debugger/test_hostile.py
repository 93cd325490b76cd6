"""Hostile peers, over real sockets: the dashboard keeps working, and others notice nothing."""

from __future__ import annotations

import itertools
import json
import random
from base64 import b64encode
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect
from websockets.typing import Origin

from mindinsight.debugger.limits import MOST_ARRIVING, MOST_PARTS, MOST_WAITING, MOST_WATCHED
from summaries.debugging import written
from summaries.schema.debugger_pb2 import BlobBegin, Bye, Command, Credit, Hit, Hits, Kind, Program, State
from tests.dashboard import Dashboard, wait_until

from .browser import Browser, Json
from .conftest import Attach, Open
from .fake_training import SECRET, Training, hello, name_of, paused

ROUNDS = 12
FRAMES = 40


@pytest.fixture
def good(attach: Attach) -> Training:
    """A training that does nothing wrong."""
    training = attach(name="good")
    training.say(paused(1))
    return training


def row(dashboard: Dashboard, training: Training) -> Json:
    return dict(dashboard.get_json(f"/api/debugger/sessions/{training.session}")["row"])


def goes_on(dashboard: Dashboard, good: Training, step: int) -> None:
    """The training that does nothing wrong is still heard."""
    good.say(paused(step))
    wait_until(lambda: row(dashboard, good)["step"] == step, what="the other training's step")


def closed(browser: Browser) -> int:
    try:
        while True:
            browser.socket.recv(timeout=20)
    except ConnectionClosed as end:
        return 0 if end.rcvd is None else int(end.rcvd.code)


def messages() -> Iterator[bytes]:
    """What a training says when it is well, one of each kind."""
    hit = {"watchpoint": 1, "tensor": name_of("w"), "kind": Kind.WEIGHT}
    yield written(paused(3, nodes=9))
    yield written(Hits(step=3, hits=[hit]))
    yield written(Program(digest="d", files=["a.py"]))
    yield written(BlobBegin(id=1, content=BlobBegin.GRAPH, bytes=12.0))
    yield written(Credit(id=1, chunks=4))


def damaged(frame: bytes, chance: random.Random) -> bytes:
    """The frame with bytes that were changed, left out or put in."""
    data = bytearray(frame)
    for _ in range(chance.randint(1, 4)):
        at = chance.randrange(len(data) + 1)
        how = chance.randrange(4)
        if how == 0:
            data[at:at] = chance.randbytes(chance.randint(1, 9))
        elif how == 1:
            del data[at : at + chance.randint(1, 5)]
        elif how == 2:
            del data[at:]
        elif at < len(data):
            data[at] ^= 1 << chance.randrange(8)
    return bytes(data)


@pytest.mark.parametrize("seed", range(ROUNDS))
def test_damaged_frames_end_their_connection_at_most(
    seed: int, dashboard: Dashboard, attach: Attach, good: Training
) -> None:
    chance = random.Random(seed)
    bad = attach(name="bad")
    with suppress(ConnectionClosed):
        for frame in itertools.islice(itertools.cycle(list(messages())), FRAMES):
            bad.socket.send(damaged(frame, chance))
    goes_on(dashboard, good, 100 + seed)
    # Whatever it said, it is shown, and its page can be opened.
    assert dashboard.get_json(f"/api/debugger/sessions/{bad.session}")["row"]["name"] == "bad"


def test_who_says_nothing_is_sent_away(dashboard: Dashboard) -> None:
    with Training(dashboard) as training:
        assert training.closed_with() == 4408


@pytest.mark.parametrize("directory", ["/", "/etc", "/etc/passwd", "../..", "\0", "x" * 5000])
def test_a_training_cannot_name_a_directory_that_is_no_run(
    directory: str, dashboard: Dashboard, attach: Attach
) -> None:
    training = attach(name="stranger", summary_dir=directory)
    found = row(dashboard, training)
    assert (found["run"], found["run_name"], found["name"]) == (None, "", "stranger")


@pytest.mark.parametrize("secret", [b"", SECRET[:-1], SECRET + b"x", SECRET[::-1]], ids=len)
def test_a_session_is_not_taken_over_without_its_secret(
    secret: bytes, dashboard: Dashboard, good: Training, attach: Attach
) -> None:
    known = row(dashboard, good)
    thief = attach(name="thief", session=good.session, pid=known["pid"], host=known["host"], secret=secret)
    assert thief.session != good.session
    goes_on(dashboard, good, 55)
    assert row(dashboard, good)["name"] == "good"


def test_a_session_goes_with_its_secret_to_another_process(good: Training, attach: Attach) -> None:
    assert attach(session=good.session, pid=1, host="elsewhere").session == good.session
    assert good.closed_with() == 4409


def test_a_session_of_a_training_without_a_secret_is_opened_anew(attach: Attach) -> None:
    old = attach(secret=b"")
    assert attach(session=old.session, secret=b"").session != old.session
    # What is stored of it is an empty digest.
    assert attach(session=old.session).session != old.session


def test_nobody_is_told_a_secret(dashboard: Dashboard, attach: Attach, browse: Open) -> None:
    secret = bytes(reversed(range(100, 132)))
    training, page = attach(secret=secret), browse()
    whole = page.watch(training.session)
    said = dashboard.get_json(f"/api/debugger/sessions/{training.session}")
    assert whole["hello"].keys() == said["hello"].keys()
    assert "secret" not in whole["hello"]
    traces = [secret, secret.hex().encode(), b64encode(secret)]
    assert not any(trace in json.dumps([whole, said]).encode() for trace in traces)
    training.say(paused(4))
    wait_until(lambda: row(dashboard, training)["step"] == 4)
    files = [path for path in dashboard.workspace.rglob("*") if path.is_file()]
    assert any(path.name == "dashboard.sqlite3" for path in files)
    assert not [path for path in files for trace in traces if trace in path.read_bytes()]


def test_a_message_of_very_many_parts_ends_its_training(dashboard: Dashboard, attach: Attach, good: Training) -> None:
    bad = attach(name="bad")
    bad.say(Hits(step=1, hits=[Hit() for _ in range(MOST_PARTS + 1)]))
    assert bad.closed_with() == 4429
    goes_on(dashboard, good, 66)


def test_a_session_that_was_removed_ends_its_training(dashboard: Dashboard, attach: Attach, browse: Open) -> None:
    training, page = attach(pid=41), browse()
    path = f"/api/debugger/sessions/{training.session}"
    assert page.send(path, None, "DELETE")[0] == 409
    training.say(Bye(reason="finished"))
    training.close()
    wait_until(lambda: not row(dashboard, training)["connected"])
    assert page.send(path, None, "DELETE")[0] == 204
    assert dashboard.get(path)[0] == 404


def test_more_blobs_at_a_time_than_there_is_room_for_are_cancelled(attach: Attach, good: Training) -> None:
    greedy = attach(name="greedy")
    for number in range(1, MOST_ARRIVING + 3):
        greedy.say(
            BlobBegin(id=number, content=BlobBegin.TENSOR, bytes=8.0, dtype="float64", shape=[1], tensor=name_of("w"))
        )
    assert greedy.hear(Credit).cancel


def test_commands_that_nobody_answers_do_not_pile_up(good: Training, browse: Open) -> None:
    page = browse()
    page.watch(good.session)
    assert page.control(good.session)["granted"]
    names = [page.ask(good.session, {"pause": {"now": True}}) for _ in range(MOST_WAITING + 1)]
    assert page.reply(names[-1])["problem"] == "too_busy"
    for _ in range(MOST_WAITING):
        assert good.hear(Command).WhichOneof("action") == "pause"


def test_a_browser_of_another_site_is_refused(dashboard: Dashboard) -> None:
    address = f"ws{dashboard.address[4:]}/ws/debug"
    for origin in ("http://evil.example", "null", f"{dashboard.address}.evil.example"):
        with pytest.raises(InvalidStatus) as refusal:
            connect(address, origin=Origin(origin), compression=None)
        assert refusal.value.response.status_code == 403


def test_a_message_that_is_too_long_ends_the_browser_and_nothing_else(
    dashboard: Dashboard, good: Training, browse: Open
) -> None:
    page = browse()
    page.say(type="ping", id=1, padding="x" * (1 << 20))
    assert closed(page) == 1009
    goes_on(dashboard, good, 77)


def test_a_browser_that_watches_everything_is_sent_away(good: Training, browse: Open) -> None:
    page = browse()
    for number in range(MOST_WATCHED + 2):
        page.say(type="watch", session=good.session if number == 0 else f"{number:016x}")
    # Of sessions that do not exist it hears so; they take no room.
    assert page.hear("error")["code"] == "unknown_session"
    page.say(type="ping", id=2)
    assert page.hear("pong")["id"] == 2


@pytest.mark.parametrize("seed", range(4))
def test_texts_of_a_browser_that_are_damaged_do_no_harm(
    seed: int, dashboard: Dashboard, good: Training, browse: Open
) -> None:
    chance = random.Random(seed)
    command = {"step": {"steps": 3}}
    said = json.dumps({"type": "command", "id": "c1", "session": good.session, "command": command})
    for _ in range(8):
        page = browse()
        with suppress(ConnectionClosed):
            page.watch(good.session)
            for _ in range(6):
                page.socket.send(damaged(said.encode(), chance).decode("utf-8", "replace"))
        page.close()
    goes_on(dashboard, good, 200 + seed)


def test_a_path_is_no_name_of_a_session(dashboard: Dashboard, tmp_path: Path) -> None:
    for name in ("..%2f..%2fsecret_key", "%2e%2e", "x" * 300, "0" * 15 + "/"):
        assert dashboard.get(f"/api/debugger/sessions/{name}/program")[0] == 404
    with Training(dashboard) as training:
        training.say(hello(session="../../../etc/passwd"))
        training.say(State(step=1))
