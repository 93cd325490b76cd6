"""The revision of a program's source: from the files of a git repository and one bounded call of git."""

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

_SECONDS = 1.0
_LONGEST_FILE = 4 << 20


@dataclass(frozen=True, slots=True)
class Revision:
    """A revision of a repository.

    Attributes:
        revision: its hash; empty in a repository without commits.
        branch: empty where none is checked out.
        changed: whether tracked files differ from it; None where git did not say so in time.
    """

    revision: str
    branch: str
    changed: bool | None


def find_revision(places: tuple[str, ...]) -> Revision | None:
    """Return the revision of the first directory that is in a git repository, or None."""
    for place in places:
        found = _repository(Path(place)) if place else None
        if found is not None:
            root, folder = found
            head = _text(folder / "HEAD").strip()
            reference = head.removeprefix("ref:").strip() if head.startswith("ref:") else ""
            revision = _resolve(folder, reference) if reference else head
            return Revision(revision, reference.removeprefix("refs/heads/"), _is_changed(root))
    return None


def _repository(start: Path) -> tuple[Path, Path] | None:
    """Return the root of a directory's working tree, and the folder with its HEAD."""
    for root in (start, *start.parents):
        entry = root / ".git"
        if entry.is_dir():
            return root, entry
        if entry.is_file():  # A linked working tree, or a submodule.
            link = _text(entry).strip()
            if link.startswith("gitdir:"):
                return root, root / link.removeprefix("gitdir:").strip()
    return None


def _resolve(folder: Path, reference: str) -> str:
    """Return the commit hash of a branch."""
    common = _text(folder / "commondir").strip()
    for home in (folder, folder / common) if common else (folder,):
        loose = _text(home / reference).strip()
        if loose:
            return loose
        for line in _text(home / "packed-refs").splitlines():
            revision, _, name = line.partition(" ")
            if name == reference:
                return revision
    return ""


def _text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return file.read(_LONGEST_FILE).decode(errors="replace")
    except OSError:
        return ""


def _is_changed(root: Path) -> bool | None:
    # No locks, no programs from the repository's own settings, no prompts.
    command = ["git", "-c", "core.fsmonitor=false", "--no-optional-locks", "-C", str(root)]
    command += ["status", "--porcelain", "--untracked-files=no", "--ignore-submodules"]
    environment = {**os.environ, "GIT_TERMINAL_PROMPT": "0"}
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=_SECONDS,
            env=environment,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return bool(done.stdout) if done.returncode == 0 else None
