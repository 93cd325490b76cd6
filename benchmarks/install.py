"""What an install weighs on the disk: each wheel of this checkout, with and without extras, each in a new environment.

Counted is the folder `lib` of a new environment, which holds `site-packages` with pip and setuptools: blocks of the
disk, compiled modules included. "Beside" leaves out what every training's environment has, and Python's own packages.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from importlib.metadata import Distribution, distributions
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.measuring.environments import PINNED, ROOT, plain_variables, tensorboard_program
from benchmarks.measuring.figures import Figure, Measurement, Options, run, say

DASHBOARD_TARGET_MB, WRITER_TARGET_MB = 350.0, 30.0
WRITER, DASHBOARD = ROOT / "writer", ROOT
BESIDE = ("numpy", "protobuf", "websockets", "google-crc32c", "pip", "setuptools")
TENSORBOARD = "TensorBoard 2.21"
_SHOWN_MB = 1.0


def weigh(folder: Path) -> float:
    """Megabytes that a folder takes on the disk."""
    files = (Path(place, name) for place, _, names in os.walk(folder) for name in names)
    return sum(_blocks(file) for file in files) / 1e6


def weigh_packages(library: Path) -> dict[str, float]:
    """Megabytes of each package of an environment, the heaviest first.

    Args:
        library: the environment's folder `lib`.
    """
    (site,) = library.glob("python*/site-packages")
    weights = {found.name: _weigh_package(found) for found in distributions(path=[str(site)])}
    return dict(sorted(weights.items(), key=lambda pair: -pair[1]))


def _weigh_package(package: Distribution) -> float:
    files = [Path(str(package.locate_file(file))) for file in package.files or ()]
    return sum(_blocks(file) for file in files if file.is_file()) / 1e6


def _blocks(file: Path) -> int:
    return file.lstat().st_blocks * 512


def install(folder: Path, name: str, *packages: str | Path) -> Path:
    """The folder `lib` of a new environment with these packages and what they require.

    Raises:
        subprocess.CalledProcessError: pip failed; the output says why.
    """
    say(f"Installing {name} …")
    place = folder / name
    subprocess.run([sys.executable, "-m", "venv", str(place)], check=True)
    pip = [str(place / "bin" / "python"), "-m", "pip", "--disable-pip-version-check", "install", "-q"]
    wanted = [*map(str, packages), "--constraint", str(PINNED)]
    subprocess.run([*pip, *wanted], check=True, env=plain_variables(), stdout=sys.stderr)
    library = place / "lib"
    for package, weight in weigh_packages(library).items():
        if weight >= _SHOWN_MB:
            say(f"{weight:7.1f} MB  {package}")
    return library


def measure_dashboard(options: Options) -> list[Figure]:
    """Weighs the dashboard, beside TensorBoard."""
    with tempfile.TemporaryDirectory() as folder:
        ours = weigh(install(Path(folder), "dashboard", WRITER, DASHBOARD))
    peer = tensorboard_program()
    theirs = None if peer is None else weigh(peer.parent.parent / "lib")
    compared = (None, "") if theirs is None else (theirs, TENSORBOARD)
    what = "`pip install mindinsight`, all packages"
    return [Figure("install_dashboard", what, "MB", ours, DASHBOARD_TARGET_MB, *compared)]


def measure_writer(options: Options) -> list[Figure]:
    """Weighs what a training's environment gets."""
    with tempfile.TemporaryDirectory() as folder:
        weights = weigh_packages(install(Path(folder), "writer", WRITER))
    beside = sum(weight for name, weight in weights.items() if name not in BESIDE)
    what = "`pip install mindinsight-writer`, beside " + ", ".join(BESIDE[:4])
    return [
        Figure("install_writer", "`pip install mindinsight-writer`, all packages", "MB", sum(weights.values())),
        Figure("install_writer_beside", what, "MB", beside, WRITER_TARGET_MB),
    ]


def measure_extras(options: Options) -> list[Figure]:
    """Weighs the dashboard with each extra that is heavy; not in the quick version, for they are large."""
    figures: list[Figure] = []
    if options.quick:
        return figures
    for extra in ("importance", "framework"):
        with tempfile.TemporaryDirectory() as folder:
            weight = weigh(install(Path(folder), extra, WRITER, f"{DASHBOARD}[{extra}]"))
        figures.append(Figure(f"install_{extra}", f"`pip install 'mindinsight[{extra}]'`, all packages", "MB", weight))
    return figures


MEASUREMENTS: dict[Measurement, Sequence[str]] = {
    measure_dashboard: ("install_dashboard",),
    measure_writer: ("install_writer", "install_writer_beside"),
    measure_extras: ("install_importance", "install_framework"),
}

if __name__ == "__main__":
    sys.exit(run(__doc__.splitlines()[0], MEASUREMENTS))
