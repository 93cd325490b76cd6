"""The copy of an object store: it has the store's bytes after each round, whatever happened to the objects."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import fsspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mindinsight.mirror import local_copy
from mindinsight.mirror.copying import Copying, Folders
from mindinsight.mirror.listing import list_objects
from mindinsight.mirror.progress import read_progress
from summaries import SummaryWriter
from summaries.reading.liveness import WriterState, writer_state
from tests.mindinsight.mirror.conftest import MakeCopying, ObjectServer

EVENTS = "events.out.tfevents.1790000000.host"
OURS = "events.out.events.summary.1790000000.0.host_MS"

pytestmark = pytest.mark.processes


def test_files_are_copied_with_their_folders(server: ObjectServer, copying: MakeCopying, copied: Path) -> None:
    server.put(f"a/b/{EVENTS}", b"one")
    server.put(EVENTS, b"two")
    server.put("a/net.pb", b"graph")
    server.put("a/model.ckpt", b"not shown by the dashboard")
    progress = copying().round()
    assert progress["state"] == "current"
    assert progress["error"] == ""
    assert (progress["files"], progress["files_done"], progress["bytes"], progress["bytes_done"]) == (3, 3, 11, 11)
    assert (copied / "a/b" / EVENTS).read_bytes() == b"one"
    assert (copied / EVENTS).read_bytes() == b"two"
    assert (copied / "a/net.pb").read_bytes() == b"graph"
    assert not (copied / "a/model.ckpt").exists()
    assert read_progress(copied.parent) == progress


def test_only_new_bytes_are_fetched(
    server: ObjectServer, copying: MakeCopying, copied: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(local_copy, "OVERLAP_BYTES", 4)
    begun = bytes(range(200)) * 50
    server.put(EVENTS, begun)
    ours = copying()
    ours.round()
    before = (copied / EVENTS).stat().st_ino
    fetched: list[int] = []
    monkeypatch.setattr(ours, "_arrived", fetched.append)
    server.put(EVENTS, begun + b"more")
    ours.round()
    assert (copied / EVENTS).read_bytes() == begun + b"more"
    assert sum(fetched) == 4, "the bytes that were there are not written again"
    assert (copied / EVENTS).stat().st_ino == before, "a reader continues in the same file"


def test_another_object_under_the_same_name_replaces_the_file(
    server: ObjectServer, copying: MakeCopying, copied: Path
) -> None:
    ours = copying()
    for content in (b"first content", b"other", b"OTHER", b"OTHER and longer", b"something else, which is longer"):
        server.put(EVENTS, content)
        ours.round()
        assert (copied / EVENTS).read_bytes() == content


def test_a_restart_copies_what_is_new(
    server: ObjectServer, copying: MakeCopying, copied: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.put(f"a/{EVENTS}", b"a")
    server.put(f"b/{EVENTS}", b"b")
    copying().round()
    first = {name: (copied / name / EVENTS).stat().st_mtime_ns for name in "ab"}
    server.put(f"b/{EVENTS}", b"bb")
    fetched: list[int] = []
    again = copying()
    monkeypatch.setattr(again, "_arrived", fetched.append)
    again.round()
    assert fetched == [1]
    assert (copied / "a" / EVENTS).stat().st_mtime_ns == first["a"]
    assert (copied / "b" / EVENTS).read_bytes() == b"bb"


def test_a_removed_object_removes_the_file_and_its_empty_folders(
    server: ObjectServer, copying: MakeCopying, copied: Path
) -> None:
    server.put(f"a/b/c/{EVENTS}", b"gone")
    server.put(f"a/{EVENTS}", b"stays")
    ours = copying()
    ours.round()
    (copied / "sent").mkdir()
    (copied / "sent" / EVENTS).write_bytes(b"by a training")
    server.remove(f"a/b/c/{EVENTS}")
    ours.round()
    assert not (copied / "a/b").exists()
    assert (copied / "a" / EVENTS).read_bytes() == b"stays"
    assert (copied / "sent" / EVENTS).exists(), "what the store never had is not removed"


def test_a_run_that_was_removed_here_does_not_come_back(
    server: ObjectServer, copying: MakeCopying, copied: Path
) -> None:
    server.put(EVENTS, b"a run")
    ours = copying()
    ours.round()
    (copied / EVENTS).unlink()
    ours.round()
    copying().round()
    assert not (copied / EVENTS).exists()
    server.put(EVENTS, b"a run that goes on")
    ours.round()
    assert (copied / EVENTS).read_bytes() == b"a run that goes on"


def test_a_lost_or_damaged_note_copies_everything_again(
    server: ObjectServer, copying: MakeCopying, copied: Path
) -> None:
    server.put(EVENTS, b"content")
    copying().round()
    for damage in (b"{", b'{"format": 1, "objects": {"x": 1}}', b"\xff", None):
        note = copied / ".mirror.json"
        note.unlink() if damage is None else note.write_bytes(damage)
        (copied / EVENTS).write_bytes(b"damaged")
        copying().round()
        assert (copied / EVENTS).read_bytes() == b"content"


def test_an_interrupted_copy_goes_on(
    server: ObjectServer, copying: MakeCopying, copied: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(local_copy, "BLOCK_BYTES", 1000)
    content = os.urandom(5500)
    server.put(EVENTS, content)
    ours = copying()
    real, calls = ours._store.cat_file, iter(range(100))

    def breaks(path: str, *, start: int, end: int) -> bytes:
        if next(calls) == 3:
            raise ConnectionResetError("Connection reset by peer")
        return real(path, start=start, end=end)

    monkeypatch.setattr(ours._store, "cat_file", breaks)
    failed = ours.round()
    assert failed["state"] == "failing"
    assert "Connection reset" in failed["error"]
    assert not (copied / EVENTS).exists(), "no half of a file is shown as one"
    assert list((copied.parent / "mirror-drafts").iterdir()) == []
    assert ours.round()["state"] == "current"
    assert (copied / EVENTS).read_bytes() == content


def test_an_object_that_is_replaced_meanwhile_is_copied_again(
    server: ObjectServer, copying: MakeCopying, copied: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(local_copy, "BLOCK_BYTES", 1000)
    server.put(EVENTS, b"a" * 3000)
    ours = copying()
    real = ours._store.cat_file

    def replaces(path: str, *, start: int, end: int) -> bytes:
        block = real(path, start=start, end=end)
        if start == 0 and block.startswith(b"a"):
            server.put(EVENTS, b"b" * 3000)
        return block

    monkeypatch.setattr(ours._store, "cat_file", replaces)
    ours.round()
    ours.round()
    assert (copied / EVENTS).read_bytes() == b"b" * 3000


def test_growing_files_look_alive_and_old_ones_complete(
    server: ObjectServer, copying: MakeCopying, copied: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with SummaryWriter(tmp_path / "written") as writer:
        writer.add_scalar("loss", 0.5, 1)
        writer.flush()
        (written,) = (tmp_path / "written").glob("*_MS")
        content = written.read_bytes()
    assert content
    server.put(OURS, content)
    ours = copying()
    ours.round()
    assert writer_state(copied / OURS) is WriterState.WRITING
    monkeypatch.setattr("mindinsight.mirror.copying.GROWING_S", -1.0)
    ours.round()
    assert writer_state(copied / OURS) is not WriterState.WRITING
    assert not stat.S_IMODE((copied / OURS).stat().st_mode) & 0o222
    monkeypatch.setattr("mindinsight.mirror.copying.GROWING_S", 1000.0)
    server.put(OURS, content + b"more")
    ours.round()
    assert (copied / OURS).read_bytes() == content + b"more"


def test_a_missing_bucket_is_named_with_what_to_do(server: ObjectServer, copied: Path) -> None:
    store, root = fsspec.core.url_to_fs(server.address.replace("bucket", "other"), use_listings_cache=False)
    progress = Copying(store, root, server.address, Folders(copied.parent, copied)).round()
    assert progress["state"] == "failing"
    assert "bucket" in progress["error"].lower(), progress["error"]


def test_a_store_that_does_not_answer_keeps_what_was_copied(
    s3: ObjectServer, copied: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    s3.put(EVENTS, b"content")
    folders = Folders(copied.parent, copied)
    Copying(s3.files, "bucket/runs", s3.address, folders).round()
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    gone = fsspec.filesystem("s3", skip_instance_cache=True, use_listings_cache=False)
    progress = Copying(gone, "bucket/runs", s3.address, folders).round()
    assert progress["state"] == "failing"
    assert "127.0.0.1:9" in progress["error"]
    assert (copied / EVENTS).read_bytes() == b"content"


class Names:
    """A store with objects of given names, for names that real servers would refuse."""

    def __init__(self, names: list[str]) -> None:
        self._names = names

    def find(self, path: str, *, detail: bool) -> dict[str, dict[str, object]]:
        return {f"{path}/{name}": {"type": "file", "size": 1, "ETag": "1"} for name in self._names}

    def info(self, path: str) -> dict[str, object]:
        return {"size": 1, "ETag": "1"}

    def cat_file(self, path: str, *, start: int, end: int) -> bytes:
        return b"x"

    def invalidate_cache(self) -> None:
        pass


PARTS = st.sampled_from(["..", ".", "", "a", "/", "\0", "é", "x" * 300, "..\\..", ".git", EVENTS, "net.pb"])


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.lists(PARTS, min_size=1, max_size=4).map("/".join), max_size=5))
def test_hostile_names_stay_inside(tmp_path: Path, names: list[str]) -> None:
    folders = Folders(tmp_path / "in" / "data", tmp_path / "in" / "data" / "mirror")
    copying = Copying(Names(names), "bucket/runs", "s3://bucket/runs", folders)
    for listed in list_objects(Names(names), "bucket/runs").values():
        assert (folders.files / listed.relative).resolve().is_relative_to(folders.files)
    assert copying.round()["state"] in ("current", "failing")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in"]
    assert {path.name for path in folders.data.iterdir()} <= {"mirror", "mirror-drafts", "mirror.json"}


def test_a_full_disk_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_arguments: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "pwrite", full)
    folders = Folders(tmp_path, tmp_path / "mirror")
    progress = Copying(Names([EVENTS]), "bucket/runs", "s3://bucket/runs", folders).round()
    assert progress["state"] == "failing"
    assert "No space left on device" in progress["error"]
    assert json.loads((tmp_path / "mirror.json").read_text())["state"] == "failing"
