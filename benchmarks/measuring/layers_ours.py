"""Our side of `benchmarks/layers.py`: `layers_ours.py pynative|graph CASE SECONDS` answers line by line."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import framework as ms
from benchmarks.measuring.layers_cases import MOMENTUM, RATE, Case, batch_of, main, weights_of
from framework import Tensor, nn, ops


class BertLayer(nn.Cell):
    """Attention and a feed-forward network, each added to its input and normalized."""

    def __init__(self, width: int, heads: int, dropout: float) -> None:
        super().__init__()
        self.heads, self.size = heads, width // heads
        self.query, self.key, self.value = nn.Dense(width, width), nn.Dense(width, width), nn.Dense(width, width)
        self.output, self.norm1 = nn.Dense(width, width), nn.LayerNorm((width,), epsilon=1e-5)
        self.up, self.down = nn.Dense(width, 4 * width), nn.Dense(4 * width, width)
        self.norm2, self.gelu = nn.LayerNorm((width,), epsilon=1e-5), nn.GELU(approximate=False)
        self.dropout = nn.Dropout(p=dropout)
        self.multiply, self.by_key = ops.BatchMatMul(), ops.BatchMatMul(transpose_b=True)
        self.softmax = nn.Softmax()

    def split(self, x: Tensor) -> Any:
        """From (N, T, width) to (N, heads, T, size)."""
        batch, length, _ = x.shape
        return x.reshape((batch, length, self.heads, self.size)).transpose((0, 2, 1, 3))

    def construct(self, x: Tensor) -> Any:
        """The layer's output, of the shape of x."""
        query, key, value = self.split(self.query(x)), self.split(self.key(x)), self.split(self.value(x))
        shares = self.dropout(self.softmax(self.by_key(query, key) / math.sqrt(self.size)))
        found = self.multiply(shares, value).transpose((0, 2, 1, 3)).reshape(x.shape)
        x = self.norm1(x + self.dropout(self.output(found)))
        return self.norm2(x + self.dropout(self.down(self.gelu(self.up(x)))))


class Recurrent(nn.Cell):
    """The outputs of a recurrent layer."""

    def __init__(self, layer: nn.Cell) -> None:
        super().__init__()
        self.layer = layer

    def construct(self, x: Tensor) -> Any:
        """The outputs of all steps."""
        return self.layer(x)[0]


def build(case: Case) -> Callable[[], float]:
    """A training step of a case, which returns the loss."""
    network: nn.Cell
    if case.kind == "BERT":
        network, prefix = BertLayer(case.width, case.heads, case.dropout), ""
    else:
        kind = {"LSTM": nn.LSTM, "GRU": nn.GRU}[case.kind]
        layer = kind(case.width, case.width, case.layers, bidirectional=case.bidirectional)
        network, prefix = Recurrent(layer), "layer."
    parameters = {
        parameter.name.removeprefix(prefix).replace("gamma", "weight").replace("beta", "bias"): parameter
        for parameter in network.trainable_params()
    }
    for name, values in weights_of({name: tuple(p.shape) for name, p in parameters.items()}).items():
        parameters[name].set_data(Tensor(values))
    inputs, wanted = map(Tensor, batch_of(case))
    trained = nn.WithLossCell(network, nn.MSELoss())
    train = nn.TrainOneStepCell(trained, nn.Momentum(network.trainable_params(), RATE, MOMENTUM)).set_train()
    return lambda: float(train(inputs, wanted))


if __name__ == "__main__":
    ms.set_context(mode=ms.GRAPH_MODE if sys.argv[1:2] == ["graph"] else ms.PYNATIVE_MODE)
    main(build)
