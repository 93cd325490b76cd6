"""The key of kept rows: a hash of the operators that make them, and of the names, sizes and times of their files."""

from __future__ import annotations

import hashlib
import inspect
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

from framework.dataset.ir import Node, walk
from framework.dataset.ir.passes.traits import is_function
from framework.dataset.ir.to_json import operation_json

__all__ = ["FILES", "key_of"]

#: Arguments of sources that name files or folders.
FILES: Final = ("dataset_dir", "dataset_file", "dataset_files", "annotation_file", "schema_file_path")
#: Parameters that rows do not depend on.
_IDLE: Final = frozenset(
    ("connector_queue_size", "num_parallel_workers", "num_samples", "num_shards", "shard_id", "shuffle")
)


def key_of(root: Node, folder: Path) -> str:
    """The key of the rows that a tree gives.

    Args:
        root: last operator of a chain down to a source of files.
        folder: folder of the kept rows, which must not lie in that of the source: each row would change it.

    Returns:
        64 hexadecimal digits.

    Raises:
        ValueError: rows come from no files, or the folder lies among them, or a function has no source text.
    """
    parts = [f"{name} {version(name)}" for name in ("numpy", "opencv-python-headless", "pillow")]
    for node in walk(root):
        given = {name: value for name, value in node.parameters.items() if name not in _IDLE}
        operations = [[operation_json(one), _text_of(one)] for one in node.operations]
        parts.append(json.dumps([node.op_type, given, operations], sort_keys=True, default=str))
        if not node.children:
            parts += _states(node, folder)
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def _text_of(operation: object) -> str:
    """The source text of a function, which stands for what it computes; empty for transforms."""
    if not callable(operation) or not is_function(operation):
        return ""
    function = getattr(operation, "func", operation)
    try:
        return inspect.getsource(function)
    except (OSError, TypeError) as error:
        raise ValueError(
            f"cache: the source text of {function!r} is not found, so a change would not be noticed"
        ) from error


def _states(node: Node, folder: Path) -> list[str]:
    """The name, size and time of each file of a source."""
    given = [_listed(node.parameters[name]) for name in FILES if node.parameters.get(name)]
    shards: Sequence[Any] = getattr(node.python.get("source"), "shards", ())
    paths = [*(path for paths in given for path in paths), *(str(shard.path) for shard in shards)]
    if not paths:
        raise ValueError(
            f"cache: the rows of {node.op_type} come from Python objects, whose changes a folder would not notice;"
            " leave out the folder to keep them in memory"
        )
    if any(folder.resolve().is_relative_to(Path(path).resolve()) for path in paths):
        raise ValueError(f"cache: the folder {folder} lies in that of the data set; choose one outside of it")
    return [f"{path} {state.st_size} {state.st_mtime_ns}" for path, state in sorted(_found(paths).items())]


def _listed(value: str | Sequence[str]) -> Sequence[str]:
    return [value] if isinstance(value, str) else value


def _found(paths: Iterable[str]) -> Mapping[str, os.stat_result]:
    return {str(file): file.stat() for path in paths for file in _files(Path(path))}


def _files(path: Path) -> Iterator[Path]:
    if not path.is_dir():
        yield path
        return
    for folder, _, names in os.walk(path):
        yield from (Path(folder, name) for name in names)
