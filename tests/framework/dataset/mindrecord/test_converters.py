"""Converters to MindRecord files, from small files of each format that are made here."""

import gzip
import io
import math
import pickle
import struct
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from PIL import Image

import framework as ms


def rows_of(path: Path | str) -> list[dict[str, Any]]:
    return list(ms.mindrecord.FileReader(str(path)).get_next())


def smooth(*shape: int) -> np.ndarray:
    """An image that JPEG keeps within a few grey levels."""
    height, width, *channels = shape
    plane = 3 * np.add.outer(np.arange(height), np.arange(width))
    return np.broadcast_to(plane.reshape(height, width, *[1] * len(channels)), shape).astype(np.uint8)


def is_jpeg_of(data: bytes, image: np.ndarray) -> bool:
    shown = np.asarray(Image.open(io.BytesIO(data)))
    return Image.open(io.BytesIO(data)).format == "JPEG" and bool(np.abs(shown.astype(int) - image).max() < 12)


def test_cifar_10(tmp_path: Path) -> None:
    images = np.stack([np.roll(smooth(32, 32, 3), number, 2) // (number + 1) for number in range(6)])
    flat = images.transpose(0, 3, 1, 2).reshape(6, -1)
    for number in range(5):
        content = {b"data": flat[number : number + 1], b"labels": [number]}
        (tmp_path / f"data_batch_{number + 1}").write_bytes(pickle.dumps(content, 2))
    (tmp_path / "test_batch").write_bytes(pickle.dumps({b"data": flat[5:], b"labels": [9]}, 2))
    assert ms.mindrecord.Cifar10ToMR(str(tmp_path), str(tmp_path / "c.mindrecord")).transform(["label"]) == 0
    found = rows_of(tmp_path / "c.mindrecord")
    assert [(row["id"], row["label"]) for row in found] == [(number, number) for number in range(5)]
    assert all(is_jpeg_of(row["data"], image) for row, image in zip(found, images[:5], strict=True))
    assert [row["label"] for row in rows_of(tmp_path / "c.mindrecord_test")] == [9]


def test_cifar_100(tmp_path: Path) -> None:
    for name, label in (("train", 3), ("test", 4)):
        content = {b"data": np.zeros((2, 3072), np.uint8), b"fine_labels": [label, 99], b"coarse_labels": [0, 19]}
        (tmp_path / name).write_bytes(pickle.dumps(content))
    assert ms.mindrecord.Cifar100ToMR(str(tmp_path), str(tmp_path / "c")).run() == 0
    found = [(row["fine_label"], row["coarse_label"]) for name in ("c", "c_test") for row in rows_of(tmp_path / name)]
    assert found == [(3, 0), (99, 19), (4, 0), (99, 19)]


def test_a_pickle_that_would_run_code_is_refused(tmp_path: Path) -> None:
    (tmp_path / "train").write_bytes(b"cos\nsystem\n(S'touch ran'\ntR.")
    converter = ms.mindrecord.Cifar100ToMR(str(tmp_path), str(tmp_path / "c"))
    with pytest.raises(ValueError, match=r"train is not a file of CIFAR.*asks for os\.system"):
        converter.transform()
    (tmp_path / "train").unlink()
    with pytest.raises(ms.mindrecord.PathNotExistsError, match="train"):
        converter.transform()
    assert list(tmp_path.iterdir()) == []


def test_mnist(tmp_path: Path) -> None:
    images = np.stack([smooth(28, 28), 255 - smooth(28, 28)])
    for prefix, count in (("train", 2), ("t10k", 1)):
        pixels = struct.pack(">4I", 0x803, count, 28, 28) + images[:count].tobytes()
        (tmp_path / f"{prefix}-images-idx3-ubyte.gz").write_bytes(gzip.compress(pixels))
        labels = struct.pack(">2I", 0x801, count) + bytes([7, 2][:count])
        (tmp_path / f"{prefix}-labels-idx1-ubyte.gz").write_bytes(gzip.compress(labels))
    converter = ms.mindrecord.MnistToMR(str(tmp_path), str(tmp_path / "m"), partition_number=2)
    assert converter.transform() == ms.mindrecord.SUCCESS
    found = rows_of(tmp_path / "m_train.mindrecord0")
    assert [row["label"] for row in found] == [7, 2]
    assert all(is_jpeg_of(row["data"], image) for row, image in zip(found, images, strict=True))
    assert [row["label"] for row in rows_of(tmp_path / "m_test.mindrecord1")] == [7]


def test_a_table(tmp_path: Path) -> None:
    text = 'id,size,gap,ok,name,big,mixed\n1,1.5,3,True,"a, b",1,1\n-2,2,,false,,99999999999999999999,x\n'
    (tmp_path / "t.csv").write_text(text)
    assert ms.mindrecord.CsvToMR(str(tmp_path / "t.csv"), str(tmp_path / "t")).transform() == 0
    reader = ms.mindrecord.FileReader(str(tmp_path / "t"))
    kinds = {name: field["type"] for name, field in reader.schema().items()}
    assert kinds == {
        "id": "int64",
        "size": "float64",
        "gap": "float64",
        "ok": "int32",
        "name": "string",
        "big": "string",
        "mixed": "string",
    }
    first, second = reader.get_next()
    assert first == {"id": 1, "size": 1.5, "gap": 3.0, "ok": 1, "name": "a, b", "big": "1", "mixed": "1"}
    assert (second["ok"], second["name"], second["mixed"], math.isnan(second["gap"])) == (0, "", "x", True)
    assert ms.mindrecord.CsvToMR(str(tmp_path / "t.csv"), str(tmp_path / "u"), ["name", "id"]).run() == 0
    assert rows_of(tmp_path / "u")[1] == {"id": -2, "name": ""}


@pytest.mark.parametrize("values", [["5", "1.5", "True"], ["True", "2"], ["x", "1"], ["1_000"], ["", "a"]])
def test_a_column_with_values_of_several_types_is_of_texts(tmp_path: Path, values: list[str]) -> None:
    (tmp_path / "t.csv").write_text("a,b\n" + "".join(f"{value},x\n" for value in values))
    ms.mindrecord.CsvToMR(str(tmp_path / "t.csv"), str(tmp_path / "t"), ["a"]).run()
    assert [row["a"] for row in rows_of(tmp_path / "t")] == values


def test_damaged_tables_are_refused(tmp_path: Path) -> None:
    table = tmp_path / "t.csv"
    for text, columns, why in (
        ("", None, "is empty"),
        ("a\n1\n", ["b"], "no column 'b'"),
        ("a,b\n1\n", None, "line 2"),
    ):
        table.write_text(text)
        with pytest.raises(RuntimeError, match=why):
            ms.mindrecord.CsvToMR(str(table), str(tmp_path / "t"), columns).run()
    assert list(tmp_path.iterdir()) == [table]


def test_folders_of_images(tmp_path: Path) -> None:
    (tmp_path / "map.txt").write_text("n02 1\nn01 0\nn03 2\n")
    for name in ("n01/b.JPEG", "n01/a.JPEG", "n02/c.jpg", "n02/notes.txt", "n02/empty.jpg"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(b"" if "empty" in name else name.encode())
    converter = ms.mindrecord.ImageNetToMR(str(tmp_path / "map.txt"), str(tmp_path), str(tmp_path / "i.mindrecord"))
    assert converter.transform() == 0
    found = [(row["label"], row["file_name"], row["image"]) for row in rows_of(tmp_path / "i.mindrecord")]
    assert found == [
        (label, str(tmp_path / name), name.encode())
        for label, name in ((1, "n02/c.jpg"), (0, "n01/a.JPEG"), (0, "n01/b.JPEG"))
    ]
    pages = ms.mindrecord.MindPage(str(tmp_path / "i.mindrecord"))
    assert pages.candidate_fields == ["label", "file_name"]
    (tmp_path / "map.txt").write_text("n07 1\n")
    with pytest.raises(ms.mindrecord.PathNotExistsError, match="none of the folders"):
        ms.mindrecord.ImageNetToMR(str(tmp_path / "map.txt"), str(tmp_path), str(tmp_path / "j")).run()


def varint(number: int) -> bytes:
    number &= (1 << 64) - 1
    made = b""
    while number >= 128:
        made, number = made + bytes([number & 127 | 128]), number >> 7
    return made + bytes([number])


def message(number: int, content: bytes) -> bytes:
    return varint(number << 3 | 2) + varint(len(content)) + content


def record(features: dict[str, Any]) -> bytes:
    """A record of `tf.train.Example`, by its protocol buffer; the checksums are left 0."""
    entries = b""
    for name, values in features.items():
        if isinstance(values[0], bytes):
            kind = message(1, b"".join(message(1, value) for value in values))
        elif isinstance(values[0], float):
            kind = message(2, message(1, struct.pack(f"<{len(values)}f", *values)))
        else:
            kind = message(3, message(1, b"".join(map(varint, values))))
        entries += message(1, message(1, name.encode()) + message(2, kind))
    data = message(1, entries)
    return struct.pack("<QI", len(data), 0) + data + bytes(4)


def feature(dtype: Any, *shape: int, **more: Any) -> SimpleNamespace:
    return SimpleNamespace(dtype=dtype, shape=list(shape), **more)


def test_records_of_tensorflow(tmp_path: Path) -> None:
    given = [
        {
            "image/raw": [b"\xff\0\0"],
            "image/name": ["é".encode()],
            "id": [-5],
            "sizes": [1.5, 2.5],
            "ids": [1, 1 << 40],
        },
        {"image/raw": [b""], "image/name": [b"b"], "id": [6], "sizes": [0.0, -1.0], "ids": [-1, 0], "more": [3]},
    ]
    (tmp_path / "a.tfrecord").write_bytes(b"".join(map(record, given)))
    features = {
        "image/raw": feature("string"),
        "image/name": feature("string"),
        "id": feature(np.int32),
        "sizes": feature(np.dtype("float32"), 2),
        "ids": feature("int64", 2),
        "more": feature("int64", default_value=8),
    }
    path = str(tmp_path / "a.mindrecord")
    converter = ms.mindrecord.TFRecordToMR(str(tmp_path / "a.tfrecord"), path, features, ["image/raw"])
    assert converter.transform() == 0
    first, second = rows_of(path)
    assert (first["image_raw"], first["image_name"], first["id"], first["more"]) == (b"\xff\0\0", "é", -5, 8)
    assert (first["sizes"].tolist(), first["sizes"].dtype, first["ids"].tolist()) == (
        [1.5, 2.5],
        np.float32,
        [1, 1 << 40],
    )
    assert (second["ids"].tolist(), second["more"]) == ([-1, 0], 3)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda data: data[:-7], "ends too early"),
        (lambda data: (1 << 60).to_bytes(8, "little") + data[8:], "ends too early"),
        (lambda data: data[:12] + b"\xff" * 5 + data[17:], "record 0"),
    ],
)
def test_damaged_records_are_named(tmp_path: Path, change: Callable[[bytes], bytes], why: str) -> None:
    (tmp_path / "a").write_bytes(change(record({"id": [1]})))
    with pytest.raises(ValueError, match=why):
        ms.mindrecord.TFRecordToMR(str(tmp_path / "a"), str(tmp_path / "b"), {"id": feature("int64")}).run()
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_features_that_cannot_be_fields_are_refused(tmp_path: Path) -> None:
    for features, bytes_fields, why in (
        ({}, None, "dictionary"),
        ({"a": feature("complex64")}, None, "cannot be a field"),
        ({"a": feature("int64")}, ["a"], "cannot be bytes"),
        ({"a": feature("string", 2)}, None, "numbers of shape"),
        ({"a": feature("int64", 2, 2)}, None, "numbers of shape"),
        ({"a": 1}, None, "FixedLenFeature"),
        ({"a": feature("int64")}, ["b"], "not in feature_dict"),
        ({"a b": feature("int64"), "a/b": feature("int64")}, None, "one name"),
    ):
        with pytest.raises(ValueError, match=why):
            ms.mindrecord.TFRecordToMR("a", str(tmp_path / "b"), features, bytes_fields)
