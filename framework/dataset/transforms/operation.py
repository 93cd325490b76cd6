"""The base class of transforms: parameters that JSON can represent, and random numbers from the pipeline."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Protocol, Self

import numpy as np
import numpy.typing as npt

from framework.dataset import config
from framework.dataset.ir.python_functions import function_of

__all__ = ["Joined", "TensorOperation", "not_random", "operation_from_json"]

_BY_NAME: dict[str, type[TensorOperation]] = {}
_eager: tuple[int, np.random.Generator] | None = None


class Joined(Protocol):
    """Several transforms of one column as one, which gives what they give in turn."""

    @property
    def operations(self) -> Sequence[TensorOperation]:
        """The transforms."""

    def apply_all(self, streams: Sequence[np.random.Generator | None], value: Any, out: Any = None) -> Any:
        """Transform a value.

        Args:
            streams: random numbers for each of the transforms; None for those that are not random.
            value: the value of a column.
            out: memory for the result, of its shape and type; None for new memory.

        Returns:
            The transformed value, in `out` if that is given and fits.
        """

    def apply_batch(self, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Transform all rows of a batch, along the first axis, if the transforms are `batchable`."""


class TensorOperation(ABC):
    """Base class of transforms of a column's value: `map` calls `apply`; a user may call the transform itself.

    Two transforms of one class with the same parameters are equal.

    Args:
        parameters: the arguments of the transform, in the form that JSON can represent.
    """

    #: Whether `apply` draws random numbers.
    random: ClassVar[bool] = False
    #: Whether `apply` takes the values of all input columns at once.
    takes_all: ClassVar[bool] = False
    #: MindSpore's name in JSON, if it differs from that of the class.
    tensor_op_name: ClassVar[str] = ""
    #: MindSpore's names of arguments in JSON, if they differ.
    json_names: ClassVar[Mapping[str, str]] = {}
    #: What makes an argument of its form in JSON, by the argument, if the two differ.
    json_readers: ClassVar[Mapping[str, Callable[[Any], Any]]] = {}
    #: Whether `apply` gives a Pillow image for an array.
    makes_pillow: bool = False
    #: Whether a pipeline may transform whole batches by `apply_batch`: not by chance, and one column at a time.
    batchable: ClassVar[bool] = False
    #: Whether MindSpore lets the user choose the device, and names it in JSON.
    has_device: ClassVar[bool] = False

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        # The first class of a name counts; other spellings of a transform are subclasses.
        _BY_NAME.setdefault(cls.__dict__.get("tensor_op_name") or cls.__name__, cls)

    def __init__(self, **parameters: Any) -> None:
        self.parameters = parameters

    @abstractmethod
    def apply(self, rng: np.random.Generator | None, *values: Any) -> Any:
        """Transform values.

        Args:
            rng: random numbers, for random transforms.
            values: the value of a column; with `takes_all`, those of all columns.

        Returns:
            The transformed value.
        """

    def apply_batch(self, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Transform all rows of a batch, for transforms that are `batchable`.

        Args:
            values: the values of a column, along the first axis.

        Returns:
            What `apply` gives for each row, along the first axis.
        """
        return np.stack([self.apply(None, value) for value in values])

    def __call__(self, *values: Any) -> Any:
        """Transform values outside of a pipeline, with random numbers from the seed of `ds.config`."""
        arrays = [value.asnumpy() if hasattr(value, "asnumpy") else value for value in values]
        return self.apply(_eager_stream() if self.random else None, *arrays)

    def to_json(self) -> dict[str, Any]:
        """The name and parameters for JSON."""
        parameters = {self.json_names.get(name, name): value for name, value in self.parameters.items()}
        if self.has_device:
            parameters["device_target"] = "CPU"
        parameters = dict(sorted(parameters.items()))
        return {"tensor_op_name": self.tensor_op_name or type(self).__name__, "tensor_op_params": parameters or None}

    @classmethod
    def from_json(cls, parameters: Mapping[str, Any]) -> Self:
        """Create the transform from its parameters in JSON."""
        return cls(**cls.arguments_of(parameters))

    @classmethod
    def arguments_of(cls, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments of the transform from its parameters in JSON."""
        names = {name: argument for argument, name in cls.json_names.items()}
        given = {names.get(name, name): value for name, value in parameters.items() if name != "device_target"}
        readers = {argument: read for argument, read in cls.json_readers.items() if argument in given}
        return given | {argument: read(given[argument]) for argument, read in readers.items()}

    def joined(self, following: Sequence[Callable[..., Any]]) -> Joined | None:
        """One transform for this one and the first of those that follow it in a pipeline.

        Args:
            following: the transforms and functions behind this one.

        Returns:
            A transform that gives the same in fewer passes over memory; None where there is none.
        """
        return None

    def device(self, device_target: str = "CPU") -> Self:
        """Choose the device that computes the transform; here it is always the CPU.

        Args:
            device_target: "CPU".

        Returns:
            The transform.

        Raises:
            AttributeError: the transform has no choice of devices.
            ValueError: the device is another one.
        """
        if not self.has_device:
            raise AttributeError(f"{type(self).__name__} is computed by the CPU only and has no device()")
        if device_target != "CPU":
            raise ValueError(f"{type(self).__name__}: device_target must be 'CPU', not {device_target!r}")
        return self

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TensorOperation) and self.to_json() == other.to_json()

    def __hash__(self) -> int:
        return hash(type(self).__name__)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in self.parameters.items())})"


def not_random(function: Callable[..., Any]) -> Callable[..., Any]:
    """Mark a function as one without random numbers, which a pipeline may cache.

    Args:
        function: the function.

    Returns:
        The function, with the attribute `random` that transforms have, too.
    """
    function.random = False  # type: ignore[attr-defined]
    return function


def operation_from_json(description: Mapping[str, Any]) -> Callable[..., Any]:
    """Create a transform from its JSON.

    Raises:
        NotImplementedError: it is a Python function without an import path.
        ValueError: there is no transform of this name, or no such function.
    """
    name = description.get("tensor_op_name", "")
    if description.get("is_python_front_end_op") or "python" in description:
        return function_of(description)
    if name not in _BY_NAME:
        raise ValueError(f"there is no transform {name!r}")
    return _BY_NAME[name].from_json(description.get("tensor_op_params") or {})


def _eager_stream() -> np.random.Generator:
    """The random stream of transforms that are called outside of pipelines; a new seed restarts it."""
    global _eager
    seed = config.get_seed()
    if _eager is None or _eager[0] != seed:
        _eager = (seed, np.random.default_rng(config.base_seed()))
    return _eager[1]
