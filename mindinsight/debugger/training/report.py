"""The report of a training so far, limited in size, in the form for browsers. Kept by `session.py`, stored by
`records.py`.
"""

from __future__ import annotations

import time
from typing import Any

from mindinsight.debugger.json_messages import Json
from mindinsight.debugger.limits import MOST_CAUSES, MOST_HITS, MOST_LOGGED
from mindinsight.debugger.training.hits_by_step import Sizes, drop_oldest, make_room

REPLACED = ("state", "watching", "divergence")
"""Messages that replace earlier ones of the same kind."""


class Report:
    """The state of a training as it reported it.

    Attributes:
        hello: its first message.
        state, watching, divergence: the last of each.
        causes: one per step, oldest first.
        state_at: time of the state, in seconds since 1970.
        program: digest and number of nodes.
        graph: address, digest and size in bytes.
        ended: reason and time of its end.
        message: the sentence of its end.
        changed: names of the parts that are not stored yet.
    """

    def __init__(self) -> None:
        self.hello: Json | None = None
        self.state: Json | None = None
        self.watching: Json | None = None
        self.divergence: Json | None = None
        self.program: Json | None = None
        self.graph: Json | None = None
        self.ended: Json | None = None
        self.message = ""
        self.state_at = 0.0
        self.hits: list[Json] = []
        self.causes: list[Json] = []
        self.log: list[Json] = []
        self.changed: set[str] = set()
        self._hit_sizes, self._log_sizes = Sizes(), Sizes()

    def put(self, name: str, content: Any) -> None:
        """Replaces one part of the report."""
        setattr(self, name, content)
        self.changed.add(name)
        if name == "state":
            self.state_at = time.time()

    def add_hits(self, hits: Json) -> None:
        """Adds hits of a step, or replaces the step's earlier hits. The oldest are dropped above the limit."""
        self.changed.add("hits")
        known = next((one for one in self.hits if one["step"] == hits["step"]), None)
        if known is None:
            known = {"step": hits["step"], "hits": [], "left_out": 0}
            self.hits.append(known)
            self.hits.sort(key=lambda one: int(one["step"]))
        if hits["replace"]:
            known |= {"hits": [], "left_out": 0}
        known["hits"] = known["hits"] + hits["hits"]
        known["left_out"] += hits["left_out"]
        make_room(self.hits, MOST_HITS, count_left_out=True)
        self._hit_sizes.make_room(self.hits, known, count_left_out=True)

    def add_cause(self, cause: Json) -> None:
        """Adds the cause of a step, or replaces the step's earlier one. The oldest are dropped above the limit."""
        self.changed.add("causes")
        others = [one for one in self.causes if one["step"] != cause["step"]]
        self.causes = drop_oldest(sorted([*others, cause], key=lambda one: int(one["step"])), MOST_CAUSES)

    def add_log(self, log: Json) -> None:
        """Adds hits of watchpoints that only record. The oldest are dropped above the limit."""
        self.changed.add("log")
        self.log.append({"step": log["step"], "hits": list(log["hits"])})
        make_room(self.log, MOST_LOGGED, count_left_out=False)
        self._log_sizes.make_room(self.log, self.log[-1], count_left_out=False)

    def everything(self) -> Json:
        """Returns the report in the form of a `session` message."""
        names = ("hello", "state", "program", "graph", "watching", "hits", "causes", "divergence", "log", "ended")
        return {name: getattr(self, name) for name in names} | {"state": self._state_now()}

    def _state_now(self) -> Json | None:
        """Returns the state with the time that its lease still has, for browsers that connect later."""
        lease = (self.state or {}).get("lease")
        if (
            self.state is None
            or not lease
            or lease["held"]
            or not isinstance(lease["left"], float)
            or lease["left"] < 0
        ):
            return self.state
        return self.state | {"lease": lease | {"left": max(0.0, lease["left"] - (time.time() - self.state_at))}}
