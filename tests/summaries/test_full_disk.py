"""SummaryWriter on a disk that really gets full."""

import subprocess
import sys
from pathlib import Path

from tests.small_disk import SmallDisk

ROOT = Path(__file__).resolve().parents[2]

TRAINING = """
import logging, sys
from summaries import SummaryWriter
logging.basicConfig(level=logging.WARNING)
step = 0
with SummaryWriter(sys.argv[1], flush_secs=0.02) as writer:
    for line in iter(sys.stdin.readline, "end\\n"):
        for step in range(step + 1, step + 1 + int(line)):
            writer.add_scalar("loss", step % 1024, step)
            if step % 100 == 0:
                writer.add_text("note", "x" * 500, step)
        print(writer.flush(), flush=True)
"""


def test_nothing_is_lost_or_damaged_and_the_training_is_told(tmp_path, drain):
    with SmallDisk(tmp_path / "disk", 2) as disk:
        command = [*disk.inside, sys.executable, "-c", TRAINING, str(disk.path / "run")]
        pipe = subprocess.PIPE
        training = subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe, stderr=pipe, text=True)

        def write(steps: int) -> str:
            training.stdin.write(f"{steps}\n")
            training.stdin.flush()
            return training.stdout.readline().strip()

        assert write(1000) == "True"
        for leave in (1, 777, 5000):
            disk.fill(leave=leave)
            assert write(3000) == "False"
            assert write(1000) == "False"
            disk.empty()
            assert write(1000) == "True"
        _, said = training.communicate("end\n", timeout=30)
        assert training.returncode == 0
        assert said.count("Cannot write") == 3
        assert said.count("can be written again; nothing was lost") == 3
        (path,) = disk.seen(disk.path / "run").glob("*_MS")
        drained = drain(path)
        assert drained.steps == list(range(1, 16_001))
        assert len([kind for _, kind, _ in drained.places if kind == "text"]) == 160
        assert drained.damages == []
