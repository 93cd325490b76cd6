"""Model files in the directory of a run through the API: listed, drawn, compared, and refused in words if damaged."""

from __future__ import annotations

import random
from pathlib import Path
from urllib.parse import quote

import pytest
from django.test import Client

from mindinsight.environment import Environment
from mindinsight.runs.models import Run
from tests.framework.mindir.writing_mindir import File
from tests.mindinsight.graphs.api.test_damaged_graphs import asking, assert_all_is_answered
from tests.mindinsight.published import answer


def _model(operator: str = "ReLU") -> File:
    file = File()
    main = file.model.graph
    value = file.input(main, "x", [-1, 3])
    for number in range(6):
        value = file.apply(main, operator, [value], f"y{number}")
    file.returns(main, value)
    return file


@pytest.fixture
def folder(environment: Environment, db: None) -> Path:
    """The directory of a run with a model of MindSpore."""
    directory = environment.base_directory / "exported"
    directory.mkdir()
    _model().write(directory)
    Run.objects.create(name="exported")
    return directory


def test_a_model_file_is_listed_drawn_and_compared(folder: Path, client: Client, worker: list[int]) -> None:
    (listed,) = answer(client, "/api/graphs/sources")["sources"]
    assert (listed["graph"], listed["kind"], listed["name"]) == ("file:exported:net.mindir", "file", "net.mindir")
    ask = asking(client, worker, listed["graph"])
    assert ask()["boxes"]
    found = ask("substructures")["found"]
    assert (found["nodes"], found["defects"]) == (7, [])
    assert_all_is_answered(ask, found["nodes"], random.Random(1))
    (folder / "other").mkdir()
    _model("Wink").write(folder / "other")
    other = quote("file:exported:other/net.mindir", safe="")
    both = asking(client, worker, f"diff:{quote(listed['graph'], safe='')}~{other}")
    assert both("changes")["counts"]["same"] < found["nodes"]


def test_missing_operators_are_among_the_defects(folder: Path, client: Client, worker: list[int]) -> None:
    _model("Wink").write(folder)
    found = asking(client, worker, "file:exported:net.mindir")("substructures")["found"]
    assert found["defect_counts"] == {"missing_operator": 6}
    assert "ms.load has no operator Wink" in found["defects"][0]["message"]


def test_a_damaged_model_file_is_refused_in_words(folder: Path, client: Client, worker: list[int]) -> None:
    path = folder / "net.mindir"
    path.write_bytes(path.read_bytes()[:-9])
    refused = asking(client, worker, "file:exported:net.mindir")(status=(409,))
    assert refused["code"] == "graph_damaged"
    assert refused["message"].startswith("net.mindir: ")
