"""Python's limit of calls while programs are compiled, and afterwards."""

from __future__ import annotations

import sys
import threading

import pytest

import framework as ms
from framework import Tensor
from framework.ir.errors import InferenceError
from framework.parse.depth import deep


def test_the_limit_is_as_before_when_the_last_of_two_threads_is_done() -> None:
    before = sys.getrecursionlimit()
    begun, go_on, seen = threading.Event(), threading.Event(), []

    def compiling() -> None:
        with deep():
            begun.set()
            go_on.wait()
            seen.append(sys.getrecursionlimit())

    with deep():
        other = threading.Thread(target=compiling)
        other.start()
        begun.wait()
    # The first to raise it goes first, and must not lower it for the other one.
    assert sys.getrecursionlimit() > before
    go_on.set()
    other.join()
    (within,) = seen
    assert within > before
    assert sys.getrecursionlimit() == before


def test_it_is_as_before_after_a_program_and_after_an_error() -> None:
    before = sys.getrecursionlimit()

    @ms.jit
    def broken(x: Tensor) -> Tensor:
        return x.no_such_method()

    with deep(), deep():
        pass
    with pytest.raises(InferenceError, match="no_such_method"):
        broken(Tensor([1.0]))
    assert sys.getrecursionlimit() == before
