"""Settings that were changed while a run was made, through the API: of our files, and of files that suffered."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from mindinsight.environment import Environment
from mindinsight.runs import edits
from mindinsight.runs.models import Run
from summaries import SummaryWriter
from tests.mindinsight.distributions.conftest import Take
from tests.mindinsight.published import answer

PATH = "/api/runs/edits"


@pytest.fixture
def written(environment: Environment, take: Take) -> Path:
    """A file of a run in which four settings were changed."""
    with SummaryWriter(environment.base_directory / "a", environment=False) as writer:
        writer.add_scalar("loss", 0.5, 1)
        writer.add_live_edit("mode", None, "图模式", 9, walltime=3.0)
        writer.add_live_edit("learning_rate", 0.1, 0.01, 4, walltime=1.0, author="debugger", note="it diverged")
        writer.add_live_edit("frozen", False, True, 4, walltime=2.0)
        writer.add_live_edit("limit", 64, math.inf, 12, walltime=4.0)
    assert writer.path is not None
    take(writer.path)
    return writer.path


def listed(client: Client, query: str = "") -> list[Any]:
    return list(answer(client, PATH + query)["edits"])


def test_changes_in_the_order_of_their_steps(client: Client, written: Path) -> None:
    run = Run.objects.get().pk
    facts = {"run": run, "segment": 0, "author": "", "note": "", "error": None}
    assert listed(client) == [
        {
            **facts, "step": 4, "wall_time": 1.0, "name": "learning_rate", "before": 0.1, "after": 0.01,
            "author": "debugger", "note": "it diverged",
        },
        {**facts, "step": 4, "wall_time": 2.0, "name": "frozen", "before": False, "after": True},
        {**facts, "step": 9, "wall_time": 3.0, "name": "mode", "before": None, "after": "图模式"},
        {**facts, "step": 12, "wall_time": 4.0, "name": "limit", "before": 64, "after": "Infinity"},
    ]  # fmt: skip


def test_of_the_named_runs_only(client: Client, written: Path) -> None:
    run = Run.objects.get().pk
    assert len(listed(client, f"?runs={run}")) == 4
    assert listed(client, f"?runs={run + 1}") == []
    assert answer(client, f"{PATH}?runs=x", 400)["code"] == "bad_parameter"
    Run.objects.update(removed=Run.Removed.STORE)
    assert listed(client) == []


def test_an_answer_that_is_known_is_not_sent_again(client: Client, written: Path) -> None:
    etag = client.get(PATH)["etag"]
    assert client.get(PATH, headers={"if-none-match": etag}).status_code == 304


def test_of_very_many_the_newest(client: Client, written: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(edits, "MAX_EDITS", 2)
    assert [edit["name"] for edit in listed(client)] == ["frozen", "limit"]


def test_a_damaged_record_says_where_it_stands(client: Client, written: Path) -> None:
    data = bytearray(written.read_bytes())
    at = data.index(b"it diverged")
    data[at] ^= 1
    written.write_bytes(data)
    damaged, *others = listed(client)
    assert (damaged["step"], damaged["name"], damaged["before"]) == (4, "", None)
    assert damaged["error"]["code"] == "record_damaged"
    assert damaged["error"]["detail"]["file"] == f"a/{written.name}"
    assert 0 < damaged["error"]["detail"]["offset"] < at
    assert [edit["name"] for edit in others] == ["frozen", "mode", "limit"]


def test_a_file_that_is_gone_is_said_to_be(client: Client, written: Path) -> None:
    written.unlink()
    assert {edit["error"]["code"] for edit in listed(client)} == {"file_gone"}
