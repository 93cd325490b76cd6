"""The search: recorded optima, brute force on small networks, and the networks of the documentation."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import framework as ms
from framework import Parameter, Tensor, communication, context, nn, ops
from framework.communication.lockstep import run_ranks
from framework.dataset import NumpySlicesDataset
from framework.parallel.cost import Machine, network_cost
from framework.parallel.network import Network
from framework.parallel.search import searched
from framework.parallel.search.elimination import solve
from framework.parallel.search.integer_program import solve_program
from framework.parallel.search.network_choices import Choices
from framework.parallel.search.wide_elimination import order_of, solve_wide
from framework.parallel.strategies import all_divisions, division_of
from tests.counts import LONG
from tests.framework.communication.mpi_programs import needs_mpi, run_mpi
from tests.framework.parallel.recorded import FOLDER, cases, network_of

MODES = {"dyn": "dynamic_programming", "rec": "recursive_programming", "sha": "sharding_propagation"}


@pytest.fixture(autouse=True)
def _restored() -> Iterator[None]:
    yield
    context.reset_auto_parallel_context()


def optima() -> dict[str, Any]:
    """The recorded optima, and MindSpore's costs beside them, by the name of a network."""
    path = FOLDER / "search_best.json"
    if not path.is_file():
        pytest.skip(f"there are no recorded cases in {FOLDER}; CASES_PARALLEL names their folder")
    recorded: dict[str, Any] = json.loads(path.read_text())
    return recorded["nets"]  # type: ignore[no-any-return]


def test_recorded_optima_are_found() -> None:
    wanted = optima()
    seen = set()
    for item in cases("search.jsonl"):
        case = item["case"]
        name = case["id"].rsplit("_", 2)[0]
        if name not in wanted or name in seen or case["devices"] != 8:
            continue
        seen.add(name)
        found = {mode: searched(network_of(case), Machine(), title).seconds * 1e3 for mode, title in MODES.items()}
        # Recorded in thousandths of a millisecond.
        assert found["dyn"] <= wanted[name]["best_ms"] * 1.01 + 1.1e-3, name
        assert found["dyn"] >= wanted[name]["best_ms"] * 0.97 - 1e-3, name
        assert found["dyn"] <= min(found.values()) + 1e-9, name
    assert len(seen) == len(wanted)


def small_case(random: np.random.Generator) -> dict[str, Any]:
    """A network of two to four operators, in which a Parameter may be read twice."""
    width = 8
    ops_, params = [], {"w0": [width, width]}
    value = "x"
    for place in range(int(random.integers(2, 5))):
        kind = random.choice(["MatMul", "ReLU", "Add", "Transpose"])
        op: dict[str, Any] = {"out": f"v{place}", "op": str(kind), "in": [value], "attrs": {}}
        if kind == "MatMul":
            name = f"w{random.integers(0, 2)}"
            params.setdefault(name, [width, width])
            op["in"].append(name)
        elif kind == "Add":
            op["in"].append(str(random.choice(["x", value])))
        elif kind == "Transpose":
            op["attrs"] = {"perm": [1, 0]}
        ops_.append(op)
        value = op["out"]
    return {
        "devices": 4,
        "inputs": {"x": [width, width]},
        "params": params,
        "types": {},
        "ops": ops_,
        "outputs": [value],
    }


def brute_force(network: Network, machine: Machine) -> float:
    """The least cost of all divisions, and of all places of what is read first from nowhere."""
    states = [list(all_divisions(operation.indices, network.mesh)) for operation in network.operations]
    made = {number for operation in network.operations for number in operation.outputs}
    free = [number for number in range(len(network.values)) if number not in made]
    placements = list(itertools.product((None, 0, 1), repeat=len(network.mesh)))
    shared = [number for number in free if sum(operation.inputs.count(number) for operation in network.operations) > 1]
    best = np.inf
    for places in itertools.product(placements, repeat=len(shared)):
        placed = replace(network, values=[replace(value) for value in network.values])
        for number, place in zip(shared, places, strict=True):
            placed.values[number].placement = place
        for divisions in itertools.product(*states):
            best = min(best, network_cost(placed, divisions, machine))
    return float(best)


@pytest.mark.parametrize("seed", range(30 if LONG else 4))
def test_brute_force_finds_nothing_cheaper(seed: int) -> None:
    random = np.random.default_rng(seed)
    network = network_of(small_case(random))
    while len(network.operations) > 3 and not LONG:
        network = network_of(small_case(random))
    # Slow links, or slow kernels: so that dividing pays off or does not.
    machine = Machine(peak=float(10 ** random.uniform(6, 10)), alpha=float(10 ** random.uniform(-7, -4)), link=1e8)
    assert searched(network, machine).seconds == pytest.approx(brute_force(network, machine), rel=1e-9)


class DenseNet(nn.Cell):
    """The documentation's network: an embedding, three dense layers, two products."""

    def __init__(self) -> None:
        super().__init__()
        drawn = np.random.default_rng(1).normal(size=(16, 16)).astype(np.float32)
        self.embedding_weight = Parameter(Tensor(drawn * 0.1), name="w")
        self.embedding = ops.MatMul()
        self.fc1, self.fc2, self.fc3 = (nn.Dense(16, 32, activation="relu") for _ in range(3))
        self.transpose = ops.Transpose()
        self.matmul1, self.matmul2 = ops.MatMul(), ops.MatMul()

    def construct(self, x: Tensor) -> Tensor:
        x = self.embedding(x, self.embedding_weight)
        q, k, v = self.fc1(x), self.fc2(x), self.fc3(x)
        return self.matmul2(self.matmul1(q, self.transpose(k, (1, 0))), v)


def dense_net(mode: str = "dynamic_programming") -> dict[str, Any]:
    """Train it for two steps with AUTO_PARALLEL; returns the loss and the Parameters."""
    communication.init()
    context.set_context(mode=ms.GRAPH_MODE)
    context.set_auto_parallel_context(parallel_mode="auto_parallel", full_batch=True, search_mode=mode)
    # Kernels are slow and links fast, so that this small network is divided.
    ms.parallel.set_machine(Machine(peak=1e8, memory=1e9, link=1e12, alpha=1e-9))
    ms.set_seed(1)
    random = np.random.default_rng(0)
    x, y = random.normal(size=(16, 16)).astype(np.float32), random.normal(size=(16, 32)).astype(np.float32)
    network = DenseNet()
    model = ms.Model(network, nn.MSELoss(), nn.Momentum(network.trainable_params(), 0.05, 0.9))
    model.train(2, NumpySlicesDataset((x, y), ["x", "y"], shuffle=False).batch(8), dataset_sink_mode=False)
    found = {item.name: item.whole_array() for item in network.trainable_params()}
    return found | {
        "report": ms.parallel.search_report(),
        "parts": [item.is_cut for item in network.trainable_params()],
    }


@pytest.mark.parametrize("ranks", [2, 4])
def test_dense_net_trains_on_any_number_of_ranks(ranks: int) -> None:
    (alone,) = run_ranks(1, dense_net)
    for mode in MODES.values() if ranks == 4 else ["dynamic_programming"]:
        found = run_ranks(ranks, lambda mode=mode: dense_net(mode))[0]  # type: ignore[misc]
        assert f"on {ranks} ranks by {mode}" in found["report"]
        assert "whole on every rank" in found["report"]
        assert any(part != "1·1" for part in found["report"].split()[-40:])
        for name in ("w", "fc1.weight", "fc2.weight", "fc3.bias"):
            np.testing.assert_allclose(found[name], alone[name], rtol=0, atol=2e-5 * np.abs(alone[name]).max())


@needs_mpi
@pytest.mark.processes
def test_processes_decide_alike(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        "import sys, numpy as np\n"
        "from framework import communication\n"
        "from tests.framework.parallel.test_search import dense_net\n"
        "found = dense_net()\n"
        "del found['report'], found['parts']\n"
        "np.savez(f'{sys.argv[1]}/{communication.get_rank()}.npz', **found)\n"
    )
    done = run_mpi(2, program, str(tmp_path))
    assert done.returncode == 0, done.stderr
    for rank, wanted in enumerate(run_ranks(2, dense_net)):
        with np.load(tmp_path / f"{rank}.npz") as found:
            for name, x in found.items():
                assert np.array_equal(x, wanted[name]), (rank, name)


def test_a_wrong_search_mode_is_named() -> None:
    with pytest.raises(ValueError, match="search_mode must be one of dynamic_programming"):
        searched(Network((2, 2)), Machine(), "greedy")


def test_given_strategies_are_kept() -> None:
    case = {
        "devices": 4, "inputs": {"x": [8, 8]}, "params": {"w": [8, 8]}, "types": {},
        "ops": [{"out": "v", "op": "MatMul", "in": ["x", "w"]}], "outputs": ["v"],
    }  # fmt: skip
    network = network_of(case)
    (operation,) = network.operations
    operation.given = division_of(operation.application, operation.indices, ((1, 4), (4, 1)), network.mesh)
    for mode in MODES.values():
        assert searched(network, Machine(), mode).divisions == [operation.given]


def test_three_ways_to_solve_choices_agree() -> None:
    random = np.random.default_rng(5)
    for _ in range(5):
        costs = {number: random.uniform(size=3) for number in range(5)}
        pairs = {pair: random.uniform(size=(3, 3)) for pair in itertools.combinations(range(5), 2)}

        def cost(states: Any, costs: Any = costs, pairs: Any = pairs) -> float:
            own = sum(table[states[number]] for number, table in costs.items())
            return float(own + sum(table[states[a], states[b]] for (a, b), table in pairs.items()))

        best = min(cost(states) for states in itertools.product(range(3), repeat=5))
        choices = Choices(dict(costs), dict(pairs))
        order = order_of(choices)
        assert order is not None
        assert cost(solve_wide(choices, order)) == pytest.approx(best)
        assert cost(solve_program(choices)) == pytest.approx(best)
        assert order_of(choices, limit=80) is None
        # Without most pairs, elimination alone solves it.
        few = {pair: table for pair, table in pairs.items() if pair in ((0, 1), (1, 2), (0, 2), (2, 3), (3, 4))}
        best = min(cost(states, costs, few) for states in itertools.product(range(3), repeat=5))
        found = solve(Choices(dict(costs), dict(few)), lambda rest: pytest.fail(f"{rest} is left"))
        assert cost(found, costs, few) == pytest.approx(best)


def test_many_ranks_are_divided_in_groups() -> None:
    """The search takes no longer on 1,024 ranks than on 8, and finds a cheaper step."""
    layers = [
        {"out": f"v{place}", "op": "MatMul", "in": ["x" if place == 0 else f"v{place - 1}", f"w{place}"]}
        for place in range(4)
    ]
    case = {"inputs": {"x": [8192, 4096]}, "params": {f"w{place}": [4096, 4096] for place in range(4)}, "types": {}}
    few, many = (network_of(case | {"ops": layers, "outputs": ["v3"], "devices": ranks}) for ranks in (8, 1024))
    operation = many.operations[1]
    # A strategy that divides a group of axes.
    operation.given = division_of(operation.application, operation.indices, ((2, 1), (1, 2)), many.mesh)
    slow, fast = searched(few, Machine()), searched(many, Machine())
    assert fast.divisions[1] == operation.given
    assert fast.seconds < slow.seconds
    assert all(item.seconds >= fast.seconds for item in fast.alternatives)
