"""What a capture of the profiler costs the training, beside torch.profiler; and the record of every step.

Each program measures in a process of its own with one thread: blocks of bare and captured steps in turn, by processor
time. torch.profiler measures its own training by its own blocks, in the same run.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.measuring.environments import ROOT, TORCHVISION, plain_variables, torchvision_python
from benchmarks.measuring.figures import Figure, Options, run, say

OURS = ROOT / "benchmarks" / "measuring" / "capture_ours.py"
PEER = ROOT / "benchmarks" / "measuring" / "capture_torch.py"
PEER_NAME = f"torch.profiler, {TORCHVISION[0].replace('==', ' ')}"
#: What is measured, the most that a captured step may take of a bare one, and the steps of a block.
CASES = {
    "lenet_graph": ("LeNet-5, 32 images, graph mode: captured step / bare step", 1.10, 150),
    "lenet_pynative": ("LeNet-5, 32 images, PyNative mode: captured step / bare step", 1.25, 100),
    "resnet18_graph": ("ResNet-18, 8 images of 64 x 64, graph mode: captured step / bare step", 1.03, 4),
}
LIMIT_S = 900
Numbers = dict[str, float]


def measured(python: Path | None, script: Path, case: str, rounds: int, steps: int) -> Numbers | None:
    """The numbers of one program; None if it cannot run."""
    if python is None:
        return None
    variables = plain_variables(OMP_NUM_THREADS="1")
    command = [str(python), str(script), case, str(rounds), str(steps)]
    done = subprocess.run(command, check=False, capture_output=True, text=True, env=variables, timeout=LIMIT_S)
    lines = done.stdout.splitlines()
    if done.returncode or not lines:
        say(f"{script.name} {case} failed: {done.stderr[-300:]}")
        return None
    found: Numbers = json.loads(lines[-1])
    return found


def captures(options: Options) -> Sequence[Figure]:
    """What a capture costs, how large a slice is, and whether all of the time has a name."""
    figures: list[Figure] = []
    for case, (what, most, steps) in CASES.items():
        if not options.wants(f"capture/{case}"):
            continue
        rounds = options.times(25, 7)
        ours = measured(Path(sys.executable), OURS, case, rounds, steps)
        peer = None
        if not case.endswith("pynative") or options.only:
            peer = measured(torchvision_python(), PEER, case, rounds, steps)
        if ours is None:
            continue
        figures.append(
            Figure(f"capture/{case}", what, "x", ours["ratio"], most,
                   peer and peer["ratio"], PEER_NAME if peer else "")
        )  # fmt: skip
        if case == "lenet_graph":
            figures += [
                Figure("capture/bytes", "the file of a capture, by slice", "bytes", ours["bytes"], 27.0),
                Figure("capture/named", "slices and named gaps / wall time", "x", ours["named"], 0.98,
                       more_is_better=True),
            ]  # fmt: skip
    return figures


def record(options: Options) -> Sequence[Figure]:
    """What the record of every step costs a training that nobody captures."""
    ours = measured(Path(sys.executable), OURS, "steps", options.times(15, 5), 60)
    if ours is None:
        return []
    what = "the record of every step, of a step of LeNet-5 in graph mode"
    return [Figure("steps", what, "%", 100 * ours["share"], 0.5)]


if __name__ == "__main__":
    names = [f"capture/{case}" for case in CASES]
    sys.exit(run(__doc__ or "", {captures: ["capture", *names], record: ["steps"]}))
