"""Layouts of CPython and numpy that machine code relies on: the probes, and the plain path where one of them fails."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from framework import Tensor
from framework.common import abi
from framework.common.plain import VARIABLE

ROOT = Path(__file__).resolve().parents[3]


def run(name: str, plain: str = "0") -> tuple[list[float], str, str]:
    """The numbers of the program where a layout is not as expected, which paths it took, and its log."""
    command = [sys.executable, "-m", "tests.framework.common.both_modes", name]
    variables = {**os.environ, VARIABLE: plain}
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, env=variables)
    assert done.returncode == 0, done.stderr
    numbers, fast = done.stdout.splitlines()
    return [float(item) for item in numbers.split()], fast, done.stderr


@pytest.fixture(scope="module")
def usual() -> tuple[list[float], str, str]:
    return run("")


#: By what is not as expected, which of generated kernels, native segments and the trampoline still run.
LEFT = {
    abi.OBJECT: "0 0 0",
    abi.ARRAY: "0 0 1",
    abi.DESCR: "0 0 1",
    abi.SLOT: "1 0 1",
    abi.UFUNC: "1 1 1",
    "version": "0 0 0",
    "numpy": "0 0 0",
}


@pytest.mark.parametrize("name", LEFT)
def test_the_plain_path_computes_the_same(name: str, usual: tuple[list[float], str, str]) -> None:
    numbers, fast, log = run(name)
    assert usual[1:] == ("1 1 1", "")
    assert fast == LEFT[name]
    # Each path adds up 38,400 float32 values in an order of its own.
    np.testing.assert_allclose(numbers, usual[0], rtol=1e-6)
    lines = log.splitlines()
    if "0" in fast:
        assert len(lines) == 1, log
        assert "machine code" in lines[0]
        assert lines[0].endswith("numpy computes instead, slower")


def test_the_switch_turns_every_fast_path_off(usual: tuple[list[float], str, str]) -> None:
    numbers, fast, log = run("", plain="1")
    assert (fast, log) == ("0 0 0", "")
    np.testing.assert_allclose(numbers, usual[0], rtol=1e-6)


def test_every_layout_is_as_expected_here() -> None:
    assert [name for name, probe in abi.LAYOUTS.items() if not probe()] == []
    abi.require(*abi.LAYOUTS)


def test_this_python_and_numpy_are_among_the_tested_ones() -> None:
    assert sys.version_info[:2] in abi.TESTED_PYTHON
    assert int(np.__version__.split(".")[0]) in abi.TESTED_NUMPY


def test_a_slot_is_found_and_what_is_none_refused() -> None:
    assert abi.slot_offset(Tensor, "_data") != abi.slot_offset(Tensor, "_node")
    with pytest.raises(KeyError):
        abi.slot_offset(Tensor, "nothing")
