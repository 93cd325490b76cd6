"""A LeNet-5 that trains under the debugger until it is killed: `python debugger_training.py MODE URL TOKEN`."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks.measuring.debugger_cost import MODES, training
from framework import set_context
from framework.debugger import attach


def main() -> None:
    """Train."""
    mode, url, token = sys.argv[1:]
    set_context(mode=MODES[mode])
    step, batch = training("lenet32")
    with attach(step, url, token, pause_at_start=True):
        while True:
            step(*batch)


if __name__ == "__main__":
    main()
