"""Finds the runs in given directories, and their names in the target directory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from mindinsight.ingest.discovery import FoundFile, find_runs
from mindinsight.transfer.errors import TransferError
from summaries.naming import FileKind


@dataclass(frozen=True)
class NamedRun:
    """One run of a source.

    Attributes:
        name: name, and path relative to the target directory.
        directory: the run's directory.
        files: its event files, oldest first.
        lineage: its lineage files, oldest first.
    """

    name: str
    directory: Path
    files: tuple[FoundFile, ...]
    lineage: tuple[FoundFile, ...]

    @property
    def size(self) -> int:
        """Size of all its event files in bytes."""
        return sum(file.size for file in self.files)


def find_named_runs(sources: Sequence[Path], *, without: Path | None = None) -> list[NamedRun]:
    """Returns the runs in all sources, by name.

    A source that is itself a run gives its name to the run. Runs below a single source have the same names as in a
    dashboard. With several sources, names begin with the name of the source.

    Args:
        sources: directories.
        without: a directory whose runs are ignored if it is below a source, because an earlier export wrote them.

    Raises:
        TransferError: a source cannot be read or has no runs, or two runs would have the same name.
    """
    found: dict[str, NamedRun] = {}
    for source in sources:
        runs = list(_runs_in(source, without, alone=len(sources) == 1))
        if not runs:
            raise TransferError(
                f"There are no event files in {source} or below it. Name a directory that a training wrote to."
            )
        for run in runs:
            if run.name in found:
                raise TransferError(
                    f"{found[run.name].directory} and {run.directory} would both become {run.name!r}. "
                    "Take them one at a time."
                )
            found[run.name] = run
    return [found[name] for name in sorted(found)]


def run_at(directory: Path, name: str) -> NamedRun:
    """Returns the run in a directory, without its subdirectories.

    Args:
        directory: the directory with its event files.
        name: its name.

    Raises:
        TransferError: the directory cannot be read or has no event files.
    """
    for run in _runs_in(directory, None, alone=True):
        if run.directory == directory / ".":
            return replace(run, name=_below_target(name, directory))
    raise TransferError(f"There are no event files in {directory}.")


def _below_target(name: str, directory: Path) -> str:
    """A run in the watched directory itself has no name for a folder."""
    return (directory.resolve().name or "run") if name == "." else name


def _runs_in(source: Path, without: Path | None, *, alone: bool) -> Iterator[NamedRun]:
    try:
        runs = find_runs(source)
    except OSError as error:
        raise TransferError(f"{source} cannot be read: {error.strerror}.") from error
    own_name = source.resolve().name or "run"
    for name, run in runs.items():
        if without is not None and _is_between(source, without, source / name):
            continue
        target = own_name if name == "." else name if alone else str(PurePosixPath(own_name, name))
        lineage = tuple(file for file in run.files if file.kind is FileKind.LINEAGE)
        files = tuple(file for file in run.files if file.kind is not FileKind.LINEAGE)
        yield NamedRun(target, source / name, files, lineage)


def _is_between(source: Path, without: Path, run: Path) -> bool:
    top, excluded = source.resolve(), without.resolve()
    return excluded != top and excluded.is_relative_to(top) and run.resolve().is_relative_to(excluded)
