"""Numpy's side of the comparison of training cores, forward only: `python framework_numpy.py - SECONDS CASE...`."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import numpy as np

from benchmarks.measuring.framework_timing import Case, main

RNG = np.random.default_rng(0)
X = RNG.standard_normal(10 << 20, np.float32)
ROWS = RNG.standard_normal((32, 128), np.float32)
SQUARE = RNG.standard_normal((128, 128), np.float32) * np.float32(0.05)


def chain(x: np.ndarray) -> np.ndarray:
    """12 element-wise operators."""
    y = np.tanh(x * np.float32(1.1) + np.float32(0.1))
    y = np.exp(-(y * np.float32(0.9))) + np.float32(0.5)
    y = np.square(y / np.float32(1.5)) - np.float32(0.25)
    made: np.ndarray = np.maximum(y, 0) * np.float32(0.7)
    return made


def loop() -> np.ndarray:
    """64 rounds of tanh(x @ w)."""
    x = ROWS
    for _ in range(64):
        x = np.tanh(x @ SQUARE)
    return x


CASES: dict[str, Case] = {
    "chain_1M": lambda: lambda: chain(X[: 1 << 20]),
    "chain_10M": lambda: lambda: chain(X),
    "loop64": lambda: loop,
    "add8": lambda: lambda: X[:8] + X[8:16],
}

if __name__ == "__main__":
    main(CASES)
