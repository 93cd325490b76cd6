"""The same numbers on a GPU as on the CPU: every primitive, forward and backward, through cupy."""

import sys
from collections.abc import Iterator

import numpy as np
import pytest

from framework import Tensor, context
from framework.pynative import value_and_gradient
from tests.framework.ops.every import PROGRAMS
from tests.framework.ops.programs import Program


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


def test_without_cupy_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cupy", None)
    with pytest.raises(RuntimeError, match="needs cupy: install the package that fits your CUDA version"):
        context.set_context(device_target="GPU")
    assert context.get_context("device_target") == "CPU"
