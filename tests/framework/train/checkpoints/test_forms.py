"""Checkpoints with MindSpore's checksum, encrypted ones and safetensors: MindSpore reads ours, and its are read."""

from __future__ import annotations

import json
import logging
import struct
import sys
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from safetensors import TensorSpec, safe_open, serialize_file
from safetensors.numpy import load_file, save_file

import framework as ms
from framework import Tensor
from framework.train import CheckpointError, load_checkpoint, save_checkpoint
from framework.train.checkpoints import elements, encryption
from tests.framework.train.checkpoints.of_mindspore import KEY, file_of_mindspore
from tests.framework.train.networks import batches, model, values_of

VALUES = {"w": np.arange(6, dtype=np.float32).reshape(2, 3), "b": np.array([True, False]), "n": np.array(-2)}
MODES = ["AES-GCM", "AES-CBC", "SM4-CBC"]


def save(path: Path, **arguments: Any) -> bytes:
    """A file with VALUES and a text; its content."""
    save_checkpoint({name: Tensor(value) for name, value in VALUES.items()}, path, append_dict={"t": "é"}, **arguments)
    return path.read_bytes()


def check(found: dict[str, Any]) -> None:
    assert (set(found), found["t"]) == ({*VALUES, "t"}, "é")
    for name, value in VALUES.items():
        np.testing.assert_array_equal(found[name].asnumpy(), value)
        assert found[name].asnumpy().dtype == value.dtype


def schema_of_mindspore() -> Any:
    """The message class of MindSpore 2.10's `checkpoint.proto`, which does not know our checksums."""
    file = descriptor_pb2.FileDescriptorProto(name="of_mindspore.proto", package="of_mindspore", syntax="proto2")
    tensor, checkpoint = file.message_type.add(name="TensorProto"), file.message_type.add(name="Checkpoint")
    tensor.field.add(name="dims", number=1, label=3, type=3)
    tensor.field.add(name="tensor_type", number=2, label=2, type=9)
    tensor.field.add(name="tensor_content", number=3, label=2, type=12)
    value = checkpoint.nested_type.add(name="Value")
    value.field.add(name="tag", number=1, label=2, type=9)
    value.field.add(name="tensor", number=2, label=1, type=11, type_name=".of_mindspore.TensorProto")
    checkpoint.field.add(name="value", number=1, label=3, type=11, type_name=".of_mindspore.Checkpoint.Value")
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName("of_mindspore.Checkpoint"))


def read_as_mindspore(content: bytes) -> dict[str, Any]:
    """The values of a file by MindSpore's schema: names, with types, shapes and elements."""
    message = schema_of_mindspore()()
    message.ParseFromString(content)
    found: dict[str, Any] = {}
    for value in message.value:
        known = found.setdefault(value.tag, [value.tensor.tensor_type, tuple(value.tensor.dims), b""])
        known[2] += value.tensor.tensor_content
    return found


def test_mindspore_skips_the_checksums(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(elements, "PART_BYTES", 8)
    found = read_as_mindspore(save(tmp_path / "x.ckpt"))
    assert found == {
        "w": ["Float32", (2, 3), VALUES["w"].tobytes()],
        "b": ["Bool", (2,), b"\1\0"],
        "n": ["Int64", (), struct.pack("<q", -2)],
        "t": ["str", (0,), "é".encode("utf-32-le")],
    }


@pytest.mark.parametrize("kind", ["plain", "crc_check", *MODES, "safetensors"])
@pytest.mark.parametrize("crc_check", [False, True])
def test_files_of_mindspore_are_read(tmp_path: Path, kind: str, crc_check: bool) -> None:
    is_safetensors = kind == "safetensors"
    path = tmp_path / ("x.safetensors" if is_safetensors else "x.ckpt")
    path.write_bytes(file_of_mindspore(kind))
    how = {"dec_key": KEY, "dec_mode": kind} if kind in MODES else {"format": "safetensors"} if is_safetensors else {}
    found = load_checkpoint(path, crc_check=crc_check, **how)
    assert found["w"].asnumpy().tolist() == [[1, 2], [3, 4]]
    assert int(found["epoch_num"].asnumpy()) == 3
    if not is_safetensors:
        assert found["h"].asnumpy().tolist() == [1.5, -3]
        assert (found["text"], found["empty"]) == ("é", "")


def test_crc_check_appends_what_mindspore_verifies(tmp_path: Path) -> None:
    content = save(tmp_path / "x.ckpt", crc_check=True)
    assert content[-17:] == b"crc_num" + zlib.crc32(content[:-17]).to_bytes(10, "big")
    assert content[:-17] == save(tmp_path / "y.ckpt")
    check(load_checkpoint(tmp_path / "x.ckpt", crc_check=True))
    check(load_checkpoint(tmp_path / "x.ckpt"))


@pytest.mark.parametrize("crc_check", [False, True])
def test_a_damaged_file_with_the_checksum_of_mindspore_is_refused(tmp_path: Path, crc_check: bool) -> None:
    content = bytearray(file_of_mindspore("crc_check"))
    content[content.index(struct.pack("<f", 3))] ^= 1
    (tmp_path / "x.ckpt").write_bytes(content)
    with pytest.raises(CheckpointError, match=r"x.ckpt is damaged: its CRC-32 is .* was written as crc_num"):
        load_checkpoint(tmp_path / "x.ckpt", crc_check=crc_check)


def test_who_wants_a_check_hears_where_there_is_none(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING, "framework")
    save(tmp_path / "ours.ckpt")
    load_checkpoint(tmp_path / "ours.ckpt", crc_check=True)
    assert not caplog.messages
    (tmp_path / "x.ckpt").write_bytes(file_of_mindspore("plain"))
    load_checkpoint(tmp_path / "x.ckpt", crc_check=True)
    assert "x.ckpt has no checksum" in caplog.text


def decrypted(content: bytes, key: bytes, mode: str) -> bytes:
    """What a file holds, by the layout of MindSpore's and nothing of ours."""
    plain, at = b"", 0
    while at < len(content):
        magic, tag = struct.unpack_from("<I", content, at)[0], content[at + 4 : at + 20]
        assert magic == 0x7F3A5ED8 + MODES.index(mode)
        at += 20 if mode == "AES-GCM" else 4
        length, iv_bytes = struct.unpack_from("<II", content, at)
        iv = content[at + 8 : at + 8 + iv_bytes]
        (count,) = struct.unpack_from("<I", content, at + 8 + iv_bytes)
        block = content[at + 12 + iv_bytes : at + 12 + iv_bytes + count]
        at += 4 + length
        algorithm = algorithms.SM4(key) if mode == "SM4-CBC" else algorithms.AES(key)
        cipher = Cipher(algorithm, modes.GCM(iv[:12], tag) if mode == "AES-GCM" else modes.CBC(iv))
        decryptor = cipher.decryptor()
        data = decryptor.update(block) + decryptor.finalize()
        plain += data if mode == "AES-GCM" else data[: -data[-1]]
    return plain


@pytest.mark.parametrize(
    ("mode", "size"), [("AES-GCM", 16), ("AES-GCM", 24), ("AES-GCM", 32), ("AES-CBC", 32), ("SM4-CBC", 16)]
)
def test_encrypted_files_have_the_layout_of_mindspore(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mode: str, size: int
) -> None:
    monkeypatch.setattr(encryption, "BLOCK_BYTES", 64)
    key = bytes(range(size))
    content = save(tmp_path / "x.ckpt", enc_key=key, enc_mode=mode)
    assert decrypted(content, key, mode) == save(tmp_path / "plain.ckpt")
    assert content != save(tmp_path / "again.ckpt", enc_key=key, enc_mode=mode)
    check(load_checkpoint(tmp_path / "x.ckpt", dec_key=key, dec_mode=mode))


@pytest.mark.parametrize("mode", MODES)
def test_another_key_is_told(tmp_path: Path, mode: str) -> None:
    save(tmp_path / "x.ckpt", enc_key=KEY, enc_mode=mode)
    # With about one key of 256 the padding is right by chance.
    for number in range(1, 600 if mode != "AES-GCM" else 20):
        with pytest.raises(CheckpointError, match=r"x.ckpt cannot be decrypted: dec_key is not the key"):
            load_checkpoint(tmp_path / "x.ckpt", dec_key=number.to_bytes(16, "little"), dec_mode=mode)


def test_a_key_too_many_or_missing_and_another_mode_are_told(tmp_path: Path) -> None:
    save(tmp_path / "plain.ckpt")
    save(tmp_path / "x.ckpt", enc_key=KEY, enc_mode="AES-CBC")
    with pytest.raises(CheckpointError, match=r"plain.ckpt is not encrypted.*: leave dec_key out"):
        load_checkpoint(tmp_path / "plain.ckpt", dec_key=KEY)
    with pytest.raises(
        CheckpointError, match="encrypted with AES-CBC: give its key as dec_key, and dec_mode='AES-CBC'"
    ):
        load_checkpoint(tmp_path / "x.ckpt")
    with pytest.raises(CheckpointError, match="encrypted with AES-CBC, not with AES-GCM: give dec_mode='AES-CBC'"):
        load_checkpoint(tmp_path / "x.ckpt", dec_key=KEY)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"enc_key": bytes(15)}, ValueError, "a key for AES-GCM must have 16, 24 or 32 bytes, not 15"),
        ({"enc_key": bytes(32), "enc_mode": "SM4-CBC"}, ValueError, "a key for SM4-CBC must have 16 bytes, not 32"),
        ({"enc_key": KEY, "enc_mode": "ROT13"}, ValueError, "AES-GCM, AES-CBC, SM4-CBC, not 'ROT13'"),
        ({"enc_key": "secret"}, TypeError, "a key must be bytes, not str"),
        ({"enc_key": KEY, "crc_check": True}, ValueError, "enc_key and crc_check cannot be combined"),
        ({"enc_key": KEY, "format": "safetensors"}, ValueError, "cannot be encrypted"),
        ({"format": "pickle"}, ValueError, "the format must be one of ckpt, safetensors, not 'pickle'"),
    ],
)
def test_arguments_that_do_not_go_together(
    tmp_path: Path, arguments: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message) as raised:
        save(tmp_path / "x", **arguments)
    assert "secret" not in str(raised.value)
    with pytest.raises(error, match=message):
        ms.CheckpointConfig(**arguments)
    assert not list(tmp_path.iterdir())


def test_a_missing_package_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("cryptography.hazmat.primitives.ciphers", "safetensors"):
        monkeypatch.setitem(sys.modules, name, None)
    save(tmp_path / "x.ckpt")
    check(load_checkpoint(tmp_path / "x.ckpt"))
    with pytest.raises(ImportError, match=r"pip install 'mindinsight\[encryption\]'"):
        save(tmp_path / "y.ckpt", enc_key=KEY)
    with pytest.raises(ImportError, match=r"pip install 'mindinsight\[safetensors\]'"):
        save(tmp_path / "y.safetensors", format="safetensors")


def test_safetensors_are_read_by_their_library(tmp_path: Path) -> None:
    path = tmp_path / "x.safetensors"
    save(path, format="safetensors")
    found = load_file(path)
    assert set(found) == set(VALUES)
    for name, value in VALUES.items():
        np.testing.assert_array_equal(found[name], value)
        assert (found[name].dtype, found[name].shape) == (value.dtype, value.shape)
    with safe_open(path, framework="np") as file:
        metadata = file.metadata()
    assert (metadata["format"], json.loads(metadata["texts"])) == ("ms", {"t": "é"})
    check(load_checkpoint(path, format="safetensors", crc_check=True))


def test_crc_check_of_safetensors_is_that_of_mindspore(tmp_path: Path) -> None:
    values = {"w": Tensor(np.array([[1, 2], [3, 4]], np.float32))}
    save_checkpoint(values, tmp_path / "x", append_dict={"epoch_num": 3}, format="safetensors", crc_check=True)
    (tmp_path / "theirs").write_bytes(file_of_mindspore("safetensors"))
    found = []
    for name in ("x.safetensors", "theirs"):
        with safe_open(tmp_path / name, framework="np") as file:
            found.append(file.metadata()["crc_num"])
    assert found[0] == found[1]
    content = bytearray(file_of_mindspore("safetensors"))
    content[-1] ^= 1
    (tmp_path / "theirs").write_bytes(content)
    with pytest.raises(CheckpointError, match="was written as crc_num"):
        load_checkpoint(tmp_path / "theirs", format="safetensors")


def test_safetensors_of_others_are_read(tmp_path: Path) -> None:
    path = tmp_path / "x.safetensors"
    save_file(VALUES, path, {"format": "pt", "author": "somebody"})
    assert set(load_checkpoint(path, format="safetensors")) == set(VALUES)
    halves = np.array([0x3FC0, 0xC040], np.uint16)
    spec = TensorSpec(dtype="bfloat16", shape=[2], data_ptr=halves.ctypes.data, data_len=halves.nbytes)
    serialize_file({"h": spec}, path)
    assert load_checkpoint(path, format="safetensors")["h"].asnumpy().tolist() == [1.5, -3]
    spec = TensorSpec(dtype="float8_e5m2", shape=[4], data_ptr=halves.ctypes.data, data_len=halves.nbytes)
    serialize_file({"h": spec}, path)
    with pytest.raises(CheckpointError, match="'h' has elements of type F8_E5M2, which cannot be read"):
        load_checkpoint(path, format="safetensors")


def test_what_safetensors_cannot_hold_is_told(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match="z: arrays of type complex128 cannot be saved as safetensors"):
        save_checkpoint({"z": np.ones(2, np.complex128)}, tmp_path / "x", format="safetensors")
    save(tmp_path / "x.safetensors", format="safetensors")
    with pytest.raises(ValueError, match="give format='safetensors'"):
        load_checkpoint(tmp_path / "x.safetensors")


def test_a_name_in_both_has_the_appended_value(tmp_path: Path) -> None:
    save_checkpoint({"a": Tensor(1.0), "b": Tensor(2.0)}, tmp_path / "x", append_dict={"a": 3.0})
    found = load_checkpoint(tmp_path / "x.ckpt")
    assert [(name, float(value.asnumpy())) for name, value in found.items()] == [("a", 3.0), ("b", 2.0)]


def test_an_encrypted_file_is_saved_in_a_thread(tmp_path: Path) -> None:
    thread = save_checkpoint({"w": Tensor(VALUES["w"])}, tmp_path / "x", async_save=True, enc_key=KEY)
    assert thread is not None
    thread.join()
    np.testing.assert_array_equal(load_checkpoint(tmp_path / "x.ckpt", dec_key=KEY)["w"].asnumpy(), VALUES["w"])


@pytest.mark.parametrize("form", ["crc_check", "encrypted", "safetensors"])
def test_a_training_goes_on_from_each_form(tmp_path: Path, form: str) -> None:
    whole = model()
    whole.train(2, batches())
    saving: dict[str, dict[str, Any]] = {
        "crc_check": {"crc_check": True},
        "encrypted": {"enc_key": KEY, "enc_mode": "AES-CBC"},
        "safetensors": {"format": "safetensors"},
    }
    kept = ms.ModelCheckpoint("x", tmp_path, ms.CheckpointConfig(8, **saving[form]))
    model().train(1, batches(), kept)
    file: Any = kept.latest_ckpt_file_name
    resumed = model()
    resumed.train(
        2,
        batches(),
        resume_from=load_checkpoint(file, dec_key=KEY, dec_mode="AES-CBC") if form == "encrypted" else file,
    )
    for name, value in values_of(whole).items():
        np.testing.assert_array_equal(values_of(resumed)[name], value)
    # The next series has another prefix, whatever its form.
    again = ms.ModelCheckpoint("x", tmp_path, ms.CheckpointConfig(8))
    model().train(1, batches(), again)
    assert Path(again.latest_ckpt_file_name).name == "x_1-1_8.ckpt"
