"""A damaged checkpoint is refused with an error that names it, or gives the values that were saved."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from framework import Tensor
from framework.schema.checkpoint_pb2 import Checkpoint
from framework.train import CheckpointError, load_checkpoint, save_checkpoint
from framework.train.checkpoints import elements, encryption

COUNT = 500 if os.environ.get("MINDINSIGHT_TEST_COUNTS") == "long" else 60

KEY = bytes(range(16))
FORMS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "ckpt": ({}, {}),
    "crc_check": ({"crc_check": True}, {"crc_check": True}),
    "AES-GCM": ({"enc_key": KEY}, {"dec_key": KEY}),
    "AES-CBC": ({"enc_key": KEY, "enc_mode": "AES-CBC"}, {"dec_key": KEY, "dec_mode": "AES-CBC"}),
    "safetensors": ({"format": "safetensors"}, {"format": "safetensors"}),
}


def values() -> dict[str, Any]:
    rng = np.random.default_rng(0)
    drawn = {f"layer{index}.weight": rng.normal(size=(16, 8)).astype(np.float32) for index in range(8)}
    # Two of the same size and elements of few kinds: what is hardest to tell from what was saved.
    return {**drawn, "mask": np.array([True, False] * 20), "steps": np.arange(300), "zeros": np.zeros(2000, np.float32)}


@pytest.fixture(params=FORMS)
def saved(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> tuple[Path, dict[str, Any]]:
    """A file of each form, in several parts and blocks, and the arguments to load it."""
    monkeypatch.setattr(elements, "PART_BYTES", 1000)
    monkeypatch.setattr(encryption, "BLOCK_BYTES", 4000)
    saving, loading = FORMS[request.param]
    path = tmp_path / ("x.safetensors" if request.param == "safetensors" else "x.ckpt")
    save_checkpoint(
        {name: Tensor(value) for name, value in values().items()}, path, append_dict={"t": "text", "n": 3}, **saving
    )
    return path, loading


def flipped(good: bytes, rng: np.random.Generator) -> bytes:
    damaged = bytearray(good)
    for at in rng.integers(len(good), size=int(rng.integers(1, 9))):
        damaged[at] ^= 1 << int(rng.integers(8))
    return bytes(damaged)


def cut(good: bytes, rng: np.random.Generator) -> bytes:
    return good[: int(rng.integers(len(good)))]


def _block(good: bytes, rng: np.random.Generator) -> tuple[int, int]:
    size = int(rng.choice([1, 16, 64, 512, 4096]))
    at = int(rng.integers(max(1, len(good) - size))) // size * size
    return at, at + size


def removed(good: bytes, rng: np.random.Generator) -> bytes:
    start, end = _block(good, rng)
    return good[:start] + good[end:]


def repeated(good: bytes, rng: np.random.Generator) -> bytes:
    start, end = _block(good, rng)
    return good[:end] + good[start:]


def swapped(good: bytes, rng: np.random.Generator) -> bytes:
    (one, one_end), (two, two_end) = sorted([_block(good, rng), _block(good, rng)])
    if one_end > two:
        return flipped(good, rng)
    return good[:one] + good[two:two_end] + good[one_end:two] + good[one:one_end] + good[two_end:]


def zeroed(good: bytes, rng: np.random.Generator) -> bytes:
    start, end = _block(good, rng)
    return good[:start] + bytes(len(good[start:end])) + good[end:]


def without_a_record(good: bytes, rng: np.random.Generator) -> bytes:
    """Cut where a record ends or begins, which leaves a sequence of whole records."""
    ends = [match.end() for match in re.finditer(rb"\xea\xb9\x1d\x05\r....", good, re.DOTALL)] or [len(good) // 2]
    return good[: ends[int(rng.integers(len(ends)))]]


DAMAGES: list[Callable[[bytes, np.random.Generator], bytes]] = [
    flipped, cut, removed, repeated, swapped, zeroed, without_a_record
]  # fmt: skip


def is_refused(path: Path, loading: dict[str, Any]) -> bool:
    """Whether a file is refused, with an error that names it; otherwise its values are those that were saved."""
    found: dict[str, Any] | None = None
    with contextlib.suppress(CheckpointError):
        found = load_checkpoint(path, **loading)
    if found is None:
        with pytest.raises(CheckpointError, match=re.escape(str(path))):
            load_checkpoint(path, **loading)
        return True
    expected = {**values(), "n": np.array(3)}
    assert (set(found), found["t"]) == ({*expected, "t"}, "text")
    for name, value in expected.items():
        np.testing.assert_array_equal(found[name].asnumpy(), value)
        assert found[name].asnumpy().dtype == value.dtype
    return False


def test_damaged_files_are_refused_or_equal(saved: tuple[Path, dict[str, Any]]) -> None:
    path, loading = saved
    good = path.read_bytes()
    assert not is_refused(path, loading)
    rng = np.random.default_rng(7)
    refused = 0
    for number in range(COUNT):
        path.write_bytes(DAMAGES[number % len(DAMAGES)](good, rng))
        refused += is_refused(path, loading)
    # Most damages are real ones.
    assert refused > 0.8 * COUNT


def test_every_cut_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.ckpt"
    save_checkpoint({"a": Tensor(np.ones((2, 3), np.float32)), "b": Tensor(np.arange(4))}, path, append_dict={"t": "x"})
    good = path.read_bytes()
    for end in range(len(good)):
        path.write_bytes(good[:end])
        with pytest.raises(CheckpointError, match=re.escape(str(path))):
            load_checkpoint(path)
    path.write_bytes(good + b"\x0a\x00")
    with pytest.raises(CheckpointError, match="further bytes follow its end"):
        load_checkpoint(path)


def test_a_changed_number_names_its_parameter(tmp_path: Path) -> None:
    path = tmp_path / "x.ckpt"
    save_checkpoint({"first": Tensor(np.zeros(4, np.float32)), "second": Tensor(np.full(4, 7.5, np.float32))}, path)
    damaged = bytearray(path.read_bytes())
    damaged[damaged.index(np.full(4, 7.5, np.float32).tobytes())] ^= 1
    path.write_bytes(damaged)
    with pytest.raises(CheckpointError, match=r"the checksum of 'second' \(bytes \d+ to \d+\) does not match") as error:
        load_checkpoint(path)
    assert "Restore it from a copy, or load another checkpoint" in str(error.value)


def record(tag: str, dims: list[int], kind: str, content: bytes) -> bytes:
    message = Checkpoint()
    message.value.add(tag=tag, tensor={"dims": dims, "tensor_type": kind, "tensor_content": content})
    return message.SerializeToString()


GOOD = record("w", [2, 2], "Float32", bytes(16))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (record("w", [2, 2], "Float32", bytes(15)), "'w' has 15 bytes, which do not fit Float32 elements"),
        (record("w", [-2, -2], "Float32", bytes(16)), r"of shape \(-2, -2\)"),
        (record("w", [1 << 62, 1 << 62], "Float32", bytes(16)), "'w' has 16 bytes"),
        (record("w", [0, 1 << 62], "Float32", b""), "'w' has 0 bytes"),
        (record("w", [0, 1 << 40, 1 << 40], "Float32", b""), "'w' has 0 bytes"),
        (record("w", [1 << 62] * 100_000, "Float32", bytes(16)), r"of shape \(4611686018427387904, .*…\)"),
        (record("w", [2, 2], "Floaty32", bytes(16)), "elements of type 'Floaty32', which cannot be read"),
        (record("w", [3], "Bool", b"\0\1\2"), "neither true nor false"),
        (record("t", [0], "str", b"\0\0\0\xff"), "the text 't' is not UTF-32"),
        (GOOD + record("v", [1], "Int8", b"1") + GOOD, "it has 'w' twice"),
        (GOOD + record("w", [2, 2], "Int32", bytes(16)), "the parts of 'w' have different shapes or types"),
        (GOOD + b"\x0a\x05\x0a\x01\xffxx", "cannot be read"),
        (GOOD[:-1], "ends in the middle of the value at byte 0"),
        (b"\x0a\xff\xff\xff\xff\xff\x01", "has no length"),
        (GOOD + bytes(100), "no value begins at byte"),
        (record("w", [2, 2], "Float32", bytes(16)).replace(b"\x08\x02\x08\x02", b"\x08\x02\x28\x02"), "does not know"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_files_without_checksums_have_to_agree_with_themselves(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "x.ckpt"
    path.write_bytes(GOOD)
    assert load_checkpoint(path)["w"].shape == (2, 2)
    path.write_bytes(content)
    with pytest.raises(CheckpointError, match=message) as error:
        load_checkpoint(path)
    assert str(path) in str(error.value)


def test_a_value_that_claims_gigabytes_is_refused_before_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "x.ckpt"
    path.write_bytes(b"\x0a\x80\x80\x80\x80\x10")
    # All of it is a hole, which takes no room on the disk.
    os.truncate(path, 5 << 30)
    with pytest.raises(CheckpointError, match="more than allowed"):
        load_checkpoint(path)
