"""Settings that were changed while a training went on: written, and read as what they are."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from summaries.schema.summary_pb2 import Event
from summaries.writing.writer import SummaryWriter


def test_changes_of_every_kind_are_recorded(tmp_path: Path, payloads: Callable[[Path], list[bytes]]) -> None:
    with SummaryWriter(tmp_path, environment=False) as writer:
        writer.add_live_edit("learning_rate", 0.1, 0.01, 812, walltime=5.0, author="ann", note="it diverged")
        writer.add_live_edit("frozen", False, True, step=813)
        writer.add_live_edit("batch", 32, 64, step=814)
        writer.add_live_edit("mode", None, "graph", step=815)
        with pytest.raises(TypeError, match="'rates' must be a number or a string"):
            writer.add_live_edit("rates", 0.1, [0.1], 816)  # type: ignore[arg-type]
        path = writer.path
    assert path is not None
    events = [event for event in map(Event.FromString, payloads(path)) if event.HasField("live_edit")]
    assert [event.step for event in events] == [812, 813, 814, 815]
    first = events[0].live_edit
    assert (events[0].wall_time, first.before.double_val, first.after.double_val) == (5.0, 0.1, 0.01)
    assert (first.name, first.author, first.note) == ("learning_rate", "ann", "it diverged")
    assert events[1].live_edit.after.bool_val
    assert events[2].live_edit.after.int_val == 64
    assert not events[3].live_edit.HasField("before")
    assert events[3].live_edit.after.str_val == "graph"
