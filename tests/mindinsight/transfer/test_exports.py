"""The runs of an export and their places; damage, and existing files."""

from __future__ import annotations

import csv
import os
from pathlib import Path

import numpy as np
import pytest

from summaries import SummaryWriter
from tests.mindinsight.transfer.conftest import Mindinsight
from tests.mindinsight.transfer.event_files import points, scalar_event, write_tensorboard


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def one(directory: Path, value: float = 1.0) -> None:
    with SummaryWriter(directory) as writer:
        writer.add_scalar("loss", value, 1)


def files(directory: Path) -> set[str]:
    return {path.relative_to(directory).as_posix() for path in directory.rglob("*") if path.is_file()}


def test_names_of_runs(mindinsight: Mindinsight, tmp_path: Path) -> None:
    for name in ("a/one", "a/two", "b"):
        one(tmp_path / name)
    mindinsight("export", tmp_path / "a", "--format", "csv", "--output", tmp_path / "single")
    assert files(tmp_path / "single") == {"one/scalars.csv", "two/scalars.csv"}
    mindinsight("export", tmp_path / "a", tmp_path / "b", "--format", "csv", "--output", tmp_path / "several")
    assert files(tmp_path / "several") == {"a/one/scalars.csv", "a/two/scalars.csv", "b/scalars.csv"}


def test_two_runs_of_one_name(mindinsight: Mindinsight, tmp_path: Path) -> None:
    one(tmp_path / "a" / "run")
    one(tmp_path / "b" / "run")
    sources = (tmp_path / "a" / "run", tmp_path / "b" / "run")
    answer = mindinsight("export", *sources, "--format", "csv", "--output", tmp_path / "out", status=1)
    assert "would both become 'run'" in answer.stderr
    assert not (tmp_path / "out").exists()


def test_a_table_as_a_spreadsheet_reads_it(mindinsight: Mindinsight, tmp_path: Path) -> None:
    write_tensorboard(tmp_path / "run", scalar_event(1, 1795229620.1, a=0.1, b=1e300))
    mindinsight("export", tmp_path / "run", "--format", "csv", "--output", tmp_path / "out")
    assert (tmp_path / "out" / "run" / "scalars.csv").read_bytes() == (
        b"run,tag,segment,step,wall_time,value\r\nrun,a,0,1,1795229620.1,0.1\r\nrun,b,0,1,1795229620.1,1e+300\r\n"
    )


def test_only_what_was_asked_for(mindinsight: Mindinsight, tmp_path: Path) -> None:
    with SummaryWriter(tmp_path / "run") as writer:
        writer.add_scalars({"loss/train": 1.0, "loss/val": 2.0, "accuracy": 3.0}, step=1)
        writer.add_histogram("loss/train", np.arange(3.0), 1)
    source = ("export", tmp_path / "run", "--tag", "loss/*", "--tag", "nothing")
    answer = mindinsight(*source, "--format", "csv", "--output", tmp_path / "out")
    assert [row["tag"] for row in rows(tmp_path / "out" / "run" / "scalars.csv")] == ["loss/train", "loss/val"]
    assert "histograms (1), because CSV files hold scalars only" in answer.stderr
    answer = mindinsight(*source, "--kind", "scalar", "--format", "tensorboard", "--output", tmp_path / "out")
    assert answer.stderr == ""
    assert "with 2 scalars to" in answer.stdout
    answer = mindinsight(*source, "--kind", "histogram", "--format", "csv", "--output", tmp_path / "other", status=1)
    assert "csv files hold scalars only" in answer.stderr
    answer = mindinsight(*source, "--kind", "histograms", "--format", "csv", "--output", tmp_path / "other", status=2)
    assert "There are: scalar, histogram, image" in answer.stderr


def test_what_is_there_is_not_overwritten(mindinsight: Mindinsight, run: Path, tmp_path: Path) -> None:
    target = tmp_path / "out" / "first" / "scalars.csv"
    target.parent.mkdir(parents=True)
    target.write_text("precious")
    command = ("export", run, "--format", "csv", "--output", tmp_path / "out")
    answer = mindinsight(*command, status=1)
    assert f"{target} is there already" in answer.stderr
    assert target.read_text() == "precious"
    mindinsight(*command, "--force")
    assert len(rows(target)) == 20
    assert files(tmp_path / "out") == {"first/scalars.csv"}


def test_a_run_is_not_exported_into_itself(mindinsight: Mindinsight, run: Path, tmp_path: Path) -> None:
    before = files(run)
    answer = mindinsight("export", run, "--format", "mindspore", "--output", run.parent, status=1)
    assert "is the run itself" in answer.stderr
    assert files(run) == before


def test_an_earlier_export_below_the_source_is_no_run_of_it(
    mindinsight: Mindinsight, run: Path, tmp_path: Path
) -> None:
    for _ in range(2):
        base = tmp_path / "base"
        mindinsight("export", base, "--format", "tensorboard", "--output", base / "exported", "--force")
    assert len(files(tmp_path / "base" / "exported")) == 1


def test_nothing_to_export(mindinsight: Mindinsight, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    answer = mindinsight("export", tmp_path / "empty", "--format", "csv", "--output", tmp_path / "out", status=1)
    assert "There are no event files" in answer.stderr
    (tmp_path / "file").touch()
    mindinsight("export", tmp_path / "file", "--format", "csv", "--output", tmp_path / "out", status=2)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("target", ["csv", "tensorboard", "mindspore"])
def test_damage_is_told_and_the_rest_exported(mindinsight: Mindinsight, tmp_path: Path, target: str) -> None:
    path = write_tensorboard(tmp_path / "run", *(scalar_event(step, 1.0 + step, loss=0.5) for step in range(100)))
    data = bytearray(path.read_bytes())
    whole = len(data)
    middle = data.index(b"loss", whole // 2)
    data[middle] ^= 1
    path.write_bytes(data[:-7])
    answer = mindinsight("export", tmp_path / "run", "--format", target, "--output", tmp_path / "out")
    assert "with 98 scalars, 2 broken places skipped" in answer.stdout
    told = [line for line in answer.stderr.splitlines() if line.startswith(str(path))]
    assert len(told) == 2
    assert "fails its checksum" in told[0]
    assert "breaks off" in told[1]
    if target != "csv":
        assert len(points(tmp_path / "out")["run"]) == 98
    else:
        steps = [int(row["step"]) for row in rows(tmp_path / "out" / "run" / "scalars.csv")]
        assert len(steps) == 98
        assert steps == sorted(set(range(99)) & set(steps))


def test_the_last_record_of_a_file_that_is_being_written_is_no_damage(mindinsight: Mindinsight, tmp_path: Path) -> None:
    command = ("export", tmp_path / "run", "--format", "csv", "--output", tmp_path / "out", "--force")
    with SummaryWriter(tmp_path / "run") as writer:
        writer.add_scalar("loss", 0.5, 1)
        writer.flush()
        assert writer.path is not None
        with writer.path.open("ab") as file:
            file.write(b"half a rec")
        answer = mindinsight(*command)
        assert (answer.stdout, answer.stderr) == (f"Exported 1 run with 1 scalar to {tmp_path}/out.\n", "")
    assert "breaks off" in mindinsight(*command).stderr


def test_much_damage_is_summed_up(mindinsight: Mindinsight, tmp_path: Path) -> None:
    path = write_tensorboard(tmp_path / "run", *(scalar_event(step, 1.0, loss=0.5) for step in range(100)))
    data = path.read_bytes().replace(b"loss", b"lost", 30)
    path.write_bytes(data)
    answer = mindinsight("export", tmp_path / "run", "--format", "csv", "--output", tmp_path / "out")
    assert len([line for line in answer.stderr.splitlines() if "fails its checksum" in line]) == 10
    assert f"{path}: 20 more broken places." in answer.stderr


def test_a_file_that_cannot_be_read(mindinsight: Mindinsight, run: Path, tmp_path: Path) -> None:
    if os.getuid() == 0:
        pytest.skip("root may read everything")
    (path,) = run.iterdir()
    path.chmod(0)
    answer = mindinsight("export", run, "--format", "csv", "--output", tmp_path / "out", status=1)
    assert f"{path} cannot be read: Permission denied" in answer.stderr


def test_parquet_without_pyarrow_says_what_to_install(
    mindinsight: Mindinsight, run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    answer = mindinsight("export", run, "--format", "parquet", "--output", tmp_path / "out", status=1)
    assert "pip install 'mindinsight[parquet]'" in answer.stderr
    assert not (tmp_path / "out").exists()
    (tmp_path / "x.parquet").touch()
    answer = mindinsight("import", tmp_path / "x.parquet", "--summary-base-dir", tmp_path, status=1)
    assert "pip install 'mindinsight[parquet]'" in answer.stderr
