"""Transforms that combine others: all in turn, with a probability, one of them, or in random order."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Self

import numpy as np

from framework.dataset.ir.to_json import operation_json
from framework.dataset.transforms.operation import TensorOperation, operation_from_json

__all__ = ["Compose", "RandomApply", "RandomChoice", "RandomOrder"]

Random = np.random.Generator


class _Chain(TensorOperation):
    """Base class of transforms that combine others."""

    takes_all = True
    random = True

    def __init__(self, transforms: Sequence[Callable[..., Any]], **parameters: Any) -> None:
        self.transforms = list(transforms)
        if not self.transforms:
            raise ValueError(f"{type(self).__name__}: give at least one transform")
        for item in self.transforms:
            if not callable(item):
                raise TypeError(f"{type(self).__name__}: a transform must be callable, not {item!r}")
        super().__init__(transforms=[operation_json(item) for item in self.transforms], **parameters)

    @classmethod
    def from_json(cls, parameters: Mapping[str, Any]) -> Self:
        """Create the chain from its parameters in JSON."""
        given = dict(parameters)
        return cls([operation_from_json(item) for item in given.pop("transforms")], **given)

    def run(self, item: Callable[..., Any], rng: Random | None, values: tuple[Any, ...]) -> tuple[Any, ...]:
        """The values after one of the transforms."""
        if not isinstance(item, TensorOperation):
            out = item(*values)
        elif item.takes_all:
            out = item.apply(rng, *values)
        else:
            out = tuple(item.apply(rng, value) for value in values)
        return out if isinstance(out, tuple) else (out,)

    @staticmethod
    def result(values: tuple[Any, ...]) -> Any:
        """One value as it is, several as a tuple."""
        return values[0] if len(values) == 1 else values

    @staticmethod
    def stream(rng: Random | None) -> Random:
        """The random numbers, which a pipeline always passes."""
        assert rng is not None  # noqa: S101 - random is True
        return rng


class Compose(_Chain):
    """Applies transforms one after the other.

    Args:
        transforms: transforms or functions.
    """

    def __init__(self, transforms: Sequence[Callable[..., Any]]) -> None:
        super().__init__(transforms)

    def apply(self, rng: Random | None, *values: Any) -> Any:
        """Transform the values that the first transform takes."""
        for item in self.transforms:
            values = self.run(item, rng, values)
        return self.result(values)


class RandomApply(_Chain):
    """Applies transforms one after the other, or none of them.

    Args:
        transforms: transforms or functions.
        prob: probability that they are applied.
    """

    def __init__(self, transforms: Sequence[Callable[..., Any]], prob: float = 0.5) -> None:
        if not 0 <= prob <= 1:
            raise ValueError(f"RandomApply: prob must lie between 0 and 1, not {prob}")
        super().__init__(transforms, prob=float(prob))
        self.prob = prob

    def apply(self, rng: Random | None, *values: Any) -> Any:
        """Transform the values that the first transform takes."""
        if self.stream(rng).random() < self.prob:
            for item in self.transforms:
                values = self.run(item, rng, values)
        return self.result(values)


class RandomChoice(_Chain):
    """Applies one of several transforms, chosen at random.

    Args:
        transforms: transforms or functions.
    """

    def __init__(self, transforms: Sequence[Callable[..., Any]]) -> None:
        super().__init__(transforms)

    def apply(self, rng: Random | None, *values: Any) -> Any:
        """Transform the values that each transform takes."""
        place = int(self.stream(rng).integers(len(self.transforms)))
        return self.result(self.run(self.transforms[place], rng, values))


class RandomOrder(_Chain):
    """Applies transforms one after the other, in random order.

    Args:
        transforms: transforms or functions.
    """

    def __init__(self, transforms: Sequence[Callable[..., Any]]) -> None:
        super().__init__(transforms)

    def apply(self, rng: Random | None, *values: Any) -> Any:
        """Transform the values that each transform takes."""
        for place in self.stream(rng).permutation(len(self.transforms)):
            values = self.run(self.transforms[place], rng, values)
        return self.result(values)
