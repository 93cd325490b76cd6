"""The pieces of a SentencePiece model: their files, and the division of texts by them."""

from __future__ import annotations

import heapq
import struct
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import IntEnum
from os import PathLike
from pathlib import Path
from typing import Final

from framework.dataset.text.choices import SentencePieceModel

__all__ = ["SPACE", "Kind", "Piece", "Pieces", "prepared", "read_pieces", "write_pieces"]

#: What stands for a space within pieces.
SPACE: Final = "\u2581"
#: What an unknown character costs more than the worst piece.
_UNKNOWN_COST: Final = 10.0
#: Fields of the messages ModelProto, SentencePiece and TrainerSpec.
_PIECES, _TRAINER, _TEXT, _SCORE, _KIND, _MODEL_TYPE = 1, 2, 1, 2, 3, 3


class Kind(IntEnum):
    """Kind of a piece."""

    NORMAL = 1
    UNKNOWN = 2
    CONTROL = 3
    USER_DEFINED = 4
    UNUSED = 5
    BYTE = 6


@dataclass(frozen=True)
class Piece:
    """A piece: its text, its score, and its kind."""

    text: str
    score: float
    kind: Kind = Kind.NORMAL


def prepared(text: str) -> str:
    """A text as pieces have it: in NFKC, with single spaces, each of which is a visible character, and one in front."""
    words = unicodedata.normalize("NFKC", text).split()
    return SPACE + SPACE.join(words) if words else ""


@dataclass
class Pieces:
    """The pieces of a model, in the order of their numbers.

    Args:
        pieces: the pieces.
        model_type: kind of the model.
    """

    pieces: list[Piece]
    model_type: SentencePieceModel
    _numbers: dict[str, int] = field(init=False, repr=False)
    _scores: dict[str, float] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._numbers = {piece.text: number for number, piece in enumerate(self.pieces)}
        usable = (Kind.NORMAL, Kind.USER_DEFINED)
        self._scores = {piece.text: piece.score for piece in self.pieces if piece.kind in usable}
        self._longest = max(map(len, self._scores), default=1)
        self._worst = min(self._scores.values(), default=0.0) - _UNKNOWN_COST
        unknown = [number for number, piece in enumerate(self.pieces) if piece.kind is Kind.UNKNOWN]
        self._unknown = unknown[0] if unknown else 0

    def number(self, piece: str) -> int:
        """The number of a piece; that of unknown ones for others."""
        return self._numbers.get(piece, self._unknown)

    def divided(self, text: str) -> list[str]:
        """The pieces of a text; neighboring unknown characters are one piece."""
        whole = prepared(text)
        if not whole:
            return []
        if self.model_type is SentencePieceModel.WORD:
            return [SPACE + word for word in whole.split(SPACE)[1:]]
        if self.model_type is SentencePieceModel.CHAR:
            found = list(whole)
        elif self.model_type is SentencePieceModel.BPE:
            found = self._merged(whole)
        else:
            found = self.best(whole)
        return list(self._joined(found))

    def _joined(self, found: list[str]) -> Iterator[str]:
        unknown = ""
        for piece in found:
            if piece in self._scores:
                if unknown:
                    yield unknown
                unknown = ""
                yield piece
            else:
                unknown += piece
        if unknown:
            yield unknown

    def without(self, piece: str) -> float:
        """The highest sum of scores of the pieces that make up one that is longer than a character."""
        score = self._scores.pop(piece)
        try:
            return sum(self._scores.get(part, self._worst) for part in self.best(piece))
        finally:
            self._scores[piece] = score

    def best(self, text: str) -> list[str]:
        """The pieces with the highest sum of scores (Viterbi)."""
        sums, starts = [0.0] + [-float("inf")] * len(text), [0] * (len(text) + 1)
        for end in range(1, len(text) + 1):
            for start in range(max(end - self._longest, 0), end):
                score = self._scores.get(text[start:end], self._worst if start == end - 1 else None)
                if score is not None and sums[start] + score > sums[end]:
                    sums[end], starts[end] = sums[start] + score, start
        found, end = [], len(text)
        while end:
            found.append(text[starts[end] : end])
            end = starts[end]
        return found[::-1]

    def _merged(self, text: str) -> list[str]:
        """The characters, of which neighbors are joined while a piece has both; the highest score first."""
        parts, after, before = list(text), [*range(1, len(text)), -1], [*range(-1, len(text) - 1)]
        queue: list[tuple[float, int, str]] = []

        def offer(left: int) -> None:
            right = after[left]
            if right >= 0 and (both := parts[left] + parts[right]) in self._scores:
                heapq.heappush(queue, (-self._scores[both], left, both))

        for place in range(len(parts)):
            offer(place)
        while queue:
            _, left, both = heapq.heappop(queue)
            right = after[left]
            if not parts[left] or right < 0 or parts[left] + parts[right] != both:
                continue
            parts[left], parts[right] = both, ""
            after[left] = after[right]
            if after[left] >= 0:
                before[after[left]] = left
            offer(left)
            if before[left] >= 0:
                offer(before[left])
        return [part for part in parts if part]


def _varint(data: bytes, place: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[place]
        value |= (byte & 0x7F) << shift
        place, shift = place + 1, shift + 7
        if byte < 0x80:
            return value, place


def _fields(data: bytes) -> Iterator[tuple[int, int | bytes]]:
    """The numbers and values of the fields of a message."""
    place = 0
    while place < len(data):
        key, place = _varint(data, place)
        if key & 7 == 0:
            value, place = _varint(data, place)
            yield key >> 3, value
            continue
        if key & 7 == 2:
            size, place = _varint(data, place)
        else:
            size = {1: 8, 5: 4}[key & 7]
        if place + size > len(data):
            raise IndexError("the file ends early")
        yield key >> 3, data[place : place + size]
        place += size


def _piece(data: bytes) -> Piece:
    text, score, kind = "", 0.0, Kind.NORMAL
    for number, value in _fields(data):
        if number == _TEXT and isinstance(value, bytes):
            text = value.decode()
        elif number == _SCORE and isinstance(value, bytes):
            (score,) = struct.unpack("<f", value)
        elif number == _KIND and isinstance(value, int):
            kind = Kind(value)
    return Piece(text, score, kind)


def read_pieces(path: str | PathLike[str]) -> Pieces:
    """Read the file of a model.

    Raises:
        RuntimeError: it is none.
        OSError: it cannot be read.
    """
    pieces, model_type = [], SentencePieceModel.UNIGRAM
    try:
        for number, value in _fields(Path(path).read_bytes()):
            if number == _PIECES and isinstance(value, bytes):
                pieces.append(_piece(value))
            elif number == _TRAINER and isinstance(value, bytes):
                found = [kind for at, kind in _fields(value) if at == _MODEL_TYPE and isinstance(kind, int)]
                # The file counts from one.
                model_type = SentencePieceModel(found[0] - 1) if found else model_type
    except (IndexError, KeyError, ValueError, struct.error) as error:
        raise RuntimeError(f"{path} is not a SentencePiece model: {error}") from error
    if not pieces:
        raise RuntimeError(f"{path} is not a SentencePiece model: it has no pieces")
    return Pieces(pieces, model_type)


def _key(number: int, kind: int) -> bytes:
    return _number(number << 3 | kind)


def _number(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def _message(number: int, data: bytes) -> bytes:
    return _key(number, 2) + _number(len(data)) + data


def write_pieces(pieces: Pieces) -> bytes:
    """The bytes of the file of a model."""
    out = b""
    for piece in pieces.pieces:
        fields = _message(_TEXT, piece.text.encode()) + _key(_SCORE, 5) + struct.pack("<f", piece.score)
        kind = b"" if piece.kind is Kind.NORMAL else _key(_KIND, 0) + _number(piece.kind)
        out += _message(_PIECES, fields + kind)
    return out + _message(_TRAINER, _key(_MODEL_TYPE, 0) + _number(pieces.model_type + 1))
