"""What a person waits for on the page of graphs: ours, TensorBoard's and Model Explorer's, with the same graphs.

A network is opened until nothing in the drawing changes any more, once it has been analysed; then a stack (on
TensorBoard the box of all layers) is opened; then it is dragged. Moments are those at which the browser showed a
picture. The graphs are MindSpore's ResNet-50 and transformers of 48 nodes a layer; ours is opened three times, the
others once, and "not done" is what they do not show within 25 s. `--network 9k --side ours` measures a part; with
`--keep DIR` what was made and analysed stays for the next part.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.measuring.asking import ask_until, json_or_none
from benchmarks.measuring.environments import model_explorer_program, our_program, tensorboard_program
from benchmarks.measuring.figures import Figure, Measurement, Options, median, quantile, run, say
from benchmarks.measuring.graph_networks import Network, network
from benchmarks.measuring.graph_viewers import Values, explorer_viewer, look, our_viewer, tensorboard_viewer
from benchmarks.measuring.page_window import windows
from benchmarks.measuring.serving import Dashboard, model_explorer, our_dashboard, tensorboard

TENSORBOARD, EXPLORER = "TensorBoard 2.21", "Model Explorer 0.1"
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
# Networks with so many boxes open, and the frames that must be held then: median and 95 %, in ms.
CROWDS = {"1000": ("23k", 470, 53, (17.0, 33.5)), "5000": ("115k", 2347, 265, (33.5, None))}


@dataclass(frozen=True)
class Parts:
    """Which parts are measured.

    Attributes:
        networks: names of networks and crowds.
        sides: of `SIDES`.
        kept: where what was made stays.
        program: our command, that of this checkout's wheel unless given.
        whole: nobody named networks.
    """

    networks: Sequence[str]
    sides: Sequence[str]
    kept: Path | None
    program: Path | None
    whole: bool


def analysed(dashboard: Dashboard) -> str:
    """Waits until the graph is analysed; returns what the page calls it."""
    found: list[str] = []

    def known() -> bool:
        sources = (json_or_none(f"{dashboard.address}/api/graphs/sources") or {"sources": []})["sources"]
        found[:] = [one["graph"] for one in sources]
        return bool(found)

    def drawn() -> bool:
        return "boxes" in (json_or_none(f"{dashboard.address}/api/graphs/inside?graph={found[0]}") or {})

    ask_until(known, "the graph in the list")
    ask_until(drawn, "the graph analysed")
    return found[0]


def measure_ours(made: Network, parts: Parts, times: int, more: Callable[[str], str] = lambda _: "") -> Values:
    """Opens our page several times; `more` gives what is added to its address."""
    found: Values = {}
    with (
        our_dashboard(parts.program or our_program(), made.own_base, made.workspace) as dashboard,
        windows() as new_window,
    ):
        graph = analysed(dashboard)
        added = more(f"{dashboard.address}/api/graphs/inside?graph={graph}")
        viewer = our_viewer(dashboard.address, graph, made.box, added)
        for _ in range(times):
            look(viewer, new_window, found)
    return found


def measure_tensorboard(made: Network, times: int) -> Values:
    """Opens TensorBoard's page several times; empty where it cannot be installed."""
    program, found = tensorboard_program(), Values()
    if program is not None:
        with tensorboard(program, made.base) as dashboard, windows() as new_window:
            info = f"{dashboard.address}/data/plugin/graphs/info"
            ask_until(lambda: bool(json_or_none(info)), "TensorBoard's graph")
            viewer = tensorboard_viewer(TENSORBOARD, dashboard.address, made.scopes)
            for _ in range(times):
                look(viewer, new_window, found)
    return found


def measure_explorer(made: Network, times: int) -> Values:
    """Opens Model Explorer's page several times; empty where it cannot be installed."""
    program, found = model_explorer_program(), Values()
    if program is not None:
        with model_explorer(program, made.explorer) as dashboard, windows() as new_window:
            for _ in range(times):
                look(explorer_viewer(EXPLORER, dashboard.address), new_window, found)
    return found


def summed_up(found: Values) -> dict[str, float]:
    """One value for each of what was found."""
    told = {name: median(values) for name, values in found.items() if values}
    if found.get("frame"):
        told["frame95"] = quantile(found["frame"], 0.95)
    return told


def measuring(name: str, parts: Parts) -> Measurement:
    """A measurement of one network."""

    def measure(options: Options) -> list[Figure]:
        if options.quick and name not in ("resnet50", "2k") and parts.whole:
            return []
        times = options.times(3, 1)
        found: dict[str, dict[str, float]] = {}
        with network(name, parts.kept) as made:
            if made is None:
                return []
            for side in parts.sides:
                if side == "ours" or name not in ALONE:
                    say(f"{name}, {side} …")
                    how = {
                        "ours": lambda: measure_ours(made, parts, times),
                        "tensorboard": lambda: measure_tensorboard(made, 1),
                        "explorer": lambda: measure_explorer(made, 1),
                    }
                    found[side] = summed_up(how[side]())
        return figures_of(name, found)

    return measure


def figures_of(name: str, found: dict[str, dict[str, float]]) -> list[Figure]:
    """The figures of one network: each beside TensorBoard's, some beside Model Explorer's too."""
    opened, stack, task, heap = TARGETS[name]
    rows: list[tuple[str, str, str, float | None]] = [
        ("open", "page opened, drawing settled", "s", opened),
        ("stack", "a stack opened and settled", "ms", stack),
        ("task", "longest task of the main thread while it opens", "ms", task),
        ("stack_task", "longest task while a stack opens", "ms", task),
        ("heap", "heap of the page with a stack open", "MB", heap),
        ("frame", "frame while dragged and zoomed, median", "ms", 17.0),
        ("frame95", "frame while dragged and zoomed, 95 %", "ms", 33.5),
    ]
    ours, peer = found.get("ours", {}), found.get("tensorboard")
    figures = [
        Figure(
            f"{name}_{key}", f"{name}: {what}", unit, ours.get(key, NAN), target,
            None if peer is None else peer.get(key, NAN), TENSORBOARD,
        )
        for key, what, unit, target in rows
    ]  # fmt: skip
    other = found.get("explorer")
    if other is not None:
        figures += [
            Figure(
                f"{name}_{key}_explorer", f"{name}: {what}", unit, ours.get(key, NAN), None, other.get(key, NAN),
                EXPLORER,
            )
            for key, what, unit, _ in rows
            if key in ("open", "task", "heap")
        ]  # fmt: skip
    return figures


def crowding(boxes: str, parts: Parts) -> Measurement:
    """A measurement of frames with very many boxes open, ours only: the others do not show so many."""
    name, layers, opened, (middle, most) = CROWDS[boxes]

    def everything(inside: str) -> str:
        root = json_or_none(inside) or {"boxes": []}
        at = next(one["index"] for one in root["boxes"] if one["kind"] == "stack")
        paths = [f"{at}%23*", *(f"{at}%23{layer * (layers // opened)}" for layer in range(opened))]
        return "&open=" + "~".join(paths)

    def measure(options: Options) -> list[Figure]:
        if (options.quick and parts.whole) or "ours" not in parts.sides:
            return []
        with network(name, parts.kept) as made:
            found = {} if made is None else summed_up(measure_ours(made, parts, 1, everything))
        figures = [("frame", "median", middle), ("frame95", "95 %", most)]
        return [
            Figure(
                f"boxes_{boxes}_{key}", f"{boxes} boxes dragged and zoomed, {what}", "ms", found.get(key, NAN), target
            )
            for key, what, target in figures
        ]

    return measure


KEYS = ("open", "stack", "task", "stack_task", "heap", "frame", "frame95")


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
    parts = Parts(
        given.network or [*TARGETS, *CROWDS], given.side or SIDES, given.keep, given.program, not given.network
    )
    return run(f"{__doc__}\n{parser.format_usage()}", measurements(parts), rest)


if __name__ == "__main__":
    sys.exit(main())
