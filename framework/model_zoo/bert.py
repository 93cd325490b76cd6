"""BERT: a transformer that reads texts in both directions."""

from __future__ import annotations

from typing import Any

from framework.common import dtype as mstype
from framework.common.tensor import Tensor
from framework.model_zoo.transformers import Attention, FeedForward, TransformerConfig, dense, norm
from framework.nn.cell import Cell
from framework.nn.container import CellList
from framework.nn.layer.basic import Dense, Dropout, Embedding
from framework.ops import functional as F  # noqa: N812

__all__ = ["Bert", "BertClassifier", "bert_base"]


def bert_base(**settings: Any) -> TransformerConfig:
    """The sizes of BERT-base, uncased: 109,482,240 parameters."""
    return TransformerConfig(**{"vocab_size": 30_522, **settings})


class BertLayer(Cell):
    """Attention and two dense layers, each followed by a residual connection and normalization.

    Args:
        config: the sizes.

    """

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        self.attention, self.attention_norm = Attention(config), norm(config)
        self.feed_forward, self.output_norm = FeedForward(config), norm(config)
        self.dropout = Dropout(p=config.dropout)

    def construct(self, x: Tensor, bias: Tensor | float) -> Tensor:
        """From (N, T, size) to the same shape."""
        x = self.attention_norm(x + self.dropout(self.attention(x, bias)))
        out: Tensor = self.output_norm(x + self.dropout(self.feed_forward(x)))
        return out


class Bert(Cell):
    """BERT (Devlin, Chang, Lee, Toutanova 2018): from token ids to features of each token, and of the text.

    Args:
        config: the sizes.

    """

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        size, init = config.hidden_size, config.weight_init
        self.words = Embedding(config.vocab_size, size, embedding_table=init)
        self.positions = Embedding(config.max_position, size, embedding_table=init)
        self.segments = Embedding(config.type_vocab_size, size, embedding_table=init)
        self.norm = norm(config)
        self.dropout = Dropout(p=config.dropout)
        self.layers = CellList([BertLayer(config) for _ in range(config.num_layers)])
        self.pooler = dense(config, size, size)

    def construct(
        self, ids: Tensor, mask: Tensor | None = None, segment_ids: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """Features of tokens (N, T, size) and of the text (N, size).

        `mask` is 1 for a token and 0 behind the end of a shorter text. `segment_ids` is the segment of each token; by
        default the first.
        """
        length = ids.shape[1]
        segment_ids = F.zeros_like(ids) if segment_ids is None else segment_ids
        x = self.words(ids) + self.positions(F.arange(length)) + self.segments(segment_ids)
        x = self.dropout(self.norm(x))
        bias = 0.0
        if mask is not None:
            bias = (1.0 - F.cast(mask, mstype.float32)).reshape(mask.shape[0], 1, 1, length) * -10000.0
        for layer in self.layers:
            x = layer(x, bias)
        return x, F.tanh(self.pooler(x[:, 0]))


class BertClassifier(Cell):
    """BERT with a dense layer over the features of the text: from token ids to the scores of classes.

    Args:
        config: the sizes.
        num_classes: the number of classes.

    """

    def __init__(self, config: TransformerConfig, num_classes: int = 2) -> None:
        super().__init__()
        self.bert = Bert(config)
        self.dropout = Dropout(p=config.dropout)
        self.classifier: Dense = dense(config, config.hidden_size, num_classes)

    def construct(self, ids: Tensor, mask: Tensor | None = None) -> Tensor:
        """The scores of the classes."""
        _, pooled = self.bert(ids, mask)
        logits: Tensor = self.classifier(self.dropout(pooled))
        return logits
