"""Opens one network on one dashboard and prints what was measured as JSON. Started by `graph_page.py`."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent))

from benchmarks.measuring.asking import ask_until, json_or_none
from benchmarks.measuring.environments import model_explorer_program, our_program, tensorboard_program
from benchmarks.measuring.graph_networks import Network, network
from benchmarks.measuring.graph_viewers import Values, explorer_viewer, look, our_viewer, tensorboard_viewer
from benchmarks.measuring.page_window import windows
from benchmarks.measuring.serving import Dashboard, model_explorer, our_dashboard, tensorboard

TENSORBOARD, EXPLORER = "TensorBoard 2.21", "Model Explorer 0.1"


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


def crowd(layers: int, opened: int) -> Callable[[str], str]:
    """The part of our page's address that opens a number of layers of a stack beside each other."""

    def everything(inside: str) -> str:
        root = json_or_none(inside) or {"boxes": []}
        at = next(one["index"] for one in root["boxes"] if one["kind"] == "stack")
        paths = [f"{at}%23*", *(f"{at}%23{layer * (layers // opened)}" for layer in range(opened))]
        return "&open=" + "~".join(paths)

    return everything


def measure_ours(made: Network, program: Path, times: int, more: Callable[[str], str], found: Values) -> None:
    """Opens our page several times; `more` gives what is added to its address."""
    with our_dashboard(program, made.own_base, made.workspace) as dashboard, windows() as new_window:
        graph = analysed(dashboard)
        added = more(f"{dashboard.address}/api/graphs/inside?graph={graph}")
        viewer = our_viewer(dashboard.address, graph, made.box, added)
        for _ in range(times):
            look(viewer, new_window, found)


def measure_tensorboard(made: Network, times: int, found: Values) -> None:
    """Opens TensorBoard's page several times; nothing where it cannot be installed."""
    program = tensorboard_program()
    if program is not None:
        with tensorboard(program, made.base) as dashboard, windows() as new_window:
            info = f"{dashboard.address}/data/plugin/graphs/info"
            ask_until(lambda: bool(json_or_none(info)), "TensorBoard's graph")
            viewer = tensorboard_viewer(TENSORBOARD, dashboard.address, made.scopes)
            for _ in range(times):
                look(viewer, new_window, found)


def measure_explorer(made: Network, times: int, found: Values) -> None:
    """Opens Model Explorer's page several times; nothing where it cannot be installed."""
    program = model_explorer_program()
    if program is not None:
        with model_explorer(program, made.explorer) as dashboard, windows() as new_window:
            for _ in range(times):
                look(explorer_viewer(EXPLORER, dashboard.address), new_window, found)


def measure(case: dict[str, Any]) -> Values | None:
    """What was measured of a case; None where the network is not there.

    Args:
        case: `network`, `side`, `kept` (a directory), `times`; of ours `program`, and `crowd` with numbers of layers.
    """
    found: Values = {}
    with network(case["network"], Path(case["kept"])) as made:
        if made is None:
            return None
        if case["side"] == "tensorboard":
            measure_tensorboard(made, case["times"], found)
        elif case["side"] == "explorer":
            measure_explorer(made, case["times"], found)
        else:
            program = Path(case["program"]) if case["program"] else our_program()
            more = crowd(*case["crowd"]) if case["crowd"] else lambda _: ""
            measure_ours(made, program, case["times"], more, found)
    return found


if __name__ == "__main__":
    print(json.dumps(measure(json.loads(sys.argv[1]))))
