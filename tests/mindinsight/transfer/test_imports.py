"""What an import refuses, by line and by name, and that nothing of it is left then."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from summaries import SummaryWriter
from tests.mindinsight.transfer.conftest import Mindinsight
from tests.mindinsight.transfer.event_files import points, scalar_event, write_tensorboard

HEADER = "run,tag,segment,step,wall_time,value\n"
GOOD = "run,loss,0,1,100.5,0.25\n"


@pytest.fixture
def base(tmp_path: Path) -> Path:
    directory = tmp_path / "base"
    directory.mkdir(exist_ok=True)
    return directory


@pytest.fixture
def table(tmp_path: Path) -> Path:
    return tmp_path / "table.csv"


def contents(directory: Path) -> dict[str, bytes]:
    """Every file below a directory; folders that hold nothing too."""
    return {
        path.relative_to(directory).as_posix(): path.read_bytes() if path.is_file() else b""
        for path in directory.rglob("*")
    }


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("run,loss,0,1,100.5\n", "there are 5 fields where the first line has 6"),
        ("run,loss,0,1,100.5,0.25,7\n", "there are 7 fields where the first line has 6"),
        ("run,loss,0,one,100.5,0.25\n", "the step 'one' is not a whole number"),
        ("run,loss,0,1.0,100.5,0.25\n", "the step '1.0' is not a whole number"),
        ("run,loss,0,1_0,100.5,0.25\n", "the step '1_0' is not a whole number"),
        ("run,loss,0,9223372036854775808,100.5,0.25\n", "does not fit into 64 bits"),
        ("run,loss,0,1,yesterday,0.25\n", "the wall time 'yesterday' is not a number"),
        ("run,loss,0,1,100.5,\n", "the value '' is not a number"),
        ("run,loss,0,1,100.5,1_0\n", "the value '1_0' is not a number"),
        ("run,loss,0,1,100.5,1e999\n", "beyond the range of 64-bit floats"),
        ("run,loss,-1,1,100.5,0.25\n", "the segment -1 is not from 0 to 999"),
        ("run,loss,1000,1,100.5,0.25\n", "the segment 1000 is not from 0 to 999"),
        ("run,,0,1,100.5,0.25\n", "is empty"),
        (f"run,{'x' * 2000},0,1,100.5,0.25\n", "has 2000 bytes"),
        ("run,a\0b,0,1,100.5,0.25\n", "zero character"),
        ('run,"loss,0,1,100.5,0.25\n', "no CSV in UTF-8"),
        ('run,"lo"ss,0,1,100.5,0.25\n', "no CSV in UTF-8"),
    ],
)
def test_a_malformed_line_is_named_and_nothing_imported(
    mindinsight: Mindinsight, base: Path, table: Path, line: str, problem: str
) -> None:
    table.write_text(HEADER + GOOD + 'run,"two\nlines",0,2,100.5,0.25\n' + line + GOOD, newline="")
    answer = mindinsight("import", table, "--summary-base-dir", base, status=1)
    assert f"{table}, line 5: " in answer.stderr
    assert problem in answer.stderr
    assert contents(base) == {}


def test_bytes_that_are_no_text(mindinsight: Mindinsight, base: Path, table: Path) -> None:
    table.write_bytes((HEADER + GOOD).encode() + b"run,\xff,0,1,100.5,0.25\n")
    answer = mindinsight("import", table, "--summary-base-dir", base, status=1)
    assert "no CSV in UTF-8" in answer.stderr
    assert contents(base) == {}


@pytest.mark.parametrize("header", ["a,b,c\n", "tag,step,value\n", "run,tag,tag,step,wall_time,value\n", "\n", '"'])
def test_columns_of_no_known_table(mindinsight: Mindinsight, base: Path, table: Path, header: str) -> None:
    table.write_text(header + GOOD)
    answer = mindinsight("import", table, "--summary-base-dir", base, status=1)
    assert f"{table}, line 1: " in answer.stderr
    assert contents(base) == {}


@pytest.mark.parametrize(("text", "problem"), [("", "is empty"), (HEADER, "There are no rows")])
def test_tables_with_nothing(mindinsight: Mindinsight, base: Path, table: Path, text: str, problem: str) -> None:
    table.write_text(text)
    assert problem in mindinsight("import", table, "--summary-base-dir", base, status=1).stderr


@pytest.mark.parametrize("wall_time", ["wall_time", "wall_time (unit: seconds)"])
def test_the_table_of_parse_summary(mindinsight: Mindinsight, base: Path, tmp_path: Path, wall_time: str) -> None:
    directory = tmp_path / "output_20261121"
    directory.mkdir()
    (directory / "scalar.csv").write_text(f"tag,step,{wall_time},value\r\nloss/auto,1,1795228067.427197,2.25\r\n")
    mindinsight("import", directory / "scalar.csv", "--summary-base-dir", base)
    assert points(base) == {"output_20261121": [("loss/auto", 1, "1795228067.427197", "2.25")]}


def test_the_table_of_tensorboard_s_page(mindinsight: Mindinsight, base: Path, tmp_path: Path) -> None:
    table = tmp_path / "run-a-tag-loss.csv"
    table.write_text("Wall time,Step,Value\r\n1795229620.5,1,0.5\r\n1795229621.5,2,NaN\r\n")
    answer = mindinsight("import", table, "--summary-base-dir", base, status=1)
    assert "Give it with --tag" in answer.stderr
    mindinsight("import", table, "--summary-base-dir", base, "--tag", "loss", "--name", "sub/a")
    assert points(base) == {"sub/a": [("loss", 1, "1795229620.5", "0.5"), ("loss", 2, "1795229621.5", "nan")]}


def test_columns_in_any_order_and_a_mark_at_the_start(mindinsight: Mindinsight, base: Path, table: Path) -> None:
    table.write_text("\ufeffvalue,tag,run,step,wall_time\n0.5,loss,a,1,2.5\n\n0.25,loss,b,1,2.5\n", encoding="utf-8")
    answer = mindinsight("import", table, "--summary-base-dir", base, "--name", "both")
    assert points(base) == {"both/a": [("loss", 1, "2.5", "0.5")], "both/b": [("loss", 1, "2.5", "0.25")]}
    assert "Imported 'both/a' and 1 more run with 2 scalars" in answer.stdout


ESCAPES = [
    "../outside",
    "/tmp/outside",
    "a/../../outside",
    "..",
    ".",
    ".hidden",
    "a/.hidden",
    "a//b",
    "a/",
    "",
    "/".join("abcdefghijklmnopqrstuvwxyz0123456789"),
    "x" * 300,
    "a/1795229620.9791703",
]


@pytest.mark.parametrize("name", ESCAPES)
def test_names_that_lead_elsewhere(mindinsight: Mindinsight, base: Path, table: Path, name: str) -> None:
    table.write_text(f"{HEADER}{GOOD}{name},loss,0,1,100.5,0.25\n")
    before = contents(base.parent)
    answer = mindinsight("import", table, "--summary-base-dir", base, status=1)
    assert "is not a name for a run" in answer.stderr
    assert contents(base.parent) == before
    mindinsight("import", table, "--summary-base-dir", base, "--name", name, status=1)
    assert contents(base.parent) == before


def test_a_link_that_leads_out_of_the_base_directory(
    mindinsight: Mindinsight, base: Path, table: Path, tmp_path: Path
) -> None:
    (tmp_path / "outside").mkdir()
    (base / "link").symlink_to(tmp_path / "outside")
    table.write_text(HEADER + GOOD)
    for name in ("link", "link/run"):
        answer = mindinsight("import", table, "--summary-base-dir", base, "--name", name, "--force", status=1)
        assert "is a symbolic link" in answer.stderr
    assert contents(tmp_path / "outside") == {}


def test_a_file_in_the_way(mindinsight: Mindinsight, base: Path, table: Path) -> None:
    (base / "run").write_text("mine")
    table.write_text(HEADER + GOOD)
    assert "is a file" in mindinsight("import", table, "--summary-base-dir", base, status=1).stderr
    assert contents(base) == {"run": b"mine"}


def test_a_run_that_is_there(mindinsight: Mindinsight, base: Path, table: Path) -> None:
    with SummaryWriter(base / "run") as writer:
        writer.add_scalar("old", 1.0, 1)
        writer.add_hparams({"lr": 0.1})
    (base / "run" / "checkpoint.ckpt").write_text("precious")
    with SummaryWriter(base / "run" / "below") as writer:
        writer.add_scalar("other", 1.0, 1, 2.0)
    before = contents(base)
    table.write_text(HEADER + GOOD)
    answer = mindinsight("import", table, "--summary-base-dir", base, status=1)
    assert "The run 'run' is in" in answer.stderr
    assert contents(base) == before
    mindinsight("import", table, "--summary-base-dir", base, "--force")
    assert points(base) == {"run": [("loss", 1, "100.5", "0.25")], "run/below": [("other", 1, "2.0", "1.0")]}
    assert (base / "run" / "checkpoint.ckpt").read_text() == "precious"
    assert not list((base / "run").glob("*_lineage"))
    assert not list(base.glob(".*"))


def test_all_or_nothing(mindinsight: Mindinsight, base: Path, table: Path) -> None:
    """One of two runs is there already: the other is not imported either."""
    with SummaryWriter(base / "b") as writer:
        writer.add_scalar("old", 1.0, 1)
    before = contents(base)
    table.write_text(f"{HEADER}a,loss,0,1,100.5,0.25\nb,loss,0,1,100.5,0.25\n")
    mindinsight("import", table, "--summary-base-dir", base, status=1)
    assert contents(base) == before


def test_an_error_while_runs_are_moved_brings_everything_back(
    mindinsight: Mindinsight, base: Path, table: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a", "b"):
        with SummaryWriter(base / name) as writer:
            writer.add_scalar("old", 1.0, 1)
    before = contents(base)
    table.write_text(f"{HEADER}a,loss,0,1,100.5,0.25\nb,loss,0,1,100.5,0.25\nnew/c,loss,0,1,100.5,0.25\n")
    rename = Path.rename

    def fail_at_c(path: Path, target: Path) -> Path:
        if target.parent.name == "c":
            raise OSError(28, "No space left on device", str(target))
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", fail_at_c)
    answer = mindinsight("import", table, "--summary-base-dir", base, "--force", status=1)
    assert "No space left on device. Nothing was imported." in answer.stderr
    assert contents(base) == before


def test_two_sources_of_one_name(mindinsight: Mindinsight, base: Path, tmp_path: Path) -> None:
    for name in ("one.csv", "two.csv"):
        (tmp_path / name).write_text(HEADER + GOOD)
    sources = (tmp_path / "one.csv", tmp_path / "two.csv")
    assert "would both become 'run'" in mindinsight("import", *sources, "--summary-base-dir", base, status=1).stderr
    write_tensorboard(tmp_path / "run", scalar_event(1, 1.0, loss=1.0))
    sources = (tmp_path / "one.csv", tmp_path / "run")
    assert "would become 'run'" in mindinsight("import", *sources, "--summary-base-dir", base, status=1).stderr
    assert contents(base) == {}


def test_a_directory_is_copied(mindinsight: Mindinsight, base: Path, real_files: Path) -> None:
    for kind in ("mindspore/lenet", "tensorboard"):
        source = real_files / kind
        mindinsight("import", source, "--summary-base-dir", base, "--name", source.name)
        copied = {name: data for name, data in contents(base / source.name).items() if data}
        assert copied == {
            name: data for name, data in contents(source).items() if "events.out" in name.rpartition("/")[2]
        }


def test_a_directory_with_links_and_other_files(mindinsight: Mindinsight, base: Path, tmp_path: Path) -> None:
    source = tmp_path / "source"
    path = write_tensorboard(source, scalar_event(1, 1.0, loss=1.0))
    (source / "secrets.txt").write_text("secret")
    shutil.copy(path, tmp_path / "events.out.tfevents.1795229621.elsewhere")
    (source / "events.out.tfevents.1795229621.elsewhere").symlink_to(
        tmp_path / "events.out.tfevents.1795229621.elsewhere"
    )
    mindinsight("import", source, "--summary-base-dir", base)
    assert {name for name, data in contents(base).items() if data} == {f"source/{path.name}"}


def test_what_is_in_the_base_directory_is_not_imported(mindinsight: Mindinsight, base: Path) -> None:
    write_tensorboard(base / "run", scalar_event(1, 1.0, loss=1.0))
    before = contents(base)
    for source in (base, base / "run"):
        answer = mindinsight("import", source, "--summary-base-dir", base, "--name", "copy", status=1)
        assert "a dashboard shows it without an import" in answer.stderr
    assert contents(base) == before


def test_many_runs_in_one_table(mindinsight: Mindinsight, base: Path, table: Path) -> None:
    """More than a process may have files open."""
    table.write_text(HEADER + "".join(f"run{number},loss,0,1,100.5,{number}\n" for number in range(3000)))
    mindinsight("import", table, "--summary-base-dir", base)
    assert len(list(base.iterdir())) == 3000
    assert points(base)["run2999"] == [("loss", 1, "100.5", "2999.0")]


def test_a_broken_parquet_file(mindinsight: Mindinsight, base: Path, tmp_path: Path) -> None:
    arrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
    broken = tmp_path / "broken.parquet"
    broken.write_bytes(b"PAR1" + bytes(100) + b"PAR1")
    assert str(broken) in mindinsight("import", broken, "--summary-base-dir", base, status=1).stderr
    other = tmp_path / "other.parquet"
    parquet.write_table(arrow.table({"a": [1]}), other)
    assert "has other columns" in mindinsight("import", other, "--summary-base-dir", base, status=1).stderr
    types = [arrow.string(), arrow.string(), arrow.int32(), arrow.int64(), arrow.float64(), arrow.float64()]
    schema = arrow.schema(list(zip(HEADER.strip().split(","), types, strict=True)))
    row = {"run": "a", "tag": "loss", "segment": 0, "step": None, "wall_time": 1.0, "value": 1.0}
    parquet.write_table(arrow.Table.from_pylist([row | {"step": 1}, row], schema), other)
    answer = mindinsight("import", other, "--summary-base-dir", base, status=1)
    assert f"{other}, row 2: step is missing" in answer.stderr
    assert contents(base) == {}
