"""Reads MindSpore's own names, arguments and attributes into `mindspore_names.json`.

Run it with a Python that has MindSpore 2.10: `python tools/mindspore_facts.py`. `make operators` then compares them
with this core. It keeps the lists that it does not read itself.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import json
import re
import textwrap
from pathlib import Path
from typing import Any

LISTS = Path(__file__).with_name("mindspore_names.json")
#: Modules whose public names are all counted.
MODULES = (
    "mindspore.numpy", "mindspore.mint", "mindspore.mint.nn", "mindspore.mint.nn.functional", "mindspore.boost",
    "mindspore.parallel",
)  # fmt: skip
#: Modules whose classes' arguments and attributes are compared.
WITH_CLASSES = ("mindspore.nn", "mindspore.train", "mindspore.mint.nn")
CLASSES = ("mindspore.Tensor", "mindspore.Parameter", "mindspore.nn.Cell")


def arguments(item: Any) -> str:
    """The names of a function's arguments, or of a class's constructor; empty if they cannot be read."""
    try:
        given = inspect.signature(constructor(item) if inspect.isclass(item) else item).parameters.values()
    except (TypeError, ValueError):
        return ""
    return " ".join(x.name for x in given if x.kind not in (x.VAR_POSITIONAL, x.VAR_KEYWORD) and x.name != "self")


def constructor(kind: type) -> Any:
    """A class's constructor, without a decorator that hides its arguments."""
    init: Any = vars(kind).get("__init__", kind)
    while not hasattr(init, "__wrapped__") and getattr(init, "__closure__", None):
        inner = [cell.cell_contents for cell in init.__closure__ if inspect.isfunction(cell.cell_contents)]
        if not inner or inner[0].__name__ != "__init__":
            break
        init = inner[0]
    return init


def attributes(kind: type) -> list[str]:
    """The public methods and attributes of a class that its public bases do not have.

    What its constructor and those of its private bases set is counted too.
    """
    bases = [base for base in kind.__mro__[1:-1] if not base.__name__.startswith("_")]
    bases = [base for base in bases if not base.__module__.startswith("mindspore._c_expression")]
    inherited = {name for base in bases for name in {*dir(base), *set_in_constructor(base)}}
    private = [base for base in kind.__mro__[:-1] if base not in bases]
    own = {name for name in dir(kind) if not name.startswith("_")}.union(*map(set_in_constructor, private))
    return sorted(own - inherited)


def set_in_constructor(kind: type) -> set[str]:
    """The public names that a class's own constructor sets as `self.name = ...`."""
    return set_in(constructor(kind)) if "__init__" in vars(kind) else set()


def set_in(item: Any) -> set[str]:
    """The public names that a function, or any method of a class, sets as `self.name = ...`.

    Operators that a Cell keeps for its own use, such as `self.cast = P.Cast()`, are left out.
    """
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(item)))
    except (OSError, TypeError, SyntaxError):
        return set()
    own = {
        id(target)
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and re.match(r"(P|ops|F|C|inner|G)\.", ast.unparse(node.value))
        for target in node.targets
    }
    stored = (node for node in ast.walk(tree) if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store))
    return {
        node.attr
        for node in stored
        if id(node) not in own
        and isinstance(node.value, ast.Name)
        and node.value.id == "self"
        and not node.attr.startswith("_")
    }


def public(home: Any, module: str) -> set[str]:
    """The public names that a module has, whether it lists them or not, without other packages' modules."""
    names = {name for name in vars(home) if not name.startswith("_") and name != "absolute_import"}
    modules = {name for name in names if inspect.ismodule(getattr(home, name))}
    return names - {name for name in modules if not getattr(home, name).__name__.startswith(module)}


def facts() -> dict[str, Any]:
    """The facts about MindSpore, in the form of the file."""
    found: dict[str, Any] = {}
    for module in MODULES:
        home = importlib.import_module(module)
        names = {name for name in home.__all__ if hasattr(home, name)}
        found[module] = " ".join(sorted(names))
    for module in ("mindspore", "mindspore.nn"):
        found[module] = " ".join(sorted(public(importlib.import_module(module), module)))
    functions = {}
    for module in ("mindspore.numpy", "mindspore.mint", "mindspore.mint.nn.functional"):
        home = importlib.import_module(module)
        for name in found[module].split():
            if inspect.isfunction(getattr(home, name)) and arguments(getattr(home, name)):
                functions[f"{module}.{name}"] = arguments(getattr(home, name))
    classes: dict[str, dict[str, str]] = {}
    paths = list(CLASSES)
    for module in WITH_CLASSES:
        home = importlib.import_module(module)
        paths += [f"{module}.{name}" for name in sorted(home.__all__) if inspect.isclass(getattr(home, name, None))]
    for path in paths:
        folder, _, name = path.rpartition(".")
        kind = getattr(importlib.import_module(folder), name)
        classes[path] = {"arguments": arguments(kind), "attributes": " ".join(attributes(kind))}
    return {**found, "arguments by module": functions, "classes": classes}


if __name__ == "__main__":
    LISTS.write_text(json.dumps({**json.loads(LISTS.read_text()), **facts()}, indent=2) + "\n")
