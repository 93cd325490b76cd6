"""Writes and reads MindRecord files by the format's description alone, without the package under test."""

import json
import sqlite3
import struct
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np

HEADER, PAGE = 1 << 14, 1 << 15
SCHEMA = {
    "box": {"type": "float32", "shape": [2, 2]},
    "ids": {"type": "int64", "shape": [-1]},
    "image": {"type": "bytes"},
    "label": {"type": "int32"},
    "name": {"type": "string"},
    "score": {"type": "float64"},
}
BLOBS = ["box", "ids", "image"]


def rows(count: int) -> list[dict[str, Any]]:
    """Rows of `SCHEMA`; image sizes make several pages of 32 KiB from 12 rows on."""
    return [
        {
            "box": np.full((2, 2), number / 4, np.float32),
            "ids": np.array([number, -300 * number, 1 << 40, -(1 << 20)], np.int64)[: number % 5],
            "image": bytes((number + place) % 256 for place in range(2500 * (number % 4) + 1)),
            "label": number % 3 - 1,
            "name": f"picture {number}",
            "score": number / 8 - 2,
        }
        for number in range(count)
    ]


def msgpack(row: dict[str, Any]) -> bytes:
    """A MessagePack map of small integers, floats and short texts."""
    made = bytes([0x80 + len(row)])
    for name, value in row.items():
        made += bytes([0xA0 + len(name)]) + name.encode()
        if isinstance(value, str):
            made += bytes([0xA0 + len(value.encode())]) + value.encode()
        elif isinstance(value, float):
            made += b"\xcb" + struct.pack(">d", value)
        elif value < 0:
            made += struct.pack("b", value)
        elif value < 128:
            made += bytes([value])
        else:
            made += b"\xcd" + struct.pack(">H", value)
    return made


def packed(values: Any) -> bytes:
    """Integers in their smallest widths."""
    bits, data = "", b""
    for value in np.asarray(values).ravel().tolist():
        width = next(size for size in (1, 2, 4, 8) if -(1 << 8 * size - 1) <= value < 1 << 8 * size - 1)
        bits += f"{(1, 2, 4, 8).index(width):02b}"
        data += value.to_bytes(width, "little", signed=True)
    bits += "0" * (-len(bits) % 8)
    codes = bytes(int(bits[place : place + 8], 2) for place in range(0, len(bits), 8))
    return len(np.asarray(values).ravel()).to_bytes(4, "big") + codes + data


def parts(row: dict[str, Any]) -> tuple[bytes, bytes]:
    """The raw and the blob part of a row of `SCHEMA`, each with its length."""
    raw = msgpack({name: row[name] for name in ("label", "name", "score")})
    fields = [row["box"].astype("<f4").tobytes(), packed(row["ids"]), row["image"]]
    blob = b"".join(struct.pack(">Q", len(field)) + field for field in fields)
    return struct.pack("<Q", len(raw)) + raw, struct.pack("<Q", len(blob)) + blob


def write(path: Path, given: list[dict[str, Any]], **changes: Any) -> None:
    """Write one file and its index. Groups begin anew when a BLOB page is full; all raw parts are in one RAW page.

    Args:
        path: path of the file.
        given: rows of `SCHEMA`.
        changes: other values of the header's keys.
    """
    groups: list[list[tuple[bytes, bytes]]] = []
    for row in given:
        raw, blob = parts(row)
        if not groups or sum(len(one) for _, one in groups[-1]) + len(blob) > PAGE:
            groups.append([])
        groups[-1].append((raw, blob))
    entries, index, content, raws, row_id = [], [], bytearray(), b"", 0
    raw_groups = []
    for number, group in enumerate(groups):
        raw_groups.append({"id": number, "offset": len(raws)})
        data, first = b"", row_id
        for raw, blob in group:
            label = given[row_id]["label"]
            raw_span, blob_span = (len(raws), len(raws) + len(raw)), (len(data), len(data) + len(blob))
            index.append((row_id, len(groups), *raw_span, number, number, *blob_span, 0, label))
            raws, data, row_id = raws + raw, data + blob, row_id + 1
        content += data + bytes(PAGE - len(data))
        entries.append(entry(number, "BLOB_DATA", number, len(data), (first, row_id), [{"id": 0, "offset": 0}]))
    entries.append(entry(len(groups), "RAW_DATA", 0, len(raws), (0, 0), raw_groups))
    head = {
        "header_size": HEADER,
        "index_fields": [{"index_field": "label", "schema_id": 0}],
        "page": entries,
        "page_size": PAGE,
        "compression_size": sum(row["ids"].nbytes - len(packed(row["ids"])) for row in given),
        "schema": [{"blob_fields": BLOBS, "desc": "by hand", "schema": SCHEMA}],
        "shard_addresses": [path.name],
        "shard_id": 0,
        "statistics": None,
        "version": "3.0",
        **changes,
    }
    text = json.dumps(head, separators=(",", ":")).encode()
    start = len(text).to_bytes(8, "little") + text
    path.write_bytes(start + bytes(HEADER - len(start)) + bytes(content) + raws)
    write_index(Path(f"{path}.db"), path.name, index)


def entry(number: int, kind: str, of_kind: int, size: int, span: tuple[int, int], groups: list[Any]) -> dict[str, Any]:
    """What the header says about a page."""
    return {
        "end_row_id": span[1],
        "page_id": number,
        "page_size": size,
        "page_type": kind,
        "page_type_id": of_kind,
        "row_group_ids": groups,
        "shard_id": 0,
        "start_row_id": span[0],
    }


def write_index(path: Path, name: str, index: list[tuple[Any, ...]]) -> None:
    """Write an index with the field `label`."""
    columns = "ROW_ID INT, PAGE_ID_RAW INT, PAGE_OFFSET_RAW INT, PAGE_OFFSET_RAW_END INT, ROW_GROUP_ID INT, "
    columns += "PAGE_ID_BLOB INT, PAGE_OFFSET_BLOB INT, PAGE_OFFSET_BLOB_END INT, INC_0 INT, label_0 INTEGER"
    path.unlink(missing_ok=True)
    with closing(sqlite3.connect(path)) as made:
        made.execute(f"CREATE TABLE INDEXES({columns}, PRIMARY KEY(ROW_ID, INC_0))")
        made.execute("CREATE TABLE SHARD_NAME(NAME TEXT NOT NULL)")
        made.execute("INSERT INTO SHARD_NAME VALUES(?)", (name,))
        made.executemany(f"INSERT INTO INDEXES VALUES({', '.join('?' * 10)})", index)
        made.commit()


def index_rows(path: Path) -> list[tuple[Any, ...]]:
    """The rows of an index, in order."""
    with closing(sqlite3.connect(path)) as index:
        return index.execute("SELECT * FROM INDEXES ORDER BY ROW_ID").fetchall()


def head_of(path: Path) -> dict[str, Any]:
    """The header of a file."""
    data = path.read_bytes()
    found: dict[str, Any] = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])
    return found


def with_head(path: Path, head: Any) -> None:
    """Replace the header of a file."""
    data = path.read_bytes()
    text = json.dumps(head, separators=(",", ":")).encode()
    start = len(text).to_bytes(8, "little") + text
    path.write_bytes(start + bytes(HEADER - len(start)) + data[HEADER:])


def same(found: Any, row: dict[str, Any]) -> bool:
    """Whether a read row has the values of a written one, bit for bit."""
    return all(bits(found[name]) == bits(value) for name, value in row.items())


def bits(value: Any) -> Any:
    """A value that compares bit for bit."""
    if isinstance(value, np.ndarray):
        return value.tobytes(), value.shape, value.dtype.str
    return (struct.pack("d", value) if isinstance(value, float) else value), type(value)
