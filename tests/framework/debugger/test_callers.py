"""The calls that led to an operator, and which of their files are the user's."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import framework as ms
from debugging.executions import calls_to
from debugging.tensors.step_nodes import StepNodes
from framework.debugger.core_training import CoreTraining
from framework.debugger.modes import set_mode
from tests.framework.debugger.faults import Planted, plant
from tests.framework.debugger.parts import nodes_of, runner_of

LAYER = "Default/network-WithLossCell/_backbone-Chain/head-Dense/MatMul-op0"
FILES = ["basic.py", "faults.py", "cell_wrapper.py", "cell_wrapper.py"]


@pytest.fixture(autouse=True)
def _mode() -> Iterator[None]:
    yield
    ms.set_context(mode=ms.PYNATIVE_MODE)


@pytest.fixture
def planted() -> Planted:
    """A training with layers of the framework and of its own."""
    return plant("dead_relu", 1)


@pytest.fixture
def nodes(planted: Planted) -> StepNodes:
    """Its nodes."""
    nodes = nodes_of(planted.training, planted.batches[0])
    nodes.is_own = CoreTraining(planted.training).is_own
    return nodes


def test_the_compiled_program_keeps_who_called_a_layer(nodes: StepNodes) -> None:
    program = nodes.program
    node = next(node for node in program.nodes if node.full_name == LAYER)
    assert [Path(program.files[line.file]).name for line in (node.line, *node.callers)] == FILES
    own = {Path(file).name for number, file in enumerate(program.files) if number not in program.libraries}
    assert own == {"faults.py"}
    assert "self.head(" in Path(program.files[node.callers[0].file]).read_text().splitlines()[node.callers[0].line - 1]


@pytest.mark.parametrize("mode", ["graph", "pynative"])
def test_what_executes_knows_its_callers(planted: Planted, nodes: StepNodes, mode: str) -> None:
    set_mode(mode)
    _, recording = runner_of(planted.training, nodes).record(1, planted.batches[0])
    executed = next(item for item in recording.executions if LAYER in item.members)
    assert [Path(call.file).name for call in calls_to(executed.location)] == FILES
