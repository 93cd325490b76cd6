"""Checkpoints as safetensors files, through the library of that name. `framework.train.serialization` uses it.

The metadata are those of MindSpore 2.10 (`format`, with `crc_check` also `crc_num`) and three of this project, which
other readers ignore: `checksum`, `checksum_kind`, and `texts`, a JSON object with the texts, for which the format has
no place. The optional package `safetensors` is imported when such a file is written or read.
"""

from __future__ import annotations

import itertools
import json
import logging
import zlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import google_crc32c
import numpy as np

from framework.common.replacing import replacing
from framework.train.checkpoints.elements import Array, from_bfloat16
from framework.train.checkpoints.errors import CheckpointError, damaged

__all__ = ["read_safetensors", "write_safetensors"]

_log = logging.getLogger("framework")

_DTYPES: Final = {
    "BOOL": "?", "I8": "<i1", "I16": "<i2", "I32": "<i4", "I64": "<i8", "U8": "<u1", "U16": "<u2", "U32": "<u4",
    "U64": "<u8", "F16": "<f2", "F32": "<f4", "F64": "<f8", "C64": "<c8",
}  # fmt: skip
_NAMES: Final = {np.dtype(code): name for name, code in _DTYPES.items()}
_KIND: Final = "CRC-32C"
_ZEROS: Final = bytes(1 << 20)
_MOST_ZEROS: Final = 1 << 32
"""Limit in bytes of arrays for MindSpore's checksum, which needs a copy in memory."""


def write_safetensors(path: Path, values: Iterable[tuple[str, Array | str]], *, crc_check: bool = False) -> None:
    """Write a file: first under a temporary name, then renamed once it is complete and on the disk.

    Args:
        path: the file; an existing one is replaced.
        values: pairs of a name and an array or a text.
        crc_check: add MindSpore's checksum too.

    Raises:
        CheckpointError: an array's type cannot be written.
        ImportError: the package `safetensors` is not installed.
        OSError: the file cannot be written; an existing file is unchanged.
    """
    library = _library()
    texts: dict[str, str] = {}
    arrays: dict[str, Array] = {}
    for name, value in values:
        if isinstance(value, str):
            texts[name] = value
        else:
            arrays[name] = _little_endian(name, value)
    metadata = {"format": "ms", **({"texts": json.dumps(texts)} if texts else {})}
    if crc_check:
        metadata["crc_num"] = str(_crc_num(sorted(arrays.items())))
    sums = _crc32c(((name, _NAMES[array.dtype], array) for name, array in sorted(arrays.items())), metadata)
    metadata |= {"checksum": f"{sums:08x}", "checksum_kind": _KIND}
    with replacing(path) as file:
        file.write(library.numpy.save(arrays, metadata))


def _library() -> ModuleType:
    try:
        import safetensors
        import safetensors.numpy
    except ImportError:
        raise ImportError(
            "safetensors files need the package safetensors: pip install 'mindinsight[safetensors]'"
        ) from None
    return safetensors


def _little_endian(name: str, value: Array) -> Array:
    kind = value.dtype.newbyteorder("<") if value.dtype.byteorder == ">" else value.dtype
    if kind not in _NAMES:
        raise CheckpointError(
            f"{name}: arrays of type {value.dtype} cannot be saved as safetensors; those of "
            f"{', '.join(_NAMES.values())} can. format='ckpt' has further ones."
        )
    # np.ascontiguousarray would add a dimension to a tensor without dimensions.
    return np.ascontiguousarray(value, kind).reshape(value.shape)


def _crc_num(arrays: Iterable[tuple[str, Array]]) -> int:
    """MindSpore's checksum: the CRC-32 of names and elements, sorted by name."""
    crc = 0
    for name, array in arrays:
        crc = zlib.crc32(name.encode(), crc)
        for piece in _as_mindspore_sums(array):
            crc = zlib.crc32(piece, crc)
    return crc


def _as_mindspore_sums(array: Array) -> Iterator[bytes]:
    """The bytes of an array, as MindSpore's `bytes(array)` gives them: of an integer n without dimensions n zeros."""
    if array.shape or array.dtype.kind not in "iu" or not 0 <= int(array) < _MOST_ZEROS:
        yield array.tobytes()
        return
    whole, rest = divmod(int(array), len(_ZEROS))
    yield from itertools.repeat(_ZEROS, whole)
    yield _ZEROS[:rest]


def _crc32c(arrays: Iterable[tuple[str, str, Array]], metadata: Mapping[str, str]) -> int:
    """The checksum of this project: the CRC-32C of names, types, shapes, elements and metadata, sorted by name."""
    crc = 0
    for name, kind, array in arrays:
        crc = google_crc32c.extend(crc, json.dumps([name, kind, list(array.shape)]).encode())
        crc = google_crc32c.extend(crc, array.tobytes())
    known = [[key, metadata[key]] for key in ("format", "texts", "crc_num") if key in metadata]
    return int(google_crc32c.extend(crc, json.dumps(known).encode()))


def read_safetensors(path: Path, *, crc_check: bool = False) -> Iterator[tuple[str, Array | str]]:
    """The values of a file, sorted by name. The file is verified completely before the first value.

    Args:
        path: the file.
        crc_check: verify MindSpore's checksum too, and warn if the file has no checksum at all.

    Returns:
        Pairs of a name and an array or a text.

    Raises:
        CheckpointError: the file is not a safetensors file, is damaged, or has elements of an unknown type.
        ImportError: the package `safetensors` is not installed.
        OSError: the file cannot be read.
    """
    library = _library()
    try:
        with library.safe_open(path, framework="np") as file:
            metadata: dict[str, str] = file.metadata() or {}
            kinds = {name: file.get_slice(name).get_dtype() for name in sorted(file.keys())}
            arrays = _arrays(path, file, kinds, library)
    except library.SafetensorError as error:
        raise damaged(path, f"it is not a safetensors file ({error})") from None
    _refuse_repeated_names(path)
    _verify(path, arrays, kinds, metadata, crc_check)
    for name, array in arrays.items():
        yield name, from_bfloat16(array) if kinds[name] == "BF16" else array
    yield from json.loads(metadata.get("texts", "{}") if "checksum" in metadata else "{}").items()


def _refuse_repeated_names(path: Path) -> None:
    """Refuse a header that names something twice. The library takes the last one without a word.

    The header is the JSON text behind the 8 bytes of its length; the library has checked both.
    """

    def once(pairs: list[tuple[str, object]]) -> dict[str, object]:
        found = dict(pairs)
        if len(found) < len(pairs):
            names = [name for name, _ in pairs]
            repeated = next(name for name in names if names.count(name) > 1)
            raise damaged(path, f"its header has {repeated!r} twice")
        return found

    with path.open("rb") as file:
        length = int.from_bytes(file.read(8), "little")
        json.loads(file.read(length), object_pairs_hook=once)


def _arrays(path: Path, file: Any, kinds: Mapping[str, str], library: ModuleType) -> dict[str, Array]:
    unknown = next((name for name, kind in kinds.items() if kind not in _DTYPES and kind != "BF16"), None)
    if unknown is not None:
        raise CheckpointError(
            f"{path}: {unknown!r} has elements of type {kinds[unknown]}, which cannot be read; those of "
            f"{', '.join(_DTYPES)} and BF16 can"
        )
    if "BF16" not in kinds.values():
        return {name: file.get_tensor(name) for name in kinds}
    # The library has no bfloat16 for numpy and returns the bytes.
    raw = dict(library.deserialize(path.read_bytes()))
    return {
        name: np.frombuffer(raw[name]["data"], _DTYPES.get(kind, "<u2")).reshape(raw[name]["shape"])
        for name, kind in kinds.items()
    }


def _verify(
    path: Path, arrays: Mapping[str, Array], kinds: Mapping[str, str], metadata: Mapping[str, str], crc_check: bool
) -> None:
    has_checksum = "checksum" in metadata
    if has_checksum != ("checksum_kind" in metadata):
        raise damaged(path, "one of its metadata checksum and checksum_kind is missing")
    if has_checksum:
        if metadata["checksum_kind"] != _KIND:
            raise damaged(path, f"its checksum is of the kind {metadata['checksum_kind']!r}, not {_KIND}")
        computed = _crc32c(((name, kinds[name], array) for name, array in arrays.items()), metadata)
        if f"{computed:08x}" != metadata["checksum"]:
            raise damaged(path, f"its CRC-32C is {computed:08x}, and {metadata['checksum']} was written")
    if "crc_num" in metadata and (crc_check or not has_checksum):
        crc_num = _crc_num(arrays.items())
        if str(crc_num) != metadata["crc_num"]:
            raise damaged(path, f"its CRC-32 is {crc_num}, and {metadata['crc_num']} was written as crc_num")
    elif crc_check and not has_checksum:
        _log.warning("%s has no checksum, so damage cannot be detected", path)
