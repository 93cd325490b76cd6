"""The training core compared with PyTorch and numpy: time per step or call, in graph mode and in PyNative mode.

Each library uses one thread (OMP_NUM_THREADS=1) unless stated otherwise; some cases use two as well. Each library runs
all cases in a separate process, in turn, several times; a figure is the median of the processes' medians. Twelve
warm-up calls do not count. MindSpore 2.10 is quoted from an earlier measurement with two threads on a machine of the
same kind.

The first step is that of a new process, starting with the construction of the network: cold with an empty cache of
kernels, warm right after. Memory is the peak of the first steps minus the resident size before. Libraries are loaded
before: by PyTorch when it is imported, here when graph mode is selected.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

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
    "chain_1M_grad": "12 element-wise operators on 1 Mi floats with gradient",
    "chain_10M": "12 element-wise operators on 10 Mi floats",
    "chain_10M_grad": "12 element-wise operators on 10 Mi floats with gradient",
    "loop64": "while of 64 rounds of tanh(x @ w)",
    "loop64_grad": "while of 64 rounds of tanh(x @ w) with gradient",
    "lstm64": "LSTM by hand, 64 steps, with gradient",
    "add8": "an addition of 8 floats, one call",
    "chain20_grad": "20 additions of 8 floats with gradient",
    "lenet_sunk": "LeNet-5, a step of 100 sunk ones, Python around the program",
    "add8_recorded": "an addition of 8 floats that is recorded for a gradient",
}
SLOW = ("lenet256", "lstm64", "resnet18", "tblock", "chain_10M", "chain_10M_grad")
TWO_THREADS = (
    *("lenet32", "lenet256", "mlp128", "resnet18", "mlp_tiny", "tblock"),
    *("chain_1M_grad", "chain_10M_grad", "loop64_grad", "lstm64"),
)
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
    "chain_10M": (42.8, 100.0),
    "chain_10M_grad": (144.0, 476.0),
    "loop64": (3.79, 96.8),
    "loop64_grad": (13.5, 679.0),
    "lstm64": (47.9, 2349.0),
    "add8": (0.102, 0.0201),
}
# By case and mode: how many times less than which peer it should take.
TIMES_LESS = {
    ("lenet32", "graph"): {TORCH: 1.8, MINDSPORE: 10.0},
    ("lenet256", "graph"): {TORCH: 1.5, MINDSPORE: 10.0},
    ("lenet32", "pynative"): {TORCH: 1.0},
    ("lenet256", "pynative"): {TORCH: 1.0},
    ("mlp128", "graph"): {TORCH: 1.2},
    ("resnet18", "graph"): {TORCH: 1.0},
    ("tblock", "graph"): {TORCH: 1.0},
    ("mlp_tiny", "graph"): {TORCH: 15.0},
    ("chain_1M_grad", "graph"): {TORCH: 8.0, COMPILED: 1.0, MINDSPORE: 4.0},
    ("chain_10M_grad", "graph"): {TORCH: 8.0, MINDSPORE: 4.0},
    ("loop64_grad", "graph"): {TORCH: 2.0, MINDSPORE: 2.0},
    ("lstm64", "graph"): {TORCH: 2.0, MINDSPORE: 2.0},
    ("chain20_grad", "pynative"): {TORCH: 2.5},
}
HALVES = ("float16", "bfloat16")
# How many times as long as in Float32 a product of 16 bits may take.
MOST_OF_FLOAT32 = 2.0
# Microseconds with one thread; its CPU kernels multiply no bfloat16.
PRODUCTS_OF_MINDSPORE = {"product_float32": 10_300.0, "product_float16": 22_800.0}
COLD_TARGET_US, WARM_TARGET_US = 2e6, 5e5
# Where kernels are kept.
KERNEL_CACHE = "MS_COMPILER_CACHE_PATH"
# Of what no peer has, or what is to be reached whatever peers take.
OWN_TARGETS_US = {"lenet_sunk": 20.0, "add8_recorded": 0.7}


def times_of(
    python: Path,
    script: str,
    mode: str,
    seconds: float,
    cases: Sequence[str],
    most_seconds: float | None = None,
    threads: int = 1,
    **variables_besides: str,
) -> dict[str, float]:
    """Microseconds by case, measured in a process of its own, which is killed where it needs longer than is allowed."""
    say(f"{script.removeprefix('framework_')} {mode}, {threads} thread{'s' if threads > 1 else ''} …")
    command = [str(python), str(ROOT / "benchmarks" / "measuring" / f"{script}.py"), mode, str(seconds), *cases]
    count = str(threads)
    variables = plain_variables(
        OMP_NUM_THREADS=count, OPENBLAS_NUM_THREADS=count, OMP_WAIT_POLICY="PASSIVE", **variables_besides
    )
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
                Figure(f"{case}_{mode}_{PEERS[peer]}", what, "µs", own, target(case, mode, peer, time), time, peer)
                for peer, time in peers.items()
                if time is not None
            ]
            if case in RECORDED:
                recorded = RECORDED[case][place] * 1000
                aim = target(case, mode, MINDSPORE, recorded)
                name = f"{case}_{mode}_mindspore"
                figures.append(Figure(name, what, "µs", own, aim, recorded, MINDSPORE, peer_recorded=True))
    return figures


def target(case: str, mode: str, peer: str, time: float) -> float | None:
    """What ours should take at most where a peer takes so long; None where nothing was promised."""
    times_less = TIMES_LESS.get((case, mode), {}).get(peer)
    return None if times_less is None else time / times_less


def measure_two_threads(options: Options) -> list[Figure]:
    """The cases with work for two threads, in graph mode, with two threads."""
    theirs = torch_python()
    cases = [name for name in TWO_THREADS if not (options.quick and name in SLOW)]
    if options.only is not None:
        cases = [name for name in cases if options.only == f"{name}_graph_2_threads"]
    if theirs is None:
        return []
    seconds, rounds = (0.2 if options.quick else 1.0), options.times(3, 1)
    ours, peers = [], []
    for _ in range(rounds):
        ours.append(times_of(Path(sys.executable), "framework_ours", "graph", seconds, cases, threads=2))
        peers.append(times_of(theirs, "framework_torch", "eager", seconds, cases, threads=2))

    def figure(case: str) -> Figure:
        own, peer = (median([times[case] for times in side]) for side in (ours, peers))
        what = f"{CASES[case]}, graph, two threads"
        return Figure(f"{case}_graph_2_threads", what, "µs", own, target(case, "graph", TORCH, peer), peer, TORCH)

    return [figure(case) for case in cases]


def measure_first_step(options: Options) -> list[Figure]:
    """LeNet-5's first steps in new processes: with an empty cache of kernels, with a full one, and torch's."""
    theirs = torch_python()
    cold, warm, peers = [], [], []
    for _ in range(options.times(5, 2)):
        with TemporaryDirectory() as cache:
            for found in (cold, warm):
                found.append(
                    times_of(Path(sys.executable), "framework_ours", "graph", 0.0, ["lenet32"], **{KERNEL_CACHE: cache})
                )
        if theirs is not None:
            peers.append(times_of(theirs, "framework_torch", "eager", 0.0, ["lenet32"]))

    def of(found: Sequence[dict[str, float]], what: str) -> float:
        return median([times[what] for times in found])

    first = (of(peers, "lenet32_first"), TORCH) if peers else (None, "")
    rise = (of(peers, "lenet32_rise"), TORCH) if peers else (None, "")
    peak = (of(peers, "lenet32_peak"), TORCH) if peers else (None, "")
    what = "LeNet-5's first train step in graph mode"
    ours = of(cold, "lenet32_first"), of(warm, "lenet32_first"), of(warm, "lenet32_rise")
    return [
        Figure("lenet32_first_graph", f"{what}, no kernel cached", "µs", ours[0], COLD_TARGET_US, *first),
        Figure("lenet32_first_graph_warm", f"{what}, kernels cached", "µs", ours[1], WARM_TARGET_US, *first),
        Figure("lenet32_rise_graph", "LeNet-5's first train steps: rise of memory", "MB", ours[2], rise[0], *rise),
        Figure("lenet32_peak_graph", "the same: the whole process", "MB", of(warm, "lenet32_peak"), None, *peak),
    ]


def measure_halves(options: Options) -> list[Figure]:
    """A product of matrices of 16 bits beside that of Float32: it is computed in Float32 and rounded once."""
    theirs, seconds = torch_python(), 0.2 if options.quick else 1.0
    cases = [f"product_{kind}" for kind in ("float32", *HALVES)]
    ours, peers = [], []
    for _ in range(options.times(3, 1)):
        ours.append(times_of(Path(sys.executable), "framework_ours", "graph", seconds, cases))
        if theirs is not None:
            peers.append(times_of(theirs, "framework_torch", "eager", seconds, cases))
    figures = []
    for case in cases:
        what = f"640 x 512 by 512 x 1024 in {case.removeprefix('product_')}, graph"
        own, wide = (median([times[name] for times in ours]) for name in (case, cases[0]))
        peer = (median([times[case] for times in peers]), TORCH) if peers else (None, "")
        figures.append(Figure(case, what, "µs", own, None if case == cases[0] else MOST_OF_FLOAT32 * wide, *peer))
        if case != cases[0]:
            figures.append(Figure(f"{case}_ratio", f"{what}: times that of float32", "x", own / wide, MOST_OF_FLOAT32))
        if case in PRODUCTS_OF_MINDSPORE:
            recorded = PRODUCTS_OF_MINDSPORE[case]
            figures.append(Figure(f"{case}_mindspore", what, "µs", own, None, recorded, MINDSPORE, peer_recorded=True))
    return figures


def measure_split(options: Options) -> list[Figure]:
    """A compiled step that is cut where it reads the loss: beside the same line by line, and one that reads nothing."""
    ways, seconds = ("split", "lines", "whole"), 0.2 if options.quick else 1.0
    found = [
        times_of(Path(sys.executable), "framework_ours", "pynative", seconds, [f"lenet_{way}" for way in ways])
        for _ in range(options.times(3, 1))
    ]
    split, lines, whole = (median([times[f"lenet_{way}"] for times in found]) for way in ways)
    what = "LeNet-5, an own step of 32 images that reads its loss as numpy, under jit"
    return [
        Figure("lenet_split_lines", what, "µs", split, lines, lines, "line by line"),
        Figure("lenet_split_whole", what, "µs", split, None, whole, "compiled as a whole, reading nothing"),
    ]


def names() -> list[str]:
    """The names of the figures of all cases."""
    found = [
        f"{case}_{mode}_{peer}"
        for case in CASES
        for mode in ("graph", "pynative")
        for peer in (*PEERS.values(), "mindspore")
    ]
    return [*found, "lenet_sunk_graph", "add8_recorded_pynative"]


MEASUREMENTS: dict[Measurement, Sequence[str]] = {
    measure_cases: names(),
    measure_two_threads: [f"{case}_graph_2_threads" for case in TWO_THREADS],
    measure_halves: [
        *(f"product_{kind}" for kind in ("float32", *HALVES)),
        *(f"product_{kind}_ratio" for kind in HALVES),
        *(f"{case}_mindspore" for case in PRODUCTS_OF_MINDSPORE),
    ],
    measure_split: ("lenet_split_lines", "lenet_split_whole"),
    measure_first_step: tuple(
        f"lenet32_{what}" for what in ("first_graph", "first_graph_warm", "rise_graph", "peak_graph")
    ),
}

if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    sys.exit(run(__doc__.splitlines()[0], MEASUREMENTS))
