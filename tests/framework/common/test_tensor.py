"""Tensors: creation, queries, indexing and arithmetic, in both spellings."""

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
    with pytest.raises(ValueError, match=r"ambiguous: reduce the tensor of shape \(2,\)"):
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
    (lambda t: t.max(1)[1], (3,)),
    (lambda t: t.min(axis=0), (4,)),
    (lambda t: t.transpose(0, 1).t(), (3, 4)),
    (lambda t: t.flatten(0, 1), (12,)),
    (lambda t: t.mean(dim=1, keepdim=True), (3, 1)),
    (lambda t: t.argmax(axis=1, keepdims=True), (3, 1)),
    (lambda t: t.gather(0, Tensor([[0, 2, 1, 1]])), (1, 4)),
    (lambda t: t.new_zeros((2, t.size())), (2, 12)),
    (lambda t: t.reshape(t.shape()[::-1]), (4, 3)),
]


@pytest.mark.parametrize(("call", "shape"), METHOD_CALLS)
def test_methods(call: object, shape: tuple[int, ...]) -> None:
    t = Tensor(np.arange(12, dtype=np.float32).reshape(3, 4))
    assert call(t).shape == ms.jit(call)(t).shape == shape


VALUES: list[tuple[object, object]] = [
    (lambda t: t.flatten("F"), lambda a: a.flatten("F")),
    (lambda t: t.eq(t.arctan()), lambda a: a == np.arctan(a)),
    (lambda t: t.add(t, alpha=3), lambda a: a + 3 * a),
    (lambda t: t.div(2.0, rounding_mode="floor"), lambda a: a // 2),
    (lambda t: t.clip(min=1.5), lambda a: a.clip(1.5)),
    (lambda t: t.where(t > 3.0, -t), lambda a: np.where(a > 3, a, -a)),
    (lambda t: t.astype(float), lambda a: a.astype(float)),
    (lambda t: t.mean(dtype=mstype.float64), lambda a: a.mean(dtype=float)),
    (lambda t: t.astype(mstype.uint8).sum(), lambda a: a.astype(np.uint8).sum(dtype=np.int64)),
    (lambda t: t.astype(mstype.int32).prod(0), lambda a: a.astype(np.int32).prod(0, dtype=np.int64)),
    (lambda t: t.argmin(), lambda a: np.int32(a.argmin())),
]


@pytest.mark.parametrize(("call", "wanted"), VALUES)
def test_values_of_methods(call: object, wanted: object) -> None:
    a = np.linspace(-1, 7, 12, dtype=np.float32).reshape(3, 4)
    for function in (call, ms.jit(call)):
        got, expected = function(Tensor(a)).asnumpy(), wanted(a)
        np.testing.assert_allclose(got, expected, rtol=1e-6)
        assert got.dtype == expected.dtype


def test_the_largest_of_numbers_without_negatives() -> None:
    x = Tensor(np.array([[1, 200, 0], [4, 0, 6]], np.uint8))
    np.testing.assert_array_equal(x.topk(2)[0].asnumpy(), [[200, 1], [6, 4]])
    np.testing.assert_array_equal(x.sort(1, True)[0].asnumpy(), [[200, 1, 0], [6, 4, 0]])
    np.testing.assert_array_equal(Tensor(np.array([-128, 5], np.int8)).topk(1)[0].asnumpy(), [5])


def changes_parts(x):
    x = x * 1.0
    x[0][1] = 5
    x[1][2][3] += 7
    x[0, 1:][0] = [1, 2, 3, 4]
    x[1, 0] = (x[0, 0, 0], 9, x[1, 0, 1], 8)
    return x


def test_parts_of_parts_are_assigned_in_both_modes() -> None:
    a = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    wanted = changes_parts(a)
    np.testing.assert_array_equal(changes_parts(Tensor(a)).asnumpy(), wanted)
    np.testing.assert_array_equal(ms.jit(changes_parts)(Tensor(a)).asnumpy(), wanted)


def test_a_part_with_a_name_is_a_copy_in_both_modes() -> None:
    def function(x):
        part = x[0]
        part[1] = 5.0
        return x * 1.0, part

    for call in (function, ms.jit(function)):
        whole, part = call(Tensor([[1.0, 2.0], [3.0, 4.0]]))
        assert whole.tolist() == [[1.0, 2.0], [3.0, 4.0]]
        assert part.tolist() == [1.0, 5.0]


def test_a_change_that_nobody_would_see_is_refused() -> None:
    x = Tensor([[1.0, 2.0], [3.0, 4.0]])
    with pytest.raises(TypeError, match="only changes a temporary copy"):
        x[[0, 1]][0] = 5


def test_an_array_is_held_only_while_nobody_else_could_change_it() -> None:
    mine = np.arange(4.0, dtype=np.float32)
    shared, alone = Tensor.from_numpy(mine), Tensor([1.0, 2.0])
    assert shared.held_array() is None
    assert Tensor.from_numpy(mine[1:]).held_array() is None
    held = alone.held_array()
    assert held is not None
    np.testing.assert_array_equal(held, [1.0, 2.0])
    assert alone.held_array() is None
    del held
    assert alone.held_array() is not None
