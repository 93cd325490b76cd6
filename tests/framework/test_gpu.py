"""The same numbers on a GPU as on the CPU: every primitive, forward and backward, through cupy.

Where there is no GPU, through an array module that refuses what cupy does.
"""

import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from framework import Tensor, context, set_seed
from framework.kernels import repeated
from framework.pynative import value_and_gradient
from tests.framework import device_arrays
from tests.framework.ops.every import PROGRAMS
from tests.framework.ops.programs import MOVING, Program
from tests.framework.ops.test_examples import OPERATORS, failures_of_examples


@pytest.fixture
def _on_gpu() -> Iterator[None]:
    cupy = pytest.importorskip("cupy", reason="no cupy: install the package for your CUDA version")
    if cupy.cuda.runtime.getDeviceCount() == 0:
        pytest.skip("no GPU here")
    context.set_context(device_target="GPU")
    yield
    context.set_context(device_target="CPU")


def result(program: Program) -> tuple[np.ndarray, list[np.ndarray]]:
    """The sum of the output and its gradients, on the device of the moment."""
    for moving in MOVING:
        moving.set_data(Tensor(moving.asnumpy()))
    inputs = [Tensor(x) for x in program.inputs]
    value, gradients, _ = value_and_gradient(lambda *args: program.fn(*args).sum(), inputs, range(len(inputs)))
    return value.asnumpy(), [gradient.asnumpy() for gradient in gradients]


@pytest.mark.gpu
@pytest.mark.usefixtures("_on_gpu")
@pytest.mark.parametrize("program", PROGRAMS, ids=repr)
def test_as_on_the_cpu(program: Program) -> None:
    value, gradients = result(program)
    context.set_context(device_target="CPU")
    wanted, wanted_gradients = result(program)
    np.testing.assert_allclose(value, wanted, rtol=1e-9)
    for got, want in zip(gradients, wanted_gradients, strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-7, atol=1e-9)


@pytest.fixture
def _strict(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setitem(sys.modules, "cupy", device_arrays.module())
    context.set_context(device_target="GPU")
    yield
    context.set_context(device_target="CPU")


@pytest.mark.usefixtures("_strict")
@pytest.mark.parametrize("program", PROGRAMS, ids=repr)
def test_kernels_use_nothing_that_cupy_has_not(program: Program) -> None:
    # Random operators draw from the seed.
    set_seed(1)
    value, gradients = result(program)
    set_seed(1)
    context.set_context(device_target="CPU")
    wanted, wanted_gradients = result(program)
    np.testing.assert_allclose(value, wanted, rtol=1e-12)
    for got, want in zip(gradients, wanted_gradients, strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-12)


@pytest.mark.usefixtures("_strict")
@pytest.mark.parametrize("module", OPERATORS, ids=lambda module: module.__name__.rpartition(".")[2])
def test_examples_of_operators_use_nothing_that_cupy_has_not(module: ModuleType) -> None:
    assert failures_of_examples(module) == ""


def combined(xp: Any, how: str, out: Any, index: tuple[Any, ...], values: Any) -> Any:
    repeated.at(xp, how, out, index, values)
    return out


@pytest.mark.parametrize("how", ["multiply", "divide", "maximum", "add"])
def test_repeated_places_count_each_time(how: str) -> None:
    rng = np.random.default_rng(0)
    out, values = rng.random((4, 3, 2)), rng.random((5, 2, 2)) + 0.5
    index = rng.integers(-4, 4, (5, 2)), rng.integers(0, 3, (2,))
    on_device = [device_arrays.DeviceArray(item) for item in (out.copy(), *index, values)]
    got = combined(device_arrays.module(), how, on_device[0], tuple(on_device[1:3]), on_device[3])
    np.testing.assert_allclose(got.get(), combined(np, how, out, index, values), rtol=1e-12)


def test_without_cupy_a_warning_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cupy", None)
    monkeypatch.setattr(context, "_has_warned", False)
    with pytest.warns(UserWarning, match="needs cupy: install the package that fits your CUDA version"):
        context.set_context(device_target="GPU")
    assert context.get_context("device_target") == "CPU"
