"""Traces as torch.profiler writes them, of any number of slices. Made once and kept in a folder of the system's own."""

from __future__ import annotations

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
    """Returns a trace of forty threads whose slices nest five deep.

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
