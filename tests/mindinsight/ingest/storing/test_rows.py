"""What rows of the database say of points: counts, ranges, segments, and what runs say of themselves."""

from __future__ import annotations

import itertools
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from mindinsight.ingest.storing import notes
from mindinsight.ingest.storing.book import Ends, Facts, SeriesBook
from mindinsight.ingest.storing.segments import Groups, first_repeat, run_segments
from mindinsight.runs.models import Run
from mindinsight.store import Table
from summaries.kinds import Kind
from summaries.reading.notes import RunNotes

NAN, INF = float("nan"), float("inf")


def points(*steps: int) -> Any:
    rows = np.zeros(len(steps), Table.POINTS.dtype)
    rows["step"] = steps
    rows["wall"] = np.arange(len(steps)) + 0.5
    return rows


@pytest.fixture
def book() -> SeriesBook:
    """The series of a file that has not been read yet."""
    numbers = itertools.count(10)
    file = SimpleNamespace(pk=4, run_id=3, segment=2, offset=0, stretches=[{}])
    return SeriesBook(file, SimpleNamespace(take=lambda: next(numbers)))  # type: ignore[arg-type]


def test_a_series_is_made_once(book: SeriesBook) -> None:
    loss, other = book.series([("loss", Kind.SCALAR), ("loss", Kind.HISTOGRAM)])
    assert [(row.id, row.tag, row.kind) for row in (loss, other)] == [
        (10, "loss", Kind.SCALAR.value),
        (11, "loss", Kind.HISTOGRAM.value),
    ]
    assert book.created
    book.written()
    assert book.series([("loss", Kind.SCALAR)]) == [loss]
    assert not book.created


def test_rows_of_several_batches_are_counted_from_the_first_to_the_last(book: SeriesBook) -> None:
    loss, other = book.series([("loss", Kind.SCALAR), ("other", Kind.SCALAR)])
    book.note_rows([loss, other], Ends.of(points(3, 4, 5, 7), [0, 3]))
    book.note_rows([loss], Ends.of(points(8, 9), [0]))
    assert (loss.count, loss.first_step, loss.last_step, loss.first_wall, loss.last_wall) == (5, 3, 9, 0.5, 1.5)
    assert (other.count, other.first_step, other.last_step, other.first_wall, other.last_wall) == (1, 7, 7, 3.5, 3.5)
    assert book.dirty == {loss.id: loss, other.id: other}
    book.written()
    assert book.dirty == {}


def test_the_range_of_a_series_is_that_of_all_its_finite_values(book: SeriesBook) -> None:
    loss, other, none = book.series([(tag, Kind.SCALAR) for tag in ("loss", "other", "none")])
    book.note_values([loss, other, none], Facts.of(np.array([3.0, 5.0, -1.0, NAN, INF]), [0, 2, 3]))
    book.note_values([loss, other], Facts.of(np.array([4.0, INF, -7.0, 9.0]), [0, 2]))
    assert (loss.min, loss.max, loss.sum, loss.not_finite, loss.last_value) == (3.0, 5.0, 12.0, 1, INF)
    assert (other.min, other.max, other.sum, other.not_finite, other.last_value) == (-7.0, 9.0, 1.0, 0, 9.0)
    assert (none.min, none.max, none.sum, none.not_finite, none.last_value) == (None, None, 0.0, 2, INF)
    book.note_values([loss], Facts.of(np.array([1.0, 8.0, NAN]), [0]))
    assert (loss.min, loss.max, loss.last_value) == (1.0, 8.0, None)


def test_a_sum_stays_a_number_that_databases_take(book: SeriesBook) -> None:
    (loss,) = book.series([("loss", Kind.SCALAR)])
    for value in (1e308, 1e308, 1e308):
        book.note_values([loss], Facts.of(np.array([value]), [0]))
    assert 1e308 < loss.sum < INF
    for value in (-1e308,) * 6:
        book.note_values([loss], Facts.of(np.array([value]), [0]))
    assert -INF < loss.sum < -1e308


def test_facts_are_the_same_with_and_without_numbers_that_are_none() -> None:
    values = np.array([1.0, 2.0, -3.0, 4.0])
    plain = Facts.of(values, [0, 2])
    odd = Facts.of(np.array([*values, NAN]), [0, 2, 4])
    assert plain == ([2.0, 4.0], [1.0, -3.0], [2.0, 4.0], [3.0, 1.0], [0, 0])
    assert [column[:2] for column in odd[1:]] == list(plain[1:])
    assert odd.low[2] == INF
    assert odd.high[2] == -INF
    assert (odd.total[2], odd.not_finite[2]) == (0.0, 1)


def test_series_follow_the_segment_of_their_file(book: SeriesBook) -> None:
    (loss,) = book.series([("loss", Kind.SCALAR)])
    assert loss.segment == 2
    book.number_segments()
    assert book.dirty == {}
    book._file.segment = 5
    book.number_segments()
    assert loss.segment == 5
    assert book.dirty == {loss.id: loss}


@pytest.mark.parametrize(
    ("steps", "restarts", "reached", "place"),
    [
        ((1, 2, 3), (), None, None),
        ((1, 2, 2), (2,), None, 2),
        ((1, 2, 3), (2,), None, None),
        ((5, 6), (0,), None, None),
        ((5, 6), (0,), 5, 0),
        ((5, 6), (0,), 4, None),
        ((1, 2, 3, 9), (3,), 20, 3),
        ((7, 1, 8), (2,), 3, None),
        ((9, 1, 8), (2,), 3, 2),
        ((1, 2), (2,), 5, None),
        ((1, 2, 3, 1), (1, 3), None, 3),
    ],
)
def test_a_training_began_again_where_steps_repeat(
    steps: tuple[int, ...], restarts: tuple[int, ...], reached: int | None, place: int | None
) -> None:
    assert first_repeat(points(*steps), np.array(restarts, np.int64), reached) == place


@pytest.mark.parametrize(
    ("steps", "keys", "reached", "place"),
    [
        ((1, 2, 3), (0, 0, 0), None, None),
        ((1, 5, 2), (0, 0, 0), None, 2),
        ((1, 5, 2, 6), (0, 1, 0, 1), None, None),
        ((1, 5, 2, 4, 0), (0, 1, 0, 1, 0), None, 3),
        ((3, 4), (0, 1), {0: 3, 1: 4}, None),
        ((3, 4), (0, 1), {0: 3, 1: 5}, 1),
        ((3, 4), (0, 1), {0: 9}, 0),
    ],
)
def test_the_first_fall_is_that_of_any_group(
    steps: tuple[int, ...], keys: tuple[int, ...], reached: dict[int, int] | None, place: int | None
) -> None:
    groups = Groups.of(points(*steps), np.array(keys, np.int32))
    assert [key for key, _ in groups.parts()] == sorted(set(keys))
    for key, rows in groups.parts():
        assert rows["step"].tolist() == [step for step, own in zip(steps, keys, strict=True) if own == key]
    assert groups.first_fall(None if reached is None else reached.get) == place


def test_stretches_of_several_files_make_up_segments() -> None:
    def stretch(first: int, last: int, wall: float) -> Any:
        return {"first_step": first, "last_step": last, "first_wall": wall}

    found = run_segments(
        [(1, [stretch(5, 9, 3.0), stretch(2, 4, 6.0)]), (2, [stretch(1, 8, 5.0)]), (0, [stretch(0, 1, 1.0)])]
    )
    assert found == [
        {"number": 0, "first_step": 0, "last_step": 1, "first_wall": 1.0},
        {"number": 1, "first_step": 5, "last_step": 9, "first_wall": 3.0},
        {"number": 2, "first_step": 1, "last_step": 8, "first_wall": 5.0},
    ]


def places(*offsets: int) -> Any:
    rows = np.zeros(len(offsets), Table.PLACES.dtype)
    rows["offset"], rows["length"] = offsets, 8
    return rows


def test_what_records_say_is_added_to_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    said = {
        0: RunNotes(params={"lr": 0.1, "batch": 32}, metrics={"accuracy": 0.5}, result_tags=["a", "b"]),
        8: RunNotes(params={"lr": NAN, "momentum": 0.9}, metrics={"accuracy": 0.75}, result_tags=["b", "c"]),
    }

    def read(path: Path, offset: int, length: int) -> int:
        assert length == 8
        if offset not in said:
            raise OSError("gone")
        return offset

    monkeypatch.setattr(notes, "read_record", read)
    monkeypatch.setattr(notes, "hparams_of", lambda payload, *, file, offset: said[payload])
    run = Run(name="a", params={}, metrics={}, result_tags=[], noted=0)
    noted = [(Kind.SCALAR, places(99)), (Kind.HPARAMS, places(0, 16, 8))]
    assert notes.note_records(run, Path("file"), noted) is None
    assert list(run.params) == ["lr", "batch", "momentum"]
    assert (run.params["batch"], run.params["momentum"]) == (32, 0.9)
    assert run.params["lr"] is None or isinstance(run.params["lr"], str)
    assert run.metrics == {"accuracy": 0.75}
    assert run.result_tags == ["a", "b", "c"]
    assert run.noted > 0
    first, run.noted = run.noted, 0
    notes.note_records(run, Path("file"), noted[1:])
    # The first record's value was told anew and then replaced again.
    assert (run.metrics, run.result_tags) == ({"accuracy": 0.75}, ["a", "b", "c"])
    assert first > 0


def test_a_run_keeps_a_bounded_number_of_names(monkeypatch: pytest.MonkeyPatch) -> None:
    many = RunNotes(params={str(number): number for number in range(3000)}, result_tags=list(map(str, range(300))))
    monkeypatch.setattr(notes, "read_record", lambda *given: b"")
    monkeypatch.setattr(notes, "hparams_of", lambda payload, **given: many)
    run = Run(name="a", params={"kept": 1}, metrics={}, result_tags=["kept"], noted=0)
    notes.note_records(run, Path("file"), [(Kind.HPARAMS, places(0))])
    assert (len(run.params), run.params["kept"], run.params["998"]) == (1000, 1, 998)
    assert (len(run.result_tags), run.result_tags[0]) == (100, "kept")
