"""The planted faults are there: what executes shows them where they were planted."""

from __future__ import annotations

import numpy as np
import pytest

from framework.debugger.modes import set_mode
from tests.framework.debugger.faults import FINITE_LOST, first_not_finite, plant


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("kind", FINITE_LOST)
def test_a_fault_shows_in_the_same_step_at_the_same_operator_in_both_modes(kind: str) -> None:
    found = []
    for mode in ("graph", "pynative"):
        set_mode(mode)
        planted = plant(kind, 3)
        found.append(first_not_finite(planted))
    assert found[0] == found[1]
    assert found[0] is not None
    step, name = found[0]
    if kind == "bad_image":
        assert name == ""
        assert np.isnan(planted.batches[step - 1][0].asnumpy()).sum() == 1
    else:
        assert all(culprit in name for culprit in planted.culprits)
