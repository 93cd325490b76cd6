"""Graphs through the API: the first request starts the search, equal graphs share it, and errors are reported."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from django.test import Client

from mindinsight.environment import Environment
from mindinsight.graphs.models import Analysis
from mindinsight.graphs.tasks import analyse
from tests.mindinsight.graphs.recorded import take
from tests.mindinsight.published import answer

LIST = "/api/graphs/substructures"
ONE = "/api/graphs/substructure"


def test_graphs_of_a_run_are_listed(client: Client, series: int) -> None:
    (group,) = answer(client, "/api/graphs/tags")["tags"]
    assert group["series"][0]["series"] == series


def test_the_first_question_starts_the_search(client: Client, series: int, worker: list[int]) -> None:
    waiting = answer(client, f"{LIST}?series={series}", 202)
    assert (waiting["state"], waiting["found"]) == ("waiting", None)
    answer(client, f"{LIST}?series={series}", 202)
    assert len(worker) == 1
    analyse(worker[0])
    done = answer(client, f"{LIST}?series={series}")
    assert (done["state"], done["progress"]) == ("done", 1.0)
    layer = done["found"]["substructures"][0]
    assert (layer["name"], layer["count"], layer["size"]) == ("Layer", 5, 48)
    assert done["found"]["nodes"] == 251
    assert done["found"]["shown"] + done["found"]["dictionary"] < 60


def test_an_unchanged_answer_is_not_sent_again(client: Client, series: int, worker: list[int]) -> None:
    client.get(f"{LIST}?series={series}")
    analyse(worker[0])
    etag = client.get(f"{LIST}?series={series}").headers["ETag"]
    assert client.get(f"{LIST}?series={series}", headers={"If-None-Match": etag}).status_code == 304


def test_one_sub_structure_has_its_occurrences(client: Client, series: int, worker: list[int]) -> None:
    assert answer(client, f"{ONE}?series={series}&id=0", 409)["code"] == "not_analysed"
    analyse(worker[0])
    whole = answer(client, f"{ONE}?series={series}&id=0")
    assert len(whole["occurrences"]) == 5
    assert all(len(row) == 48 for row in whole["occurrences"])
    assert whole["series"] == [[0, 1, 2, 3, 4]]
    part = answer(client, f"{ONE}?series={series}&id=0&first=3&count=1")
    assert part["occurrences"] == whole["occurrences"][3:4]
    assert answer(client, f"{ONE}?series={series}&id=99", 404)["code"] == "unknown_substructure"


def test_equal_graphs_are_analysed_once(
    client: Client, series: int, worker: list[int], environment: Environment
) -> None:
    (file,) = (environment.base_directory / "a").glob("*_MS")
    (environment.base_directory / "b").mkdir()
    copy = Path(shutil.copy(file, environment.base_directory / "b"))
    other = take(environment, copy)
    client.get(f"{LIST}?series={series}")
    analyse(worker[0])
    assert answer(client, f"{LIST}?series={other}")["state"] == "done"
    assert len(worker) == 1
    answer(client, f"{LIST}?series={series}&equivalence=shape", 202)
    assert len(worker) == 2


def test_lost_results_and_forgotten_searches_are_made_again(
    client: Client, series: int, worker: list[int], environment: Environment
) -> None:
    client.get(f"{LIST}?series={series}")
    Analysis.objects.update(changed=0.0)
    answer(client, f"{LIST}?series={series}", 202)
    assert len(worker) == 2
    analyse(worker[0])
    shutil.rmtree(environment.data_directory / "graphs")
    answer(client, f"{LIST}?series={series}", 202)
    assert len(worker) == 3


def test_without_a_broker_it_says_so(client: Client, series: int) -> None:
    assert answer(client, f"{LIST}?series={series}", 503)["code"] == "broker_down"
    assert not Analysis.objects.exists()


def test_a_graph_that_cannot_be_read_says_why(
    client: Client, series: int, worker: list[int], environment: Environment
) -> None:
    client.get(f"{LIST}?series={series}")
    (file,) = (environment.base_directory / "a").glob("*_MS")
    file.unlink()
    analyse(worker[0])
    assert answer(client, f"{LIST}?series={series}", 404)["code"] == "file_gone"
    assert Analysis.objects.get().problem["code"] == "file_gone"


@pytest.mark.parametrize(
    ("query", "status", "code"),
    [
        ("series=999", 404, "unknown_series"),
        ("series=x", 400, "bad_parameter"),
        ("series=1&equivalence=name", 400, "bad_parameter"),
    ],
)
def test_wrong_questions_are_refused(client: Client, db: None, query: str, status: int, code: str) -> None:
    assert answer(client, f"{LIST}?{query}", status)["code"] == code


def test_another_place_is_another_graph(client: Client, series: int) -> None:
    assert answer(client, f"{LIST}?series={series}&place=5", 404)["code"] == "unknown_graph"
