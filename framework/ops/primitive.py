"""A primitive: one operator with its attributes, its inference and its kernel; both modes execute these.

Operators subclass `PrimitiveWithInfer`; their backward functions are registered in `framework.ops.gradients`.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, ClassVar, Self, TypeVar, cast

from framework.common.dtype import DType
from framework.ir.abstract import (
    UNKNOWN,
    Abstract,
    AbstractConst,
    AbstractScalar,
    AbstractTensor,
    AbstractTuple,
)
from framework.ops.calls import add_row, first_call, first_pull
from framework.ops.constexpr import constexpr
from framework.ops.element_types import check_element_types

__all__ = ["Primitive", "PrimitiveWithInfer", "cached", "prim_attr_register"]

Init = TypeVar("Init", bound=Callable[..., None])


class _OnClassOrInstance:
    """`P.MatMul.set_strategy(...)` makes an instance and records on it; `P.MatMul().set_strategy(...)` records."""

    def __init__(self, method: Callable[..., Any]) -> None:
        self.method = method
        functools.update_wrapper(cast("Any", self), method)

    def __get__(self, instance: Primitive | None, owner: type[Primitive]) -> Callable[..., Any]:
        return functools.partial(self.method, owner() if instance is None else instance)


class Attributes(dict[str, Any]):
    """The attributes of a primitive. They count their changes, so that one comparison shows whether any changed.

    Attributes:
        changes: the number of changes so far.
    """

    changes = 0

    def __setitem__(self, name: str, value: Any) -> None:
        self.changes += 1
        super().__setitem__(name, value)

    def __delitem__(self, name: str) -> None:
        self.changes += 1
        super().__delitem__(name)

    def __ior__(self, other: Any) -> Self:  # type: ignore[override,misc]
        self.update(other)
        return self

    def update(self, *args: Any, **kwargs: Any) -> None:
        self.changes += 1
        super().update(*args, **kwargs)

    def setdefault(self, name: str, default: Any = None) -> Any:
        self.changes += 1
        return super().setdefault(name, default)

    def pop(self, name: str, *default: Any) -> Any:
        self.changes += 1
        return super().pop(name, *default)

    def popitem(self) -> tuple[str, Any]:
        self.changes += 1
        return super().popitem()

    def clear(self) -> None:
        self.changes += 1
        super().clear()


class Primitive:
    """An operator.

    Calling it executes it. An attribute recorded with `add_prim_attr` reads as `self.name`; two primitives of the same
    class and attributes are the same operator, whichever object stands for it.

    Args:
        name: the operator's name, the class's where it is left out.

    """

    #: numpy's ufunc that computes the output where there is one, from arrays of one element type if `promotes` and of
    #: floating-point types if `floats`; whoever calls it may give it an `out=`.
    ufunc: ClassVar[str | None] = None
    #: Whether inputs of different element types are brought to one by MindSpore's rules.
    promotes: ClassVar[bool] = False
    #: Whether inputs that hold integers are taken as Float32.
    floats: ClassVar[bool] = False
    #: The element types that inputs may have, by the position of the input; one that is not named may have any.
    takes: ClassVar[Mapping[int, Sequence[DType]]] = MappingProxyType({})
    #: Whether the output of the kernel never shares memory with an input; any other may be an input or a view of one.
    fresh: bool = False
    #: Positions of inputs that the kernel's `out` may be: it reads an element for the last time before it writes there.
    in_place: ClassVar[tuple[int, ...]] = ()
    #: `passes(self, *inputs)` says whether the output is the first input as it is, so that there is nothing to do.
    passes: ClassVar[Callable[..., bool] | None] = None
    #: The names of inputs under which a call may give them, MindSpore's; those of the kernel where there are none.
    arguments: ClassVar[tuple[str, ...]] = ()
    #: Positions of inputs that are Python values, known before anything is computed: an axis, a shape, an element type.
    value_inputs: ClassVar[tuple[int, ...]] = ()
    #: Must run as often and in the order written, even if nobody uses the result (random numbers, assignments, prints).
    side_effect: bool = False
    #: Inputs that are Parameters which the operator changes: position of the input, and which output is its new value.
    writes: Mapping[int, int] = MappingProxyType({})

    #: The function made for calls of this class, None before the first one: `framework.ops.calls` sets it.
    made_call: ClassVar[Callable[..., Any] | None] = None
    __call__ = first_call
    #: Backward on arrays, which PyNative mode tries first; `framework.ops.calls` sets the primitive's own.
    pull = first_pull

    def __init_subclass__(cls) -> None:
        add_row(cls)
        # What computes the same as the base's kernel does not compute the same as a kernel of the class's own.
        if "compute" in cls.__dict__:
            if "ufunc" not in cls.__dict__:
                cls.ufunc = None
            if "expression" not in cls.__dict__:
                cls.expression = Primitive.expression  # type: ignore[method-assign]

    def __init__(self, name: str | None = None) -> None:
        self.attrs: dict[str, Any] = Attributes()
        self.name = name if name is not None else type(self).__name__

    def __getattr__(self, name: str) -> Any:
        # Only what is not found otherwise comes here; `attrs` itself is missing while an object is being unpickled.
        try:
            return self.__dict__["attrs"][name]
        except KeyError:
            raise AttributeError(f"primitive {type(self).__name__} has no attribute {name!r}") from None

    def __repr__(self) -> str:
        shown = ", ".join(f"{k}={v!r}" for k, v in self.attrs.items() if k not in ("input_names", "output_names"))
        return f"{self.name}({shown})"

    @property
    def is_pure(self) -> bool:
        """Whether it does nothing but compute, whenever it runs: no side effect, no new value of a Parameter."""
        return not self.side_effect and not self.writes

    def add_prim_attr(self, name: str, value: Any) -> Self:
        """Record an attribute, or change one that is recorded."""
        self.attrs[name] = value
        self.__dict__.pop(name, None)
        return self

    def del_prim_attr(self, name: str) -> Self:
        """Forget an attribute."""
        del self.attrs[name]
        return self

    def init_prim_io_names(self, inputs: Sequence[str], outputs: Sequence[str]) -> None:
        """Name the inputs and the outputs, for whoever reads the graph."""
        self.add_prim_attr("input_names", list(inputs))
        self.add_prim_attr("output_names", list(outputs))

    def set_device(self, device_target: str) -> Self:
        """Record the device that this operator is to run on."""
        return self.add_prim_attr("primitive_target", device_target)

    @_OnClassOrInstance
    def set_strategy(self, *strategies: Any) -> Any:
        """Record how the inputs are cut over devices: one tuple of cuts per input, as one argument or several.

        Called on the class, it makes an operator with default attributes: `MatMul.set_strategy([4, 1], [1, 1])`.
        """
        given = strategies[0] if len(strategies) == 1 and _is_nested(strategies[0]) else strategies
        return self.add_prim_attr("in_strategy", tuple(tuple(cuts) for cuts in given))

    @_OnClassOrInstance
    def shard(self, in_strategy: Any, out_strategy: Any = None) -> Any:
        """Record how the inputs, and if given the outputs, are cut over devices: a tuple of tuples each."""
        self.add_prim_attr("in_strategy", tuple(tuple(cuts) for cuts in in_strategy))
        if out_strategy is not None:
            self.add_prim_attr("out_strategy", tuple(tuple(cuts) for cuts in out_strategy))
        return self

    def compute(self, xp: Any, *inputs: Any, **out: Any) -> Any:
        """The kernel.

        Args:
            xp: the array module to compute with, numpy or cupy.
            inputs: an array for a tensor, a tuple of arrays for a tuple of tensors, any other value as it is.
            out: as a keyword `out`, an array for the output, where the kernel has it.

        A kernel may have a keyword `out`. Graph mode then gives it an array of the output's shape and element type,
        where all tensors among the inputs are of one element type, and the kernel writes its output there; what it
        returns counts. An operator that `writes` gets a tuple, with an array or None for each output: that of the
        parameter which the output replaces. Without an array, which is the default, a kernel allocates; its output then
        shares no memory with an input either. No kernel keeps an input after its call: the memory may be used again.

        Returns:
            An array, or a tuple of them for several outputs. It may be an input or a view of one, but for `fresh`
            operators; inputs stay as they are.

        """
        raise NotImplementedError(f"primitive {self.name} has no kernel: define compute(self, xp, ...)")

    def expression(self, *inputs: Any) -> str:
        """What the kernel comes to once shapes are known, as an expression that graph mode writes in place of its call.

        Args:
            inputs: for a tensor its shape, for any other input its value; the tensors are of one floating-point type.

        Returns:
            Python in which `{0}`, `{1}` stand for the inputs, `{out}` for `, out=` with an array or for nothing, and
            `xp` for the array module; empty where the kernel is called, as it is where this is not defined.

        """
        del inputs
        return ""


class PrimitiveWithInfer(Primitive):
    """A primitive that says the shape and element type of its output from those of its inputs."""

    def infer_shape(self, *shapes: Any) -> Any:
        """Shape of the output: a tuple of ints, or a tuple of such for several outputs.

        Args:
            shapes: for a tensor its shape, where None stands for a dimension that is not known; for a tuple of tensors
                a tuple of shapes; for any other input its value.

        """
        raise NotImplementedError(f"primitive {self.name} does not say its output's shape: define infer_shape")

    def infer_dtype(self, *dtypes: Any) -> Any:
        """Element type of the output; arguments as for `infer_shape`, with element types for shapes."""
        raise NotImplementedError(f"primitive {self.name} does not say its output's element type: define infer_dtype")

    def infer(self, *inputs: Abstract) -> Abstract:
        """What is known of the output from what is known of the inputs.

        Args:
            inputs: abstract values of tensors, tuples of them and Python values.

        """
        shape = self.infer_shape(*(_shape_of(item) for item in inputs))
        dtypes = [_dtype_of(item) for item in inputs]
        if self.takes:
            check_element_types(self, dtypes)
        dtype = self.infer_dtype(*dtypes)
        value = self.infer_value(*(_value_of(item) for item in inputs))
        if value is not None and not isinstance(dtype, tuple):
            return AbstractTensor(shape, dtype, value)
        return _abstract(shape, dtype)

    def infer_value(self, *values: Any) -> Any:
        """The output where it can be told from known values alone, else None; an input not known comes as None."""
        del values


def _shape_of(item: Abstract) -> Any:
    """An input as `infer_shape` gets it; a number that is not known comes as None."""
    if isinstance(item, AbstractTensor):
        return item.shape
    if isinstance(item, AbstractTuple) and not all(map(_is_value, item.elements)):
        return tuple(_shape_of(element) for element in item.elements)
    return _value_of(item)


def _dtype_of(item: Abstract) -> Any:
    """An input as `infer_dtype` gets it; for a number that is not known stands the zero of its type."""
    if isinstance(item, AbstractTensor):
        return item.dtype
    if isinstance(item, AbstractTuple) and not all(map(_is_value, item.elements)):
        return tuple(_dtype_of(element) for element in item.elements)
    value = _value_of(item)
    return item.type() if value is None and isinstance(item, AbstractScalar) else value


def _is_value(item: Abstract) -> bool:
    if isinstance(item, AbstractTuple):
        return all(map(_is_value, item.elements))
    return isinstance(item, AbstractScalar | AbstractConst)


def _value_of(item: Abstract) -> Any:
    """The value where it is known, else None."""
    if isinstance(item, AbstractTuple):
        return tuple(_value_of(element) for element in item.elements)
    value = getattr(item, "value", None)
    return None if value is UNKNOWN else value


def _abstract(shape: Any, dtype: Any) -> Abstract:
    """Shape and element type, or tuples of both for several outputs, as one abstract value."""
    if isinstance(shape, tuple) and shape and isinstance(shape[0], tuple):
        dtypes = dtype if isinstance(dtype, tuple) else (dtype,) * len(shape)
        return AbstractTuple(tuple(_abstract(s, d) for s, d in zip(shape, dtypes, strict=True)))
    return AbstractTensor(tuple(shape), dtype)


def _is_nested(value: Any) -> bool:
    return isinstance(value, list | tuple) and len(value) > 0 and isinstance(value[0], list | tuple)


def prim_attr_register(init: Init) -> Init:
    """Decorate a primitive's `__init__`: its arguments are recorded as attributes, in the order of the signature."""
    signature = inspect.signature(init)

    @functools.wraps(init)
    def recording(self: Primitive, *args: Any, **kwargs: Any) -> None:
        Primitive.__init__(self)
        bound = signature.bind(self, *args, **kwargs)
        bound.apply_defaults()
        for name, value in list(bound.arguments.items())[1:]:
            self.add_prim_attr(name, value)
        init(self, *args, **kwargs)

    return cast("Init", recording)


P = TypeVar("P", bound=Primitive)


@constexpr
def cached(kind: type[P], *args: Any) -> P:
    """The primitive of class `kind` with these attributes, made once and then reused."""
    return cast("P", _make(cast("Any", kind), args, tuple(type(arg) for arg in args)))


@functools.lru_cache(maxsize=4096)
def _make(kind: type[P], args: tuple[Any, ...], types: tuple[type, ...]) -> P:
    del types  # 1, 1.0 and True are equal as keys, yet not as attributes
    return kind(*args)
