"""Let ONNX's checker and onnxruntime judge models: `python tools/onnx_judge.py FOLDER`, in an environment with both.

FOLDER has a folder for each model: `model.onnx`, and `case.npz` with its inputs `input_NAME` and what it must give,
`output_NAME`. An output may differ by 1e-5 of its largest absolute value, or by what the file's `tolerance` says. With
`steps` in the file the model is run so often, and each output `NAME.new` becomes the input NAME; `output_NAME` then has
a row for each run. Prints one line of JSON for each model. Exit code 1: a model is wrong.
"""

import argparse
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime


def main() -> int:
    """Run the command line; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    wrong = 0
    for model in sorted(parser.parse_args().folder.glob("*/model.onnx")):
        reason = judged(model)
        wrong += bool(reason)
        print(json.dumps({"model": model.parent.name, "wrong": reason}))
    return int(wrong > 0)


def judged(model: Path) -> str:
    """What is wrong with a model; empty if nothing is."""
    case = np.load(model.parent / "case.npz")
    try:
        onnx.checker.check_model(str(model), full_check=True)
        return compared(model, case)
    except Exception as error:
        return f"{type(error).__name__}: {' '.join(str(error).split())[:600]}"


def compared(model: Path, case: Any) -> str:
    """How the outputs of onnxruntime differ from those of the case; empty if they do not."""
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
    names = [item.name for item in session.get_outputs()]
    tolerance = float(case["tolerance"]) if "tolerance" in case else 1e-5
    feed = {name.removeprefix("input_"): case[name] for name in case.files if name.startswith("input_")}
    for step in range(int(case["steps"]) if "steps" in case else 1):
        outputs = dict(zip(names, session.run(names, feed), strict=True))
        feed.update((name.removesuffix(".new"), value) for name, value in outputs.items() if name.endswith(".new"))
        for name in case.files:
            if not name.startswith("output_"):
                continue
            wanted = case[name][step] if "steps" in case else case[name]
            largest = float(np.abs(case[name][np.isfinite(case[name])]).max(initial=1e-30))
            reason = difference(outputs[name.removeprefix("output_")], wanted, tolerance * largest)
            if reason:
                return f"run {step}, {name}: {reason}"
    return ""


def difference(found: np.ndarray, wanted: np.ndarray, tolerance: float) -> str:
    """How an output differs from what is wanted; empty if it does not."""
    if found.shape != wanted.shape or found.dtype != wanted.dtype:
        return f"{found.dtype}{list(found.shape)}, not {wanted.dtype}{list(wanted.shape)}"
    if found.dtype.kind in "biu":
        return "" if np.array_equal(found, wanted) else f"{np.sum(found != wanted)} elements differ"
    try:
        np.testing.assert_allclose(found, wanted, rtol=0, atol=tolerance)
    except AssertionError as error:
        return " ".join(str(error).split())[:300]
    return ""


if __name__ == "__main__":
    sys.exit(main())
