"""Gradients by the tape: orders, closures, structures, what does not count, and custom backward functions."""

import gc
import threading
import weakref
from typing import Any

import numpy as np
import pytest

import framework as ms
from framework import Parameter, Tensor, ops
from framework.ops import operations as P  # noqa: N812
from framework.ops.primitive import Primitive
from framework.pynative import is_recording, record, value_and_gradient
from framework.pynative.tape import Tape, tape


def derivative(fn, x):
    """The gradient of a function of one tensor."""
    return value_and_gradient(fn, [x])[1][0]


def nth(fn, order):
    """The derivative of an order, as a function."""
    return fn if order == 0 else lambda x: derivative(nth(fn, order - 1), x)


def test_four_derivatives_of_the_polynomial() -> None:
    def f(x):
        a = x * x
        b = x * a
        return a + b

    x = Tensor(1.5)
    wanted = [x**2 + x**3, 2 * x + 3 * x**2, 2 + 6 * x, 6, 0]
    for order, value in enumerate(wanted):
        assert float(nth(f, order)(x)) == pytest.approx(float(value))


class Powers(Primitive):
    """The square and the cube of x; the gradient of the cube is declared by that of the square."""

    def compute(self, xp: Any, x: Any) -> Any:
        return x * x, x * x * x

    def get_bprop(self) -> Any:
        return lambda x, out, dout: (dout[0] * x * 2.0 + dout[1] * out[0] * 3.0,)


def test_four_derivatives_through_an_operator_with_two_outputs() -> None:
    def fifth_power(x):
        square, cube = Powers()(x)
        return square * cube

    for order, wanted in enumerate([32.0, 80.0, 160.0, 240.0, 240.0]):
        assert float(nth(fifth_power, order)(Tensor(2.0))) == wanted


def test_a_closed_over_variable_is_no_variable_of_the_inner_gradient() -> None:
    def outer(x):
        return x * derivative(lambda y: x * y, x)

    assert float(derivative(outer, Tensor(3.0))) == 6.0  # of x * x, not of x * (x + x)


def test_structures_and_unused_arguments() -> None:
    def f(pair, unused, number):
        return pair[0] * pair[1] * number

    args = [(Tensor(2.0), Tensor(5.0)), Tensor([1.0, 1.0]), 3.0]
    _, (pair, unused, number), _ = value_and_gradient(f, args, (0, 1, 2))
    assert [float(item) for item in pair] == [15.0, 6.0]
    assert unused.tolist() == [0.0, 0.0]
    assert float(number) == 10.0


def test_parameters_as_weights() -> None:
    w = Parameter(Tensor([2.0]), name="w")
    x = Tensor([3.0])

    def f(x):
        return (w * w * x).sum()

    value, (dx,), (dw,) = value_and_gradient(f, [x], (0,), [w])
    assert (float(value), float(dx), float(dw)) == (12.0, 4.0, 12.0)
    (second,) = value_and_gradient(lambda x: value_and_gradient(f, [x], (), [w])[2][0].sum(), [x], (), [w])[2]
    assert float(second) == 6.0


def test_an_assignment_after_use_changes_no_gradient() -> None:
    w = Parameter(Tensor([2.0]), name="w")

    def f(x):
        y = x * w
        P.Assign()(w, Tensor([100.0]))
        return y.sum()

    assert float(derivative(f, Tensor([1.0]))) == 2.0


def test_slice_assignment_is_differentiated() -> None:
    def f(x):
        y = x * 1.0
        y[0] = x[1] * 5.0
        return (y * y).sum()

    assert derivative(f, Tensor([1.0, 2.0])).tolist() == [0.0, 104.0]


def test_python_control_flow() -> None:
    def f(x):
        for _ in range(3):
            x = x * x if x < 10 else x + 1
        return x

    assert float(derivative(f, Tensor(2.0))) == 32.0  # 2, 4, 16, 17


def test_sens_and_auxiliary_values() -> None:
    x = Tensor([1.0, 2.0])
    _, (gradient,), _ = value_and_gradient(lambda x: (x * x, x + 1), [x], sens=(Tensor([1.0, 10.0]), x))
    assert gradient.tolist() == [3.0, 42.0]
    (_, extra), (gradient,), _ = value_and_gradient(lambda x: (x * x, x + 1), [x], has_aux=True)
    assert (gradient.tolist(), extra.tolist()) == ([2.0, 4.0], [2.0, 3.0])


def test_gradients_go_through_integers_and_lose_their_fraction() -> None:
    def f(x):
        return ops.cast(ops.cast(x, ops.dtype(Tensor(1))), ops.dtype(x)) * x

    assert float(derivative(f, Tensor(2.5))) == 4.0  # 2 + 2, and so it is in MindSpore 2.10.0.


def test_mixed_types_get_gradients_of_their_own_type() -> None:
    x, y = Tensor(np.ones((2, 1), np.float16)), Tensor(np.ones(3, np.float32))
    _, (dx, dy), _ = value_and_gradient(lambda x, y: (x * y).sum(), [x, y], (0, 1))
    assert (str(dx.dtype), dx.tolist()) == ("Float16", [[3.0], [3.0]])
    assert (str(dy.dtype), dy.tolist()) == ("Float32", [2.0, 2.0, 2.0])


def test_a_recorded_call_has_the_given_backward_function() -> None:
    def f(x):
        y = record(lambda x, out, dout: (dout * 7.0,), [x], Tensor(x.asnumpy() ** 2))
        return y * x

    assert float(derivative(f, Tensor(3.0))) == 9.0 + 3.0 * 7.0


def test_nothing_is_recorded_outside_of_gradients() -> None:
    x = Tensor([1.0])
    derivative(lambda x: (x * x).sum(), x)
    assert not is_recording()
    assert tape.entries == []
    y = x * x
    assert not tape.is_active(y._node)


def test_a_tape_numbers_its_entries_and_never_uses_a_number_again() -> None:
    own, told = Tape(), {}
    own.share_base(told)
    idle = told["base"]
    assert not own.is_active(10**9)
    for start in (0, 2):
        assert own.begin() == told["base"] == start
        first, second = own.record("first", (0,), (5.0,), 6.0), own.record("second", (start + 1,), (6.0,), 7.0)
        assert (first, second) == (start + 1, start + 2)
        assert own.entry(second) == ("second", (start + 1,), (6.0,), 7.0)
        assert own.is_active([0, first])
        assert not own.is_active(start)
        own.end()
        assert (told["base"], told["entries"]) == (idle, [])


def test_the_tape_is_forgotten_also_after_an_error() -> None:
    seen = []

    def f(x):
        big = x * 2.0
        seen.append(weakref.ref(big._data.base if big._data.base is not None else big))
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        derivative(f, Tensor([1.0]))
    gc.collect()
    assert seen[0]() is None
    assert not is_recording()


def test_gradients_of_threads_take_turns() -> None:
    results = {}

    def work(value: float) -> None:
        results[value] = float(derivative(lambda x: (x * x * x).sum(), Tensor([value])))

    threads = [threading.Thread(target=work, args=(float(i),)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == {float(i): 3.0 * i * i for i in range(8)}


def test_deep_chains_need_no_recursion() -> None:
    def f(x):
        for _ in range(2000):
            x = x + 0.001
        return x

    assert float(derivative(f, Tensor(1.0))) == 1.0


@pytest.mark.parametrize(
    ("args", "options", "message"),
    [
        (["text"], {}, "argument 0 is a str"),
        ([Tensor([1.0, 2.0])], {"sens": Tensor([1.0])}, r"sens of shape \(1,\) does not fit"),
        ([Tensor([1.0])], {"sens": (Tensor([1.0]), Tensor([1.0]))}, "returned 1 tensors, sens holds 2"),
    ],
)
def test_errors_say_what_to_do(args, options, message) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        value_and_gradient(lambda x: x, args, **options)


@pytest.mark.parametrize("of", [lambda f: f, ms.jit], ids=["tape", "compiled"])
def test_gradients_flow_through_copies(of: Any) -> None:
    gradient = of(ms.grad(lambda x: ((x * 2).copy() * x.copy()).sum()))(Tensor([1.0, 3.0]))
    np.testing.assert_allclose(gradient, [4.0, 12.0])
