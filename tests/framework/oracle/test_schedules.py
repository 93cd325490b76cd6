"""Recorded learning rates of schedules, as real MindSpore computed them, in both modes."""

import json
from typing import Any

import numpy as np
import pytest

from framework import Tensor, jit, nn
from framework.common import dtype as mstype
from tests.framework.oracle.cases import DIRECTORY

INDEX = DIRECTORY / "lr/lr.json"
RECORDED = json.loads(INDEX.read_text()) if INDEX.exists() else {"schedule_cells": [], "list_functions": []}

pytestmark = pytest.mark.skipif(not RECORDED["schedule_cells"], reason=f"no recording in {DIRECTORY}: set ORACLE_DIR")


@pytest.mark.parametrize("compiled", [False, True], ids=["pynative", "graph"])
@pytest.mark.parametrize("case", RECORDED["schedule_cells"], ids=lambda case: case["class"])
def test_schedule(case: dict[str, Any], compiled: bool) -> None:
    cell = getattr(nn, case["class"])(**case["kwargs"])

    def rate(step: Any) -> Any:
        return cell(step)

    of = jit(rate) if compiled else rate
    rates = [of(Tensor(step, mstype.int32)) for step in case["steps"]]
    assert {(value.dtype, tuple(value.shape)) for value in rates} == {(mstype.float32, ())}
    np.testing.assert_allclose([value.asnumpy() for value in rates], case["values"], rtol=case["rtol"])


@pytest.mark.parametrize("case", RECORDED["list_functions"], ids=lambda case: case["function"])
def test_list(case: dict[str, Any]) -> None:
    np.testing.assert_allclose(getattr(nn, case["function"])(*case["args"]), case["values"], rtol=1e-6)
