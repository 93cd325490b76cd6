"""300 damaged graphs made from real ones: each opens with its defects or is refused, and all that follows works."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from mindinsight.graphs.diff import compare
from mindinsight.graphs.model import DefectCode, Graph, GraphError, graph_from_bytes
from mindinsight.graphs.scene import make_scene
from mindinsight.graphs.substructures import recognise
from summaries.schema.anf_ir_pb2 import GraphProto, NodeProto
from tests.counts import LONG
from tests.mindinsight.graphs.graph_edits import copied, real_proto

EACH = 25 if LONG else 12
"""So many graphs are made by each kind of damage; there are twelve."""
SECONDS = 0.05
Damage = Callable[[GraphProto, random.Random], bytes]
NAMES = ["", "\0", "..", "../../etc/passwd", "<img src=x>", "\u202eback", "a" * 5000, "/" * 300, "cst1", "%s{0}", "\n"]

REFUSAL = re.compile(r"dump \d+: [^.].{40,}[.)]", re.DOTALL)


@pytest.fixture(scope="session")
def bases(real_files: Path) -> list[GraphProto]:
    """Real graphs, the larger ones' first operators."""
    lenet = real_proto(real_files, "lenet/mom_lr01_b32")
    return [lenet, *(beginning(real_proto(real_files, name)) for name in ("bert12", "resnet50"))]


def beginning(graph: GraphProto) -> GraphProto:
    """The first 150 operators, with what they read."""
    part = GraphProto(name=graph.name)
    part.node.extend(graph.node[:150])
    read = {item.name for node in part.node for item in node.input}
    part.parameters.extend(parameter for parameter in graph.parameters if parameter.name in read)
    part.const_vals.extend(constant for constant in graph.const_vals if constant.key in read)
    part.outputs.add(name=part.node[-1].name)
    return part


def one(graph: GraphProto, chance: random.Random) -> NodeProto:
    """An operator that reads another one."""
    names = {node.name for node in graph.node}
    return chance.choice([node for node in graph.node if any(item.name in names for item in node.input)])


def flipped(graph: GraphProto, chance: random.Random) -> bytes:
    content = bytearray(graph.SerializeToString())
    for _ in range(chance.randint(1, 40)):
        content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
    return bytes(content)


def truncated(graph: GraphProto, chance: random.Random) -> bytes:
    content = graph.SerializeToString()
    return content[: chance.randrange(len(content))]


def spliced(graph: GraphProto, chance: random.Random) -> bytes:
    content = bytearray(graph.SerializeToString())
    for _ in range(chance.randint(1, 5)):
        place = chance.randrange(len(content))
        content[place : place + chance.randint(0, 200)] = chance.randbytes(chance.randint(0, 200))
    return bytes(content)


def dropped(graph: GraphProto, chance: random.Random) -> bytes:
    for _ in range(chance.randint(1, 10)):
        del graph.node[chance.randrange(len(graph.node))]
    read = one(graph, chance).input
    gone = {item.name for item in read}
    for node in [node for node in graph.node if node.name in gone]:
        graph.node.remove(node)
    return graph.SerializeToString()


def duplicated(graph: GraphProto, chance: random.Random) -> bytes:
    for _ in range(chance.randint(1, 10)):
        graph.node.add().CopyFrom(chance.choice(graph.node))
    return graph.SerializeToString()


def rewired(graph: GraphProto, chance: random.Random) -> bytes:
    names = [node.name for node in graph.node] + [parameter.name for parameter in graph.parameters]
    for node in graph.node:
        for item in node.input:
            if chance.random() < 0.2:
                item.name = chance.choice(names)
    return graph.SerializeToString()


def circled(graph: GraphProto, chance: random.Random) -> bytes:
    sources = {node.name: node for node in graph.node}
    for _ in range(chance.randint(1, 4)):
        node = one(graph, chance)
        source = next(sources[item.name] for item in node.input if item.name in sources)
        source.input.add(name=node.name)
    return graph.SerializeToString()


def named(graph: GraphProto, chance: random.Random) -> bytes:
    for part in [*graph.node, *graph.parameters]:
        if chance.random() < 0.3:
            part.name = chance.choice(NAMES)
    for constant in graph.const_vals:
        constant.key = chance.choice([constant.key, chance.choice(NAMES)])
    for node in graph.node:
        node.op_type = chance.choice([node.op_type, chance.choice(NAMES)])
        node.scope = chance.choice([node.scope, chance.choice(NAMES), "/".join(NAMES)])
    return graph.SerializeToString()


def bloated(graph: GraphProto, chance: random.Random) -> bytes:
    node = one(graph, chance)
    giant = chance.choice(["x", "/a", "层"]) * 200_000
    field = chance.choice(["op_type", "scope", "full_name", "instance_name", "attribute", "input"])
    if field == "attribute":
        node.attribute.add(name="giant").value.str_val = giant
    elif field == "input":
        node.input.add(name=giant)
    else:
        setattr(node, field, giant)
    return graph.SerializeToString()


def nested(graph: GraphProto, chance: random.Random) -> bytes:
    value = one(graph, chance).attribute.add(name="deep").value
    for _ in range(chance.choice([10, 40, 90])):
        value = value.values.add()
    return graph.SerializeToString()


def widened(graph: GraphProto, chance: random.Random) -> bytes:
    names = [node.name for node in graph.node]
    for _ in range(3000):
        one_of_two = chance.choice(graph.node[:2])
        one_of_two.input.add(name=chance.choice(names))
    return graph.SerializeToString()


def emptied(graph: GraphProto, chance: random.Random) -> bytes:
    for parts in (graph.node, graph.parameters, graph.const_vals, graph.outputs):
        if chance.random() < 0.5:
            del parts[:]
    for node in graph.node:
        if chance.random() < 0.3:
            node.Clear()
    return graph.SerializeToString()


DAMAGES = [
    *(flipped, truncated, spliced, dropped, duplicated, rewired),
    *(circled, named, bloated, nested, widened, emptied),
]
CERTAIN = {
    dropped: DefectCode.MISSING_INPUT,
    duplicated: DefectCode.DUPLICATE_NAME,
    circled: DefectCode.CYCLE,
    named: DefectCode.DUPLICATE_NAME,
}
"""What such graphs have in any case."""
REFUSED = {flipped: EACH * 4 // 5, truncated: EACH, spliced: EACH, emptied: EACH * 4 // 5}
"""So many of a kind may be refused; all others open."""


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.__name__)
def test_damaged_graphs_open_or_are_refused_and_all_that_follows_works(bases: list[GraphProto], damage: Damage) -> None:
    originals = [graph_from_bytes(base.SerializeToString()) for base in bases]
    chance = random.Random(damage.__name__)
    refused: list[str] = []
    for number in range(EACH):
        which = number % len(bases)
        content = damage(copied(bases[which]), chance)
        try:
            graph = graph_from_bytes(content, f"dump {number}")
        except GraphError as error:
            refused.append(str(error))
            continue
        assert_usable(graph, originals[which])
        if damage in CERTAIN:
            assert CERTAIN[damage] in graph.defect_counts
    assert len(refused) <= REFUSED.get(damage, 0)
    assert all(REFUSAL.fullmatch(said) for said in refused), refused


@pytest.mark.parametrize("part", ["/a", "a/", "//", "Gradients/", "0-层/"])
def test_scopes_and_names_of_any_depth_are_laid_out(part: str) -> None:
    message = GraphProto()
    deep = part * 100_000
    message.parameters.add(name=deep.replace("/", ".") + "weight")
    for number in range(8):
        node = message.node.add(name=str(number), op_type="MatMul", scope=deep if number % 2 else f"{deep}{number}")
        node.input.add(name=message.parameters[0].name)
        node.input.add(name=str(number - 1) if number else message.parameters[0].name)
    graph = graph_from_bytes(message.SerializeToString())
    assert graph.defect_counts == {DefectCode.DEEP_SCOPE: 8}
    assert "100" in graph.defects[0].message
    assert len(graph.defects[0].message) < 300
    make_scene(graph, recognise(graph))


def assert_usable(graph: Graph, original: Graph) -> None:
    """Its defects are sentences, the search ends, and it can be held against what it was made from."""
    assert len(graph) > 0
    assert all(defect.message.endswith(".") and -1 <= defect.node < len(graph) for defect in graph.defects)
    assert sum(graph.defect_counts.values()) >= len(graph.defects)
    found = recognise(graph, seconds=SECONDS)
    assert all(structure.nodes.max() < len(graph) for structure in found.structures)
    make_scene(graph, found)
    diff = compare(original, graph)
    counts = diff.counts
    assert counts["same"] + counts["changed"] + counts["added"] == len(graph)
    assert counts["same"] + counts["changed"] + counts["removed"] == len(original)
    assert len(diff.changes(0, 20)) <= 20
