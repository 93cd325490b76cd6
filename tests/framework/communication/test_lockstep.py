"""Ranks within one process: groups, errors, and what each rank has of its own."""

from __future__ import annotations

import numpy as np
import pytest

import framework as ms
from framework import Tensor, communication, ops
from framework.communication import collectives
from framework.communication.describing import CollectiveMismatchError
from framework.communication.lockstep import DeadlockError, RankError, run_ranks


def test_ranks_of_groups() -> None:
    def program() -> tuple[int, ...]:
        communication.init()
        communication.create_group("odd", [3, 1])
        rank = communication.get_rank()
        assert communication.get_process_group_ranks("odd") == [3, 1]
        assert communication.get_world_rank_from_group_rank("odd", 0) == 3
        assert communication.get_group_rank_from_world_rank(1, "odd") == 1
        with pytest.raises(ValueError, match="rank 2 is not in group 'odd', which has the ranks"):
            communication.get_group_rank_from_world_rank(2, "odd")
        with pytest.raises(ValueError, match="already a group 'odd'"):
            communication.create_group("odd", [0])
        with pytest.raises(ValueError, match=r"ranks are 0 to 3, so there are no ranks \[1, 4\]"):
            communication.create_group("more", [1, 4])
        if rank % 2 == 0:
            with pytest.raises(ValueError, match=f"rank {rank} is not in group 'odd'"):
                communication.get_rank("odd")
        both = collectives.all_reduce(np.array([rank]), "sum", "odd") if rank % 2 else np.array([0])
        communication.release()
        with pytest.raises(RuntimeError, match=r"call communication.init\(\)"):
            communication.get_rank()
        return rank, int(both[0])

    assert run_ranks(4, program) == [(0, 0), (1, 4), (2, 0), (3, 4)]


def test_different_collectives_name_both_ranks() -> None:
    def program() -> None:
        communication.init()
        x = np.zeros(3, np.float32)
        if communication.get_rank() == 2:
            collectives.all_gather(x, "world")
        collectives.all_reduce(x, "sum", "world")

    message = (
        r"rank 0 calls AllReduce\(sum\) of float32\[3\] in group 'world' at .*test_lockstep.py:\d+, "
        r"and rank 2 calls AllGather of float32\[3\] in group 'world' at .*test_lockstep.py:\d+"
    )
    with pytest.raises(CollectiveMismatchError, match=message):
        run_ranks(3, program)


def test_ranks_that_wait_for_each_other_are_named() -> None:
    def program() -> None:
        communication.init()
        rank = communication.get_rank()
        collectives.receive(1 - rank, 0, (1,), np.dtype(np.float32), "world")

    with pytest.raises(DeadlockError, match=r"rank 0 waits in Receive\(from 1, tag 0\)(.|\n)*rank 1 waits in Receive"):
        run_ranks(2, program)


def test_an_early_end_is_a_deadlock() -> None:
    def program() -> None:
        communication.init()
        if communication.get_rank() == 0:
            collectives.barrier("world")

    with pytest.raises(DeadlockError, match=r"waits in Barrier in group 'world' at .*py:\d+\n  rank 1 has ended"):
        run_ranks(2, program)


def test_an_error_names_its_rank() -> None:
    def program() -> None:
        communication.init()
        if communication.get_rank() == 1:
            raise LookupError("no such thing")
        collectives.barrier("world")

    with pytest.raises(RankError, match="rank 1 of 3 failed: LookupError: no such thing") as caught:
        run_ranks(3, program)
    assert isinstance(caught.value.__cause__, LookupError)


def test_a_message_of_another_size_is_refused() -> None:
    def program() -> None:
        communication.init()
        if communication.get_rank() == 0:
            collectives.send(np.zeros(4, np.float32), 1, 0, "world")
        else:
            collectives.receive(0, 0, (5,), np.dtype(np.float32), "world")

    with pytest.raises(RankError, match=r"rank 0 sent float32\[4\], 16 bytes, where rank 1 expects float32\[5\]"):
        run_ranks(2, program)


def test_ranks_have_their_own_random_numbers_and_gradients() -> None:
    ms.set_seed(5)
    alone = [ops.uniform((2,), Tensor(0.0), Tensor(1.0)).asnumpy() for _ in range(2)]
    ms.set_seed(5)

    def program() -> tuple[list[float], float]:
        communication.init()
        rank = communication.get_rank()
        drawn = [ops.uniform((2,), Tensor(0.0), Tensor(1.0)).asnumpy()]
        collectives.barrier("world")
        drawn.append(ops.uniform((2,), Tensor(0.0), Tensor(1.0)).asnumpy())
        assert np.array_equal(drawn, alone)
        # The other rank's gradient begins and ends while this one is being taken.
        slope = ms.grad(lambda x: (ops.AllReduce()(x * x) * (rank + 1)).sum())(Tensor([3.0, 1.0]))
        return slope.tolist(), float(rank)

    assert run_ranks(2, program) == [([18.0, 6.0], 0.0), ([18.0, 6.0], 1.0)]
    assert np.array_equal(ops.uniform((2,), Tensor(0.0), Tensor(1.0)).asnumpy(), alone[0])
