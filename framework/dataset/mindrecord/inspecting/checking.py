"""Checks MindRecord files whole: headers, each page and length, each value, and the index."""

from __future__ import annotations

from collections.abc import Iterator

from framework.dataset.mindrecord.index import Indexed
from framework.dataset.mindrecord.inspecting.indexing import index_problems
from framework.dataset.mindrecord.refusals import MRMOpenError
from framework.dataset.mindrecord.shards import Shard, shards_of
from framework.dataset.mindrecord.walking import Walk, indexed_row

__all__ = ["problems_of"]


def problems_of(file: str) -> Iterator[str]:
    """What is wrong with a set of files, in sentences.

    Args:
        file: path of one file, with which the others of its set are found.
    """
    try:
        shards = shards_of(file)
    except MRMOpenError as error:
        yield str(error)
        return
    for shard in shards:
        yield from _of_shard(shard)


def _of_shard(shard: Shard) -> Iterator[str]:
    found: list[str] = []
    places = Walk(shard, found.append).places()
    yield from (f"{shard.path}: {problem}" for problem in found)
    rows: list[Indexed] = []
    for place in places:
        try:
            _decode(shard, place)
            rows.append(indexed_row(shard, place))
        except ValueError as error:
            rows.append(place)
            yield f"{shard.path}, row {place[0]}: {error}"
    yield from index_problems(shard, rows)


def _decode(shard: Shard, place: tuple[int, ...]) -> None:
    """Decode all fields of a row.

    Raises:
        ValueError: one is damaged.
    """
    header = shard.header
    raw, blob = header.start(place[1]), header.start(place[5])
    parts = shard.part(raw + place[2], raw + place[3]), shard.part(blob + place[6], blob + place[7])
    header.schema.decoded(parts[0].tobytes(), parts[1], header.schema.fields)
