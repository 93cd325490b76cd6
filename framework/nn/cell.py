"""The Cell, the base of networks: parameters, inner Cells, and the computation with them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, ClassVar, Protocol, Self

from framework import context
from framework.common.dtype import DType
from framework.common.parameter import Parameter, ParameterTuple
from framework.common.tensor import Tensor
from framework.nn import graph_mode
from framework.nn.hooks import HookHandle, Hooks
from framework.nn.precision import cast_floats, weights_as
from framework.pynative.gradient import is_recording, record
from framework.pynative.taps import entered, is_watched

__all__ = ["Cell"]


class RunsCell(Protocol):
    """Runs a Cell instead of the Cell itself."""

    @property
    def is_inside(self) -> bool:
        """Whether it is running the Cell now; then the Cell's call runs the Cell itself."""

    def run(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The outputs of the Cell."""


class Cell:
    """A part of a network.

    Subclasses make their parameters and Cells in `__init__`, as attributes, and define `construct`. One that defines
    `bprop(self, *inputs, out, dout)` has that as its backward function; it returns a tuple of one gradient per input.

    Args:
        auto_prefix: put an attribute's name in front of the names of parameters of the Cell that it holds.

    Example:
        >>> class Scaled(nn.Cell):
        ...     def __init__(self):
        ...         super().__init__()
        ...         self.scale = ms.Parameter(Tensor(3.0), name="scale")
        ...     def construct(self, x):
        ...         return x * self.scale
        >>> net = Scaled()
        >>> print(net(Tensor([1.0, 2.0])))
        [3. 6.]
        >>> print([item.name for item in net.trainable_params()])
        ['scale']

    """

    def __init__(self, auto_prefix: bool = True) -> None:
        self.__dict__.update(_params={}, _cells={})
        self.training = False
        self.requires_grad = False
        #: "train" or "predict"; a compiled graph belongs to one phase.
        self.phase = "predict"
        self._auto_prefix = auto_prefix
        #: This Cell's part of the scope: `conv1-Conv2d` for the attribute `conv1`; empty for the outermost.
        self._scope = ""

    def construct(self, *inputs: Any, **kwargs: Any) -> Any:
        """What the Cell computes; define it in the subclass."""
        raise NotImplementedError(f"{type(self).__name__} has no construct: define it")

    #: Functions that are called around this Cell.
    _hooks: Hooks | None = None
    #: The type that this Cell computes with, set by `to_float`; None: that of its inputs and parameters.
    compute_type: DType | None = None
    #: The type of what such a Cell gives; None: as it comes.
    output_type: DType | None = None
    #: Grows when a Cell that may be compiled already begins to compute otherwise.
    changes: ClassVar[int] = 0

    #: A subclass may define its own backward function: `bprop(self, *inputs, out, dout)`.
    bprop: Callable[..., Any] | None = None

    #: Runs this Cell instead of itself: the debugger, if the Cell is the step of a training.
    _run_by: RunsCell | None = None

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run the Cell: line by line, or in graph mode compiled."""
        if self._run_by is not None and not self._run_by.is_inside:
            return self._run_by.run(args, kwargs)
        if context.get_context("mode") == context.GRAPH_MODE:
            return graph_mode.run(self, args, kwargs)
        if is_watched():
            with entered(self, self._scope):
                return self._run(args, kwargs)
        return self._run(args, kwargs)

    def _run(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if self._hooks is not None:
            return self._hooks.run(self, args, lambda given: self._compute(given, kwargs))
        return self._compute(args, kwargs)

    def _compute(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if self.compute_type is not None:
            args = cast_floats(args, self.compute_type)
            kwargs = {name: cast_floats(item, self.compute_type) for name, item in kwargs.items()}
            with weights_as(self.__dict__, self._params, self.compute_type):
                out = self._constructed(args, kwargs)
            return out if self.output_type is None else cast_floats(out, self.output_type)
        return self._constructed(args, kwargs)

    def _constructed(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if self.bprop is None or not is_recording():
            return self.construct(*args, **kwargs)
        # What construct computes counts as one operator, with the Cell's own backward function.
        plain = [item.copy() if isinstance(item, Tensor) else item for item in args]
        return record(self.bprop, args, self.construct(*plain, **kwargs), type(self).__name__)

    def __setattr__(self, name: str, value: object) -> None:
        if isinstance(value, Parameter):
            self.insert_param_to_cell(name, value)
        elif isinstance(value, Cell):
            self.insert_child_to_cell(name, value)
        else:
            self._forget(name)
            super().__setattr__(name, value)
            if isinstance(value, ParameterTuple):
                self._insert_tuple(name, value)

    def _insert_tuple(self, name: str, parameters: ParameterTuple) -> None:
        """Count the parameters of a tuple among the Cell's own: an optimizer's state is saved with it."""
        for place, parameter in enumerate(parameters):
            if not any(parameter is held for held in self._params.values()):
                free = parameter.name not in self._params
                self._params[parameter.name if free else f"{name}.{place}"] = parameter

    def __getattr__(self, name: str) -> Any:
        for held in ("_params", "_cells"):
            items = self.__dict__.get(held, {})
            if name in items:
                return items[name]
        if "_params" not in self.__dict__:
            raise AttributeError(f"{type(self).__name__}.__init__ must call super().__init__() first")
        raise AttributeError(f"Cell {type(self).__name__} has no attribute {name!r}")

    def __delattr__(self, name: str) -> None:
        if not self._forget(name):
            super().__delattr__(name)

    def _forget(self, name: str) -> bool:
        return any(self.__dict__.get(held, {}).pop(name, None) is not None for held in ("_params", "_cells"))

    def __repr__(self) -> str:
        inner = [f"({name}): {cell!r}".replace("\n", "\n  ") for name, cell in self._cells.items()]
        extra = self.extend_repr()
        if not inner:
            return f"{type(self).__name__}({extra})"
        return "\n  ".join([f"{type(self).__name__}({extra}", *inner]) + "\n)"

    def extend_repr(self) -> str:
        """What is shown between the parentheses."""
        return ""

    def insert_param_to_cell(self, param_name: str, param: Parameter, check_name_contain_dot: bool = True) -> None:
        """Hold a parameter under a name, which it takes over if it has none.

        Raises:
            ValueError: the name holds a dot.

        """
        if "_params" not in self.__dict__:
            raise AttributeError(
                f"{type(self).__name__}.__init__ must call super().__init__() before it makes parameters"
            )
        if check_name_contain_dot and "." in param_name:
            raise ValueError(f"the name of a parameter cannot hold a dot: {param_name!r}")
        self._cells.pop(param_name, None)
        self.__dict__.pop(param_name, None)
        if not param.named:
            param.name = param_name
        self._params[param_name] = param

    def insert_child_to_cell(self, child_name: str, child_cell: Cell) -> None:
        """Add a Cell under a name, which prefixes the names of its parameters."""
        if "_cells" not in self.__dict__:
            raise AttributeError(f"{type(self).__name__}.__init__ must call super().__init__() before it makes Cells")
        self._params.pop(child_name, None)
        self.__dict__.pop(child_name, None)
        self._cells[child_name] = child_cell
        child_cell._be_held(self._scope_of(child_name, child_cell))
        if self._auto_prefix:
            child_cell.update_parameters_name(f"{child_name}.")

    def _scope_of(self, name: str, cell: Cell) -> str:
        """The part of the scope that a Cell held under a name has."""
        return f"{name}-{type(cell).__name__}"

    def _be_held(self, scope: str) -> None:
        self.__dict__["_scope"] = scope

    def update_parameters_name(self, prefix: str = "", recurse: bool = True) -> None:
        """Name each parameter by its way through the Cells, with a prefix."""
        for name, parameter in self.parameters_and_names(expand=recurse):
            parameter.name = prefix + name

    def parameters_and_names(self, name_prefix: str = "", expand: bool = True) -> Iterator[tuple[str, Parameter]]:
        """Each parameter once, with its way through the Cells: `conv1.weight`.

        Args:
            name_prefix: The prefix.
            expand: those of inner Cells too.

        """
        seen: set[int] = set()
        for path, cell in self.cells_and_names(name_prefix) if expand else [(name_prefix, self)]:
            for name, parameter in cell._params.items():
                if id(parameter) not in seen:
                    seen.add(id(parameter))
                    yield f"{path}.{name}" if path else name, parameter

    def cells_and_names(self, name_prefix: str = "") -> Iterator[tuple[str, Cell]]:
        """This Cell and each inner one once, with its way from here."""
        seen: set[int] = set()
        waiting: list[tuple[str, Cell]] = [(name_prefix, self)]
        while waiting:
            path, cell = waiting.pop()
            if id(cell) in seen:
                continue
            seen.add(id(cell))
            yield path, cell
            inner = [(f"{path}.{name}" if path else name, child) for name, child in cell._cells.items()]
            waiting += reversed(inner)

    def get_parameters(self, expand: bool = True) -> Iterator[Parameter]:
        """Each parameter once."""
        return (parameter for _, parameter in self.parameters_and_names(expand=expand))

    def parameters_dict(self, recurse: bool = True) -> dict[str, Parameter]:
        """By name, each parameter."""
        return {parameter.name: parameter for parameter in self.get_parameters(recurse)}

    def trainable_params(self, recurse: bool = True) -> list[Parameter]:
        """The parameters that training changes."""
        return [parameter for parameter in self.get_parameters(recurse) if parameter.requires_grad]

    def untrainable_params(self, recurse: bool = True) -> list[Parameter]:
        """The parameters that training leaves alone."""
        return [parameter for parameter in self.get_parameters(recurse) if not parameter.requires_grad]

    def cells(self) -> list[Cell]:
        """The Cells that this one holds itself."""
        return list(self._cells.values())

    def name_cells(self) -> dict[str, Cell]:
        """By name, the Cells that this one holds itself."""
        return dict(self._cells)

    def set_train(self, mode: bool = True) -> Self:
        """Behave as in training, or not, with all inner Cells: batch norm and dropout differ."""
        for _, cell in self.cells_and_names():
            cell.training = mode
            cell.phase = "train" if mode else "predict"
        return self

    def set_grad(self, requires_grad: bool = True) -> Self:
        """Record that gradients will be taken of this Cell."""
        self.requires_grad = requires_grad
        return self

    def to_float(self, dst_type: DType) -> Self:
        """Compute with a floating-point type: inputs and trainable parameters of this Cell and all inner ones are cast.

        Raises:
            ValueError: it is no floating-point type.

        """
        if not isinstance(dst_type, DType) or not dst_type.is_floating_point:
            raise ValueError(f"to_float: the type must be float16, float32 or float64, not {dst_type}")
        for _, cell in self.cells_and_names():
            cell.compute_type = dst_type
        Cell.changes += 1
        return self

    def recompute(self, mode: bool = True) -> Self:
        """Compute this Cell again going backward, so that nothing within it is kept meanwhile, in graph mode.

        What is kept is its input, and what has side effects or comes by chance: masks of dropout are not drawn again.
        Gradients are the same to the bit, memory is less, time is more by one computation forward. A Cell within one
        that says so is part of it; PyNative mode keeps all.

        Args:
            mode: whether to.
        """
        return self.add_flags(recompute=mode)

    def add_flags(self, **flags: object) -> Self:
        """Record flags of this Cell and all inner ones, for the compiler."""
        for _, cell in self.cells_and_names():
            cell.__dict__.setdefault("_flags", {}).update(flags)
        Cell.changes += 1
        return self

    def get_flags(self) -> dict[str, Any]:
        """What `add_flags` recorded."""
        return dict(self.__dict__.get("_flags", {}))

    def set_inputs(self, *inputs: Any) -> Self:
        """Compile this Cell once for all inputs that fit: in graph mode, from the next call on.

        Args:
            inputs: one for each that `construct` takes; a tensor's shape may leave dimensions open, as in
                `Tensor(shape=[None, 3], dtype=ms.float32)`.
        """
        self.__dict__["input_signature"] = inputs
        self.__dict__.pop("_programs", None)
        return self

    def set_jit_config(self, jit_config: object) -> Self:
        """Record how this Cell shall be compiled; there is one way here."""
        return self.add_flags(jit_config=jit_config)

    def init_parameters_data(self, auto_parallel_mode: bool = False) -> dict[Parameter, Parameter]:
        """By parameter, the one that stands for it now: each itself, as values are there from the start."""
        return {parameter: parameter for parameter in self.get_parameters()}

    def register_forward_pre_hook(self, hook_fn: Callable[..., Any]) -> HookHandle:
        """In PyNative mode, call `hook_fn(cell, inputs)` before this Cell; its result replaces the inputs."""
        return Hooks.add(self._own_hooks().before, hook_fn)

    def register_forward_hook(self, hook_fn: Callable[..., Any]) -> HookHandle:
        """In PyNative mode, call `hook_fn(cell, inputs, output)` after it; its result replaces the output."""
        return Hooks.add(self._own_hooks().after, hook_fn)

    def register_backward_pre_hook(self, hook_fn: Callable[..., Any]) -> HookHandle:
        """In PyNative mode, call `hook_fn(cell, grad_output)` before going backward through this Cell.

        It gets a tuple with the gradient of each output; its result replaces it.
        """
        return Hooks.add(self._own_hooks().before_backward, hook_fn)

    def register_backward_hook(self, hook_fn: Callable[..., Any]) -> HookHandle:
        """In PyNative mode, call `hook_fn(cell, grad_input, grad_output)` after going backward through this Cell.

        It gets tuples with the gradient of each input, None if none of them has any, and of each output; what it
        returns replaces that of the inputs.
        """
        return Hooks.add(self._own_hooks().after_backward, hook_fn)

    def _own_hooks(self) -> Hooks:
        if self._hooks is None:
            self.__dict__["_hooks"] = Hooks()
        return self._hooks  # type: ignore[return-value]

    def apply(self, fn: Callable[[Cell], Any]) -> Self:
        """Call a function with each inner Cell and this one."""
        for _, cell in self.cells_and_names():
            fn(cell)
        return self

    @property
    def param_tuple(self) -> ParameterTuple:
        """The parameters that training changes."""
        return ParameterTuple(self.trainable_params())
