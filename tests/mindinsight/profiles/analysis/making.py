"""Makes profiles of trainings whose faults are known."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

from mindinsight.profiles.columns.stored import Stored
from mindinsight.profiles.columns.writing import write_columns
from tests.mindinsight.profiles.cases import read_bytes

Event = dict[str, Any]


def slice_(name: str, at: float, length: float, category: str = "cpu_op", thread: int = 1, **args: Any) -> Event:
    """A slice, in microseconds."""
    where = {"pid": 1, "tid": thread, "ts": round(at, 3), "dur": round(length, 3)}
    return {"ph": "X", "name": name, "cat": category, **where, "args": args}


def stored(directory: Path, events: list[Event], **attributes: Any) -> Stored:
    directory.mkdir(parents=True, exist_ok=True)
    write_columns(directory, read_bytes(json.dumps({"traceEvents": events, **attributes}).encode()))
    return Stored(directory)


def training(fault: str, seed: int, steps: int = 12) -> list[Event]:
    """A training of steps of a millisecond or more, whose operators differ by chance, with one fault or `healthy`."""
    choice = random.Random(f"{fault} {seed}")
    events: list[Event] = []
    at = choice.uniform(0, 1000)
    slow = set(range(choice.randrange(1, 4), steps, 4)) if fault == "slow_steps" else set()
    for step in range(steps):
        begin = at
        wait = choice.uniform(400, 700) if fault == "data" else choice.uniform(1, 6)
        events.append(slice_("enumerate(DataLoader)#_Iter.__next__", at, wait, "user_annotation"))
        at += wait
        for _ in range(choice.randint(18, 22)):
            length = choice.uniform(40, 60)
            if fault == "small":
                for _ in range(12):
                    events.append(slice_("aten::add", at, 3))
                    at += 3.2
            events.append(slice_(choice.choice(("aten::mm", "aten::conv2d", "aten::relu")), at, length))
            at += length + choice.uniform(0.2, 1)
        if fault == "copies":
            events.append(slice_("aten::copy_", at, 150))
            at += 150
        if fault == "python":
            events.append(slice_("<built-in function sleep>", at, 500, "python_function"))
            at += 500
        if fault == "saving":
            events.append(slice_("/a/torch/serialization.py(800): save", at, 200, "python_function"))
            at += 200
        if step in slow:
            events.append(slice_("evaluate", at, 2000))
            at += 2000
        events.append(slice_(f"ProfilerStep#{step}", begin, at - begin, "user_annotation"))
    choice.shuffle(events)
    return events
