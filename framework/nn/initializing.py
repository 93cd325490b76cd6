"""Initialization of a network's parameters; `mindspore.nn.utils`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["no_init_parameters"]


@contextmanager
def no_init_parameters() -> Iterator[None]:
    """A context in which MindSpore delays the initialization of parameters until a device needs them.

    There is one device, which needs them all. They get their values at once here, as outside of the context.
    """
    yield
