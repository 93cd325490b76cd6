"""`ds.explain`: a pipeline before and after its passes, and what each of them did and why."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from framework.dataset import config
from framework.dataset.engine.datasets import Dataset
from framework.dataset.ir import Node
from framework.dataset.ir.passes import Change, changes

__all__ = ["Explanation", "explain"]

#: Parameters that say how an operator runs and not what it does, or that its operations show.
_HIDDEN = frozenset(
    ("callback", "connector_queue_size", "num_parallel_workers", "input_columns", "output_columns", "reset_each_epoch")
)


@dataclass(frozen=True)
class Explanation:
    """A pipeline as it was written and as it runs; its text is what `ds.explain` prints.

    Args:
        before: the last node as it was written.
        after: the last node as it runs.
        changes: what each pass did, in the order in which they ran.
        off: the passes that are switched off.
    """

    before: Node
    after: Node
    changes: tuple[Change, ...]
    off: tuple[str, ...] = ()

    def __str__(self) -> str:
        done = [(change.name, list(change.reasons) or ["nothing to do"]) for change in self.changes]
        done += [(name, ["switched off by ds.config.set_pass"]) for name in self.off]
        width = max((len(name) for name, _ in done), default=0)
        told = [
            f"  {name if place == 0 else '':{width}}  {reason}"
            for name, reasons in done
            for place, reason in enumerate(reasons)
        ]
        return "\n".join(
            ["As it was written", *_drawn(self.before), "", "As it runs", *_drawn(self.after), "", "Passes", *told]
        )


def explain(dataset: Dataset) -> Explanation:
    """Print a pipeline as it was written and as it runs, and what each pass changed and why.

    Args:
        dataset: the last dataset of the pipeline.

    Returns:
        The same as a value.
    """
    enabled = config.get_passes()
    raised = config.get_error_samples_mode() is config.ErrorSamplesMode.RETURN
    after, made = changes(dataset.node, enabled, raised)
    told = Explanation(dataset.node, after, tuple(made), tuple(name for name, on in enabled.items() if not on))
    print(told)  # noqa: T201 - that is what it is for
    return told


def _drawn(root: Node) -> Iterator[str]:
    """The lines of a tree, the last operator first."""
    waiting = [(root, 1)]
    while waiting:
        node, depth = waiting.pop()
        yield f"{'  ' * depth}{_named(node)}"
        waiting.extend((child, depth + 1) for child in reversed(node.children))


def _named(node: Node) -> str:
    parts = [_columns(node), ", ".join(getattr(item, "__name__", repr(item)) for item in node.operations)]
    shown = {name: value for name, value in node.parameters.items() if name not in _HIDDEN}
    parts.append(", ".join(f"{name}={value!r}" for name, value in shown.items() if value not in ([], {}, "")))
    parts += _reading(node)
    return f"{node.op_type}({'; '.join(filter(None, parts))})"


def _columns(node: Node) -> str:
    """The columns that an operator takes, and those that it gives if they are others."""
    inputs, outputs = (", ".join(node.parameters.get(name) or ()) for name in ("input_columns", "output_columns"))
    return inputs if inputs == outputs else f"{inputs} -> {outputs}"


def _reading(node: Node) -> Iterator[str]:
    """What a source reads: its sampler, its columns, and the part of its rows."""
    if node.sampler is not None:
        yield node.sampler.sampler_name
    columns = getattr(node.python.get("source"), "columns", ())
    if columns and not node.children:
        yield f"columns {', '.join(columns)}"
    if node.plan.start or node.plan.stop is not None:
        yield f"rows from {node.plan.start} up to {'the end' if node.plan.stop is None else node.plan.stop}"
