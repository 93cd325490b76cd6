"""Rows that are kept, in memory and in files: computed once, found again, and refused where they no longer fit."""

import gc
import logging
import os
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import framework.dataset as ds
from framework.dataset import vision as V  # noqa: N812
from framework.dataset.keeping.row_file import RowFile
from tests.framework.dataset.files import write_folder
from tests.framework.dataset.ir.pipelines import is_same, read

KEY = "0123456789abcdef" * 4
calls: list[int] = []


@V.not_random
def counted(image: Any) -> Any:
    """A function that notes its calls."""
    calls.append(1)
    return image


@pytest.fixture(autouse=True)
def _alike() -> Iterator[None]:
    calls.clear()
    ds.config.set_seed(5)
    yield
    ds.config.set_seed(5489)


def images(folder: Path, shuffle: bool = True, workers: int = 1) -> ds.Dataset:
    data = ds.ImageFolderDataset(folder, shuffle=shuffle, num_parallel_workers=workers)
    chain = [V.Decode(), counted, V.Resize((4, 5)), V.Rescale(0.5, 0)]
    return data.map(chain, "image", num_parallel_workers=workers)


def behind(data: ds.Dataset) -> ds.Dataset:
    return data.map([V.RandomHorizontalFlip(), V.HWC2CHW()], "image").batch(2)


@pytest.mark.parametrize("workers", [1, 4])
@pytest.mark.parametrize("where", ["memory", "cache", "folder", "both"])
def test_rows_are_computed_once_and_are_the_same(tmp_path: Path, where: str, workers: int) -> None:
    write_folder(tmp_path / "images")
    plain = images(tmp_path / "images", workers=workers)
    wanted = read(behind(plain.rename("label", "class")), 3)
    calls.clear()
    if where == "cache":
        source = ds.ImageFolderDataset(tmp_path / "images", num_parallel_workers=workers)
        chain = [V.Decode(), counted, V.Resize((4, 5)), V.Rescale(0.5, 0)]
        cache = ds.DatasetCache(1)
        kept = source.map(chain, "image", cache=cache).rename("label", "class")
    else:
        folder = tmp_path / "kept" if where in ("folder", "both") else None
        kept = plain.rename("label", "class").cache(folder, 1 if where == "both" else 0)
    assert kept.get_col_names() == ["image", "class"]
    assert kept.get_dataset_size() == 3
    assert is_same(read(behind(kept), 3), wanted)
    assert len(calls) == 3
    assert is_same(read(behind(kept), 3), wanted)
    assert len(calls) == 3


def test_rows_in_files_are_found_by_another_pipeline_as_long_as_nothing_changes(tmp_path: Path) -> None:
    paths = write_folder(tmp_path / "images")
    kept = tmp_path / "kept"
    wanted = read(images(tmp_path / "images", False).cache(kept))
    assert len(calls) == 3
    assert is_same(read(images(tmp_path / "images", False, 2).cache(kept)), wanted)
    assert len(calls) == 3, "other numbers of workers make no other rows"
    path = Path(next(iter(paths)))
    os.utime(path, (1, 1))
    read(images(tmp_path / "images", False).cache(kept))
    assert len(calls) == 6, "a file is newer"
    read(images(tmp_path / "images", False).map(V.Invert(), "image").cache(kept))
    assert len(calls) == 9, "another operation"


def test_json_of_a_cache_comes_back(tmp_path: Path) -> None:
    write_folder(tmp_path / "images")
    data = ds.ImageFolderDataset(tmp_path / "images", shuffle=False).map(V.Decode(), "image")
    data = data.cache(tmp_path / "kept", 3).batch(1)
    back = ds.deserialize(data.to_json())
    assert back.to_json() == data.to_json()
    assert is_same(read(back), read(data))


def test_what_cannot_be_kept_is_refused_with_the_reason(tmp_path: Path) -> None:
    write_folder(tmp_path / "images")
    source = ds.ImageFolderDataset(tmp_path / "images")
    for wrong, says in (
        (
            lambda: source.map(V.RandomCropDecodeResize(3), "image").cache(),
            "RandomCropDecodeResize of Map at .* put the",
        ),
        (lambda: source.map(lambda x: x, "image").cache(), "mark it by vision.not_random"),
        (lambda: source.shuffle(3).cache(), "Shuffle at .* cannot be below a cache"),
        (lambda: source.batch(3).cache(), "Batch at .* cannot be below a cache"),
        (lambda: ds.GeneratorDataset(lambda: iter([]), ["x"]).cache(), "one after the other"),
        (lambda: ds.NumpySlicesDataset([1]).cache(tmp_path), "come from Python objects"),
        (lambda: source.cache(tmp_path / "images" / "kept"), "lies in that of the data set"),
    ):
        with pytest.raises(ValueError, match=says):
            wrong()
    with pytest.raises(TypeError, match="cache must be of type DatasetCache"):
        source.map(V.Decode(), "image", cache=3)
    assert is_same(read(ds.NumpySlicesDataset([1, 2]).cache()), read(ds.NumpySlicesDataset([1, 2])))


def test_an_error_names_its_operator(tmp_path: Path) -> None:
    path = next(iter(write_folder(tmp_path)))
    Path(path).write_bytes(b"no image")
    data = ds.ImageFolderDataset(tmp_path, shuffle=False).map(V.Decode(), "image").cache()
    said = read(data)
    assert isinstance(said, str)
    assert said.startswith(f"Map at {__file__}:")
    assert f"operation 1 of 1 (Decode), at {path}: " in said


VALUES = (np.arange(6, dtype=np.float32).reshape(2, 3), np.asarray("text"), np.array([b"ab"]), np.asarray(7, np.int16))


def test_values_in_a_file_are_what_they_were(tmp_path: Path) -> None:
    file = RowFile(tmp_path / "a.rows", KEY)
    file.keep(5, VALUES, 10)
    file.keep(2, (np.zeros((0, 3)), np.asarray(True)), 10)
    file.keep(3, (np.array({"a": 1}, dtype=object),), 10)
    other = RowFile(tmp_path / "a.rows", KEY)
    for one in (file, other):
        kept = one.kept(5)
        assert kept is not None
        assert is_same(list(kept), list(VALUES))
        kept[0][0, 0] = 9
        assert is_same(list(one.kept(5) or ()), list(VALUES)), "what is kept is not changed"
        assert one.kept(3) is None
    other.keep(7, VALUES, 10)
    assert other.kept(7) is None, "only the first one that opens a file adds rows"


def test_damage_is_never_a_row(tmp_path: Path) -> None:
    path = tmp_path / "a.rows"
    file = RowFile(path, KEY)
    for number in range(4):
        file.keep(number, (np.full((3, 5), number),), 4)
    whole = path.read_bytes()
    del file
    draw = random.Random(1)
    for _ in range(150):
        data = bytearray(whole[: draw.randrange(len(whole))] if draw.random() < 0.3 else whole)
        for _ in range(draw.randrange(3)):
            if data:
                data[draw.randrange(len(data))] ^= 1 << draw.randrange(8)
        path.write_bytes(data)
        opened = RowFile(path, KEY)
        for number in range(4):
            kept = opened.kept(number)
            assert kept is None or is_same(list(kept), [np.full((3, 5), number)])
            opened.keep(number, (np.full((3, 5), number),), 4)
        assert all(is_same(list(opened.kept(number) or ()), [np.full((3, 5), number)]) for number in range(4))
        del opened


def test_a_file_of_other_rows_is_written_anew(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "a.rows"
    file = RowFile(path, KEY)
    file.keep(1, VALUES, 2)
    del file
    other = RowFile(path, KEY[::-1])
    assert other.kept(1) is None
    assert "is no file of these rows" in caplog.text


def test_a_full_disk_is_said_once(tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: Any) -> None:
    write_folder(tmp_path / "images")
    wanted = read(images(tmp_path / "images", False))
    real = os.pwrite

    def full(file: int, data: bytes, place: int) -> int:
        if place > 150:
            real(file, data[:9], place)
            raise OSError(28, "No space left on device")
        return real(file, data, place)

    monkeypatch.setattr(os, "pwrite", full)
    with caplog.at_level(logging.WARNING, logger="framework.dataset"):
        assert is_same(read(images(tmp_path / "images", False).cache(tmp_path / "kept")), wanted)
    assert caplog.text.count("No space left on device after 1 rows; the others are computed in each epoch") == 1
    assert "free about 1 MB" in caplog.text
    monkeypatch.undo()
    gc.collect()
    calls.clear()
    assert is_same(read(images(tmp_path / "images", False).cache(tmp_path / "kept")), wanted)
    assert len(calls) == 2, "the row that was whole is kept"
