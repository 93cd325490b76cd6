"""One session: its training's report, the watching browsers, and open requests. Lives in the event loop of one web
server.

The training's socket passes messages to it. The registry stores it and finds it for browsers. `blobs.py` handles blobs.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from google.protobuf.message import Message

from mindinsight.api.problems import Problem
from mindinsight.debugger.background_tasks import Background
from mindinsight.debugger.json_messages import Json, as_json, command_of, json_of
from mindinsight.debugger.limits import LOOKS
from mindinsight.debugger.sessions.control import Watcher, Watchers
from mindinsight.debugger.sessions.rows import status_of
from mindinsight.debugger.training.blobs import BlobReceiver
from mindinsight.debugger.training.commands import Commands, refusal
from mindinsight.debugger.training.link import Link
from mindinsight.debugger.training.report import REPLACED, Report
from mindinsight.debugger.training.tensor_requests import TensorRequests
from summaries.schema.debugger_pb2 import Command, SetLease, TensorName, View

_STAYS = frozenset({*LOOKS, "set_lease", "set_watchpoints", "pause"})


class Session:
    """A connected or formerly connected training.

    Args:
        row: the session's database row.
        report: the training's report.
        tensor_requests: the session's tensors.
        changed: called when the session has to be stored or its row in lists changes.
    """

    def __init__(self, row: Json, report: Report, tensor_requests: TensorRequests, changed: Callable[[], None]) -> None:
        self.key: str = row["id"]
        self.number: int = row["number"]
        self.report = report
        self.tensor_requests = tensor_requests
        self.watchers = Watchers()
        self.seen: float = row["seen"]
        self.link: Link | None = None
        self.stored_at = 0.0
        self.is_changed = False
        self._row = row
        self._changed = changed
        self._commands = Commands()
        self._arriving: BlobReceiver | None = None
        self._background = Background()

    # State for browsers

    @property
    def connected(self) -> bool:
        """Whether its training is connected."""
        return self.link is not None

    def row(self) -> Json:
        """The session's row in lists."""
        state = self.report.state or {}
        return self._row | {
            "mode": state.get("mode", ""),
            "status": status_of(self.report.state, connected=self.connected, ended=self.report.ended is not None),
            "step": state.get("step", 0),
            "seen": self.seen,
            "connected": self.connected,
            "viewers": len(self.watchers),
            "controller": self.watchers.controller,
            "ended": self.report.ended,
            "message": self.report.message,
        }

    def everything(self) -> Json:
        """The full state: a `session` message without the fields for its receiver."""
        return {
            "type": "session",
            "session": self.key,
            "row": self.row(),
            **self.report.everything(),
            "tensors": [dict(row) for row in self.tensor_requests.rows()],
            "viewers": len(self.watchers),
            "controller": self.watchers.controller,
            "connected": self.connected,
        }

    def set_run(self, uid: str | None) -> None:
        """Sets the id of the session's run."""
        if uid is not None and self._row["run"] != uid:
            self._row["run"] = uid
            self._changed()

    # Browsers

    async def join(self, watcher: Watcher) -> Json:
        """Adds a watching browser and returns the session's full state."""
        self.watchers.add(watcher)
        self._tell_watchers()
        return self.everything()

    async def look(self) -> Json:
        """Returns the session's full state."""
        return self.everything()

    async def leave(self, name: str) -> None:
        """Removes a watching browser."""
        if self.watchers.discard(name):
            self._end_hold(name)
            self._tell_watchers()

    async def control(self, name: str, take: bool, force: bool) -> Json:
        """Takes or releases control; returns the answer."""
        before = self.watchers.controller
        answer: Json = {"type": "control", "session": self.key, "problem": "", "message": ""}
        if name not in self.watchers:
            answer |= {"problem": "not_watching", "message": "Watch the session first."}
        elif not self.watchers.control(name, take=take, force=force):
            message = "Another browser controls this training; take control from it with force."
            answer |= {"problem": "in_control_of_another", "message": message}
        now = self.watchers.controller
        if now != before:
            if before is not None:
                self._end_hold(before)
            self._tell_watchers()
        return answer | {"granted": now == name, "controller": now}

    async def command(self, name: str, content: object) -> Json:
        """Sends a browser's command to the training and returns its reply."""
        try:
            command = command_of(content)
        except Problem as problem:
            return refusal(str(problem.body["code"]), str(problem))
        if name not in self.watchers:
            return refusal("not_watching", "Watch the session first.")
        action = str(command.WhichOneof("action"))
        if action not in LOOKS and self.watchers.controller != name:
            return refusal("not_in_control", "This browser does not control the training. Take control first.")
        if action == "view" and command.view.values and self.connected:
            return await self._view(command)
        if action not in _STAYS:
            self.tensor_requests.forget_now()
        reply = await self._commands.ask(self.link, command)
        if action == "set_lease" and reply["ok"]:
            self.watchers.holder = name if command.set_lease.hold else None
            if name not in self.watchers:
                # The browser left while the training answered.
                self._end_hold(name)
        return reply

    async def want(self, tensor: TensorName, previous: bool) -> Json | None:
        """Requests values; returns their row, or None if the training is not connected."""
        if not self.connected:
            return None
        row, new = self.tensor_requests.want(tensor, previous, self._step())
        if new:
            command = Command(view=View(tensor=tensor, previous=previous, values=True))
            self._background.start(self._fetch(row, command))
        return dict(row)

    async def _view(self, command: Command) -> Json:
        row, new = self.tensor_requests.want(command.view.tensor, command.view.previous, self._step())
        if new:
            return await self._asked(row, command)
        command.view.values = False
        reply = await self._commands.ask(self.link, command)
        return reply | {"tensor": dict(row)}

    async def _fetch(self, row: Json, command: Command) -> None:
        await self._asked(row, command)

    async def _asked(self, row: Json, command: Command) -> Json:
        reply = await self._commands.ask(self.link, command)
        if not reply["ok"]:
            self.tell_tensor(self.tensor_requests.fail(row, reply["problem"], reply["message"]))
        elif not reply["blob"] and row["state"] == "asked":
            self.tell_tensor(
                self.tensor_requests.fail(row, "no_value", "The training has sent no values of this tensor.")
            )
        return reply | {"tensor": dict(row)}

    # The training

    def connect(self, link: Link, hello: Json) -> None:
        """Attaches the connection of a training, the first one or a later one."""
        if self.link is not None:
            self.link.close(4409, "the same session has connected again")
            self._lose()
        self.link = link
        self._arriving = BlobReceiver(self, link)
        self.report.ended, self.report.message = None, ""
        self.report.put("hello", hello)
        self._heard()
        self._tell({"type": "connection", "connected": True})

    def disconnect(self, link: Link) -> None:
        """Handles the end of a connection. Ignores connections other than the current one."""
        if self.link is not link:
            return
        self._lose()
        self._heard()
        self._tell({"type": "connection", "connected": False})

    def close(self, code: int, reason: str) -> None:
        """Ends the connection, and tells the watching browsers that the session is gone."""
        if self.link is not None:
            self.link.close(code, reason)
            self._lose()
        self._tell({"type": "removed"})

    async def take(self, name: str, body: Message) -> None:
        """Handles a message of the training.

        Args:
            name: name of the message's field in the envelope.
            body: the message.
        """
        self.seen = time.time()
        if name == "reply":
            reply = await json_of(body)
            self._commands.answered(str(reply["id"]), reply)
        elif name.startswith("blob_") and self._arriving is not None:
            await self._arriving.take(name, body)
        elif name == "program" and self._arriving is not None:
            await self._arriving.take_program(body)
        elif name in REPLACED:
            self.put(name, await json_of(body))
            if name == "state":
                self.tensor_requests.look_at(self.report.state or {})
        elif name in ("hits", "log", "cause"):
            report = self.report
            content = await json_of(body)
            {"hits": report.add_hits, "log": report.add_log, "cause": report.add_cause}[name](content)
            self._heard()
            self._tell({"type": name, name: content})
        elif name == "bye":
            self._say_goodbye(as_json(body))

    def put(self, name: str, content: Any) -> None:
        """Stores a new value of one part of the report and sends it to browsers."""
        self.report.put(name, content)
        self._heard()
        self._tell({"type": name, name: content})

    def tell_tensor(self, row: Json) -> None:
        """Sends the state of requested values to browsers."""
        self._tell({"type": "tensor", "tensor": dict(row)})

    def tensor_gone(self, number: int) -> None:
        """Handles the deletion of values to make room."""
        row = self.tensor_requests.row(number)
        if row is not None:
            row["state"] = "gone"
            self.tell_tensor(row)

    def _say_goodbye(self, bye: Json) -> None:
        bye["at"] = time.time()
        self.report.ended = {"reason": bye["reason"], "at": bye["at"]}
        self.report.message = bye["message"]
        self._heard()
        self._tell({"type": "bye", "bye": bye})

    def _lose(self) -> None:
        self.link = None
        if self._arriving is not None:
            self._arriving.drop_all()
            self._arriving = None
        self._commands.lose()
        for row in self.tensor_requests.fail_all("connection_lost", "The connection to the training was lost."):
            self.tell_tensor(row)
        self.watchers.holder = None

    def _end_hold(self, name: str) -> None:
        if self.watchers.holder != name:
            return
        self.watchers.holder = None
        if self.link is not None:
            self._background.start(self._let_go())

    async def _let_go(self) -> None:
        await self._commands.ask(self.link, Command(set_lease=SetLease(hold=False)))

    def _step(self) -> int:
        return int((self.report.state or {}).get("step", 0))

    def _heard(self) -> None:
        self.is_changed = True
        self._changed()

    def _tell(self, message: Json) -> None:
        self.watchers.tell(message | {"session": self.key})

    def _tell_watchers(self) -> None:
        self._changed()
        self._tell({"type": "viewers", "viewers": len(self.watchers), "controller": self.watchers.controller})
