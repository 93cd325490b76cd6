"""The declared inputs of a model, and the check of what a call passes; equal names of dimensions are equal lengths."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from framework.common.dtype import DType
from framework.common.tensor import Tensor
from framework.ir.abstract import Shape
from framework.ir.model_values import ModelError
from framework.onnx.reader.tensors import element_type
from framework.ops.constexpr import of_shapes
from framework.schema.onnx_pb2 import ValueInfo

__all__ = ["Declared", "checked", "declared_of"]


@dataclass(frozen=True)
class Declared:
    """An input as the model declares it.

    Attributes:
        name: its name.
        dtype: the element type.
        shape: the dimensions: a length, the name of an open one, or None for an open one without a name; None if the
            model does not say how many there are.
    """

    name: str
    dtype: DType
    shape: tuple[int | str | None, ...] | None

    @property
    def open_shape(self) -> Shape:
        """The dimensions with None for open ones."""
        return tuple(length if isinstance(length, int) else None for length in self.shape or ())

    def __str__(self) -> str:
        dims = "any shape" if self.shape is None else f"[{', '.join('?' if d is None else str(d) for d in self.shape)}]"
        return f"{self.name} {self.dtype} {dims}"


def declared_of(info: ValueInfo) -> Declared:
    """An input of the model.

    Raises:
        ModelError: it is no tensor, or of a type that is not supported.
    """
    kind = info.type.WhichOneof("value")
    if kind != "tensor_type":
        raise ModelError(f"values of the kind {(kind or 'unknown').removesuffix('_type')} are not supported")
    tensor = info.type.tensor_type
    shape: tuple[int | str | None, ...] | None = None
    if tensor.HasField("shape"):
        shape = tuple(
            dim.dim_value if dim.WhichOneof("value") == "dim_value" and dim.dim_value >= 0 else dim.dim_param or None
            for dim in tensor.shape.dim
        )
    return Declared(info.name, element_type(tensor.elem_type), shape)


def checked(*inputs: Tensor, declared: tuple[Declared, ...]) -> tuple[Tensor, ...]:
    """The inputs, after their types and shapes were compared with what the model declares.

    Raises:
        ValueError: they differ.
    """
    _compare(declared, tuple([x.dtype for x in inputs]), tuple([x.shape for x in inputs]))
    return inputs


@of_shapes
def _compare(declared: tuple[Declared, ...], dtypes: tuple[DType, ...], shapes: tuple[Any, ...]) -> bool:
    lengths: dict[str, tuple[int, str]] = {}
    for info, dtype, shape in zip(declared, dtypes, shapes, strict=True):
        if dtype != info.dtype:
            raise ValueError(f"the input {info} got elements of type {dtype}: convert them with astype")
        if info.shape is None:
            continue
        if len(shape) != len(info.shape):
            raise ValueError(f"the input {info} got a tensor of shape {list(shape)}")
        for wanted, length in zip(info.shape, shape, strict=True):
            if isinstance(wanted, int) and length is not None and wanted != length:
                raise ValueError(f"the input {info} got a tensor of shape {list(shape)}")
            if isinstance(wanted, str) and length is not None:
                known, name = lengths.setdefault(wanted, (length, info.name))
                if known != length:
                    raise ValueError(
                        f"the dimension {wanted!r} has the length {known} in {name!r} and {length} in {info.name!r}"
                    )
    return True
