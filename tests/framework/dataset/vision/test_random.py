"""Random transforms draw from the distributions that they promise: 1,000 draws each, with a fixed seed.

A test fails at a probability of 1e-4, so one of the suite's fails by chance once in hundreds of changes of the seed.
"""

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from PIL import Image
from scipy import stats

import framework.dataset as ds
from framework.dataset import vision as V  # noqa: N812

DRAWS, LEVEL = 1000, 1e-4
#: A pixel tells its place: column, row, and what is covered or outside is 0.
PLACES = np.dstack([*np.meshgrid(np.arange(1, 41), np.arange(1, 31)), np.full((30, 40), 9)]).astype(np.uint8)
GRAY = np.full((8, 8, 3), 100, np.uint8)
Draw = Callable[[Any, np.random.Generator], Any]


def drawn(transform: Any, see: Callable[[Any], Any], image: Any, *others: Any) -> list[Any]:
    """What 1,000 results look like."""
    rng = np.random.default_rng(17)
    return [see(transform.apply(rng, image, *others)) for _ in range(DRAWS)]


def is_uniform(values: Any, low: float, high: float) -> None:
    assert stats.kstest(values, stats.uniform(low, high - low).cdf).pvalue > LEVEL


def are_as_frequent(values: Any, expected: dict[Any, float]) -> None:
    counts = Counter(values)
    assert set(counts) <= set(expected)
    seen = [counts[key] for key in expected]
    assert stats.chisquare(seen, np.array(list(expected.values())) * DRAWS).pvalue > LEVEL


BY_CHANCE = [
    (V.RandomHorizontalFlip, V.HorizontalFlip()),
    (V.RandomVerticalFlip, V.VerticalFlip()),
    (V.RandomInvert, V.Invert()),
    (V.RandomEqualize, V.Equalize()),
    (lambda prob: V.RandomAutoContrast(prob=prob), V.AutoContrast()),
    (lambda prob: V.RandomAdjustSharpness(0.0, prob), V.AdjustSharpness(0.0)),
]


@pytest.mark.parametrize(("random", "plain"), BY_CHANCE)
@pytest.mark.parametrize("prob", [0.2, 0.7])
def test_chances(random: Any, plain: Any, prob: float) -> None:
    image = np.random.default_rng(0).integers(20, 200, size=(9, 8, 3)).astype(np.uint8)
    wanted = plain(image)
    seen = drawn(random(prob), lambda made: bool((made == wanted).all()), image)
    are_as_frequent(seen, {True: prob, False: 1 - prob})


def test_chances_of_pillow_images() -> None:
    color = Image.fromarray(PLACES)
    gray = drawn(V.RandomGrayscale(0.3), lambda made: made is not color, color)
    are_as_frequent(gray, {True: 0.3, False: 0.7})
    moved = drawn(V.RandomPerspective(0.5, 0.6), lambda made: made is not color, color)
    are_as_frequent(moved, {True: 0.6, False: 0.4})


def test_crops_lie_everywhere() -> None:
    seen = drawn(V.RandomCrop((28, 37)), lambda made: (int(made[0, 0, 0]), int(made[0, 0, 1])), PLACES)
    are_as_frequent(seen, {(column, row): 1 / 12 for column in range(1, 5) for row in range(1, 4)})


def test_sizes_and_shapes_of_crops() -> None:
    transform = V.RandomResizedCrop(8, (0.1, 0.3), (0.8, 1.25))
    rng = np.random.default_rng(4)
    parts = np.array([transform.part(rng, 1000, 1000) for _ in range(DRAWS)])
    is_uniform(parts[:, 2] * parts[:, 3] / 1e6, 0.1, 0.3)
    is_uniform(np.log(parts[:, 3] / parts[:, 2]), np.log(0.8), np.log(1.25))
    is_uniform(parts[:, 0] / (1000 - parts[:, 2]), 0, 1)


@pytest.mark.parametrize(
    ("transform", "factor"),
    [
        (V.RandomColorAdjust(brightness=(0.5, 1.5)), lambda made: made[0, 0, 0] / 100),
        (V.RandomColor((0.2, 1.8)), None),
        (V.RandomSharpness((0.2, 1.8)), None),
    ],
)
def test_factors_are_uniform(transform: Any, factor: Any) -> None:
    if factor is not None:
        is_uniform(drawn(transform, factor, GRAY), 0.495, 1.505)
        return
    # The distance from what factor 0 gives is linear in the factor.
    image = np.zeros((9, 9, 3), np.float32)
    image[4, 4] = (200, 100, 0)
    pixel = image.astype(np.uint8)
    none = type(transform)((0.0, 0.0))(pixel)[4, 4, 0].astype(float)
    seen = (np.array(drawn(transform, lambda made: made[4, 4, 0], pixel)) - none) / (200.0 - none)
    inside = seen[seen < (255 - none) / (200 - none)]
    is_uniform(inside, 0.2 - 0.02, max(inside) + 0.02)


def test_bits_and_thresholds() -> None:
    ramp = np.arange(256, dtype=np.uint8).reshape(16, 16)
    bits = drawn(V.RandomPosterize((2, 5)), lambda made: round(np.log2(len(np.unique(made)))), ramp)
    are_as_frequent(bits, dict.fromkeys((2, 3, 4, 5), 1 / 4))

    def ends(made: Any) -> tuple[int, int]:
        places = np.flatnonzero(made.ravel() != ramp.ravel())
        return int(places[0]), int(places[-1])

    pairs = np.array(drawn(V.RandomSolarize((10, 240)), ends, ramp))
    # The larger of two uniform numbers has the square as its distribution.
    assert stats.kstest(pairs[:, 1], lambda x: np.clip((x - 10 + 1) / 231, 0, 1) ** 2).pvalue > LEVEL


def test_light_is_normal() -> None:
    rng_values = np.array(drawn(V.RandomLighting(0.5), lambda made: made[0, 0].astype(float) - 100, GRAY))
    deviation = 0.5 * np.sqrt((55.46 * 0.5675) ** 2 + (4.794 * 0.7192) ** 2 + (1.148 * 0.4009) ** 2)
    noisy = rng_values[:, 0] + np.random.default_rng(1).uniform(-0.5, 0.5, DRAWS)
    assert stats.kstest(noisy, stats.norm(0, np.hypot(deviation, 0.3)).cdf).pvalue > LEVEL


def test_angles_and_shifts() -> None:
    point = np.zeros((81, 81), np.float32)
    point[40, 70] = 1

    def angle(made: Any) -> float:
        rows, columns = np.nonzero(made == made.max())
        return float(np.degrees(np.arctan2(40 - rows[0], columns[0] - 40)))

    turned = drawn(V.RandomRotation((-60, 60), V.Inter.LINEAR), angle, point)
    is_uniform(np.array(turned) + np.random.default_rng(0).uniform(-1, 1, DRAWS), -60, 60)
    turned = drawn(V.RandomAffine((-60, 60), resample=V.Inter.LINEAR), lambda made: -angle(made), point)
    is_uniform(np.array(turned) + np.random.default_rng(0).uniform(-1, 1, DRAWS), -60, 60)
    shift = V.RandomAffine(0, (-0.25, 0.25, 0.0, 0.0))
    middle = np.zeros((41, 401), np.uint8)
    middle[:, 200] = 1
    moved = drawn(shift, lambda made: (int(np.flatnonzero(made[20])[0]) - 200) / 401, middle)
    is_uniform(moved, -0.25, 0.25)


def test_erased_parts() -> None:
    white = np.ones((3, 200, 200), np.float32)

    def part(made: Any) -> tuple[float, float]:
        gone = made[0] == 0
        height, width = gone.any(1).sum(), gone.any(0).sum()
        return float(gone.mean()), float(height / width)

    seen = np.array(drawn(V.RandomErasing(1.0, (0.05, 0.2), (0.5, 2.0)), part, white))
    is_uniform(seen[:, 0], 0.05, 0.2)
    is_uniform(seen[:, 1], 0.5, 2.0)


def test_squares_are_cut_out_around_every_place() -> None:
    white = np.full((6, 300, 3), 1, np.uint8)
    gone = drawn(V.CutOut(6), lambda made: np.flatnonzero(made.min((0, 2)) == 0), white)
    starts = [int(columns[0]) for columns in gone if len(columns) == 6]
    is_uniform(np.array(starts) + np.random.default_rng(0).uniform(0, 1, len(starts)), 0, 295)


def test_interpolations_are_drawn_equally() -> None:
    image = np.random.default_rng(0).integers(256, size=(20, 30, 3)).astype(np.uint8)
    kinds = [V.Inter.LINEAR, V.Inter.NEAREST, V.Inter.CUBIC, V.Inter.AREA]
    known = {V.Resize((7, 9), kind)(image).tobytes(): kind for kind in kinds}
    seen = drawn(V.RandomResize((7, 9)), lambda made: known[made.tobytes()], image)
    are_as_frequent(seen, dict.fromkeys(kinds, 1 / 4))


def test_subpolicies_and_choices() -> None:
    policy: Any = [[(V.Invert(), 1.0)], [(V.Posterize(1), 0.5)]]
    values = drawn(V.RandomSelectSubpolicy(policy), lambda made: int(made[0, 0, 0]), GRAY)
    are_as_frequent(values, {155: 0.5, 0: 0.25, 100: 0.25})
    shifts = [lambda x, by=by: x + by for by in (1, 2, 4)]
    values = drawn(V.UniformAugment(shifts, 2), lambda made: int(made[0, 0, 0]) - 100, GRAY)
    pairs = {0: 1 / 4, 1: 1 / 6, 2: 1 / 6, 4: 1 / 6, 3: 1 / 12, 5: 1 / 12, 6: 1 / 12}
    are_as_frequent(values, pairs)


def test_shares_of_mixed_batches() -> None:
    images, labels = np.zeros((2, 3, 3, 1), np.float32), np.eye(2)
    images[0] = 1
    alpha = 0.7
    shares = drawn(V.MixUp(2, alpha), lambda made: float(made[1][0, 0]), images, labels)
    assert stats.kstest(shares, stats.beta(alpha, alpha).cdf).pvalue > LEVEL
    mixed = drawn(V.MixUpBatch(alpha), lambda made: float(made[1][0, 0]), images, labels)
    other = [share for share in mixed if share != 1.0]
    assert stats.kstest(other, stats.beta(alpha, alpha).cdf).pvalue > LEVEL
    assert abs(len(other) / DRAWS - 0.5) < 0.07
    cut = drawn(V.CutMixBatch(V.ImageBatchFormat.NHWC, prob=0.4), lambda made: bool(made[1][0, 0] < 1), images, labels)
    assert 0.1 < np.mean(cut) < 0.3


def test_draws_belong_to_rows_and_not_to_calls() -> None:
    data = ds.NumpySlicesDataset({"x": np.repeat(PLACES[None], 6, 0)}, shuffle=False)
    ds.config.set_seed(3)
    try:
        mapped = data.map([V.RandomCrop(5), V.RandomRotation(20), V.RandomColorAdjust(0.5, 0.5, 0.5, 0.3)], "x")
        first = [row["x"] for row in mapped.create_dict_iterator(1, output_numpy=True)]
        again = [row["x"] for row in mapped.create_dict_iterator(1, output_numpy=True)]
    finally:
        ds.config.set_seed(5489)
    np.testing.assert_array_equal(first, again)
    assert len({row.tobytes() for row in first}) == 6
