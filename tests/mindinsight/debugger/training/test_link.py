"""Trainings call, are known, break off and come back."""

from __future__ import annotations

import json
import signal

import pytest
from websockets.exceptions import InvalidStatus

from summaries.debugging import written
from summaries.schema.debugger_pb2 import Bye, Hits, State, Welcome
from tests.dashboard import Dashboard, wait_until

from ..conftest import Attach, Open
from ..fake_training import Training, hello, name_of, paused


def row_of(dashboard: Dashboard, session: str) -> dict[str, object]:
    rows = dashboard.get_json("/api/debugger/sessions")["sessions"]
    return next(row for row in rows if row["id"] == session)


def test_a_training_is_shown_with_what_it_says(dashboard: Dashboard, attach: Attach, browse: Open) -> None:
    page = browse()
    training = attach(name="toy <b>", device="CPU", pid=7, host="box")
    rows = page.hear("sessions", lambda told: any(row["id"] == training.session for row in told["sessions"]))
    row = rows["sessions"][0]
    assert (row["name"], row["host"], row["pid"], row["device"]) == ("toy <b>", "box", 7, "CPU")
    assert (row["run"], row["status"], row["connected"]) == (None, "starting", True)
    whole = page.watch(training.session)
    assert whole["you"] == page.name
    assert (whole["viewers"], whole["controller"], whole["state"]) == (1, None, None)
    training.say(paused(12, steps=40))
    told = page.hear("state", lambda message: message["session"] == training.session)
    assert told["state"]["step"] == 12
    assert (told["state"]["status"], told["state"]["loss"], told["state"]["within_step"]) == ("PAUSED", "NaN", False)
    page.hear("sessions", lambda told: told["sessions"][0]["status"] == "paused")


def test_a_training_says_goodbye(dashboard: Dashboard, attach: Attach, browse: Open) -> None:
    training, page = attach(), browse()
    page.watch(training.session)
    training.say(paused(3))
    training.say(Bye(reason="failed", message="ValueError: no"))
    assert page.hear("bye")["bye"]["reason"] == "failed"
    training.close()
    assert page.hear("connection")["connected"] is False
    wait_until(lambda: not row_of(dashboard, training.session)["connected"])
    row = row_of(dashboard, training.session)
    assert (row["status"], row["message"], row["step"]) == ("ended", "ValueError: no", 3)


def test_a_training_comes_back_as_the_same_session(dashboard: Dashboard, attach: Attach, browse: Open) -> None:
    first, page = attach(pid=11), browse()
    page.watch(first.session)
    first.say(paused(5))
    page.hear("state")
    first.close()
    page.hear("connection", lambda told: not told["connected"])
    assert row_of(dashboard, first.session)["status"] == "lost"
    assert attach(pid=11, session=first.session).session == first.session
    page.hear("connection", lambda told: told["connected"])
    assert row_of(dashboard, first.session)["step"] == 5
    # Another training is another session, whatever it says.
    assert attach(pid=11, session=first.session, secret=bytes(32)).session != first.session
    assert attach(pid=11, session="0" * 16).session not in ("0" * 16, first.session)


def test_a_second_connection_of_a_session_closes_the_first(attach: Attach) -> None:
    first = attach(pid=21)
    second = attach(pid=21, session=first.session)
    assert second.session == first.session
    assert first.closed_with() == 4409


@pytest.mark.processes
def test_what_was_last_known_outlives_a_kill(dashboard: Dashboard, attach: Attach, browse: Open) -> None:
    training, page = attach(pid=31), browse()
    page.watch(training.session)
    page.control(training.session)
    asked = page.ask(training.session, {"go_on": {}})
    numbers = [training.obey().id]
    page.reply(asked)
    training.say(paused(77, files=["train.py"]))
    hit = {"watchpoint": 1, "tensor": name_of("Default/conv1"), "advice": "tensor_overflow"}
    training.say(Hits(step=77, hits=[hit]))
    page.hear("hits")
    # It was stored before another page could be told that it was.
    wait_until(lambda: json.loads(stored(dashboard, training.session)[0] or "null") is not None, what="storing")
    web = dashboard.kill("web", signal.SIGKILL)
    dashboard.wait_for_restart("web", web)
    whole = dashboard.get_json(f"/api/debugger/sessions/{training.session}")
    assert (whole["row"]["status"], whole["state"]["step"], whole["connected"]) == ("lost", 77, False)
    assert whole["hits"][0]["hits"][0]["tensor"]["full_name"] == "Default/conv1"
    again = attach(pid=31, session=training.session)
    assert again.session == training.session
    later = browse()
    told = later.watch(again.session)
    assert (told["connected"], told["state"]["step"]) == (True, 77)
    later.control(again.session)
    later.ask(again.session, {"go_on": {}})
    numbers.append(again.obey().id)
    assert len(set(numbers)) == 2, "a late answer would be taken for another command's"


def stored(dashboard: Dashboard, session: str) -> tuple[str, str]:
    import sqlite3

    (path,) = dashboard.workspace.rglob("dashboard.sqlite3")
    with sqlite3.connect(path) as database:
        query = "SELECT hits, state FROM debugger_debugsession WHERE key = ?"
        hits, state = database.execute(query, [session]).fetchone()
    database.close()
    return (str(hits), str(state)) if "Default/conv1" in hits and "77" in state else ("", "")


@pytest.mark.parametrize(
    ("first", "code"),
    [
        (written(hello(protocol=99)), 4406),
        (written(State(step=1)), 4400),
        (b"\xff\xff\xff", 4400),
        ("hello", 4400),
        (b"\0" * ((1 << 20) + 1), 1009),
    ],
    ids=["another protocol", "no hello", "no envelope", "a text", "too long"],
)
def test_who_does_not_speak_the_protocol_is_sent_away(first: bytes | str, code: int, dashboard: Dashboard) -> None:
    with Training(dashboard) as training:
        training.socket.send(first)
        assert training.closed_with() == code


def test_garbage_later_ends_the_connection_and_nothing_else(dashboard: Dashboard, attach: Attach) -> None:
    bad, good = attach(), attach()
    bad.socket.send(b"\xff\xff\xff")
    assert bad.closed_with() == 4400
    good.say(paused(9))
    wait_until(lambda: row_of(dashboard, good.session)["step"] == 9)
    assert row_of(dashboard, bad.session)["status"] == "lost"


@pytest.mark.parametrize("headers", [{}, {"Authorization": "Bearer wrong"}, {"Origin": "http://evil.example"}])
def test_strangers_are_refused_before_the_socket_opens(headers: dict[str, str], dashboard: Dashboard) -> None:
    with pytest.raises(InvalidStatus) as refusal:
        Training(dashboard, headers)
    assert refusal.value.response.status_code == 403


def test_a_training_with_another_protocol_hears_which_one_is_spoken(dashboard: Dashboard) -> None:
    with Training(dashboard) as training:
        training.say(hello(protocol=2))
        assert training.hear(Welcome).protocol == 1
