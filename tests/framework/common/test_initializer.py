"""Initializers: the statistics that real MindSpore's draws have, and their bounds."""

import json

import numpy as np
import pytest

from framework.common import initializer as init
from framework.common import set_seed
from tests.framework.oracle.cases import DIRECTORY

RECORDING = DIRECTORY / "init/init.json"
CASES = json.loads(RECORDING.read_text())["initializers"] if RECORDING.exists() else []


def made(case: dict) -> np.ndarray:
    """What the initializer of a case draws."""
    kind = case.get("initializer_string") or getattr(init, case["initializer"])(**case["kwargs"])
    return init.initializer(kind, case["shape"]).asnumpy()


@pytest.mark.skipif(not CASES, reason=f"no recording in {DIRECTORY}: set ORACLE_DIR")
@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case.get("initializer", case.get("initializer_string"))))
def test_statistics(case: dict) -> None:
    set_seed(1)
    values = made(case)
    if "values" in case:
        np.testing.assert_array_equal(values, case["values"])
        return
    allowed = 4 * case["std"] / np.sqrt(case["count"])
    assert abs(values.mean() - case["mean"]) <= 2 * allowed + 1e-7
    assert values.std() == pytest.approx(case["std"], rel=0.02, abs=1e-7)
    assert (values == 0).mean() == pytest.approx(case["fraction_zero"], abs=0.01)
    bounded = "niform" in str(case.get("initializer", case.get("initializer_string")))
    if bounded:
        assert values.max() == pytest.approx(case["max"], rel=1e-3)


def test_a_truncated_normal_stays_within_its_bounds() -> None:
    values = init.initializer(init.TruncatedNormal(0.5, 1.0, -2.0, 2.0), (200, 50)).asnumpy()
    assert values.min() >= -2
    assert 1.9 < values.max() <= 2


def test_orthogonal_columns() -> None:
    q = init.initializer(init.Orthogonal(1.5), (60, 40)).asnumpy()
    np.testing.assert_allclose(q.T @ q, 2.25 * np.eye(40), atol=1e-5)


def test_the_seed_repeats_everything() -> None:
    draws = []
    for _ in range(2):
        set_seed(7)
        draws.append(init.initializer("normal", (3, 3)).asnumpy())
    np.testing.assert_array_equal(*draws)


@pytest.mark.parametrize(
    ("kind", "shape", "message"),
    [
        ("gauss", (2, 2), "no initializer 'gauss'"),
        (init.HeNormal(mode="fan_on"), (2, 2), "mode must be one of fan_in"),
        ("he_normal", (2,), "at least two dimensions"),
        (init.Identity(), (2, 2, 2), "Identity fills matrices"),
    ],
)
def test_what_cannot_be(kind: object, shape: tuple[int, ...], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        init.initializer(kind, shape)


def test_tensors_and_numbers_initialize_too() -> None:
    t = init.initializer(3, (2,))
    assert t.tolist() == [3.0, 3.0]
    assert init.initializer(t, (2,)) is t
    with pytest.raises(TypeError, match="not a dict"):
        init.initializer({}, (2,))
