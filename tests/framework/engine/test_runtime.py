"""The trampoline, in Python and in machine code."""

from __future__ import annotations

import gc
import sys
import weakref
from collections.abc import Callable, Generator
from typing import Any

import pytest

from framework.engine.codegen import runtime

WAYS = [runtime.python_trampoline, runtime.trampoline]
Calls = Generator[tuple[Callable[..., Any], tuple[Any, ...]], Any, Any]
way = pytest.mark.parametrize("wait", WAYS, ids=["python", "machine code"])


@pytest.mark.fast_path
def test_there_is_machine_code() -> None:
    assert WAYS[1] is not WAYS[0], "the compiled loops were built before the tests"


@way
@pytest.mark.parametrize("depth", [0, 1, 63, 64, 65, 100_000])
def test_calls_within_calls(wait: Any, depth: int) -> None:
    def function(n: int) -> Calls:
        if n == 0:
            return 0
        return n + (yield function, (n - 1,))

    assert wait(function(depth)) == depth * (depth + 1) // 2


@way
def test_values_and_functions_that_do_not_wait(wait: Any) -> None:
    def function() -> Calls:
        first = yield divmod, (17, 5)
        second = yield (lambda: None), ()
        third = yield inner, (1,)
        fourth = yield inner, (2,)
        return first, second, third, fourth

    def inner(x: int) -> Calls:
        doubled = yield (lambda y: 2 * y), (x,)
        return [doubled]

    assert wait(function()) == ((3, 2), None, [2], [4])


@way
@pytest.mark.parametrize("where", ["in a function", "in a generator", "at the first call", "in what cannot be called"])
def test_errors_come_through_and_nothing_stays(wait: Any, where: str) -> None:
    class Held:
        pass

    ended: list[int] = []
    kept: list[weakref.ref[Held]] = []

    def fail() -> None:
        raise LookupError("this one")

    def function(n: int) -> Calls:
        held = Held()
        kept.append(weakref.ref(held))
        try:
            if where == "at the first call" or (n == 0 and where == "in a generator"):
                fail()
            if n == 0:
                yield (fail, ()) if where == "in a function" else (None, ())  # type: ignore[misc]
            yield function, (n - 1,)
        finally:
            ended.append(n)
        return held

    with pytest.raises(TypeError if where == "in what cannot be called" else LookupError):
        wait(function(70))
    gc.collect()
    # What waits is let go of from the last one on.
    assert ended == ([70] if where == "at the first call" else list(range(71)))
    assert not any(one() for one in kept)


@way
def test_references_are_given_back(wait: Any) -> None:
    value = object()

    def function(n: int, given: Any) -> Calls:
        if n == 0:
            return given
        return (yield function, (n - 1, given))

    before = sys.getrefcount(value), sys.getrefcount(None)
    for _ in range(2000):
        assert wait(function(5, value)) is value
    assert sys.getrefcount(value) == before[0]
    assert abs(sys.getrefcount(None) - before[1]) < 500


@way
def test_programs_within_programs(wait: Any) -> None:
    def outer(n: int) -> Calls:
        return (yield (lambda: wait(inner(n))), ()) + 1

    def inner(n: int) -> Calls:
        return (yield (lambda x: x * 2), (n,))

    assert wait(outer(20)) == 41
