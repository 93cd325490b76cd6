"""Whole models: training steps of each network of the zoo in both modes, beside PyTorch where the same is a few lines,
and what recording a training costs.

One thread each (OMP_NUM_THREADS=1); networks are as narrow as the table says. Each library runs in a process of its
own, in turn, several times over; a figure is the median. The collector's cost is that of one training of LeNet-5 at
batch 256 in graph mode, in blocks with `SummaryCollector` at its default settings and without, in turn.
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


def measure_models(options: Options) -> list[Figure]:
    """Samples per second of each model."""
    cases = [name for name in CASES if not options.quick or name in QUICK]
    if options.only is not None:
        cases = [name for name in cases if options.only.startswith(f"{name}_")] or cases
    ours, theirs = Path(sys.executable), torch_python()
    seconds = 0.3 if options.quick else 1.5
    contenders = {"graph": (ours, "models_ours", "graph"), "pynative": (ours, "models_ours", "pynative")}
    if theirs is not None:
        contenders[TORCH] = (theirs, "models_torch", "-")
    rounds: dict[str, list[dict[str, float]]] = {name: [] for name in contenders}
    for _ in range(options.times(3, 1)):
        for name, (python, script, mode) in contenders.items():
            rounds[name].append(times_of(python, script, mode, seconds, cases))

    def speed(name: str, case: str) -> float | None:
        found = [times[case] for times in rounds.get(name, ()) if case in times]
        return CASES[case][1] / median(found) * 1e6 if found else None

    figures: list[Figure] = []
    for case in cases:
        for mode in ("graph", "pynative"):
            own = speed(mode, case)
            assert own is not None
            what, peer = f"{CASES[case][0]}, a train step, {mode}", speed(TORCH, case)
            peers = (peer, TORCH) if peer is not None else (None, "")
            figures.append(Figure(f"{case}_{mode}", what, "samples/s", own, None, *peers, more_is_better=True))
    return figures


def measure_collector(options: Options) -> list[Figure]:
    """What recording costs, in percent of the time of a step."""
    say("collector …")
    blocks, steps = options.times(12, 4), options.times(100, 50)
    script = ROOT / "benchmarks" / "measuring" / "collector_cost.py"
    variables = plain_variables(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", OMP_WAIT_POLICY="PASSIVE")
    command = [sys.executable, str(script), str(blocks), str(steps)]
    found = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=variables).stdout)
    # Each block with the collector beside the one without that follows it: the machine is the same for both.
    costs = [(one / other - 1) * 100 for one, other in zip(found["with"], found["without"], strict=True)]
    what = f"SummaryCollector at its default settings, LeNet-5 at batch 256, {(blocks - 1) * steps} steps each"
    return [Figure("collector_cost", what, "% of a step", median(costs), MOST_COST_PERCENT)]


MEASUREMENTS: dict[Measurement, Sequence[str]] = {
    measure_models: [f"{case}_{mode}" for case in CASES for mode in ("graph", "pynative")],
    measure_collector: ["collector_cost"],
}

if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    sys.exit(run(__doc__.splitlines()[0], MEASUREMENTS))
