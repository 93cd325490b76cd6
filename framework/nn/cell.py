"""The Cell, the base class of networks. It holds parameters and inner Cells and defines their computation."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, ClassVar, Protocol, Self

from framework import context, graph_mode
from framework.common.dtype import DType
from framework.common.parameter import Parameter, ParameterTuple
from framework.common.tensor import Tensor
from framework.nn.hooks import HookHandle, Hooks
from framework.nn.precision import cast_floats, weights_as
from framework.pynative.gradient import is_recording, record
from framework.pynative.taps import entered, is_watched

__all__ = ["Cell"]


class RunsCell(Protocol):
    """Something that runs a Cell in the Cell's place, such as the debugger."""

    @property
    def is_inside(self) -> bool:
        """Whether it is running the Cell now. Then a call of the Cell runs the Cell itself."""

    def run(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Run the Cell and return its outputs."""


class Cell:
    """A part of a network: the base class of layers, losses, networks and optimizers.

    Subclasses create their parameters and inner Cells in `__init__`, as attributes, and define `construct`. A subclass
    may define its own backward function `bprop(self, *inputs, out, dout)`, which returns a tuple with one gradient per
    input.

    Args:
        auto_prefix: prefix the names of the parameters of an inner Cell with the name of its attribute.

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
        #: Phase, "train" or "predict"; a compiled graph belongs to one phase.
        self.phase = "predict"
        self._auto_prefix = auto_prefix
        #: Scope of this Cell: `conv1-Conv2d` for the attribute `conv1`; empty for the outermost Cell.
        self._scope = ""

    def construct(self, *inputs: Any, **kwargs: Any) -> Any:
        """Compute the outputs from the inputs. Subclasses define this.

        Args:
            inputs: the inputs of the Cell.
            kwargs: inputs by name.

        Returns:
            The outputs.
        """
        raise NotImplementedError(f"{type(self).__name__} must define construct")

    #: Hooks of this Cell, called before and after it; None without hooks.
    _hooks: Hooks | None = None
    #: Element type to compute in, set by `to_float`; None for the types of inputs and parameters.
    compute_type: DType | None = None
    #: Element type of the outputs of such a Cell; None for no cast.
    output_type: DType | None = None
    #: Count of changes of Cells that invalidate compiled programs.
    changes: ClassVar[int] = 0

    #: Own backward function of a subclass: `bprop(self, *inputs, out, dout)`; None without one.
    bprop: Callable[..., Any] | None = None

    #: Runner in this Cell's place: the debugger, if the Cell is a training step.
    _run_by: RunsCell | None = None

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run the Cell: line by line in PyNative mode, compiled in graph mode."""
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
            return self._hooks.run(self, args, lambda inputs: self._compute(inputs, kwargs))
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
        # The tape records the whole Cell as one operator with the Cell's own backward function.
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
        """Add the parameters of a tuple to the Cell's own, so that an optimizer's state is saved with it."""
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
        """The text between the parentheses of `repr(cell)`."""
        return ""

    def insert_param_to_cell(self, param_name: str, param: Parameter, check_name_contain_dot: bool = True) -> None:
        """Add a parameter under a name. A parameter without a name of its own takes this one.

        Args:
            param_name: name of the attribute.
            param: the parameter.
            check_name_contain_dot: refuse a name that contains a dot.

        Raises:
            ValueError: the name contains a dot.
            AttributeError: the Cell was not initialized.
        """
        if "_params" not in self.__dict__:
            raise AttributeError(
                f"{type(self).__name__}.__init__ must call super().__init__() before it creates parameters"
            )
        if check_name_contain_dot and "." in param_name:
            raise ValueError(f"the name of a parameter must not contain a dot: {param_name!r}")
        self._cells.pop(param_name, None)
        self.__dict__.pop(param_name, None)
        if not param.named:
            param.name = param_name
        self._params[param_name] = param

    def insert_child_to_cell(self, child_name: str, child_cell: Cell) -> None:
        """Add an inner Cell under a name, which prefixes the names of its parameters.

        Args:
            child_name: name of the attribute.
            child_cell: the inner Cell.

        Raises:
            AttributeError: the Cell was not initialized.
        """
        if "_cells" not in self.__dict__:
            raise AttributeError(f"{type(self).__name__}.__init__ must call super().__init__() before it creates Cells")
        self._params.pop(child_name, None)
        self.__dict__.pop(child_name, None)
        self._cells[child_name] = child_cell
        child_cell._set_scope(self._scope_of(child_name, child_cell))
        if self._auto_prefix:
            child_cell.update_parameters_name(f"{child_name}.")

    def _scope_of(self, name: str, cell: Cell) -> str:
        """The scope of an inner Cell under a name."""
        return f"{name}-{type(cell).__name__}"

    def _set_scope(self, scope: str) -> None:
        self.__dict__["_scope"] = scope

    def update_parameters_name(self, prefix: str = "", recurse: bool = True) -> None:
        """Name each parameter by its path through the Cells, after a prefix.

        Args:
            prefix: text before each name.
            recurse: include the parameters of inner Cells.
        """
        for name, parameter in self.parameters_and_names(expand=recurse):
            parameter.name = prefix + name

    def parameters_and_names(self, name_prefix: str = "", expand: bool = True) -> Iterator[tuple[str, Parameter]]:
        """Each parameter once, with its path through the Cells, such as `conv1.weight`.

        Args:
            name_prefix: path of this Cell.
            expand: include the parameters of inner Cells.

        Returns:
            Pairs of a path and a parameter.
        """
        seen: set[int] = set()
        for path, cell in self.cells_and_names(name_prefix) if expand else [(name_prefix, self)]:
            for name, parameter in cell._params.items():
                if id(parameter) not in seen:
                    seen.add(id(parameter))
                    yield f"{path}.{name}" if path else name, parameter

    def cells_and_names(self, name_prefix: str = "") -> Iterator[tuple[str, Cell]]:
        """This Cell and each inner Cell once, with the path from here.

        Args:
            name_prefix: path of this Cell.

        Returns:
            Pairs of a path and a Cell.
        """
        seen: set[int] = set()
        pending: list[tuple[str, Cell]] = [(name_prefix, self)]
        while pending:
            path, cell = pending.pop()
            if id(cell) in seen:
                continue
            seen.add(id(cell))
            yield path, cell
            inner = [(f"{path}.{name}" if path else name, child) for name, child in cell._cells.items()]
            pending += reversed(inner)

    def get_parameters(self, expand: bool = True) -> Iterator[Parameter]:
        """Each parameter once.

        Args:
            expand: include the parameters of inner Cells.

        Returns:
            The parameters.
        """
        return (parameter for _, parameter in self.parameters_and_names(expand=expand))

    def parameters_dict(self, recurse: bool = True) -> dict[str, Parameter]:
        """The parameters by name.

        Args:
            recurse: include the parameters of inner Cells.

        Returns:
            A dictionary of parameters by name.
        """
        return {parameter.name: parameter for parameter in self.get_parameters(recurse)}

    def trainable_params(self, recurse: bool = True) -> list[Parameter]:
        """The parameters that training changes.

        Args:
            recurse: include the parameters of inner Cells.

        Returns:
            The parameters with `requires_grad`.
        """
        return [parameter for parameter in self.get_parameters(recurse) if parameter.requires_grad]

    def untrainable_params(self, recurse: bool = True) -> list[Parameter]:
        """The parameters that training does not change.

        Args:
            recurse: include the parameters of inner Cells.

        Returns:
            The parameters without `requires_grad`.
        """
        return [parameter for parameter in self.get_parameters(recurse) if not parameter.requires_grad]

    def cells(self) -> list[Cell]:
        """The direct inner Cells."""
        return list(self._cells.values())

    def name_cells(self) -> dict[str, Cell]:
        """The direct inner Cells by name."""
        return dict(self._cells)

    def set_train(self, mode: bool = True) -> Self:
        """Switch this Cell and all inner Cells between training and inference; batch norm and dropout differ.

        Args:
            mode: True for training.

        Returns:
            This Cell.
        """
        for _, cell in self.cells_and_names():
            cell.training = mode
            cell.phase = "train" if mode else "predict"
        return self

    def set_grad(self, requires_grad: bool = True) -> Self:
        """Record whether this Cell will be differentiated.

        Args:
            requires_grad: the flag.

        Returns:
            This Cell.
        """
        self.requires_grad = requires_grad
        return self

    def to_float(self, dst_type: DType) -> Self:
        """Compute in a floating-point type: cast the inputs and trainable parameters of this Cell and all inner Cells.

        Args:
            dst_type: float16, float32 or float64.

        Returns:
            This Cell.

        Raises:
            ValueError: the type is not a floating-point type.
        """
        if not isinstance(dst_type, DType) or not dst_type.is_floating_point:
            raise ValueError(f"to_float: the type must be float16, float32 or float64, not {dst_type}")
        for _, cell in self.cells_and_names():
            cell.compute_type = dst_type
        Cell.changes += 1
        return self

    def recompute(self, mode: bool = True) -> Self:
        """Recompute this Cell in the backward pass instead of keeping its activations, in graph mode.

        The inputs are kept, and so are the results of side effects and random operators: dropout masks are not drawn
        again. Gradients are bit-identical; memory use falls, and the time grows by one forward pass. A Cell within a
        recomputed Cell is recomputed with it. PyNative mode keeps everything.

        Args:
            mode: whether to recompute.

        Returns:
            This Cell.
        """
        return self.add_flags(recompute=mode)

    def add_flags(self, **flags: object) -> Self:
        """Set flags of this Cell and all inner Cells for the compiler.

        Args:
            flags: values by the name of the flag.

        Returns:
            This Cell.
        """
        for _, cell in self.cells_and_names():
            cell.__dict__.setdefault("_flags", {}).update(flags)
        Cell.changes += 1
        return self

    def get_flags(self) -> dict[str, Any]:
        """The flags that `add_flags` has set."""
        return dict(self.__dict__.get("_flags", {}))

    def set_inputs(self, *inputs: Any) -> Self:
        """Compile this Cell once for all inputs that fit, in graph mode, from the next call on.

        Args:
            inputs: one input for each argument of `construct`. A tensor's shape may leave dimensions open, as in
                `Tensor(shape=[None, 3], dtype=ms.float32)`.

        Returns:
            This Cell.
        """
        self.__dict__["input_signature"] = inputs
        self.__dict__.pop("_programs", None)
        return self

    def set_jit_config(self, jit_config: object) -> Self:
        """Record a configuration of the compiler. It has no effect, as there is only one way to compile.

        Args:
            jit_config: the configuration.

        Returns:
            This Cell.
        """
        return self.add_flags(jit_config=jit_config)

    def init_parameters_data(self, auto_parallel_mode: bool = False) -> dict[Parameter, Parameter]:
        """A mapping from each parameter to itself: parameters always have values, so nothing is left to initialize."""
        return {parameter: parameter for parameter in self.get_parameters()}

    def register_forward_pre_hook(self, hook_fn: Callable[..., Any]) -> HookHandle:
        """Register `hook_fn(cell, inputs)`, called before this Cell in PyNative mode.

        Args:
            hook_fn: the hook; its result replaces the inputs unless it is None.

        Returns:
            A handle to remove the hook.
        """
        return Hooks.add(self._own_hooks().before, hook_fn)

    def register_forward_hook(self, hook_fn: Callable[..., Any]) -> HookHandle:
        """Register `hook_fn(cell, inputs, output)`, called after this Cell in PyNative mode.

        Args:
            hook_fn: the hook; its result replaces the output unless it is None.

        Returns:
            A handle to remove the hook.
        """
        return Hooks.add(self._own_hooks().after, hook_fn)

    def register_backward_pre_hook(self, hook_fn: Callable[..., Any]) -> HookHandle:
        """Register `hook_fn(cell, grad_output)`, called before the backward pass of this Cell in PyNative mode.

        Args:
            hook_fn: the hook; it takes a tuple with the gradient of each output, which its result replaces unless it is
                None.

        Returns:
            A handle to remove the hook.
        """
        return Hooks.add(self._own_hooks().before_backward, hook_fn)

    def register_backward_hook(self, hook_fn: Callable[..., Any]) -> HookHandle:
        """Register `hook_fn(cell, grad_input, grad_output)`, called after this Cell's backward pass in PyNative mode.

        Args:
            hook_fn: the hook; it takes a tuple with the gradient of each input, None if no input has one, and a tuple
                with that of each output. Its result replaces the gradients of the inputs unless it is None.

        Returns:
            A handle to remove the hook.
        """
        return Hooks.add(self._own_hooks().after_backward, hook_fn)

    def _own_hooks(self) -> Hooks:
        if self._hooks is None:
            self.__dict__["_hooks"] = Hooks()
        return self._hooks  # type: ignore[return-value]

    def apply(self, fn: Callable[[Cell], Any]) -> Self:
        """Call a function with this Cell and each inner Cell.

        Args:
            fn: the function.

        Returns:
            This Cell.
        """
        for _, cell in self.cells_and_names():
            fn(cell)
        return self

    @property
    def param_tuple(self) -> ParameterTuple:
        """The parameters that training changes."""
        return ParameterTuple(self.trainable_params())
