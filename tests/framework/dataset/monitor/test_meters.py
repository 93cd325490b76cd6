"""Meters count all rows and measure few of them, whoever computes the rows."""

import pickle
from collections import Counter
from collections.abc import Callable

import numpy as np
import pytest

import framework.dataset as ds
from framework.dataset.monitor import meters
from framework.dataset.monitor.meters import Costs, Meter
from framework.dataset.monitor.running import running
from framework.dataset.monitor.states import OperatorState, PipelineState, difference
from framework.dataset.runtime import mapping, section
from framework.dataset.runtime.blocks import pieces

ROWS = 320


def source(**more: int) -> ds.NumpySlicesDataset:
    return ds.NumpySlicesDataset(np.arange(ROWS), shuffle=False, **more)


def read(data: ds.Dataset, epochs: int = 1) -> PipelineState:
    rows = data.create_tuple_iterator(num_epochs=epochs, output_numpy=True)
    for _ in range(epochs):
        for _ in rows:
            pass
    return rows.state()


def operator(state: PipelineState, op_type: str) -> OperatorState:
    return next(one for one in state.operators if one.op_type == op_type)


def counted_clock(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Counts the readings of clocks by meters, in place of the time that they take."""
    calls: Counter[str] = Counter()

    def counting(name: str, clock: Callable[[], float]) -> Callable[[], float]:
        def read_clock() -> float:
            calls[name] += 1
            return clock()

        return read_clock

    for home in (meters, mapping, pieces):
        for name in ("perf_counter", "thread_time"):
            monkeypatch.setattr(home, name, counting(name, getattr(home, name)))
    return calls


def test_rows_of_every_operator_are_counted() -> None:
    data = source().map(lambda x: x + 1).filter(lambda x: x % 2 == 0).batch(4)
    state = read(data, epochs=2)
    assert {one.op_type: one.rows for one in state.operators} == {
        "GeneratorDataset": 2 * ROWS,
        "Map": 2 * ROWS,
        "Filter": 2 * ROWS,
        "Batch": 2 * ROWS // 8,
    }
    assert [one.children for one in state.operators] == [(), (0,), (1,), (2,)]
    assert state.queue is not None
    assert state.queue.puts == state.queue.takes
    assert sum(state.queue.fill) == state.queue.puts


def test_an_operator_that_passes_rows_on_has_those_of_what_it_reads() -> None:
    state = read(source().rename("column_0", "x").repeat(3).shuffle(8).batch(2))
    assert operator(state, "Rename").rows == operator(state, "Shuffle").rows == 3 * ROWS


def test_a_generator_is_counted_without_its_end() -> None:
    state = read(ds.GeneratorDataset(lambda: ((np.float32(i),) for i in range(37)), ["x"]))
    assert state.root.rows == 37
    assert state.root.busy > 0


def test_few_rows_read_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = counted_clock(monkeypatch)
    read(source().map([lambda x: x + 1, lambda x: x * 2], num_parallel_workers=1).batch(ROWS))
    # Two readings for the Map, and two for each of the two operations; two for the one batch, and two for each of the
    # two blocks of the source. Rows 0, 16 and so on to 256; the next one would be 384.
    sampled = 17
    assert calls == dict.fromkeys(("perf_counter", "thread_time"), (2 + 4) * sampled + 2 + 2 * 2)


def test_blocks_are_measured_as_a_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = counted_clock(monkeypatch)
    state = read(source().map([ds.transforms.TypeCast(np.float32)]))
    source_blocks, mapped_blocks = 2, 2
    # Of each block two readings for its operator, and two for its one operation.
    assert calls["perf_counter"] == 2 * source_blocks + (2 + 2) * mapped_blocks
    mapped = operator(state, "Map")
    assert (mapped.rows, mapped.costs[0].rows) == (ROWS, mapped_blocks)
    assert 0 < mapped.costs[0].seconds < mapped.busy


def test_a_block_of_a_worker_is_measured_once(monkeypatch: pytest.MonkeyPatch) -> None:
    noted: list[tuple[Meter, int]] = []
    note = Meter.note

    def noting(self: Meter, rows: int, seconds: float, processor: float) -> None:
        noted.append((self, rows))
        note(self, rows, seconds, processor)

    monkeypatch.setattr(Meter, "note", noting)
    monkeypatch.setattr(section.Pace, "is_worth", lambda _: True)
    monkeypatch.setattr(section.Pace, "block", 32)
    state = read(source().map(lambda x: x + 1, num_parallel_workers=2).batch(4))
    mapping_meter = noted[-1][0]
    calls = [rows for meter, rows in noted if meter is mapping_meter]
    assert sum(calls) == operator(state, "Map").rows == ROWS
    assert len(calls) == ROWS / 32
    queue = operator(state, "Map").queue
    assert queue is not None
    assert queue.puts == ROWS / 32


def test_the_work_of_processes_is_measured() -> None:
    data = source().map([lambda x: x + 1], python_multiprocessing=True, num_parallel_workers=1).batch(4)
    state = operator(read(data), "Map")
    assert state.rows > 0
    assert state.busy > 0


def test_a_sampled_row_stands_for_those_before_it(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter(range(100))
    monkeypatch.setattr(meters, "perf_counter", lambda: float(next(clock)))
    monkeypatch.setattr(meters, "thread_time", lambda: 0.0)
    meter = Meter("Map")
    work = meter.sampling(lambda number, item: item)
    assert [work(number, number) for number in range(33)] == list(range(33))
    # Rows 0, 16 and 32 were measured, with a second each.
    assert (meter.rows, meter.busy, meter.processor) == (33, 33.0, 0.0)


def test_costs_of_operations_reach_a_process_without_their_sums() -> None:
    costs = Costs(["Decode", "Resize"])
    costs.note(1, 2.0, 1.0)
    costs.note(1, 4.0, 2.0)
    assert costs.means() == [(0, 0.0, 0.0), (2, 3.0, 1.5)]
    assert pickle.loads(pickle.dumps(costs)).means() == [(0, 0.0, 0.0)] * 2  # noqa: S301


def test_costs_name_joined_operations_and_random_ones() -> None:
    images = ds.GeneratorDataset(lambda: ((np.zeros((8, 8, 3), np.uint8),) for _ in range(3)), ["image"])
    operations = [ds.vision.Resize(6), ds.vision.RandomHorizontalFlip(), lambda image: image]
    state = operator(read(images.map(operations)), "Map")
    assert [one for cost in state.costs for one in cost.name.split(", ")][:2] == ["Resize", "RandomHorizontalFlip"]
    assert state.costs[-1].python
    assert [cost.random for cost in state.costs if "RandomHorizontalFlip" in cost.name] == [True]
    assert all(cost.rows == 1 for cost in state.costs)


def test_a_difference_has_the_sums_of_its_time() -> None:
    rows = source().batch(4).create_tuple_iterator(num_epochs=2)
    for _ in rows:
        pass
    before = rows.state()
    for _ in rows:
        pass
    span = difference(before, rows.state())
    assert span.root.rows <= ROWS / 4
    assert span.seconds > 0
    assert before.root.rows + span.root.rows == ROWS / 2
    assert difference(None, before) is before


def test_nothing_is_left_of_a_pipeline_that_nobody_reads() -> None:
    data = source().batch(4)
    rows = data.create_tuple_iterator(num_epochs=1)
    assert running(data.node) is not None
    rows.close()
    del rows
    assert running(data.node) is None
