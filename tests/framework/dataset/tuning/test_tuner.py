"""Workers go where others wait, and rows stay the same."""

import json
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import framework.dataset as ds
from framework.dataset.runtime import pace
from framework.dataset.runtime.connector import Counters
from framework.dataset.tuning import Tuner, cores
from framework.dataset.vision import RandomCrop
from tests.framework.dataset.files import write_mnist
from tests.framework.dataset.ir.pipelines import is_same, read
from tests.framework.dataset.runtime.threads import pipeline_threads, slowly


@pytest.fixture(autouse=True)
def _alike() -> Iterator[None]:
    ds.config.set_seed(5)
    yield
    ds.config.set_seed(5489)
    ds.config.set_enable_autotune(False)
    ds.config.set_autotune_interval(0)
    assert pipeline_threads() == []


def section(number: int, workers: int, may: bool = True) -> Any:
    """What a tuner needs of a section."""
    return SimpleNamespace(
        name=f"Map-{number}", number=number, workers=workers, counters=Counters(), allow=lambda most: may
    )


class Time:
    """A clock that is set."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        """The time."""
        return self.now


def looks(sections: list[Any], limit: int, waits: list[list[tuple[float, float]]]) -> list[list[int]]:
    """The numbers of workers after each look, a second apart, by what readers and workers waited meanwhile."""
    clock, found = Time(), []
    tuner = Tuner(sections, limit, 1, lambda workers: None, clock)
    for second in waits:
        clock.now += 1
        for one, (take, put) in zip(sections, second, strict=True):
            one.counters.take_wait += take
            one.counters.put_wait += put
        tuner.row()
        found.append([one.workers for one in sections])
    return found


def test_the_lowest_operator_that_others_wait_for_gets_workers() -> None:
    assert looks([section(1, 1), section(2, 1)], 4, [[(0.9, 0), (0.8, 0)]] * 3) == [[2, 1], [3, 1], [3, 1]]
    assert looks([section(1, 1), section(2, 1)], 8, [[(0.05, 0), (0.8, 0)]] * 2) == [[1, 2], [1, 3]]


def test_workers_that_wait_are_taken_but_not_those_that_were_needed() -> None:
    assert looks([section(1, 4), section(2, 2)], 6, [[(0, 3.5), (0, 0)]] * 2) == [[3, 2], [2, 2]]
    assert looks([section(1, 4), section(2, 2)], 6, [[(0, 3.5), (0.5, 0)]]) == [[3, 3]]
    assert looks([section(1, 1)], 3, [[(0.5, 0)], [(0, 2)], [(0, 2)]]) == [[2], [2], [2]]


def test_what_is_fed_stays() -> None:
    assert looks([section(1, 2), section(2, 2)], 8, [[(0.01, 0.5), (0.02, 0.3)]] * 3) == [[2, 2]] * 3
    assert looks([section(1, 2, may=False)], 8, [[(0.9, 0)]]) == [[2]]


@pytest.mark.parametrize("interval", [0, 3])
def test_rows_are_the_same_while_workers_come_and_go(interval: int, monkeypatch: Any, tmp_path: Path) -> None:
    monkeypatch.setattr(pace, "_WORTH_SECONDS", 0.0)
    monkeypatch.setattr("framework.dataset.engine.readable.cores", lambda: 6)
    write_mnist(tmp_path / "mnist", 40)
    data = ds.MnistDataset(tmp_path / "mnist", num_parallel_workers=1)
    data = data.map([slowly, RandomCrop(4)], "image", num_parallel_workers=1)
    data = data.map([RandomCrop(3), slowly], "image", num_parallel_workers=3).batch(2)
    wanted = read(data, 4)
    ds.config.set_enable_autotune(True, str(tmp_path / "tuned"))
    ds.config.set_autotune_interval(interval)
    assert is_same(read(data, 4), wanted)
    written = json.loads((tmp_path / "tuned_0.json").read_text())
    assert len(written["summary"]) == 2
    workers = [written["tree"]["children"][0]["num_parallel_workers"]]
    workers.append(written["tree"]["children"][0]["children"][0]["num_parallel_workers"])
    assert sum(workers) <= 6
    assert workers != [3, 1], "the first map is slow"


def test_the_file_is_a_pipeline(tmp_path: Path) -> None:
    write_mnist(tmp_path / "mnist")
    data = ds.MnistDataset(tmp_path / "mnist", "train", shuffle=False, num_parallel_workers=1)
    data = data.map(RandomCrop(4), "image", num_parallel_workers=1).batch(3)
    wanted = read(data)
    ds.config.set_enable_autotune(True, str(tmp_path / "tuned"))
    assert is_same(read(data), wanted)
    ds.config.set_enable_autotune(False)
    assert is_same(read(ds.deserialize(json_filepath=str(tmp_path / "tuned_0.json"))), wanted)
    assert cores() >= 1


def test_arguments_of_autotune(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="there is no folder"):
        ds.config.set_enable_autotune(True, str(tmp_path / "nowhere" / "tuned"))
    with pytest.raises(TypeError, match="must be a text"):
        ds.config.set_enable_autotune(True, 3)  # type: ignore[arg-type]
    assert ds.config.autotune_file() is None
    ds.config.set_enable_autotune(True)
    assert ds.config.get_enable_autotune() is True
    assert is_same(read(ds.NumpySlicesDataset([1, 2], shuffle=False)), [[[np.int64(1)], [np.int64(2)]]] * 2)
