"""MindRecord files: MindSpore's are read, and written ones follow the format."""

import hashlib
import json
import os
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import framework as ms
import framework.dataset as ds
from framework.dataset.mindrecord.packing import pack_integers, pack_scalars, unpack_integers, unpack_scalars

DATA = Path(os.environ.get("MINDINSIGHT_TEST_DATA", Path(__file__).parents[4] / "shared/data"))
CASES = Path(os.environ.get("CASES_MINDDATA", DATA / "minddata")) / "mindrecord"
SCHEMA = {
    "name": {"type": "string"},
    "label": {"type": "int32"},
    "image": {"type": "bytes"},
    "ids": {"type": "int64", "shape": [-1]},
    "box": {"type": "float32", "shape": [2, 2]},
}


def rows(count: int) -> list[dict[str, Any]]:
    return [
        {
            "name": f"picture {number}",
            "label": number % 3 - 1,
            "image": bytes([number]) * (3000 * (number % 4)) + b"\0",
            "ids": np.array([number, -300 * number, 1 << 40])[: number % 4],
            "box": np.full((2, 2), number / 4, np.float32),
        }
        for number in range(count)
    ]


def written(path: Path, count: int = 12, shards: int = 1, **more: Any) -> str:
    writer = ms.mindrecord.FileWriter(str(path), shards, **more)
    writer.add_schema(SCHEMA, "pictures")
    writer.add_index(["label"])
    writer.set_page_size(1 << 15)
    writer.set_header_size(1 << 14)
    assert writer.write_raw_data(rows(count)) == ms.mindrecord.SUCCESS
    assert writer.commit() == ms.mindrecord.SUCCESS
    return str(path) if shards == 1 else f"{path}0"


def read(**arguments: Any) -> list[dict[str, np.ndarray]]:
    return list(ds.MindDataset(**arguments).create_dict_iterator(num_epochs=1, output_numpy=True))


def labels(**arguments: Any) -> list[int]:
    return [int(row["label"]) for row in read(**arguments)]


def is_as_recorded(value: np.ndarray, recorded: dict[str, Any]) -> bool:
    if list(value.shape) != recorded["shape"] or value.dtype != np.dtype(recorded["dtype"]):
        return False
    if "value" in recorded:
        return value.tolist() == np.asarray(recorded["value"], value.dtype).tolist()
    return hashlib.sha1(value.tobytes()).hexdigest() == recorded["sha1"]  # noqa: S324 - a checksum of test data


def test_files_that_mindspore_wrote_are_read_as_mindspore_reads_them() -> None:
    if not CASES.is_dir():
        pytest.skip(f"no recorded MindRecord files in {CASES}; CASES_MINDDATA names the directory that has them")
    ways: dict[str, dict[str, Any]] = {
        "in_order": {"shuffle": False},
        "shard_1_of_3": {"num_shards": 3, "shard_id": 1, "shuffle": False},
        "sequential_3_7": {"sampler": ds.SequentialSampler(3, 7)},
        "distributed_2_0": {"sampler": ds.DistributedSampler(2, 0, shuffle=False)},
    }
    for case in sorted(CASES.iterdir()):
        expected = json.loads((case / "expected.json").read_text())["reads"]
        first = str(min(path for path in case.glob("*.mindrecord*") if path.suffix != ".db"))
        for name, arguments in ways.items():
            found = read(dataset_files=first, **arguments)
            assert len(found) == expected[name]["size"], (case.name, name)
            for row, recorded in zip(found, expected[name]["rows"], strict=False):
                assert list(row) == expected[name]["columns"]
                assert all(is_as_recorded(row[column], recorded[column]) for column in row), (case.name, name)


def test_rows_come_back_from_several_pages_and_files(tmp_path: Path) -> None:
    first = written(tmp_path / "x.mindrecord", 25, shards=3)
    found = {row["name"]: row for row in ms.mindrecord.FileReader(first).get_next()}
    assert len(found) == 25
    for row in rows(25):
        for column, value in row.items():
            other = found[row["name"]][column]
            assert np.array_equal(other, value)
            assert getattr(other, "dtype", None) == getattr(value, "dtype", None)
    reader = ms.mindrecord.FileReader(first, columns=["label"])
    assert reader.len() == 25
    assert reader.schema() == {name: SCHEMA[name] for name in sorted(SCHEMA)}
    assert next(reader.get_next()) == {"label": -1}


def test_the_head_and_the_index_are_mindspores(tmp_path: Path) -> None:
    path = Path(written(tmp_path / "x.mindrecord", 25))
    data = path.read_bytes()
    head = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])
    assert head["version"] == "3.0"
    assert head["index_fields"] == [{"index_field": "label", "schema_id": 0}]
    assert head["schema"][0]["blob_fields"] == ["box", "ids", "image"]
    pages = head["page"]
    assert [page["page_id"] for page in pages] == list(range(len(pages)))
    blobs = [page for page in pages if page["page_type"] == "BLOB_DATA"]
    assert len(blobs) > 2
    assert [page["start_row_id"] for page in blobs[1:]] == [page["end_row_id"] for page in blobs[:-1]]
    assert all(page["page_size"] <= 1 << 15 for page in pages)
    # Three values of eight bytes are 4 + 1 + 1 + 2 + 8 bytes when packed.
    assert head["compression_size"] == sum(row["ids"].nbytes - len(pack_integers(row["ids"])) for row in rows(25))
    with closing(sqlite3.connect(f"{path}.db")) as index:
        found = index.execute("SELECT ROW_ID, INC_0, label_0 FROM INDEXES ORDER BY ROW_ID").fetchall()
        assert found == [(number, 0, number % 3 - 1) for number in range(25)]
        assert index.execute("SELECT NAME FROM SHARD_NAME").fetchall() == [("x.mindrecord",)]


def test_rows_are_added_to_files(tmp_path: Path) -> None:
    path = written(tmp_path / "x.mindrecord", 5)
    writer = ms.mindrecord.FileWriter.open_for_append(path)
    writer.write_raw_data(rows(3))
    writer.commit()
    assert labels(dataset_files=path, shuffle=False) == [-1, 0, 1, -1, 0, -1, 0, 1]
    with pytest.raises(ms.mindrecord.MindRecordError, match="open_for_append"):
        writer.write_raw_data(rows(1))


def test_pipelines_choose_rows_and_columns(tmp_path: Path) -> None:
    path = written(tmp_path / "x.mindrecord", 12, shards=2)
    assert next(sorted(row) for row in read(dataset_files=path, columns_list=["label", "name"])) == ["label", "name"]
    assert sorted(labels(dataset_files=path)) == sorted([-1, 0, 1] * 4)
    names = [str(row["name"]) for row in read(dataset_files=[path], shuffle=False)]
    assert names == [f"picture {number}" for number in range(6)], "a list of paths is read as it is"
    drawn = labels(dataset_files=path, sampler=ds.PKSampler(2, class_column="label"))
    assert drawn == [-1, -1, 0, 0, 1, 1]
    padded = read(
        dataset_files=path,
        columns_list=["image"],
        padded_sample={"image": b"none"},
        num_padded=3,
        num_shards=5,
        shard_id=4,
        shuffle=False,
    )
    assert len(padded) == 3
    assert padded[-1]["image"].tobytes() == b"none"
    with pytest.raises(ValueError, match="do not fill 5 shards"):
        ds.MindDataset(path, ["image"], padded_sample={"image": b""}, num_padded=2, num_shards=5, shard_id=0)
    with pytest.raises(RuntimeError, match="column name: nothing can not be found"):
        ds.MindDataset(path, ["nothing"])


def test_files_or_the_rows_in_them_are_shuffled(tmp_path: Path) -> None:
    path = written(tmp_path / "x.mindrecord", 40, shards=4)

    def numbers(how: ds.Shuffle, seed: int) -> list[int]:
        ds.config.set_seed(seed)
        try:
            return [int(str(row["name"]).split()[1]) for row in read(dataset_files=path, shuffle=how)]
        finally:
            ds.config.set_seed(5489)

    files = {tuple(numbers(ds.Shuffle.FILES, seed)) for seed in range(5)}
    assert len(files) > 1
    assert all(found[10 * place + 1] == found[10 * place] + 1 for found in files for place in range(4))
    inside = numbers(ds.Shuffle.INFILE, 1)
    assert inside != sorted(inside)
    assert [sorted(inside[at : at + 10]) for at in (0, 10)] == [
        list(range(10)),
        list(range(10, 20)),
    ]


def test_a_pipeline_is_saved(tmp_path: Path) -> None:
    data = {"x": np.arange(6, dtype=np.int8).reshape(3, 2), "t": ["a", "b", "c"], "y": np.float64([1, 2, 3])}
    path = str(tmp_path / "saved.mindrecord")
    ds.NumpySlicesDataset(data, shuffle=False).save(path)
    found = read(dataset_files=path, shuffle=False)
    assert [row["x"].tolist() for row in found] == [[0, 1], [2, 3], [4, 5]]
    assert found[0]["x"].dtype == np.int32
    assert [str(row["t"]) for row in found] == ["a", "b", "c"]
    assert found[0]["y"].dtype == np.float64


def test_what_does_not_fit_is_refused(tmp_path: Path) -> None:
    writer = ms.mindrecord.FileWriter(str(tmp_path / "x.mindrecord"))
    for schema in (
        {},
        {"a": {}},
        {"a b": {"type": "int32"}},
        {"a": {"type": "int8"}},
        {"a": {"type": "string", "shape": [1]}},
    ):
        with pytest.raises(ms.mindrecord.MRMInvalidSchemaError):
            writer.add_schema(schema)
    writer.add_schema(SCHEMA)
    with pytest.raises(ms.mindrecord.MRMDefineIndexError, match="'image'"):
        writer.add_index(["image"])
    for change in (
        {"label": "one"},
        {"image": "text"},
        {"ids": np.zeros(1, np.int32)},
        {"box": np.zeros(3, np.float32)},
    ):
        with pytest.raises(ms.mindrecord.MindRecordError, match=repr(next(iter(change)))):
            writer.write_raw_data([{**rows(1)[0], **change}])
    with pytest.raises(ms.mindrecord.MindRecordError, match="no field 'box'"):
        writer.write_raw_data([{"name": "x"}])
    with pytest.raises(ms.mindrecord.ParamValueError, match="power of two"):
        writer.set_page_size(1000)
    with pytest.raises(ms.mindrecord.ParamTypeError):
        writer.write_raw_data({"name": "x"})  # type: ignore[arg-type]
    path = written(tmp_path / "y.mindrecord")
    with pytest.raises(ms.mindrecord.MRMOpenError, match="overwrite=True"):
        written(tmp_path / "y.mindrecord")
    written(tmp_path / "y.mindrecord", overwrite=True)
    large = ms.mindrecord.FileWriter(path, overwrite=True)
    large.add_schema({"image": {"type": "bytes"}})
    large.set_page_size(1 << 15)
    with pytest.raises(ms.mindrecord.MindRecordError, match="Page size: 32768 is too small"):
        large.write_raw_data([{"image": bytes(40_000)}])


def test_damage_is_named(tmp_path: Path) -> None:
    path = Path(written(tmp_path / "x.mindrecord"))
    head = int.from_bytes(path.read_bytes()[:8], "little")
    data = bytearray(path.read_bytes())
    data[1 << 14] += 1
    path.write_bytes(data)
    with pytest.raises(RuntimeError, match=r"row 0 of .*x\.mindrecord.*contradict each other"):
        read(dataset_files=str(path), shuffle=False)
    path.write_bytes(bytes(data[: head // 2]))
    with pytest.raises(ms.mindrecord.MRMOpenError, match="is not a MindRecord file"):
        ds.MindDataset(str(path))
    written(tmp_path / "x.mindrecord", overwrite=True)
    path.with_name("x.mindrecord.db").unlink()
    with pytest.raises(RuntimeError, match="has no index"):
        read(dataset_files=str(path))
    with pytest.raises(ms.mindrecord.MRMOpenError, match="cannot be opened"):
        ds.MindDataset(str(tmp_path / "none"))


def test_integers_are_packed_in_the_least_bytes() -> None:
    # By hand: the count, the codes 0 1 3 0 in one byte, then 1, 2, 8 and 1 bytes.
    packed = pack_integers(np.array([-1, 300, 1 << 40, 5]))
    assert (
        packed == b"\0\0\0\4" + bytes([0b00_01_11_00]) + b"\xff" + b"\x2c\x01" + (1 << 40).to_bytes(8, "little") + b"\5"
    )
    with pytest.raises(ValueError, match="ends too early"):
        unpack_integers(packed[:-1])


@settings(max_examples=25)
@given(st.lists(st.integers(-(1 << 63), (1 << 63) - 1) | st.integers(-200, 200), max_size=9))
def test_packed_integers_come_back(values: list[int]) -> None:
    assert unpack_integers(pack_integers(np.array(values, np.int64))).tolist() == values


TEXTS = ["", "é" * 15, "x" * 31, "x" * 32, "x" * 300]
NUMBERS = st.integers(-(1 << 63), (1 << 63) - 1) | st.floats(allow_nan=False)


@settings(max_examples=25)
@given(st.dictionaries(st.text(max_size=4), NUMBERS | st.sampled_from(TEXTS)))
def test_scalars_come_back(row: dict[str, Any]) -> None:
    assert unpack_scalars(pack_scalars(row)) == row
