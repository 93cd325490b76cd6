"""Searches the cause in a recorded step: the producer, the first abnormal tensor before it, the path to the loss."""

from __future__ import annotations

import time
from collections import deque
from typing import Any, Final

import numpy as np

from debugging.cause.data_flow import DataFlow, is_array
from debugging.cause.domains import MASKED, Reason, reason_of
from debugging.cause.history import History
from debugging.tensors.arrays import to_numpy
from debugging.tensors.recording import Executed, Recording
from debugging.tensors.statistics import message_of, statistics_of
from debugging.tensors.step_nodes import StepNodes
from debugging.tensors.tensor_names import TensorName
from summaries.schema import debugger_pb2 as wire

__all__ = ["find_cause"]

_BACK: Final = 12
"""Most operators before the producer that are searched."""
_SHOWN: Final = 4
"""Most operators on the path to the loss that are shown."""
_HUGE: Final = 1e6
"""Absolute value from which a weight without history counts as too large because of its updates."""


def find_cause(recording: Recording, history: History, nodes: StepNodes) -> wire.Cause:
    """The cause of numbers in a step that are not finite.

    Args:
        recording: Of all nodes of the step.
        history: Of its tensors.
        nodes: Of the step.

    Returns:
        The cause; `problem` says why if there is no producer.
    """
    began = time.perf_counter()
    made = _Search(recording, history, nodes).found()
    made.milliseconds = 1000 * (time.perf_counter() - began)
    return made


class _Search:
    def __init__(self, recording: Recording, history: History, nodes: StepNodes) -> None:
        self._recording = recording
        self._history = history
        self._nodes = nodes
        self._ways = DataFlow(recording)

    def found(self) -> wire.Cause:
        """The answer."""
        made = wire.Cause(step=self._recording.step)
        reaching = self._ways.reaching_loss()

        def is_mask(executed: Executed) -> bool:
            return id(executed) not in reaching and self._has_constant(executed)

        for executed in sorted(self._ways.tainted(), key=is_mask):
            if (row := self._masked_row(executed)) is not None:
                return self._produced(made, row)
            read = [(name, array) for name, array in executed.inputs if is_array(array)]
            tainted = [(name, array) for name, array in read if not self._ways.is_finite(array)]
            if not tainted:
                return self._produced(made, executed)
            leaf = next(
                ((name, array) for name, array in tainted if name is not None and name not in self._ways.makers), None
            )
            if leaf is not None:
                return self._came_in(made, executed, *leaf)
            if all(name is None for name, _ in tainted):
                return self._produced(made, executed)
        made.verdict = "nothing"
        made.problem = "every operator of this step made finite numbers from finite ones"
        return made

    def _has_constant(self, executed: Executed) -> bool:
        """Whether it reads a constant that is not finite, as masks do on purpose."""
        constants = [np.asarray(item) for name, item in executed.inputs if name is None and _is_any(item)]
        return not all(item.dtype.kind not in "fc" or np.isfinite(item).all() for item in constants)

    def _masked_row(self, executed: Executed) -> Executed | None:
        """The operator that makes NaN of a whole row of minus infinity, which a mask has put there."""
        if not self._has_constant(executed):
            return None
        readers = (item for item in self._ways.reading(executed, _BACK) if item.primitive.name in MASKED)
        for item in readers:
            arrays = [np.asarray(array) for _, array in item.inputs if is_array(array)]
            if reason_of(item.primitive.name, arrays[:1], item.outputs).verdict == "masked_row":
                return item
        return None

    # ---- the two kinds of origins

    def _produced(self, made: wire.Cause, executed: Executed) -> wire.Cause:
        """An operator made it from finite inputs."""
        read = [(name, np.asarray(item)) for name, item in executed.inputs if _is_any(item)]
        reason = reason_of(executed.primitive.name, [array for _, array in read], executed.outputs)
        name = read[reason.place][0] if read else None
        first, statistic = self._first_abnormal(name, reason) if name is not None else (None, reason.statistic)
        weight = self._thrown(executed, reason)
        if weight is not None:
            first, statistic = weight, "abs_max"
            reason = Reason(
                "exploding_update", reason.place, "abs_max", reason.facts, ("lower_learning_rate", "clip_gradients")
            )
        self._tell(made, reason, name)
        made.facts["operator"] = executed.primitive.name
        if weight is not None:
            made.facts["weight"] = weight.full_name
            made.facts["weight_abs_max"] = f"{statistics_of(self._recording.array(weight)).abs_max:.4g}"
        made.producer.CopyFrom(self._link(executed, wire.Link.PRODUCER))
        self._fill(made, executed, first, statistic)
        return made

    def _came_in(self, made: wire.Cause, executed: Executed, name: TensorName, array: Any) -> wire.Cause:
        """It was in the data or in a weight before the step."""
        kind = self._nodes.kind(name.full_name)
        of_data = kind == wire.INPUT
        found = statistics_of(array)
        facts = {
            "tensor": str(name),
            "nans": str(found.nans),
            "infs": str(found.pos_infs + found.neg_infs),
            "count": str(found.count),
        }
        measured = message_of(array, name)
        facts["place"] = str([int(one) for one in np.unravel_index(int(measured.bad_at), array.shape)])
        facts["samples"] = str(_bad_samples(array))
        verdict = "not_finite_input" if of_data else "not_finite_weight"
        advice = ("check_data",) if of_data else ("lower_learning_rate", "clip_gradients", "look_one_step_back")
        self._tell(made, Reason(verdict, 0, "min", facts, advice), name)
        node = wire.Link(tensor=name.message, type="Input" if of_data else "Parameter", role=wire.Link.PRODUCER)
        node.output.CopyFrom(measured)
        made.producer.CopyFrom(node)
        made.chain.append(node)
        self._forward(made, executed, itself=True)
        made.propagators = sum(1 for _ in self._ways.tainted())
        return made

    # ---- what led to it

    def _first_abnormal(self, name: TensorName, reason: Reason) -> tuple[TensorName, str]:
        """The earliest unusual tensor before an input; the input itself if nothing is known."""
        first = name
        waiting, seen = deque([(name, 0)]), {name}
        while waiting:
            here, depth = waiting.popleft()
            array = self._recording.array(here)
            if array is None or array.dtype.kind not in "fV":
                continue
            value = getattr(statistics_of(array), reason.statistic)
            if here != name and not self._history.is_unusual(here, reason.statistic, value):
                continue
            first = here
            maker = self._ways.makers.get(here)
            for before, _ in maker.inputs if maker is not None and depth < _BACK else ():
                if before is not None and before not in seen:
                    seen.add(before)
                    waiting.append((before, depth + 1))
        return first, reason.statistic

    def _thrown(self, executed: Executed, reason: Reason) -> TensorName | None:
        """The weight that grew so large that numbers overflow; None if there is none."""
        if reason.verdict not in ("overflow", "exp_overflow", "unknown"):
            return None
        largest: tuple[float, TensorName] | None = None
        for name in self._ways.behind(executed):
            if self._nodes.kind(name.full_name) != wire.WEIGHT:
                continue
            size = statistics_of(self._recording.array(name)).abs_max
            unusual = self._history.is_unusual(name, "abs_max", size) or size > _HUGE
            if unusual and (largest is None or size > largest[0]):
                largest = size, name
        return None if largest is None else largest[1]

    # ---- the answer

    def _tell(self, made: wire.Cause, reason: Reason, name: TensorName | None) -> None:
        made.verdict = reason.verdict
        made.advice.extend(reason.advice)
        made.facts.update(reason.facts)
        if name is not None:
            made.facts.setdefault("tensor", str(name))
            maker = self._ways.makers.get(name)
            made.facts["from"] = maker.primitive.name if maker is not None else name.full_name

    def _fill(self, made: wire.Cause, executed: Executed, first: TensorName | None, statistic: str) -> None:
        """Add the chain from the first abnormal tensor to the loss, and the tensor's history."""
        if first is not None:
            maker = self._ways.makers.get(first)
            if maker is not None and maker is not executed:
                made.chain.extend(self._way_to(maker, executed))
            elif maker is None:
                link = wire.Link(tensor=first.message, type="Parameter", role=wire.Link.ABNORMAL)
                link.output.CopyFrom(message_of(np.asarray(self._recording.array(first)), first))
                made.chain.append(link)
            array = self._recording.array(first)
            told = None
            if array is not None:
                told = self._history.message(first, statistic, statistics_of(array), self._recording.step)
            if told is not None:
                made.history.CopyFrom(told)
        made.chain.append(made.producer)
        self._forward(made, executed)
        made.propagators = sum(1 for _ in self._ways.tainted()) - 1

    def _way_to(self, first: Executed, last: Executed) -> list[wire.Link]:
        """A few links from the operator before the first abnormal one to the last one before the producer."""
        way = self._ways.between(first, last, _BACK)
        before = [self._ways.makers[name] for name, _ in first.inputs if name in self._ways.makers][:1]
        links = [self._link(item, wire.Link.FINITE) for item in before]
        links.append(self._link(first, wire.Link.ABNORMAL))
        return links + [self._link(item, wire.Link.FINITE) for item in way[1:][-2:]]

    def _forward(self, made: wire.Cause, executed: Executed, *, itself: bool = False) -> None:
        """Add the operators that pass the defect on from the producer to the loss."""
        way = self._ways.to_loss(executed)
        if itself:
            way.insert(0, executed)
        loss = self._recording.loss
        for item in way[:_SHOWN]:
            made.chain.append(self._link(item, wire.Link.PASSES_ON))
        maker = None if loss is None else self._ways.makers.get(loss)
        if loss is not None and maker is not None and maker is not executed:
            last = self._link(maker, wire.Link.LOSS)
            if made.chain and made.chain[-1].tensor == last.tensor:
                made.chain[-1].CopyFrom(last)
            else:
                made.chain.append(last)

    def _link(self, executed: Executed, role: wire.Link.Role.ValueType) -> wire.Link:
        name = TensorName(executed.full_name, 0, executed.iteration)
        made = wire.Link(tensor=name.message, type=executed.primitive.name, role=role)
        if executed.outputs:
            made.output.CopyFrom(message_of(executed.outputs[0], name))
        for read, array in executed.inputs:
            if is_array(array):
                made.inputs.append(message_of(array, read))
        line = self._nodes.line(executed.location)
        if line is not None:
            made.line.CopyFrom(line)
        if executed.full_name in self._nodes:
            made.attributes.update(self._nodes.node(executed.full_name).attributes)
        return made


def _bad_samples(array: Any) -> int:
    """How many parts along the leading dimension have a number that is not finite."""
    values = to_numpy(array)
    return int((~np.isfinite(values)).reshape(len(values) if values.ndim else 1, -1).any(axis=1).sum())


def _is_any(item: Any) -> bool:
    return is_array(item) or (isinstance(item, int | float) and not isinstance(item, bool))
