"""Whole models: training steps of each network of the zoo in both modes, compared with PyTorch if that takes a few
lines, and the cost of recording a training.

Each library uses one thread (OMP_NUM_THREADS=1); the table gives the width of the networks. Each library runs each
model in a separate process, in turn, three times; a figure is the median. The collector's cost is that of a training of
LeNet-5 at batch 256 in graph mode, with alternating blocks with and without `SummaryCollector` at its default
settings.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.framework import TORCH, times_of
from benchmarks.measuring.environments import ROOT, plain_variables, torch_python
from benchmarks.measuring.figures import Figure, Measurement, Options, median, run, say

CASES = {
    "lenet": ("LeNet-5, 64 pictures of 32 x 32", 64),
    "alexnet": ("AlexNet, a quarter as wide, 8 pictures of 227 x 227", 8),
    "resnet18": ("ResNet-18, width 16, 16 pictures of 32 x 32", 16),
    "resnet50": ("ResNet-50, width 16, 8 pictures of 32 x 32", 8),
    "lstm": ("LSTM classifier, width 64, 16 texts of 32 tokens", 16),
    "bert": ("BERT, 2 layers of 128, 8 texts of 64 tokens", 8),
    "gpt": ("GPT, 2 layers of 128, 8 texts of 64 tokens", 8),
}
QUICK = ("lenet", "lstm")
MOST_COST_PERCENT = 5.0
MOST_SECONDS = 60.0
"""A library that needs longer for one model, compiling included, is asked no further."""


def measuring(case: str) -> Measurement:
    """What measures one model: its figures are told as soon as it is done, and its failure is its own."""

    def measure(options: Options) -> list[Figure]:
        return measure_model(case, options)

    return measure


def measure_model(case: str, options: Options) -> list[Figure]:
    """Samples per second of a model in both modes, and of PyTorch's."""
    if options.quick and case not in QUICK and options.only is None:
        return []
    say(f"{case} …")
    ours, theirs = Path(sys.executable), torch_python()
    seconds = 0.3 if options.quick else 1.0
    contenders = {"graph": (ours, "models_ours", "graph"), "pynative": (ours, "models_ours", "pynative")}
    if theirs is not None:
        contenders[TORCH] = (theirs, "models_torch", "-")
    rounds: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(options.times(3, 1)):
        for name, (python, script, mode) in list(contenders.items()):
            try:
                times = times_of(python, script, mode, seconds, [case], MOST_SECONDS)
            except subprocess.TimeoutExpired:
                say(f"{case} by {name} was not done in {MOST_SECONDS:.0f} s")
                del contenders[name]
                continue
            rounds[name] += [CASES[case][1] / times[case] * 1e6] if case in times else []
    peers = (median(rounds[TORCH]), TORCH) if rounds.get(TORCH) else (None, "")
    return [
        Figure(
            f"{case}_{mode}",
            f"{CASES[case][0]}, a train step, {mode}",
            "samples/s",
            median(rounds[mode]),
            None,
            *peers,
            more_is_better=True,
        )
        for mode in ("graph", "pynative")
        if rounds[mode]
    ]


def measure_collector(options: Options) -> list[Figure]:
    """What recording costs, in percent of the time of a step."""
    say("collector …")
    blocks, steps = options.times(41, 4), options.times(100, 50)
    script = ROOT / "benchmarks" / "measuring" / "collector_cost.py"
    variables = plain_variables(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", OMP_WAIT_POLICY="PASSIVE")
    command = [sys.executable, str(script), str(blocks), str(steps)]
    found = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=variables).stdout)
    # Each block with the collector beside the one without that follows it: the machine is the same for both.
    costs = [(one / other - 1) * 100 for one, other in zip(found["with"], found["without"], strict=True)]
    what = f"SummaryCollector at its default settings, LeNet-5 at batch 256, {(blocks - 1) * steps} steps each"
    return [Figure("collector_cost", what, "% of a step", median(costs), MOST_COST_PERCENT)]


MEASUREMENTS: dict[Measurement, Sequence[str]] = {
    **{measuring(case): (f"{case}_graph", f"{case}_pynative") for case in CASES},
    measure_collector: ["collector_cost"],
}

if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    sys.exit(run(__doc__.splitlines()[0], MEASUREMENTS))
