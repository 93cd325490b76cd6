"""The client on a running dashboard: a notebook gets exactly the values that trainings wrote."""

from __future__ import annotations

import math
import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from mindinsight.client import Client, ClientError
from summaries import SummaryWriter
from tests.dashboard import Dashboard, wait_until

pytestmark = pytest.mark.processes

POINTS = 100_000


def losses() -> np.ndarray:
    """The long run's values, some of which are not finite."""
    values = np.random.default_rng(3).normal(size=POINTS).astype(np.float32)
    values[[10, 20, 30]] = math.nan, math.inf, -math.inf
    return values


def weights(step: int) -> np.ndarray:
    return np.random.default_rng(step).normal(size=500)


def write_runs(base: Path) -> None:
    with SummaryWriter(base / "long") as writer:
        for step, value in enumerate(losses()):
            writer.add_scalar("loss", float(value), step, walltime=1000.0 + step / 4)
    with SummaryWriter(base / "team" / "adam") as writer:
        writer.add_hparams({"lr": 0.125, "optimizer": "Adam"}, {"accuracy": 0.75})
        writer.add_scalars({"loss": 0.5, "lr": 0.125}, step=1)
        for step in range(120):
            writer.add_histogram("w", weights(step), step)
    for first, purge in ((0, None), (50, 50)):
        with SummaryWriter(base / "restarted", purge_step=purge) as writer:
            for step in range(first, first + 100):
                writer.add_scalar("loss", first + step / 128, step)


@pytest.fixture(scope="module")
def dashboard(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dashboard]:
    base = tmp_path_factory.mktemp("summaries")
    write_runs(base)
    with Dashboard.start(base, url_path_prefix="/team") as running:
        client = Client(running.address)
        wait_until(lambda: len(client.runs()) == 3 and _read(running), 30, "everything being read")
        yield running


def _read(dashboard: Dashboard) -> bool:
    rows = dashboard.get_json("/api/runs")["results"]
    return all(row["bytes_read"] == row["bytes"] for row in rows)


@pytest.fixture
def client(dashboard: Dashboard) -> Client:
    return Client(dashboard.address)


def test_what_runs_are_made_with(client: Client) -> None:
    (made,) = client.runs("team/adam", environment=True)
    assert made.environment is not None
    assert made.environment["packages"]["numpy"] == np.__version__
    assert client.runs("team/adam")[0].environment is None


def test_runs_and_what_they_note(client: Client) -> None:
    found = client.runs()
    assert sorted(run.name for run in found) == ["long", "restarted", "team/adam"]
    adam = found["team/adam"]
    assert adam.params == {"lr": 0.125, "optimizer": "Adam"}
    assert adam.metrics == {"accuracy": 0.75, "loss": 0.5, "lr": 0.125}
    assert adam.tags["scalar"] == ("loss", "lr")
    assert adam.tags["histogram"] == ("w",)
    assert adam.state == "finished"
    assert len(adam.id) == 32
    assert [run.name for run in client.runs("team/*")] == ["team/adam"]


def test_runs_by_query(client: Client) -> None:
    assert [run.name for run in client.runs(query="lr < 0.2 and optimizer = Adam")] == ["team/adam"]
    assert {run.name for run in client.runs(query="max(loss) > 2")} == {"long", "restarted"}
    assert len(client.runs("team/*", query="not best(accuracy) > 0.7")) == 0
    with pytest.raises(ClientError, match="At character 5") as caught:
        client.runs(query="lr <")
    assert caught.value.code == "bad_query"


def test_lineage(client: Client) -> None:
    table = client.lineage(scalars=["max(loss)", "last(lr)"])
    place = {name: at for at, name in enumerate(table.names)}
    assert len(table) == 3
    assert table.columns["params.optimizer"][place["team/adam"]] == "Adam"
    assert table.columns["params.optimizer"][place["long"]] is None
    assert table.columns["metrics.accuracy"].dtype == np.float64
    np.testing.assert_array_equal(
        table.columns["params.lr"], [0.125 if name == "team/adam" else math.nan for name in table.names]
    )
    assert table.columns["max(loss)"][place["restarted"]] == 50 + 149 / 128
    assert table.columns["last(lr)"][place["team/adam"]] == 0.125
    assert client.lineage("lr = 0.125").names == ["team/adam"]
    assert len(client.lineage("name:nothing")) == 0
    with pytest.raises(ClientError) as caught:
        client.lineage(scalars=["lr"])
    assert caught.value.code == "bad_parameter"


def test_lineage_as_a_data_frame(client: Client) -> None:
    pytest.importorskip("pandas", reason="pandas is not installed")
    assert client.lineage().to_pandas().loc["team/adam", "metrics.accuracy"] == 0.75


def test_lineage_by_mindinsight_s_conditions(client: Client) -> None:
    found = client.filter_summary_lineage({"user_defined/lr": {"le": 0.125}, "optimizer": {"eq": "Adam"}})
    assert [each["summary_dir"] for each in found["object"]] == ["./team/adam"]
    assert client.filter_summary_lineage()["count"] == 3
    with pytest.raises(ClientError, match="'lr' is not a field"):
        client.filter_summary_lineage({"lr": {"le": 0.125}})


def test_every_point_of_a_long_run(client: Client) -> None:
    curve = client.scalars("loss", "long")["long"]
    np.testing.assert_array_equal(curve.value, losses().astype(np.float64))
    np.testing.assert_array_equal(curve.step, np.arange(POINTS))
    np.testing.assert_array_equal(curve.wall_time, 1000 + np.arange(POINTS) / 4)
    assert (curve.step.dtype, curve.value.dtype) == (np.int64, np.float64)


def test_a_restart(client: Client) -> None:
    curve = client.scalars("loss", "restarted")["restarted"]
    assert curve.step.tolist() == list(range(150))
    assert curve.value.tolist() == [step / 128 if step < 50 else 50 + step / 128 for step in range(150)]
    assert curve.segment.tolist() == [0] * 50 + [1] * 100
    old = client.scalars("loss", "restarted", segment=0)["restarted"]
    assert old.step.tolist() == list(range(100))
    everything = client.scalars("loss", "restarted", superseded=True)["restarted"]
    assert everything.step.tolist() == [*range(100), *range(50, 150)]


def test_all_runs_with_a_tag(client: Client) -> None:
    assert set(client.scalars("loss")) == {"long", "restarted", "team/adam"}
    assert set(client.scalars("lr")) == {"team/adam"}


def test_histograms(client: Client) -> None:
    found = client.histograms("w", "team/adam", at_most=500)
    assert [histogram.step for histogram in found] == list(range(120))
    for histogram in found[::17]:
        counts, edges = np.histogram(weights(histogram.step), 51)
        assert histogram.count.tolist() == counts.tolist()
        np.testing.assert_allclose(histogram.edges, edges)
        assert histogram.min == weights(histogram.step).min()
    assert [histogram.step for histogram in client.histograms("w", "team/adam", at_most=2)] == [0, 119]


@pytest.mark.parametrize(("tag", "hint"), [("los", "Perhaps 'loss'"), ("w", "There are 'loss', 'lr'")])
def test_unknown_tags(client: Client, tag: str, hint: str) -> None:
    with pytest.raises(ClientError, match=hint):
        client.scalars(tag)


def test_a_data_frame(client: Client) -> None:
    pytest.importorskip("pandas", reason="pandas is not installed")
    frame = client.scalars("loss", pandas=True)
    assert frame.groupby("run", observed=True).size().to_dict() == {"long": POINTS, "restarted": 150, "team/adam": 1}


def test_a_wrong_prefix_is_explained(dashboard: Dashboard) -> None:
    with pytest.raises(ClientError, match="is not the address of a MindInsight dashboard"):
        Client(dashboard.address.removesuffix("/team")).runs()


def test_a_wrong_token_is_explained(dashboard: Dashboard) -> None:
    with pytest.raises(ClientError, match="did not accept this token"):
        Client(dashboard.address, token="wrong").runs()
    assert len(Client(dashboard.address, token=dashboard.token).runs()) == 3


def test_real_trainings_behind_a_token(real_files: Path, tmp_path: Path) -> None:
    """A dashboard on all interfaces; the client gets in with the printed link, and finds what MindSpore noted."""
    shutil.copytree(real_files / "mindspore" / "lenet", tmp_path / "lenet")
    with Dashboard.start(tmp_path, host="0.0.0.0") as running:
        local = f"http://127.0.0.1:{running.port}"
        with pytest.raises(ClientError, match="needs its token"):
            Client(local).runs()
        client = Client(f"{local}/?{running.link.partition('?')[2]}")
        found = wait_until(lambda: len(client.runs()) == 8 and _read(running) and client.runs(), 30, "eight runs")
        best = max(found, key=lambda run: run.metrics["Accuracy"])
        assert (best.name, best.params["optimizer"]) == ("lenet/mom_lr01_b32", "Momentum")
        assert best.metrics["Accuracy"] == pytest.approx(0.9638, abs=1e-3)
        assert {len(curve) > 5 for curve in client.scalars("loss/auto").values()} == {True}
        address = running.address
    with pytest.raises(ClientError, match="No dashboard answers"):
        Client(address).runs()
