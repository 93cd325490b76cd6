"""Worker processes compute what threads compute; whatever happens to them, rows come in order and nothing is left."""

import logging
import os
import random
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import numpy as np
import psutil
import pytest

import framework.dataset as ds
from framework.dataset.config import ErrorSamplesMode
from framework.dataset.runtime.processes.forking import ForkServer
from framework.dataset.runtime.processes.memory import SharedMemory
from framework.dataset.vision import RandomCrop
from tests.framework.dataset.runtime.threads import numbers, pipeline_threads, read, slowly, until

pytestmark = pytest.mark.processes


@pytest.fixture(scope="module")
def others() -> set[psutil.Process]:
    """The processes that earlier tests have left running."""
    return set(psutil.Process().children(recursive=True))


@pytest.fixture(scope="module")
def server(others: set[psutil.Process]) -> Iterator[psutil.Process]:
    """The fork server, kept for all tests, since it takes long to start."""
    kept = ForkServer.acquire()
    (process,) = set(psutil.Process().children()) - others
    yield process
    kept.release()
    assert set(psutil.Process().children(recursive=True)) <= others


@pytest.fixture(autouse=True)
def _nothing_is_left(server: psutil.Process, others: set[psutil.Process]) -> Iterator[None]:
    ds.config.set_seed(9)
    handles = psutil.Process().num_fds()
    yield
    ds.config.set_seed(5489)
    ds.config.set_error_samples_mode(ErrorSamplesMode.RETURN)
    assert pipeline_threads() == []
    until(lambda: server.children() == [])
    assert set(psutil.Process().children()) - others == {server}
    assert psutil.Process().num_fds() == handles


def mapped(data: ds.Dataset, function: Any, workers: int = 2, **more: Any) -> ds.Dataset:
    return data.map(function, "x", num_parallel_workers=workers, python_multiprocessing=True, **more)


def test_functions_run_in_several_processes_in_order() -> None:
    shift = 5
    data = numbers(300).map(
        lambda x: (x + shift, np.int64(os.getpid())),
        "x",
        ["x", "process"],
        num_parallel_workers=3,
        python_multiprocessing=True,
    )
    with data.create_tuple_iterator(num_epochs=2, output_numpy=True) as iterator:
        epochs = [[(row[0].item(), row[1].item()) for row in iterator] for _ in range(2)]
    assert [[x for x, _ in epoch] for epoch in epochs] == [list(range(5, 305))] * 2
    processes = {process for epoch in epochs for _, process in epoch}
    assert len(processes) == 3
    assert os.getpid() not in processes


def test_rows_and_random_numbers_are_those_of_threads() -> None:
    images = np.arange(30 * 8 * 8, dtype=np.uint8).reshape(30, 8, 8)

    def cropped(workers: int, processes: bool) -> list[Any]:
        data: ds.Dataset = ds.NumpySlicesDataset(images, ["x"])
        operations = [RandomCrop(4), lambda x: x[:, ::-1]]
        data = data.map(operations, "x", num_parallel_workers=workers, python_multiprocessing=processes)
        return read(data, 2)

    alone = cropped(1, False)
    assert alone[0] != alone[1]
    assert cropped(1, True) == cropped(3, True) == alone


def test_functions_that_draw_numbers_draw_the_same_in_any_number_of_processes() -> None:
    def drawn(workers: int) -> list[Any]:
        return read(mapped(numbers(40), lambda x: np.array([np.random.rand(), random.random()]), workers), 2)

    one = drawn(1)
    assert one == drawn(3)
    assert len({tuple(row) for epoch in one for row in epoch}) == 80


def test_functions_of_batches() -> None:
    def summed(values: list[Any], info: Any) -> tuple[list[Any]]:
        return ([np.int64(sum(values) * 100 + info.get_batch_num()), np.int64(os.getpid())],)

    data = numbers(20).batch(4, per_batch_map=summed, num_parallel_workers=2, python_multiprocessing=True)
    rows = read(data)[0]
    assert [row[0] for row in rows] == [100 * sum(range(4 * batch, 4 * batch + 4)) + batch for batch in range(5)]
    assert os.getpid() not in {row[1] for row in rows}


class Squares:
    """An object that is not for several threads: it would notice."""

    def __init__(self) -> None:
        self.inside = 0

    def __len__(self) -> int:
        return 60

    def __getitem__(self, index: int) -> tuple[Any, ...]:
        self.inside += 1
        sleep(0.001)
        assert self.inside == 1
        self.inside -= 1
        return np.int64(index**2), np.int64(os.getpid())


def test_objects_are_read_in_processes() -> None:
    data = ds.GeneratorDataset(Squares(), ["x", "process"], shuffle=False, num_parallel_workers=3)
    with data.create_tuple_iterator(num_epochs=1, output_numpy=True) as iterator:
        rows = [(row[0].item(), row[1].item()) for row in iterator]
    assert [x for x, _ in rows] == [index**2 for index in range(60)]
    assert len({process for _, process in rows} - {os.getpid()}) == 3


def test_values_of_all_kinds() -> None:
    def change(x: Any) -> Any:
        number = int(x)
        return (
            {"a": np.full((number, 2), 1.5), "b": np.asarray("text")},
            np.asfortranarray(np.arange(6.0).reshape(2, 3))[:, ::2],
            np.asarray(["ab", "c"]),
            np.float16(0.5),
        )

    data = numbers(9).map(change, "x", list("abcd"), num_parallel_workers=2, python_multiprocessing=True)
    for number, row in enumerate(data.create_dict_iterator(num_epochs=1, output_numpy=True)):
        assert row["a"]["a"].shape == (number, 2)
        assert row["a"]["b"] == "text"
        np.testing.assert_array_equal(row["b"], [[0, 2], [3, 5]])
        assert row["c"].tolist() == ["ab", "c"]
        assert row["d"].dtype == np.float16


def test_rows_larger_than_the_memory_make_it_grow(caplog: pytest.LogCaptureFixture) -> None:
    data = mapped(numbers(6), lambda x: np.full(3 << 18, x, np.int64), max_rowsize=1)
    with caplog.at_level(logging.INFO, "framework.dataset"):
        rows = mapped(data, lambda x: x[::-1] + 1, max_rowsize=[1, 2])
        assert [(len(row), row[0], row[-1]) for row in read(rows)[0]] == [(3 << 18, x + 1, x + 1) for x in range(6)]
    assert [record.message.count("max_rowsize") for record in caplog.records] == [1, 1]


def test_a_value_owns_its_memory() -> None:
    first = SharedMemory.create(100)
    data = first.dump([np.arange(1000), np.zeros(0), "x"])
    second = SharedMemory(os.dup(first.file))
    arrays = second.load(data)
    first.dump([np.zeros(1000)])
    np.testing.assert_array_equal(arrays[0], np.arange(1000))
    arrays[0][:] = 1
    assert arrays[1].shape == (0,)
    assert first.grown
    for memory in (first, second):
        memory.close()


class Odd(Exception):  # noqa: N818
    """An error that cannot be pickled."""

    def __init__(self) -> None:
        super().__init__("an odd one")
        self.lock = threading.Lock()


@pytest.mark.parametrize(("kind", "text"), [(KeyError, "KeyError: 17"), (Odd, "RuntimeError: Odd: an odd one")])
def test_errors_come_in_the_place_of_their_rows(kind: type[Exception], text: str) -> None:
    def check(x: Any) -> Any:
        if x == 17:
            raise kind(17) if kind is KeyError else kind()
        return x

    data = mapped(numbers(50), [lambda x: x, check], 3)
    got: list[int] = []
    with (
        pytest.raises(RuntimeError) as raised,
        data.create_tuple_iterator(num_epochs=1, output_numpy=True) as iterator,
    ):
        got.extend(row[0].item() for row in iterator)
    assert got == list(range(17))
    assert str(raised.value) == f"Map at {data.node.where}: operation 2 of 2 (check), at sample 17: {text}"
    assert raised.value.__cause__ is not None
    assert ", in check" in raised.value.__cause__.__notes__[0]


def test_results_that_cannot_be_sent() -> None:
    with pytest.raises(RuntimeError, match="the result cannot leave the worker process, at sample 0"):
        read(mapped(numbers(3), lambda x: {(lambda: 0): np.asarray(x)}))


def test_functions_that_cannot_be_sent_run_here(caplog: pytest.LogCaptureFixture) -> None:
    lock = threading.Lock()
    with caplog.at_level(logging.WARNING, "framework.dataset"):
        assert read(mapped(numbers(9), lambda x: (lock.locked(), x)[1]), 2) == [list(range(9))] * 2
    (record,) = caplog.records
    assert "cannot be sent to worker processes" in record.message
    assert "python_multiprocessing=False" in record.message


def test_a_worker_that_is_killed_once_is_replaced(tmp_path: Path) -> None:
    def die(x: Any) -> Any:
        if x in (5, 23) and not (tmp_path / str(x)).exists():
            (tmp_path / str(x)).touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return x

    assert read(mapped(numbers(40), die, 3)) == [list(range(40))]


@pytest.mark.parametrize("mode", [ErrorSamplesMode.RETURN, ErrorSamplesMode.SKIP])
def test_a_row_that_kills_every_worker_is_named(mode: ErrorSamplesMode, tmp_path: Path) -> None:
    def die(x: Any) -> Any:
        if x == 23:
            with (tmp_path / "tries").open("a") as file:
                file.write("x")
            os._exit(3)
        return x

    ds.config.set_error_samples_mode(mode)
    iterator = mapped(numbers(60), die, 3).create_tuple_iterator(num_epochs=1, output_numpy=True)
    got: list[int] = []
    if mode is ErrorSamplesMode.SKIP:
        got.extend(row[0].item() for row in iterator)
        assert got == [*range(23), *range(24, 60)]
    else:
        with pytest.raises(RuntimeError, match="at sample 23: its worker process ended each of 3 times"):
            got.extend(row[0].item() for row in iterator)
        assert got == list(range(23))
    assert (tmp_path / "tries").read_text() == "xxx"


def test_a_worker_that_is_killed_from_outside(server: psutil.Process) -> None:
    iterator = mapped(numbers(400), slowly, 2).create_tuple_iterator(output_numpy=True)
    assert next(iterator)[0] == 0
    server.children()[0].kill()
    assert [next(iterator)[0].item() for _ in range(399)] == list(range(1, 400))
    iterator.close()


def test_closing_while_a_function_hangs() -> None:
    def hang(x: Any) -> Any:
        sleep(60 if x == 30 else 0)
        return x

    iterator = mapped(numbers(90), hang, 2).create_tuple_iterator()
    for _ in range(10):
        next(iterator)
    start = monotonic()
    iterator.close()
    assert monotonic() - start < 1


def hanging(x: Any) -> Any:
    sleep(60)
    return x


def test_closing_while_processes_start(server: psutil.Process) -> None:
    iterator = mapped(numbers(90), hanging, 2).create_tuple_iterator()

    def read_one() -> None:
        with pytest.raises(RuntimeError, match="was stopped while a row was computed"):
            next(iterator)

    thread = threading.Thread(target=read_one)
    thread.start()
    until(lambda: bool(server.children()))
    start = monotonic()
    iterator._tree.close()
    assert monotonic() - start < 1
    thread.join(10)
    assert not thread.is_alive()
    iterator.close()


def test_opened_and_closed_many_times(server: psutil.Process) -> None:
    for number in range(40):
        iterator = mapped(numbers(50), lambda x: x + 1, 2).create_tuple_iterator(output_numpy=True)
        assert next(iterator)[0] == 1
        if number % 2:
            iterator.close()
    del iterator


_PROGRAM = """
import os, numpy as np
import framework.dataset as ds
class Local:
    def __call__(self, x):
        return x, np.int64(os.getpid())
data = ds.NumpySlicesDataset(np.arange(500), ["x"], shuffle=False)
data = data.map(Local(), "x", ["x", "p"], num_parallel_workers=2, python_multiprocessing=True)
print("begin", flush=True)
iterator = data.create_tuple_iterator(output_numpy=True)
print(*{next(iterator)[1].item() for _ in range(200)}, os.getpid(), flush=True)
"""


def test_a_program_without_a_guard_runs_once(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(_PROGRAM)
    done = subprocess.run(
        [sys.executable, str(tmp_path / "program.py")],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "PYTHONPATH": str(Path.cwd())},
    )
    assert (done.returncode, done.stderr) == (0, "")
    first, processes = done.stdout.splitlines()
    assert first == "begin"
    until(lambda: not any(psutil.pid_exists(int(process)) for process in processes.split()))


def test_a_program_that_is_killed_leaves_no_processes(tmp_path: Path) -> None:
    program = _PROGRAM + "import time; time.sleep(60)"
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        running.stdout.readline()
        processes = [int(process) for process in running.stdout.readline().split()]
        children = [child.pid for child in psutil.Process(running.pid).children(recursive=True)]
        assert set(processes) - {running.pid} <= set(children)
        running.kill()
    until(lambda: not any(psutil.pid_exists(process) for process in children))


def test_transforms_alone_need_no_processes(server: psutil.Process) -> None:
    images = np.zeros((8, 8, 8), np.uint8)
    data = mapped(ds.NumpySlicesDataset(images, ["x"]), RandomCrop(4))
    with data.create_tuple_iterator(num_epochs=1) as iterator:
        next(iterator)
        assert server.children() == []


@pytest.mark.parametrize("size", [0, -2, 1.5, True, [1, 2, 3], "big"])
def test_sizes_that_are_none(size: Any) -> None:
    with pytest.raises((TypeError, ValueError), match="max_rowsize"):
        mapped(numbers(2), lambda x: x, max_rowsize=size)
