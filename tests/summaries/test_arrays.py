"""Copies of arrays in memory that is used again: right whatever is copied, by however many threads, and bounded."""

import threading
import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from summaries import SummaryWriter
from summaries.schema.summary_pb2 import Event
from summaries.writing.arrays import BufferPool, Held, take_array

MEBIBYTE = 1 << 20
# Sizes around which copying goes another way: small arrays, whole buffers, and pieces of 4 MiB.
SIZES = [0, 1, 65_535, 65_536, 65_537, 4 * MEBIBYTE - 1, 4 * MEBIBYTE, 4 * MEBIBYTE + 1, 9 * MEBIBYTE + 3]
TYPES = ["bool", "int8", "uint16", "int32", "float16", "float32", "float64", "complex64", ">f4", ">i8"]


def numbers(size: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 256, size, np.uint8)


@pytest.mark.parametrize("size", SIZES)
def test_a_copy_has_the_same_bytes(size):
    array = numbers(size)
    copied, _ = BufferPool().copy(array)
    assert not np.shares_memory(copied, array)
    assert copied.tobytes() == array.tobytes()


@pytest.mark.parametrize("name", TYPES)
@given(
    shape=st.sampled_from([(70_000,), (3, 30_000), (7, 50, 300)]), way=st.sampled_from(["C", "F", "reversed", "every"])
)
def test_a_copy_has_the_same_elements_whatever_their_type_and_order(name, shape, way):
    array = numbers(int(np.prod(shape))).reshape(shape).astype(name)
    array = {"C": array, "F": np.asfortranarray(array), "reversed": array[::-1], "every": array[..., ::2]}[way]
    copied, _ = BufferPool().copy(array)
    assert copied.dtype == array.dtype.newbyteorder("=")
    assert copied.flags.c_contiguous
    np.testing.assert_array_equal(copied, array)


def test_an_array_that_cannot_be_written_to_is_copied_as_well():
    array = numbers(100_000)
    array.flags.writeable = False
    copied, _ = BufferPool().copy(array)
    np.testing.assert_array_equal(copied, array)


@pytest.mark.filterwarnings("ignore:.*matrix subclass:PendingDeprecationWarning")
def test_kinds_of_arrays_with_shapes_of_their_own_are_copied_as_well():
    array = numbers(90_000).reshape(300, 300)
    for other in (np.matrix(array), np.ma.masked_less(array, 3)):
        copied, _ = BufferPool().copy(other)
        np.testing.assert_array_equal(copied, array)


def test_memory_is_used_again_only_when_it_was_given_back():
    pool = BufferPool()
    first, second = numbers(MEBIBYTE, 1), numbers(MEBIBYTE, 2)
    kept, _ = pool.copy(first)
    used, buffer = pool.copy(first)
    pool.give_back(buffer)
    again, _ = pool.copy(second)
    assert np.shares_memory(used, again)
    assert not np.shares_memory(kept, again)
    assert kept.tobytes() == first.tobytes()
    assert again.tobytes() == second.tobytes()


def test_what_is_kept_for_reuse_is_bounded():
    pool = BufferPool()
    tracemalloc.start()
    try:
        for size in (MEBIBYTE, 4 * MEBIBYTE):
            buffers = [pool.copy(np.zeros(size, np.uint8))[1] for _ in range(40)]
            for buffer in buffers:
                pool.give_back(buffer)
        del buffer, buffers
        assert 32 * MEBIBYTE < tracemalloc.get_traced_memory()[0] < 65 * MEBIBYTE
    finally:
        tracemalloc.stop()


def test_many_threads_copy_while_one_gives_back():
    pool, wrong, given = BufferPool(), [], []
    sizes = [70_000, 200_000, 5 * MEBIBYTE]

    def copy(thread: int) -> None:
        arrays = [np.full(size, thread, np.uint8) for size in sizes]
        for turn in range(60):
            array = arrays[turn % len(arrays)]
            copied, buffer = pool.copy(array)
            if copied.size != array.size or copied.min() != thread or copied.max() != thread:
                wrong.append(thread)
            given.append(buffer)

    def give_back() -> None:
        while any(thread.is_alive() for thread in threads) or given:
            if given:
                pool.give_back(given.pop())

    threads = [threading.Thread(target=copy, args=(number,)) for number in range(4)]
    giver = threading.Thread(target=give_back)
    for thread in (*threads, giver):
        thread.start()
    for thread in (*threads, giver):
        thread.join()
    assert wrong == []


def test_arrays_of_many_threads_are_recorded_as_they_were(tmp_path, payloads):
    """Each thread overwrites its array right after recording it, while the writer's thread reuses memory."""

    def record(thread: int) -> None:
        array = np.empty(100_000, np.float32)
        for step in range(20):
            array.fill(thread * 100 + step)
            writer.add_tensor(f"tensor_{thread}", array, step)
        array.fill(-1)

    with SummaryWriter(tmp_path) as writer:
        threads = [threading.Thread(target=record, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    events = [Event.FromString(payload) for payload in payloads(writer.path)]
    found = [(event.step, value) for event in events for value in event.summary.value]
    assert len(found) == 80
    for step, value in found:
        expected = int(value.tag.removeprefix("tensor_")) * 100 + step
        assert set(value.tensor.float_data) == {expected}


def test_types_keep_their_names():
    assert [take_array("t", np.zeros(1, name)).element for name in ("float32", ">f4", "bool")] == [
        "float32",
        "float32",
        "bool",
    ]


def test_what_nobody_changes_any_more_is_not_copied():
    class Parameter:
        """A tensor of a library whose arrays are replaced, not overwritten, while somebody holds them."""

        def __init__(self, array, lent):
            self.array, self.lent, self.nbytes = array, lent, array.nbytes

        def held_array(self):
            return None if self.lent else self.array

        def asnumpy(self):
            return self.array

    array, small = np.zeros(1 << 20), np.arange(3.0)
    assert not take_array("t", Parameter(small, False)).fresh
    for value, fresh in ((Held(array), True), (Parameter(array, False), True), (Parameter(array, True), False)):
        taken = take_array("t", value)
        assert taken.array is array
        assert taken.fresh is fresh
