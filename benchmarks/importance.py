"""How well importance finds the parameters that matter: known functions of eight parameters, 200 runs, noise of 10 %
of the variance.

*Right order* counts the seeds in which all pairs of parameters are in the order of their known shares, and of the
shares that the same estimator gives on 100,000 runs. Known shares are Sobol's total indices of the function itself,
without a forest. Shares that differ by less than 0.01 are ties: Friedman's function has two such pairs. *Covered* is
the fraction of intervals that contain the truth: the same estimator on 100,000 runs, with each tree on 80 % of them, as
for the 200. Parameters that matter and the others are counted separately. *Known* is the same for the known shares,
which a forest of 200 runs may not have found yet.

Everything runs in the product's code. Time and memory are those of the process that the worker starts, including start
and imports.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
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
APART = 0.01
MATTERS = 0.01
TRUTH = Size(trees=24, halves=2, half_trees=2, repeats=1, judged=20_000, grown=TRUTH_RUNS)
RIGHT_OF_50, COVERED, SECONDS = 48, 90.0, 10.0
LIMIT_S = 120.0
Shares = dict[str, float]


@dataclass(frozen=True)
class Judged:
    """What came out of the seeds of one function.

    Attributes:
        seeds: number of seeds.
        right: seeds in which parameters are in order.
        effects: of each interval of a parameter that matters, whether it holds the truth.
        others: the same of the other parameters.
        known: whether intervals of parameters that matter hold the known share.
    """

    seeds: int
    right: int
    effects: list[bool]
    others: list[bool]
    known: list[bool]


@cache
def judged(name: str, seeds: int) -> Judged:
    """Studies a function with a number of seeds."""
    say(f"{name}: the truth from {TRUTH_RUNS:,} runs …")
    truth = shares(study(*made(name, TRUTH_RUNS, 1_000_000), size=TRUTH))
    known = known_shares(name)
    found = Judged(seeds, 0, [], [], [])
    right = 0
    for seed in range(seeds):
        result = study(*made(name, RUNS, seed), seed=seed)
        right += in_order(shares(result), known) and in_order(shares(result), truth)
        for row in result["parameters"]:
            matters = known[row["name"]] >= MATTERS
            (found.effects if matters else found.others).append(row["low"] <= truth[row["name"]] <= row["high"])
            if matters:
                found.known.append(row["low"] <= known[row["name"]] <= row["high"])
    say(f"  known {rounded(known)}; the estimator on {TRUTH_RUNS:,} runs {rounded(truth)}")
    say(f"  right order in {right} of {seeds}; covered {sum(found.effects)} of {len(found.effects)} effects")
    return replace(found, right=right)


def measure_function(name: str, options: Options) -> list[Figure]:
    """Seeds in the right order and coverage of one function."""
    function, found = FUNCTIONS[name], judged(name, options.times(SEEDS, QUICK_SEEDS))
    figures = []
    if function.matters:
        least = RIGHT_OF_50 * found.seeds // SEEDS
        what = f"{function.what}: right order, of {found.seeds} seeds"
        figures.append(Figure(f"order_{name}", what, "", found.right, least, more_is_better=True))
    held = found.effects or found.others
    what = f"{function.what}: intervals that hold the truth, of {len(held)}"
    figures.append(Figure(f"covered_{name}", what, "%", percent(held), COVERED, more_is_better=True))
    return figures


def measure_all(options: Options) -> list[Figure]:
    """Coverage of all functions together."""
    found = [judged(name, options.times(SEEDS, QUICK_SEEDS)) for name in FUNCTIONS]
    held = [holds for one in found for holds in [*one.effects, *one.others]]
    known = [holds for one in found for holds in one.known]
    every = f"all functions and parameters: intervals that hold the truth, of {len(held)}"
    matter = f"parameters that matter: intervals that hold the known share, of {len(known)}"
    return [
        Figure("covered", every, "%", percent(held), COVERED, more_is_better=True),
        Figure("known", matter, "%", percent(known), COVERED, more_is_better=True),
    ]


def percent(held: Sequence[bool]) -> float:
    """How many of a hundred."""
    return 100 * sum(held) / len(held)


def shares(found: dict[str, Any]) -> Shares:
    """Importance by parameter."""
    return {row["name"]: row["importance"] for row in found["parameters"]}


def rounded(of: Shares) -> Shares:
    """The same with three digits."""
    return {name: round(share, 3) for name, share in sorted(of.items())}


def in_order(found: Shares, truth: Shares) -> bool:
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
            subprocess.run(command, stdout=subprocess.DEVNULL, check=True, cwd=ROOT, timeout=LIMIT_S)
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


def figures_of(name: str) -> tuple[str, ...]:
    """The names of a function's figures."""
    order = (f"order_{name}",) if FUNCTIONS[name].matters else ()
    return (*order, f"covered_{name}")


# Each function is a case of its own: what was measured of one is kept whatever becomes of the next.
MEASUREMENTS: dict[Measurement, Sequence[str]] = {
    # First: a process counts as at least as large as the one that started it was by then.
    measure_large: ("large", "large_memory"),
    **{partial(measure_function, name): figures_of(name) for name in FUNCTIONS},
    measure_all: ("covered", "known"),
}

if __name__ == "__main__":
    sys.exit(run(__doc__.splitlines()[0], MEASUREMENTS))
