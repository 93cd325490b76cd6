"""Abstract values: the type and shape of a value before the program runs, and sometimes the value itself.

Inference computes with abstract values, and every node of the IR carries one. A primitive's `infer` maps those of its
inputs to that of its output. `broaden` forgets values. `join` is the least abstract value that describes two others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

__all__ = [
    "UNKNOWN",
    "Abstract",
    "AbstractConst",
    "AbstractDict",
    "AbstractEnv",
    "AbstractFunction",
    "AbstractJoinError",
    "AbstractMonad",
    "AbstractScalar",
    "AbstractTensor",
    "AbstractTuple",
    "Shape",
    "broaden",
    "cotangent",
    "join",
    "known",
]

Shape = tuple[int | None, ...]
"""The dimensions. None stands for a leading dimension that is known only when the program runs."""


class _Unknown:
    """The absence of a known value (None is a value like any other)."""

    def __repr__(self) -> str:
        return "?"

    def __reduce__(self) -> str:
        return "UNKNOWN"


UNKNOWN: Final = _Unknown()


class AbstractJoinError(TypeError):
    """One variable would have to hold two values that have nothing in common."""


class Abstract:
    """What is known of a value."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class AbstractTensor(Abstract):
    """A tensor.

    Attributes:
        shape: its dimensions.
        dtype: its element type (`framework.common.dtype`).
        value: the tensor itself if it is a constant of the program, else UNKNOWN. It is not part of the type.
    """

    shape: Shape
    dtype: Any
    value: Any = field(default=UNKNOWN, compare=False)

    def __str__(self) -> str:
        dims = ", ".join("?" if dim is None else str(dim) for dim in self.shape)
        return f"<Tensor[{self.dtype}], ({dims}{',' if len(self.shape) == 1 else ''})>"


@dataclass(frozen=True, slots=True)
class AbstractScalar(Abstract):
    """A Python number that the program may compute with.

    Attributes:
        value: the number, or UNKNOWN.
        type: bool, int or float.
        is_variable: whether `mutable` says that it may change. It is not part of the type.
    """

    value: Any = UNKNOWN
    type: type = int
    is_variable: bool = field(default=False, compare=False)

    def __post_init__(self) -> None:
        if self.value is not UNKNOWN:
            object.__setattr__(self, "type", type(self.value))

    def __eq__(self, other: object) -> bool:
        """1, 1.0 and True are three values."""
        if not isinstance(other, AbstractScalar) or self.type is not other.type:
            return False
        if self.value is UNKNOWN or other.value is UNKNOWN:
            return self.value is other.value
        return repr(self.value) == repr(other.value)

    def __hash__(self) -> int:
        return hash((self.type, repr(self.value)))

    def __str__(self) -> str:
        name = {bool: "Bool", int: "Int64", float: "Float64"}.get(self.type, self.type.__name__)
        return f"<{name}>" if self.value is UNKNOWN else f"<{name}, value={self.value!r}>"


@dataclass(frozen=True, slots=True)
class AbstractTuple(Abstract):
    """A tuple or a list. Both are values in the IR: to change a list, a program makes another one.

    Attributes:
        elements: an abstract value for each element.
        is_list: whether it is a list rather than a tuple.
        kind: the class of a named tuple, else None.
        is_dynamic: whether `mutable` says that its length may change. It is not part of the type.
    """

    elements: tuple[Abstract, ...]
    is_list: bool = False
    kind: type | None = None
    is_dynamic: bool = field(default=False, compare=False)

    def __str__(self) -> str:
        name = "List" if self.is_list else "Tuple"
        return f"<{name}[{', '.join(str(element)[1:-1] for element in self.elements)}]>"


@dataclass(frozen=True, slots=True)
class AbstractDict(Abstract):
    """A dictionary with constant keys."""

    keys: tuple[Any, ...]
    elements: tuple[Abstract, ...]

    def __str__(self) -> str:
        items = zip(self.keys, self.elements, strict=True)
        return f"<Dictionary[{', '.join(f'{key!r}: {str(element)[1:-1]}' for key, element in items)}]>"


@dataclass(frozen=True, slots=True, eq=False)
class AbstractConst(Abstract):
    """Any other Python object, always known: None, a string, a slice, an element type, a module, a Cell, a class.

    Attributes:
        value: the object.
        is_variable: whether it is a slice or a range of numbers of which `mutable` says that they may change.
    """

    value: Any
    is_variable: bool = False

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, AbstractConst) or type(self.value) is not type(other.value):
            return False
        if isinstance(self.value, str | slice | type(None)):
            return bool(self.value == other.value)
        return self.value is other.value

    def __hash__(self) -> int:
        if isinstance(self.value, slice):
            return hash(("slice", repr(self.value)))
        return hash(self.value) if isinstance(self.value, str) else id(self.value)

    def __str__(self) -> str:
        if isinstance(self.value, str):
            return f"<String, value={self.value!r}>"
        return "<None>" if self.value is None else f"<{type(self.value).__name__}>"


@dataclass(frozen=True, slots=True)
class AbstractFunction(Abstract):
    """A function.

    Attributes:
        value: the function (a closure of `framework.infer`) if inference knows it, else UNKNOWN. Backpropagators, which
            the J transform makes, are ordinary values of the running program and therefore unknown.
    """

    value: Any = UNKNOWN

    def __str__(self) -> str:
        return "<Func>"


@dataclass(frozen=True, slots=True)
class AbstractEnv(Abstract):
    """An environment: the gradients of a closure's free variables, by variable."""

    def __str__(self) -> str:
        return "<EnvType>"


@dataclass(frozen=True, slots=True)
class AbstractMonad(Abstract):
    """The state token that orders side effects."""

    def __str__(self) -> str:
        return "<UMonad>"


def known(abstract: Abstract) -> bool:
    """Whether the value itself is known."""
    if isinstance(abstract, AbstractTensor | AbstractScalar | AbstractFunction):
        return abstract.value is not UNKNOWN
    if isinstance(abstract, AbstractTuple | AbstractDict):
        return all(known(element) for element in abstract.elements)
    return isinstance(abstract, AbstractConst)


def broaden(abstract: Abstract) -> Abstract:
    """The same type without known values. Types whose values must be known stay as they are."""
    if isinstance(abstract, AbstractTensor | AbstractScalar):
        return replace(abstract, value=UNKNOWN)
    if isinstance(abstract, AbstractTuple | AbstractDict):
        return replace(abstract, elements=tuple(broaden(element) for element in abstract.elements))
    return abstract


def join(first: Abstract, second: Abstract) -> Abstract:
    """The least abstract value that describes both.

    Raises:
        AbstractJoinError: there is none, such as for two shapes of different rank.
    """
    if isinstance(first, AbstractTensor) and isinstance(second, AbstractTensor):
        return _join_tensors(first, second)
    if isinstance(first, AbstractScalar) and isinstance(second, AbstractScalar) and first.type is second.type:
        return first if first == second else AbstractScalar(UNKNOWN, first.type)
    if isinstance(first, AbstractTuple | AbstractDict):
        return _join_containers(first, second)
    if (
        isinstance(first, AbstractFunction)
        and isinstance(second, AbstractFunction)
        and UNKNOWN in (first.value, second.value)
    ):
        return AbstractFunction()
    if first == second:
        return first
    raise _nothing_in_common(first, second)


def _nothing_in_common(first: Abstract, second: Abstract) -> AbstractJoinError:
    return AbstractJoinError(f"{first} and {second} have nothing in common")


def _join_tensors(first: AbstractTensor, second: AbstractTensor) -> AbstractTensor:
    if first.dtype != second.dtype or len(first.shape) != len(second.shape) or first.shape[1:] != second.shape[1:]:
        raise AbstractJoinError(f"{first} and {second} differ in more than the leading dimension")
    value = first.value if first.value is second.value else UNKNOWN
    leading = first.shape if first.shape == second.shape else (None, *first.shape[1:])
    return AbstractTensor(leading, first.dtype, value)


def _join_containers(first: AbstractTuple | AbstractDict, second: Abstract) -> Abstract:
    if isinstance(first, AbstractTuple) and isinstance(second, AbstractTuple) and first.is_list == second.is_list:
        kind = first.kind if first.kind is second.kind else None
        return AbstractTuple(_join_all(first.elements, second.elements, first, second), first.is_list, kind)
    if isinstance(first, AbstractDict) and isinstance(second, AbstractDict) and first.keys == second.keys:
        return AbstractDict(first.keys, _join_all(first.elements, second.elements, first, second))
    raise _nothing_in_common(first, second)


def _join_all(
    first: Sequence[Abstract], second: Sequence[Abstract], whole: Abstract, other: Abstract
) -> tuple[Abstract, ...]:
    if len(first) != len(second):
        raise AbstractJoinError(f"{whole} and {other} differ in length")
    return tuple(join(one, two) for one, two in zip(first, second, strict=True))


def cotangent(abstract: Abstract) -> Abstract:
    """The type of a gradient with respect to such a value: None if no gradient flows, an environment for a function."""
    if isinstance(abstract, AbstractTensor):
        return replace(abstract, value=UNKNOWN)
    if isinstance(abstract, AbstractScalar):
        return AbstractScalar(UNKNOWN, float) if abstract.type is float else AbstractConst(None)
    if isinstance(abstract, AbstractTuple):
        return AbstractTuple(tuple(cotangent(element) for element in abstract.elements))
    if isinstance(abstract, AbstractDict):
        return AbstractTuple(tuple(cotangent(element) for element in abstract.elements))
    return AbstractEnv() if isinstance(abstract, AbstractFunction | AbstractEnv) else AbstractConst(None)
