"""`mindinsight substructures`: prints the repeated sub-structures of a computation graph as JSON."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click


@click.command()
@click.argument("graph", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--equivalence",
    type=click.Choice(["op", "attr", "shape"]),
    default="op",
    show_default=True,
    help="What must be equal: operator types; also attributes; also shapes and data types.",
)
@click.option(
    "--min-size",
    type=click.IntRange(min=2),
    default=4,
    show_default=True,
    metavar="NODES",
    help="Minimum number of nodes of a sub-structure.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["plain", "full"]),
    default="plain",
    show_default=True,
    help="Nodes and edges of each occurrence, or full details of each sub-structure.",
)
@click.option("--across-phases", is_flag=True, help="Let a sub-structure span forward, backward and optimizer.")
@click.option(
    "--number", type=click.IntRange(min=0), default=0, help="Number of the graph in an event file.  [default: 0]"
)
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="File to write to. Default: standard output.",
)
def substructures(
    graph: Path, equivalence: str, min_size: int, form: str, across_phases: bool, number: int, output: Path | None
) -> None:
    """Find what repeats in a computation graph.

    GRAPH is an event file, or a .pb file with a GraphProto or ModelProto of MindSpore or a GraphDef of TensorFlow.
    """
    from mindinsight.graphs.model import GraphError, read_graph
    from mindinsight.graphs.substructures import Equivalence, full_document, plain_document, recognise

    try:
        opened = read_graph(graph, number=number)
    except (GraphError, OSError) as error:
        raise click.ClickException(str(error)) from error
    for defect in opened.defects:
        click.echo(f"{graph}: {defect.message}", err=True)
    found = recognise(opened, Equivalence(equivalence), min_size=min_size, phases=not across_phases)
    document = plain_document(found) if form == "plain" else full_document(found)
    text = json.dumps(document, ensure_ascii=True, separators=(",", ":"))
    if output is None:
        sys.stdout.write(text + "\n")
    else:
        try:
            output.write_text(text + "\n", encoding="utf-8")
        except OSError as error:
            raise click.ClickException(f"{output} cannot be written: {error.strerror}") from error
    for structure in found.structures:
        click.echo(f"{structure.count} x {structure.name}: {structure.size} nodes", err=True)
    occurrences = sum(structure.count for structure in found.structures)
    click.echo(
        f"{len(opened):,} nodes: {len(found.structures)} sub-structures with {occurrences:,} occurrences, "
        f"{found.folded:.1%} of the nodes folded.",
        err=True,
    )
