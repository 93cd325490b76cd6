"""The writer's lock: one holder, and free again the moment its holder dies."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from mindinsight.store import WriterLock

HOLD = """
import sys, time
from pathlib import Path
from mindinsight.store.lock import WriterLock
lock = WriterLock(Path(sys.argv[1]))
assert lock.acquire()
print("held", flush=True)
time.sleep(60)
"""


def test_only_one_holds_it(tmp_path: Path) -> None:
    first, second = WriterLock(tmp_path), WriterLock(tmp_path)
    assert first.acquire()
    assert not second.acquire()
    assert second.held_by_somebody()
    first.release()
    assert not second.held_by_somebody()
    assert second.acquire()


def test_taking_it_twice_and_giving_it_back_twice_does_no_harm(tmp_path: Path) -> None:
    lock, other = WriterLock(tmp_path / "columns" / "deep"), WriterLock(tmp_path / "columns" / "deep")
    lock.release()
    assert lock.acquire()
    assert lock.acquire()
    assert lock.held_by_somebody()
    lock.release()
    lock.release()
    assert other.acquire()


def test_a_look_makes_no_file(tmp_path: Path) -> None:
    lock = WriterLock(tmp_path)
    assert not lock.held_by_somebody()
    assert list(tmp_path.iterdir()) == []
    assert lock.acquire()
    assert [path.name for path in tmp_path.iterdir()] == ["writer.lock"]


def test_on_a_read_only_disk_it_is_looked_at_for_reading(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    holder, lock = WriterLock(tmp_path), WriterLock(tmp_path)
    assert holder.acquire()
    open_file = os.open

    def read_only(path: Path, flags: int, *mode: int) -> int:
        if flags & (os.O_RDWR | os.O_WRONLY):
            raise OSError(errno.EROFS, os.strerror(errno.EROFS))
        return open_file(path, flags, *mode)

    monkeypatch.setattr(os, "open", read_only)
    assert lock.held_by_somebody()
    holder.release()
    assert not lock.held_by_somebody()


def test_a_file_that_cannot_be_opened_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "writer.lock").mkdir()
    with pytest.raises(IsADirectoryError):
        WriterLock(tmp_path).held_by_somebody()


def test_a_killed_holder_gives_it_back(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", HOLD, str(tmp_path)], stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        lock = WriterLock(tmp_path)
        assert not lock.acquire()
        holder.send_signal(signal.SIGKILL)
        holder.wait()
        assert lock.acquire()
