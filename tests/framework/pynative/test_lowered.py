"""Backward functions on arrays against the same functions run on tensors, which an outer gradient makes them do."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from framework import Tensor, ops, set_seed
from framework.ops import operations as P  # noqa: N812
from framework.ops.primitive import Primitive
from framework.pynative import value_and_gradient
from framework.pynative.fast.array_backward import source_of
from tests.framework.ops.every import PROGRAMS
from tests.framework.ops.programs import Program


def gradients(fn: Callable[..., Any], inputs: Sequence[Tensor]) -> list[np.ndarray]:
    """By all inputs."""
    set_seed(0)
    return [g.asnumpy() for g in value_and_gradient(fn, inputs, range(len(inputs)))[1]]


def on_tensors(fn: Callable[..., Any], inputs: Sequence[Tensor]) -> list[np.ndarray]:
    """The same inside of another gradient, for which backward functions are run as they stand, and recorded."""
    found: list[np.ndarray] = []

    def outer(x: Tensor) -> Tensor:
        found.extend(gradients(fn, inputs))
        return x * x

    value_and_gradient(outer, [Tensor(1.0)])
    return found


@pytest.mark.parametrize("program", PROGRAMS, ids=repr)
@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_arrays_and_tensors_give_the_same_to_the_last_bit(program: Program, kind: type) -> None:
    def squares(*inputs: Tensor) -> Tensor:
        out = program.fn(*inputs)
        return (out * out).sum()

    inputs = [Tensor(x.astype(kind)) for x in program.inputs]
    wanted = on_tensors(squares, inputs)
    gradients(squares, inputs)  # the second use of a primitive is the first on arrays
    for found, expected in zip(gradients(squares, inputs), wanted, strict=True):
        assert found.dtype == expected.dtype
        np.testing.assert_array_equal(found, expected)


def test_what_is_written_can_be_read() -> None:
    assert "dout * y" in source_of(P.Mul())
    assert "input_grad_kernel(dout, w, shape_of_of(x)) if _needs_x else None" in source_of(P.Conv2D(6, 5))
    assert source_of(P.Concat()) == ""  # of tuples of tensors


def test_other_element_types_and_numbers_take_the_way_of_tensors() -> None:
    half, single = Tensor(np.array([1.5, -2.0], np.float16)), Tensor(np.array([3.0, 0.5], np.float32))
    for _ in range(3):
        _, (of_half, of_single), _ = value_and_gradient(lambda x, y: (x * y * 2 / 3).sum(), [half, single], (0, 1))
    np.testing.assert_allclose(of_half.asnumpy(), np.array([2.0, 1 / 3], np.float16))
    assert of_half.dtype is half.dtype
    np.testing.assert_allclose(of_single.asnumpy(), [1.0, -4 / 3], rtol=1e-6)


def test_errors_of_backward_functions_are_told_as_before() -> None:
    class Wrong(Primitive):
        """An operator whose backward function does not fit its kernel."""

        def compute(self, xp: Any, x: Any) -> Any:
            return x + 1

        def get_bprop(self) -> Any:
            add = P.Add()

            def bprop(x: Tensor, out: Tensor, dout: Tensor) -> Any:
                return (add(dout, ops.ones((5,), dout.dtype)),)

            return bprop

    wrong = Wrong()
    for _ in range(3):
        with pytest.raises(ValueError, match=r"Add\(Float32\[2\], Float32\[5\]\)"):
            value_and_gradient(lambda x: wrong(x).sum(), [Tensor([1.0, 2.0])])
