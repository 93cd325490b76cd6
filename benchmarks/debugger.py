"""The cost of the debugger for a training, with one thread.

Blocks of steps with and without the debugger alternate. The ratio of a pair is what one block adds to the other.

*Idle*: attached to its own dashboard, without viewers, in blocks of at least 1,000 steps whose order alternates. The
figure is the upper end of the one-sided 95 % interval of the median ratio, from order statistics, which holds for any
distribution. Wall-clock time includes other work of the machine. Processor time does not; all processor time of the
link's thread, also during steps without the session, is added to the steps with it. Each case has a time limit, and its
figures are shown when it ends.

*Armed*: graph mode, the median ratio of the pairs, plus a 64th of the time of a completely recorded step, because one
step in 64 is recorded. PyTorch's anomaly mode, which looks for NaN in gradients, is measured in the same way on the
same network.

Then a LeNet-5 is paused from the page in Chromium, repeatedly: the time until a tensor is on the screen.
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
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.measuring.environments import ROOT, our_program, plain_variables, torch_python
from benchmarks.measuring.figures import Figure, Measurement, Options, run, say
from benchmarks.measuring.serving import our_dashboard

IDLE_TARGET_PERCENT = 3.0
ARMED_TARGET_PERCENT = 10.0
PAUSE_TARGET_MS = 150.0
RECORDED_ONE_IN = 64
# Steps of a block by mode, in how many stretches, seconds after which no further pair is begun, and a description. A
# stretch takes some hundredths of a second: what the machine does besides then meets both sides alike.
IDLE = {
    "lenet32": ({"graph": 1000, "pynative": 1000}, 40, 85, "LeNet-5, 32 pictures"),
    "mlp_tiny": ({"graph": 50_000, "pynative": 5000}, 20, 35, "16-16-16-10, 32 rows"),
}
ARMED_SECONDS = 45
KILLED_AFTER = 240
"""Seconds: a case that takes so long has failed, and the others go on."""
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
Pairs = list[tuple[tuple[float, ...], tuple[float, ...]]]


def measure_idle(case: str, mode: str, options: Options) -> list[Figure]:
    """Times idle sessions of one training."""
    if options.quick and case != "mlp_tiny":
        return []
    steps, stretches, seconds, what = IDLE[case]
    say(f"{what}, {mode} …")
    with _dashboard() as (address, token):
        pairs = _ours("idle", case, mode, options.times(40, 6), steps[mode], seconds, stretches, address, token)
    say(f"  {len(pairs)} pairs")
    found = []
    for name, kind, words in zip(_names(case, mode), (CLOCK, PROCESSOR), ("", ", processor time"), strict=True):
        title = f"{what}, {mode} mode: cost of an attached, idle session{words}"
        bound = median_bound(added_percent(pairs, kind))
        found.append(Figure(name, title, "% of a step", bound, IDLE_TARGET_PERCENT))
    return found


def measure_armed(name: str, options: Options) -> list[Figure]:
    """Times a training whose tensors are looked at in each step, ours and PyTorch's."""
    case, what, title = ARMED[name]
    say(f"{title} …")
    measured = _ours("armed", case, what, options.times(12, 2), 3, 0 if options.quick else ARMED_SECONDS)
    pairs: Pairs = measured["pairs"]
    plain = statistics.median(without[CLOCK] for _, without in pairs)
    whole = 100 * (measured["whole"][CLOCK] / plain - 1) / RECORDED_ONE_IN
    ours = statistics.median(added_percent(pairs, CLOCK)) + max(0.0, whole)
    target = ARMED_TARGET_PERCENT if what == "recommended" else None
    peer = _anomaly(case, options) if what == "all" else None
    named = "PyTorch's anomaly mode" if peer is not None else ""
    return [Figure(name, f"cost of {title}", "% of a step", ours, target, peer, named)]


def measure_pause(mode: str, options: Options) -> list[Figure]:
    """Times pauses from the page."""
    from benchmarks.measuring.debugger_pauses import time_pauses  # Playwright is there for who measures pages.

    say(f"pauses, {mode} …")
    with _dashboard() as (address, token):
        pauses = time_pauses(mode, options.times(20, 5), address, token)
    values = [value for _, value in pauses]
    first = statistics.median(one for one, _ in pauses)
    say(f"  ms: statistics {first:.0f}; values, first pause {values[0]:.0f}, at most {max(values):.0f}")
    what = f"LeNet-5, {mode} mode: from the key that pauses to a tensor on the screen, median"
    return [Figure(f"pause_{mode}", what, "ms", statistics.median(values), PAUSE_TARGET_MS)]


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
        pairs: seconds with and without, by the clock and of processor time first.
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
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=variables, timeout=KILLED_AFTER)
    return json.loads(done.stdout)


if __name__ == "__main__":
    measurements: dict[Measurement, Sequence[str]] = {
        **{partial(measure_idle, case, mode): _names(case, mode) for case in IDLE for mode in MODES},
        **{partial(measure_armed, name): (name,) for name in ARMED},
        **{partial(measure_pause, mode): (f"pause_{mode}",) for mode in MODES},
    }
    sys.exit(run("What the debugger costs a training, and how long a person waits for it.", measurements))
