"""Layouts of charts in files as TensorBoard's writers make them, and as nobody should."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from mindinsight.environment import Environment
from summaries.records import frame
from summaries.schema.tensorboard_layout_pb2 import Layout
from summaries.schema.tensorboard_pb2 import DataType, Event
from tests.mindinsight.distributions.conftest import Take, take

__all__ = ["take"]

pytestmark = pytest.mark.django_db(transaction=True)


def layout() -> bytes:
    """Two categories: curves by a pattern and by name, and a band."""
    made = Layout()
    losses = made.category.add(title="Losses")
    losses.chart.add(title="both").multiline.tag.append("loss/.*")
    losses.chart.add(title="train").multiline.tag.append("loss/train")
    made.category.add(title="Bands").chart.add(title="m").margin.series.add(value="m/v", lower="m/lo", upper="m/hi")
    return made.SerializeToString()


def event(content: bytes) -> Event:
    event = Event(wall_time=100.0)
    value = event.summary.value.add(tag="custom_scalars__config__")
    value.metadata.plugin_data.plugin_name = "custom_scalars"
    value.tensor.dtype = DataType.DT_STRING
    value.tensor.string_val.append(content)
    return event


def write(environment: Environment, *events: Event) -> Path:
    path = environment.base_directory / "run" / "events.out.tfevents.1.host"
    path.parent.mkdir(parents=True, exist_ok=True)
    first = Event(wall_time=1.0, file_version="brain.Event:2")
    path.write_bytes(b"".join(frame(one.SerializeToString()) for one in (first, *events)))
    return path


def charts(client: Client) -> list[dict[str, Any]]:
    answer = client.get("/api/scalars/layouts")
    assert answer.status_code == 200, answer.content
    return list(answer.json()["charts"])


def test_a_layout_has_its_charts_by_category(environment: Environment, take: Take, client: Client) -> None:
    run = take(write(environment, event(layout()))).pk
    assert charts(client) == [
        {"run": run, "category": "Losses", "title": "both", "patterns": ["loss/.*"], "tags": []},
        {"run": run, "category": "Losses", "title": "train", "patterns": ["loss/train"], "tags": []},
        {"run": run, "category": "Bands", "title": "m", "patterns": [], "tags": ["m/v", "m/lo", "m/hi"]},
    ]


def test_the_newest_layout_counts(environment: Environment, take: Take, client: Client) -> None:
    newer = Layout()
    newer.category.add(title="New").chart.add(title="only").multiline.tag.append("x")
    take(write(environment, event(layout()), event(newer.SerializeToString())))
    assert [chart["title"] for chart in charts(client)] == ["only"]


def test_a_broken_layout_is_left_out(environment: Environment, take: Take, client: Client) -> None:
    take(write(environment, event(b"\xff\xff\xff")))
    assert charts(client) == []


def test_a_layout_is_no_tensor_and_no_text(environment: Environment, take: Take, client: Client) -> None:
    take(write(environment, event(layout())))
    for address in ("/api/tensors/tags", "/api/text/tags", "/api/scalars/tags"):
        assert client.get(address).json()["tags"] == [], address
