"""Shows a dump on the Debugger page: its iterations are the steps of a session. `mindinsight dump --debug` calls it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from debugging.dumps.dump import Dump, DumpError, Rank
from debugging.link.address import address_of
from debugging.session.attach import Settings, attached
from debugging.session.progress import Progress
from debugging.session.termination import TrainingStoppedError
from mindinsight.dumps.training import DumpedTraining

__all__ = ["chosen", "show"]


class _DumpProgress(Progress):
    """Steps count from 1, as MindInsight's offline debugger counts them: step 1 is iteration 0."""

    def __init__(self, training: DumpedTraining) -> None:
        super().__init__(training.array_of)
        self._training = training

    @property
    def step(self) -> int:
        """The number of the current step, or of the last finished one."""
        place = max(0, self.begun - 1)
        return self._training.iterations[min(place, len(self._training.iterations) - 1)].number + 1

    @property
    def steps(self) -> int:
        """The number of the last dumped step."""
        return self._training.iterations[-1].number + 1


def chosen(dump: Dump, rank: int | None, graph: int | None) -> tuple[Rank, int]:
    """The rank and the graph to show.

    Args:
        dump: the dump.
        rank: number of the rank; by default the first one.
        graph: id of the graph; by default the one with most tensors.

    Raises:
        DumpError: there is no such rank or graph, or it has no iteration.
    """
    number = min(dump.ranks, default=0) if rank is None else rank
    found = dump.ranks.get(number)
    if found is None:
        raise DumpError(f"the dump has no rank {number}; its ranks: {_listed(dump.ranks)}")
    sizes = {key: sum(len(one.files) for one in numbered.values()) for key, numbered in found.iterations.items()}
    known = [key for key, size in sizes.items() if size]
    wanted = max(known, key=lambda key: sizes[key], default=0) if graph is None else graph
    if wanted not in known:
        raise DumpError(f"rank {number} has no tensors of graph {wanted}; its graphs with tensors: {_listed(known)}")
    return found, wanted


def _listed(numbers: Iterable[int]) -> str:
    return ", ".join(map(str, sorted(numbers))) or "none"


def show(
    dump: Dump, url: str | None = None, token: str | None = None, rank: int | None = None, graph: int | None = None
) -> None:
    """Attach a dump to a dashboard; returns when the session is ended from the page.

    It pauses before its first step and after its last one.

    Args:
        dump: the dump.
        url, token: of the dashboard; see `debugging.link.address.address_of`.
        rank: number of the rank; by default the first one.
        graph: id of the graph; by default the one with most tensors.

    Raises:
        DumpError: there is no such rank or graph.
        ValueError: `url` is no address.
    """
    address = address_of(url, token)
    training = DumpedTraining(dump, *chosen(dump, rank, graph))
    folder = Path(dump.root).absolute()
    settings = Settings(address, str(folder), lease=None, pause_at_start=True, name=folder.name)
    session = attached(training, _DumpProgress(training), settings, "dump")
    reason = "detached"
    try:
        while training.place < len(training.iterations):
            session.attend()
            session.run(training.batch, {})
        reason = "finished"
    except TrainingStoppedError:
        reason = "stopped"
    finally:
        session.end(reason)
