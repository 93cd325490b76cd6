"""Directories of published models: whether all names of MindSpore that they import and use are there.

Nothing of a program is run: its sources are read. Attributes of objects are not seen.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterable, Iterator
from pathlib import Path

from benchmarks.foreign.causes import Cause, Outcome
from benchmarks.foreign.isolation import Limits, run_worker

ROOT_NAME = "mindspore"


def names_in(source: str) -> set[str]:
    """The dotted names of MindSpore that a module imports, and those that it reads through what it imported."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            tree = ast.parse(source)
        except (SyntaxError, ValueError):
            return set()
    known: dict[str, str] = {}
    found: set[str] = set()
    for node in ast.walk(tree):
        for name, path in _imported(node):
            known[name] = path
        found.update(path for _, path in _imported(node))
        if isinstance(node, ast.Import):
            found.update(one.name for one in node.names if one.name.partition(".")[0] == ROOT_NAME)
        if isinstance(node, ast.ImportFrom) and not node.level and _is_ours(node.module):
            found.add(str(node.module))
    for node in ast.walk(tree):
        path = _path(node, known) if isinstance(node, ast.Attribute) else ""
        if path:
            found.add(path)
    return found


def _is_ours(module: str | None) -> bool:
    return (module or "").partition(".")[0] == ROOT_NAME


def _imported(node: ast.AST) -> Iterator[tuple[str, str]]:
    """The names that an import binds, with what they stand for."""
    if isinstance(node, ast.Import):
        for one in node.names:
            if _is_ours(one.name):
                yield (one.asname, one.name) if one.asname else (ROOT_NAME, ROOT_NAME)
    elif isinstance(node, ast.ImportFrom) and not node.level and _is_ours(node.module):
        for one in node.names:
            if one.name != "*":
                yield one.asname or one.name, f"{node.module}.{one.name}"


def _path(node: ast.expr, known: dict[str, str]) -> str:
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name) or node.id not in known:
        return ""
    return ".".join([known[node.id], *reversed(parts)])


def resolved(
    program: str, root: Path, directories: Iterable[Path], limits: Limits, reference: Path | None = None
) -> list[Outcome]:
    """Whether the names of each directory are there; all names are looked up once."""
    uses: dict[Path, dict[str, str]] = {}
    for directory in directories:
        names: dict[str, str] = {}
        for path in sorted(directory.rglob("*.py")):
            for name in names_in(path.read_text(errors="replace")):
                names.setdefault(name, str(path.relative_to(root)))
        if names:
            uses[directory] = names
    missing = _missing({name for names in uses.values() for name in names}, limits)
    theirs = _missing(set(missing), limits, reference) if reference else {}
    outcomes = []
    for directory, names in uses.items():
        lacks = sorted({missing[name] for name in names if name in missing})
        more = {"missing": lacks, "also_missing_in_reference": [name for name in lacks if name in theirs.values()]}
        cause = Cause.MISSING if lacks else Cause.PASSED
        at = next((place for name, place in names.items() if name in missing), "")
        case = str(directory.relative_to(root))
        outcomes.append(Outcome("names", program, case, cause, ", ".join(lacks), at=at, more=more))
    return outcomes


def _missing(names: set[str], limits: Limits, python: Path | None = None) -> dict[str, str]:
    """The names that are not there, each with the shortest beginning of it that is not."""
    told = run_worker("resolve_names", {"names": sorted(names)}, limits, python)
    if told.ended or len(told.lines) != len(names):
        raise RuntimeError(f"names were not looked up: {told.ended}\n{told.printed}")
    return {line["name"]: line["missing"] for line in told.lines if line["missing"]}
