"""The choices of samplers: from a number of rows and a random stream to the indices of the rows to read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from framework.dataset.ir.nodes import SamplerNode
from framework.dataset.runtime.rows import Array, Pass, Source

__all__ = ["chosen", "is_users", "number_chosen"]


def chosen(sampler: SamplerNode, source: Source, this: Pass, operator: int) -> Iterator[int]:
    """The row indices in order; a sampler with a child chooses among the child's.

    Raises:
        ValueError: the sampler does not fit the source: an index is out of range, or a shard has no rows.
    """
    if sampler.child is None:
        available: Array = np.arange(len(source))
    else:
        available = np.fromiter(chosen(sampler.child, source, this.round(0), operator), np.int64)
    places = _places(sampler, source, available, this, operator)
    if isinstance(places, np.ndarray):
        return iter(available[places].tolist())
    return (int(available[place]) for place in places)


def is_users(sampler: SamplerNode | None) -> bool:
    """Whether a user's sampler has a part in the choice, which may choose one row at a time."""
    while sampler is not None:
        if sampler.python is not None:
            return True
        sampler = sampler.child
    return False


def number_chosen(sampler: SamplerNode, source: Source) -> int | None:
    """The number of rows; None for a user's sampler of unknown length."""
    available = len(source) if sampler.child is None else number_chosen(sampler.child, source)
    if is_users(sampler):
        return None
    assert available is not None  # noqa: S101 - no sampler on the way is the user's
    return len(_CHOICES[sampler.sampler_name](sampler.parameters, _Rows(available, source), np.random.default_rng(0)))


class _Rows:
    """The rows that a sampler chooses from."""

    def __init__(self, count: int, source: Source, available: Array | None = None) -> None:
        self.count = count
        self.source = source
        self.available = available

    def labels(self) -> Array:
        """The class of each row."""
        labels = self.source.labels()
        if labels is None:
            raise ValueError("PKSampler: this source has no classes; it needs a column of labels")
        return labels if self.available is None else labels[self.available]


def _places(sampler: SamplerNode, source: Source, available: Array, this: Pass, operator: int) -> Iterable[int]:
    if sampler.python is not None:
        return _from_user(sampler, len(available))
    parameters = sampler.parameters
    path = this.path if parameters.get("reshuffle_each_epoch", True) else ()
    if "seed" in parameters:
        # All parts of a split choose from the same order, wherever they are in the pipeline.
        stream = Pass(parameters["seed"], path).stream(0)
    else:
        stream = Pass(this.seed, path).stream(operator)
    rows = _Rows(len(available), source, available if sampler.child is not None else None)
    return _CHOICES[sampler.sampler_name](parameters, rows, stream)


def _from_user(sampler: SamplerNode, count: int) -> Iterator[int]:
    user = sampler.python
    if hasattr(user, "dataset_size"):
        user.dataset_size = count
    limit = sampler.parameters.get("num_samples") or None
    for number, index in enumerate(user):
        if limit is not None and number >= limit:
            return
        place = int(index)
        if not 0 <= place < count:
            raise ValueError(f"{sampler.sampler_name} chose row {place}, but the rows are 0 to {count - 1}")
        yield place


def _limited(places: Array, parameters: Mapping[str, Any]) -> Array:
    limit = parameters.get("num_samples") or 0
    return places[:limit] if limit else places


def _sequential(parameters: Mapping[str, Any], rows: _Rows, stream: np.random.Generator) -> Array:
    start = parameters.get("start_index") or 0
    if start >= max(rows.count, 1):
        raise ValueError(f"SequentialSampler: start_index {start} is beyond the {rows.count} rows")
    return _limited(np.arange(start, rows.count), parameters)


def _random(parameters: Mapping[str, Any], rows: _Rows, stream: np.random.Generator) -> Array:
    limit = parameters.get("num_samples") or rows.count
    if parameters.get("replacement"):
        return stream.integers(rows.count, size=limit) if rows.count else np.arange(0)
    return stream.permutation(rows.count)[:limit]


def _distributed(parameters: Mapping[str, Any], rows: _Rows, stream: np.random.Generator) -> Array:
    shards, shard, offset = parameters["num_shards"], parameters["shard_id"], parameters.get("offset", -1)
    order = stream.permutation(rows.count) if parameters.get("shuffle") else np.arange(rows.count)
    if offset == -1:
        # All shards have one length; some are filled up with the first rows of the data.
        places = shard + shards * np.arange(-(-rows.count // shards))
    else:
        places = np.arange(shard - offset, rows.count, shards)
        places = places[places >= 0]
    return _limited(order[places % max(rows.count, 1)] if rows.count else order, parameters)


def _subset(parameters: Mapping[str, Any], rows: _Rows, stream: np.random.Generator) -> Array:
    places = np.asarray(parameters["indices"], np.int64)
    outside = places[(places < 0) | (places >= rows.count)]
    if outside.size:
        raise ValueError(f"SubsetSampler: there is no row {outside[0]}, only rows 0 to {rows.count - 1}")
    return _limited(places, parameters)


def _subset_random(parameters: Mapping[str, Any], rows: _Rows, stream: np.random.Generator) -> Array:
    return _limited(stream.permutation(_subset({**parameters, "num_samples": 0}, rows, stream)), parameters)


def _weighted(parameters: Mapping[str, Any], rows: _Rows, stream: np.random.Generator) -> Array:
    weights = np.asarray(parameters["weights"], np.float64)
    if len(weights) > rows.count:
        raise ValueError(f"WeightedRandomSampler: {len(weights)} weights for {rows.count} rows")
    replacement, count = parameters.get("replacement", True), parameters.get("num_samples") or len(weights)
    possible = int(np.count_nonzero(weights))
    if not replacement and count > possible:
        raise ValueError(f"WeightedRandomSampler: {count} samples without replacement of {possible} weights above 0")
    return stream.choice(len(weights), size=count, replace=replacement, p=weights / weights.sum())


def _pk(parameters: Mapping[str, Any], rows: _Rows, stream: np.random.Generator) -> Array:
    labels = rows.labels()
    classes = np.unique(labels)
    if parameters.get("shuffle"):
        classes = stream.permutation(classes)
    class_count = parameters.get("num_class") or len(classes)
    if class_count > len(classes):
        raise ValueError(f"PKSampler: num_class is {class_count}, but there are {len(classes)} classes")
    draws = [stream.choice(np.flatnonzero(labels == label), parameters["num_val"]) for label in classes[:class_count]]
    return _limited(np.concatenate(draws) if draws else np.arange(0), parameters)


def _runs(parameters: Mapping[str, Any], rows: _Rows, stream: np.random.Generator) -> Array:
    ends = np.cumsum(parameters["counts"])
    runs = np.split(np.arange(rows.count), ends[:-1])
    if parameters["within"]:
        return _limited(np.concatenate([stream.permutation(run) for run in runs]), parameters)
    return _limited(np.concatenate([runs[place] for place in stream.permutation(len(runs))]), parameters)


def _files(parameters: Mapping[str, Any], rows: _Rows, stream: np.random.Generator) -> Array:
    """Rows of several files: modes are MindSpore's numbers, 1 for files, 2 for all rows, 3 within files."""
    counts: list[int] = getattr(rows.source, "counts", [rows.count])
    mode, shards, shard = parameters["mode"], parameters["num_shards"], parameters["shard_id"]
    files = np.split(np.arange(rows.count), np.cumsum(counts)[:-1])
    if parameters["whole_files"] and shards > 1:
        if len(files) < shards:
            raise ValueError(f"{len(files)} files for {shards} shards; give shard_equal_rows=True to divide their rows")
        files, shards = files[shard::shards], 1
    if mode == 2:
        together = stream.permutation(np.concatenate(files))
        return _limited(np.concatenate(_share([together], shard, shards)), parameters)
    if mode == 1:
        files = [files[place] for place in stream.permutation(len(files))]
    blocks = _share(files, shard, shards)
    if mode == 3:
        blocks = [stream.permutation(block) for block in blocks]
    return _limited(_in_turn(blocks, len(files)), parameters)


def _share(files: Sequence[Array], shard: int, shards: int) -> list[Array]:
    """The rows of a shard: all have one length, and the last ones are filled up with the first rows."""
    if shards == 1:
        return list(files)
    total = sum(map(len, files))
    length = -(-total // shards)
    blocks, start = [], 0
    while total and start < (shard + 1) * length:
        for rows in files:
            part = rows[max(shard * length - start, 0) : max((shard + 1) * length - start, 0)]
            if len(part):
                blocks.append(part)
            start += len(rows)
    return blocks


def _in_turn(blocks: Sequence[Array], lanes: int) -> Array:
    """One row from each lane in turn until they end; blocks are distributed to the lanes one by one."""
    if not blocks:
        return np.arange(0)
    lined = [np.concatenate(blocks[lane::lanes]) for lane in range(min(lanes, len(blocks)))]
    place = np.concatenate([np.arange(len(lane)) for lane in lined])
    number = np.concatenate([np.full(len(lane), index) for index, lane in enumerate(lined)])
    return np.concatenate(lined)[np.lexsort((number, place))]


_CHOICES: dict[str, Callable[[Mapping[str, Any], _Rows, np.random.Generator], Array]] = {
    "SequentialSampler": _sequential,
    "RandomSampler": _random,
    "DistributedSampler": _distributed,
    "SubsetSampler": _subset,
    "SubsetRandomSampler": _subset_random,
    "WeightedRandomSampler": _weighted,
    "PKSampler": _pk,
    "RunsSampler": _runs,
    "FilesSampler": _files,
}
