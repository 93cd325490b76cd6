"""Operations that a Map joins into one pass give what they give one after the other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

import framework.dataset as ds
from framework.dataset.transforms import TypeCast
from framework.dataset.vision import HWC2CHW, Normalize, RandomCrop, RandomHorizontalFlip, Rescale, ToTensor

IMAGES = np.random.default_rng(4).integers(0, 256, (6, 12, 10, 3), np.uint8)
CHAINS: dict[str, list[Callable[..., Any]]] = {
    "photographs": [
        RandomCrop(8),
        RandomHorizontalFlip(0.5),
        Normalize([120.0, 110.0, 100.0], [60.0, 50.0, 40.0]),
        HWC2CHW(),
    ],
    "digits": [Rescale(1 / 255, 0.0), Rescale(1 / 0.3081, -0.42), HWC2CHW(), TypeCast(np.float16)],
    "tensors": [RandomCrop(8), ToTensor(), lambda image: image + 1, Normalize([0.5] * 3, [0.2] * 3, is_hwc=False)],
}


def rows_of(operations: Sequence[Callable[..., Any]], workers: int = 1) -> list[Any]:
    ds.config.set_seed(3)
    source = ds.NumpySlicesDataset({"image": IMAGES}, shuffle=False)
    data = source.map(list(operations), "image", num_parallel_workers=workers)
    with data.create_tuple_iterator(num_epochs=1, output_numpy=True) as iterator:
        rows = [row[0] for row in iterator]
    ds.config.set_seed(5489)
    return rows


@pytest.mark.parametrize("workers", [1, 3])
@pytest.mark.parametrize("name", CHAINS)
def test_rows_are_those_of_operations_in_turn(name: str, workers: int, monkeypatch: pytest.MonkeyPatch) -> None:
    joined = rows_of(CHAINS[name], workers)
    monkeypatch.setattr("framework.dataset.vision.joining.join", lambda operations: None)
    for one, other in zip(joined, rows_of(CHAINS[name]), strict=True):
        np.testing.assert_array_equal(one, other, strict=True)


def test_an_error_names_the_operation_that_has_it() -> None:
    operations = [RandomCrop(8), Normalize([1.0] * 4, [1.0] * 4), HWC2CHW()]
    with pytest.raises(RuntimeError, match=r"operation 2 of 3 \(Normalize\)"):
        rows_of(operations)
