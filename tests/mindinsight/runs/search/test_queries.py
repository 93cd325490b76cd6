"""What queries find in the database, held against a plain evaluation of the same tree."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mindinsight.runs.models import Run, RunMarks
from mindinsight.runs.search import QueryError, condition, parse_condition, parse_order
from mindinsight.runs.search.parser import MAX_DEPTH, MAX_TERMS
from mindinsight.runs.search.tree import (
    All,
    Among,
    AnyOf,
    Call,
    Comparison,
    Containing,
    Field,
    Flag,
    Like,
    Name,
    Not,
)
from tests.mindinsight.runs.search.runs import NOW, Made, matches

pytestmark = pytest.mark.django_db

NAMES = ["lr", "0", 'a"b\\c', "conv1.weight/auto", "学习率", "a.b", "$", ""]
TEXTS = ["adam", "Adam", "a%b_", "\\", "NaN", "true", "seed one", "x" * 30]
FINITE = st.sampled_from([-1.5, 0.0, 0.1, 1.0, 2.0, 1e-9, 1e300])
FLOATS = FINITE | st.sampled_from([math.inf, -math.inf])
NOTED = FLOATS | st.integers(-(1 << 70), 1 << 70) | st.sampled_from([*TEXTS, True, False, math.nan, None, [1, "adam"]])
NOTES = st.dictionaries(st.sampled_from(NAMES), NOTED, max_size=4)
SEGMENT = st.tuples(FLOATS | st.just(math.nan), FINITE, FINITE)
MARKS = st.fixed_dictionaries(
    {
        "tags": st.lists(st.sampled_from(TEXTS), max_size=3),
        "colour": st.none() | st.integers(0, 9),
        "note": st.sampled_from(["", *TEXTS]),
        "pinned": st.booleans(),
        "archived": st.booleans(),
        "icon": st.integers(0, 10),
        "hidden": st.booleans(),
    }
)
WALL = st.none() | st.sampled_from([100.0, 103.5, 5000.0])
RUNS = st.lists(
    st.builds(
        Made,
        name=st.sampled_from(["lenet/adam", "LeNet/b_1", "bert", "a%b"]),
        state=st.sampled_from(["running", "finished", "crashed", "stalled"]),
        params=NOTES,
        metrics=NOTES,
        scalars=st.dictionaries(st.sampled_from(NAMES), st.lists(SEGMENT, min_size=1, max_size=2), max_size=3),
        marks=st.none() | MARKS,
        first_wall=WALL,
        last_wall=WALL,
        last_step=st.none() | st.integers(0, 100),
        points=st.integers(0, 1000),
    ),
    max_size=4,
    unique_by=lambda run: run.name,
)

NAMED = st.builds(Name, st.sampled_from(NAMES), st.sampled_from(["any", "param", "metric"]))
NUMBERS = (
    NAMED
    | st.builds(Call, st.sampled_from(["last", "min", "max"]), st.sampled_from(NAMES))
    | st.builds(Field, st.sampled_from(["step", "duration", "points", "started", "colour", "icon"]))
)
WORDS = NAMED | st.builds(Field, st.sampled_from(["name", "note", "tag", "state"]))
PATTERNS = st.sampled_from([*TEXTS, "*", "a*", "?dam", "*%*", "*_*", "*\\*", "**e*", ""])
LEAVES = (
    st.builds(Comparison, NUMBERS, st.sampled_from(["<", "<=", ">", ">=", "=", "!="]), FINITE)
    | st.builds(Comparison, WORDS, st.just("="), st.sampled_from(TEXTS))
    | st.builds(Comparison, NAMED, st.just("!="), st.sampled_from(TEXTS))
    | st.builds(Among, NAMED, st.lists(FINITE | st.sampled_from(TEXTS), min_size=1, max_size=3).map(tuple))
    | st.builds(Like, WORDS, PATTERNS)
    | st.builds(Containing, WORDS, PATTERNS)
    | st.builds(Flag, st.builds(Field, st.sampled_from(["pinned", "archived", "hidden", "baseline"])))
)
TERMS = st.recursive(
    LEAVES,
    lambda term: (
        st.builds(Not, term)
        | st.builds(All, st.lists(term, min_size=1, max_size=3).map(tuple))
        | st.builds(AnyOf, st.lists(term, min_size=1, max_size=3).map(tuple))
    ),
    max_leaves=6,
)


@given(runs=RUNS, terms=st.lists(TERMS, min_size=4, max_size=12))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
def test_the_database_finds_what_the_tree_says(runs: Sequence[Made], terms: Sequence[Any]) -> None:
    Run.objects.all().delete()
    RunMarks.objects.all().delete()
    for run in runs:
        run.store()
    for term in terms:
        names = set(Run.objects.filter(condition(term, now=NOW)).values_list("name", flat=True))
        assert names == {run.name for run in runs if matches(run, term)}


@pytest.mark.parametrize("query", ['name = ""', 'name ~ ""'])
def test_a_run_with_marks_and_no_given_name_has_no_empty_name(query: str) -> None:
    Made("lenet", marks={"tags": ["seed"]}).store()
    assert found(query) == []


def found(query: str) -> list[str]:
    return sorted(Run.objects.filter(parse_condition(query)).values_list("name", flat=True))


@pytest.fixture
def three() -> None:
    Made("lenet/adam_lr001", params={"lr": 0.001, "opt": "adam", "learning rate": 1}, marks={"tags": ["seed"]}).store()
    scalars = {"val_acc": [(0.8, 0.1, 0.95)], "loss": [(0.2, 0.1, 3.0)]}
    Made("lenet/sgd", "crashed", {"lr": 0.1, "opt": "sgd", "amp": True}, {"Accuracy": 0.9}, scalars).store()
    Made("bert", params={"lr": "auto"}, first_wall=1000.0, last_wall=8200.0, last_step=20_000).store()


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("", ["bert", "lenet/adam_lr001", "lenet/sgd"]),
        ("lr < 0.01", ["lenet/adam_lr001"]),
        ("lr<1e-2", ["lenet/adam_lr001"]),
        ("lr != 0.1", ["lenet/adam_lr001"]),
        ("not lr = 0.1", ["bert", "lenet/adam_lr001"]),
        ("lr = auto", ["bert"]),
        ("LENET", ["lenet/adam_lr001", "lenet/sgd"]),
        ("name ~ */sgd or bert", ["bert", "lenet/sgd"]),
        ("best(val_acc) > .9 and min(loss) <= 0.1", ["lenet/sgd"]),
        ("val_acc > .9", []),
        ("last(val_acc) = 80%", ["lenet/sgd"]),
        ("Accuracy >= 0.9", ["lenet/sgd"]),
        ("best(Accuracy) >= 0.9", ["lenet/sgd"]),
        ("tag:seed and not state:crashed", ["lenet/adam_lr001"]),
        ("state in (crashed, stalled)", ["lenet/sgd"]),
        ("opt in ('adam', sgd)", ["lenet/adam_lr001", "lenet/sgd"]),
        ('"learning rate" = 1', ["lenet/adam_lr001"]),
        ("amp = true", ["lenet/sgd"]),
        ("duration = 2h and step = 20k", ["bert"]),
        ("started < 2026-11-20", ["bert"]),
        ("started > -1d", []),
        ("not not (not (bert))", ["lenet/adam_lr001", "lenet/sgd"]),
        ("lr > 0 or lr = auto and state = crashed", ["lenet/adam_lr001", "lenet/sgd"]),
        ("(lr > 0 or lr = auto) and state = crashed", ["lenet/sgd"]),
    ],
)
def test_queries(three: None, query: str, names: list[str]) -> None:
    assert found(query) == names


@pytest.mark.parametrize(
    ("sort", "names"),
    [
        ("", ["bert", "lenet/adam_lr001", "lenet/sgd"]),
        ("-name", ["lenet/sgd", "lenet/adam_lr001", "bert"]),
        ("lr", ["lenet/adam_lr001", "lenet/sgd", "bert"]),
        ("-lr", ["lenet/sgd", "lenet/adam_lr001", "bert"]),
        ("-loss", ["lenet/sgd", "bert", "lenet/adam_lr001"]),
        ("amp, -name", ["lenet/sgd", "lenet/adam_lr001", "bert"]),
        ("-best(val_acc)", ["lenet/sgd", "bert", "lenet/adam_lr001"]),
        ("nobody has it", []),
        ("-pinned,-duration,colour,started", ["bert", "lenet/adam_lr001", "lenet/sgd"]),
    ],
)
def test_orders(three: None, sort: str, names: list[str]) -> None:
    if not names:
        with pytest.raises(QueryError):
            parse_order(sort)
    else:
        assert [run.name for run in Run.objects.order_by(*parse_order(sort))] == names


def test_the_deepest_and_the_longest_query_that_is_understood() -> None:
    deepest = "not (lr > 1 and (loss < 1 or " * (MAX_DEPTH // 2) + "max(x) > 1" + "))" * (MAX_DEPTH // 2)
    assert found(deepest) == found(" or ".join(["last(x) > 1"] * MAX_TERMS)) == []
