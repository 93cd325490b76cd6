"""The archives of exports: one zip file each, which grows run by run and has its name when it is whole.

Used by `tasks.py`, which writes them, and by `api.py`, which sends and removes them.
"""

from __future__ import annotations

import shutil
import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory

from mindinsight.transfer.errors import TransferError
from mindinsight.transfer.export import Export as Writing
from mindinsight.transfer.export import Format
from mindinsight.transfer.named_runs import run_at
from mindinsight.transfer.report import Report
from mindinsight.transfer.selection import Selection

_NOTES_KEPT = 100


class Archives:
    """The archives below a directory.

    Args:
        folder: where they are; made at need.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def path(self, uid: str) -> Path:
        """Where the finished archive of an export is."""
        return self._folder / f"{uid}.zip"

    def size(self, uid: str) -> int:
        """Bytes of an unfinished archive."""
        unfinished = self._unfinished(uid)
        return unfinished.stat().st_size if unfinished.exists() else 0

    def add(self, uid: str, size: int, base: Path, name: str, target: Format) -> Report:
        """Writes a run in the wanted format and adds it to an unfinished archive.

        Args:
            uid: the export.
            size: of the archive as the runs before left it.
            base: the watched directory.
            name: the run's name.
            target: the format.

        Returns:
            What was written and what was not.

        Raises:
            TransferError: the run cannot be exported, or the archive is not as it was left.
            OSError: the disk is full, or the archive cannot be written.
        """
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        if self.size(uid) != size:
            # What is added is written over the archive's table of contents.
            raise TransferError("The archive was torn when its worker was killed. Export the runs again.")
        run = run_at(base / name, name)
        with TemporaryDirectory(dir=self._folder, prefix=f".{uid}.") as made:
            writing = Writing([run], target, Path(made), Selection(), force=True)
            writing.write(lambda _bytes: None, lambda _name: None)
            with zipfile.ZipFile(self._unfinished(uid), "a", zipfile.ZIP_DEFLATED) as archive:
                for path in sorted(path for path in Path(made).rglob("*") if path.is_file()):
                    archive.write(path, path.relative_to(made).as_posix())
        return writing.report

    def finish(self, uid: str) -> int:
        """Gives the archive its name; returns its size in bytes."""
        unfinished, path = self._unfinished(uid), self.path(uid)
        if unfinished.exists():  # Else it was renamed, and the task was killed before it noted that.
            unfinished.replace(path)
        return path.stat().st_size

    def remove(self, uid: str) -> None:
        """Removes all that an export has written."""
        self._unfinished(uid).unlink(missing_ok=True)
        self.path(uid).unlink(missing_ok=True)
        for left in self._folder.glob(f".{uid}.*"):
            shutil.rmtree(left, ignore_errors=True)

    def _unfinished(self, uid: str) -> Path:
        return self._folder / f"{uid}.zip.part"


def notes_of(report: Report, name: str) -> list[str]:
    """Returns what a person should know of a run's export, in sentences."""
    return [f"{name}: {line}" for line, _ in zip(report.lines(), range(_NOTES_KEPT), strict=False)]
