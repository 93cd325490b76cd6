"""The runner of compiled Cells, which the engine registers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

import framework as ms
from framework import Tensor, graph_mode, nn
from framework.engine.modes import CompiledRunner
from framework.ir.anf import FuncGraph


@pytest.fixture(autouse=True)
def _graph_mode() -> Iterator[None]:
    ms.set_context(mode=ms.GRAPH_MODE)
    yield
    graph_mode.register(CompiledRunner())
    ms.set_context(mode=ms.PYNATIVE_MODE)


class Recorder:
    """A runner that records which of its methods were called."""

    def __init__(self) -> None:
        self.calls: list[str] = []

    def prepare(self) -> None:
        self.calls.append("prepare")

    def run(self, cell: nn.Cell, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        self.calls.append("run")
        return cell._run(args, kwargs)

    def consecutive(self, cell: nn.Cell) -> Callable[..., Any]:
        self.calls.append("consecutive")
        return lambda *args: cell._run(args, {})

    def run_on_tape(self, graph: FuncGraph, inputs: tuple[Any, ...]) -> Any:
        self.calls.append("run_on_tape")
        return inputs

    def compiled_gradient(self, gradient: Callable[..., Any]) -> Callable[..., Any]:
        self.calls.append("compiled_gradient")
        return lambda *args: "compiled"


def test_the_registered_runner_runs_cells_gradients_and_programs() -> None:
    recorder, cell, x = Recorder(), nn.ReLU(), Tensor([-1.0, 2.0])
    graph_mode.register(recorder)
    assert cell(x).asnumpy().tolist() == [0.0, 2.0]
    assert graph_mode.consecutive(cell)(x).asnumpy().tolist() == [0.0, 2.0]
    assert graph_mode.on_tape(FuncGraph("program"), (x,)) == (x,)
    assert ms.grad(cell)(x) == ms.jacrev(cell)(x) == "compiled"
    ms.set_context(mode=ms.PYNATIVE_MODE)
    ms.set_context(mode=ms.GRAPH_MODE)
    assert recorder.calls == ["run", "consecutive", "run_on_tape", "compiled_gradient", "compiled_gradient", "prepare"]


def test_pynative_mode_needs_no_runner() -> None:
    recorder, cell, x = Recorder(), nn.ReLU(), Tensor([-1.0, 2.0])
    graph_mode.register(recorder)
    ms.set_context(mode=ms.PYNATIVE_MODE)
    assert cell(x).asnumpy().tolist() == [0.0, 2.0]
    assert recorder.calls == []


def test_without_an_engine_the_error_says_what_to_import() -> None:
    cell = nn.ReLU()
    graph_mode.register(graph_mode._NoRunner())
    assert graph_mode.consecutive(cell) is cell
    with pytest.raises(RuntimeError, match="ReLU was called in graph mode before the engine was loaded"):
        cell(Tensor([1.0]))
    with pytest.raises(RuntimeError, match="import framework first"):
        graph_mode.on_tape(FuncGraph("program"), ())


def test_consecutive_calls_follow_arguments_and_compile_for_new_shapes() -> None:
    cell = nn.ReLU()
    call = graph_mode.consecutive(cell)
    for numbers in ([-1.0, 2.0], [3.0, -4.0], [5.0, -6.0, 7.0], [-8.0, 9.0]):
        assert call(Tensor(numbers)).asnumpy().tolist() == [max(number, 0.0) for number in numbers]
