"""N ranks in one process: one thread each, of which one computes at a time, until it has to wait for another.

`run_ranks(4, program)` runs a program as `mpirun -n 4` would. Results equal those of separate processes to the bit,
every order of events repeats itself, and a deadlock is an error at once. Tests use it, and it needs no MPI.
"""

from __future__ import annotations

import threading
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar, cast

import numpy as np

from framework.common.device import Array
from framework.communication.contract import Communicator, as_expected
from framework.communication.describing import CollectiveMismatchError, at_line, differences
from framework.communication.rank_state import new_states, put_states, take_states

__all__ = ["DeadlockError", "LockStep", "RankError", "current_world", "run_ranks"]

T = TypeVar("T")
#: What tells groups apart: how each was made from the group of all ranks.
_Identity = tuple[tuple[tuple[int, ...], int], ...]
#: A meeting of a group: its identity, and how many meetings its members had before.
_Key = tuple[_Identity, int]
#: A message: the identity of the group, the ranks that send and receive it among all, and its tag.
_Address = tuple[_Identity, int, int, int]


class RankError(RuntimeError):
    """A rank of an in-process group failed. The cause is the rank's own error."""


class DeadlockError(RuntimeError):
    """Every rank waits for another."""


@dataclass
class _Rank:
    """The thread of a rank."""

    number: int
    turn: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))
    states: list[object] = field(default_factory=list)
    waits: str = ""
    is_ready: bool = True
    is_done: bool = False
    error: BaseException | None = None
    result: object = None


@dataclass
class _Meeting:
    """What the members of a group have brought so far, by rank, and what each of them called."""

    items: dict[int, object] = field(default_factory=dict)
    calls: dict[int, tuple[str, str]] = field(default_factory=dict)
    left: int = 0


class LockStep:
    """A group of ranks that take turns in one process.

    Args:
        size: the number of ranks.
    """

    def __init__(self, size: int) -> None:
        if size < 1:
            raise ValueError(f"a group has at least one rank, not {size}")
        self.ranks = [_Rank(number) for number in range(size)]
        self._meetings: defaultdict[_Key, _Meeting] = defaultdict(_Meeting)
        self._sent: defaultdict[_Address, deque[Array]] = defaultdict(deque)
        self._is_stuck = False

    def run(self, program: Callable[[], T]) -> list[T]:
        """Run a program as every rank; returns the results by rank. Raises as `run_ranks`."""
        before = take_states()
        threads = [
            threading.Thread(target=self._run, args=(rank, program), name=f"rank {rank.number}", daemon=True)
            for rank in self.ranks
        ]
        for rank in self.ranks:
            rank.states = new_states()
        try:
            for thread in threads:
                thread.start()
            self._begin(self.ranks[0])
            for thread in threads:
                thread.join()
        finally:
            put_states(before)
        self._raise_first()
        return [cast("T", rank.result) for rank in self.ranks]

    def _raise_first(self) -> None:
        """Raise the error that came first: a rank's own before those of ranks that waited for it."""
        failed = [rank for rank in self.ranks if rank.error is not None]
        own = [rank for rank in failed if not isinstance(rank.error, DeadlockError | RankError)]
        for rank in own or failed:
            if isinstance(rank.error, DeadlockError | CollectiveMismatchError):
                raise rank.error
            error = rank.error
            message = f"rank {rank.number} of {len(self.ranks)} failed: {type(error).__name__}: {error}"
            raise RankError(message) from error

    def _run(self, rank: _Rank, program: Callable[[], object]) -> None:
        """The thread of a rank."""
        rank.turn.acquire()
        _here.world = _Member(self, rank.number, tuple(range(len(self.ranks))))
        try:
            rank.result = program()
        except BaseException as error:
            rank.error = error
        rank.is_done = True
        rank.is_ready = False
        self._pass_on()

    def _begin(self, rank: _Rank) -> None:
        put_states(rank.states)
        rank.turn.release()

    def _pass_on(self) -> None:
        """Give the turn to the next rank that can go on; if none can, every waiting rank gets an error."""
        for rank in self.ranks:
            if rank.is_ready:
                self._begin(rank)
                return
        for rank in self.ranks:
            if not rank.is_done:
                self._is_stuck = True
                rank.is_ready = True
                self._begin(rank)
                return

    def wait(self, number: int, what: str, until: Callable[[], bool]) -> None:
        """Let other ranks compute until a condition holds.

        Raises:
            DeadlockError: every rank waits.
            RankError: a rank that is waited for has failed or ended.
        """
        rank = self.ranks[number]
        while not until():
            rank.waits, rank.is_ready = what, False
            rank.states = take_states()
            self._pass_on()
            rank.turn.acquire()
            if self._is_stuck:
                raise self._stuck(number)
        rank.waits = ""

    def _stuck(self, number: int) -> RuntimeError:
        """The error of a rank that would wait for ever."""
        lines = []
        for rank in self.ranks:
            if rank.error is not None:
                state = f"has failed: {type(rank.error).__name__}: {rank.error}"
            else:
                state = "has ended" if rank.is_done else f"waits in {rank.waits}"
            lines.append(f"  rank {rank.number} {state}")
        table = "\n".join(lines)
        if any(rank.error is not None for rank in self.ranks):
            return RankError(f"rank {number} waits for a rank that has failed:\n{table}")
        return DeadlockError(f"no rank can go on: each waits for another:\n{table}")

    def wake(self, numbers: Sequence[int]) -> None:
        """Say that ranks may look again whether what they wait for is there."""
        for number in numbers:
            self.ranks[number].is_ready = not self.ranks[number].is_done

    def meet(
        self, key: _Key, members: tuple[int, ...], number: int, call: tuple[str, str], item: object
    ) -> list[object]:
        """Bring an object and get those of all members, in the order of the group."""
        meeting = self._meetings[key]
        meeting.items[number], meeting.calls[number] = item, call
        if len(meeting.items) == len(members):
            self.wake(members)
        self.wait(number, at_line(*call), lambda: len(meeting.items) == len(members))
        meeting.left += 1
        if meeting.left == len(members):
            del self._meetings[key]
        wrong = differences([meeting.calls[member] for member in members], members)
        if wrong:
            raise CollectiveMismatchError(wrong)
        return [meeting.items[member] for member in members]

    def post(self, address: _Address, x: Array) -> None:
        """Send an array."""
        self._sent[address].append(np.array(x))
        self.wake([address[2]])

    def fetch(self, address: _Address, what: str) -> Array:
        """Wait for what `post` sends."""
        waiting = self._sent[address]
        self.wait(address[2], what, lambda: len(waiting) > 0)
        return waiting.popleft()


class _Member(Communicator):
    """A group of ranks of a `LockStep`, as one of them sees it."""

    def __init__(self, group: LockStep, number: int, ranks: tuple[int, ...], identity: _Identity = ()) -> None:
        super().__init__(ranks.index(number), ranks)
        self._group, self._number, self._identity = group, number, identity
        self._subgroups: Counter[tuple[int, ...]] = Counter()
        self._meetings = 0

    def share(self, item: T) -> list[T]:
        """The objects of all ranks; arrays are copied, since their rank may change them at once."""
        kept = np.array(item) if isinstance(item, np.ndarray) else item
        if isinstance(item, list):
            kept = cast("T", [np.array(part) if isinstance(part, np.ndarray) else part for part in item])
        key = (self._identity, self._meetings)
        self._meetings += 1
        return cast("list[T]", self._group.meet(key, self.ranks, self._number, (self.call, self.place), kept))

    def send(self, dest: int, tag: int, x: Array) -> None:
        """Put an array where `dest` finds it."""
        self._group.post((self._identity, self._number, self.ranks[dest], tag), x)

    def receive(self, source: int, tag: int, shape: tuple[int, ...], dtype: np.dtype[np.generic]) -> Array:
        """Wait for an array from `source`."""
        address = (self._identity, self.ranks[source], self._number, tag)
        x = self._group.fetch(address, at_line(self.call, self.place))
        return as_expected(x, source, self.rank, shape, dtype)

    def subgroup(self, ranks: Sequence[int]) -> Communicator:
        """A group of some of these ranks."""
        members = tuple(self.ranks[rank] for rank in ranks)
        self._subgroups[members] += 1
        return _Member(self._group, self._number, members, (*self._identity, (members, self._subgroups[members])))


class _Here(threading.local):
    """The group that the rank of this thread belongs to."""

    world: _Member | None = None


_here = _Here()


def current_world() -> Communicator | None:
    """All ranks of the in-process group that this thread belongs to, None in any other thread."""
    return _here.world


def run_ranks(size: int, program: Callable[[], T]) -> list[T]:
    """Run a program as N ranks in this process, as `mpirun -n N` runs it in N processes.

    Each rank has its own random numbers, gradients and settings, which begin as they are now. Objects that are made
    before, such as networks, are shared: make them in the program. `communication.init()` and everything after it
    are as in separate processes.

    Args:
        size: the number of ranks.
        program: called once for each rank, in a thread of its own.

    Returns:
        The results of the program, by rank.

    Raises:
        RankError: a rank failed; the cause is its error.
        DeadlockError: every rank waits for another.
        CollectiveMismatchError: two ranks called different collectives.
    """
    return LockStep(size).run(program)
