"""A primitive: an operator with its attributes, its inference and its kernel. Both modes execute primitives.

Operators subclass `PrimitiveWithInfer`. Their backward functions are registered in `framework.ops.gradients`.
How a call of a primitive finds its function is in `framework.ops.calls`.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, ClassVar, Self, TypeVar, cast

import numpy as np

from framework.common.dtype import DType, when_bfloat16_is_used
from framework.ir.abstract import (
    UNKNOWN,
    Abstract,
    AbstractConst,
    AbstractScalar,
    AbstractTensor,
    AbstractTuple,
)
from framework.ops.calls import add_row, first_call, first_pull, remake_calls
from framework.ops.constexpr import _primexpr as _primexpr
from framework.ops.constexpr import constexpr
from framework.ops.element_types import check_element_types, computing_bfloat16

__all__ = ["Primitive", "PrimitiveWithInfer", "cached", "prim_attr_register"]

Init = TypeVar("Init", bound=Callable[..., None])


#: What a primitive keeps of its backward function and its windows, all made from its attributes.
_MADE = frozenset({"pull", "_bprop", "_pulled", "_window"})


class _OnClassOrInstance:
    """A method that may be called on the class, which then makes an instance with default attributes."""

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

    def __setitem__(self, name: str, value: object) -> None:
        self.changes += 1
        super().__setitem__(name, value)

    def __delitem__(self, name: str) -> None:
        self.changes += 1
        super().__delitem__(name)

    def __ior__(self, other: dict[str, object]) -> Self:  # type: ignore[override,misc]
        self.update(other)
        return self

    def update(self, *args: dict[str, object], **kwargs: object) -> None:  # type: ignore[override]
        self.changes += 1
        super().update(*args, **kwargs)

    def setdefault(self, name: str, default: object = None) -> object:
        self.changes += 1
        return super().setdefault(name, default)

    def pop(self, name: str, *default: object) -> object:
        self.changes += 1
        return super().pop(name, *default)

    def popitem(self) -> tuple[str, object]:
        self.changes += 1
        return super().popitem()

    def clear(self) -> None:
        self.changes += 1
        super().clear()


class Primitive:
    """An operator.

    Calling it executes it. An attribute recorded with `add_prim_attr` is read as `self.name`. Two primitives of one
    class with the same attributes are the same operator, even if they are different objects.

    Args:
        name: the operator's name; by default the name of the class.

    """

    #: The name of the numpy ufunc that computes the output, or None. Its arguments have one element type if `promotes`,
    #: and floating-point types if `floats`. A caller may pass `out=`.
    ufunc: ClassVar[str | None] = None
    #: Whether inputs of different element types are promoted to one by MindSpore's rules.
    promotes: ClassVar[bool] = False
    #: Whether inputs that hold integers are converted to Float32.
    floats: ClassVar[bool] = False
    #: The element types accepted for an input, by its position; an input that is not listed accepts all.
    takes: ClassVar[Mapping[int, Sequence[DType]]] = MappingProxyType({})
    #: Whether the output of the kernel never shares memory with an input. Otherwise it may be one or a view of one.
    fresh: bool = False
    #: Positions of inputs that may be passed as `out`: the kernel never reads an element after it has written there.
    in_place: ClassVar[tuple[int, ...]] = ()
    #: `passes(self, *inputs)` returns True if the output is the first input itself, so that nothing has to be computed.
    passes: ClassVar[Callable[..., bool] | None] = None
    #: MindSpore's names of the inputs, for calls by name; empty where they are the kernel's.
    arguments: ClassVar[tuple[str, ...]] = ()
    #: Positions of inputs that are Python values and known before execution: an axis, a shape, an element type.
    value_inputs: ClassVar[tuple[int, ...]] = ()
    #: Positions of outputs whose gradients the backward function never reads.
    unread_gradients: ClassVar[tuple[int, ...]] = ()
    #: Whether it must run in program order even if its result is not used: random numbers, assignments, prints.
    side_effect: bool = False
    #: The inputs that are Parameters and are changed: for the position of each, the output that is its new value.
    writes: Mapping[int, int] = MappingProxyType({})

    #: The function made for calls of this class, None before the first one: `framework.ops.calls` sets it.
    made_call: ClassVar[Callable[..., Any] | None] = None
    __call__ = first_call
    #: Backward on arrays, which PyNative mode tries first; `framework.ops.calls` sets the primitive's own.
    pull = first_pull

    #: Numpy's BFloat16 once a program uses it: kernels are wrapped then (`framework.ops.element_types`).
    bfloat16: ClassVar[np.dtype[Any] | None] = None

    def __init_subclass__(cls) -> None:
        add_row(cls)
        if cls.bfloat16 is not None and "compute" in cls.__dict__:
            cls.compute = computing_bfloat16(cls.compute, cls.bfloat16)  # type: ignore[method-assign]
        # These compute the same as the kernel of the base class, but not the same as a kernel that this class defines.
        if "compute" in cls.__dict__:
            if "ufunc" not in cls.__dict__:
                cls.ufunc = None
            if "expression" not in cls.__dict__:
                cls.expression = Primitive.expression  # type: ignore[method-assign]

    def __init__(self, name: str | None = None) -> None:
        self.attrs: dict[str, Any] = Attributes()
        self.name = name if name is not None else type(self).__name__

    def __getattr__(self, name: str) -> Any:
        # Python calls this for names that it does not find otherwise. `attrs` is missing while an object is unpickled.
        try:
            return self.__dict__["attrs"][name]
        except KeyError:
            raise AttributeError(f"primitive {type(self).__name__} has no attribute {name!r}") from None

    def __repr__(self) -> str:
        attributes = ", ".join(f"{k}={v!r}" for k, v in self.attrs.items() if k not in ("input_names", "output_names"))
        return f"{self.name}({attributes})"

    def __getstate__(self) -> dict[str, Any]:
        # A copy makes anew what follows from the attributes. Read-only mappings can be neither copied nor pickled.
        held = ((name, value) for name, value in self.__dict__.items() if name not in _MADE)
        return {name: dict(value) if isinstance(value, MappingProxyType) else value for name, value in held}

    @property
    def is_pure(self) -> bool:
        """Whether it only computes: it has no side effect and changes no Parameter."""
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
        """Name the inputs and the outputs, for display in the graph."""
        self.add_prim_attr("input_names", list(inputs))
        self.add_prim_attr("output_names", list(outputs))

    def set_device(self, device_target: str) -> Self:
        """Record the device on which this operator shall run."""
        return self.add_prim_attr("primitive_target", device_target)

    @_OnClassOrInstance
    def set_strategy(self, *strategies: Any) -> Any:
        """Record how the inputs are divided among devices: one tuple of counts per input, as one argument or several.

        Called on the class, it makes an operator with default attributes: `MatMul.set_strategy([4, 1], [1, 1])`.
        """
        given = strategies[0] if len(strategies) == 1 and _is_nested(strategies[0]) else strategies
        return self.add_prim_attr("in_strategy", _strategy(given))

    @_OnClassOrInstance
    def shard(self, in_strategy: Any, out_strategy: Any = None) -> Any:
        """Record how the inputs, and optionally the outputs, are divided among devices: a tuple of tuples each."""
        self.add_prim_attr("in_strategy", _strategy(in_strategy))
        if out_strategy is not None:
            self.add_prim_attr("out_strategy", _strategy(out_strategy))
        return self

    def compute(self, xp: Any, *inputs: Any, **out: Any) -> Any:
        """The kernel.

        Args:
            xp: the array module to compute with, numpy or cupy.
            inputs: an array for a tensor, a tuple of arrays for a tuple of tensors, any other value unchanged.
            out: a keyword argument `out` that a kernel may have: an array into which it writes its output.

        Graph mode passes `out` if all tensors among the inputs have one element type. The array has the shape and the
        element type of the output. The returned array counts, not `out`. An operator that `writes` gets a tuple as
        `out`: for each output the array of the parameter that it replaces, or None. Without `out`, a kernel with that
        argument allocates its output, which then shares no memory with an input. No kernel may hold a reference to an
        input after its call, because the memory is used again.

        Returns:
            An array, or a tuple of arrays for several outputs. Unless the operator is `fresh`, it may be an input or a
            view of one. Inputs are not changed.

        """
        raise NotImplementedError(f"primitive {self.name} has no kernel: define compute(self, xp, ...)")

    def expression(self, *inputs: Any) -> str:
        """An expression that graph mode writes in place of the kernel's call once shapes are known.

        Args:
            inputs: the shape of a tensor, the value of any other input. All tensors have one floating-point type.

        Returns:
            Python source with `{0}`, `{1}` for the inputs, `{out}` for an optional `, out=array`, and `xp` for the
            array module. Empty, the default, if the kernel must be called.

        """
        del inputs
        return ""


class PrimitiveWithInfer(Primitive):
    """A primitive that infers the shape and the element type of its output from those of its inputs."""

    def infer_shape(self, *shapes: Any) -> Any:
        """Infer the shape of the output: a tuple of ints, or a tuple of shapes for several outputs.

        Args:
            shapes: the shape of a tensor, with None for an unknown dimension; a tuple of shapes for a tuple of tensors;
                the value of any other input.

        """
        raise NotImplementedError(f"primitive {self.name} does not define infer_shape, the shape of its output")

    def infer_dtype(self, *dtypes: Any) -> Any:
        """Infer the element type of the output; arguments as for `infer_shape`, with element types for shapes."""
        raise NotImplementedError(f"primitive {self.name} does not define infer_dtype, the element type of its output")

    def infer(self, *inputs: Abstract) -> Abstract:
        """Infer the abstract value of the output from those of the inputs.

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
        """The output if it follows from known values alone, else None; an unknown input is passed as None."""
        del values


def _shape_of(item: Abstract) -> Any:
    """An input in the form that `infer_shape` takes; None for an unknown number."""
    if isinstance(item, AbstractTensor):
        return item.shape
    if isinstance(item, AbstractTuple) and not all(map(_is_value, item.elements)):
        return tuple(_shape_of(element) for element in item.elements)
    return _value_of(item)


def _dtype_of(item: Abstract) -> Any:
    """An input in the form that `infer_dtype` takes; the zero of its type for an unknown number."""
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
    """The value if it is known, else None."""
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


def _strategy(given: Any) -> tuple[Any, ...]:
    """A strategy of tuples; a `Layout` of `framework.parallel` stays as it is."""
    return tuple(item if hasattr(item, "to_dict") else tuple(item) for item in given)


def _is_nested(value: Any) -> bool:
    return isinstance(value, list | tuple) and len(value) > 0 and not isinstance(value[0], int)


def prim_attr_register(init: Init) -> Init:
    """Decorate the `__init__` of a primitive: record its arguments as attributes, in the order of the signature."""
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


def _compute_bfloat16(bfloat16: np.dtype[Any]) -> None:
    """Wrap the kernels of all primitives."""
    Primitive.bfloat16 = bfloat16
    kinds: list[type[Primitive]] = [Primitive]
    while kinds:
        kind = kinds.pop()
        kinds += kind.__subclasses__()
        if "compute" in kind.__dict__ and kind is not Primitive:
            kind.compute = computing_bfloat16(kind.compute, bfloat16)  # type: ignore[method-assign]
    remake_calls()


when_bfloat16_is_used(_compute_bfloat16)

P = TypeVar("P", bound=Primitive)


@constexpr
def cached(kind: type[P], *args: Any) -> P:
    """The primitive of class `kind` with these arguments; created once and then reused."""
    given = tuple([tuple(arg) if isinstance(arg, list) else arg for arg in args])
    return cast("P", _make(cast("Any", kind), given, tuple([type(arg) for arg in given])))


@functools.lru_cache(maxsize=4096)
def _make(kind: type[P], args: tuple[Any, ...], types: tuple[type, ...]) -> P:
    del types  # 1, 1.0 and True are equal as keys, but not as attributes
    return kind(*args)
