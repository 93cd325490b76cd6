"""The archives of exports: one zip file each. It grows run by run, and gets its final name when it is complete.

Used by `tasks.py`, which writes them, and by `api.py`, which sends and removes them.
"""

from __future__ import annotations

import shutil
import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory

from mindinsight.stored_names import on_disk
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
        folder: the directory; created if needed.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def path(self, uid: str) -> Path:
        """The path of an export's finished archive."""
        return self._folder / f"{uid}.zip"

    def size(self, uid: str) -> int:
        """Size of an unfinished archive in bytes."""
        unfinished = self._unfinished(uid)
        return unfinished.stat().st_size if unfinished.exists() else 0

    def add(self, uid: str, size: int, base: Path, name: str, target: Format) -> Report:
        """Writes a run in the requested format and adds it to an unfinished archive.

        Args:
            uid: the export.
            size: bytes of the archive after the previous run.
            base: the watched directory.
            name: the run's name.
            target: the format.

        Returns:
            What was written and what was left out.

        Raises:
            TransferError: the run cannot be exported, or the archive has changed.
            OSError: the disk is full, or the archive cannot be written.
        """
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        if self.size(uid) != size:
            # New content overwrites the archive's table of contents.
            raise TransferError("The archive is incomplete because its worker was killed. Export the runs again.")
        run = run_at(base / on_disk(name), name)
        with TemporaryDirectory(dir=self._folder, prefix=f".{uid}.") as made:
            writing = Writing([run], target, Path(made), Selection(), force=True)
            writing.write(lambda _bytes: None, lambda _name: None)
            with zipfile.ZipFile(self._unfinished(uid), "a", zipfile.ZIP_DEFLATED) as archive:
                for path in sorted(path for path in Path(made).rglob("*") if path.is_file()):
                    archive.write(path, path.relative_to(made).as_posix())
        return writing.report

    def finish(self, uid: str) -> int:
        """Gives the archive its final name; returns its size in bytes."""
        unfinished, path = self._unfinished(uid), self.path(uid)
        if unfinished.exists():  # Otherwise it was renamed and the task was killed before it stored that.
            unfinished.replace(path)
        return path.stat().st_size

    def remove(self, uid: str) -> None:
        """Removes all files of an export."""
        self._unfinished(uid).unlink(missing_ok=True)
        self.path(uid).unlink(missing_ok=True)
        for left in self._folder.glob(f".{uid}.*"):
            shutil.rmtree(left, ignore_errors=True)

    def _unfinished(self, uid: str) -> Path:
        return self._folder / f"{uid}.zip.part"


def notes_of(report: Report, name: str) -> list[str]:
    """Returns sentences that a user should read about a run's export."""
    return [f"{name}: {line}" for line, _ in zip(report.lines(), range(_NOTES_KEPT), strict=False)]
