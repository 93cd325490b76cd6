"""Compares the index of a MindRecord file with the file, and makes it again."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import numpy as np

from framework.common.replacing import replacing
from framework.dataset.mindrecord.index import Indexed, index_of, read_places, read_values, write_index
from framework.dataset.mindrecord.refusals import MRMGenerateIndexError, MRMOpenError
from framework.dataset.mindrecord.shards import Shard
from framework.dataset.mindrecord.walking import indexed_rows

__all__ = ["index_problems", "make_index"]

_PLACES: Final = [1, 2, 3, 5, 6, 7]
#: The columns of a row of the index before those of fields.
_FIRST: Final = 8


def index_problems(shard: Shard, rows: Sequence[Indexed]) -> Iterator[str]:
    """What is wrong with the index of a file, in sentences.

    Args:
        shard: the file.
        rows: the index that it should have; a row whose values are not known is without them.
    """
    path, fields = index_of(shard.path), shard.header.index_fields
    try:
        indexed = read_places(path, shard.path.name)
        values = read_values(path, fields) if fields else []
    except MRMOpenError as error:
        yield str(error)
        return
    if len(indexed) != len(rows):
        yield f"{path} has {len(indexed)} rows, {shard.path} has {len(rows)}"
    wanted = np.asarray([row[:_FIRST] for row in rows], np.int64).reshape(-1, _FIRST)[:, _PLACES]
    both = min(len(indexed), len(rows))
    wrong = np.flatnonzero((indexed[:both] != wanted[:both]).any(axis=1))
    if len(wrong):
        row = int(wrong[0])
        yield (
            f"{path}: {len(wrong)} rows have another place than in {shard.path}, the first is row {row}: "
            f"{indexed[row].tolist()} instead of {wanted[row].tolist()}"
        )
    for have, known in zip(values, rows, strict=False):
        want = tuple(known[_FIRST + 1 :: 2])
        if want and have != want:
            yield f"{path}, row {known[0]}: {', '.join(fields)} is {have} instead of {want}"


def make_index(shard: Shard, *, always: bool = False) -> bool:
    """Make the index of a file where it is missing or wrong. An index under its name is always whole.

    Args:
        shard: the file.
        always: also where the index is right.

    Returns:
        Whether one was made.

    Raises:
        MRMOpenError: the file is damaged.
        MRMGenerateIndexError: the index cannot be written.
    """
    rows = indexed_rows(shard)
    if not always and not any(index_problems(shard, rows)):
        return False
    header, path = shard.header, index_of(shard.path)
    try:
        with replacing(path) as file:
            write_index(Path(file.name), shard.path.name, header.schema, header.index_fields, rows)
    except (OSError, sqlite3.Error) as error:
        why = getattr(error, "strerror", None) or error
        raise MRMGenerateIndexError(f"{path} cannot be written: {why}") from error
    return True
