"""Several browsers watch one training, one of them controls it; commands have replies."""

from __future__ import annotations

import pytest

from summaries.schema.debugger_pb2 import (
    Bye,
    Cause,
    Command,
    Hits,
    Kind,
    Log,
    Measured,
    Reply,
    State,
    Statistics,
    Watching,
)
from tests.dashboard import Dashboard

from ..browser import Browser
from ..conftest import Attach, Open
from ..fake_training import Training, name_of, paused


@pytest.fixture
def training(attach: Attach) -> Training:
    """A training that is paused."""
    training = attach()
    training.say(paused(3))
    return training


@pytest.fixture
def page(training: Training, browse: Open) -> Browser:
    """A page that watches the training and controls it."""
    page = browse()
    page.watch(training.session)
    assert page.control(training.session)["granted"]
    return page


def test_a_command_goes_to_the_training_and_its_reply_comes_back(training: Training, page: Browser) -> None:
    name = page.ask(training.session, {"step": {"steps": 3}})
    assert training.obey().step.steps == 3
    reply = page.reply(name)
    assert (reply["ok"], reply["problem"], reply["tensor"]) == (True, "", None)
    # Replies find their commands, whatever their order.
    first, second = page.ask(training.session, {"recommend": {}}), page.ask(training.session, {"health": {}})
    asked = [training.hear(Command), training.hear(Command)]
    for command in reversed(asked):
        action = command.WhichOneof("action")
        statistics = [Statistics(max=float("inf"))] if action == "health" else []
        training.say(Reply(id=command.id, ok=True, text=action, statistics=statistics))
    reply = page.reply(second)
    assert (reply["text"], reply["statistics"][0]["max"]) == ("health", "Infinity")
    assert page.reply(first)["text"] == "recommend"


def test_one_controls_and_others_look(training: Training, page: Browser, browse: Open) -> None:
    other = browse()
    assert other.watch(training.session)["controller"] == page.name
    assert other.reply(other.ask(training.session, {"go_on": {}}))["problem"] == "not_in_control"
    name = other.ask(training.session, {"view": {"tensor": {"full_name": "w"}}})
    assert training.obey().view.tensor.full_name == "w"
    assert other.reply(name)["ok"]
    refused = other.control(training.session)
    assert (refused["granted"], refused["problem"]) == (False, "in_control_of_another")
    assert other.control(training.session, force=True)["granted"]
    told = page.hear("viewers", lambda message: message["controller"] == other.name)
    assert told["viewers"] == 2
    assert page.reply(page.ask(training.session, {"go_on": {}}))["problem"] == "not_in_control"


def test_control_and_hold_end_with_their_browser(training: Training, page: Browser, browse: Open) -> None:
    other = browse()
    other.watch(training.session)
    name = page.ask(training.session, {"set_lease": {"hold": True}})
    assert training.obey().set_lease.hold
    assert page.reply(name)["ok"]
    page.close()
    let_go = training.obey()
    assert let_go.WhichOneof("action") == "set_lease"
    assert not let_go.set_lease.hold
    other.hear("viewers", lambda message: message["controller"] is None)
    assert other.control(training.session)["granted"]


@pytest.mark.parametrize(
    "command", [None, [], {}, {"explode": {}}, {"step": {"steps": -1}}, {"step": {"steps": "many"}}, {"pause": 7}]
)
def test_what_is_no_command_never_reaches_the_training(command: object, training: Training, page: Browser) -> None:
    reply = page.reply(page.ask(training.session, command))
    assert (reply["ok"], reply["problem"]) == (False, "bad_command")
    assert reply["message"]
    name = page.ask(training.session, {"pause": {"now": True}})
    assert training.obey().pause.now
    assert page.reply(name)["ok"]


def test_a_command_ends_with_the_connection(training: Training, page: Browser) -> None:
    name = page.ask(training.session, {"run_again": {}})
    training.hear(Command)
    training.close()
    assert page.reply(name)["problem"] == "connection_lost"
    assert page.reply(page.ask(training.session, {"run_again": {}}))["problem"] == "not_connected"


def test_only_who_watches_may_ask(training: Training, browse: Open) -> None:
    stranger = browse()
    assert stranger.reply(stranger.ask(training.session, {"pause": {}}))["problem"] == "not_watching"
    assert stranger.control(training.session)["problem"] == "not_watching"
    stranger.say(type="watch", session="f" * 16)
    assert stranger.hear("error")["code"] == "unknown_session"
    stranger.say(type="watch", session="../../etc")
    assert stranger.hear("error")["code"] == "unknown_session"


def test_hits_are_kept_by_step(training: Training, page: Browser, browse: Open) -> None:
    def hits(step: int, *tensors: str, **said: bool) -> Hits:
        measured = [Measured(name="max", set=1, actual=float("nan"), hit=True)]
        rows = [
            {"watchpoint": 1, "tensor": name_of(tensor), "kind": Kind.GRADIENT, "measured": measured}
            for tensor in tensors
        ]
        return Hits(step=step, hits=rows, **said)

    for told in (hits(5, "a"), hits(5, "b"), hits(4, "old"), hits(6, "x"), hits(6, "y", replace=True)):
        training.say(told)
    training.say(Log(step=6, hits=hits(6, "logged").hits))
    page.hear("log")
    whole = browse().watch(training.session)
    assert [(one["step"], [hit["tensor"]["full_name"] for hit in one["hits"]]) for one in whole["hits"]] == [
        (4, ["old"]),
        (5, ["a", "b"]),
        (6, ["y"]),
    ]
    hit = whole["hits"][2]["hits"][0]
    assert (hit["kind"], hit["measured"][0]["actual"], hit["passes_on"]) == ("GRADIENT", "NaN", False)
    assert whole["log"][0]["hits"][0]["tensor"]["full_name"] == "logged"


def test_causes_and_what_is_watched_are_told_and_kept(training: Training, page: Browser, browse: Open) -> None:
    training.say(Watching(cost=0.02, cost_known=True))
    training.say(Cause(step=3, verdict="log_of_zero", facts={"zeros": "1"}))
    assert page.hear("watching")["watching"]["cost"] == 0.02
    assert page.hear("cause")["cause"]["facts"] == {"zeros": "1"}
    training.say(Cause(step=9, verdict="overflow"))
    training.say(Cause(step=3, verdict="division_by_zero"))
    training.say(paused(10))
    training.say(Bye(reason="detached"))
    # Each is told, whatever follows it at once.
    assert [page.hear("cause")["cause"]["step"] for _ in range(2)] == [9, 3]
    page.hear("bye")
    whole = browse().watch(training.session)
    assert whole["watching"]["cost_known"]
    assert [(one["step"], one["verdict"]) for one in whole["causes"]] == [(3, "division_by_zero"), (9, "overflow")]


def test_a_training_that_floods_harms_no_page(dashboard: Dashboard, training: Training, page: Browser) -> None:
    for step in range(4000):
        training.say(State(status=State.RUNNING, step=step))
    training.say(paused(5000))
    seen = 0
    while page.hear("state")["state"]["step"] != 5000:
        seen += 1
    # Of states that come quickly the last one is told.
    assert seen < 400


@pytest.mark.parametrize("said", ["no json", "[]", '{"type": "explode"}'])
def test_a_page_that_does_not_speak_the_protocol_is_sent_away(said: str, browse: Open) -> None:
    page = browse()
    page.socket.send(said)
    with pytest.raises(Exception, match="4400"):
        page.hear("never")


def test_names_with_markup_stay_texts(attach: Attach, browse: Open) -> None:
    name = "<img src=x onerror=alert(1)>\0'; DROP TABLE runs"
    training, page = attach(name=name, host=name), browse()
    training.say(State(status=State.PAUSED, reason=name, step=1))
    whole = page.watch(training.session)
    assert whole["row"]["name"] == name.replace("\0", "\N{REPLACEMENT CHARACTER}")
    state = whole["state"] or page.hear("state")["state"]
    assert state["reason"] == name
