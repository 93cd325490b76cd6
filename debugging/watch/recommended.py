"""Recommended watchpoints: MindInsight's set, for the tensors of this network."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from debugging.tensors.step_nodes import StepNodes
from summaries.schema import debugger_pb2 as wire

__all__ = ["gradients_of_weights", "recommended"]

_BOUNDED = {"Tanh": (-0.999, 0.999), "Sigmoid": (0.001, 0.999)}
"""Bounds between which an activation still has a gradient."""


def recommended(nodes: StepNodes) -> list[wire.Watchpoint]:
    """The recommended watchpoints, with ids from 1.

    Unlike MindInsight, the set watches for weights that never change, because the trained weights are known here.
    Initial zeros and large changes are checked for matrices only; biases begin as zeros. Gradients are those that
    optimizers take: a number elsewhere that is not finite reaches them, the loss or a weight, and the search for the
    cause finds its origin.

    Args:
        nodes: Of the step.
    """
    made = list(_all(nodes))
    for number, watchpoint in enumerate(made, 1):
        watchpoint.id, watchpoint.enabled = number, True
    return made


def _all(nodes: StepNodes) -> Iterator[wire.Watchpoint]:
    weights = [node for node in nodes if node.kind == wire.WEIGHT]
    matrices = [node.full_name for node in weights if node.outputs and len(node.outputs[0].shape) > 1]
    gradients = gradients_of_weights(nodes)
    activations = [node.full_name for node in nodes if node.kind == wire.ACTIVATION]
    if matrices:
        yield _on(matrices, "weight_initialization", zero_percentage_ge=100.0)
    if weights:
        yield wire.Watchpoint(condition="weight_overflow")
    if matrices:
        yield _on(matrices, "weight_change_too_large", abs_mean_update_ratio_gt=1.0)
        yield _on(matrices, "weight_not_changed", rtol=0.0, atol=0.0)
    if gradients:
        yield _on(gradients, "gradient_vanishing", abs_mean_lt=1e-9)
        yield _on(gradients, "gradient_exploding")
    if activations:
        yield _on(activations, "tensor_all_zero", zero_percentage_ge=100.0)
    yield from _of_bounded(nodes)


def _of_bounded(nodes: StepNodes) -> Iterator[wire.Watchpoint]:
    """Watchpoints of activations that pass no gradients on near their bounds."""
    for kind, (low, high) in _BOUNDED.items():
        found = [node.full_name for node in nodes if node.kind == wire.ACTIVATION and node.type == kind]
        if found:
            ends = {"range_start_inclusive": low, "range_end_inclusive": high}
            yield _on(found, "activation_range", **ends, range_percentage_lt=1.0)


def _on(names: list[str] | tuple[str, ...], condition: str, **settings: float) -> wire.Watchpoint:
    values = [wire.Setting(name=name, value=value, enabled=True) for name, value in settings.items()]
    return wire.Watchpoint(condition=condition, settings=values, targets=wire.Targets(nodes=names))


def gradients_of_weights(nodes: StepNodes) -> list[str]:
    """The full names of the gradients that optimizers take.

    These are the nodes of the backward pass that something outside of it reads, beside a weight of the same shape or
    without any weight, as where an optimizer averages gradients first, or where the program clips them.

    Args:
        nodes: Of the step.
    """
    kinds = {node.full_name: node for node in nodes}
    every = _shapes(node for node in nodes if node.kind == wire.WEIGHT)
    found: dict[str, None] = {}
    for node in nodes:
        if node.kind == wire.GRADIENT or node.type in ("Parameter", "Input"):
            continue
        read = [kinds[item.full_name] for item in node.inputs if item.full_name in kinds]
        shapes = _shapes(item for item in read if item.kind == wire.WEIGHT) or every
        found.update((item.full_name, None) for item in read if _is_gradient_of(item, shapes))
    return list(found)


def _is_gradient_of(node: wire.Node, shapes: list[list[int]]) -> bool:
    return node.kind == wire.GRADIENT and any(list(output.shape) in shapes for output in node.outputs)


def _shapes(nodes: Iterable[wire.Node]) -> list[list[int]]:
    return [list(node.outputs[0].shape) for node in nodes if node.outputs]
