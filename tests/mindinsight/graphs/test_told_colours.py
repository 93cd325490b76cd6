"""A run's values of nodes by name, as colours: norms of recorded gradients, and hits of watchpoints."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.test import Client

from mindinsight.debugger.sessions.records import find_session, open_session, store
from mindinsight.environment import Environment
from mindinsight.graphs.gradients import names_in
from summaries import SummaryWriter
from summaries.schema.debugger_pb2 import Hello
from tests.mindinsight.graphs.recorded import asked_of_run, proto, run_with, take_all

PARAMETERS = [parameter.name for parameter in proto().parameters]


@pytest.fixture
def run(environment: Environment, db: None) -> Path:
    """The directory of a run with a graph."""
    return run_with(environment, proto())


@pytest.fixture
def ask(client: Client, worker: list[int], run: Path) -> Any:
    """Asks about the graph of the run."""
    return asked_of_run(client, worker)


def whole(overlay: dict[str, Any]) -> float:
    """The norm of everything, from those of the boxes."""
    return float(np.sqrt(sum(float(value) ** 2 for value in overlay["values"] if value is not None)))


def test_nothing_is_told_of_a_run_that_tells_nothing(ask: Any) -> None:
    for by, unit in (("gradient", "norm"), ("hits", "hits")):
        found = ask(f"overlay?box=&by={by}")
        assert (found["known"], found["step"], found["unit"]) == (False, None, unit)
        assert set(found["values"]) == {None}


@pytest.mark.parametrize("kind", ["tensor", "histogram", "scalar"])
def test_the_norm_of_a_box_is_that_of_all_gradients_in_it(
    ask: Any, run: Path, environment: Environment, kind: str
) -> None:
    rng = np.random.default_rng(0)
    gradients = {name: rng.normal(size=4000).astype(np.float32) for name in PARAMETERS}
    with SummaryWriter(run, filename_suffix="_grad") as writer:
        for step in (3, 7):
            for name, gradient in gradients.items():
                value = gradient * step
                if kind == "tensor":
                    writer.add_tensor(f"{name}/grad", value, step)
                elif kind == "scalar":
                    writer.add_scalar(f"{name}.grad_norm", float(np.linalg.norm(value)), step)
                else:
                    writer.add_histogram(f"gradients/{name}/auto", value, step)
    assert writer.path is not None
    take_all(environment, writer.path)
    exact = float(np.linalg.norm(np.concatenate(list(gradients.values())))) * 7
    found = ask("inside?box=&by=gradient")["overlay"]
    assert (found["known"], found["step"], found["unit"]) == (True, 7, "norm")
    # A distribution knows its elements as far as its buckets do.
    assert whole(found) == pytest.approx(exact, rel=0.02 if kind == "histogram" else 1e-6)
    (stack,) = [box for box in ask("inside?box=")["boxes"] if box["kind"] == "stack"]
    inside = ask(f"overlay?box={stack['index']}%230&by=gradient")
    assert 0 < whole(inside) < float(found["values"][stack["index"]])


def test_a_gradient_that_is_not_finite_is_told_of_all_around_it(ask: Any, run: Path, environment: Environment) -> None:
    with SummaryWriter(run, filename_suffix="_grad") as writer:
        writer.add_scalar(f"{PARAMETERS[0]}/grad_norm", float("nan"), 1)
        writer.add_histogram(f"{PARAMETERS[1]}/grad", np.asarray([1.0, np.inf]), 1)
        writer.add_tensor(f"{PARAMETERS[2]}/grad", np.asarray([1.0, np.nan]), 1)
        writer.add_tensor(f"{PARAMETERS[3]}/grad", np.asarray([3e200, 4e200]), 1)
    assert writer.path is not None
    take_all(environment, writer.path)
    for name, told in zip(PARAMETERS, ("inf", "inf", "inf", "5e+200"), strict=False):
        (row,) = ask(f"search?query=/^{name.replace('.', '%5C.')}$/&count=9")["rows"]
        box = ask(f"box?node={row['node']}")["box"]
        around, _, index = box.rpartition(".")
        boxes = [one["index"] for one in ask(f"inside?box={around.replace('#', '%23')}")["boxes"]]
        values = ask(f"overlay?box={around.replace('#', '%23')}&by=gradient")["values"]
        # Its own square is more than a number can be.
        assert values[boxes.index(int(index))] in (told, "inf")
    assert "inf" in ask("overlay?box=&by=gradient")["values"]


def test_newer_gradients_are_another_answer(ask: Any, client: Client, run: Path, environment: Environment) -> None:
    address = "/api/graphs/overlay?box=&by=gradient&graph=graph:a:0"
    answers = [client.get(address)]
    for step in (1, 2):
        with SummaryWriter(run, filename_suffix=f"_grad{step}") as writer:
            writer.add_scalar(f"{PARAMETERS[0]}/grad_norm", float(step), step, walltime=float(step))
        assert writer.path is not None
        take_all(environment, writer.path)
        answers.append(client.get(address, HTTP_IF_NONE_MATCH=answers[-1]["ETag"]))
    assert [one.status_code for one in answers] == [200, 200, 200]
    assert [whole(one.json()) for one in answers] == [0, 1, 2]
    assert client.get(address, HTTP_IF_NONE_MATCH=answers[-1]["ETag"]).status_code == 304


def test_a_gradient_whose_file_is_gone_is_not_told(ask: Any, run: Path, environment: Environment) -> None:
    with SummaryWriter(run, filename_suffix="_grad") as writer:
        writer.add_histogram(f"{PARAMETERS[0]}/grad", np.ones(4), 1)
    assert writer.path is not None
    take_all(environment, writer.path)
    writer.path.unlink()
    found = ask("overlay?box=&by=gradient")
    assert (found["known"], set(found["values"])) == (True, {None})


@pytest.mark.parametrize(
    ("tag", "is_number", "names"),
    [
        ("conv1.weight/grad", False, ["conv1.weight"]),
        ("conv1.weight.grad", False, ["conv1.weight"]),
        ("conv1.weight_gradients/auto", False, ["conv1.weight"]),
        ("gradients/conv1.weight", False, ["conv1.weight"]),
        ("Grad/fc.bias/auto", False, ["fc.bias"]),
        ("conv1.weight/grad_norm", True, ["conv1.weight"]),
        ("grad_l2_norm/conv1.weight", True, ["conv1.weight"]),
        ("grad/grad", False, ["grad"]),
        ("conv1.weight/grad", True, []),
        ("conv1.weight/grad_norm", False, []),
        ("grad_norm", True, []),
        ("upgrade/weight", False, []),
        ("weight/graduate", False, []),
    ],
)
def test_a_tag_says_what_it_is_the_gradient_of(tag: str, is_number: bool, names: list[str]) -> None:
    assert names_in(tag, is_number=is_number) == names


def hit(name: str) -> dict[str, Any]:
    """As a session keeps it."""
    return {"watchpoint": 1, "tensor": {"full_name": name, "slot": 0, "iteration": 0}}


def test_hits_of_the_newest_session_are_counted_with_and_without_a_pause(
    ask: Any, client: Client, run: Path, environment: Environment
) -> None:
    address = "/api/graphs/overlay?box=&by=hits&graph=graph:a:0"
    keys = [open_session(Hello(summary_dir=str(run), pid=pid), "web").key for pid in (1, 2)]
    none = client.get(address)
    assert (none.json()["known"], none.json()["step"], set(none.json()["values"])) == (True, None, {None})
    first, second = PARAMETERS[:2]
    for key, hits, log in (
        (keys[0], [{"step": 9, "hits": [hit(first)] * 50, "left_out": 0}], []),
        (
            keys[1],
            [{"step": 3, "hits": [hit(first), hit(second)], "left_out": 0}],
            [{"step": 5, "hits": [hit(first), hit("nobody")]}],
        ),
    ):
        stored = find_session(key)
        assert stored is not None
        store(stored.pk, {"hits": hits, "log": log}, {})
    found = client.get(address, HTTP_IF_NONE_MATCH=none["ETag"]).json()
    assert (found["known"], found["step"], found["unit"]) == (True, 5, "hits")
    assert sum(int(value or 0) for value in found["values"]) == 3
    assert ask("inside?box=&by=hits")["overlay"] == {"by": "hits", **found}
