"""Saving and loading of parameters: `save_checkpoint`, `load_checkpoint` and `load_param_into_net`."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np

from framework.common.parameter import Parameter
from framework.common.tensor import Tensor
from framework.nn.cell import Cell
from framework.train.checkpoints import (
    CheckpointError,
    CheckpointMismatchError,
    Key,
    read_safetensors,
    read_torch,
    read_values,
    write_safetensors,
    write_values,
)

__all__ = ["CheckpointError", "CheckpointMismatchError", "load_checkpoint", "load_param_into_net", "save_checkpoint"]

SUFFIXES: Final = {"ckpt": ".ckpt", "safetensors": ".safetensors"}
"""File name suffix of each format."""


def save_checkpoint(
    save_obj: Cell | Mapping[str, Any] | Iterable[Any],
    ckpt_file_name: str | Path,
    integrated_save: bool = True,
    async_save: bool = False,
    append_dict: Mapping[str, Any] | None = None,
    enc_key: bytes | None = None,
    enc_mode: str = "AES-GCM",
    choice_func: Callable[[str], bool] | None = None,
    crc_check: bool = False,
    format: str = "ckpt",  # noqa: A002 - MindSpore's name
) -> threading.Thread | None:
    """Save parameters to a file, which MindSpore can read too. The file is written whole or not at all.

    Every file carries a CRC-32C, which MindSpore ignores and `load_checkpoint` verifies.

    Args:
        save_obj: a Cell; a dictionary of names and tensors; or a list of `{"name": ..., "data": ...}`.
        ckpt_file_name: the file; the suffix of the format is appended if it is missing.
        integrated_save: write whole Parameters where ranks have parts of them; every rank then calls this. Otherwise
            write this rank's parts.
        async_save: write in a thread; the values are those at the time of the call.
        append_dict: further numbers, texts and tensors by name.
        enc_key: key of 16, 24 or 32 bytes to encrypt the file with; needs `pip install 'mindinsight[encryption]'`.
        enc_mode: mode of encryption: `AES-GCM`, `AES-CBC`, or `SM4-CBC` with a key of 16 bytes.
        choice_func: function that tells whether a name is saved.
        crc_check: append the CRC-32 that MindSpore verifies too; cannot be combined with `enc_key`.
        format: `ckpt`, or `safetensors`, which needs `pip install 'mindinsight[safetensors]'`.

    Returns:
        The thread that writes, with `async_save`; otherwise None.

    Raises:
        TypeError: a value cannot be saved.
        ValueError: arguments contradict each other, or the key does not fit the mode.
        ImportError: the package for encryption or safetensors is not installed.
        OSError: the file cannot be written.
    """
    suffix = _suffix(format)
    write = writing(format, crc_check, enc_key, enc_mode)
    values = {
        name: _array(name, value, integrated_save)
        for name, value in (*_named(save_obj), *(append_dict or {}).items())
        if choice_func is None or choice_func(name)
    }
    path = Path(ckpt_file_name)
    if path.suffix != suffix:
        path = path.with_name(path.name + suffix)
    if not async_save:
        write(path, values.items())
        return None
    copies = [(name, value if isinstance(value, str) else value.copy()) for name, value in values.items()]
    thread = threading.Thread(target=write, args=(path, copies), name="checkpoint")
    thread.start()
    return thread


def _suffix(form: str) -> str:
    if form not in SUFFIXES:
        raise ValueError(f"the format must be one of {', '.join(SUFFIXES)}, not {form!r}")
    return SUFFIXES[form]


def writing(form: str, crc_check: bool, enc_key: bytes | None, enc_mode: str) -> Callable[..., None]:
    """The function of a path and values that writes files of the given format, with checksum or encryption.

    Args:
        form: `ckpt` or `safetensors`.
        crc_check: append the CRC-32 that MindSpore verifies.
        enc_key: key to encrypt with; None for no encryption.
        enc_mode: mode of encryption.

    Returns:
        The function.

    Raises:
        TypeError: the key is not bytes.
        ValueError: the format is unknown, arguments contradict each other, or the key does not fit the mode.
        ImportError: the package for encryption is not installed.
    """
    _suffix(form)
    if enc_key is None:
        return partial(write_values if form == "ckpt" else write_safetensors, crc_check=crc_check)
    if form != "ckpt":
        raise ValueError("safetensors files cannot be encrypted: leave out enc_key or format")
    if crc_check:
        raise ValueError("enc_key and crc_check cannot be combined: an encrypted file has its own checksums")
    return partial(write_values, key=Key(enc_key, enc_mode))


def _named(save_obj: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(save_obj, Cell):
        yield from ((parameter.name, parameter) for parameter in save_obj.get_parameters())
    elif isinstance(save_obj, Mapping):
        yield from save_obj.items()
    else:
        yield from ((item["name"], item["data"]) for item in save_obj)


def _array(name: str, value: Any, whole: bool) -> np.ndarray[Any, Any] | str:
    if isinstance(value, str):
        return value
    if isinstance(value, Parameter) and whole:
        return value.whole_array()
    if isinstance(value, Tensor):
        return value.asnumpy()
    if isinstance(value, bool | np.bool_):
        return np.asarray(value)
    if isinstance(value, int):
        return np.asarray(value, np.int64)
    if isinstance(value, float):
        return np.asarray(value, np.float32)
    if isinstance(value, np.ndarray | np.generic):
        return np.asarray(value)
    raise TypeError(f"{name!r} cannot be saved: it must be a tensor, a number or a text, not {type(value).__name__}")


def load_checkpoint(
    ckpt_file_name: str | Path,
    net: Cell | None = None,
    strict_load: bool = False,
    filter_prefix: str | Iterable[str] | None = None,
    dec_key: bytes | None = None,
    dec_mode: str = "AES-GCM",
    specify_prefix: str | Iterable[str] | None = None,
    choice_func: Callable[[str], bool] | None = None,
    crc_check: bool = False,
    remove_redundancy: bool = False,
    format: str = "ckpt",  # noqa: A002 - MindSpore's name
) -> dict[str, Any]:
    """Read the parameters of a file.

    Checksums are verified if the file has any, and a damaged file is refused. In a file without checksums, such as
    MindSpore writes by default, sizes, shapes, types and names are checked for consistency.

    Args:
        ckpt_file_name: the file, written here or by MindSpore.
        net: Cell to load the parameters into, as `load_param_into_net` does; None for none.
        strict_load: refuse a Cell whose parameters have other names or types.
        filter_prefix: leave out names with these prefixes.
        dec_key: key that the file was encrypted with; needs `pip install 'mindinsight[encryption]'`.
        dec_mode: mode of encryption: `AES-GCM`, `AES-CBC` or `SM4-CBC`.
        specify_prefix: read only names with these prefixes.
        choice_func: function that tells whether a name is read.
        crc_check: verify the CRC-32 of MindSpore's `crc_check` too, and warn if the file has no checksum at all.
        remove_redundancy: accepted for compatibility; has no effect.
        format: `ckpt`; `safetensors`, which needs `pip install 'mindinsight[safetensors]'`; or `torch` for a state
            dict that `torch.save` has written. Such a file is read without PyTorch, and nothing in it is executed.

    Returns:
        Parameters by name, and texts.

    Raises:
        CheckpointError: the file is not a checkpoint, is damaged or encrypted otherwise, or no name in it is selected.
        ValueError: arguments contradict each other, or the key does not fit the mode.
        ImportError: the package for encryption or safetensors is not installed.
        FileNotFoundError: there is no such file.
    """
    path = Path(ckpt_file_name)
    values = _reader(path, format, crc_check, dec_key, dec_mode)
    left_out, selected_prefixes = _prefixes(filter_prefix), _prefixes(specify_prefix)
    parameters: dict[str, Any] = {}
    for name, value in values:
        is_selected = (not selected_prefixes or name.startswith(selected_prefixes)) and not (
            left_out and name.startswith(left_out)
        )
        if is_selected and (choice_func is None or choice_func(name)):
            parameters[name] = value if isinstance(value, str) else Parameter(value, name=name)
    if not parameters:
        raise CheckpointError(f"{path} has no parameter of the names that were asked for")
    if net is not None:
        load_param_into_net(net, parameters, strict_load)
    return parameters


def _reader(
    path: Path, form: str, crc_check: bool, dec_key: bytes | None, dec_mode: str
) -> Iterator[tuple[str, np.ndarray[Any, Any] | str]]:
    suffix = ".pt" if form == "torch" else _suffix(form)
    if not path.is_file():
        similar = get_close_matches(path.name, [item.name for item in path.parent.glob(f"*{suffix}")], 3)
        hint = f"; {path.parent} has {', '.join(similar)}" if similar else ""
        raise FileNotFoundError(f"there is no checkpoint {path}{hint}")
    if form == "safetensors":
        if dec_key is not None:
            raise ValueError("safetensors files are not encrypted: leave dec_key out")
        return read_safetensors(path, crc_check=crc_check)
    if form == "torch":
        if dec_key is not None:
            raise ValueError("state dicts of PyTorch are not encrypted: leave dec_key out")
        return read_torch(path)
    if path.suffix == SUFFIXES["safetensors"]:
        raise ValueError(f"{path} is a safetensors file by its name: give format='safetensors'")
    return read_values(path, crc_check=crc_check, key=None if dec_key is None else Key(dec_key, dec_mode))


def _prefixes(prefixes: str | Iterable[str] | None) -> tuple[str, ...]:
    if prefixes is None:
        return ()
    return (prefixes,) if isinstance(prefixes, str) else tuple(prefixes)


def load_param_into_net(
    net: Cell, parameter_dict: Mapping[str, Any], strict_load: bool = False
) -> tuple[list[str], list[str]]:
    """Set the parameters of a Cell to values of the same names.

    If no name fits, but all fit after a common prefix such as `backbone.`, the prefix is removed.

    Args:
        net: the Cell.
        parameter_dict: Parameters by name, as from `load_checkpoint`.
        strict_load: refuse values of another type; otherwise numbers are converted.

    Returns:
        The names of the Cell's parameters without a value, and the names that the Cell does not have.

    Raises:
        TypeError: an argument, or a value of the dictionary, has the wrong type.
        CheckpointMismatchError: a shape differs, or a number meets one of another kind, or with `strict_load` of
            another type. Nothing was changed.
    """
    _check_given(net, parameter_dict)
    own = net.parameters_dict()
    values = {name: value for name, value in parameter_dict.items() if isinstance(value, Tensor)}
    prefix = _common_prefix(own, values) if not strict_load else ""
    values = {name.removeprefix(prefix): value for name, value in values.items()}
    common = [name for name in own if name in values]
    _check_fit([(own[name], values[name]) for name in common], strict_load)
    for name in common:
        own[name].set_whole(values[name].asnumpy().copy())
    missing = [name for name in own if name not in values]
    if missing:
        _report_missing(missing, len(own))
    return missing, [name for name in parameter_dict if name.removeprefix(prefix) not in own]


def _check_given(net: object, parameter_dict: object) -> None:
    if not isinstance(net, Cell):
        raise TypeError(f"net must be a Cell, not {type(net).__name__}")
    if not isinstance(parameter_dict, Mapping):
        raise TypeError(f"parameter_dict must be a dictionary, not {type(parameter_dict).__name__}")
    for name, value in parameter_dict.items():
        if not isinstance(value, Tensor | str):
            raise TypeError(f"parameter_dict must hold Parameters, not a {type(value).__name__} as {name!r}")


def _check_fit(pairs: Iterable[tuple[Parameter, Tensor]], strict: bool) -> None:
    troubles = [trouble for own, value in pairs if (trouble := _trouble(own, value, strict))]
    if troubles:
        raise CheckpointMismatchError(
            "the checkpoint does not fit the network, nothing was loaded:\n  " + "\n  ".join(troubles)
        )


def _report_missing(missing: Sequence[str], count: int) -> None:
    names = ", ".join(missing[:5]) + (f" and {len(missing) - 5} more" if len(missing) > 5 else "")
    sys.stderr.write(f"{len(missing)} of {count} parameters of the network got no value: {names}.\n")


def _trouble(own: Parameter, value: Tensor, strict: bool) -> str:
    """The reason why a parameter cannot take a value; empty if it can."""
    if own.whole_shape != tuple(value.shape):
        return f"{own.name} has shape {own.whole_shape}, the checkpoint {tuple(value.shape)}"
    kinds = {own.dtype.kind, value.dtype.kind}
    if own.dtype != value.dtype and (strict or kinds not in ({"int"}, {"float"})):
        return f"{own.name} has type {own.dtype}, the checkpoint {value.dtype}"
    return ""


def _common_prefix(own: Mapping[str, Any], values: Mapping[str, Any]) -> str:
    """The common prefix of the given names whose remainders are the Cell's names; empty if a name fits without it."""
    if not own or any(name in values for name in own):
        return ""
    first = next(iter(own))
    for name in values:
        prefix = name.removesuffix(first)
        if prefix != name and prefix.endswith(".") and all(prefix + other in values for other in own):
            return prefix
    return ""
