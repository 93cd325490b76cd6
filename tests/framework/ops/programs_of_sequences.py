"""One differentiable call per row, as in `programs`: labels of sequences."""

from typing import Any

from framework.common.tensor import Tensor
from framework.ops import operations as P  # noqa: N812
from tests.framework.ops.programs import Program, numbers

#: Three sequences: equal neighbours, no label at all, and more steps than it uses.
PLACES, LABELS, STEPS = Tensor([[0, 0], [0, 1], [2, 0], [2, 1]]), Tensor([1, 1, 2, 0]), Tensor([5, 3, 4])
#: The same labels in rows, with class 3 as blank.
ROWS, COUNTS = Tensor([[1, 1], [0, 0], [2, 0]]), Tensor([2, 0, 2])
SCORES = numbers(5, 3, 4)


def gradient(x: Tensor) -> Any:
    """The gradient of each loss, as its own operator gives it."""
    return P.CTCLossGrad()(P.CTCLoss()(x, PLACES, LABELS, STEPS)[1], x, PLACES, LABELS, STEPS)


PROGRAMS: list[Program] = [
    *[Program(f"CTCLoss-{collapsed}-{merged}",
              lambda x, a=collapsed, b=merged: P.CTCLoss(a, b)(x, PLACES, LABELS, STEPS)[0], [SCORES])
      for collapsed, merged in ((False, True), (True, True), (False, False))],
    Program("CTCLoss-ignored", lambda x: P.CTCLoss(False, True, True)(x, PLACES, LABELS, Tensor([2, 1, 2]))[0],
            [SCORES]),
    Program("CTCLossV2", lambda x: P.CTCLossV2(3)(x, ROWS, STEPS, COUNTS)[0], [SCORES]),
    Program("CTCLossV2Grad", lambda x: P.CTCLossV2Grad(3)(x, ROWS, STEPS, COUNTS), [SCORES], orders=1),
    Program("CTCLossGrad", gradient, [SCORES], orders=1),
]  # fmt: skip
