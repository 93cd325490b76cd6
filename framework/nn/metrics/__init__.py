"""Metrics, public as `ms.nn.Accuracy` and so on. `Model` creates them by name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from framework.nn.metrics.bleu import BleuScore
from framework.nn.metrics.classes import (
    F1,
    Accuracy,
    Fbeta,
    Precision,
    Recall,
    Top1CategoricalAccuracy,
    Top5CategoricalAccuracy,
    TopKCategoricalAccuracy,
)
from framework.nn.metrics.curves import ROC, ConfusionMatrix, CosineSimilarity, auc
from framework.nn.metrics.means import MAE, MSE, Dice, Loss, Perplexity
from framework.nn.metrics.metric import EvaluationBase, Metric, rearrange_inputs
from framework.nn.metrics.rates import ConfusionMatrixMetric
from framework.nn.metrics.surfaces import HausdorffDistance, MeanSurfaceDistance, RootMeanSquareDistance

__all__ = [
    "F1",
    "MAE",
    "MSE",
    "ROC",
    "Accuracy",
    "BleuScore",
    "ConfusionMatrix",
    "ConfusionMatrixMetric",
    "CosineSimilarity",
    "Dice",
    "EvaluationBase",
    "Fbeta",
    "HausdorffDistance",
    "Loss",
    "MeanSurfaceDistance",
    "Metric",
    "Perplexity",
    "Precision",
    "Recall",
    "RootMeanSquareDistance",
    "Top1CategoricalAccuracy",
    "Top5CategoricalAccuracy",
    "TopKCategoricalAccuracy",
    "auc",
    "get_metric_fn",
    "get_metrics",
    "names",
    "rearrange_inputs",
]

_BY_NAME: dict[str, Callable[..., Any]] = {
    "F1": F1,
    "acc": Accuracy,
    "accuracy": Accuracy,
    "auc": auc,
    "bleu_score": BleuScore,
    "confusion_matrix": ConfusionMatrix,
    "confusion_matrix_metric": ConfusionMatrixMetric,
    "cosine_similarity": CosineSimilarity,
    "dice": Dice,
    "hausdorff_distance": HausdorffDistance,
    "loss": Loss,
    "mae": MAE,
    "mean_surface_distance": MeanSurfaceDistance,
    "mse": MSE,
    "perplexity": Perplexity,
    "precision": Precision,
    "recall": Recall,
    "roc_curve": ROC,
    "root_mean_square_distance": RootMeanSquareDistance,
    "top_1_accuracy": Top1CategoricalAccuracy,
    "top_5_accuracy": Top5CategoricalAccuracy,
    "topk": TopKCategoricalAccuracy,
}


def names() -> list[str]:
    """The names that `get_metric_fn` accepts."""
    return sorted(_BY_NAME)


def get_metric_fn(name: str, *args: Any, **kwargs: Any) -> Any:
    """Create a metric by its name.

    Args:
        name: name of the metric.
        args: arguments of the metric.
        kwargs: arguments of the metric by name.

    Returns:
        The metric.

    Raises:
        KeyError: there is no metric of this name.
    """
    if name not in _BY_NAME:
        raise KeyError(f"there is no metric {name!r}, only {', '.join(names())}")
    return _BY_NAME[name](*args, **kwargs)


def get_metrics(metrics: Mapping[str, Metric] | Iterable[str] | None) -> dict[str, Metric]:
    """The metrics of `Model` by name.

    Args:
        metrics: names of metrics, or a dictionary of metrics; None for none.

    Returns:
        A dictionary of metrics by name.

    Raises:
        TypeError: a value is not a metric.
    """
    if metrics is None:
        return {}
    if isinstance(metrics, Mapping):
        for name, metric in metrics.items():
            if not isinstance(name, str) or not isinstance(metric, Metric):
                raise TypeError(f"metrics: {name!r} must be a metric, not {metric!r}")
        return dict(metrics)
    return {name: get_metric_fn(name) for name in metrics}
