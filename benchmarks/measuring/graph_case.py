"""Recognises one graph in a process of its own and prints what came of it as JSON. Started by `substructures.py`."""

from __future__ import annotations

import json
import resource
import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent))

from benchmarks.measuring import graph_planted
from benchmarks.measuring.graph_checker import Checker, best_overlaps, precision
from benchmarks.measuring.graph_planted import Planted
from benchmarks.measuring.graph_stacking import stacked_by_type, stacked_parts
from mindinsight.graphs.substructures import plain_document, recognise

MAKERS = {
    "transformer": graph_planted.transformer,
    "experts": graph_planted.experts,
    "training": graph_planted.training,
}
CHECKED = 200_000
"""Larger graphs are checked on this many occurrences' nodes."""


def make(case: dict[str, Any]) -> Planted:
    """Makes the graph that a case describes."""
    maker = MAKERS.get(case["maker"])
    made = maker(**case["arguments"]) if maker else graph_planted.planted(**case["arguments"])
    for name, arguments in case.get("then", []):
        made = getattr(made, name)(**arguments)
    return made


def run(case: dict[str, Any]) -> dict[str, Any]:
    """Recognises a case and judges it."""
    planted = make(case)
    graph = planted.graph()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    walls, cpus = [], []
    for _ in range(case.get("repeats", 1)):
        wall, cpu = time.perf_counter(), time.process_time()
        found = recognise(graph)
        walls.append(time.perf_counter() - wall)
        cpus.append(time.process_time() - cpu)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    rows = [structure.nodes for structure in found.structures]
    near = [variant.nodes for structure in found.structures for variant in structure.variants]
    overlaps = best_overlaps(planted.truth, rows + near, len(graph))
    exact = best_overlaps(planted.truth, rows, len(graph))
    peer = best_overlaps(planted.truth, stacked_parts(graph), len(graph)) if len(graph) < CHECKED else {}
    top = [structure.nodes for structure in found.structures if structure.parent < 0]
    answer: dict[str, Any] = {
        "nodes": len(graph),
        "wall": min(walls),
        "cpu": min(cpus),
        "peak_mb": peak * 1024 / 1e6,
        "before_mb": before * 1024 / 1e6,
        "structures": len(rows),
        "recall": {name: float((best >= 0.9).mean()) for name, best in overlaps.items()},
        "exact_recall": {name: float((best >= 0.9).mean()) for name, best in exact.items()},
        "peer_recall": {name: float((best >= 0.9).mean()) for name, best in peer.items()},
        "jaccard": {name: float(best.mean()) for name, best in overlaps.items()},
        "precision": precision(planted.truth, top, len(graph)),
        "folded": found.folded,
        "peer_folded": stacked_by_type(graph),
    }
    if case.get("check", len(graph) < CHECKED):
        checker = Checker(graph)
        document = plain_document(found)
        verdict = checker.check(document)
        answer["accepted"] = verdict.accepted
        answer["faults"] = verdict.faults[:5]
        answer["checked"] = verdict.occurrences
        answer["vf2"] = checker.agrees_with_vf2(document, case.get("pairs", 5))
        answer["laminar"] = checker.laminar(document) if len(graph) < 20_000 else None
    return answer


if __name__ == "__main__":
    print(json.dumps(run(json.loads(sys.argv[1]))))
