"""The dispatch table of primitives: which function runs when a primitive of a class is called.

Python looks `__call__` up in the class, so the classes themselves hold the table, and a call pays for no other look-up.
Only this module writes the table. The row of a class is two of its attributes:

- `made_call`: the function made for calls of this class, None before its first call;
- `__call__`: what Python runs. It is `first_call`, later `made_call`. While calls are wrapped, it is one of them inside
  the wrapper.

PyNative mode sets how a function is made (`make_calls_with`), and what surrounds every call while someone observes
(`wrap_calls`). A class that defines `__call__` itself has no row, and neither do its subclasses.

`pull` computes gradients on arrays. It is made in the same way, but for each primitive, because it depends on the
attributes (`make_pulls_with`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from framework.ops.primitive import Primitive

__all__ = [
    "NAMED",
    "Call",
    "Pull",
    "add_row",
    "first_call",
    "first_pull",
    "make_calls_with",
    "make_pulls_with",
    "remake_calls",
    "unwrap_calls",
    "wrap_calls",
]

Call = Callable[..., Any]

NAMED: dict[str, Call] = {}
"""What `Primitive(name)` computes that is no class of operators here: functions of numbers, such as `scalar_add`."""
"""`call(primitive, *inputs, **named)` executes a primitive."""

Pull = Callable[[tuple[object, ...], object, list[object], int, object], bool]
"""`pull(entry, dout, gradients, first, add)` computes gradients of an entry of the tape, on arrays.

It adds to `gradients` those of the inputs whose number is larger than `first`, and returns True; `add` sums two tensors
where their arrays cannot be added. It returns False, and does nothing, where the arrays are not of the kind that it was
made for. The caller then runs the backward function of the primitive.
"""


def _not_loaded(kind: type[Primitive]) -> Call:
    raise RuntimeError(f"primitive {kind.__name__} cannot run yet: import framework before calling it")


def _no_pull(primitive: Primitive) -> Pull | None:
    return None


_make_call: Callable[[type[Primitive]], Call] = _not_loaded
_make_pull: Callable[[Primitive], Pull | None] = _no_pull
_wrap: Callable[[Call], Call] | None = None


def make_calls_with(make: Callable[[type[Primitive]], Call]) -> None:
    """Set what makes the function of a class, at its first call; functions made before are dropped."""
    global _make_call
    _make_call = make
    remake_calls()


def remake_calls() -> None:
    """Drop the functions of all classes, which are made again when they are called."""
    for kind in _rows():
        _write(kind, None)


def make_pulls_with(make: Callable[[Primitive], Pull | None]) -> None:
    """Set what makes the `pull` of a primitive; it may return None, and is then tried again the next time."""
    global _make_pull
    _make_pull = make


def wrap_calls(wrap: Callable[[Call], Call]) -> None:
    """Run all calls inside a wrapper, those of classes defined later too, until `unwrap_calls`."""
    global _wrap
    _wrap = wrap
    _write_all()


def unwrap_calls() -> None:
    """Run all calls without the wrapper again."""
    global _wrap
    _wrap = None
    _write_all()


def add_row(kind: type[Primitive]) -> None:
    """Enter a class that has just been defined.

    A function made for a base class does not fit its subclasses: their kernels may have other inputs.
    """
    owner = next(base for base in kind.__mro__ if "__call__" in base.__dict__)
    if owner is not kind and "made_call" in owner.__dict__:
        _write(kind, None)


def first_call(self: Primitive, *inputs: Any, **named: Any) -> Any:
    """Execute the operator now, on tensors and Python values, and record it if a gradient is being computed."""
    kind = type(self)
    if self.name in NAMED and "infer" not in dir(kind):
        return NAMED[self.name](*inputs, **named)
    made = _make_call(kind)
    _write(kind, made)
    return made(self, *inputs, **named)


def first_pull(
    self: Primitive, entry: tuple[object, ...], dout: object, gradients: list[object], first: int, add: object
) -> bool:
    """Compute gradients of an entry of the tape, on arrays, if a function can be made for it: see `Pull`."""
    made = _make_pull(self)
    if made is None:
        return False
    self.pull = made  # type: ignore[method-assign,assignment]
    return made(entry, dout, gradients, first, add)


def _write(kind: type[Primitive], made: Call | None) -> None:
    """Write the row of a class."""
    kind.made_call = made
    call = first_call if made is None else made
    kind.__call__ = call if _wrap is None else _wrap(call)  # type: ignore[method-assign]


def _write_all() -> None:
    for kind in _rows():
        _write(kind, kind.made_call)


def _rows() -> Iterator[type[Primitive]]:
    """All classes that have a row."""
    from framework.ops.primitive import Primitive

    kinds: list[type[Primitive]] = [Primitive]
    while kinds:
        kind = kinds.pop()
        kinds += kind.__subclasses__()
        if "made_call" in kind.__dict__:
            yield kind
