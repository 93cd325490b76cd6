"""Files are either complete or unchanged, and the next writer removes the remains of a killed one."""

from __future__ import annotations

import multiprocessing
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from framework import Tensor
from framework.common.replacing import remove_abandoned, replacing
from framework.train import load_checkpoint, save_checkpoint

WRITER = """
import sys
from pathlib import Path
import numpy as np
from framework.train.checkpoints import write_values

def values():
    yield "first", np.ones(100_000, np.float32)
    print("half", flush=True)
    sys.stdin.read()
    yield "second", np.ones(3, np.float32)

write_values(Path(sys.argv[1]), values())
print("whole", flush=True)
"""


def parts(directory: Path) -> list[Path]:
    return sorted(directory.glob(".*.part"))


def writer_in_the_middle(path: Path) -> subprocess.Popen[str]:
    """A process that has written half of a checkpoint; it writes the rest when its standard input is closed."""
    command = [sys.executable, "-c", WRITER, str(path)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "half\n"
    return process


def finish(process: subprocess.Popen[str]) -> None:
    assert process.communicate(timeout=60)[0] == "whole\n"


@pytest.mark.processes
def test_the_next_save_removes_what_a_killed_writer_left_and_no_other(tmp_path: Path) -> None:
    path = tmp_path / "x.ckpt"
    save_checkpoint({"w": Tensor(1.0)}, path)
    killed, living = writer_in_the_middle(path), writer_in_the_middle(tmp_path / "living.ckpt")
    assert len(parts(tmp_path)) == 2
    killed.send_signal(signal.SIGKILL)
    killed.communicate(timeout=60)
    assert len(parts(tmp_path)) == 2
    assert float(load_checkpoint(path)["w"].asnumpy()) == 1.0
    # Files of others that only look like parts.
    others = [tmp_path / ".x.ckpt.part", tmp_path / "x.ckpt.0123456789abcdef.part"]
    for other in others:
        other.touch()
    save_checkpoint({"w": Tensor(2.0)}, path)
    (left,) = set(parts(tmp_path)) - set(others)
    assert left.name.startswith(".living.ckpt.")
    assert all(other.exists() for other in others)
    finish(living)
    assert list(load_checkpoint(tmp_path / "living.ckpt")) == ["first", "second"]
    assert set(parts(tmp_path)) <= set(others)


def test_a_part_of_this_process_is_not_removed(tmp_path: Path) -> None:
    with replacing(tmp_path / "a") as one:
        one.write(b"a")
        with replacing(tmp_path / "b") as two:
            two.write(b"b")
        remove_abandoned(tmp_path)
    assert ((tmp_path / "a").read_bytes(), (tmp_path / "b").read_bytes()) == (b"a", b"b")


def test_links_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "precious").write_bytes(b"kept")
    link = tmp_path / ".x.ckpt.0123456789abcdef.part"
    link.symlink_to(tmp_path / "precious")
    remove_abandoned(tmp_path)
    assert (tmp_path / "precious").read_bytes() == b"kept"


def _save_often(directory: str, number: int) -> None:
    for _ in range(40):
        save_checkpoint({"w": Tensor(np.full(1000, number, np.float32))}, Path(directory) / f"{number}.ckpt")


@pytest.mark.processes
def test_writers_at_once_do_not_disturb_each_other(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    writers = [context.Process(target=_save_often, args=(str(tmp_path), number)) for number in range(4)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert [writer.exitcode for writer in writers] == [0] * 4
    assert sorted(path.name for path in tmp_path.iterdir()) == [f"{number}.ckpt" for number in range(4)]
