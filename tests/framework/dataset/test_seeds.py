"""Random results are reproducible by seed, in any thread."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import framework as ms
import framework.common.seed as framework_seed
import framework.dataset as ds


@pytest.fixture(autouse=True)
def _seeds(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(framework_seed, "_seed", None)
    yield
    ds.config.set_seed(5489)


def pipeline() -> ds.Dataset:
    images = np.arange(20 * 8 * 8, dtype=np.uint8).reshape(20, 8, 8)
    dataset = ds.NumpySlicesDataset({"image": images, "n": np.arange(20)}).shuffle(5)
    return dataset.map([ds.vision.RandomCrop(4), ds.vision.RandomHorizontalFlip()], "image").batch(4)


def epochs(dataset: ds.Dataset, count: int = 2) -> list[Any]:
    iterator = dataset.create_tuple_iterator(num_epochs=count, output_numpy=True)
    return [[[value.tolist() for value in row] for row in iterator] for _ in range(count)]


def test_the_same_seed_gives_the_same_rows() -> None:
    ds.config.set_seed(3)
    first, again = epochs(pipeline()), epochs(pipeline())
    assert first == again
    assert first[0] != first[1]
    ds.config.set_seed(4)
    assert epochs(pipeline()) != first


def test_epochs_that_are_left_out_change_no_others() -> None:
    ds.config.set_seed(3)
    read = epochs(pipeline(), 4)
    iterator = pipeline().create_tuple_iterator(num_epochs=4, output_numpy=True)
    iterator.skip_epochs(2)
    assert [[[value.tolist() for value in row] for row in iterator] for _ in range(2)] == read[2:]
    with pytest.raises(ValueError, match="cannot skip 1 epochs: 4 of 4 are over"):
        iterator.skip_epochs(1)
    endless = pipeline().create_dict_iterator()
    next(endless)
    with pytest.raises(RuntimeError, match="not within one"):
        endless.skip_epochs(1)


def test_without_a_seed_rows_differ() -> None:
    assert epochs(pipeline()) != epochs(pipeline())


def test_the_seed_of_the_framework_holds_where_there_is_no_other() -> None:
    ms.set_seed(8)
    first = epochs(pipeline())
    assert epochs(pipeline()) == first
    ds.config.set_seed(3)
    assert epochs(pipeline()) != first
    assert ds.config.get_seed() == 3


def test_random_numbers_of_a_row_do_not_depend_on_those_before() -> None:
    ds.config.set_seed(5)
    images = np.arange(6 * 9 * 9, dtype=np.uint8).reshape(6, 9, 9)

    def cropped(limit: int) -> list[Any]:
        dataset = ds.NumpySlicesDataset(images, ["image"], shuffle=False, num_samples=limit)
        return epochs(dataset.map(ds.vision.RandomCrop(3), "image"), 1)[0]

    assert cropped(6)[:3] == cropped(3)


def test_two_columns_are_changed_alike() -> None:
    image = np.arange(100, dtype=np.uint8).reshape(1, 10, 10)
    dataset = ds.NumpySlicesDataset({"image": image, "mask": image}).map(ds.vision.RandomCrop(3), ["image", "mask"])
    for row in dataset.repeat(5):
        np.testing.assert_array_equal(row[0].asnumpy(), row[1].asnumpy())


def test_transforms_outside_of_pipelines_follow_the_seed() -> None:
    image = np.arange(100, dtype=np.uint8).reshape(10, 10)
    crop = ds.vision.RandomCrop(2)

    def some() -> list[Any]:
        return [crop(image).tolist() for _ in range(5)]

    ds.config.set_seed(1)
    first = some()
    ds.config.set_seed(2)
    other = some()
    ds.config.set_seed(1)
    assert some() == first != other


@pytest.mark.parametrize("seed", [-1, 1 << 32, "3", True])
def test_seeds_that_are_none(seed: Any) -> None:
    with pytest.raises((ValueError, TypeError), match="seed"):
        ds.config.set_seed(seed)


def test_settings_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps({"seed": 77}))
    ds.config.load(str(tmp_path / "a.json"))
    assert ds.config.get_seed() == 77
    (tmp_path / "b.json").write_text(json.dumps({"sead": 1}))
    with pytest.raises(ValueError, match="no setting 'sead'"):
        ds.config.load(str(tmp_path / "b.json"))
