"""Runs through the API; every answer is held against the published schema."""

from __future__ import annotations

import pytest
from django.test import Client

from mindinsight.environment import Environment
from mindinsight.runs.models import EventFile, Run, Series
from tests.mindinsight.published import answer

pytestmark = pytest.mark.django_db


@pytest.fixture
def run(environment: Environment) -> Run:
    segments = [{"number": 0, "first_step": 0, "last_step": 2, "first_wall": 100.0}]
    run = Run.objects.create(name="lenet/adam", opened=100.0, tag_count=1, point_count=3, segments=segments)
    file = EventFile.objects.create(run=run, path="lenet/adam/events", size=1000, offset=400)
    series = Series.objects.create(id=1 << 31, run=run, file=file, tag="loss", kind="scalar", count=3, last_value=1.0)
    run.lead_series = series.pk
    run.save()
    return run


def test_runs(client: Client, run: Run) -> None:
    Run.objects.create(name="older", opened=50.0)
    body = answer(client, "/api/runs")
    assert body["count"] == 2
    assert [row["name"] for row in body["results"]] == ["lenet/adam", "older"]
    first = body["results"][0]
    assert (first["bytes"], first["bytes_read"], first["files"]) == (1000, 400, 1)
    assert first["lead_tag"] == {"series": 1 << 31, "name": "loss", "last_value": 1.0}
    assert first["segments"] == run.segments
    assert first["reading"] is None
    assert answer(client, "/api/runs?search=LENET")["count"] == 1
    assert answer(client, "/api/runs?limit=1&offset=1")["results"][0]["name"] == "older"


def test_a_run_that_is_being_read_says_how_fast(client: Client, run: Run) -> None:
    Run.objects.update(reading={"events_per_second": 3.2e6, "seconds_left": 12.5})
    (row,) = answer(client, "/api/runs")["results"]
    assert row["reading"] == {"events_per_second": 3.2e6, "seconds_left": 12.5}


def test_one_run(client: Client, run: Run) -> None:
    assert answer(client, f"/api/runs/{run.uid.hex}", template="/api/runs/{uid}")["name"] == "lenet/adam"


def test_an_unknown_run(client: Client, environment: Environment) -> None:
    body = answer(client, "/api/runs/" + "0" * 32, 404, "/api/runs/{uid}")
    assert body["code"] == "run_not_found"
