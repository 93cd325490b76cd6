"""`mindinsight export`: converts runs from event files to the formats of other programs."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mindinsight.cli.progress import Progress

if TYPE_CHECKING:
    from mindinsight.transfer.export import Export
    from mindinsight.transfer.report import Report
    from summaries.kinds import Kind

DIRECTORY = click.Path(exists=True, file_okay=False, path_type=Path)


@click.command()
@click.argument("sources", nargs=-1, required=True, type=DIRECTORY, metavar="RUN_OR_DIR...")
@click.option(
    "--format",
    "target",
    type=click.Choice(["csv", "parquet", "tensorboard", "mindspore"]),
    required=True,
    help="What to write.",
)
@click.option(
    "--output",
    type=click.Path(file_okay=False, path_type=Path),
    required=True,
    metavar="DIR",
    help="Directory to write to. Each run gets a folder in it.",
)
@click.option(
    "--tag", "tags", multiple=True, metavar="GLOB", help="Only matching tags, such as 'loss/*'.  [repeatable]"
)
@click.option("--kind", "kinds", multiple=True, metavar="KIND", help="Only this kind, such as scalar.  [repeatable]")
@click.option("--force", is_flag=True, help="Replace files of an earlier export.")
def export(
    sources: tuple[Path, ...], target: str, output: Path, tags: tuple[str, ...], kinds: tuple[str, ...], force: bool
) -> None:
    """Export runs for other programs.

    Reads the event files in RUN_OR_DIR and below and does not change them. No dashboard needs to run.
    """
    from mindinsight.transfer.errors import TransferError
    from mindinsight.transfer.export import Export, Format
    from mindinsight.transfer.named_runs import find_named_runs
    from mindinsight.transfer.selection import Selection

    try:
        selection = Selection(tags, _kinds(kinds))
        runs = find_named_runs(sources, without=output)
        work = Export(runs, Format(target), output, selection, force=force)
        _write(work)
    except TransferError as error:
        raise click.ClickException(str(error)) from error
    click.echo(f"{work.report.summary()} to {output}.")
    sys.exit(1 if work.report.failures else 0)


def _kinds(names: tuple[str, ...]) -> list[Kind]:
    from summaries.kinds import Kind

    known = [kind.value for kind in Kind]
    for name in names:
        if name not in known:
            raise click.BadParameter(
                f"{name!r} is not a kind of values. There are: {', '.join(known)}.", param_hint="'--kind'"
            )
    return [Kind(name) for name in names]


def _write(work: Export) -> None:
    try:
        with Progress(work.size) as progress:
            work.write(progress.advance, progress.begin)
    finally:
        tell(work.report)


def tell(report: Report) -> None:
    """Prints the notes of the export to standard error."""
    for line in report.lines():
        click.echo(line, err=True)
