"""Workers change the time that rows take, and nothing else."""

import threading
from time import sleep
from typing import Any

import numpy as np
import pytest

import framework.dataset as ds
from framework.dataset.runtime import Resources, build
from framework.dataset.vision import RandomCrop, RandomHorizontalFlip
from tests.framework.dataset.runtime.threads import numbers, pipeline_threads, read, slowly


@pytest.fixture(autouse=True)
def _no_thread_is_left() -> Any:
    ds.config.set_seed(11)
    yield
    ds.config.set_seed(5489)
    assert pipeline_threads() == []


def augmented(workers: int) -> ds.Dataset:
    images = np.arange(40 * 8 * 8, dtype=np.uint8).reshape(40, 8, 8)
    data = ds.NumpySlicesDataset({"image": images}, shuffle=True)
    operations = [slowly, RandomCrop(4), RandomHorizontalFlip()]
    return data.map(operations, "image", num_parallel_workers=workers).shuffle(7).batch(3)


class Meeting:
    """Where the threads of an operator wait for each other, once: the fastest one cannot do everything.

    Args:
        prefix: beginning of their names; other threads pass by.
        count: number of threads.
    """

    def __init__(self, prefix: str, count: int) -> None:
        self.names: set[str] = set()
        self._prefix = prefix
        self._barrier = threading.Barrier(count, timeout=60)

    def come(self) -> None:
        """Wait for the others, the first time."""
        name = threading.current_thread().name
        if name.startswith(self._prefix) and name not in self.names:
            self.names.add(name)
            self._barrier.wait()


def test_any_number_of_workers_makes_the_same_rows() -> None:
    alone = read(augmented(1), 3)
    assert alone[0] != alone[1]
    for workers in (2, 3, 8):
        assert read(augmented(workers), 3) == alone


def test_rows_are_computed_by_several_threads_in_order() -> None:
    meeting = Meeting("Map-", 4)

    def note(value: Any) -> Any:
        sleep(0.002 if value % 3 else 0.006)
        meeting.come()
        return value

    assert read(numbers(60).map(note, "x", num_parallel_workers=4)) == [list(range(60))]
    assert len(meeting.names) == 4


def test_cheap_rows_need_no_workers() -> None:
    seen: set[str] = set()

    def note(value: Any) -> Any:
        seen.add(threading.current_thread().name.split("-")[0])
        return value

    assert read(numbers(500).map(note, "x", num_parallel_workers=4)) == [list(range(500))]
    assert seen == {"prefetch"}


def test_maps_above_one_another_and_rounds() -> None:
    data = numbers(20).map(slowly, "x", num_parallel_workers=2).repeat(3).map(slowly, "x", num_parallel_workers=3)
    assert read(data.map([slowly, lambda x: x + 1], "x", num_parallel_workers=2), 2) == [list(range(1, 21)) * 3] * 2


def test_a_part_of_the_rows_above_workers() -> None:
    data = numbers(100).map(slowly, "x", num_parallel_workers=3)
    assert read(data.take(7).repeat(3), 2) == [list(range(7)) * 3] * 2
    assert read(data.skip(90)) == [list(range(90, 100))]
    assert read(data.filter(lambda x: x % 10 == 0).zip(numbers(4).rename("x", "y"))) == [[0, 10, 20, 30]]


def test_functions_of_batches_have_workers() -> None:
    meeting = Meeting("Batch-", 3)

    def doubled(values: list[Any], info: Any) -> tuple[list[Any]]:
        sleep(0.003)
        meeting.come()
        return ([value * 2 + info.get_batch_num() for value in values],)

    data = numbers(40).batch(4, per_batch_map=doubled, input_columns="x", num_parallel_workers=3)
    assert read(data) == [[[2 * (4 * batch + place) + batch for place in range(4)] for batch in range(10)]]
    assert len(meeting.names) == 3


def test_a_source_with_workers_is_read_by_several_threads() -> None:
    meeting = Meeting("GeneratorDataset-", 4)

    class Slow:
        def __len__(self) -> int:
            return 50

        def __getitem__(self, index: int) -> Any:
            sleep(0.002)
            meeting.come()
            return np.int64(index * index)

    data = ds.GeneratorDataset(Slow(), ["x"], shuffle=False, num_parallel_workers=4, python_multiprocessing=False)
    assert read(data) == [[index * index for index in range(50)]]
    assert len(meeting.names) == 4


def test_rows_that_wait_are_bounded() -> None:
    drawn: list[int] = []

    def source() -> Any:
        for number in range(10_000):
            drawn.append(number)
            yield (np.zeros(1 << 21, np.uint8),)

    workers = 3
    data = ds.GeneratorDataset(source, ["x"]).map(slowly, "x", num_parallel_workers=workers)
    with data.create_tuple_iterator(num_epochs=1, output_numpy=True) as iterator:
        for taken in range(1, 80):
            next(iterator)
            # The map's queue and its workers, the prefetched rows, and those in two hands.
            assert len(drawn) - taken <= 16 + workers + 16 + 3


def test_large_rows_wait_for_the_reader_in_small_numbers() -> None:
    drawn: list[int] = []

    def source() -> Any:
        for number in range(100):
            drawn.append(number)
            yield (np.zeros(24 << 20, np.uint8),)

    with ds.GeneratorDataset(source, ["x"]).create_tuple_iterator(num_epochs=1, output_numpy=True) as iterator:
        for taken in range(1, 6):
            next(iterator)
            assert len(drawn) - taken <= 4


def test_counters_say_who_waits() -> None:
    def very_slowly(value: Any) -> Any:
        sleep(0.01)
        return value

    data = numbers(80).map(very_slowly, "x", num_parallel_workers=2)
    tree = build(data.node, 1, Resources(4))
    assert sum(1 for _ in tree.rows(0, 1)) == 80
    counters = tree.counters()
    assert sorted(counters) == ["GeneratorDataset-0", "Map-1", "prefetch"]
    mapped = counters["Map-1"]
    assert mapped.puts == mapped.takes == sum(mapped.fill) > 70
    # The reader waits for the slow map, not the map for the reader.
    assert mapped.take_wait > mapped.put_wait
    assert counters["prefetch"].takes > 10
    tree.close()
