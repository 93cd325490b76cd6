"""Guards: generated code that checks in one pass everything that a program was compiled for.

A program is valid for tensors of certain shapes and element types, for certain values of its other arguments, and
while the state that it read from outside is unchanged (`framework.parse.reads`). The general check takes tens of
microseconds. In the generated function each check is one comparison. If one fails, it returns `MISS`. Then
`framework.engine.call.compiled` makes the general check, and compiles if it must.
"""

from __future__ import annotations

import keyword
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from types import MethodType
from typing import TYPE_CHECKING, Any

from framework.common import device
from framework.common.parameter import Parameter as Weight
from framework.common.tensor import Tensor
from framework.ir.abstract import Abstract, AbstractTensor, known
from framework.ir.anf import CNode
from framework.ops.primitive import Attributes
from framework.parse.reads import ATTRIBUTE, CELL, GLOBAL, Held, Read, same

if TYPE_CHECKING:
    from framework.engine.compiler import CompiledProgram

__all__ = ["MISS", "Entry", "GuardedRun", "guarded_entry"]

#: Attributes of primitives that are lists, and do not change what is computed.
_IGNORED_ATTRIBUTES = ("input_names", "output_names")
MISS = object()
"""What an entry returns for arguments that its program was not compiled for."""

GuardedRun = Callable[[tuple[object, ...]], Any]
"""Takes the arguments of a call as a tuple. Returns what the user gets, or `MISS`."""


@dataclass(frozen=True, slots=True, eq=False)
class Entry:
    """The two ways into a program for a warm call.

    Attributes:
        enter: checks everything, then runs the program.
        again: checks only the arguments, then runs the program. It is for a call right after another one, between which
            nothing but the arguments has changed.
    """

    enter: GuardedRun
    again: GuardedRun


def guarded_entry(
    program: CompiledProgram,
    arguments: Sequence[tuple[object, Abstract]],
    wrap: Callable[[Any, Abstract | None], Any],
) -> Entry | None:
    """Generate the entry of a program.

    Args:
        program: the program.
        arguments: the arguments that it was compiled for, each with its abstract value.
        wrap: makes what the user gets, from what the program returns and the abstract value of that.

    Returns:
        The entry; None if an argument is a container with tensors, which only the general check handles.
    """
    if any(not known(abstract) and not isinstance(abstract, AbstractTensor) for _, abstract in arguments):
        return None
    if any(isinstance(value, Tensor) and value.const_arg for value, _ in arguments):
        return None  # Its elements are part of the check.
    writer = _GuardWriter()
    of_arguments = writer.arguments(arguments)
    if program.weights and not program.is_pure:
        # A Parameter may be one that the program changes: `own_weights` finds out.
        of_arguments += writer.no_parameters(arguments)
    checks = [*of_arguments, *writer.surroundings(program)]
    # The array of a Parameter is written in place only if nothing else holds it, so the guard releases it.
    release = ["w = None"] if program.weights else []
    run = _lines_that_run(program, [abstract for _, abstract in arguments])
    count = len(arguments)
    source = [*_function("entry", count, checks, [*release, *run]), *_function("again", count, of_arguments, run)]
    scope = writer.scope | {"run": program.executable, "wrap": wrap, "abstract": program.root.output.abstract}
    exec("\n".join(source), scope)  # noqa: S102
    return Entry(scope["entry"], scope["again"])


def _function(name: str, count: int, checks: Iterable[str], body: Iterable[str]) -> list[str]:
    """The lines of a function that returns `MISS` unless all checks hold."""
    return [
        f"def {name}(args):",
        "    try:",
        f"        ({''.join(f'a{place}, ' for place in range(count))}) = args",
        *(f"        if not ({check}): return MISS" for check in checks),
        "    except (AttributeError, IndexError, KeyError, TypeError, ValueError):",
        "        return MISS",
        *(f"    {line}" for line in body),
    ]


def _lines_that_run(program: CompiledProgram, abstracts: Sequence[Abstract]) -> list[str]:
    """The lines that run a program on the arrays that the guards have bound, and return the user's value."""
    arrays = ", ".join(f"d{place}" for place, abstract in enumerate(abstracts) if not known(abstract))
    output = program.root.output
    if isinstance(output, CNode) and isinstance(output.abstract, AbstractTensor):
        # It is always an array, which becomes a tensor without any further check.
        return [f"value = run({arrays})", "out = new(Tensor)", "out._data = value", "out._node = 0", "return out"]
    return [f"value = run({arrays})", "return wrap(value, abstract)"]


def _distinct_reads(reads: Sequence[Read]) -> list[Read]:
    """The first read of each variable, and later reads whose value has changed since."""
    first: dict[tuple[str, int, str], Read] = {}
    others = [read for read in reads if first.setdefault(read.key, read) is not read]
    return [*first.values(), *(read for read in others if not read.unchanged)]


class _GuardWriter:
    """Writes checks as Python expressions.

    Attributes:
        scope: the objects that the expressions name.
    """

    def __init__(self) -> None:
        self.scope: dict[str, Any] = {
            "MISS": MISS,
            "Tensor": Tensor,
            "new": Tensor.__new__,
            "same": same,
            "device": device,
        }
        self._names: dict[int, str] = {}

    def constant(self, value: object) -> str:
        """The name of an object."""
        if id(value) not in self._names:
            self._names[id(value)] = f"c{len(self._names)}"
            self.scope[self._names[id(value)]] = value
        return self._names[id(value)]

    def arguments(self, arguments: Sequence[tuple[object, Abstract]]) -> list[str]:
        """The checks of the arguments `a0`, `a1` and so on; for a tensor `a1` they also bind `d1` to its array."""
        return [self._argument(place, value, abstract) for place, (value, abstract) in enumerate(arguments)]

    def no_parameters(self, arguments: Sequence[tuple[object, Abstract]]) -> list[str]:
        """The checks that no tensor among the arguments is a Parameter."""
        places = [place for place, (_, abstract) in enumerate(arguments) if not known(abstract)]
        return [f"type(a{place}) is not {self.constant(Weight)}" for place in places]

    def surroundings(self, program: CompiledProgram) -> list[str]:
        """The checks of everything else that a program depends on: the device, Parameters, and values that it read."""
        reads = map(self._read, _distinct_reads(program.reads))
        return [self._device(), *map(self._weight, program.weights), *dict.fromkeys(reads)]

    def _device(self) -> str:
        return f"device._xp is {self.constant(device.array_module())}"

    def _argument(self, place: int, value: object, abstract: Abstract) -> str:
        if not isinstance(abstract, AbstractTensor) or known(abstract):
            return self._equal(f"a{place}", value)
        array = f"d{place}"
        shape, dtype = abstract.shape, self.constant(abstract.dtype.numpy)
        first = f"({array} := a{place}._data).dtype is {dtype}"
        if None not in shape:
            return f"{first} and {array}.shape == {shape}"
        dims = [f"{array}.shape[{axis}] == {dim}" for axis, dim in enumerate(shape) if dim is not None]
        return " and ".join([first, f"{array}.ndim == {len(shape)}", *dims])

    def _weight(self, weight: Weight) -> str:
        """The check that a Parameter has the type that it had."""
        array = weight._data
        name, dtype = self.constant(weight), self.constant(array.dtype)
        return f"(w := {name}._data).shape == {array.shape} and w.dtype is {dtype}"

    def _read(self, read: Read) -> str:
        """The check that a value read from outside is unchanged."""
        owner, name, value = self.constant(read.owner), read.what, read.value
        if read.kind == GLOBAL:
            return self._equal(f"{owner}[{name!r}]", value)
        if read.kind == CELL:
            return self._equal(f"{owner}.cell_contents", value)
        assert read.kind == ATTRIBUTE  # noqa: S101
        for held in ("_params", "_cells"):
            # The Parameters and Cells of a Cell are in two dictionaries: a look-up there avoids `__getattr__`.
            items = getattr(read.owner, "__dict__", {}).get(held)
            if isinstance(items, dict) and name in items and items[name] is read.current:
                return self._equal(f"{self.constant(items)}.get({name!r})", value)
        is_plain = name.isidentifier() and not keyword.iskeyword(name) and not name.startswith("__")
        found = f"{owner}.{name}" if is_plain else f"getattr({owner}, {name!r})"
        if isinstance(value, MethodType) and value.__self__ is read.owner:
            return f"{found}.__func__ is {self.constant(value.__func__)}"
        return self._equal(found, value)

    def _counts_changes(self, held: Held) -> bool:
        """Whether an object is a primitive that counts the changes of its attributes, all of them immutable."""
        attributes = getattr(held.item, "__dict__", {}).get("attrs")
        if not isinstance(attributes, Attributes) or not isinstance(held.parts, list):
            return False
        return all(name in _IGNORED_ATTRIBUTES or not isinstance(part, Held) for name, part in held.parts) and same(
            held.item, held
        )

    def _equal(self, expression: str, value: object) -> str:
        """The check that an expression has a value."""
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
