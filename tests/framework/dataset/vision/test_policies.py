"""Policies of augmentation: every change, magnitudes from weak to strong, and the numbers of the papers."""

from typing import Any

import cv2
import numpy as np
import pytest

from framework.dataset import vision as V  # noqa: N812
from framework.dataset.vision.augmentation.found_policies import POLICIES
from framework.dataset.vision.augmentation.policies import Widths, strengths

IMAGE = cv2.resize(
    np.random.default_rng(0).integers(256, size=(6, 6, 3)).astype(np.uint8), (48, 48), interpolation=cv2.INTER_CUBIC
)
POLICY_TRANSFORMS = [
    V.AutoAugment(),
    V.AutoAugment(V.AutoAugmentPolicy.CIFAR10, V.Inter.BILINEAR, 3),
    V.AutoAugment(V.AutoAugmentPolicy.SVHN, fill_value=(1, 2, 3)),
    V.RandAugment(3, 20, 25, V.Inter.BICUBIC),
    V.TrivialAugmentWide(11, V.Inter.BILINEAR, 9),
]


@pytest.mark.parametrize("transform", POLICY_TRANSFORMS)
def test_images_keep_their_form_and_change(transform: Any) -> None:
    rng = np.random.default_rng(1)
    made = [transform.apply(rng, IMAGE) for _ in range(60)]
    assert {(one.shape, one.dtype.name) for one in made} == {((48, 48, 3), "uint8")}
    assert len({one.tobytes() for one in made}) > 15
    again = type(transform).from_json(transform.to_json()["tensor_op_params"])
    assert again == transform
    np.testing.assert_array_equal(
        again.apply(np.random.default_rng(2), IMAGE), transform.apply(np.random.default_rng(2), IMAGE)
    )
    with pytest.raises(RuntimeError, match="must be UInt8"):
        transform.change(IMAGE.astype(np.float32), "Equalize", 0)


def test_the_tables_are_of_known_changes() -> None:
    known = strengths(10, Widths(0.3, 150, 150, 30, 0.9, 4))
    for name, pairs in POLICIES.items():
        assert len(pairs) == 25, name
        for change, prob, magnitude in (change for pair in pairs for change in pair):
            assert 0 <= prob <= 1
            assert (known[change].values is None) == (magnitude is None)
            assert magnitude is None or 0 <= magnitude < 10


def test_magnitudes_mean_what_the_papers_say() -> None:
    known = strengths(31, Widths(0.3, 150 / 331 * 100, 20, 30, 0.9, 4))
    assert known["Rotate"].values == pytest.approx(list(range(31)))
    assert known["Posterize"].values is not None
    assert (known["Posterize"].values[0], known["Posterize"].values[30]) == (8, 4)
    assert known["Solarize"].values is not None
    assert (known["Solarize"].values[0], known["Solarize"].values[30]) == (255, 0)
    assert known["TranslateX"].values is not None
    assert known["TranslateX"].values[30] == pytest.approx(45.3, abs=0.1)


@pytest.mark.parametrize("name", list(strengths(2, Widths(0, 0, 0, 0, 0, 4))))
def test_each_change(name: str) -> None:
    policy = V.TrivialAugmentWide()
    strong = {"ShearX": 0.5, "ShearY": 0.5, "TranslateX": 10, "TranslateY": 10, "Rotate": 90, "Posterize": 2}
    made = policy.change(IMAGE, name, strong.get(name, 0.8))
    assert made.shape == IMAGE.shape
    assert not np.array_equal(made, IMAGE)
    if name == "TranslateX":
        np.testing.assert_array_equal(made[:, 10:], IMAGE[:, :-10])
    if name == "TranslateY":
        np.testing.assert_array_equal(made[10:], IMAGE[:-10])
    if name == "Rotate":
        np.testing.assert_array_equal(made, np.rot90(IMAGE, -1))
    if name == "Brightness":
        np.testing.assert_array_equal(made, V.AdjustBrightness(1.8)(IMAGE))


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: V.RandAugment(magnitude=31), r"magnitude is not within the required interval of \[0, 31\)"),
        (lambda: V.TrivialAugmentWide(1), "num_magnitude_bins is not within"),
        (lambda: V.AutoAugment("imagenet"), "Argument policy with value imagenet is not of type"),  # type: ignore[arg-type]
        (lambda: V.AutoAugment(interpolation=V.Inter.PILCUBIC), "interpolation must be"),
        (lambda: V.UniformAugment([]), "can not be empty"),
        (lambda: V.UniformAugment([V.Invert()], 2), "num_ops is greater than transforms list size"),
        (lambda: V.RandomSelectSubpolicy([]), "policy can not be empty"),
        (lambda: V.RandomSelectSubpolicy([[]]), r"policy\[0\] can not be empty"),
        (lambda: V.RandomSelectSubpolicy([[(1, 0.5)]]), "is neither a transform nor"),  # type: ignore[list-item]
    ],
)
def test_wrong_arguments(make: Any, says: str) -> None:
    with pytest.raises((ValueError, TypeError), match=says):
        make()


def test_choices_come_back_from_json() -> None:
    transform = V.UniformAugment([V.Invert(), V.Posterize(2), V.Resize(4)], 2)
    assert V.UniformAugment.from_json(transform.to_json()["tensor_op_params"]) == transform
