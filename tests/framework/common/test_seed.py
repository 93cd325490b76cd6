"""One seed for all randomness."""

import numpy as np
import pytest

from framework import get_seed, set_seed
from framework.ops import operations as P  # noqa: N812


def test_the_same_seed_gives_the_same_numbers() -> None:
    runs = []
    for _ in range(2):
        set_seed(3)
        normal = P.StandardNormal()
        runs.append((normal((4,)).asnumpy(), normal((4,)).asnumpy(), P.UniformReal()((2,)).asnumpy()))
    for first, second in zip(*runs, strict=True):
        np.testing.assert_array_equal(first, second)
    assert not np.array_equal(runs[0][0], runs[0][1])
    assert get_seed() == 3


def test_an_operators_own_seed_starts_anew_each_time() -> None:
    drop = P.StandardNormal(5)
    np.testing.assert_array_equal(drop((3,)).asnumpy(), drop((3,)).asnumpy())


@pytest.mark.parametrize("seed", [-1, 1.5, True])
def test_what_is_no_seed(seed: object) -> None:
    with pytest.raises(ValueError, match="an integer of at least 0"):
        set_seed(seed)


def test_dropout_keeps_its_share() -> None:
    set_seed(0)
    out, mask = P.Dropout(0.7)(P.Ones()((200, 500), float))
    assert mask.asnumpy().mean() == pytest.approx(0.7, abs=0.01)
    assert out.asnumpy().mean() == pytest.approx(1, abs=0.01)
    assert set(np.unique(out.asnumpy())) == {0.0, np.float32(1 / np.float32(0.7))}
