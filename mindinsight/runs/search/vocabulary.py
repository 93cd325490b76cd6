"""The words of the query language: fields of runs and their types, functions, and the meaning of "best" for a tag."""

from __future__ import annotations

import re
from enum import Enum
from typing import Literal

from mindinsight.runs.models import Run


class Holds(Enum):
    """The type of a field, which decides the possible comparisons."""

    TEXT = "text"
    NUMBER = "number"
    TIME = "time"
    FLAG = "flag"
    WORDS = "words"


FIELDS = {
    "name": Holds.TEXT,
    "state": Holds.TEXT,
    "writer": Holds.TEXT,
    "note": Holds.TEXT,
    "tag": Holds.WORDS,
    "step": Holds.NUMBER,
    "duration": Holds.NUMBER,
    "points": Holds.NUMBER,
    "size": Holds.NUMBER,
    "disk": Holds.NUMBER,
    "started": Holds.TIME,
    "updated": Holds.TIME,
    "colour": Holds.NUMBER,
    "icon": Holds.NUMBER,
    "pinned": Holds.FLAG,
    "archived": Holds.FLAG,
    "hidden": Holds.FLAG,
    "baseline": Holds.FLAG,
}
FUNCTIONS = ("last", "min", "max", "mean", "best")
# Fields with a fixed set of values.
CHOICES: dict[str, list[str]] = {"state": list(Run.State.values), "writer": list(Run.Writer.values)}

_HIGH = frozenset(
    {"acc", "accuracy", "auc", "auroc", "ap", "map", "f1", "fscore", "precision", "recall", "score", "bleu", "rouge"}
    | {"meteor", "iou", "miou", "dice", "reward", "return", "r2", "psnr", "ssim", "top1", "top5", "throughput"}
)
_LOW = frozenset(
    {"loss", "error", "err", "perplexity", "ppl", "mse", "mae", "rmse", "mape", "cer", "wer", "fid", "nll", "cost"}
    | {"regret", "kl", "bce", "ce"}
)
_WORDS = re.compile(r"[A-Z]+(?![a-z])\d*|[A-Z]?[a-z]+\d*")


def best_of(tag: str) -> Literal["min", "max"] | None:
    """Returns whether the best value of a tag is its lowest or its highest, by the last meaningful word of its name.

    None if no word is meaningful.
    """
    for word in reversed(_WORDS.findall(tag)):
        if word.lower() in _LOW:
            return "min"
        if word.lower() in _HIGH:
            return "max"
    return None
