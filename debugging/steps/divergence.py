"""Compares two recordings of one step node by node: where graph mode and PyNative mode diverge, and how far."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from debugging.tensors.recording import Executed, Recording
from debugging.tensors.step_nodes import StepNodes
from debugging.tensors.tensor_names import TensorName
from summaries.schema import debugger_pb2 as wire

__all__ = ["BOUND", "compare"]

BOUND: Final = 1e-4
"""Largest difference between the modes, relative to the largest element of a float32 tensor. Float16 has 16 times
that, bfloat16 128 times, float64 a millionth of it."""
_BOUNDS: Final = {"float16": 16 * BOUND, "bfloat16": 128 * BOUND, "float64": 1e-6 * BOUND}


def compare(first: Recording, second: Recording, nodes: StepNodes) -> wire.Divergence:
    """Compare two recordings of the same step.

    Args:
        first: In the mode of the training.
        second: In the other mode.
        nodes: Of the step.

    Returns:
        The differences of tensors in both, in the first one's order of execution. Tensors in one recording only
        (`docs/architecture/names.md`) are counted.
    """
    made = wire.Divergence(step=first.step, first_mode=first.mode, second_mode=second.mode, bound=BOUND)
    seen: set[TensorName] = set()
    for order, executed in enumerate(first.executions):
        for name, array in executed.tensors:
            other = second.array(name)
            if other is None:
                made.only_first += 1
                continue
            seen.add(name)
            found = _difference(name, executed, np.asarray(first.array(name)), other)
            found.order = order
            if (line := nodes.line(executed.location)) is not None:
                found.line.CopyFrom(line)
            made.differences.append(found)
            if not made.HasField("first") and not found.max_rel <= _BOUNDS.get(array.dtype.name, BOUND):
                made.first.CopyFrom(name.message)
    both = {name._replace(full_name=member) for name in seen for member in _members(first, name)}
    made.only_second = sum(name not in both for executed in second.executions for name, _ in executed.tensors)
    return made


def _members(recording: Recording, name: TensorName) -> tuple[str, ...]:
    executed = recording.executed(name)
    return (name.full_name,) if executed is None else executed.members


def _difference(name: TensorName, executed: Executed, one: Any, other: Any) -> wire.Difference:
    """The largest difference of two tensors; NaN if an element is NaN in only one of them."""
    made = wire.Difference(tensor=name.message, type=executed.primitive.name)
    if one.shape != other.shape:
        made.max_abs = made.max_rel = float("inf")
        return made
    made.same = bool(one.dtype == other.dtype and one.tobytes() == other.tobytes())
    if made.same or not one.size:
        return made
    kind = np.complex128 if one.dtype.kind == "c" else np.float64
    a, b = one.astype(kind), other.astype(kind)
    equal = (a == b) | (np.isnan(a) & np.isnan(b))
    with np.errstate(invalid="ignore"):
        apart = np.where(equal, 0.0, np.abs(a - b))
    made.max_abs = float(apart.max())
    finite = np.abs(a[np.isfinite(a)])
    size = float(finite.max()) if finite.size else 0.0
    made.max_rel = 0.0 if made.max_abs == 0 else made.max_abs / size if size else float("inf")
    return made
