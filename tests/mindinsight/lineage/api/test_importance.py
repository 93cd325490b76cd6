"""`GET /api/lineage/importance` and `gap`: requested, computed by a process, cached, and requested again for new
runs."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import numpy as np
import pytest
from django.test import Client

from mindinsight.environment import Environment
from mindinsight.lineage import studies
from mindinsight.lineage.models import Study
from mindinsight.lineage.table import FoundRuns
from mindinsight.lineage.tasks import importance
from mindinsight.runs.models import Run
from summaries.reading.parameters import read_lineage
from tests.mindinsight.published import answer

PATH = "/api/lineage/importance"
ORDER = "mindinsight.api.task_queue.order"

OLD = {
    "n": 12,
    "left_out": {},
    "fit": None,
    "parameters": [],
    "interactions": [],
    "effects": [],
    "notices": [],
}

pytestmark = pytest.mark.django_db


@pytest.fixture
def orders(environment: Environment, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Takes orders; the test does the work."""
    taken: list[int] = []
    monkeypatch.setattr(ORDER, lambda _task, number: taken.append(number))
    return taken


def add(name: str, params: dict[str, Any], metrics: dict[str, Any]) -> Run:
    return Run.objects.create(name=name, params=params, metrics=metrics)


def sweep(count: int = 12) -> list[Run]:
    rng = np.random.default_rng(0)
    rates = rng.uniform(size=count).tolist()
    return [
        add(f"run{place}", {"lr": rate, "optimizer": ["Adam", "SGD"][place % 2]}, {"accuracy": rate})
        for place, rate in enumerate(rates)
    ]


def ask(client: Client, path: str = PATH, status: int = 200, **asked: Any) -> dict[str, Any]:
    query = urlencode({"target": "metrics.accuracy", **asked})
    return dict(answer(client, f"{path}?{query}", status, path))


def test_who_waits_for_a_study_does_not_have_the_table_made_again(
    client: Client, orders: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = sweep()
    ask(client, status=202)
    made: list[FoundRuns] = []
    table = FoundRuns.table
    monkeypatch.setattr(FoundRuns, "table", lambda found: (made.append(found), table(found))[1])
    ask(client, status=202)
    assert made == []
    # Another value is another question.
    Run.objects.filter(pk=runs[0].pk).update(params={"lr": 7.0}, noted=1)
    ask(client, status=202)
    assert len(made) == 1
    assert len(orders) == 2


def test_a_study_is_asked_for_once_computed_and_kept(client: Client, orders: list[int]) -> None:
    sweep()
    first = ask(client, status=202)
    assert (first["state"], first["result"], first["outdated"]) == ("waiting", None, False)
    ask(client, status=202)
    assert len(orders) == 1
    importance(orders[0])
    done = ask(client)
    assert (done["state"], done["progress"]) == ("done", 1.0)
    assert done["result"]["n"] == 12
    assert done["result"]["parameters"][0]["name"] == "lr"
    assert not list(studies.directory().iterdir())
    etag = client.get(PATH, {"target": "metrics.accuracy"})["ETag"]
    again = client.get(PATH, {"target": "metrics.accuracy"}, headers={"If-None-Match": etag})
    assert again.status_code == 304
    assert len(orders) == 1


def test_a_run_that_arrives_asks_anew_and_the_old_answer_stays_meanwhile(
    client: Client, orders: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    sweep()
    ask(client, status=202)
    Study.objects.update(state=Study.State.DONE, result=OLD)
    add("late", {"lr": 0.5, "optimizer": "Adam"}, {"accuracy": 0.5})
    resting = ask(client, status=202)
    assert (resting["state"], resting["outdated"], resting["result"]) == ("waiting", True, OLD)
    assert len(orders) == 1
    monkeypatch.setattr(studies, "REST", 0.0)
    assert ask(client, status=202)["outdated"]
    assert len(orders) == 2
    add("later", {"lr": 0.6, "optimizer": "Adam"}, {"accuracy": 0.6})
    ask(client, status=202)
    # The newest question is answered; the one before it is not worth the time.
    importance(orders[1])
    assert Study.objects.filter(pk=orders[1]).count() == 0


@pytest.mark.parametrize(("state", "silent", "asked"), [("running", 61, 2), ("running", 30, 1), ("waiting", 61, 1)])
def test_a_study_whose_worker_was_killed_is_asked_for_again(
    client: Client, orders: list[int], state: str, silent: float, asked: int
) -> None:
    sweep()
    ask(client, status=202)
    Study.objects.update(state=state, changed=time.time() - silent)
    ask(client, status=202)
    assert len(orders) == asked


def test_the_gap_names_runs_by_their_numbers(client: Client, orders: list[int]) -> None:
    runs = sweep()
    worst = min(runs, key=lambda run: run.metrics["accuracy"])
    best = max(runs, key=lambda run: run.metrics["accuracy"])
    ask(client, "/api/lineage/gap", 202, run=worst.pk)
    importance(orders[0])
    done = ask(client, "/api/lineage/gap", run=worst.pk)
    found = done["result"]
    assert (found["best"], found["run"], found["better"]) == (best.pk, worst.pk, "max")
    assert found["parts"][0]["name"] == "lr"
    add("empty", {}, {})
    missing = ask(client, "/api/lineage/gap", 409, run=Run.objects.get(name="empty").pk)
    assert missing["code"] == "no_target"
    assert ask(client, "/api/lineage/gap", 404, run=999_999)["code"] == "run_not_found"


def test_a_target_that_no_run_has_is_named(client: Client, orders: list[int]) -> None:
    sweep(4)
    assert ask(client, status=404, target="metrics.f1")["code"] == "unknown_target"
    assert ask(client, status=400, query="lr <")["code"] == "bad_query"
    assert orders == []


def test_an_order_that_is_gone_fails_in_words(client: Client, orders: list[int]) -> None:
    sweep(4)
    ask(client, status=202)
    for path in studies.directory().iterdir():
        path.unlink()
    importance(orders[0])
    failed = ask(client)
    assert failed["state"] == "failed"
    assert failed["problem"]["code"] == "study_failed"


@pytest.mark.parametrize("library", ["sklearn", "scipy"])
def test_a_missing_library_is_a_sentence_that_names_the_extra_until_it_is_installed(
    client: Client, orders: list[int], monkeypatch: pytest.MonkeyPatch, library: str
) -> None:
    sweep(4)
    ask(client, status=202)
    with monkeypatch.context() as light:
        light.setitem(sys.modules, library, None)
        importance(orders[0])
    failed = ask(client)
    assert (failed["state"], failed["problem"]["code"]) == ("failed", "importance_missing")
    assert failed["problem"]["message"].endswith("pip install 'mindinsight[importance]'")
    assert list(studies.directory().iterdir()) == []
    Study.objects.update(changed=time.time() - 11)
    assert ask(client, status=202)["problem"] is None
    importance(orders[1])
    assert ask(client)["state"] == "done"


def test_eight_real_runs_are_too_few_to_be_ranked(client: Client, orders: list[int], real_files: Path) -> None:
    for directory in sorted((real_files / "mindspore" / "lenet").iterdir()):
        params: dict[str, Any] = {}
        metrics: dict[str, Any] = {}
        for file in sorted(directory.glob("*_lineage")):
            notes = read_lineage(file)
            params |= notes.params
            metrics |= notes.metrics
        add(directory.name, params, metrics)
    ask(client, status=202, target="metrics.Accuracy")
    importance(orders[0])
    found = ask(client, target="metrics.Accuracy")["result"]
    told = {notice["code"]: notice for notice in found["notices"]}
    assert told["too_few"]["n"] == 8
    assert told["identifier"]["names"] == ["run"]
    # Both runs that learnt nothing had six epochs and the lowest learning rate: eight runs cannot tell which it was.
    assert set(told["confounded"]["names"]) == {"epoch", "learning_rate"}
    assert found["parameters"] == []


def test_neither_web_server_nor_worker_imports_scikit_learn() -> None:
    code = (
        "import mindinsight.config.django_setup as setup, sys; setup.set_up();"
        "import mindinsight.lineage.urls, mindinsight.lineage.tasks;"
        "print([name for name in ('sklearn', 'scipy') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
