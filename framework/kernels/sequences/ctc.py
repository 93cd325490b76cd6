"""Logarithms of sums over all paths that spell a sequence of labels, for connectionist temporal classification.

Formulas and names are those of Graves et al. 2006, "Connectionist Temporal Classification": a path goes through the
labels with a blank before, between and behind them; alpha sums over how it came to a state, beta over how it goes on.
"""

from __future__ import annotations

from dataclasses import dataclass

from framework.common.device import Array, ArrayModule

__all__ = ["Paths", "by_class", "log_softmax", "paths_of", "without_repetitions"]


def log_softmax(xp: ArrayModule, x: Array) -> Array:
    """Logarithms of the probabilities of classes, which are the last dimension."""
    shifted = x - x.max(axis=-1, keepdims=True)
    return shifted - xp.log(xp.exp(shifted).sum(axis=-1, keepdims=True))


def without_repetitions(xp: ArrayModule, labels: Array, counts: Array) -> tuple[Array, Array]:
    """Sequences (N, S) with equal neighbours merged, and their lengths. In row n, `counts[n]` labels count."""
    kept = xp.arange(labels.shape[1]) < counts[:, None]
    kept[:, 1:] &= labels[:, 1:] != labels[:, :-1]
    order = xp.argsort(~kept, axis=1, kind="stable")
    return xp.take_along_axis(labels, order, axis=1), kept.sum(axis=1)


def by_class(xp: ArrayModule, shares: Array, states: Array, classes: int) -> Array:
    """Sum the shares of states (T, N, U) by their classes (N, U); the result has the shape (T, N, classes)."""
    steps, batch, _ = shares.shape
    rows = xp.arange(steps * batch).reshape(steps, batch, 1) * classes
    sums = xp.bincount((rows + states).ravel(), weights=shares.ravel(), minlength=steps * batch * classes)
    return sums.reshape(steps, batch, classes).astype(shares.dtype)


@dataclass
class Paths:
    """The states of N sequences and how a path may go through them; T steps, U = 2 * labels + 1 states.

    Attributes:
        states: the class of each state, (N, U).
        exists: which states belong to the sequence, (N, U).
        stays: at which states a path may remain, (N, U).
        skips: which states a path may reach from the one before the last, leaving out a blank, (N, U).
        ends: at which states a path may end, (N, U).
        lengths: the steps of each sequence, (N,).

    """

    states: Array
    exists: Array
    stays: Array
    skips: Array
    ends: Array
    lengths: Array

    def emitted(self, xp: ArrayModule, per_class: Array) -> Array:
        """Pick the values of the states (T, N, U) from those of the classes (T, N, C)."""
        return xp.take_along_axis(per_class, xp.broadcast_to(self.states, (len(per_class), *self.states.shape)), axis=2)

    def running(self, xp: ArrayModule, steps: int) -> Array:
        """Whether a step belongs to a sequence, (T, N, 1)."""
        return (xp.arange(steps)[:, None] < self.lengths)[..., None]

    def log_alpha(self, xp: ArrayModule, emitted: Array, slopes: Array | None = None) -> tuple[Array, Array | None]:
        """Logarithms of the sums over paths to each state, its step included; and their derivatives.

        Args:
            xp: the array module.
            emitted: the logarithm of each state's probability, (T, N, U).
            slopes: its derivative in some direction, or None.

        """
        alpha = xp.full_like(emitted, -xp.inf)
        along = None if slopes is None else xp.zeros_like(emitted)
        begins = self.exists & (xp.arange(self.states.shape[1]) < 2)
        alpha[0] = xp.where(begins, emitted[0], -xp.inf)
        if along is not None and slopes is not None:
            along[0] = xp.where(begins, slopes[0], 0)
        for t in range(1, len(emitted)):
            ways, slope = self._merged(xp, alpha[t - 1], None if along is None else along[t - 1], forward=True)
            alpha[t] = ways + emitted[t]
            if along is not None and slopes is not None:
                along[t] = slope + slopes[t]
        return alpha, along

    def log_beta(self, xp: ArrayModule, emitted: Array, slopes: Array | None = None) -> tuple[Array, Array | None]:
        """Logarithms of the sums over paths from each state, without its own step; and their derivatives."""
        beta = xp.full_like(emitted, -xp.inf)
        along = None if slopes is None else xp.zeros_like(emitted)
        end = xp.where(self.ends, 0, -xp.inf).astype(emitted.dtype)
        for t in reversed(range(len(emitted))):
            last = (self.lengths == t + 1)[:, None]
            if t + 1 == len(emitted):
                beta[t] = xp.where(last, end, -xp.inf)
                continue
            following = None if along is None or slopes is None else along[t + 1] + slopes[t + 1]
            ways, slope = self._merged(xp, beta[t + 1] + emitted[t + 1], following, forward=False)
            beta[t] = xp.where(last, end, ways)
            if along is not None:
                along[t] = xp.where(last, 0, slope)
        return beta, along

    def log_likelihood(self, xp: ArrayModule, alpha: Array) -> Array:
        """The logarithm of the sum over all paths, (N,); -inf where there is none."""
        at_end = alpha[self.lengths - 1, xp.arange(len(self.lengths))]
        return _log_sum(xp, xp.where(self.ends, at_end, -xp.inf))

    def occupancy(
        self, xp: ArrayModule, emitted: Array, slopes: Array | None = None
    ) -> tuple[Array, Array | None, Array]:
        """The likelihood of being in each state at each step, given the labels, (T, N, U); and its derivative.

        0 where a sequence has ended, and everywhere if no path spells the labels. Third comes `log_likelihood`.
        """
        alpha, alpha_slope = self.log_alpha(xp, emitted, slopes)
        beta, beta_slope = self.log_beta(xp, emitted, slopes)
        likelihood = self.log_likelihood(xp, alpha)
        total = likelihood[:, None]
        there = self.running(xp, len(emitted)) & xp.isfinite(total)
        shares = xp.where(there, xp.exp(alpha + beta - xp.where(xp.isfinite(total), total, 0)), 0)
        if alpha_slope is None or beta_slope is None:
            return shares, None, likelihood
        slope = alpha_slope + beta_slope
        return shares, shares * (slope - (shares * slope).sum(axis=-1, keepdims=True)), likelihood

    def _merged(
        self, xp: ArrayModule, sums: Array, slopes: Array | None, *, forward: bool
    ) -> tuple[Array, Array | None]:
        """Sums at each state over the states that lead to it, or, backward, over those that it leads to."""
        ways = []
        for distance, open_ in ((0, self.stays), (1, self.exists), (2, self.skips)):
            if forward:
                moved = _moved(xp, sums, distance, -xp.inf)
                ways.append(xp.where(open_, moved, -xp.inf))
            else:
                ways.append(_moved(xp, xp.where(open_, sums, -xp.inf), -distance, -xp.inf))
        total = xp.logaddexp(xp.logaddexp(ways[0], ways[1]), ways[2])
        if slopes is None:
            return total, None
        finite = xp.where(xp.isfinite(total), total, 0)
        slope = sum(
            xp.exp(way - finite) * _moved(xp, slopes, distance if forward else -distance, 0)
            for distance, way in enumerate(ways)
        )
        return total, slope


def paths_of(xp: ArrayModule, labels: Array, counts: Array, lengths: Array, blank: int, merged: bool = True) -> Paths:
    """The paths through sequences of labels.

    Args:
        xp: the array module.
        labels: classes, (N, S), of which the first `counts` of each row count.
        counts: (N,).
        lengths: the steps of each sequence, (N,), at least 1.
        blank: the class for "no label".
        merged: whether a label in neighbouring steps counts once; then equal labels need a blank between them.

    """
    batch, longest = labels.shape
    states = xp.full((batch, 2 * longest + 1), blank, dtype=xp.int64)
    numbers = xp.arange(states.shape[1])
    states[:, 1::2] = xp.where(numbers[:longest] < counts[:, None], labels, blank)
    exists = numbers <= 2 * counts[:, None]
    is_label = exists & (numbers % 2 == 1)
    skips = is_label & (numbers > 1)
    if merged:
        skips[:, 2:] &= states[:, 2:] != states[:, :-2]
    stays = exists if merged else exists & ~is_label
    ends = exists & (numbers >= 2 * counts[:, None] - 1)
    return Paths(states, exists, stays, skips, ends, lengths.astype(xp.int64))


def _moved(xp: ArrayModule, values: Array, distance: int, fill: float) -> Array:
    """Rows (N, U) moved to the right, or with a negative distance to the left."""
    if distance == 0:
        return values
    out = xp.full_like(values, fill)
    if distance > 0:
        out[:, distance:] = values[:, :-distance]
    else:
        out[:, :distance] = values[:, -distance:]
    return out


def _log_sum(xp: ArrayModule, values: Array) -> Array:
    """log(sum(exp)) over the last dimension."""
    most = values.max(axis=-1, keepdims=True)
    most = xp.where(xp.isfinite(most), most, 0)
    total = xp.exp(values - most).sum(axis=-1)
    return xp.where(total > 0, xp.log(xp.where(total > 0, total, 1)) + most[..., 0], -xp.inf)
