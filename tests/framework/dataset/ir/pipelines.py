"""Random pipelines for the tests of passes, and their rows."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from hypothesis import strategies as st

import framework as ms
import framework.dataset as ds
from framework.dataset import transforms as T  # noqa: N812
from framework.dataset import vision as V  # noqa: N812

__all__ = ["IMAGES", "RECIPES", "Recipe", "is_same", "made", "only", "read"]

ROWS = 11
IMAGES = (np.arange(ROWS * 6 * 5 * 3) * 37 % 256).astype(np.uint8).reshape(ROWS, 6, 5, 3)
KINDS = ("image", "label", "shuffle", "skip", "take", "repeat", "project", "rename", "filter", "zip")

#: Steps of a pipeline with a number that chooses their arguments; the source, and the batch at the end.
Recipe = tuple[int, Sequence[tuple[str, int]], int]
RECIPES = st.tuples(
    st.integers(0, 3), st.lists(st.tuples(st.sampled_from(KINDS), st.integers(0, 11)), max_size=6), st.integers(0, 5)
)

ON_IMAGES: Sequence[Callable[[], list[Any]]] = (
    lambda: [V.Rescale(1 / 255, 0.5)],
    lambda: [V.Resize((4, 7)), V.Normalize([1, 2, 3], [4, 5, 6])],
    lambda: [V.HorizontalFlip(), V.Invert()],
    lambda: [V.RandomCrop(3, padding=1), V.RandomHorizontalFlip()],
    lambda: [T.TypeCast(ms.float32)],
    lambda: [lambda image: image + np.uint8(1)],
    lambda: [T.RandomApply([V.VerticalFlip()], 0.5)],
)
ON_LABELS: Sequence[Callable[[], list[Any]]] = (
    lambda: [T.TypeCast(ms.int32)],
    lambda: [T.Mask(T.Relational.GT, 4), T.TypeCast(ms.float32)],
    lambda: [T.Fill(3)],
    lambda: [lambda label: label * 2],
)


def _source(number: int) -> ds.Dataset:
    data = {"image": IMAGES, "label": np.arange(ROWS), "weight": np.linspace(0, 1, ROWS)}
    if number == 0:
        rows = list(zip(*data.values(), strict=True))
        return ds.GeneratorDataset(lambda: iter(rows), list(data))
    return ds.NumpySlicesDataset(data, shuffle=number > 1, num_samples=9 if number == 3 else None)


def _stepped(data: ds.Dataset, kind: str, number: int, workers: int) -> ds.Dataset:
    columns = data.get_col_names()
    if kind in ("image", "label") and kind in columns:
        chains = ON_IMAGES if kind == "image" else ON_LABELS
        return data.map(chains[number % len(chains)](), kind, num_parallel_workers=workers)
    if kind == "shuffle":
        return data.shuffle(number + 2)
    if kind == "skip":
        return data.skip(number % 4)
    if kind == "take":
        return data.take([-1, 2, 5, 8][number % 4])
    if kind == "repeat":
        return data.repeat(1 + number % 2)
    if kind == "project":
        turned = [*columns[number % len(columns) :], *columns[: number % len(columns)]]
        return data.project(turned[: 1 + number % 3])
    if kind == "rename" and "weight" in columns:
        return data.rename("weight", "mass")
    if kind == "filter" and "label" in columns:
        return data.filter(lambda label: np.sum(label) % 3 != 0, "label")
    if kind == "zip" and "other" not in columns:
        return data.zip(ds.NumpySlicesDataset({"other": np.arange(20)}, shuffle=True))
    return data


def made(recipe: Recipe, workers: int = 1) -> ds.Dataset:
    """The pipeline of a recipe, whose maps have a number of workers."""
    source, steps, batch = recipe
    data = _source(source)
    for kind, number in steps:
        data = _stepped(data, kind, number, workers)
    if batch:
        data = data.batch(batch, drop_remainder=batch == 3)
        if batch > 3:
            data = data.skip(1) if batch == 4 else data.take(2)
    return data


@contextmanager
def only(*passes: str) -> Iterator[None]:
    """Some passes and no others."""
    try:
        for name in ds.config.get_passes():
            ds.config.set_pass(name, name in passes)
        yield
    finally:
        for name in ds.config.get_passes():
            ds.config.set_pass(name, True)


def read(data: ds.Dataset, epochs: int = 2, skipped: int = 0) -> list[list[list[Any]]] | str:
    """The rows of epochs, after some that are skipped; the reason where they cannot be computed."""
    with data.create_tuple_iterator(num_epochs=epochs + skipped, output_numpy=True) as iterator:
        iterator.skip_epochs(skipped)
        try:
            return [list(iterator) for _ in range(epochs)]
        except RuntimeError as error:
            return str(error)


def is_same(one: Any, other: Any) -> bool:
    """Whether values are equal to the bit, with their types and shapes; those in lists, too."""
    if isinstance(one, list):
        return len(one) == len(other) and all(map(is_same, one, other))
    if isinstance(one, str):
        return bool(one == other)
    return one.dtype == other.dtype and np.array_equal(one, other)
