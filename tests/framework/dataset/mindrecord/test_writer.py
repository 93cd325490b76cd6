"""`FileWriter`: files are whole or not there, whatever happens while they are written."""

import gc
import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import framework as ms
from framework.dataset.mindrecord import FileWriter
from framework.dataset.mindrecord.inspecting.command import main
from tests.framework.dataset.mindrecord import independent as by_hand

ROWS = by_hand.rows(60)

#: Writes rows until it is stopped, and says so after each call.
PROGRAM = """
import resource, signal, sys
import numpy as np
from framework.mindrecord import FileWriter
path, limit = sys.argv[1], int(sys.argv[2])
writer = FileWriter(path, 2, overwrite=True)
writer.add_schema({"data": {"type": "bytes"}, "id": {"type": "int64"}})
writer.set_page_size(1 << 15)
writer.set_header_size(1 << 14)
if limit:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
number = 0
while True:
    writer.write_raw_data([{"data": bytes(9000), "id": number + place} for place in range(20)])
    number += 20
    print(number, flush=True)
    if number == int(sys.argv[3]):
        writer.commit()
        break
"""


def writer_of(path: Path, shards: int = 1, **more: Any) -> FileWriter:
    writer = FileWriter(str(path), shards, **more)
    writer.add_schema(by_hand.SCHEMA)
    writer.set_page_size(by_hand.PAGE)
    writer.set_header_size(by_hand.HEADER)
    return writer


def rows_of(path: Path | str) -> list[dict[str, Any]]:
    return list(ms.mindrecord.FileReader(str(path)).get_next())


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def started(path: Path, limit: int = 0, rows: int = -1) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", PROGRAM, str(path), str(limit), str(rows)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_files_have_their_names_when_they_are_whole(tmp_path: Path) -> None:
    writer = writer_of(tmp_path / "x", 3)
    writer.write_raw_data(ROWS)
    assert all(name.startswith(".") for name in names(tmp_path))
    writer.commit()
    assert names(tmp_path) == ["x0", "x0.db", "x1", "x1.db", "x2", "x2.db"]
    assert main(["check", str(tmp_path / "x0")]) == 0


@pytest.mark.parametrize("parallel", [False, True])
@pytest.mark.parametrize("shards", [1, 3, 11])
def test_each_row_is_written_once(tmp_path: Path, shards: int, parallel: bool) -> None:
    writer = writer_of(tmp_path / "x", shards)
    for start in range(0, 60, 20):
        writer.write_raw_data(ROWS[start : start + 20], parallel_writer=parallel)
    writer.commit()
    first = tmp_path / {1: "x", 3: "x0", 11: "x00"}[shards]
    found = {row["name"]: row for row in rows_of(first)}
    assert all(by_hand.same(found[row["name"]], row) for row in ROWS)
    assert len(found) == len(rows_of(first)) == 60
    assert main(["check", str(first)]) == 0


def test_a_refused_row_leaves_the_others_of_its_call_out(tmp_path: Path) -> None:
    writer = writer_of(tmp_path / "x", 2)
    with pytest.raises(ms.mindrecord.MRMValidateDataError, match="label"):
        writer.write_raw_data([*ROWS[:5], {**ROWS[5], "label": None}], parallel_writer=True)
    assert names(tmp_path) == []
    writer.write_raw_data(ROWS[:7])
    writer.commit()
    assert [row["name"] for row in rows_of(tmp_path / "x0")] == [row["name"] for row in ROWS[:7]]


def test_settings_are_made_before_rows(tmp_path: Path) -> None:
    writer = writer_of(tmp_path / "x")
    writer.write_raw_data(ROWS[:1])
    with pytest.raises(ms.mindrecord.MindRecordError, match="before the first row"):
        writer.add_index(["label"])
    with pytest.raises(ms.mindrecord.MindRecordError, match="before the first row"):
        writer.set_page_size(1 << 15)
    with pytest.raises(ms.mindrecord.MRMInvalidPageSizeError, match="power of two"):
        writer_of(tmp_path / "y").set_page_size(1 << 14)
    with pytest.raises(ms.mindrecord.MRMInvalidHeaderSizeError, match="power of two"):
        writer_of(tmp_path / "y").set_header_size(3 << 14)


def test_a_header_that_is_too_small_leaves_nothing(tmp_path: Path) -> None:
    writer = writer_of(tmp_path / "x")
    writer.write_raw_data([{**ROWS[0], "image": bytes(30_000)}] * 120)
    with pytest.raises(ms.mindrecord.MRMCommitError, match="set_header_size"):
        writer.commit()
    assert names(tmp_path) == []


def test_an_abandoned_writer_leaves_nothing(tmp_path: Path) -> None:
    writer = writer_of(tmp_path / "x", 2)
    writer.write_raw_data(ROWS)
    assert names(tmp_path)
    del writer
    gc.collect()
    assert names(tmp_path) == []


def test_files_are_as_before_until_rows_are_added(tmp_path: Path) -> None:
    path = tmp_path / "x"
    writer = writer_of(path)
    writer.write_raw_data(ROWS[:20])
    writer.commit()
    before = path.read_bytes()
    writer = FileWriter.open_for_append(str(path))
    writer.write_raw_data(ROWS[20:])
    assert path.read_bytes() == before
    writer.commit()
    assert all(by_hand.same(found, row) for found, row in zip(rows_of(path), ROWS, strict=True))
    assert main(["check", str(path)]) == 0
    with pytest.raises(ms.mindrecord.MRMOpenForAppendError, match="cannot be opened"):
        FileWriter.open_for_append(str(tmp_path / "none"))


def test_rows_are_added_to_files_of_an_independent_writer(tmp_path: Path) -> None:
    path = tmp_path / "x"
    by_hand.write(path, ROWS[:30])
    Path(f"{path}.db").unlink()
    writer = FileWriter.open_for_append(str(path))
    writer.write_raw_data(ROWS[30:])
    writer.commit()
    assert all(by_hand.same(found, row) for found, row in zip(rows_of(path), ROWS, strict=True))
    wanted = sum(row["ids"].nbytes - len(by_hand.packed(row["ids"])) for row in ROWS)
    assert by_hand.head_of(path)["compression_size"] == wanted


def test_a_file_without_rows_has_no_page(tmp_path: Path) -> None:
    writer = writer_of(tmp_path / "x", 3)
    writer.write_raw_data(ROWS[:1])
    writer.commit()
    data = (tmp_path / "x2").read_bytes()
    assert json.loads(data[8:])["page"] is None
    assert len(rows_of(tmp_path / "x2")) == 1
    assert main(["check", str(tmp_path / "x1")]) == 0


@pytest.mark.parametrize("calls", [1, 4])
def test_a_killed_writer_leaves_no_file_under_its_name(tmp_path: Path, calls: int) -> None:
    path = tmp_path / "x"
    with started(path) as program:
        assert program.stdout is not None
        for _ in range(calls):
            program.stdout.readline()
        program.send_signal(signal.SIGKILL)
    assert program.returncode == -signal.SIGKILL
    assert names(tmp_path)
    assert not any(name.startswith("x") for name in names(tmp_path))
    with started(path, rows=40) as program:
        assert program.wait() == 0
    assert names(tmp_path) == ["x0", "x0.db", "x1", "x1.db"]
    assert sorted(row["id"] for row in rows_of(tmp_path / "x0")) == list(range(40))


def test_a_killed_writer_leaves_the_old_files(tmp_path: Path) -> None:
    path = tmp_path / "x"
    with started(path, rows=40) as program:
        assert program.wait() == 0
    before = {name: (tmp_path / name).read_bytes() for name in names(tmp_path)}
    with started(path) as program:
        assert program.stdout is not None
        program.stdout.readline()
        program.send_signal(signal.SIGKILL)
    assert {name: (tmp_path / name).read_bytes() for name in before} == before


def test_a_full_disk_leaves_nothing(tmp_path: Path) -> None:
    path = tmp_path / "x"
    with started(path, limit=1 << 19) as program:
        assert program.stderr is not None
        error = program.stderr.read()
    assert program.returncode == 1
    assert "MRMWriteDatasetError" in error
    assert "x0 cannot be written: File too large; nothing was kept" in error
    assert names(tmp_path) == []
    with started(path, rows=20) as program:
        assert program.wait() == 0
    assert len(rows_of(tmp_path / "x1")) == 20


def test_a_disk_that_fills_up_at_the_end_leaves_nothing(tmp_path: Path) -> None:
    # The pages fit, the header's file is at its limit, and the index does not.
    path = tmp_path / "x"
    with started(path, limit=(1 << 14) + 4096, rows=20) as program:
        assert program.stderr is not None
        assert "nothing was kept" in program.stderr.read()
    assert names(tmp_path) == []


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    writer = writer_of(tmp_path / "none" / "x")
    with pytest.raises(ms.mindrecord.MRMOpenError, match="none/x cannot be written: No such file or directory"):
        writer.write_raw_data(ROWS)


def test_numbers_of_all_sizes_come_back(tmp_path: Path) -> None:
    path = tmp_path / "x"
    writer = FileWriter(str(path))
    writer.add_schema({"n": {"type": "int64"}, "a": {"type": "int64", "shape": [-1]}})
    values = [sign * (1 << bits) + more for bits in range(63) for sign in (1, -1) for more in (-1, 0, 1)]
    writer.write_raw_data([{"n": value, "a": np.array([value, -value], np.int64)} for value in values])
    writer.commit()
    assert [row["n"] for row in rows_of(path)] == values
    assert [row["a"].tolist() for row in rows_of(path)] == [[value, -value] for value in values]
