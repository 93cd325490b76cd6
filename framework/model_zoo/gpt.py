"""GPT: a transformer that continues texts, token by token."""

from __future__ import annotations

from typing import Any

import numpy as np

from framework.common.tensor import Tensor
from framework.model_zoo.transformers import Attention, FeedForward, TransformerConfig, norm
from framework.nn.cell import Cell
from framework.nn.container import CellList
from framework.nn.layer.basic import Dropout, Embedding
from framework.nn.loss import SoftmaxCrossEntropyWithLogits
from framework.ops import functional as F  # noqa: N812

__all__ = ["GPT", "GPTWithLoss", "gpt2_small"]


def gpt2_small(**settings: Any) -> TransformerConfig:
    """The sizes of GPT-2's smallest form: 124,439,808 parameters."""
    return TransformerConfig(**{"vocab_size": 50_257, "max_position": 1024, "epsilon": 1e-5, **settings})


class GPTLayer(Cell):
    """Causal attention and two dense layers, each with normalization before it and a residual connection.

    Args:
        config: the sizes.

    """

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        self.norm1, self.attention = norm(config), Attention(config)
        self.norm2, self.feed_forward = norm(config), FeedForward(config)
        self.dropout = Dropout(p=config.dropout)

    def construct(self, x: Tensor, bias: Tensor) -> Tensor:
        """From (N, T, size) to the same shape."""
        x = x + self.dropout(self.attention(self.norm1(x), bias))
        out: Tensor = x + self.dropout(self.feed_forward(self.norm2(x)))
        return out


class GPT(Cell):
    """GPT-2 (Radford et al. 2019): from token ids (N, T) to the scores of each next token (N, T, vocabulary).

    The embedding table also computes the scores.

    Args:
        config: the sizes.

    """

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        self.max_position = config.max_position
        self.tokens = Embedding(config.vocab_size, config.hidden_size, embedding_table=config.weight_init)
        self.positions = Embedding(config.max_position, config.hidden_size, embedding_table=config.weight_init)
        self.dropout = Dropout(p=config.dropout)
        self.layers = CellList([GPTLayer(config) for _ in range(config.num_layers)])
        self.norm = norm(config)
        ahead = np.triu(np.full((config.max_position, config.max_position), -10000.0, np.float32), 1)
        #: Added to scores, so that no token attends to a later one.
        self.ahead = Tensor(ahead)

    def construct(self, ids: Tensor) -> Tensor:
        """The scores."""
        length = ids.shape[1]
        x = self.dropout(self.tokens(ids) + self.positions(F.arange(length)))
        bias = self.ahead[:length, :length]
        for layer in self.layers:
            x = layer(x, bias)
        logits: Tensor = F.matmul(self.norm(x), self.tokens.embedding_table.T)
        return logits

    def write(self, ids: list[int], count: int) -> list[int]:
        """Continue texts with the most probable token, one by one.

        Args:
            ids: the tokens of the texts.
            count: the number of tokens to add.
        """
        self.set_train(False)
        for _ in range(count):
            seen = ids[-self.max_position :]
            scores = self(Tensor(np.array([seen], np.int32)))
            ids = [*ids, int(scores.asnumpy()[0, -1].argmax())]
        return ids


class GPTWithLoss(Cell):
    """GPT with its loss: from token ids (N, T + 1) to the mean cross entropy of each next token.

    Args:
        network: the GPT.

    """

    def __init__(self, network: GPT) -> None:
        super().__init__(auto_prefix=False)
        self.network = network
        self.loss = SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")

    def construct(self, ids: Tensor) -> Tensor:
        """The loss."""
        scores = self.network(ids[:, :-1])
        loss: Tensor = self.loss(scores.reshape(-1, scores.shape[-1]), ids[:, 1:].reshape(-1))
        return loss
