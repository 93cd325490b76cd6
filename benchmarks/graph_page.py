"""What a person waits for on the page of graphs, on ours and on TensorBoard's, with the same graphs as GraphDef.

A network is opened until nothing in the drawing changes any more, once it has been analysed; then a stack, or
TensorBoard's box of all layers, is opened; then it is dragged. Moments are taken from screenshots, so painting is part
of them. The graphs are MindSpore's ResNet-50 and transformers of 49 nodes a layer. Model Explorer's figures were
recorded with its version 0.1.34.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from playwright.sync_api import Error as BrowserError

from benchmarks.measuring import graph_planted
from benchmarks.measuring.asking import ask_until, json_or_none
from benchmarks.measuring.environments import ROOT, our_program, tensorboard_program
from benchmarks.measuring.figures import Figure, Measurement, Options, median, quantile, run, say
from benchmarks.measuring.graph_files import write_graph
from benchmarks.measuring.page_window import Window, time_change, windows
from benchmarks.measuring.serving import Dashboard, our_dashboard, tensorboard
from mindinsight.graphs.model import read_graph

TENSORBOARD, EXPLORER = "TensorBoard 2.21", "Model Explorer 0.1.34"
NAN = float("nan")
STAGE, PEER_STAGE = "main .stage", "tf-graph-scene, tf-graph-scene#scene"
LAYERS = {"2k": 47, "9k": 188, "23k": 470, "115k": 2347}
# Seconds until the page is settled, milliseconds until an opened box is, of the longest task, megabytes of heap.
TARGETS = {
    "resnet50": (1.0, 150.0, 100.0, 50.0),
    "2k": (1.0, 150.0, 100.0, 50.0),
    "9k": (1.2, 200.0, 100.0, 50.0),
    "23k": (1.5, 300.0, 150.0, 80.0),
    "115k": (2.5, 500.0, 200.0, 150.0),
}
EXPLORER_OPENED = {"resnet50": 1.6, "2k": 1.7, "9k": 2.0, "23k": 4.2, "115k": 9.5}
NOTE_TASKS = """
window.__tasks = []
new PerformanceObserver((list) => list.getEntries().forEach((one) => window.__tasks.push(one.duration)))
  .observe({type: 'longtask', buffered: true})
"""


@contextmanager
def network(name: str) -> Iterator[Path | None]:
    """A directory with one run that has the graph; None where its file is not there."""
    with tempfile.TemporaryDirectory() as folder:
        if name == "resnet50":
            source = real_file()
            if source is None:
                yield None
                return
            write_graph(Path(folder, name), read_graph(source))
        else:
            write_graph(Path(folder, name), graph_planted.transformer(LAYERS[name]).graph())
        yield Path(folder)


def real_file() -> Path | None:
    """The event file of the real ResNet-50."""
    base = (ROOT / os.environ.get("MINDINSIGHT_TEST_DATA", "../shared/data")).resolve()
    return next(iter(sorted((base / "mindspore" / "resnet50").glob("events*MS"))), None)


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


def opened(window: Window, address: str, stage: str) -> float:
    """Seconds from the navigation until the drawing no longer changes."""
    window.page.add_init_script(NOTE_TASKS)
    began = time.perf_counter()
    window.page.goto(address, wait_until="commit")
    box = window.box(stage)
    return window.settled(box) - began


def longest_task(window: Window) -> float:
    """Milliseconds of the longest task of the main thread since the tasks were forgotten."""
    tasks: list[float] = window.page.evaluate("window.__tasks")
    return max(tasks, default=0.0)


def forget_tasks(window: Window) -> None:
    """Begins to note tasks anew."""
    window.page.evaluate("window.__tasks = []")


def dragged(window: Window, stage: str) -> list[float]:
    """Drags the drawing and turns the wheel; returns the milliseconds of each frame."""
    box = window.box(stage)
    left, top = box["x"] + box["width"] / 2, box["y"] + box["height"] - 30
    window.page.mouse.move(left, top)
    window.forget_frames()
    window.page.mouse.down()
    for turn in range(60):
        window.page.mouse.move(left + 4 * (turn % 30), top - 4 * (turn % 30))
    window.page.mouse.up()
    for turn in range(30):
        window.page.mouse.wheel(0, 60 if turn < 15 else -60)
    return window.frames()


def open_our_stack(window: Window) -> None:
    """Opens the largest stack as a person does, in the outline."""
    window.page.locator("[role=treeitem][data-kind=stack]").first.dblclick()


def open_their_layers(window: Window) -> None:
    """Opens TensorBoard's box that has all layers, inside of the box of the network."""
    window.page.locator("g.node.metanode[data-name$='layers'] rect").first.dblclick(force=True, timeout=20_000)


def measure_ours(name: str, times: int) -> dict[str, float]:
    """Opens our page several times."""
    with network(name) as base:
        if base is None:
            return {}
        with our_dashboard(our_program(), base) as dashboard, windows() as new_window:
            graph = analysed(dashboard)
            found: dict[str, list[float]] = {"open": [], "stack": [], "task": [], "heap": [], "frames": []}
            for _ in range(times):
                window = new_window()
                found["open"].append(opened(window, f"{dashboard.address}/graph?graph={graph}", STAGE))
                found["task"].append(longest_task(window))
                forget_tasks(window)
                box = window.box(STAGE)
                found["stack"].append(time_change(window, box, partial(open_our_stack, window))[1])
                found["frames"] += dragged(window, STAGE)
                found["heap"].append(window.heap_megabytes())
                window.page.context.close()
            return _medians(found)


def measure_theirs(name: str, times: int) -> dict[str, float]:
    """Opens TensorBoard's page on the same graph; empty where it cannot be installed."""
    program = tensorboard_program()
    with network(name) as base:
        if base is None or program is None:
            return {}
        with tensorboard(program, base) as dashboard, windows() as new_window:
            ask_until(lambda: bool(json_or_none(f"{dashboard.address}/data/plugin/graphs/info")), "TensorBoard's graph")
            found: dict[str, list[float]] = {"open": [], "stack": [], "task": [], "heap": [], "frames": []}
            for _ in range(times):
                window = new_window()
                try:
                    found["open"].append(opened(window, f"{dashboard.address}/#graphs", PEER_STAGE))
                    found["task"].append(longest_task(window))
                    box = window.box(PEER_STAGE)
                    window.page.locator("g.node.metanode rect").first.dblclick(force=True, timeout=20_000)
                    window.settled(box)
                    found["stack"].append(time_change(window, box, partial(open_their_layers, window))[1])
                    found["frames"] += dragged(window, PEER_STAGE)
                    found["heap"].append(window.heap_megabytes())
                except (BrowserError, TimeoutError) as problem:
                    say(f"{TENSORBOARD} on {name}: {problem}")
                window.page.context.close()
            return _medians(found)


def _medians(found: dict[str, list[float]]) -> dict[str, float]:
    told = {name: median(values) for name, values in found.items() if values and name != "frames"}
    if found["frames"]:
        told |= {"frame": median(found["frames"]), "frame95": quantile(found["frames"], 0.95)}
    return told


def figures_of(name: str, ours: dict[str, float], theirs: dict[str, float]) -> list[Figure]:
    """The figures of one network."""
    opened_target, stack_target, task_target, heap_target = TARGETS[name]
    rows: list[tuple[str, str, str, float]] = [
        ("open", "page opened, drawing settled", "s", opened_target),
        ("stack", "a stack opened and settled", "ms", stack_target),
        ("task", "longest task of the main thread while it opens", "ms", task_target),
        ("heap", "heap of the page with a stack open", "MB", heap_target),
        ("frame", "frame while dragged and zoomed, median", "ms", 17.0),
        ("frame95", "frame while dragged and zoomed, 95 %", "ms", 33.5),
    ]
    figures = [
        Figure(f"{name}_{key}", f"{name}: {what}", unit, ours.get(key, NAN), target, theirs.get(key), TENSORBOARD)
        for key, what, unit, target in rows
    ]
    recorded = f"{name}: page opened, drawing settled"
    figures.append(
        Figure(
            f"{name}_open_explorer",
            recorded,
            "s",
            ours.get("open", NAN),
            None,
            EXPLORER_OPENED[name],
            EXPLORER,
            peer_recorded=True,
        )
    )
    return figures


def measuring(name: str) -> Measurement:
    """A measurement of one network."""

    def measure(options: Options) -> list[Figure]:
        if options.quick and name not in ("resnet50", "2k"):
            return []
        times = options.times(3, 1)
        say(f"{name}, ours …")
        ours = measure_ours(name, times)
        say(f"{name}, {TENSORBOARD} …")
        return figures_of(name, ours, measure_theirs(name, times)) if ours else []

    return measure


KEYS = ("open", "stack", "task", "heap", "frame", "frame95", "open_explorer")
MEASUREMENTS: dict[Measurement, list[str]] = {measuring(name): [f"{name}_{key}" for key in KEYS] for name in TARGETS}

if __name__ == "__main__":
    if shutil.which("chromium") is None:
        sys.exit("Chromium is needed: apt-get install chromium.")
    sys.exit(run(__doc__ or "", MEASUREMENTS))
