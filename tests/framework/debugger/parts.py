"""Parts of the debugger for a training of the core."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from debugging.steps.runner import Runner
from debugging.steps.stepper import Stepper, Stop
from debugging.tensors.step_nodes import StepNodes
from debugging.watch import Watchpoints
from framework.debugger.core_training import CoreTraining
from framework.nn.cell import Cell


def nodes_of(step: Cell, batch: Sequence[Any]) -> StepNodes:
    """The nodes of a training step."""
    return CoreTraining(step).nodes(batch)


def runner_of(step: Cell, nodes: StepNodes) -> Runner:
    """What runs the steps."""
    return Runner(CoreTraining(step), nodes)


def watchpoints_of(step: Cell, nodes: StepNodes) -> Watchpoints:
    """The watchpoints of a training step."""
    return Watchpoints(nodes, CoreTraining(step))


def stepper_of(step: Cell, stop: Callable[[Stop], None]) -> Stepper:
    """What stops within its steps."""
    return Stepper(stop, CoreTraining(step).is_own)
