"""Multi-head attention (Vaswani et al. 2017)."""

from __future__ import annotations

import math
from typing import Any

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.common.initializer import XavierNormal, XavierUniform, initializer
from framework.common.parameter import Parameter
from framework.common.tensor import Tensor
from framework.nn.cell import Cell
from framework.nn.layer.basic import Dense, Dropout
from framework.ops import functional as F  # noqa: N812
from framework.ops import operations as P  # noqa: N812

__all__ = ["MultiheadAttention"]

_linear = P.MatMul(transpose_b=True)
_scores = P.BatchMatMul(transpose_b=True)
_weighted = P.BatchMatMul()


def project(x: Tensor, weight: Tensor, bias: Tensor | None) -> Any:
    """x @ weight.T + bias over the last dimension of a tensor of three dimensions."""
    length, batch, features = F.shape(x)
    out = _linear(F.reshape(x, (length * batch, features)), weight)
    return F.reshape(out if bias is None else out + bias, (length, batch, -1))


def penalty(mask: Tensor | None, dtype: DType) -> Any:
    """A mask as numbers that are added to the scores: a Bool mask gives -inf where it is true; other masks are
    unchanged."""
    if F.dtype(mask) != mstype.bool_:
        return F.cast(mask, dtype)
    return F.masked_fill(F.zeros(F.shape(mask), dtype), mask, -math.inf)


class MultiheadAttention(Cell):
    """Multi-head attention: softmax(Q K^T / sqrt(head_dim)) V for each head, concatenated, then a Dense layer.

    Args:
        embed_dim: number of features of queries and outputs.
        num_heads: number of heads; it divides `embed_dim`.
        dropout: probability of dropout of the attention weights in training.
        has_bias: add biases to the projections.
        add_bias_kv: append a trained key and a trained value, `bias_k` and `bias_v`, to those of each sample.
        add_zero_attn: append a key and a value of zeros to those of each sample.
        kdim: number of features of keys; None for `embed_dim`.
        vdim: number of features of values; None for `embed_dim`.
        batch_first: use the layout (N, L, features) in place of (L, N, features).
        dtype: element type of the parameters.

    Example:
        >>> x = ops.ones((3, 5, 16))
        >>> output, weights = nn.MultiheadAttention(16, 4, batch_first=True)(x, x, x)
        >>> print(output.shape, weights.shape)
        (3, 5, 16) (3, 5, 5)

    """

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        dropout: float = 0.0,
        has_bias: bool = True,
        add_bias_kv: bool = False,
        add_zero_attn: bool = False,
        kdim: int | None = None,
        vdim: int | None = None,
        batch_first: bool = False,
        dtype: DType = mstype.float32,
    ) -> None:
        super().__init__()
        if embed_dim % num_heads:
            raise ValueError(f"MultiheadAttention: {embed_dim} features cannot be divided among {num_heads} heads")
        self.embed_dim, self.num_heads, self.head_dim = embed_dim, num_heads, embed_dim // num_heads
        self.batch_first, self.has_bias, self.add_zero_attn = batch_first, has_bias, add_zero_attn
        self.kdim, self.vdim = embed_dim if kdim is None else kdim, embed_dim if vdim is None else vdim
        self.in_proj_weight = self.q_proj_weight = self.k_proj_weight = self.v_proj_weight = None
        if (self.kdim, self.vdim) == (embed_dim, embed_dim):
            self.in_proj_weight = _weight((3 * embed_dim, embed_dim), "in_proj_weight", dtype)
        else:
            self.q_proj_weight = _weight((embed_dim, embed_dim), "q_proj_weight", dtype)
            self.k_proj_weight = _weight((embed_dim, self.kdim), "k_proj_weight", dtype)
            self.v_proj_weight = _weight((embed_dim, self.vdim), "v_proj_weight", dtype)
        self.in_proj_bias = self.bias_k = self.bias_v = None
        if has_bias:
            self.in_proj_bias = Parameter(initializer("zeros", (3 * embed_dim,), dtype), name="in_proj_bias")
        self.out_proj = Dense(embed_dim, embed_dim, has_bias=has_bias, dtype=dtype)
        if add_bias_kv:
            self.bias_k = Parameter(initializer(XavierNormal(), (1, 1, embed_dim), dtype), name="bias_k")
            self.bias_v = Parameter(initializer(XavierNormal(), (1, 1, embed_dim), dtype), name="bias_v")
        self.dropout, self._drop = dropout, Dropout(p=dropout)

    def projected(self, query: Tensor, key: Tensor, value: Tensor) -> Any:
        """The projected queries, keys and values, each of shape (L, N, embed_dim)."""
        size = self.embed_dim
        weights: Any = (self.q_proj_weight, self.k_proj_weight, self.v_proj_weight)
        if self.in_proj_weight is not None:
            weights = F.split(self.in_proj_weight, size, 0)
        biases = (None, None, None) if self.in_proj_bias is None else F.split(self.in_proj_bias, size, 0)
        return [project(x, weights[i], biases[i]) for i, x in enumerate((query, key, value))]

    def extended(self, x: Tensor, last: Tensor | None) -> Any:
        """Keys or values (S, N, embed_dim), followed by the trained one and the zero one."""
        one = (1, *F.shape(x)[1:])
        if last is not None:
            x = F.concat((x, F.broadcast_to(last, one)), 0)
        return F.concat((x, F.zeros(one, F.dtype(x))), 0) if self.add_zero_attn else x

    def widened(self, mask: Tensor) -> Any:
        """A mask (..., S) with zeros for the keys added by `extended`."""
        added = int(self.bias_k is not None) + int(self.add_zero_attn)
        return F.concat((mask, F.zeros((*F.shape(mask)[:-1], added), F.dtype(mask))), -1) if added else mask

    def heads(self, x: Tensor) -> Any:
        """Split (L, N, embed_dim) into heads (N, num_heads, L, head_dim)."""
        length, batch, _ = F.shape(x)
        return F.transpose(F.reshape(x, (length, batch, self.num_heads, self.head_dim)), (1, 2, 0, 3))

    def construct(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        key_padding_mask: Tensor | None = None,
        need_weights: bool = True,
        attn_mask: Tensor | None = None,
        average_attn_weights: bool = True,
    ) -> tuple[Tensor, Tensor | None]:
        """Compute the outputs and the attention weights.

        Args:
            query: queries of shape (L, N, embed_dim).
            key: keys of shape (S, N, kdim).
            value: values of shape (S, N, vdim).
            key_padding_mask: mask of shape (N, S): Bool, true for keys that are ignored, or numbers added to their
                scores.
            need_weights: return the weights; otherwise None in their place.
            attn_mask: mask of shape (L, S) or (N * num_heads, L, S): Bool, true for pairs that are ignored, or numbers
                added to their scores.
            average_attn_weights: return the weights averaged over heads, (N, L, S), in place of (N, num_heads, L, S).

        Returns:
            The outputs of shape (L, N, embed_dim), and the weights or None.
        """
        if self.batch_first:
            query, key, value = [F.swapaxes(x, 0, 1) for x in (query, key, value)]
        length, batch, _ = F.shape(query)
        q, k, v = self.projected(query, key, value)
        k, v = self.extended(k, self.bias_k), self.extended(v, self.bias_v)
        q, k, v = [self.heads(x) for x in (q, k, v)]
        scores = _scores(q * (1 / math.sqrt(self.head_dim)), k)
        if attn_mask is not None:
            mask = self.widened(penalty(attn_mask, F.dtype(scores)))
            scores = scores + (F.reshape(mask, F.shape(scores)) if F.rank(mask) == 3 else mask)
        if key_padding_mask is not None:
            mask = self.widened(penalty(key_padding_mask, F.dtype(scores)))
            scores = scores + F.expand_dims(F.expand_dims(mask, 1), 1)
        weights = self._drop(F.softmax(scores, -1))
        merged = F.transpose(_weighted(weights, v), (2, 0, 1, 3))
        out = self.out_proj(F.reshape(merged, (length, batch, self.embed_dim)))
        if self.batch_first:
            out = F.swapaxes(out, 0, 1)
        if not need_weights:
            return out, None
        return out, F.mean(weights, 1) if average_attn_weights else weights

    def extend_repr(self) -> str:
        """The numbers of features and heads."""
        return f"embed_dim={self.embed_dim}, num_heads={self.num_heads}"


def _weight(shape: tuple[int, int], name: str, dtype: DType) -> Parameter:
    return Parameter(initializer(XavierUniform(), shape, dtype), name=name)
