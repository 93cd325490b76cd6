"""`ops.composite` in both modes: functions over structures, functions by type, clipping."""

import functools
from typing import Any

import numpy as np
import pytest

import framework as ms
from framework import Tensor
from framework.ops import composite as C  # noqa: N812
from framework.ops import functional as F  # noqa: N812

clip = C.MultitypeFuncGraph("clip")


@clip.register("Number", "Number", "Tensor")
def _clip_tensor(low: float, high: float, x: Any) -> Any:
    return C.clip_by_value(x, low, high)


@clip.register("Number", "Number", "Tuple")
def _clip_tuple(low: float, high: float, x: Any) -> Any:
    return x


@pytest.fixture(params=["PYNATIVE_MODE", "GRAPH_MODE"])
def in_mode(request: pytest.FixtureRequest) -> Any:
    return (lambda fn: fn) if request.param == "PYNATIVE_MODE" else ms.jit


X, Y = Tensor(np.array([3.0, -4.0])), Tensor(np.array([12.0]))


def test_a_function_over_nested_sequences(in_mode: Any) -> None:
    nested = in_mode(lambda x, y: C.HyperMap()(F.sin, (x, [y, x])))(X, Y)
    np.testing.assert_allclose(nested[0].asnumpy(), np.sin(X.asnumpy()))
    np.testing.assert_allclose(nested[1][0].asnumpy(), np.sin(Y.asnumpy()))
    assert isinstance(nested[1], list)
    added = in_mode(lambda x, y: C.HyperMap(lambda a, b: a + b)((x, y), (y, x)))(X, Y)
    assert [item.tolist() for item in added] == [[15.0, 8.0], [15.0, 8.0]]
    sizes = in_mode(lambda x, y: C.Map()(lambda pair: pair[0] * 2.0, ((x, y), (y, x))))(X, Y)
    assert [item.tolist() for item in sizes] == [[6.0, -8.0], [24.0]]


def test_a_function_by_type(in_mode: Any) -> None:
    clipped = in_mode(lambda x, y: C.HyperMap()(functools.partial(clip, -1.0, 5.0), (x, y)))(X, Y)
    assert [item.tolist() for item in clipped] == [[3.0, -1.0], [5.0]]
    assert in_mode(lambda x, y: clip(0.0, 1, (x, y))[1])(X, Y).tolist() == [12.0]
    with pytest.raises(TypeError, match=r"clip is not defined for \(Tensor\); it is for \(Number, Number, Tensor\)"):
        in_mode(lambda x: clip(x))(X)


def test_an_unknown_type_cannot_be_registered() -> None:
    with pytest.raises(ValueError, match="there is no type 'Matrix'"):
        clip.register("Matrix")


def test_clipping_by_the_norm_of_all(in_mode: Any) -> None:
    found = in_mode(lambda x, y: C.clip_by_global_norm((x, y), 6.5))(X, Y)
    np.testing.assert_allclose(found[0].asnumpy(), [1.5, -2.0])
    np.testing.assert_allclose(found[1].asnumpy(), [6.0])
    same = in_mode(lambda x, y: C.clip_by_global_norm((x, y), 20.0))(X, Y)
    np.testing.assert_allclose(same[1].asnumpy(), [12.0])


def test_gradients_within_structures(in_mode: Any) -> None:
    def total(x: Any, y: Any) -> Any:
        parts = C.HyperMap()(lambda item: (item * item).sum(), (x, [y]))
        return parts[0] + parts[1][0]

    both = in_mode(C.GradOperation(get_all=True)(total))(X, Y)
    assert [item.tolist() for item in both] == [[6.0, -8.0], [24.0]]


def test_arguments_of_the_mapped_function_are_fixed_by_partial() -> None:
    clip = C.MultitypeFuncGraph("clip")

    @clip.register("Number", "Number", "Tensor")
    def clipped(kind: int, bound: float, gradient: Any) -> Any:
        return F.clip_by_value(gradient, -bound, bound) if kind == 0 else gradient

    def limited(x: Any) -> Any:
        return C.HyperMap()(F.partial(clip, 0, 1.0), (x, -x * 2))

    for function in (limited, ms.jit(limited)):
        one, other = function(Tensor([0.5, 3.0]))
        np.testing.assert_array_equal(one.asnumpy(), [0.5, 1.0])
        np.testing.assert_array_equal(other.asnumpy(), [-1.0, -1.0])
