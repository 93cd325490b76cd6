"""Every recorded call of MindSpore 2.10's operations gives the same numbers here, or the same error."""

import functools
import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import framework as ms
from framework.dataset import text, vision
from framework.dataset import transforms as tr

DATA = Path(os.environ.get("MINDINSIGHT_TEST_DATA", Path(__file__).parents[4] / "shared/data"))
CASES = Path(os.environ.get("CASES_MINDDATA", DATA / "minddata"))
VOCAB = ["[PAD]", "welcome", "to", "be", "##i", "##jing", "北", "京", "[UNK]", "don", "'", "t", "stop"]
NAMES = {
    "v": vision,
    "tr": tr,
    "text": text,
    "ms": ms,
    "np": np,
    "arange": np.arange,
    **{name: getattr(vision, name) for name in ("Inter", "Border", "ConvertMode", "SliceMode", "ImageBatchFormat")},
    **{name: getattr(text, name) for name in ("NormalizeForm", "JiebaMode", "SPieceTokenizerOutType")},
    "vocab": text.Vocab.from_list(VOCAB),
}
#: Inputs that the recording's arrays lack: texts.
TEXTS = {
    "sents": "Welcome to Beijing 北京欢迎您 don't STOP",
    "tokens": ["welcome", "to", "nowhere", "stop"],
    "nums": ["1", "-20", "300"],
    "text": "no image",
}
#: What differs on purpose, with the reason; docs/data.md says it, too.
DIFFERENT = {
    "v.NormalizePad(": "MindSpore 2.10 writes three channels next to each other into the memory of four",
    "tr.OneHot(4, 0.1)@ints": "MindSpore 2.10 marks the class of the last label only",
    "tr.TypeCast('int99')": "the message names our type of types",
    "v.Decode()@broken": "nothing is dumped into the working directory, and the message says what is wrong",
}
#: Levels by which a pixel may differ: MindSpore's OpenCV 4.5 rounds this interpolation otherwise.
LEVELS = {"Inter.CUBIC": 1}


@functools.cache
def cases() -> dict[str, Any]:
    """By the text of the call what it gave; empty where there is no recording."""
    path = CASES / "ops.json"
    return json.loads(path.read_text()) if path.exists() else {}


@functools.cache
def arrays() -> dict[str, Any]:
    """The inputs and the outputs."""
    with np.load(CASES / "ops.npz") as file:
        return dict(file)


def called(case: dict[str, Any]) -> tuple[Any, ...]:
    """What the call gives here."""
    inputs = [
        np.array(TEXTS[name]) if f"in/{name}" not in arrays() else arrays()[f"in/{name}"].copy()
        for name in case["inputs"]
    ]
    made = eval(case["call"], dict(NAMES))  # noqa: S307 - a recording of our own
    out = made(*inputs) if inputs else made
    return out if isinstance(out, tuple) else (out,)


def compare(key: str, made: Any, wanted: Any) -> None:
    """Fail unless a result is the recorded one."""
    made = np.asarray(made)
    assert made.shape == wanted.shape
    assert made.dtype.kind == "U" if wanted.dtype.kind == "U" else made.dtype == wanted.dtype
    if wanted.dtype.kind == "f":
        np.testing.assert_allclose(made, wanted, rtol=1e-5, atol=1e-5)
        return
    levels = next((level for name, level in LEVELS.items() if name in key and wanted.dtype == np.uint8), 0)
    if levels:
        distance = abs(made.astype(int) - wanted)
        assert distance.max() <= levels
        assert (distance > 0).mean() <= 0.05
    else:
        np.testing.assert_array_equal(made, wanted)


@pytest.mark.parametrize("key", cases() or [""])
def test_it_is_as_recorded(key: str) -> None:
    if not key:
        pytest.skip(f"no recorded operations in {CASES}; CASES_MINDDATA names the directory that has them")
    if any(key.startswith(prefix) for prefix in DIFFERENT):
        pytest.skip(next(why for prefix, why in DIFFERENT.items() if key.startswith(prefix)))
    case = cases()[key]
    if "error" not in case:
        outputs = called(case)
        assert len(outputs) == len(case["outputs"])
        for number, made in enumerate(outputs):
            compare(key, made, arrays()[f"{key}/{number}"])
        return
    said = [line for line in case["message"] if not line.startswith(("Exception thrown", "This exc", "mindspore/"))]
    with pytest.raises((TypeError, ValueError, RuntimeError)) as raised:
        called(case)
    assert type(raised.value).__name__ == case["error"]
    assert said[-1].removeprefix("[ERROR] ") in str(raised.value)


def test_what_differs_on_purpose_is_right() -> None:
    image = np.arange(24, dtype=np.uint8).reshape(2, 4, 3)
    padded = vision.NormalizePad([1.0, 2.0, 3.0], [2.0, 4.0, 8.0])(image)
    np.testing.assert_array_equal(padded[..., :3], vision.Normalize([1.0, 2.0, 3.0], [2.0, 4.0, 8.0])(image))
    assert not padded[..., 3].any()
    smooth = tr.OneHot(4, 0.1)(np.array([3, 0]))
    np.testing.assert_allclose(smooth, [[0.025, 0.025, 0.025, 0.925], [0.925, 0.025, 0.025, 0.025]])
