"""TFRecord files and the schemas that describe their contents."""

import gzip
import json
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import framework as ms
import framework.dataset as ds


def field(number: int, data: bytes) -> bytes:
    return bytes([number << 3 | 2, *varint(len(data))]) + data


def varint(value: int) -> list[int]:
    value &= (1 << 64) - 1
    out = []
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return [*out, value]


def example(features: Mapping[str, list[Any]]) -> bytes:
    """The bytes of a tf.train.Example."""
    entries = b""
    for name, values in features.items():
        if isinstance(values[0], bytes):
            content = field(1, b"".join(field(1, value) for value in values))
        elif isinstance(values[0], float):
            content = field(2, field(1, struct.pack(f"<{len(values)}f", *values)))
        else:
            content = field(3, field(1, bytes(byte for value in values for byte in varint(value))))
        entries += field(1, field(1, name.encode()) + field(2, content))
    return field(1, entries)


def crc(data: bytes) -> int:
    """The masked CRC-32C by its definition, bit by bit: the reflected polynomial 0x82f63b78."""
    value = 0xFFFFFFFF
    for byte in data:
        value ^= byte
        for _ in range(8):
            value = value >> 1 ^ (0x82F63B78 if value & 1 else 0)
    value ^= 0xFFFFFFFF
    return ((value >> 15 | value << 17) + 0xA282EAD8) & 0xFFFFFFFF


def write(path: Path, rows: list[dict[str, list[Any]]]) -> str:
    data = b"".join(
        struct.pack("<QI", len(one), crc(struct.pack("<Q", len(one)))) + one + struct.pack("<I", crc(one))
        for one in map(example, rows)
    )
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return str(path)


ROWS: list[dict[str, list[Any]]] = [
    {"x": [1.5, 2.5], "n": [-1, 300], "t": [b"ab", b"c"]},
    {"x": [0.5, 0.0], "n": [7, 8], "t": [b"d", b"efg"]},
]


def test_features_are_columns(tmp_path: Path) -> None:
    path = write(tmp_path / "a.tfrecord", ROWS)
    data = ds.TFRecordDataset(path, shuffle=False)
    assert data.get_col_names() == ["n", "t", "x"]
    assert data.get_dataset_size() == 2
    first, second = data.create_dict_iterator(num_epochs=1, output_numpy=True)
    assert first["x"].tolist() == [1.5, 2.5]
    assert first["x"].dtype == np.float32
    assert first["n"].tolist() == [-1, 300]
    assert first["n"].dtype == np.int64
    # As MindSpore 2.10: texts are one array of bytes, in which shorter ones end with spaces.
    assert first["t"].tobytes() == b"abc "
    assert second["t"].tobytes() == b"d  efg"
    assert first["t"].dtype == np.uint8


def test_a_schema_gives_types_and_shapes(tmp_path: Path) -> None:
    path = write(tmp_path / "a.tfrecord.gz", ROWS)
    schema = ds.Schema()
    schema.add_column("n", ms.int32, [2, 1])
    schema.add_column("t", "string")
    (row, _) = ds.TFRecordDataset(path, schema, shuffle=False, compression_type="GZIP").create_dict_iterator(
        num_epochs=1, output_numpy=True
    )
    assert row["n"].dtype == np.int32
    assert row["n"].tolist() == [[-1], [300]]
    assert row["t"].tolist() == [b"ab", b"c"]
    file = tmp_path / "schema.json"
    file.write_text(
        json.dumps({"datasetType": "TF", "numRows": 1, "columns": {"x": {"type": "float64", "shape": [2]}}})
    )
    found = ds.TFRecordDataset(path, str(file), compression_type="GZIP")
    assert found.get_dataset_size() == 1
    assert found.output_types() == [np.dtype("float64")]
    assert json.loads(ds.Schema(str(file)).to_json())["columns"] == [
        {"name": "x", "type": "float64", "shape": [2], "rank": 1}
    ]
    with pytest.raises(RuntimeError, match="needs a name and a type"):
        schema.parse_columns([{"name": "x"}])


def test_files_by_pattern_and_in_runs(tmp_path: Path) -> None:
    for name in "ab":
        write(tmp_path / f"{name}.tfrecord", ROWS)
    data = ds.TFRecordDataset(str(tmp_path / "*.tfrecord"), columns_list=["n"], shuffle=ds.Shuffle.FILES)
    assert [int(row[0][0]) for row in data.create_tuple_iterator(num_epochs=1, output_numpy=True)] == [-1, -1, 7, 7]
    assert ds.TFRecordDataset(str(tmp_path / "*.tfrecord"), num_shards=2, shard_id=1).get_dataset_size() == 2


def test_what_is_wrong_is_named(tmp_path: Path) -> None:
    path = Path(write(tmp_path / "a.tfrecord", ROWS))
    with pytest.raises(RuntimeError, match="no feature 'y', only n, t, x"):
        list(ds.TFRecordDataset(str(path), columns_list=["y"]))
    path.write_bytes(path.read_bytes()[:-3])
    with pytest.raises(RuntimeError, match="ends too early: record 1 at byte"):
        list(ds.TFRecordDataset(str(path)))
    with pytest.raises(ValueError, match="there is no file"):
        ds.TFRecordDataset(str(tmp_path / "none"))


def test_checksums_find_each_changed_bit(tmp_path: Path) -> None:
    good = Path(write(tmp_path / "a.tfrecord", ROWS[:1])).read_bytes()
    damaged = tmp_path / "b.tfrecord"
    for place in range(len(good)):
        damaged.write_bytes(good[:place] + bytes([good[place] ^ 4]) + good[place + 1 :])
        words = "the length of record 0 at byte 0 fails its checksum" if place < 12 else "its data at byte 12 fails"
        with pytest.raises(RuntimeError, match=words):
            list(ds.TFRecordDataset(str(damaged), columns_list=["n"]))


@pytest.mark.parametrize(
    ("column", "words"),
    [
        (("n", "int32", [3]), "record 0 of .*'n' has 2 values, which do not fit the shape"),
        (("n", "uint8", None), "record 0 of .*'n' holds -1, which is no uint8"),
        (("x", "int32", None), "'x' holds float32, but the schema says int32"),
        (("n", "float32", None), "'n' holds int64, but the schema says float32"),
    ],
)
def test_a_schema_that_rows_do_not_fit_names_the_first_row_and_the_feature(
    tmp_path: Path, column: tuple[str, str, list[int] | None], words: str
) -> None:
    schema = ds.Schema()
    schema.add_column(*column)
    with pytest.raises(RuntimeError, match=words):
        list(ds.TFRecordDataset(write(tmp_path / "a.tfrecord", ROWS), schema, shuffle=False))


def test_shards_are_whole_files_or_equal_numbers_of_rows(tmp_path: Path) -> None:
    files = [
        write(tmp_path / f"{name}.tfrecord", [{"n": [10 * place + row]} for row in range(count)])
        for place, (name, count) in enumerate((("a", 3), ("b", 1), ("c", 2)))
    ]

    def shard(number: int, **arguments: Any) -> list[int]:
        data = ds.TFRecordDataset(files, num_shards=2, shard_id=number, **arguments)
        rows = [int(row[0][0]) for row in data.create_tuple_iterator(num_epochs=1, output_numpy=True)]
        assert len(rows) == data.get_dataset_size()
        return rows

    assert [shard(0, shuffle=False), shard(1, shuffle=False)] == [[0, 20, 1, 21, 2], [10]]
    equal: list[list[int]] = [shard(number, shuffle=False, shard_equal_rows=True) for number in range(2)]
    assert equal == [[0, 1, 2], [10, 20, 21]]
    assert sorted([*shard(0), *shard(1)]) == [0, 1, 2, 10, 20, 21]
    assert sorted([*shard(0, shard_equal_rows=True), *shard(1, shard_equal_rows=True)]) == [0, 1, 2, 10, 20, 21]
    with pytest.raises(RuntimeError, match="1 files for 2 shards; give shard_equal_rows=True"):
        list(ds.TFRecordDataset(files[0], num_shards=2, shard_id=1))
