"""One differentiable call per row, as in `programs`: labels of sequences, and recurrent layers."""

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


#: Two sequences of at most three steps.
LENGTHS = np.array([2, 3])
LSTM = [numbers(3, 2, 8), numbers(2, 2, seed=1), numbers(2, 2, seed=2), numbers(8, 2, seed=3), numbers(8, seed=4)]
GRU = [numbers(3, 2, 6), numbers(2, 2, seed=1), numbers(6, 2, seed=2), numbers(6, seed=3), numbers(6, seed=4)]


def recurrent(operator: Any, lengths: Any, *given: Tensor) -> Any:
    """The outputs of a layer, and in one number its last states."""
    outputs, *last = operator(*given, None if lengths is None else Tensor(lengths))[
        : 3 if len(given[3].shape) > 1 else 2
    ]
    return outputs * sum(state.sum() for state in last)


def lstm_grads(backwards: bool, lengths: Any, *given: Tensor) -> Any:
    """The gradients of a layer in one number, by the operator that gives them, with gradients that are its outputs."""
    lengths = None if lengths is None else Tensor(lengths)
    outputs, h, c, memories, gates = P.LSTMSequence(backwards)(*given, lengths)
    parts = P.LSTMSequenceGrad(backwards)(*given, lengths, outputs, memories, gates, outputs, h, c)
    return sum((part * part).sum() for part in parts)


def gru_grads(backwards: bool, lengths: Any, *given: Tensor) -> Any:
    """The same for GRU."""
    lengths = None if lengths is None else Tensor(lengths)
    outputs, h, gates = P.GRUSequence(backwards)(*given, lengths)
    parts = P.GRUSequenceGrad(backwards)(*given, lengths, outputs, gates, outputs, h)
    return sum((part * part).sum() for part in parts)


PROGRAMS: list[Program] = [
    *[Program(f"{name}-{'backwards' if backwards else 'forwards'}",
              lambda *given, name=name, b=backwards, n=lengths: recurrent(getattr(P, name)(b), n, *given),
              inputs, orders=1)
      for name, inputs in (("LSTMSequence", LSTM), ("GRUSequence", GRU))
      for backwards, lengths in ((False, None), (True, LENGTHS))],
    Program("LSTMSequenceGrad", lambda *given: lstm_grads(True, LENGTHS, *given), LSTM, orders=1),
    Program("GRUSequenceGrad", lambda *given: gru_grads(False, None, *given), GRU, orders=1),
    *[Program(f"CTCLoss-{collapsed}-{merged}",
              lambda x, a=collapsed, b=merged: of_places(P.CTCLoss(a, b), x)[0], [SCORES])
      for collapsed, merged in ((False, True), (True, True), (False, False))],
    Program("CTCLoss-ignored", lambda x: of_places(P.CTCLoss(False, True, True), x, (2, 1, 2))[0], [SCORES]),
    Program("CTCLossV2", lambda x: of_rows(P.CTCLossV2(3), x)[0], [SCORES]),
    Program("CTCLossV2Grad", lambda x: of_rows(P.CTCLossV2Grad(3), x), [SCORES], orders=1),
    Program("CTCLossGrad", gradient, [SCORES], orders=1),
]  # fmt: skip
