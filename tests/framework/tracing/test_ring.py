"""The ring of slices: nothing is read twice, what is overwritten is counted, and an unfinished row waits."""

import numpy as np
import pytest

from framework.tracing import Ring


def test_rows_are_taken_once_and_in_order() -> None:
    ring = Ring(8)
    for number in range(5):
        ring.add(number, 10 * number + 1, 10 * number + 5, 7)
    assert ring.take().tolist() == [[number, 10 * number + 1, 10 * number + 5, 7] for number in range(5)]
    assert not len(ring.take())
    for number in range(6):
        ring.add(number, 1, 2, 7)
    assert ring.take()[:, 0].tolist() == [0, 1, 2, 3, 4, 5]
    assert ring.lost == 0


def test_what_comes_too_fast_is_counted() -> None:
    ring = Ring(8)
    for number in range(20):
        ring.add(number, 1, 2, 7)
    assert ring.take()[:, 0].tolist() == list(range(12, 20))
    assert ring.lost == 12


def test_a_row_that_is_being_written_waits_for_its_end() -> None:
    ring = Ring(8)
    ring.add(0, 1, 2, 7)
    ring.add(1, 3, 0, 7)
    ring.add(2, 5, 6, 7)
    assert ring.take()[:, 0].tolist() == [0]
    words = np.ctypeslib.as_array((np.ctypeslib.ctypes.c_int64 * 33).from_address(ring.address))
    words[1 + 4 + 2] = 4
    assert ring.take().tolist() == [[1, 3, 4, 7], [2, 5, 6, 7]]


def test_the_capacity_is_a_power_of_two() -> None:
    with pytest.raises(ValueError, match="power of two"):
        Ring(12)
