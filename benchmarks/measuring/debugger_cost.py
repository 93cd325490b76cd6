"""What a debugger costs a training: `python debugger_cost.py idle CASE MODE PAIRS STEPS SECONDS STRETCHES URL TOKEN` or
`python debugger_cost.py armed CASE SET PAIRS STEPS SECONDS`; prints JSON.

One training goes on; blocks of steps under the session and blocks of steps by themselves take turns, first one and then
the other in each next pair. The first pair, which compiles, counts for nothing, nor does the first step after a change.
So many pairs are made, or as many as the seconds allow, but some. The stretches of which blocks are made take turns
within a pair, so that a machine that is slower for a while is so for both.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import numpy as np

import framework as ms
from debugging.watch.conditions import CONDITIONS
from framework import Tensor, nn
from framework.debugger import attach
from framework.model_zoo import LeNet5, resnet18
from summaries.schema import debugger_pb2 as wire

MODES = {"graph": ms.GRAPH_MODE, "pynative": ms.PYNATIVE_MODE}
NOWHERE = "http://127.0.0.1:9"
LEAST_PAIRS = 6
"""So many say something about the median."""
FAR = 1e30
"""No tensor exceeds it: a condition that is never true costs as much as in a healthy training."""


def mlp_tiny() -> tuple[nn.Cell, tuple[Tensor, ...]]:
    """16-16-16-10 on 32 rows: a step so short that whatever is added shows."""
    layers = [nn.Dense(16, 16), nn.ReLU(), nn.Dense(16, 16), nn.ReLU(), nn.Dense(16, 10)]
    return nn.SequentialCell(*layers), _batch(16)


def lenet32() -> tuple[nn.Cell, tuple[Tensor, ...]]:
    """LeNet-5 on 32 pictures."""
    return LeNet5(), _batch(1, 32, 32)


def resnet18_small() -> tuple[nn.Cell, tuple[Tensor, ...]]:
    """ResNet-18 for pictures of 32 x 32, on 32 of them."""
    return resnet18(10, small=True), _batch(3, 32, 32)


def resnet18_large() -> tuple[nn.Cell, tuple[Tensor, ...]]:
    """ResNet-18 for photographs, on 32 pictures of 32 x 32: as many weights, and a tenth of the arithmetic."""
    return resnet18(10), _batch(3, 32, 32)


CASES: dict[str, Callable[[], tuple[nn.Cell, tuple[Tensor, ...]]]] = {
    "mlp_tiny": mlp_tiny,
    "lenet32": lenet32,
    "resnet18": resnet18_small,
    "resnet18_large": resnet18_large,
}


def _batch(*shape: int) -> tuple[Tensor, ...]:
    rng = np.random.default_rng(0)
    return Tensor(rng.standard_normal((32, *shape), np.float32)), Tensor(rng.integers(0, 10, 32).astype(np.int32))


def training(case: str) -> tuple[nn.Cell, tuple[Tensor, ...]]:
    """A step of training with momentum, and its batch."""
    ms.set_seed(1)
    network, batch = CASES[case]()
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    optimizer = nn.Momentum(network.trainable_params(), 1e-3, 0.9)
    return nn.TrainOneStepCell(nn.WithLossCell(network, loss), optimizer).set_train(), batch


Seconds = tuple[float, float, float]
"""Of a step: by the clock, of the training thread's processor time, and of that of all other threads."""


def timed(step: nn.Cell, batch: tuple[Tensor, ...], steps: int) -> Seconds:
    """How long a step takes; one more is made before, and left out."""
    step(*batch)
    began = _clocks()
    for _ in range(steps):
        step(*batch)
    clock, own, all_threads = (now - then for now, then in zip(_clocks(), began, strict=True))
    return clock / steps, own / steps, (all_threads - own) / steps


def _clocks() -> Seconds:
    return time.perf_counter(), time.thread_time(), time.process_time()


def in_turns(
    pairs: int, seconds: float, with_it: Callable[[], Seconds], without: Callable[[], Seconds], stretches: int = 1
) -> list[tuple[Seconds, Seconds]]:
    """What each of two measurements gives, pair by pair; one more is made before, and left out.

    Args:
        pairs: how many, at most.
        seconds: time after which no further pair is started, once there are `LEAST_PAIRS`.
        with_it: measures one stretch.
        without: measures the other.
        stretches: of each, taken together.
    """
    found: list[tuple[Seconds, Seconds]] = []
    began = time.perf_counter()
    while len(found) <= pairs and (len(found) <= LEAST_PAIRS or time.perf_counter() - began < seconds):
        made: tuple[list[Seconds], list[Seconds]] = ([], [])
        for stretch in range(stretches):
            turns = [(made[0], with_it), (made[1], without)]
            for kept, measure in reversed(turns) if (len(found) + stretch) % 2 else turns:
                kept.append(measure())
        found.append((_mean(made[0]), _mean(made[1])))
    return found[1:]


def _mean(several: list[Seconds]) -> Seconds:
    clock, own, others = (sum(kind) / len(several) for kind in zip(*several, strict=True))
    return clock, own, others


def idle(case: str, mode: str, pairs: int, steps: int, seconds: float, stretches: str, url: str, token: str) -> Any:
    """Pairs of seconds per step, of a session that nobody uses and of none; other threads work for it alone."""
    ms.set_context(mode=MODES[mode])
    step, batch = training(case)
    with attach(step, url, token):
        session: Any = step._run_by
        while session.conversation.link.lost_since is not None:
            step(*batch)

        def run_by(runner: Any) -> Seconds:
            step._run_by = runner
            return timed(step, batch, -(-steps // int(stretches)))

        found = in_turns(pairs, seconds, lambda: run_by(session), lambda: run_by(None), int(stretches))
        step._run_by = session
    return [
        ((with_it[0], with_it[1] + with_it[2] + without[2], 0.0), (without[0], without[1], 0.0))
        for with_it, without in found
    ]


def all_conditions() -> list[wire.Watchpoint]:
    """Each of the 17 on every weight, gradient and activation that it is for, with all its settings on."""
    made = []
    for number, (name, condition) in enumerate(CONDITIONS.items(), 1):
        one = wire.Watchpoint(id=number, condition=name, enabled=True, log_only=True)
        if condition.sort == "tensor":
            one.targets.kinds.extend((wire.WEIGHT, wire.GRADIENT, wire.ACTIVATION))
        for setting in condition.settings:
            if setting.default is None:
                below = setting.name.endswith("_lt") or setting.name == "range_start_inclusive"
                one.settings.add(name=setting.name, value=-FAR if below else FAR, enabled=True)
        made.append(one)
    return made


def armed(case: str, what: str, pairs: int, steps: int, seconds: float) -> Any:
    """Pairs as of `idle`, with watchpoints and without a session; and seconds of a step that is recorded whole, which
    one in 64 is while watchpoints are armed."""
    ms.set_context(mode=ms.GRAPH_MODE)
    step, batch = training(case)
    with attach(step, NOWHERE, "none"):
        session: Any = step._run_by
        step(*batch)
        monitor = session.monitor
        watchpoints = all_conditions()
        if what == "recommended":
            watchpoints = [item.watchpoint for item in monitor.watchpoints.recommended()]
            for one in watchpoints:
                one.log_only = True
        is_recorded, monitor.is_recorded = monitor.is_recorded, lambda step: False

        def watched() -> Seconds:
            step._run_by = session
            monitor.set(watchpoints)
            session.attend()
            return timed(step, batch, steps)

        def alone() -> Seconds:
            step._run_by = None
            return timed(step, batch, steps)

        found = in_turns(pairs, seconds, watched, alone)
        monitor.is_recorded = lambda step: True
        watched()
        whole = [timed(step, batch, 1) for _ in range(2)]
        monitor.is_recorded = is_recorded
    return {"pairs": found, "whole": min(whole)}


def main() -> None:
    """Measure, and print it."""
    kind, case, what, pairs, steps, seconds, *rest = sys.argv[1:]
    found = (idle if kind == "idle" else armed)(case, what, int(pairs), int(steps), float(seconds), *rest)
    print(json.dumps(found))


if __name__ == "__main__":
    main()
