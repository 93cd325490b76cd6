"""Trainings with cut operators: the single card's numbers, and on processes the bits of ranks in one process."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import framework as ms
from framework import Tensor, communication, context, nn, ops
from framework.communication.lockstep import RankError, run_ranks
from framework.parallel import Layout
from tests.framework.communication.mpi_programs import needs_mpi, run_mpi
from tests.framework.parallel.cut_training import train


@pytest.fixture(autouse=True)
def _restored() -> Iterator[None]:
    yield
    context.reset_auto_parallel_context()
    context.set_context(runtime_num_threads=0)


@pytest.mark.parametrize("full", [True, False])
def test_ranks_equal_the_single_card(full: bool) -> None:
    of_ranks = run_ranks(4, lambda: train(full))
    (alone,) = run_ranks(1, train)
    np.testing.assert_allclose(of_ranks[0]["losses"], alone["losses"], rtol=1e-5)
    for name, wanted in alone.items():
        if not name.startswith(("part of", "moments.")):
            for found in of_ranks:
                error = np.abs(found[name] - wanted).max() / np.abs(wanted).max()
                assert error < 2e-5, name
    assert of_ranks[0]["part of first.weight"].shape == (4, 8)
    assert of_ranks[0]["part of moments.second.weight"].shape == (8, 4)


@needs_mpi
@pytest.mark.processes
def test_processes_have_the_same_bits(tmp_path: Path) -> None:
    done = run_mpi(4, Path(__file__).with_name("cut_training.py"), str(tmp_path))
    assert done.returncode == 0, done.stderr
    for rank, wanted in enumerate(run_ranks(4, train)):
        with np.load(tmp_path / f"{rank}.npz") as found:
            assert set(found) == set(wanted)
            for name, x in wanted.items():
                assert np.array_equal(found[name], x), (rank, name)


def begin(**settings: Any) -> None:
    communication.init()
    context.set_context(mode=ms.GRAPH_MODE)
    context.set_auto_parallel_context(**{"parallel_mode": "semi_auto_parallel", "full_batch": True, **settings})


class TwoProducts(nn.Cell):
    """Two products of matrices with strategies."""

    def __init__(self, first: Any, second: Any) -> None:
        super().__init__()
        self.matmul1, self.matmul2 = first, second

    def construct(self, x: Tensor, w: Tensor, v: Tensor) -> Tensor:
        return self.matmul2(self.matmul1(x, w), v)


X, W, V = (np.random.default_rng(0).normal(size=size) for size in ((8, 12), (12, 16), (16, 20)))


@pytest.mark.parametrize(
    "made",
    [
        lambda: (ops.MatMul.set_strategy([4, 1], [1, 1]), ops.MatMul.set_strategy([1, 1], [1, 4])),
        lambda: (ops.MatMul().set_strategy(((4, 1), (1, 1))), ops.MatMul().shard(((2, 2), (2, 1)), ((4, 1),))),
        lambda: tuple(
            ops.MatMul().shard((layout("dp", "mp"), layout("mp", "None")))
            for layout in [Layout((2, 2), ("dp", "mp"))] * 2
        ),
    ],
)
def test_every_spelling_of_a_strategy(made: Any) -> None:
    def program() -> np.ndarray[Any, Any]:
        begin()
        return np.asarray(TwoProducts(*made())(Tensor(X), Tensor(W), Tensor(V)).asnumpy())

    for found in run_ranks(4, program):
        np.testing.assert_allclose(found, X @ W @ V, rtol=1e-12, atol=1e-12)


def test_cells_and_functions_with_strategies() -> None:
    class Sharded(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.inner = TwoProducts(ops.MatMul(), ops.MatMul())
            self.cut = self.inner.shard(((2, 1), None, (1, 2)), ((4, 1),))
            self.twice = ms.parallel.shard(lambda x: x * 2, ((1, 4),))

        def construct(self, x: Tensor, w: Tensor, v: Tensor) -> Tensor:
            return self.twice(self.cut(x, w, v))

    def program() -> tuple[np.ndarray[Any, Any], str]:
        begin()
        found = Sharded()(Tensor(X), Tensor(W), Tensor(V))
        return np.asarray(found.asnumpy()), ms.parallel.search_report()

    for found, report in run_ranks(4, program):
        np.testing.assert_allclose(found, 2 * X @ W @ V, rtol=1e-12, atol=1e-12)
        assert report.count("Identity") == 5
        assert "2·1" in report
        assert "1·4" in report

    with pytest.raises(NotImplementedError, match="give that a strategy"):
        nn.Dense(2, 2).shard(((2, 1),), parameter_plan={"weight": (2, 1)})


def test_each_rank_passes_its_part_and_gets_its_part() -> None:
    def program() -> np.ndarray[Any, Any]:
        begin(full_batch=False, dataset_strategy=((2, 2), (1, 1), (1, 4)))
        rank = communication.get_rank()
        rows, columns = divmod(rank, 2)
        network = TwoProducts(ops.MatMul(), ops.MatMul())
        x = X[rows * 4 : rows * 4 + 4, columns * 6 : columns * 6 + 6]
        return np.asarray(network(Tensor(x), Tensor(W), Tensor(V[:, rank * 5 : rank * 5 + 5])).asnumpy())

    for found in run_ranks(4, program):
        np.testing.assert_allclose(found, X @ W @ V, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(
    ("strategy", "message"),
    [
        (((3, 1), (1, 1)), r"cuts dimension 0 of input 0, of length 8, into 3 parts.* use 1, 2 or 4"),
        (((4, 1, 1), (1, 1)), r"3 numbers, and its shape is \(8, 12\): write 2 numbers"),
        (((4, 1),), r"has 1 tuples for 2 input tensors"),
        (((8, 1), (1, 1)), r"makes 8 parts, and there are 4 ranks.* mindinsight run -n 8"),
        (((1, 2), (4, 1)), r"into 4 parts, and the same dimension of another input into 2: write one number"),
    ],
)
def test_wrong_strategies_say_what_to_write(strategy: Any, message: str) -> None:
    def program() -> None:
        begin()
        TwoProducts(ops.MatMul().shard(strategy), ops.MatMul())(Tensor(X), Tensor(W), Tensor(V))

    with pytest.raises(RankError, match=f"MatMul.*{message}") as caught:
        run_ranks(4, program)
    assert "self.matmul1(x, w)" in str(caught.value)


def test_whole_tensors_taken_for_parts_are_explained() -> None:
    def program() -> None:
        begin(full_batch=False)
        TwoProducts(ops.MatMul(), ops.MatMul())(Tensor(X), Tensor(W), Tensor(V))

    with pytest.raises(RankError, match="full_batch=True"):
        run_ranks(4, program)


def test_optimizers_of_whole_norms_and_pynative_mode_are_refused() -> None:
    def lamb() -> None:
        begin()
        nn.Lamb(nn.Dense(4, 4).trainable_params(), 0.1)

    def pynative() -> None:
        begin()
        context.set_context(mode=ms.PYNATIVE_MODE)
        network = nn.Dense(4, 4)
        nn.TrainOneStepCell(network, nn.SGD(network.trainable_params(), 0.1))

    with pytest.raises(RankError, match="Lamb needs the norm of each whole Parameter"):
        run_ranks(2, lamb)
    with pytest.raises(RankError, match="GRAPH_MODE"):
        run_ranks(2, pynative)


def test_control_flow_by_tensors_is_refused() -> None:
    class Choice(nn.Cell):
        def construct(self, x: Tensor) -> Tensor:
            if x.sum() > 0:
                return x * 2
            return x

    def program() -> None:
        begin()
        Choice()(Tensor(X))

    with pytest.raises(RankError, match="cannot choose, loop or call by the elements of a tensor"):
        run_ranks(2, program)


@pytest.mark.filterwarnings("ignore:overflow:RuntimeWarning")
def test_an_overflow_in_one_part_is_seen_by_all_ranks() -> None:
    def program() -> tuple[bool, float]:
        begin()
        network = nn.Dense(2, 2, weight_init="zeros", has_bias=False)
        network.matmul.shard(((1, 2), (1, 2)))
        step = nn.TrainOneStepWithLossScaleCell(network, nn.SGD(network.trainable_params(), 1.0), Tensor(2.0))
        # The gradient of the weight's second column alone overflows.
        _, overflow, _ = step(Tensor(np.array([[1.0, 3e38], [1.0, 3e38]], np.float32)))
        return bool(overflow), float(network.weight.asnumpy().sum())

    assert run_ranks(2, program) == [(True, 0.0), (True, 0.0)]


def test_a_step_that_calls_the_network_beside_its_gradients_is_refused() -> None:
    class Step(nn.Cell):
        def __init__(self, network: nn.Cell) -> None:
            super().__init__()
            self.network, self.weights = network, network.trainable_params()
            self.gradients = ms.GradOperation(get_by_list=True)

        def construct(self, x: Tensor) -> Any:
            loss = self.network(x)
            return loss, self.gradients(self.network, self.weights)(x)

    def program() -> None:
        begin()
        network = nn.Dense(12, 4)
        network.matmul.shard(((1, 2), (1, 2)))
        Step(network)(Tensor(X.astype(np.float32)))

    with pytest.raises(RankError, match=r"weight is cut over ranks, .* one call of value_and_grad"):
        run_ranks(2, program)


def test_checkpoints_hold_whole_parameters(tmp_path: Path) -> None:
    def program() -> tuple[list[tuple[int, ...]], bool]:
        begin()
        network = nn.Dense(12, 4)
        network.matmul.shard(((1, 4), (1, 4)))
        network(Tensor(X.astype(np.float32)))
        whole = network.weight.whole_array()
        path = tmp_path / f"{communication.get_rank()}.ckpt"
        ms.save_checkpoint(network, path)
        saved = ms.load_checkpoint(str(path))
        network.weight.set_data(Tensor(np.zeros(network.weight.shape, np.float32)))
        ms.load_param_into_net(network, saved)
        shapes = [tuple(network.weight.shape), tuple(saved["weight"].shape)]
        return shapes, np.array_equal(network.weight.whole_array(), whole)

    assert run_ranks(4, program) == [([(4, 3), (4, 12)], True)] * 4
