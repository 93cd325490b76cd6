"""Exports, requested like from a page; their tasks run here instead of in a worker."""

from __future__ import annotations

import io
import json
import time
import urllib.request
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from mindinsight.environment import Environment
from mindinsight.exports import api, tasks
from mindinsight.exports.models import Export
from mindinsight.runs.models import EventFile, Run
from mindinsight.transfer.errors import TransferError
from summaries import SummaryWriter
from summaries.reading.reader import EventFileReader
from tests.dashboard import Dashboard

pytestmark = pytest.mark.django_db


def make_run(environment: Environment, name: str, points: int = 3) -> Run:
    directory = environment.base_directory / name
    with SummaryWriter(directory) as writer:
        for step in range(points):
            writer.add_scalar("loss", step / 10, step)
        writer.add_histogram("weights", [1.0, 2.0], 0)
    run = Run.objects.create(name=name)
    for path in directory.glob("*_MS"):
        relative = path.relative_to(environment.base_directory).as_posix()
        EventFile.objects.create(run=run, path=relative, size=path.stat().st_size)
    return run


@pytest.fixture
def work(monkeypatch: pytest.MonkeyPatch) -> Callable[[], int]:
    """Does what workers would do; returns how many tasks that took."""
    asked: list[str] = []
    monkeypatch.setattr(api, "_begin", lambda export: asked.append(export.uid))
    monkeypatch.setattr(tasks.write_run, "apply_async", lambda arguments, **_: asked.append(arguments[0]))

    def work() -> int:
        done = 0
        while asked:
            tasks.write_run(asked.pop(0))
            done += 1
        return done

    return work


def send(client: Client, method: str, path: str, body: Any = None) -> tuple[int, Any]:
    response = client.generic(method, path, json.dumps(body), content_type="application/json")
    return response.status_code, json.loads(response.content) if response.content else None


async def _all(response: Any) -> bytes:
    return b"".join([piece async for piece in response.streaming_content])


def archive_of(client: Client, export: dict[str, Any]) -> zipfile.ZipFile:
    from asgiref.sync import async_to_sync

    response = client.get(f"/api/exports/{export['id']}/file")
    assert response.status_code == 200
    data = async_to_sync(_all)(response)
    assert len(data) == int(response["Content-Length"]) == export["size"]
    assert response["Content-Disposition"].startswith('attachment; filename="runs-')
    return zipfile.ZipFile(io.BytesIO(data))


def test_runs_are_written_one_by_one_and_fetched(
    client: Client, environment: Environment, work: Callable[[], int]
) -> None:
    runs = [make_run(environment, name) for name in ("sweep/a", "sweep/a/deeper", "b 损失")]
    status, export = send(client, "POST", "/api/exports", {"runs": [run.pk for run in runs], "format": "csv"})
    assert (status, export["state"], export["done"]) == (202, "waiting", 0)
    assert send(client, "GET", f"/api/exports/{export['id']}/file")[1]["code"] == "export_not_ready"
    assert work() == 3
    _, export = send(client, "GET", f"/api/exports/{export['id']}")
    assert (export["state"], export["done"], export["points"]) == ("done", 3, 9)
    assert export["notes"][0].startswith("sweep/a: Left out: histograms (1)")
    archive = archive_of(client, export)
    assert archive.namelist() == ["sweep/a/scalars.csv", "sweep/a/deeper/scalars.csv", "b 损失/scalars.csv"]
    assert archive.read("sweep/a/scalars.csv").decode().count("\r\n") == 4


@pytest.mark.parametrize("target", ["mindspore", "tensorboard", "parquet"])
def test_every_format(
    client: Client, environment: Environment, work: Callable[[], int], tmp_path: Path, target: str
) -> None:
    run = make_run(environment, "run", points=5)
    _, export = send(client, "POST", "/api/exports", {"runs": [run.pk], "format": target})
    work()
    _, export = send(client, "GET", f"/api/exports/{export['id']}")
    archive_of(client, export).extractall(tmp_path / "out")
    (file,) = (tmp_path / "out" / "run").iterdir()
    if target == "parquet":
        import pyarrow.parquet

        assert pyarrow.parquet.read_table(file)["value"].to_pylist() == pytest.approx([0.0, 0.1, 0.2, 0.3, 0.4])
    else:
        assert EventFileReader(file).read().points["step"].tolist() == [0, 1, 2, 3, 4]


def test_a_run_that_vanished_fails_with_its_name_and_leaves_nothing(
    client: Client, environment: Environment, work: Callable[[], int]
) -> None:
    run, gone = make_run(environment, "run"), Run.objects.create(name="gone")
    _, export = send(client, "POST", "/api/exports", {"runs": [run.pk, gone.pk], "format": "csv"})
    work()
    _, export = send(client, "GET", f"/api/exports/{export['id']}")
    assert export["state"] == "failed"
    assert export["message"].startswith("gone: ")
    assert list((environment.data_directory / "exports").iterdir()) == []


def test_an_archive_that_a_kill_tore_is_said_to_be(
    client: Client, environment: Environment, work: Callable[[], int]
) -> None:
    run = make_run(environment, "run")
    _, export = send(client, "POST", "/api/exports", {"runs": [run.pk], "format": "csv"})
    folder = environment.data_directory / "exports"
    folder.mkdir(parents=True)
    (folder / f"{export['id']}.zip.part").write_bytes(b"PK\x03\x04 torn")
    work()
    _, export = send(client, "GET", f"/api/exports/{export['id']}")
    assert export["state"] == "failed"
    assert "Export the runs again" in export["message"]


def test_a_removed_export_stops_and_leaves_nothing(
    client: Client, environment: Environment, work: Callable[[], int]
) -> None:
    runs = [make_run(environment, name) for name in ("a", "b")]
    _, export = send(client, "POST", "/api/exports", {"runs": [run.pk for run in runs], "format": "csv"})
    tasks.write_run(export["id"])
    assert send(client, "DELETE", f"/api/exports/{export['id']}") == (204, None)
    work()
    assert list((environment.data_directory / "exports").iterdir()) == []
    assert send(client, "GET", f"/api/exports/{export['id']}")[1]["code"] == "export_not_found"


def test_exports_are_kept_for_a_day(client: Client, environment: Environment, work: Callable[[], int]) -> None:
    run = make_run(environment, "run")
    _, old = send(client, "POST", "/api/exports", {"runs": [run.pk], "format": "csv"})
    work()
    Export.objects.update(created=time.time() - api.KEPT_S - 1)
    _, new = send(client, "POST", "/api/exports", {"runs": [run.pk], "format": "csv"})
    assert [export["id"] for export in send(client, "GET", "/api/exports")[1]["exports"]] == [new["id"]]
    assert not (environment.data_directory / "exports" / f"{old['id']}.zip").exists()


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({"runs": [], "format": "csv"}, 400, "bad_parameter"),
        ({"runs": ["x"], "format": "csv"}, 400, "bad_parameter"),
        ({"runs": [1], "format": "exe"}, 400, "bad_parameter"),
        ({"runs": [10**9], "format": "csv"}, 404, "run_not_found"),
    ],
)
def test_what_cannot_be_exported_is_refused(
    client: Client, environment: Environment, body: Any, status: int, code: str
) -> None:
    found, problem = send(client, "POST", "/api/exports", body)
    assert (found, problem["code"]) == (status, code)
    assert not Export.objects.exists()


def test_too_much_and_too_many(client: Client, environment: Environment, monkeypatch: pytest.MonkeyPatch) -> None:
    run = make_run(environment, "run")
    body = {"runs": [run.pk], "format": "csv"}
    with monkeypatch.context() as patch:
        patch.setattr(api, "MOST_BYTES", 10)
        assert send(client, "POST", "/api/exports", body)[1]["code"] == "export_too_large"
    monkeypatch.setattr(api, "MOST_EXPORTS", 0)
    assert send(client, "POST", "/api/exports", body)[1]["code"] == "too_many_exports"


def test_parquet_without_its_library_says_what_to_install(
    client: Client, environment: Environment, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing() -> None:
        raise TransferError("Install pyarrow.")

    run = make_run(environment, "run")
    monkeypatch.setattr(api, "import_arrow", missing)
    status, problem = send(client, "POST", "/api/exports", {"runs": [run.pk], "format": "parquet"})
    assert (status, problem["code"], problem["message"]) == (400, "parquet_missing", "Install pyarrow.")


@pytest.mark.processes
def test_a_real_worker_writes_them(tmp_path: Path) -> None:
    with SummaryWriter(tmp_path / "base" / "run") as writer:
        writer.add_scalar("loss", 0.5, 1)
    with Dashboard.start(tmp_path / "base") as dashboard:

        def ask(path: str, body: Any = None) -> Any:
            data = json.dumps(body).encode() if body else None
            headers = {"Content-Type": "application/json", "Origin": dashboard.address}
            with urllib.request.urlopen(urllib.request.Request(dashboard.address + path, data, headers)) as answer:
                return json.load(answer)

        until = time.monotonic() + 60
        while not (runs := ask("/api/runs")["results"]) and time.monotonic() < until:
            time.sleep(0.1)
        export = ask("/api/exports", {"runs": [runs[0]["number"]], "format": "csv"})
        while export["state"] in ("waiting", "writing") and time.monotonic() < until:
            time.sleep(0.1)
            export = ask(f"/api/exports/{export['id']}")
        assert export["state"] == "done"
        with urllib.request.urlopen(f"{dashboard.address}/api/exports/{export['id']}/file") as answer:
            archive = zipfile.ZipFile(io.BytesIO(answer.read()))
        assert archive.read("run/scalars.csv").startswith(b"run,tag,segment,step,wall_time,value\r\n")
