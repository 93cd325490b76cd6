"""Rows that pass through a pipeline in blocks are the same, in the same order, as those that pass one by one."""

from __future__ import annotations

import threading
import tracemalloc
from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import framework.dataset as ds
from framework.dataset.mindrecord import FileWriter
from framework.dataset.runtime import build
from framework.dataset.runtime.rows import Pass
from framework.dataset.runtime.sources import Sampled
from framework.dataset.transforms import TypeCast
from framework.dataset.vision import HWC2CHW, Inter, Rescale, Resize
from tests.framework.dataset.files import write_cifar, write_mnist

COUNT = 700
FIELDS = {
    "text": {"type": "string"},
    "data": {"type": "bytes"},
    "label": {"type": "int32"},
    "weight": {"type": "float64"},
    "box": {"type": "float32", "shape": [-1, 2]},
    "ids": {"type": "int64", "shape": [3]},
}


@pytest.fixture(autouse=True)
def _one_seed() -> Iterator[None]:
    ds.config.set_seed(11)
    yield
    ds.config.set_seed(5489)


def record(number: int, even: bool) -> dict[str, Any]:
    """A row whose numbers have all lengths in MessagePack; its bytes have one length, or others in each row."""
    sign = -1 if number % 3 == 0 else 1
    return {
        "text": f"row {number}",
        "data": bytes([number % 256]) * (8 if even else 1 + number % 5),
        "label": sign * 7 ** (number % 11),
        "weight": number / 3,
        "box": np.full((2, 2), number, np.float32),
        "ids": np.arange(number, number + 3),
    }


def records(folder: Path, columns: list[str], even: bool = True, shards: int = 1, **options: Any) -> ds.Dataset:
    path = folder / "rows.mindrecord"
    writer = FileWriter(str(path), shard_num=shards, overwrite=True)
    writer.add_schema({name: FIELDS[name] for name in columns}, "")
    writer.write_raw_data([{name: record(row, even)[name] for name in columns} for row in range(COUNT)])
    writer.commit()
    return ds.MindDataset(str(path) if shards == 1 else str(path) + "0", columns_list=columns, **options)


def digits(folder: Path) -> ds.Dataset:
    write_mnist(folder, 300)
    chain = [Resize(32), Rescale(1 / 255, 0.0), Rescale(1 / 0.3081, -0.42), HWC2CHW()]
    data = ds.MnistDataset(str(folder), "train", shuffle=False).map(chain, "image").map(TypeCast("int32"), "label")
    return data.shuffle(100).batch(32)


def pictures(folder: Path) -> ds.Dataset:
    write_cifar(folder, 10)
    data = ds.Cifar10Dataset(str(folder), shuffle=True)
    return data.map([Resize((9, 7), Inter.AREA), HWC2CHW(), Rescale(0.5, 1.0)], "image").repeat(3).batch(4)


def numbers() -> ds.NumpySlicesDataset:
    return ds.NumpySlicesDataset(
        {"x": np.arange(COUNT), "y": np.arange(COUNT * 6.0).reshape(COUNT, 3, 2)}, shuffle=True
    )


PIPELINES: dict[str, Callable[[Path], ds.Dataset]] = {
    "digits": digits,
    "pictures": pictures,
    "numbers one by one": lambda folder: numbers(),
    "a small buffer": lambda folder: numbers().shuffle(3).batch(64),
    "a large buffer": lambda folder: numbers().shuffle(10 * COUNT).batch(64, drop_remainder=True),
    "parts": lambda folder: numbers().skip(11).take(400).repeat(2).shuffle(50).skip(5).batch(7),
    "columns": lambda folder: numbers().rename("x", "z").project(["y", "z"]).batch(100).take(3),
    "a function behind it": lambda folder: numbers().map(lambda x: x + 1, "x").shuffle(9).batch(10),
    "records": lambda folder: records(folder, ["data", "label", "weight"]).shuffle(99).batch(256),
    "records of two blobs": lambda folder: records(folder, ["data", "box", "label"]).batch(30),
    "uneven records": lambda folder: records(folder, ["data", "label"], even=False).shuffle(40),
    "records with texts": lambda folder: records(folder, ["text", "label", "ids"]).batch(30),
    "records of several files": lambda folder: records(folder, ["label", "data"], shards=3).batch(30),
    "uneven records of several files": lambda folder: records(folder, ["label", "data"], even=False, shards=3),
}


def rows_of(data: ds.Dataset, epochs: int = 2) -> list[list[Any]]:
    with data.create_tuple_iterator(num_epochs=epochs, output_numpy=True) as iterator:
        return [list(iterator) for _ in range(epochs)]


@pytest.mark.parametrize("name", PIPELINES)
def test_rows_are_those_that_come_one_by_one(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = PIPELINES[name](tmp_path)
    in_blocks = rows_of(data)
    monkeypatch.setattr(Sampled, "blocks", lambda self, this: None)
    alone = rows_of(data)
    assert list(map(len, in_blocks)) == list(map(len, alone))
    assert len(alone[0]) > 2
    for one, other in zip(chain(*in_blocks), chain(*alone), strict=True):
        for value, wanted in zip(one, other, strict=True):
            np.testing.assert_array_equal(value, wanted, strict=True)


@pytest.mark.parametrize("even", [True, False])
def test_records_in_blocks_are_what_was_written(even: bool, tmp_path: Path) -> None:
    data = records(tmp_path, ["data", "label", "weight"], even, shuffle=False)
    assert build(data.node, 1).root.blocks(Pass(1)) is not None
    for number, (content, label, weight) in enumerate(rows_of(data, 1)[0]):
        wanted = record(number, even)
        assert content.tobytes() == wanted["data"]
        assert (label.dtype, int(label)) == (np.int32, wanted["label"])
        assert (weight.dtype, float(weight)) == (np.float64, wanted["weight"])


def test_an_error_in_a_block_comes_at_its_row(tmp_path: Path) -> None:
    data = records(tmp_path, ["data", "label"], shuffle=False)
    path = tmp_path / "rows.mindrecord"
    content = path.read_bytes()
    # The length before the bytes of row 200, which are found by their content.
    place = content.index(bytes([200]) * 8) - 8
    path.write_bytes(content[:place] + b"\x09" + content[place + 1 :])
    seen: list[int] = []
    rows = data.create_tuple_iterator(num_epochs=1, output_numpy=True)
    with rows, pytest.raises(RuntimeError, match=r"row 200 of .*rows\.mindrecord"):
        seen.extend(row[1].item() for row in rows)
    assert len(seen) == 200


def test_rows_may_be_changed_without_harm_to_others() -> None:
    images = np.zeros((50, 2, 2), np.uint8)
    data = ds.NumpySlicesDataset(images, ["image"], shuffle=False).batch(10)
    for (batch,) in rows_of(data, 1)[0]:
        assert not batch.any()
        batch[:] = 1
    assert not images.any()
    assert not any(batch.any() for (batch,) in rows_of(data, 1)[0])


def test_memory_stays_flat_over_epochs() -> None:
    images = np.zeros((200, 32, 32, 3), np.uint8)
    data = ds.NumpySlicesDataset({"image": images}, shuffle=True)
    data = data.map([Rescale(1 / 255, 0.0), HWC2CHW()], "image").shuffle(40).batch(16)
    with data.create_tuple_iterator(num_epochs=20, output_numpy=True) as iterator:
        used = []
        for epoch in range(20):
            for _ in iterator:
                pass
            if epoch == 1:
                tracemalloc.start()
            if epoch > 1:
                used.append(tracemalloc.get_traced_memory()[0])
    tracemalloc.stop()
    # Less than a batch of 16 images of Float32 more in the last epochs than in those after the start.
    assert np.mean(used[-5:]) - np.mean(used[:5]) < 16 * 32 * 32 * 3 * 4


def test_two_pipelines_run_at_once_in_two_threads(tmp_path: Path) -> None:
    data = {name: PIPELINES[name](tmp_path / name) for name in ("digits", "parts")}
    wanted = {name: rows_of(one) for name, one in data.items()}
    found: dict[str, list[list[Any]]] = {}
    start = threading.Barrier(2, timeout=60)

    def work(name: str) -> None:
        start.wait()
        found[name] = rows_of(data[name])

    threads = [threading.Thread(target=work, args=(name,)) for name in data]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for name, epochs in wanted.items():
        for one, other in zip(chain(*found[name]), chain(*epochs), strict=True):
            for value, expected in zip(one, other, strict=True):
                np.testing.assert_array_equal(value, expected, strict=True)
