"""`mindinsight dump`: checks a dump of MindSpore or msprobe, and finds where a number first was not finite."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from mindinsight.dumps import Rank


@click.command()
@click.argument("directory", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--no-values", is_flag=True, help="Read names and tables only: open no file of a tensor.")
def dump(directory: Path, no_values: bool) -> None:
    """Check a dump, and find its first number that is not finite.

    DIRECTORY holds folders rank_N of MindSpore, or stepS of msprobe. Nothing in it is changed. The exit status is 1 if
    something is missing or damaged.
    """
    from mindinsight.dumps import DumpError, find_fault, open_dump

    try:
        found = open_dump(directory)
    except DumpError as error:
        raise click.ClickException(str(error)) from error
    for rank in sorted(found.ranks.values(), key=lambda item: item.number):
        click.echo(_told(rank))
    click.echo(f"{found.kind}: {len(found.sizes):,} files with {found.nbytes:,} bytes")
    if not no_values:
        found.check()
        fault = find_fault(found)
        for line in ["No operator made a number that is not finite."] if fault is None else fault.lines():
            click.echo(line)
    for note in found.notes:
        click.echo(f"note: {note}")
    for damage in found.damages:
        click.echo(f"damage: {damage}")
    sys.exit(1 if len(found.damages) else 0)


def _told(rank: Rank) -> str:
    """What a rank has, in one line."""
    numbers = ", ".join(map(str, rank.numbers)) or "none"
    nodes = {name for program in rank.programs.values() for name in program.nodes}
    tensors = sum(len(one.files) for graph in rank.iterations.values() for one in graph.values())
    graphs = "1 graph" if len(rank.programs) == 1 else f"{len(rank.programs)} graphs"
    return f"rank {rank.number}: iterations {numbers}; {graphs} with {len(nodes):,} nodes; {tensors:,} tensors"
