"""The input files of `benchmarks/minddata.py`, made once below `benchmarks/.data/`: photographs, MNIST, and records.

Records are written by this repository's MindRecord writer; every engine reads the same files.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from benchmarks.measuring.environments import ROOT
from benchmarks.measuring.figures import say
from summaries.records import frame, varint

DATA = ROOT / "benchmarks" / ".data" / "minddata"
#: Size of a record in bytes, and number of records.
RECORDS = {"64": (64, 50_000), "100k": (100_000, 2_000)}
PICTURES = 1_500
DIGITS = 60_000
_CLASSES = 10


@dataclass(frozen=True)
class Files:
    """Where the input files are.

    Attributes:
        images: a folder with a folder of JPEG files for each class.
        mnist: a folder with the training files of MNIST, with random pixels.
        records: a folder with `64` and `100k`, each as `.mindrecord` and as `.tfrecord`.
    """

    images: Path
    mnist: Path
    records: Path


def made() -> Files:
    """The files; what is missing is made."""
    files = Files(DATA / "images", DATA / "mnist", DATA / "records")
    for folder, make in ((files.images, _images), (files.mnist, _mnist), (files.records, _records)):
        if not folder.is_dir():
            say(f"Making {folder.relative_to(ROOT)} …")
            _whole(folder, make)
    return files


def _whole(folder: Path, make: Callable[[Path], None]) -> None:
    """Make a folder under another name, so that one that was interrupted is made again."""
    unfinished = folder.with_name(f"{folder.name}.unfinished.{np.random.default_rng().integers(1 << 30)}")
    unfinished.mkdir(parents=True)
    make(unfinished)
    unfinished.rename(folder)


def _images(folder: Path) -> None:
    """JPEG files of 375 x 500 and 500 x 375 pixels, 86 kB each: soft shapes with the noise of a camera."""
    rng = np.random.default_rng(1)
    for number in range(PICTURES):
        size = (500, 375) if number % 2 else (375, 500)
        coarse = Image.fromarray(rng.integers(0, 256, (12, 16, 3), np.uint8)).resize(size, Image.Resampling.BICUBIC)
        noisy = np.asarray(coarse, np.float32) + rng.normal(0, 11, (size[1], size[0], 1))
        path = folder / f"class{number % _CLASSES}" / f"{number:05}.jpg"
        path.parent.mkdir(exist_ok=True)
        Image.fromarray(np.clip(noisy, 0, 255).astype(np.uint8)).save(path, quality=91)


def _mnist(folder: Path) -> None:
    rng = np.random.default_rng(2)
    pixels = rng.integers(0, 256, (DIGITS, 28, 28), np.uint8)
    labels = rng.integers(0, _CLASSES, DIGITS, np.uint8)
    head = struct.pack(">IIII", 0x803, *pixels.shape)
    (folder / "train-images-idx3-ubyte").write_bytes(head + pixels.tobytes())
    (folder / "train-labels-idx1-ubyte").write_bytes(struct.pack(">II", 0x801, DIGITS) + labels.tobytes())


def _records(folder: Path) -> None:
    from framework.dataset.mindrecord import FileWriter

    for name, (size, count) in RECORDS.items():
        writer = FileWriter(str(folder / f"{name}.mindrecord"), shard_num=1, overwrite=True)
        writer.add_schema({"data": {"type": "bytes"}, "label": {"type": "int64"}}, "records of the benchmark")
        rows = [{"data": data, "label": label} for label, data in enumerate(_contents(size, count))]
        writer.write_raw_data(rows)
        writer.commit()
        with (folder / f"{name}.tfrecord").open("wb") as file:
            file.writelines(frame(_example(row["data"], row["label"])) for row in rows)


def _contents(size: int, count: int) -> Iterator[bytes]:
    rng = np.random.default_rng(size)
    return (rng.bytes(size) for _ in range(count))


def _example(data: Any, label: Any) -> bytes:
    """A `tf.train.Example` with the features `data`, a list of one text, and `label`, a list of one integer."""
    values = {"data": _field(1, _field(1, data)), "label": _field(3, _field(1, varint(label)))}
    entries = b"".join(_field(1, _field(1, name.encode()) + _field(2, value)) for name, value in values.items())
    return _field(1, entries)


def _field(number: int, content: bytes) -> bytes:
    return varint(number << 3 | 2) + varint(len(content)) + content
