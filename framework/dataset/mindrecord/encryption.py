"""MindSpore can encrypt and seal MindRecord files; this core cannot, and says so."""

from __future__ import annotations

from typing import Any, Final

__all__ = ["set_dec_mode", "set_enc_key", "set_enc_mode", "set_hash_mode"]

_WHY: Final = "MindRecord files cannot be encrypted or decrypted here; encrypt the disk, or write plain files"


def set_enc_key(enc_key: str | None) -> None:
    """Set the key for encryption; None, for none, is the only choice.

    Raises:
        NotImplementedError: a key is given.
    """
    if enc_key is not None:
        raise NotImplementedError(_WHY)


def set_enc_mode(enc_mode: str = "AES-GCM") -> None:
    """Set how files are encrypted, which has no effect without a key.

    Raises:
        NotImplementedError: it is another mode than the default.
    """
    if enc_mode != "AES-GCM":
        raise NotImplementedError(_WHY)


def set_dec_mode(dec_mode: str | None = "AES-GCM") -> None:
    """Set how files are decrypted, which has no effect without a key.

    Raises:
        NotImplementedError: it is another mode than the default, or None.
    """
    if dec_mode not in ("AES-GCM", None):
        raise NotImplementedError(_WHY)


def set_hash_mode(hash_mode: Any) -> None:
    """Set how files are sealed; None, for not at all, is the only choice.

    Raises:
        NotImplementedError: a mode is given.
    """
    if hash_mode is not None:
        raise NotImplementedError("MindRecord files cannot be sealed with a hash here; `mindrecord check` checks them")
