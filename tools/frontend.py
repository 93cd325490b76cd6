"""Builds the front end when its sources have changed since the last build.

Called by prepare.py for the Makefile's targets and by hatch_build.py for a wheel, so that both agree on what
"up to date" means: a hash of the sources, kept beside what was built from them. Standard library only.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
from pathlib import Path

OLDEST_NODE = (20, 19)
IGNORED_FOLDERS = frozenset({"node_modules", "test-results", "coverage"})


class NodeMissingError(RuntimeError):
    """Node.js or npm is missing or too old; the message says what to install."""


class Frontend:
    """The front end of one checkout: `frontend/` and its build."""

    def __init__(self, root: Path) -> None:
        self.sources = root / "frontend"
        self.built = root / "mindinsight" / "static" / "dist"
        self._packages_stamp = self.sources / "node_modules" / ".stamp"
        self._built_stamp = self.built / ".stamp"

    def is_built(self) -> bool:
        """Whether the built pages match the current sources."""
        return _read(self._built_stamp) == self._sources_key()

    def has_packages(self) -> bool:
        """Whether `node_modules` matches the lock file."""
        return _read(self._packages_stamp) == self._packages_key()

    def install_packages(self) -> None:
        """Install the packages of the lock file.

        Raises:
            NodeMissingError: Node.js or npm is missing or too old.
            subprocess.CalledProcessError: npm failed; its output says why.
        """
        key = self._packages_key()
        self._npm("ci", "--no-progress", "--loglevel=error")
        self._packages_stamp.write_text(key)

    def build(self) -> None:
        """Build the pages; install their packages first if necessary.

        Raises:
            NodeMissingError: Node.js or npm is missing or too old.
            subprocess.CalledProcessError: npm failed; its output says why.
        """
        if not self.has_packages():
            self.install_packages()
        key = self._sources_key()
        self._npm("run", "--silent", "build", "--", "--logLevel", "warn")
        self._built_stamp.write_text(key)

    def _npm(self, *arguments: str) -> None:
        subprocess.run([find_npm(), *arguments], cwd=self.sources, check=True, stdin=subprocess.DEVNULL)

    def _packages_key(self) -> str:
        return _hash_files(self.sources, [self.sources / "package.json", self.sources / "package-lock.json"])

    def _sources_key(self) -> str:
        return _hash_files(self.sources, self._source_files())

    def _source_files(self) -> list[Path]:
        found: list[Path] = []
        for folder, folders, files in os.walk(self.sources):
            folders[:] = [name for name in folders if name not in IGNORED_FOLDERS and name[0] != "."]
            found.extend(Path(folder, name) for name in files)
        return sorted(found)


def find_npm() -> str:
    """Return the path of npm.

    Raises:
        NodeMissingError: Node.js or npm is missing or too old.
    """
    node, npm = shutil.which("node"), shutil.which("npm")
    wanted = ".".join(map(str, OLDEST_NODE))
    if node is None:
        raise NodeMissingError(
            f"Node.js {wanted} or newer is needed to build the pages, and there is no `node` on PATH: "
            "install it (nodejs.org/download) and try again."
        )
    if npm is None:
        raise NodeMissingError(
            "npm is needed to build the pages, and there is no `npm` on PATH: install it "
            "(it comes with Node.js; on Debian and Ubuntu: apt-get install npm) and try again."
        )
    version = subprocess.run([node, "--version"], check=True, capture_output=True, text=True).stdout.strip()
    if tuple(map(int, re.findall(r"\d+", version)[:2])) < OLDEST_NODE:
        raise NodeMissingError(
            f"Node.js {wanted} or newer is needed to build the pages, and `node` on PATH is {version}: "
            "install a newer one (nodejs.org/download) and try again."
        )
    return npm


def _hash_files(root: Path, files: list[Path]) -> str:
    digest = hashlib.sha256()
    for file in files:
        content = file.read_bytes()
        digest.update(f"{file.relative_to(root).as_posix()}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()


def _read(stamp: Path) -> str | None:
    try:
        return stamp.read_text()
    except FileNotFoundError:
        return None
