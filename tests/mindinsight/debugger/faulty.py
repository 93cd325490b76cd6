"""A training with a planted fault, run as a program: `python -m ...faulty URL TOKEN KIND SEED MODE`."""

from __future__ import annotations

import sys
import warnings

from framework.debugger import attach
from framework.debugger.modes import set_mode
from tests.framework.debugger.faults import plant


def main(url: str, token: str, kind: str, seed: str, mode: str) -> None:
    """Trains until it is stopped; paused before the first step."""
    warnings.simplefilter("ignore")
    set_mode(mode)
    planted = plant(kind, int(seed))
    with attach(planted.training, url, token, summary_dir=kind, pause_at_start=True):
        while True:
            for rows in planted:
                planted.training(*rows)


if __name__ == "__main__":
    main(*sys.argv[1:])
