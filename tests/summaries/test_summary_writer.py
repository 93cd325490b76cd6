"""SummaryWriter within one process: what is recorded, what is refused, when it is in the file."""

import os
import struct
import threading
import time
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from summaries import EventFileReader, Flavour, SummaryWriter, WriterState, parse_name, writer_state
from summaries.naming import host_name
from summaries.schema.summary_pb2 import Event


@pytest.fixture
def read(drain):
    def read(writer: SummaryWriter) -> list[tuple[str, int, float]]:
        drained = drain(writer.path)
        assert not drained.damages
        assert drained.reader.tail() is None
        return [(tag, step, value) for tag, step, _, value in drained.points]

    return read


@pytest.fixture(autouse=True)
def only_values(monkeypatch: pytest.MonkeyPatch) -> None:
    """The files hold what the tests record and nothing else."""
    monkeypatch.setenv("MINDINSIGHT_RECORD_ENVIRONMENT", "0")


def events(path) -> list[Event]:
    data, offset, found = path.read_bytes(), 0, []
    while offset < len(data):
        (length,) = struct.unpack_from("<Q", data, offset)
        found.append(Event.FromString(data[offset + 12 : offset + 12 + length]))
        offset += length + 16
    return found


def test_what_is_recorded_can_be_read(tmp_path, read):
    with SummaryWriter(tmp_path / "new" / "run") as writer:
        for step in range(100):
            writer.add_scalar("loss", 1 / (step + 1), step)
            writer.add_scalar("accuracy", step / 100, step)
    expected = []
    for step in range(100):
        expected += [("loss", step, float(np.float32(1 / (step + 1))))]
        expected += [("accuracy", step, float(np.float32(step / 100)))]
    assert read(writer) == expected
    assert writer.path.parent == writer.log_dir == tmp_path / "new" / "run"


def test_the_first_record_says_who_writes(tmp_path):
    before = time.time()
    with SummaryWriter(tmp_path) as writer:
        pass
    batch = EventFileReader(writer.path).read()
    assert batch.flavour is Flavour.MINDSPORE
    assert (batch.writer.host, batch.writer.pid) == (host_name(), os.getpid())
    assert len(batch.writer.id) == 32
    assert batch.writer.program
    assert before <= batch.writer.opened <= time.time()
    (event,) = events(writer.path)
    assert event.version == "MindSpore.Event:1"
    assert not event.HasField("step")


def test_the_mode_and_the_lock_tell_whether_the_writer_lives(tmp_path):
    writer = SummaryWriter(tmp_path)
    assert writer.path.stat().st_mode & 0o777 == 0o600
    assert writer_state(writer.path) is WriterState.WRITING
    writer.close()
    assert writer.path.stat().st_mode & 0o777 == 0o400
    assert writer_state(writer.path) is WriterState.CLOSED


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (1, 1.0),
        (True, 1.0),
        (0.5, 0.5),
        (np.float32(0.5), 0.5),
        (np.float64(0.5), 0.5),
        (np.float16(0.5), 0.5),
        (np.int8(-3), -3.0),
        (np.bool_(True), 1.0),
        (np.array(0.5), 0.5),
        (np.array([[0.5]], np.float32), 0.5),
        (Fraction(1, 2), 0.5),
        (Decimal("0.5"), 0.5),
        (float("inf"), float("inf")),
        (-1e300, float("-inf")),
        (10**400, float("inf")),
        (-(10**400), float("-inf")),
    ],
)
def test_every_single_number_is_taken(tmp_path, read, value, expected):
    with SummaryWriter(tmp_path) as writer:
        writer.add_scalar("x", value, 1)
    assert read(writer) == [("x", 1, expected)]


def test_nan_is_data(tmp_path, read):
    with SummaryWriter(tmp_path) as writer:
        writer.add_scalar("x", float("nan"), 1)
    assert np.isnan(read(writer)[0][2])


class Tensor:
    """Anything with `item()`."""

    def __init__(self, value: object) -> None:
        self.value = value

    def item(self) -> object:
        return self.value


def test_tensors_are_asked_for_their_item(tmp_path, read):
    with SummaryWriter(tmp_path) as writer:
        writer.add_scalar("x", Tensor(0.5), 1)
    assert read(writer) == [("x", 1, 0.5)]


@pytest.mark.parametrize(
    "value",
    ["0.5", b"1", None, [1.0], {}, 1j, np.zeros(3), np.zeros(0), np.array("x"), Tensor("x"), Tensor(None), object],
)
def test_anything_else_is_refused_where_it_happens(tmp_path, read, value):
    with SummaryWriter(tmp_path) as writer:
        with pytest.raises(TypeError, match=r"'loss'.*(type|a) ") as caught:
            writer.add_scalar("loss", value, 1)
        assert type(value).__name__ in str(caught.value)
        writer.add_scalar("loss", 1.0, 1)
    assert read(writer) == [("loss", 1, 1.0)]


@pytest.mark.parametrize(
    ("tag", "error"),
    [
        (1, TypeError),
        (None, TypeError),
        (b"x", TypeError),
        (["x"], TypeError),
        ("", ValueError),
        ("a\0", ValueError),
        ("t" * 1025, ValueError),
        ("\ud800", ValueError),
    ],
)
def test_bad_tags_are_refused(tmp_path, tag, error):
    with SummaryWriter(tmp_path) as writer, pytest.raises(error, match="tag"):
        writer.add_scalar(tag, 1.0, 1)


@pytest.mark.parametrize(
    ("step", "error"), [(1.5, TypeError), ("1", TypeError), (1 << 63, ValueError), (-(1 << 63) - 1, ValueError)]
)
def test_bad_steps_are_refused(tmp_path, step, error):
    with SummaryWriter(tmp_path) as writer, pytest.raises(error, match=r"step.*'x'"):
        writer.add_scalar("x", 1.0, step)


def test_steps_are_counted_for_each_tag_when_none_is_given(tmp_path, read):
    with SummaryWriter(tmp_path) as writer:
        for _ in range(3):
            writer.add_scalar("a", 1.0)
        writer.add_scalar("b", 2.0)
        writer.add_scalar("a", 1.0, global_step=np.int64(70))
        writer.add_scalars({"a": 3.0, "b": 3.0})
    steps = [(tag, step) for tag, step, _ in read(writer)]
    assert steps == [("a", 0), ("a", 1), ("a", 2), ("b", 0), ("a", 70), ("a", 3), ("b", 3)]


def test_wall_times_are_kept(tmp_path, drain):
    before = time.time()
    with SummaryWriter(tmp_path) as writer:
        writer.add_scalar("x", 1.0, 1, 1234.5)
        writer.add_scalar("x", 1.0, 2)
    first, second = (wall for _, _, wall, _ in drain(writer.path).points)
    assert first == 1234.5
    assert before <= second <= time.time()


def test_several_values_of_one_step_share_an_event(tmp_path, read):
    with SummaryWriter(tmp_path) as writer:
        writer.add_scalars("loss", {"train": 1.0, "val": 2.0}, 5)
        writer.add_scalars({"a": 3.0, "b": 4.0}, step=6, wall_time=9.0)
        with pytest.raises(TypeError, match="takes the step by name"):
            writer.add_scalars({"a": 3.0}, 7)  # type: ignore[call-overload]
        writer.add_scalar("c", 5.0, 6, 9.0)
        writer.add_scalar("c", 6.0, 7, 9.0)
    assert read(writer) == [
        ("loss/train", 5, 1.0),
        ("loss/val", 5, 2.0),
        ("a", 6, 3.0),
        ("b", 6, 4.0),
        ("c", 6, 5.0),
        ("c", 7, 6.0),
    ]
    assert [len(event.summary.value) for event in events(writer.path)[1:]] == [2, 3, 1]


def test_several_values_are_recorded_all_or_none(tmp_path, read):
    with SummaryWriter(tmp_path) as writer:
        with pytest.raises(TypeError, match="'b'"):
            writer.add_scalars({"a": 1.0, "b": "x"}, step=1)
        with pytest.raises(TypeError, match="names and numbers"):
            writer.add_scalars("a", 1.0, 1)
        with pytest.raises(TypeError, match="names and numbers"):
            writer.add_scalars(None, {"a": 1.0}, 1)
        writer.add_scalars({}, step=1)
    assert read(writer) == []


def test_flush_means_in_the_file(tmp_path, read):
    with SummaryWriter(tmp_path, flush_secs=3600) as writer:
        for step in range(5):
            writer.add_scalar("x", step, step)
            assert writer.flush()
            assert len(read(writer)) == step + 1


def test_nothing_waits_longer_than_flush_secs(tmp_path, read):
    with SummaryWriter(tmp_path, flush_secs=0.05) as writer:
        writer.flush()
        writer.add_scalar("x", 1.0, 1)
        deadline = time.monotonic() + 10
        while not read(writer):
            assert time.monotonic() < deadline
            threading.Event().wait(0.01)


def test_fsync_is_done_when_asked(tmp_path, monkeypatch):
    synced = []
    monkeypatch.setattr(os, "fsync", synced.append)
    with SummaryWriter(tmp_path) as writer:
        writer.add_scalar("x", 1.0, 1)
        writer.flush()
    assert synced == []
    with SummaryWriter(tmp_path, fsync=True) as writer:
        writer.add_scalar("x", 1.0, 1)
        writer.flush()
        assert synced


@pytest.mark.parametrize("max_queue", [1, 2, 100])
def test_a_full_queue_holds_up_and_drops_nothing(tmp_path, read, max_queue):
    with SummaryWriter(tmp_path, max_queue=max_queue, flush_secs=3600) as writer:
        for step in range(3000):
            writer.add_scalar("x", step, step)
    assert [step for _, step, _ in read(writer)] == list(range(3000))


def test_a_queue_that_is_half_full_is_written_each_time(tmp_path, drain):
    with SummaryWriter(tmp_path, max_queue=100, flush_secs=3600) as writer:
        for half in range(3):
            for step in range(50 * half, 50 * half + 50):
                writer.add_scalar("x", step, step)
            deadline = time.monotonic() + 10
            while len(drain(writer.path).points) < 50 * half + 50:  # the last record may be half written
                assert time.monotonic() < deadline
                threading.Event().wait(0.01)


@pytest.mark.parametrize("step", [-(2**63), 2**63 - 1])
def test_the_lowest_and_the_highest_step_are_kept(tmp_path, read, step):
    with SummaryWriter(tmp_path) as writer:
        writer.add_scalar("x", 0.5, step)
        for beyond in (-(2**63) - 1, 2**63):
            with pytest.raises(ValueError, match="does not fit into 64 bits"):
                writer.add_scalar("x", 0.5, beyond)
    assert read(writer) == [("x", step, 0.5)]


def test_threads_may_share_a_writer(tmp_path, read):
    def work(number: int) -> None:
        for step in range(500):
            writer.add_scalar(f"t{number}", step, step)

    with SummaryWriter(tmp_path, max_queue=50) as writer:
        threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    points = read(writer)
    for number in range(4):
        assert [step for tag, step, _ in points if tag == f"t{number}"] == list(range(500))


def test_many_writers_in_one_directory_have_files_of_their_own(tmp_path, read):
    writers = [SummaryWriter(tmp_path) for _ in range(30)]
    for number, writer in enumerate(writers):
        writer.add_scalar("x", number, number)
    for writer in writers:
        writer.close()
    assert len({writer.path for writer in writers}) == 30
    assert [read(writer) for writer in writers] == [[("x", n, float(n))] for n in range(30)]
    assert all(parse_name(writer.path.name) for writer in writers)


def test_a_closed_writer_refuses_and_may_be_closed_again(tmp_path):
    writer = SummaryWriter(tmp_path)
    writer.close()
    writer.close()
    assert writer.flush()
    with pytest.raises(ValueError, match="closed"):
        writer.add_scalar("x", 1.0, 1)


def test_an_exception_in_the_block_closes_the_file(tmp_path, read):
    writer = SummaryWriter(tmp_path)

    def train() -> None:
        with writer:
            writer.add_scalar("x", 1.0, 1)
            raise RuntimeError("boom")

    with pytest.raises(RuntimeError, match="boom"):
        train()
    assert read(writer) == [("x", 1, 1.0)]
    assert writer_state(writer.path) is WriterState.CLOSED


def test_a_directory_that_cannot_be_made_is_an_error_at_once(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(OSError, match="file"):
        SummaryWriter(tmp_path / "file" / "run")


@pytest.mark.parametrize(
    "options", [{"flush_secs": 0}, {"flush_secs": -1}, {"max_queue": 0}, {"filename_suffix": "_lineage"}]
)
def test_bad_options_are_refused(tmp_path, options):
    with pytest.raises(ValueError, match=r"greater than zero|suffix"):
        SummaryWriter(tmp_path, **options)


def test_a_suffix_may_be_chosen(tmp_path):
    with SummaryWriter(tmp_path, filename_suffix="_mine") as writer:
        pass
    assert writer.path.name.endswith("_mine")
    assert parse_name(writer.path.name)
