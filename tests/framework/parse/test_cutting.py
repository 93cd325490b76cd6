"""The body of a function is cut into runs of statements; put together again, they are the function."""

# What a user may write is not what this project would.
# ruff: noqa
# mypy: ignore-errors
from __future__ import annotations

import contextlib
import traceback

import pytest

from framework.ir.anf import Location
from framework.parse.cutting import body_of
from framework.parse.source import find_source


def straight(x, y=2, *more, z=3, **named):
    a = x + y
    b = a * z
    c = b + sum(more)
    d = c * a
    return d + sum(named.values())


def branching(x, flag=True):
    a = x + 1
    if flag:
        b = a * 2
    else:
        b = a - 1
    for i in range(3):
        b += i
    if b > 100:
        return b
    return a + b


def perhaps(x, flag=True):
    a = x + 1
    if flag:
        b = a * 2
    c = a + 1
    return c + b


def closing(x):
    k = x + 1
    f = lambda y: y * k
    first = f(x)
    k = x + 2
    return f(x) + first


def swallowing(x):
    with contextlib.suppress(ValueError):
        a = int(x) + 1
    b = x * 2
    return b + a


def around(factor):
    def inner(x):
        a = x * factor
        b = a + factor
        return a * b

    return inner


def defining(x):
    k = x + 1

    def scaled(y):
        return y * k

    twice = lambda y: scaled(scaled(y))
    a = scaled(x) + 1
    b = twice(a)
    return b + scaled(a)


def registering(x):
    kept = []

    def own(y):
        return y + x

    kept.append(own)
    a = own(x)
    kept.remove(own)
    own.calls = a
    return own.calls + len(kept)


FUNCTIONS = {
    defining: [(2,)],
    registering: [(2,)],
    straight: [(1,), (1, 2, 3), (5, 4, 3, 2)],
    branching: [(1,), (1, False), (200,)],
    perhaps: [(1,), (1, False)],
    closing: [(2,)],
    swallowing: [(1,), ("1",), ("a",)],
    around(3): [(2,)],
}


def outcome(function, arguments):
    try:
        return function(*arguments)
    except Exception as error:
        return type(error), str(error), traceback.extract_tb(error.__traceback__)[-1].lineno


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_cut_function_is_the_function(function):
    body = body_of(function)
    count = len(find_source(function).node.body)
    for written in [(), *((one,) for one in range(count)), *((one, two) for one in range(count) for two in range(one))]:
        cut = body.cut({run: body.part(run) for run in body.runs(written)})
        for arguments in FUNCTIONS[function]:
            assert outcome(cut, arguments) == outcome(function, arguments), written


def test_runs_know_their_variables():
    before, after = body_of(straight).runs([2])
    assert (before.start, before.stop, before.inputs, before.outputs, before.ends) == (
        (0, 2, ("x", "y", "z"), ("a", "b"), False)
    )
    assert (after.start, after.stop, after.inputs, after.ends) == (3, 5, ("a", "c", "named"), True)


def test_a_variable_without_a_value_is_looked_at():
    (run,) = [run for run in body_of(perhaps).runs([1]) if run.ends]
    assert run.unsure == {"b"}


def test_functions_and_variables_that_are_set_later_stay_together():
    assert [(run.start, run.stop) for run in body_of(closing).runs([])] == [(0, 1), (2, 3), (4, 5)]


def test_inner_functions_are_defined_in_each_run_that_calls_them():
    _, first, second = body_of(defining).runs([4])
    assert (first.inputs, first.functions) == (("x", "k"), (1,))
    assert (second.inputs, second.functions) == (("a", "b", "k"), (1,))
    _, both = body_of(defining).runs([])
    assert (both.inputs, both.functions) == (("x", "k"), (1, 2))
    assert all(not run.functions for run in body_of(registering).runs([]))


def test_a_place_is_in_a_statement():
    body, first = body_of(branching), branching.__code__.co_firstlineno
    file = branching.__code__.co_filename
    places = [Location("elsewhere", 1), Location(file, first + 3, column=12), Location("elsewhere", first + 1)]
    assert body.statement_at(places) == 1
    assert body.statement_at([Location(file, first + 20, column=4)]) is None


def sees_its_frame(x):
    a = x + 1
    return locals()


def makes_values(x):
    yield x + 1


def sets_a_global(x):
    global COUNT
    COUNT = x + 1


class Named:
    def mangled(self, x):
        return self.__class_name + x


@pytest.mark.parametrize("function", [sees_its_frame, makes_values, sets_a_global, Named.mangled, lambda x: x + 1])
def test_some_functions_are_never_cut(function):
    assert body_of(function) is None


def test_a_function_without_source_is_never_cut():
    names = {}
    exec("def made(x):\n    return x + 1", names)
    assert body_of(names["made"]) is None
