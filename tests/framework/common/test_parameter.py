"""Parameters: names, identity, new values."""

import copy

import numpy as np
import pytest

from framework import Parameter, ParameterTuple, Tensor
from framework.common.initializer import initializer
from framework.ops import operations as P  # noqa: N812


def test_an_assignment_leaves_values_taken_before() -> None:
    w = Parameter(Tensor([1.0, 2.0]), name="w")
    before, doubled = w.value(), w * 2
    P.Assign()(w, Tensor([5.0, 6.0]))
    np.testing.assert_array_equal(w.asnumpy(), [5.0, 6.0])
    np.testing.assert_array_equal(before.asnumpy(), [1.0, 2.0])
    np.testing.assert_array_equal(doubled.asnumpy(), [2.0, 4.0])


def test_set_data_keeps_the_type_and_takes_the_shape() -> None:
    w = Parameter(initializer("zeros", (2,)), name="w")
    w.set_data(np.array([1, 2]))
    assert str(w.dtype) == "Float32"
    # As MindSpore 2.10 does.
    w.set_data(Tensor(np.zeros(3, np.float32)))
    assert w.shape == (3,)


def test_clones_have_their_own_elements() -> None:
    w = Parameter(Tensor([1.0]), name="w", requires_grad=False)
    for other in (w.clone(), copy.deepcopy(w)):
        other.set_data(np.array([2.0]))
        assert (other.name, other.requires_grad) == ("w", False)
    assert w.asnumpy() == 1.0
    assert w.clone(init="ones").asnumpy() == 1.0


def test_tuples_hold_parameters_only() -> None:
    w = Parameter(Tensor([1.0]), name="w")
    (moment,) = ParameterTuple([w]).clone("moments", init="zeros")
    assert (moment.name, float(moment)) == ("moments.w", 0.0)
    with pytest.raises(TypeError, match="holds Parameters, not a Tensor"):
        ParameterTuple([Tensor([1.0])])


def test_names_are_shown() -> None:
    w = Parameter(Tensor([1.0]), name="w")
    assert repr(w) == "Parameter (name=w, shape=(1,), dtype=Float32, requires_grad=True)"
