"""How well importance finds what mattered: known functions of eight parameters, 200 runs, 10 % of the variance noise.

*Right order* counts the seeds in which no two parameters whose known shares are 0.02 or more apart are in the wrong
order: Sobol's total indices of the function itself, in which no forest is. *Covered* is the share of intervals that
hold the truth: the same estimator on 100,000 runs; of parameters that matter and of the others apart. *Known* is the
same of the known shares, which a forest of 200 runs may not have found yet.

Everything runs in the product's code; time and memory are those of the process that the worker starts, with import and
start.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.measuring.environments import ROOT
from benchmarks.measuring.figures import Figure, Measurement, Options, run, say
from benchmarks.measuring.known_effects import FUNCTIONS, TRUTH_RUNS, known_shares, made
from mindinsight.lineage.importance.fits import Size
from mindinsight.lineage.importance.orders import Categories, Numbers, Order
from mindinsight.lineage.importance.study import study

RUNS, SEEDS, QUICK_SEEDS = 200, 50, 3
APART = 0.02
MATTERS = 0.01
TRUTH = Size(trees=100, halves=2, half_trees=2, repeats=1, judged=4000)
RIGHT_OF_50, COVERED, SECONDS = 48, 90.0, 10.0


def measure_order(options: Options) -> list[Figure]:
    """Seeds and coverage of each function."""
    figures, inside, asked = [], 0, 0
    known_inside, known_asked = 0, 0
    for name, function in FUNCTIONS.items():
        if not options.wants(f"order_{name}", f"covered_{name}", "covered", "known"):
            continue
        seeds = QUICK_SEEDS if options.quick else SEEDS
        say(f"{name}: the truth from {TRUTH_RUNS:,} runs …")
        truth = shares(study(*made(name, TRUTH_RUNS, 1_000_000), size=TRUTH))
        known = known_shares(name)
        right, held, held_known = 0, [], []
        for seed in range(seeds):
            found = study(*made(name, RUNS, seed), seed=seed)
            right += in_order(shares(found), known)
            held_known += [
                row["low"] <= known[row["name"]] <= row["high"]
                for row in found["parameters"]
                if known[row["name"]] >= MATTERS
            ]
            held += [
                (truth[row["name"]] >= MATTERS, row["low"] <= truth[row["name"]] <= row["high"])
                for row in found["parameters"]
            ]
        of_effects = [holds for matters, holds in held if matters]
        inside, asked = inside + sum(holds for _, holds in held), asked + len(held)
        known_inside, known_asked = known_inside + sum(held_known), known_asked + len(held_known)
        say(f"  known {rounded(known)}; the estimator on {TRUTH_RUNS:,} runs {rounded(truth)}")
        say(f"  right order in {right} of {seeds}; covered {sum(of_effects)} of {len(of_effects)} effects")
        if held_known:
            say(f"  known {sum(held_known)} of {len(held_known)}")
        least = RIGHT_OF_50 * seeds // SEEDS
        if function.matters:
            what = f"{function.what}: right order, of {seeds} seeds"
            figures.append(Figure(f"order_{name}", what, "", right, least, more_is_better=True))
        share = of_effects or [holds for _, holds in held]
        what = f"{function.what}: intervals that hold the truth, of {len(share)}"
        figures.append(
            Figure(f"covered_{name}", what, "%", 100 * sum(share) / len(share), COVERED, more_is_better=True)
        )
    if asked:
        what = f"all functions and parameters: intervals that hold the truth, of {asked}"
        figures.append(Figure("covered", what, "%", 100 * inside / asked, COVERED, more_is_better=True))
    if known_asked:
        what = f"parameters that matter: intervals that hold the known share, of {known_asked}"
        figures.append(Figure("known", what, "%", 100 * known_inside / known_asked, more_is_better=True))
    return figures


def shares(found: dict[str, Any]) -> dict[str, float]:
    """Importance by parameter."""
    return {row["name"]: row["importance"] for row in found["parameters"]}


def rounded(of: dict[str, float]) -> dict[str, float]:
    """The same with three digits."""
    return {name: round(share, 3) for name, share in sorted(of.items())}


def in_order(found: dict[str, float], truth: dict[str, float]) -> bool:
    """Whether parameters that are apart in truth are in the same order."""
    return all(found[more] > found[less] for more in truth for less in truth if truth[more] - truth[less] >= APART)


def measure_large(options: Options) -> list[Figure]:
    """10,000 runs of 40 parameters, as the worker asks for them."""
    del options
    order = large(10_000, 40)
    seconds = []
    for _ in range(3):
        with tempfile.TemporaryDirectory() as directory:
            path = Path(directory) / "order.npz"
            order.write(path)
            began = time.perf_counter()
            command = [sys.executable, "-m", "mindinsight.lineage.importance", str(path)]
            subprocess.run(command, stdout=subprocess.DEVNULL, check=True, cwd=ROOT)
            seconds.append(time.perf_counter() - began)
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    return [
        Figure("large", "10,000 runs of 40 parameters: time in the worker", "s", float(np.median(seconds)), SECONDS),
        Figure("large_memory", "10,000 runs of 40 parameters: memory while it computes", "MB", peak),
    ]


def large(runs: int, columns: int) -> Order:
    """A sweep: numbers, some on a log scale, choices, and some that not every run has."""
    rng = np.random.default_rng(0)
    parameters: list[Numbers | Categories] = []
    total = rng.normal(size=runs)
    for place in range(columns):
        spread = rng.uniform(-1, 1, runs)
        total += 2 * np.cos(3 * spread) / (1 + place)
        match place % 4:
            case 0:
                parameters.append(Numbers(f"p{place}", 10 ** (3 * spread)))
            case 1:
                choices = np.digitize(spread, [-0.3, 0.3]).astype(np.int32)
                parameters.append(Categories(f"p{place}", choices, ["small", "base", "large"]))
            case 2:
                parameters.append(Numbers(f"p{place}", np.where(spread > 0.8, np.nan, spread)))
            case _:
                parameters.append(Numbers(f"p{place}", spread))
    return Order("importance", total, parameters, np.arange(runs))


MEASUREMENTS: dict[Measurement, Sequence[str]] = {
    measure_order: (
        *(f"order_{name}" for name, function in FUNCTIONS.items() if function.matters),
        *(f"covered_{name}" for name in FUNCTIONS),
        "covered",
        "known",
    ),
    measure_large: ("large", "large_memory"),
}

if __name__ == "__main__":
    sys.exit(run(__doc__.splitlines()[0], MEASUREMENTS))
