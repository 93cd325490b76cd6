"""What `mindinsight.torch.watch` costs a training of PyTorch, as a ratio to the training alone.

Blocks with and without it alternate in one process, of one thread; a figure is the median of the ratios of neighbouring
blocks in CPU time, threads of the writer and the link included. Beside the watchpoints stands PyTorch's anomaly mode.

*Armed* has all recommended watchpoints: of weights, gradients and activations. Steps that are recorded whole for the
history of tensors are frequent at the beginning, and one in 64 later, so short blocks have more of them.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.framework import TORCH
from benchmarks.measuring.environments import ROOT, plain_variables
from benchmarks.measuring.figures import Figure, Measurement, Options, median, run, say
from tools.test_adapters import environment

#: What each model is, the rounds, and the steps of a block.
CASES = {
    "lenet": ("LeNet-5, 32 pictures", 5, 100),
    "resnet18": ("ResNet-18 of width 32, 16 pictures of 32 x 32", 3, 16),
    "transformer": ("a transformer of 4 layers of 128, 16 x 64", 3, 8),
}
WAYS = {
    "idle": ("a dashboard listens", 1.02),
    "defaults": ("recorded with the default settings", 1.03),
    "armed": ("the recommended watchpoints armed", 1.3),
    "observed": ("all operators observed", 1.5),
}
LENETS_DEFAULTS = 1.05


def measuring(case: str) -> Measurement:
    """What measures one model."""

    def measure(options: Options) -> list[Figure]:
        return measure_case(case, options)

    return measure


def measure_case(case: str, options: Options) -> list[Figure]:
    """The ratios of one model."""
    if options.quick and case != "lenet" and options.only is None:
        return []
    say(f"{case} …")
    what, rounds, steps = CASES[case]
    script = ROOT / "benchmarks" / "measuring" / "adapters_torch.py"
    command = [
        str(environment()),
        str(script),
        case,
        str(options.times(rounds, 3)),
        str(options.times(steps, steps // 4)),
    ]
    variables = plain_variables(OMP_NUM_THREADS="1", PYTHONPATH=str(ROOT))
    found = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=variables).stdout)
    ratios = {name: median([watched / bare for watched, bare in pairs]) for name, pairs in found.items()}
    figures = []
    for way, (how, target) in WAYS.items():
        most = LENETS_DEFAULTS if (case, way) == ("lenet", "defaults") else target
        peer = (ratios["anomaly"], f"{TORCH}, anomaly mode") if way == "armed" else (None, "")
        figures.append(Figure(f"{case}_{way}", f"{what}: {how}", "x the step alone", ratios[way], most, *peer))
    return figures


MEASUREMENTS = {measuring(case): [f"{case}_{way}" for way in WAYS] for case in CASES}

if __name__ == "__main__":
    sys.exit(run(__doc__.splitlines()[0], MEASUREMENTS))
