"""All watchpoints of a session: the nodes to observe for them, their hits in a step, their cost."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from debugging.contract import Debuggee, State
from debugging.executions import Execution
from debugging.tensors.recording import Recording, flat
from debugging.tensors.statistics import Statistics
from debugging.tensors.step_nodes import StepNodes, kind_of
from debugging.tensors.tensor_names import TensorName
from debugging.watch.conditions import Observed
from debugging.watch.cost import Cost
from debugging.watch.expression_values import Moment
from debugging.watch.hits import hit_of_step, hit_of_tensor
from debugging.watch.problems import WatchError
from debugging.watch.recommended import recommended
from debugging.watch.screening import Screening
from debugging.watch.watchpoint import ArmedWatchpoint
from summaries.schema import debugger_pb2 as wire

__all__ = ["Needs", "Watchpoints"]


@dataclass(frozen=True, slots=True)
class Needs:
    """What the watchpoints need.

    Attributes:
        names: Full names of the operators to observe in each step; None if there are none. A program may run others
            in a later step: those that may be targets are contained, too.
        is_armed: Whether a watchpoint is enabled.
        silent: Ids of watchpoints that record and do not pause.
        rate: Whether an expression depends on the learning rate.
    """

    names: frozenset[str] | None = None
    is_armed: bool = False
    silent: frozenset[int] = frozenset()
    rate: bool = False


class _Wanted(frozenset[str]):
    """The full names of operators to observe. It also contains those that may turn out to be targets when they run."""

    may_be: Callable[[str], bool]

    @classmethod
    def of(cls, names: Iterable[str], may_be: Callable[[str], bool]) -> _Wanted:
        """Some names, and what says of an unknown one whether it may be a target."""
        made = cls(names)
        made.may_be = may_be
        return made

    def __contains__(self, name: object) -> bool:
        return super().__contains__(name) or self.may_be(str(name))


class Watchpoints:
    """The watchpoints of a session.

    Args:
        nodes: Of the step.
        debuggee: The training.

    Attributes:
        cost: Their cost.
        rate: The learning rate, set by the monitor; NaN if unknown.
        spent: Seconds that their evaluation took in the step so far.
        finite: Whether all elements are finite, by the names of Parameters for which the last step found it out.
    """

    def __init__(self, nodes: StepNodes, debuggee: Debuggee) -> None:
        self._nodes = nodes
        self._array_of = debuggee.array_of
        self._parameters = {weight.name: weight for weight in debuggee.weights()}
        self._armed: list[ArmedWatchpoint] = []
        self._by_name: dict[str, list[ArmedWatchpoint]] = {}
        self._needs = Needs()
        #: Names that match patterns in expressions.
        self._asked: frozenset[str] = frozenset()
        self._screening = Screening({}, ())
        self._before: dict[str, Any] = {}
        self._statistics: dict[str, list[Statistics]] = {}
        self._first: list[wire.Hit] = []
        #: Whether operators that are not among the nodes are targets, by their full names.
        self._unknown: dict[str, bool] = {}
        #: The operator that the step has run last, of those that are observed.
        self._seen_last = ""
        self._step = 0
        self.spent = 0.0
        self._seen_bytes = 0
        self._waiting: list[tuple[ArmedWatchpoint, TensorName, Observed]] = []
        self._is_recheck = False
        self.cost = Cost(nodes)
        self.finite: dict[str, bool] = {}
        self.rate = math.nan

    # ---- the list of watchpoints

    def set(self, watchpoints: Sequence[wire.Watchpoint], hidden: str = "") -> None:
        """Replace the watchpoints; one that is the same as before keeps its counts.

        Args:
            watchpoints: All of them.
            hidden: Why operators cannot be observed; empty if they can.

        Raises:
            WatchError: One of them is invalid, or watches operators that are hidden; then the old ones stay.
        """
        known = {armed.message.id: armed for armed in self._armed}
        made = [self._arm(message, known.get(message.id)) for message in watchpoints]
        if hidden:
            self._refuse_operators(made, hidden)
        self._armed = made
        enabled = [armed for armed in self._armed if armed.is_on]
        self._by_name = _by_name(enabled)
        self._asked = frozenset[str]().union(*(names for armed in enabled for names in armed.asked.values()))
        weights = {name: watching for name, watching in self._by_name.items() if name in self._parameters}
        self._screening = Screening(weights, self._asked)
        self._needs = Needs(
            names=self._wanted(),
            is_armed=bool(enabled),
            silent=frozenset(armed.message.id for armed in self._armed if armed.message.log_only),
            rate=any(armed.expression is not None and armed.expression.asks_rate for armed in enabled),
        )
        self._before = {}
        self.cost.part = None

    def _wanted(self) -> frozenset[str] | None:
        """The operators to observe, as far as they are known."""
        self._unknown = {}
        names = [name for name in self._by_name if name not in self._parameters]
        if not names:
            return None
        # A framework sees only these where it knows that no others are wanted.
        is_open = any(armed.is_on and armed.takes_more for armed in self._armed)
        return _Wanted.of(names, self._may_be) if is_open else frozenset(names)

    def _may_be(self, name: str) -> bool:
        """Whether an operator that was not known is a target."""
        if name in self._nodes:
            return False
        if name not in self._unknown:
            kind = name.rpartition("/")[2].partition("-op")[0]
            node = wire.Node(full_name=name, type=kind, kind=kind_of(name, kind))
            self._unknown[name] = any(armed.is_on and armed.takes(node) for armed in self._armed)
        return self._unknown[name]

    def _meet(self, execution: Execution) -> None:
        """Observe an operator that runs for the first time, as behind a condition of the program."""
        outputs = self._arrays_in((execution.outputs,))
        self._nodes.add_executed(execution, outputs, self._seen_last)
        node = self._nodes.node(execution.full_name)
        for armed in self._armed:
            if armed.is_on and armed.takes(node):
                armed.add(node.full_name)
                self._by_name.setdefault(node.full_name, []).append(armed)
        self._by_name[node.full_name].sort(key=lambda armed: armed.turn)
        self._needs = replace(self._needs, names=self._wanted())

    def _arm(self, message: wire.Watchpoint, before: ArmedWatchpoint | None) -> ArmedWatchpoint:
        """An armed watchpoint: the one from before, if it is the same."""
        try:
            armed = ArmedWatchpoint(message, self._nodes)
        except WatchError as error:
            error.watchpoint = message.id
            raise
        if before is None or not before.looks_like(message):
            return armed
        before.message = armed.message
        return before

    def needs(self) -> Needs:
        """What they need."""
        return self._needs

    def watching(self) -> wire.Watching:
        """The message with all of them, their counts and their costs."""
        known = self.cost.part is not None
        made = wire.Watching(cost=self.cost.part or 0.0, cost_known=known)
        estimates = self.cost.estimates(self._armed)
        made.watched.extend(armed.watched(cost) for armed, cost in zip(self._armed, estimates, strict=True))
        return made

    def _refuse_operators(self, made: Sequence[ArmedWatchpoint], hidden: str) -> None:
        for armed in made:
            if armed.is_on and not self._is_of_weights(armed):
                error = WatchError(hidden, "not_observable")
                error.watchpoint = armed.message.id
                raise error

    def _is_of_weights(self, armed: ArmedWatchpoint) -> bool:
        """Whether a watchpoint needs no operator of the step."""
        return all(name in self._parameters for name in armed.observed)

    def recommended(self, without: Collection[int] = (), only_weights: bool = False) -> list[wire.Watched]:
        """The recommended watchpoints, each with its estimated cost beside the others.

        Args:
            without: Ids of those that are not wanted; their costs are what they would add.
            only_weights: Leave out those that need operators of the step.
        """
        offered = [ArmedWatchpoint(message, self._nodes) for message in recommended(self._nodes)]
        if only_weights:
            offered = [armed for armed in offered if self._is_of_weights(armed)]
        wanted = [armed for armed in offered if armed.message.id not in without]
        shares = {armed.message.id: cost for armed, cost in zip(wanted, self.cost.estimates(wanted), strict=True)}
        together = sum(shares.values())
        for armed in offered:
            if armed.message.id not in shares:
                shares[armed.message.id] = max(sum(self.cost.estimates([*wanted, armed])) - together, 0.0)
        return [armed.watched(shares[armed.message.id], recommended=True) for armed in offered]

    # ---- a step

    def begin_step(self, step: int, before: State | None = None) -> None:
        """Prepare for a step.

        Args:
            step: Its number.
            before: The state before it, if that is kept.
        """
        began = time.perf_counter()
        self._step, self._seen_last = step, ""
        self._statistics, self._waiting, self.finite = {}, [], {}
        for armed in self._armed:
            armed.steps += armed.is_on
        for name, watching in self._by_name.items():
            if name not in self._parameters:
                continue
            weight = self._parameters[name]
            if any(armed.condition is not None and armed.condition.from_before for armed in watching):
                kept = None if before is None else before.view(name)
                self._before[name] = weight.array if kept is None else kept
            if step <= 1:
                first = [armed for armed in watching if armed.condition is not None and armed.condition.at_first]
                self._first += self._of_tensor(first, TensorName(name), Observed(weight.current))
        self.spent = time.perf_counter() - began

    def see(self, execution: Execution) -> list[wire.Hit]:
        """The hits of a node that was executed. A hit that lasts for several steps is reported once."""
        began = time.perf_counter()
        if self._may_be(execution.full_name):
            self._meet(execution)
        self._seen_last = execution.full_name
        names = [name for name in execution.members or (execution.full_name,) if name in self._by_name]
        hits: list[wire.Hit] = []
        for name in names:
            inputs = self._arrays_in(execution.inputs)
            for slot, output in enumerate(self._arrays_in((execution.outputs,))):
                seen = Observed(output, inputs=inputs)
                subject = TensorName(name, slot, execution.iteration)
                hits += self._look(name, subject, seen, execution)
        self.spent += time.perf_counter() - began
        return hits

    def end_step(self, step: int, loss: float = math.nan) -> list[wire.Hit]:
        """Evaluate conditions of weights, and expressions, after a step.

        Args:
            step: Its number.
            loss: Its loss; NaN if unknown.
        """
        began = time.perf_counter()
        hits, self._first = self._first, []
        quiet = self._screen()
        for name in self._by_name:
            if name in self._parameters and name not in quiet:
                seen = Observed(self._parameters[name].current, self._before.get(name))
                hits += self._look(name, TensorName(name), seen, None)
                if seen.is_finite_known:
                    self.finite[name] = seen.is_finite
        self._before = {}
        hits += self._ask(step, loss)
        self.spent += time.perf_counter() - began
        self.cost.note(self.spent, self._seen_bytes)
        self._seen_bytes = 0
        return hits

    def _screen(self) -> frozenset[str]:
        """The names of weights for which no watchpoint holds, as far as one look at all of them tells."""
        if not self._screening.names:
            return frozenset()
        found = self._screening.screen([self._parameters[name].current for name in self._screening.names], self._before)
        self.finite.update(found.finite)
        self._seen_bytes += found.nbytes
        return found.quiet

    def recheck(self, recording: Recording, before: dict[str, Any] | None = None) -> list[wire.Hit]:
        """The hits of the current watchpoints in a recorded step; their counts do not change.

        Args:
            recording: Of the step.
            before: Parameters before the step by name, as far as known.
        """
        counts = [(armed, armed.checks, armed.hits, armed.last_hit_step, armed.steps) for armed in self._armed]
        statistics, self._statistics = self._statistics, {}
        waiting, self._waiting = self._waiting, []
        self._step, self._is_recheck = recording.step, True
        hits: list[wire.Hit] = []
        for executed in recording.executions:
            for name in executed.members:
                inputs = [array for _, array in executed.inputs if hasattr(array, "dtype")]
                for slot, array in enumerate(executed.outputs if name in self._by_name else ()):
                    hits += self._look(
                        name, TensorName(name, slot, executed.iteration), Observed(array, inputs=inputs), None
                    )
        for name, weight in self._parameters.items():
            if name in self._by_name:
                seen = Observed(weight.array, (before or {}).get(name))
                hits += self._look(name, TensorName(name), seen, None)
                first = [a for a in self._by_name[name] if a.condition is not None and a.condition.at_first]
                hits += self._of_tensor(first, TensorName(name), seen)
        hits += self._ask(recording.step, math.nan)
        self._statistics, self._waiting, self._is_recheck = statistics, waiting, False
        for armed, *numbers in counts:
            armed.checks, armed.hits, armed.last_hit_step, armed.steps = numbers
        return hits

    # ---- one tensor

    def _arrays_in(self, items: Sequence[Any]) -> list[Any]:
        return [array for array in map(self._array_of, flat(items)) if array is not None]

    def _look(self, name: str, subject: TensorName, seen: Observed, execution: Execution | None) -> list[wire.Hit]:
        if name in self._asked:
            self._statistics.setdefault(name, []).append(seen.statistics)
        self._seen_bytes += getattr(seen.array, "nbytes", 0) * (1 if seen.before is None else 2)
        now, later = [], []
        for armed in self._by_name[name]:
            if armed.condition is not None and not armed.condition.at_first:
                now.append(armed)
            elif armed.expression is not None and name in armed.names:
                later.append(armed)
        # Expressions may depend on the loss and on other tensors, so they are evaluated after the step.
        self._waiting += [(armed, subject, Observed((), known=seen.statistics)) for armed in later]
        return self._of_tensor(now, subject, seen, execution)

    def _of_tensor(
        self,
        watching: Sequence[ArmedWatchpoint],
        subject: TensorName,
        seen: Observed,
        execution: Execution | None = None,
    ) -> list[wire.Hit]:
        hits = []
        for armed in watching:
            measured = armed.of_tensor(seen, self._step)
            if measured is not None and self._is_told(armed, str(subject)):
                hits.append(hit_of_tensor(self._nodes, armed, subject, measured, seen, execution))
        return hits

    def _ask(self, step: int, loss: float) -> list[wire.Hit]:
        hits = []
        for armed, subject, seen in self._waiting:
            if armed.of_moment(self._moment(loss, seen.statistics, armed, subject)) and self._is_told(
                armed, str(subject)
            ):
                hits.append(hit_of_tensor(self._nodes, armed, subject, []))
        self._waiting = []
        for armed in self._armed:
            if not (armed.is_on and armed.is_of_step):
                continue
            if armed.of_moment(self._moment(loss, None, armed, None)) and self._is_told(armed, ""):
                hits.append(hit_of_step(self._nodes, armed))
        return hits

    def _is_told(self, armed: ArmedWatchpoint, subject: str) -> bool:
        """Whether a hit is reported: each one if the watchpoint only records, else only new ones."""
        return self._is_recheck or armed.message.log_only or armed.is_new(subject, self._step)

    def _moment(
        self, loss: float, found: Statistics | None, armed: ArmedWatchpoint, subject: TensorName | None
    ) -> Moment:
        def of_pattern(pattern: str) -> Iterator[Statistics]:
            for name in armed.asked.get(pattern, ()):
                yield from self._statistics.get(name, ())

        return Moment(self._step, loss, self.rate, found, str(subject or ""), of_pattern)


def _by_name(enabled: Sequence[ArmedWatchpoint]) -> dict[str, list[ArmedWatchpoint]]:
    """Watchpoints by the full names of the nodes that they observe, in the order in which they are evaluated."""
    found: dict[str, list[ArmedWatchpoint]] = {}
    for armed in enabled:
        for name in armed.observed:
            found.setdefault(name, []).append(armed)
    for watching in found.values():
        watching.sort(key=lambda armed: armed.turn)
    return found
