"""When the base directory is looked through again, what is taken up first, and what counts as gone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from mindinsight.ingest import scheduling, survey
from mindinsight.ingest.discovery import FoundRun
from mindinsight.ingest.survey import Survey

START = 1000.0
INTERVAL = 300.0


class Ledger:
    """Follows what it is given, as the reader's ledger does, without a database."""

    def __init__(self) -> None:
        self.files: dict[str, str] = {}
        self.names: set[str] = set()
        self.taken: list[list[str]] = []

    def take(self, found: Sequence[FoundRun]) -> list[str]:
        self.taken.append([run.name for run in found])
        new = [run.name for run in found if run.name not in self.names]
        self.names.update(new)
        self.files.update((file.relative, f"followed {file.relative}") for run in found for file in run.files)
        return new


class Looker:
    """A survey of a directory, what it asks for, and a clock that its owner turns."""

    def __init__(self, base: Path, interval: float = INTERVAL) -> None:
        self.now = START
        self.ledger = Ledger()
        self.looks: list[str] = []
        self.welcomed: list[list[str]] = []
        self.missed: list[dict[str, float]] = []
        self.again: set[str] = set()
        self.at_look: Callable[[], None] = lambda: None
        given: Any = {"look": self._look, "welcome": self.welcomed.append, "lose": self._lose}
        self.survey = Survey(base, interval, self.ledger, **given)  # type: ignore[arg-type]

    def _look(self, followed: str, _: object) -> None:
        self.looks.append(followed)
        self.at_look()

    def _lose(self, missed: Mapping[str, float]) -> Iterable[str]:
        self.missed.append(dict(missed))
        return self.again & missed.keys()

    def due_after(self) -> float:
        """Seconds until the next look is due."""
        for seconds in (0.0, 0.5, 1.0, 2.0, 60.0, INTERVAL, 600.0, 1e9):
            self.now += seconds
            if self.survey.due:
                self.now -= seconds
                return seconds
            self.now -= seconds
        return float("inf")


@pytest.fixture
def looker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Looker:
    made = Looker(tmp_path)
    clock = SimpleNamespace(monotonic=lambda: made.now, time=lambda: made.now + 1e9)
    monkeypatch.setattr(survey, "time", clock)
    monkeypatch.setattr(scheduling, "time", clock)
    return made


def put(base: Path, run: str, opened: int) -> Path:
    path = base / run / f"events.out.tfevents.{opened}.host"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"events")
    return path


def test_new_runs_are_taken_newest_first_and_some_at_once(
    looker: Looker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(survey, "RUNS_AT_ONCE", 2)
    for number in (1, 3, 2):
        put(tmp_path, f"run{number}", number)
    looker.survey.look_now()
    assert looker.ledger.taken == looker.welcomed == [["run3", "run2"], ["run1"]]
    assert looker.looks == [f"followed run{number}/events.out.tfevents.{number}.host" for number in (3, 2, 1)]
    assert looker.survey.checked == START + 1e9
    put(tmp_path, "run2", 4)
    looker.looks.clear()
    looker.survey.look_now()
    assert looker.ledger.taken[2:] == [["run2"]]
    assert looker.welcomed[2:] == []
    assert sorted(looker.looks) == sorted(looker.ledger.files.values())


def test_a_look_follows_the_last_one_after_the_interval(looker: Looker, tmp_path: Path) -> None:
    put(tmp_path, "run", 1)
    assert looker.due_after() == 0.0
    looker.survey.look_now()
    assert looker.due_after() == INTERVAL
    looker.survey.put_off(60.0)
    assert looker.due_after() == 60.0
    looker.survey.ask()
    assert looker.due_after() == 0.0


def test_long_looks_are_seldom_and_take_half_of_the_time_if_something_is_missing(
    looker: Looker, tmp_path: Path
) -> None:
    put(tmp_path, "run", 1)

    def take_long() -> None:
        looker.now += 30.0

    looker.survey.look_now()
    looker.at_look = take_long
    looker.survey.look_now()
    assert looker.due_after() == 600.0  # A twentieth of the time is spent with looking.
    looker.survey.ask()
    assert looker.due_after() == 60.0
    looker.ledger.names.add("gone")
    looker.survey.look_now()
    assert looker.due_after() == INTERVAL


def test_who_asks_during_a_look_gets_another_one_at_once(looker: Looker, tmp_path: Path) -> None:
    put(tmp_path, "run", 1)
    looker.at_look = looker.survey.ask
    looker.survey.look_now()
    assert looker.due_after() == 0.0
    looker.at_look = lambda: None
    looker.survey.look_now()
    assert looker.due_after() == INTERVAL


def test_one_look_is_all_where_there_is_no_interval(looker: Looker, tmp_path: Path) -> None:
    once = Looker(tmp_path, 0.0)
    assert once.survey.due
    once.survey.look_now()
    once.now = 1e12
    assert not once.survey.due


def test_a_base_directory_that_is_away_is_looked_for_every_second(looker: Looker, tmp_path: Path) -> None:
    looker.ledger.names.add("run")
    tmp_path.rename(tmp_path.with_name("away"))
    for _ in range(3):
        looker.survey.look_now()
        assert looker.due_after() == 1.0
    assert looker.survey.checked == 0.0
    assert looker.missed == []


def test_what_two_looks_missed_is_lost_once(looker: Looker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(survey, "RUNS_AT_ONCE", 1)
    looker.ledger.names.update({"gone", "kept"})
    looker.again = {"kept"}
    looker.survey.look_now()
    assert looker.missed == []
    looker.now += 5.0
    looker.survey.look_now()
    assert sorted(looker.missed, key=str) == [{"gone": START}, {"kept": START}]
    looker.missed.clear()
    looker.survey.look_now()
    assert looker.missed == [{"kept": START}]  # Since when it is missing stays known.
    looker.missed.clear()
    put(tmp_path, "gone", 1)
    looker.survey.look_now()
    (tmp_path / "gone" / "events.out.tfevents.1.host").unlink()
    looker.now += 5.0
    looker.survey.look_now()
    looker.missed.clear()
    looker.again = set()
    looker.survey.look_now()
    assert sorted(looker.missed, key=str) == [{"gone": START + 10.0}, {"kept": START}]


def test_a_look_is_done_in_pieces(looker: Looker, tmp_path: Path) -> None:
    for number in range(3):
        put(tmp_path, f"run{number}", number)
    looker.survey.look_now()

    def take_long() -> None:
        looker.now += 1.0

    looker.at_look, pieces = take_long, 0
    looker.looks.clear()
    while not pieces or looker.survey.under_way:
        looker.survey.go_on()
        pieces += 1
        assert looker.survey.due or not looker.survey.under_way
    assert (pieces, len(looker.looks)) == (4, 3)
    looker.survey.go_on()
    assert looker.survey.under_way
    looker.survey.look_now()  # What was under way is ended, and a whole look follows.
    assert not looker.survey.under_way
    assert len(looker.looks) == 9
