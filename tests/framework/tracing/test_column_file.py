"""Files of columns: what is written is read, and of a cut or damaged file all whole blocks."""

from pathlib import Path

import numpy as np
import pytest

from framework.tracing.column_file import Block, ColumnFile, read_column_file


def _written(path: Path) -> list[dict[str, list[int]]]:
    file = ColumnFile(path, "a test")
    blocks = [{"a": list(range(count)), "b": [-count] * count} for count in (3, 0, 200)]
    for block in blocks:
        file.append(Block("rows", {"told": len(block["a"])},
                          {"a": np.array(block["a"], np.uint32), "b": np.array(block["b"], np.int64)}))  # fmt: skip
    file.close()
    return blocks


def _read(path: Path) -> tuple[list[dict[str, list[int]]], str]:
    (_, *blocks), damage = read_column_file(path)
    return [{name: column.tolist() for name, column in block.columns.items()} for block in blocks], damage


def test_columns_come_back_with_their_types(tmp_path: Path) -> None:
    path = tmp_path / "x.columns"
    wanted = _written(path)
    assert _read(path) == (wanted, "")
    (head, *blocks), _ = read_column_file(path)
    assert head.note["what"] == "a test"
    assert [block.note for block in blocks] == [{"told": 3}, {"told": 0}, {"told": 200}]
    assert [str(column.dtype) for column in blocks[0].columns.values()] == ["uint32", "int64"]


def test_every_cut_keeps_the_whole_blocks(tmp_path: Path) -> None:
    path = tmp_path / "x.columns"
    wanted = _written(path)
    data = path.read_bytes()
    head = data.index(b"\n") + 1 + 4
    counts = set()
    for size in range(head, len(data)):
        path.write_bytes(data[:size])
        found, damage = _read(path)
        assert found == wanted[: len(found)]
        assert bool(damage) == (size not in (head, *_ends(data)))
        counts.add(len(found))
    assert counts == {0, 1, 2}


def _ends(data: bytes) -> list[int]:
    at, ends = 0, []
    while at < len(data):
        at += 16 + int.from_bytes(data[at : at + 8], "little")
        ends.append(at)
    return ends


def test_a_changed_byte_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "x.columns"
    wanted = _written(path)
    data = bytearray(path.read_bytes())
    first = _ends(data)[0]
    for at in range(first, len(data), 37):
        data[at] ^= 0x10
        path.write_bytes(data)
        found, damage = _read(path)
        assert found == wanted[: len(found)]
        assert len(found) < 3
        assert "damaged" in damage
        data[at] ^= 0x10


def test_no_file_is_lost(tmp_path: Path) -> None:
    made = [ColumnFile(tmp_path / "x.columns", "a test") for _ in range(3)]
    assert [file.path.name for file in made] == ["x.columns", "x.1.columns", "x.2.columns"]
    for file in made:
        file.close()


def test_another_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.columns").write_bytes(b"")
    with pytest.raises(ValueError, match=r"x\.columns is no file of columns"):
        read_column_file(tmp_path / "x.columns")
