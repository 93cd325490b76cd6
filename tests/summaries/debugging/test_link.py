"""The debugger's link: messages and blobs, whole, cut and altered."""

from __future__ import annotations

import numpy as np
import pytest
from google.protobuf.wrappers_pb2 import StringValue
from hypothesis import given
from hypothesis import strategies as st

from summaries.debugging import (
    CHUNK_BYTES,
    LONGEST_MESSAGE,
    BlobError,
    Incoming,
    MessageError,
    body_of,
    checksum,
    chunks,
    read,
    written,
)
from summaries.schema.debugger_pb2 import BlobBegin, BlobChunk, BlobEnd, Command, Envelope, Hello, State, Step


def test_a_message_arrives_as_it_was() -> None:
    state = State(status=State.PAUSED, reason="hit", step=4812, loss=float("nan"))
    arrived = body_of(read(written(state)))
    assert isinstance(arrived, State)
    assert arrived.SerializeToString() == state.SerializeToString()


def test_commands_are_told_apart() -> None:
    command = body_of(read(written(Command(id="7", step=Step(steps=3)))))
    assert command.WhichOneof("action") == "step"
    assert command.step.steps == 3


def test_what_is_no_message_is_refused() -> None:
    with pytest.raises(MessageError, match="no place for a StringValue"):
        written(StringValue(value="x"))
    with pytest.raises(MessageError, match="at most"):
        written(Hello(name="x" * LONGEST_MESSAGE))
    with pytest.raises(MessageError, match="at most"):
        read(bytes(LONGEST_MESSAGE + 1))


def test_a_body_of_a_later_version_is_nothing() -> None:
    assert body_of(Envelope.FromString(bytes([0xC2, 0x3E, 0x00]))) is None


@given(st.binary(max_size=200))
def test_any_bytes_are_a_message_or_refused(data: bytes) -> None:
    try:
        read(data)
    except MessageError as error:
        assert "no message of the debugger" in str(error)  # noqa: PT017


def _sent(data: bytes) -> tuple[BlobBegin, list[BlobChunk], BlobEnd]:
    begin = BlobBegin(id=1, content=BlobBegin.TENSOR, bytes=len(data), dtype="uint8", shape=[len(data)])
    pieces = [BlobChunk(id=1, data=bytes(piece)) for piece in chunks(memoryview(data))]
    return begin, pieces, BlobEnd(id=1, checksum=checksum(data))


@pytest.mark.parametrize("size", [0, 1, CHUNK_BYTES, CHUNK_BYTES + 1, 3 * CHUNK_BYTES])
def test_a_blob_arrives_as_it_was(size: int) -> None:
    data = np.random.default_rng(size).bytes(size)
    begin, pieces, end = _sent(data)
    target = bytearray(size)
    incoming = Incoming(begin, memoryview(target))
    for piece in pieces:
        assert len(written(piece)) <= LONGEST_MESSAGE
        incoming.take(piece)
    incoming.finish(end)
    assert bytes(target) == data


def test_a_blob_that_comes_otherwise_is_refused() -> None:
    begin, pieces, end = _sent(b"abcdef")
    with pytest.raises(BlobError, match="room for 3"):
        Incoming(begin, memoryview(bytearray(3)))
    with pytest.raises(BlobError, match="ended after 0 of 6"):
        Incoming(begin, memoryview(bytearray(6))).finish(end)
    full = Incoming(begin, memoryview(bytearray(6)))
    full.take(pieces[0])
    with pytest.raises(BlobError, match="12 bytes came"):
        full.take(pieces[0])
    altered = Incoming(begin, memoryview(bytearray(6)))
    altered.take(BlobChunk(id=1, data=b"abcdeF"))
    with pytest.raises(BlobError, match="checksum"):
        altered.finish(end)
    with pytest.raises(BlobError, match="out of memory"):
        Incoming(begin, memoryview(bytearray(6))).finish(BlobEnd(id=1, problem="out of memory"))
