"""A sweep of many short runs that note much, one file for each run, in MindSpore's form and in TensorBoard's.

Made for `benchmarks/lineage.py`.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Set
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.measuring.data_sets import DATA, run_name
from benchmarks.measuring.environments import ROOT
from benchmarks.measuring.figures import say
from benchmarks.measuring.large_files import OPENED
from summaries.records import frame
from summaries.schema.tensorboard_hparams_pb2 import HParamsPluginData, MetricInfo, SessionEndInfo
from summaries.schema.tensorboard_pb2 import DT_FLOAT, Event
from summaries.writing.lineage import evaluation_event, user_event

NUMBERS, CATEGORIES, METRICS = 24, 8, 8
"""What each run notes: forty columns in all."""
OPTIMIZERS = ("Adam", "AdamW", "Lamb", "Momentum", "RMSProp", "SGD")
Noted = dict[str, Any]
# Change this number to make all of them again.
_VERSION = 1
_SEED = 9


def sweep(runs: int) -> Path:
    """Returns the directory of a sweep of a number of runs in MindSpore's lineage files; makes it if necessary."""
    return _made(f"sweep_{runs}", runs, _write_lineage)


def hparams_sweep(runs: int) -> Path:
    """Returns the same with TensorBoard's hparams and a scalar for each result."""
    return _made(f"sweep_hparams_{runs}", runs, _write_hparams)


def with_parameters(runs: int, names: Set[str]) -> int:
    """Returns how many runs of a sweep have all of some parameters."""
    chance = np.random.default_rng(_SEED)
    return sum(names <= _draw(chance)[0].keys() for _ in range(runs))


def _made(name: str, runs: int, write: Callable[[Path, float, Noted, Noted], None]) -> Path:
    base = DATA / name
    stamp = DATA / f"{name}.version"
    if stamp.is_file() and stamp.read_text() == str(_VERSION):
        return base
    say(f"Making {base.relative_to(ROOT)} …")
    shutil.rmtree(base, ignore_errors=True)
    chance = np.random.default_rng(_SEED)
    for run in range(runs):
        directory = base / run_name(run)
        directory.mkdir(parents=True)
        write(directory, OPENED + run, *_draw(chance))
    stamp.write_text(str(_VERSION))
    return base


def _draw(chance: np.random.Generator) -> tuple[Noted, Noted]:
    """Returns parameters and results of one run: of eight parameters a tenth of the runs has none."""
    rates = 10 ** chance.uniform(-5, -1, NUMBERS)
    noted: Noted = {f"rate_{at:02d}": float(f"{rate:.4g}") for at, rate in enumerate(rates)}
    for at, choice in enumerate(chance.integers(0, len(OPTIMIZERS), CATEGORIES)):
        if chance.random() > 0.1:
            noted[f"choice_{at}"] = OPTIMIZERS[choice]
    quality = -float(np.abs(np.log10(rates[:3]) + 3).mean()) / 2
    noise = chance.normal(0, 0.05, METRICS)
    return noted, {f"score_{at}/accuracy": float(np.exp(quality + noise[at])) for at in range(METRICS)}


def _write_lineage(directory: Path, wall: float, noted: Noted, results: Noted) -> None:
    events = (user_event(wall, None, noted), evaluation_event(wall + 60, None, results))
    path = directory / f"events.out.events.summary.{int(wall)}.0.host_lineage"
    path.write_bytes(b"".join(frame(event.SerializeToString()) for event in events))


def _write_hparams(directory: Path, wall: float, noted: Noted, results: Noted) -> None:
    head = Event(wall_time=wall, file_version="brain.Event:2")
    experiment = HParamsPluginData()
    # Those that this run lacks, too: TensorBoard goes by what the first run says.
    for at in range(CATEGORIES):
        experiment.experiment.hparam_infos.add(name=f"choice_{at}", type="DATA_TYPE_STRING")
    for at in range(NUMBERS):
        experiment.experiment.hparam_infos.add(name=f"rate_{at:02d}", type="DATA_TYPE_FLOAT64")
    for tag in results:
        experiment.experiment.metric_infos.add(name=MetricInfo.Name(tag=tag))
    start, end = HParamsPluginData(), HParamsPluginData()
    start.session_start_info.start_time_secs = wall
    for name, value in noted.items():
        if isinstance(value, str):
            start.session_start_info.hparams[name].string_value = value
        else:
            start.session_start_info.hparams[name].number_value = value
    end.session_end_info.end_time_secs = wall + 60
    end.session_end_info.status = SessionEndInfo.STATUS_SUCCESS
    events = [head, *_hparams_events(wall, experiment=experiment, session_start_info=start, session_end_info=end)]
    for tag, result in results.items():
        events.append(Event(wall_time=wall + 60, step=1))
        events[-1].summary.value.add(tag=tag, simple_value=result)
    path = directory / f"events.out.tfevents.{int(wall)}.host.1.0"
    path.write_bytes(b"".join(frame(event.SerializeToString()) for event in events))


def _hparams_events(wall: float, **parts: HParamsPluginData) -> Iterator[Event]:
    for name, part in parts.items():
        event = Event(wall_time=wall)
        value = event.summary.value.add(tag=f"_hparams_/{name}")
        value.metadata.plugin_data.plugin_name = "hparams"
        value.metadata.plugin_data.content = part.SerializeToString()
        value.tensor.dtype = DT_FLOAT
        value.tensor.tensor_shape.SetInParent()
        value.tensor.float_val.append(0.0)
        yield event
