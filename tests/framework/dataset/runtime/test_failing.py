"""An error comes in the place of its row, however many workers there are; modes leave such rows out or replace them."""

import logging
from collections.abc import Callable, Iterator
from time import sleep
from typing import Any

import numpy as np
import pytest

import framework.dataset as ds
from framework.dataset.config import ErrorSamplesMode
from framework.dataset.runtime import Resources, build
from tests.framework.dataset.runtime.threads import numbers, pipeline_threads, read, slowly


@pytest.fixture(autouse=True)
def _settings() -> Iterator[None]:
    yield
    ds.config.set_error_samples_mode(ErrorSamplesMode.RETURN)
    assert pipeline_threads() == []


def rows_and_error(data: ds.Dataset) -> tuple[list[Any], str]:
    got: list[Any] = []
    with (
        pytest.raises(RuntimeError) as raised,
        data.create_tuple_iterator(num_epochs=1, output_numpy=True) as iterator,
    ):
        got.extend(row[0].tolist() for row in iterator)
    return got, str(raised.value)


def failing(*rows: int, late: int = -1) -> Callable[[Any], Any]:
    """A function that fails at rows, late at one of them."""

    def check(value: Any) -> Any:
        sleep(0.05 if value == late else 0.001)
        if value in rows:
            raise KeyError(f"no {value}")
        return value

    return check


@pytest.mark.parametrize("workers", [1, 2, 8])
def test_all_rows_before_the_error_are_delivered(workers: int) -> None:
    data = numbers(60).map([slowly, failing(37)], "x", num_parallel_workers=workers)
    rows, message = rows_and_error(data)
    assert rows == list(range(37))
    line = data.node.where
    assert message == f"Map at {line}: operation 2 of 2 (check), at sample 37: KeyError: 'no 37'"
    assert __file__ in line


def test_the_first_error_in_the_order_of_rows_wins() -> None:
    for _ in range(3):
        data = numbers(60).map(failing(21, 22, 23, 40, late=21), "x", num_parallel_workers=8)
        rows, message = rows_and_error(data)
        assert rows == list(range(21))
        assert "no 21" in message


def test_after_an_error_there_are_no_more_rows() -> None:
    iterator = numbers(60).map(failing(5), "x", num_parallel_workers=4).create_tuple_iterator()
    with pytest.raises(RuntimeError, match="no 5"):
        list(iterator)
    assert pipeline_threads() == []
    assert list(iterator) == []


def test_an_error_is_raised_with_the_cause() -> None:
    iterator = numbers(60).map(failing(5), "x", num_parallel_workers=4).create_tuple_iterator()
    with pytest.raises(RuntimeError) as raised:
        list(iterator)
    assert isinstance(raised.value.__cause__, KeyError)


def generators() -> dict[str, tuple[Callable[[], Any], str]]:
    def good(number: int) -> tuple[Any, ...]:
        return np.int64(number), np.int64(0)

    def raises() -> Any:
        for number in range(20):
            yield good(number)
        raise OSError("the disk is gone")

    def counts() -> Any:
        for number in range(20):
            yield good(number)
        yield (np.int64(1),)

    def nothing() -> Any:
        for number in range(20):
            yield good(number)
        yield None

    def objects() -> Any:
        for number in range(20):
            yield good(number)
        yield object(), 1

    def leaves() -> Any:
        for number in range(20):
            yield good(number)
        raise SystemExit("no more")

    return {
        "raises": (raises, "at sample 20: OSError: the disk is gone"),
        "counts": (counts, "at sample 20: ValueError: a row of 1 values for the 2 columns x, y"),
        "nothing": (nothing, "at sample 20: ValueError: a row of 1 values for the 2 columns x, y"),
        "objects": (objects, "at sample 20: TypeError: a column holds arrays of numbers or texts"),
        "leaves": (leaves, "no more"),
    }


@pytest.mark.parametrize("workers", [1, 4])
@pytest.mark.parametrize("kind", generators())
def test_generators_that_go_wrong(kind: str, workers: int) -> None:
    source, message = generators()[kind]
    data = ds.GeneratorDataset(source, ["x", "y"]).map(slowly, "x", num_parallel_workers=workers)
    got: list[int] = []
    with (
        pytest.raises((RuntimeError, SystemExit), match=message),
        data.create_tuple_iterator(output_numpy=True) as rows,
    ):
        got.extend(row[0].item() for row in rows)
    assert got == list(range(20))


def test_another_element_type_is_cast_or_named() -> None:
    kinds = ds.GeneratorDataset(lambda: iter([(1.5,), (2,)]), ["x"], column_types=[np.float32])
    assert [row[0].dtype for row in kinds.create_tuple_iterator(num_epochs=1, output_numpy=True)] == [np.float32] * 2
    texts = ds.GeneratorDataset(lambda: iter([("a",)]), ["x"], column_types=[np.float32])
    with pytest.raises(RuntimeError, match="at sample 0: ValueError: could not convert"):
        list(texts.create_tuple_iterator(num_epochs=1))


@pytest.mark.parametrize("workers", [1, 2, 8])
def test_rows_with_errors_are_left_out(workers: int, caplog: pytest.LogCaptureFixture) -> None:
    ds.config.set_error_samples_mode(ErrorSamplesMode.SKIP)
    data = numbers(50).map(failing(0, 20, 21, 49), "x", num_parallel_workers=workers)
    with caplog.at_level(logging.WARNING, "framework.dataset"):
        assert read(data.map(slowly, "x"), 2) == [[x for x in range(50) if x not in (0, 20, 21, 49)]] * 2
    assert [record.message.split(":")[0] for record in caplog.records] == [
        "a sample with an error was left out, and others will be"
    ]


@pytest.mark.parametrize("workers", [1, 2, 8])
def test_rows_with_errors_are_replaced_by_the_good_row_before(workers: int) -> None:
    ds.config.set_error_samples_mode(ErrorSamplesMode.REPLACE)
    data = numbers(50).map(failing(0, 1, 20, 21, 49), "x", num_parallel_workers=workers)
    bad = {0: 2, 1: 2, 20: 19, 21: 19, 49: 48}
    assert read(data) == [[bad.get(x, x) for x in range(50)]]


def test_nothing_can_replace_rows_that_all_fail() -> None:
    ds.config.set_error_samples_mode(ErrorSamplesMode.REPLACE)
    with pytest.raises(RuntimeError, match="no 0"):
        read(numbers(3).map(failing(0, 1, 2), "x"))


@pytest.mark.parametrize("mode", [ErrorSamplesMode.SKIP, ErrorSamplesMode.REPLACE])
def test_a_source_that_ends_with_an_error_ends_the_rows(mode: ErrorSamplesMode) -> None:
    ds.config.set_error_samples_mode(mode)
    source, message = generators()["raises"]
    data = ds.GeneratorDataset(source, ["x", "y"]).map(slowly, "x", num_parallel_workers=3)
    with pytest.raises(RuntimeError, match=message):
        read(data)


def test_errors_are_counted_with_the_first_ten_names() -> None:
    data = numbers(50).map(failing(*range(5, 30)), "x", num_parallel_workers=4)
    resources = Resources(4, ErrorSamplesMode.SKIP)
    tree = build(data.node, 1, resources)
    assert sum(1 for _ in tree.rows(0, 1)) == 25
    assert resources.errors.count == 25
    assert [f"sample {5 + place}:" in message for place, message in enumerate(resources.errors.messages)] == [True] * 10
    tree.close()


def test_the_mode_is_checked() -> None:
    assert ds.config.get_error_samples_mode() is ErrorSamplesMode.RETURN
    with pytest.raises(TypeError, match="must be an ErrorSamplesMode"):
        ds.config.set_error_samples_mode("skip")  # type: ignore[arg-type]
