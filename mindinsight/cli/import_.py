"""`mindinsight import`: imports tables and event files of other programs into the base directory."""

from __future__ import annotations

from pathlib import Path

import click

from mindinsight.cli.progress import Progress


@click.command(name="import")
@click.argument("sources", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path), metavar="SOURCE...")
@click.option(
    "--summary-base-dir",
    envvar="MINDINSIGHT_SUMMARY_BASE_DIR",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    default=".",
    metavar="DIR",
    help="Base directory of the dashboard.  [default: the current one]",
)
@click.option("--name", metavar="NAME", help="Name of the run, or of the folder for several.")
@click.option(
    "--tag", metavar="TAG", help="Tag of a table downloaded from TensorBoard's page, which does not contain its name."
)
@click.option("--force", is_flag=True, help="Replace the event files of existing runs.")
def import_(sources: tuple[Path, ...], summary_base_dir: Path, name: str | None, tag: str | None, force: bool) -> None:
    """Import tables of scalars and event files as runs.

    SOURCE is a CSV file, a Parquet file, or a directory with event files of TensorBoard or MindSpore. If anything
    fails, nothing is imported.
    """
    from mindinsight.transfer.errors import TransferError
    from mindinsight.transfer.imports.runs import Import

    try:
        with Progress() as progress:
            done = Import(sources, summary_base_dir, name=name, tag=tag, force=force).run(progress.tick)
    except TransferError as error:
        raise click.ClickException(str(error)) from error
    click.echo(f"{done.summary()} into {summary_base_dir}.")
