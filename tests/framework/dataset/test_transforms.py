"""Transforms of any data against numpy."""

from typing import Any

import numpy as np
import pytest

import framework as ms
import framework.dataset as ds
from framework.dataset import transforms as T  # noqa: N812
from framework.dataset.transforms import c_transforms, py_transforms
from tests.framework.dataset.test_sources import column


def test_type_cast() -> None:
    array = np.asarray([1.9, -1.9])
    for kind in (ms.int32, np.int32, "int32"):
        cast = T.TypeCast(kind)(array)
        assert cast.dtype == np.int32
        assert cast.tolist() == [1, -1]
    dataset = ds.NumpySlicesDataset([1, 2], ["x"]).map(T.TypeCast(ms.float16), "x")
    assert dataset.output_types() == [np.dtype("float16")]


def test_one_hot() -> None:
    made = T.OneHot(4)(np.asarray(2, np.int32))
    assert made.dtype == np.int32
    assert made.tolist() == [0, 0, 1, 0]
    assert T.OneHot(3)(np.asarray([0, 2])).tolist() == [[1, 0, 0], [0, 0, 1]]
    smooth = T.OneHot(4, smoothing_rate=0.2)(np.asarray(1))
    assert smooth.dtype == np.float64
    np.testing.assert_allclose(smooth, [0.05, 0.85, 0.05, 0.05], rtol=1e-6)
    assert py_transforms.OneHotOp(2)(np.asarray(1)).tolist() == [0, 1]
    with pytest.raises(RuntimeError, match="not bigger than num classes: 4, but got: 4"):
        T.OneHot(4)(np.asarray(4))
    with pytest.raises(RuntimeError, match="only support input of int type, but got:float64"):
        T.OneHot(4)(np.asarray(1.0))
    with pytest.raises(ValueError, match="num_classes is not within"):
        T.OneHot(0)


def test_fill_and_pad_end() -> None:
    filled = T.Fill(3)(np.zeros((2, 2), np.uint8))
    assert filled.dtype == np.uint8
    assert filled.tolist() == [[3, 3], [3, 3]]
    assert T.Fill("no")(np.asarray(["a", "b"])).tolist() == ["no", "no"]
    assert T.PadEnd([4], -1)(np.asarray([1, 2])).tolist() == [1, 2, -1, -1]
    assert T.PadEnd([None, 1])(np.asarray([[1, 2], [3, 4]])).tolist() == [[1], [3]]
    assert T.PadEnd([3])(np.asarray(["ab"])).tolist() == ["ab", "", ""]
    with pytest.raises(RuntimeError, match="rank of input is: 2, and rank of pad value: 1"):
        T.PadEnd([3])(np.zeros((2, 2)))


def test_slices() -> None:
    array = np.arange(24).reshape(2, 3, 4)
    np.testing.assert_array_equal(T.Slice(1)(array), array[1])
    np.testing.assert_array_equal(T.Slice(None, slice(0, 2), [3, 0])(array), array[:, 0:2, [3, 0]])
    np.testing.assert_array_equal(T.Slice(..., -1)(array), array[..., -1])


@pytest.mark.parametrize("relation", list(T.Relational))
def test_masks(relation: T.Relational) -> None:
    array = np.asarray([1, 2, 3])
    wanted = {"EQ": array == 2, "NE": array != 2, "LT": array < 2, "LE": array <= 2, "GT": array > 2, "GE": array >= 2}
    made = T.Mask(relation, 2)(array)
    assert made.dtype == np.bool_
    np.testing.assert_array_equal(made, wanted[relation.name])
    assert T.Mask(relation, 2, ms.int8)(array).dtype == np.int8


def test_columns_together() -> None:
    assert T.Concatenate(0, prepend=[9], append=[8])(np.asarray([1]), np.asarray([2])).tolist() == [9, 1, 2, 8]
    values = ds.NumpySlicesDataset({"a": [[3, 1, 3]], "b": [[7, 7, 7]]})
    both = values.map(T.Concatenate(), ["a", "b"], ["c"])
    assert column(both, "c") == [[3, 1, 3, 7, 7, 7]]
    twice = values.map(T.Duplicate(), ["a"], ["x", "y"])
    assert column(twice, "x") == column(twice, "y") == [[3, 1, 3]]
    with pytest.raises(RuntimeError, match="input must be at least 2-D in order to do unique op, got rank:1"):
        T.Unique()(np.asarray([3, 1, 3]))
    values = ds.NumpySlicesDataset({"a": [[[3, 1, 3]]], "b": [[7, 7, 7]]})
    unique = values.map(T.Unique(), ["a"], ["u", "i", "n"])
    row = next(unique.create_dict_iterator(output_numpy=True))
    assert (row["u"].tolist(), row["i"].tolist(), row["n"].tolist()) == ([1, 3], [1, 0, 1], [1, 2])
    assert row["i"].dtype == np.int32


def plus(x: Any) -> Any:
    return x + 1


def times(x: Any) -> Any:
    return x * 10


def test_chains() -> None:
    assert T.Compose([plus, T.TypeCast("float32"), times])(np.asarray(1)).tolist() == 20.0
    assert py_transforms.Lambda(plus)(np.asarray(1)) == 2
    assert T.RandomApply([plus, times], prob=1.0)(np.asarray(1)) == 20
    assert T.RandomApply([plus, times], prob=0.0)(np.asarray(1)) == 1
    assert {int(T.RandomChoice([plus, times])(np.asarray(1))) for _ in range(60)} == {2, 10}
    assert {int(T.RandomOrder([plus, times])(np.asarray(1))) for _ in range(60)} == {11, 20}
    halves = [int(T.RandomApply([plus])(np.asarray(0))) for _ in range(400)]
    assert 120 < sum(halves) < 280
    dataset = ds.NumpySlicesDataset([1, 2], ["x"], shuffle=False).map(T.Compose([plus, times]), "x")
    assert column(dataset, "x") == [20, 30]


@pytest.mark.parametrize(
    "make",
    [
        lambda: T.Compose([]),
        lambda: T.Compose([3]),  # type: ignore[list-item]
        lambda: T.RandomApply([plus], prob=2),
        lambda: T.Lambda(3),  # type: ignore[arg-type]
    ],
)
def test_chains_of_what_is_no_transform_are_refused(make: Any) -> None:
    with pytest.raises((ValueError, TypeError)):
        make()


def test_transforms_take_tensors_and_are_values() -> None:
    assert T.TypeCast("int8")(ms.Tensor([1.5])).tolist() == [1]
    assert T.OneHot(3) == T.OneHot(3) != T.OneHot(4)
    assert repr(T.Fill(3)) == "Fill(fill_value=3)"
    assert isinstance(T.OneHot(3), T.TensorOperation)
    assert c_transforms.OneHot is T.OneHot
