"""Traces as torch.profiler writes them: of any number of slices, and of a small training for pictures."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import numpy as np

FOLDER = Path(tempfile.gettempdir()) / "mindinsight-benchmark-profiles"
TRACKS = 40
_TREE = 5
_FORWARD = (
    "conv2d convolution _convolution batch_norm relu_ add_ max_pool2d mean linear addmm t view empty copy_ div mul"
)
_NAMES = (
    *(f"aten::{name}" for name in _FORWARD.split()),
    *(
        f"autograd::engine::evaluate_function: {name}Backward0"
        for name in ("Conv", "Relu", "Add", "Mul", "Addmm", "View")
    ),
)
_FIRST_US = 1_795_521_970_834
_EVENT = (
    '{"ph": "X", "cat": "cpu_op", "name": "%s", "pid": 3010, "tid": %d, "ts": %d.%03d, "dur": %.3f, '
    '"args": {"External id": %d,"Ev Idx": %d}}'
)


def torch_trace(slices: int) -> Path:
    """Returns a trace of forty threads whose slices nest five deep. It is made once and kept.

    Args:
        slices: how many; a multiple of 200.
    """
    path = FOLDER / str(slices) / "made.pt.trace.json"
    if path.is_file():
        return path
    path.parent.mkdir(parents=True, exist_ok=True)
    choice, making = np.random.default_rng(1), path.with_suffix(".making")
    names = choice.integers(len(_NAMES), size=slices)
    lengths = choice.uniform(20, 60, slices // _TREE).tolist()
    with making.open("w") as file:
        file.write('{"schemaVersion": 1, "distributedInfo": {"rank": 0}, "traceEvents": [\n')
        for tree in range(slices // _TREE):
            at, length = 70_000 * (tree // TRACKS), lengths[tree]
            for level in range(_TREE):
                number = tree * _TREE + level
                micro, nano = divmod(at, 1000)
                thread = 3010 + tree % TRACKS
                where = _NAMES[names[number]], thread, _FIRST_US + micro, nano
                file.write((",\n" if number else "") + _EVENT % (*where, length, number, number))
                at, length = at + int(100 * length), length * 0.6
        file.write("\n]}\n")
    making.replace(path)
    return path


def waiting_training(path: Path) -> None:
    """Writes a trace of thirty steps that wait for their data, one of which evaluates."""
    choice = np.random.default_rng(5)
    events: list[dict[str, object]] = []
    names = {"conv2d": 4.1, "batch_norm": 1.3, "relu_": 0.4, "convolution_backward": 7.9, "addcmul_": 0.6, "mm": 0.9}
    at = 0.0

    def add(name: str, category: str, begin: float, length: float) -> float:
        times = {"ts": round(1000 * begin, 3), "dur": round(1000 * length, 3)}
        events.append({"ph": "X", "name": name, "cat": category, "pid": 1, "tid": 1, **times})
        return begin + length

    for step in range(30):
        begin = at
        at = add("enumerate(DataLoader)#_BaseDataLoaderIter.__next__", "user_annotation", at, choice.normal(14, 1))
        for _ in range(2):
            for name, length in names.items():
                at = add(f"aten::{name}", "cpu_op", at, length * choice.uniform(0.9, 1.1)) + 0.05
        if step == 20:
            at = add("aten::topk", "cpu_op", at, 45)
        add(f"ProfilerStep#{step}", "user_annotation", begin, at - begin)
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps({"traceEvents": events}))
