"""How well the graphs of 40 PyTorch models fold: each is captured, opened, searched for repeats, and checked.

A figure is the number of boxes that show a graph with its repeats folded (boxes shown and the boxes of all
sub-structures), as a percentage of its nodes. Every occurrence is checked by independent code. Models have random
weights, their usual depth and small inputs; a graph is that of a whole step with forward, backward and optimizer.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.measuring.environments import ROOT, plain_variables
from benchmarks.measuring.figures import Figure, Measurement, Options, run, say
from benchmarks.measuring.graph_checker import Checker
from mindinsight.graphs.model import Graph, NodeKind, read_graph
from mindinsight.graphs.model.defects import GraphError
from mindinsight.graphs.substructures import plain_document, recognise
from tools.test_adapters import environment

#: Targets of the shares that are shown: of transformers, of ResNet-50, of all others.
GROUPS = {
    "transformers": ("bert roberta electra albert distilbert gpt2 gpt_neox opt llama mistral qwen2 phi t5 vit", 8.0),
    "resnet50": ("resnet50", 10.0),
    "others": (
        "resnet18 resnext50_32x4d mnasnet1_0 densenet121 googlenet mobilenet_v2 mobilenet_v3_large efficientnet_b0 "
        "convnext_tiny swin_t vit_b_16 regnet_y_400mf shufflenet_v2_x1_0 resmlp_12_224 mixer_s16_224 "
        "deit_tiny_patch16_224 poolformer_s12 ghostnet_100 repvgg_a0 cait_xxs24_224 gmlp_s16_224 rexnet_100 "
        "edgenext_small xcit_nano_12_p16_224 beit_base_patch16_224",
        20.0,
    ),
}
TARGETS = {name: most for names, most in GROUPS.values() for name in names.split()}
MODELS = tuple(TARGETS)
MOST = 20.0
FOLDED = 36
"""So many of the graphs are to fold to at most `MOST` percent of their nodes."""


@dataclass(frozen=True)
class Found:
    """What was found in a graph.

    Attributes:
        nodes: number of its nodes.
        shown: percentage of them that the boxes are.
        accepted: whether the checker accepts every occurrence.
        unscoped: number of operators without a scope that are not the loss's.
    """

    nodes: int
    shown: float
    accepted: bool
    unscoped: int


def captured(names: Sequence[str], folder: Path) -> None:
    """Capture the graphs of some models, each into a folder of its name."""
    script = ROOT / "benchmarks" / "measuring" / "torch_graphs.py"
    variables = plain_variables(OMP_NUM_THREADS="1", PYTHONPATH=str(ROOT))
    subprocess.run([str(environment()), str(script), str(folder), *names], check=True, env=variables)


def found_in(folder: Path) -> Found | None:
    """What is found in a captured graph; None if there is none."""
    files = [path for path in sorted(folder.glob("*")) if not path.name.endswith("_lineage")]
    try:
        graph = read_graph(files[0]) if files else None
    except GraphError as error:
        say(str(error))
        return None
    if graph is None:
        return None
    catalogue = recognise(graph)
    verdict = Checker(graph).check(plain_document(catalogue))
    return Found(len(graph), 100 * (1 - catalogue.folded), verdict.accepted == 1.0, _unscoped(graph))


def _unscoped(graph: Graph) -> int:
    """The operators outside of all modules that come before the loss, or whose forward operator is not known."""
    scopes = [graph.strings[int(number)] for number in graph.scope]
    operators = [number for number in range(len(graph)) if graph.kind[number] == NodeKind.OPERATOR]
    inside = [number for number in operators if scopes[number].startswith("Default/")]
    last = max(inside, default=-1)
    start = [number for number in operators if scopes[number] == "Gradients/Default"]
    # The gradient of the loss begins with ones, and with what a scaler multiplies them by.
    lost = [number for number in start if graph.strings[int(graph.op[number])] != "ones_like"]
    return sum(scopes[number] in ("", "Default") and number < last for number in operators) + len(lost)


def measure_graphs(options: Options) -> list[Figure]:
    """All models, or the first of each group."""
    names = [group.split()[0] for group, _ in GROUPS.values()] if options.quick else list(MODELS)
    with tempfile.TemporaryDirectory() as folder:
        captured(names, Path(folder))
        return figures_of(names, Path(folder))


def figures_of(names: Sequence[str], folder: Path) -> list[Figure]:
    """The figures of captured graphs."""
    found: dict[str, Found] = {}
    figures = []
    for name in names:
        one = found_in(folder / name)
        if one is None:
            say(f"{name}: no graph")
            continue
        found[name] = one
        figures.append(Figure(name, f"{name}, {one.nodes:,} nodes: shown", "%", one.shown, TARGETS[name]))
    few = sum(one.shown <= MOST for one in found.values())
    target = FOLDED if len(names) == len(MODELS) else len(names)
    accepted = sum(one.accepted for one in found.values())
    unscoped = sum(one.unscoped for one in found.values())
    return [
        *figures,
        Figure("opened", f"of {len(names)} graphs: opened", "", len(found), len(names), more_is_better=True),
        Figure("folded", f"of {len(names)}: at most {MOST:.0f} % shown", "", few, target, more_is_better=True),
        Figure(
            "accepted", "graphs whose occurrences the checker accepts", "", accepted, len(names), more_is_better=True
        ),
        Figure("unscoped", "operators without a scope, but the loss's", "", unscoped, 0.0),
    ]


MEASUREMENTS: dict[Measurement, Sequence[str]] = {measure_graphs: (*MODELS, "opened", "folded", "accepted", "unscoped")}

if __name__ == "__main__":
    sys.exit(run(__doc__.splitlines()[0], MEASUREMENTS))
