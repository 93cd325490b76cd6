"""Runs a script of `examples/` in this process, as a user would from the command line."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import framework as ms

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def load(name: str) -> ModuleType:
    """The script as a module."""
    spec = importlib.util.spec_from_file_location(f"example_{name}", EXAMPLES / f"{name}.py")
    assert spec is not None and spec.loader is not None  # noqa: PT018
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def run(name: str, *arguments: str) -> None:
    """Run the script; whatever mode it chooses, the tests go on in PyNative mode."""
    try:
        assert load(name).main(list(arguments)) == 0
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)
