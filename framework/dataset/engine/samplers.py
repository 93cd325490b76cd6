"""Samplers: they choose the rows of a source and their order."""

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
    """Base class of samplers. A child, if there is one, chooses first.

    Args:
        num_samples: number of rows to read; None for all.
    """

    def __init__(self, num_samples: int | None = None) -> None:
        if num_samples is not None:
            check_non_negative_int(num_samples, "num_samples")
        self.num_samples = num_samples
        self.child_sampler: BuiltinSampler | None = None

    def add_child(self, sampler: BuiltinSampler | None) -> None:
        """Add a sampler that chooses first; this one then chooses among its rows.

        Args:
            sampler: the child.

        Raises:
            RuntimeError: there is a child already.
        """
        if sampler is None:
            return
        if self.child_sampler is not None:
            raise RuntimeError("a sampler has at most one child; add the other one to the child")
        self.child_sampler = sampler

    def get_child(self) -> BuiltinSampler | None:
        """The sampler that chooses first."""
        return self.child_sampler

    def get_num_samples(self) -> int | None:
        """The smallest number of samples along the chain; None if none is given."""
        child = self.child_sampler.get_num_samples() if self.child_sampler is not None else None
        numbers = [number for number in (self.num_samples, child) if number is not None]
        return min(numbers) if numbers else None

    def parameters(self) -> dict[str, Any]:
        """The parameters for JSON."""
        return {}

    def node(self) -> SamplerNode:
        """The node of the sampler."""
        child = self.child_sampler.node() if self.child_sampler is not None else None
        parameters = {**self.parameters(), "num_samples": self.num_samples or 0}
        return SamplerNode(type(self).__name__, parameters, child)


class Sampler(BuiltinSampler):
    """Base class of the user's samplers: `__iter__` yields row indices; `self.dataset_size` is the number of rows.

    Args:
        num_samples: number of rows to read; None for all.
    """

    def __init__(self, num_samples: int | None = None) -> None:
        super().__init__(num_samples)
        self.dataset_size = 0

    def __iter__(self) -> Iterator[int]:
        raise NotImplementedError(f"{type(self).__name__} must define __iter__, which yields row indices")

    def node(self) -> SamplerNode:
        """The node of the sampler."""
        made = super().node()
        return SamplerNode(made.sampler_name, made.parameters, made.child, self)


class IterSampler(Sampler):
    """The row indices of an iterable.

    Args:
        sampler: the iterable, which is iterated in each epoch.
        num_samples: number of rows to read; None for all.
    """

    def __init__(self, sampler: Iterable[int], num_samples: int | None = None) -> None:
        super().__init__(num_samples)
        self.sampler = sampler

    def __iter__(self) -> Iterator[int]:
        return iter(self.sampler)


class SequentialSampler(BuiltinSampler):
    """Rows in order.

    Args:
        start_index: index of the first row.
        num_samples: number of rows to read; None for all.
    """

    def __init__(self, start_index: int | None = None, num_samples: int | None = None) -> None:
        super().__init__(num_samples)
        if start_index is not None:
            check_non_negative_int(start_index, "start_index")
        self.start_index = start_index

    def parameters(self) -> dict[str, Any]:
        """The parameters for JSON."""
        return {"start_index": self.start_index or 0}


class RandomSampler(BuiltinSampler):
    """Rows in random order, which differs in each epoch.

    Args:
        replacement: draw with replacement, so that a row can occur more than once.
        num_samples: number of rows to read; None for all.
    """

    def __init__(self, replacement: bool = False, num_samples: int | None = None) -> None:
        super().__init__(num_samples)
        self.replacement = check_bool(replacement, "replacement")
        self.reshuffle_each_epoch = True
        #: Own seed, for pipelines that must be shuffled in the same way; None for the pipeline's seed.
        self.seed: int | None = None

    def parameters(self) -> dict[str, Any]:
        """The parameters for JSON."""
        own = {} if self.seed is None else {"seed": self.seed}
        return {"replacement": self.replacement, "reshuffle_each_epoch": self.reshuffle_each_epoch, **own}


class DistributedSampler(BuiltinSampler):
    """Every `num_shards`-th row, for one of several processes of a training.

    Args:
        num_shards: number of processes.
        shard_id: index of the process, from 0.
        shuffle: distribute the rows in random order, which is the same in all processes with one seed.
        num_samples: number of rows to read; None for the whole shard.
        offset: shard that gets the first row; -1 fills all shards up to one length with rows from the start.
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
        """The parameters for JSON."""
        shards = {"num_shards": self.num_shards, "shard_id": self.shard_id}
        return {**shards, "shuffle": self.shuffle, "offset": self.offset}


class SubsetSampler(BuiltinSampler):
    """The rows of a list, in its order.

    Args:
        indices: indices of the rows.
        num_samples: number of rows to read; None for all.
    """

    def __init__(self, indices: int | Iterable[int], num_samples: int | None = None) -> None:
        super().__init__(num_samples)
        given = [indices] if isinstance(indices, int) else list(indices)
        for index in given:
            if isinstance(index, bool) or int(index) != index:
                raise TypeError(f"{type(self).__name__}: indices must be ints, not {index!r}")
        self.indices = [int(index) for index in given]

    def parameters(self) -> dict[str, Any]:
        """The parameters for JSON."""
        return {"indices": self.indices}


class SubsetRandomSampler(SubsetSampler):
    """The rows of a list, in random order.

    Args:
        indices: indices of the rows.
        num_samples: number of rows to read; None for all.

    """


class WeightedRandomSampler(BuiltinSampler):
    """Random rows, with probabilities proportional to weights.

    Args:
        weights: weight of each row, at least 0 and not all 0.
        num_samples: number of rows to read; None for the number of weights.
        replacement: draw with replacement, so that a row can occur more than once.
    """

    def __init__(self, weights: Sequence[float], num_samples: int | None = None, replacement: bool = True) -> None:
        super().__init__(num_samples)
        self.weights = [float(weight) for weight in weights]
        if not self.weights or min(self.weights) < 0 or sum(self.weights) <= 0:
            raise ValueError("WeightedRandomSampler: weights must be at least 0, and not all 0")
        self.replacement = check_bool(replacement, "replacement")

    def parameters(self) -> dict[str, Any]:
        """The parameters for JSON."""
        return {"weights": self.weights, "replacement": self.replacement}


class PKSampler(BuiltinSampler):
    """K random rows of each of P classes.

    Args:
        num_val: K; a row can occur more than once.
        num_class: P; None for all classes.
        shuffle: choose the classes in random order.
        class_column: accepted for compatibility; the classes are the labels of the source.
        num_samples: number of rows in all; None for P times K.

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
        """The parameters for JSON."""
        own = {} if self.num_class is None else {"num_class": self.num_class}
        return {"num_val": self.num_val, "shuffle": self.shuffle, **own}
