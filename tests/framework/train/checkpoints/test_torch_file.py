"""State dicts of PyTorch: what is read, and what is refused. The archives are written here by PyTorch's layout."""

from __future__ import annotations

import collections
import io
import pickle
import random
import sys
import types
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import framework as ms
from framework.train.checkpoints import CheckpointError


class Storage:
    """Stands for a storage while an archive is written."""

    def __init__(self, key: str, kind: str, array: np.ndarray) -> None:
        self.key, self.kind, self.array = key, kind, array


class Call:
    """Is pickled as a call of a function."""

    def __init__(self, function: Any, *arguments: Any) -> None:
        self.function, self.arguments = function, arguments

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        return self.function, self.arguments


class Pickler(pickle.Pickler):
    """Names storages as PyTorch does."""

    def persistent_id(self, obj: Any) -> Any:
        if isinstance(obj, Storage):
            return ("storage", getattr(sys.modules["torch"], obj.kind), obj.key, "cpu", obj.array.size)
        return None


@pytest.fixture
def torch_names(monkeypatch: pytest.MonkeyPatch) -> types.ModuleType:
    """Modules with PyTorch's names, which pickle needs to write them."""
    torch, utils = types.ModuleType("torch"), types.ModuleType("torch._utils")
    for kind in ("FloatStorage", "LongStorage"):
        setattr(torch, kind, type(kind, (), {"__module__": "torch"}))
    for name in ("_rebuild_tensor_v2", "_danger"):
        function = types.FunctionType((lambda *given: given).__code__, {}, name)
        function.__module__, function.__qualname__ = "torch._utils", name
        setattr(utils, name, function)
    monkeypatch.setitem(sys.modules, "torch", torch)
    monkeypatch.setitem(sys.modules, "torch._utils", utils)
    return utils


def archive(path: Path, values: object, storages: list[Storage], compression: int = zipfile.ZIP_STORED) -> Path:
    content = io.BytesIO()
    Pickler(content, 2).dump(values)
    with zipfile.ZipFile(path, "w", compression) as file:
        file.writestr("archive/data.pkl", content.getvalue())
        file.writestr("archive/byteorder", "little")
        for storage in storages:
            file.writestr(f"archive/data/{storage.key}", storage.array.tobytes())
    return path


def state(utils: Any, shape: tuple[int, ...] = (2, 3), strides: tuple[int, ...] = (3, 1), offset: int = 0) -> Any:
    storage = Storage("0", "FloatStorage", np.arange(6, dtype=np.float32))
    tensor = Call(utils._rebuild_tensor_v2, storage, offset, shape, strides, False, collections.OrderedDict())
    return collections.OrderedDict(weight=tensor), [storage]


def test_tensors_are_views_of_storages(tmp_path: Path, torch_names: types.ModuleType) -> None:
    path = archive(tmp_path / "a.pt", *state(torch_names))
    read = ms.load_checkpoint(path, format="torch")
    np.testing.assert_array_equal(read["weight"].asnumpy(), np.arange(6, dtype=np.float32).reshape(2, 3))
    path = archive(tmp_path / "b.pt", *state(torch_names, (2, 2), (1, 3), 1))
    np.testing.assert_array_equal(ms.load_checkpoint(path, format="torch")["weight"].asnumpy(), [[1, 4], [2, 5]])


def test_a_global_that_no_state_dict_needs_is_named(tmp_path: Path, torch_names: types.ModuleType) -> None:
    values, storages = state(torch_names)
    values["evil"] = Call(torch_names._danger, "rm")
    with pytest.raises(CheckpointError, match=r"torch\._utils\._danger"):
        ms.load_checkpoint(archive(tmp_path / "a.pt", values, storages), format="torch")
    values["evil"] = Call(eval, "1")
    with pytest.raises(CheckpointError, match=r"builtin.*eval"):
        ms.load_checkpoint(archive(tmp_path / "b.pt", values, storages), format="torch")


@pytest.mark.parametrize(
    ("shape", "strides", "offset"), [((3, 3), (3, 1), 0), ((2, 3), (3, 1), 1), ((1 << 40,), (0,), 0)]
)
def test_views_beyond_their_storage_are_refused(
    tmp_path: Path, torch_names: types.ModuleType, shape: tuple[int, ...], strides: tuple[int, ...], offset: int
) -> None:
    path = archive(tmp_path / "a.pt", *state(torch_names, shape, strides, offset))
    with pytest.raises(CheckpointError, match="'weight'"):
        ms.load_checkpoint(path, format="torch")


def test_compressed_entries_and_other_files_are_refused(tmp_path: Path, torch_names: types.ModuleType) -> None:
    path = archive(tmp_path / "a.pt", *state(torch_names), zipfile.ZIP_DEFLATED)
    with pytest.raises(CheckpointError, match="compressed"):
        ms.load_checkpoint(path, format="torch")
    path.write_bytes(pickle.dumps({"a": 1}))
    with pytest.raises(CheckpointError, match="no state dict"):
        ms.load_checkpoint(path, format="torch")


def test_damaged_copies_are_read_or_refused(tmp_path: Path, torch_names: types.ModuleType) -> None:
    content = archive(tmp_path / "a.pt", *state(torch_names)).read_bytes()
    chance = random.Random(0)
    for _ in range(200):
        damaged = bytearray(content)
        for _ in range(chance.randrange(1, 4)):
            damaged[chance.randrange(len(damaged))] ^= 1 << chance.randrange(8)
        (tmp_path / "b.pt").write_bytes(damaged)
        try:
            ms.load_checkpoint(tmp_path / "b.pt", format="torch")
        except CheckpointError as error:
            assert "b.pt" in str(error)  # noqa: PT017
