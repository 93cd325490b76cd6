"""The examples in the docstrings of operators run and print what they say; every operator has one."""

import doctest
import importlib
import inspect
import pkgutil
from types import ModuleType

import numpy as np
import pytest

import framework as ms
from framework import Tensor, ops
from framework.ops import operations

NAMES = {"np": np, "ms": ms, "ops": ops, "P": operations, "Tensor": Tensor}
MODULES = [
    importlib.import_module(f"{operations.__name__}.{module.name}")
    for module in pkgutil.iter_modules(operations.__path__)
]


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__.rpartition(".")[2])
def test_examples_print_what_they_say(module: ModuleType) -> None:
    said: list[str] = []
    runner = doctest.DocTestRunner()
    for example in doctest.DocTestFinder().find(module, extraglobs=NAMES):
        runner.run(example, out=said.append)
    assert not runner.failures, "".join(said)


def test_every_operator_has_an_example() -> None:
    classes = {name: getattr(operations, name) for name in operations.__all__}
    lacking = [
        name
        for name, kind in classes.items()
        if inspect.isclass(kind) and ">>> " not in (kind.__dict__.get("__doc__") or "")
    ]
    assert lacking == []
