"""The command `mindrecord`, also `python -m framework mindrecord`: checks, describes, indexes and shows files."""

from __future__ import annotations

import argparse
import base64
import json
import math
import sys
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from framework.dataset.mindrecord.files import MindRecordFiles
from framework.dataset.mindrecord.index import index_of
from framework.dataset.mindrecord.inspecting.checking import problems_of
from framework.dataset.mindrecord.inspecting.indexing import make_index
from framework.dataset.mindrecord.refusals import MindRecordError
from framework.dataset.mindrecord.shards import Shard, shards_of
from framework.dataset.runtime.rows import Array

__all__ = ["main"]

_MOST_PROBLEMS: Final = 100


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command.

    Args:
        arguments: the arguments; None for those of the program.

    Returns:
        The exit code: 0, or 1 if a file is damaged or cannot be read.

    Raises:
        SystemExit: the arguments are wrong (code 2).
    """
    options = _parser().parse_args(arguments)
    try:
        done: int = options.run(options)
        return done
    except BrokenPipeError:
        # The reader of the output has seen enough.
        sys.stdout = None
        return 0
    except (MindRecordError, RuntimeError, OSError, ValueError) as error:
        sys.stderr.write(f"mindrecord: {error}\n")
        return 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="mindrecord", description="Checks and shows MindRecord files.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for name, run, text in (
        ("check", _check, "check each page, length, value and index; exit code 1 if something is wrong"),
        ("info", _info, "print header, schema, rows, pages and sizes"),
        ("index", _index, "make indexes that are missing or wrong from the files"),
        ("cat", _cat, "print rows as JSON lines"),
    ):
        command = commands.add_parser(name, help=text, description=text.capitalize() + ".")
        command.add_argument("file", metavar="FILE", help="one file; the others of its set are found with it")
        command.set_defaults(run=run)
        if name == "info":
            command.add_argument("--json", action="store_true", help="print one JSON object")
        if name == "index":
            command.add_argument("--all", action="store_true", help="make indexes that are right, too")
        if name == "cat":
            command.add_argument("--start", type=_count, default=0, help="index of the first row (0)")
            command.add_argument("--rows", type=_count, help="number of rows (all)")
            command.add_argument("--columns", nargs="+", metavar="NAME", help="fields to print (all)")
            command.add_argument("--blob-bytes", type=_count, default=48, help="bytes shown of a field of bytes (48)")
            command.add_argument("--values", type=_count, default=16, help="numbers shown of an array (16)")
    return parser


def _count(text: str) -> int:
    number = int(text)
    if number < 0:
        raise argparse.ArgumentTypeError("it must not be negative")
    return number


def _print(text: str) -> None:
    sys.stdout.write(f"{text}\n")


def _check(options: argparse.Namespace) -> int:
    count = 0
    for problem in problems_of(options.file):
        count += 1
        if count <= _MOST_PROBLEMS:
            _print(problem)
    if count > _MOST_PROBLEMS:
        _print(f"and {count - _MOST_PROBLEMS} more")
    if not count:
        shards = shards_of(options.file)
        rows, pages = sum(map(len, shards)), sum(len(shard.header.pages) for shard in shards)
        _print(f"{options.file} is right: {len(shards)} files, {pages} pages, {rows} rows")
    return 1 if count else 0


def _described(shard: Shard) -> dict[str, Any]:
    header, index = shard.header, index_of(shard.path)
    return {
        "file": str(shard.path),
        "bytes": shard.path.stat().st_size,
        "index_bytes": index.stat().st_size if index.is_file() else None,
        "rows": header.rows,
        "header_text_bytes": header.text_size,
        "pages": [page.to_json(header.shard_id) for page in header.pages],
    }


def _info(options: argparse.Namespace) -> int:
    shards = shards_of(options.file)
    header = shards[0].header
    described = [_described(shard) for shard in shards]
    common = {
        "rows": sum(map(len, shards)),
        "header_size": header.header_size,
        "page_size": header.page_size,
        "compression_size": header.saved,
        "index_fields": list(header.index_fields),
        "schema": header.schema.to_json(),
    }
    if options.json:
        _print(json.dumps({**common, "files": described}, ensure_ascii=False))
        return 0
    _print(f"rows         {common['rows']} in {len(shards)} files")
    _print(f"description  {header.schema.description}")
    _print(f"header_size  {header.header_size}")
    _print(f"page_size    {header.page_size}")
    _print(f"saved        {header.saved} bytes by packing integers")
    for field in header.schema.fields.values():
        shape = "" if field.shape is None else f" {list(field.shape)}"
        indexed = ", in the index" if field.name in header.index_fields else ""
        _print(f"field        {field.name}: {field.type}{shape}, {'blob' if field.is_blob else 'raw'}{indexed}")
    for one, shard in zip(described, shards, strict=True):
        index = "no index" if one["index_bytes"] is None else f"index of {one['index_bytes']} bytes"
        _print(f"file         {one['file']}: {one['rows']} rows, {one['bytes']} bytes, {index}")
        for page in shard.header.pages:
            rows = f"rows {page.first_row} to {page.end_row}" if page.rows else f"{len(page.groups)} groups of rows"
            used = f"{page.size} bytes ({page.size / header.page_size:.0%})"
            _print(f"  page {page.number:<6} {page.kind:<9}  {used}, at byte {shard.header.start(page.number)}, {rows}")
    return 0


def _index(options: argparse.Namespace) -> int:
    for shard in shards_of(options.file):
        made = make_index(shard, always=options.all)
        _print(f"{index_of(shard.path)}: {'made, ' if made else 'is right, '}{len(shard)} rows")
    return 0


def _cat(options: argparse.Namespace) -> int:
    files = MindRecordFiles(options.file, options.columns)
    end = len(files) if options.rows is None else min(options.start + options.rows, len(files))
    for row in range(options.start, end):
        try:
            values = files.row(row)
        except ValueError as error:
            raise MindRecordError(f"{files.describe(row)}: {error}") from error
        shown = {name: _shown(value, options) for name, value in zip(files.columns, values, strict=True)}
        _print(json.dumps(shown, ensure_ascii=False))
    return 0


def _shown(value: Array, options: argparse.Namespace) -> Any:
    if value.dtype.kind == "S":
        data, most = value.tobytes(), options.blob_bytes
        return {"bytes": len(data), "base64": base64.b64encode(data[:most]).decode()}
    if value.ndim == 0:
        return _number(value.item())
    if value.size <= options.values:
        return _numbers(value.tolist())
    return {"shape": list(value.shape), "first": _numbers(value.ravel()[: options.values].tolist())}


def _numbers(values: Any) -> Any:
    return [_numbers(value) for value in values] if isinstance(values, list) else _number(values)


def _number(value: Any) -> Any:
    """A value of JSON, which knows neither NaN nor infinity."""
    return str(np.float64(value)) if isinstance(value, float) and not math.isfinite(value) else value


if __name__ == "__main__":
    sys.exit(main())
