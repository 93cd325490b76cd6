"""Evaluators of methods that change lists and dictionaries: the new container, and the method's result."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import FunctionType
from typing import Any, Final

from framework.infer.evaluators import containers
from framework.infer.evaluators.arithmetic import apply_to_values
from framework.infer.evaluators.attributes import get_attribute
from framework.infer.evaluators.inference import Inference
from framework.infer.evaluators.registry import register
from framework.infer.values import are_alike, constant, is_dynamic, is_known, value_of
from framework.ir.abstract import AbstractDict, AbstractTensor, AbstractTuple
from framework.ir.anf import CNode, Node
from framework.ir.errors import GraphError, PythonOnlyError, refusal_of
from framework.ir.python_ops import PythonOp, op
from framework.ops import functional, operations
from framework.ops.methods.in_place import IN_PLACE, become, fits

__all__ = ["add_to", "change"]


def change(infer: Inference, operator: PythonOp, arguments: Sequence[Node]) -> Node:
    """`owner.method(...)`: a tuple of the changed owner and the result of the call."""
    owner, method = arguments[0], value_of(arguments[1])
    positional, named = infer.build.items(arguments[2]), infer.build.entries(arguments[3])
    abstract = owner.abstract
    is_list = isinstance(abstract, AbstractTuple) and abstract.is_list
    if not is_list and not isinstance(abstract, AbstractDict):
        return _change_tensor(infer, owner, method, positional, named)
    table: Mapping[str, Any] = _LISTS if is_list else _DICTS
    if method not in table:
        raise infer.program.error(f"{abstract} has no method '{method}'")
    infer.changed(owner)
    content: Any = list(infer.build.items(owner)) if is_list else dict(infer.build.entries(owner))
    try:
        result = table[method](infer, content, positional, named)
    except GraphError:
        raise
    except (IndexError, KeyError, ValueError, LookupError) as error:
        raise infer.program.error(f".{method}(): {error}", refusal_of(error)) from None
    made = infer.build.make_list(content) if is_list else infer.build.make_dict(content)
    if isinstance(abstract, AbstractTuple) and abstract.is_dynamic:
        _of_one_type(infer, method, made)
        made = infer.build.dynamic(made)
    return infer.build.make_tuple([made, constant(None) if result is None else result])


def _change_tensor(
    infer: Inference, owner: Node, method: str, positional: Sequence[Node], named: Mapping[str, Node]
) -> Node:
    """The same for a tensor: a hook, a method in place, or one that changes nothing. Likewise for other objects."""
    is_tensor = isinstance(owner.abstract, AbstractTensor)
    if is_tensor and method == "register_hook":
        return infer.build.make_tuple([_hooked(infer, owner, *positional, *named.values()), constant(None)])
    found = infer.call(get_attribute(infer, op("getattr"), [owner, constant(method)]), positional, named)
    return infer.build.make_tuple([found if is_tensor and method in IN_PLACE else owner, found])


def _of_one_type(infer: Inference, method: str, made: Node) -> None:
    abstract = made.abstract
    if isinstance(abstract, AbstractTuple) and abstract.elements and not are_alike(*abstract.elements):
        raise infer.program.error(f".{method}() of a list of dynamic length needs values of one type, not {abstract}")


@register(become)
def _become(infer: Inference, callee: Any, arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
    """The value of a tensor after a change in place. Whatever else holds the tensor has a stale value from then on."""
    owner, value = arguments
    old, new = owner.abstract, value.abstract
    if not isinstance(old, AbstractTensor) or not isinstance(new, AbstractTensor):
        raise infer.program.error(f"{old} cannot be changed in place to {new}")
    try:
        fits(old.shape, old.dtype, new.shape, new.dtype)
    except (TypeError, ValueError) as error:
        raise infer.program.error(str(error)) from None
    if any(owner is weight for weight in infer.program.weights.values()):
        infer.call(constant(operations.Assign()), [owner, value], {})
        return owner
    if owner in infer.program.root.parameters:
        raise infer.program.error(
            "this tensor is an argument of the compiled function, and the caller would not see a change in place:"
            " change a copy, x = x.copy(), and return it, or use the function without the underscore",
            PythonOnlyError,
        )
    infer.changed(owner)
    if new.shape != old.shape:
        value = infer.call(constant(functional.broadcast_to), [value, constant(old.shape)], {})
    return value if new.dtype is old.dtype else infer.call(constant(functional.cast), [value, constant(old.dtype)], {})


def _hooked(infer: Inference, owner: Node, hook: Node) -> Node:
    """A tensor after `owner.register_hook(hook)`: the gradient by it goes through the hook.

    Raises:
        InferenceError: the hook would miss a part of the gradient, because the tensor was used before.
    """
    if is_known(owner):
        return owner
    is_first = owner in infer.program.root.parameters or "differentiated" in getattr(owner.graph, "attrs", ())
    is_made_here = isinstance(owner, CNode) or is_first
    if owner in infer.build.used or not is_made_here or any(owner is one for one in infer.program.weights.values()):
        raise infer.program.error(
            "in a compiled function, a hook gets the gradient from later uses of the tensor only, and this tensor was "
            "used before or comes from outside: register the hook directly after the statement that computes the "
            "tensor"
        )
    if not is_known(hook) or not isinstance(value_of(hook), FunctionType):
        raise infer.program.error("the hook must be a function that is defined outside of the compiled function")
    infer.mutations.change(owner, infer.program.location)
    return infer.build.primitive(operations.InsertGradientOf(_or_unchanged(value_of(hook))), [owner])


def _or_unchanged(hook: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """A function of a gradient: the result of a hook, or the gradient itself if that is None."""

    def replaced(gradient: Any) -> Any:
        found = hook(gradient)
        return gradient if found is None else found

    return replaced


def add_to(infer: Inference, operator: PythonOp, arguments: Sequence[Node]) -> Node:
    """`owner += more`, `owner *= count`: changes a list, and computes a new value for anything else."""
    owner, more = arguments
    if not isinstance(owner.abstract, AbstractTuple) or not owner.abstract.is_list:
        return apply_to_values(infer, op("add" if operator.name == "add_to" else "mul"), arguments)
    infer.changed(owner)
    if is_dynamic(owner.abstract) or is_dynamic(more.abstract):
        return apply_to_values(infer, op("add" if operator.name == "add_to" else "mul"), arguments)
    if operator.name == "multiply_by":
        return infer.build.make_list(infer.build.items(owner) * value_of(more))
    return infer.build.make_list([*infer.build.items(owner), *_items(infer, more)])


def _items(infer: Inference, node: Node) -> list[Node]:
    return infer.build.items(containers.as_tuple(infer, op("as_tuple"), [node]))


def _sort(infer: Inference, items: list[Node], positional: Sequence[Node], named: Mapping[str, Node]) -> None:
    items[:] = containers.in_order(infer, ".sort", items, named)


def _place_of(infer: Inference, items: list[Node], item: Node) -> int:
    if not is_known(item) or not all(map(is_known, items)):
        raise infer.program.error("finding an item needs values known at compile time")
    return [value_of(other) for other in items].index(value_of(item))


def _pop(items: list[Node], positional: Sequence[Node]) -> Node:
    return items.pop(*(value_of(item) for item in positional))


def _update(infer: Inference, items: dict[Any, Node], positional: Sequence[Node], named: Mapping[str, Node]) -> None:
    for other in positional:
        items.update(infer.build.entries(other))
    items.update(named)


def _take(items: dict[Any, Node], positional: Sequence[Node]) -> Node:
    key = value_of(positional[0])
    return items.pop(key) if len(positional) == 1 else items.pop(key, positional[1])


def _last(infer: Inference, items: dict[Any, Node]) -> Node:
    key, value = items.popitem()
    return infer.build.make_tuple([constant(key), value])


_LISTS: Final[dict[str, Callable[[Any, list[Node], Sequence[Node], Mapping[str, Node]], Node | None]]] = {
    "append": lambda infer, items, given, named: items.append(*given),
    "extend": lambda infer, items, given, named: items.extend(_items(infer, *given)),
    "insert": lambda infer, items, given, named: items.insert(value_of(given[0]), given[1]),
    "remove": lambda infer, items, given, named: items.__delitem__(_place_of(infer, items, *given)),
    "pop": lambda infer, items, given, named: _pop(items, given),
    "clear": lambda infer, items, given, named: items.clear(),
    "__delitem__": lambda infer, items, given, named: items.__delitem__(value_of(given[0])),
    "reverse": lambda infer, items, given, named: items.reverse(),
    "sort": _sort,
}
_DICTS: Final[dict[str, Callable[[Any, dict[Any, Node], Sequence[Node], Mapping[str, Node]], Node | None]]] = {
    "update": _update,
    "pop": lambda infer, items, given, named: _take(items, given),
    "clear": lambda infer, items, given, named: items.clear(),
    "__delitem__": lambda infer, items, given, named: items.__delitem__(value_of(given[0])),
    "setdefault": lambda infer, items, given, named: items.setdefault(value_of(given[0]), [*given, constant(None)][1]),
    "popitem": lambda infer, items, given, named: _last(infer, items),
}
