"""The examples in docstrings run and print what they say; operators, functions and Cells have one."""

import doctest
import importlib
import inspect
import pkgutil
from types import ModuleType

import numpy as np
import pytest

import framework as ms
from framework import Tensor, nn, ops, train
from framework.ad import taylor
from framework.mint import optim as mint_optim
from framework.nn import layer, loss, metrics, optim, wrap
from framework.nn.probability import bijector, distribution
from framework.ops import functional, operations

NAMES = {"np": np, "ms": ms, "nn": nn, "ops": ops, "P": operations, "Tensor": Tensor}


def families_of_operators() -> list[ModuleType]:
    """The modules of `framework.ops` that define operators or functions."""
    homes = {item.__module__ for face in (operations, functional) for item in vars(face).values() if callable(item)}
    homes |= {type(item).__module__ for item in vars(functional).values()}
    return [importlib.import_module(name) for name in sorted(homes) if name.startswith("framework.ops.")]


def modules_of(*packages: ModuleType) -> list[ModuleType]:
    """The modules of packages."""
    return [
        importlib.import_module(f"{package.__name__}.{module.name}")
        for package in packages
        for module in pkgutil.iter_modules(package.__path__)
        if not module.ispkg
    ]


OPERATORS = families_of_operators()
MODULES = [*OPERATORS, *modules_of(nn, layer, loss, metrics, optim, wrap, train, bijector, distribution)]
MODULES += [taylor, mint_optim]


def failures_of_examples(module: ModuleType) -> str:
    """What a module's examples print that they should not."""
    said: list[str] = []
    runner = doctest.DocTestRunner()
    for example in doctest.DocTestFinder().find(module, extraglobs=NAMES):
        if example.examples:
            runner.run(example, out=said.append)
    return "".join(said) if runner.failures else ""


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__.partition(".")[2])
def test_examples_print_what_they_say(module: ModuleType) -> None:
    assert failures_of_examples(module) == ""


def test_every_operator_has_an_example() -> None:
    classes = {name: getattr(operations, name) for name in operations.__all__}
    lacking = [
        name
        for name, kind in classes.items()
        if inspect.isclass(kind) and ">>> " not in (kind.__dict__.get("__doc__") or "")
    ]
    assert lacking == []


def test_every_function_has_an_example() -> None:
    functions = {name: getattr(functional, name) for name in functional.__all__}
    lacking = [
        name
        for name, function in functions.items()
        if inspect.isfunction(function) and ">>> " not in (function.__doc__ or "")
    ]
    assert lacking == []


def test_every_cell_and_metric_has_an_example() -> None:
    # One is what a subclass of metrics has in common, the other is made by `ms.load` alone.
    classes = {name: getattr(nn, name) for name in dir(nn) if name not in ("EvaluationBase", "GraphCell")}
    lacking = [
        name
        for name, kind in classes.items()
        if inspect.isclass(kind) and ">>> " not in (kind.__dict__["__doc__"] or "")
    ]
    assert lacking == []
