"""Recorded calls of real MindSpore, and how to repeat one here; the recording's README gives the format."""

import functools
import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import framework as ms
from framework.common import dtype as mstype
from framework.common.tensor import Tensor
from framework.ops import operations as P  # noqa: N812

DATA = Path(os.environ.get("MINDINSIGHT_TEST_DATA", Path(__file__).parents[4] / "shared/data"))
DIRECTORY = Path(os.environ.get("ORACLE_DIR", DATA / "oracle"))

_DTYPES = {"bool": mstype.bool_}


#: The recording's expressions, as programs: graph mode reads their source.
EXPRESSIONS: dict[str, Callable[[Any], Any]] = {
    "x[-1]": lambda x: x[-1],
    "x[..., None, 0]": lambda x: x[..., None, 0],
    "x[1:3, ::2]": lambda x: x[1:3, ::2],
    "x[[2, 0, 2]]": lambda x: x[[2, 0, 2]],
}


#: Where the recording holds memory that was never written: array and place, and what belongs there.
UNWRITTEN = {("CTCLoss", "c0.grad0"): ((5, 1), 0.0)}  # the second sequence ends after 5 of 6 steps


class NotThereError(Exception):
    """What the case calls does not exist here."""


@functools.cache
def operators() -> dict[str, list[dict[str, Any]]]:
    """By operator its cases; empty where there is no recording."""
    index = DIRECTORY / "ops/index.json"
    return json.loads(index.read_text())["operators"] if index.exists() else {}


@functools.cache
def _arrays(operator: str) -> dict[str, np.ndarray]:
    with np.load(DIRECTORY / f"ops/{operator}.npz") as file:
        arrays = dict(file)
    for (name, key), (place, value) in UNWRITTEN.items():
        if name == operator:
            arrays[key][place] = value
    return arrays


def _plain(value: Any) -> Any:
    """Where JSON has a list, a tuple was passed."""
    return tuple(_plain(item) for item in value) if isinstance(value, list) else value


def flat(value: Any) -> list[Any]:
    """The leaves of a structure, in order."""
    return [leaf for item in value for leaf in flat(item)] if isinstance(value, list | tuple) else [value]


@dataclass
class Call:
    """A case made ready to run: `run(*tensors)` with the tensors of its inputs, by key."""

    operator: str
    case: dict[str, Any]

    def __post_init__(self) -> None:
        self.arrays = _arrays(self.operator)
        self.parameters: dict[str, ms.Parameter] = {}
        self.keys = list(self._tensor_keys())
        self.callee = self._callee()

    def _tensor_keys(self) -> Iterator[str]:
        for arg in self.case["args"]:
            yield from [arg["tensor"]] if "tensor" in arg else arg.get("tuple", [])

    def _callee(self) -> Callable[..., Any]:
        kind, name = self.case["kind"], self.case["name"]
        kwargs = {key: _plain(value) for key, value in self.case["kwargs"].items()}
        if kind == "expression":
            return EXPRESSIONS[name]
        home = {"primitive": P, "functional": ms.ops, "cell": ms.nn}[kind]
        made = getattr(home, name, None)
        if made is None:
            raise NotThereError(f"{home.__name__}.{name}")
        if kind == "functional":
            return functools.partial(made, **kwargs)
        built = made(**kwargs)
        if kind == "cell":
            self._prepare(built)
        return built

    def _prepare(self, cell: Any) -> None:
        cell.set_train(self.case.get("training", True))
        self.cell_parameters = {p.name: p for p in cell.get_parameters()}
        for name, key in self.case["cell_parameters"].items():
            self.cell_parameters[name].set_data(Tensor(self.arrays[key]))

    def tensors(self, keys: list[str] | None = None) -> list[Tensor]:
        """The inputs that are tensors."""
        return [Tensor(self.arrays[key]) for key in (self.keys if keys is None else keys)]

    def run(self, *tensors: Tensor) -> list[Any]:
        """The outputs, flattened."""
        with np.errstate(divide="ignore", invalid="ignore"):
            out = self.callee(*self._args(dict(zip(self.keys, tensors, strict=True))))
        return [out] if str(self.case["structure"]).startswith("python") else flat(out)

    def program(self) -> Callable[..., Any]:
        """The call as a function of its tensors that graph mode can compile."""
        callee, named = self.callee, {}
        if isinstance(callee, functools.partial):
            callee, named = callee.func, dict(callee.keywords)
        places = {key: number for number, key in enumerate(self.keys)}
        order = tuple(self._template(places))

        def run(*tensors: Any) -> Any:
            given = [
                tensors[item] if kind == "tensor" else tuple([tensors[k] for k in item]) if kind == "tuple" else item
                for kind, item in order
            ]
            return callee(*given, **named)

        return run

    def _template(self, places: dict[str, int]) -> Iterator[tuple[str, Any]]:
        """The argument positions: tensors by number, everything else unchanged."""
        plain = iter(self._args({key: Tensor(0) for key in places}))
        for arg in self.case["args"]:
            value = next(plain)
            if "tensor" in arg:
                yield "tensor", places[arg["tensor"]]
            elif "tuple" in arg:
                yield "tuple", tuple(places[key] for key in arg["tuple"])
            else:
                yield "value", value

    def _args(self, given: dict[str, Tensor]) -> Iterator[Any]:
        for arg in self.case["args"]:
            if "tensor" in arg:
                yield given[arg["tensor"]]
            elif "parameter" in arg:
                key = arg["parameter"]
                parameter = self.parameters.setdefault(key, ms.Parameter(self.arrays[key], name=key))
                yield parameter
            elif "tuple" in arg:
                yield tuple(given[key] for key in arg["tuple"])
            elif "dtype" in arg:
                yield _DTYPES.get(arg["dtype"]) or getattr(mstype, arg["dtype"])
            else:
                yield _plain(arg["value"])

    def named(self, outputs: list[Any], keys: list[str]) -> list[Any]:
        """Those of all outputs that the recording names."""
        return [outputs[int(key.rsplit("out", 1)[1])] for key in keys]

    @property
    def second_inputs(self) -> list[str]:
        """Inputs whose recorded second derivative can be trusted."""
        wrong = set(self.case.get("finite_difference_mismatch", ()))
        second = self.case.get("second") or {"results": {}}
        return [] if wrong else list(second["results"])
