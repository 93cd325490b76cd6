"""The p-norm as an operator, against numbers of MindSpore 2.10 on its CPU, in both modes."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import framework as ms
from framework import Tensor, ops

X = Tensor(np.array([[3, 4, 0], [1, -2, 2]], np.float32))


@pytest.mark.parametrize("mode", [lambda function: function, ms.jit], ids=["pynative", "graph"])
def test_norms_and_their_gradients(mode: Callable[[Any], Any]) -> None:
    assert mode(lambda x: ops.LpNorm(axis=[0, 1])(x))(X).asnumpy() == pytest.approx(5.8309517)
    assert mode(lambda x: ops.LpNorm(1, keep_dims=True)(x))(X).asnumpy().tolist() == [[5.0], [3.0]]
    assert mode(lambda x: ops.LpNorm(1, 3)(x))(X).asnumpy() == pytest.approx([4.4979415, 2.5712817])
    assert mode(lambda x: ops.LpNorm(1, epsilon=0.5)(x))(X * 0).asnumpy().tolist() == [0.5, 0.5]
    by_two = ms.grad(mode(lambda x: ops.LpNorm(1)(x).sum()))(X).asnumpy()
    assert by_two == pytest.approx(np.array([[0.6, 0.8, 0], [1 / 3, -2 / 3, 2 / 3]], np.float32))
    by_three = ms.grad(mode(lambda x: ops.LpNorm(1, 3)(x).sum()))(X).asnumpy()
    wanted = np.array([[0.44485134, 0.7908468, 0], [0.15125185, -0.6050074, 0.6050074]], np.float32)
    assert by_three == pytest.approx(wanted)
    with pytest.raises(ValueError, match="p must be above 0"):
        ops.LpNorm(1, 0)
