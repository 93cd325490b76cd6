"""Drawn graphs through the API: what the real networks read as, and that every question has its answer."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from django.test import Client

from mindinsight.config.environment import Environment
from mindinsight.graphs.tasks import analyse
from mindinsight.store import ColumnStore
from tests.mindinsight.graphs.recorded import take
from tests.mindinsight.published import answer

Ask = Callable[..., Any]


@pytest.fixture
def ask(client: Client, worker: list[int]) -> Ask:
    """Asks about a graph, once it is analysed."""

    def asking(graph: str, what: str = "inside", status: int = 200, **said: object) -> Any:
        words = "".join(f"&{name}={quote(str(value), safe='')}" for name, value in said.items())
        path = f"/api/graphs/{what}?graph={quote(graph, safe='')}{words}"
        if client.get(path).status_code == 202:
            analyse(worker[-1])
        return answer(client, path, status)

    return asking


@pytest.fixture
def real(environment: Environment, real_files: Path, db: None) -> Callable[[str], str]:
    """Takes a real graph into the store and says how the questions name it."""

    def taking(name: str) -> str:
        (file,) = (real_files / "mindspore" / name).glob("*_MS")
        folder = environment.base_directory / name
        folder.mkdir(parents=True, exist_ok=True)
        ColumnStore(environment.data_directory / "columns").clear()
        return f"series:{take(environment, Path(shutil.copy(file, folder)))}"

    return taking


def walk(ask: Ask, graph: str, box: str = "") -> Iterator[dict[str, Any]]:
    """All boxes below a box, with their paths; of stacks the first occurrence."""
    for found in ask(graph, box=box)["boxes"]:
        path = f"{box}.{found['index']}" if box else str(found["index"])
        yield {**found, "path": path}
        if found["inside"] and found["kind"] == "group":
            yield from walk(ask, graph, path)


def test_resnet_reads_as_four_layers_of_bottlenecks(ask: Ask, real: Callable[[str], str]) -> None:
    graph = real("resnet50")
    root = ask(graph)
    assert len(root["boxes"]) <= 60
    layers = [box for box in root["boxes"] if box["name"].startswith("layer")]
    assert [box["name"] for box in layers] == ["layer1", "layer2", "layer3", "layer4"]
    counts = []
    for layer in layers:
        inside = ask(graph, box=str(layer["index"]))["boxes"]
        (stack,) = [box for box in inside if box["kind"] == "stack"]
        (shortcut,) = [box for box in inside if box["kind"] == "one"]
        assert (stack["name"], shortcut["params"][0].split(".")[2]) == ("Bottleneck", "down_sample")
        assert 0 in stack["variants"]
        counts.append(stack["count"])
    assert counts == [3, 4, 6, 3]


def test_bert_reads_as_twelve_encoder_layers(ask: Ask, real: Callable[[str], str]) -> None:
    graph = real("bert12")
    stacks = [box for box in walk(ask, graph) if box["kind"] == "stack"]
    layers = [box for box in stacks if box["name"] == "EncoderLayer"]
    assert [(box["count"], box["phase"]) for box in layers] == [(12, "forward")]
    shown = ask(graph, box=layers[0]["path"])
    assert [row["name"] for row in shown["instances"]] == [f"layers.{number}" for number in range(12)]
    assert shown["instances"][0]["differs"] is False
