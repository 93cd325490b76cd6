"""The parsed form of queries, and the messages for invalid ones."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindinsight.runs.search import QueryError, parse, parse_columns, parse_sort
from mindinsight.runs.search.parser import MAX_DEPTH, MAX_TERMS
from mindinsight.runs.search.tree import All, AnyOf, Call, Comparison, Containing, Field, Flag, Like, Name, Not
from mindinsight.runs.search.vocabulary import best_of


def word(text: str) -> Containing:
    return Containing(Field("name"), text)


LR = Comparison(Name("lr"), "<", 0.01)


@pytest.mark.parametrize(
    ("query", "tree"),
    [
        ("", All(())),
        ("lr<.01", LR),
        ("LR AND not lr < 1e-2", All((Containing(Field("name"), "LR"), Not(LR)))),
        ("a or b and c", AnyOf((word("a"), All((word("b"), word("c")))))),
        ("conv1.weight/auto >= -2.5e3", Comparison(Name("conv1.weight/auto"), ">=", -2500.0)),
        (r'"a \"b\" \\" == x', Comparison(Name('a "b" \\'), "=", "x")),
        ("param:step > 5", Comparison(Name("step", "param"), ">", 5.0)),
        ("'step' > 5", Comparison(Name("step"), ">", 5.0)),
        ("step > 5", Comparison(Field("step"), ">", 5.0)),
        ("name = 5", Comparison(Field("name"), "=", "5")),
        ("name ~ 'a*'", Like(Field("name"), "a*")),
        ("pinned and archived = false", All((Flag(Field("pinned")), Not(Flag(Field("archived")))))),
        ("best(valAcc) > 1", Comparison(Call("max", "valAcc"), ">", 1.0)),
        ("best('train loss') > 1", Comparison(Call("min", "train loss"), ">", 1.0)),
        ("duration > 1.5h", Comparison(Field("duration"), ">", 5400.0)),
    ],
)
def test_trees(query: str, tree: object) -> None:
    assert parse(query) == tree


@pytest.mark.parametrize(
    ("query", "position", "length", "expected"),
    [
        ("lr <", 4, 0, "a number or a text"),
        ("lr < abc", 5, 3, "a number, such as"),
        ("lr 0.01", 3, 4, "a comparison"),
        ("lr < 1 state:crashed", 7, 5, "'and', 'or' or the end"),
        ("(lr < 1", 7, 0, "a closing )"),
        ("lr < 1)", 6, 1, "'and', 'or' or the end"),
        ("'lr < 1", 0, 7, "a closing '"),
        ("lr < 1 and", 10, 0, "a condition"),
        ("state = crash", 8, 5, "one of running, finished, crashed, stalled"),
        ("state < 1", 6, 1, "=, !=, in or ~"),
        ("median(loss) < 1", 0, 6, "one of the functions last, min, max, mean, best"),
        ("best(foo) < 1", 5, 3, "min(...) or max(...)"),
        ("step = abc", 7, 3, "a number"),
        ("started > yesterday", 10, 9, "a time"),
        ("tag != a", 4, 2, "'not tag:...'"),
        ("pinned = 1", 9, 1, "true or false"),
        ("max(loss) ~ a", 0, 9, "a text before ~"),
        ("lr:1", 2, 1, "a name with a colon in it needs quotes"),
        ("a in 1", 5, 1, "values in parentheses"),
        ("1 < lr", 0, 1, "the name first"),
        ("lr < 1e999", 5, 5, "a smaller number"),
        ("lr ; 1", 3, 1, "needs quotes"),
        ("x" * 4001, 4000, 1, "at most 4000"),
        ("a or " * MAX_TERMS + "a", 5 * MAX_TERMS, 1, "at most 64"),
        ("(" * 50_000, 4000, 46_000, "at most"),
        ("(" * 1000, MAX_DEPTH, 1, "at most"),
    ],
)
def test_errors_name_the_place(query: str, position: int, length: int, expected: str) -> None:
    with pytest.raises(QueryError) as caught:
        parse(query)
    assert (caught.value.span.position, caught.value.span.length) == (position, length)
    assert expected in caught.value.expected
    assert str(caught.value).startswith(f"At character {position + 1} ")


def test_orders_and_columns() -> None:
    lr, loss = parse_sort(" lr , -best('val, loss')")
    assert (lr.operand, lr.descending) == (Name("lr"), False)
    assert (loss.operand, loss.descending) == (Call("min", "val, loss"), True)
    assert [column.title for column in parse_columns('lr, max(acc),"a b"')] == ["lr", "max(acc)", '"a b"']
    assert not parse_sort("")
    assert not parse_columns(" ")


@pytest.mark.parametrize(("text", "position"), [("lr,,x", 3), ("lr,", 3), ("lr, tag", 4), ("a, b c", 5), ("lr, -5", 5)])
def test_errors_in_orders(text: str, position: int) -> None:
    with pytest.raises(QueryError) as caught:
        parse_sort(text)
    assert caught.value.span.position == position


@pytest.mark.parametrize(
    ("tag", "best"),
    [
        ("loss", "min"),
        ("train/accuracy", "max"),
        ("valLoss", "min"),
        ("top1_error", "min"),
        ("mAP", "max"),
        ("lr", None),
    ],
)
def test_what_is_best(tag: str, best: str | None) -> None:
    assert best_of(tag) == best


@given(st.text(max_size=60) | st.text("lr<>=~:(),'\\\" andortgin01e.-", max_size=40))
def test_any_text_is_understood_or_refused_at_a_place_in_it(text: str) -> None:
    for read in (parse, parse_sort, parse_columns):
        refusal = refusal_of(read, text)
        if refusal is not None:
            assert 0 <= refusal.span.position <= refusal.span.position + refusal.span.length <= len(text)
            assert refusal.expected


def refusal_of(read: Callable[[str], object], text: str) -> QueryError | None:
    try:
        read(text)
    except QueryError as error:
        return error
    return None
