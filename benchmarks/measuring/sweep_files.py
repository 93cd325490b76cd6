"""A sweep of many short runs that note much: lineage files, one for each run. Made for `benchmarks/lineage.py`."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np

from benchmarks.measuring.data_sets import DATA, run_name
from benchmarks.measuring.environments import ROOT
from benchmarks.measuring.figures import say
from benchmarks.measuring.large_files import OPENED
from summaries.lineage import evaluation_event, user_event
from summaries.records import frame

NUMBERS, CATEGORIES, METRICS = 24, 8, 8
"""What each run notes: forty columns in all."""
OPTIMIZERS = ("Adam", "AdamW", "Lamb", "Momentum", "RMSProp", "SGD")
# Another number makes all of them anew.
_VERSION = 1


def sweep(runs: int) -> Path:
    """Returns the directory of a sweep of so many runs, made unless it is there."""
    base = DATA / f"sweep_{runs}"
    stamp = DATA / f"{base.name}.version"
    if stamp.is_file() and stamp.read_text() == str(_VERSION):
        return base
    say(f"Making {base.relative_to(ROOT)} …")
    shutil.rmtree(base, ignore_errors=True)
    chance = np.random.default_rng(9)
    for run in range(runs):
        _write_run(base / run_name(run), OPENED + run, chance)
    stamp.write_text(str(_VERSION))
    return base


def _write_run(directory: Path, wall: float, chance: np.random.Generator) -> None:
    """Writes what one run notes: of eight parameters a tenth of the runs has none."""
    rates = 10 ** chance.uniform(-5, -1, NUMBERS)
    noted: dict[str, object] = {f"rate_{at:02d}": float(f"{rate:.4g}") for at, rate in enumerate(rates)}
    for at, choice in enumerate(chance.integers(0, len(OPTIMIZERS), CATEGORIES)):
        if chance.random() > 0.1:
            noted[f"choice_{at}"] = OPTIMIZERS[choice]
    quality = -float(np.abs(np.log10(rates[:3]) + 3).mean()) / 2
    noise = chance.normal(0, 0.05, METRICS)
    metrics = {f"score_{at}/accuracy": float(np.exp(quality + noise[at])) for at in range(METRICS)}
    directory.mkdir(parents=True)
    events = (user_event(wall, None, noted), evaluation_event(wall + 60, None, metrics))
    path = directory / f"events.out.events.summary.{int(wall)}.0.host_lineage"
    path.write_bytes(b"".join(frame(event.SerializeToString()) for event in events))
