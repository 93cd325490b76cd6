"""Writes or checks what the documentation has from the registry: operators, MindSpore's names, the pipelines' schema.

Called by `make operators`, and with `--check` by `make lint`.
"""

from __future__ import annotations

import importlib
import inspect
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import framework  # noqa: E402 - from this checkout
from framework import amp, boost, communication, dataset, mint, nn, numpy, ops, parallel, train  # noqa: E402
from framework.common.tensor import Tensor  # noqa: E402
from framework.compat.absent import REASONS  # noqa: E402
from framework.compat.paths import PATHS  # noqa: E402
from framework.dataset.engine.describing.pipeline_schema import pipeline_schema  # noqa: E402
from framework.ir.abstract import (  # noqa: E402
    Abstract,
    AbstractConst,
    AbstractScalar,
    AbstractTensor,
    AbstractTuple,
)
from framework.observe import Execution, watching  # noqa: E402
from framework.onnx import exporting, loading  # noqa: E402, F401 - they fill the tables
from framework.onnx.forms.form_table import form_of  # noqa: E402
from framework.onnx.operators.operator_table import names as onnx_names  # noqa: E402
from framework.ops import operations  # noqa: E402
from framework.ops.arguments import inputs_of  # noqa: E402
from framework.ops.bprop import bprop_getters  # noqa: E402
from framework.ops.primitive import Primitive, PrimitiveWithInfer  # noqa: E402

OPERATORS = ROOT / "docs" / "reference" / "operators.md"
NAMES = ROOT / "docs" / "reference" / "mindspore.md"
SCHEMA = ROOT / "docs" / "pipeline.schema.json"
KNOWN = ROOT / "mindinsight" / "graphs" / "model" / "exported" / "known_operators.json"
LISTS = ROOT / "tools" / "mindspore_names.json"
sys.path.insert(0, str(ROOT / "tools"))

from mindspore_facts import set_in  # noqa: E402

PATHS_HEAD = """## Module paths

Beside those that are the same. `from framework.PATH import NAME` works with them where it works with MindSpore's.

| MindSpore | here |
|---|---|
"""

ARGUMENTS_HEAD = """## Arguments of functions

Functions of `mindspore.ops` whose arguments differ, by name or because some are missing; all others take the same.

| function | MindSpore's | here |
|---|---|---|
"""

CLASSES_HEAD = """## Arguments and attributes of classes

Classes that are here, of which arguments of the constructor, methods or attributes are missing; {whole} of
{all} classes have all. Attributes are those that MindSpore's class has beside those of its base, or sets in its
constructor; operators that a Cell keeps for its own use are left out.

| class | missing arguments | missing methods and attributes |
|---|---|---|
"""

PROGRAMS: list[Any] = importlib.import_module("tests.framework.ops.every").PROGRAMS
YES, NO = "yes", "-"

OPERATORS_HEAD = """# Operators

Made by `make operators` from what is registered; `make lint` checks that it is current.

- **GPU**: the kernel is in the table that the tests run on a GPU where there is one.
- **bprop**: it has a backward function. **second order**: that is differentiated again, and checked.
- **dynamic shape**: inference does without the first dimension of tensors.
- **checked against**: *differences*: first and second derivatives by central differences in float64, in both modes;
  *MindSpore*: outputs and gradients that MindSpore 2.10 computed,
  where the recording lies. Updates of optimizers are checked with the optimizers.
- **ONNX**: *out*: `ms.export` can write it as an ONNX model, as one operator or several. *in*: `ms.load_onnx` reads an
  ONNX operator of the same name; others are read as several operators.
- A dash says that no test tells, or under ONNX that there is neither.

"""

NAMES_HEAD = """# MindSpore's names

Made by `make operators` from both lists of names. A name that is there takes MindSpore's arguments, unless
its docstring says otherwise; what is not there is named at the end of each table.

"""


def primitives() -> dict[str, type[Primitive]]:
    """Return the public classes of primitives by name, without those that only serve other operators."""
    found = {name: getattr(operations, name) for name in operations.__all__}
    return {
        name: kind for name, kind in sorted(found.items()) if isinstance(kind, type) and issubclass(kind, Primitive)
    }


def executions() -> dict[type[Primitive], Execution]:
    """Return one execution of each class of primitives in the table of programs."""
    found: dict[type[Primitive], Execution] = {}
    for program in PROGRAMS:
        seen: list[Execution] = []
        with watching(seen.append):
            program.fn(*map(Tensor, program.inputs))
        for execution in seen:
            found.setdefault(type(execution.primitive), execution)
    return found


def abstract(value: Any, unknown: bool) -> Abstract:
    """Return the abstract value of a value; without the first dimension of tensors, if `unknown`."""
    if isinstance(value, Tensor):
        shape = tuple(value.shape)
        return AbstractTensor((None, *shape[1:]) if unknown and shape else shape, value.dtype)
    if isinstance(value, list | tuple):
        return AbstractTuple(tuple(abstract(item, unknown) for item in value))
    return AbstractScalar(value) if isinstance(value, bool | int | float) else AbstractConst(value)


def is_dynamic(execution: Execution | None) -> bool | None:
    """Whether inference works without the first dimension of tensors; None if there is no program."""
    if execution is None or not isinstance(execution.primitive, PrimitiveWithInfer):
        return None
    inputs = [abstract(item, unknown=True) for item in execution.inputs]
    known = [abstract(item, unknown=False) for item in execution.inputs]
    if inputs == known:
        return None
    try:
        out = execution.primitive.infer(*inputs)
    except (TypeError, ValueError, IndexError):
        return False
    return out is not None


def family_of(kind: type[Primitive]) -> str:
    """The family that an operator belongs to: the first module or folder below `framework.ops`."""
    return kind.__module__.removeprefix("framework.ops.").partition(".")[0]


def onnx_ways(name: str) -> str:
    """Whether an operator can be written to an ONNX model, and whether the import reads one of its name."""
    ways = ["in"] * (name in onnx_names()) + ["out"] * (form_of(name) is not None)
    return ", ".join(ways) or NO


def rows() -> Iterator[str]:
    """Return the lines of the table of operators."""
    ran = executions()
    twice = {program.name.split("-")[0] for program in PROGRAMS if program.orders > 1}
    recorded = set(json.loads(LISTS.read_text())["recorded primitives"].split())
    for name, kind in primitives().items():
        has_bprop = bprop_getters.has(kind)
        in_table = name in twice
        dynamic = is_dynamic(ran.get(kind))
        against = ["differences"] * (has_bprop and in_table) + ["MindSpore"] * (name in recorded)
        family = family_of(kind)
        cells = [
            f"`{name}`",
            family,
            YES if kind.compute is not Primitive.compute else NO,
            "in the table" if kind in ran else NO,
            YES if has_bprop else NO,
            YES if has_bprop and in_table else NO,
            NO if dynamic is None else YES if dynamic else "no",
            ", ".join(against) or NO,
            onnx_ways(name),
        ]
        yield f"| {' | '.join(cells)} |"


def operators_page() -> str:
    """Return the page of operators."""
    names = ["operator", "family", "CPU", "GPU", "bprop", "second order", "dynamic shape", "checked against", "ONNX"]
    head = [f"| {' | '.join(names)} |", "|" + "---|" * len(names)]
    return OPERATORS_HEAD + "\n".join([*head, *rows()]) + "\n"


def summary(item: Any) -> str:
    """Return the first line of a docstring, or the value of a constant, for a cell of a table."""
    if isinstance(item, int | float | str):
        return f"The constant `{item!r}`."
    documented = type(item) if isinstance(item, Primitive) else item
    text = (inspect.getdoc(documented) or "").partition("\n")[0]
    return text.replace("|", "\\|")


def names_page() -> str:
    """Return the page of MindSpore's names."""
    lists = json.loads(LISTS.read_text())
    homes: dict[str, Any] = {
        "mindspore": framework,
        "mindspore.nn": nn,
        "mindspore.ops (functions)": ops,
        "mindspore.ops.operations (primitives)": operations,
        "mindspore.train": train,
        "mindspore.amp": amp,
        "mindspore.communication": communication,
        "mindspore.dataset": dataset,
        "mindspore.numpy": numpy,
        "mindspore.mint": mint,
        "mindspore.mint.nn": mint.nn,
        "mindspore.mint.nn.functional": mint.nn.functional,
        "mindspore.boost": boost,
        "mindspore.parallel": parallel,
    }
    parts = [NAMES_HEAD]
    for title, home in homes.items():
        names = lists[title].split()
        there = [name for name in names if hasattr(home, name)]
        missing = [name for name in names if not hasattr(home, name)]
        ours = home.__name__.replace("framework", "ms", 1)
        lines = [f"| `{name}` | `{ours}.{name}` | {summary(getattr(home, name))} |" for name in there]
        parts.append(
            f"## {title}\n\n{len(there)} of {len(names)} are there.\n\n| MindSpore | here | what it is |\n|---|---|---|"
        )
        parts[-1] += "\n" + "\n".join(lines) + f"\n\n{not_there(missing)}\n\n"
    paths = [f"| `mindspore.{path}` | `framework.{home}` |" for path, home in sorted(PATHS.items())]
    parts.append(PATHS_HEAD + "\n".join(paths) + "\n\n")
    others = [f"| `{name}` | {', '.join(theirs)} | {', '.join(ours)} |" for name, theirs, ours in renamed(lists)]
    parts.append(ARGUMENTS_HEAD + "\n".join(others) + "\n\n")
    parts.append(classes(lists["classes"]) + "\n")
    return "".join(parts).rstrip() + "\n"


def not_there(names: list[str]) -> str:
    """Return missing names by reason, and those without a reason."""
    reasons = {name: reason for reason, of in REASONS.items() for name in of.split()}
    groups: dict[str, list[str]] = {}
    for name in names:
        groups.setdefault(reasons.get(name, ""), []).append(f"`{name}`")
    lines = [f"Not there, because {reason}: {', '.join(found)}." for reason, found in groups.items() if reason]
    return "\n\n".join([*lines, *(f"Missing: {', '.join(found)}." for reason, found in groups.items() if not reason)])


def classes(theirs: dict[str, dict[str, str]]) -> str:
    """Return the section on classes that exist here but lack arguments or attributes."""
    lines, count = [], 0
    for path, facts in theirs.items():
        kind = found(path)
        if not isinstance(kind, type):
            continue
        count += 1
        taken = inspect.signature(kind).parameters
        named = facts["arguments"].split() if not any(x.kind is x.VAR_KEYWORD for x in taken.values()) else []
        arguments = [name for name in named if name not in taken]
        set_here = {*dir(kind)}.union(*map(set_in, kind.__mro__[:-1]))
        attributes = [name for name in facts["attributes"].split() if name not in set_here]
        if arguments or attributes:
            cells = [", ".join(f"`{name}`" for name in names) for names in (arguments, attributes)]
            lines.append(f"| `{path.removeprefix('mindspore.')}` | {cells[0]} | {cells[1]} |")
    return CLASSES_HEAD.format(whole=count - len(lines), all=count) + "\n".join(lines)


def found(path: str) -> Any:
    """Return the object with a path of MindSpore; None if there is none."""
    home: Any = framework
    for name in path.split(".")[1:]:
        home = getattr(home, name, None)
    return home


def renamed(lists: dict[str, Any]) -> Iterator[tuple[str, list[str], list[str]]]:
    """Return functions whose arguments differ from MindSpore's: the name, MindSpore's arguments, ours."""
    for name, arguments in lists["arguments"].items():
        if hasattr(ops, name):
            function = getattr(ops, name)
            of = (
                inputs_of(type(function))
                if isinstance(function, Primitive)
                else inspect.signature(function).parameters.values()
            )
            ours = [f"*{item.name}" if item.kind is item.VAR_POSITIONAL else item.name for item in of]
            if ours[: len(arguments.split())] != arguments.split():
                yield name, arguments.split(), ours


def known_operators() -> str:
    """Return the operators that models of other frameworks may have, for the graph page: JSON.

    An operator of ONNX is named by domain and name, and has the first opset that is read.
    """
    # Imported here, because `framework.onnx` would count among the names of the pages above.
    from framework.mindir.operators import meanings
    from framework.mindir.translating import STRUCTURE
    from framework.onnx.operators.operator_table import first_opsets

    mindspore = dict.fromkeys(sorted({*meanings.names(), *STRUCTURE}), 1)
    onnx = {f"{domain}:{name}": since for (domain, name), since in sorted(first_opsets().items())}
    return json.dumps({"mindspore": mindspore, "onnx": onnx}, indent=0) + "\n"


def pages() -> dict[Path, str]:
    """Return the expected content of each file."""
    schema = json.dumps(pipeline_schema(), indent=1) + "\n"
    return {OPERATORS: operators_page(), NAMES: names_page(), SCHEMA: schema, KNOWN: known_operators()}


def main() -> int:
    """Write the pages, or with `--check` name those that are out of date and return 1."""
    stale = 0
    for file, text in pages().items():
        if sys.argv[1:] != ["--check"]:
            file.write_text(text)
        elif not file.is_file() or file.read_text() != text:
            print(
                f"{file.relative_to(ROOT)} does not match the registered operators: run `make operators`.",
                file=sys.stderr,
            )
            stale = 1
    return stale


if __name__ == "__main__":
    sys.exit(main())
