"""Guards: generated code that checks in one pass everything a program was compiled for.

A program is valid for tensors of certain shapes and element types, for certain values of its other arguments, and
while the state that it read outside is unchanged (`framework.parse.reads`). The general check takes tens of
microseconds. The generated function makes each check one comparison and returns `MISS` if one fails. Then
`framework.engine.call.compiled` does the general check, and compiles if it must.
"""

from __future__ import annotations

import keyword
from collections.abc import Callable, Sequence
from types import MethodType
from typing import Any

from framework.common import device
from framework.common.tensor import Tensor
from framework.ir.abstract import Abstract, AbstractTensor, known
from framework.ir.anf import CNode
from framework.ops.primitive import Attributes
from framework.parse.reads import ATTRIBUTE, CELL, GLOBAL, Held, Read, same

__all__ = ["MISS", "guarded_entry"]

#: Attributes of primitives that are lists, and of no account for what is computed.
_IGNORED_ATTRIBUTES = ("input_names", "output_names")
MISS = object()
"""What an entry returns for arguments that its program was not compiled for."""


def guarded_entry(
    program: Any, arguments: Sequence[tuple[Any, Abstract]], wrap: Callable[[Any, Any], Any]
) -> Callable[[tuple[Any, ...]], Any] | None:
    """The entry of a program; None where an argument holds others, which are looked at in general.

    Its attribute `again` is the same for a call between which and the last one nothing has changed but the arguments.

    Args:
        program: the `CompiledProgram`.
        arguments: those that it was compiled for, each with what the program knows of it.
        wrap: makes what the user gets of what a program returns, and of what is known of that.
    """
    if any(not known(abstract) and not isinstance(abstract, AbstractTensor) for _, abstract in arguments):
        return None
    writer = _GuardWriter()
    names = [f"a{place}" for place in range(len(arguments))]
    checks = [
        check
        for name, (value, abstract) in zip(names, arguments, strict=True)
        for check in writer.argument(name, value, abstract)
    ]
    argument_checks = list(checks)
    checks += [f"device._xp is {writer.constant(device.array_module())}"]
    checks += [check for weight in program.weights for check in writer.weight(weight)]
    checks += list(dict.fromkeys(map(writer.read, _distinct_reads(program.reads))))
    given = [
        name.replace("a", "d", 1) for name, (_, abstract) in zip(names, arguments, strict=True) if not known(abstract)
    ]
    output = program.root.output
    is_tensor = isinstance(output, CNode) and isinstance(output.abstract, AbstractTensor)
    # An array becomes a tensor without any further question.
    made = ["out = new(Tensor)", "out._data = value", "out._node = 0", "return out"]
    lines = [
        line
        for name, checks_of_entry in (("entry", checks), ("again", argument_checks))
        for line in (
            f"def {name}(args):",
            "    try:",
            f"        ({''.join(f'{name}, ' for name in names)}) = args",
            *(f"        if not ({check}): return MISS" for check in checks_of_entry),
            "    except (AttributeError, IndexError, KeyError, TypeError, ValueError):",
            "        return MISS",
            # A program that finds the array of a Parameter held by somebody does not write to it.
            *(["    w = None"] if program.weights and name == "entry" else []),
            f"    value = run({', '.join(given)})",
            *(f"    {line}" for line in (made if is_tensor else ["return wrap(value, abstract)"])),
        )
    ]
    scope = writer.scope | {"run": program.executable, "wrap": wrap, "abstract": output.abstract}
    exec("\n".join(lines), scope)  # noqa: S102
    entry: Callable[[tuple[Any, ...]], Any] = scope["entry"]
    entry.again = scope["again"]  # type: ignore[attr-defined]
    return entry


def _distinct_reads(reads: Sequence[Read]) -> list[Read]:
    """Of what was read several times, the first, if that is what it still was in the end."""
    first: dict[Any, Read] = {}
    others = [read for read in reads if first.setdefault(read.key, read) is not read]
    return [*first.values(), *(read for read in others if not read.unchanged)]


class _GuardWriter:
    """Writes checks as expressions, and keeps what they name."""

    def __init__(self) -> None:
        self.scope: dict[str, Any] = {
            "MISS": MISS,
            "Tensor": Tensor,
            "new": Tensor.__new__,
            "same": same,
            "device": device,
        }
        self._names: dict[int, str] = {}

    def constant(self, value: Any) -> str:
        """The name of an object."""
        if id(value) not in self._names:
            self._names[id(value)] = f"c{len(self._names)}"
            self.scope[self._names[id(value)]] = value
        return self._names[id(value)]

    def argument(self, name: str, value: Any, abstract: Abstract) -> list[str]:
        """The checks of one argument; that of a tensor also sets the variable for its array."""
        if not isinstance(abstract, AbstractTensor) or known(abstract):
            return [self._equal(name, value)]
        array = f"{name.replace('a', 'd', 1)}"
        shape, dtype = abstract.shape, self.constant(abstract.dtype.numpy)
        first = f"({array} := {name}._data).dtype is {dtype}"
        if None not in shape:
            return [f"{first} and {array}.shape == {shape}"]
        dims = [f"{array}.shape[{place}] == {dim}" for place, dim in enumerate(shape) if dim is not None]
        return [" and ".join([first, f"{array}.ndim == {len(shape)}", *dims])]

    def weight(self, weight: Any) -> list[str]:
        """The check that a Parameter has the type that it had."""
        array = weight._data
        name, dtype = self.constant(weight), self.constant(array.dtype)
        return [f"(w := {name}._data).shape == {array.shape} and w.dtype is {dtype}"]

    def read(self, read: Read) -> str:
        """The check that something read is what it was."""
        owner, name, value = self.constant(read.owner), read.what, read.value
        if read.kind == GLOBAL:
            return self._equal(f"{owner}[{name!r}]", value)
        if read.kind == CELL:
            return self._equal(f"{owner}.cell_contents", value)
        assert read.kind == ATTRIBUTE  # noqa: S101
        for held in ("_params", "_cells"):
            # What Cells hold is found in two dictionaries, without asking `__getattr__`.
            items = getattr(read.owner, "__dict__", {}).get(held)
            if isinstance(items, dict) and name in items and items[name] is read.current:
                return self._equal(f"{self.constant(items)}.get({name!r})", value)
        is_plain = name.isidentifier() and not keyword.iskeyword(name) and not name.startswith("__")
        found = f"{owner}.{name}" if is_plain else f"getattr({owner}, {name!r})"
        if isinstance(value, MethodType) and value.__self__ is read.owner:
            return f"{found}.__func__ is {self.constant(value.__func__)}"
        return self._equal(found, value)

    def _counts_changes(self, held: Held) -> bool:
        """Whether an object is a primitive that counts the changes of its attributes, and none of them may change."""
        attributes = getattr(held.item, "__dict__", {}).get("attrs")
        if not isinstance(attributes, Attributes) or not isinstance(held.parts, list):
            return False
        return all(name in _IGNORED_ATTRIBUTES or not isinstance(part, Held) for name, part in held.parts) and same(
            held.item, held
        )

    def _equal(self, expression: str, value: Any) -> str:
        if isinstance(value, Held) and "_cells" in getattr(value.item, "__dict__", {}):
            cell, held = value.item, self.constant(dict(value.item._cells))
            return f"{expression} is {self.constant(cell)} and {self.constant(cell._cells)} == {held}"
        if isinstance(value, Held) and self._counts_changes(value):
            item = self.constant(value.item)
            return f"{expression} is {item} and {item}.attrs.changes == {value.item.attrs.changes}"
        then = self.constant(value)
        if value is None or isinstance(value, bool | type):
            return f"{expression} is {then}"
        return f"((now := {expression}) is {then} or same(now, {then}))"
