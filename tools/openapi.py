"""Writes the API's description and the front end's types from it, or checks that both are current.

Called by `make openapi`, and with `--check` by `make lint`.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from frontend import find_npm

ROOT = Path(__file__).resolve().parent.parent
DESCRIPTION = ROOT / "frontend" / "openapi.json"
TYPES = ROOT / "frontend" / "src" / "data" / "schema.d.ts"


def describe(target: Path) -> None:
    """Write the OpenAPI description of the server."""
    command = [sys.executable, "manage.py", "spectacular", "--validate", "--fail-on-warn"]
    subprocess.run([*command, "--format", "openapi-json", "--file", str(target)], cwd=ROOT, check=True)


def generate_types(description: Path, target: Path) -> None:
    """Write TypeScript types for the description."""
    command = [find_npm(), "exec", "--", "openapi-typescript", str(description), "--output", str(target)]
    subprocess.run(command, cwd=ROOT / "frontend", check=True, stdout=subprocess.DEVNULL)


def stale_files() -> list[Path]:
    """Return the generated files that are out of date."""
    with tempfile.TemporaryDirectory() as folder:
        description, types = Path(folder, "openapi.json"), Path(folder, "schema.d.ts")
        describe(description)
        generate_types(description, types)
        fresh = {DESCRIPTION: description, TYPES: types}
        return [kept for kept, new in fresh.items() if _read(kept) != _read(new)]


def _read(file: Path) -> bytes | None:
    return file.read_bytes() if file.is_file() else None


def main() -> int:
    """Write the files, or with `--check` name those that are out of date and return 1."""
    if sys.argv[1:] != ["--check"]:
        describe(DESCRIPTION)
        generate_types(DESCRIPTION, TYPES)
        return 0
    stale = stale_files()
    for file in stale:
        print(f"{file.relative_to(ROOT)} does not match the code: run `make openapi`.", file=sys.stderr)
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
