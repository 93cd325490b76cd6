"""The training core against PyTorch and numpy: time per step or call, in graph mode and in PyNative mode.

One thread each (OMP_NUM_THREADS=1). Each library runs all cases in a process of its own, in turn, several times over; a
figure is the median of the processes' medians. Two calls before count for nothing; the first one is shown by itself.
MindSpore 2.10 is quoted from an earlier measurement with two threads on a machine of the same kind.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.measuring.environments import ROOT, plain_variables, torch_python
from benchmarks.measuring.figures import Figure, Measurement, Options, median, run, say

TORCH, COMPILED, NUMPY, MINDSPORE = "PyTorch 2.13", "torch.compile 2.13", "numpy", "MindSpore 2.10"
PEERS = {TORCH: "torch", COMPILED: "compiled", NUMPY: "numpy"}
CASES = {
    "lenet32": "LeNet-5, a train step of 32 images",
    "lenet256": "LeNet-5, a train step of 256 images",
    "mlp128": "784-512-256-10, a train step of 128 rows",
    "resnet18": "ResNet-18 for pictures of 32 x 32, a train step of 32",
    "mlp_tiny": "16-16-16-10, a train step of 32 rows",
    "tblock": "transformer block, a train step",
    "chain_1M": "12 element-wise operators on 1 Mi floats",
    "chain_1M_grad": "the same with gradient",
    "loop64": "while of 64 rounds of tanh(x @ w)",
    "loop64_grad": "the same with gradient",
    "lstm64": "LSTM by hand, 64 steps, with gradient",
    "add8": "an addition of 8 floats, one call",
    "chain20_grad": "20 additions of 8 floats with gradient",
    "lenet_sunk": "LeNet-5, a step of 100 sunk ones, Python around the program",
    "add8_recorded": "an addition of 8 floats that is recorded for a gradient",
}
SLOW = ("lenet256", "lstm64", "resnet18", "tblock")
# torch.compile takes seconds to minutes for others.
WITH_COMPILE = ("mlp128", "chain_1M", "chain_1M_grad")
# Milliseconds in graph mode and in PyNative mode, medians.
RECORDED = {
    "lenet32": (63.4, 176.0),
    "lenet256": (456.0, 1201.0),
    "mlp128": (5.02, 22.6),
    "tblock": (114.0, 231.0),
    "chain_1M": (3.68, 24.7),
    "chain_1M_grad": (9.6, 44.8),
    "loop64": (3.79, 96.8),
    "loop64_grad": (13.5, 679.0),
    "lstm64": (47.9, 2349.0),
    "add8": (0.102, 0.0201),
}
FIRST_TARGET_US = 3e6
# Of what no peer has, or what is to be reached whatever peers take.
OWN_TARGETS_US = {"lenet_sunk": 20.0, "add8_recorded": 0.7}


def times_of(
    python: Path, script: str, mode: str, seconds: float, cases: Sequence[str], most_seconds: float | None = None
) -> dict[str, float]:
    """Microseconds by case, measured in a process of its own, which is killed where it needs longer than is allowed."""
    say(f"{script.removeprefix('framework_')} {mode} …")
    command = [str(python), str(ROOT / "benchmarks" / "measuring" / f"{script}.py"), mode, str(seconds), *cases]
    variables = plain_variables(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", OMP_WAIT_POLICY="PASSIVE")
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=variables, timeout=most_seconds)
    return dict(json.loads(done.stdout))


def measure_cases(options: Options) -> list[Figure]:
    """Times the cases, library after library, and again."""
    cases = [name for name in CASES if not (options.quick and name in SLOW)]
    if options.only is not None:
        cases = [name for name in cases if options.only.startswith(f"{name}_")] or cases
    ours, theirs = Path(sys.executable), torch_python()
    seconds = 0.2 if options.quick else 1.0
    contenders = {
        "graph": (ours, "framework_ours", "graph", cases),
        "pynative": (ours, "framework_ours", "pynative", cases),
        NUMPY: (ours, "framework_numpy", "-", cases),
    }
    if theirs is not None:
        contenders[TORCH] = (theirs, "framework_torch", "eager", cases)
        compilable = [name for name in cases if name in WITH_COMPILE and not options.quick]
        if compilable:
            contenders[COMPILED] = (theirs, "framework_torch", "compile", compilable)
    rounds: dict[str, list[dict[str, float]]] = {name: [] for name in contenders}
    for _ in range(options.times(3, 1)):
        for name, (python, script, mode, wanted) in contenders.items():
            rounds[name].append(times_of(python, script, mode, seconds, wanted))

    def of(name: str, case: str) -> float | None:
        found = [times[case] for times in rounds.get(name, ()) if case in times]
        return median(found) if found else None

    figures: list[Figure] = []
    for case in cases:
        for place, mode in enumerate(("graph", "pynative")):
            what, own = f"{CASES[case]}, {mode}", of(mode, case)
            if own is None:
                continue
            if case in OWN_TARGETS_US:
                figures.append(Figure(f"{case}_{mode}", what, "µs", own, OWN_TARGETS_US[case]))
            peers = {peer: of(peer, case) for peer in PEERS}
            figures += [
                Figure(f"{case}_{mode}_{PEERS[peer]}", what, "µs", own, None, time, peer)
                for peer, time in peers.items()
                if time is not None
            ]
            if case in RECORDED:
                recorded = RECORDED[case][place] * 1000
                name = f"{case}_{mode}_mindspore"
                figures.append(Figure(name, what, "µs", own, None, recorded, MINDSPORE, peer_recorded=True))
    first = of("graph", "lenet32_first")
    if first is not None:
        peer = (of(TORCH, "lenet32_first"), TORCH) if TORCH in rounds else (None, "")
        what = "LeNet-5's first train step in graph mode: parse to first result"
        figures.append(Figure("lenet32_first_graph", what, "µs", first, FIRST_TARGET_US, *peer))
    return figures


def names() -> list[str]:
    """The names of all figures."""
    found = [
        f"{case}_{mode}_{peer}"
        for case in CASES
        for mode in ("graph", "pynative")
        for peer in (*PEERS.values(), "mindspore")
    ]
    return [*found, "lenet_sunk_graph", "add8_recorded_pynative", "lenet32_first_graph"]


MEASUREMENTS: dict[Measurement, Sequence[str]] = {measure_cases: names()}

if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    sys.exit(run(__doc__.splitlines()[0], MEASUREMENTS))
