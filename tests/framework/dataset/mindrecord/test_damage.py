"""Damaged MindRecord files: what is read is right, or the damage is named; nothing crashes."""

import os
import shutil
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import framework as ms
import framework.dataset as ds
from framework.dataset.mindrecord.inspecting.command import main
from framework.dataset.mindrecord.packing import pack_integers, unpack_integers, unpack_scalars
from tests.framework.dataset.mindrecord import independent as by_hand

ROWS = by_hand.rows(25)
FLIPS = 1000 if os.environ.get("MINDINSIGHT_TEST_COUNTS") == "long" else 100


@pytest.fixture
def path(tmp_path: Path) -> Path:
    made = tmp_path / "x.mindrecord"
    by_hand.write(made, ROWS)
    return made


def read(path: Path) -> list[dict[str, Any]]:
    return list(ms.mindrecord.FileReader(str(path)).get_next())


def test_files_of_an_independent_writer_are_read(path: Path) -> None:
    assert len([page for page in by_hand.head_of(path)["page"] if page["page_type"] == "BLOB_DATA"]) > 2
    assert all(by_hand.same(found, row) for found, row in zip(read(path), ROWS, strict=True))


def test_our_bytes_are_those_of_the_independent_writer(path: Path, tmp_path: Path) -> None:
    ours = tmp_path / "ours" / path.name
    ours.parent.mkdir()
    writer = ms.mindrecord.FileWriter(str(ours))
    writer.add_schema(by_hand.SCHEMA, "by hand")
    writer.add_index(["label"])
    writer.set_header_size(by_hand.HEADER)
    writer.set_page_size(by_hand.PAGE)
    writer.write_raw_data(ROWS)
    writer.commit()
    head, other = by_hand.head_of(ours), by_hand.head_of(path)
    # The RAW page is second here, and last there.
    assert {name: value for name, value in head.items() if name != "page"} == {
        name: value for name, value in other.items() if name != "page"
    }
    pages = {(page["page_type"], page["page_type_id"]): page for page in head["page"]}
    assert len(pages) == len(other["page"])
    for page in other["page"]:
        mine = pages[page["page_type"], page["page_type_id"]]
        assert {**mine, "page_id": 0} == {**page, "page_id": 0}
        assert bytes_of(ours, mine) == bytes_of(path, page)


def bytes_of(path: Path, page: dict[str, Any]) -> bytes:
    start = by_hand.HEADER + page["page_id"] * by_hand.PAGE
    return path.read_bytes()[start : start + page["page_size"]]


HEADS: list[tuple[Callable[[dict[str, Any]], Any], str]] = [
    (lambda head: head.update(version="9"), "version is '9'"),
    (lambda head: head.update(header_size=1 << 63), "header_size is 9223372036854775808"),
    (lambda head: head.update(header_size="x"), "header_size is x"),
    (lambda head: head.update(page_size=0), "page_size is 0"),
    (lambda head: head.update(page_size=by_hand.PAGE * 2), "ends too early|contradict each other"),
    (lambda head: head["page"][0].update(page_size=by_hand.PAGE + 1), "page 0: page_size is 32769"),
    (lambda head: head["page"][1].update(page_id=7), "page 1: page_id is 7"),
    (lambda head: head["page"][1].update(page_type="MAP"), "page 1: page_type is 'MAP'"),
    (lambda head: head["page"][1].update(start_row_id=3), "page 1: it begins with row 3"),
    (lambda head: head["page"][0].update(end_row_id=1 << 40), "page 0: it has the rows 0 to"),
    (lambda head: head["page"][-1].update(row_group_ids=[]), "contradict each other: row 0 cannot have its RAW part"),
    (lambda head: head["page"].append({**head["page"][-1], "page_id": len(head["page"])}), "ends too early, in page"),
    (lambda head: head["page"].pop(), "contradict each other"),
    (lambda head: head.update(page=5), "page is 5, not a list"),
    (lambda head: head.update(page=[5]), "page 0 is described by 5"),
    (lambda head: head.update(schema=[]), "0 schemas"),
    (lambda head: head["schema"][0].update(schema={"a": {"type": "int8"}}), "there is no type 'int8'"),
    (lambda head: head["schema"][0].update(blob_fields=["box"]), "blob_fields"),
    (lambda head: head.update(shard_addresses=[1]), "shard_addresses"),
    (lambda head: head.update(shard_addresses=["x.mindrecord", "x.mindrecord"]), "names a file of its set twice"),
    (lambda head: head.update(shard_addresses=["x.mindrecord", "none"]), "none cannot be opened"),
    (lambda head: head.update(shard_id=3), "shard_id is 3"),
    (lambda head: head.update(index_fields=[{"index_field": "box"}]), "index_fields has 'box'"),
    (lambda head: head.update(compression_size="much"), "compression_size is much"),
]


@pytest.mark.parametrize(("change", "why"), HEADS)
def test_a_wrong_entry_of_the_header_is_named(path: Path, change: Callable[[Any], Any], why: str) -> None:
    head = by_hand.head_of(path)
    change(head)
    by_hand.with_head(path, head)
    with pytest.raises(ms.mindrecord.MRMOpenError, match=why):
        read(path)
    assert main(["check", str(path)]) == 1


@pytest.mark.parametrize(
    ("start", "why"),
    [
        (b"", "it has only 0 bytes"),
        (b"1234", "it has only 4 bytes"),
        (bytes(8), "a length of 0 bytes"),
        ((1 << 63).to_bytes(8, "little"), f"a length of {1 << 63} bytes"),
        ((1 << 20).to_bytes(8, "little") + b"{", "it ends in the header"),
        ((4).to_bytes(8, "little") + b'{"a"', "is not JSON"),
        ((2).to_bytes(8, "little") + b"[]", "is not a JSON object"),
        ((200_000).to_bytes(8, "little") + b"[" * 200_000, "is not JSON"),
    ],
)
def test_a_wrong_start_is_named(path: Path, start: bytes, why: str) -> None:
    path.write_bytes(start)
    with pytest.raises(ms.mindrecord.MRMOpenError, match=why):
        ds.MindDataset(str(path))


def test_a_cut_file_is_named_before_it_is_mapped(path: Path) -> None:
    data = path.read_bytes()
    for size in (by_hand.HEADER + 5, by_hand.HEADER + by_hand.PAGE + 1, len(data) - 1):
        path.write_bytes(data[:size])
        with pytest.raises(ms.mindrecord.MRMOpenError, match="ends too early, in page"):
            ds.MindDataset(str(path))


def test_a_missing_or_foreign_index_is_named(path: Path) -> None:
    index = Path(f"{path}.db")
    rows = by_hand.index_rows(index)
    shutil.copy(index, index.with_name("kept"))
    other = path.with_name("y.mindrecord")
    by_hand.write(other, by_hand.rows(24)[::-1])
    shutil.copy(f"{other}.db", index)
    with pytest.raises(ms.mindrecord.MRMOpenError, match=r"is the index of y\.mindrecord, not of x\.mindrecord"):
        read(path)
    by_hand.write_index(index, path.name, by_hand.index_rows(Path(f"{other}.db")))
    with pytest.raises(ms.mindrecord.MRMOpenError, match="the index has 24 rows, the header 25"):
        read(path)
    for row in range(len(rows)):
        swapped = [*rows[:row], (row, *rows[row - 1][1:]), *rows[row + 1 :]]
        by_hand.write_index(index, path.name, swapped)
        with pytest.raises(ms.mindrecord.MRMOpenError, match="contradict each other"):
            read(path)
    index.unlink()
    with pytest.raises(ms.mindrecord.MRMOpenError, match="`mindrecord index` makes it"):
        read(path)


def test_a_missing_file_of_a_set_is_named(tmp_path: Path) -> None:
    writer = ms.mindrecord.FileWriter(str(tmp_path / "x"), 3)
    writer.add_schema(by_hand.SCHEMA)
    writer.write_raw_data(ROWS)
    writer.commit()
    (tmp_path / "x1").rename(tmp_path / "kept")
    with pytest.raises(ms.mindrecord.MRMOpenError, match="x1 cannot be opened"):
        ds.MindDataset(str(tmp_path / "x0"))
    shutil.copy(tmp_path / "x2", tmp_path / "x1")
    with pytest.raises(ms.mindrecord.MRMOpenError, match="x1 is not file 1 of the set"):
        ds.MindDataset(str(tmp_path / "x0"))


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xdf\xff\xff\xff\xff",
        b"\x81" * 100_000,
        b"\x81\xa1a\xdb\xff\xff\xff\xffx",
        b"\x81\xa1a\x91\x00",
        b"\x82\xa1a\x00",
        b"\x82\xa1a\x00\xa1a\x01",
        b"\x81\xa1a\x00\x00",
        b"\x81\xa1\xff\x00",
        b"\xc1",
        b"\x81\xa1a\xcd\x01",
    ],
)
def test_scalars_that_cannot_be_are_refused_at_once(data: bytes) -> None:
    with pytest.raises(ValueError, match="the scalars of a row are damaged"):
        unpack_scalars(data)


def test_packed_integers_of_another_length_are_refused() -> None:
    packed = pack_integers(np.array([1, 300, -70_000, 1 << 40, 5]))
    for size in range(len(packed)):
        with pytest.raises(ValueError, match="packed array"):
            unpack_integers(packed[:size])
    with pytest.raises(ValueError, match="followed by other bytes"):
        unpack_integers(packed + b"\0")
    with pytest.raises(ValueError, match="4294967295 integers ends too early"):
        unpack_integers(b"\xff" * 40)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (
            lambda row: row.update(ids=np.array([1 << 40])),
            "field 'ids' of a row is damaged: a number is outside of int32",
        ),
        (lambda row: row.update(label="one"), "'one' is no int32"),
        (lambda row: row.update(label=0.5), "'0.5' is no int32"),
        (lambda row: row.update(box=np.zeros(3, np.float32)), "field 'box' of a row is damaged"),
    ],
)
def test_values_that_do_not_fit_the_schema_are_named(tmp_path: Path, change: Callable[[Any], Any], why: str) -> None:
    row = by_hand.rows(1)[0]
    change(row)
    path = tmp_path / "x.mindrecord"
    by_hand.write(path, [row])
    head = by_hand.head_of(path)
    head["schema"][0]["schema"]["ids"]["type"] = "int32"
    by_hand.with_head(path, head)
    with pytest.raises(ms.mindrecord.MRMFetchDataError, match=f"row 0 of .*{why}"):
        read(path)
    with pytest.raises(RuntimeError, match=why):
        list(ds.MindDataset(str(path)).create_tuple_iterator())


def spans(path: Path) -> list[list[tuple[int, int]]]:
    """The bytes of each row in the file: of its raw and its blob part, without their lengths."""
    found = []
    for row in by_hand.index_rows(Path(f"{path}.db")):
        raw, blob = (by_hand.HEADER + row[place] * by_hand.PAGE for place in (1, 5))
        found.append([(raw + row[2] + 8, raw + row[3]), (blob + row[6] + 8, blob + row[7])])
    return found


def surely_right(path: Path, changed: int | None) -> None:
    """Rows are right or named. A byte within a row's values has no checksum: only that row may differ."""
    found: list[dict[str, Any]] = []
    message = ""
    try:
        found.extend(ms.mindrecord.FileReader(str(path)).get_next())
    except ms.mindrecord.MindRecordError as error:
        message = str(error)
    assert "x.mindrecord" in message or len(found) == len(ROWS)
    for number, (other, row) in enumerate(zip(found, ROWS, strict=False)):
        assert by_hand.same(other, row) or number == changed, number


def test_flipped_bytes_of_pages_are_named_or_stay_in_their_row(path: Path) -> None:
    random, data, rows = np.random.default_rng(11), path.read_bytes(), spans(path)
    for _ in range(FLIPS):
        place = int(random.integers(by_hand.HEADER, len(data)))
        damaged = bytearray(data)
        damaged[place] ^= int(random.integers(1, 256))
        path.write_bytes(damaged)
        inside = [number for number, parts in enumerate(rows) if any(begin <= place < end for begin, end in parts)]
        surely_right(path, inside[0] if inside else None)


def test_flipped_bytes_of_lengths_are_named(path: Path) -> None:
    random, data, rows = np.random.default_rng(12), path.read_bytes(), spans(path)
    for _ in range(100):
        number = int(random.integers(len(rows)))
        begin, _ = rows[number][int(random.integers(2))]
        damaged = bytearray(data)
        damaged[begin - 1 - int(random.integers(8))] ^= int(random.integers(1, 256))
        path.write_bytes(damaged)
        with pytest.raises(ms.mindrecord.MRMFetchDataError, match=f"row {number} of .*contradict each other at byte"):
            read(path)


def test_flipped_bytes_of_the_header_are_named_or_harmless(path: Path) -> None:
    random, data = np.random.default_rng(13), path.read_bytes()
    size = 8 + int.from_bytes(data[:8], "little")
    for _ in range(FLIPS):
        damaged = bytearray(data)
        damaged[int(random.integers(size))] ^= int(random.integers(1, 256))
        path.write_bytes(damaged)
        surely_right(path, None)


def test_flipped_bytes_of_the_index_are_named_or_harmless(path: Path) -> None:
    index = Path(f"{path}.db")
    random, data = np.random.default_rng(14), index.read_bytes()
    for _ in range(FLIPS):
        damaged = bytearray(data)
        damaged[int(random.integers(len(data)))] ^= int(random.integers(1, 256))
        index.write_bytes(damaged)
        surely_right(path, None)


def test_the_length_of_a_blob_field_is_checked(path: Path) -> None:
    begin, _ = spans(path)[3][1]
    data = bytearray(path.read_bytes())
    data[begin : begin + 8] = struct.pack(">Q", 1 << 50)
    path.write_bytes(data)
    with pytest.raises(ms.mindrecord.MRMFetchDataError, match=r"row 3 of .*field 'box' of a row ends too early"):
        read(path)


def test_a_part_without_wanted_fields_is_not_read(path: Path) -> None:
    begin, end = spans(path)[3][1]
    data = bytearray(path.read_bytes())
    data[begin:end] = bytes(end - begin)
    path.write_bytes(data)
    reader = ms.mindrecord.FileReader(str(path), columns=["label", "name"])
    assert [row["name"] for row in reader.get_next()] == [row["name"] for row in ROWS]
    with pytest.raises(ms.mindrecord.MRMFetchDataError, match="row 3 of"):
        list(ms.mindrecord.FileReader(str(path), columns=["ids"]).get_next())
