"""Data parallel training: the same bits on processes and on ranks in one process, and the single card's numbers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import framework as ms
from framework import Parameter, Tensor, communication, context, nn
from framework.communication.lockstep import RankError, run_ranks
from framework.dataset import GeneratorDataset, NumpySlicesDataset
from tests.framework.communication.mpi_programs import needs_mpi, run_mpi
from tests.framework.train.data_parallel_lenet import BATCH, MODES, results, train

DATA_PARALLEL = context.ParallelMode.DATA_PARALLEL


@pytest.fixture(autouse=True)
def _restored() -> Any:
    yield
    context.reset_auto_parallel_context()
    context.set_context(runtime_num_threads=0)


@pytest.mark.parametrize("ranks", [2, 4])
def test_ranks_equal_the_single_card(ranks: int) -> None:
    of_ranks = run_ranks(ranks, results)
    for mode in MODES:
        alone = train(mode, 4 * BATCH)
        losses = np.mean([found[f"{mode} losses"] for found in of_ranks], axis=0)
        np.testing.assert_allclose(losses, alone.pop("losses"), rtol=1e-4)
        for name, wanted in alone.items():
            for found in of_ranks:
                # Of the largest element of each parameter, after five steps.
                error = np.abs(found[f"{mode} {name}"] - wanted).max() / np.abs(wanted).max()
                assert error < 2e-5, (mode, name)
                assert np.array_equal(found[f"{mode} {name}"], of_ranks[0][f"{mode} {name}"]), name


@needs_mpi
@pytest.mark.processes
@pytest.mark.parametrize("ranks", [2, 4])
def test_processes_have_the_same_bits(ranks: int, tmp_path: Path) -> None:
    done = run_mpi(ranks, Path(__file__).with_name("data_parallel_lenet.py"), str(tmp_path))
    assert done.returncode == 0, done.stderr
    for rank, wanted in enumerate(run_ranks(ranks, results)):
        with np.load(tmp_path / f"{rank}.npz") as found:
            assert set(found) == set(wanted)
            for name, x in wanted.items():
                assert np.array_equal(found[name], x), (rank, name)


def make_step(weight: float = 1.0, scale: Any = None) -> tuple[nn.Cell, nn.Dense]:
    """A training step of one weight with the loss w * x, so that the gradient is x, at a learning rate of 1."""
    network = nn.Dense(1, 1, has_bias=False, weight_init=Tensor([[weight]], ms.float32))
    optimizer = nn.SGD(network.trainable_params(), 1.0)
    if scale is None:
        return nn.TrainOneStepCell(network, optimizer), network
    return nn.TrainOneStepWithLossScaleCell(network, optimizer, scale), network


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
@pytest.mark.parametrize(("mean", "wanted"), [(True, 3.5), (False, 4.0 - 3.0)])
def test_gradients_are_added_or_averaged(mode: int, mean: bool, wanted: float) -> None:
    def program() -> float:
        communication.init()
        context.set_context(mode=mode)
        context.set_auto_parallel_context(parallel_mode=DATA_PARALLEL, gradients_mean=mean)
        step, network = make_step(5.0 if mean else 4.0)
        step(Tensor([[1.0 + communication.get_rank()]]))
        return float(network.weight)

    assert run_ranks(2, program) == [wanted, wanted]


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
@pytest.mark.filterwarnings("ignore:(overflow|invalid):RuntimeWarning")
def test_ranks_agree_about_an_overflow(mode: int) -> None:
    def program() -> tuple[list[float], float, float]:
        communication.init()
        context.set_context(mode=mode)
        context.set_auto_parallel_context(parallel_mode=DATA_PARALLEL)
        step, network = make_step(1.0, nn.DynamicLossScaleUpdateCell(1024.0, 2, 1000))
        # Rank 1 alone overflows in the second step.
        steps = [0.5, np.inf if communication.get_rank() else 0.5, 0.25]
        overflows = [bool(step(Tensor([[x]], ms.float32))[1]) for x in steps]
        return [float(item) for item in overflows], float(network.weight), float(step.scale_sense)

    assert run_ranks(2, program) == [([0.0, 1.0, 0.0], 1.0 - 1.0 - 0.5, 512.0)] * 2


def test_a_users_step_agrees_before_gradients_are_combined() -> None:
    def program() -> bool:
        communication.init()
        context.set_auto_parallel_context(parallel_mode=DATA_PARALLEL)
        step, _ = make_step(1.0, Tensor(2.0))
        return bool(step.get_overflow_status(None, (Tensor([np.nan if communication.get_rank() else 1.0]),)))

    assert run_ranks(2, program) == [True, True]


def test_halves_are_added_as_float32() -> None:
    # In Float16 2048 + 1 is 2048, so only Float32 keeps the ones of ranks 1 to 3.
    def program() -> tuple[float, float]:
        communication.init()
        gradient = Tensor([2048.0 if communication.get_rank() == 0 else 1.0], ms.float16)
        weight = [Parameter(Tensor([0.0]), name="w")]
        found = float(nn.DistributedGradReducer(weight, False)((gradient,))[0])
        context.set_auto_parallel_context(gradient_fp32_sync=False)
        return found, float(nn.DistributedGradReducer(weight, False)((gradient,))[0])

    assert run_ranks(4, program) == [(2052.0, 2050.0)] * 4


def test_parameters_that_stay_on_their_rank() -> None:
    def program() -> list[float]:
        communication.init()
        own = Parameter(Tensor([0.0]), name="own", layerwise_parallel=True)
        reduce = nn.DistributedGradReducer([own, Parameter(Tensor([0.0]), name="w")], False)
        return [float(item) for item in reduce((Tensor([3.0]), Tensor([3.0])))]

    assert run_ranks(2, program) == [[3.0, 6.0]] * 2


def model_of_rank(**settings: Any) -> tuple[ms.Model, nn.Dense]:
    communication.init()
    context.set_auto_parallel_context(parallel_mode=DATA_PARALLEL, gradients_mean=True, **settings)
    network = nn.Dense(1, 1, weight_init=Tensor([[1.0 + communication.get_rank()]], ms.float32))
    return ms.Model(network, nn.MSELoss(), nn.SGD(network.trainable_params(), 0.1)), network


def test_parameters_of_rank_0_are_those_of_all() -> None:
    def program() -> float:
        model, network = model_of_rank(parameter_broadcast=True)
        zeros = np.zeros((4, 1), np.float32)
        model.train(1, NumpySlicesDataset((zeros, zeros), shuffle=False).batch(2))
        return float(network.weight)

    assert run_ranks(2, program) == [1.0, 1.0]


def test_ranks_that_begin_differently_are_named() -> None:
    def differ() -> None:
        zeros = np.zeros((4, 1), np.float32)
        model_of_rank()[0].train(1, NumpySlicesDataset((zeros, zeros), shuffle=False).batch(2))

    with pytest.raises(RankError, match=r"checksum of the parameters differs between ranks: rank 0 has .* and rank 1"):
        run_ranks(2, differ)

    def uneven() -> None:
        model = model_of_rank(parameter_broadcast=True)[0]
        zeros = Tensor(np.zeros((2, 1), np.float32))
        model.train(1, [(zeros, zeros)] * (1 + communication.get_rank()))

    with pytest.raises(RankError, match="steps of an epoch differs between ranks: rank 0 has 1 and rank 1 has 2"):
        run_ranks(2, uneven)


def test_each_rank_reads_its_own_part() -> None:
    rows = list(range(10))

    def program() -> tuple[list[int], ...]:
        def read(**shards: Any) -> list[int]:
            return [int(row[0]) for row in GeneratorDataset(rows, "x", shuffle=False, **shards).create_tuple_iterator()]

        communication.init()
        before = read()
        context.set_auto_parallel_context(parallel_mode=DATA_PARALLEL)
        own, chosen = read(), read(num_shards=5, shard_id=1)
        context.set_auto_parallel_context(full_batch=True)
        return before, own, chosen, read()

    for rank, (before, own, chosen, whole) in enumerate(run_ranks(4, program)):
        assert before == whole == rows
        # Ranks have as many rows each: those behind the end are the first again.
        assert own == [row % 10 for row in range(rank, 12, 4)]
        assert chosen == [1, 6]


def test_another_number_of_devices_is_refused() -> None:
    def program() -> None:
        communication.init()
        with pytest.raises(ValueError, match=r"device_num is 8, and 2 ranks run.*mindinsight run -n 8"):
            context.set_auto_parallel_context(device_num=8)
        context.set_auto_parallel_context(parallel_mode=DATA_PARALLEL, device_num=2)
        with pytest.raises(ValueError, match="2 ranks run in group 'world', so degree must be 2, not 4"):
            nn.DistributedGradReducer([], degree=4)
        context.set_auto_parallel_context(parallel_mode=context.ParallelMode.AUTO_PARALLEL)
        with pytest.raises(NotImplementedError, match=r"cuts operators over ranks.*use ParallelMode.DATA_PARALLEL"):
            make_step()

    run_ranks(2, program)
