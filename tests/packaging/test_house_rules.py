"""The rules of the house that no linter knows."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from .checkout import ROOT, tracked_files

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
WRITER = tomllib.loads((ROOT / "writer" / "pyproject.toml").read_text())
VARIABLE = re.compile(r"\bMINDINSIGHT_[A-Z][A-Z_]*[A-Z]\b")
ENVIRONMENT_PAGE = ROOT / "docs" / "reference" / "environment.md"
REGISTRY = re.compile(r"https?://[\w.-]*(?:registry|pypi|npmjs|mirror|artifactory|nexus)[\w.-]*", re.IGNORECASE)
MACHINE_PATH = re.compile(r"(?<![\w.~$}*-])/(?:work|root)/")


def texts() -> list[tuple[Path, str]]:
    """Every tracked text file with its content."""
    found = []
    for path in tracked_files():
        content = path.read_bytes()
        if b"\0" not in content:
            found.append((path.relative_to(ROOT), content.decode("utf-8")))
    return found


def places(pattern: re.Pattern[str]) -> list[str]:
    """Places of a pattern in tracked files."""
    return [
        f"{path}:{number}: {line.strip()[:120]}"
        for path, text in texts()
        for number, line in enumerate(text.splitlines(), 1)
        if pattern.search(line)
    ]


def pins(name: str) -> dict[str, Requirement]:
    """The lines of a requirements file by package."""
    lines = (ROOT / name).read_text().splitlines()
    found = [Requirement(line) for line in lines if line and not line.startswith("#")]
    # A package that is pinned by several lines has one per environment; the one for this environment counts.
    return {canonicalize_name(r.name): r for r in found if r.marker is None or r.marker.evaluate()}


def version(requirement: Requirement) -> str:
    """The one version that a pin allows."""
    (specifier,) = requirement.specifier
    assert specifier.operator == "=="
    return specifier.version


@pytest.mark.smoke
def test_no_file_names_a_package_registry() -> None:
    assert places(REGISTRY) == []


@pytest.mark.smoke
def test_no_file_names_a_path_of_one_machine() -> None:
    assert places(MACHINE_PATH) == []


@pytest.mark.smoke
def test_every_environment_variable_is_documented() -> None:
    documented = set(VARIABLE.findall(ENVIRONMENT_PAGE.read_text()))
    used = {name for path, text in texts() if path.suffix != ".md" for name in VARIABLE.findall(text)}
    assert documented == used


@pytest.mark.smoke
@pytest.mark.parametrize(
    ("name", "extras"),
    [
        ("requirements.txt", ("postgres", "importance", "framework")),
        ("requirements-dashboard.txt", ("postgres", "importance")),
    ],
)
def test_the_pins_are_within_the_ranges(name: str, extras: tuple[str, ...]) -> None:
    pinned = pins(name)
    optional = PROJECT["project"]["optional-dependencies"]
    wanted = [*PROJECT["project"]["dependencies"], *WRITER["project"]["dependencies"]]
    wanted += [one for extra in extras for one in optional[extra]]
    for requirement in map(Requirement, wanted):
        # The writer is of this checkout; what it requires is pinned.
        if requirement.name == WRITER["project"]["name"]:
            continue
        if requirement.marker is None or requirement.marker.evaluate():
            assert requirement.specifier.contains(version(pinned[canonicalize_name(requirement.name)]))


@pytest.mark.smoke
def test_no_pin_of_the_dashboard_is_heavy() -> None:
    assert not {"llvmlite", "onednn-cpu-gomp", "pillow", "tqdm"} & set(pins("requirements-dashboard.txt"))


@pytest.mark.smoke
@pytest.mark.parametrize("name", ["requirements.txt", "requirements-dashboard.txt"])
def test_the_product_is_developed_with_the_versions_that_it_ships_with(name: str) -> None:
    product, development = pins(name), pins("requirements-dev.txt")
    assert {name: version(development[name]) for name in product} == {
        name: version(pin) for name, pin in product.items()
    }


@pytest.mark.smoke
def test_every_development_package_is_pinned() -> None:
    development = pins("requirements-dev.txt")
    for requirement in map(Requirement, PROJECT["dependency-groups"]["dev"]):
        assert requirement.specifier.contains(version(development[canonicalize_name(requirement.name)]))


@pytest.mark.smoke
def test_the_build_backend_is_the_one_that_types_are_checked_with() -> None:
    (backend,) = PROJECT["build-system"]["requires"]
    assert WRITER["build-system"] == PROJECT["build-system"]
    assert backend in PROJECT["dependency-groups"]["dev"]


def test_imports_go_one_way() -> None:
    command = [str(Path(sys.executable).with_name("lint-imports")), "--no-cache"]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout
