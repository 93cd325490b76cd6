"""Short files that are read many at once: the same rows as file by file, whatever happens to them."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.db import Error as DatabaseError

from mindinsight.environment import Environment
from mindinsight.ingest import tasks
from mindinsight.ingest.follower import Follower
from mindinsight.ingest.storing import bundles, ledger
from mindinsight.runs.models import EventFile, Run, Series
from mindinsight.store import ColumnStore, Table
from summaries.kernel import LIBRARY, MISSING
from summaries.records import frame
from summaries.schema.tensorboard_pb2 import Event
from tests.mindinsight.ingest.conftest import read_all

MakeFollower = Callable[[], Follower]
LONG_AGO = 1_700_000_000.0

if LIBRARY is None:
    pytest.skip(f"no compiled reader: {MISSING}", allow_module_level=True)


def records(steps: range, values: dict[str, float]) -> bytes:
    out = b""
    for step in steps:
        event = Event(wall_time=LONG_AGO + step, step=step)
        for tag, value in values.items():
            event.summary.value.add(tag=tag, simple_value=value * step)
        out += frame(event.SerializeToString())
    return out


def settle(path: Path) -> None:
    """As if it had been written long ago."""
    os.utime(path, (LONG_AGO, LONG_AGO))


def write_run(environment: Environment, name: str, values: dict[str, float], steps: range = range(20)) -> Path:
    path = environment.base_directory / name / f"events.out.tfevents.{LONG_AGO:.0f}.host"
    path.parent.mkdir(parents=True)
    version = Event(wall_time=LONG_AGO, file_version="brain.Event:2").SerializeToString()
    path.write_bytes(frame(version) + records(steps, values))
    settle(path)
    return path


def write_runs(environment: Environment) -> list[Path]:
    runs = {
        "plain": {"loss": 0.5, "accuracy": -2.0},
        "odd": {"loss": float("nan"), "accuracy": float("inf"), "large": 3e38},
        "below/another": {"accuracy": 1.0},
    }
    empty = write_run(environment, "empty", {"loss": 1.0}, range(0))
    return [*(write_run(environment, name, values) for name, values in runs.items()), empty]


def rows() -> list[tuple[dict[str, Any], ...]]:
    """All that the database says of runs, files and series, without numbers that follow the order of reading."""
    unlike = {"id", "uid", "run_id", "file_id", "state_since", "lead_series", "bytes_on_disk", "noted"}
    series = Series.objects.order_by("file__path", "tag").select_related("run", "file")
    leads = dict(Series.objects.values_list("pk", "tag"))
    found: list[tuple[dict[str, Any], ...]] = [
        ({"lead": leads.get(run.lead_series)} | _facts(run, unlike),) for run in Run.objects.order_by("name")
    ]
    found += [(_facts(file, unlike),) for file in EventFile.objects.order_by("path")]
    return found + [(_facts(row, unlike), {"run": row.run.name, "file": row.file.path}) for row in series]


def _facts(row: Any, unlike: set[str]) -> dict[str, Any]:
    return {
        field.attname: getattr(row, field.attname) for field in row._meta.concrete_fields if field.attname not in unlike
    }


def points(environment: Environment) -> dict[tuple[str, str], list[Any]]:
    store = ColumnStore(environment.data_directory / "columns")
    return {
        (row.run.name, row.tag): store.read(Table.POINTS, row.run_id, row.pk)["value"].tolist()
        for row in Series.objects.select_related("run")
    }


@pytest.fixture
def bundled(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many files each bundle had."""
    sizes: list[int] = []
    write = ledger.Ledger.write_bundle

    def note(self: ledger.Ledger, bundle: bundles.Bundle) -> set[int]:
        sizes.append(len(bundle.files))
        return write(self, bundle)

    monkeypatch.setattr(ledger.Ledger, "write_bundle", note)
    return sizes


def test_rows_and_points_are_those_of_files_read_one_by_one(
    environment: Environment, make_follower: MakeFollower, bundled: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    write_runs(environment)
    with monkeypatch.context() as patch:
        patch.setattr(bundles.Bundler, "wants", lambda *_: False)
        read_all(make_follower())
    assert not bundled
    one_by_one, values = rows(), points(environment)
    Run.objects.all().delete()
    read_all(make_follower())
    assert bundled == [4]
    assert rows() == one_by_one
    assert repr(points(environment)) == repr(values)  # NaN equals nothing


def test_more_runs_than_one_bundle_holds(
    environment: Environment, make_follower: MakeFollower, bundled: list[int]
) -> None:
    count = 2 * bundles.FILES + 3
    for number in range(count):
        write_run(environment, f"run{number}", {"loss": float(number)}, range(3))
    read_all(make_follower())
    assert sum(bundled) == count
    assert points(environment) == {(f"run{n}", "loss"): [0.0, float(n), 2.0 * n] for n in range(count)}


@pytest.mark.parametrize(("room", "sizes"), [(0, [1]), (-1, [])])
def test_longer_files_are_read_one_by_one(
    environment: Environment,
    make_follower: MakeFollower,
    bundled: list[int],
    monkeypatch: pytest.MonkeyPatch,
    room: int,
    sizes: list[int],
) -> None:
    path = write_run(environment, "run", {"loss": 1.0}, range(3))
    monkeypatch.setattr(bundles, "LONGEST_BYTES", path.stat().st_size + room)
    read_all(make_follower())
    assert bundled == sizes
    assert points(environment) == {("run", "loss"): [0.0, 1.0, 2.0]}


def test_a_file_that_is_odd_is_read_by_itself_and_its_neighbours_together(
    environment: Environment, make_follower: MakeFollower, bundled: list[int]
) -> None:
    paths = write_runs(environment)
    paths[1].write_bytes(paths[1].read_bytes()[:-5])  # its last record is only half there
    settle(paths[1])
    read_all(make_follower())
    assert bundled == [3]
    assert len(points(environment)["odd", "accuracy"]) == 19


def test_a_run_that_grows_after_all_goes_on_where_it_was(
    environment: Environment, make_follower: MakeFollower, bundled: list[int]
) -> None:
    path = write_run(environment, "run", {"loss": 1.0, "accuracy": 2.0})
    follower = make_follower()
    read_all(follower)
    assert bundled == [1]
    with path.open("ab") as file:
        file.write(records(range(20, 30), {"loss": 1.0, "more": 1.0}))
    read_all(follower)
    found = points(environment)
    assert found["run", "loss"] == [float(step) for step in range(30)]
    assert found["run", "more"] == [float(step) for step in range(20, 30)]
    row = Run.objects.get()
    assert (row.point_count, row.tag_count, row.last_step) == (60, 3, 29)
    assert bundled == [1]


def test_a_run_of_several_files_is_read_file_by_file(
    environment: Environment, make_follower: MakeFollower, bundled: list[int]
) -> None:
    path = write_run(environment, "run", {"loss": 1.0}, range(10))
    again = path.with_name(f"events.out.tfevents.{LONG_AGO + 100:.0f}.host")
    again.write_bytes(path.read_bytes())
    settle(again)
    read_all(make_follower())
    assert not bundled
    assert Run.objects.get().point_count == 20


def test_a_database_that_refuses_is_asked_again(
    environment: Environment, make_follower: MakeFollower, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_runs(environment)
    follower = make_follower()
    with monkeypatch.context() as patch:

        def refuse(*_: object) -> None:
            raise DatabaseError("locked")

        patch.setattr(ledger, "insert_columns", refuse)
        follower.look_again()
        follower.turn()
        assert not Series.objects.exists()
        assert {row.offset for row in EventFile.objects.all()} == {0}
    monkeypatch.setattr("mindinsight.ingest.follower.RETRY_S", 0.0)
    for file in follower._ledger.files.values():
        file.not_before = 0.0
    read_all(follower)
    assert len(points(environment)["plain", "loss"]) == 20
    assert Run.objects.get(name="plain").tag_count == 2


def test_what_a_killed_reader_stored_of_short_files_is_swept_away(
    environment: Environment, make_follower: MakeFollower, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_runs(environment)
    killed = make_follower()

    def die(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(killed._ledger, "write_bundle", die)
    with pytest.raises(KeyboardInterrupt):
        read_all(killed)
    read_all(make_follower())
    store = ColumnStore(environment.data_directory / "columns")

    def stored() -> set[int]:
        return {number for runs in store.short_series() for number in runs}

    counted, before = set(Series.objects.values_list("pk", flat=True)), points(environment)
    left = stored()
    assert counted < left
    tasks.sweep(below=min(left))  # Others may be written at this moment.
    assert stored() == left
    tasks.sweep(below=max(left) + 1)
    assert stored() == counted
    assert repr(points(environment)) == repr(before)
