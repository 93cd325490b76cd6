"""Checks the size limits of the code. Called by `make lint`; `limits.py PATH...` checks only these folders.

Files, functions, complexity, folders, `Any` and names of modules have limits. Lizard measures functions and their
cyclomatic complexity, in which `and` and `or` count as branches. `pyproject.toml` may allow a place more
(`[tool.limits.allowed]`); an allowance that is no longer needed is an error too, so the list only shrinks.
"""

from __future__ import annotations

import ast
import subprocess
import sys
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import lizard

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("framework", "debugging", "mindinsight", "summaries")
FILE_LINES = 500
#: Tests and C may be longer: a table of cases, or one translation unit.
LONG_FILE_LINES = 700
FUNCTION_LINES = 50
COMPLEXITY = 15
FOLDER_MODULES = 16
ANY_PERCENT = 10.0
SAME_NAMES = 2
_GENERATED = ("_pb2.py", "_pb2_grpc.py")


@dataclass(frozen=True, order=True)
class Excess:
    """A place that is over a limit.

    Args:
        place: A path below the checkout; for a function `path::name`.
        figure: What is too large there: `lines`, `complexity`, `modules`, `any` or `names`.
        value: The measured number.
        limit: The largest number that is allowed.
        where: The folders of a name that is repeated.
    """

    place: str
    figure: str
    value: float
    limit: float
    where: str = ""

    def __str__(self) -> str:
        return f"{self.place}: {self.figure} {self.value:g}, at most {self.limit:g}{self.where}"


def tracked(*paths: str) -> list[PurePosixPath]:
    """Returns the tracked files below `paths`, without generated modules and migrations."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *paths],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    files = (PurePosixPath(name) for name in listed.split("\0") if name and (ROOT / name).is_file())
    return [path for path in files if not path.name.endswith(_GENERATED) and "migrations" not in path.parts]


def long_files(files: Iterable[PurePosixPath]) -> Iterator[Excess]:
    """Yields the files with too many lines."""
    for path in files:
        if path.suffix in {".py", ".c", ".h"}:
            is_long_kind = path.parts[0] == "tests" or path.suffix != ".py"
            limit = LONG_FILE_LINES if is_long_kind else FILE_LINES
            lines = len((ROOT / path).read_bytes().splitlines())
            if lines > limit:
                yield Excess(str(path), "lines", lines, limit)


def large_functions(modules: Sequence[PurePosixPath]) -> Iterator[Excess]:
    """Yields the functions with too many lines (without docstrings and comments) or too high a complexity."""
    names = {str(ROOT / path): path for path in modules}
    for file in lizard.analyze_files(list(names), threads=2):
        for function in file.function_list:
            place = f"{names[file.filename]}::{function.name}"
            if function.nloc > FUNCTION_LINES:
                yield Excess(place, "lines", function.nloc, FUNCTION_LINES)
            if function.cyclomatic_complexity > COMPLEXITY:
                yield Excess(place, "complexity", function.cyclomatic_complexity, COMPLEXITY)


def is_face(tree: ast.Module) -> bool:
    """Tells whether a module only re-exports names of other modules."""
    return all(
        isinstance(node, ast.Import | ast.ImportFrom | ast.Assign | ast.AnnAssign | ast.AugAssign)
        or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))
        for node in tree.body
    ) and any(isinstance(node, ast.ImportFrom) for node in tree.body)


def _own_modules(trees: Mapping[PurePosixPath, ast.Module]) -> list[PurePosixPath]:
    return [path for path, tree in trees.items() if path.name != "__init__.py" and not is_face(tree)]


def full_folders(trees: Mapping[PurePosixPath, ast.Module]) -> Iterator[Excess]:
    """Yields the folders with too many modules of their own; modules that only re-export names do not count."""
    for folder, count in Counter(path.parent for path in _own_modules(trees)).items():
        if count > FOLDER_MODULES:
            yield Excess(str(folder), "modules", count, FOLDER_MODULES)


def repeated_names(trees: Mapping[PurePosixPath, ast.Module]) -> Iterator[Excess]:
    """Yields the module names that are used too often in the training core."""
    places: dict[str, list[PurePosixPath]] = defaultdict(list)
    for path in _own_modules(trees):
        if path.parts[0] == "framework":
            places[path.stem].append(path.parent)
    for name, folders in places.items():
        if len(folders) > SAME_NAMES:
            where = ": " + ", ".join(sorted(str(folder) for folder in folders))
            yield Excess(f"framework/**/{name}.py", "names", len(folders), SAME_NAMES, where)


def annotations_of(tree: ast.AST) -> Iterator[ast.expr]:
    """Yields the annotations of a module: parameters, results, variables and attributes."""
    for node in ast.walk(tree):
        if isinstance(node, ast.arg | ast.AnnAssign) and node.annotation is not None:
            yield node.annotation
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.returns is not None:
            yield node.returns


def _is_any(annotation: ast.expr) -> bool:
    return (isinstance(annotation, ast.Name) and annotation.id == "Any") or (
        isinstance(annotation, ast.Attribute) and annotation.attr == "Any"
    )


def any_shares(trees: Mapping[PurePosixPath, ast.Module]) -> dict[str, tuple[int, int]]:
    """Returns for each folder the number of annotations that are the bare word `Any`, and of all annotations."""
    shares: dict[str, tuple[int, int]] = {}
    for path, tree in trees.items():
        found = [_is_any(annotation) for annotation in annotations_of(tree)]
        for depth in range(1, len(path.parts)):
            folder = "/".join(path.parts[:depth])
            anys, total = shares.get(folder, (0, 0))
            shares[folder] = (anys + sum(found), total + len(found))
    return shares


def measure(paths: Sequence[str]) -> list[Excess]:
    """Returns every place over a limit below `paths`."""
    files = tracked(*paths)
    trees = {path: ast.parse((ROOT / path).read_bytes()) for path in files if path.suffix == ".py"}
    code = {path: tree for path, tree in trees.items() if path.parts[0] in PACKAGES}
    found = [*long_files(files), *large_functions(list(code)), *full_folders(code), *repeated_names(code)]
    shares = any_shares(code)
    for folder in [path for path in paths if path.split("/")[0] == "framework"]:
        anys, total = shares.get(folder.rstrip("/"), (0, 0))
        if total and 100 * anys / total > ANY_PERCENT:
            found.append(Excess(folder, "any", round(100 * anys / total, 1), ANY_PERCENT))
    return sorted(found)


def judge(found: Sequence[Excess], allowed: Mapping[str, float], *, is_whole: bool) -> list[str]:
    """Returns the violations as sentences.

    Args:
        found: The places over a limit.
        allowed: The largest number by `place figure` for places that may have more.
        is_whole: Whether everything was measured. Only then an allowance can be known to be too large.
    """
    values = {f"{excess.place} {excess.figure}": excess.value for excess in found}
    wrong = [str(excess) for excess in found if excess.value > allowed.get(f"{excess.place} {excess.figure}", 0)]
    if is_whole:
        for place, value in allowed.items():
            if values.get(place, 0) < value:
                now = f"is {values[place]:g}" if place in values else "is within the limit"
                wrong.append(f"pyproject.toml allows {value:g} for '{place}', which {now} now: lower the allowance")
    return wrong


def main(paths: Sequence[str]) -> int:
    """Prints the violations; returns 1 if there is one that is not allowed."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    allowed: dict[str, float] = project["tool"]["limits"]["allowed"]
    wrong = judge(measure(paths or (*PACKAGES, "tests", "benchmarks", "tools")), allowed, is_whole=not paths)
    for sentence in wrong:
        print(sentence)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
