"""Families of models in a registry: the smallest model of each is trained some steps in both modes."""

from __future__ import annotations

import ast
import re
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.foreign.causes import Cause, Outcome, cause_of, reason_of
from benchmarks.foreign.isolation import Limits, Told, run_worker

CLASSES = 10
STEPS = 3
SIDE = 64
"""Of the pictures in pixels; a network that does not take them gets pictures of its own size."""
FIRST_ALIKE = 0.01
"""The share of the loss by which the modes may differ; where they differ more, rounding must do so, too."""
NOISE_TIMES = 10.0
ROUNDING = 1e-4
"""The error of a gradient, as a share of the largest, from which on both sides are compared with Float64."""
MOST_RATIO = 1.2
"""How many times slower a compiled step may be than one line by line."""
_SIZES = (
    "atto", "femto", "pico", "nano", "xxs", "xx", "xs", "x", "tiny", "ti", "mini", "small", "s", "", "base", "b",
    "medium", "m", "large", "l", "xl", "xlarge", "huge", "h", "giant", "g",
)  # fmt: skip
_UNSIZED = _SIZES.index("")


def smallest(names: Sequence[str]) -> str:
    """The model of a family whose name promises the least work; networks that are made for pretraining come last."""

    def order(name: str) -> tuple[bool, int, list[float], int]:
        words = name.lower().split("_")
        ranks = [_SIZES.index(word) for word in words if word in _SIZES]
        numbers = [float(text) for text in re.findall(r"\d+", name)]
        return "pretrain" in name, min(ranks, default=_UNSIZED), numbers, len(name)

    return min(names, key=order)


def families_of(modules: Sequence[Path]) -> dict[Path, list[str]]:
    """The names of the functions that each module registers."""
    found: dict[Path, list[str]] = {}
    for path in modules:
        functions = [node for node in ast.parse(path.read_text()).body if isinstance(node, ast.FunctionDef)]
        names = [one.name for one in functions if any(_is_register(mark) for mark in one.decorator_list)]
        if names:
            found[path] = names
    return found


def _is_register(mark: ast.expr) -> bool:
    name = mark.func if isinstance(mark, ast.Call) else mark
    return isinstance(name, ast.Name) and name.id == "register_model"


def request(root: Path, module: Path, model: str) -> dict[str, Any]:
    """What the worker is asked about a model."""
    return {
        "path": [str(root)],
        "module": ".".join(module.relative_to(root).with_suffix("").parts),
        "model": model,
        "expression": f"{model}(num_classes={CLASSES})",
        "batch": 2,
        "classes": CLASSES,
        "steps": STEPS,
        "side": SIDE,
    }


def trained(kind: str, program: str, asked: Mapping[str, Any], limits: Limits) -> Outcome:
    """What became of a network that is trained in both modes."""
    losses, seconds, spent, asked = {}, {}, 0.0, dict(asked)
    for mode in ("pynative", "graph"):
        told = run_worker("train_model", {**asked, "task": "train", "mode": mode}, limits)
        spent += told.seconds
        done = next((line for line in told.lines if line["stage"] == "trained"), None)
        if done is None:
            return replace(_stopped(kind, program, str(asked["model"]), told), mode=mode, seconds=spent)
        asked["side"] = told.lines[0]["side"]
        losses[mode], seconds[mode] = done["losses"], done["seconds"]
    more = {
        "side": asked["side"],
        "losses": losses,
        "seconds": seconds,
        "ratio": min(seconds["graph"][1:]) / min(seconds["pynative"][1:]),
    }
    outcome = Outcome(kind, program, str(asked["model"]), Cause.PASSED, "", "both", "", spent, more)
    if not np.isfinite(losses["graph"] + losses["pynative"]).all():
        return replace(outcome, cause=Cause.DIFFERENT, what="a loss is not finite")
    apart = _apart(losses["graph"], losses["pynative"])
    if max(apart) > FIRST_ALIKE:
        told = run_worker("train_model", {**asked, "task": "train", "mode": "pynative", "nudged": True}, limits)
        noise = [_apart(line["losses"], losses["pynative"]) for line in told.lines if line["stage"] == "trained"]
        bounds = [max(FIRST_ALIKE, NOISE_TIMES * one) for one in (noise or [[0.0] * len(apart)])[0]]
        more["apart"], more["noise"] = apart, noise
        if any(one > bound for one, bound in zip(apart, bounds, strict=True)):
            return replace(outcome, cause=Cause.DIFFERENT, what="losses differ between the modes")
    return outcome


def _apart(one: Sequence[float], other: Sequence[float]) -> list[float]:
    return [abs(a - b) / max(abs(b), 1e-3) for a, b in zip(one, other, strict=True)]


def _stopped(kind: str, program: str, case: str, told: Told) -> Outcome:
    stage = told.lines[-1]["stage"] if told.lines else ""
    error = told.lines[-1].get("error") if stage == "stopped" else None
    if error is None:
        where = "in its first steps" if stage == "built" else "before it was built"
        return Outcome(
            kind, program, case, Cause.SLOW, f"{told.ended or 'ended'} {where}", more={"printed": told.printed}
        )
    return Outcome(kind, program, case, cause_of(error), reason_of(error), at=str(error["at"]))


def compared(program: str, asked: Mapping[str, Any], limits: Limits, reference: Path) -> Outcome:
    """Output and gradients of a network beside those of the reference at the same weights.

    Where the gradients differ by more than rounding usually does, both are also compared with ours in Float64.
    """
    model = str(asked["model"])
    with tempfile.TemporaryDirectory(prefix="values-") as folder:

        def evaluated(who: str, python: Path | None = None) -> tuple[Told, dict[str, Any]]:
            """What the worker told, and the arrays that it found; none if it stopped."""
            files = {"weights": str(Path(folder, "weights.npz")), "found": str(Path(folder, f"{who}.npz"))}
            given = {**asked, "task": "evaluate", **files, "double": who == "double"}
            told = run_worker("train_model", given, limits, python)
            if not told.lines or told.lines[-1]["stage"] != "evaluated":
                return told, {}
            with np.load(files["found"]) as arrays:
                return told, {name: arrays[name] for name in arrays.files}

        told, ours = evaluated("ours")
        if not ours:
            return _stopped("values", program, model, told)
        told, theirs = evaluated("theirs", reference)
        if not theirs:
            outcome = _stopped("values", program, model, told)
            return replace(outcome, cause=Cause.OUTSIDE, what=f"reference: {outcome.what}")
        gradient = _gradient_error(ours, theirs)
        exact = evaluated("double")[1] if gradient > ROUNDING else {}
    told_of = told.lines[-1]
    output = _relative(ours["output"], theirs["output"])
    more = {"output": output, "gradient": gradient, "unlike_names": told_of["unlike"], "weights": told_of["weights"]}
    if exact:
        more["from_float64"] = {"ours": _gradient_error(ours, exact), "theirs": _gradient_error(theirs, exact)}
    what = "names of Parameters differ" if told_of["unlike"] else ""
    what = what or ("output differs" if output > 1e-3 else "gradients differ" if gradient > 1e-2 else "")
    return Outcome("values", program, model, Cause.DIFFERENT if what else Cause.PASSED, what, "pynative", more=more)


def _gradient_error(one: Mapping[str, Any], other: Mapping[str, Any]) -> float:
    """The largest difference of gradients, as a share of the other's largest."""
    names = [name for name in other if name != "output"]
    largest = max(float(np.abs(other[name]).max(initial=0)) for name in names)
    errors = [float(np.abs(one[name] - other[name]).max(initial=0)) for name in names if name in one]
    return max(errors, default=0.0) / (largest or 1.0)


def _relative(ours: Any, theirs: Any) -> float:
    return float(np.abs(ours - theirs).max() / (np.abs(theirs).max() or 1.0))
