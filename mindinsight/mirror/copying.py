"""Copies what is new in an object store, round after round. Run by `__main__` in a process of its own."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from mindinsight.mirror.known import Copied, Known
from mindinsight.mirror.listing import Listed, Store, list_objects
from mindinsight.mirror.local_copy import ChangedError, LocalCopy
from mindinsight.mirror.progress import Progress, first_progress, write_progress
from mindinsight.mirror.signs import Signs

logger = logging.getLogger(__name__)

_THREADS = 8
# TensorBoard's writers flush every two minutes.
GROWING_S = 150.0
"""Seconds after its last change for which an object may still grow."""
_SAVE_EVERY_S = 2.0


@dataclass(frozen=True)
class Folders:
    """Where the copy is.

    Attributes:
        data: the dashboard's data directory.
        files: the copied files, which the reader follows.
    """

    data: Path
    files: Path

    @property
    def drafts(self) -> Path:
        """Files that are not complete."""
        return self.data / "mirror-drafts"


class Copying:
    """One copy of an object store.

    Args:
        store: the file system.
        root: bucket and path.
        address: the address to show.
        folders: where the copy is. They are created.
    """

    def __init__(self, store: Store, root: str, address: str, folders: Folders) -> None:
        self._store, self._root, self._folders = store, root, folders
        self._progress = first_progress(address)
        self._signs = Signs()
        self._lock = threading.Lock()
        self._saved = 0.0
        for folder in (folders.files, folders.drafts):
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        for draft in folders.drafts.iterdir():
            draft.unlink()  # of a process that was killed
        # In the folder of the files: who removes it gets everything copied again.
        self._known = Known(folders.files / ".mirror.json")

    def round(self) -> Progress:
        """List the store, copy what is new, and remove what is gone.

        A file that was removed from the copy, as a removal in the dashboard does, is not copied again until its object
        changes.

        Returns:
            The progress at its end. Errors are in it; they are not raised.
        """
        try:
            listed = list_objects(self._store, self._root)
        except Exception as error:  # the packages of stores raise errors of their own types
            return self._fail(f"Cannot read {self._progress['address']}: {_reason(error)}. {_advice(error)}")
        self._progress.update({"checked": time.time(), "error": ""})
        self._count(listed)
        self._show()
        new = [item for item in listed.values() if not self._is_here(item)]
        try:
            failures = self._copy(sorted(new, key=lambda item: -item.modified))
            self._drop(self._known.names - listed.keys())
            self._sign(listed.values())
            self._known.save()
        except OSError as error:
            return self._fail(f"Cannot write to {self._folders.files}: {_reason(error)}. Make room there.")
        if failures:
            return self._fail(failures[0])
        if new:
            self._count(listed)
            self._show()
        return self._progress

    def _is_here(self, item: Listed) -> bool:
        return self._known.get(item.relative) == Copied(item.size, item.version)

    def _count(self, listed: dict[str, Listed]) -> None:
        here = [item for item in listed.values() if self._is_here(item)]
        with self._lock:
            self._progress.update(
                {
                    "state": "current" if len(here) == len(listed) else "copying",
                    "files": len(listed),
                    "bytes": sum(item.size for item in listed.values()),
                    "files_done": len(here),
                    "bytes_done": sum(item.size for item in here),
                }
            )

    def _copy(self, items: list[Listed]) -> list[str]:
        """Copy objects, the newest first, and return a sentence for each that failed."""
        failures = []
        with ThreadPoolExecutor(_THREADS) as pool:
            copies = {pool.submit(self._copy_one, item): item for item in items}
            for copy in as_completed(copies):
                item = copies[copy]
                try:
                    copy.result()
                except ChangedError as error:
                    self._known.drop(item.relative)
                    logger.info("%s; it is copied again", error)
                except Exception as error:  # as above
                    failures.append(f"Cannot copy {item.relative}: {_reason(error)}. {_advice(error)}")
                    logger.warning("%s", failures[-1])
                else:
                    self._known.set(item.relative, Copied(item.size, item.version))
                    with self._lock:
                        self._progress["files_done"] += 1
                self._show_soon()
        return failures

    def _copy_one(self, item: Listed) -> None:
        path = self._folders.files / item.relative
        copied = self._known.get(item.relative)
        was_removed = copied is not None and not path.exists()
        LocalCopy(path, self._folders.drafts, self._arrived).update(
            self._store, item, sure=copied is not None and not was_removed
        )
        if time.time() - item.modified < GROWING_S:
            self._signs.growing(path)

    def _arrived(self, size: int) -> None:
        with self._lock:
            self._progress["bytes_done"] = min(self._progress["bytes_done"] + size, self._progress["bytes"])
        self._show_soon()

    def _sign(self, items: Iterable[Listed]) -> None:
        for item in items:
            path = self._folders.files / item.relative
            if time.time() - item.modified < GROWING_S:
                self._signs.growing(path)
            else:
                self._signs.settled(path)

    def _drop(self, gone: set[str]) -> None:
        for relative in gone:
            path = self._folders.files / relative
            self._signs.settled(path)
            path.unlink(missing_ok=True)
            with suppress(OSError):  # the folder has other files
                for folder in path.relative_to(self._folders.files).parents:
                    if folder.parts:
                        (self._folders.files / folder).rmdir()
            self._known.drop(relative)

    def _fail(self, error: str) -> Progress:
        logger.warning("%s", error)
        self._progress.update({"state": "failing", "error": error})
        self._show()
        return self._progress

    def _show_soon(self) -> None:
        if time.monotonic() - self._saved > _SAVE_EVERY_S:
            self._show()

    def _show(self) -> None:
        with self._lock, suppress(OSError):  # a full disk is shown by the health of the dashboard
            write_progress(self._folders.data, self._progress)
            self._saved = time.monotonic()


def _reason(error: Exception) -> str:
    text = (getattr(error, "strerror", None) or str(error)).strip().rstrip(".")
    return text or type(error).__name__


def _advice(error: Exception) -> str:
    if isinstance(error, FileNotFoundError):
        return "Check the name of the bucket."
    if isinstance(error, PermissionError) or "redential" in str(error):
        return "Check the credentials and the permissions to list and read."
    return "It is tried again."
