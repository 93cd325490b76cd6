"""Finds the runs in the directories that a command was given, and gives each the name it has on the other side."""

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
        name: where it goes, relative to the target directory.
        directory: where it is.
        files: its event files, oldest first.
        lineage: its lineage files, oldest first.
    """

    name: str
    directory: Path
    files: tuple[FoundFile, ...]
    lineage: tuple[FoundFile, ...]

    @property
    def size(self) -> int:
        """Bytes of all its event files."""
        return sum(file.size for file in self.files)


def find_named_runs(sources: Sequence[Path], *, without: Path | None = None) -> list[NamedRun]:
    """Returns the runs in all sources, by name.

    A source that is itself a run gives it its own name. Runs below the only source keep the names that they have in a
    dashboard; where there are several sources, names begin with that of their source.

    Args:
        sources: directories.
        without: a directory whose runs do not count where it is below a source: what an export wrote there before.

    Raises:
        TransferError: a source cannot be read or has no runs, or two runs would get the same name.
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
    """Returns the run in a directory, without those below it.

    Args:
        directory: where its event files are.
        name: where it goes.

    Raises:
        TransferError: the directory cannot be read or has no event files.
    """
    for run in _runs_in(directory, None, alone=True):
        if run.directory == directory / ".":
            return replace(run, name=_below_target(name, directory))
    raise TransferError(f"There are no event files in {directory}.")


def _below_target(name: str, directory: Path) -> str:
    """A run that is the watched directory itself has no name to make a folder of."""
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
