"""The faulty training of `examples/debug_session.py`: it waits for a person, who stops it."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from summaries.schema.debugger_pb2 import State, Stop
from tests.examples.running import run
from tests.framework.debugger.playing import TOKEN, played, said_goodbye

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")  # Numpy's, of what is planted.


def test_it_waits_for_a_person_and_is_stopped(tmp_path: Path) -> None:
    with played() as dashboard:
        address = f"{dashboard.url}?token={TOKEN}"
        arguments = ("debug_session", "--summary-dir", str(tmp_path), "--url", address, "--mode", "pynative")
        thread = threading.Thread(target=run, args=arguments)
        thread.start()
        dashboard.wait_state(State.PAUSED, reason="started")
        assert dashboard.ask(stop=Stop()).ok
        assert said_goodbye(dashboard).reason == "stopped"
        thread.join(30)
