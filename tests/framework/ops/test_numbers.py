"""Tensors from numbers and tuples, as programs of MindSpore 1.x make them, and the question of overflow, in both modes.

Types are those of MindSpore 2.10: Int32 and Float32.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import framework as ms
import framework.ops.operations as P  # noqa: N812 - as programs name it
from framework import Tensor, ops

MODES: list[Callable[[Any], Any]] = [lambda function: function, ms.jit]
modes = pytest.mark.parametrize("mode", MODES, ids=["pynative", "graph"])


@modes
def test_numbers_become_tensors(mode: Callable[[Any], Any]) -> None:
    def made(x: Tensor) -> Any:
        return (
            ops.tuple_to_array((1, 2)),
            P.TupleToArray()((0.5,)),
            P.ScalarToTensor()(3, ms.float16),
            ops.scalar_to_array(2),
            P.ScalarToArray()(2.5),
            ops.tuple_to_array(ops.make_range(0, ops.tuple_len(x.shape))),
            x * P.ScalarCast()(2.9, ms.int64),
        )

    found = mode(made)(Tensor(np.ones((2, 1), np.float32)))
    assert [one.asnumpy().tolist() for one in found] == [[1, 2], [0.5], 3.0, 2, 2.5, [0, 1], [[2.0], [2.0]]]
    assert [str(one.dtype) for one in found[:6]] == ["Int32", "Float32", "Float16", "Int32", "Float32", "Int32"]


@modes
def test_a_sum_is_filled_and_clipped_as_old_programs_do(mode: Callable[[Any], Any]) -> None:
    def clipped(gradient: Tensor) -> Any:
        dtype = P.DType()(gradient)
        bound = ops.cast(ops.tuple_to_array((1.5,)), dtype)
        sens = P.Fill()(dtype, P.Shape()(gradient), 1024)
        return ops.clip_by_value(gradient, -bound, bound), sens, P.GatherV2()(gradient, Tensor([1]), 0)

    found, sens, picked = mode(clipped)(Tensor([-3.0, 1.0], ms.float16))
    assert (found.asnumpy().tolist(), str(found.dtype)) == ([-1.5, 1.0], "Float16")
    assert (sens.asnumpy().tolist(), str(sens.dtype)) == ([1024.0, 1024.0], "Float16")
    assert picked.asnumpy().tolist() == [1.0]


@modes
def test_floats_alone_are_cast(mode: Callable[[Any], Any]) -> None:
    cast = mode(lambda x, y: ops.mixed_precision_cast(ms.float16, (x, y)))
    assert [str(one.dtype) for one in cast(Tensor([1.0]), Tensor([1]))] == ["Float16", "Int64"]
    assert mode(lambda x: ops.pows(x, 2))(Tensor([3.0])).asnumpy().tolist() == [9.0]


@modes
def test_overflow_is_seen(mode: Callable[[Any], Any]) -> None:
    status = mode(lambda x: P.FloatStatus()(x))
    found = [status(Tensor(values, ms.float32)).asnumpy().tolist() for values in ([1.0, 2.0], [np.inf, 0], [0, np.nan])]
    assert found == [[0.0], [1.0], [1.0]]
    with pytest.raises(RuntimeError, match="FloatStatus"):
        mode(lambda: P.NPUAllocFloatStatus()())()


@modes
@pytest.mark.parametrize("values", [(), (1, 2.0), ("a",)])
def test_a_tuple_must_be_of_numbers_of_one_type(mode: Callable[[Any], Any], values: Any) -> None:
    with pytest.raises((TypeError, ValueError)):
        mode(lambda: ops.tuple_to_array(values))()
