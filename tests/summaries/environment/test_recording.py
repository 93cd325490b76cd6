"""What the writer records of the environment, and when it does not."""

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from google.protobuf import message_factory

from summaries import EventFileReader, SummaryWriter
from summaries.environment.repository import find_revision
from summaries.reading.environment import read_environment
from summaries.schema.summary_pb2 import Environment, Event
from tests.summaries.test_schema import build


def recorded(path: Path | None) -> list[dict[str, Any]]:
    """What an event file says of the environment."""
    assert path is not None
    batch = EventFileReader(path).read()
    assert not batch.damages
    data = path.read_bytes()
    places = [place for _, kind, rows in batch.others() if kind == "environment" for place in rows]
    found = [read_environment(data[int(place["offset"]) + 12 :][: int(place["length"])]) for place in places]
    return [noted.content for noted in found if noted is not None]


def write(folder: Path, **options: Any) -> list[dict[str, Any]]:
    with SummaryWriter(folder, **options) as writer:
        writer.add_scalar("loss", 0.5, 1)
    return recorded(writer.path)


def test_a_run_says_what_it_is_made_with(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "orig_argv", ["python", "train.py", "--lr", "0.1", "--api-key", "hunter2"])
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "0,1")
    monkeypatch.setenv("MS_PASSWORD", "hunter2")
    monkeypatch.setenv("SOMETHING_ELSE", "not chosen")
    monkeypatch.chdir(tmp_path)
    (found,) = write(tmp_path / "run")
    assert found["command_line"] == ["python", "train.py", "--lr", "0.1", "--api-key", "***"]
    assert found["working_directory"] == str(tmp_path)
    assert found["variables"]["CUDA_VISIBLE_DEVICES"] == "0,1"
    assert found["variables"]["MS_PASSWORD"] == "***"
    assert "SOMETHING_ELSE" not in found["variables"]
    assert found["python"] == sys.version.split()[0]
    assert found["packages"]["numpy"] == __import__("numpy").__version__
    assert found["packages"]["pytest"] == pytest.__version__
    assert found["cpu_count"] == len(os.sched_getaffinity(0))
    assert found["memory_bytes"] == int(Path("/proc/meminfo").read_text().split()[1]) * 1024
    assert found["host"]
    assert os.uname().release in found["platform"]
    assert "hunter2" not in str(found)


def test_each_writer_tells_once_and_a_lazy_one_with_its_first_value(tmp_path: Path) -> None:
    assert len(write(tmp_path / "run")) == 1
    lazy = SummaryWriter(tmp_path / "lazy", lazy=True)
    assert lazy.path is None
    lazy.add_scalar("loss", 1.0, 1)
    lazy.close()
    assert len(recorded(lazy.path)) == 1


def test_recording_can_be_turned_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert write(tmp_path / "argument", environment=False) == []
    assert write(tmp_path / "small", max_file_size=100_000) == []
    for word in ("0", "off", "False"):
        monkeypatch.setenv("MINDINSIGHT_RECORD_ENVIRONMENT", word)
        assert write(tmp_path / word) == []
    monkeypatch.setenv("MINDINSIGHT_RECORD_ENVIRONMENT", "1")
    assert len(write(tmp_path / "on")) == 1


def test_the_seed_is_asked_of_who_knows_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "framework.common.seed", raising=False)
    monkeypatch.setitem(sys.modules, "mindspore", SimpleNamespace(get_seed=lambda: 1 << 70))
    (found,) = write(tmp_path / "set")
    assert found["seed"] == str(1 << 70)
    monkeypatch.setitem(sys.modules, "mindspore", SimpleNamespace(get_seed=lambda: None))
    (found,) = write(tmp_path / "none")
    assert "seed" not in found


def test_a_forked_process_does_not_tell_again(tmp_path: Path) -> None:
    script = """
import os, sys
from summaries import SummaryWriter
writer = SummaryWriter(sys.argv[1])
child = os.fork()
writer.add_scalar("child" if child == 0 else "parent", 1.0, 1)
if child:
    os.waitpid(child, 0)
"""
    subprocess.run([sys.executable, "-c", script, str(tmp_path)], check=True)
    assert sorted(len(recorded(path)) for path in tmp_path.glob("*_MS")) == [0, 1]


def test_what_cannot_be_found_out_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from summaries.environment import collect, machine

    def broken() -> None:
        raise RuntimeError("no such thing")

    collect._of_process.cache_clear()
    monkeypatch.setattr(machine, "devices", broken)
    monkeypatch.setattr(collect, "used_packages", broken)
    (found,) = write(tmp_path)
    collect._of_process.cache_clear()
    assert "devices" not in found
    assert "packages" not in found
    assert found["host"]


def test_readers_of_mindspore_s_schema_pass_it_over(tmp_path: Path) -> None:
    theirs = message_factory.GetMessageClass(build().FindMessageTypeByName("mindspore.irpb.Event"))
    with SummaryWriter(tmp_path) as writer:
        writer.add_scalar("loss", 0.5, 7)
    data, payloads = writer.path.read_bytes(), []  # type: ignore[union-attr]
    while data:
        length = int.from_bytes(data[:8], "little")
        payloads.append(data[12 : 12 + length])
        data = data[16 + length :]
    told = [payload for payload in payloads if Event.FromString(payload).HasField("environment")]
    assert len(told) == 1
    event = theirs.FromString(told[0])
    assert [field.name for field, _ in event.ListFields()] == ["wall_time"]
    assert Event.FromString(event.SerializeToString()).environment.host
    values = [value for payload in payloads for value in theirs.FromString(payload).summary.value]
    assert [(value.tag, value.scalar_value) for value in values] == [("loss", 0.5)]


# The revision of the source


def git(folder: Path, *words: str) -> str:
    who = {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null"}
    names = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main"]
    command = ["git", *names, *words]
    done = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True, env=os.environ | who)
    return done.stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "source"
    (folder / "sub").mkdir(parents=True)
    git(folder, "init", "--quiet")
    (folder / "train.py").write_text("lr = 0.1\n")
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "-m", "first")
    return folder


def test_revision_branch_and_changes(repository: Path) -> None:
    revision = git(repository, "rev-parse", "HEAD")
    found = find_revision(("", str(repository / "sub")))
    assert found is not None
    assert (found.revision, found.branch, found.changed) == (revision, "main", False)
    (repository / "notes.txt").write_text("not tracked")
    (repository / "train.py").write_text("lr = 0.2\n")
    git(repository, "checkout", "--quiet", "-b", "feature/one")
    git(repository, "pack-refs", "--all")
    found = find_revision((str(repository),))
    assert found is not None
    assert (found.revision, found.branch, found.changed) == (revision, "feature/one", True)
    git(repository, "checkout", "--quiet", "--detach")
    git(repository, "worktree", "add", "--quiet", "../linked", "main")
    detached, linked = find_revision((str(repository),)), find_revision((str(repository.parent / "linked"),))
    assert detached is not None and linked is not None  # noqa: PT018
    assert (detached.revision, detached.branch) == (revision, "")
    assert (linked.revision, linked.branch, linked.changed) == (revision, "main", False)


def test_git_is_not_waited_for(repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "git").write_text("#!/bin/sh\nexec sleep 60\n")
    (tools / "git").chmod(0o755)
    revision = git(repository, "rev-parse", "HEAD")
    monkeypatch.setenv("PATH", str(tools), prepend=os.pathsep)
    found = find_revision((str(repository),))
    assert found is not None
    assert (found.revision, found.changed) == (revision, None)


def test_no_repository_no_revision(tmp_path: Path) -> None:
    assert find_revision((str(tmp_path), "", str(tmp_path / "nothing"))) is None


# Reading


def test_what_is_read_is_bounded_and_clean() -> None:
    event = Event(wall_time=5.0)
    event.environment.host = "h\0st"
    event.environment.command_line.extend(["x" * 10_000] * 2000)
    event.environment.variables["a"] = "b"
    for number in range(5000):
        event.environment.packages.add(name=f"p{number}", version="1")
    assert read_environment(event.SerializeToString()[: 1 << 19]) is None
    assert read_environment(event.SerializeToString()) is None
    del event.environment.command_line[10:]
    noted = read_environment(event.SerializeToString())
    assert noted is not None
    assert noted.content["host"] == "h\ufffdst"
    assert {len(text) for text in noted.content["command_line"]} == {4096}
    assert len(noted.content["packages"]) == 1000
    assert read_environment(Event(wall_time=1.0).SerializeToString()) is None
    empty = read_environment(Event(wall_time=1.0, environment=Environment()).SerializeToString())
    assert empty is not None
    assert empty.content == {}
