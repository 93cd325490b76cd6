"""Looks for known vulnerabilities in the pinned packages of Python and of the front end. Called by `make lint`.

It asks the advisory services of PyPI (pip-audit) and npm (`npm audit`). A machine that reaches neither gets a sentence
and no error. A vulnerability that does not touch this project goes into `ACCEPTED`, with the reason.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
# Identifier of an advisory, and why it does not affect this project.
ACCEPTED: Mapping[str, str] = {}
_TIMEOUT_S = 120


@dataclass(frozen=True)
class Vulnerability:
    """A known vulnerability of a pinned package."""

    package: str
    advisory: str
    advice: str

    def __str__(self) -> str:
        return f"{self.package}: {self.advisory}. {self.advice}"


class UnreachableError(Exception):
    """An advisory service does not respond; the message says which one."""


def read_pip_audit(output: str) -> list[Vulnerability]:
    """Returns the vulnerabilities in the JSON output of pip-audit.

    Raises:
        UnreachableError: pip-audit printed no report, or could look up none of the packages.
    """
    try:
        packages: list[dict[str, Any]] = json.loads(output)["dependencies"]
    except (ValueError, KeyError, TypeError):
        raise UnreachableError("PyPI's advisory service did not answer") from None
    if packages and all("skip_reason" in package for package in packages):
        raise UnreachableError("the package index in use offers no advisories")
    return [
        Vulnerability(f"{package['name']} {package['version']}", found["id"], _fixed_in(found["fix_versions"]))
        for package in packages
        for found in package.get("vulns", ())
    ]


def _fixed_in(versions: Sequence[str]) -> str:
    return f"Fixed in {', '.join(versions)}." if versions else "No version fixes it."


def read_npm_audit(output: str) -> list[Vulnerability]:
    """Returns the vulnerabilities in the JSON output of `npm audit`.

    Raises:
        UnreachableError: npm got no report from its registry.
    """
    try:
        packages: dict[str, dict[str, Any]] = json.loads(output)["vulnerabilities"]
    except (ValueError, KeyError, TypeError):
        raise UnreachableError("npm's advisory service did not answer") from None
    return [
        Vulnerability(f"{name} {package['range']}", str(found["url"]).rpartition("/")[2], str(found["title"]))
        for name, package in packages.items()
        for found in package["via"]
        if isinstance(found, dict)  # a text names another package, which has its own entry
    ]


def _output(command: Sequence[str | Path], directory: Path = ROOT) -> str:
    """Return the output of a command; its exit status reports vulnerabilities and failures alike."""
    try:
        ran = subprocess.run(command, cwd=directory, capture_output=True, text=True, timeout=_TIMEOUT_S, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return ran.stdout


def _audit_python() -> list[Vulnerability]:
    program = Path(sys.executable).with_name("pip-audit")
    options = ("--no-deps", "--disable-pip", "--progress-spinner=off", "--format=json", "--timeout=10")
    return read_pip_audit(_output([program, "--requirement", "requirements-dev.txt", *options]))


def _audit_front_end() -> list[Vulnerability]:
    return read_npm_audit(_output(["npm", "audit", "--json"], ROOT / "frontend"))


def main() -> int:
    """Print the findings; return 1 if there are any that were not accepted."""
    found: list[Vulnerability] = []
    for what, audit in (("Python packages", _audit_python), ("The front end's packages", _audit_front_end)):
        try:
            found += audit()
        except UnreachableError as error:
            print(f"{what} were not checked for known vulnerabilities: {error}.")
    new = [vulnerability for vulnerability in found if vulnerability.advisory not in ACCEPTED]
    for vulnerability in new:
        print(vulnerability)
    return 1 if new else 0


if __name__ == "__main__":
    sys.exit(main())
