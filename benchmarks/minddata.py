"""How fast data pipelines are, beside MindSpore's and PyTorch's, with the same files and two workers.

Each measurement is a process of its own, and the programs take turns. A rate is the best of the rounds; the processor
time of an item, which other work on the machine hardly changes, is the smallest. Targets are multiples of what the
peer reached in the same run. Pipeline A decodes, resizes, crops, flips and normalizes photographs of 86 kB; pipeline B
resizes, scales and shuffles MNIST; records are rows of bytes and a label. MindSpore 2.10 needs NumPy 1.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.measuring.environments import (
    MINDSPORE,
    ROOT,
    TORCHVISION,
    mindspore_python,
    plain_variables,
    torchvision_python,
)
from benchmarks.measuring.figures import Figure, Options, run, say
from benchmarks.measuring.minddata_files import Files, made

ENGINE = ROOT / "benchmarks" / "measuring" / "minddata_engine.py"
TORCH = ROOT / "benchmarks" / "measuring" / "minddata_torch.py"
NAMES = {"mindspore": MINDSPORE.replace("==", " "), "torch": f"{TORCHVISION[1].replace('==', ' ')}, DataLoader"}
WORKERS = 2
STEP_S, STEPS = 0.110, 40
OPENED = 200
BUSY = 1.5
LIMIT_S = 600
Numbers = dict[str, float]


def _python(program: str) -> Path | None:
    if program == "framework":
        return Path(sys.executable)
    return mindspore_python() if program == "mindspore" else torchvision_python()


def measured(program: str, case: str, pipeline: str, arguments: Sequence[Any], how: Sequence[Any]) -> Numbers | None:
    """What one program needs, in a process of its own; None if it cannot be installed, or fails."""
    python = _python(program)
    if python is None:
        return None
    script = [str(TORCH)] if program == "torch" else [str(ENGINE), program]
    given = json.dumps({"pipeline": pipeline, "arguments": [*arguments, WORKERS], "how": list(how)})
    variables = plain_variables(OMP_NUM_THREADS="1", PYTHONPATH=str(ROOT) if program == "framework" else "")
    command = [str(python), *script, case, given]
    done = subprocess.run(command, check=False, capture_output=True, text=True, env=variables, timeout=LIMIT_S)
    lines = done.stdout.splitlines()
    if not lines or not lines[-1].startswith("{"):
        say(f"{program} failed: {done.stderr[-300:]}")
        return None
    found: Numbers = json.loads(lines[-1])
    return found


def best(
    programs: Sequence[str], options: Options, pipeline: str, arguments: Sequence[Any], epochs: int = 1
) -> dict[str, Numbers]:
    """The best numbers of each program, which take turns."""
    found: dict[str, list[Numbers]] = {program: [] for program in programs}
    for _ in range(options.times(3, 1)):
        for program in programs:
            numbers = measured(program, "read", pipeline, arguments, [epochs])
            if numbers is not None:
                found[program].append(numbers)
    most = ("rate",)
    return {
        program: {name: (max if name in most else min)(one[name] for one in rounds) for name in rounds[0]}
        for program, rounds in found.items()
        if rounds
    }


def rates(group: str, what: str, unit: str, found: dict[str, Numbers], bounds: dict[str, float]) -> list[Figure]:
    """The rate beside each peer's, with its bound as a multiple of the peer's."""
    figures = []
    for peer, bound in bounds.items():
        other = found.get(peer, {}).get("rate")
        name = NAMES[peer.split(" ")[0]]
        figures.append(
            Figure(
                f"{group}/{peer}",
                f"{what}: target {bound:g} x the peer's",
                unit,
                found["framework"]["rate"],
                None if other is None else bound * other,
                other,
                name,
                more_is_better=True,
                peer_missing="" if other is not None else "not measured",
            )
        )
    return figures


def cost(group: str, what: str, found: dict[str, Numbers], peer: str, bound: float | None) -> Figure:
    """The processor time of an item in microseconds beside a peer's."""
    other = found.get(peer, {}).get("cpu")
    target = None if other is None or bound is None else bound * other * 1e6
    return Figure(
        f"{group}/cpu",
        f"{what}: processor time of an item" + (f", target {bound:g} x the peer's" if bound else ""),
        "us",
        found["framework"]["cpu"] * 1e6,
        target,
        None if other is None else other * 1e6,
        NAMES[peer],
    )


def images(options: Options) -> list[Figure]:
    """Pipeline A."""
    found = best(("framework", "mindspore", "torch"), options, "images", [str(files().images)])
    bounds = {"mindspore": 1.3, "torch": 2.0}
    return [
        *rates("images", "pipeline A", "images/s", found, bounds),
        cost("images", "pipeline A", found, "mindspore", 0.6),
    ]


def mnist(options: Options) -> list[Figure]:
    """Pipeline B."""
    found = best(("framework", "mindspore", "torch"), options, "mnist", [str(files().mnist)], 2)
    bounds = {"mindspore": 5.0, "torch": 5.0}
    return [
        *rates("mnist", "pipeline B", "samples/s", found, bounds),
        cost("mnist", "pipeline B", found, "mindspore", 0.2),
    ]


def records(options: Options) -> list[Figure]:
    """Rows of MindRecord files, beside MindSpore's two readers of records."""
    figures = []
    ways = [("64", 256, 5.0, 5.0, "64 bytes, batch(256)"), ("64", 0, 2.0, 2.0, "64 bytes, row by row")]
    ways.append(("100k", 0, 4.0, 2.0, "100 kB, row by row"))
    for size, batch, over_tfrecord, over_mindrecord, what in ways:
        folder = files().records
        group = f"records/{size}-{batch or 'rows'}"
        mindrecord, tfrecord = (str(folder / f"{size}.{kind}") for kind in ("mindrecord", "tfrecord"))
        found = best(("framework", "mindspore"), options, "records", [mindrecord, True, batch], 2)
        other = best(("mindspore",), options, "records", [tfrecord, True, batch], 2)
        for reader, numbers, bound in (
            ("MindDataset", found.get("mindspore"), over_mindrecord),
            ("TFRecordDataset", other.get("mindspore"), over_tfrecord),
        ):
            beside = {"framework": found["framework"], **({} if numbers is None else {"mindspore": numbers})}
            [figure] = rates(group, f"{what}, shuffled, {reader}", "records/s", beside, {"mindspore": bound})
            figures.append(Figure(**{**vars(figure), "figure": f"{group}-{reader}"}))
        figures.append(cost(group, what, found, "mindspore", None))
        in_order = best(("framework",), options, "records", [mindrecord, False, batch], 2)["framework"]
        ratio = in_order["cpu"] / found["framework"]["cpu"]
        figures.append(Figure(f"{group}/order", f"{what}: processor time in order, by shuffled", "x", ratio, 1.2))
    return figures


def overlap(options: Options) -> list[Figure]:
    """Pipeline A beside a training."""
    how = [STEP_S, options.times(STEPS, 15)]
    programs = ("framework", "mindspore", "torch")
    found = {one: measured(one, "overlap", "images", [str(files().images)], how) for one in programs}
    ours, other = found["framework"], found["mindspore"] or {}
    if ours is None:
        return []
    peer = other.get("wait")
    figures = [
        Figure("overlap/wait", "wait for data, share of time, step of 110 ms", "%", ours["wait"] * 100, 0.5,
               None if peer is None else peer * 100, NAMES["mindspore"]),
        Figure("overlap/step", "the step beside the pipeline", "ms", ours["step"] * 1e3,
               other["step"] * 1e3 if other else None, other["step"] * 1e3 if other else None, NAMES["mindspore"]),
    ]  # fmt: skip
    torch = found["torch"]
    if torch is not None:
        figures.append(
            Figure("overlap/torch", "wait for data beside DataLoader", "%", ours["wait"] * 100, None,
                   torch["wait"] * 100, NAMES["torch"])
        )  # fmt: skip
    return figures


def epochs(options: Options) -> list[Figure]:
    """The first batch, the way from one epoch to the next, and what is left after an iterator was closed."""
    found = best(("framework", "mindspore"), options, "images", [str(files().images)])
    ours, other = found["framework"], found.get("mindspore", {})
    how = [options.times(OPENED, 20)]
    opened = measured("framework", "opening", "mnist", [str(files().mnist)], how)
    figures = [
        Figure("epochs/first", "the first batch of pipeline A", "ms", ours["first"] * 1e3, 100.0,
               other["first"] * 1e3 if other else None, NAMES["mindspore"]),
        Figure("epochs/between", "the first batch of the next epoch, read at once", "ms", ours["gap"] * 1e3, 110.0,
               other["gap"] * 1e3 if other else None, NAMES["mindspore"]),
    ]  # fmt: skip
    if opened is not None:
        figures += [
            Figure("epochs/left", f"threads and files left after {how[0]} iterators", "", opened["left"], 0.0),
            Figure("epochs/close", "the slowest close", "ms", opened["close"] * 1e3, 1000.0),
        ]
    return figures


def files() -> Files:
    """The input files."""
    return made()


MEASUREMENTS = {
    images: ["images"],
    mnist: ["mnist"],
    records: ["records"],
    overlap: ["overlap"],
    epochs: ["epochs"],
}

if __name__ == "__main__":
    load = os.getloadavg()[0]
    if load > BUSY:
        say(f"The machine is busy (load {load:.1f}): compare processor times, not rates.")
    sys.exit(run(__doc__.splitlines()[0], MEASUREMENTS))
