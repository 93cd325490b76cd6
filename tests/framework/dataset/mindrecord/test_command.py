"""The command `mindrecord`: what it prints, and its exit code, for files that are right and for damaged ones."""

import base64
import json
import subprocess
import sys
from pathlib import Path

import pytest

import framework as ms
from framework.dataset.mindrecord.inspecting.command import main
from tests.framework.dataset.mindrecord import independent as by_hand


@pytest.fixture
def path(tmp_path: Path) -> Path:
    made = tmp_path / "x.mindrecord"
    by_hand.write(made, by_hand.rows(25))
    return made


def change(path: Path, place: int, by: bytes) -> None:
    data = bytearray(path.read_bytes())
    data[place : place + len(by)] = by
    path.write_bytes(data)


def output(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> str:
    assert main(arguments) == code
    return capsys.readouterr().out


def test_files_written_by_hand_and_by_us_are_right(
    path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pages = len(by_hand.head_of(path)["page"])
    assert output(capsys, "check", str(path)) == f"{path} is right: 1 files, {pages} pages, 25 rows\n"
    writer = ms.mindrecord.FileWriter(str(tmp_path / "y.mindrecord"), 3)
    writer.add_schema(by_hand.SCHEMA)
    writer.set_page_size(by_hand.PAGE)
    writer.write_raw_data(by_hand.rows(25))
    writer.commit()
    assert "3 files, " in output(capsys, "check", str(tmp_path / "y.mindrecord1"))


def test_check_names_a_wrong_length(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    start = by_hand.HEADER + by_hand.PAGE
    change(path, start, (1 << 40).to_bytes(8, "little"))
    found = output(capsys, "check", str(path), code=1)
    assert f"page 1 (BLOB_DATA), byte {start} of the file: a part of {1 << 40} bytes does not fit" in found
    assert "page 1 (BLOB_DATA) has 0 rows instead of" not in found


def test_check_names_a_wrong_value(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (place,) = [row[2] for row in by_hand.index_rows(Path(f"{path}.db")) if row[0] == 7]
    page = len(by_hand.head_of(path)["page"]) - 1
    # The first byte of the map: 2 entries in place of 3.
    change(path, by_hand.HEADER + page * by_hand.PAGE + place + 8, b"\x82")
    found = output(capsys, "check", str(path), code=1)
    assert f"{path}, row 7: the scalars of a row are damaged" in found
    assert len(found.splitlines()) == 1


def test_check_names_what_differs_in_the_index(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    index = Path(f"{path}.db")
    rows = by_hand.index_rows(index)
    by_hand.write_index(index, path.name, [*rows[:3], (*rows[3][:-1], 9), *rows[4:]])
    assert f"{index}, row 3: label is (9,) instead of (-1,)" in output(capsys, "check", str(path), code=1)
    by_hand.write_index(index, path.name, [(*row[:7], row[7] + (row[0] == 4), *row[8:]) for row in rows])
    assert "1 rows have another place" in output(capsys, "check", str(path), code=1)
    by_hand.write_index(index, path.name, rows[:-1])
    assert f"{index} has 24 rows, {path} has 25" in output(capsys, "check", str(path), code=1)


def test_index_makes_what_an_independent_writer_made(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    index = Path(f"{path}.db")
    right = by_hand.index_rows(index)
    assert "is right, 25 rows" in output(capsys, "index", str(path))
    index.unlink()
    assert "is missing" in output(capsys, "check", str(path), code=1)
    assert "made, 25 rows" in output(capsys, "index", str(path))
    assert by_hand.index_rows(index) == right
    index.write_bytes(b"no database" * 100)
    output(capsys, "index", str(path))
    assert by_hand.index_rows(index) == right
    by_hand.write_index(index, "other.mindrecord", right)
    assert "is the index of other.mindrecord" in output(capsys, "check", str(path), code=1)
    output(capsys, "index", str(path))
    output(capsys, "check", str(path))
    assert sorted(one.name for one in path.parent.iterdir()) == [path.name, index.name]


def test_index_of_a_damaged_file_is_refused(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path(f"{path}.db").unlink()
    change(path, by_hand.HEADER, b"\xff" * 8)
    assert main(["index", str(path)]) == 1
    assert "is damaged: page 0 (BLOB_DATA)" in capsys.readouterr().err
    assert not Path(f"{path}.db").exists()


def test_info_says_what_the_header_says(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    head = by_hand.head_of(path)
    shown = json.loads(output(capsys, "info", "--json", str(path)))
    assert shown["schema"] == head["schema"][0]
    assert shown["rows"] == 25
    (file,) = shown["files"]
    assert file["pages"] == head["page"]
    assert file["bytes"] == path.stat().st_size
    text = output(capsys, "info", str(path))
    assert "field        label: int32, raw, in the index" in text
    assert "field        box: float32 [2, 2], blob" in text
    assert f"page 1      BLOB_DATA  {head['page'][1]['page_size']} bytes" in text


def test_cat_prints_rows_as_json(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = [json.loads(line) for line in output(capsys, "cat", str(path)).splitlines()]
    for found, row in zip(lines, by_hand.rows(25), strict=True):
        assert (found["label"], found["name"], found["score"]) == (row["label"], row["name"], row["score"])
        assert (found["ids"], found["box"]) == (row["ids"].tolist(), row["box"].tolist())
        assert found["image"]["bytes"] == len(row["image"])
        assert base64.b64decode(found["image"]["base64"]) == row["image"][:48]
    shown = output(
        capsys, "cat", "--start", "4", "--rows", "1", "--values", "2", "--columns", "ids", "label", "--", str(path)
    )
    assert json.loads(shown) == {"ids": {"shape": [4], "first": [4, -1200]}, "label": 0}


def test_numbers_that_json_does_not_know_are_texts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "x.mindrecord"
    by_hand.write(path, [{**by_hand.rows(1)[0], "score": float("nan")}, {**by_hand.rows(1)[0], "score": -float("inf")}])
    lines = output(capsys, "cat", "--columns", "score", "--", str(path)).splitlines()
    assert [json.loads(line) for line in lines] == [{"score": "nan"}, {"score": "-inf"}]


def test_errors_go_to_the_other_stream(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cat", str(tmp_path / "none")]) == 1
    assert "none cannot be opened: No such file or directory" in capsys.readouterr().err
    with pytest.raises(SystemExit) as ended:
        main(["shred", "x"])
    assert ended.value.code == 2


def test_the_command_is_part_of_the_core(path: Path) -> None:
    command = [sys.executable, "-m", "framework", "mindrecord", "check", str(path)]
    assert "is right" in subprocess.run(command, capture_output=True, text=True, check=True).stdout
    Path(f"{path}.db").unlink()
    assert subprocess.run(command, capture_output=True, check=False).returncode == 1
