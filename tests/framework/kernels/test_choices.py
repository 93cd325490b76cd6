"""The table of kernels: its rows, selection by program and environment, the report of a missing library."""

import logging
import subprocess
import sys

import numpy as np
import pytest

import framework as ms
from framework import Tensor, kernels, ops
from framework.kernels.choices import Kernel, Row, Source

PROGRAM = """
import numpy as np
import framework as ms
from framework import Tensor, kernels, ops
x = Tensor(np.arange(18, dtype=np.float32).reshape(1, 2, 3, 3))
print(ops.Conv2D(1, 2)(x, ops.Ones()((1, 2, 2, 2), ms.float32)).asnumpy().tolist())
print(kernels.table())
"""


def row(name: str) -> tuple[str, str]:
    """A kernel's implementation and why."""
    (found,) = (row for row in kernels.table() if row.name == name)
    return found.implementation, found.why


@pytest.mark.fast_path
def test_a_program_chooses_and_gets_the_same_numbers() -> None:
    x = Tensor(np.arange(18, dtype=np.float32).reshape(1, 2, 3, 3))
    conv, w = ops.Conv2D(1, 2), ops.Ones()((1, 2, 2, 2), ms.float32)
    before, usual = conv(x, w).asnumpy(), row("convolve")
    kernels.use("numpy", "convolve")
    try:
        assert row("convolve") == ("numpy", "the program asks for it")
        np.testing.assert_array_equal(conv(x, w).asnumpy(), before)
    finally:
        kernels.use("fast")
    assert row("convolve") == usual


@pytest.mark.parametrize(
    ("arguments", "said"), [(("cuda",), "'cuda'"), (("numpy", "nothing"), "there is no kernel 'nothing'")]
)
def test_what_does_not_exist_cannot_be_chosen(arguments: tuple[str, ...], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        kernels.use(*arguments)


@pytest.mark.fast_path
def test_a_missing_library_is_said_once_and_numpy_computes(caplog: pytest.LogCaptureFixture) -> None:
    def load() -> str:
        raise ImportError("nobody has it")

    source = Source(load)
    made = [Kernel(name, lambda xp, x: xp.negative(x), lambda x: x, source, "") for name in ("first", "second")]
    with caplog.at_level(logging.WARNING, "framework"):
        assert [kernel(np, 3) for kernel in made] == [-3, -3]
    assert caplog.messages == ["nobody has it; numpy computes instead, slower"]
    assert made[1].row() == Row("second", "numpy", "nobody has it")


@pytest.mark.fast_path
@pytest.mark.parametrize(("value", "made"), [("", 3), ("all", -3), ("other, one", -3), ("other", 3)])
def test_the_environment_names_kernels(monkeypatch: pytest.MonkeyPatch, value: str, made: int) -> None:
    monkeypatch.setenv("MS_PLAIN_KERNELS", value)
    kernel = Kernel("one", lambda xp, x: xp.negative(x), lambda x: x, Source(lambda: "a library"), "all")
    assert kernel(np, 3) == made
    assert (kernel.row().implementation == "numpy") == (made == -3)


def test_the_environment_chooses_for_operators() -> None:
    variables = {"MS_PLAIN_KERNELS": "max_pool, convolve", "PATH": ""}
    done = subprocess.run([sys.executable, "-c", PROGRAM], check=True, capture_output=True, text=True, env=variables)
    lines = done.stdout.splitlines()
    assert lines[0] == str([[[[52.0, 60.0], [76.0, 84.0]]]])
    (line,) = (line for line in lines if line.startswith("convolve "))
    assert line.split(maxsplit=2)[1:] == ["numpy", "MS_PLAIN_KERNELS asks for it"]


@pytest.mark.parametrize("threads", [-1, 1.5, True])
def test_a_number_of_threads_that_is_none_is_refused(threads: object) -> None:
    with pytest.raises(ValueError, match="runtime_num_threads must be"):
        ms.set_context(runtime_num_threads=threads)
    assert ms.get_context("runtime_num_threads") == 0
