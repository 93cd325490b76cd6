"""Random pipelines against the same pipelines over plain lists."""

from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import framework.dataset as ds

Rows = list[Any]
Step = tuple[str, Callable[[ds.Dataset], ds.Dataset], Callable[[Rows], Rows]]


def batches(rows: Rows, size: int, drop: bool) -> Rows:
    cut = [rows[start : start + size] for start in range(0, len(rows), size)]
    return [batch for batch in cut if not drop or len(batch) == size]


def step(kind: str, number: int, flag: bool) -> Step:
    """An operator, and its effect on a list."""
    made: dict[str, tuple[Callable[[ds.Dataset], ds.Dataset], Callable[[Rows], Rows]]] = {
        "map": (lambda d: d.map(lambda x: x * 3 + number, "x"), lambda rows: [row * 3 + number for row in rows]),
        "filter": (
            lambda d: d.filter(lambda x: bool(x % (number + 1) != 0), "x"),
            lambda rows: [row for row in rows if row % (number + 1) != 0],
        ),
        "repeat": (lambda d: d.repeat(number + 1), lambda rows: rows * (number + 1)),
        "skip": (lambda d: d.skip(number), lambda rows: rows[number:]),
        "take": (lambda d: d.take(number + 1), lambda rows: rows[: number + 1]),
        "double": (lambda d: d + d.take(number + 1), lambda rows: rows + rows[: number + 1]),
        "batch": (lambda d: d.batch(number + 1, flag), lambda rows: batches(rows, number + 1, flag)),
        "endless": (lambda d: d.repeat().take(number + 1), lambda rows: (rows * (number + 1))[: number + 1]),
        "rename": (lambda d: d.rename("x", "y").rename("y", "x"), lambda rows: rows),
    }
    return (kind, *made[kind])


ONE = st.sampled_from(["map", "filter", "repeat", "skip", "take", "double", "endless", "rename"])
STEPS = st.builds(step, ONE, st.integers(0, 4), st.booleans())
BATCH = st.builds(step, st.just("batch"), st.integers(0, 4), st.booleans())


def python(values: Any) -> Any:
    return values.tolist() if isinstance(values, np.ndarray) else values


@given(rows=st.lists(st.integers(-50, 50), min_size=1, max_size=12), steps=st.lists(STEPS, max_size=5), last=BATCH)
def test_pipelines_do_what_lists_do(rows: Rows, steps: list[Step], last: Step) -> None:
    dataset: ds.Dataset = ds.NumpySlicesDataset(np.asarray(rows, np.int64), ["x"], shuffle=False)
    model = list(rows)
    for _, apply, on_list in [*steps, last]:
        dataset, model = apply(dataset), on_list(model)
    for _ in range(2):
        read = dataset.create_dict_iterator(num_epochs=1, output_numpy=True)
        assert [python(row["x"]) for row in read] == model
    assert dataset.get_dataset_size() == len(model)


@given(
    rows=st.lists(st.integers(-50, 50), min_size=1, max_size=20),
    buffer=st.integers(2, 25),
    seed=st.integers(0, 1000),
    repeats=st.integers(1, 3),
)
def test_shuffles_keep_rows_and_repeat_by_seed(rows: Rows, buffer: int, seed: int, repeats: int) -> None:
    ds.config.set_seed(seed)
    try:
        dataset = ds.NumpySlicesDataset(np.asarray(rows, np.int64), ["x"]).shuffle(buffer).repeat(repeats)
        first, again = ([row[0].asnumpy().item() for row in dataset] for _ in range(2))
    finally:
        ds.config.set_seed(5489)
    assert first == again
    for number in range(repeats):
        assert sorted(first[number * len(rows) : (number + 1) * len(rows)]) == sorted(rows)


@given(
    columns=st.lists(st.lists(st.integers(0, 9), min_size=1, max_size=6), min_size=2, max_size=4),
    order=st.randoms(use_true_random=False),
)
def test_zips_do_what_zip_does(columns: list[list[int]], order: Any) -> None:
    names = [f"c{number}" for number in range(len(columns))]
    dataset = ds.zip(
        [ds.NumpySlicesDataset(column, [name], shuffle=False) for column, name in zip(columns, names, strict=True)]
    )
    wanted = list(range(len(columns)))
    order.shuffle(wanted)
    read = [[value.asnumpy().item() for value in row] for row in dataset.project([names[place] for place in wanted])]
    assert read == [[row[place] for place in wanted] for row in zip(*columns, strict=False)]
    assert dataset.get_dataset_size() == min(map(len, columns))
