"""The communicator on MPI, through mpi4py: the processes that `mpirun` started.

Elements travel as bytes in numpy's own buffers. Sums whose order can be seen in their bits are added here, in the order
of `reductions`; everything else is the library's own collective. If there are more ranks than processors, a waiting
rank leaves the processor to others between looks, since MPI itself would keep it busy.
"""

from __future__ import annotations

import os
import pickle
import time
from collections.abc import Sequence
from typing import Any, Final, TypeVar, cast

import numpy as np
from mpi4py import MPI

from framework.common.device import Array
from framework.communication.contract import Communicator, Message, Slot
from framework.communication.rank_reduction import depends_on_order, is_deterministic, reduced

__all__ = ["Mpi", "abort", "library", "world"]

T = TypeVar("T")

#: Below so many bytes all ranks get all arrays: one round of messages takes less time than two.
_SMALL: Final = 4096
#: With more ranks than processors: for how many seconds a rank only lets others go first, at least and for each byte,
#: before it sleeps. MPI moves a part of a long message at each look.
_YIELDS: Final = 0.5e-3
_YIELDS_PER_BYTE: Final = 10e-9
_SHORTEST_PAUSE: Final = 50e-6
_LONGEST_PAUSE: Final = 1e-3
_OPERATIONS: Final = {"sum": MPI.SUM, "max": MPI.MAX, "min": MPI.MIN, "prod": MPI.PROD}


class Mpi(Communicator):
    """A group of MPI processes.

    Args:
        comm: MPI's communicator, which belongs to this object.
        ranks: the ranks of its members among all processes.
        local_ranks: the ranks in the group of the members on this machine.
        is_crowded: whether this machine has more ranks than processors.
    """

    def __init__(self, comm: MPI.Intracomm, ranks: Sequence[int], local_ranks: Sequence[int], is_crowded: bool) -> None:
        super().__init__(comm.Get_rank(), ranks, local_ranks)
        self._comm = comm
        self.is_crowded = is_crowded
        #: Sends that may not be complete, each with the elements that it reads.
        self._sending: list[tuple[MPI.Request, Array]] = []

    def share(self, item: T) -> list[T]:
        """Get the object of every rank, pickled."""
        mine = np.frombuffer(pickle.dumps(item), np.uint8)
        lengths = np.empty(self.size, np.int64)
        self._call("Allgather", np.array([mine.size], np.int64), lengths)
        everything = np.empty(int(lengths.sum()), np.uint8)
        self._call("Allgatherv", [mine, MPI.BYTE], [everything, (lengths, _starts(lengths)), MPI.BYTE])
        parts = np.split(everything, np.cumsum(lengths)[:-1])
        return [cast("T", pickle.loads(part.tobytes())) for part in parts]  # noqa: S301 - from a rank of this program.

    def barrier(self) -> None:
        """Wait until all ranks are here."""
        self._call("Barrier")

    def all_reduce(self, op: str, x: Array) -> Array:
        """Combine the arrays of all ranks; all get the result."""
        if self._is_left_to_mpi(op, x):
            out = np.empty(x.shape, x.dtype)
            self._call("Allreduce", np.ascontiguousarray(x), out, _OPERATIONS[op])
            return out
        if x.nbytes <= _SMALL:
            return reduced(op, list(self._gathered(x)))
        counts = _counts(x.size, self.size)
        block = self._reduced_block(op, x, counts)
        out = np.empty(x.shape, x.dtype)
        sizes = counts * x.dtype.itemsize
        self._call("Allgatherv", _bytes(block), [_bytes(out), (sizes, _starts(sizes)), MPI.BYTE])
        return out

    def all_gather(self, x: Array) -> Array:
        """The arrays of all ranks, one after another along the first dimension."""
        return self._gathered(x).reshape(self.size * x.shape[0], *x.shape[1:])

    def reduce_scatter(self, op: str, x: Array) -> Array:
        """Combine the arrays of all ranks; each rank gets its part along the first dimension."""
        shape = (x.shape[0] // self.size, *x.shape[1:])
        if self._is_left_to_mpi(op, x):
            out = np.empty(shape, x.dtype)
            self._call("Reduce_scatter_block", np.ascontiguousarray(x), out, _OPERATIONS[op])
            return out
        return self._reduced_block(op, x, _counts(x.size, self.size)).reshape(shape)

    def broadcast(self, root: int, x: Array) -> Array:
        """The array of one rank, in all ranks."""
        out = np.array(x) if self.rank == root else np.empty(x.shape, x.dtype)
        self._call("Bcast", _bytes(out), root)
        return out

    def reduce(self, dest: int, op: str, x: Array) -> Array | None:
        """Combine the arrays of all ranks; `dest` gets the result, the others None."""
        is_dest = self.rank == dest
        out = np.empty(x.shape if is_dest else 0, x.dtype)
        if self._is_left_to_mpi(op, x):
            self._call("Reduce", np.ascontiguousarray(x), out if is_dest else None, _OPERATIONS[op], dest)
            return out if is_dest else None
        counts = _counts(x.size, self.size)
        block = self._reduced_block(op, x, counts)
        sizes = counts * x.dtype.itemsize
        into = [_bytes(out), (sizes, _starts(sizes)), MPI.BYTE] if is_dest else None
        self._call("Gatherv", _bytes(block), into, dest)
        return out if is_dest else None

    def gather(self, dest: int, x: Array) -> Array | None:
        """As `all_gather`; `dest` gets the result, the others None."""
        is_dest = self.rank == dest
        out = np.empty((self.size * x.shape[0], *x.shape[1:]), x.dtype) if is_dest else None
        self._call("Gather", _bytes(x), None if out is None else _bytes(out), dest)
        return out

    def scatter(self, source: int, x: Array) -> Array:
        """This rank's part, along the first dimension, of the array of `source`."""
        out = np.empty((x.shape[0] // self.size, *x.shape[1:]), x.dtype)
        self._call("Scatter", _bytes(x) if self.rank == source else None, _bytes(out), source)
        return out

    def all_to_all(self, parts: Sequence[Array]) -> list[Array]:
        """Send one array to each rank, by rank; all have one shape."""
        sent = np.stack(parts)
        out = np.empty_like(sent)
        self._call("Alltoall", _bytes(sent), _bytes(out))
        return list(out)

    def send(self, dest: int, tag: int, x: Array) -> None:
        """Send a copy of an array; does not wait for the receiver."""
        self._sending = [(request, kept) for request, kept in self._sending if not request.Test()]
        kept = np.array(x, order="C")
        self._sending.append((self._comm.Isend([_bytes(kept), MPI.BYTE], dest, tag), kept))

    def receive(self, source: int, tag: int, shape: tuple[int, ...], dtype: np.dtype[np.generic]) -> Array:
        """Wait for an array that `source` sends with this tag. Raises as the contract says."""
        status = MPI.Status()
        if self.is_crowded:
            pauses = _Pauses(0)
            while (message := self._comm.Improbe(source, tag, status)) is None:
                pauses.sleep()
        else:
            message = self._comm.Mprobe(source, tag, status)
        got = np.empty(status.Get_count(MPI.BYTE), np.uint8)
        message.Recv([got, MPI.BYTE])
        if got.size != int(np.prod(shape)) * dtype.itemsize:
            raise ValueError(
                f"rank {source} sent {got.size} bytes, where rank {self.rank} expects {dtype}{list(shape)}: give "
                "Receive the shape and type that Send sends"
            )
        return got.view(dtype).reshape(shape)

    def exchange(self, tag: int, messages: Sequence[Message], slots: Sequence[Slot]) -> list[Array]:
        """Send messages to some ranks and receive others, all at once."""
        for dest, x in messages:
            self.send(dest, tag, x)
        return [self.receive(source, tag, shape, dtype) for source, shape, dtype in slots]

    def subgroup(self, ranks: Sequence[int]) -> Communicator:
        """The group of some ranks of this group, all of which call this with the same ranks."""
        comm = self._comm.Create_group(self._comm.Get_group().Incl(list(ranks)))
        local = [place for place, rank in enumerate(ranks) if rank in self.local_ranks]
        return Mpi(comm, [self.ranks[rank] for rank in ranks], local, self.is_crowded)

    def _is_left_to_mpi(self, op: str, x: Array) -> bool:
        """Whether MPI's own reduction has the result that this core promises."""
        if x.dtype.kind in "iu":
            return True
        if x.dtype.kind != "f" or x.dtype.itemsize not in (4, 8) or op in ("max", "min"):
            return False  # MPI has no halves, and no order for NaN.
        return not (is_deterministic() and depends_on_order(op, x.dtype.kind, self.size))

    def _gathered(self, x: Array) -> Array:
        """The arrays of all ranks, along a new first dimension."""
        out = np.empty((self.size, *x.shape), x.dtype)
        self._call("Allgather", _bytes(x), _bytes(out))
        return out

    def _reduced_block(self, op: str, x: Array, counts: Array) -> Array:
        """This rank's block of the combined elements, which are divided into blocks of `counts` elements."""
        mine = int(counts[self.rank])
        sizes = counts * x.dtype.itemsize
        got = np.empty((self.size, mine), x.dtype)
        got_sizes = np.full(self.size, mine * x.dtype.itemsize)
        self._call(
            "Alltoallv", [_bytes(x), (sizes, _starts(sizes)), MPI.BYTE],
            [_bytes(got), (got_sizes, _starts(got_sizes)), MPI.BYTE],
        )  # fmt: skip
        return reduced(op, list(got))

    def _call(self, name: str, *arguments: Any) -> None:
        """Call a collective of MPI and wait until it is done."""
        if not self.is_crowded:
            getattr(self._comm, name)(*arguments)
            return
        request: MPI.Request = getattr(self._comm, f"I{name[0].lower()}{name[1:]}")(*arguments)
        pauses = _Pauses(max((item.nbytes for item in map(_buffer_of, arguments) if item is not None), default=0))
        while not request.Test():
            pauses.sleep()


class _Pauses:
    """Pauses between two looks: at first others go first, then each pause is twice as long as the one before.

    Args:
        size: the number of bytes of the message.
    """

    def __init__(self, size: int) -> None:
        self._sleeps_from = time.monotonic() + _YIELDS + size * _YIELDS_PER_BYTE
        self._next = 0.0

    def sleep(self) -> None:
        """Let others compute."""
        if time.monotonic() < self._sleeps_from:
            os.sched_yield()
            return
        time.sleep(self._next)
        self._next = min(max(2 * self._next, _SHORTEST_PAUSE), _LONGEST_PAUSE)


def world() -> Mpi:
    """All processes that `mpirun` started; every one calls this.

    Returns:
        Their group, in the order of MPI's ranks.
    """
    comm = MPI.COMM_WORLD.Dup()
    local = comm.Split_type(MPI.COMM_TYPE_SHARED)
    here = local.allgather((comm.Get_rank(), sorted(os.sched_getaffinity(0))))
    processors = {processor for _, allowed in here for processor in allowed}
    return Mpi(comm, range(comm.Get_size()), [rank for rank, _ in here], len(here) > len(processors))


def library() -> str:
    """The name and version of the MPI library that mpi4py has loaded."""
    return " ".join(MPI.Get_library_version().split("\n")[0].split())


def abort(code: int) -> None:
    """End all processes of the program with a return code."""
    MPI.COMM_WORLD.Abort(code)


def _bytes(x: Array) -> Array:
    """The elements of an array as bytes; a view, unless the array is not contiguous."""
    return np.ascontiguousarray(x).reshape(-1).view(np.uint8)


def _buffer_of(argument: object) -> Array | None:
    """The array of an argument of MPI, which is the array itself or the first item of a list."""
    first = argument[0] if isinstance(argument, list) else argument
    return first if isinstance(first, np.ndarray) else None


def _counts(elements: int, ranks: int) -> Array:
    """How many elements each rank gets if they are divided as evenly as possible."""
    counts = np.full(ranks, elements // ranks)
    counts[: elements % ranks] += 1
    return counts


def _starts(counts: Array) -> Array:
    """Where each block begins."""
    return np.concatenate([[0], np.cumsum(counts)[:-1]])
