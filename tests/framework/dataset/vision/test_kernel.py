"""The compiled loops over pixels give what numpy gives."""

from typing import Any

import numpy as np
import pytest

from framework.dataset.vision import kernel
from framework.dataset.vision.kernel.loaded import LIBRARY

RNG = np.random.default_rng(2)
KINDS = [np.uint8, np.float16, np.float32, np.float64]


def without_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel, "LIBRARY", (None, "hidden"))


@pytest.mark.parametrize("channels", [1, 2, 3, 4])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("first", [False, True])
def test_tables_are_looked_up(kind: Any, channels: int, first: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    image = RNG.integers(256, size=(9, 11, channels)).astype(np.uint8)
    tables = RNG.normal(100, 20, (channels, 256)).astype(kind)
    part = image[1:8, 2:10][:, ::-1]
    wanted = np.stack([tables[channel][part[..., channel]] for channel in range(channels)], -1)
    for hide in (False, True):
        if hide:
            without_library(monkeypatch)
        out = np.empty((channels, 7, 8) if first else (7, 8, channels), kind)
        kernel.looked_up(part, tables, out.transpose(1, 2, 0) if first else out)
        np.testing.assert_array_equal(out.transpose(1, 2, 0) if first else out, wanted)


def test_nothing_to_look_up() -> None:
    out = np.empty((0, 4, 3), np.float32)
    kernel.looked_up(np.empty((0, 4, 3), np.uint8), np.zeros((3, 256), np.float32), out)
    assert out.size == 0


@pytest.mark.parametrize("columns", [1, 31, 32, 53, 64])
def test_hues_become_colors(columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    if LIBRARY[0] is None:
        pytest.skip(LIBRARY[1])
    parts = RNG.integers(256, size=(40, columns, 3)).astype(np.uint8)
    compiled = kernel.hue_to_rgb(parts)
    without_library(monkeypatch)
    np.testing.assert_array_equal(compiled, kernel.hue_to_rgb(parts))


@pytest.mark.parametrize("flip", [False, True])
def test_values_are_scaled(flip: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    image = RNG.integers(256, size=(9, 41, 3)).astype(np.uint8)
    part = image[2:8, 3:40][:, ::-1] if flip else image[2:8, 3:40]
    numbers = RNG.uniform(0.5, 2, (5, 3)).astype(np.float32)
    out = np.zeros((3, 6, 37), np.float32)
    if not kernel.scaled(part, numbers, out):
        pytest.skip(LIBRARY[1])
    factor, term, divisor, mean, deviation = numbers
    wanted = ((part * factor + term) / divisor - mean) / deviation
    np.testing.assert_array_equal(out, wanted.transpose(2, 0, 1))
    assert not kernel.scaled(image[:, ::2], numbers, out)
    without_library(monkeypatch)
    assert not kernel.scaled(part, numbers, out)
