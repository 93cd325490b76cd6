"""MindSpore's recorded cases as networks of this core, and the bytes that ranks send while they run."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import framework as ms
from framework import Parameter, Tensor, context, nn, ops
from framework.communication.contract import Communicator
from framework.ir.abstract import AbstractTensor, AbstractTuple
from framework.ir.operators import abstract_of
from framework.parallel.layouts.placements import mesh_of
from framework.parallel.network import Network, Operation, Value
from framework.parallel.rules.indices import Application
from framework.parallel.rules.rule_table import indices_of

FOLDER = Path(os.environ.get("CASES_PARALLEL", Path(__file__).resolve().parents[4] / "shared" / "data" / "parallel"))
#: The values that operators take besides tensors, by the name of the attribute, where these are not the constructor's.
_VALUES: dict[str, tuple[str, ...]] = {
    "Gather": ("axis",),
    "ReduceSum": ("axis",),
    "ReduceMean": ("axis",),
    "ReduceMax": ("axis",),
    "Reshape": ("shape",),
    "Transpose": ("perm",),
    "Tile": ("multiples",),
    "CumSum": ("axis",),
    "StridedSlice": ("begin", "end", "strides"),
}


def cases(name: str) -> list[dict[str, Any]]:
    """The cases of a file, each with "case" and "result"."""
    path = FOLDER / name
    if not path.is_file():
        pytest.skip(f"there are no recorded cases in {FOLDER}; CASES_PARALLEL names their folder")
    return [json.loads(line) for line in path.read_text().splitlines()]


class Recorded(nn.Cell):
    """The network of a case.

    Args:
        case: the case.
        arrays: the first values of its Parameters.
        strategies: whether operators get their strategies.
    """

    def __init__(self, case: dict[str, Any], arrays: dict[str, np.ndarray[Any, Any]], strategies: bool) -> None:
        super().__init__()
        for name in case["params"]:
            trained = not (name in ("m", "va") and case["ops"][0]["op"] == "BatchNorm")
            setattr(self, name, Parameter(Tensor(arrays[name]), name=name, requires_grad=trained))
        self.names = tuple(case["inputs"])
        self.parameters = tuple(case["params"])
        self.steps = tuple(_step(op, strategies) for op in case["ops"])
        self.output = case["outputs"][0]
        self.mean = ops.ReduceMean()

    def construct(self, *inputs: Tensor) -> Tensor:
        """The mean of the output."""
        values = {}
        for i in range(len(self.names)):
            values[self.names[i]] = inputs[i]
        for name in self.parameters:
            values[name] = getattr(self, name)
        for out, operator, names, extra, many, first in self.steps:
            tensors = [values[name] for name in names]
            result = operator(tuple(tensors)) if many else operator(*tensors, *extra)
            values[out] = result[0] if first else result
            if first:
                values[out + "[0]"] = result[0]
        return self.mean(values[self.output])


def _step(op: dict[str, Any], strategies: bool) -> tuple[Any, ...]:
    """An operator: its output's name, the primitive, its inputs' names, its values, and how it is called."""
    kind, attributes = op["op"], dict(op.get("attrs") or {})
    values = tuple(_tuples(attributes.pop(name)) for name in _VALUES.get(kind, ()))
    if kind == "OneHot":
        values = (attributes.pop("depth"), Tensor(1.0, ms.float32), Tensor(0.0, ms.float32))
    if kind == "BatchNorm":
        attributes["is_training"] = True
    operator = getattr(ops, kind)(**{name: _tuples(value) for name, value in attributes.items()})
    if strategies and op.get("strategy") is not None:
        out = op.get("out_strategy")
        operator.shard(tuple(map(tuple, op["strategy"])), None if out is None else tuple(map(tuple, out)))
    several = kind in ("LayerNorm", "BatchNorm", "SoftmaxCrossEntropyWithLogits", "Split")
    return op["out"], operator, tuple(op["in"]), values, kind == "Concat", several


def _tuples(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def arrays_of(case: dict[str, Any], dtype: str = "float64") -> dict[str, np.ndarray[Any, Any]]:
    """Numbers for the inputs and Parameters of a case."""
    random = np.random.default_rng(7)
    found = {}
    for name, shape in {**case["inputs"], **case["params"]}.items():
        if case["types"].get(name) == "i32":
            rows = next((shape[0] for shape in case["params"].values()), 8)
            found[name] = random.integers(0, rows, shape).astype(np.int32)
        else:
            found[name] = (random.normal(size=shape) + (3.0 if name == "va" else 0.0)).astype(dtype)
    return found


def trained(
    case: dict[str, Any], dtype: str = "float64", sent: list[float] | None = None
) -> Callable[[], dict[str, Any]]:
    """A program of a rank: one step of the network, with the strategies if there are several ranks.

    It returns the loss, the gradients of inputs, the whole Parameters after the step and the shapes of their parts, and
    from `sent` the bytes that rank 0 has sent until then.
    """
    from framework import communication

    arrays = arrays_of(case, dtype)

    def program() -> dict[str, Any]:
        communication.init()
        several = communication.get_group_size() > 1
        context.set_context(mode=ms.GRAPH_MODE)
        if several:
            context.set_auto_parallel_context(parallel_mode="semi_auto_parallel", full_batch=True)
        network = Recorded(case, arrays, several)
        inputs = [Tensor(arrays[name]) for name in case["inputs"]]
        parameters = network.trainable_params()
        if not parameters:
            floats = tuple(place for place, item in enumerate(inputs) if item.dtype.kind == "float")
            if not floats:
                return {"loss": float(network(*inputs)), "slices": {}, "bytes": sent[0] if sent else 0.0}
            loss, found = ms.value_and_grad(network, floats, None)(*inputs)
            found = found if isinstance(found, tuple) else (found,)
            gradients = {f"d{place}": item.asnumpy() for place, item in enumerate(found)}
            return {"loss": float(loss), "slices": {}, "bytes": sent[0] if sent else 0.0} | gradients
        step = nn.TrainOneStepCell(network, nn.SGD(parameters, 1.0))
        loss = step(*inputs)
        slices = {item.name: list(item.shape) for item in parameters}
        facts = {"loss": float(loss), "slices": slices, "bytes": sent[0] if sent else 0.0}
        return facts | {item.name: item.whole_array() for item in parameters}

    return program


@contextmanager
def counted() -> Iterator[list[float]]:
    """Count the bytes that rank 0 sends in collectives, by the formulas of `framework.parallel.cost`."""
    found = [0.0]
    kept = {name: getattr(Communicator, name) for name in ("all_reduce", "all_gather", "all_to_all")}

    def counting(name: str, share: Callable[[int], float]) -> Callable[..., Any]:
        def run(self: Communicator, *args: Any) -> Any:
            x = args[-1]
            size = sum(item.nbytes for item in x) if isinstance(x, list | tuple) else x.nbytes
            if self.ranks[self.rank] == 0 and self.size > 1:
                found[0] += share(self.size) * size
            return kept[name](self, *args)

        return run

    shares = {
        "all_reduce": lambda k: 2 * (k - 1) / k,
        "all_gather": lambda k: k - 1,
        "all_to_all": lambda k: (k - 1) / k,
    }
    try:
        for name, share in shares.items():
            setattr(Communicator, name, counting(name, share))
        yield found
    finally:
        for name, method in kept.items():
            setattr(Communicator, name, method)


def network_of(case: dict[str, Any]) -> Network:
    """The network of a case as the search sees it: inputs and Parameters may be anywhere at first."""
    network = Network(mesh_of(case["devices"]))
    types = {"i32": ms.int32, "f32": ms.float32}
    values: dict[str, tuple[int, AbstractTensor]] = {}
    for name, shape in {**case["inputs"], **case["params"]}.items():
        dtype = types[case["types"].get(name, "f32")]
        number = network.add(Value(tuple(shape), 4, None, dtype is ms.float32, name, name in case["params"]))
        values[name] = number, AbstractTensor(tuple(shape), dtype)
    for op in case["ops"]:
        out, operator, names, extra, many, first = _step(op, False)
        operands = [values[name] for name in names]
        abstracts = [abstract for _, abstract in operands]
        known = [abstract_of(item) for item in extra]
        made = operator.infer(AbstractTuple(tuple(abstracts))) if many else operator.infer(*abstracts, *known)
        results = made.elements if isinstance(made, AbstractTuple) else (made,)
        application = Application(
            operator,
            tuple(tuple(abstract.shape) for abstract in abstracts),
            (*[None] * (1 if many else len(names)), *extra),
            tuple(tuple(item.shape) for item in results),
        )
        outputs = [network.add(Value(shape)) for shape in application.outputs]
        inputs = tuple(number for number, _ in operands)
        network.operations.append(Operation(application, indices_of(application), inputs, tuple(outputs), name=out))
        values[out] = outputs[0], results[0]
        if first:
            values[out + "[0]"] = values[out]
    return network
