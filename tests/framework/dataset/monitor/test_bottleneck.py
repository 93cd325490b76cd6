"""The bottleneck of planted pipelines: measured ones, and spans of time with chosen numbers."""

import time
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

import framework.dataset as ds
from framework.dataset.monitor.bottleneck import Action, Reason, find_bottleneck
from framework.dataset.monitor.states import Cost, OperatorState, PipelineState, QueueState, difference
from framework.dataset.monitor.words import sentence, table

FILL = (1,) + 16 * (0,)


def queue(take_wait: float, put_wait: float = 0.0, length: int = 16) -> QueueState:
    return QueueState(0, length, 100, 100, put_wait, take_wait, FILL)


def operator(number: int, op_type: str, busy: float, **more: object) -> OperatorState:
    children = (number - 1,) if number else ()
    known = OperatorState(number, op_type, children, 1, f"train.py:{number + 1}", rows=1000, busy=busy, parallel=True)
    return replace(known, processor=busy, **more)


def span(*operators: OperatorState, waited: float = 9.5, processor: float | None = None) -> PipelineState:
    used = sum(one.processor for one in operators) if processor is None else processor
    return PipelineState(10.0, used, operators, queue(waited))


def images(map_of_images: OperatorState) -> PipelineState:
    return span(operator(0, "ImageFolderDataset", 0.5), map_of_images, operator(2, "Batch", 0.2, parallel=False))


COSTS = (Cost("Decode", 60, 6e-3, 6e-3, False, False), Cost("RandomCrop", 60, 2e-3, 2e-3, False, True))


def test_a_map_with_one_worker_gets_more_with_the_gain_of_its_part() -> None:
    found = find_bottleneck(images(operator(1, "Map", 9.0, costs=COSTS)), processors=4)
    assert found is not None
    assert (found.operator, found.reason, found.action, found.count) == (1, Reason.ONE_WORKER, Action.WORKERS, 4)
    assert (found.operation, found.operation_share) == ("Decode", pytest.approx(0.75))
    # Four processors share all work: 0.5 s, 9 s and 0.2 s.
    assert found.gain == pytest.approx(10 / (9.7 / 4))
    assert found.output_empty == 0.95
    assert found.input_full is None


def test_processors_that_are_used_up_ask_for_saved_rows() -> None:
    costly = operator(1, "Map", 18.0, threads=2, workers=2, costs=COSTS, queue=queue(9.0))
    found = find_bottleneck(images(costly), processors=2)
    assert found is not None
    assert (found.reason, found.action, found.workers) == (Reason.PROCESSORS, Action.SAVE, 2)
    # The random quarter of the Map and the batches are left.
    assert found.gain == pytest.approx(10 / ((18.0 / 4 + 0.2) / 2))


def test_functions_of_the_user_are_not_saved_as_they_may_be_random() -> None:
    costs = (Cost("augment", 60, 8e-3, 8e-3, True, False),)
    costly = operator(1, "Map", 9.0, threads=0, parallel=False, costs=costs)
    found = find_bottleneck(images(costly), processors=2)
    assert found is not None
    assert (found.reason, found.action, found.gain) == (Reason.WORK, Action.NONE, 1.0)


def test_a_python_function_that_computes_goes_to_processes() -> None:
    costly = operator(1, "Map", 19.0, threads=2, workers=2, python=True, queue=queue(9.5))
    found = find_bottleneck(images(replace(costly, processor=9.5)), processors=4)
    assert found is not None
    assert (found.reason, found.action, found.count) == (Reason.PYTHON, Action.PROCESSES, 4)
    assert found.gain == pytest.approx(10 / ((0.5 + 9.5 + 0.2) / 4))


def test_the_queue_before_the_bottleneck_is_full() -> None:
    slow = operator(1, "Map", 0.5, threads=2, workers=2, queue=queue(0.1, put_wait=9.7))
    last = operator(2, "Map", 9.0)
    found = find_bottleneck(span(operator(0, "ImageFolderDataset", 0.5), slow, last), processors=4)
    assert found is not None
    assert (found.operator, found.input_full, found.output_empty) == (2, 0.97, 0.95)
    assert "the queue before it was full 97 % of the time" in sentence(images(last), found)


def test_a_pipeline_that_keeps_up_has_none_even_if_its_operators_work_hard() -> None:
    busy = replace(images(operator(1, "Map", 9.0)), queue=queue(0.4))
    assert find_bottleneck(busy, processors=2) is None
    assert sentence(busy, None) == "The pipeline keeps up: its reader waits 4 % of the time."


def test_equally_slow_parts_have_none() -> None:
    even = span(
        operator(0, "ImageFolderDataset", 9.5, threads=1, queue=queue(4.0)),
        operator(1, "Map", 19.0, threads=2, workers=2, queue=queue(5.0)),
        operator(2, "Batch", 9.4, parallel=False),
    )
    assert find_bottleneck(even, processors=4) is None
    assert sentence(even, None).startswith("No operator stands out")


def test_the_bottleneck_is_in_the_part_that_has_the_most_to_do() -> None:
    # The Map has more work in all, but four threads share it.
    shared = operator(1, "Map", 16.0, threads=4, workers=4, queue=queue(1.0, put_wait=6.0))
    found = find_bottleneck(span(operator(0, "MnistDataset", 0.1), shared, operator(2, "Batch", 9.0)), processors=8)
    assert found is not None
    assert found.op_type == "Batch"


def slow(value: np.ndarray) -> np.ndarray:
    time.sleep(2e-3)
    return value


def generator() -> Iterator[tuple[np.float32]]:
    for number in range(200):
        time.sleep(2e-3)
        yield (np.float32(number),)


def numbers() -> ds.NumpySlicesDataset:
    return ds.NumpySlicesDataset(np.arange(200), shuffle=False)


def test_a_slow_map_with_one_worker_is_named_by_a_profile(capsys: pytest.CaptureFixture[str]) -> None:
    data = numbers().map([slow, ds.transforms.TypeCast(np.float32)], num_parallel_workers=1).batch(4)
    profile = ds.profile(data, batches=30)
    assert isinstance(profile, ds.PipelineProfile)
    found = profile.finding
    assert found is not None
    assert (found.op_type, found.operation, found.reason) == ("Map", "slow", Reason.ONE_WORKER)
    assert (found.action, found.count) == (Action.WORKERS, 8)
    assert found.gain > 4
    printed = capsys.readouterr().out
    assert printed == f"{profile}\n"
    assert profile.sentence in printed
    assert "slow takes" in profile.sentence
    assert "test_bottleneck.py:" in profile.sentence


def test_a_slow_source_is_named() -> None:
    data = ds.GeneratorDataset(generator, ["x"]).map(lambda x: x + 1).batch(4)
    found = ds.profile(data, batches=20, show=False).finding
    assert found is not None
    assert (found.op_type, found.reason, found.action) == ("GeneratorDataset", Reason.READING, Action.RANDOM_ACCESS)


def test_a_python_function_that_computes_is_named() -> None:
    def spins(value: np.ndarray) -> np.ndarray:
        end = time.thread_time() + 2e-3
        while time.thread_time() < end:
            pass
        return value

    data = numbers().map(spins, num_parallel_workers=2).batch(4)
    # Another program may have the processors for a while, which looks the same as waiting.
    findings = (ds.profile(data, batches=20, show=False).finding for _ in range(10))
    assert any(found is not None and (found.op_type, found.reason) == ("Map", Reason.PYTHON) for found in findings)


def test_a_slow_training_has_no_bottleneck_in_its_data() -> None:
    rows = numbers().map(lambda x: x + 1).batch(4).create_tuple_iterator(num_epochs=1)
    next(rows)
    before = rows.state()
    for _ in range(20):
        next(rows)
        time.sleep(5e-3)
    assert find_bottleneck(difference(before, rows.state()), processors=2) is None


def test_a_table_has_a_line_for_each_operator_and_operation() -> None:
    lines = table(images(operator(1, "Map", 9.0, costs=COSTS))).splitlines()
    assert [line.split()[0] for line in lines] == ["operator", "Batch", "Map", "·", "·", "ImageFolderDataset"]
    assert lines[2].split()[1:6] == ["1", "100", "90", "%", "9.000"]
    assert lines[3].split()[1:5] == ["Decode", "75", "%", "6.000"]


@pytest.mark.parametrize(("data", "batches", "error"), [(None, 10, TypeError), (numbers(), 1, ValueError)])
def test_a_profile_refuses_what_it_cannot_measure(data: object, batches: int, error: type[Exception]) -> None:
    with pytest.raises(error):
        ds.profile(data, batches)  # type: ignore[arg-type]


def test_a_profile_of_no_rows_says_so() -> None:
    with pytest.raises(ValueError, match="has no rows"):
        ds.profile(numbers().filter(lambda x: x < 0), batches=4)
