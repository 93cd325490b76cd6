"""Basic layers: dense, embedding, dropout, and changes of shape."""

from __future__ import annotations

import math
from typing import Any

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.common.initializer import HeUniform, Uniform, initializer
from framework.common.parameter import Parameter
from framework.common.tensor import Tensor
from framework.common.validator import check_bool, check_positive_int, check_type
from framework.nn.annotations import Initial
from framework.nn.cell import Cell
from framework.nn.layer.activation import get_activation
from framework.ops import functional as F  # noqa: N812
from framework.ops import operations as P  # noqa: N812
from framework.ops.primitive import Primitive

__all__ = ["ChannelShuffle", "Dense", "Dropout", "Embedding", "EmbeddingLookup", "Flatten", "Identity", "Unflatten"]


class Dense(Cell):
    """A dense layer: activation(x @ weight.T + bias).

    Args:
        in_channels: number of input features, the last dimension of x.
        out_channels: number of output features.
        weight_init: initializer of the weight (out_channels, in_channels); by default He's uniform distribution within
            1 / sqrt(in_channels).
        bias_init: initializer of the bias (out_channels,); by default uniform within 1 / sqrt(in_channels).
        has_bias: add a bias.
        activation: an activation's name such as "relu", a Cell or a primitive; None for none.
        dtype: element type of the parameters.

    Example:
        >>> net = nn.Dense(2, 3, weight_init="ones", bias_init=0.5)
        >>> print(net(Tensor([[1.0, 2.0]])))
        [[3.5 3.5 3.5]]

    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        weight_init: Initial = None,
        bias_init: Initial = None,
        has_bias: bool = True,
        activation: str | Cell | Primitive | None = None,
        dtype: DType = mstype.float32,
    ) -> None:
        super().__init__()
        self.in_channels = check_positive_int(in_channels, "Dense: in_channels")
        self.out_channels = check_positive_int(out_channels, "Dense: out_channels")
        self.has_bias = check_bool(has_bias, "Dense: has_bias")
        weight_init = HeUniform(math.sqrt(5)) if weight_init is None else weight_init
        self.weight = Parameter(initializer(weight_init, (out_channels, in_channels), dtype), name="weight")
        self.bias = None
        if has_bias:
            bias_init = Uniform(1 / math.sqrt(in_channels)) if bias_init is None else bias_init
            self.bias = Parameter(initializer(bias_init, (out_channels,), dtype), name="bias")
        self.matmul = P.MatMul(transpose_b=True)
        self.bias_add = P.BiasAdd()
        self.activation = get_activation(activation)
        self.activation_flag = self.activation is not None

    def construct(self, x: Tensor) -> Tensor:
        """Map (..., in_channels) to (..., out_channels)."""
        shape = F.shape(x)
        if len(shape) != 2:
            x = F.reshape(x, (-1, shape[-1]))
        x = self.matmul(x, self.weight)
        if self.has_bias:
            x = self.bias_add(x, self.bias)
        if len(shape) != 2:
            x = F.reshape(x, shape[:-1] + (self.out_channels,))  # noqa: RUF005 - graph mode parses this form
        if self.activation_flag:
            x = self.activation(x)
        return x

    def extend_repr(self) -> str:
        """The numbers of features and the bias."""
        return f"input_channels={self.in_channels}, output_channels={self.out_channels}, has_bias={self.has_bias}"


class Embedding(Cell):
    """Rows of a table, picked by indices.

    Args:
        vocab_size: number of rows.
        embedding_size: length of a row.
        use_one_hot: multiply with one-hot vectors in place of gathering rows.
        embedding_table: initializer of the table; by default normal with standard deviation 0.01.
        dtype: element type of the table.
        padding_idx: index of a row that is initialized with zeros.

    Example:
        >>> print(nn.Embedding(1000, 16)(Tensor([[3, 1, 4], [1, 5, 9]])).shape)
        (2, 3, 16)

    """

    def __init__(
        self,
        vocab_size: int,
        embedding_size: int,
        use_one_hot: bool = False,
        embedding_table: Initial = "normal",
        dtype: DType = mstype.float32,
        padding_idx: int | None = None,
    ) -> None:
        super().__init__()
        self.vocab_size = check_positive_int(vocab_size, "Embedding: vocab_size")
        self.embedding_size = check_positive_int(embedding_size, "Embedding: embedding_size")
        self.use_one_hot = check_bool(use_one_hot, "Embedding: use_one_hot")
        self.padding_idx, self.dtype = padding_idx, dtype
        table = initializer(embedding_table, (vocab_size, embedding_size), dtype)
        if padding_idx is not None:
            check_type("Embedding: padding_idx", padding_idx, int)
            if not 0 <= padding_idx < vocab_size:
                raise ValueError(f"Embedding: padding_idx must lie in [0, {vocab_size}), not {padding_idx}")
            table[padding_idx] = 0
        self.embedding_table = Parameter(table, name="embedding_table")
        self.gather = P.Gather()
        self.matmul = P.MatMul()
        self.one_hot = P.OneHot()

    def construct(self, ids: Tensor) -> Any:
        """Map indices (...) to rows (..., embedding_size)."""
        if not self.use_one_hot:
            return self.gather(self.embedding_table, ids, 0)
        rows = self.matmul(self.one_hot(F.reshape(ids, (-1,)), self.vocab_size, 1.0, 0.0), self.embedding_table)
        return F.reshape(rows, F.shape(ids) + (self.embedding_size,))  # noqa: RUF005 - graph mode parses this form

    def extend_repr(self) -> str:
        """The sizes of the table."""
        return f"vocab_size={self.vocab_size}, embedding_size={self.embedding_size}, use_one_hot={self.use_one_hot}"


class Dropout(Cell):
    """Dropout: in training, elements set to 0 with probability p and the others divided by 1 - p.

    Args:
        keep_prob: 1 - p, the older argument.
        p: probability that an element is set to 0; None for 1 - keep_prob.
        dtype: accepted for compatibility; has no effect.

    Example:
        >>> net = nn.Dropout(p=0.5)
        >>> print(net(ops.ones((3,))), np.unique(net.set_train()(ops.ones((1000,))).asnumpy()))
        [1. 1. 1.] [0. 2.]

    """

    def __init__(self, keep_prob: float = 0.5, p: float | None = None, dtype: DType = mstype.float32) -> None:
        super().__init__()
        if p is None:
            check_type("Dropout: keep_prob", keep_prob, float)
        self.p = check_type("Dropout: p", 1 - keep_prob if p is None else p, (int, float))
        if not 0 <= self.p < 1:
            raise ValueError(f"Dropout: p must lie between 0 and 1 and be less than 1, not {self.p}")
        self.keep_prob, self.dtype = 1 - self.p, dtype
        self.dropout = P.Dropout(1 - self.p)

    def construct(self, x: Tensor) -> Any:
        """Apply the layer to a tensor of any shape."""
        if not self.training or self.p == 0:
            return x
        return self.dropout(x)[0]

    def extend_repr(self) -> str:
        """The probability."""
        return f"p={self.p}"


class Flatten(Cell):
    """Several dimensions merged into one.

    Args:
        start_dim: first of the dimensions.
        end_dim: last of the dimensions.

    Example:
        >>> print(nn.Flatten()(ops.ones((2, 3, 4))).shape)
        (2, 12)

    """

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        super().__init__()
        self.start_dim, self.end_dim = start_dim, end_dim
        self.keeps_rows = (start_dim, end_dim) == (1, -1)
        self.rows = P.Flatten()

    def construct(self, x: Tensor) -> Any:
        """Apply the layer to a tensor of any shape."""
        if self.keeps_rows and x.ndim > 1:
            return self.rows(x)
        return F.flatten(x, start_dim=self.start_dim, end_dim=self.end_dim)


class Identity(Cell):
    """The input itself.

    Example:
        >>> print(nn.Identity()(Tensor([1.0, 2.0])))
        [1. 2.]

    """

    def construct(self, x: Tensor) -> Tensor:
        """Apply the layer to a tensor of any shape."""
        return x


class Unflatten(Cell):
    """One dimension split into several.

    Args:
        axis: dimension that is split.
        unflattened_size: lengths of the new dimensions.

    Example:
        >>> print(nn.Unflatten(1, (2, 3))(ops.ones((4, 6))).shape)
        (4, 2, 3)

    """

    def __init__(self, axis: int, unflattened_size: tuple[int, ...]) -> None:
        super().__init__()
        self.axis, self.unflattened_size = axis, tuple(unflattened_size)

    def construct(self, x: Tensor) -> Any:
        """Apply the layer to a tensor of any shape."""
        shape = F.shape(x)
        axis = self.axis % len(shape)
        return F.reshape(x, shape[:axis] + self.unflattened_size + shape[axis + 1 :])


class ChannelShuffle(Cell):
    """Channels of (N, C, H, W) shuffled between groups: neighbours come from different groups (Zhang et al. 2018).

    Args:
        groups: number of groups; it divides the channels.

    Example:
        >>> x = Tensor([[[[0]], [[1]], [[2]], [[3]]]])
        >>> print(nn.ChannelShuffle(2)(x).asnumpy().ravel())
        [0 2 1 3]

    """

    def __init__(self, groups: int) -> None:
        super().__init__()
        if groups < 1:
            raise ValueError(f"ChannelShuffle: groups must be above 0, not {groups}")
        self.groups = groups

    def construct(self, x: Tensor) -> Any:
        """Shuffle images of shape (N, C, H, W)."""
        return F.channel_shuffle(x, self.groups)


class EmbeddingLookup(Embedding):
    """`Embedding` without MindSpore's distribution of the table over machines.

    Args:
        vocab_size: number of rows.
        embedding_size: length of a row.
        param_init: initializer of the table; by default normal with standard deviation 0.01.
        target: accepted for compatibility; has no effect.
        slice_mode: how a table is distributed over devices, one of the constants `BATCH_SLICE`, `FIELD_SLICE`,
            `TABLE_ROW_SLICE` and `TABLE_COLUMN_SLICE`; one device has the whole table with each of them.
        manual_shapes: the rows of each device with `FIELD_SLICE`; one device has all.
        max_norm: maximum of the norm of the rows, which are scaled down to it; None for no limit.
        sparse: accepted for compatibility; gradients are dense.
        dtype: element type of the table.
        vocab_cache_size: rows that a device keeps of the table of a parameter server: 0, there is no such server here.

    Raises:
        ValueError: an unknown `slice_mode`.
        NotImplementedError: a `vocab_cache_size` other than 0.

    Input: indices (...). Output: rows (..., embedding_size).

    Example:
        >>> print(nn.EmbeddingLookup(3, 2, "ones", max_norm=1.0)(Tensor([2])).asnumpy().round(3))
        [[0.707 0.707]]

    """

    BATCH_SLICE = "batch_slice"
    FIELD_SLICE = "field_slice"
    TABLE_ROW_SLICE = "table_row_slice"
    TABLE_COLUMN_SLICE = "table_column_slice"

    def __init__(
        self,
        vocab_size: int,
        embedding_size: int,
        param_init: Initial = "normal",
        target: str = "CPU",
        slice_mode: str = "batch_slice",
        manual_shapes: object = None,
        max_norm: float | None = None,
        sparse: bool = True,
        dtype: DType = mstype.float32,
        vocab_cache_size: int = 0,
    ) -> None:
        super().__init__(vocab_size, embedding_size, embedding_table=param_init, dtype=dtype)
        modes = (self.BATCH_SLICE, self.FIELD_SLICE, self.TABLE_ROW_SLICE, self.TABLE_COLUMN_SLICE)
        if slice_mode not in modes:
            raise ValueError(f"EmbeddingLookup: slice_mode must be one of {', '.join(modes)}, got {slice_mode!r}")
        if vocab_cache_size:
            raise NotImplementedError(
                f"EmbeddingLookup: vocab_cache_size={vocab_cache_size} needs a parameter server, which is not "
                "supported: leave it 0 to keep the whole table in memory"
            )
        self.target, self.manual_shapes, self.max_norm, self.sparse = target, manual_shapes, max_norm, sparse

    def construct(self, ids: Tensor) -> Any:
        """Map indices (...) to rows (..., embedding_size)."""
        rows = self.gather(self.embedding_table, ids, 0)
        if self.max_norm is None:
            return rows
        length = F.sqrt(F.sum(F.square(rows), -1, True))
        return rows * self.max_norm / F.maximum(length, self.max_norm)
