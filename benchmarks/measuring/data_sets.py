"""The data sets of the benchmarks, made at first use and kept below `benchmarks/.data/`."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.measuring.environments import ROOT
from benchmarks.measuring.figures import say
from benchmarks.measuring.large_files import OPENED, tag_names, write_mindspore, write_tensorboard
from summaries.records import frame
from summaries.schema.tensorboard_pb2 import Event

DATA = ROOT / "benchmarks" / ".data"
# Change this number to make all of them again.
VERSION = 1
LINKED_BYTES = 1 << 22
BUCKETS = 64


@dataclass(frozen=True)
class DataSet:
    """Event files below one directory, and what is in them.

    Attributes:
        base: the directory for a dashboard to watch.
        runs: how many runs; their directories are `run_0000`, `run_0001`, …
        tags: names, the same in each run.
        steps: values of each tag, at steps 1 to `steps`.
    """

    base: Path
    runs: int
    tags: list[str]
    steps: int

    @property
    def values(self) -> int:
        """How many values there are in all."""
        return self.runs * len(self.tags) * self.steps

    @property
    def last_run(self) -> str:
        """The name of the last run."""
        return run_name(self.runs - 1)

    def files(self) -> list[Path]:
        """The event files, in order of run."""
        return sorted(path for path in self.base.rglob("events.*"))

    def warm(self) -> None:
        """Reads the files once, so that the first reader does not wait for the disk."""
        for path in self.files():
            with path.open("rb") as file:
                while file.read(1 << 22):
                    pass


def run_name(run: int) -> str:
    """The name of a run's directory."""
    return f"run_{run:04d}"


def scalars(steps: int, runs: int = 1, tags: int = 5) -> DataSet:
    """TensorBoard's form: one event for each value, as its own writers make them."""
    found = DataSet(DATA / f"scalars_{runs}x{tags}x{steps}", runs, tag_names(tags), steps)
    return _made(found, lambda directory: write_tensorboard(directory, found.tags, steps))


def mindspore_scalars(steps: int, tags: int = 5) -> DataSet:
    """MindSpore's form: one event for each step, with the values of all tags."""
    found = DataSet(DATA / f"mindspore_1x{tags}x{steps}", 1, tag_names(tags), steps)
    return _made(found, lambda directory: write_mindspore(directory, found.tags, steps))


def histograms(steps: int, tags: int = 20) -> DataSet:
    """TensorBoard's form, of 64 buckets: about 1.1 kB each."""
    found = DataSet(DATA / f"histograms_1x{tags}x{steps}", 1, tag_names(tags), steps)
    return _made(found, lambda directory: write_histograms(directory, found.tags, steps))


def write_histograms(directory: Path, tags: list[str], steps: int) -> Path:
    """Writes histograms of a normal distribution that moves."""
    path = directory / f"events.out.tfevents.{OPENED}.host.1.0"
    directory.mkdir(parents=True, exist_ok=True)
    limits = np.linspace(-4, 4, BUCKETS)
    counts = np.round(1000 * np.exp(-(limits**2) / 2))
    with path.open("wb") as file:
        file.write(frame(Event(wall_time=OPENED, file_version="brain.Event:2").SerializeToString()))
        for step in range(1, steps + 1):
            for number, tag in enumerate(tags):
                event = _histogram_event(step, tag, limits + step / steps + number, counts)
                file.write(frame(event.SerializeToString()))
    return path


def _histogram_event(step: int, tag: str, limits: np.ndarray, counts: np.ndarray) -> Event:
    event = Event(wall_time=OPENED + step, step=step)
    histogram = event.summary.value.add(tag=tag).histo
    histogram.min, histogram.max, histogram.num = limits[0] - 0.1, limits[-1], counts.sum()
    histogram.sum, histogram.sum_squares = counts @ limits, counts @ limits**2
    histogram.bucket_limit.extend(limits.tolist())
    histogram.bucket.extend(counts.tolist())
    return event


def _made(wanted: DataSet, write: Callable[[Path], Path]) -> DataSet:
    """Makes a data set unless it is there; all runs have the same content, and large ones are one file on the disk."""
    stamp = DATA / f"{wanted.base.name}.version"
    if stamp.is_file() and stamp.read_text() == str(VERSION):
        return wanted
    say(f"Making {wanted.base.relative_to(ROOT)} …")
    shutil.rmtree(wanted.base, ignore_errors=True)
    file = write(wanted.base / run_name(0))
    for run in range(1, wanted.runs):
        directory = wanted.base / run_name(run)
        directory.mkdir()
        put = os.link if file.stat().st_size > LINKED_BYTES else shutil.copyfile
        put(file, directory / file.name)
    stamp.write_text(str(VERSION))
    return wanted
