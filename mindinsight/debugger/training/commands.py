"""Commands that wait for a training's reply. Used by its session."""

from __future__ import annotations

import asyncio
import itertools
import secrets

from mindinsight.debugger.json_messages import Json, as_json
from mindinsight.debugger.limits import ANSWER_WITHIN_S, LONG, LONG_ANSWER_WITHIN_S, MOST_WAITING
from mindinsight.debugger.training.link import Link
from summaries.debugging import MessageError
from summaries.schema.debugger_pb2 import Command, Reply


def refusal(problem: str, message: str) -> Json:
    """Returns a reply that the dashboard makes itself."""
    return as_json(Reply(ok=False, problem=problem, message=message, at=-1))


class Commands:
    """The unanswered commands of one session."""

    def __init__(self) -> None:
        self._waiting: dict[str, asyncio.Future[Json]] = {}
        # A training that outlives the dashboard may still answer commands of the earlier one.
        self._name = secrets.token_hex(4)
        self._numbers = itertools.count(1)

    async def ask(self, link: Link | None, command: Command) -> Json:
        """Sends a command and returns the training's reply, or a reply that says why there is none."""
        if link is None:
            return refusal("not_connected", "The training is not connected; what is shown is its last report.")
        if len(self._waiting) >= MOST_WAITING:
            return refusal("too_busy", f"{MOST_WAITING} commands are already waiting for the training's reply.")
        command.id = f"{self._name}-{next(self._numbers)}"
        within = LONG_ANSWER_WITHIN_S if command.WhichOneof("action") in LONG else ANSWER_WITHIN_S
        answer: asyncio.Future[Json] = asyncio.get_running_loop().create_future()
        self._waiting[command.id] = answer
        try:
            link.send(command)
            async with asyncio.timeout(within):
                return await answer
        except MessageError as error:
            return refusal("bad_command", f"The command is too long: {error}.")
        except TimeoutError:
            return refusal("timed_out", f"The training has not answered within {within:g} s.")
        finally:
            del self._waiting[command.id]

    def answered(self, identity: str, reply: Json) -> None:
        """Handles a reply of the training. Ignores replies that nobody waits for."""
        waiting = self._waiting.get(identity)
        if waiting is not None and not waiting.done():
            waiting.set_result(reply)

    def lose(self) -> None:
        """Fails all commands after the connection has ended."""
        for waiting in self._waiting.values():
            if not waiting.done():
                waiting.set_result(refusal("connection_lost", "The connection to the training was lost."))
