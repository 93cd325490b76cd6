"""Parameters: the named tensors that training changes."""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Iterable
from typing import Any, Protocol

from framework.common import dtype as mstype
from framework.common.device import Array
from framework.common.initializer import Initializer, initializer
from framework.common.tensor import Tensor

__all__ = ["Parameter", "ParameterTuple", "Parts"]

_names = itertools.count()


class Parts(Protocol):
    """How ranks have parts of a Parameter."""

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the whole."""

    @property
    def is_cut(self) -> bool:
        """Whether a part is not the whole."""

    def whole(self, x: Array) -> Array:
        """The whole, from the part of each rank; every rank calls this."""

    def part(self, x: Array) -> Array:
        """This rank's part of the whole."""


class Parameter(Tensor):
    """A tensor with a name and an identity, whose elements an optimizer replaces.

    Args:
        default_input: a tensor, an array, a list or a number with the first elements, or an initializer's result. An
            int gives Int32.
        name: its name; a Cell puts its own in front. Where it is left out, the attribute's name in the Cell is taken.
        requires_grad: whether training changes it.
        layerwise_parallel: recorded for data-parallel training.
        parallel_optimizer: recorded for data-parallel training.

    Raises:
        TypeError: the first elements are no such thing, or a flag is not True or False.
        ValueError: the name is no text, or the elements are given as True or False.

    """

    def __init__(
        self,
        default_input: Any,
        name: str | None = None,
        requires_grad: bool = True,
        layerwise_parallel: bool = False,
        parallel_optimizer: bool = True,
    ) -> None:
        if isinstance(default_input, tuple):
            raise TypeError("a Parameter takes a tensor, an array, a number or a list, not a tuple")
        super().__init__(default_input)
        if isinstance(default_input, bool):
            raise ValueError("a Parameter cannot be made of True or False: pass a tensor")
        if name is not None and not isinstance(name, str):
            raise ValueError(f"the name of a Parameter must be a str, not {name!r}")
        flags = {"requires_grad": requires_grad, "layerwise_parallel": layerwise_parallel}
        for argument, value in (flags | {"parallel_optimizer": parallel_optimizer}).items():
            if not isinstance(value, bool):
                raise TypeError(f"Parameter: {argument} must be True or False, not {value!r}")
        if isinstance(default_input, int):
            self._data = self._data.astype(mstype.int32.numpy)
        name = name or None
        self.name = name if name is not None else "Parameter"
        #: Whether the name is the user's, which a Cell then keeps as the last part of the full one.
        self.named = name is not None
        self.requires_grad = requires_grad
        self.layerwise_parallel = layerwise_parallel
        self.parallel_optimizer = parallel_optimizer
        #: Distinguishes parameters of the same name, in the order in which they were made.
        self.key = next(_names)
        #: How ranks have parts of it; None as long as no program has decided that.
        self.parts: Parts | None = None
        self._copies: list[weakref.ref[Parameter]] = []

    def __repr__(self) -> str:
        return (
            f"Parameter (name={self.name}, shape={tuple(self.shape)}, dtype={self.dtype}, "
            f"requires_grad={self.requires_grad})"
        )

    def __str__(self) -> str:
        return repr(self)

    @property
    def whole_shape(self) -> tuple[int, ...]:
        """The shape of all ranks' parts together; that of the Parameter unless it is cut."""
        return tuple(self.shape) if self.parts is None else self.parts.shape

    @property
    def is_cut(self) -> bool:
        """Whether it holds a part of the elements, and other ranks the others."""
        return self.parts is not None and self.parts.is_cut

    def whole_array(self) -> Array:
        """All elements. If it is cut, every rank calls this, and all get them."""
        x = self.asnumpy()
        return self.parts.whole(x) if self.parts is not None and self.parts.is_cut else x

    def set_whole(self, x: Array) -> None:
        """Replace the elements by those of all ranks, of which this one keeps its part."""
        self.set_data(Tensor(self.parts.part(x) if self.parts is not None else x, self.dtype))

    def copies(self) -> list[Parameter]:
        """The Parameters that `clone` has made of this one and that still exist: the state of optimizers."""
        found = [reference() for reference in self._copies]
        return [copy for copy in found if copy is not None]

    @property
    def data(self) -> Parameter:
        """The parameter itself."""
        return self

    def value(self) -> Tensor:
        """A tensor with the elements of this moment, which later changes of the parameter leave as they are."""
        return self.copy()

    def set_data(self, data: Any, slice_shape: bool = False) -> Parameter:
        """Replace the elements, and the shape if it is another; the element type stays.

        Args:
            data: a tensor, an array, a number or an initializer's result.
            slice_shape: accepted for compatibility; another shape is always allowed.

        Raises:
            TypeError: a float is given for integers.

        """
        if isinstance(data, float) and self.dtype.kind != "float":
            raise TypeError(
                f"parameter {self.name} of {self.dtype} cannot take the float {data}: call set_dtype before"
            )
        new = Tensor(data, self.dtype)
        self._data = new._data
        return self

    def clone(self, init: str | float | Tensor | Initializer = "same") -> Parameter:
        """A new parameter like this one.

        Args:
            init: "same" copies the elements; an initializer, its name or a number makes new ones of the same shape.

        """
        same = isinstance(init, str) and init == "same"
        data = self.copy() if same else initializer(init, tuple(self.shape), self.dtype)
        made = Parameter(data, self.name, self.requires_grad, self.layerwise_parallel, self.parallel_optimizer)
        made.parts = self.parts
        self._copies = [reference for reference in self._copies if reference() is not None]
        self._copies.append(weakref.ref(made))
        return made

    def __getstate__(self) -> object:
        # A pickle of a Parameter does not bring an optimizer's state along, and weak references cannot be pickled.
        state = super().__getstate__()
        return {**state, "_copies": []} if isinstance(state, dict) else state

    def __deepcopy__(self, memo: dict[int, Any]) -> Parameter:
        made = self.clone()
        made.named = self.named
        memo[id(self)] = made
        return made


class ParameterTuple(tuple[Parameter, ...]):
    """Parameters in order, as optimizers and `GradOperation(get_by_list=True)` take them."""

    __slots__ = ()

    def __new__(cls, parameters: Iterable[Parameter]) -> ParameterTuple:
        """Make one.

        Raises:
            TypeError: one of them is no Parameter.
            ValueError: two of them have the same name, which is not the default.

        """
        items = tuple(parameters)
        names: dict[str, Parameter] = {}
        for item in items:
            if not isinstance(item, Parameter):
                raise TypeError(f"a ParameterTuple holds Parameters, not a {type(item).__name__}")
            if item.named and names.setdefault(item.name, item) is not item:
                raise ValueError(f"{item} cannot be added, its name '{item.name}' already exists. Give it another name")
        return super().__new__(cls, items)

    def clone(self, prefix: str, init: str | float | Tensor | Initializer = "same") -> ParameterTuple:
        """New parameters like these, `prefix.` in front of each name."""
        made = [parameter.clone(init) for parameter in self]
        for parameter in made:
            parameter.name = f"{prefix}.{parameter.name}"
        return ParameterTuple(made)
