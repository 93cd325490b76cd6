"""However reading ends, no thread is left and nobody waits long."""

import gc
import os
import signal
import subprocess
import sys
import threading
from time import monotonic
from typing import Any

import numpy as np
import psutil
import pytest

import framework.dataset as ds
from tests.framework.dataset.runtime.threads import numbers, pipeline_threads, read, slowly, until


@pytest.fixture(autouse=True)
def _no_thread_is_left() -> Any:
    yield
    gc.collect()
    until(lambda: pipeline_threads() == [])


def busy(count: int = 1000) -> ds.Dataset:
    return numbers(count).map(slowly, "x", num_parallel_workers=4).repeat(2).map(slowly, "x", num_parallel_workers=4)


def test_threads_end_after_the_last_epoch() -> None:
    iterator = busy(10).create_tuple_iterator(num_epochs=2)
    for epoch in range(2):
        assert sum(1 for _ in iterator) == 20, epoch
    assert pipeline_threads() == []
    with pytest.raises(RuntimeError, match="2 epochs of this iterator are over"):
        next(iterator)


@pytest.mark.parametrize("end", ["close", "stop", "release", "with", "del"])
def test_a_half_read_iterator_is_closed(end: str) -> None:
    iterator = busy().create_dict_iterator()
    for _ in range(8):
        next(iterator)
    assert pipeline_threads()
    start = monotonic()
    if end == "with":
        with iterator:
            pass
    elif end == "del":
        del iterator
    else:
        getattr(iterator, end)()
        getattr(iterator, end)()
        with pytest.raises(RuntimeError, match="was stopped"):
            next(iterator)
    assert pipeline_threads() == []
    assert monotonic() - start < 1


def test_two_pipelines_at_once_and_one_left_half_read() -> None:
    left = busy().create_tuple_iterator(output_numpy=True)
    assert [next(left)[0].item() for _ in range(5)] == list(range(5))
    one = busy(30).create_tuple_iterator(num_epochs=1, output_numpy=True)
    two = busy(30).create_tuple_iterator(num_epochs=1, output_numpy=True)
    pairs = [(a[0].item(), b[0].item()) for a, b in zip(one, two, strict=True)]
    assert pairs == [(number, number) for number in [*range(30), *range(30)]]
    assert [next(left)[0].item() for _ in range(5)] == list(range(5, 10))


def test_an_iterator_that_is_never_read() -> None:
    busy().create_tuple_iterator()
    assert pipeline_threads() == []


def open_files() -> int:
    return psutil.Process().num_fds()


def test_opened_and_closed_200_times() -> None:
    before = open_files()
    for number in range(200):
        iterator = busy(40).create_tuple_iterator(output_numpy=True)
        assert next(iterator)[0] == 0
        if number % 2:
            iterator.close()
    del iterator
    assert pipeline_threads() == []
    assert open_files() == before


def hanging(after: int, released: threading.Event) -> Any:
    for number in range(after):
        yield (np.int64(number),)
    released.wait(60)


@pytest.mark.parametrize("workers", [1, 4])
def test_a_generator_that_hangs_does_not_hold_up_closing(workers: int) -> None:
    released = threading.Event()
    data = ds.GeneratorDataset(lambda: hanging(9, released), ["x"]).map(slowly, "x", num_parallel_workers=workers)
    iterator = data.create_tuple_iterator(output_numpy=True)
    # The block that hangs may hold rows that were computed.
    assert next(iterator)[0] == 0
    start = monotonic()
    iterator.close()
    assert monotonic() - start < 1
    released.set()


def test_ctrl_c_while_a_generator_hangs() -> None:
    released = threading.Event()
    iterator = ds.GeneratorDataset(lambda: hanging(0, released), ["x"]).create_tuple_iterator()
    threading.Timer(0.1, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    start = monotonic()
    with pytest.raises(KeyboardInterrupt):
        next(iterator)
    assert monotonic() - start < 1.1
    released.set()


def test_the_next_epoch_is_prepared_while_this_one_is_used() -> None:
    begun: list[int] = []

    def source() -> Any:
        begun.append(1)
        for number in range(5):
            yield (np.zeros(1 << 21, np.uint8) + number,)

    with ds.GeneratorDataset(source, ["x"]).create_tuple_iterator(num_epochs=3, output_numpy=True) as iterator:
        next(iterator)
        until(lambda: len(begun) >= 2)
        assert sum(1 for _ in iterator) == 4
        assert [sum(1 for _ in iterator) for _ in range(2)] == [5, 5]
        assert len(begun) == 3


def test_epochs_are_skipped_after_the_next_was_prepared() -> None:
    ds.config.set_seed(4)
    data = ds.NumpySlicesDataset(np.arange(30), ["x"]).map(slowly, "x", num_parallel_workers=3)
    epochs = read(data, 5)
    with data.create_tuple_iterator(num_epochs=5, output_numpy=True) as iterator:
        assert [row[0].item() for row in iterator] == epochs[0]
        iterator.skip_epochs(2)
        assert [row[0].item() for row in iterator] == epochs[3]
        assert [row[0].item() for row in iterator] == epochs[4]
    ds.config.set_seed(5489)


_HALF_READ = """
import numpy as np
import framework.dataset as ds
from time import sleep
data = ds.NumpySlicesDataset(np.arange(1000), ["x"]).map(lambda x: (sleep(0.001), x)[1], "x", num_parallel_workers=4)
iterator = data.create_tuple_iterator()
for _ in range(20):
    next(iterator)
"""


@pytest.mark.parametrize("end", ["", "raise SystemExit(0)", "import sys; sys.modules['kept'] = iterator"])
def test_a_program_may_end_with_half_read_rows(end: str) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", _HALF_READ + end], capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_forked_process_does_not_touch_the_rows_of_its_parent() -> None:
    program = _HALF_READ + (
        "import os\n"
        "child = os.fork()\n"
        "if child == 0:\n"
        "    fresh = data.create_tuple_iterator(num_epochs=1)\n"
        "    assert sum(1 for _ in fresh) == 1000\n"
        "    try:\n"
        "        iterator.close(); iterator._tree.rows(0)\n"
        "    except RuntimeError as error:\n"
        "        assert 'made by another process' in str(error)\n"
        "        os._exit(0)\n"
        "    os._exit(1)\n"
        "assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0\n"
        "assert sum(1 for _ in iterator) == 980\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_slow_reader_finds_rows_waiting() -> None:
    made: list[int] = []

    def make(value: Any) -> Any:
        made.append(1)
        return np.full((1 << 20) + 1, value, np.uint8)

    data = numbers(12).map([slowly, make], "x", num_parallel_workers=2)
    with data.create_tuple_iterator(num_epochs=1, output_numpy=True) as iterator:
        next(iterator)
        counters = iterator._tree.counters()["prefetch"]
        until(lambda: counters.puts >= 12)
        before = counters.take_wait
        assert sum(1 for _ in iterator) == 11
        assert counters.take_wait == before
