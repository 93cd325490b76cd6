"""Makes the dumps that a compiler would leave, from a real graph, by rewrites done by hand.

`python -m tests.mindinsight.graphs.passes.make_passes EVENT_FILE DIRECTORY` writes them; tests call `make_passes`.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from mindinsight.graphs.model.files import graphs_in_events
from summaries.schema.anf_ir_pb2 import GraphProto, ModelProto, NodeProto
from tests.mindinsight.graphs.graph_edits import copied, redirect

Told = Counter[tuple[str, str]]
"""How many nodes of an operator have a status."""
Rewrite = Callable[[GraphProto], Told]
FUSED, LAYER = "FusedMatMulBiasAdd", "3-EncoderLayer"


def readers(graph: GraphProto, name: str) -> list[NodeProto]:
    """The nodes that read one."""
    return [node for node in graph.node if any(item.name == name for item in node.input)]


def unoptimised(graph: GraphProto) -> None:
    """Inserts what the passes below remove: a cast of a constant, a duplicate expression, an unused one."""
    dense = next(node for node in graph.node if node.op_type == "Reshape")
    graph.const_vals.add(key="axis64").value.int_val = 7
    cast = graph.node.add(name="folded", op_type="Cast")
    cast.input.add(name="axis64")
    dense.input[1].name = cast.name
    softmax = next(node for node in graph.node if node.op_type == "Softmax")
    twin = graph.node.add()
    twin.CopyFrom(softmax)
    twin.name, twin.full_name = "twin", f"{softmax.full_name}-twin"
    for item in readers(graph, softmax.name)[-1].input:
        item.name = twin.name if item.name == softmax.name else item.name
    dead = graph.node.add(name="dead", op_type="Sigmoid")
    dead.input.add(name=softmax.name)


def fold_constants(graph: GraphProto) -> Told:
    """A cast of a constant becomes a constant."""
    cast = next(node for node in graph.node if node.name == "folded")
    said = Counter({("removed", "Cast"): 1, ("removed", "Constant"): 1, ("added", "Constant"): 1})
    said.update(("changed", node.op_type) for node in readers(graph, cast.name))
    graph.const_vals.add(key="axis32").value.float_val = 7.5
    redirect(graph, cast.name, "axis32")
    graph.node.remove(cast)
    graph.const_vals.remove(next(constant for constant in graph.const_vals if constant.key == "axis64"))
    return said


def share_expressions(graph: GraphProto) -> Told:
    """What is computed twice is computed once."""
    twin = next(node for node in graph.node if node.name == "twin")
    first = next(
        node for node in graph.node if node.op_type == twin.op_type and [*node.input] == [*twin.input] and node != twin
    )
    said = Counter({("removed", twin.op_type): 1})
    said.update(("changed", node.op_type) for node in readers(graph, twin.name))
    redirect(graph, twin.name, first.name)
    graph.node.remove(twin)
    return said


def drop_dead(graph: GraphProto) -> Told:
    """What nobody reads goes."""
    dead = next(node for node in graph.node if node.name == "dead")
    graph.node.remove(dead)
    return Counter({("removed", dead.op_type): 1})


def fuse(graph: GraphProto) -> Told:
    """A product and the bias that is added to it become one operator."""
    said: Told = Counter()
    touched: set[str] = set()
    by_name = {node.name: node for node in graph.node}
    for bias in [node for node in graph.node if node.op_type == "BiasAdd"]:
        product = by_name[bias.input[0].name]
        others = [node for node in readers(graph, product.name) if node.name != bias.name]
        if product.op_type != "MatMul" or any(node.op_type != "UpdateState" for node in others):
            continue
        said.update([("removed", "MatMul"), ("removed", "BiasAdd"), ("added", FUSED)])
        touched.update(node.name for node in [*others, *readers(graph, bias.name)])
        made = copied_node(graph, bias, FUSED)
        del made.input[:]
        made.input.extend([*product.input, bias.input[1]])
        graph.node.remove(product)
        graph.node.remove(bias)
        redirect(graph, product.name, made.name)
    said.update(("changed", node.op_type) for node in graph.node if node.name in touched and node.op_type != FUSED)
    return said


def copied_node(graph: GraphProto, node: NodeProto, op: str) -> NodeProto:
    """A node of another type under the same name."""
    made = graph.node.add()
    made.CopyFrom(node)
    made.op_type = op
    return made


def outline(graph: GraphProto) -> tuple[GraphProto, Told]:
    """Moves a layer into a function graph, which is called in its place."""
    function = GraphProto(name="encoder_layer")
    inside = within(graph, {node.name for node in graph.node if LAYER in node.scope and node.op_type == "BatchMatMul"})
    moved = [node for node in graph.node if node.name in inside]
    outside = {node.name for node in graph.node if node.name not in inside}
    said: Told = Counter({("added", "MakeTuple"): 1, ("added", function.name): 1})
    call = graph.node.add(name="call", op_type=function.name, scope=moved[0].scope.partition("/" + LAYER)[0])
    given: dict[str, str] = {}
    for node in moved:
        made = function.node.add()
        made.CopyFrom(node)
        read = [item for item in made.input if item.name in outside]
        for item in read:
            if item.name not in given:
                given[item.name] = f"argument{len(given)}"
                function.parameters.add(name=given[item.name])
                call.input.add(name=item.name)
                said["added", "Parameter"] += 1
            item.name = given[item.name]
        said["changed", node.op_type] += bool(read)
    result = function.node.add(name="result", op_type="MakeTuple")
    function.outputs.add(name=result.name)
    for name in [node.name for node in moved if any(reader.name in outside for reader in readers(graph, node.name))]:
        item = graph.node.add(name=f"item {name}", op_type="TupleGetItem")
        graph.const_vals.add(key=f"index {name}").value.int_val = 1000 + len(result.input)
        item.input.add(name=call.name)
        item.input.add(name=f"index {name}")
        result.input.add(name=name)
        said.update([("added", "TupleGetItem"), ("added", "Constant")])
    taken = {item.name for item in result.input}
    for node in [node for node in graph.node if node.name in outside]:
        found = [item for item in node.input if item.name in taken]
        for item in found:
            item.name = f"item {item.name}"
        said["changed", node.op_type] += bool(found)
    for node in moved:
        graph.node.remove(node)
    return function, said


def within(graph: GraphProto, names: set[str]) -> set[str]:
    """Operators of the forward pass, and all that lies between them: scopes are not always true."""
    forward = [node for node in graph.node if node.name in names and not node.scope.startswith("Gradients")]
    below, above = {node.name for node in forward}, {node.name for node in forward}
    changed = True
    while changed:
        before = len(below) + len(above)
        for node in graph.node:
            sources = {item.name for item in node.input}
            if sources & below:
                below.add(node.name)
            if node.name in above:
                above |= sources
        changed = len(below) + len(above) > before
    return below & above & {node.name for node in graph.node}


def make_passes(graph: GraphProto, directory: Path) -> list[Told]:
    """Writes the dumps of a program before and after each pass, and returns what each pass does.

    Args:
        graph: a network of encoder layers.
        directory: is made.
    """
    directory.mkdir(parents=True)
    program = copied(graph)
    unoptimised(program)
    (directory / "00_parse.pb").write_bytes(program.SerializeToString())
    done: list[Told] = []
    steps: list[tuple[str, Rewrite]] = [
        ("01_opt_a_2.pb", fold_constants),
        ("02_cse.pb", share_expressions),
        ("03_dead_code.pb", drop_dead),
        ("04_fuse.pb", fuse),
    ]
    for name, rewrite in steps:
        done.append(rewrite(program))
        bare = program.SerializeToString()
        whole = ModelProto(ir_version=1, graph=program).SerializeToString()
        (directory / name).write_bytes(whole if name.startswith("02") else bare)
    function, said = outline(program)
    (directory / "05_outline.fg0.pb").write_bytes(program.SerializeToString())
    (directory / "05_outline.fg1.pb").write_bytes(function.SerializeToString())
    models = [ModelProto(graph=part).SerializeToString() for part in (program, function)]
    (directory / "06_validate.pb").write_bytes(b"".join(models))
    return [+told for told in (*done, said, Counter())]


if __name__ == "__main__":
    make_passes(GraphProto.FromString(graphs_in_events(Path(sys.argv[1]))[0]), Path(sys.argv[2]))
