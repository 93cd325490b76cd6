"""Starts readers and kills them at random moments, while files grow; prints what the store holds afterwards.

A program of its own, run by `test_kills.py`: `python -m tests.mindinsight.ingest.killed_readers BASE KILLS SEED`. It
imports once and forks a reader for each kill, so that hundreds fit into a minute.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import time
from pathlib import Path
from typing import Any

import django

django.setup(set_prefix=False)

from django.conf import settings  # noqa: E402
from django.db import connections  # noqa: E402

from mindinsight.database.migrating import migrate_once  # noqa: E402
from mindinsight.ingest import follower as following  # noqa: E402
from mindinsight.runs.models import EventFile, Series  # noqa: E402
from mindinsight.store import ColumnStore, Table  # noqa: E402
from summaries import SummaryWriter  # noqa: E402
from summaries.records import frame  # noqa: E402
from summaries.schema.tensorboard_pb2 import Event  # noqa: E402

POINTS = 1500
LONGEST_LIFE_S = 0.15


def grow(base: Path, rounds: random.Random, turn: int) -> None:
    """Adds points to a file that was there, and begins a new one now and then; steps fall back sometimes."""
    directory = base / f"run{rounds.randrange(3)}"
    with SummaryWriter(directory) as writer:
        first = turn * 10 - rounds.choice([0, 0, 0, 25])
        for step in range(first, first + POINTS):
            writer.add_scalar("loss", step * 0.25, step)
            if step % 3 == 0:
                writer.add_scalar("accuracy", -float(step), step)
            if step % 50 == 0:
                writer.add_histogram("weights", [1.0, 2.0, float(step)], step)
    half_write(directory, rounds)
    begin_short(base / f"short{rounds.randrange(3)}", turn)
    for number in range(4):
        write_plain(base / f"plain{turn}_{number}", rounds)


def write_plain(directory: Path, rounds: random.Random) -> None:
    """Writes a short file of plain numbers, which is read in a bundle with others."""
    directory.mkdir()
    content = frame(Event(wall_time=1.0, file_version="brain.Event:2").SerializeToString())
    for step in range(rounds.randrange(1, 40)):
        event = Event(wall_time=1.0 + step, step=step)
        for tag in ("loss", "accuracy"):
            event.summary.value.add(tag=tag, simple_value=rounds.random())
        content += frame(event.SerializeToString())
    (directory / "events.out.tfevents.1700000000.plain_MS").write_bytes(content)


def begin_short(directory: Path, turn: int) -> None:
    """Writes a file with few values, whose series share files with others as long as they do not grow."""
    with SummaryWriter(directory) as writer:
        for step in range(8):
            writer.add_scalars({"loss": float(turn), "accuracy": -float(step)}, step=turn * 10 + step)


def half_write(directory: Path, rounds: random.Random) -> None:
    """Copies a file only in part, and the rest of one that was copied in part before."""
    part = directory / "events.out.events.summary.1700000000.0.copied_MS"
    whole = sorted(directory.glob("*[0-9]._MS")) or sorted(set(directory.iterdir()) - {part})
    data = whole[0].read_bytes()
    have = part.stat().st_size if part.exists() else 0
    with part.open("ab") as out:
        out.write(data[have : have + rounds.randrange(2000)])


def live_and_die(life: float) -> None:
    """Forks a reader that reads until it is killed."""
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        try:
            reader = following.Follower(settings.ENVIRONMENT)
            while True:
                reader.look_again()
                reader.turn()
        finally:
            os._exit(3)
    time.sleep(life)
    os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status), f"a reader ended by itself: {status}"


def unread(base: Path) -> bool:
    """Whether something was left to read."""
    read = dict(EventFile.objects.values_list("path", "offset"))
    files = {path.relative_to(base).as_posix(): path.stat().st_size for path in base.rglob("*_MS")}
    return any(read.get(path, 0) < size for path, size in files.items() if "copied" not in path)


def stored() -> dict[str, list[list[Any]]]:
    """All rows that are counted, by run, file, kind and tag; series in order of their stretch."""
    store = ColumnStore(settings.ENVIRONMENT.data_directory / "columns")
    found: dict[str, list[list[Any]]] = {}
    for row in Series.objects.select_related("file").order_by("stretch"):
        table = Table.POINTS if row.kind == "scalar" else Table.PLACES
        rows = store.read(table, row.run_id, row.pk, 0, row.count)
        assert len(rows) == row.count
        found.setdefault(f"{row.file.path}|{row.kind}|{row.tag}", []).extend(rows.tolist())
    return found


def main(base: Path, kills: int, seed: int) -> None:
    """Kills readers, lets the last one finish, and prints what is stored."""
    # Small windows and many transactions: most kills meet something half-done.
    following.WINDOW_BYTES = 4096
    following.COMMIT_EVERY_S = 0.01
    following.COMMIT_NEW_AFTER_S = 0.005
    following.SETTLED_S = 0.0
    migrate_once()
    connections.close_all()
    moments = random.Random(seed)
    interrupted = 0
    for turn in range(kills):
        if turn % 3 == 0:
            grow(base, moments, turn)
        live_and_die(moments.random() ** 2 * LONGEST_LIFE_S)
        interrupted += unread(base)
        connections.close_all()
    last = following.Follower(settings.ENVIRONMENT)
    for _ in range(2000):
        last.look_again()
        last.turn()
        if all(file.row.complete for file in last._ledger.files.values()):
            break
    last._commit()
    sys.stdout.write(json.dumps({"interrupted": interrupted, "stored": stored()}))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
