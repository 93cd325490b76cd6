"""Adds new runs to a base directory atomically: they are written elsewhere, then moved into place together."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from mindinsight.transfer.errors import TransferError
from mindinsight.transfer.imports.run_names import place_of
from summaries.naming import is_hparams_directory, parse_name


class Staging:
    """A temporary directory inside the base directory, which dashboards ignore. It is removed after the block.

    Args:
        base: the base directory.
        force: whether to replace the event files of existing runs.
    """

    def __init__(self, base: Path, *, force: bool) -> None:
        self._base = base
        self._force = force
        self._runs: dict[str, Path] = {}
        self._undo: list[Callable[[], object]] = []

    def __enter__(self) -> Self:
        self._directory = Path(tempfile.mkdtemp(prefix=".mindinsight-import-", dir=self._base))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        shutil.rmtree(self._directory, ignore_errors=True)

    def add(self, name: str) -> Path:
        """Returns an empty directory for the files of the run `name`.

        Raises:
            TransferError: the name is invalid, or the run exists and may not be replaced.
        """
        if name in self._runs:
            raise TransferError(f"Two of the sources would become {name!r}. Import them one at a time, with --name.")
        self._check(name)
        directory = self._directory / f"new{len(self._runs)}"
        directory.mkdir()
        self._runs[name] = directory
        return directory

    def commit(self) -> None:
        """Moves all runs into place. After an error everything is unchanged.

        Raises:
            TransferError: a run was created in the meantime.
            OSError: a file cannot be moved.
        """
        try:
            for number, (name, directory) in enumerate(self._runs.items()):
                self._check(name)
                self._place(place_of(self._base, name), directory, self._directory / f"old{number}")
        except BaseException:
            for undo in reversed(self._undo):
                with suppress(OSError):
                    undo()
            raise
        finally:
            self._undo.clear()

    def _check(self, name: str) -> None:
        target = place_of(self._base, name)
        if not self._force and event_files(target):
            raise TransferError(
                f"The run {name!r} is in {self._base} already. Choose another --name, or add --force to replace its "
                "event files."
            )

    def _place(self, target: Path, new: Path, old: Path) -> None:
        self._make(target)
        for path in event_files(target):
            self._move(path, old / path.relative_to(target))
        for path in event_files(new):
            self._move(path, target / path.relative_to(new))

    def _make(self, directory: Path) -> None:
        missing = []
        while not directory.is_dir():
            missing.append(directory)
            directory = directory.parent
        for path in reversed(missing):
            path.mkdir()
            self._undo.append(path.rmdir)

    def _move(self, source: Path, target: Path) -> None:
        self._make(target.parent)
        source.rename(target)
        self._undo.append(lambda: target.rename(source))


def event_files(run: Path) -> list[Path]:
    """Returns the event files and lineage files in a run's directory, including those of hyper-parameters below it."""
    if not run.is_dir():
        return []
    entries = sorted(run.iterdir())
    below = [
        entry for entry in entries if is_hparams_directory(entry.name) and not entry.is_symlink() and entry.is_dir()
    ]
    files = [*entries, *(inner for directory in below for inner in sorted(directory.iterdir()))]
    return [path for path in files if parse_name(path.name) is not None and (path.is_symlink() or path.is_file())]
