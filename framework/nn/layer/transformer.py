"""The transformer (Vaswani et al. 2017): encoder and decoder layers, stacks of them, and the whole model."""

from __future__ import annotations

import copy
from typing import Any

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.common.tensor import Tensor
from framework.nn.cell import Cell
from framework.nn.container import CellList
from framework.nn.layer.activation import get_activation
from framework.nn.layer.attention import MultiheadAttention
from framework.nn.layer.basic import Dense, Dropout
from framework.nn.layer.normalization.per_sample import LayerNorm
from framework.ops import functional as F  # noqa: N812
from framework.ops.primitive import Primitive

__all__ = [
    "Transformer",
    "TransformerDecoder",
    "TransformerDecoderLayer",
    "TransformerEncoder",
    "TransformerEncoderLayer",
]


def _activation(name: str | Cell | Primitive | None) -> Any:
    """An activation by its name; "gelu" is the exact form."""
    return F.gelu if name == "gelu" else get_activation(name)


class _Layer(Cell):
    """Base class of both layers: self-attention and feed-forward, each with a residual connection."""

    def _begin(
        self, d_model: int, attention: tuple[int, bool], width: int, dropout: float, activation: Any, dtype: DType
    ) -> None:
        heads, batch_first = attention
        self.d_model, self.nhead, self.batch_first = d_model, heads, batch_first
        self.dim_feedforward, self.dropout_num = width, dropout
        self.activation1, self.activation = activation, _activation(activation)
        self.self_attn = MultiheadAttention(d_model, heads, dropout, batch_first=batch_first, dtype=dtype)
        self.dense1 = Dense(d_model, width, dtype=dtype)
        self.dropout = Dropout(p=dropout)
        self.dense2 = Dense(width, d_model, dtype=dtype)

    def attend(self, x: Tensor, mask: Tensor | None, padding: Tensor | None) -> Any:
        """Self-attention."""
        return self.dropout1(self.self_attn(x, x, x, padding, False, mask)[0])

    def feed_forward(self, x: Tensor, dropout: Cell) -> Any:
        """Two Dense layers with an activation between them."""
        return dropout(self.dense2(self.dropout(self.activation(self.dense1(x)))))


class TransformerEncoderLayer(_Layer):
    """Self-attention and two Dense layers, each with a residual connection and layer normalization.

    Args:
        d_model: number of features.
        nhead: number of heads.
        dim_feedforward: number of features between the two Dense layers.
        dropout: probability of dropout in training.
        activation: an activation's name such as "relu" or "gelu", a Cell or a function.
        layer_norm_eps: number added to variances.
        batch_first: use the layout (N, L, features) in place of (L, N, features).
        norm_first: normalize the input of each part in place of its output.
        dtype: element type of the parameters.

    Example:
        >>> print(nn.TransformerEncoderLayer(16, 4, 32)(ops.ones((5, 2, 16))).shape)
        (5, 2, 16)

    """

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: str | Cell | Primitive | None = "relu",
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        dtype: DType = mstype.float32,
    ) -> None:
        super().__init__()
        self._begin(d_model, (nhead, batch_first), dim_feedforward, dropout, activation, dtype)
        self.norm1 = LayerNorm((d_model,), epsilon=layer_norm_eps, dtype=dtype)
        self.norm2 = LayerNorm((d_model,), epsilon=layer_norm_eps, dtype=dtype)
        self.dropout1, self.dropout2 = Dropout(p=dropout), Dropout(p=dropout)
        self.layernorm_eps, self.norm_first = layer_norm_eps, norm_first

    def construct(self, src: Tensor, src_mask: Tensor | None = None, src_key_padding_mask: Tensor | None = None) -> Any:
        """Encode a source of shape (L, N, d_model); masks as for `MultiheadAttention`."""
        if self.norm_first:
            x = src + self.attend(self.norm1(src), src_mask, src_key_padding_mask)
            return x + self.feed_forward(self.norm2(x), self.dropout2)
        x = self.norm1(src + self.attend(src, src_mask, src_key_padding_mask))
        return self.norm2(x + self.feed_forward(x, self.dropout2))


class TransformerDecoderLayer(_Layer):
    """Self-attention, attention to the encoder's output, and two Dense layers, as in `TransformerEncoderLayer`.

    Args:
        d_model: number of features.
        nhead: number of heads.
        dim_feedforward: number of features between the two Dense layers.
        dropout: probability of dropout in training.
        activation: an activation's name such as "relu" or "gelu", a Cell or a function.
        layer_norm_eps: number added to variances.
        batch_first: use the layout (N, L, features) in place of (L, N, features).
        norm_first: normalize the input of each part in place of its output.
        dtype: element type of the parameters.

    Example:
        >>> print(nn.TransformerDecoderLayer(16, 4, 32)(ops.ones((3, 2, 16)), ops.ones((5, 2, 16))).shape)
        (3, 2, 16)

    """

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: str | Cell | Primitive | None = "relu",
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        dtype: DType = mstype.float32,
    ) -> None:
        super().__init__()
        self._begin(d_model, (nhead, batch_first), dim_feedforward, dropout, activation, dtype)
        self.multihead_attn = MultiheadAttention(d_model, nhead, dropout, batch_first=batch_first, dtype=dtype)
        self.norm1 = LayerNorm((d_model,), epsilon=layer_norm_eps, dtype=dtype)
        self.norm2 = LayerNorm((d_model,), epsilon=layer_norm_eps, dtype=dtype)
        self.norm3 = LayerNorm((d_model,), epsilon=layer_norm_eps, dtype=dtype)
        self.dropout1, self.dropout2, self.dropout3 = (Dropout(p=dropout) for _ in range(3))
        self.layernorm_eps, self.norm_first = layer_norm_eps, norm_first

    def attend_memory(self, x: Tensor, memory: Tensor, mask: Tensor | None, padding: Tensor | None) -> Any:
        """Attention to the encoder's output."""
        return self.dropout2(self.multihead_attn(x, memory, memory, padding, False, mask)[0])

    def construct(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
    ) -> Any:
        """Decode targets (T, N, d_model) with the memory (S, N, d_model); masks as for `MultiheadAttention`."""
        if self.norm_first:
            x = tgt + self.attend(self.norm1(tgt), tgt_mask, tgt_key_padding_mask)
            x = x + self.attend_memory(self.norm2(x), memory, memory_mask, memory_key_padding_mask)
            return x + self.feed_forward(self.norm3(x), self.dropout3)
        x = self.norm1(tgt + self.attend(tgt, tgt_mask, tgt_key_padding_mask))
        x = self.norm2(x + self.attend_memory(x, memory, memory_mask, memory_key_padding_mask))
        return self.norm3(x + self.feed_forward(x, self.dropout3))


def _copies(layer: Cell, count: int) -> CellList:
    """Copies of a layer, each with its own parameters."""
    return CellList([copy.deepcopy(layer) for _ in range(count)])


class TransformerEncoder(Cell):
    """A stack of encoder layers.

    Args:
        encoder_layer: layer that is copied.
        num_layers: number of layers.
        norm: normalization of the last layer's output; None for none.

    Example:
        >>> print(nn.TransformerEncoder(nn.TransformerEncoderLayer(16, 4, 32), 2)(ops.ones((5, 2, 16))).shape)
        (5, 2, 16)

    """

    def __init__(self, encoder_layer: Cell, num_layers: int, norm: Cell | None = None) -> None:
        super().__init__()
        self.layers, self.norm = _copies(encoder_layer, num_layers), norm

    def construct(
        self, src: Tensor, src_mask: Tensor | None = None, src_key_padding_mask: Tensor | None = None
    ) -> Tensor:
        """Encode a source of shape (L, N, d_model); masks as for `MultiheadAttention`."""
        for layer in self.layers:
            src = layer(src, src_mask, src_key_padding_mask)
        return src if self.norm is None else self.norm(src)


class TransformerDecoder(Cell):
    """A stack of decoder layers.

    Args:
        decoder_layer: layer that is copied.
        num_layers: number of layers.
        norm: normalization of the last layer's output; None for none.

    Example:
        >>> net = nn.TransformerDecoder(nn.TransformerDecoderLayer(16, 4, 32), 2)
        >>> print(net(ops.ones((3, 2, 16)), ops.ones((5, 2, 16))).shape)
        (3, 2, 16)

    """

    def __init__(self, decoder_layer: Cell, num_layers: int, norm: Cell | None = None) -> None:
        super().__init__()
        self.layers, self.norm = _copies(decoder_layer, num_layers), norm

    def construct(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
    ) -> Tensor:
        """Decode targets (T, N, d_model) with the memory (S, N, d_model); masks as for `MultiheadAttention`."""
        for layer in self.layers:
            tgt = layer(tgt, memory, tgt_mask, memory_mask, tgt_key_padding_mask, memory_key_padding_mask)
        return tgt if self.norm is None else self.norm(tgt)


class Transformer(Cell):
    """An encoder and a decoder, each followed by layer normalization.

    Args:
        d_model: number of features.
        nhead: number of heads.
        num_encoder_layers: number of layers of the encoder.
        num_decoder_layers: number of layers of the decoder.
        dim_feedforward: number of features between the two Dense layers.
        dropout: probability of dropout in training.
        activation: an activation's name such as "relu" or "gelu", a Cell or a function.
        layer_norm_eps: number added to variances.
        batch_first: use the layout (N, L, features) in place of (L, N, features).
        norm_first: normalize the input of each part in place of its output.
        dtype: element type of the parameters.

    Example:
        >>> net = nn.Transformer(16, 4, 1, 1, 32, batch_first=True)
        >>> print(net(ops.ones((2, 5, 16)), ops.ones((2, 3, 16))).shape)
        (2, 3, 16)

    """

    def __init__(
        self,
        d_model: int = 512,
        nhead: int = 8,
        num_encoder_layers: int = 6,
        num_decoder_layers: int = 6,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: str | Cell | Primitive | None = "relu",
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        dtype: DType = mstype.float32,
    ) -> None:
        super().__init__()
        self.d_model, self.nhead, self.batch_first = d_model, nhead, batch_first
        options = (dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first, dtype)
        self.encoder = TransformerEncoder(
            TransformerEncoderLayer(d_model, nhead, *options),
            num_encoder_layers,
            LayerNorm((d_model,), epsilon=layer_norm_eps, dtype=dtype),
        )
        self.decoder = TransformerDecoder(
            TransformerDecoderLayer(d_model, nhead, *options),
            num_decoder_layers,
            LayerNorm((d_model,), epsilon=layer_norm_eps, dtype=dtype),
        )

    def construct(
        self,
        src: Tensor,
        tgt: Tensor,
        src_mask: Tensor | None = None,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
    ) -> Any:
        """Map sources (S, N, d_model) and targets (T, N, d_model) to outputs (T, N, d_model).

        The masks are those of `MultiheadAttention`.
        """
        memory = self.encoder(src, src_mask, src_key_padding_mask)
        return self.decoder(tgt, memory, tgt_mask, memory_mask, tgt_key_padding_mask, memory_key_padding_mask)
