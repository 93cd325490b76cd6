"""Tensors: how they are made, asked, indexed and combined, in both spellings."""

import copy
import pickle

import numpy as np
import pytest

import framework as ms
from framework.common import dtype as mstype
from framework.common.tensor import Tensor


@pytest.mark.parametrize(
    ("data", "dtype"),
    [
        (1.0, mstype.float32),
        ([1, 2], mstype.int64),
        ([[True]], mstype.bool_),
        (np.array([1.0]), mstype.float64),
        (np.float16(1), mstype.float16),
        ([np.float64(1.0)], mstype.float64),
        (Tensor([1], mstype.int8), mstype.int8),
    ],
)
def test_element_type_of_data(data: object, dtype: mstype.DType) -> None:
    assert Tensor(data).dtype is dtype


def test_both_spellings() -> None:
    t = Tensor([[1.0, 2.0, 3.0]])
    assert t.shape == t.shape() == (1, 3)
    assert t.dtype is t.dtype() is mstype.float32
    assert t.size == t.size() == 3
    assert t.dim() == t.ndim == 2
    np.testing.assert_array_equal(t.tensor_add(t).asnumpy(), [[2, 4, 6]])
    np.testing.assert_array_equal(t.tensor_mul(t).asnumpy(), [[1, 4, 9]])
    assert str(t) == "[[1. 2. 3.]]"
    assert t.set_dtype(mstype.int32).dtype is mstype.int32


def test_elements_are_copied_in_and_shared_out() -> None:
    array = np.zeros(3, np.float32)
    t = Tensor(array)
    array[0] = 1
    assert t.asnumpy()[0] == 0
    assert t.asnumpy() is t.asnumpy()
    assert np.shares_memory(Tensor.from_numpy(array).asnumpy(), array)


def test_operators_follow_numpy() -> None:
    a = np.array([[1.5, -2.0], [3.0, 4.0]], np.float32)
    b = np.array([2.0, 5.0], np.float32)
    x, y = Tensor(a), Tensor(b)
    for got, wanted in [
        (x + y, a + b), (x - y, a - b), (x * y, a * b), (x / y, a / b), (x // y, a // b), (x % y, a % b),
        (abs(x) ** y, abs(a) ** b), (x @ x, a @ a), (-x, -a), (x < y, a < b), (x >= y, a >= b), (x == y, a == b),
        (2 - x, 2 - a), (1 / y, 1 / b), (x + 1, a + 1), (b + x, b + a), (2**y, 2**b), (~(x < y), ~(a < b)),
    ]:  # fmt: skip
        np.testing.assert_allclose(got.asnumpy(), wanted, rtol=1e-6)
        assert got.asnumpy().dtype == wanted.dtype


def test_a_number_does_not_widen_a_tensor() -> None:
    assert (Tensor([1.0]) * 2.5).dtype is mstype.float32
    assert (Tensor([1], mstype.float16) * 2.5).dtype is mstype.float16
    assert (Tensor([1], mstype.int32) * 2.5).dtype is mstype.float32
    assert (Tensor([1], mstype.int32) * 2).dtype is mstype.int32


INDICES = [
    0, -1, slice(1, None), (slice(None), 1), (..., 0), (None, 2), (slice(None, None, -1), ...), (1, slice(0, 3, 2)),
    [2, 0], (slice(None), [1, 1]), ([0, 2], [1, 3]), np.array([[0], [2]]), (np.array([True, False, True]), 1),
]  # fmt: skip


@pytest.mark.parametrize("index", INDICES, ids=str)
def test_indexing_and_assignment_follow_numpy(index: object) -> None:
    a = np.arange(12, dtype=np.float32).reshape(3, 4)
    np.testing.assert_array_equal(Tensor(a)[index].asnumpy(), a[index])
    t = Tensor(a)
    t[index] = 7.5
    a[index] = 7.5
    np.testing.assert_array_equal(t.asnumpy(), a)


def test_masks_and_tensors_index() -> None:
    t = Tensor([3.0, -1.0, 2.0])
    np.testing.assert_array_equal(t[t > 0].asnumpy(), [3.0, 2.0])
    np.testing.assert_array_equal(t[Tensor([2, 2])].asnumpy(), [2.0, 2.0])
    t[t < 0] = 0
    np.testing.assert_array_equal(t.asnumpy(), [3.0, 0.0, 2.0])


def test_assignment_leaves_what_was_computed_before() -> None:
    t = Tensor([1.0, 2.0])
    doubled, view = t + t, t[:1]
    t[0] = 9
    np.testing.assert_array_equal(doubled.asnumpy(), [2.0, 4.0])
    np.testing.assert_array_equal(view.asnumpy(), [1.0])


def test_a_tensor_of_one_element_is_a_number() -> None:
    t = Tensor([2.0])
    assert bool(t)
    assert float(t) == 2.0
    assert f"{t:.2f}" == "2.00"
    assert [10, 20, 30][Tensor(1)] == 20
    with pytest.raises(ValueError, match=r"shape \(2,\) is neither true nor false"):
        bool(Tensor([1, 2]))
    with pytest.raises(TypeError, match="can be an index"):
        [1][t]


def test_iteration_goes_over_the_first_dimension() -> None:
    assert [row.tolist() for row in Tensor([[1, 2], [3, 4]])] == [[1, 2], [3, 4]]
    assert len(Tensor([1, 2, 3])) == 3
    with pytest.raises(TypeError, match="without dimensions"):
        iter(Tensor(1))


def test_copies_and_pickles() -> None:
    t = Tensor([1.0, 2.0])
    for other in (copy.deepcopy(t), pickle.loads(pickle.dumps(t)), t.copy()):  # noqa: S301 - made here
        assert other is not t
        np.testing.assert_array_equal(other.asnumpy(), t.asnumpy())


def test_nothing_equals_none() -> None:
    assert (Tensor([1]) == None) is False  # noqa: E711
    assert Tensor([1]) is not None


METHOD_CALLS = [
    (lambda t: t.reshape(4, 3), (4, 3)),
    (lambda t: t.reshape((2, -1)), (2, 6)),
    (lambda t: t.T, (4, 3)),
    (lambda t: t.transpose(1, 0), (4, 3)),
    (lambda t: t.sum(axis=0), (4,)),
    (lambda t: t.mean(axis=1, keep_dims=True), (3, 1)),
    (lambda t: t.max(), ()),
    (lambda t: t.argmax(0), (4,)),
    (lambda t: t.flatten(), (12,)),
    (lambda t: t.expand_dims(0).squeeze(0), (3, 4)),
    (lambda t: t.tile((2, 1)), (6, 4)),
    (lambda t: t.split(2, axis=1)[1], (3, 2)),
    (lambda t: t.astype(ms.mstype.int32).float(), (3, 4)),
    (lambda t: t.exp().log().clip(0, 5), (3, 4)),
    (lambda t: t.broadcast_to((2, 3, 4)), (2, 3, 4)),
    (lambda t: t.topk(2)[0], (3, 2)),
    (lambda t: t.std(axis=1), (3,)),
]


@pytest.mark.parametrize(("call", "shape"), METHOD_CALLS)
def test_methods(call: object, shape: tuple[int, ...]) -> None:
    t = Tensor(np.arange(12, dtype=np.float32).reshape(3, 4))
    assert call(t).shape == shape
