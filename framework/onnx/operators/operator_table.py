"""The table of ONNX's operators: which function means an operator since which opset, and what it takes.

A function says by its signature what its operator has. Positional parameters are inputs; one that may be left out has
the default None. Keyword-only parameters are attributes, and their annotation is the attribute's type. The loader
checks both before any node is made.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, TypeAlias, TypeVar

from framework.common.tensor import Tensor
from framework.schema.onnx_pb2 import Attribute

__all__ = [
    "Body", "ElementType", "Floats", "Ints", "Known", "Row", "Strings", "first_opsets", "names", "onnx", "row_of",
]  # fmt: skip

Ints: TypeAlias = tuple[int, ...]
Floats: TypeAlias = tuple[float, ...]
Strings: TypeAlias = tuple[str, ...]
ElementType: TypeAlias = int
"""An attribute that is the number of an element type."""
Known: TypeAlias = Tensor
"""An input whose elements decide a shape, so that a compiled program must know them: a weight there is a constant."""
Body: TypeAlias = Callable[..., tuple[Tensor, ...]]
"""An attribute that is a graph: a function from tensors to a tuple of tensors."""

F = TypeVar("F", bound=Callable[..., Any])

_KINDS: Final[dict[str, int]] = {
    "int": Attribute.INT, "ElementType": Attribute.INT, "float": Attribute.FLOAT, "str": Attribute.STRING,
    "Tensor": Attribute.TENSOR, "Ints": Attribute.INTS, "Floats": Attribute.FLOATS, "Strings": Attribute.STRINGS,
    "Body": Attribute.GRAPH,
}  # fmt: skip
_GIVEN: Final = ("outputs", "max_rounds", "memory", "scan_shapes")
"""Parameters that are no attributes: the number of outputs, the bounds of the loaded model, the declared shapes of
what a loop collects."""


@dataclass(frozen=True)
class Row:
    """An operator in the table.

    Attributes:
        name: its name in ONNX.
        since: the first opset in which the function means it.
        function: from inputs and attributes to the output, or to a tuple of outputs.
        inputs: the names of the inputs.
        needed: how many inputs there must be.
        is_open: whether any number of inputs may follow.
        known: the positions of inputs whose elements a compiled program must know.
        bodies: the names of attributes that are graphs; the function takes them before the inputs.
        attributes: the type of each attribute that is no graph.
        required: the attributes that must be there.
        types: the attributes that are numbers of element types.
        given: which of the parameters that are no attributes the function takes.
        returns_tuple: whether the function returns a tuple of outputs.
    """

    name: str
    since: int
    function: Callable[..., Any]
    inputs: tuple[str, ...]
    needed: int
    is_open: bool
    known: frozenset[int]
    bodies: tuple[str, ...]
    attributes: dict[str, int]
    required: frozenset[str]
    types: frozenset[str]
    given: frozenset[str]
    returns_tuple: bool


_TABLE: Final[dict[tuple[str, str], list[Row]]] = {}


def onnx(name: str, since: int = 1, domain: str = "") -> Callable[[F], F]:
    """Decorate the function that means an operator.

    Args:
        name: the operator's name in ONNX.
        since: the first opset in which this function means it; the table may have others for older ones.
        domain: the operator's domain.
    """

    def keep(function: F) -> F:
        rows = _TABLE.setdefault((domain, name), [])
        rows.append(_row(name, since, function))
        rows.sort(key=lambda row: row.since)
        return function

    return keep


def row_of(domain: str, name: str, opset: int) -> Row | None:
    """The meaning of an operator in an opset; None if there is none."""
    found = [row for row in _TABLE.get((domain, name), ()) if row.since <= opset]
    return found[-1] if found else None


def names(domain: str = "") -> list[str]:
    """The operators in the table, sorted."""
    return sorted(name for within, name in _TABLE if within == domain)


def first_opsets() -> dict[tuple[str, str], int]:
    """The first opset in which each operator is known, by domain and name."""
    return {key: rows[0].since for key, rows in _TABLE.items()}


def _row(name: str, since: int, function: Callable[..., Any]) -> Row:
    signature = inspect.signature(function)
    inputs: list[inspect.Parameter] = []
    bodies: list[str] = []
    attributes: dict[str, int] = {}
    required: set[str] = set()
    types: set[str] = set()
    given: set[str] = set()
    is_open = False
    for parameter in signature.parameters.values():
        annotation = str(parameter.annotation).removesuffix(" | None")
        if parameter.kind is parameter.VAR_POSITIONAL:
            is_open = True
        elif parameter.kind is not parameter.KEYWORD_ONLY:
            if annotation == "Body":
                bodies.append(parameter.name)
            else:
                inputs.append(parameter)
        elif parameter.name in _GIVEN:
            given.add(parameter.name)
        else:
            attributes[parameter.name] = _KINDS[annotation]
            if parameter.default is parameter.empty:
                required.add(parameter.name)
            if annotation == "ElementType":
                types.add(parameter.name)
    known = {place for place, item in enumerate(inputs) if str(item.annotation).startswith("Known")}
    return Row(
        name, since, function, tuple(item.name for item in inputs),
        sum(item.default is item.empty for item in inputs), is_open, frozenset(known), tuple(bodies), attributes,
        frozenset(required), frozenset(types), frozenset(given), str(signature.return_annotation).startswith("tuple"),
    )  # fmt: skip
