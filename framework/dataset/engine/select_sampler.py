"""The choice of a sampler by the arguments of a dataset."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from framework.common.validator import check_bool
from framework.communication.data_parallel import shards_of
from framework.dataset.engine.samplers import (
    BuiltinSampler,
    DistributedSampler,
    IterSampler,
    RandomSampler,
    SequentialSampler,
    SubsetSampler,
)

__all__ = ["select_sampler"]


def select_sampler(
    sampler: Any,
    shuffle: bool | None,
    num_samples: int | None,
    num_shards: int | None,
    shard_id: int | None,
) -> BuiltinSampler:
    """The sampler for the arguments of a dataset; a random one by default.

    Args:
        sampler: a sampler, or an iterable of row indices; None for none.
        shuffle: read in random order; None for the default.
        num_samples: number of rows to read; None for all.
        num_shards: number of shards; None for one for each rank of a data parallel training, else for no shards.
        shard_id: index of the shard.

    Returns:
        The sampler.

    Raises:
        ValueError: the arguments contradict each other.
        TypeError: the sampler has the wrong type.
    """
    if sampler is not None:
        given = {"shuffle": shuffle, "num_shards": num_shards, "shard_id": shard_id, "num_samples": num_samples}
        for name, value in given.items():
            if value is not None:
                raise ValueError(f"sampler and {name} cannot be given together: the sampler decides")
        if isinstance(sampler, BuiltinSampler):
            return sampler
        if isinstance(sampler, Sequence) and all(isinstance(item, int) for item in sampler):
            return SubsetSampler(sampler)
        if isinstance(sampler, Iterable) or hasattr(sampler, "__getitem__"):
            return IterSampler(sampler)
        raise TypeError(f"sampler must be a sampler or an iterable of row indices, not {sampler!r}")
    if shuffle is not None:
        check_bool(shuffle, "shuffle")
    num_shards, shard_id = shards_of(num_shards, shard_id)
    if num_shards is not None and shard_id is not None:
        return DistributedSampler(num_shards, shard_id, shuffle is not False, num_samples)
    return SequentialSampler(num_samples=num_samples) if shuffle is False else RandomSampler(num_samples=num_samples)
