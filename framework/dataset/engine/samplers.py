"""Samplers: which rows of a source are read, in which order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from framework.common.validator import check_bool, check_non_negative_int, check_positive_int
from framework.dataset.ir import SamplerNode

__all__ = [
    "DistributedSampler",
    "IterSampler",
    "PKSampler",
    "RandomSampler",
    "Sampler",
    "SequentialSampler",
    "SubsetRandomSampler",
    "SubsetSampler",
    "WeightedRandomSampler",
]


class BuiltinSampler:
    """What samplers have in common: a number of samples, and a child that chooses first.

    Args:
        num_samples: how many rows to read; None for all.

    """

    def __init__(self, num_samples: int | None = None) -> None:
        if num_samples is not None:
            check_non_negative_int(num_samples, "num_samples")
        self.num_samples = num_samples
        self.child_sampler: BuiltinSampler | None = None

    def add_child(self, sampler: BuiltinSampler | None) -> None:
        """Let another sampler choose first; this one then chooses among its rows.

        Raises:
            RuntimeError: there is one already.

        """
        if sampler is None:
            return
        if self.child_sampler is not None:
            raise RuntimeError("a sampler has one child at most; add the other one to the child")
        self.child_sampler = sampler

    def get_child(self) -> BuiltinSampler | None:
        """The sampler that chooses first."""
        return self.child_sampler

    def get_num_samples(self) -> int | None:
        """The smallest number of samples along the chain, None where none is given."""
        child = self.child_sampler.get_num_samples() if self.child_sampler is not None else None
        given = [number for number in (self.num_samples, child) if number is not None]
        return min(given) if given else None

    def parameters(self) -> dict[str, Any]:
        """What JSON holds of it."""
        return {}

    def node(self) -> SamplerNode:
        """The sampler as a part of a pipeline."""
        child = self.child_sampler.node() if self.child_sampler is not None else None
        parameters = {**self.parameters(), "num_samples": self.num_samples or 0}
        return SamplerNode(type(self).__name__, parameters, child)


class Sampler(BuiltinSampler):
    """The base of a user's sampler: `__iter__` gives indices of rows; `self.dataset_size` is their number.

    Args:
        num_samples: how many of them are read; None for all.

    """

    def __init__(self, num_samples: int | None = None) -> None:
        super().__init__(num_samples)
        self.dataset_size = 0

    def __iter__(self) -> Iterator[int]:
        raise NotImplementedError(f"{type(self).__name__} must define __iter__, which gives the numbers of rows")

    def node(self) -> SamplerNode:
        """The sampler as a part of a pipeline."""
        made = super().node()
        return SamplerNode(made.sampler_name, made.parameters, made.child, self)


class IterSampler(Sampler):
    """The row numbers that an iterable gives.

    Args:
        sampler: the iterable; it is gone through in each epoch.
        num_samples: how many of them are read; None for all.

    """

    def __init__(self, sampler: Iterable[int], num_samples: int | None = None) -> None:
        super().__init__(num_samples)
        self.sampler = sampler

    def __iter__(self) -> Iterator[int]:
        return iter(self.sampler)


class SequentialSampler(BuiltinSampler):
    """Rows in their order.

    Args:
        start_index: the first one.
        num_samples: how many; None for all.

    """

    def __init__(self, start_index: int | None = None, num_samples: int | None = None) -> None:
        super().__init__(num_samples)
        if start_index is not None:
            check_non_negative_int(start_index, "start_index")
        self.start_index = start_index

    def parameters(self) -> dict[str, Any]:
        """What JSON holds of it."""
        return {"start_index": self.start_index or 0}


class RandomSampler(BuiltinSampler):
    """Rows in random order, another one in each epoch.

    Args:
        replacement: a row can come more than once.
        num_samples: how many; None for all.

    """

    def __init__(self, replacement: bool = False, num_samples: int | None = None) -> None:
        super().__init__(num_samples)
        self.replacement = check_bool(replacement, "replacement")
        self.reshuffle_each_epoch = True
        #: A seed of its own, for what must be shuffled alike in several pipelines.
        self.seed: int | None = None

    def parameters(self) -> dict[str, Any]:
        """What JSON holds of it."""
        own = {} if self.seed is None else {"seed": self.seed}
        return {"replacement": self.replacement, "reshuffle_each_epoch": self.reshuffle_each_epoch, **own}


class DistributedSampler(BuiltinSampler):
    """Every `num_shards`th row, for one of several processes that train together.

    Args:
        num_shards: how many processes.
        shard_id: which one, from 0.
        shuffle: distribute the rows in random order, the same one in all processes (give them one seed).
        num_samples: how many; None for all of the shard.
        offset: the shard that gets the first row; -1 fills all shards up to the same length with rows from the start.

    """

    def __init__(
        self, num_shards: int, shard_id: int, shuffle: bool = True, num_samples: int | None = None, offset: int = -1
    ) -> None:
        super().__init__(num_samples)
        self.num_shards = check_positive_int(num_shards, "num_shards")
        self.shard_id = check_non_negative_int(shard_id, "shard_id")
        if shard_id >= num_shards:
            raise ValueError(f"shard_id must be below num_shards ({num_shards}), not {shard_id}")
        if not -1 <= offset < num_shards:
            raise ValueError(f"offset must lie between -1 and num_shards - 1 ({num_shards - 1}), not {offset}")
        self.shuffle = check_bool(shuffle, "shuffle")
        self.offset = offset

    def parameters(self) -> dict[str, Any]:
        """What JSON holds of it."""
        shards = {"num_shards": self.num_shards, "shard_id": self.shard_id}
        return {**shards, "shuffle": self.shuffle, "offset": self.offset}


class SubsetSampler(BuiltinSampler):
    """The rows of a list, in its order.

    Args:
        indices: their numbers.
        num_samples: how many of them; None for all.

    """

    def __init__(self, indices: int | Iterable[int], num_samples: int | None = None) -> None:
        super().__init__(num_samples)
        given = [indices] if isinstance(indices, int) else list(indices)
        for index in given:
            if isinstance(index, bool) or int(index) != index:
                raise TypeError(f"{type(self).__name__}: indices are ints, not {index!r}")
        self.indices = [int(index) for index in given]

    def parameters(self) -> dict[str, Any]:
        """What JSON holds of it."""
        return {"indices": self.indices}


class SubsetRandomSampler(SubsetSampler):
    """The rows of a list, in random order.

    Args:
        indices: their numbers.
        num_samples: how many of them; None for all.

    """


class WeightedRandomSampler(BuiltinSampler):
    """Random rows, each the more likely the larger its weight.

    Args:
        weights: one per row, at least 0 and not all 0.
        num_samples: how many rows; None for as many as there are weights.
        replacement: a row can come more than once.

    """

    def __init__(self, weights: Sequence[float], num_samples: int | None = None, replacement: bool = True) -> None:
        super().__init__(num_samples)
        self.weights = [float(weight) for weight in weights]
        if not self.weights or min(self.weights) < 0 or sum(self.weights) <= 0:
            raise ValueError("WeightedRandomSampler: weights must be at least 0, and not all 0")
        self.replacement = check_bool(replacement, "replacement")

    def parameters(self) -> dict[str, Any]:
        """What JSON holds of it."""
        return {"weights": self.weights, "replacement": self.replacement}


class PKSampler(BuiltinSampler):
    """K random rows of each of P classes.

    Args:
        num_val: K; a row can come more than once.
        num_class: P; None for all classes.
        shuffle: take the classes in random order.
        class_column: recorded; classes are the column of labels that the source has.
        num_samples: how many rows in all; None for P times K.

    """

    def __init__(
        self,
        num_val: int,
        num_class: int | None = None,
        shuffle: bool = False,
        class_column: str = "label",
        num_samples: int | None = None,
    ) -> None:
        super().__init__(num_samples)
        self.num_val = check_positive_int(num_val, "num_val")
        self.num_class = None if num_class is None else check_positive_int(num_class, "num_class")
        self.shuffle = check_bool(shuffle, "shuffle")
        self.class_column = class_column

    def parameters(self) -> dict[str, Any]:
        """What JSON holds of it."""
        own = {} if self.num_class is None else {"num_class": self.num_class}
        return {"num_val": self.num_val, "shuffle": self.shuffle, **own}
