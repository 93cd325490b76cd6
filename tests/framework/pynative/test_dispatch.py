"""How primitives execute: generated calls, promotion, errors, and operators defined elsewhere."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import framework as ms
from framework import Parameter, Tensor, ops
from framework.observe import watching
from framework.ops import PrimitiveWithInfer, bprop_getters, prim_attr_register
from framework.ops import operations as P  # noqa: N812
from framework.ops.calls import first_call
from framework.pynative import record, value_and_gradient
from framework.pynative.execute import execute
from framework.pynative.fast.generated_calls import call_of


class ScaledTanh(PrimitiveWithInfer):
    """tanh(rate * x): all that an operator outside of the package needs."""

    @prim_attr_register
    def __init__(self, rate: float = 1.0) -> None:
        self.init_prim_io_names(inputs=["x"], outputs=["output"])

    def infer_shape(self, x):
        return x

    def infer_dtype(self, x):
        return x

    def compute(self, xp, x):
        return xp.tanh(self.rate * x)


@bprop_getters.register(ScaledTanh)
def get_bprop_scaled_tanh(self):
    rate = self.rate

    def bprop(x, out, dout):
        return (dout * (1 - out * out) * rate,)

    return bprop


def test_an_operator_defined_here_has_two_derivatives() -> None:
    x = Tensor(np.array([0.3, -0.2]))
    fn = ScaledTanh(2.0)
    t = np.tanh(2 * x.asnumpy())

    def first(x):
        return value_and_gradient(lambda x: fn(x).sum(), [x])[1][0].sum()

    value, (second,), _ = value_and_gradient(first, [x])
    assert float(value) == pytest.approx((2 * (1 - t * t)).sum())
    np.testing.assert_allclose(second.asnumpy(), -8 * t * (1 - t * t))


def test_each_class_gets_its_own_call() -> None:
    x = Tensor([2.5])
    assert float(P.Rint()(x)) == 2.0
    assert float(P.Round()(x)) == 2.0

    class Twice(P.Neg):
        def compute(self, xp, x):
            return x + x

    Twice.ufunc = None
    assert float(P.Neg()(x)) == -2.5
    assert float(Twice()(x)) == 5.0


def test_a_subclass_runs_its_own_kernel_whichever_is_called_first() -> None:
    class Base(PrimitiveWithInfer):
        def compute(self, xp, x):
            return x + 1

    x = Tensor([1.0])
    assert float(Base()(x)) == 2.0

    class Late(Base):
        def compute(self, xp, x, y=3.0):
            return x * y

    assert Late.__call__ is first_call
    assert float(Late()(x)) == 3.0
    assert float(Base()(x)) == 2.0
    assert Base.__call__ is Base.made_call
    assert Late.__call__ is Late.made_call


def test_a_call_written_by_hand_is_left_alone() -> None:
    class Counting(PrimitiveWithInfer):
        def __call__(self, x):
            return "by hand"

    class Sub(Counting):
        def compute(self, xp, x):
            return x

    with watching(lambda execution: None):
        assert Sub()(1) == Counting()(1) == "by hand"
    assert Sub.__call__ is Counting.__call__


def test_watched_calls_are_the_same_before_and_after() -> None:
    class Early(PrimitiveWithInfer):
        def compute(self, xp, x):
            return x + 1

    x = Tensor([1.0])
    Early()(x)
    made = Early.__call__
    seen = []
    with watching(lambda execution: seen.append(execution.primitive.name)):
        assert Early.__call__ is not made

        class Meanwhile(Early):
            def compute(self, xp, x):
                return x + 2

        assert [float(Meanwhile()(x)), float(Meanwhile()(x)), float(Early()(x))] == [3.0, 3.0, 2.0]
    assert seen == ["Meanwhile", "Meanwhile", "Early"]
    assert Early.__call__ is made
    assert Meanwhile.__call__ is Meanwhile.made_call
    assert float(Meanwhile()(x)) == 3.0


def test_every_change_of_an_attribute_is_counted() -> None:
    attributes = P.Softmax(1).attrs
    changes = [
        lambda: attributes.__setitem__("a", 1),
        lambda: attributes.update(b=2),
        lambda: attributes.setdefault("c", 3),
        lambda: attributes.__ior__({"d": 4}),
        lambda: attributes.pop("a"),
        lambda: attributes.__delitem__("b"),
        lambda: attributes.popitem(),
        lambda: attributes.clear(),
    ]
    for number, change in enumerate(changes, attributes.changes + 1):
        change()
        assert attributes.changes == number
    assert attributes == {}


def test_generated_calls_can_be_read() -> None:
    source = call_of(P.Add)
    assert "_out = _a0 + _a1" in source
    assert "np.exp(_a0)" in call_of(P.Exp)
    assert "axis=()" in call_of(P.ReduceSum)
    assert call_of(P.Assign) == ""


def test_errors_name_the_operator_and_its_inputs() -> None:
    with pytest.raises(ValueError, match=r"Add\(Float32\[2, 3\], Float32\[4\]\): shapes .* do not broadcast"):
        Tensor(np.zeros((2, 3), np.float32)) + Tensor(np.zeros(4, np.float32))
    with pytest.raises(ValueError, match=r"MatMul\(Float32\[3\], Float32\[3\]\): MatMul takes matrices"):
        P.MatMul()(Tensor([1.0, 2, 3]), Tensor([1.0, 2, 3]))
    with pytest.raises(ValueError, match=r"Reshape\(Float32\[2\], \(3,\)\): Reshape: 2 elements"):
        ops.reshape(Tensor([1.0, 2.0]), (3,))
    with pytest.raises(ValueError, match=r"Float32\[3\]\)\): Stack: shapes \(2,\) and \(3,\) differ"):
        P.Stack()((Tensor([1.0, 2.0]), Tensor([1.0, 2.0, 3.0])))
    with pytest.raises(
        TypeError, match=r"SmoothL1Loss.*: target must be Float16, Float32, Float64 or BFloat16, not Int64"
    ):
        P.SmoothL1Loss()(Tensor([1.0, 2.0]), Tensor([1, 2]))


def test_no_backward_function_is_told() -> None:
    class Odd(PrimitiveWithInfer):
        def compute(self, xp, x):
            return x

    with pytest.raises(NotImplementedError, match=r"primitive Odd has no backward function: .*register\(Odd\)"):
        value_and_gradient(Odd(), [Tensor([1.0])])


def test_attributes_strategies_and_names() -> None:
    softmax = P.Softmax(1)
    assert (softmax.name, softmax.axis, softmax.attrs["input_names"]) == ("Softmax", (1,), ["x"])
    assert next(iter(softmax.attrs)) == "axis"
    on_class = P.MatMul.set_strategy([4, 1], [1, 1])
    on_instance = P.MatMul().set_strategy(((4, 1), (1, 1)))
    sharded = P.MatMul().shard(((4, 1), (1, 1)), ((4, 1),))
    assert on_class.in_strategy == on_instance.in_strategy == sharded.in_strategy == ((4, 1), (1, 1))
    assert sharded.out_strategy == ((4, 1),)
    with pytest.raises(AttributeError, match="Softmax has no attribute 'depth'"):
        _ = softmax.depth


def test_numbers_lists_and_arrays_are_taken_as_tensors() -> None:
    assert float(P.Mul()(2, Tensor(3.0))) == 6.0
    assert P.Add()(np.array([1, 2]), Tensor([1, 1])).tolist() == [2, 3]
    assert P.Concat()([Tensor([1.0]), Tensor([2.0])]).tolist() == [1.0, 2.0]
    assert P.Reshape()(Tensor([1.0, 2.0]), Tensor([2, 1])).shape == (2, 1)
    assert P.Exp()(Tensor([0])).dtype is Tensor([0.0]).dtype


def test_optimizers_operators_change_parameters() -> None:
    w = Parameter(Tensor([1.0]), name="w")
    moment = Parameter(Tensor([1.0]), name="moment")
    P.ApplyMomentum()(w, moment, 0.1, Tensor([2.0]), 0.5)
    assert (float(moment), float(w)) == (2.5, 0.75)


def test_inputs_may_be_given_by_name() -> None:
    w = Parameter(Tensor([1.0]), name="w")
    P.Assign()(variable=w, value=Tensor([5.0]))
    assert float(w) == 5.0
    with pytest.raises(TypeError, match=r"Assign.__call__\(\) got an unexpected keyword argument 'amount'"):
        P.Assign()(w, amount=Tensor([6.0]))


X = Tensor(np.float32([[1.0, 2.0], [3.0, 4.0]]))


@pytest.mark.parametrize(
    ("made", "wanted"),
    [
        (lambda: execute(P.ReduceSum(), X, Tensor(0)), [4.0, 6.0]),
        (lambda: execute(P.Reshape(), X, [Tensor(4)]), [1.0, 2.0, 3.0, 4.0]),
        (lambda: execute(P.Reshape(), X, [4]), [1.0, 2.0, 3.0, 4.0]),
        (lambda: execute(P.Concat(1), [Tensor([[5.0]]), np.float32([[6.0]]).tolist()]), [[5.0, 6.0]]),
    ],
    ids=["an axis in a tensor", "a shape with a tensor in it", "a shape in a list", "a tensor and a list"],
)
def test_inputs_are_taken_in_any_form_that_python_has(made: Callable[[], Tensor], wanted: Any) -> None:
    assert made().tolist() == wanted


def test_what_is_no_tensor_is_returned_as_it_is() -> None:
    assert execute(P.Rank(), X) == 2
    assert execute(P.DType(), X) is ms.float32
    assert execute(P.Shape(), X) == (2, 2)


def test_gradients_go_through_lists_of_tensors() -> None:
    _, (found,), _ = value_and_gradient(lambda x: (execute(P.Concat(), [x, x * 2.0]) * 3.0).sum(), [X])
    assert found.tolist() == [[9.0, 9.0], [9.0, 9.0]]


def test_the_operators_of_a_gradient_that_is_watched_have_names() -> None:
    def squared(x: Tensor) -> Any:
        return record(lambda x, out, dout: (dout * 2.0 * x,), [x], Tensor(x.asnumpy() ** 2), "Squared")

    scale, seen = Parameter(Tensor([2.0]), name="scale"), []
    with watching(lambda execution: seen.append(execution.full_name)):
        _, (by_x,), (by_scale,) = value_and_gradient(
            lambda x: x * scale * scale + squared(x), [Tensor([3.0])], (0,), [scale]
        )
    assert (float(by_x), float(by_scale)) == (10.0, 12.0)
    assert seen[:3] == ["Default/Mul-op0", "Default/Mul-op1", "Default/Add-op0"]
    # Gradients add up for the argument and for the weight; the recorded function goes backward by two products.
    assert [name for name in seen if "Sum_" in name] == ["Gradients/Sum_x0/Add-op0", "Gradients/Sum_scale/Add-op0"]
    assert [f"Gradients/Default/Grad_Squared/Mul-op{number}" for number in (0, 1)] == [
        name for name in seen if "Squared" in name
    ]
