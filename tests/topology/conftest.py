"""The whole topology as one fixture, started once for the folder's tests."""

from __future__ import annotations

import os
import secrets
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import psutil
import pytest

from .services import ROOT, free_port, postgres, postgres_programs, redis_over_tcp, running, wait_for
from .watcher import Server


@dataclass
class Cluster:
    """Two web servers and two workers on one PostgreSQL, one Redis and one store."""

    directory: Path
    environment: dict[str, str]
    stack: ExitStack
    servers: list[Server] = field(default_factory=list)
    workers: list[subprocess.Popen[bytes]] = field(default_factory=list)

    @property
    def summaries(self) -> Path:
        """The directory that the workers watch."""
        return self.directory / "summaries"

    def start_server(self) -> None:
        """Add a web server."""
        server = Server(free_port(), self.environment["TOKEN"])
        address = {"MINDINSIGHT_HOST": "127.0.0.1", "MINDINSIGHT_PORT": str(server.port)}
        command = ["-m", "uvicorn", "mindinsight.config.asgi:application", "--port", str(server.port)]
        self._start(
            f"web-{len(self.servers)}", [*command, "--ws", "mindinsight.sockets.protocol:BoundedProtocol"], address
        )
        self.servers.append(server)

    def start_worker(self) -> None:
        """Add a worker, with the options that docker/compose.yaml gives it."""
        name = f"worker-{len(self.workers)}"
        command = ["-m", "celery", "--app=mindinsight.config.celery", "worker", "--pool=threads"]
        options = ["--concurrency=2", "--without-gossip", "--without-mingle", f"--hostname={name}@%h"]
        self.workers.append(self._start(name, [*command, *options], {}))

    def readers(self) -> list[subprocess.Popen[bytes]]:
        """Return the workers that hold the store's lock."""
        lock = next((self.directory / "data").rglob("writer.lock"), None)
        alive = [worker for worker in self.workers if worker.poll() is None]
        return [worker for worker in alive if lock and _has_open(worker.pid, lock)]

    def _start(self, name: str, command: list[str], further: dict[str, str]) -> subprocess.Popen[bytes]:
        environment = self.environment | further
        process = running(name, [sys.executable, *command], self.directory, env=environment, cwd=ROOT)
        return self.stack.enter_context(process)


def _has_open(pid: int, path: Path) -> bool:
    try:
        return any(Path(file.path) == path for file in psutil.Process(pid).open_files())
    except psutil.Error:
        return False


@contextmanager
def _public_directory() -> Iterator[Path]:
    # Not pytest's tmp_path: PostgreSQL's own user must be able to walk through it.
    directory = Path(tempfile.mkdtemp(prefix="mindinsight-topology-"))
    directory.chmod(0o755)
    try:
        yield directory
    finally:
        shutil.rmtree(directory)


def _environment(directory: Path, database: str, broker: str) -> dict[str, str]:
    token = secrets.token_urlsafe()
    (directory / "token").write_text(token)
    ours = {
        "MINDINSIGHT_SUMMARY_BASE_DIR": str(directory / "summaries"),
        "MINDINSIGHT_WORKSPACE": str(directory / "workspace"),
        "MINDINSIGHT_DATA_DIR": str(directory / "data"),
        "MINDINSIGHT_DATABASE_URL": database,
        "MINDINSIGHT_REDIS_URL": broker,
        "MINDINSIGHT_SECRET_KEY": secrets.token_urlsafe(),
        "MINDINSIGHT_TOKEN_FILE": str(directory / "token"),
        "MINDINSIGHT_RELOAD_INTERVAL": "0.2",
        "TOKEN": token,
    }
    return {name: value for name, value in os.environ.items() if not name.startswith("MINDINSIGHT_")} | ours


@pytest.fixture(scope="package")
def cluster() -> Iterator[Cluster]:
    """The topology, ready to serve."""
    programs = postgres_programs()
    if programs is None:
        pytest.skip("PostgreSQL's server is not installed (Debian: apt-get install postgresql)")
    with ExitStack() as stack:
        directory = stack.enter_context(_public_directory())
        (directory / "summaries").mkdir()
        (directory / "postgres").mkdir()
        database = stack.enter_context(postgres(programs, directory / "postgres", directory))
        broker = stack.enter_context(redis_over_tcp(directory, directory))
        cluster = Cluster(directory, _environment(directory, database, broker), stack)
        for _ in range(2):
            cluster.start_server()
            cluster.start_worker()
        for server in cluster.servers:
            wait_for(f"the web server on port {server.port}", server.is_ready)
        yield cluster
