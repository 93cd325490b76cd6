"""Recorded metrics, as real MindSpore computed them."""

import json
from typing import Any

import numpy as np
import pytest

from framework import nn
from tests.framework.oracle.cases import DIRECTORY

INDEX = DIRECTORY / "metrics/metrics.json"
RECORDED = json.loads(INDEX.read_text())["metrics"] if INDEX.exists() else []

pytestmark = pytest.mark.skipif(not RECORDED, reason=f"no recording in {DIRECTORY}: set ORACLE_DIR")


@pytest.mark.parametrize("case", RECORDED, ids=lambda case: case["metric"])
def test_metric(case: dict[str, Any]) -> None:
    kind = getattr(nn, case["metric"], None)
    if kind is None:
        pytest.skip(f"not there yet: nn.{case['metric']}")
    if case["metric"] == "auc":
        assert nn.auc(case["x"], case["y"]) == pytest.approx(case["result"])
        return
    with np.load(INDEX.parent / "inputs.npz") as file:
        arrays = dict(file)
    metric = kind(**case.get("kwargs", {}))
    updates = case.get("updates", [(case.get("candidate"), case.get("references"))])
    for given in updates:
        metric.update(*[arrays.get(item, item) if isinstance(item, str) else item for item in given])
    got = metric.eval(**case.get("eval_kwargs", {}))
    if isinstance(got, tuple):
        for part, wanted in zip(got, case["result"], strict=True):
            np.testing.assert_allclose(part, wanted, rtol=1e-5)
    else:
        np.testing.assert_allclose(got, case["result"], rtol=case.get("rtol", 1e-6))
