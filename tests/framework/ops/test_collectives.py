"""Operators over ranks against numpy, forward and backward, in both modes, on four ranks in one process."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import framework as ms
from framework import Tensor, communication, ops
from framework.communication import collectives
from framework.communication.lockstep import run_ranks
from framework.observe import Execution, watching
from framework.ops.collectives import functional_forms as comm_func

RANKS = 4
Arrays = Sequence[np.ndarray[Any, Any]]
X: Arrays = [np.random.default_rng(rank).standard_normal((4, 8)).astype(np.float32) for rank in range(RANKS)]
NOTHING = np.zeros(1, np.float32)
ZEROS = np.zeros_like(X[0])


def total(arrays: Arrays) -> Any:
    return np.sum(arrays, axis=0)


def part(array: Any, rank: int, axis: int = 0) -> Any:
    return np.split(array, RANKS, axis)[rank]


@dataclass
class Case:
    """An operator on each rank, its outputs, and the gradients of x by the gradients of the outputs."""

    name: str
    make: Callable[[int], Callable[[Tensor], Any]]
    out: Callable[[int], Any]
    gradient: Callable[[int, Arrays], Any]


def of_tuple(operator: Any) -> Callable[[Tensor], Any]:
    return lambda x: operator((x,))[0]


def to_the_next(rank: int) -> Callable[[Tensor], Any]:
    send, receive = ops.Send(0, (rank + 1) % RANKS), ops.Receive(0, (rank - 1) % RANKS, [4, 8], ms.float32)
    return lambda x: receive(send(x)) * 2 + x


def exchange(rank: int) -> Callable[[Tensor], Any]:
    shapes = ([4, 8],)
    return of_tuple(ops.NeighborExchange([(rank + 1) % RANKS], [(rank - 1) % RANKS], shapes, shapes, ms.float32))


CASES = [
    Case("AllReduce", lambda rank: ops.AllReduce(), lambda rank: total(X), lambda rank, d: total(d)),
    Case(
        "AllReduce of maxima", lambda rank: ops.AllReduce("max"), lambda rank: np.max(X, 0),
        lambda rank, d: total(d) * (X[rank] == np.max(X, 0)),
    ),
    Case(
        "AllReduce of products", lambda rank: ops.AllReduce("prod"), lambda rank: np.prod(X, 0),
        lambda rank, d: total(d) * np.prod([x for other, x in enumerate(X) if other != rank], 0),
    ),
    Case(
        "AllGather", lambda rank: ops.AllGather(), lambda rank: np.concatenate(X),
        lambda rank, d: part(total(d), rank),
    ),
    Case(
        "ReduceScatter", lambda rank: ops.ReduceScatter(), lambda rank: part(total(X), rank),
        lambda rank, d: np.concatenate(d),
    ),
    Case(
        "AlltoAll", lambda rank: ops.AlltoAll(RANKS, 1, 0),
        lambda rank: np.concatenate([part(x, rank, 1) for x in X]),
        lambda rank, d: np.concatenate([part(item, rank) for item in d], 1),
    ),
    Case(
        "Broadcast", lambda rank: of_tuple(ops.Broadcast(1)), lambda rank: X[1],
        lambda rank, d: total(d) if rank == 1 else ZEROS,
    ),
    Case(
        "Reduce", lambda rank: ops.Reduce(2), lambda rank: total(X) if rank == 2 else NOTHING,
        lambda rank, d: d[2],
    ),
    Case(
        "CollectiveGather", lambda rank: ops.CollectiveGather(2),
        lambda rank: np.concatenate(X) if rank == 2 else NOTHING, lambda rank, d: part(d[2], rank),
    ),
    Case(
        "CollectiveScatter", lambda rank: ops.CollectiveScatter(3), lambda rank: part(X[3], rank),
        lambda rank, d: np.concatenate(d) if rank == 3 else ZEROS,
    ),
    Case(
        "NeighborExchange", exchange, lambda rank: X[(rank - 1) % RANKS], lambda rank, d: d[(rank + 1) % RANKS],
    ),
    Case(
        "Send and Receive", to_the_next, lambda rank: 2 * X[(rank - 1) % RANKS] + X[rank],
        lambda rank, d: 2 * d[(rank + 1) % RANKS] + d[rank],
    ),
]  # fmt: skip


@pytest.mark.parametrize("compiled", [False, True], ids=["pynative", "graph"])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_forward_and_backward(case: Case, compiled: bool) -> None:
    douts = [np.cos(case.out(rank) + rank).astype(np.float32) for rank in range(RANKS)]

    def program() -> None:
        communication.init()
        rank = communication.get_rank()
        operator, weight = case.make(rank), Tensor(douts[rank])

        def weighted(x: Tensor) -> Any:
            y = operator(x)
            return (y * weight).sum(), y

        gradient = ms.value_and_grad(weighted, 0, has_aux=True)
        (_, y), dx = (ms.jit(gradient) if compiled else gradient)(Tensor(X[rank]))
        np.testing.assert_allclose(y.asnumpy(), case.out(rank), rtol=1e-5, atol=1e-5)
        np.testing.assert_allclose(dx.asnumpy(), case.gradient(rank, douts), rtol=1e-4, atol=1e-4)

    run_ranks(RANKS, program)


@pytest.mark.parametrize("compiled", [False, True], ids=["pynative", "graph"])
def test_second_derivative(compiled: bool) -> None:
    def program() -> None:
        communication.init()
        x = Tensor(X[communication.get_rank()])
        slope = ms.grad(lambda x: (ops.AllReduce()(x) ** 3).sum())
        curve = ms.grad(lambda x: slope(x).sum())
        found = (ms.jit(curve) if compiled else curve)(x).asnumpy()
        # All four ranks read the sum s: each gradient is 4 x 3 s^2, and each of the four is read through s again.
        np.testing.assert_allclose(found, RANKS * RANKS * 6 * total(X), rtol=1e-4, atol=1e-4)

    run_ranks(RANKS, program)


def test_no_pass_removes_merges_or_reorders() -> None:
    reduce, gather, wait, largest = ops.AllReduce(), ops.AllGather(), ops.Barrier(), ops.AllReduce("max")

    def program() -> tuple[list[str], float]:
        communication.init()

        def several(x: Tensor) -> Tensor:
            gather(x)
            first = reduce(x)
            largest(x * 2)
            wait()
            return first + reduce(x)

        compiled = ms.jit(several)
        seen: list[str] = []
        here = threading.get_ident()

        def note(execution: Execution) -> None:
            # Watchers see the executions of all ranks of the process.
            if threading.get_ident() == here and execution.primitive.side_effect:
                seen.append(execution.primitive.name)

        for _ in range(12):  # From the tenth call on, segments are machine code.
            out = compiled(Tensor([1.0]))
        with watching(note):
            compiled(Tensor([1.0]))
        return seen, float(out)

    order = ["AllGather", "AllReduce", "AllReduce", "Barrier", "AllReduce"]
    assert run_ranks(2, program) == [(order, 4.0)] * 2


def test_every_call_of_a_compiled_program_communicates(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []
    real = collectives.all_reduce

    def counted(x: Any, op: str, group: str) -> Any:
        calls.append(op)
        return real(x, op, group)

    monkeypatch.setattr(collectives, "all_reduce", counted)

    def program() -> float:
        communication.init()
        reduce = ops.AllReduce()
        compiled = ms.jit(lambda x: reduce(x * 2) + reduce(x * 2))
        return [float(compiled(Tensor([1.0]))) for _ in range(15)][-1]

    assert run_ranks(2, program) == [8.0, 8.0]
    assert len(calls) == 2 * 2 * 15


def test_functional_forms() -> None:
    def program() -> None:
        communication.init()
        rank = communication.get_rank()
        communication.create_group("others", [3, 2, 1]) if rank else None
        x = Tensor(X[rank])
        assert np.allclose(comm_func.all_reduce(x)[0].asnumpy(), total(X), atol=1e-5)
        gathered, handle = comm_func.all_gather_into_tensor(x, async_op=True)
        assert handle is not None
        handle.wait()
        assert np.array_equal(gathered.asnumpy(), np.concatenate(X))
        assert np.allclose(comm_func.reduce_scatter_tensor(x)[0].asnumpy(), part(total(X), rank), atol=1e-5)
        assert np.array_equal(comm_func.scatter_tensor(x, 2).asnumpy(), part(X[2], rank))
        comm_func.barrier()
        if rank:
            # Ranks are those among all processes, also in a group.
            assert np.array_equal(comm_func.broadcast(x, 1, "others").asnumpy(), X[1])
            found = comm_func.reduce(x, 2, group="others").asnumpy()
            assert np.allclose(found, total(X[1:]) if rank == 2 else NOTHING, atol=1e-5)
            whole = np.concatenate([X[3], X[2], X[1]]) if rank == 1 else NOTHING
            assert np.array_equal(comm_func.gather_into_tensor(x, 1, "others").asnumpy(), whole)
        after, before = (rank + 1) % RANKS, (rank - 1) % RANKS
        messages = [comm_func.P2POp("irecv", x, before), comm_func.P2POp(comm_func.isend, x, after)]
        assert np.array_equal(comm_func.batch_isend_irecv(messages)[0].asnumpy(), X[before])
        comm_func.send(x, after, tag=3)
        assert np.array_equal(comm_func.recv(x, before, tag=3).asnumpy(), X[before])

    run_ranks(RANKS, program)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: ops.Reduce(4), r"Reduce: dest_rank is 4, and group 'world' has the ranks 0 to 3"),
        (lambda: ops.AlltoAll(2, 0, 0), r"group 'world' has 4 ranks, so split_count must be 4, not 2"),
        (lambda: ops.ReduceScatter()(Tensor(np.zeros((6, 2)))), "length 6 must be a multiple of 4"),
        (lambda: ms.jit(ops.ReduceScatter())(Tensor(np.zeros((6, 2)))), "length 6 must be a multiple of 4"),
        (lambda: ops.AllGather()(Tensor(1.0)), r"reshape it to \(1,\)"),
        (lambda: ops.AllReduce(group="nobody")(Tensor([1.0])), "there is no group 'nobody'; there is 'world'"),
        (lambda: ops.Broadcast(0)(Tensor([1.0])), "takes a tuple of tensors"),
        (lambda: ops.NeighborExchange([1], [], (), ([2],), ms.float32)((Tensor([1.0]),)), "send_shapes are"),
        (lambda: ops.NeighborExchange([1], [1], (), ([2],), ms.float32), "1 recv_rank_ids need as many recv_shapes"),
    ],
)
def test_errors_say_what_to_write(make: Callable[[], Any], message: str) -> None:
    def program() -> None:
        communication.init()
        with pytest.raises((ValueError, TypeError), match=message):
            make()

    run_ranks(RANKS, program)
