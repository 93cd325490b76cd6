"""Incoming files, sent as `api.md` says: any order of requests leaves the file that was sent, or a refusal."""

from __future__ import annotations

import errno
import os
import zlib
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from django.test import Client
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some

from mindinsight.environment import Environment
from mindinsight.incoming import signs
from summaries import SummaryWriter, WriterState, writer_state

FILE = "events.out.events.summary.1795227714.0.box_MS"


@pytest.fixture(autouse=True)
def no_signs() -> Any:
    """The locks of a test end with it."""
    yield
    for place in list(signs._signs):
        signs.release(place)


def send(
    client: Client, data: bytes, offset: int = 0, *, closed: bool = False, run: str = "a/b", file: str = FILE
) -> Any:
    query = urlencode({"run": run, "file": file, "offset": offset, "closed": str(closed).lower()})
    return client.post(f"/api/incoming?{query}", data, content_type="application/octet-stream")


def ask(client: Client, run: str = "a/b", file: str = FILE) -> Any:
    return client.get("/api/incoming", {"run": run, "file": file})


def path_of(environment: Environment) -> Path:
    return environment.base_directory / "a" / "b" / FILE


def test_bytes_become_a_file(environment: Environment, client: Client) -> None:
    assert ask(client).json() == {"size": 0, "head": 0, "closed": False}
    assert send(client, b"one").json() == {"size": 3, "head": zlib.crc32(b"one"), "closed": False}
    assert send(client, b"two", 3).json()["size"] == 6
    assert send(client, b"", 6, closed=True).json() == {"size": 6, "head": zlib.crc32(b"onetwo"), "closed": True}
    assert path_of(environment).read_bytes() == b"onetwo"
    assert path_of(environment).stat().st_mode & 0o777 == 0o400
    assert ask(client).json()["closed"] is True


def test_the_head_is_that_of_the_first_4096_bytes(environment: Environment, client: Client) -> None:
    data = bytes(range(256)) * 40
    assert send(client, data).json()["head"] == zlib.crc32(data[:4096])


def test_a_request_that_is_sent_again_changes_nothing(environment: Environment, client: Client) -> None:
    for _ in range(2):
        send(client, b"first")
        assert send(client, b"stlast", 3, closed=True).json()["size"] == 9
    assert path_of(environment).read_bytes() == b"firstlast"


def test_a_record_that_was_taken_back_is_cut_at_the_end(environment: Environment, client: Client) -> None:
    send(client, b"whole torn")
    assert send(client, b"", 5, closed=True).json()["size"] == 5
    assert path_of(environment).read_bytes() == b"whole"


@pytest.mark.parametrize(
    ("data", "offset", "code"),
    [(b"x", 7, "wrong_offset"), (b"other", 0, "other_content"), (b"axb", 2, "other_content")],
)
def test_what_does_not_continue_the_file_is_refused(
    environment: Environment, client: Client, data: bytes, offset: int, code: str
) -> None:
    send(client, b"a file")
    answer = send(client, data, offset)
    assert (answer.status_code, answer.json()["code"]) == (409, code)
    assert path_of(environment).read_bytes() == b"a file"


def test_a_complete_file_takes_no_more(environment: Environment, client: Client) -> None:
    send(client, b"done", closed=True)
    assert send(client, b"more", 4).json()["code"] == "other_content"
    assert path_of(environment).read_bytes() == b"done"


@pytest.mark.parametrize("run", ["../a", "/a", "a//b", ".a", "a/../b", "x" * 300, "1795229620.97"])
def test_names_of_runs_that_lead_elsewhere_are_refused(environment: Environment, client: Client, run: str) -> None:
    for answer in (ask(client, run=run), send(client, b"x", run=run)):
        assert (answer.status_code, answer.json()["code"]) == (400, "bad_parameter")
        assert answer.json()["detail"]["parameter"] == "run"
    assert list(environment.base_directory.rglob("*")) == []


@pytest.mark.parametrize("file", ["../" + FILE, "notes.txt", f".{FILE}", f"{FILE}/x", f"x/{FILE}", "x" * 250 + FILE])
def test_only_event_files_are_taken(environment: Environment, client: Client, file: str) -> None:
    assert send(client, b"x", file=file).json()["code"] == "bad_parameter"
    assert list(environment.base_directory.rglob("*")) == []


@pytest.mark.parametrize("where", ["a", "a/b", f"a/b/{FILE}"])
def test_links_are_not_followed(environment: Environment, client: Client, tmp_path: Path, where: str) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "b").mkdir()
    link = environment.base_directory / where
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(outside / "file" if where.endswith(FILE) else outside)
    answer = send(client, b"x")
    assert (answer.status_code, answer.json()["code"]) == (409, "other_content")
    assert [path.name for path in outside.rglob("*")] == ["b"]


def test_a_folder_or_a_pipe_in_the_place_is_refused(environment: Environment, client: Client) -> None:
    path_of(environment).mkdir(parents=True)
    assert send(client, b"x").json()["code"] == "other_content"
    path_of(environment).rmdir()
    os.mkfifo(path_of(environment))
    assert send(client, b"x").json()["code"] == "other_content"
    assert ask(client).json()["code"] == "other_content"


def test_another_type_of_body_is_refused(environment: Environment, client: Client) -> None:
    query = urlencode({"run": "a", "file": FILE, "offset": 0})
    assert client.post(f"/api/incoming?{query}", {"x": 1}, content_type="application/json").status_code == 415


def test_a_full_disk_is_told(environment: Environment, client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    send(client, b"before")

    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, "pwrite", full)
        answer = send(client, b" after", 6)
    assert (answer.status_code, answer.json()["code"]) == (507, "disk_full")
    assert send(client, b" after", 6).json()["size"] == 12


def test_the_writer_lives_while_requests_arrive(
    environment: Environment, client: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with SummaryWriter(tmp_path / "elsewhere") as writer:
        writer.flush()
        assert writer.path is not None
        data = writer.path.read_bytes()
    send(client, data)
    assert writer_state(path_of(environment)) is WriterState.WRITING
    with monkeypatch.context() as patched:
        patched.setattr(signs, "SILENT_S", -1.0)
        signs._sweep()
    assert writer_state(path_of(environment)) is WriterState.ABANDONED
    # From here on nothing may sweep: the next half minute begins.
    send(client, b"", len(data))
    assert writer_state(path_of(environment)) is WriterState.WRITING
    send(client, b"", len(data), closed=True)
    assert writer_state(path_of(environment)) is WriterState.CLOSED
    assert not signs._signs


requests = some.lists(
    some.tuples(some.integers(0, 40), some.integers(0, 15), some.sampled_from(["send", "lost", "ask"])), max_size=30
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(whole=some.binary(min_size=1, max_size=40), asked=requests)
def test_any_order_of_requests_leaves_a_beginning_of_what_is_sent(
    environment: Environment, client: Client, whole: bytes, asked: list[tuple[int, int, str]]
) -> None:
    path = path_of(environment)
    path.unlink(missing_ok=True)
    for offset, length, _ in asked:
        held = len(path.read_bytes()) if path.exists() else 0
        piece = whole[offset : offset + length]
        answer = send(client, piece, offset)
        if offset > held:
            assert answer.json()["code"] == "wrong_offset"
        else:
            assert answer.json()["size"] == max(held, offset + len(piece))
        assert whole.startswith(path.read_bytes() if path.exists() else b"")
