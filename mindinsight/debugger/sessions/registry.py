"""The sessions of one web server process: opens, finds, stores and lists them.

Made once per process by `asgi.py`. Everything here runs in the event loop. Database calls run in threads.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Iterator
from typing import Any, Protocol

from django.db import Error as DatabaseError

from mindinsight.debugger.background_tasks import Background
from mindinsight.debugger.between_servers.process_names import is_dead, this_process
from mindinsight.debugger.between_servers.relay import Relay, SilentError
from mindinsight.debugger.between_servers.remote import Guests, RemoteSession
from mindinsight.debugger.json_messages import Json
from mindinsight.debugger.limits import MOST_TRAININGS, ROWS_EVERY_S, SEEN_EVERY_S, STORED_EVERY_S
from mindinsight.debugger.sessions import records
from mindinsight.debugger.sessions.control import Watcher
from mindinsight.debugger.sessions.handle import SessionHandle
from mindinsight.debugger.sessions.session import Session
from mindinsight.debugger.sessions.store import load_session, store_session
from summaries.schema.debugger_pb2 import Hello, TensorName

logger = logging.getLogger(__name__)


class TooManyTrainingsError(RuntimeError):
    """The maximum number of trainings is already connected."""


class Browser(Protocol):
    """A browser of this process."""

    def tell(self, message: Json) -> None:
        """Queues a message for the browser."""

    def moved(self, key: str) -> None:
        """Handles a session's move to another process."""


class Registry:
    """The sessions that this process knows.

    Attributes:
        owner: the name of this process.
        browsers: the browsers of this process.
        loop: the event loop; None before the start.
    """

    def __init__(self) -> None:
        self.owner = this_process()
        self.browsers: set[Browser] = set()
        self._sessions: dict[str, Session] = {}
        self._rows: dict[str, Json] = {}
        self._sent_rows: list[Json] = []
        self._watchers: dict[str, Watcher] = {}
        self._relay = Relay(self.owner, self._serve, self._hear)
        self._guests = Guests(self._relay)
        self._starting = asyncio.Lock()
        self._store_wake = asyncio.Event()
        self._rows_wake = asyncio.Event()
        self._reload = True
        self._trainings = 0
        self._background = Background()
        self.loop: asyncio.AbstractEventLoop | None = None

    async def start(self) -> None:
        """Starts the work, unless it has started. Sessions of ended processes become lost."""
        async with self._starting:
            if self.loop is not None:
                return
            owners = await records.in_thread(records.connected_owners)
            if dead := [owner for owner in owners if is_dead(owner)]:
                await records.in_thread(records.close_those_of, dead)
            await self._load_rows()
            self.loop = asyncio.get_running_loop()
            for work in (self._store_always(), self._send_rows(), self._relay.listen(), self._confirm_always()):
                self._background.start(work)

    async def stop(self) -> None:
        """Stores the sessions and stops. Called after the last socket closed."""
        await self._background.stop()
        self._guests.close()
        for session in self._sessions.values():
            with contextlib.suppress(DatabaseError):
                await store_session(session, self.owner)

    # Trainings

    @contextlib.contextmanager
    def place(self) -> Iterator[None]:
        """Reserves one of the places for trainings, from before the session is looked up until the connection has
        ended.

        Raises:
            TooManyTrainingsError: no place is free.
        """
        if self._trainings >= MOST_TRAININGS:
            raise TooManyTrainingsError(f"{MOST_TRAININGS} trainings are connected already")
        self._trainings += 1
        try:
            yield
        finally:
            self._trainings -= 1

    async def welcome(self, hello: Hello) -> Session:
        """Returns the session of a newly connected training: its earlier one, or a new one.

        Raises:
            TooManyTrainingsError: its session was removed in the meantime.
        """
        stored = await records.in_thread(records.open_session, hello, self.owner)
        session = await self._here(stored.key)
        if session is None:
            raise TooManyTrainingsError("the session was removed while it was opened")
        self._background.start(self._relay.tell(None, "moved", {"session": session.key}))
        return session

    # Browsers

    async def handle(self, key: str) -> SessionHandle | None:
        """Returns a session at any process, or None if it does not exist."""
        if key in self._sessions:
            return self._sessions[key]
        stored = await records.in_thread(records.owner_of, key)
        if stored is None:
            return None
        owner, connected = stored
        if connected and owner != self.owner:
            return RemoteSession(self._relay, key, owner, self._watchers)
        return await self._here(key)

    def rows(self) -> list[Json]:
        """Returns the rows of all sessions, newest first."""
        rows = self._rows | {key: session.row() for key, session in self._sessions.items()}
        return sorted(rows.values(), key=lambda row: -int(row["number"]))

    async def all_rows(self) -> list[Json]:
        """Returns the rows of all sessions, newest first. Called from threads."""
        if self._reload:
            await self._load_rows()
        return self.rows()

    async def look(self, key: str) -> Json | None:
        """Returns the full state of a session, or None if it does not exist or its process does not answer."""
        with contextlib.suppress(SilentError):
            handle = await self.handle(key)
            return None if handle is None else await handle.look()
        return None

    async def want(self, key: str, tensor: TensorName, previous: bool) -> Json | None:
        """Requests a session's values; returns their row, or None if its training is not connected.

        Raises:
            SilentError: another process has the session and does not answer.
        """
        handle = await self.handle(key)
        return None if handle is None else await handle.want(tensor, previous)

    def gone(self, name: str) -> None:
        """Removes a browser of this process."""
        self._watchers.pop(name, None)

    async def remove(self, key: str) -> bool:
        """Deletes a session and its files. Returns False if its training is connected."""
        session = self._sessions.get(key)
        stored = await records.in_thread(records.owner_of, key)
        if (session is not None and session.connected) or (stored is not None and stored[1] and session is None):
            return False
        self._forget(key)
        await records.in_thread(records.remove, key)
        await self._relay.tell(None, "removed", {"session": key})
        return True

    # Storing

    async def _here(self, key: str) -> Session | None:
        if key not in self._sessions:
            session = await load_session(key, self._changed)
            if session is None:
                return None
            # Another request may have loaded it in the meantime.
            self._sessions.setdefault(key, session)
            self._changed()
        return self._sessions[key]

    def _changed(self) -> None:
        self._store_wake.set()
        self._rows_wake.set()

    async def _store_always(self) -> None:
        while True:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._store_wake.wait(), SEEN_EVERY_S)
            self._store_wake.clear()
            stored = [await self._store_if_needed(session) for session in list(self._sessions.values())]
            if any(stored):
                self._background.start(self._relay.tell(None, "changed", {}))
            await asyncio.sleep(STORED_EVERY_S)

    async def _store_if_needed(self, session: Session) -> bool:
        """Stores a changed session, and drops one that is no longer needed. Returns whether it was stored."""
        old = time.monotonic() - session.stored_at > SEEN_EVERY_S
        if not (session.is_changed or (session.connected and old)):
            if not session.connected and not session.watchers:
                self._rows[session.key] = session.row()
                self._sessions.pop(session.key, None)
            return False
        try:
            await store_session(session, self.owner)
        except DatabaseError as error:
            logger.warning("The state of the debugger's session %s is not stored: %s", session.key, error)
            session.is_changed = True
            return False
        return True

    # Lists

    async def _load_rows(self) -> None:
        self._reload = False
        self._rows = {row["id"]: row for row in await records.in_thread(records.all_rows)}

    async def _send_rows(self) -> None:
        while True:
            try:
                await asyncio.wait_for(self._rows_wake.wait(), SEEN_EVERY_S)
            except TimeoutError:
                self._reload = bool(self.browsers)
            self._rows_wake.clear()
            if self._reload:
                with contextlib.suppress(DatabaseError):
                    await self._load_rows()
            rows = self.rows()
            shown = [row | {"seen": 0.0} for row in rows]
            if shown != self._sent_rows:
                # Heartbeats do not count: the time since the last message only matters for a lost training.
                self._sent_rows = shown
                for browser in self.browsers:
                    browser.tell({"type": "sessions", "sessions": rows})
            await asyncio.sleep(ROWS_EVERY_S)

    # Other processes

    async def _serve(self, what: str, content: Json, sender: str) -> Any:
        session = self._sessions.get(str(content["session"]))
        if session is None:
            return None
        return await self._guests.serve(session, what, content, sender)

    def _hear(self, what: str, content: Json) -> None:
        key = str(content.get("session", ""))
        if what == "changed":
            self._reload = True
            self._rows_wake.set()
        elif what == "told":
            watcher = self._watchers.get(str(content["name"]))
            if watcher is not None:
                watcher.tell(content["message"])
        elif what == "leave":
            self._background.start(self._guests.leave(key, str(content["name"])))
        elif what == "confirm":
            self._guests.confirm(list(content["names"]))
        elif what == "moved":
            self._background.start(self._moved(key))
        elif what == "removed":
            self._forget(key)

    async def _moved(self, key: str) -> None:
        """Handles a training's connection to another process. It may have connected here again in the meantime."""
        stored = await records.in_thread(records.owner_of, key)
        if stored is None or stored[0] == self.owner:
            return
        session = self._sessions.pop(key, None)
        if session is not None and session.link is not None:
            session.link.close(4409, "the same session has connected again")
        self._reload = True
        self._rows_wake.set()
        for browser in list(self.browsers):
            browser.moved(key)

    def _forget(self, key: str) -> None:
        session = self._sessions.pop(key, None)
        if session is not None:
            session.close(4410, "the session was removed")
        self._rows.pop(key, None)
        self._rows_wake.set()

    async def _confirm_always(self) -> None:
        while True:
            await asyncio.sleep(SEEN_EVERY_S)
            await self._guests.sweep()
            if self._watchers:
                await self._relay.tell(None, "confirm", {"names": list(self._watchers)})
