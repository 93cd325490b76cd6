"""A classifier of texts with an LSTM."""

from __future__ import annotations

from framework.common.tensor import Tensor
from framework.nn.cell import Cell
from framework.nn.layer.basic import Dense, Embedding
from framework.nn.layer.recurrent import LSTM

__all__ = ["LSTMClassifier"]


class LSTMClassifier(Cell):
    """Token ids (N, T) to the scores of classes (N, classes): an embedding, an LSTM, a dense layer over its last state.

    With the defaults and one output it is Keras' example for film reviews: 2,691,713 parameters there, and 512 more
    here, because each gate has a bias for its input and one for its state.

    Args:
        vocab_size: the number of different tokens.
        num_classes: the number of classes.
        embed_size: the number of features of a token.
        hidden_size: the number of features of a state.
        num_layers: the number of LSTMs, one above the other.
        bidirectional: whether the text is read in both directions.

    """

    def __init__(
        self,
        vocab_size: int = 20_000,
        num_classes: int = 2,
        embed_size: int = 128,
        hidden_size: int = 128,
        num_layers: int = 1,
        bidirectional: bool = False,
    ) -> None:
        super().__init__()
        self.embedding = Embedding(vocab_size, embed_size)
        self.encoder = LSTM(embed_size, hidden_size, num_layers, batch_first=True, bidirectional=bidirectional)
        self.decoder = Dense(hidden_size * (2 if bidirectional else 1), num_classes)

    def construct(self, ids: Tensor) -> Tensor:
        """The scores of the classes."""
        states, _ = self.encoder(self.embedding(ids))
        logits: Tensor = self.decoder(states[:, -1])
        return logits
