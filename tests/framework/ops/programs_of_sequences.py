"""One differentiable call per row, as in `programs`: labels of sequences."""

from typing import Any

import numpy as np

from framework.common.tensor import Tensor
from framework.ops import operations as P  # noqa: N812
from tests.framework.ops.programs import Program, numbers

#: Three sequences: equal neighbours, no label at all, and more steps than it uses.
PLACES, LABELS, STEPS = np.array([[0, 0], [0, 1], [2, 0], [2, 1]]), np.array([1, 1, 2, 0]), np.array([5, 3, 4])
#: The same labels in rows, with class 3 as blank.
ROWS, COUNTS = np.array([[1, 1], [0, 0], [2, 0]]), np.array([2, 0, 2])
SCORES = numbers(5, 3, 4)


def of_places(operator: Any, x: Tensor, steps: Any = STEPS) -> Any:
    """An operator on scores and labels with their places."""
    return operator(x, Tensor(PLACES), Tensor(LABELS), Tensor(steps))


def of_rows(operator: Any, x: Tensor) -> Any:
    """An operator on scores and labels in rows."""
    return operator(x, Tensor(ROWS), Tensor(STEPS), Tensor(COUNTS))


def gradient(x: Tensor) -> Any:
    """The gradient of each loss, as its own operator gives it."""
    own = of_places(P.CTCLoss(), x)[1]
    return P.CTCLossGrad()(own, x, Tensor(PLACES), Tensor(LABELS), Tensor(STEPS))


PROGRAMS: list[Program] = [
    *[Program(f"CTCLoss-{collapsed}-{merged}",
              lambda x, a=collapsed, b=merged: of_places(P.CTCLoss(a, b), x)[0], [SCORES])
      for collapsed, merged in ((False, True), (True, True), (False, False))],
    Program("CTCLoss-ignored", lambda x: of_places(P.CTCLoss(False, True, True), x, (2, 1, 2))[0], [SCORES]),
    Program("CTCLossV2", lambda x: of_rows(P.CTCLossV2(3), x)[0], [SCORES]),
    Program("CTCLossV2Grad", lambda x: of_rows(P.CTCLossV2Grad(3), x), [SCORES], orders=1),
    Program("CTCLossGrad", gradient, [SCORES], orders=1),
]  # fmt: skip
