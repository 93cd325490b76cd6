"""Batches are filled in memory that is used again, once nobody holds what was in it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import framework as ms
import framework.dataset as ds
from framework import nn
from framework.dataset.runtime.blocks.slots import Pool, Slots
from framework.dataset.runtime.mapping import Map
from framework.dataset.vision import HWC2CHW, Normalize, RandomCrop, RandomHorizontalFlip

IMAGES = np.random.default_rng(4).integers(0, 256, (67, 50, 50, 3), np.uint8)
LABELS = np.arange(67)
FLOAT = np.dtype(np.float32)


@pytest.fixture(autouse=True)
def _one_seed() -> Iterator[None]:
    ds.config.set_seed(11)
    yield
    ds.config.set_seed(5489)
    ds.config.set_error_samples_mode(ds.config.ErrorSamplesMode.RETURN)


def augmented(workers: int, first: Any = None, labels: Any = LABELS) -> ds.Dataset:
    data = ds.NumpySlicesDataset({"image": IMAGES, "label": labels}, shuffle=True)
    own = [RandomCrop(48), RandomHorizontalFlip(), Normalize([120.0] * 3, [60.0] * 3), HWC2CHW()]
    operations = own if first is None else [first, *own]
    return data.map(operations, "image", num_parallel_workers=workers).batch(8)


def batches(data: ds.Dataset, epochs: int = 2) -> list[tuple[Any, ...]]:
    with data.create_tuple_iterator(num_epochs=epochs, output_numpy=True) as iterator:
        return [tuple(batch) for _ in range(epochs) for batch in iterator]


def address(array: Any) -> int:
    return int(array.__array_interface__["data"][0])


def same(one: list[tuple[Any, ...]], other: list[tuple[Any, ...]]) -> None:
    for values, wanted in zip(one, other, strict=True):
        for value, expected in zip(values, wanted, strict=True):
            np.testing.assert_array_equal(value, expected, strict=True)


@pytest.mark.parametrize("workers", [1, 3])
def test_batches_that_are_kept_are_those_of_rows_that_are_copied(workers: int, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = batches(augmented(workers))
    monkeypatch.setattr(Map, "filled", None)
    same(kept, batches(augmented(1)))


def test_rows_that_are_left_out_move_the_others_up(monkeypatch: pytest.MonkeyPatch) -> None:
    ds.config.set_error_samples_mode(ds.config.ErrorSamplesMode.SKIP)
    left_out = IMAGES[[5, 6, 40], 0, 0, 0]

    def refuse(image: Any) -> Any:
        if image[0, 0, 0] in left_out:
            raise ValueError("not this one")
        return image

    kept = batches(augmented(2, refuse), 1)
    monkeypatch.setattr(Map, "filled", None)
    same(kept, batches(augmented(1, refuse), 1))


def test_memory_of_batches_is_used_again() -> None:
    with augmented(1).create_tuple_iterator(num_epochs=8, output_numpy=True) as iterator:
        addresses = [address(batch[0]) for _ in range(8) for batch in iterator if len(batch[0]) == 8]
    assert len(addresses) == 64
    # As many as wait in front of the reader, and a few that are being filled.
    assert len(set(addresses)) <= ds.config.get_prefetch_size() + 8


def test_tensors_of_batches_are_their_memory() -> None:
    with augmented(1).create_tuple_iterator(num_epochs=8) as iterator:
        addresses = [address(batch[0].asnumpy()) for _ in range(8) for batch in iterator if len(batch[0]) == 8]
    assert len(set(addresses)) <= ds.config.get_prefetch_size() + 8


def test_tensors_that_are_kept_stay_as_they_are() -> None:
    with augmented(2).create_tuple_iterator(num_epochs=2) as iterator:
        kept = [tuple(batch) for _ in range(2) for batch in iterator]
    same([tuple(value.asnumpy() for value in batch) for batch in kept], batches(augmented(1)))


def test_what_a_function_of_batches_holds_is_copied() -> None:
    held = np.zeros(3, np.float32)
    data = ds.NumpySlicesDataset(np.arange(4), ["x"], shuffle=False)
    data = data.batch(2, per_batch_map=lambda x, info: ({"held": held},), input_columns=["x"])
    with data.create_tuple_iterator(num_epochs=1) as iterator:
        tensor = next(iterator)[0]["held"]
    held += 1
    assert not tensor.asnumpy().any()


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
def test_a_training_is_the_same_in_sink_mode(mode: int) -> None:
    def trained(sink: bool) -> list[Any]:
        ms.set_seed(5)
        network = nn.SequentialCell(nn.Flatten(), nn.Dense(48 * 48 * 3, 4))
        model = ms.Model(network, nn.MAELoss(), nn.SGD(network.trainable_params(), 0.01))
        model.train(2, augmented(2, labels=np.ones((67, 4), np.float32)), dataset_sink_mode=sink)
        return [parameter.asnumpy() for parameter in network.trainable_params()]

    before = ms.get_context("mode")
    ms.set_context(mode=mode)
    try:
        for one, other in zip(trained(True), trained(False), strict=True):
            np.testing.assert_array_equal(one, other)
    finally:
        ms.set_context(mode=before)


def test_a_part_of_a_batch_keeps_its_memory() -> None:
    pool = Pool()
    first = pool.array((100, 1000), FLOAT)
    where = address(first)
    part = first[3:5].T
    first[:] = 7
    del first
    assert address(pool.array((100, 1000), FLOAT)) != where
    assert (part == 7).all()
    del part
    assert address(pool.array((100, 1000), FLOAT)) == where


def test_a_batch_is_taken_as_it_is_only_if_all_its_rows_are_there() -> None:
    slots = Slots(Pool(), 4)
    assert slots.slot(0) is None
    slots.learn(np.zeros((100, 100), np.float32))
    rows: list[Any] = [slots.slot(number) for number in range(8)]
    whole = slots.batch(0, rows[:4])
    assert whole is not None
    assert address(whole) == address(rows[0])
    assert slots.batch(1, [rows[5], rows[4], *rows[6:]]) is None
