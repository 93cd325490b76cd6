from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from framework.engine.interpreter import interpret
from framework.ir.manager import Manager
from framework.ir.text import to_text
from framework.ir.verify import verify
from framework.parse import Read, parse
from tests.framework.parse import subjects


@pytest.mark.parametrize("function", subjects.EVERY, ids=lambda function: function.__name__)
def test_the_ir_of_a_function_does_what_python_does(function: Any) -> None:
    graph = parse(function)
    verify(graph)
    for x in (0, 1, 2, 5, 13):
        assert interpret(graph, x) == function(x)


def test_a_lambda_is_found_on_a_shared_line() -> None:
    double, triple = (lambda x: 2 * x), (lambda x: 3 * x)
    assert [interpret(parse(function), 5) for function in (double, triple)] == [10, 15]


def test_errors_of_the_program_are_pythons_errors() -> None:
    with pytest.raises(AssertionError, match="negative"):
        interpret(parse(subjects.checks), -1)
    with pytest.raises(ValueError, match="101 is too much"):
        interpret(parse(subjects.checks), 101)


def test_a_loop_has_no_limit_but_memory() -> None:
    def count(n: int) -> int:
        i = 0
        while i < n:
            i = i + 1
        return i

    assert interpret(parse(count), 3_000) == 3_000  # three times what Python allows calls within calls


def test_a_variable_of_one_branch_is_an_error_only_where_it_is_used() -> None:
    def late(x: int) -> int:
        if x > 0:
            y = 1
        return y if x > -5 else 0

    graph = parse(late)
    assert [interpret(graph, 3), interpret(graph, -7)] == [1, 0]
    with pytest.raises(UnboundLocalError, match="'y' may be undefined here: it is set only in line"):
        interpret(graph, 0)


def test_every_node_has_a_place() -> None:
    graph = parse(subjects.loops)
    places = {node.location for node in Manager(graph).all_nodes()}
    assert None not in places
    lines = {place.source.strip() for place in places if place is not None}
    assert {"rounds += 1", "total += x", "while x > 0:"} <= lines


def test_a_loop_keeps_its_body_once() -> None:
    def count(n: int) -> int:
        i = 0
        while i < n:
            i = i + 1
        return i

    text = to_text(parse(count), notes=False)
    assert text.count("add(") == 1
    assert "subgraph @loop parent: [subgraph @count](%para2_i) {" in text


def test_what_was_read_around_a_function_is_noted(monkeypatch: pytest.MonkeyPatch) -> None:
    reads: list[Read] = []
    graph = parse(subjects.branches, reads)
    assert interpret(graph, 2) == 6
    (read,) = reads
    assert read.what == "SCALE"
    assert read.unchanged
    monkeypatch.setattr(subjects, "SCALE", 4)
    assert not read.unchanged


def with_statement(x: Any) -> Any:
    with x:
        return 1


def try_statement(x: Any) -> Any:
    try:
        return x
    finally:
        x = 2


def yields(x: Any) -> Any:
    yield x


def deletes(x: Any) -> Any:
    del x.shape


def imports(x: Any) -> Any:
    import math

    return math.sin(x)


def global_(x: Any) -> Any:
    global SOMETHING
    SOMETHING = x


def class_(x: Any) -> Any:
    class Inner:
        pass

    return Inner


def matches(x: Any) -> Any:
    match x:
        case 1:
            return 2


def set_of(x: Any) -> Any:
    return {x}


async def asynchronous(x: Any) -> Any:
    return x


def conditional_walrus(x: Any) -> Any:
    return x and (y := 2) and y


@pytest.mark.parametrize(
    ("function", "construct", "line", "caret"),
    [
        (with_statement, "with", "with x:", 0),
        (try_statement, "try/except", "try:", 0),
        (yields, "yield", "yield x", 0),
        (deletes, "del of an attribute", "del x.shape", 4),
        (imports, "import", "import math", 0),
        (global_, "global", "global SOMETHING", 0),
        (class_, "class", "class Inner:", 0),
        (matches, "match", "match x:", 0),
        (set_of, "a set", "return {x}", 7),
        (asynchronous, "async def", "async def asynchronous", 0),
        (conditional_walrus, "an assignment that may not be reached", "return x and (y := 2) and y", 14),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_what_is_not_supported_is_named_and_pointed_at(
    function: Callable[[Any], Any], construct: str, line: str, caret: int
) -> None:
    with pytest.raises(NotImplementedError) as caught:
        parse(function)  # type: ignore[arg-type]
    message, place, source, pointer = str(caught.value).split("\n")
    assert construct in message
    assert "; " in message
    assert place.startswith(f'  File "{__file__}", line ')
    assert source.strip().startswith(line)
    assert pointer.index("^") - 4 == caret


def test_a_function_without_source_is_refused() -> None:
    names: dict[str, Any] = {}
    exec("def f(x): return x", names)  # noqa: S102
    with pytest.raises(NotImplementedError, match="define the function in a file"):
        parse(names["f"])
