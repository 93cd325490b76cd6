"""Parameters that a gradient, a choice or a loop changes: programs are followed once if that is known in time."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import framework as ms
from framework import Parameter, Tensor, nn, ops
from framework.infer import specialize
from framework.infer.control_flow.specializer import Specializer
from framework.ir.abstract import AbstractTensor

begin = Specializer.__init__
X = Tensor(np.arange(8, dtype=np.float32).reshape(4, 2))


class Counting(nn.Cell):
    """Counts in a Parameter, which it may read before."""

    def __init__(self, *, reads_before: bool) -> None:
        super().__init__()
        self.count = Parameter(Tensor(1.0, ms.float32), name="count", requires_grad=False)
        self.reads_before = reads_before

    def construct(self, x: Any) -> Any:
        if self.reads_before:
            x = x * self.count
        if x.sum() > 0:
            ops.assign(self.count, self.count + 1)
        return (x * self.count).sum()


@pytest.mark.parametrize(
    ("make", "times"),
    [
        (lambda: ms.grad(nn.BatchNorm1d(2).set_train()), 1),
        (lambda: Counting(reads_before=False), 2),
        (lambda: Counting(reads_before=True), 2),
    ],
    ids=["moving averages", "read in the change", "read before"],
)
def test_a_program_is_followed_once_where_nothing_was_read_before(
    make: Any, times: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = []

    def counted(self: Specializer, *args: Any) -> None:
        made.append(self)
        begin(self, *args)

    monkeypatch.setattr(Specializer, "__init__", counted)
    program = specialize(make(), [AbstractTensor(X.shape, X.dtype)])
    assert len(made) == times
    assert program.root.parameters


@pytest.mark.parametrize("reads_before", [False, True])
def test_both_modes_count_the_same(reads_before: bool) -> None:
    found = []
    for mode in (ms.PYNATIVE_MODE, ms.GRAPH_MODE):
        ms.set_context(mode=mode)
        try:
            cell = Counting(reads_before=reads_before)
            values = [float(cell(X).asnumpy()) for _ in range(3)]
            found.append((values, float(cell.count.asnumpy())))
        finally:
            ms.set_context(mode=ms.PYNATIVE_MODE)
    assert found[0] == found[1]
    assert found[0][1] == 4.0
