"""Operators that structure programs instead of computing with tensors: tuples, choices, environments, the state token.

Each defines its result at run time and the type of its result. The interpreter, inference and the passes share these
definitions.

An environment maps keys to gradients. The gradient with respect to a closure is an environment with the gradients with
respect to its free variables. The state token is an argument without a value: an operator with a side effect takes the
token, and `UpdateState` makes the next one. So effects are ordered by data, like everything else.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from framework.ir.abstract import (
    UNKNOWN,
    Abstract,
    AbstractConst,
    AbstractDict,
    AbstractEnv,
    AbstractFunction,
    AbstractMonad,
    AbstractScalar,
    AbstractTensor,
    AbstractTuple,
    join,
)
from framework.ir.anf import Operator

__all__ = [
    "ALL",
    "DEPEND",
    "DICT_GETITEM",
    "EMPTY_ENVIRON",
    "ENVIRON_ADD",
    "ENVIRON_GET",
    "ENVIRON_SET",
    "LOAD",
    "MAKE_DICT",
    "MAKE_LIST",
    "MAKE_TUPLE",
    "STATE",
    "SWITCH",
    "TUPLE_GETITEM",
    "UPDATE_STATE",
    "StateToken",
    "Structural",
    "SymbolicKey",
]


class Structural(Operator):
    """An operator of this module.

    Attributes:
        run: computes its result from its arguments.
        infer: the same for abstract values.
    """

    __slots__ = ("infer", "run")

    def __init__(self, name: str, run: Callable[..., Any], infer: Callable[..., Abstract]) -> None:
        super().__init__(name)
        self.run = run
        self.infer = infer


class SymbolicKey:
    """The key of a variable in environments. Two keys are equal only if they are the same object."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"Key[{self.name}]"


class StateToken:
    """The type of the one state token at the beginning of a program."""

    def __repr__(self) -> str:
        return "U"


class _EmptyEnvironment(dict[SymbolicKey, Any]):
    def __repr__(self) -> str:
        return "{}"


STATE: Final = StateToken()
EMPTY_ENVIRON: Final = _EmptyEnvironment()


def _infer_getitem(sequence: Abstract, index: Abstract) -> Abstract:
    if not isinstance(sequence, AbstractTuple):
        raise TypeError(f"{sequence} is not a tuple")
    if isinstance(index, AbstractScalar) and index.value is not UNKNOWN:
        element: Abstract = sequence.elements[index.value]
        return element
    first, *others = sequence.elements
    for other in others:
        first = join(first, other)
    return first


def _infer_dict_getitem(mapping: Abstract, key: Abstract) -> Abstract:
    if not isinstance(mapping, AbstractDict) or not isinstance(key, AbstractConst | AbstractScalar):
        raise TypeError(f"{mapping} is not a dictionary")
    return mapping.elements[mapping.keys.index(key.value)]


def _infer_make_dict(keys: Abstract, *values: Abstract) -> Abstract:
    if not isinstance(keys, AbstractTuple):
        raise TypeError("the keys of a dictionary are constants")
    return AbstractDict(tuple(getattr(key, "value", None) for key in keys.elements), values)


def _infer_switch(condition: Abstract, then: Abstract, otherwise: Abstract) -> Abstract:
    del condition
    return join(then, otherwise)


def _run_set(env: dict[SymbolicKey, Any], key: SymbolicKey, value: Any) -> dict[SymbolicKey, Any]:
    return {**env, key: value}


def gradient_sum(x: Any, y: Any) -> Any:
    """Add two gradients at run time: arrays, tuples, environments, or None if no gradient flows."""
    if x is None or y is None:
        return y if x is None else x
    if isinstance(x, tuple):
        return tuple(gradient_sum(one, two) for one, two in zip(x, y, strict=True))
    return _run_add(x, y) if isinstance(x, dict) else x + y


def _run_add(x: dict[SymbolicKey, Any], y: dict[SymbolicKey, Any]) -> dict[SymbolicKey, Any]:
    both = {**x, **y}
    for key in x.keys() & y.keys():
        both[key] = gradient_sum(x[key], y[key])
    return both


MAKE_TUPLE: Final = Structural("MakeTuple", lambda *items: items, lambda *items: AbstractTuple(items))
MAKE_LIST: Final = Structural("MakeList", lambda *items: list(items), lambda *items: AbstractTuple(items, is_list=True))
TUPLE_GETITEM: Final = Structural("TupleGetItem", lambda sequence, index: sequence[index], _infer_getitem)
MAKE_DICT: Final = Structural("MakeDict", lambda keys, *values: dict(zip(keys, values, strict=True)), _infer_make_dict)
DICT_GETITEM: Final = Structural("DictGetItem", lambda mapping, key: mapping[key], _infer_dict_getitem)
SWITCH: Final = Structural("Switch", lambda condition, then, otherwise: then if condition else otherwise, _infer_switch)
ENVIRON_SET: Final = Structural("EnvironSet", _run_set, lambda env, key, value: AbstractEnv())
ENVIRON_GET: Final = Structural("EnvironGet", lambda env, key, default: env.get(key, default), lambda env, key, d: d)
ENVIRON_ADD: Final = Structural("EnvironAdd", _run_add, lambda x, y: AbstractEnv())
DEPEND: Final = Structural("Depend", lambda value, state: value, lambda value, state: value)
UPDATE_STATE: Final = Structural("UpdateState", lambda state, *after: STATE, lambda *of: AbstractMonad())
LOAD: Final = Structural("Load", lambda parameter, state: parameter, lambda parameter, state: parameter)

ALL: Final = {
    operator.name: operator
    for operator in (
        MAKE_TUPLE, MAKE_LIST, TUPLE_GETITEM, MAKE_DICT, DICT_GETITEM, SWITCH, ENVIRON_SET, ENVIRON_GET, ENVIRON_ADD,
        DEPEND, UPDATE_STATE, LOAD,
    )
}  # fmt: skip


def kind_of(value: Any) -> type | None:
    """The class of a named tuple, None for anything else."""
    return type(value) if isinstance(value, tuple) and hasattr(value, "_fields") else None


def in_kind_of(value: Any, items: list[Any]) -> Any:
    """A sequence of other items, of the class of a tuple, a named tuple or a list."""
    return type(value)(*items) if kind_of(value) is not None else type(value)(items)


def abstract_of(value: Any) -> Abstract:
    """The abstract value of a constant of the program."""
    if isinstance(value, bool | int | float):
        return AbstractScalar(value)
    if isinstance(value, tuple | list):
        return AbstractTuple(tuple(abstract_of(item) for item in value), isinstance(value, list), kind_of(value))
    if isinstance(value, StateToken):
        return AbstractMonad()
    if isinstance(value, _EmptyEnvironment):
        return AbstractEnv()
    if isinstance(value, dict):
        return AbstractDict(tuple(value), tuple(abstract_of(item) for item in value.values()))
    if hasattr(value, "asnumpy") and not isinstance(value, type):
        return AbstractTensor(tuple(value.shape), value.dtype, value)
    return AbstractFunction(value) if isinstance(value, Operator) else AbstractConst(value)
