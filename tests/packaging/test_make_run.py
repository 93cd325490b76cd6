"""`make run`: the dashboard with its example training, and that nothing of it outlives the command."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import psutil
import pytest

from .checkout import ROOT, free_port

pytestmark = pytest.mark.processes

Make = subprocess.Popen[str]
ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MINDINSIGHT_"))}


@contextmanager
def make_run(port: int, *variables: str) -> Iterator[Make]:
    """`make run` as a terminal would start it: in a process group of its own."""
    process: Make = subprocess.Popen(
        ["make", "run", f"PORT={port}", *variables],
        cwd=ROOT,
        env=ENVIRONMENT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    try:
        yield process
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGTERM)
        try:
            process.communicate(timeout=30)
        except subprocess.TimeoutExpired:
            # Named here, and not by whichever test runs when Python finds what was left.
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            raise


def read_until(process: Make, text: str) -> str:
    """Read the command's output up to the line with a text."""
    assert process.stdout is not None
    said = []
    for line in process.stdout:
        if text in line:
            return line
        said.append(line)
    raise AssertionError(f"make run ended without saying {text!r}, but:\n{''.join(said)}")


def runs(port: int) -> list[str]:
    """The names of the runs that the dashboard shows."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/api/runs", timeout=10) as answer:
        return [row["name"] for row in json.load(answer)["results"]]


def family(process: Make) -> list[psutil.Process]:
    """Every process that the command has started."""
    return psutil.Process(process.pid).children(recursive=True)


def wait_for(condition: Callable[[], bool], seconds: float = 30) -> None:
    """Look again and again until a condition holds."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


@pytest.mark.parametrize(
    ("number", "to_all"),
    [(signal.SIGINT, True), (signal.SIGTERM, False), (signal.SIGKILL, False)],
    ids=["Ctrl-C", "end of make", "kill -9 of make"],
)
def test_everything_ends_with_the_command(number: signal.Signals, to_all: bool) -> None:
    port = free_port()
    with make_run(port) as process:
        assert f"http://127.0.0.1:{port}" in read_until(process, "Web address: ")
        assert "Debugger" in read_until(process, "the paused training")
        # Four processes import and begin to train on as few cores as there are.
        wait_for(lambda: len(runs(port)) >= 4, 120)
        started = family(process)
        assert sum("lenet.py" in " ".join(child.cmdline()) for child in started) == 3
        (os.killpg if to_all else os.kill)(process.pid, number)
        _, alive = psutil.wait_procs(started, timeout=20)
        assert alive == []


def test_a_directory_of_ones_own_is_shown_without_the_example(tmp_path_factory: pytest.TempPathFactory) -> None:
    port, directory = free_port(), tmp_path_factory.mktemp("my summaries")
    with make_run(port, f"SUMMARY_DIR={directory}") as process:
        read_until(process, "Web address: ")
        assert runs(port) == []
        assert not any("lenet.py" in " ".join(child.cmdline()) for child in family(process))


def test_a_busy_port_is_named_and_nothing_is_left_behind() -> None:
    with socket.create_server(("127.0.0.1", 0)) as busy:
        port = busy.getsockname()[1]
        with make_run(port) as process:
            assert str(port) in read_until(process, "in use")
            assert process.wait(30) != 0
        assert not any(str(port) in (process.info["cmdline"] or []) for process in psutil.process_iter(["cmdline"]))
