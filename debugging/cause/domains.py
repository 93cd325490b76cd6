"""Why an operator makes numbers that are not finite from finite ones: rules about the domains of operators.

A rule reads the inputs of an operator and returns a reason, for which the page has a sentence.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from debugging.tensors.statistics import Statistics, statistics_of

__all__ = ["MASKED", "Reason", "reason_of"]


@dataclass(frozen=True)
class Reason:
    """What happened at an operator.

    Attributes:
        verdict: Key of a sentence of the page.
        place: Index of the input that causes it.
        statistic: The statistic of that input that shows it: "abs_min", "abs_max" or "min".
        facts: Numbers in the sentence.
        advice: Keys of things to try.
    """

    verdict: str
    place: int
    statistic: str
    facts: dict[str, str] = field(default_factory=dict)
    advice: tuple[str, ...] = ()


Rule = Callable[[Sequence[Statistics], Sequence[Any]], Reason | None]
_STABLE: Final = ("add_epsilon", "clip_values")


def _log(inputs: Sequence[Statistics], _: Sequence[Any]) -> Reason | None:
    found = inputs[0]
    if found.zeros:
        facts = {"zeros": str(found.zeros), "count": str(found.count)}
        return Reason("log_of_zero", 0, "abs_min", facts, ("log_softmax", "add_epsilon", "lower_learning_rate"))
    if found.negative:
        facts = {"negative": str(found.negative), "count": str(found.count), "min": f"{found.min:.4g}"}
        return Reason("log_of_negative", 0, "min", facts, ("clip_values", "add_epsilon"))
    return None


def _divided(place: int) -> Rule:
    def rule(inputs: Sequence[Statistics], _: Sequence[Any]) -> Reason | None:
        found = inputs[place]
        if found.zeros:
            facts = {"zeros": str(found.zeros), "count": str(found.count)}
            return Reason("division_by_zero", place, "abs_min", facts, _STABLE)
        return None

    return rule


def _root(inputs: Sequence[Statistics], _: Sequence[Any]) -> Reason | None:
    found = inputs[0]
    if found.negative:
        facts = {"negative": str(found.negative), "count": str(found.count), "min": f"{found.min:.4g}"}
        return Reason("root_of_negative", 0, "min", facts, _STABLE)
    return None


def _inverse_root(inputs: Sequence[Statistics], arrays: Sequence[Any]) -> Reason | None:
    return _root(inputs, arrays) or _divided(0)(inputs, arrays)


def _exponential(inputs: Sequence[Statistics], _: Sequence[Any]) -> Reason | None:
    found = inputs[0]
    return Reason("exp_overflow", 0, "abs_max", {"max": f"{found.max:.4g}"}, ("clip_values", "lower_learning_rate"))


def _power(inputs: Sequence[Statistics], arrays: Sequence[Any]) -> Reason | None:
    exponents = np.asarray(arrays[1]) if len(arrays) > 1 else np.empty(0)
    has_parts, has_negative = bool((exponents % 1 != 0).any()), bool((exponents < 0).any())
    if (inputs[0].negative and has_parts) or (inputs[0].zeros and has_negative):
        facts = {"zeros": str(inputs[0].zeros), "negative": str(inputs[0].negative), "count": str(inputs[0].count)}
        return Reason("power_outside_domain", 0, "min", facts, _STABLE)
    return None


def _masked(inputs: Sequence[Statistics], arrays: Sequence[Any]) -> Reason | None:
    """A mask of minus infinity that hides whole rows: nothing is left to be divided by."""
    found, scores = inputs[0], np.asarray(arrays[0])
    if not scores.ndim or found.nans or found.pos_infs or not found.neg_infs:
        return None
    # The axis is the operator's; a row of any axis tells.
    rows = next((many for axis in range(-1, -scores.ndim - 1, -1) if (many := _hidden(scores, axis))), None)
    if rows is None:
        return None
    return Reason("masked_row", 0, "min", {"rows": str(rows[0]), "count": str(rows[1])}, ("check_data",))


def _hidden(scores: Any, axis: int) -> tuple[int, int] | None:
    """How many rows along an axis have only minus infinity, of how many; None if none has."""
    rows = np.isneginf(scores).all(axis=axis)
    return (int(rows.sum()), int(rows.size)) if rows.any() else None


def _labels(inputs: Sequence[Statistics], arrays: Sequence[Any]) -> Reason | None:
    """A mean over labels of which none counts, as all are outside of the classes: the ignored one, such as -100."""
    if len(arrays) < 2:
        return None
    scores, labels = np.asarray(arrays[0]), np.asarray(arrays[1])
    if labels.dtype.kind not in "iu" or not scores.ndim:
        return None
    classes = scores.shape[min(1, scores.ndim - 1)]
    if ((labels >= 0) & (labels < classes)).any():
        return None
    return Reason("no_label", 1, "min", {"count": str(labels.size)}, ("check_data",))


def _inverse(inputs: Sequence[Statistics], _: Sequence[Any]) -> Reason | None:
    found = inputs[0]
    facts = {"min": f"{found.min:.4g}", "max": f"{found.max:.4g}"}
    return Reason("outside_domain", 0, "abs_max", facts, ("clip_values",))


_RULES: Final[dict[str, Rule]] = {
    **dict.fromkeys(("Log", "Log2", "Log10"), _log),
    **dict.fromkeys(("Div", "RealDiv", "TrueDivide", "FloorDiv", "Mod", "FloorMod", "DivNoNan"), _divided(1)),
    **dict.fromkeys(("Reciprocal", "Inv"), _divided(0)),
    "Sqrt": _root,
    "Rsqrt": _inverse_root,
    **dict.fromkeys(("Exp", "Expm1", "Sinh", "Cosh"), _exponential),
    "Pow": _power,
    "NLLLoss": _labels,
    **dict.fromkeys(("Log1p", "Acos", "ACos", "Asin", "Atanh", "Acosh", "Erfinv", "Lgamma"), _inverse),
}
#: Operators for which a mask of minus infinity is usual.
MASKED: Final = frozenset({"Softmax", "LogSoftmax"})
_HALF_MOST: Final = 65504.0


def reason_of(kind: str, inputs: Sequence[Any], outputs: Sequence[Any]) -> Reason:
    """Why an operator made numbers that are not finite from finite tensors.

    Args:
        kind: Name of the operator.
        inputs: Its arrays and numbers; one that is not finite is a constant of the program.
        outputs: Its outputs.
    """
    known = [statistics_of(array) for array in inputs]
    if kind in MASKED and known and (masked := _masked(known, inputs)) is not None:
        return masked
    constant = next((place for place, item in enumerate(known) if not item.is_finite), None)
    if constant is not None:
        bad = known[constant].count - known[constant].finite
        facts = {"bad": str(bad), "count": str(known[constant].count)}
        return Reason("not_finite_constant", constant, "min", facts, ("clip_values",))
    rule = _RULES.get(kind)
    found = rule(known, inputs) if rule is not None and known else None
    if found is not None:
        return found
    return _too_large([item.abs_max if item.finite else 0.0 for item in known], outputs)


def _too_large(sizes: Sequence[float], outputs: Sequence[Any]) -> Reason:
    """The reason if there is no rule for the operator: the largest input, and whether the output's type is narrow."""
    place = int(np.argmax(sizes)) if sizes else 0
    facts = {"abs_max": f"{sizes[place]:.4g}"} if sizes else {}
    types = {str(array.dtype) for array in outputs}
    if "float16" in types:
        return Reason(
            "float16_overflow", place, "abs_max", {**facts, "most": f"{_HALF_MOST:.0f}"},
            ("float32_here", "loss_scale", "clip_values"),
        )  # fmt: skip
    overflowed = any(bool(np.isinf(array).any()) for array in outputs if array.dtype.kind in "fV")
    verdict = "overflow" if overflowed or any(size > 1e18 for size in sizes) else "unknown"
    return Reason(verdict, place, "abs_max", facts, ("lower_learning_rate", "clip_gradients", "check_data"))
