"""What the debugger costs a training.

A training is attached to a dashboard of its own and nobody looks. Blocks of 1,000 steps and more under the session take
turns with blocks without; a figure is the upper end of the 95 % interval of the mean of the pairs' ratios.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.measuring.environments import ROOT, our_program, plain_variables
from benchmarks.measuring.figures import Figure, Options, run, say
from benchmarks.measuring.serving import our_dashboard

IDLE_TARGET_PERCENT = 3.0
# Steps of a block, and a description.
CASES = {
    "mlp_tiny": (5000, "16-16-16-10, 32 rows"),
    "lenet32": (1000, "LeNet-5, 32 pictures"),
}
MODES = ("graph", "pynative")
ONE_SIDED_95 = 1.645


def measure_idle(options: Options) -> list[Figure]:
    """Times idle sessions."""
    found = []
    with tempfile.TemporaryDirectory() as folder:
        base, workspace = Path(folder, "summaries"), Path(folder, "workspace")
        base.mkdir()
        with our_dashboard(our_program(), base, workspace) as dashboard:
            token = (workspace / "token").read_text("utf-8").strip()
            for case, (steps, what) in CASES.items():
                for mode in MODES:
                    name = f"idle_{case}_{mode}"
                    if not options.wants(name) or (options.quick and case != "mlp_tiny"):
                        continue
                    say(f"{what}, {mode} …")
                    pairs = _pairs(case, mode, options.times(12, 4), steps, dashboard.address, token)
                    found.append(_figure(name, f"{what}, {mode} mode: cost of an attached, idle session", pairs))
    return found


def bound_percent(pairs: list[tuple[float, float]]) -> float:
    """The upper end of the one-sided 95 % interval of what is added to a step, in percent.

    Args:
        pairs: seconds with and without.
    """
    ratios = [100 * (with_it / without - 1) for with_it, without in pairs]
    return statistics.mean(ratios) + ONE_SIDED_95 * statistics.stdev(ratios) / len(ratios) ** 0.5


def _pairs(case: str, mode: str, blocks: int, steps: int, url: str, token: str) -> list[tuple[float, float]]:
    script = ROOT / "benchmarks" / "measuring" / "debugger_cost.py"
    command = [sys.executable, str(script), case, mode, str(blocks), str(steps), url, token]
    variables = plain_variables(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")
    output = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=variables).stdout
    return [(float(with_it), float(without)) for with_it, without in json.loads(output)]


def _figure(name: str, what: str, pairs: list[tuple[float, float]]) -> Figure:
    return Figure(name, what, "% of a step", bound_percent(pairs), IDLE_TARGET_PERCENT)


if __name__ == "__main__":
    names = [f"idle_{case}_{mode}" for case in CASES for mode in MODES]
    sys.exit(run("What the debugger costs a training.", {measure_idle: names}))
