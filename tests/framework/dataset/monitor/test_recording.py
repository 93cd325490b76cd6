"""A training's data pipeline in its summaries and in MindSpore's file, and how long the training waits for data."""

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import framework as ms
import framework.dataset as ds
from framework import nn
from framework.dataset.monitor.files import ProfilingFile
from framework.dataset.monitor.states import OperatorState, PipelineState, QueueState
from framework.dataset.monitor.waits import Waits
from summaries.schema.summary_pb2 import DataPipeline, Event


@pytest.fixture(autouse=True)
def _often() -> Iterator[None]:
    before = ds.config.get_monitor_sampling_interval()
    ds.config.set_monitor_sampling_interval(20)
    yield
    ds.config.set_monitor_sampling_interval(before)


def slow(value: np.ndarray) -> np.ndarray:
    time.sleep(2e-3)
    return value


def batches(count: int = 30) -> ds.Dataset:
    data = ds.NumpySlicesDataset({"x": np.ones((4 * count, 3), np.float32)}, shuffle=False)
    return data.map(slow, num_parallel_workers=1).batch(4)


def train(data: Any, epochs: int, callbacks: list[ms.Callback], sink: bool = False) -> None:
    network = nn.Dense(3, 1)
    ms.Model(network, optimizer=nn.SGD(network.trainable_params(), 1e-3)).train(
        epochs, data, callbacks=callbacks, dataset_sink_mode=sink
    )


def payloads(path: Path) -> Iterator[bytes]:
    """The records of an event file: length, checksum, content, checksum."""
    data, at = path.read_bytes(), 0
    while at < len(data):
        length = int.from_bytes(data[at : at + 8], "little")
        yield data[at + 12 : at + 12 + length]
        at += length + 16


def recorded(folder: Path) -> list[DataPipeline]:
    files = (file for file in sorted(folder.iterdir()) if file.name.startswith("events") and file.suffix != ".json")
    events = [Event.FromString(payload) for file in files if "lineage" not in file.name for payload in payloads(file)]
    return [event.data_pipeline for event in events if event.HasField("data_pipeline")]


@pytest.mark.parametrize("sink", [False, True])
def test_a_training_records_its_pipeline_with_the_bottleneck_and_the_waiting(tmp_path: Path, sink: bool) -> None:
    with ms.SummaryCollector(tmp_path) as collector:
        train(batches(), 2, [collector], sink)
    found = recorded(tmp_path)
    assert len(found) >= 3
    assert [one.seconds for one in found] == sorted(one.seconds for one in found)
    last = found[-1]
    assert [one.op_type for one in last.operators] == ["GeneratorDataset", "Map", "Batch"]
    assert [one.rows for one in last.operators] == [240, 240, 60]
    assert [(one.epoch, one.steps) for one in last.epochs] == [(1, 30), (2, 30)]
    # The first epoch also compiles the network.
    assert 0.3 < last.epochs[1].waiting / last.epochs[1].duration <= 1
    assert [one.step for one in last.steps] == list(range(1, 61))
    assert last.operators[1].costs[0].name == "slow"
    assert any(one.finding.operator == 1 and one.finding.reason == "one_worker" for one in found)
    assert any(one.finding.action == "workers" and one.finding.gain > 1.5 for one in found)


def test_the_file_is_that_of_mindspore(tmp_path: Path) -> None:
    with ms.SummaryCollector(tmp_path) as collector:
        train(batches(), 1, [collector])
    content = json.loads((tmp_path / "pipeline_profiling_0.json").read_text())
    assert content["sampling_interval"] == 20
    operators = {one["op_id"]: one for one in content["op_info"]}
    assert [operators[number]["op_type"] for number in range(3)] == ["GeneratorDataset", "Map", "Batch"]
    assert [operators[number]["children"] for number in range(3)] == [None, [0], [1]]
    queue = operators[2]["metrics"]["output_queue"]
    assert queue["length"] == ds.config.get_prefetch_size()
    assert len(queue["size"]) > 3
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".pipe")] == []


def test_a_collector_can_leave_the_pipeline_out(tmp_path: Path) -> None:
    with ms.SummaryCollector(tmp_path, collect_specified_data={"collect_data_pipeline": False}) as collector:
        train(batches(10), 1, [collector])
    assert recorded(tmp_path) == []
    assert not (tmp_path / "pipeline_profiling_0.json").exists()


def test_a_full_disk_does_not_end_the_training(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def full(self: ProfilingFile, state: PipelineState) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(ProfilingFile, "write", full)
    with ms.SummaryCollector(tmp_path) as collector:
        train(batches(10), 1, [collector])
    assert "No space left on device" in caplog.text


def test_a_loop_of_its_own_is_recorded_by_a_monitor(tmp_path: Path) -> None:
    data = batches()
    with ds.Monitor(data, tmp_path / "run", tmp_path / "profile"):
        for _ in data.create_dict_iterator(num_epochs=1):
            time.sleep(5e-3)
    last = recorded(tmp_path / "run")[-1]
    assert [(one.epoch, one.steps) for one in last.epochs] == [(1, 30)]
    waited = last.epochs[0].waiting / last.epochs[0].duration
    # A batch takes 8 ms or more, of which 5 ms pass meanwhile.
    assert 0.1 < waited < 0.9
    assert (tmp_path / "profile" / "pipeline_profiling_0.json").exists()


def test_a_monitor_needs_a_folder() -> None:
    with pytest.raises(ValueError, match="summary_dir"):
        ds.Monitor(batches())


def test_batches_that_are_there_are_not_waited_for() -> None:
    waits = Waits()

    class Recorder(ms.Callback):
        def on_train_end(self, run_context: ms.RunContext) -> None:
            nonlocal waits
            waits = run_context.original_args().data_waits

    given = [(ms.Tensor(np.ones((4, 3), np.float32)),)] * 20
    train(given, 2, [Recorder()])
    assert [(one.epoch, one.steps) for one in waits.epochs()] == [(1, 20), (2, 20)]
    assert waits.epochs()[1].share < 0.05


def test_a_long_recording_keeps_at_most_a_thousand_samples(tmp_path: Path) -> None:
    file = ProfilingFile(tmp_path, 3, 10)
    source = OperatorState(0, "MnistDataset", (), 1, "")
    for number in range(2500):
        state = PipelineState(0.0, 0.0, (source,), QueueState(number % 17, 16, 0, 0, 0.0, 0.0, ()))
        file.add(state)
    file.write(state)
    content = json.loads((tmp_path / "pipeline_profiling_3.json").read_text())
    sizes = content["op_info"][0]["metrics"]["output_queue"]["size"]
    assert content["sampling_interval"] == 40
    assert len(sizes) == 625
    assert sizes == [number % 17 for number in range(3, 2500, 4)]


@pytest.mark.parametrize(("mode", "batches_read"), [("SKIP", 25), ("REPLACE", 30)])
def test_samples_with_errors_are_counted_and_named(tmp_path: Path, mode: str, batches_read: int) -> None:
    def picky(value: np.ndarray) -> np.ndarray:
        if value[0] % 6 == 5:
            raise ValueError(f"sample {value[0]:g} is bad")
        return slow(value)

    data = ds.NumpySlicesDataset({"x": np.arange(120, dtype=np.float32)[:, None]}, shuffle=False)
    before = ds.config.get_error_samples_mode()
    ds.config.set_error_samples_mode(ds.config.ErrorSamplesMode[mode])
    try:
        data = data.map(picky, num_parallel_workers=1).batch(4)
        with ds.Monitor(data, tmp_path / "run"):
            read = sum(1 for _ in data.create_dict_iterator(num_epochs=1))
    finally:
        ds.config.set_error_samples_mode(before)
    skipped = recorded(tmp_path / "run")[-1].skipped
    assert (read, skipped.mode, skipped.count, len(skipped.messages)) == (batches_read, mode.lower(), 20, 10)
    assert "sample 5 is bad" in skipped.messages[0]
