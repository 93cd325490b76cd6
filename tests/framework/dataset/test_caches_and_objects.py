"""Rows that a cache keeps, dictionaries as columns, and settings that are kept."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import framework as ms
import framework.dataset as ds
from tests.framework.dataset.files import write_folder
from tests.framework.dataset.test_tfrecord import ROWS, write


def dictionaries() -> Any:
    for number in range(3):
        yield {"powers": np.power(number, [1, 2]), "deep": {"n": number}}, number


def test_a_cache_keeps_what_fits(tmp_path: Path) -> None:
    path = Path(write(tmp_path / "a.tfrecord", ROWS))
    cache = ds.DatasetCache(1)
    data = ds.TFRecordDataset(str(path), columns_list=["n"], shuffle=False, cache=cache)
    read = [[row[0].tolist() for row in data.create_tuple_iterator(num_epochs=1, output_numpy=True)] for _ in range(2)]
    assert read[0] == read[1] == [[-1, 300], [7, 8]]
    assert cache.get_stat() == {"num_mem_cached": 2, "mem_cached_bytes": 32}
    row = next(data.create_tuple_iterator(num_epochs=1, output_numpy=True))[0]
    row[0] = 99
    assert next(data.create_tuple_iterator(num_epochs=1, output_numpy=True))[0][0] == -1, "what is kept is not changed"
    with pytest.raises(TypeError, match="cache"):
        ds.TFRecordDataset(str(path), cache="cache")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="session_id"):
        ds.DatasetCache(0)


@pytest.mark.parametrize("workers", [1, 4])
def test_images_are_kept_in_a_cache(tmp_path: Path, workers: int) -> None:
    paths = write_folder(tmp_path)
    cache = ds.DatasetCache(1)
    data = ds.ImageFolderDataset(tmp_path, decode=True, shuffle=False, num_parallel_workers=workers, cache=cache)
    wanted = [pixels.tolist() for pixels in paths.values()]
    read = [[row[0].tolist() for row in data.create_tuple_iterator(num_epochs=1, output_numpy=True)] for _ in range(2)]
    assert read[0] == read[1] == wanted
    assert cache.get_stat()["num_mem_cached"] == 3


def test_dictionaries_are_columns() -> None:
    data = ds.GeneratorDataset(dictionaries, ["d", "n"])
    first = next(data.create_dict_iterator(num_epochs=1))
    assert isinstance(first["d"]["powers"], ms.Tensor)
    assert isinstance(first["d"]["deep"]["n"], ms.Tensor)
    inner = data.map(lambda d: d["powers"], ["d"]).filter(lambda d, n: n > 0)
    assert [row[0].tolist() for row in inner.create_tuple_iterator(num_epochs=1, output_numpy=True)] == [[1, 1], [2, 4]]
    batch = next(data.batch(3).create_dict_iterator(num_epochs=1, output_numpy=True))
    assert batch["d"]["powers"].tolist() == [[0, 0], [1, 1], [2, 4]]
    assert batch["d"]["deep"]["n"].tolist() == [0, 1, 2]


def test_a_dictionary_stands_for_a_whole_batch() -> None:
    data = ds.NumpySlicesDataset(np.arange(4), ["x"], shuffle=False)
    data = data.batch(2, per_batch_map=lambda x, info: {"all": np.array(x), "index": info.get_batch_num()})
    found = [row[0] for row in data.create_tuple_iterator(num_epochs=1, output_numpy=True)]
    assert [one["all"].tolist() for one in found] == [[0, 1], [2, 3]]
    assert [int(one["index"]) for one in found] == [0, 1]


def test_dictionaries_of_a_batch_have_the_same_keys() -> None:
    data = ds.GeneratorDataset([({"a": 1},), ({"b": 1},)], ["d"]).batch(2)
    with pytest.raises(RuntimeError, match="different keys"):
        list(data)


def test_an_object_with_an_index_is_a_sampler() -> None:
    class Two:
        def __getitem__(self, index: int) -> int:
            return [3, 1][index]

    data = ds.NumpySlicesDataset(np.arange(5), ["x"], sampler=Two())
    assert [int(row[0]) for row in data] == [3, 1]


def test_rows_fill_up_a_dataset() -> None:
    data = ds.NumpySlicesDataset({"x": [1, 2]}, shuffle=False) + ds.PaddedDataset([{"x": np.int64(0)}])
    assert [int(row[0]) for row in data] == [1, 2, 0]
    with pytest.raises(ValueError, match="same columns"):
        ds.PaddedDataset([{"x": 1}, {"y": 1}])


def test_settings_are_kept() -> None:
    assert ds.config.get_enable_shared_mem() is True
    ds.config.set_enable_shared_mem(False)
    assert ds.config.get_enable_shared_mem() is False
    ds.config.set_enable_shared_mem(True)
    assert ds.config.get_autotune_interval() == 0
    with pytest.raises(TypeError, match="a bool"):
        ds.config.set_numa_enable(1)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="at least 0"):
        ds.config.set_callback_timeout(-1)
