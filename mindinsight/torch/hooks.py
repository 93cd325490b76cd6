"""Hooks of a run: an error of ours never reaches the program, and copies of the model lose them. Used by runs."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

import torch

from debugging.session.termination import TrainingStoppedError

__all__ = ["Hook"]


class Hook:
    """A hook that changes nothing: it returns None.

    A model is copied (`copy.deepcopy`, `torch.save`) with its hooks; the copy has one that does nothing.

    Args:
        call: What it does.
        fail: Called in the handler of an error of `call`.

    Attributes:
        is_on: Whether it still does something.
    """

    def __init__(self, call: Callable[..., None], fail: Callable[[], None]) -> None:
        self._call, self._fail = call, fail
        self.is_on = True

    def __call__(self, *args: Any) -> None:
        """Do it.

        Raises:
            TrainingStoppedError: the dashboard has stopped the training.
        """
        # A compiler that traces the model sees a function that does nothing.
        if torch.compiler.is_compiling() or not self.is_on:
            return
        try:
            self._call(*args)
        except TrainingStoppedError:
            raise
        except Exception:
            self.is_on = False
            self._fail()

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy: a function of the standard library that takes any arguments and returns None."""
        return getattr, (contextlib.nullcontext(), "__exit__")
