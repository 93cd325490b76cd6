"""Waiting times on the graph page: ours, TensorBoard's and Model Explorer's, with the same graphs.

An analysed network is opened until the drawing no longer changes; then a stack (on TensorBoard the box of all layers)
is opened; then it is dragged. Times are those at which the browser showed a picture. The graphs are MindSpore's
ResNet-50 and transformers of 48 nodes per layer. Ours is opened three times, the others once; "not done" means that the
page did not show it within 25 s. Each side of a network runs in a separate process with a time limit; unfinished ones
are reported and affect nothing else. `--network 9k --side ours` measures a part; with `--keep DIR`, made and analysed
files are kept for the next part.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.measuring.cases import UnfinishedError, run_case
from benchmarks.measuring.environments import model_explorer_program, our_program, tensorboard_program
from benchmarks.measuring.figures import Figure, Measurement, Options, median, quantile, run, say
from benchmarks.measuring.graph_opening import EXPLORER, TENSORBOARD
from benchmarks.measuring.graph_viewers import Values

SCRIPT = Path(__file__).parent / "measuring" / "graph_opening.py"
SIDES = ("ours", "tensorboard", "explorer")
NAN = float("nan")
# Seconds until the page is settled, milliseconds until an opened box is, of the longest task, megabytes of heap.
TARGETS: dict[str, tuple[float, float | None, float | None, float | None]] = {
    "resnet50": (1.0, 150.0, 100.0, 50.0),
    "2k": (1.0, 150.0, 100.0, 50.0),
    "9k": (1.2, 200.0, 100.0, 50.0),
    "23k": (1.5, 300.0, 150.0, 80.0),
    "115k": (2.5, 500.0, 200.0, 150.0),
    "1M": (10.0, None, None, None),
}
# What peers do not open within their patience, or not at all, is not tried each time.
ALONE = frozenset({"1M"})
# Networks, their number of open boxes, and the frame times to keep: median and 95 %, in ms.
CROWDS = {"1000": ("23k", 470, 53, (17.0, 33.5)), "5000": ("115k", 2347, 265, (33.5, None))}


@dataclass(frozen=True)
class Parts:
    """Which parts are measured.

    Attributes:
        networks: names of networks and crowds.
        sides: of `SIDES`.
        kept: where what was made stays for the next part.
        program: our command, that of this checkout's wheel unless given.
        whole: nobody named networks.
    """

    networks: Sequence[str]
    sides: Sequence[str]
    kept: Path
    program: Path | None
    whole: bool


def summed_up(found: Values) -> dict[str, float]:
    """One value for each of what was found."""
    summary = {name: median(values) for name, values in found.items() if values}
    if found.get("frame"):
        summary["frame95"] = quantile(found["frame"], 0.95)
    return summary


def limit(name: str, side: str) -> float:
    """Seconds after which a case counts as not done."""
    longer = {"23k": 1.5, "115k": 3.0, "1M": 6.0}.get(name, 1.0)
    return (300.0 if side == "ours" else 200.0) * longer


def opened(name: str, side: str, parts: Parts, times: int, crowd: Sequence[int] = ()) -> dict[str, float] | None:
    """What one side needs for a network, in a process of its own; None where the network is not there.

    Raises:
        UnfinishedError: it came to no end.
    """
    say(f"{name}, {side} …")
    program = None if parts.program is None else str(parts.program)
    asked = {"network": name, "side": side, "kept": str(parts.kept), "times": times}
    asked |= {"program": program, "crowd": list(crowd)}
    found = run_case(SCRIPT, asked, limit(name, side))
    summary = None if found is None else summed_up(found)
    say(f"  {summary}")
    return summary


def measuring(name: str, parts: Parts) -> Measurement:
    """A measurement of one network."""

    def measure(options: Options) -> list[Figure]:
        if options.quick and name not in ("resnet50", "2k") and parts.whole:
            return []
        found: dict[str, dict[str, float]] = {}
        unfinished: dict[str, str] = {}
        for side in parts.sides:
            if side != "ours" and name in ALONE:
                continue
            try:
                summary = opened(name, side, parts, options.times(3, 1) if side == "ours" else 1)
            except UnfinishedError as problem:
                say(f"{name}, {side}: {problem}")
                summary, unfinished[side] = {}, str(problem)
            if summary is None:
                return []
            found[side] = summary
        return figures_of(name, found, unfinished)

    return measure


def figures_of(name: str, found: dict[str, dict[str, float]], unfinished: dict[str, str]) -> list[Figure]:
    """The figures of one network: each beside TensorBoard's, some beside Model Explorer's too.

    Args:
        name: of the network.
        found: what was measured, by side.
        unfinished: why a side came to no end.
    """
    open_in, stack, task, heap = TARGETS[name]
    rows: list[tuple[str, str, str, float | None]] = [
        ("open", "page opened, drawing settled", "s", open_in),
        ("stack", "a stack opened and settled", "ms", stack),
        ("task", "longest task of the main thread while it opens", "ms", task),
        ("stack_task", "longest task while a stack opens", "ms", task),
        ("heap", "heap of the page with a stack open", "MB", heap),
        ("frame", "frame while dragged and zoomed, median", "ms", 17.0),
        ("frame95", "frame while dragged and zoomed, 95 %", "ms", 33.5),
    ]
    ours, peer = found.get("ours", {}), found.get("tensorboard")
    more = f": {unfinished['ours']}" if "ours" in unfinished else ""
    names = {
        side: ", ".join([name, *([unfinished[side]] if side in unfinished else [])])
        for side, name in (("tensorboard", TENSORBOARD), ("explorer", EXPLORER))
    }
    figures = [
        Figure(
            f"{name}_{key}", f"{name}: {what}{more}", unit, ours.get(key, NAN), target,
            None if peer is None else peer.get(key, NAN), names["tensorboard"],
        )
        for key, what, unit, target in rows
    ]  # fmt: skip
    other = found.get("explorer")
    if other is not None:
        figures += [
            Figure(
                f"{name}_{key}_explorer", f"{name}: {what}{more}", unit, ours.get(key, NAN), None, other.get(key, NAN),
                names["explorer"],
            )
            for key, what, unit, _ in rows
            if key in ("open", "task", "heap")
        ]  # fmt: skip
    return figures


def crowding(boxes: str, parts: Parts) -> Measurement:
    """A measurement of frames with very many open boxes, ours only: the others do not show that many."""
    name, layers, shown, (middle, most) = CROWDS[boxes]

    def measure(options: Options) -> list[Figure]:
        if (options.quick and parts.whole) or "ours" not in parts.sides:
            return []
        try:
            found = opened(name, "ours", parts, 1, (layers, shown)) or {}
            more = ""
        except UnfinishedError as problem:
            found, more = {}, f": {problem}"
        figures = [("frame", "median", middle), ("frame95", "95 %", most)]
        return [
            Figure(
                f"boxes_{boxes}_{key}",
                f"{boxes} boxes dragged and zoomed, {what}{more}",
                "ms",
                found.get(key, NAN),
                target,
            )
            for key, what, target in figures
        ]

    return measure


KEYS = ("open", "stack", "task", "stack_task", "heap", "frame", "frame95")


def prepare(parts: Parts) -> None:
    """Installs what is measured, so that no case's time goes into it."""
    if "ours" in parts.sides and parts.program is None:
        our_program()
    if "tensorboard" in parts.sides:
        tensorboard_program()
    if "explorer" in parts.sides:
        model_explorer_program()


def measurements(parts: Parts) -> dict[Measurement, list[str]]:
    """What is measured, with the names of the figures."""
    chosen: dict[Measurement, list[str]] = {}
    for name in parts.networks:
        if name in CROWDS:
            chosen[crowding(name, parts)] = [f"boxes_{name}_{key}" for key in ("frame", "frame95")]
        else:
            others = [f"{name}_{key}_explorer" for key in ("open", "task", "heap")]
            chosen[measuring(name, parts)] = [*(f"{name}_{key}" for key in KEYS), *others]
    return chosen


def main() -> int:
    """Measures the parts that the command line names."""
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--network", action="append", choices=[*TARGETS, *CROWDS])
    parser.add_argument("--side", action="append", choices=SIDES)
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--program", type=Path)
    given, rest = parser.parse_known_args()
    if shutil.which("chromium") is None:
        sys.exit("Chromium is needed: apt-get install chromium.")
    with TemporaryDirectory() as folder:
        kept = (given.keep or Path(folder)).resolve()
        networks = given.network or [*TARGETS, *CROWDS]
        parts = Parts(networks, given.side or SIDES, kept, given.program, not given.network)
        if not {"--help", "-h"} & set(rest):
            prepare(parts)
        return run(f"{__doc__}\n{parser.format_usage()}", measurements(parts), rest)


if __name__ == "__main__":
    sys.exit(main())
