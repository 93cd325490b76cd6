"""Samplers compared with their documentation, alone and chained."""

from collections import Counter
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import framework.dataset as ds
from tests.framework.dataset.files import write_mnist
from tests.framework.dataset.test_sources import column


def chosen(sampler: Any, count: int = 10) -> list[int]:
    """The rows that a sampler reads; their number must equal the data set's size."""
    dataset = ds.NumpySlicesDataset(np.arange(count), ["x"], sampler=sampler)
    values = column(dataset, "x")
    assert dataset.get_dataset_size() == len(values)
    return values


def test_sequential() -> None:
    assert chosen(ds.SequentialSampler()) == list(range(10))
    assert chosen(ds.SequentialSampler(4, 3)) == [4, 5, 6]
    assert chosen(ds.SequentialSampler(8, 5)) == [8, 9]
    with pytest.raises(RuntimeError, match="start_index 10 is beyond the 10 rows"):
        chosen(ds.SequentialSampler(10))


def test_random() -> None:
    assert sorted(chosen(ds.RandomSampler())) == list(range(10))
    assert len(set(chosen(ds.RandomSampler(num_samples=4)))) == 4
    drawn = chosen(ds.RandomSampler(replacement=True, num_samples=200))
    assert len(drawn) == 200
    assert set(drawn) == set(range(10))


def test_distributed_shards_cover_all_rows_in_equal_numbers() -> None:
    shards = [chosen(ds.DistributedSampler(4, shard, shuffle=False)) for shard in range(4)]
    assert shards == [[0, 4, 8], [1, 5, 9], [2, 6, 0], [3, 7, 1]]
    uneven = [chosen(ds.DistributedSampler(4, shard, shuffle=False, offset=1)) for shard in range(4)]
    assert uneven == [[3, 7], [0, 4, 8], [1, 5, 9], [2, 6]]
    assert chosen(ds.DistributedSampler(4, 1, shuffle=False, num_samples=2)) == [1, 5]


def test_shuffled_shards_with_one_seed_cover_all_rows() -> None:
    ds.config.set_seed(6)
    try:
        shards = [chosen(ds.DistributedSampler(5, shard)) for shard in range(5)]
    finally:
        ds.config.set_seed(5489)
    assert sorted(chain(*shards)) == list(range(10))
    assert list(chain(*shards)) != [shard + 5 * place for shard in range(5) for place in range(2)]


def test_subsets() -> None:
    assert chosen(ds.SubsetSampler([5, 5, 2])) == [5, 5, 2]
    assert chosen(ds.SubsetSampler([5, 1, 2], num_samples=2)) == [5, 1]
    assert sorted(chosen(ds.SubsetRandomSampler([5, 1, 2]))) == [1, 2, 5]
    with pytest.raises(RuntimeError, match="no row 10, only rows 0 to 9"):
        chosen(ds.SubsetSampler([10]))
    with pytest.raises(TypeError, match="indices must be ints"):
        ds.SubsetSampler([0.5])  # type: ignore[list-item]


def test_weights() -> None:
    drawn = Counter(chosen(ds.WeightedRandomSampler([0, 1, 3], num_samples=4000)))
    assert set(drawn) == {1, 2}
    assert drawn[2] / drawn[1] == pytest.approx(3, rel=0.2)
    assert sorted(chosen(ds.WeightedRandomSampler([0, 1, 3], 2, replacement=False))) == [1, 2]
    with pytest.raises(RuntimeError, match="3 samples without replacement of 2 weights above 0"):
        chosen(ds.WeightedRandomSampler([0, 1, 3], 3, replacement=False))
    with pytest.raises(RuntimeError, match="11 weights for 10 rows"):
        chosen(ds.WeightedRandomSampler([1] * 11))
    with pytest.raises(ValueError, match="at least 0, and not all 0"):
        ds.WeightedRandomSampler([0, 0])


def test_some_of_each_class(tmp_path: Path) -> None:
    write_mnist(tmp_path)
    assert column(ds.MnistDataset(tmp_path, sampler=ds.PKSampler(2)), "label") == [0, 0, 1, 1, 2, 2]
    shuffled = column(ds.MnistDataset(tmp_path, sampler=ds.PKSampler(3, num_class=2, shuffle=True)), "label")
    assert Counter(Counter(shuffled).values()) == {3: 2}
    with pytest.raises(RuntimeError, match="num_class is 4, but there are 3 classes"):
        list(ds.MnistDataset(tmp_path, sampler=ds.PKSampler(1, num_class=4)))
    with pytest.raises(RuntimeError, match="this source has no classes"):
        chosen(ds.PKSampler(1))
    labelled = ds.NumpySlicesDataset({"x": [1, 2, 3], "label": [0, 1, 1]}, sampler=ds.PKSampler(1, num_class=1))
    assert column(labelled, "x") == [1]


class Every(ds.Sampler):
    """One row of so many."""

    def __init__(self, step: int) -> None:
        super().__init__()
        self.step = step

    def __iter__(self) -> Iterator[int]:
        return iter(range(0, self.dataset_size, self.step))


def test_a_sampler_of_the_user() -> None:
    assert chosen(Every(4)) == [0, 4, 8]
    assert chosen(ds.IterSampler([3, 1, 2], num_samples=2)) == [3, 1]
    assert chosen([9, 0]) == [9, 0]
    with pytest.raises(RuntimeError, match="IterSampler chose row 12, but the rows are 0 to 9"):
        chosen(ds.IterSampler([12]))
    with pytest.raises(NotImplementedError, match="must define __iter__"):
        iter(ds.Sampler())
    with pytest.raises(TypeError, match="must be a sampler"):
        chosen(3)


def test_a_child_chooses_first() -> None:
    sampler = ds.SequentialSampler(1, 3)
    child = ds.SubsetSampler([9, 8, 7, 6, 5])
    sampler.add_child(child)
    assert sampler.get_child() is child
    assert chosen(sampler) == [8, 7, 6]
    assert sampler.get_num_samples() == 3
    user = Every(2)
    user.add_child(ds.SubsetSampler([5, 4, 3]))
    assert chosen(user) == [5, 3]
    with pytest.raises(RuntimeError, match="at most one child"):
        sampler.add_child(child)


@given(
    count=st.integers(1, 30),
    indices=st.lists(st.integers(0, 29), min_size=1, max_size=20),
    start=st.integers(0, 5),
    limit=st.none() | st.integers(1, 8),
    shards=st.integers(1, 4),
)
def test_chains_against_lists(count: int, indices: list[int], start: int, limit: int | None, shards: int) -> None:
    rows = [index % count for index in indices]
    inner = ds.SubsetSampler(rows)
    middle = ds.DistributedSampler(shards, shards - 1, shuffle=False)
    middle.add_child(inner)
    length = -(-len(rows) // shards)
    sharded = [rows[(shards - 1 + shards * place) % len(rows)] for place in range(length)]
    outer = ds.SequentialSampler(min(start, length - 1), limit)
    outer.add_child(middle)
    wanted = sharded[min(start, length - 1) :]
    assert chosen(outer, count) == (wanted if limit is None else wanted[:limit])


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: ds.DistributedSampler(2, 2), "shard_id must be below"),
        (lambda: ds.DistributedSampler(2, 0, offset=2), "offset"),
        (lambda: ds.RandomSampler(replacement=1), "replacement"),
        (lambda: ds.SequentialSampler(-1), "start_index"),
        (lambda: ds.PKSampler(0), "num_val"),
        (lambda: ds.RandomSampler(num_samples=-1), "num_samples"),
    ],
)
def test_wrong_arguments_are_named(make: Any, words: str) -> None:
    with pytest.raises((ValueError, TypeError), match=words):
        make()
