"""Products of matrices, sums over named axes, determinants."""

from __future__ import annotations

from framework import ops
from framework.common.tensor import Tensor
from framework.onnx.operators.operator_table import onnx

__all__: list[str] = []


@onnx("MatMul")
def matmul(a: Tensor, b: Tensor) -> Tensor:
    return ops.matmul(a, b)


@onnx("Gemm", since=7)
def gemm(
    a: Tensor,
    b: Tensor,
    c: Tensor | None = None,
    *,
    alpha: float = 1.0,
    beta: float = 1.0,
    transA: int = 0,  # noqa: N803 - ONNX's name
    transB: int = 0,  # noqa: N803 - ONNX's name
) -> Tensor:
    left = ops.transpose(a, (1, 0)) if transA != 0 else a
    right = ops.transpose(b, (1, 0)) if transB != 0 else b
    found = ops.matmul(left, right)
    if alpha != 1.0:
        found = ops.cast(found * alpha, a.dtype)
    if c is None or beta == 0.0:
        return found
    return ops.add(found, c if beta == 1.0 else ops.cast(c * beta, a.dtype))


@onnx("Einsum", since=12)
def einsum(*given: Tensor, equation: str) -> Tensor:
    return ops.einsum(equation.replace(" ", ""), *given)


@onnx("Det", since=11)
def determinant(x: Tensor) -> Tensor:
    return ops.det(x)
