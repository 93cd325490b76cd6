"""The cases of `benchmarks/layers.py`: sizes, weights and batches, which both libraries read; needs numpy only."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

#: How many losses are compared.
FIRST_STEPS = 3
RATE, MOMENTUM = 0.05, 0.9


@dataclass(frozen=True)
class Case:
    """One layer and its batch.

    Attributes:
        what: the case in words.
        kind: "LSTM", "GRU" or "BERT".
        batch: number of sequences.
        length: number of steps, or of tokens.
        width: number of features of the inputs and of the states.
        layers: number of layers, of recurrent ones.
        bidirectional: both directions, of recurrent ones.
        heads: number of heads, of BERT's.
        dropout: probability of dropout; then losses are not compared.
    """

    what: str
    kind: str
    batch: int
    length: int
    width: int
    layers: int = 1
    bidirectional: bool = False
    heads: int = 0
    dropout: float = 0.0

    @property
    def outputs(self) -> int:
        """The number of features of an output."""
        return self.width * (2 if self.bidirectional else 1)


def _recurrent(kind: str) -> dict[str, Case]:
    name = kind.lower()
    return {
        f"{name}_64": Case(f"{kind} of width 64, 16 sequences of 32", kind, 16, 32, 64),
        f"{name}_both": Case(f"{kind} of width 64, 2 layers, both directions, 16 x 32", kind, 16, 32, 64, 2, True),
        f"{name}_256": Case(f"{kind} of width 256, 32 sequences of 64", kind, 32, 64, 256),
    }


CASES: Mapping[str, Case] = {
    **_recurrent("LSTM"),
    **_recurrent("GRU"),
    "bert_256": Case("BERT layer of width 256, 4 heads, 8 x 128", "BERT", 8, 128, 256, heads=4),
    "bert_768": Case("BERT layer of width 768, 12 heads, 2 x 128", "BERT", 2, 128, 768, heads=12),
    "bert_dropout": Case("BERT layer of width 256 with dropout 0.1", "BERT", 8, 128, 256, heads=4, dropout=0.1),
}


def batch_of(case: Case) -> tuple[np.ndarray, np.ndarray]:
    """The inputs and the wanted outputs, both by steps first for recurrent layers."""
    rng = np.random.default_rng(1)
    rows = (case.batch, case.length) if case.kind == "BERT" else (case.length, case.batch)
    return (
        rng.standard_normal((*rows, case.width), np.float32),
        rng.standard_normal((*rows, case.outputs), np.float32) * np.float32(0.3),
    )


def weights_of(shapes: Mapping[str, tuple[int, ...]]) -> dict[str, np.ndarray]:
    """The first values of weights, by name; a weight's values depend on its name and shape only."""

    def first(name: str, shape: tuple[int, ...]) -> np.ndarray:
        rng = np.random.default_rng(list(name.encode()))
        around = 1.0 if name in ("norm1.weight", "norm2.weight") else 0.0
        spread = 0.5 / np.sqrt(shape[-1]) if len(shape) > 1 else 0.1
        return (around + spread * rng.standard_normal(shape)).astype(np.float32)

    return {name: first(name, shape) for name, shape in shapes.items()}


def main(build: Callable[[Case], Callable[[], float]]) -> None:
    """Answer the questions of `benchmarks/layers.py`: the first losses, then a block of steps for each line read.

    Args:
        build: makes the training step of a case, which returns the loss.
    """
    step = build(CASES[sys.argv[2]])
    seconds = float(sys.argv[3])
    print(*[step() for _ in range(FIRST_STEPS)], flush=True)
    for _ in sys.stdin:
        began, count = time.process_time(), 0
        while time.process_time() - began < seconds:
            step()
            count += 1
        print((time.process_time() - began) / count * 1e6, flush=True)
