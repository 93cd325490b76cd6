"""`GraphCell`: a Cell that runs a program loaded from a model file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from framework import graph_mode
from framework.common.parameter import Parameter
from framework.common.tensor import Tensor
from framework.ir.abstract import Abstract, AbstractDict, AbstractTensor, AbstractTuple
from framework.ir.anf import FuncGraph
from framework.ir.clone import clone
from framework.ir.errors import GraphError
from framework.ir.model_values import FAULTS, ModelError
from framework.nn.cell import Cell
from framework.pynative.gradient import is_recording

__all__ = ["GraphCell"]


class GraphCell(Cell):
    """Runs a program that was read from a model file, in both modes. Its parameters are like those of any Cell.

    Args:
        graph: the program, as `ms.load` returns it, or one of the form that the parser makes. The Cell creates its own
            parameters with the values of the file, in the order in which the program reads them.
        params_init: initial values by parameter name, in place of the file's.

    Inputs:
        Tensors of the shapes and element types that the program was exported for. An open dimension may have any
        length. Python numbers that were passed to the export are constants of the program.

    Raises:
        TypeError: `graph` is not a program.
        ValueError: `params_init` has an unknown name, or a tensor of another shape.
        ModelError: when it is called with inputs that do not fit a program of another framework, or one of its nodes
            cannot be computed for them; the message names the node.
    """

    def __init__(self, graph: FuncGraph, params_init: Mapping[str, Tensor] | None = None) -> None:
        super().__init__()
        if not isinstance(graph, FuncGraph):
            raise TypeError(f"GraphCell takes a program as ms.load returns it, not a {type(graph).__name__}")
        self.graph = clone(graph)
        self._inputs = [parameter.abstract for parameter in self.graph.parameters if parameter.default is None]
        for number, parameter in enumerate(self.graph.parameters):
            if parameter.default is not None:
                weight = parameter.default = _copied(parameter.default)
                self._params[f"{weight.name}_{number}" if weight.name in self._params else weight.name] = weight
        for name, value in (params_init or {}).items():
            if name not in self._params:
                raise ValueError(f"the program has no parameter {name!r}, only {', '.join(self._params) or 'none'}")
            self._params[name].set_data(value)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run the program: compiled, or on the tape while PyNative mode records a gradient."""
        with self._naming_the_file():
            if is_recording():
                return self._run(args, kwargs)
            return graph_mode.run(self, args, kwargs)

    def construct(self, *inputs: Any, **kwargs: Any) -> Any:
        """Run the program operator by operator.

        Args:
            inputs: tensors, by position.
            kwargs: must be empty.

        Returns:
            The outputs of the program.
        """
        if kwargs:
            raise TypeError(f"a GraphCell takes its inputs by position, not by name: {', '.join(kwargs)}")
        with self._naming_the_file():
            return graph_mode.on_tape(self.graph, inputs)

    @contextmanager
    def _naming_the_file(self) -> Iterator[None]:
        """Errors of a program of another framework are of one kind: nobody here wrote its source."""
        file = self.graph.attrs.get("imported")
        try:
            yield
        except ModelError:
            raise
        except (GraphError, *FAULTS) as error:
            if file is None:
                raise
            raise ModelError(f"{file}: {error}") from error

    @property
    def _input_signature(self) -> tuple[Any, ...] | None:
        """The inputs of the program for the compiler; an open dimension accepts any length.

        None for a program without types, which is compiled for those of the arguments.
        """
        return None if self.graph.order is not None else tuple(map(_example, self._inputs))

    @property
    def _input_names(self) -> list[str]:
        """The names of the inputs, which a program that is compiled of it keeps."""
        return [parameter.name for parameter in self.graph.parameters if parameter.default is None]

    def extend_repr(self) -> str:
        """The program's name and inputs."""
        return ", ".join([self.graph.name, *map(str, self._inputs)])


def _copied(weight: Parameter) -> Parameter:
    return Parameter(weight.copy(), weight.name, weight.requires_grad)


def _example(abstract: Abstract | None) -> Any:
    """A value with the given abstract."""
    if isinstance(abstract, AbstractTensor):
        return Tensor(shape=list(abstract.shape), dtype=abstract.dtype)
    if isinstance(abstract, AbstractTuple):
        items = map(_example, abstract.elements)
        return list(items) if abstract.is_list else tuple(items)
    if isinstance(abstract, AbstractDict):
        return dict(zip(abstract.keys, map(_example, abstract.elements), strict=True))
    return getattr(abstract, "value", None)
