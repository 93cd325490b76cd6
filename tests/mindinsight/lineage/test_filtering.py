"""Queries that are decided on notes in memory, held against a plain evaluation of the same tree."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from django.db.models import Q
from django.test import Client
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pytest_django import DjangoAssertNumQueries

from mindinsight.lineage.table import FoundRuns
from mindinsight.runs.models import Run, RunMarks
from mindinsight.runs.search import parse
from mindinsight.runs.search.tree import All, Among, AnyOf, Comparison, Like, Not
from tests.mindinsight.lineage.tables import table
from tests.mindinsight.runs.search.runs import Made, matches
from tests.mindinsight.runs.search.test_queries import FINITE, NAMED, PATTERNS, RUNS, TEXTS

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("environment")]

WORDS = st.sampled_from([*TEXTS, "Infinity", "-Infinity", "false", '[1, "adam"]', '[1,"adam"]'])
LEAVES = (
    st.builds(Comparison, NAMED, st.sampled_from(["<", "<=", ">", ">=", "=", "!="]), FINITE)
    | st.builds(Comparison, NAMED, st.sampled_from(["=", "!="]), WORDS)
    | st.builds(Among, NAMED, st.lists(FINITE | WORDS, min_size=1, max_size=3).map(tuple))
    | st.builds(Like, NAMED, PATTERNS)
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
def test_notes_find_what_the_tree_says(runs: Sequence[Made], terms: Sequence[Any]) -> None:
    Run.objects.all().delete()
    RunMarks.objects.all().delete()
    name = {made.store().pk: made.name for made in runs}
    for term in terms:
        found = {name[run] for run in FoundRuns(term, Q()).runs.tolist()}
        assert found == {run.name for run in runs if matches(run, term)}


def test_names_that_all_runs_note_ask_the_database_nothing(django_assert_num_queries: DjangoAssertNumQueries) -> None:
    for at in range(3):
        Made(f"run{at}", params={"lr": 0.1 * at, "opt": "adam" if at else "sgd"}).store()
    FoundRuns(parse(""), Q())
    with django_assert_num_queries(1):
        assert len(FoundRuns(parse("lr > 0.15 or opt = sgd"), Q()).runs) == 2


def test_runs_without_a_note_may_have_a_scalar_of_that_name() -> None:
    Made("noted", metrics={"loss": 3.0}).store()
    logged = Made("logged", scalars={"loss": [(0.5, 0.5, 1.0)]}).store()
    assert FoundRuns(parse("loss < 1"), Q()).runs.tolist() == [logged.pk]


def test_the_rest_of_a_query_is_left_to_the_database(client: Client) -> None:
    Made("a", params={"lr": 0.1}, marks={"tags": ["seed"]}).store()
    Made("b", params={"lr": 0.1}).store()
    Made("c", params={"lr": 0.2}, marks={"tags": ["seed"], "archived": True}).store()
    found = table(client, "?query=lr < 1 and tag:seed")
    assert (found.header["runs"], found.header["of"]) == (1, 2)
    found = table(client, "?query=lr < 1")
    assert (found.header["runs"], found.header["of"]) == (2, 2)
