"""The parts of BERT and GPT: multi-head attention and feed-forward layers."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from framework.common.initializer import Normal
from framework.common.tensor import Tensor
from framework.nn.annotations import Initial
from framework.nn.cell import Cell
from framework.nn.layer.basic import Dense, Dropout
from framework.nn.layer.normalization.per_sample import LayerNorm
from framework.ops import functional as F  # noqa: N812

__all__ = ["Attention", "FeedForward", "TransformerConfig", "dense", "norm"]


@dataclass(frozen=True)
class TransformerConfig:
    """The sizes of a transformer.

    Attributes:
        vocab_size: the number of different tokens.
        hidden_size: the number of features of a token.
        num_layers: the number of layers.
        num_heads: the number of attention heads, which share the features.
        intermediate_size: the number of features between the two dense layers behind attention.
        max_position: the length of the longest text.
        type_vocab_size: the number of segments; only BERT has them.
        dropout: the probability of dropout in training.
        epsilon: a number added to variances.
        weight_init: the initializer of tables and weights.
    """

    vocab_size: int
    hidden_size: int = 768
    num_layers: int = 12
    num_heads: int = 12
    intermediate_size: int = 3072
    max_position: int = 512
    type_vocab_size: int = 2
    dropout: float = 0.1
    epsilon: float = 1e-12
    weight_init: Initial = Normal(0.02)  # noqa: RUF009 - it holds two numbers, and is never changed

    def __post_init__(self) -> None:
        if self.hidden_size % self.num_heads:
            raise ValueError(f"{self.num_heads} heads cannot share {self.hidden_size} features equally")


def dense(config: TransformerConfig, inputs: int, outputs: int) -> Dense:
    """A dense layer with the configuration's initializer."""
    return Dense(inputs, outputs, weight_init=config.weight_init, bias_init="zeros")


class Attention(Cell):
    """Multi-head attention (Vaswani et al. 2017): softmax(q kᵀ / sqrt(d) + bias) v, and a dense layer.

    Args:
        config: the sizes.

    """

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        size = config.hidden_size
        self.heads, self.depth = config.num_heads, size // config.num_heads
        self.scale = 1 / math.sqrt(self.depth)
        self.query, self.key, self.value = (dense(config, size, size) for _ in range(3))
        self.output = dense(config, size, size)
        self.dropout = Dropout(p=config.dropout)

    def split(self, x: Tensor) -> Any:
        """(N, T, size) as (N, heads, T, depth)."""
        batch, length, _ = x.shape
        return x.reshape(batch, length, self.heads, self.depth).transpose(0, 2, 1, 3)

    def construct(self, x: Tensor, bias: Tensor | float) -> Tensor:
        """From (N, T, size) and what is added to the scores, which broadcasts to (N, heads, T, T)."""
        query, key, value = self.split(self.query(x)), self.split(self.key(x)), self.split(self.value(x))
        scores = F.matmul(query, key.transpose(0, 1, 3, 2)) * self.scale + bias
        seen = F.matmul(self.dropout(F.softmax(scores, -1)), value)
        out: Tensor = self.output(seen.transpose(0, 2, 1, 3).reshape(x.shape))
        return out


class FeedForward(Cell):
    """Two dense layers with GELU between them, for each token.

    Args:
        config: the sizes.

    """

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        self.intermediate = dense(config, config.hidden_size, config.intermediate_size)
        self.output = dense(config, config.intermediate_size, config.hidden_size)

    def construct(self, x: Tensor) -> Tensor:
        """From (N, T, size) to the same shape."""
        out: Tensor = self.output(F.gelu(self.intermediate(x)))
        return out


def norm(config: TransformerConfig) -> LayerNorm:
    """Normalization over the features of a token."""
    return LayerNorm((config.hidden_size,), epsilon=config.epsilon)
