"""Runs on a real dashboard, whose trainings and servers are killed, refused and restarted meanwhile."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from summaries import SummaryWriter, WriterState, writer_state
from summaries.remote import leftovers, sender, spool
from tests.dashboard import ROOT, Dashboard, free_port, wait_until

pytestmark = pytest.mark.processes

TRAINING = """
import sys
from summaries import SummaryWriter
writer = SummaryWriter(sys.argv[1], flush_secs=0.01)
step = 0
while True:
    for _ in range(200):
        writer.add_scalar("x", step, step)
        step += 1
    writer.flush()
    print(step, flush=True)
    sys.stdin.readline()
"""


@pytest.fixture(scope="module")
def dashboard(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dashboard]:
    """A dashboard for all tests that do not start one on their own."""
    with Dashboard.start(tmp_path_factory.mktemp("summaries")) as started:
        yield started


@pytest.fixture
def base(tmp_path: Path) -> Path:
    folder = tmp_path / "summaries"
    folder.mkdir()
    return folder


@pytest.fixture(autouse=True)
def own_spool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Spools below the test's folder, and no values but the test's own."""
    monkeypatch.setenv("MINDINSIGHT_SPOOL", str(tmp_path / "spool"))
    monkeypatch.setenv("MINDINSIGHT_RECORD_ENVIRONMENT", "0")
    monkeypatch.delenv("MINDINSIGHT_TOKEN", raising=False)
    monkeypatch.setattr(sender, "_INTERVAL_S", 0.05)
    return tmp_path / "spool"


def event_files(base: Path, run: str = "lenet/adam") -> list[Path]:
    return sorted((base / run).glob("*.events.summary.*"))


@dataclass
class Place:
    """A run of its own on the shared dashboard."""

    address: str
    folder: Path

    def files(self) -> list[Path]:
        """Its event files there."""
        return sorted(self.folder.glob("*.events.summary.*"))


@pytest.fixture
def place(dashboard: Dashboard, request: pytest.FixtureRequest) -> Place:
    name = request.node.name
    address = f"{dashboard.address}/lenet/{name}?token={dashboard.token}"
    return Place(address, dashboard.base_directory / "lenet" / name)


@pytest.fixture
def steps(drain):
    """The steps of an undamaged file's values."""

    def steps(path: Path) -> list[int]:
        drained = drain(path)
        assert not drained.damages
        return drained.steps

    return steps


def spools(folder: Path) -> list[Path]:
    return list(folder.iterdir()) if folder.is_dir() else []


def test_a_run_arrives_while_it_is_written(place, own_spool):
    with SummaryWriter(place.address) as writer:
        writer.add_scalar("loss", 0.5, 1)
        writer.flush()
        (path,) = wait_until(lambda: place.files(), what="the file")
        wait_until(lambda: path.read_bytes() == writer.path.read_bytes(), what="the bytes")
        assert writer_state(path) is WriterState.WRITING
        writer.add_hparams({"lr": 0.1}, {})
        writer.add_scalar("loss", 0.25, 2)
    assert writer_state(path) is WriterState.CLOSED
    assert len(place.files()) == 2
    assert spools(own_spool) == []


def test_writers_of_one_run_share_a_spool_and_no_file(place, own_spool):
    writers = [SummaryWriter(place.address) for _ in range(3)]
    for number, writer in enumerate(writers):
        writer.add_scalar(f"x{number}", 1.0, number)
    assert len(spools(own_spool)) == 1
    for writer in writers:
        writer.close()
    assert len(place.files()) == 3
    assert spools(own_spool) == []


def test_writers_on_machines_of_one_name_get_files_of_their_own(place, own_spool, monkeypatch, tmp_path, steps):
    names = set()
    for number in range(3):
        monkeypatch.setenv("MINDINSIGHT_SPOOL", str(tmp_path / f"spool{number}"))
        monkeypatch.setattr("summaries.writing.event_file.time.time", lambda: 1795227714.0)
        with SummaryWriter(place.address) as writer:
            writer.add_scalar("x", 1.0, number)
            names.add(writer.path.name)
    assert len(names) == 1
    assert sorted(step for path in place.files() for step in steps(path)) == [0, 1, 2]


def test_a_dashboard_below_a_path_is_found(base, steps):
    with Dashboard.start(base, url_path_prefix="/team") as dashboard:
        origin = f"http://127.0.0.1:{dashboard.port}"
        with SummaryWriter(f"{origin}/team/lenet/adam?token={dashboard.token}") as writer:
            writer.add_scalar("x", 1.0, 7)
        assert [steps(path) for path in event_files(base)] == [[7]]


def test_nothing_is_lost_while_the_web_server_is_killed(place, dashboard, own_spool, steps):
    with SummaryWriter(place.address, flush_secs=0.02) as writer:
        for part in range(4):
            for step in range(5000 * part, 5000 * part + 5000):
                writer.add_scalar("x", step, step)
            pid = dashboard.kill("web")
            dashboard.wait_for_restart("web", pid)
    (path,) = place.files()
    assert steps(path) == list(range(20_000))
    assert spools(own_spool) == []


def test_a_killed_training_is_sent_by_the_next_one(place, dashboard, own_spool, steps):
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    process = subprocess.Popen(
        [sys.executable, "-c", TRAINING, place.address], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        env=environment,
    )  # fmt: skip
    flushed = int(process.stdout.readline())
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert len(spools(own_spool)) == 1
    with SummaryWriter(f"{dashboard.address}/next?token={dashboard.token}") as writer:
        writer.add_scalar("x", 1.0, 0)
        wait_until(lambda: len(spools(own_spool)) == 1, what="the spool of the killed training to go")
    (path,) = place.files()
    assert steps(path)[:flushed] == list(range(flushed))


def test_what_a_missing_dashboard_did_not_take_is_sent_later(base, own_spool, monkeypatch, caplog, steps):
    monkeypatch.setattr(sender, "_CLOSE_S", 0.3)
    port = free_port()
    with SummaryWriter(f"http://127.0.0.1:{port}/lenet/adam") as writer:
        for step in range(100):
            writer.add_scalar("x", step, step)
    said = [record.getMessage() for record in caplog.records]
    assert len(said) == 2
    assert "cannot be reached" in said[0]
    assert "waits in" in said[1]
    with Dashboard.start(base, port=port) as dashboard:
        monkeypatch.setenv("MINDINSIGHT_TOKEN", "a wrong one")
        assert [("token" in reason) for _, reason in leftovers.send_all()] == [True]
        monkeypatch.setenv("MINDINSIGHT_TOKEN", dashboard.token)
        assert [reason for _, reason in leftovers.send_all()] == [""]
        (path,) = event_files(base)
        assert steps(path) == list(range(100))
        assert writer_state(path) is WriterState.CLOSED
    assert spools(own_spool) == []


def test_a_spool_in_use_is_left_alone(own_spool, monkeypatch):
    monkeypatch.setattr(sender, "_CLOSE_S", 0.1)
    with SummaryWriter(f"http://127.0.0.1:{free_port()}/x") as writer:
        writer.add_scalar("x", 1.0, 0)
        assert list(spool.left_over()) == []
    (left,) = spool.left_over()
    assert left.origin.startswith("http://127.0.0.1:")
    left.release()


def test_a_forked_process_leaves_sending_to_the_one_that_opened_the_run(place, own_spool, steps):
    with SummaryWriter(place.address) as writer:
        writer.add_scalar("x", 1.0, 0)
        child = os.fork()
        if child == 0:
            writer.add_scalar("x", 1.0, 1)
            writer.close()
            os._exit(0)
        os.waitpid(child, 0)
    assert sorted(step for path in place.files() for step in steps(path)) == [0, 1]
    assert spools(own_spool) == []


def test_sigterm_sends_what_was_recorded(place, own_spool, steps):
    process = subprocess.Popen(
        [sys.executable, "-c", TRAINING, place.address], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    flushed = int(process.stdout.readline())
    process.send_signal(signal.SIGTERM)
    process.communicate()
    assert process.returncode == -signal.SIGTERM
    (path,) = place.files()
    assert steps(path)[:flushed] == list(range(flushed))
