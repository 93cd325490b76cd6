"""`ms.jit` as MindSpore's programs of all years call it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import framework as ms
from framework import Parameter, Tensor, nn


def doubled(x: Any) -> Any:
    return x * 2


FORMS: dict[str, Callable[[], Any]] = {
    "by position": lambda: ms.jit(doubled),
    "function=": lambda: ms.jit(function=doubled),
    "fn=": lambda: ms.jit(fn=doubled),
    "jit_config=": lambda: ms.jit(doubled, jit_config=ms.JitConfig(jit_level="O1")),
    "all options of 2.10": lambda: ms.jit(
        capture_mode="ast", jit_level="O0", dynamic=0, fullgraph=True, backend="ms_backend", infer_boost="on"
    )(doubled),
    "options of 2.0": lambda: ms.jit(mode="PSJit", hash_args=None, compile_once=False)(doubled),
    "ms_function": lambda: ms.ms_function(fn=doubled),
    "ms_function with a signature": lambda: ms.ms_function(
        input_signature=Tensor(shape=[None], dtype=ms.int64)
    )(doubled),
    "within a compiled function": lambda: ms.jit(lambda x: ms.jit(function=doubled)(x)),
}  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
def test_every_form_compiles_the_function(form: str) -> None:
    compiled = FORMS[form]()
    assert compiled(Tensor([1, 2])).asnumpy().tolist() == [2, 4]
    assert compiled.compilations == 1


@ms.jit
class Scaled(nn.Cell):
    """A class of Cells that is compiled."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = Parameter(Tensor([2.0, 3.0]), name="weight")

    def construct(self, x: Any) -> Any:
        return x * self.weight


class Shifted(Scaled):
    def construct(self, x: Any) -> Any:
        return super().construct(x) + 1


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def test_a_class_of_cells_stays_a_class(mode: int) -> None:
    assert isinstance(Scaled, type)
    x = Tensor([1.0, 2.0])
    ms.set_context(mode=mode)
    try:
        assert Scaled()(x).asnumpy().tolist() == [2.0, 6.0]
        assert Shifted()(x).asnumpy().tolist() == [3.0, 7.0]
        net = Scaled()
        by_weights = ms.grad(lambda x: net(x).sum(), None, net.trainable_params())(x)
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)
    np.testing.assert_array_equal(by_weights[0].asnumpy(), [1.0, 2.0])


@pytest.mark.parametrize(("given", "told"), [(3, "not a int"), (dict, "a class of Cells, and dict is none")])
def test_anything_else_is_refused(given: Any, told: str) -> None:
    with pytest.raises(TypeError, match=told):
        ms.jit(given)
