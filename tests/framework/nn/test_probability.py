"""Distributions against scipy, and bijectors against their own inverses and slopes, in both modes."""

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from scipy import integrate, stats

import framework as ms
from framework import Tensor, nn, ops
from framework.nn.probability import bijector as msb
from framework.nn.probability import distribution as msd

pytestmark = pytest.mark.filterwarnings("ignore:(divide by zero|invalid value) encountered:RuntimeWarning")

REAL = np.array([-1.3, 0.2, 2.4], np.float32)
COUNTS = np.array([-1.0, 0.0, 1.0, 3.0], np.float32)
PART = np.array([0.1, 0.5, 0.8], np.float32)
WHOLE = ("mean", "var", "sd")

#: The distribution, scipy's, values, and the functions that are compared.
CASES: list[tuple[str, Callable[[], Any], Any, np.ndarray, tuple[str, ...]]] = [
    ("normal", lambda: msd.Normal(1.0, 2.0), stats.norm(1, 2), REAL, (*WHOLE, "entropy", "cdf")),
    ("laplace", lambda: msd.Laplace(1.0, 2.0), stats.laplace(1, 2), REAL, ()),
    ("half normal", lambda: msd.HalfNormal(0.0, 2.0), stats.halfnorm(0, 2), REAL, ()),
    ("student", lambda: msd.StudentT(3.0, 1.0, 2.0), stats.t(3, 1, 2), REAL, ()),
    ("logistic", lambda: msd.Logistic(1.0, 2.0), stats.logistic(1, 2), REAL, (*WHOLE, "entropy", "cdf")),
    ("cauchy", lambda: msd.Cauchy(1.0, 2.0), stats.cauchy(1, 2), REAL, ("entropy", "cdf")),
    ("gumbel", lambda: msd.Gumbel(1.0, 2.0), stats.gumbel_r(1, 2), REAL, (*WHOLE, "entropy", "cdf")),
    ("exponential", lambda: msd.Exponential(0.5), stats.expon(scale=2), REAL, (*WHOLE, "entropy", "cdf")),
    ("gamma", lambda: msd.Gamma([3.0], [2.0]), stats.gamma(3, scale=0.5), REAL[1:], (*WHOLE, "entropy", "cdf")),
    ("beta", lambda: msd.Beta([2.0], [3.0]), stats.beta(2, 3), PART, (*WHOLE, "entropy")),
    ("uniform", lambda: msd.Uniform(-1.0, 2.0), stats.uniform(-1, 3), REAL, (*WHOLE, "entropy", "cdf")),
    ("log-normal", lambda: msd.LogNormal(0.5, 0.6), stats.lognorm(0.6, scale=math.exp(0.5)), REAL[1:],
     (*WHOLE, "entropy", "cdf")),
    ("transformed", lambda: msd.TransformedDistribution(msb.ScalarAffine(2.0, 1.0), msd.Logistic(0.0, 1.0)),
     stats.logistic(1, 2), REAL, ("mean", "cdf")),
    ("bernoulli", lambda: msd.Bernoulli(0.3), stats.bernoulli(0.3), COUNTS[1:3], (*WHOLE, "entropy", "cdf")),
    ("geometric", lambda: msd.Geometric(0.3), stats.geom(0.3, loc=-1), COUNTS, (*WHOLE, "entropy", "cdf")),
    ("poisson", lambda: msd.Poisson([2.5]), stats.poisson(2.5), COUNTS, (*WHOLE, "cdf")),
]  # fmt: skip

OF_SCIPY = {"sd": "std"}
#: Those whose functions and divergences are compiled, too.
COMPILED = ("gumbel", "gamma", "transformed", "bernoulli", "student", "Gamma", "Normal", "Gumbel")


def in_modes(cases: list[Any], name: Callable[[Any], str]) -> list[Any]:
    """Each case in PyNative mode, and those whose names are in `COMPILED` in graph mode too."""
    plain = [pytest.param(case, ms.PYNATIVE_MODE, id=f"{name(case)}-pynative") for case in cases]
    compiled = [pytest.param(case, ms.GRAPH_MODE, id=f"{name(case)}-graph") for case in cases if name(case) in COMPILED]
    return plain + compiled


@pytest.fixture(params=[ms.PYNATIVE_MODE, ms.GRAPH_MODE], ids=["pynative", "graph"], autouse=True)
def mode(request: pytest.FixtureRequest) -> Iterator[int]:
    before = ms.get_context("mode")
    ms.set_context(mode=request.param)
    yield request.param
    ms.set_context(mode=before)


class Asked(nn.Cell):
    """All functions of a distribution at once."""

    def __init__(self, distribution: Any, names: tuple[str, ...]) -> None:
        super().__init__()
        self.distribution, self.names = distribution, names

    def construct(self, value: Tensor) -> Any:
        given = self.distribution
        found = [given.prob(value), given.log_prob(value)]
        for name in self.names:
            if name == "cdf":
                found += [given.cdf(value), given.log_cdf(value)]
                found += [given.survival_function(value), given("log_survival", value)]
            else:
                found.append(given(name))
        return tuple(found)


@pytest.mark.parametrize(("case", "mode"), in_modes(CASES, lambda case: case[0]), indirect=["mode"])
def test_functions_are_scipys(case: tuple[str, Callable[[], Any], Any, np.ndarray, tuple[str, ...]], mode: int) -> None:
    _, make, theirs, values, names = case
    density = theirs.pdf if hasattr(theirs.dist, "pdf") else theirs.pmf
    with np.errstate(divide="ignore"):
        wanted = [density(values), np.log(density(values))]
        for asked in names:
            if asked == "cdf":
                wanted += [theirs.cdf(values), theirs.logcdf(values), theirs.sf(values), theirs.logsf(values)]
            else:
                wanted.append(getattr(theirs, OF_SCIPY.get(asked, asked))())
    for ours, number in zip(Asked(make(), names)(Tensor(values)), wanted, strict=True):
        np.testing.assert_allclose(np.squeeze(ours.asnumpy()), np.asarray(number, np.float32), rtol=2e-5, atol=2e-6)


def divergence(a: Any, b: Any, low: float, high: float) -> float:
    """The Kullback-Leibler divergence of scipy's distributions, by integration."""
    value, _ = integrate.quad(lambda x: a.pdf(x) * (a.logpdf(x) - b.logpdf(x)), low, high)
    return float(value)


DIVERGENCES: list[tuple[Any, str, tuple[Any, ...], float]] = [
    (lambda: msd.Normal(1.0, 2.0), "Normal", (0.0, 1.5), divergence(stats.norm(1, 2), stats.norm(0, 1.5), -15, 15)),
    (lambda: msd.Cauchy(1.0, 2.0), "Cauchy", (0.0, 1.5), math.log((3.5**2 + 1) / (4 * 2 * 1.5))),
    (lambda: msd.Gumbel(1.0, 2.0), "Gumbel", (0.0, 1.5),
     divergence(stats.gumbel_r(1, 2), stats.gumbel_r(0, 1.5), -15, 50)),
    (lambda: msd.Exponential(2.0), "Exponential", (0.5,),
     divergence(stats.expon(scale=0.5), stats.expon(scale=2), 0, 20)),
    (lambda: msd.Gamma([3.0], [2.0]), "Gamma", ([2.0], [1.5]),
     divergence(stats.gamma(3, scale=0.5), stats.gamma(2, scale=1 / 1.5), 0, 25)),
    (lambda: msd.Beta([2.0], [3.0]), "Beta", ([1.5], [2.5]), divergence(stats.beta(2, 3), stats.beta(1.5, 2.5), 0, 1)),
    (lambda: msd.Uniform(0.0, 1.0), "Uniform", (-1.0, 3.0), math.log(4)),
    (lambda: msd.LogNormal(1.0, 2.0), "LogNormal", (0.0, 1.5),
     divergence(stats.norm(1, 2), stats.norm(0, 1.5), -15, 15)),
    (lambda: msd.Bernoulli(0.3), "Bernoulli", (0.6,), 0.3 * math.log(0.5) + 0.7 * math.log(0.7 / 0.4)),
    (lambda: msd.Geometric(0.3), "Geometric", (0.6,), math.log(0.5) + 0.7 / 0.3 * math.log(0.7 / 0.4)),
    (lambda: msd.Categorical([0.2, 0.8]), "Categorical", ([0.5, 0.5],), 0.2 * math.log(0.4) + 0.8 * math.log(1.6)),
]  # fmt: skip


class Divergence(nn.Cell):
    """The divergence, and what cross entropy adds to it."""

    def __init__(self, distribution: Any, kind: str) -> None:
        super().__init__()
        self.distribution, self.kind = distribution, kind

    def construct(self, *parameters: Tensor) -> Any:
        kl = self.distribution.kl_loss(self.kind, *parameters)
        return kl, self.distribution.cross_entropy(self.kind, *parameters) - kl


@pytest.mark.parametrize(("case", "mode"), in_modes(DIVERGENCES, lambda case: case[1]), indirect=["mode"])
def test_divergences(case: tuple[Any, str, tuple[Any, ...], float], mode: int) -> None:
    make, kind, parameters, wanted = case
    kl, entropy = Divergence(make(), kind)(*[Tensor(item, ms.float32) for item in parameters])
    np.testing.assert_allclose(kl.asnumpy(), wanted, rtol=1e-4)
    np.testing.assert_allclose(entropy.asnumpy(), make().entropy().asnumpy(), atol=2e-5)
    if kind == "Normal":
        with pytest.raises(ValueError, match="dist must be 'Normal', not 'Gumbel'"):
            Divergence(make(), "Gumbel")(*[Tensor(item) for item in parameters])


def test_categories() -> None:
    probs = np.array([[0.2, 0.5, 0.3], [0.1, 0.1, 0.8]], np.float32)
    found = Asked(msd.Categorical(probs), ("cdf", "mean", "var", "mode", "entropy"))(Tensor([-1.0, 2.0]))
    prob, log_prob, cdf, *_, mean, var, mode, entropy = [item.asnumpy() for item in found]
    np.testing.assert_allclose(prob, [math.nan, 0.8], rtol=1e-6)
    np.testing.assert_allclose(log_prob, np.log(prob), rtol=1e-6)
    np.testing.assert_allclose(cdf, [0, 1], rtol=1e-6)
    np.testing.assert_allclose(mean, [[1.1], [1.7]], rtol=1e-6)
    np.testing.assert_allclose(var, [[0.49], [0.41]], rtol=1e-5)
    np.testing.assert_array_equal(mode, [1, 2])
    np.testing.assert_allclose(entropy, stats.entropy(probs, axis=1), rtol=1e-6)
    drawn = msd.Categorical(probs, seed=3).sample((2000,)).asnumpy()
    assert drawn.shape == (2000, 2)
    np.testing.assert_allclose(drawn.mean(0), [1.1, 1.7], atol=0.06)


SAMPLED: list[Callable[[], Any]] = [
    lambda: msd.Normal(1.0, 2.0, seed=5), lambda: msd.Logistic(1.0, 2.0, seed=5), lambda: msd.Gumbel(1.0, 2.0, seed=5),
    lambda: msd.Exponential(0.5, seed=5), lambda: msd.Gamma([3.0], [2.0], seed=5),
    lambda: msd.Beta([2.0], [3.0], seed=5),
    lambda: msd.Uniform(-1.0, 2.0, seed=5), lambda: msd.LogNormal(0.5, 0.4, seed=5), lambda: msd.Bernoulli(0.3, seed=5),
    lambda: msd.Geometric(0.3, seed=5), lambda: msd.Poisson([2.5], seed=5),
]  # fmt: skip


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE], indirect=True)
@pytest.mark.parametrize("make", SAMPLED, ids=lambda make: type(make()).__name__)
def test_samples_have_the_mean_and_the_deviation(make: Callable[[], Any], mode: int) -> None:
    distribution = make()
    drawn = distribution.sample((20000,)).asnumpy().astype(np.float64)
    mean, deviation = float(distribution.mean().asnumpy().squeeze()), float(distribution.sd().asnumpy().squeeze())
    assert drawn.mean() == pytest.approx(mean, abs=5 * deviation / math.sqrt(20000))
    assert drawn.std() == pytest.approx(deviation, rel=0.05)


class Given(nn.Cell):
    """Parameters from the constructor, by position and by name, and one that is trained."""

    def __init__(self) -> None:
        super().__init__()
        self.location = ms.Parameter(Tensor(1.0), name="location")
        self.trained, self.free = msd.Normal(self.location, 2.0), msd.Normal()

    def construct(self, x: Tensor, mean: Tensor, sd: Tensor) -> Any:
        known = self.free.get_dist_args(mean, sd)
        return (
            self.trained.log_prob(x).sum(), self.trained.prob(x, sd=sd), self.free.prob(x, mean, sd),
            self.free("prob", x, *known), self.trained.sample((3,), mean, sd),
        )  # fmt: skip


def test_parameters_come_from_the_constructor_or_the_call() -> None:
    cell, x = Given(), Tensor([0.5, 2.0])
    mean, sd = Tensor([2.0], ms.float32), Tensor([[1.0], [3.0]])
    _, with_sd, first, second, drawn = cell(x, mean, sd)
    np.testing.assert_allclose(with_sd.asnumpy(), stats.norm(1, [[1], [3]]).pdf([0.5, 2]), rtol=1e-5)
    np.testing.assert_allclose(first.asnumpy(), stats.norm(2, [[1], [3]]).pdf([0.5, 2]), rtol=1e-5)
    np.testing.assert_array_equal(first.asnumpy(), second.asnumpy())
    assert drawn.shape == (3, 2, 1)
    slope = ms.grad(lambda x: cell(x, mean, sd)[0], None, cell.location)(x)
    assert float(slope) == pytest.approx((-0.5 + 1.0) / 4)


REFUSED: list[tuple[Callable[[], Any], type[Exception], str]] = [
    (lambda: msd.Normal(0.0, -1.0), ValueError, "standard deviation must be greater than zero"),
    (lambda: msd.Normal([1.0, 2.0], [1.0, 2.0, 3.0]), ValueError, "do not broadcast"),
    (lambda: msd.Normal(0.0, 1.0, dtype=ms.int32), TypeError, "dtype"),
    (lambda: msd.Gamma(1.0, 2.0), TypeError, "must be a list, an array or a tensor"),
    (lambda: msd.Categorical([0.2, 0.3]), ValueError, "must have the sum one"),
    (lambda: msd.Bernoulli(1.5), ValueError, "less than one"),
    (lambda: msd.Cauchy(0.0, 1.0).mean(), ValueError, "undefined"),
    (lambda: msd.Laplace(0.0, 1.0).sample((2,)), NotImplementedError, "sample is not implemented"),
    (lambda: msd.Normal().prob(Tensor(1.0)), TypeError, "mean must be given"),
    (lambda: msd.Normal(0.0, 1.0).prob(1.0), TypeError, "value must be a Tensor"),
    (lambda: msd.Normal(0.0, 1.0).prob(Tensor(1.0), scale=Tensor(1.0)), TypeError, "no parameter 'scale'"),
    (lambda: msd.TransformedDistribution(msb.Exp(), msd.Normal(0.0, 1.0)).mean(), ValueError, "no formula"),
    (lambda: msb.Exp().forward(Tensor([1])), TypeError, "floating-point type"),
    (lambda: msb.GumbelCDF(0.0, -1.0), ValueError, "scale must be greater than zero"),
]  # fmt: skip


@pytest.mark.parametrize("case", REFUSED, ids=lambda case: case[2])
def test_what_is_refused(case: tuple[Callable[[], Any], type[Exception], str]) -> None:
    call, kind, message = case
    with pytest.raises(kind, match=message):
        call()


BIJECTORS: list[tuple[Callable[[], msb.Bijector], Callable[[np.ndarray], np.ndarray]]] = [
    (lambda: msb.Exp(), np.exp),
    (lambda: msb.PowerTransform(0.5), lambda x: (1 + x / 2) ** 2),
    (lambda: msb.ScalarAffine(-2.0, 3.0), lambda x: 3 - 2 * x),
    (lambda: msb.Softplus(2.0), lambda x: np.log1p(np.exp(2 * x)) / 2),
    (lambda: msb.GumbelCDF(0.5, 2.0), lambda x: np.exp(-np.exp(-(x - 0.5) / 2))),
    (lambda: msb.Invert(msb.Exp()), np.log),
]


class Transformed(nn.Cell):
    """All functions of a bijector."""

    def __init__(self, bijector: msb.Bijector) -> None:
        super().__init__()
        self.bijector = bijector

    def construct(self, x: Tensor) -> Any:
        y = self.bijector("forward", x)
        inverse = self.bijector.inverse(y)
        return y, inverse, self.bijector.forward_log_jacobian(x), self.bijector.inverse_log_jacobian(y)


@pytest.mark.parametrize("case", BIJECTORS, ids=lambda case: case[0]().name)
def test_bijectors(case: tuple[Callable[[], msb.Bijector], Callable[[np.ndarray], np.ndarray]]) -> None:
    make, formula = case
    x = np.array([0.2, 0.7, 1.5])
    y, back, slope, slope_back = [item.asnumpy() for item in Transformed(make())(Tensor(x))]
    np.testing.assert_allclose(y, formula(x), rtol=1e-6)
    np.testing.assert_allclose(back, x, rtol=1e-6)
    np.testing.assert_allclose(slope + 0 * x, np.log(np.abs(formula(x + 1e-6) - formula(x - 1e-6)) / 2e-6), atol=1e-6)
    np.testing.assert_allclose(slope_back, -slope, atol=1e-6)


def test_a_bijector_makes_a_distribution(mode: int) -> None:
    made = msb.Exp()(msd.Normal(0.5, 0.6))
    wanted = stats.lognorm(0.6, scale=math.exp(0.5)).logpdf([0.5, 2.0])
    np.testing.assert_allclose(made.log_prob(Tensor([0.5, 2.0])).asnumpy(), wanted, rtol=1e-5)
    assert ops.shape(made.sample((4,))) == (4,)
