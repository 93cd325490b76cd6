"""Functions whose parameters matter in known ways, and sweeps of runs over them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mindinsight.lineage.importance.columns import Column, category_column, number_column

Floats = npt.NDArray[np.float64]

PARAMETERS = 8
TRUTH_RUNS = 100_000
KNOWN_RUNS = 400_000
NOISE = 0.1
"""Share of the target's variance."""


@dataclass(frozen=True)
class Function:
    """A function of parameters that lie evenly in -1 to 1.

    Attributes:
        what: for people.
        value: of (runs, PARAMETERS).
        matters: whether any parameter does.
        told: makes a column of a parameter's name and values, where it is not the numbers themselves.
    """

    what: str
    value: Callable[[Floats], Floats]
    matters: bool = True
    told: Callable[[str, Floats], Column] = number_column


def _friedman(x: Floats) -> Floats:
    """Friedman, Multivariate adaptive regression splines, Annals of Statistics 19, 1991."""
    u = (x + 1) / 2
    return 10 * np.sin(np.pi * u[:, 0] * u[:, 1]) + 20 * (u[:, 2] - 0.5) ** 2 + 10 * u[:, 3] + 5 * u[:, 4]


_OPTIMIZERS = ("Adam", "Momentum", "RMSProp", "SGD")


def _sweep(x: Floats) -> Floats:
    """A learning rate with a best value, which one of four optimizers shifts, and a momentum that not all have."""
    optimizer = np.floor((x[:, 1] + 1) * 2)
    missing = x[:, 2] < -0.6
    return -2 * (x[:, 0] - 0.3) ** 2 + 1.0 * (optimizer == 2) + np.where(missing, -0.6, 0.2 * x[:, 2])


def _noted(name: str, values: Floats) -> Column:
    match name:
        case "p0":
            return number_column(name, 10 ** (2 * values - 3))
        case "p1":
            return category_column(name, np.floor((values + 1) * 2).astype(np.int32), _OPTIMIZERS)
        case "p2":
            return number_column(name, np.where(values < -0.6, np.nan, values))
    return number_column(name, values)


FUNCTIONS = {
    "additive": Function("three straight effects, 4 : 2 : 1", lambda x: 4 * x[:, 0] + 2 * x[:, 1] + x[:, 2]),
    "sign": Function("a pure interaction, sign(a) b", lambda x: np.sign(x[:, 0]) * x[:, 1]),
    "xor": Function("a pure interaction, a XOR b", lambda x: ((x[:, 0] > 0) ^ (x[:, 1] > 0)).astype(float)),
    "valley": Function("a valley that Pearson's r misses, a² + 0.3 b", lambda x: x[:, 0] ** 2 + 0.3 * x[:, 1]),
    "friedman": Function("Friedman's function, of five", _friedman),
    "sweep": Function("log scale, categories and missing values", _sweep, told=_noted),
    "nothing": Function("noise alone", lambda x: np.zeros(len(x)), matters=False),
}


def known_shares(name: str) -> dict[str, float]:
    """Returns what share of the noisy target's variance goes with each parameter, alone or together with others.

    Sobol's total indices by Jansen's estimator: half the mean square of what drawing a parameter anew changes (Jansen,
    Analysis of variance designs for model output, Computer Physics Communications 117, 1999). Of the function itself:
    no forest, and no noise but its variance, is in it.
    """
    function, rng = FUNCTIONS[name], np.random.default_rng(2_000_000)
    x = rng.uniform(-1, 1, (KNOWN_RUNS, PARAMETERS))
    plain = function.value(x)
    variance = float(plain.var()) / (1 - NOISE) or 1.0
    shares = {}
    for place in range(PARAMETERS):
        other = x.copy()
        other[:, place] = rng.uniform(-1, 1, KNOWN_RUNS)
        shares[f"p{place}"] = float(np.mean((plain - function.value(other)) ** 2)) / (2 * variance)
    return shares


def made(name: str, runs: int, seed: int) -> tuple[list[Column], Floats]:
    """Returns what runs of a function note: parameters, and the target."""
    function, rng = FUNCTIONS[name], np.random.default_rng(seed)
    x = rng.uniform(-1, 1, (runs, PARAMETERS))
    plain = function.value(x)
    noise = float(plain.std() or 1.0) * np.sqrt(NOISE / (1 - NOISE)) * rng.normal(size=runs)
    return [function.told(f"p{place}", x[:, place]) for place in range(PARAMETERS)], plain + noise
