"""safetensors files with wrong headers are refused in one sentence; nothing is allocated for what they claim."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import pytest

from framework.train import CheckpointError, load_checkpoint


def _entry(begin: int, end: int, shape: tuple[int, ...] = (2,), kind: str = "F32") -> dict[str, object]:
    return {"dtype": kind, "shape": shape, "data_offsets": [begin, end]}


TWICE = f'{{"a": {json.dumps(_entry(0, 8))}, "a": {json.dumps(_entry(0, 8))}}}'.encode()

WRONG: dict[str, tuple[dict[str, object] | bytes, int]] = {
    "overlap": ({"a": _entry(0, 8), "b": _entry(4, 12)}, 12),
    "gap": ({"a": _entry(0, 8), "b": _entry(16, 24)}, 24),
    "past the end": ({"a": _entry(0, 80, (20,))}, 8),
    "bytes behind": ({"a": _entry(0, 8)}, 12),
    "shape and bytes": ({"a": _entry(0, 8, (3,))}, 8),
    "backwards": ({"a": _entry(8, 0)}, 8),
    "negative length": ({"a": _entry(0, 8, (-2,))}, 8),
    "wrapping product": ({"a": _entry(0, 8, (1 << 62, 8))}, 8),
    "unknown type": ({"a": _entry(0, 8, kind="F99")}, 8),
    "type that numpy lacks": ({"a": _entry(0, 2, kind="F8_E4M3")}, 2),
    "name twice": (TWICE, 8),
    "no JSON": (b"{", 0),
    "a list": (b"[]", 0),
}


@pytest.mark.parametrize("what", WRONG)
def test_a_wrong_header_is_refused(tmp_path: Path, what: str) -> None:
    header, count = WRONG[what]
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    path = tmp_path / "net.safetensors"
    path.write_bytes(struct.pack("<Q", len(text)) + text + bytes(count))
    with pytest.raises(CheckpointError, match=r"net\.safetensors") as refused:
        load_checkpoint(path, format="safetensors")
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("length", [2 << 30, 1 << 63, 100, 0])
def test_a_header_longer_than_the_file_is_refused(tmp_path: Path, length: int) -> None:
    path = tmp_path / "net.safetensors"
    path.write_bytes(struct.pack("<Q", length) + b"{}")
    with pytest.raises(CheckpointError, match=r"net\.safetensors"):
        load_checkpoint(path, format="safetensors")
