"""Names of Cells as the dashboard shows them: scopes as MindSpore's, and one operator for each Cell."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from mindspore import nn
from mindspore.experimental.optim import Optimizer

__all__ = ["OPTIMIZERS", "Place", "attributes_of", "gradient_name", "places_of", "type_of"]

#: Both kinds of optimizers of MindSpore; those of `mint` are of the second kind.
OPTIMIZERS: Final = (nn.Optimizer, Optimizer)
#: MindSpore's operators that do the work of Cells with another name.
_TYPES: Final = {
    "Conv1d": "Conv2D", "Conv2d": "Conv2D", "Conv3d": "Conv3D", "Dense": "Dense", "GELU": "GeLU",
    "FastGelu": "FastGeLU", "BatchNorm1d": "BatchNorm", "BatchNorm2d": "BatchNorm", "BatchNorm3d": "BatchNorm",
    "MaxPool2d": "MaxPool", "AvgPool2d": "AvgPool", "Embedding": "Gather", "Hardswish": "HSwish",
    "Hardsigmoid": "HSigmoid",
}  # fmt: skip
#: Settings of Cells that are shown as attributes.
_ATTRIBUTES: Final = (
    "in_channels", "out_channels", "kernel_size", "stride", "pad_mode", "padding", "dilation", "group", "has_bias",
    "num_features", "eps", "momentum", "p", "axis", "approximate", "vocab_size", "embedding_size",
)  # fmt: skip
#: Parts of a training step that compute nothing of the network.
_BESIDE: Final = frozenset({"grad_reducer", "loss_scaling_manager"})


class Place(NamedTuple):
    """A Cell that is observed, and its names.

    Attributes:
        cell: The Cell.
        scope: Its scope, such as `Default/network-WithLossCell/_backbone-LeNet/conv1-Conv2d`.
        is_leaf: Whether it has no Cells inside.
    """

    cell: Any
    scope: str
    is_leaf: bool

    @property
    def full_name(self) -> str:
        """The name of what it computes: `scope/Type-op0`."""
        return f"{self.scope}/{type_of(self.cell)}-op0"


def type_of(cell: Any) -> str:
    """The type of a Cell as an operator; one without an operator of its own keeps its class's name."""
    name = type(cell).__name__
    return _TYPES.get(name, name)


def attributes_of(cell: Any) -> dict[str, Any]:
    """The settings of a Cell that are numbers, texts or tuples of them."""
    found = {name: getattr(cell, name, None) for name in _ATTRIBUTES}
    return {name: value for name, value in found.items() if isinstance(value, bool | int | float | str | tuple)}


def places_of(root: Any) -> list[Place]:
    """The Cells of a training step in the order in which they were made; a Cell at several places once.

    Cells whose `construct` is compiled (`@jit`) are left out with all that is inside: hooks would be compiled, too.

    Args:
        root: The training step, which has an optimizer inside, or the network alone.
    """
    inside = any(isinstance(cell, OPTIMIZERS) for cell in root.cells())
    scope = "Default" if inside else f"Default/network-{type(root).__name__}"
    return list(_places(root, scope, set(), is_step=inside))


def _places(cell: Any, scope: str, seen: set[int], is_step: bool = False) -> Iterator[Place]:
    if id(cell) in seen or hasattr(cell.construct, "__wrapped_by_jit__"):
        return
    seen.add(id(cell))
    children = {name: one for name, one in cell.name_cells().items() if not isinstance(one, OPTIMIZERS)}
    for name, child in children.items():
        if not (is_step and name in _BESIDE):
            yield from _places(child, f"{scope}/{name}-{type(child).__name__}", seen)
    if not is_step:
        yield Place(cell, scope, not children)


def gradient_name(scope: str, parameter: str) -> str:
    """The full name of the gradient of a Parameter of a Cell.

    Args:
        scope: Of the Cell.
        parameter: The Parameter's name within the Cell.
    """
    return f"Gradients/{scope}/Grad_{parameter}/Gradient-op0"
