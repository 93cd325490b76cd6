"""How well repeats in computation graphs are found: in graphs with planted repeats, in noise, and in real ones.

*Recall* is the share of planted occurrences for which a found one has a Jaccard index of at least 0.9; variants count
if layers were changed on purpose. *Accepted* is the share of found occurrences that pass an independent checker: labels
and ordered wiring place by place, all edges listed, no overlaps. *Folded* is the share of nodes that need not be shown:
1 - (boxes shown + boxes of all sub-structures) / nodes. The peer is MindInsight's stacking, reimplemented from its
description; the solution published in 2020 is quoted. Each made graph is searched in a separate process; its memory is
the peak of that process, including the graph.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.measuring.cases import run_case
from benchmarks.measuring.environments import ROOT
from benchmarks.measuring.figures import Figure, Measurement, Options, run, say
from benchmarks.measuring.graph_checker import Checker
from benchmarks.measuring.graph_stacking import stacked_by_type
from mindinsight.graphs.model import Graph, read_graph
from mindinsight.graphs.substructures import Catalogue, plain_document, recognise

SCRIPT = Path(__file__).parent / "measuring" / "graph_case.py"
STACKING = "MindInsight's stacking, written anew"
PUBLISHED = "the solution of 2020"
SECONDS = {"1k": 0.1, "10k": 0.3, "100k": 1.0, "1M": 6.0}
LAYERS = {"1k": 20, "10k": 204, "100k": 2040, "1M": 20400}
NOISY = {
    "1k": {"nodes": 1000, "patterns": 2, "copies": 5, "size": 20},
    "10k": {"nodes": 10_000, "patterns": 5, "copies": 20, "size": 30},
    "100k": {"nodes": 100_000, "patterns": 20, "copies": 50, "size": 40},
    "1M": {"nodes": 1_000_000, "patterns": 50, "copies": 200, "size": 40},
}
MEGABYTES = 700.0
LIMIT = 1200.0
"""Seconds after which a case counts as not done: making and checking a million nodes takes longer than the search."""


def case(maker: str, then: Sequence[tuple[str, Mapping[str, Any]]] = (), **arguments: Any) -> dict[str, Any]:
    """Recognises one made graph in a process of its own."""
    repeats = arguments.pop("repeats", 1)
    asked = {"maker": maker, "arguments": arguments, "then": list(then), "repeats": repeats}
    say(f"{maker} {arguments} {' '.join(name for name, _ in then)} …")
    answer: dict[str, Any] = run_case(SCRIPT, asked, LIMIT)
    for fault in answer.get("faults", []):
        say(f"  {fault}")
    return answer


def percent(share: float) -> float:
    """A share as a percentage."""
    return 100 * share


def worst(recalls: Mapping[str, float]) -> float:
    """The lowest recall of several kinds of occurrences, as a percentage."""
    return percent(min(recalls.values(), default=1.0))


SIZES = ("1k", "10k", "100k", "1M")
OfSize = Callable[[str], list[Figure]]


def each(size: str, figures_of: OfSize) -> Measurement:
    """A measurement of one size: where it fails, the others are not lost."""

    def measure(options: Options) -> list[Figure]:
        return [] if options.quick and size not in SIZES[:2] else figures_of(size)

    return measure


def measure_layers(size: str) -> list[Figure]:
    """Layers in a row, from a thousand to a million nodes."""
    figures: list[Figure] = []
    found = case("transformer", layers=LAYERS[size], repeats=1 if size == "1M" else 5)
    what = f"a transformer of {found['nodes']:,} nodes"
    figures += [
        Figure(f"layers_{size}", f"{what}: time", "s", found["wall"], SECONDS[size]),
        Figure(f"layers_cpu_{size}", f"{what}: processor time", "s", found["cpu"]),
        Figure(f"layers_recall_{size}", f"{what}: recall", "%", worst(found["recall"]), 100.0, more_is_better=True),
    ]
    if size == "1M":
        figures.append(Figure("layers_memory", f"{what}: memory", "MB", found["peak_mb"], MEGABYTES))
    else:
        figures.append(_folded(f"layers_folded_{size}", what, found))
    return figures


def _folded(name: str, what: str, found: Mapping[str, Any]) -> Figure:
    ours, theirs = percent(found["folded"]), percent(found["peer_folded"])
    return Figure(name, f"{what}: folded", "%", ours, None, theirs, STACKING, more_is_better=True)


def measure_noise(size: str) -> list[Figure]:
    """Patterns planted into noise."""
    figures: list[Figure] = []
    found = case("planted", **NOISY[size])
    what = f"{NOISY[size]['patterns']} patterns in {found['nodes']:,} nodes, 60 to 80 % noise"
    target = 99.0 if size == "1M" else 100.0
    peer, peer_name, recorded = None, "", False
    if size == "10k":
        peer, peer_name, recorded = 0.0, PUBLISHED, True
    ours = percent(sum(found["recall"].values()) / len(found["recall"]))
    figures += [
        Figure(
            f"noise_recall_{size}",
            f"{what}: recall",
            "%",
            ours,
            target,
            peer,
            peer_name,
            recorded,
            more_is_better=True,
        ),
        Figure(
            f"noise_precision_{size}",
            f"{what}: precision",
            "%",
            percent(found["precision"]),
            None,
            more_is_better=True,
        ),
        Figure(f"noise_{size}", f"{what}: time", "s", found["wall"]),
    ]
    return figures


def measure_noise_alone(size: str) -> list[Figure]:
    """Noise in which nothing was planted."""
    figures: list[Figure] = []
    nodes = NOISY[size]["nodes"]
    alone = case("planted", nodes=nodes, patterns=0, copies=0, size=30)
    what = f"noise of {nodes:,} nodes"
    figures.append(Figure(f"noise_alone_{size}", f"{what}: sub-structures told", "", alone["structures"], 0.0))
    if size == "1M":
        figures.append(Figure(f"noise_alone_{size}_seconds", f"{what}: time", "s", alone["wall"]))
        figures.append(Figure("noise_memory", f"{what}: memory", "MB", alone["peak_mb"], MEGABYTES))
    return figures


DISTURBED: dict[str, tuple[str, str, list[tuple[str, dict[str, Any]]], dict[str, Any], float]] = {
    "experts": ("a mixture of experts", "experts", [], {"layers": 20, "width": 16}, 100.0),
    "training": ("forward, backward, Adam", "training", [], {"layers": 12}, 100.0),
    "shuffled_layers": (
        "ids shuffled: a transformer",
        "transformer",
        [("shuffled", {"seed": 3})],
        {"layers": 200},
        100.0,
    ),
    "shuffled_training": ("ids shuffled: a training", "training", [("shuffled", {"seed": 3})], {"layers": 12}, 100.0),
    "shuffled_noise": ("ids shuffled: patterns in noise", "planted", [("shuffled", {"seed": 3})], NOISY["10k"], 100.0),
    "swapped": (
        "inputs of half the additions and products swapped",
        "transformer",
        [("swapped", {"share": 0.5, "seed": 3})],
        {"layers": 200},
        95.0,
    ),
    "changed": (
        "an operator changed in 20 % of the layers",
        "transformer",
        [("changed", {"name": "layer", "share": 0.2, "seed": 3})],
        {"layers": 100},
        95.0,
    ),
    "changed_unscoped": (
        "the same without scopes",
        "transformer",
        [("changed", {"name": "layer", "share": 0.2, "seed": 3}), ("without_scopes", {})],
        {"layers": 100},
        95.0,
    ),
}


def measure_disturbed(options: Options) -> list[Figure]:
    """Graphs that make it hard: experts, trainings, shuffled, swapped and changed ones."""
    del options
    figures, accepted, checked, agreed, asked = [], [], 0, 0, 0
    for name, (what, maker, then, arguments, target) in DISTURBED.items():
        found = case(maker, then, **arguments)
        theirs = worst(found["peer_recall"])
        ours = worst(found["recall"])
        figures.append(Figure(name, f"{what}: recall", "%", ours, target, theirs, STACKING, more_is_better=True))
        accepted.append(found["accepted"] * found["checked"])
        checked += found["checked"]
        agreed, asked = agreed + found["vf2"][0], asked + found["vf2"][1]
    share = percent(sum(accepted) / checked)
    return [
        *figures,
        Figure("accepted", f"{checked:,} occurrences: accepted by the checker", "%", share, 100.0, more_is_better=True),
        Figure(
            "vf2", f"{asked} pairs: networkx's VF2 agrees", "%", percent(agreed / asked), 100.0, more_is_better=True
        ),
    ]


def real_graph(name: str) -> Graph | None:
    """One of the real graphs, where they are."""
    directory = Path(os.environ.get("MINDINSIGHT_TEST_DATA", ROOT.parent / "shared" / "data")) / "mindspore" / name
    found = sorted(directory.glob("*_MS"))
    if not found:
        say(f"There is no {directory}; MINDINSIGHT_TEST_DATA names the directory that has the real graphs.")
        return None
    return read_graph(found[0])


REAL = {"bert12": (15.0, 12), "resnet50": (25.0, 16)}


def measure_real(options: Options) -> list[Figure]:
    """The graphs that MindSpore wrote of BERT's encoder and of ResNet-50."""
    del options
    figures = []
    for name, (target, blocks) in REAL.items():
        graph = real_graph(name)
        if graph is None:
            continue
        found = recognise(graph)
        seconds = min(recognise(graph).seconds for _ in range(5))
        shown = percent(1 - found.folded)
        theirs = percent(1 - stacked_by_type(graph))
        checker = Checker(graph)
        document = plain_document(found)
        agreed, asked = checker.agrees_with_vf2(document, 10)
        figures += [
            Figure(f"{name}_shown", f"{name}: boxes shown and dictionary", "%", shown, target, theirs, STACKING),
            *(
                Figure(
                    f"{name}_{phase}",
                    f"{name}: blocks found {phase}",
                    "",
                    _blocks(found, phase, blocks),
                    blocks,
                    more_is_better=True,
                )
                for phase in ("forward", "backward")
            ),
            Figure(
                f"{name}_series",
                f"{name}: optimizer units in a series",
                "%",
                percent(_in_series(found)),
                100.0,
                more_is_better=True,
            ),
            Figure(f"{name}_seconds", f"{name}: time", "s", seconds),
            Figure(
                f"{name}_accepted",
                f"{name}: accepted by the checker",
                "%",
                percent(checker.check(document).accepted),
                100.0,
                more_is_better=True,
            ),
            Figure(
                f"{name}_vf2",
                f"{name}: {asked} pairs, networkx's VF2 agrees",
                "%",
                percent(agreed / asked),
                100.0,
                more_is_better=True,
            ),
        ]
    return figures


def _blocks(found: Catalogue, phase: str, count: int) -> int:
    """How often the sub-structure of a phase that repeats so often occurs."""
    return max(
        (s.count for s in found.structures if s.phase_name == phase and s.parent < 0 and s.count == count), default=0
    )


def _in_series(found: Catalogue) -> float:
    """The share of occurrences of the optimizer's main sub-structure that lie in one series."""
    units = [s for s in found.structures if s.phase_name == "optimizer" and s.parent < 0]
    main = max(units, key=lambda structure: structure.nodes.size, default=None)
    return max((len(members) for members in main.series), default=0) / main.count if main else 0.0


MEASUREMENTS: dict[Measurement, Sequence[str]] = {
    **{
        each(size, measure_layers): (
            f"layers_{size}",
            f"layers_cpu_{size}",
            f"layers_recall_{size}",
            "layers_memory" if size == "1M" else f"layers_folded_{size}",
        )
        for size in SIZES
    },
    **{
        each(size, measure_noise): (f"noise_recall_{size}", f"noise_precision_{size}", f"noise_{size}")
        for size in SIZES
    },
    **{
        each(size, measure_noise_alone): (
            f"noise_alone_{size}",
            *(("noise_alone_1M_seconds", "noise_memory") if size == "1M" else ()),
        )
        for size in SIZES
    },
    measure_disturbed: (*DISTURBED, "accepted", "vf2"),
    measure_real: tuple(
        f"{name}_{figure}"
        for name in REAL
        for figure in ("shown", "forward", "backward", "series", "seconds", "accepted", "vf2")
    ),
}

if __name__ == "__main__":
    sys.exit(run(__doc__.splitlines()[0], MEASUREMENTS))
