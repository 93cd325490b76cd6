"""The times of every step: what a training and a reader note, and what is left of it in the run's folder."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import framework as ms
from framework import Tensor, dataset, nn
from framework.dataset.monitor import waits as waits_module
from framework.dataset.monitor.step_log import StepLog, read_steps
from framework.dataset.monitor.waits import Waits


class Clock:
    """A clock that is moved by hand."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(waits_module, "perf_counter", made)
    return made


def test_waiting_running_and_the_rest_of_each_step(clock: Clock, tmp_path: Path) -> None:
    def batches() -> Any:
        for delay in (0.5, 0.25):
            clock.now += delay
            yield delay

    waits = Waits(lambda: 3)
    waits.begin(1, 10)
    for delay in waits.over(batches()):
        clock.now += 2 * delay
        waits.running += 2 * delay
        clock.now += 0.125
    log = StepLog(tmp_path, waits)
    log.close()
    first, second = read_steps(log.path)
    assert first == (11, 1, 100.0, 0.5, 1.0, 1.625, 3)
    assert second == (12, 1, 101.625, 0.25, 0.5, 0.875, 3)
    assert second.began == first.began + first.duration


def test_a_cut_file_keeps_its_whole_blocks(tmp_path: Path) -> None:
    waits = Waits()
    waits.begin(1)
    log = StepLog(tmp_path, waits)
    for number in range(3):
        waits.note(0.25, 1.0, began=float(number))
        log.write()
    log.close()
    data = log.path.read_bytes()
    whole = [len(read_steps(log.path))]
    for cut in range(len(data) - 1, len(data) - 60, -7):
        log.path.write_bytes(data[:cut])
        whole.append(len(read_steps(log.path)))
    assert whole == [3, *[2] * (len(whole) - 1)]


def test_a_file_that_is_none_of_ours_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "steps_0.columns"
    path.write_bytes(b"no columns at all, but long enough")
    with pytest.raises(ValueError, match="no file of columns"):
        read_steps(path)


def _network() -> nn.Cell:
    return nn.Dense(4, 2)


def _data(rows: int) -> list[tuple[Tensor, Tensor]]:
    return [(Tensor(np.ones((2, 4), np.float32)), Tensor(np.zeros((2, 2), np.float32))) for _ in range(rows)]


def test_a_training_with_a_collector_writes_all_its_steps(tmp_path: Path) -> None:
    network = _network()
    model = ms.Model(network, nn.MSELoss(), nn.SGD(network.trainable_params(), 0.1))
    for _ in range(2):
        model.train(2, _data(5), callbacks=ms.SummaryCollector(tmp_path), dataset_sink_mode=False)
    for name in ("steps_0.columns", "steps_0.1.columns"):
        steps = read_steps(tmp_path / name)
        assert [row.step for row in steps] == list(range(1, 11))
        assert all(row.running > 0 and row.waiting + row.running <= row.duration for row in steps)
        within = [row for row in steps if row.step not in (5, 10)]
        after = {row.step: row for row in steps}
        assert all(after[row.step + 1].began == pytest.approx(row.began + row.duration, abs=1e-6) for row in within)


def test_a_loop_of_ones_own_writes_the_steps_of_its_reader(tmp_path: Path) -> None:
    data = dataset.NumpySlicesDataset(np.arange(12), shuffle=False).batch(3)
    dataset.config.set_monitor_sampling_interval(1)
    try:
        with dataset.Monitor(data, tmp_path):
            for _ in range(40):
                for _ in data.create_tuple_iterator(num_epochs=1):
                    pass
    finally:
        dataset.config.set_monitor_sampling_interval(1000)
    found = [row for file in tmp_path.glob("steps_0*.columns") for row in read_steps(file)]
    assert found
    assert all(0 <= row.waiting <= row.duration and row.queue >= 0 for row in found)
