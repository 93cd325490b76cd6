"""The tensors among the arguments and the results of ATen operators."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import torch

from mindinsight.torch.operators import Known
from mindinsight.torch.private import is_fake

__all__ = ["is_plain", "sort_arguments", "tensors_at", "values_in"]


def tensors_at(
    places: Iterable[int], known: Known, args: tuple[Any, ...], named: Mapping[str, Any]
) -> list[torch.Tensor]:
    """The tensors among the arguments at some places."""
    given = [args[place] if place < len(args) else named.get(known.arguments[place]) for place in places]
    lists = [item if isinstance(item, list | tuple) else [item] for item in given]
    return [tensor for tensors in lists for tensor in tensors if isinstance(tensor, torch.Tensor)]


def is_plain(item: Any) -> bool:
    """Whether it is a tensor with elements in strides."""
    return isinstance(item, torch.Tensor) and item.layout is torch.strided and not is_fake(item)


def sort_arguments(
    given: Iterable[tuple[str, Any]],
    value: Callable[[torch.Tensor], Any],
    inputs: list[Any],
    attributes: dict[str, Any],
) -> None:
    """Sort arguments into inputs, whose tensors become values, and attributes: those that are no tensors, by name."""
    for name, item in given:
        if isinstance(item, torch.Tensor):
            inputs.append(value(item))
        elif isinstance(item, list | tuple):
            has_tensor = False
            for leaf in item:
                if isinstance(leaf, torch.Tensor):
                    has_tensor = True
                    inputs.append(value(leaf))
                else:
                    inputs.append(leaf)
            if not has_tensor:
                attributes[name] = item
        else:
            inputs.append(item)
            if item is not None:
                attributes[name] = item


def values_in(items: Iterable[Any], value: Callable[[torch.Tensor], Any]) -> Iterator[Any]:
    """The values of the tensors in results of an operator: these are lists of tensors at most."""
    for item in items:
        if isinstance(item, torch.Tensor):
            yield value(item)
        elif isinstance(item, list | tuple):
            yield from values_in(item, value)
