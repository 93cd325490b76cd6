"""`mindinsight profile`: says where the time of a trace goes, and puts the trace into a run for the dashboard."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import click

from mindinsight.cli.progress import Progress


@click.command()
@click.argument("sources", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path), metavar="FILE|DIR...")
@click.option("--run", metavar="NAME", help="Also put the traces into the directory of this run, for the dashboard.")
@click.option(
    "--summary-base-dir",
    envvar="MINDINSIGHT_SUMMARY_BASE_DIR",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    default=".",
    metavar="DIR",
    help="Base directory of the dashboard.  [default: the current one]",
)
@click.option(
    "--top", type=click.IntRange(min=0), default=10, show_default=True, metavar="N", help="Number of names to list."
)
def profile(sources: tuple[Path, ...], run: str | None, summary_base_dir: Path, top: int) -> None:
    """Say where the time of a profile goes.

    FILE is a trace of torch.profiler, MindSpore, TensorBoard or any program that writes Chrome's Trace Event Format,
    also compressed by gzip; in DIR all traces are taken. No dashboard needs to run. The status is 1 if a trace is
    damaged or cannot be read.
    """
    from mindinsight.profiles.placing import traces_in

    traces = [trace for source in sources for trace in traces_in(source)]
    if not traces:
        raise click.ClickException(
            f"No traces in {', '.join(map(str, sources))}. Name the file: in directories only names such as "
            "*.trace.json, *.trace.json.gz, trace_view.json and *.chrometrace.json are taken for traces."
        )
    directory = _directory(summary_base_dir, run) if run is not None else None
    whole = True
    for number, trace in enumerate(traces):
        if number:
            click.echo()
        whole &= _summarise(trace, top, directory)
    sys.exit(0 if whole else 1)


def _directory(base: Path, run: str) -> Path:
    directory = (base / run).resolve()
    if not directory.is_relative_to(base.resolve()):
        raise click.BadParameter(f"{run!r} leads out of {base}.", param_hint="'--run'")
    return directory


def _summarise(trace: Path, top: int, directory: Path | None) -> bool:
    """Prints the summary of a trace, then puts it into a directory. Returns whether the trace is whole."""
    from mindinsight.profiles.analysis.summary import summary_lines
    from mindinsight.profiles.columns.making import make_columns
    from mindinsight.profiles.columns.stored import Stored
    from mindinsight.profiles.reading.events import TraceError

    try:
        with (
            trace.open("rb") as file,
            tempfile.TemporaryDirectory() as made,
            Progress(trace.stat().st_size) as progress,
        ):
            progress.begin(trace.name)
            done = 0

            def advance(position: int) -> None:
                nonlocal done
                progress.advance(position - done)
                done = position

            head = make_columns(file, Path(made), advance)
            lines = list(summary_lines(Stored(Path(made)), top))
    except TraceError as error:
        click.echo(f"{trace}: {error}", err=True)
        return False
    except OSError as error:
        click.echo(f"{trace} cannot be read: {error.strerror or error}", err=True)
        return False
    click.echo(f"{trace}: {lines[0]}")
    for line in lines[1:]:
        click.echo(line)
    for damage in head["damage"]:
        click.echo(f"{trace}: {damage}", err=True)
    if directory is not None:
        _place(trace, directory)
    return not head["damage"]


def _place(trace: Path, directory: Path) -> None:
    from mindinsight.profiles.placing import place

    try:
        placed = place(trace, directory)
    except OSError as error:
        raise click.ClickException(f"{trace} cannot be put into {directory}: {error.strerror or error}") from error
    click.echo(f"In the run: {placed}")
