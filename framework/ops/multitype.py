"""Functions over nested structures and overloaded functions: `HyperMap`, `Map` and `MultitypeFuncGraph`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from framework.common.dtype import KindOfType
from framework.common.tensor import Tensor
from framework.ops.sparse import COOTensor, CSRTensor, RowTensor

__all__ = ["HyperMap", "Map", "MultitypeFuncGraph", "hyper_mapped", "mapped"]

_KINDS: Final[dict[str, tuple[type, ...]]] = {
    "Tensor": (Tensor,),
    "Number": (int, float),
    "Int": (int,),
    "Int32": (int,),
    "Int64": (int,),
    "Float": (float,),
    "Float32": (float,),
    "Bool": (bool,),
    "String": (str,),
    "Tuple": (tuple,),
    "List": (list,),
    "Dictionary": (dict,),
    "None": (type(None),),
    "RowTensor": (RowTensor,),
    "COOTensor": (COOTensor,),
    "CSRTensor": (CSRTensor,),
}


class MultitypeFuncGraph:
    """An overloaded function: the types of the arguments choose which function runs.

    Args:
        name: its name in error messages.
        read_value: accepted for compatibility; arguments are always passed by value.
    """

    def __init__(self, name: str, read_value: bool = False) -> None:
        self.name = name
        self.read_value = read_value
        self.entries: list[tuple[tuple[str, ...], Callable[..., Any]]] = []

    def register(self, *type_names: str | KindOfType) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """Register a function for arguments of these types; a decorator.

        Args:
            type_names: such as "Tensor", "Number" or "Tuple", or the kinds `mstype.number`, `mstype.tuple_` and others.

        Raises:
            ValueError: a type has an unknown name.
        """
        names = tuple(str(name) for name in type_names)
        for name in names:
            if name not in _KINDS and name != "Function":
                raise ValueError(f"{self.name}: there is no type {name!r}; there are Function, {', '.join(_KINDS)}")

        def keep(function: Callable[..., Any]) -> Callable[..., Any]:
            self.entries.append((names, function))
            return function

        return keep

    def function_for(self, types: tuple[type, ...]) -> Callable[..., Any]:
        """The function for arguments of these types; of several that fit, the one registered last.

        Raises:
            TypeError: no function is registered for these types.
        """
        for names, function in reversed(self.entries):
            if len(names) == len(types) and all(map(_fits, names, types)):
                chosen: Callable[..., Any] = function
                return chosen
        known = "; ".join(f"({', '.join(names)})" for names, _ in self.entries)
        given = ", ".join(kind.__name__ for kind in types)
        raise TypeError(f"{self.name} is not defined for ({given}); it is for {known}: register a function for these")

    def __call__(self, *args: Any) -> Any:
        """The result of the function for these arguments."""
        return self.function_for(tuple(type(arg) for arg in args))(*args)


def _fits(name: str, kind: type) -> bool:
    if name == "Function":
        return not any(issubclass(kind, other) for kinds in _KINDS.values() for other in kinds)
    return issubclass(kind, _KINDS[name]) and (kind is not bool or name == "Bool")


class HyperMap:
    """Applies a function to the elements of one or several nested sequences of the same structure.

    Args:
        ops: the function; by default the first argument of each call.
        reverse: accepted for compatibility; only functions with side effects could observe the order.
    """

    def __init__(self, ops: Any = None, reverse: bool = False) -> None:
        self.ops = ops
        self.reverse = reverse

    def __call__(self, *args: Any) -> Any:
        """A structure of the same form that holds the results."""
        if self.ops is None:
            return hyper_mapped(args[0], args[1:])
        return hyper_mapped(self.ops, args)


class Map(HyperMap):
    """As `HyperMap`, but for the outermost sequence only: nested elements are passed to the function unchanged."""

    def __call__(self, *args: Any) -> Any:
        """A sequence of the same length that holds the results."""
        if self.ops is None:
            return mapped(args[0], args[1:])
        return mapped(self.ops, args)


def hyper_mapped(function: Any, items: Any) -> Any:
    """The result of `HyperMap`."""
    first = items[0]
    if isinstance(first, (tuple, list)):
        found = [hyper_mapped(function, tuple([item[i] for item in items])) for i in range(len(first))]
        return found if isinstance(first, list) else tuple(found)
    return function(*items)


def mapped(function: Any, items: Any) -> Any:
    """The result of `Map`."""
    first = items[0]
    found = [function(*tuple([item[i] for item in items])) for i in range(len(first))]
    return found if isinstance(first, list) else tuple(found)
