"""A damaged database does not keep a dashboard down: it is set aside, and what people made is saved from it."""

from __future__ import annotations

import json
import os
import random
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import pytest

from summaries import SummaryWriter
from tests.counts import LONG
from tests.dashboard import Dashboard, wait_until

SEEDS = range(30 if LONG else 2)
RUNS = 3
POINTS = 50
Damage = Callable[[Path], None]


def overwrite(path: Path, first: int, count: int, seed: int = 1) -> None:
    with path.open("r+b") as file:
        file.seek(first)
        file.write(random.Random(seed).randbytes(count))


def destroy_header(path: Path) -> None:
    overwrite(path, 0, 100)


def destroy_first_page(path: Path) -> None:
    overwrite(path, 0, 4096)


def cut_off(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def cut_off_within_the_header(path: Path) -> None:
    os.truncate(path, 50)


def replace_by_text(path: Path) -> None:
    path.write_text("This is no database.\n" * 1000)


def replace_by_directory(path: Path) -> None:
    path.unlink()
    path.mkdir()


def drop_runs(path: Path) -> None:
    with closing(sqlite3.connect(path)) as database:
        database.execute("DROP TABLE runs_eventfile")


def drop_migrations(path: Path) -> None:
    with closing(sqlite3.connect(path)) as database:
        database.execute("DROP TABLE django_migrations")


def garble_pages_of_runs(path: Path) -> None:
    """What is not looked at before the reader reads it."""
    for page in pages_of(path, "runs_eventfile", "runs_series"):
        overwrite(path, 4096 * (page - 1), 4096, page)


def garble_words(path: Path) -> None:
    """Rows that SQLite takes for sound."""
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA ignore_check_constraints = ON")
        database.execute("UPDATE runs_run SET state_detail = '{'")
        database.commit()


def pages_of(path: Path, *tables: str) -> list[int]:
    """The first page of each table."""
    with closing(sqlite3.connect(path)) as database:
        found = database.execute("SELECT name, rootpage FROM sqlite_master").fetchall()
    return [page for name, page in found if name in tables]


def ask(dashboard: Dashboard, method: str, path: str, body: object) -> Any:
    headers = {"Authorization": f"Bearer {dashboard.token}", "Content-Type": "application/json"}
    request = Request(dashboard.address + path, json.dumps(body).encode(), headers, method=method)
    with urlopen(request, timeout=10) as answer:
        return json.loads(answer.read() or b"null")


def runs_of(dashboard: Dashboard) -> dict[str, dict[str, Any]]:
    return {row["name"]: row for row in dashboard.get_json("/api/runs")["results"]}


def whole(dashboard: Dashboard) -> bool:
    """Whether all points of the runs that are not in the trash were read."""
    status, body = dashboard.get("/api/runs")
    rows = json.loads(body)["results"] if status == 200 else []
    return [row["points"] for row in rows] == [POINTS] * (RUNS - 1)


def database_of(workspace: Path) -> Path:
    (found,) = workspace.glob("bases/*/dashboard.sqlite3")
    return found


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Runs, marks, a view and a run in the trash, as a dashboard left them."""
    place = tmp_path_factory.mktemp("place")
    for number in range(RUNS):
        with SummaryWriter(place / "base" / f"run{number}") as writer:
            for step in range(POINTS):
                writer.add_scalar("loss", step, step)
    with Dashboard.start(place / "base", workspace=place / "workspace") as dashboard:
        wait_until(lambda: len(runs_of(dashboard)) == RUNS, 30, "the runs")
        rows = runs_of(dashboard)
        ask(dashboard, "PATCH", f"/api/runs/{rows['run0']['id']}/marks", {"note": "mine", "tags": ["best"]})
        ask(dashboard, "POST", "/api/views", {"name": "My view", "page": "scalars", "query": "a=b"})
        ask(dashboard, "POST", "/api/runs/trash", {"runs": [rows["run2"]["id"]]})
        wait_until(lambda: whole(dashboard), 20, "the trash")
    with closing(sqlite3.connect(database_of(place / "workspace"))) as database:
        # What is in the log of changes alone is lost with it. The damages here are those of the database's own file.
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return place


@pytest.fixture
def copied(workspace: Path, tmp_path: Path) -> Path:
    """A copy of all that; the base directory is the same."""
    shutil.copytree(workspace / "workspace", tmp_path / "workspace")
    return tmp_path / "workspace"


def made_by_people(dashboard: Dashboard) -> tuple[str, list[str], list[str], list[str]]:
    """The note and the tags of a run, the names of views, and of runs in the trash."""
    marks = runs_of(dashboard)["run0"]["marks"]
    views = [view["name"] for view in dashboard.get_json("/api/views")["views"]]
    trash = [row["name"] for row in dashboard.get_json("/api/runs/trash")["runs"]]
    return (marks or {}).get("note", ""), (marks or {}).get("tags", []), views, trash


MADE = ("mine", ["best"], ["My view"], ["run2"])
SAVED: list[Damage] = [
    *(destroy_header, destroy_first_page, drop_runs, drop_migrations, garble_pages_of_runs, garble_words)
]
LOST: list[Damage] = [replace_by_text, replace_by_directory, cut_off_within_the_header]


def start_again(workspace: Path, base: Path, damage: Damage) -> tuple[Dashboard, bytes | None]:
    database = database_of(workspace)
    damage(database)
    damaged = database.read_bytes() if database.is_file() else None
    return Dashboard.start(base, workspace=workspace), damaged


# A lost header, a lost table and pages of nonsense; a long run has more of each.
@pytest.mark.parametrize("damage", SAVED if LONG else SAVED[::2], ids=lambda damage: damage.__name__)
def test_what_people_made_is_saved(workspace: Path, copied: Path, damage: Damage) -> None:
    dashboard, damaged = start_again(copied, workspace / "base", damage)
    with dashboard:
        wait_until(lambda: whole(dashboard), 30, "the runs")
        assert made_by_people(dashboard) == MADE

        def notice() -> Any:
            """Nothing while the web server is started again."""
            status, body = dashboard.get("/api/status")
            return status == 200 and json.loads(body)["damaged_database"]

        told = wait_until(notice, 10, "the notice")
        assert Path(told["file"]).name.startswith("dashboard.sqlite3.damaged-")
        assert damage is garble_pages_of_runs or damage is garble_words or told["file"] in "".join(dashboard.lines)
        assert Path(told["file"]).read_bytes() == damaged
        assert sum(told["saved"].values()) == RUNS + 2


@pytest.mark.parametrize("damage", LOST, ids=lambda damage: damage.__name__)
def test_nothing_can_be_saved_and_all_is_read_anew(workspace: Path, copied: Path, damage: Damage) -> None:
    dashboard, _ = start_again(copied, workspace / "base", damage)
    with dashboard:
        wait_until(lambda: [row["points"] for row in runs_of(dashboard).values()] == [POINTS] * RUNS, 30, "the runs")
        assert made_by_people(dashboard) == ("", [], [], [])
        told = dashboard.get_json("/api/status")["damaged_database"]
        assert told["file"] in "".join(dashboard.lines)
        assert Path(told["file"]).exists()


def test_a_file_that_was_cut_off_is_set_aside(workspace: Path, copied: Path) -> None:
    dashboard, damaged = start_again(copied, workspace / "base", cut_off)
    with dashboard:
        wait_until(lambda: len(runs_of(dashboard)) >= RUNS - 1, 30, "the runs")
        told = dashboard.get_json("/api/status")["damaged_database"]
        assert Path(told["file"]).read_bytes() == damaged


def test_a_log_of_changes_that_is_damaged_is_no_reason_to_stay_down(workspace: Path, copied: Path) -> None:
    database = database_of(copied)
    database.with_name(f"{database.name}-wal").write_bytes(random.Random(1).randbytes(50_000))
    with Dashboard.start(workspace / "base", workspace=copied) as dashboard:
        wait_until(lambda: whole(dashboard), 30, "the runs")
        assert made_by_people(dashboard) == MADE
        assert dashboard.get_json("/api/status")["damaged_database"] is None


def test_a_database_without_permission_is_opened(workspace: Path, copied: Path) -> None:
    database_of(copied).chmod(0)
    with Dashboard.start(workspace / "base", workspace=copied) as dashboard:
        wait_until(lambda: whole(dashboard), 30, "the runs")
        assert made_by_people(dashboard) == MADE
        assert dashboard.get_json("/api/status")["damaged_database"] is None


def test_damage_while_it_runs_leads_to_a_new_database(workspace: Path, copied: Path) -> None:
    """Both processes go over to it by themselves, and live on."""
    with Dashboard.start(workspace / "base", workspace=copied) as dashboard:
        wait_until(lambda: whole(dashboard), 30, "the runs")
        database = database_of(copied)
        for page in pages_of(database, "runs_runmarks"):
            overwrite(database, 4096 * (page - 1), 4096, page)
        # What a connection has read it keeps until somebody else writes.
        with closing(sqlite3.connect(database)) as other:
            other.execute("UPDATE views_savedview SET changed = changed + 1")
            other.commit()

        def told() -> Any:
            status, body = dashboard.get("/api/status")
            dashboard.get("/api/runs")
            return status == 200 and json.loads(body)["damaged_database"]

        assert Path(wait_until(told, 40, "the new database")["file"]).is_file()
        dashboard.wait_until_ready(40)
        wait_until(lambda: whole(dashboard), 40, "the runs")
        assert made_by_people(dashboard) == ("", [], ["My view"], ["run2"])
        changed = {name: dashboard.restarts(name) for name in ("worker", "web")}
        assert changed["worker"] >= 1
        assert changed["web"] >= 1


@pytest.mark.parametrize("seed", SEEDS)
def test_random_bytes_anywhere_do_not_keep_it_down(workspace: Path, copied: Path, seed: int) -> None:
    random_of = random.Random(seed)
    database = database_of(copied)
    for _ in range(random_of.choice([1, 10, 100])):
        overwrite(database, random_of.randrange(database.stat().st_size), random_of.choice([1, 64, 4096]), seed)
    with Dashboard.start(workspace / "base", workspace=copied) as dashboard:
        names = {f"run{number}" for number in range(RUNS)}

        def there() -> bool:
            answers = [dashboard.get(path) for path in ("/api/runs", "/api/runs/trash")]
            if any(status != 200 for status, _ in answers):
                return False
            found, trash = (json.loads(body) for _, body in answers)
            points = [row["points"] == POINTS for row in found["results"]]
            return all(points) and names <= {row["name"] for row in (*found["results"], *trash["runs"])}

        wait_until(there, 60, "all runs")
        assert dashboard.get("/readyz")[0] == 200
