"""Recorded cases of one operator with a strategy: the verdict, the slices, the numbers and the bytes on the wire."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from framework import context
from framework.communication.lockstep import RankError, run_ranks
from framework.parallel.strategies import all_divisions
from tests.counts import LONG
from tests.framework.parallel.recorded import cases, counted, network_of, trained


@pytest.fixture(autouse=True)
def _restored() -> Iterator[None]:
    yield
    context.reset_auto_parallel_context()


def selected() -> list[dict[str, Any]]:
    """All cases in long runs; else the smallest of each kind of operator, accepted and refused."""

    def size(item: dict[str, Any]) -> int:
        shapes = (*item["case"]["inputs"].values(), *item["case"]["params"].values())
        return sum(math.prod(shape) for shape in shapes)

    found: dict[Any, dict[str, Any]] = {}
    for item in sorted(cases("rules.jsonl"), key=size):
        kind = (*[op["op"] for op in item["case"]["ops"]], "error" in item["result"])
        found.setdefault(item["case"]["id"] if LONG else kind, item)
    return list(found.values())


def allowed(case: dict[str, Any], result: dict[str, Any]) -> float:
    """The bytes that MindSpore sends. For gradients of inputs, it leaves out what gathers and adds up their parts."""
    more = 0.0
    if not case["params"]:
        for shape, cuts in zip(case["inputs"].values(), case["ops"][0]["strategy"], strict=False):
            parts = math.prod(cuts)
            more += 4 * math.prod(shape) * ((1 - 1 / parts) + 2 * (1 - 1 / case["devices"]) / parts)
    return float(result["wire_bytes_per_rank"]) + more


def test_recorded_operators() -> None:
    done = refused = fewer = 0
    for item in selected():
        case, result = item["case"], item["result"]
        with counted() as sent:
            if "error" in result:
                with pytest.raises(RankError, match=r"InferenceError: .*(write|use)"):
                    run_ranks(case["devices"], trained(case))
                refused += 1
                continue
            found = run_ranks(case["devices"], trained(case, sent=sent))
        (alone,) = run_ranks(1, trained(case))
        of_rank = found[0]
        bytes_sent = of_rank["bytes"] / 2  # The numbers have eight bytes here, those recorded have four.
        assert bytes_sent <= allowed(case, result) + 64, case["id"]
        fewer += bytes_sent < allowed(case, result) - 64
        assert of_rank["slices"] == {name: result["slices"][name] for name in of_rank["slices"]}, case["id"]
        for rank in found:
            for name, wanted in alone.items():
                if name not in ("slices", "bytes"):
                    error = np.abs(rank[name] - wanted).max() / np.abs(wanted).max()
                    assert error < 1e-12, (case["id"], name)
        done += 1
    assert done >= 20
    assert refused >= 5
    assert fewer >= 10


def random_case(seed: int) -> dict[str, Any]:
    """A network of random operators, some with random strategies, whose Parameters several operators may read."""
    random = np.random.default_rng(seed)
    width = 16
    ops: list[dict[str, Any]] = []
    params: dict[str, list[int]] = {"w0": [width, width]}
    values = ["x"]
    for place in range(int(random.integers(4, 8))):
        kind = str(random.choice(["MatMul", "MatMul", "Tanh", "Add", "Transpose", "Softmax", "BiasAdd", "Mul"]))
        op: dict[str, Any] = {"out": f"v{place}", "op": kind, "in": [str(random.choice(values[-2:]))], "attrs": {}}
        if kind == "MatMul":
            name = f"w{random.integers(0, 3)}"
            params.setdefault(name, [width, width])
            op["in"].append(name)
            op["attrs"] = {"transpose_b": bool(random.integers(0, 2))}
        elif kind == "BiasAdd":
            params.setdefault("b", [width])
            op["in"].append("b")
        elif kind in ("Add", "Mul"):
            op["in"].append(str(random.choice(values)))
        elif kind == "Transpose":
            op["attrs"] = {"perm": [1, 0]}
        ops.append(op)
        values.append(op["out"])
    case = {"devices": 8, "inputs": {"x": [width, width]}, "params": params, "types": {}, "ops": ops}
    network = network_of(case | {"outputs": [values[-1]]})
    for op, operation in zip(ops, network.operations, strict=True):
        if random.uniform() < 0.7:
            found = list(all_divisions(operation.indices, network.mesh))
            division = found[int(random.integers(0, len(found)))]
            op["strategy"] = [[division.parts(index) for index in axes] for axes in operation.indices.inputs]
    return case | {"outputs": [values[-1]]}


@pytest.mark.parametrize("seed", range(200 if LONG else 4))
def test_random_strategies_have_the_numbers_of_one_card(seed: int) -> None:
    case = random_case(seed)
    (alone,) = run_ranks(1, trained(case))
    for rank in run_ranks(8, trained(case)):
        for name, wanted in alone.items():
            if name not in ("slices", "bytes"):
                assert np.abs(rank[name] - wanted).max() <= 1e-12 * max(np.abs(wanted).max(), 1e-3), name
