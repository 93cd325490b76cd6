"""Event files made by chance: mostly sound, sometimes odd, broken, or made to do harm.

For the tests that hold the reader's two ways against each other. Every file is given by its seed.
"""

import struct
from collections.abc import Callable
from pathlib import Path
from random import Random

from summaries.records import frame

from .conftest import MINDSPORE, TENSORBOARD, Hand

TAGS = [b"loss", b"accuracy", "损失".encode(), b"a" * 300, b"x", b"y"]
BAD_TAGS = [b"", b"\xff", b"null\0", b"long" * 300]
PLUGINS = ["scalars", "scalars", "", "images", "histograms", "text", "hparams", "pr_curves", "mesh", "unheard of"]
NUMBERS = [0.0, -0.0, 1.5, -1e-45, 3e38, float("nan"), float("inf"), -float("inf")]
STEPS = [0, 1, 127, 128, 1 << 40, (1 << 63) - 1, -1, -(1 << 63)]

varint = Hand.varint


def key(number: int, wire: int) -> bytes:
    return varint(number << 3 | wire)


# Keys, numbers and lengths in more bytes than they need or with too many, groups, and fields that nobody knows.
ODDITIES = [
    key(77, 0) + b"\x05",
    key(77, 1) + bytes(8),
    Hand.field(77, b"?"),
    key(77, 5) + bytes(4),
    key(77, 3) + Hand.field(1, b"in a group") + key(77, 4),
    key(77, 3) + key(1, 3) + key(1, 4) + key(77, 4),
    key(77, 3),
    key(77, 4),
    key(2, 0) + b"\x81\x80\x00",
    b"\x90\x00\x05",
    key(2, 0) + b"\xff" * 9 + b"\x01",
    key(2, 0) + b"\xff" * 9 + b"\x7f",
    key(2, 0) + b"\xff" * 10 + b"\x01",
    b"\x2a\x82\x00\x0a\x00",
    b"\x2a\x00",
    b"\x00",
    b"\x07",
    b"\x80\x80\x80\x80\x80\x01",
    b"\x0a\xff\xff\xff\xff\x0f",
    b"\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
    b"\x42\x00",
    b"\x4a\x00",
    b"\x15\x00\x00\x80\x3f",
    b"\x1d\x00\x00\x80\x3f",
    b"\x0a\x01x",
]


def metadata(plugin: str, content: bytes = b"") -> bytes:
    return Hand.field(1, Hand.field(1, plugin.encode()) + (Hand.field(2, content) if content else b""))


SEPARATOR = b"\xff\x00"
VERSIONS = [Hand.version("brain.Event:2"), Hand.version("MindSpore.Event:1"), Hand.version("else")]


def file_from(data: bytes) -> bytes:
    """Return the file that a search's bytes stand for: most often the payloads of sound records.

    A checksum would hardly be found by a search, so the records are framed here.
    """
    choice, rest = data[0] if data else 0, data[1:]
    if choice % 8 == 7:
        return rest
    payloads = [VERSIONS[choice % 3], *rest.split(SEPARATOR)]
    return b"".join(map(frame, payloads * (1 + choice % 2)))


def write_corpus(folder: Path) -> None:
    """Write the input of a search, in the form that `file_from` takes."""
    for seed in range(30):
        made = Hostile(seed)
        payloads = SEPARATOR.join(made.payloads(3)[1:])
        (folder / f"payloads {seed}").write_bytes(bytes([0 if made.tensorboard else 1]) + payloads)
        (folder / f"file {seed}").write_bytes(b"\x07" + made.file())


class Hostile:
    """Makes one file.

    Args:
        seed: which.
        strange: how likely each part is to be odd.
    """

    def __init__(self, seed: int, strange: float | None = None) -> None:
        self.random = Random(seed)
        self.strange = self.random.choice([0, 0.02, 0.1]) if strange is None else strange
        self.tags = self.random.sample(TAGS, self.random.randint(1, 3))
        self.metadata = {tag: metadata(self.random.choice(PLUGINS)) for tag in self.tags}
        self.tensorboard = self.random.random() < 0.6

    def file(self, *, damages: int | None = None) -> bytes:
        """Return the bytes of a file with some records and some damage."""
        records = [Hand.record(payload) for payload in self.payloads(self.random.randint(0, 40))]
        content = bytearray(b"".join(records))
        for _ in range(self.random.choice([0, 0, 1, 3]) if damages is None else damages):
            self.harm(content)
        return bytes(content)

    def payloads(self, count: int) -> list[bytes]:
        return [self.version(), *(self.payload() for _ in range(count))]

    def version(self) -> bytes:
        if self.odd():
            return self.random.choice([b"", Hand.version("else"), Hand.version() + Hand.field(1001, b"\x18\x05")])
        return Hand.version("brain.Event:2" if self.tensorboard else "MindSpore.Event:1")

    def payload(self) -> bytes:
        if self.odd():
            return self.random.choice([self.version, self.other, lambda: self.noise(40)])()
        values = [self.field(1, self.value()) for _ in range(self.random.choice([1, 1, 2, 3, 5]))]
        wall = key(1, 1) + struct.pack("<d", self.random.choice([*NUMBERS, 1.7e9]))
        step = key(2, 0) + varint(self.random.choice([self.random.randrange(300), *STEPS]))
        return self.assemble([wall, step, self.field(5, self.assemble(values, shuffle=False))])

    def other(self) -> bytes:
        number = self.random.choice([3, 4, 6, 7, 7, 8, 9, 1000, 1001, 1002, 1003, 1004, 1005])
        content = self.random.choice([b"", b"\x08\x01", b"\x08\x02", b"\x18\x05", self.noise(9)])
        return self.assemble([key(1, 1) + bytes(8), Hand.field(number, content)])

    def value(self) -> bytes:
        tag = self.random.choice(BAD_TAGS if self.odd() else self.tags)
        contents: list[Callable[[bytes], list[bytes]]] = [self.scalar, self.scalar, self.tensor, self.tensor, self.rich]
        return self.assemble([self.field(1, tag), *self.random.choice(contents)(tag)])

    def scalar(self, tag: bytes) -> list[bytes]:
        return [key(self.random.choice([2, 3]), 5) + self.random.choice([self.float(), self.noise(4, 4)])]

    def rich(self, tag: bytes) -> list[bytes]:
        return [self.field(self.random.choice([4, 5, 6, 9, 10, 1000, 1001]), self.noise(9)), *self.meta(tag)]

    def meta(self, tag: bytes) -> list[bytes]:
        if self.odd():
            content = self.random.choice([b"", b"c", b"content" * 100, b"content" * 40])
            self.metadata[tag] = metadata(self.random.choice(PLUGINS), content)
        if self.random.random() < 0.5:
            return []
        return [self.field(9, self.noise(6) if self.odd() else self.metadata.get(tag, b""))]

    def tensor(self, tag: bytes) -> list[bytes]:
        data = self.noise(20) if self.odd() else self.tensor_proto()
        extra = [self.field(1001, b"exact")] if self.random.random() < 0.1 else []
        return [self.field(8, data), *extra, *self.meta(tag)]

    def tensor_proto(self) -> bytes:
        double = self.random.random() < 0.5
        number = struct.pack("<d", self.random.choice(NUMBERS)) if double else self.float()
        forms = [self.field(4, number), self.field(6 if double else 5, number), key(6, 1) + number, b""]
        if not double:
            forms[2] = key(5, 5) + number
        dtype = self.random.choice([3, 4, 10, 14, 19, 99]) if self.odd() else 1 + double
        parts = [key(1, 0) + varint(dtype), self.random.choice(forms)]
        if self.random.random() < 0.5:
            shapes = [b"", b"", b"\x12\x02\x08\x01", b"\x12\x02\x08\x02", b"\x18\x01", b"\xff"]
            parts.append(self.field(2, self.random.choice(shapes)))
        if self.odd():
            parts.append(self.random.choice([self.field(4, bytes(900)), self.field(4, bytes(1100)), *forms]))
        return self.assemble(parts)

    def field(self, number: int, content: bytes) -> bytes:
        if self.odd() and self.odd():
            return key(number, 2) + varint(len(content) | 1 << 7)[:-1] + b"\x80\x00" + content
        return Hand.field(number, content)

    def assemble(self, parts: list[bytes], *, shuffle: bool = True) -> bytes:
        """Join the parts of a message, which may go wrong."""
        if self.odd():
            parts = [*parts, self.random.choice([*parts, *ODDITIES])]
            if shuffle:
                self.random.shuffle(parts)
        elif self.odd():
            parts.pop(self.random.randrange(len(parts)))
        joined = b"".join(parts)
        return joined[: self.random.randrange(len(joined) + 1)] if self.odd() and self.odd() else joined

    def harm(self, content: bytearray) -> None:
        """Break something in a file."""
        place = self.random.randint(0, len(content))
        how = self.random.choice(["flip", "flip", "flip", "cut", "insert", "end"])
        if how == "flip" and place < len(content):
            content[place] ^= self.random.randint(1, 255)
        elif how == "cut":
            del content[place : place + self.random.randint(1, 30)]
        elif how == "insert":
            content[place:place] = self.noise(20)
        elif how == "end":
            del content[place:]

    def noise(self, longest: int, shortest: int = 0) -> bytes:
        return self.random.randbytes(self.random.randint(shortest, longest))

    def float(self) -> bytes:
        return struct.pack("<f", self.random.choice([*NUMBERS, self.random.random()]))

    def odd(self) -> bool:
        return self.random.random() < self.strange


def plain_file(rounds: Random, hand: Hand) -> list[bytes]:
    """Plain numbers of some tags in rising steps, of either flavour."""
    tensorboard = rounds.random() < 0.5
    tags = [f"tag{number}é" for number in range(rounds.randint(1, 5))]
    records = [hand.version(TENSORBOARD if tensorboard else MINDSPORE)]
    for step in range(rounds.randint(0, 30)):
        chosen = rounds.sample(tags, rounds.randint(0, len(tags)))
        numbers = [rounds.choice([0.0, -1.5, float("nan"), float("inf"), rounds.gauss(0, 1)]) for _ in chosen]
        values = [
            hand.scalar(tag, number, tensorboard=tensorboard) for tag, number in zip(chosen, numbers, strict=True)
        ]
        records.append(hand.event(step - 3, *values, wall=1e9 + rounds.random()))
    return [hand.record(payload) for payload in records]
