"""Reads the folders of a dump of msprobe: `stepS/{rankR|procPID}/{dump,construct,stack}.json` and `dump_tensor_data`.

`opening.py` calls it. A call is a node, its result is the node's output, and a step is an iteration. msprobe does not
write which call read whose result.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from debugging.dumps.damages import Damages
from debugging.dumps.dump import Dump, Iteration, Rank, TensorFile
from debugging.dumps.formats.mindspore import entries_of, folders_of
from debugging.dumps.formats.torch_files import open_tensor
from debugging.dumps.program import Line, Program, ProgramNode
from debugging.dumps.tables import StatisticRow, read_below

__all__ = ["is_msprobe", "read_msprobe"]

_STEP: Final = re.compile(r"step(\d+)")
_PROCESS: Final = re.compile(r"(?:rank|proc)(\d*)")
_FRAME: Final = re.compile(r"File (.+?), line (\d+), in (.+?), \n ?(.*)", re.DOTALL)
_TENSORS: Final = "dump_tensor_data"
_SPELLED: Final = {
    "relu": "ReLU", "gelu": "GeLU", "elu": "ELU", "silu": "SiLU", "log_softmax": "LogSoftmax", "truediv": "RealDiv",
    "__truediv__": "RealDiv", "div": "Div", "rsqrt": "Rsqrt", "linear": "Dense", "matmul": "MatMul", "mm": "MatMul",
    "bmm": "BatchMatMul", "layer_norm": "LayerNorm", "batch_norm": "BatchNorm", "sum": "ReduceSum",
    "mean": "ReduceMean", "conv2d": "Conv2D",
}  # fmt: skip
"""MindSpore's types of PyTorch's functions, where more than the first letter differs."""


def is_msprobe(root: Path) -> bool:
    """Whether a folder has a step of msprobe."""
    return any(_STEP.fullmatch(name) for name in folders_of(root, "", Damages()))


def read_msprobe(root: Path) -> Dump:
    """Read the folders and `dump.json` files of a dump.

    Args:
        root: The folder with `stepS`.
    """
    dump = Dump(root, "msprobe", open_tensor)
    processes: dict[str, list[int]] = {}
    for name in folders_of(root, "", dump.damages):
        found = _STEP.fullmatch(name)
        if found is None:
            dump.damages.add("it is no folder of a step; it is left out", name)
            continue
        for process in folders_of(root, name, dump.damages):
            if _PROCESS.fullmatch(process):
                processes.setdefault(process, []).append(int(found[1]))
            else:
                dump.damages.add("it is no folder of a rank; it is left out", f"{name}/{process}")
    every = sorted({step for steps in processes.values() for step in steps})
    for process, steps in processes.items():
        match = _PROCESS.fullmatch(process)
        rank = Rank(int(match[1] or 0) if match else 0, process, {0: Program(process, has_edges=False)}, {0: {}})
        dump.ranks[rank.number] = rank
        for step in sorted(steps):
            _Reading(dump, rank, step).read()
        for step in every:
            if step not in steps:
                dump.damages.add("the rank is missing in this step", f"step{step}/{process}")
    return dump


class _Reading:
    """Reads one step of one process."""

    def __init__(self, dump: Dump, rank: Rank, step: int) -> None:
        self._dump = dump
        self._program = rank.programs[0]
        self._folder = f"step{step}/{rank.folder}"
        self._iteration = Iteration(step, f"{self._folder}/{_TENSORS}")
        self._rank = rank

    def read(self) -> None:
        found = self._json("dump.json")
        self._rank.iterations[0][self._iteration.number] = self._iteration
        if found is None:
            return
        dump = self._dump
        settings = {name: found.get(name) for name in ("task", "level", "framework")}
        dump.settings = {**settings, **dump.settings}
        present = {entry.name for entry in self._present()} if found.get("task") != "statistics" else set()
        data = found.get("data")
        for name, call in data.items() if isinstance(data, dict) else ():
            if isinstance(call, dict):
                self._call(name, call, present)
        stacks, parents = self._stacks(), self._json("construct.json") or {}
        for name, node in self._program.nodes.items():
            node.stack = node.stack or stacks.get(name, ())
            parent = parents.get(name)
            if isinstance(parent, str):
                node.attributes = {**node.attributes, "called by": parent}

    def _present(self) -> Iterator[Any]:
        return entries_of(self._dump.root, self._iteration.folder, self._dump.damages)

    def _json(self, name: str) -> dict[str, Any] | None:
        path = f"{self._folder}/{name}"
        try:
            found = json.loads(read_below(self._dump.root, path))
        except FileNotFoundError:
            self._dump.damages.add("it is missing", path)
        except (OSError, ValueError, RecursionError) as error:
            self._dump.damages.add(f"it cannot be read: {error}", path)
        else:
            if isinstance(found, dict):
                return found
            self._dump.damages.add("it is no JSON object", path)
        return None

    def _call(self, name: str, call: dict[str, Any], present: set[str]) -> None:
        node = ProgramNode(name, _type(name))
        is_new = name not in self._program.nodes
        slots = {True: 0, False: 0}
        for key, value in call.items():
            named = value if isinstance(value, dict) and "type" not in value else {}
            if key == "parameters":
                module = name.rsplit(".forward", 1)[0]
                for own, tensor in named.items():
                    self._tensor(f"{module}.{own}", "Parameter", tensor, 0, present, is_input=False)
                continue
            is_input = key.startswith("input")
            for item in _leaves(value):
                if item is not None and "dtype" in item:
                    self._tensor(name, node.type, item, slots[is_input], present, is_input=is_input)
                slots[is_input] += 1
        if is_new:
            node.shapes = (None,) * slots[False]
            self._program.nodes[name] = node
            self._program.order.append(name)

    def _tensor(self, node: str, kind: str, told: Any, slot: int, present: set[str], *, is_input: bool) -> None:
        for item in _leaves(told):
            if item is None or "dtype" not in item:
                continue
            if kind == "Parameter" and node not in self._program.parameters:
                self._program.parameters += (node,)
            file = item.get("data_name") or ""
            if not isinstance(file, str) or (file and file not in present):
                self._dump.damages.add("the tensor's file is missing", f"{self._iteration.folder}/{file}")
                file = ""
            dtype = str(item["dtype"]).removeprefix("torch.")
            self._iteration.add(TensorFile(node, kind, is_input, slot, 0, "", dtype, 0, file))
            self._iteration.statistics.append(_row(node, kind, item, slot, is_input))

    def _stacks(self) -> dict[str, tuple[Line, ...]]:
        found: dict[str, tuple[Line, ...]] = {}
        for item in (self._json("stack.json") or {}).values():
            match item:
                case [list(names), list(frames)]:
                    lines = tuple(line for frame in frames if (line := _line(str(frame))) is not None)
                    found.update({str(name): lines for name in names})
        return found


def _leaves(value: Any, depth: int = 0) -> Iterator[dict[str, Any] | None]:
    """The descriptions in nested lists and dictionaries; None where there is no tensor."""
    if isinstance(value, list) and depth < 32:
        for one in value:
            yield from _leaves(one, depth + 1)
    elif isinstance(value, dict) and "type" not in value and depth < 32:
        for one in value.values():
            yield from _leaves(one, depth + 1)
    else:
        yield value if isinstance(value, dict) else None


def _row(node: str, kind: str, item: dict[str, Any], slot: int, is_input: bool) -> StatisticRow:
    shape = item.get("shape")
    sizes = [int(one) for one in shape] if isinstance(shape, list) else []
    count = 1
    for size in sizes:
        count *= size
    row = StatisticRow(kind, node, "input" if is_input else "output", slot, count=count)
    row.data_type = str(item["dtype"]).removeprefix("torch.")
    row.shape = str(tuple(sizes))
    row.max_value, row.min_value = _number(item.get("Max")), _number(item.get("Min"))
    row.avg_value, row.l2_value = _number(item.get("Mean")), _number(item.get("Norm"))
    return row


def _number(value: Any) -> float | None:
    try:
        return None if value is None else float(value)
    except (TypeError, ValueError):
        return None


def _type(name: str) -> str:
    """MindSpore's type of a call such as `Functional.relu.0.forward` or `Module.fc1.Linear.forward.0`."""
    parts = name.split(".")
    if parts[0] == "Module" or "parameters_grad" in parts:
        ends = [place for place, part in enumerate(parts) if part in ("forward", "backward", "parameters_grad")]
        return parts[ends[0] - 1] if ends and ends[0] else name
    function = parts[1] if len(parts) > 1 else name
    kind = _SPELLED.get(function) or "".join(part.capitalize() for part in function.strip("_").split("_"))
    return f"{kind}Grad" if parts[-1] == "backward" else kind


def _line(frame: str) -> Line | None:
    found = _FRAME.match(frame)
    return None if found is None else Line(found[1], int(found[2]), found[3], found[4].strip())
