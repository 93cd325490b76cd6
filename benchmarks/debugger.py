"""What the debugger costs a training, by one thread.

Blocks of steps with the debugger take turns with blocks without; a pair's ratio is what one block adds to the other.
Idle: attached to a dashboard of its own where nobody looks, blocks of 1,000 steps and more; the figure is the upper end
of the one-sided 95 % interval of the median of the pairs' ratios, which order statistics give whatever the distribution
is. By the clock it includes what the machine does besides; processor time, with that of the link's thread, does not.
Armed: graph mode, the median of the pairs' ratios, and a 64th of what a step takes that is recorded whole, as one in 64
is. PyTorch's anomaly mode, which looks for NaN in gradients, is measured the same way on the same network.

Then a LeNet-5 is paused from the page in Chromium, again and again: how long until a tensor is on the screen.
"""

from __future__ import annotations

import json
import math
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.measuring.environments import ROOT, our_program, plain_variables, torch_python
from benchmarks.measuring.figures import Figure, Options, run, say
from benchmarks.measuring.serving import our_dashboard

IDLE_TARGET_PERCENT = 3.0
ARMED_TARGET_PERCENT = 10.0
PAUSE_TARGET_MS = 150.0
RECORDED_ONE_IN = 64
# Steps of a block, and a description.
IDLE = {
    "lenet32": (1000, "LeNet-5, 32 pictures"),
    "mlp_tiny": (5000, "16-16-16-10, 32 rows"),
}
MODES = ("graph", "pynative")
ARMED = {
    "recommended_resnet18": (
        "resnet18",
        "recommended",
        "the recommended watchpoints, ResNet-18 for pictures of 32 x 32",
    ),
    "recommended_resnet18_large": (
        "resnet18_large",
        "recommended",
        "the recommended watchpoints, ResNet-18 for photographs, on pictures of 32 x 32",
    ),
    "all_resnet18": (
        "resnet18",
        "all",
        "all 17 conditions on every weight, gradient and activation, ResNet-18 for pictures of 32 x 32",
    ),
}
CLOCK, PROCESSOR = 0, 1
Pairs = list[tuple[tuple[float, float], tuple[float, float]]]


def measure_idle(options: Options) -> list[Figure]:
    """Times idle sessions."""
    wanted = [
        (case, mode)
        for case in IDLE
        for mode in MODES
        if options.wants(*_names(case, mode)) and (case == "mlp_tiny" or not options.quick)
    ]
    found = []
    with _dashboard() as (address, token):
        for case, mode in wanted:
            steps, what = IDLE[case]
            say(f"{what}, {mode} …")
            pairs = _ours("idle", case, mode, options.times(24, 6), steps, address, token)
            for name, kind, words in zip(_names(case, mode), (CLOCK, PROCESSOR), ("", ", processor time"), strict=True):
                title = f"{what}, {mode} mode: cost of an attached, idle session{words}"
                bound = median_bound(added_percent(pairs, kind))
                found.append(Figure(name, title, "% of a step", bound, IDLE_TARGET_PERCENT))
    return found


def measure_armed(options: Options) -> list[Figure]:
    """Times trainings whose tensors are looked at in each step, ours and PyTorch's."""
    found = []
    for name, (case, what, title) in ARMED.items():
        if not options.wants(name):
            continue
        say(f"{title} …")
        measured = _ours("armed", case, what, options.times(6, 2), 3)
        pairs: Pairs = measured["pairs"]
        plain = statistics.median(without[CLOCK] for _, without in pairs)
        whole = 100 * (measured["whole"][CLOCK] / plain - 1) / RECORDED_ONE_IN
        ours = statistics.median(added_percent(pairs, CLOCK)) + max(0.0, whole)
        target = ARMED_TARGET_PERCENT if what == "recommended" else None
        peer = _anomaly(case, options) if what == "all" else None
        named = "PyTorch's anomaly mode" if peer is not None else ""
        found.append(Figure(name, f"cost of {title}", "% of a step", ours, target, peer, named))
    return found


def measure_pause(options: Options) -> list[Figure]:
    """Times pauses from the page."""
    wanted = [mode for mode in MODES if options.wants(f"pause_{mode}")]
    if not wanted:
        return []
    from benchmarks.measuring.debugger_pauses import time_pauses  # Playwright is there for who measures pages.

    found = []
    with _dashboard() as (address, token):
        for mode in wanted:
            say(f"pauses, {mode} …")
            pauses = time_pauses(mode, options.times(20, 5), address, token)
            values = [value for _, value in pauses]
            first = statistics.median(one for one, _ in pauses)
            say(f"  ms: statistics {first:.0f}; values, first pause {values[0]:.0f}, at most {max(values):.0f}")
            what = f"LeNet-5, {mode} mode: from the key that pauses to a tensor on the screen, median"
            found.append(Figure(f"pause_{mode}", what, "ms", statistics.median(values), PAUSE_TARGET_MS))
    return found


@contextmanager
def _dashboard() -> Iterator[tuple[str, str]]:
    """The address and the token of a dashboard of ours without runs."""
    with tempfile.TemporaryDirectory() as folder:
        base, workspace = Path(folder, "summaries"), Path(folder, "workspace")
        base.mkdir()
        with our_dashboard(our_program(), base, workspace) as dashboard:
            yield dashboard.address, (workspace / "token").read_text("utf-8").strip()


def added_percent(pairs: Pairs, kind: int) -> list[float]:
    """What is added to a step, in percent, pair by pair.

    Args:
        pairs: seconds with and without, by the clock and of processor time.
        kind: which of these.
    """
    return [100 * (with_it[kind] / without[kind] - 1) for with_it, without in pairs]


def median_bound(values: Sequence[float]) -> float:
    """The upper end of the one-sided 95 % interval of the median: the smallest value that is above it that surely.

    The number of values below the median is binomial with one half, whatever their distribution is.
    """
    ordered, count = sorted(values), len(values)
    below = 0.0
    for place, value in enumerate(ordered):
        below += math.comb(count, place) / 2**count
        if below >= 0.95:
            return value
    return ordered[-1]


def _names(case: str, mode: str) -> tuple[str, str]:
    return f"idle_{case}_{mode}", f"idle_{case}_{mode}_processor"


def _ours(*arguments: object) -> Any:
    return _output(Path(sys.executable), "debugger_cost.py", *arguments)


def _anomaly(case: str, options: Options) -> float | None:
    python = torch_python()
    if python is None:
        return None
    pairs = _output(python, "debugger_torch.py", case, options.times(6, 2), 3)
    return statistics.median(added_percent(pairs, CLOCK))


def _output(python: Path, script: str, *arguments: object) -> Any:
    command = [str(python), str(ROOT / "benchmarks" / "measuring" / script), *map(str, arguments)]
    variables = plain_variables(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=variables).stdout)


if __name__ == "__main__":
    idle_names = [name for case in IDLE for mode in MODES for name in _names(case, mode)]
    pause_names = [f"pause_{mode}" for mode in MODES]
    measurements = {measure_idle: idle_names, measure_armed: list(ARMED), measure_pause: pause_names}
    sys.exit(run("What the debugger costs a training, and how long a person waits for it.", measurements))
