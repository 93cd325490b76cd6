"""Training steps of models of mindcv, unmodified, on our core, compared with the same models of timm on PyTorch.

Each model runs at three sizes of batch and pictures, in graph mode, with one thread (OMP_NUM_THREADS=1). Each library
runs each model in a separate process, in turn, three times; a figure is the median of the fastest steps.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.framework import times_of
from benchmarks.measuring.environments import mindcv_folder, timm_python
from benchmarks.measuring.figures import Figure, Measurement, Options, median, run, say

#: Names in mindcv, and in timm.
MODELS = {
    "resnet18": "resnet18",
    "mobilenet_v2_035_128": "mobilenetv2_035",
    "mobilenet_v3_small_075": "mobilenetv3_small_075",
    "densenet121": "densenet121",
    "efficientnet_b0": "efficientnet_b0",
    "mnasnet_050": "mnasnet_050",
    "regnet_x_200mf": "regnetx_002",
    "convnextv2_atto": "convnextv2_atto",
    "poolformer_s12": "poolformer_s12",
    "pvt_v2_b0": "pvt_v2_b0",
}
SIZES = ((2, 64), (16, 64), (2, 224))
QUICK = ("resnet18", "mnasnet_050")
TIMM = "timm 1.0, PyTorch 2.14"
MOST_SECONDS = 120.0


def measuring(model: str) -> Measurement:
    """What measures one model: its figures are told as soon as it is done, and its failure is its own."""

    def measure(options: Options) -> list[Figure]:
        return measure_model(model, options)

    return measure


def measure_model(model: str, options: Options) -> list[Figure]:
    """Milliseconds per training step of a model, and those of timm's."""
    folder, theirs = mindcv_folder(), timm_python()
    if folder is None or (options.quick and model not in QUICK and options.only is None):
        return []
    figures = []
    for batch, side in SIZES[:1] if options.quick else SIZES:
        sizes = [str(batch), str(side)]
        contenders = {"ours": (Path(sys.executable), "mindcv_ours", "graph", [model, *sizes, str(folder)])}
        if theirs is not None:
            contenders[TIMM] = (theirs, "mindcv_timm", "-", [MODELS[model], *sizes])
        rounds: dict[str, list[float]] = {name: [] for name in contenders}
        for _ in range(options.times(3, 1)):
            for name, (python, script, mode, given) in contenders.items():
                try:
                    found = times_of(python, script, mode, 0.3 if options.quick else 1.0, given, MOST_SECONDS)
                except subprocess.TimeoutExpired:
                    say(f"{model} by {name} was not done in {MOST_SECONDS:.0f} s")
                    continue
                rounds[name] += [time / 1e3 for time in found.values()]
        peer = (median(rounds[TIMM]), TIMM) if rounds.get(TIMM) else (None, "")
        what = f"{model}, {batch} pictures of {side} x {side}, a train step, graph"
        if rounds["ours"]:
            figures.append(Figure(f"{model}_{batch}_{side}", what, "ms", median(rounds["ours"]), None, *peer))
    return figures


MEASUREMENTS: dict[Measurement, Sequence[str]] = {
    measuring(model): [f"{model}_{batch}_{side}" for batch, side in SIZES] for model in MODELS
}

if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    sys.exit(run(__doc__.splitlines()[0], MEASUREMENTS))
