"""Operators over the processes of a training. There is only one process, so each returns its input."""

from __future__ import annotations

from typing import Any, Final

from framework.common.tensor import Tensor
from framework.communication.management import GlobalComm
from framework.ops.arrays import ArrayModule
from framework.ops.gradients import gradient
from framework.ops.primitive import PrimitiveWithInfer, prim_attr_register

__all__ = ["AllGather", "AllReduce", "AlltoAll", "Broadcast", "ReduceOp", "ReduceScatter"]

_WORLD: Final = GlobalComm.WORLD_COMM_GROUP


class ReduceOp:
    """How `AllReduce` and `ReduceScatter` combine the tensors of all processes.

    Example:
        >>> print(ops.AllReduce(ops.ReduceOp.MAX)(Tensor([1.0, 2.0])))
        [1. 2.]
    """

    SUM = "sum"
    MAX = "max"
    MIN = "min"
    PROD = "prod"


_WAYS: Final = (ReduceOp.SUM, ReduceOp.MAX, ReduceOp.MIN, ReduceOp.PROD)


class _OfOneProcess(PrimitiveWithInfer):
    """An operator whose result among one process is its input."""

    def infer_shape(self, x: Any) -> Any:
        return x

    def infer_dtype(self, x: Any) -> Any:
        return x

    def compute(self, xp: ArrayModule, x: Any) -> Any:
        return x

    def set_reduction(self, op: str) -> None:
        """Keep the kind of a reduction.

        Raises:
            TypeError: it is none of `ReduceOp`.
        """
        if op not in _WAYS:
            raise TypeError(f"{self.name}: op must be ops.ReduceOp.SUM, MAX, MIN or PROD, not {op!r}")


class AllReduce(_OfOneProcess):
    """The sum, or another reduction, of a tensor over all processes.

    Args:
        op: one of `ReduceOp`.
        group: the name of the group of processes.

    Inputs: input_x, a tensor.

    Output: a tensor of its shape and element type.

    Raises:
        TypeError: `op` is none of `ReduceOp`.

    Example:
        >>> print(ops.AllReduce()(Tensor([1.0, 2.0])))
        [1. 2.]
    """

    @prim_attr_register
    def __init__(self, op: str = ReduceOp.SUM, group: str = _WORLD) -> None:
        self.init_prim_io_names(inputs=["input_x"], outputs=["output"])
        self.set_reduction(op)


class AllGather(_OfOneProcess):
    """The tensors of all processes, one after another along the first dimension.

    Args:
        group: the name of the group of processes.

    Inputs: input_x, a tensor.

    Output: a tensor; among one process, of the same shape.

    Example:
        >>> print(ops.AllGather()(Tensor([1.0, 2.0])))
        [1. 2.]
    """

    @prim_attr_register
    def __init__(self, group: str = _WORLD) -> None:
        self.init_prim_io_names(inputs=["input_x"], outputs=["output"])


class ReduceScatter(_OfOneProcess):
    """This process's part, along the first dimension, of the sum or another reduction over all processes.

    Args:
        op: one of `ReduceOp`.
        group: the name of the group of processes.

    Inputs: input_x, a tensor.

    Output: a tensor; among one process, of the same shape.

    Raises:
        TypeError: `op` is none of `ReduceOp`.

    Example:
        >>> print(ops.ReduceScatter()(Tensor([1.0, 2.0])))
        [1. 2.]
    """

    @prim_attr_register
    def __init__(self, op: str = ReduceOp.SUM, group: str = _WORLD) -> None:
        self.init_prim_io_names(inputs=["input_x"], outputs=["output"])
        self.set_reduction(op)


class AlltoAll(_OfOneProcess):
    """Splits a tensor along one dimension, sends a part to each process, and joins what came along another.

    Args:
        split_count: the number of processes, 1.
        split_dim: the dimension that is split.
        concat_dim: the dimension along which the parts are joined.
        group: the name of the group of processes.

    Inputs: input_x, a tensor.

    Output: a tensor; among one process, of the same shape.

    Raises:
        ValueError: `split_count` is not 1.

    Example:
        >>> print(ops.AlltoAll(1, 0, 0)(Tensor([1.0, 2.0])))
        [1. 2.]
    """

    @prim_attr_register
    def __init__(self, split_count: int, split_dim: int, concat_dim: int, group: str = _WORLD) -> None:
        self.init_prim_io_names(inputs=["input_x"], outputs=["output"])
        if split_count != 1:
            raise ValueError(f"AlltoAll: there is one process, so split_count must be 1, not {split_count}")


class Broadcast(_OfOneProcess):
    """The tensors of one process, in all processes.

    Args:
        root_rank: the process whose tensors all get; 0 among one process.
        group: the name of the group of processes.

    Inputs: input_x, a tuple of tensors.

    Output: a tuple of as many.

    Raises:
        ValueError: there is no process `root_rank`.

    Example:
        >>> print(ops.Broadcast(0)((Tensor([1.0, 2.0]),))[0])
        [1. 2.]
    """

    @prim_attr_register
    def __init__(self, root_rank: int, group: str = _WORLD) -> None:
        self.init_prim_io_names(inputs=["input_x"], outputs=["output"])
        if root_rank != 0:
            raise ValueError(f"Broadcast: this process is the only one and has rank 0, so there is no rank {root_rank}")


@gradient(AllReduce, AllGather, ReduceScatter, AlltoAll)
def of_one_process_gradient(x: Tensor, out: Tensor, dout: Tensor) -> Tensor:
    """The gradient of the identity."""
    return dout


@gradient(Broadcast)
def broadcast_gradient(x: tuple[Tensor, ...], out: tuple[Tensor, ...], dout: Any) -> tuple[Any, ...]:
    """The gradient of the identity on a tuple."""
    return (dout,)
