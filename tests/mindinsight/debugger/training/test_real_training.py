"""A real training of the core's under the debugger, and the real dashboard: both ends of the link."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

import pytest

from tests.dashboard import ROOT, Dashboard, command_environment, wait_until

from ..browser import Browser, Json
from ..conftest import Open

pytestmark = pytest.mark.processes


ESCAPES = (
    "__import__('os').system('id')",
    "(1).__class__.__mro__",
    "open('/etc/passwd')",
    "abs_max > (lambda: 1)()",
    "[x for x in (1,)]",
    "9**9**9**9",
    "(" * 500 + "1" + ")" * 500,
    "abs_max; import os",
    "f'{abs_max}'",
    "abs_max\0> 1",
)


@pytest.fixture
def program(dashboard: Dashboard) -> Iterator[subprocess.Popen[bytes]]:
    """A program that trains, paused before its first step."""
    command = [sys.executable, "-m", "tests.mindinsight.debugger.trained", dashboard.address, dashboard.token]
    with subprocess.Popen(command, cwd=ROOT, env=command_environment()) as process:
        yield process
        process.kill()


def ask(page: Browser, session: str, command: Json) -> Json:
    reply = page.reply(page.ask(session, command))
    assert reply["ok"], reply
    return reply


def test_a_page_drives_a_training_and_sees_what_it_computes(
    dashboard: Dashboard, program: subprocess.Popen[bytes], browse: Open
) -> None:
    page = browse()
    told = page.hear(
        "sessions", lambda told: any((row["pid"], row["status"]) == (program.pid, "paused") for row in told["sessions"])
    )
    row = next(row for row in told["sessions"] if row["pid"] == program.pid)
    session = row["id"]
    page.watch(session)
    assert page.control(session)["granted"]
    page.ask(session, {"step": {"steps": 3}})
    page.hear("state", lambda told: (told["state"]["status"], told["state"]["step"]) == ("PAUSED", 3))

    nodes = dashboard.get_json(f"/api/debugger/sessions/{session}/program")["nodes"]
    weight = next(node["full_name"] for node in nodes if node["kind"] == "WEIGHT")
    reply = ask(page, session, {"view": {"tensor": {"full_name": weight}, "values": True}})
    number = reply["tensor"]["number"]
    if reply["tensor"]["state"] != "ready":
        page.hear("tensor", lambda told: (told["tensor"]["number"], told["tensor"]["state"]) == (number, "ready"))
    shown = dashboard.get_json(f"/api/debugger/tensors/statistics?series={row['number']}&index={number}")
    # Measured by the training's own kernel, and by numpy from what has come here.
    (measured,) = reply["statistics"]
    for name in ("min", "max", "mean", "std"):
        assert shown["statistics"][name] == pytest.approx(measured[name], rel=1e-6), name
    assert shown["shape"] == measured["shape"]

    page.ask(session, {"run_again": {"mode": "graph"}})
    divergence = page.hear("divergence")["divergence"]
    assert (divergence["step"], divergence["first_mode"], divergence["second_mode"]) == (3, "pynative", "graph")
    assert divergence["differences"]

    web = dashboard.kill("web")
    dashboard.wait_for_restart("web", web)
    again = browse()
    if not again.watch(session)["connected"]:
        again.hear("connection", lambda told: told["connected"])
    # The training says again what it has found, to a server that has just begun to know it.
    wait_until(lambda: dashboard.get_json(f"/api/debugger/sessions/{session}")["divergence"], 20, "the divergence")
    program.kill()
    again.hear("connection", lambda told: not told["connected"])
    whole = dashboard.get_json(f"/api/debugger/sessions/{session}")
    assert (whole["row"]["status"], whole["state"]["step"], whole["divergence"]["step"]) == ("lost", 3, 3)


def test_expressions_that_try_to_escape_are_refused_by_the_training(
    dashboard: Dashboard, program: subprocess.Popen[bytes], browse: Open
) -> None:
    page = browse()
    told = page.hear(
        "sessions", lambda told: any((row["pid"], row["status"]) == (program.pid, "paused") for row in told["sessions"])
    )
    session = next(row["id"] for row in told["sessions"] if row["pid"] == program.pid)
    page.watch(session)
    assert page.control(session)["granted"]
    page.ask(session, {"step": {"steps": 1}})
    page.hear("state", lambda told: (told["state"]["status"], told["state"]["step"]) == ("PAUSED", 1))
    for expression in ESCAPES:
        watchpoint = {"id": 1, "condition": "expression", "expression": expression, "targets": {"kinds": ["WEIGHT"]}}
        reply = page.reply(page.ask(session, {"set_watchpoints": {"watchpoints": [{**watchpoint, "enabled": True}]}}))
        assert (reply["ok"], reply["problem"]) == (False, "bad_expression"), expression
        assert reply["message"]
    assert program.poll() is None
