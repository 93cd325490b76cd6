"""What a hostile or broken client sends: conversations of frames, drawn by hypothesis."""

from __future__ import annotations

import json
from typing import Any, Final

from hypothesis import strategies as st

from summaries.debugging import LONGEST_MESSAGE, PROTOCOL, SECRET_BYTES, written
from summaries.schema import debugger_pb2 as wire

from .client import BINARY, CLOSE, PING, PONG, TEXT, frame

UNKNOWN: Final = "0123456789abcdef"

_numbers = st.one_of(
    st.integers(-3, 60),
    st.integers(-(1 << 70), 1 << 70),
    st.floats(allow_nan=False, allow_infinity=False),
    st.booleans(),
)
_words = st.one_of(st.text(max_size=30), st.sampled_from(["runs", "x" * 100, "x" * 101, "\0", "\ud800", UNKNOWN]))
_values = st.recursive(
    st.one_of(st.none(), _numbers, _words),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(_words, inner, max_size=4)),
    max_leaves=12,
)
_pairs = st.lists(st.one_of(st.tuples(st.integers(0, 50), st.integers(0, 50)), _values), max_size=5)

_live = st.one_of(
    st.fixed_dictionaries(
        {"type": st.sampled_from(["subscribe", "unsubscribe"])},
        optional={"topics": st.one_of(st.lists(_words, max_size=3), _values), "series": st.one_of(_pairs, _values)},
    ),
    st.fixed_dictionaries({"type": st.just("ping")}, optional={"id": st.one_of(_numbers, _words, _values)}),
)
_commands = st.one_of(
    st.sampled_from(
        [{"pause": {}}, {"step": {"steps": 1}}, {"view": {"values": True}}, {"read_source": {"file": "/etc/passwd"}}]
    ),
    st.dictionaries(st.sampled_from(["step", "view", "set_watchpoints", "health", "run_to_node"]), _values, max_size=2),
    _values,
)


def _debug(session: str) -> st.SearchStrategy[Any]:
    sessions = st.one_of(st.sampled_from([session, UNKNOWN, "../x"]), _values)
    return st.fixed_dictionaries(
        {"type": st.sampled_from(["watch", "unwatch", "control", "command", "ping"]), "session": sessions},
        optional={"id": st.one_of(_numbers, _words, _values), "command": _commands, "take": st.booleans()},
    )


def _json_texts(messages: st.SearchStrategy[Any]) -> st.SearchStrategy[bytes]:
    """Messages as JSON, some of them damaged, some of them no messages, some nested very deep."""
    whole = st.one_of(messages, messages, _values).map(lambda value: json.dumps(value).encode())
    deep = st.builds(
        lambda opening, depth, closing: opening * depth + closing * depth,
        st.sampled_from([b"[", b'{"a":', b'{"type":"ping","id":[', b'["\\"]",']),
        st.sampled_from([3, 31, 33, 1000, 100_000]),
        st.sampled_from([b"", b"]", b"}", b"]}"]),
    )
    return st.one_of(whole, whole, _damaged(whole), deep, st.binary(max_size=40))


def _damaged(texts: st.SearchStrategy[bytes]) -> st.SearchStrategy[bytes]:
    """Bytes with some of them in the middle replaced."""
    return st.builds(
        lambda text, at, cut, new: text[: at % (len(text) + 1)] + new + text[at % (len(text) + 1) + cut :],
        texts,
        st.integers(0, 1000),
        st.integers(0, 6),
        st.binary(max_size=6),
    )


_hellos = st.builds(
    lambda protocol, session, secret: written(wire.Hello(protocol=protocol, session=session, secret=secret, pid=1)),
    st.sampled_from([PROTOCOL, PROTOCOL, PROTOCOL, 0, 7]),
    st.one_of(st.sampled_from(["", UNKNOWN]), st.text(st.characters(codec="utf-8"), max_size=20)),
    st.binary(max_size=SECRET_BYTES),
)
_fields = st.builds(
    lambda number, kind, data: bytes([(number << 3 | kind) & 0x7F | 0x80, number >> 4, len(data)]) + data,
    st.integers(1, 34),
    st.sampled_from([2, 2, 2, 0, 1, 5, 3]),
    st.binary(max_size=60),
)
_bodies = st.sampled_from(
    [
        written(wire.State(status=wire.State.PAUSED, step=3)),
        written(wire.Hits(step=3, hits=[wire.Hit(watchpoint=1)])),
        written(wire.Log(step=3, hits=[wire.Hit(watchpoint=1)])),
        written(wire.Program(digest="d", files=["a.py"])),
        written(wire.BlobBegin(id=1, content=wire.BlobBegin.GRAPH, bytes=12.0)),
        written(wire.BlobBegin(id=1, content=wire.BlobBegin.PROGRAM, bytes=float("nan"))),
        written(wire.BlobChunk(id=1, data=b"x" * 12)),
        written(wire.BlobEnd(id=1)),
        written(wire.Credit(id=1, chunks=4)),
        written(wire.Reply(id="c1")),
        written(wire.Bye(reason="finished")),
        written(wire.Welcome(session=UNKNOWN)),
        # An empty part has two bytes, and hundreds as JSON.
        b"\x2a\x80\x80\x18" + b"\x12\x00" * 196_608,
    ]
)
_envelopes = st.one_of(_bodies, _hellos, _damaged(_bodies), _fields, st.binary(max_size=60))


def _frames(opcode: int, messages: st.SearchStrategy[bytes]) -> st.SearchStrategy[bytes]:
    """Messages in one frame or in several, with pings in between."""
    return st.builds(
        _in_pieces,
        st.sampled_from([opcode, opcode, opcode, opcode, TEXT, BINARY]),
        messages,
        st.sampled_from([1, 1, 1, 2, 5]),
        st.sampled_from([b"", frame(PING, b"between"), frame(PONG, b"")]),
    )


def _in_pieces(opcode: int, message: bytes, count: int, between: bytes) -> bytes:
    size = max(1, -(-len(message) // count))
    pieces = [message[at : at + size] for at in range(0, len(message), size)] or [b""]
    last = len(pieces) - 1
    return between.join(
        frame(opcode if place == 0 else 0, piece, final=place == last) for place, piece in enumerate(pieces)
    )


_broken = st.one_of(
    st.sampled_from(
        [
            frame(TEXT, b"\xff\xfe"),
            frame(TEXT, b"x" * (LONGEST_MESSAGE + 1)),
            frame(BINARY, b"x" * (LONGEST_MESSAGE + 1)),
            frame(TEXT, b"x" * 600_000, final=False) + frame(0, b"x" * 600_000),
            frame(0, b"no beginning"),
            frame(TEXT, b"{", final=False) + frame(TEXT, b"}"),
            frame(TEXT, b"") * 3000,
            frame(PING, b"") * 3000,
            frame(TEXT, b"{", final=False) + frame(0, b"", final=False) * 5000 + frame(0, b"}"),
            frame(TEXT, b"{}", masked=False),
            frame(TEXT, b"{}", reserved=4),
            frame(PING, b"x", final=False),
            frame(PING, b"x" * 126),
            frame(3, b"x"),
            frame(CLOSE, b"x"),
            frame(CLOSE, b"\x03\xe8\xff"),
            bytes([0x81, 0xFF]) + b"\xff" * 12,
        ]
    ),
    st.integers(0, 65535).map(lambda code: frame(CLOSE, code.to_bytes(2, "big") + b"bye")),
)


_nothing: st.SearchStrategy[list[bytes]] = st.just([])


def conversations(path: str, session: str) -> st.SearchStrategy[list[bytes]]:
    """What a client of a socket sends, piece by piece.

    Args:
        path: of the socket.
        session: of a training that is connected.
    """
    if path == "/ws/train":
        usual = _frames(BINARY, _envelopes)
        begin = st.one_of(_hellos.map(lambda hello: [frame(BINARY, hello)]), _nothing)
    else:
        usual = _frames(TEXT, _json_texts(_live if path == "/ws/live" else _debug(session)))
        begin = _nothing
    rest = st.lists(st.one_of(usual, usual, usual, usual, _broken), max_size=8)
    return st.builds(lambda first, others: [*first, *others], begin, rest)
