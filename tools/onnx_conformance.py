"""Run ONNX's own cases and count by operator what passes: `python tools/onnx_conformance.py FOLDER [--mode graph]`.

FOLDER is what `tools/onnx_node_cases.py` has written. With `--list STATE` it names the cases that are "refused",
"differs" or "error", with the reasons; `--only TEXT` runs those whose names contain the text.
"""

import argparse
import sys
import warnings
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from google.protobuf.message import DecodeError  # noqa: E402

import framework as ms  # noqa: E402
from framework.schema.onnx_pb2 import Attribute, Graph, Model  # noqa: E402
from tests.framework.onnx.cases import cases, run_case  # noqa: E402

PLAIN = frozenset(range(1, 14)) - {8}


def main() -> int:
    """Run the command line; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--mode", choices=("graph", "pynative"), default="pynative")
    parser.add_argument("--list", action="append", default=[])
    parser.add_argument("--only", default="")
    parser.add_argument("--plain", action="store_true", help="leave out cases with other element types")
    options = parser.parse_args()
    mode = ms.GRAPH_MODE if options.mode == "graph" else ms.PYNATIVE_MODE
    counts: Counter[str] = Counter()
    by_operator: dict[str, Counter[str]] = {}
    warnings.simplefilter("ignore")
    for case in cases(options.folder):
        if options.only not in case.name or (options.plain and not is_plain(case)):
            continue
        outcome = run_case(case, mode)
        counts[outcome.state] += 1
        name = last_operator(case)
        by_operator.setdefault(name, Counter())[outcome.state] += 1
        if outcome.state in options.list:
            print(f"{outcome.state:8} {case.name}: {outcome.reason.replace(str(case), '')[:400]}")
    for name, states in sorted(by_operator.items()):
        if states.keys() - {"passes"}:
            print(f"{name:30} {dict(states)}")
    print(f"{sum(counts.values())} cases: {dict(counts)}")
    return 0


def is_plain(case: Path) -> bool:
    """Whether all declared types of a case are tensors of plain elements."""
    try:
        graph = Model.FromString((case / "model.onnx").read_bytes()).graph
    except DecodeError:
        return False
    return types_of(graph) <= PLAIN


def types_of(graph: Graph) -> set[int]:
    """The element types in a graph; -1 for what is no tensor."""
    found = {item.data_type for item in graph.initializer}
    for item in (*graph.input, *graph.output, *graph.value_info):
        found.add(item.type.tensor_type.elem_type if item.type.WhichOneof("value") == "tensor_type" else -1)
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.type == Attribute.GRAPH:
                found |= types_of(attribute.g)
            elif attribute.type == Attribute.TENSOR:
                found.add(attribute.t.data_type)
            elif attribute.name in ("to", "dtype", "output_dtype") and attribute.i:
                found.add(attribute.i)
    return found - {0}


def last_operator(case: Path) -> str:
    """The operator that a case is about: that of its last node."""
    graph = Model.FromString((case / "model.onnx").read_bytes()).graph
    return graph.node[-1].op_type if graph.node else "none"


if __name__ == "__main__":
    sys.exit(main())
