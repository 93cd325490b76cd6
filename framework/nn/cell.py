"""The Cell, the base class of networks. It holds parameters and inner Cells and defines their computation."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Protocol, Self

from framework import context, graph_mode
from framework.common.dtype import DType
from framework.common.parameter import Parameter
from framework.common.tensor import Tensor
from framework.nn.hooks import HookHandle, Hooks
from framework.nn.precision import cast_floats, weights_as
from framework.nn.state import Stateful
from framework.pynative.gradient import is_recording, record
from framework.pynative.taps import entered, is_watched
from framework.pynative.tensor_hooks import changes as hook_changes

__all__ = ["Cell"]


class RunsCell(Protocol):
    """An object that runs a Cell in its place, such as the debugger."""

    @property
    def is_inside(self) -> bool:
        """Whether it is running the Cell now. Then a call of the Cell runs the Cell itself."""

    def run(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Run the Cell and return its outputs."""


class Cell(Stateful):
    """A part of a network: the base class of layers, losses, networks and optimizers.

    Subclasses create their parameters and inner Cells in `__init__`, as attributes, and define `construct`. A subclass
    may define its own backward function `bprop(self, *inputs, out, dout)`, which returns a tuple with one gradient per
    input.

    Args:
        auto_prefix: prefix the names of the parameters of an inner Cell with the name of its attribute.
        flags: attributes that `add_flags` sets; None for none.

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

    def __init__(self, auto_prefix: bool = True, flags: Mapping[str, Any] | None = None) -> None:
        # `phase` is "train" or "predict".
        self.__dict__.update(
            _params={},
            _cells={},
            training=False,
            requires_grad=False,
            phase="train",
            _auto_prefix=auto_prefix,
            _scope="",
        )
        if flags:
            self.add_flags(**flags)

    def construct(self, *inputs: Any, **kwargs: Any) -> Any:
        """Compute the outputs from the inputs. Subclasses define this.

        Args:
            inputs: the inputs of the Cell.
            kwargs: inputs by name.

        Returns:
            The outputs.
        """
        raise AttributeError(f"{type(self).__name__} must define construct")

    #: Hooks of this Cell, called before and after it; None without hooks.
    _hooks: Hooks | None = None
    #: Element type to compute in, set by `to_float`; None for the types of inputs and parameters.
    _compute_type: DType | None = None
    #: Element type of the outputs of such a Cell; None for no cast.
    _output_type: DType | None = None
    #: Count of changes of Cells that invalidate compiled programs.
    _changes: ClassVar[int] = 0

    #: Own backward function of a subclass: `bprop(self, *inputs, out, dout)`; None without one.
    bprop: Callable[..., Any] | None = None

    #: Runner in this Cell's place: the debugger, if the Cell is a training step.
    _run_by: RunsCell | None = None

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run the Cell: line by line in PyNative mode, compiled in graph mode."""
        run_by = self._run_by
        if run_by is not None and not run_by.is_inside:
            return run_by.run(args, kwargs)
        if context.is_graph_mode():
            return graph_mode.run(self, args, kwargs)
        if is_watched():
            with entered(self, self._scope):
                return self._run(args, kwargs)
        return self._run(args, kwargs)

    def _run(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if self._hooks is not None:
            return self._hooks.run(self, args, kwargs, self._compute)
        return self._compute(args, kwargs)

    def _compute(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if self._compute_type is not None:
            args = cast_floats(args, self._compute_type)
            kwargs = {name: cast_floats(item, self._compute_type) for name, item in kwargs.items()}
            with weights_as(self.__dict__, self._params, self._compute_type):
                out = self._constructed(args, kwargs)
            return out if self._output_type is None else cast_floats(out, self._output_type)
        return self._constructed(args, kwargs)

    def _constructed(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if self.bprop is None or not is_recording():
            return self.construct(*args, **kwargs)
        # The tape records the whole Cell as one operator with the Cell's own backward function.
        plain = [item.copy() if isinstance(item, Tensor) else item for item in args]
        given = (*args, *kwargs.values())
        return record(self.bprop, given, self.construct(*plain, **kwargs), type(self).__name__)

    def __repr__(self) -> str:
        inner = [f"({name}): {cell!r}".replace("\n", "\n  ") for name, cell in self._cells.items()]
        extra = self.extend_repr()
        if not inner:
            return f"{type(self).__name__}({extra})"
        return "\n  ".join([f"{type(self).__name__}({extra}", *inner]) + "\n)"

    def extend_repr(self) -> str:
        """The text between the parentheses of `repr(cell)`."""
        return ""

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
            dst_type: float16, bfloat16, float32 or float64.

        Returns:
            This Cell.

        Raises:
            ValueError: the type is not a floating-point type.
        """
        if not isinstance(dst_type, DType) or not dst_type.is_floating_point:
            raise ValueError(f"to_float: the type must be float16, bfloat16, float32 or float64, not {dst_type}")
        for _, cell in self.cells_and_names():
            cell._compute_type = dst_type
        Cell._changes += 1
        return self

    def recompute(
        self,
        mode: bool = True,
        *,
        use_reentrant: bool = True,
        output_recompute: bool = False,
        early_stop: bool = True,
        context_fn: Callable[[], Any] | None = None,
        mp_comm_recompute: bool = True,
        parallel_optimizer_comm_recompute: bool = False,
        recompute_slice_activation: bool = False,
    ) -> Self:
        """Recompute this Cell in the backward pass instead of keeping its activations, in graph mode.

        The inputs are kept, and so are the results of side effects and random operators: dropout masks are not drawn
        again. Gradients are bit-identical; memory use falls, and the time grows by one forward pass. A Cell within a
        recomputed Cell is recomputed with it. PyNative mode keeps everything.

        Args:
            mode: whether to recompute.
            use_reentrant: accepted for compatibility; has no effect, as the other arguments from here on.
            output_recompute: accepted for compatibility.
            early_stop: accepted for compatibility.
            context_fn: accepted for compatibility.
            mp_comm_recompute: accepted for compatibility; there is no communication between devices.
            parallel_optimizer_comm_recompute: accepted for compatibility.
            recompute_slice_activation: accepted for compatibility.

        Returns:
            This Cell.
        """
        for _, cell in self.cells_and_names():
            cell._note_flags(recompute=mode)
        return self

    def shard(
        self,
        in_strategy: tuple[Any, ...],
        out_strategy: tuple[Any, ...] | None = None,
        parameter_plan: Mapping[str, Any] | None = None,
        device: str = "Ascend",
        level: int = 0,
    ) -> Callable[..., Any]:
        """This Cell as a function whose inputs and outputs are cut over ranks; operators within follow.

        Args:
            in_strategy: for each input numbers of parts, a `Layout`, or None to leave it where it is.
            out_strategy: the same for each output.
            parameter_plan: strategies of Parameters, which are not supported: give them to operators.
            device: accepted for compatibility; has no effect.
            level: accepted for compatibility; has no effect.

        Raises:
            TypeError: a strategy is no tuple.
            NotImplementedError: there is a `parameter_plan`.
        """
        from framework.nn.wrap.sharding import sharded  # It makes operators, which know Cells.

        if parameter_plan is not None:
            raise NotImplementedError(
                "shard: parameter_plan is not supported: a Parameter is cut as the operator that reads it, so give "
                "that a strategy, such as dense.matmul.shard(((1, 1), (4, 1)))"
            )
        return sharded(self, in_strategy, out_strategy)

    def add_flags(self, **flags: Any) -> Self:
        """Set attributes of this Cell, and record them for `get_flags`.

        Args:
            flags: values by the name of the attribute.

        Returns:
            This Cell.
        """
        for name, value in flags.items():
            setattr(self, name, value)
        return self._note_flags(**flags)

    def add_flags_recursive(self, **flags: Any) -> Self:
        """Set attributes of this Cell and all inner Cells, and record them for `get_flags`.

        Args:
            flags: values by the name of the attribute.

        Returns:
            This Cell.
        """
        for _, cell in self.cells_and_names():
            cell.add_flags(**flags)
        return self

    def _note_flags(self, **flags: Any) -> Self:
        self.__dict__.setdefault("_flags", {}).update(flags)
        Cell._changes += 1
        return self

    def get_flags(self) -> dict[str, Any]:
        """The recorded flags: those set by `add_flags`, and `recompute`."""
        return dict(self.__dict__.get("_flags", {}))

    def set_inputs(self, *inputs: Any, **named: Any) -> Self:
        """Compile this Cell once for all matching inputs, in graph mode, from the next call on.

        Args:
            inputs: one input for each argument of `construct`. A tensor's shape may leave dimensions open, as in
                `Tensor(shape=[None, 3], dtype=ms.float32)`. With an input whose rank is open, as in
                `Tensor(shape=None, dtype=ms.float32)`, nothing is declared: each shape is compiled when it comes.
            named: inputs by the names of the arguments.

        Returns:
            This Cell.

        Raises:
            ValueError: there is no argument of a name, or one is missing.
        """
        if named:
            names = list(inspect.signature(self.construct).parameters)
            given = dict(zip(names, inputs, strict=False)) | named
            if set(given) - set(names) or len(given) < len(inputs) + len(named):
                raise ValueError(f"construct takes {', '.join(names)}, so set_inputs cannot take {', '.join(named)}")
            inputs = tuple(given[name] for name in names if name in given)
        self.__dict__["_inputs_set"] = inputs
        declared = not any(isinstance(item, Tensor) and tuple(item.shape) == (-2,) for item in inputs)
        self.__dict__["_input_signature"] = inputs if declared else None
        self.__dict__.pop("_programs", None)
        return self

    def get_inputs(self) -> tuple[Any, ...] | None:
        """The inputs that `set_inputs` has declared; None before that."""
        declared: tuple[Any, ...] | None = self.__dict__.get("_inputs_set")
        return declared

    def compile(self, *args: Any, **kwargs: Any) -> None:
        """Compile the Cell for graph mode, without running it, so that its first call with such arguments is fast.

        Args:
            args: arguments of `construct` by position, with the shapes and element types of later calls.
            kwargs: arguments by name.

        Raises:
            GraphError: the Cell cannot be compiled for them. What only Python can run is no error, unless
                `jit_syntax_level` is STRICT: a call runs it line by line.
        """
        graph_mode.compiled(self, args, kwargs)

    def set_jit_config(self, jit_config: object) -> Self:
        """Record a compiler configuration. It has no effect, because there is only one way to compile.

        Args:
            jit_config: the configuration.

        Returns:
            This Cell.
        """
        for _, cell in self.cells_and_names():
            cell._note_flags(jit_config=jit_config)
        return self

    @property
    def cls_name(self) -> str:
        """The name of the Cell's class."""
        return type(self).__name__

    def get_scope(self) -> str:
        """The scope of this Cell, such as `conv1-Conv2d`; empty for the outermost Cell."""
        return self._scope

    def init_parameters_data(self, auto_parallel_mode: bool = False) -> dict[Parameter, Parameter]:
        """A mapping from each parameter to itself: parameters always have values, so nothing is left to initialize."""
        return {parameter: parameter for parameter in self.get_parameters()}

    def register_forward_pre_hook(
        self, hook_fn: Callable[..., Any], *, prepend: bool = False, with_kwargs: bool = False
    ) -> HookHandle:
        """Register `hook_fn(cell, args)`, called before this Cell in PyNative mode.

        Args:
            hook_fn: the hook; its result replaces the inputs unless it is None.
            prepend: call it before the hooks that are there.
            with_kwargs: call `hook_fn(cell, args, kwargs)`, whose result is None or a pair of new args and kwargs.

        Returns:
            A handle to remove the hook.
        """
        return self._own_hooks().add("before", hook_fn, prepend, with_kwargs)

    def register_forward_hook(
        self,
        hook_fn: Callable[..., Any],
        *,
        prepend: bool = False,
        with_kwargs: bool = False,
        always_call: bool = False,
    ) -> HookHandle:
        """Register `hook_fn(cell, args, output)`, called after this Cell in PyNative mode.

        Args:
            hook_fn: the hook; its result replaces the output unless it is None.
            prepend: call it before the hooks that are there.
            with_kwargs: call `hook_fn(cell, args, kwargs, output)`.
            always_call: call it with None as the output if the Cell raises an error, which goes on after that.

        Returns:
            A handle to remove the hook.
        """
        return self._own_hooks().add("after", hook_fn, prepend, with_kwargs, always_call)

    def register_backward_pre_hook(self, hook_fn: Callable[..., Any]) -> HookHandle:
        """Register `hook_fn(cell, grad_output)`, called before the backward pass of this Cell in PyNative mode.

        Args:
            hook_fn: the hook; it takes a tuple with the gradient of each output, which its result replaces unless it is
                None.

        Returns:
            A handle to remove the hook.
        """
        return self._own_hooks().add("before_backward", hook_fn)

    def register_backward_hook(self, hook_fn: Callable[..., Any]) -> HookHandle:
        """Register `hook_fn(cell, grad_input, grad_output)`, called after this Cell's backward pass in PyNative mode.

        Args:
            hook_fn: the hook; it takes a tuple with the gradient of each input, None if no input has one, and a tuple
                with that of each output. Its result replaces the gradients of the inputs unless it is None.

        Returns:
            A handle to remove the hook.
        """
        return self._own_hooks().add("after_backward", hook_fn)

    def _own_hooks(self) -> Hooks:
        if self._hooks is None:
            self.__dict__["_hooks"] = Hooks()
        return self._hooks  # type: ignore[return-value]


def _hear_of_hooks() -> None:
    """Compile anew what takes gradients: a Parameter has other hooks."""
    Cell._changes += 1


hook_changes.heard_by.append(_hear_of_hooks)
