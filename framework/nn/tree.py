"""The parameters, buffers and inner Cells that a Cell holds as attributes, and their names."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Self, cast

from framework.common.parameter import Parameter, ParameterTuple
from framework.common.tensor import Tensor
from framework.common.validator import check_type

if TYPE_CHECKING:
    from framework.nn.cell import Cell

__all__ = ["Tree"]

_HELD = ("_params", "_cells", "_buffers")


class Tree:
    """The members of a Cell. Parameters, inner Cells and buffers are each in a dictionary and are read as
    attributes."""

    _params: dict[str, Parameter]
    _cells: dict[str, Cell]
    _auto_prefix: bool
    #: Scope of this Cell: `conv1-Conv2d` for the attribute `conv1`; empty for the outermost Cell.
    _scope: str

    def __setattr__(self, name: str, value: object) -> None:
        if isinstance(value, Parameter):
            self.insert_param_to_cell(name, value)
        elif isinstance(value, Tree):
            self.insert_child_to_cell(name, cast("Cell", value))
        elif name in self.__dict__.get("_buffers", ()) and (value is None or isinstance(value, Tensor)):
            self.__dict__["_buffers"][name] = value
        elif (held := self._holder(name)) is not None:
            self._set_held(name, value, held)
        else:
            self._forget(name)
            super().__setattr__(name, value)
            if isinstance(value, ParameterTuple):
                self._insert_tuple(name, value)

    def _holder(self, name: str) -> str | None:
        """Where an attribute is, or was before it became None: `_params` or `_cells`; None for other attributes."""
        own = self.__dict__
        if name in own.get("_params", ()):
            return "_params"
        return "_cells" if name in own.get("_cells", ()) else own.get("_emptied", {}).get(name)

    def _set_held(self, name: str, value: object, held: str) -> None:
        """Assign something that is no Parameter and no Cell to the attribute of one."""
        if isinstance(value, Tensor) and name in self._params:
            self._params[name].set_data(value)
            return
        what = "a Parameter" if held == "_params" else "a Cell"
        if value is not None:
            raise TypeError(f"'{name}' of {type(self).__name__} is {what}, and cannot become a {type(value).__name__}")
        self._forget(name)
        self.__dict__.setdefault("_emptied", {})[name] = held
        super().__setattr__(name, None)

    def _check_free(self, name: str, held: str) -> None:
        """Refuse a name that is of a Cell for a Parameter, and the other way round."""
        if self._holder(name) not in (None, held):
            other = "Parameter" if held == "_cells" else "Cell"
            raise KeyError(f"'{name}' of {type(self).__name__} is a {other}: delete it, or take another name")

    def _insert_tuple(self, name: str, parameters: ParameterTuple) -> None:
        """Add the parameters of a tuple to the Cell's own, so that an optimizer's state is saved with it."""
        for place, parameter in enumerate(parameters):
            if not any(parameter is held for held in self._params.values()):
                free = parameter.name not in self._params
                self._params[parameter.name if free else f"{name}.{place}"] = parameter

    def __getattr__(self, name: str) -> Any:
        for held in _HELD:
            items = self.__dict__.get(held, {})
            if name in items:
                return items[name]
        if "_params" not in self.__dict__:
            raise AttributeError(f"{type(self).__name__}.__init__ must call super().__init__() first")
        raise AttributeError(f"'{type(self).__name__}' object has no attribute {name!r}")

    def __delattr__(self, name: str) -> None:
        self.__dict__.get("_emptied", {}).pop(name, None)
        if not self._forget(name):
            super().__delattr__(name)

    def _forget(self, name: str) -> bool:
        return any(self.__dict__.get(held, {}).pop(name, self) is not self for held in _HELD)

    def insert_param_to_cell(self, param_name: str, param: Parameter, check_name_contain_dot: bool = True) -> None:
        """Add a parameter under a name. A parameter without a name of its own takes this one.

        Args:
            param_name: name of the attribute.
            param: the parameter.
            check_name_contain_dot: refuse a name that contains a dot.

        Raises:
            KeyError: the name is empty, contains a dot, or is that of an inner Cell.
            TypeError: it is no parameter.
            AttributeError: the Cell was not initialized.
        """
        if "_params" not in self.__dict__:
            raise AttributeError(
                f"{type(self).__name__}.__init__ must call super().__init__() before it creates parameters"
            )
        check_type("param", param, Parameter)
        if not param_name:
            raise KeyError("a parameter needs a name in its Cell, not an empty text")
        if check_name_contain_dot and "." in param_name:
            raise KeyError(f"the name of a parameter must not contain a dot: {param_name!r}")
        self._check_free(param_name, "_params")
        self.__dict__.pop(param_name, None)
        if not param.named:
            param.name = param_name
        self._params[param_name] = param

    def insert_child_to_cell(self, child_name: str, child_cell: Cell | None) -> None:
        """Add an inner Cell under a name, which prefixes the names of its parameters.

        Args:
            child_name: name of the attribute.
            child_cell: the inner Cell; None sets the attribute to None.

        Raises:
            TypeError: the name is no text, or it is no Cell.
            KeyError: the name is empty, contains a dot, or is that of a parameter.
            AttributeError: the Cell was not initialized.
        """
        if "_cells" not in self.__dict__:
            raise AttributeError(f"{type(self).__name__}.__init__ must call super().__init__() before it creates Cells")
        check_type("child_name", child_name, str)
        if not child_name or "." in child_name:
            raise KeyError(f"the name of a Cell must not be empty or contain a dot: {child_name!r}")
        if child_cell is None:
            setattr(self, child_name, None)
            return
        check_type("child_cell", child_cell, Tree)
        self._check_free(child_name, "_cells")
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
        own = cast("Cell", self)
        for path, cell in self.cells_and_names(name_prefix=name_prefix) if expand else [(name_prefix, own)]:
            for name, parameter in cell._params.items():
                if id(parameter) not in seen:
                    seen.add(id(parameter))
                    yield f"{path}.{name}" if path else name, parameter

    def cells_and_names(self, cells: set[Cell] | None = None, name_prefix: str = "") -> Iterator[tuple[str, Cell]]:
        """This Cell and each inner Cell once, with the path from here.

        Args:
            cells: Cells that are left out, with what they hold; None for none.
            name_prefix: path of this Cell.

        Returns:
            Pairs of a path and a Cell.
        """
        seen = {id(cell) for cell in cells or ()}
        pending: list[tuple[str, Cell]] = [(name_prefix, cast("Cell", self))]
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

    def get_sub_cell(self, target: str) -> Cell:
        """An inner Cell by its path.

        Args:
            target: names with dots between them, such as `block.conv1`; empty for this Cell.

        Returns:
            The inner Cell.

        Raises:
            AttributeError: there is no Cell of that path.
        """
        cell = cast("Cell", self)
        for name in target.split(".") if target else ():
            if name not in cell._cells:
                raise AttributeError(f"Cell {type(cell).__name__} has no inner Cell {name!r}")
            cell = cell._cells[name]
        return cell

    def apply(self, fn: Callable[[Cell], Any]) -> Self:
        """Call a function with each inner Cell, and then with this Cell.

        Args:
            fn: the function.

        Returns:
            This Cell.
        """
        for cell in self._cells.values():
            cell.apply(fn)
        fn(cast("Cell", self))
        return self
