"""Rates from the numbers of true and false positives and negatives, for classes given as one-hot vectors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from framework.common.validator import check_bool, check_type
from framework.nn.metrics.metric import Array, Data, Metric, rearrange_inputs

__all__ = ["ConfusionMatrixMetric"]


def _tpr(tp: Array, fp: Array, tn: Array, fn: Array) -> Any:
    return tp / (tp + fn)


def _tnr(tp: Array, fp: Array, tn: Array, fn: Array) -> Any:
    return tn / (tn + fp)


def _ppv(tp: Array, fp: Array, tn: Array, fn: Array) -> Any:
    return tp / (tp + fp)


def _npv(tp: Array, fp: Array, tn: Array, fn: Array) -> Any:
    return tn / (tn + fn)


def _prevalence(*counts: Array) -> Any:
    tpr, tnr = _tpr(*counts), _tnr(*counts)
    return (np.sqrt(tpr * (1 - tnr)) + tnr - 1) / (tpr + tnr - 1)


def _matthews(tp: Array, fp: Array, tn: Array, fn: Array) -> Any:
    return (tp * tn - fp * fn) / np.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))


_FORMULAS: dict[tuple[str, ...], Callable[..., Any]] = {
    ("sensitivity", "recall", "hit_rate", "true_positive_rate", "tpr"): _tpr,
    ("specificity", "selectivity", "true_negative_rate", "tnr"): _tnr,
    ("precision", "positive_predictive_value", "ppv"): _ppv,
    ("negative_predictive_value", "npv"): _npv,
    ("miss_rate", "false_negative_rate", "fnr"): lambda *counts: 1 - _tpr(*counts),
    ("fall_out", "false_positive_rate", "fpr"): lambda *counts: 1 - _tnr(*counts),
    ("false_discovery_rate", "fdr"): lambda *counts: 1 - _ppv(*counts),
    ("false_omission_rate", "for"): lambda *counts: 1 - _npv(*counts),
    ("prevalence_threshold", "pt"): _prevalence,
    ("threat_score", "critical_success_index", "ts", "csi"): lambda tp, fp, tn, fn: tp / (tp + fn + fp),
    ("accuracy", "acc"): lambda tp, fp, tn, fn: (tp + tn) / (tp + fp + tn + fn),
    ("balanced_accuracy", "ba"): lambda *counts: (_tpr(*counts) + _tnr(*counts)) / 2,
    ("f1_score", "f1"): lambda tp, fp, tn, fn: 2 * tp / (2 * tp + fn + fp),
    ("matthews_correlation_coefficient", "mcc"): _matthews,
    ("fowlkes_mallows_index", "fm"): lambda *counts: np.sqrt(_ppv(*counts) * _tpr(*counts)),
    ("informedness", "bookmaker_informedness", "bm"): lambda *counts: _tpr(*counts) + _tnr(*counts) - 1,
    ("markedness", "deltap", "mk"): lambda *counts: _ppv(*counts) + _npv(*counts) - 1,
}
_BY_NAME = {name: formula for names, formula in _FORMULAS.items() for name in names}


class ConfusionMatrixMetric(Metric):
    """A rate from the numbers of true and false positives and negatives.

    Args:
        skip_channel: count all classes; False leaves out the first one if there are several. MindSpore 2.10 computes so
            although its documentation says the opposite, and programs shall find the same numbers here.
        metric_name: "sensitivity", "specificity", "precision", "negative predictive value", "miss rate", "fall out",
            "false discovery rate", "false omission rate", "prevalence threshold", "threat score", "accuracy", "balanced
            accuracy", "f1 score", "matthews correlation coefficient", "fowlkes mallows index", "informedness",
            "markedness", or a synonym of these.
        calculation_method: compute the rate of each sample and class, then for each sample the mean of those that are
            defined, and the mean of these; otherwise sum the counts first.
        decrease: "mean"; MindSpore's other reductions give no single number for several batches.

    Example:
        >>> metric = nn.ConfusionMatrixMetric()
        >>> metric.update(Tensor([[[0], [1]], [[1], [0]]]), Tensor([[[0], [1]], [[0], [1]]]))
        >>> print(metric.eval())
        [0.5]

    """

    def __init__(
        self,
        skip_channel: bool = True,
        metric_name: str = "sensitivity",
        calculation_method: bool = False,
        decrease: str = "mean",
    ) -> None:
        check_bool(skip_channel, "ConfusionMatrixMetric: skip_channel")
        check_bool(calculation_method, "ConfusionMatrixMetric: calculation_method")
        check_type("ConfusionMatrixMetric: metric_name", metric_name, str)
        check_type("ConfusionMatrixMetric: decrease", decrease, str)
        name = metric_name.lower().replace(" ", "_")
        if name not in _BY_NAME:
            raise NotImplementedError(
                f"ConfusionMatrixMetric: there is no rate {metric_name!r}, only {', '.join(_BY_NAME)}"
            )
        if decrease != "mean":
            raise ValueError(f"ConfusionMatrixMetric: decrease must be 'mean', not {decrease!r}")
        self.skip_channel, self.calculation_method = skip_channel, calculation_method
        self._formula = _BY_NAME[name]
        self.clear()

    def clear(self) -> None:
        """Reset the metric."""
        self._counts = np.zeros(4)
        self._rates: list[Array] = []
        self._updated = False

    @rearrange_inputs
    def update(self, *inputs: Data) -> None:
        """Add predictions and labels (N, C, ...) of 0 and 1."""
        predicted, labels = self._inputs(inputs, 2, "predictions and labels")
        if predicted.shape != labels.shape or predicted.ndim < 2:
            raise ValueError(
                f"ConfusionMatrixMetric: predictions {predicted.shape} and labels {labels.shape} must be (N, C, ...)"
            )
        if ((labels != 0) & (labels != 1)).any():
            raise ValueError("ConfusionMatrixMetric: labels must be 0 or 1")
        if not self.skip_channel and predicted.shape[1] > 1:
            predicted, labels = predicted[:, 1:], labels[:, 1:]
        positive = predicted.reshape(*predicted.shape[:2], -1) != 0
        true = labels.reshape(*labels.shape[:2], -1) != 0
        counts = np.stack([(positive & true), (positive & ~true), (~positive & ~true), (~positive & true)]).sum(axis=-1)
        self._counts += counts.sum(axis=(1, 2))
        self._rates.append(self._rate(counts.astype(np.float64)))
        self._updated = True

    def _rate(self, counts: Array) -> Array:
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(self._formula(*counts))

    def eval(self) -> Any:
        """The rate, as an array of one element; nan where it is undefined.

        Raises:
            RuntimeError: no batch was added.
        """
        if not self._updated:
            raise self._nothing()
        if not self.calculation_method:
            return self._rate(self._counts[:, None])
        means = [row[~np.isnan(row)].mean() for rates in self._rates for row in rates if not np.isnan(row).all()]
        return float(np.mean(means)) if means else float("nan")
