"""Real services on free loopback ports, each a process that ends with its `with` block. Used by this folder's tests."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import psycopg
import redis

from mindinsight.supervisor.redis_server import find_server

ROOT = Path(__file__).resolve().parents[2]
Found = TypeVar("Found")


def free_port() -> int:
    """Return a loopback port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


def wait_for(what: str, look: Callable[[], Found | None], seconds: float = 30) -> Found:
    """Look again and again until there is something true to see; return it."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if found := look():
            return found
        time.sleep(0.02)
    raise AssertionError(f"waited {seconds:g} s in vain for {what}")


@contextmanager
def running(name: str, command: list[str], logs: Path, **options: object) -> Iterator[subprocess.Popen[bytes]]:
    """Run a command with its output in `logs/NAME.log`; end it, and if need be kill it, at the end."""
    with (logs / f"{name}.log").open("ab") as log:
        process: subprocess.Popen[bytes] = subprocess.Popen(  # type: ignore[call-overload]
            command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, **options
        )
    try:
        yield process
    finally:
        process.send_signal(signal.SIGINT if name == "postgres" else signal.SIGTERM)
        try:
            process.wait(15)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def postgres_programs() -> Path | None:
    """Return the folder of Debian's newest PostgreSQL server programs, or of those on PATH."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    on_path = shutil.which("initdb")
    return found[-1].parent if found else Path(on_path).parent if on_path else None


@contextmanager
def postgres(programs: Path, directory: Path, logs: Path) -> Iterator[str]:
    """Run a new PostgreSQL with its data in `directory`; yield its address."""
    # PostgreSQL refuses to run as root, so it gets a user of its own where the tests run as root.
    user = _unprivileged_user() if os.getuid() == 0 else None
    data, secret = directory / "data", directory / "password"
    secret.write_text("correct horse")
    if user:
        for path in (directory, secret):
            shutil.chown(path, user)
    initialise = ["--auth=scram-sha-256", "--encoding=UTF8", "--locale=C", "--no-sync", "--username=mindinsight"]
    command = [str(programs / "initdb"), "--pgdata", str(data), "--pwfile", str(secret), *initialise]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, user=user, cwd=directory)
    port = free_port()
    settings = {"listen_addresses": "127.0.0.1", "unix_socket_directories": str(directory), "fsync": "off"}
    options = [text for name, value in settings.items() for text in ("-c", f"{name}={value}")]
    server = [str(programs / "postgres"), "-D", str(data), "-p", str(port), *options]
    with running("postgres", server, logs, user=user, cwd=directory):
        url = f"postgres://mindinsight:correct%20horse@127.0.0.1:{port}/postgres"
        wait_for("PostgreSQL", lambda: _postgres_answers(url))
        yield url


def _unprivileged_user() -> str:
    names = {entry.pw_name for entry in pwd.getpwall()}
    return "postgres" if "postgres" in names else "nobody"


def _postgres_answers(url: str) -> bool:
    try:
        psycopg.connect(url, connect_timeout=2).close()
    except psycopg.OperationalError:
        return False
    return True


@contextmanager
def redis_over_tcp(directory: Path, logs: Path) -> Iterator[str]:
    """Run a new Redis; yield its address."""
    program = str(find_server())
    port = free_port()
    options = ["--port", str(port), "--bind", "127.0.0.1", "--dir", str(directory), "--save", ""]
    with running("redis", [program, *options], logs), redis.Redis(port=port) as client:
        wait_for("Redis", lambda: _redis_answers(client))
        yield f"redis://127.0.0.1:{port}/0"


def _redis_answers(client: redis.Redis) -> bool:
    try:
        return bool(client.ping())
    except redis.ConnectionError:
        return False
