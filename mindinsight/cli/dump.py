"""`mindinsight dump`: checks a dump of MindSpore or msprobe, finds where a number first was not finite, and shows
it on the Debugger page.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from mindinsight.dumps import Dump, Rank


@click.command()
@click.argument("directory", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--no-values", is_flag=True, help="Read names and tables only: open no file of a tensor.")
@click.option("--debug", is_flag=True, help="Show the dump on the Debugger page, until the session is ended there.")
@click.option("--url", help="With --debug: address of the dashboard.  [default: http://127.0.0.1:8080]")
@click.option("--token", help="With --debug: the dashboard's token.  [default: that of this user's workspace]")
@click.option("--rank", type=int, help="With --debug: which rank.  [default: the first one]")
@click.option("--graph", type=int, help="With --debug: id of the graph.  [default: the one with most tensors]")
def dump(
    directory: Path,
    no_values: bool,
    debug: bool,
    url: str | None,
    token: str | None,
    rank: int | None,
    graph: int | None,
) -> None:
    """Check a dump, and find its first number that is not finite.

    DIRECTORY holds folders rank_N of MindSpore, or stepS of msprobe. Nothing in it is changed. The exit status is 1 if
    something is missing or damaged.

    With --debug, the dashboard shows the dump as a training that is paused: each iteration is a step.
    """
    from mindinsight.dumps import DumpError, find_fault, open_dump

    try:
        found = open_dump(directory)
    except DumpError as error:
        raise click.ClickException(str(error)) from error
    for one in sorted(found.ranks.values(), key=lambda item: item.number):
        click.echo(_told(one))
    click.echo(f"{found.kind}: {len(found.sizes):,} files with {found.nbytes:,} bytes")
    if debug:
        _show(found, url, token, rank, graph)
    elif not no_values:
        found.check()
        fault = find_fault(found)
        for line in ["No operator made a number that is not finite."] if fault is None else fault.lines():
            click.echo(line)
    for note in found.notes:
        click.echo(f"note: {note}")
    for damage in found.damages:
        click.echo(f"damage: {damage}")
    sys.exit(1 if len(found.damages) else 0)


def _show(found: Dump, url: str | None, token: str | None, rank: int | None, graph: int | None) -> None:
    """Show a dump until its session ends."""
    from mindinsight.dumps import DumpError
    from mindinsight.dumps.session import show

    try:
        click.echo("The Debugger page shows this dump. End the session there, or press Ctrl-C.")
        show(found, url, token, rank, graph)
    except (DumpError, ValueError) as error:
        raise click.ClickException(str(error)) from error
    except KeyboardInterrupt:
        click.echo("ended")


def _told(rank: Rank) -> str:
    """What a rank has, in one line."""
    numbers = ", ".join(map(str, rank.numbers)) or "none"
    nodes = {name for program in rank.programs.values() for name in program.nodes}
    tensors = sum(len(one.files) for graph in rank.iterations.values() for one in graph.values())
    graphs = "1 graph" if len(rank.programs) == 1 else f"{len(rank.programs)} graphs"
    return f"rank {rank.number}: iterations {numbers}; {graphs} with {len(nodes):,} nodes; {tensors:,} tensors"
