"""The two wheels that `make dist` builds, and what is in them. Used by this folder's tests."""

from __future__ import annotations

import os
import subprocess
import zipfile
from dataclasses import dataclass
from email.message import Message
from email.parser import HeaderParser
from pathlib import Path

from .checkout import ROOT


@dataclass(frozen=True)
class Wheel:
    """A wheel and the names of its files."""

    path: Path

    @property
    def names(self) -> set[str]:
        """All names in it."""
        with zipfile.ZipFile(self.path) as archive:
            return set(archive.namelist())

    @property
    def files(self) -> set[str]:
        """The files that it installs, but its own notes."""
        return {name for name in self.names if not name.partition("/")[0].endswith(".dist-info")}

    @property
    def metadata(self) -> Message:
        """What it says about itself."""
        (name,) = (name for name in self.names if name.endswith(".dist-info/METADATA"))
        with zipfile.ZipFile(self.path) as archive:
            return HeaderParser().parsestr(archive.read(name).decode())

    @property
    def requirements(self) -> list[str]:
        """What it requires, without extras."""
        wanted = self.metadata.get_all("Requires-Dist", [])
        return [one for one in wanted if "extra ==" not in one]


@dataclass(frozen=True)
class Dist:
    """The folder that `make dist` fills."""

    dashboard: Wheel
    writer: Wheel

    @property
    def folder(self) -> Path:
        """The folder."""
        return self.dashboard.path.parent


def make_dist(target: Path) -> Dist:
    """Builds both wheels. It needs no network: what builds them is installed for the work on the checkout."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    subprocess.run(["make", "dist", f"DIST={target}"], cwd=ROOT, env=environment, check=True)
    (dashboard,) = target.glob("mindinsight-*.whl")
    (writer,) = target.glob("mindinsight_writer-*.whl")
    return Dist(Wheel(dashboard), Wheel(writer))
