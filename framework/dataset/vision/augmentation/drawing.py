"""Transforms that draw from given transforms of images."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Self

import numpy as np

from framework.dataset.ir.to_json import operation_json
from framework.dataset.transforms.checks import check_interval, check_positive, check_type
from framework.dataset.transforms.operation import TensorOperation, operation_from_json

__all__ = ["RandomSelectSubpolicy", "UniformAugment"]

Random = np.random.Generator
Transform = Callable[..., Any]


def _applied(transform: Transform, rng: Random, value: Any) -> Any:
    return transform.apply(rng, value) if isinstance(transform, TensorOperation) else transform(value)


class UniformAugment(TensorOperation):
    """Draws several different transforms, and applies each with a probability of one half (LingChen et al. 2020).

    Args:
        transforms: transforms or functions of images.
        num_ops: number that is drawn.
    """

    random = True

    def __init__(self, transforms: Sequence[Transform], num_ops: int = 2) -> None:
        check_type(num_ops, (int,), "num_ops")
        check_positive(num_ops, "num_ops")
        check_type(transforms, (list, tuple), "transforms list")
        if not transforms:
            raise ValueError("transforms list can not be empty.")
        if num_ops > len(transforms):
            raise ValueError("num_ops is greater than transforms list size.")
        for number, item in enumerate(transforms):
            if not callable(item):
                raise TypeError(f"transforms[{number}] is neither a transform nor a callable pyfunc.")
        self.transforms, self.num_ops = list(transforms), num_ops
        super().__init__(transforms=[operation_json(item) for item in transforms], num_ops=num_ops)

    @classmethod
    def from_json(cls, parameters: Mapping[str, Any]) -> Self:
        """Create the transform from its parameters in JSON."""
        return cls([operation_from_json(item) for item in parameters["transforms"]], parameters["num_ops"])

    def apply(self, rng: np.random.Generator | None, *values: Any) -> Any:
        """Transform a value that the transforms take."""
        assert rng is not None  # noqa: S101 - random is True
        value = values[0]
        for place in rng.choice(len(self.transforms), self.num_ops, replace=False):
            if rng.random() < 0.5:
                value = _applied(self.transforms[place], rng, value)
        return value


class RandomSelectSubpolicy(TensorOperation):
    """Selects one of several lists of transforms, and applies each of its transforms with its probability.

    Args:
        policy: lists of pairs of a transform and a probability from 0 to 1.
    """

    random = True

    def __init__(self, policy: Sequence[Sequence[tuple[Transform, float]]]) -> None:
        check_type(policy, (list, tuple), "policy")
        if not policy:
            raise ValueError("policy can not be empty.")
        for place, subpolicy in enumerate(policy):
            check_type(subpolicy, (list, tuple), f"policy[{place}]")
            if not subpolicy:
                raise ValueError(f"policy[{place}] can not be empty.")
            for number, pair in enumerate(subpolicy):
                if not isinstance(pair, tuple | list) or len(pair) != 2:
                    raise ValueError(f"Value policy[{place}][{number}] needs to be a 2-tuple.")
                if not callable(pair[0]):
                    raise TypeError(
                        f"op of (op, prob) in policy[{place}][{number}] is neither a transform nor a callable pyfunc."
                    )
                check_interval(pair[1], (0, 1), f"prob of (op, prob) policy[{place}][{number}]")
        self.policy = [[(item, float(prob)) for item, prob in subpolicy] for subpolicy in policy]
        super().__init__(
            policy=[
                [{"tensor_op": operation_json(item), "prob": prob} for item, prob in subpolicy]
                for subpolicy in self.policy
            ]
        )

    @classmethod
    def from_json(cls, parameters: Mapping[str, Any]) -> Self:
        """Create the transform from its parameters in JSON."""
        return cls(
            [
                [(operation_from_json(item["tensor_op"]), item["prob"]) for item in subpolicy]
                for subpolicy in parameters["policy"]
            ]
        )

    def apply(self, rng: np.random.Generator | None, *values: Any) -> Any:
        """Transform a value that the transforms take."""
        assert rng is not None  # noqa: S101 - random is True
        value = values[0]
        for item, prob in self.policy[int(rng.integers(len(self.policy)))]:
            if rng.random() < prob:
                value = _applied(item, rng, value)
        return value
