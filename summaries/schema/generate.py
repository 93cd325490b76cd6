"""Generate the `*_pb2.py` and `*_pb2.pyi` modules from the `.proto` sources beside this file and in `framework/schema`.

`python -m summaries.schema.generate` writes them (`make proto`); with `--check` it writes nothing and exits
with 1 when a committed file is not what the sources give (`make lint`).
"""

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
SCHEMAS = (Path("summaries/schema"), Path("framework/schema"))
"""Where sources are; what is generated lies beside them."""


def generate(target: Path) -> list[Path]:
    """Write the generated modules below `target` and return their paths, from there.

    Sources are named from the repository's root, so that descriptors have the file name
    `summaries/schema/...` (never that of another project's `summary.proto`) and generated imports are `from
    summaries.schema import ...`.

    Raises:
        subprocess.CalledProcessError: a source does not compile; the compiler's message is on standard error.
    """
    sources = [str(path) for path in _found(ROOT, "*.proto")]
    command = [sys.executable, "-m", "grpc_tools.protoc", f"-I{ROOT}", f"--python_out={target}"]
    plugin = Path(sys.executable).with_name("protoc-gen-mypy")
    command += [f"--plugin=protoc-gen-mypy={plugin}", f"--mypy_out=quiet:{target}", *sources]
    subprocess.run(command, check=True, cwd=ROOT)
    return list(_found(target, "*_pb2.py*"))


def stale(fresh: Path) -> list[Path]:
    """Return the committed modules that differ from those generated below `fresh`, or lack a source."""
    made = list(_found(fresh, "*_pb2.py*"))
    changed = [path for path in made if not _same(fresh / path, ROOT / path)]
    return changed + [path for path in _found(ROOT, "*_pb2.py*") if path not in made]


def _found(base: Path, pattern: str) -> Iterator[Path]:
    for schema in SCHEMAS:
        for path in sorted((base / schema).glob(pattern)):
            yield path.relative_to(base)


def _same(fresh: Path, committed: Path) -> bool:
    return committed.is_file() and committed.read_bytes() == fresh.read_bytes()


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return its exit code."""
    parser = argparse.ArgumentParser(prog="summaries.schema.generate", description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 when a module is not current")
    check = parser.parse_args(arguments).check
    if not check:
        for path in generate(ROOT):
            sys.stdout.write(f"{path}\n")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        generate(Path(folder))
        outdated = stale(Path(folder))
    for path in outdated:
        sys.stderr.write(f"{path} is not what its .proto gives: run `make proto` and commit it.\n")
    return 1 if outdated else 0


if __name__ == "__main__":
    sys.exit(main())
