"""One armed watchpoint: the nodes it observes, its condition or expression, and its counts."""

from __future__ import annotations

from debugging.tensors.step_nodes import StepNodes
from debugging.watch.conditions import CONDITIONS, Condition, Measured, Observed, settings_of
from debugging.watch.expression_parser import Expression
from debugging.watch.expression_values import Moment
from debugging.watch.problems import WatchError
from debugging.watch.targets import chosen, fits, matching
from summaries.schema import debugger_pb2 as wire

__all__ = ["EXPRESSION", "ArmedWatchpoint"]

EXPRESSION = "expression"


class ArmedWatchpoint:
    """A watchpoint with its targets resolved.

    Args:
        message: The watchpoint as a person made it.
        nodes: Of the step.

    Attributes:
        condition: One of the 17; None if it is an expression.
        expression: None if it is a condition.
        names: Full names of the nodes that it observes.
        asked: Full names of the nodes that match the patterns of its expression.
        steps: Number of steps in which it was evaluated.
        checks: Number of evaluations.
        hits: Number of evaluations in which it held.

    Raises:
        WatchError: It is invalid.
    """

    def __init__(self, message: wire.Watchpoint, nodes: StepNodes) -> None:
        self.message = wire.Watchpoint()
        self.message.CopyFrom(message)
        self.condition: Condition | None = None
        self.expression: Expression | None = None
        self.asked: dict[str, frozenset[str]] = {}
        self.steps = self.checks = self.hits = self.last_hit_step = 0
        self._held: dict[str, int] = {}
        if message.condition == EXPRESSION:
            self.expression = Expression(message.expression)
            self.asked = {text: frozenset(matching(nodes, text)) for text in self.expression.patterns}
            for text, found in self.asked.items():
                if not found:
                    raise WatchError(f"no node's name matches {text!r}", "no_targets")
            self.names = self._named(message, nodes)
        elif message.condition in CONDITIONS:
            self.condition = CONDITIONS[message.condition]
            self.values = settings_of(self.condition, message.settings)
            self.names = chosen(nodes, message.targets, self.condition.sort)
        else:
            known = ", ".join(CONDITIONS)
            raise WatchError(
                f"there is no condition {message.condition!r}; there are {known} and expression", "unknown_condition"
            )

    def _named(self, message: wire.Watchpoint, nodes: StepNodes) -> frozenset[str]:
        assert self.expression is not None  # noqa: S101
        if not self.expression.is_of_tensor:
            return frozenset()
        targets = message.targets
        if not (targets.kinds or targets.patterns or targets.nodes):
            raise WatchError(
                'the expression needs a tensor: choose target nodes, or use a pattern, such as abs_max("*.weight")',
                "no_targets",
            )
        return chosen(nodes, targets, "tensor")

    @property
    def is_on(self) -> bool:
        """Whether it is enabled."""
        return self.message.enabled

    @property
    def observed(self) -> frozenset[str]:
        """Full names of all nodes that it needs in a step."""
        return self.names.union(*self.asked.values())

    @property
    def takes_more(self) -> bool:
        """Whether operators that are not known yet may be among its targets."""
        targets = self.message.targets
        only_named = bool(targets.nodes) and not (targets.kinds or targets.patterns)
        return self.condition is not None and self.condition.sort != "weight" and not only_named

    def takes(self, node: wire.Node) -> bool:
        """Whether an operator that has only become known is among its targets."""
        return self.condition is not None and fits(node, self.message.targets, self.condition.sort)

    def add(self, name: str) -> None:
        """Observe another operator."""
        self.names |= {name}

    @property
    def is_of_step(self) -> bool:
        """Whether it is evaluated once per step, not per tensor."""
        return self.expression is not None and not self.expression.is_of_tensor

    def looks_like(self, other: wire.Watchpoint) -> bool:
        """Whether another one differs only in `enabled` and `log_only`, so that the counts continue."""
        mine, its = wire.Watchpoint(), wire.Watchpoint()
        mine.CopyFrom(self.message)
        its.CopyFrom(other)
        for item in (mine, its):
            item.ClearField("enabled")
            item.ClearField("log_only")
        return mine == its

    def is_new(self, subject: str, step: int) -> bool:
        """Whether a hit is new: it did not hold for the same tensor a step ago. Hits that last are only counted.

        Args:
            subject: Name of the tensor.
            step: Number of the step.
        """
        before = self._held.get(subject)
        self._held[subject] = step
        return before is None or before < step - 1

    @property
    def turn(self) -> int:
        """Its place in the order of evaluation at one tensor."""
        return 0 if self.condition is None else self.condition.turn

    def of_tensor(self, seen: Observed, step: int) -> list[Measured] | None:
        """The measurements of its condition at a tensor; None if it does not hold."""
        assert self.condition is not None  # noqa: S101
        measured = list(self.condition.measure(seen, self.values))
        return measured if self._counted(any(item.hit for item in measured), step) else None

    def of_moment(self, moment: Moment) -> bool:
        """Whether its expression holds for a tensor or a step."""
        assert self.expression is not None  # noqa: S101
        return self._counted(self.expression(moment), moment.step)

    def _counted(self, holds: bool, step: int) -> bool:
        """Count an evaluation, and return whether it holds."""
        self.checks += 1
        if holds:
            self.hits += 1
            self.last_hit_step = step
        return holds

    def watched(self, cost: float, *, recommended: bool = False) -> wire.Watched:
        """The message with its counts."""
        return wire.Watched(
            watchpoint=self.message, tensors=len(self.names), steps=self.steps, checks=self.checks, hits=self.hits,
            last_hit_step=self.last_hit_step, cost=cost, recommended=recommended,
        )  # fmt: skip
