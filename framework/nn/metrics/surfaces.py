"""Distances between the surfaces of two segmentations: Hausdorff and mean distances."""

from __future__ import annotations

import numpy as np

from framework.common.validator import check_bool, check_type
from framework.nn.metrics.metric import Array, Data, Metric, rearrange_inputs

__all__ = ["HausdorffDistance", "MeanSurfaceDistance", "RootMeanSquareDistance"]


class _SurfaceDistance(Metric):
    """Base class of surface distances. It keeps the surfaces of the last prediction and label."""

    def __init__(self, distance_metric: str) -> None:
        check_type(f"{type(self).__name__}: distance_metric", distance_metric, str)
        if distance_metric not in ("euclidean", "chessboard", "taxicab"):
            raise ValueError(
                f"{type(self).__name__}: distance_metric must be 'euclidean', 'chessboard' or 'taxicab',"
                f" not {distance_metric!r}"
            )
        self.distance_metric = distance_metric
        self.clear()

    def clear(self) -> None:
        """Reset the metric."""
        self._surfaces: tuple[Array, Array] | None = None

    @rearrange_inputs
    def update(self, *inputs: Data) -> None:
        """Set a prediction and a label of one shape, and the class whose surface is measured."""
        if len(inputs) != 3:
            raise ValueError(
                f"{type(self).__name__}: update takes prediction, label and class, not {len(inputs)} inputs"
            )
        predicted, label = (self._convert_data(item) for item in inputs[:2])
        if predicted.size == 0 or predicted.shape != label.shape:
            raise ValueError(
                f"{type(self).__name__}: prediction {predicted.shape} and label {label.shape} must have the same shape"
            )
        self._surfaces = _surface(predicted == inputs[2]), _surface(label == inputs[2])

    def _both(self) -> tuple[Array, Array]:
        if self._surfaces is None:
            raise self._nothing()
        return self._surfaces

    def _distances(self, places: Array, others: Array) -> Array:
        """The distance from each point to the nearest of the others."""
        if not len(places):
            return np.zeros(0)
        if not len(others):
            return np.full(len(places), np.inf)
        return np.concatenate([self._nearest(part, others) for part in np.array_split(places, len(places) // 64 + 1)])

    def _nearest(self, places: Array, others: Array) -> Array:
        apart = np.abs(places[:, None, :] - others[None, :, :])
        if self.distance_metric == "euclidean":
            return np.asarray(np.sqrt(np.square(apart).sum(axis=-1).min(axis=1)))
        far = apart.max(axis=-1) if self.distance_metric == "chessboard" else apart.sum(axis=-1)
        return np.asarray(far.min(axis=1), np.float64)


def _surface(mask: Array) -> Array:
    """The points of a mask with a neighbour outside of the mask or of the array."""
    padded = np.pad(mask, 1)
    inner = mask.copy()
    for axis in range(mask.ndim):
        for shift in (-1, 1):
            moved = np.roll(padded, shift, axis)
            inner &= moved[(slice(1, -1),) * mask.ndim]
    return np.argwhere(mask & ~inner)


class HausdorffDistance(_SurfaceDistance):
    """The Hausdorff distance: the largest distance from a point of one surface to the other surface.

    Args:
        distance_metric: "euclidean", "chessboard" (the largest difference of coordinates) or "taxicab" (their sum).
        percentile: percentile of the distances in place of the largest; None for the largest.
        directed: measure from prediction to label only; otherwise the larger distance of both directions.
        crop: accepted for compatibility; has no effect.

    Example:
        >>> metric = nn.HausdorffDistance()
        >>> metric.update(Tensor([[1, 0, 0], [0, 0, 0]]), Tensor([[0, 0, 1], [0, 0, 0]]), 1)
        >>> print(metric.eval())
        2.0

    """

    def __init__(
        self,
        distance_metric: str = "euclidean",
        percentile: float | None = None,
        directed: bool = False,
        crop: bool = True,
    ) -> None:
        super().__init__(distance_metric)
        check_type("HausdorffDistance: percentile", percentile, (float, type(None)))
        check_type("HausdorffDistance: directed", directed, (bool, type(None)))
        check_type("HausdorffDistance: crop", crop, (bool, type(None)))
        if percentile is not None and not 0 <= percentile <= 100:
            raise ValueError(f"HausdorffDistance: percentile must lie between 0 and 100, not {percentile}")
        self.percentile, self.directed, self.crop = percentile, directed, crop

    def eval(self) -> float:
        """The distance; infinite if one surface is empty.

        Raises:
            RuntimeError: no prediction was added.

        """
        predicted, label = self._both()
        forward = self._farthest(predicted, label)
        return forward if self.directed else max(forward, self._farthest(label, predicted))

    def _farthest(self, places: Array, others: Array) -> float:
        distances = self._distances(places, others)
        if not len(distances):
            return float("inf")
        return float(distances.max() if self.percentile is None else np.percentile(distances, self.percentile))


class _MeanDistance(_SurfaceDistance):
    def __init__(self, symmetric: bool = False, distance_metric: str = "euclidean") -> None:
        super().__init__(distance_metric)
        check_bool(symmetric, f"{type(self).__name__}: symmetric")
        self.symmetric = symmetric

    def eval(self) -> float:
        """The mean; infinite if the label's surface is empty, 0 if the prediction's is.

        Raises:
            RuntimeError: no prediction was added.

        """
        predicted, label = self._both()
        forward = self._mean(self._distances(predicted, label))
        return (forward + self._mean(self._distances(label, predicted))) / 2 if self.symmetric else forward

    def _mean(self, distances: Array) -> float:
        return float(distances.mean()) if len(distances) else 0.0


class MeanSurfaceDistance(_MeanDistance):
    """The mean distance from the points of the prediction's surface to the label's surface.

    Args:
        symmetric: average both directions.
        distance_metric: "euclidean", "chessboard" or "taxicab".

    Example:
        >>> metric = nn.MeanSurfaceDistance()
        >>> metric.update(Tensor([[1, 0, 0], [0, 0, 0]]), Tensor([[0, 0, 1], [0, 0, 0]]), 1)
        >>> print(metric.eval())
        2.0

    """


class RootMeanSquareDistance(_MeanDistance):
    """The mean squared distance from the points of the prediction's surface to the label's surface.

    MindSpore takes no root in spite of the name, and neither does this.

    Args:
        symmetric: average both directions.
        distance_metric: "euclidean", "chessboard" or "taxicab".

    Example:
        >>> metric = nn.RootMeanSquareDistance()
        >>> metric.update(Tensor([[1, 0, 0], [0, 0, 0]]), Tensor([[0, 0, 1], [0, 0, 0]]), 1)
        >>> print(metric.eval())
        4.0

    """

    def _mean(self, distances: Array) -> float:
        return super()._mean(np.square(distances))
