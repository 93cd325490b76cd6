"""A real dashboard for tests and benchmarks: `mindinsight start --foreground` in a process of its own.

    with Dashboard.start(tmp_path / "summaries") as dashboard:
        urlopen(dashboard.address + "/api/status")

Every dashboard has a free port and, unless told otherwise, a workspace of its own that goes with it.
"""

from __future__ import annotations

import json
import os
import queue
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import psutil

import mindinsight
from tests.small_disk import SmallDisk

START_TIMEOUT_S = 60.0
STOP_TIMEOUT_S = 10.0
ROOT = Path(mindinsight.__file__).parent.parent


def free_port() -> int:
    """Returns a port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_until(condition: Callable[[], Any], timeout: float = 10.0, what: str = "the condition") -> Any:
    """Returns the first true value of `condition`, which is polled a hundred times a second."""
    deadline = time.monotonic() + timeout
    while not (value := condition()):
        if time.monotonic() > deadline:
            raise AssertionError(f"{what} did not come true within {timeout:g} s")
        time.sleep(0.01)
    return value


def is_running(pid: int) -> bool:
    """Returns whether a process runs; a zombie does not count."""
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def command_environment(**changes: str) -> dict[str, str]:
    """The environment for a `mindinsight` command: this one without the dashboard's own variables, and `changes`."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("MINDINSIGHT_")}
    clean["PYTHONPATH"] = os.pathsep.join(filter(None, (str(ROOT), clean.get("PYTHONPATH"))))
    return clean | changes


def command_line(*arguments: object) -> list[str]:
    """The `mindinsight` command with arguments."""
    # -P: as with the installed command, the working directory is no place to import from.
    return [sys.executable, "-P", "-m", "mindinsight", *(str(argument) for argument in arguments)]


class Dashboard:
    """A running dashboard; made by `start`, ended by `stop` or at the end of its `with` block.

    Attributes:
        address: its web address, without a slash at its end and without a token.
        link: what `mindinsight start` printed: the address, with the token where one is needed.
        port: its port.
        base_directory: the directory that it serves.
        workspace: its workspace.
        lines: everything that it has printed so far.
    """

    def __init__(self, process: subprocess.Popen[str], base_directory: Path, workspace: Path, port: int) -> None:
        self._process = process
        self._temporary: Path | None = None
        self.base_directory = base_directory
        self.workspace = workspace
        self.port = port
        self.address = self.link = ""
        self.lines: list[str] = []
        self._links: queue.Queue[str | None] = queue.Queue()
        self._reader = threading.Thread(target=self._read_lines, daemon=True)
        self._reader.start()

    @classmethod
    def start(
        cls,
        base_dir: Path | str,
        port: int | None = None,
        workspace: Path | str | None = None,
        environment: Mapping[str, str] | None = None,
        flags: Sequence[str] = (),
        disk: SmallDisk | None = None,
        through: Sequence[str] = (),
        **options: object,
    ) -> Dashboard:
        """Starts a dashboard and waits until it is ready.

        Args:
            base_dir: directory below which it looks for runs.
            port: its port; a free one unless told.
            workspace: its workspace; a new one, removed at the end, unless told.
            environment: further environment variables, such as MINDINSIGHT_REDIS_URL.
            flags: options of `mindinsight start` without a value, such as "--require-token".
            disk: where the workspace is, if it is on a small disk.
            through: a command that starts it, such as `setpriv` with its options.
            options: further options of `mindinsight start`, such as url_path_prefix="/x".

        Raises:
            AssertionError: it did not start; the message has what it printed.
        """
        port = port or free_port()
        temporary = Path(tempfile.mkdtemp(prefix="dashboard-")) if workspace is None else None
        place = temporary or Path(str(workspace))
        arguments: list[object] = ["--summary-base-dir", base_dir, "--port", port, "--workspace", place]
        arguments += ["--foreground", *flags]
        for name, value in options.items():
            arguments += [f"--{name.replace('_', '-')}", value]
        process = subprocess.Popen(
            [*through, *(disk.inside if disk else ()), *command_line("start", *arguments)],
            env=command_environment(**(environment or {})),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        dashboard = cls(process, Path(base_dir), disk.seen(place) if disk else place, port)
        dashboard._temporary = temporary
        dashboard._wait_for_address()
        return dashboard

    @property
    def pid(self) -> int:
        """The process number of the supervisor."""
        return self._process.pid

    @property
    def token(self) -> str:
        """The workspace's token."""
        return (self.workspace / "token").read_text().strip()

    def pids(self) -> dict[str, int]:
        """The process numbers of the children that run now, by name: `redis`, `worker`, `web`."""
        return {child["name"]: child["pid"] for child in self.record()["children"] if child["pid"] is not None}

    def restarts(self, name: str) -> int:
        """How often a child was started again."""
        return next(int(child["restarts"]) for child in self.record()["children"] if child["name"] == name)

    def record(self) -> dict[str, Any]:
        """What the supervisor shows to others about this dashboard."""
        path = self.workspace / "instances" / f"{self.port}.json"
        return dict(json.loads(path.read_text()))

    def kill(self, name: str, number: signal.Signals = signal.SIGKILL) -> int:
        """Sends a signal to a child, or to the `supervisor`; returns the process number."""
        pid = self.pid if name == "supervisor" else self.pids()[name]
        os.kill(pid, number)
        return pid

    def wait_for_restart(self, name: str, old_pid: int, timeout: float = 20.0) -> int:
        """Waits until a child runs under a new process number and everything is ready; returns that number."""
        new = wait_until(lambda: self.pids().get(name, old_pid) != old_pid and self.pids()[name], timeout, name)
        self.wait_until_ready(timeout)
        return int(new)

    def wait_until_ready(self, timeout: float = 20.0) -> None:
        """Waits until database, Redis and the reader of files are all there."""
        wait_until(lambda: self.get("/readyz")[0] == 200, timeout, "readiness")

    def get(self, path: str, **headers: str) -> tuple[int, bytes]:
        """Asks for a path below the address, with the token; returns status and body."""
        request = Request(self.address + path, headers={"Authorization": f"Bearer {self.token}", **headers})
        try:
            with urlopen(request, timeout=10) as answer:
                return int(answer.status), answer.read()
        except HTTPError as refusal:
            with refusal:
                return refusal.code, refusal.read()
        except OSError:
            # The web server was killed while it answered.
            return 0, b""

    def get_json(self, path: str) -> Any:
        """Asks for JSON below the address, with the token."""
        status, body = self.get(path)
        assert status == 200, (path, status, body)
        return json.loads(body)

    def stop(self, number: signal.Signals = signal.SIGTERM) -> int:
        """Ends the dashboard and returns its exit status; may be called twice."""
        if self._process.poll() is None:
            self._process.send_signal(number)
        try:
            return self._process.wait(STOP_TIMEOUT_S)
        finally:
            self._process.kill()
            self._reader.join(STOP_TIMEOUT_S)
            if self._process.stdout is not None and not self._reader.is_alive():
                self._process.stdout.close()
            if self._temporary is not None:
                shutil.rmtree(self._temporary, ignore_errors=True)

    def __enter__(self) -> Dashboard:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def _read_lines(self) -> None:
        """Runs in a thread, so that a full pipe never holds up the dashboard."""
        for line in self._process.stdout or ():
            self.lines.append(line.rstrip("\n"))
            if line.startswith("Web address: "):
                self._links.put(line.split()[-1])
        self._links.put(None)

    def _wait_for_address(self) -> None:
        try:
            link = self._links.get(timeout=START_TIMEOUT_S)
        except queue.Empty:
            link = None
        if link is None:
            self.stop()
            raise AssertionError("The dashboard did not start:\n" + "\n".join(self.lines))
        self.link = link
        self.address = link.partition("?")[0].rstrip("/")
