"""Sessions and their tensors in the database and on disk. The registry and the views call this in threads."""

from __future__ import annotations

import gzip
import hashlib
import hmac
import os
import shutil
import time
import uuid
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import orjson
from asgiref.sync import sync_to_async
from django.db.models import Max, Sum

from mindinsight.api.json_numbers import json_number
from mindinsight.debugger.json_messages import Json, as_json, hello_as_json
from mindinsight.debugger.limits import MOST_KEPT_BYTES, MOST_OVER, MOST_TENSORS
from mindinsight.debugger.models import DebugSession, DebugTensor
from mindinsight.debugger.sessions.files import program_file, session_directory, tensor_file
from mindinsight.debugger.sessions.rows import is_connected, row_of, run_name_of, uids_of
from mindinsight.debugger.training.report import Report
from mindinsight.graphs.sources.debugged import graph_address, graph_file
from summaries.debugging import SECRET_BYTES
from summaries.schema.debugger_pb2 import Hello, Program

Parameters = ParamSpec("Parameters")
Found = TypeVar("Found")

_TEXTS = ("hello", "state", "watching", "hits", "causes", "divergence", "log", "program", "graph")


async def in_thread(question: Callable[Parameters, Found], *args: Parameters.args, **named: Parameters.kwargs) -> Found:
    """Runs a database call in a thread, so that it does not block the event loop."""
    return await sync_to_async(question)(*args, **named)


def open_session(hello: Hello, owner: str) -> DebugSession:
    """Returns the session of a training: its earlier one if it has that session's secret, else a new one.

    The session's key, host and process are visible to everyone who may look, so they prove nothing.

    Args:
        hello: the training's first message.
        owner: the web server with the connection.
    """
    known = DebugSession.objects.filter(key=hello.session).first() if hello.session else None
    digest = _digest_of(hello.secret)
    if known is not None and digest and hmac.compare_digest(known.secret_digest, digest):
        known.owner, known.connected, known.stored, known.ended = owner, True, time.time(), None
        known.save(update_fields=["owner", "connected", "stored", "ended"])
        for left in session_directory(known.key).glob("blob-*.part"):
            # From a connection that ended together with its web server.
            left.unlink(missing_ok=True)
        return known
    _forget_old()
    now = time.time()
    started = json_number(hello.started)
    return DebugSession.objects.create(
        key=uuid.uuid4().hex[:16],
        secret_digest=digest,
        owner=owner,
        connected=True,
        run_name=_text(run_name_of(hello.summary_dir))[:4096],
        name=_text(hello.name)[:1000] or f"{_text(hello.host)[:200]} {hello.pid}",
        host=_text(hello.host)[:1000],
        pid=hello.pid,
        device=_text(hello.device)[:100],
        started=started if isinstance(started, float) and started > 0 else now,
        seen=now,
        stored=now,
        hello=orjson.dumps(hello_as_json(hello)).decode(),
    )


def _digest_of(secret: bytes) -> str:
    """Returns the SHA-256 of a secret, or an empty text if it is not a valid secret."""
    return hashlib.sha256(secret).hexdigest() if len(secret) == SECRET_BYTES else ""


def stored_report(stored: DebugSession) -> Report:
    """Returns the last stored report of a session's training."""
    report = Report()
    for name in _TEXTS:
        setattr(report, name, orjson.loads(getattr(stored, name)))
    report.message, report.state_at = stored.message, stored.seen
    report.ended = None if stored.ended is None else {"reason": stored.reason, "at": stored.ended}
    return report


def load(key: str) -> tuple[Json, Report, list[Json], int] | None:
    """Returns a session's row, its report, the rows of its tensors and their last number; None if it is gone."""
    stored = find_session(key)
    if stored is None:
        return None
    row = row_of(stored, uids_of([stored.run_name]))
    return row, stored_report(stored), tensor_rows(stored), last_number(stored.pk)


def find_session(key: str) -> DebugSession | None:
    """Returns a session by its key."""
    return DebugSession.objects.filter(key=key).first()


def owner_of(key: str) -> tuple[str, bool] | None:
    """Returns the web server that has or last had a session's connection, and whether it has it now."""
    stored = find_session(key)
    return None if stored is None else (stored.owner, is_connected(stored))


def store(number: int, report: Mapping[str, Any], fields: Mapping[str, Any]) -> str | None:
    """Stores the changes of a session; returns the id of its run if it is known by now.

    Args:
        number: the session's number.
        report: changed parts of the training's report.
        fields: other columns.
    """
    texts = {name: orjson.dumps(content).decode() for name, content in report.items()}
    DebugSession.objects.filter(pk=number).update(**texts, **fields, stored=time.time())
    name = DebugSession.objects.filter(pk=number).values_list("run_name", flat=True).first()
    return uids_of([name]).get(name) if name else None


def all_rows() -> list[Json]:
    """Returns the rows of all sessions, newest first."""
    stored = list(DebugSession.objects.order_by("-pk"))
    uids = uids_of(one.run_name for one in stored)
    return [row_of(one, uids) for one in stored]


def close_those_of(owners: Iterable[str]) -> None:
    """Marks the connections of web servers that have ended as lost."""
    DebugSession.objects.filter(owner__in=list(owners), connected=True).update(connected=False)


def connected_owners() -> set[str]:
    """Returns the web servers that have connections, according to the rows."""
    return set(DebugSession.objects.filter(connected=True).values_list("owner", flat=True))


def remove(key: str) -> None:
    """Removes a session with its files."""
    DebugSession.objects.filter(key=key).delete()
    shutil.rmtree(session_directory(key), ignore_errors=True)


# Programs and graphs


def keep_program(key: str, program: Program) -> Json:
    """Writes a program as JSON for browsers; returns its digest and its number of nodes."""
    content = as_json(program)
    whole = orjson.dumps({"digest": content["digest"], "files": content["files"], "nodes": content["nodes"]})
    packed = gzip.compress(whole, 5, mtime=0)
    _put(program_file(key), packed)
    return {"digest": content["digest"], "nodes": len(program.nodes)}


def program_tag(packed: bytes) -> str:
    """Returns the ETag of a program's file."""
    return f'"{hashlib.sha256(packed).hexdigest()[:32]}"'


def keep_graph(key: str, arrived: Path) -> Json:
    """Moves a graph's file into place; returns the graph's name in requests, its digest and its size."""
    content = arrived.read_bytes()
    target = graph_file(key)
    target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    arrived.replace(target)
    return {"graph": graph_address(key), "digest": hashlib.sha256(content).hexdigest(), "bytes": len(content)}


def _put(target: Path, content: bytes) -> None:
    target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    draft = target.with_name(f"{target.name}.{os.getpid()}.new")
    draft.write_bytes(content)
    draft.replace(target)


# Tensors


def last_number(session: int) -> int:
    """Returns the highest number of a session's tensors."""
    return DebugTensor.objects.filter(session_id=session).aggregate(last=Max("number"))["last"] or 0


def tensor_rows(stored: DebugSession) -> list[Json]:
    """Returns the rows of a session's stored tensors, newest first."""
    found = DebugTensor.objects.filter(session=stored).order_by("-number")[:MOST_TENSORS]
    return [_tensor_row(stored.key, tensor) for tensor in found]


def keep_tensor(key: str, session: int, row: Json, arrived: Path) -> list[tuple[str, int]]:
    """Moves a tensor's file into place. Returns the values deleted to make room, by session and number."""
    arrived.replace(tensor_file(key, row["number"]))
    DebugTensor.objects.create(
        session_id=session,
        number=row["number"],
        full_name=_text(row["tensor"]["full_name"]),
        slot=row["tensor"]["slot"],
        iteration=row["tensor"]["iteration"],
        step=row["step"],
        previous=row["previous"],
        dtype=row["dtype"],
        shape=row["shape"],
        bytes=row["bytes"],
        came=time.time(),
    )
    return _make_room()


def _make_room() -> list[tuple[str, int]]:
    total = DebugTensor.objects.filter(gone=False).aggregate(total=Sum("bytes"))["total"] or 0
    gone = []
    if total > MOST_KEPT_BYTES:
        for tensor in DebugTensor.objects.filter(gone=False).select_related("session").order_by("came"):
            if total <= MOST_KEPT_BYTES:
                break
            tensor_file(tensor.session.key, tensor.number).unlink(missing_ok=True)
            DebugTensor.objects.filter(pk=tensor.pk).update(gone=True)
            gone.append((tensor.session.key, tensor.number))
            total -= tensor.bytes
    return gone


def _tensor_row(key: str, tensor: DebugTensor) -> Json:
    return {
        "number": tensor.number,
        "session": key,
        "tensor": {"full_name": tensor.full_name, "slot": tensor.slot, "iteration": tensor.iteration},
        "step": tensor.step,
        "previous": tensor.previous,
        "state": "gone" if tensor.gone else "ready",
        "dtype": tensor.dtype,
        "shape": tensor.shape,
        "bytes": tensor.bytes,
        "received": tensor.bytes,
        "problem": "",
        "message": "",
    }


def _forget_old() -> None:
    """Deletes ended sessions to make room for a new one."""
    over = [one for one in DebugSession.objects.order_by("-pk") if not is_connected(one)]
    for one in over[MOST_OVER - 1 :]:
        remove(one.key)


def _text(text: str) -> str:
    """Returns the text without characters that some databases reject."""
    return text.replace("\0", "\N{REPLACEMENT CHARACTER}")
