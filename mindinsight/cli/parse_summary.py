"""`mindinsight parse_summary`: writes the latest event file of a run as a table and pictures, like MindInsight."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from mindinsight.cli.export import DIRECTORY, tell
from mindinsight.cli.progress import Progress


@click.command(name="parse_summary")
@click.option(
    "--summary-dir",
    type=DIRECTORY,
    default=".",
    metavar="DIR",
    help="Directory of the run.  [default: the current one]",
)
@click.option(
    "--output",
    type=click.Path(file_okay=False, path_type=Path),
    default=".",
    metavar="DIR",
    help="Directory of the new folder.  [default: the current directory]",
)
def parse_summary(summary_dir: Path, output: Path) -> None:
    """Write the scalars and images of the latest event file.

    Makes a folder output_TIME with scalar.csv and the folder image, like MindInsight.
    """
    from mindinsight.transfer.errors import TransferError
    from mindinsight.transfer.report import counted
    from mindinsight.transfer.summary_parser import SummaryParser

    try:
        parser = SummaryParser(summary_dir, output)
        with Progress(parser.file.size) as progress:
            parser.write(progress.advance)
    except TransferError as error:
        raise click.ClickException(str(error)) from error
    tell(parser.report)
    what = f"{counted(parser.report.points, 'scalar')} and {counted(parser.report.values, 'image')}"
    click.echo(f"Parsed {parser.file.path.name}: {what} are in {parser.directory}.")
    sys.exit(1 if parser.report.failures else 0)
