"""The peak memory of a program and its child processes."""

from __future__ import annotations

import sys
from pathlib import Path

from benchmarks.measuring.memory_watch import MemoryWatch
from benchmarks.measuring.processes import Program, wait_for, weigh

CHILD = """
import os, sys, time
held = bytearray(b"x") * 80_000_000
print("full", flush=True)
while not os.path.exists(sys.argv[1]):
    time.sleep(0.005)
del held
print("empty", flush=True)
sys.stdin.read()
"""
# The child's input ends with its parent.
PARENT = "import subprocess as s, sys; s.Popen([sys.executable, '-c', *sys.argv[1:]], stdin=s.PIPE).wait()"


def test_the_peak_counts_children_and_stays_when_they_let_go(tmp_path: Path) -> None:
    seen = tmp_path / "seen"
    with Program([sys.executable, "-c", PARENT, CHILD, seen]) as program, MemoryWatch(program) as watch:
        program.line_with("full")
        wait_for(lambda: watch.peak_pss > 80, "the child's memory")
        seen.touch()
        program.line_with("empty")
        assert weigh(program.family()).rss < 80 < watch.peak_pss <= watch.peak_rss
