"""A compilation leaves Python's own settings unchanged, however it ends and whoever else compiles."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

import framework as ms
from framework import Tensor
from framework.engine.memory.garbage_collection import ALLOCATION_THRESHOLD, rare_collections


@pytest.fixture(autouse=True)
def _threshold() -> Iterator[None]:
    before = gc.get_threshold()
    yield
    gc.set_threshold(*before)


def test_the_threshold_comes_back_when_the_last_one_is_done() -> None:
    gc.set_threshold(700, 10, 10)
    first, second = rare_collections(), rare_collections()
    with first:
        second.__enter__()
        assert gc.get_threshold() == (ALLOCATION_THRESHOLD, 10, 10)
    assert gc.get_threshold() == (ALLOCATION_THRESHOLD, 10, 10)
    second.__exit__(None, None, None)
    assert gc.get_threshold() == (700, 10, 10)


def test_what_is_switched_off_stays_off() -> None:
    gc.set_threshold(0)
    with rare_collections():
        assert gc.get_threshold()[0] == 0
    assert gc.get_threshold()[0] == 0


def test_compilations_leave_it_as_it_was() -> None:
    def compiled(number: int) -> Any:
        def wrong(x: Any) -> Any:
            return x * number if number % 2 else x.nothing()

        return ms.jit(wrong)(Tensor([1.0]))

    before = gc.get_threshold()
    with ThreadPoolExecutor(4) as pool:
        for future in [pool.submit(compiled, number) for number in range(8)]:
            future.exception()
    assert gc.get_threshold() == before
