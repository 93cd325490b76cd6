"""`DumpAnalyzer`, with the methods and arguments of MindInsight 2.3.1's. `mindinsight.dumps` shows it to users."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from pathlib import Path

from debugging.dumps.damages import Damage
from debugging.dumps.dump import Dump, DumpError, Rank
from debugging.dumps.measured import measured_rows
from debugging.dumps.opening import open_dump
from debugging.dumps.tables import StatisticRow
from debugging.dumps.tabulating import export_graph, write_summary
from debugging.dumps.tensors import DebuggerTensor, Node
from debugging.dumps.watching import Watchpoint, WatchpointHit, hit_of

__all__ = ["DumpAnalyzer"]

Selection = int | Iterable[int] | None
Statistics = dict[int, dict[int, list[StatisticRow]]]


class DumpAnalyzer:
    """Looks into a dump.

    Args:
        dump_dir: With `rank_N` of MindSpore, or `stepS` of msprobe.
        mem_limit: Refused unless None: files are mapped and nothing is kept, so there is nothing to limit.

    Raises:
        DumpError: The folder is no dump, or `mem_limit` is given.
    """

    def __init__(self, dump_dir: str | Path, mem_limit: int | None = None) -> None:
        if mem_limit is not None:
            raise DumpError("mem_limit has no effect here: files are mapped and nothing is kept. Leave it out.")
        self._dump = open_dump(dump_dir)

    @property
    def dump(self) -> Dump:
        """The dump."""
        return self._dump

    @property
    def damages(self) -> list[Damage]:
        """What is missing or could not be read so far."""
        return list(self._dump.damages)

    def get_ranks(self) -> list[int]:
        """The numbers of the ranks."""
        return sorted(self._dump.ranks)

    def get_iterations(self, ranks: Selection = None) -> list[int]:
        """The numbers of the iterations that were dumped on any of some ranks."""
        return sorted({number for rank in self._ranks(ranks) for number in rank.numbers})

    def export_graphs(self, output_dir: str | Path | None = None) -> list[Path]:
        """Write the graphs, one node a row.

        A graph becomes an Excel workbook if the package openpyxl is installed, and a CSV file otherwise.

        Args:
            output_dir: A folder, which is made if it is missing; None: the current one.

        Returns:
            The written files.
        """
        folder = _folder(output_dir)
        return [export_graph(rank, graph, folder) for rank in self._ranks(None) for graph in sorted(rank.programs)]

    def select_nodes(
        self, query_string: str, use_regex: bool = False, select_by: str = "node_name", ranks: Selection = None,
        case_sensitive: bool = True,
    ) -> Iterator[Node]:  # fmt: skip
        """The nodes whose name, or whose lines of source, hold a text.

        Args:
            query_string: The text, or a regular expression.
            use_regex: Whether it is a regular expression; it may match anywhere.
            select_by: "node_name" or "code_stack".
            ranks: Numbers of ranks; None: all.
            case_sensitive: Whether case counts.

        Raises:
            DumpError: An argument is not valid.
        """
        if select_by not in ("node_name", "code_stack"):
            raise DumpError(f'select_by is {select_by!r}; give "node_name" or "code_stack"')
        holds = _matcher(query_string, use_regex, case_sensitive)
        chosen = self._ranks(ranks)
        return (
            node
            for rank in chosen
            for node in self._nodes(rank)
            if (holds(node.name) if select_by == "node_name" else any(map(holds, node.stack)))
        )

    def select_tensors(
        self, query_string: str, use_regex: bool = False, select_by: str = "node_name", iterations: Selection = None,
        ranks: Selection = None, slots: Selection = None, case_sensitive: bool = True,
    ) -> Iterator[DebuggerTensor]:  # fmt: skip
        """The outputs of the nodes that `select_nodes` gives.

        Args:
            query_string: The text, or a regular expression.
            use_regex: Whether it is a regular expression.
            select_by: "node_name" or "code_stack".
            iterations: Numbers of iterations; None: all.
            ranks: Numbers of ranks; None: all.
            slots: Indices of outputs; None: all.
            case_sensitive: Whether case counts.
        """
        nodes = self.select_nodes(query_string, use_regex, select_by, ranks, case_sensitive)
        numbers, places = _numbers(iterations), _numbers(slots)
        return chain.from_iterable(node.get_output_tensors(numbers, places) for node in nodes)

    def select_tensor_statistics(self, iterations: Selection = None, ranks: Selection = None) -> Statistics:
        """The statistics of tensors: those that were dumped, else computed from the values.

        Returns:
            By rank, then by iteration, a list with one row for each tensor.
        """
        numbers = _numbers(iterations)
        found: Statistics = {}
        for rank in self._ranks(ranks):
            own: dict[int, list[StatisticRow]] = {}
            for graph in rank.iterations.values():
                for number, iteration in sorted(graph.items()):
                    if numbers is None or number in numbers:
                        own.setdefault(number, []).extend(iteration.statistics or measured_rows(self._dump, iteration))
            found[rank.number] = own
        return found

    def summary_statistics(
        self, statistics: Statistics, overflow_value: float = 65500, out_path: str | Path = "./"
    ) -> Path:
        """Write `statistics_summary.csv`: of each tensor, how often it had infinities, NaNs or large values.

        Args:
            statistics: Of `select_tensor_statistics`.
            overflow_value: Absolute value from which an extreme counts as out of range.
            out_path: A folder, which is made if it is missing.

        Returns:
            The written file.
        """
        rows = (
            (rank, iteration, row)
            for rank, by_iteration in statistics.items()
            for iteration, found in by_iteration.items()
            for row in found
        )
        return write_summary(rows, overflow_value, _folder(out_path))

    def check_watchpoints(
        self, watchpoints: Iterable[Watchpoint], error_on_no_value: bool = False
    ) -> list[WatchpointHit]:
        """The tensors for which conditions hold, in the order of iterations and times.

        Args:
            watchpoints: With tensors of this analyzer.
            error_on_no_value: Whether a tensor without a value is reported too, with an `error_code`.
        """
        hits = [
            hit
            for watchpoint in watchpoints
            for tensor in watchpoint.tensors
            if (hit := hit_of(watchpoint, tensor, error_on_no_value=error_on_no_value)) is not None
        ]
        return sorted(hits, key=lambda hit: (hit.tensor.iteration, hit.tensor.time))

    def list_affected_nodes(self, tensor: DebuggerTensor) -> list[Node]:
        """The nodes that read a tensor."""
        return self._readers(tensor.node, tensor.slot) if not tensor.is_input else [tensor.node]

    def get_input_nodes(self, node: Node) -> list[Node]:
        """The nodes and parameters that a node reads, each once."""
        rank = self._dump.ranks[node.rank]
        known = {one.name: one for one in self._nodes(rank) if one.graph == node.graph}
        names = dict.fromkeys(source.name for source in node.sources if source.name is not None)
        return [known[name] for name in names if name in known]

    def get_output_nodes(self, node: Node) -> list[Node]:
        """The nodes that read any output of a node."""
        return self._readers(node, None)

    # ---- parts

    def _readers(self, node: Node, slot: int | None) -> list[Node]:
        rank = self._dump.ranks[node.rank]
        program = rank.programs.get(node.graph)
        if program is None or not program.has_edges:
            raise DumpError(f"which nodes read {node.name} is not known: the dump has no graph that says it")
        return [
            Node(self._dump, rank, node.graph, own.full_name, own.type, own) for own in program.readers(node.name, slot)
        ]

    def _nodes(self, rank: Rank) -> Iterator[Node]:
        """The nodes of a rank: of its graphs, and those that only files name."""
        for graph in sorted(rank.programs.keys() | rank.iterations.keys()):
            program = rank.programs.get(graph)
            seen = set[str]()
            if program is not None:
                for name in program.parameters:
                    seen.add(name)
                    yield Node(self._dump, rank, graph, name, "Parameter", None)
                for own in program.nodes.values():
                    seen.add(own.full_name)
                    yield Node(self._dump, rank, graph, own.full_name, own.type, own)
            for iteration in rank.iterations.get(graph, {}).values():
                for file in iteration.files.values():
                    if file.node not in seen:
                        seen.add(file.node)
                        yield Node(self._dump, rank, graph, file.node, file.type, None)

    def _ranks(self, wanted: Selection) -> list[Rank]:
        numbers = _numbers(wanted)
        for number in numbers or ():
            if number not in self._dump.ranks:
                raise DumpError(f"there is no rank {number}; there are {', '.join(map(str, self.get_ranks()))}")
        return [rank for number, rank in sorted(self._dump.ranks.items()) if numbers is None or number in numbers]


def _numbers(wanted: Selection) -> list[int] | None:
    if wanted is None:
        return None
    return [wanted] if isinstance(wanted, int) else list(wanted)


def _matcher(text: str, use_regex: bool, case_sensitive: bool) -> Callable[[str], bool]:
    if use_regex:
        try:
            pattern = re.compile(text, 0 if case_sensitive else re.IGNORECASE)
        except re.error as error:
            raise DumpError(f"{text!r} is no regular expression: {error}") from error
        return lambda name: pattern.search(name) is not None
    if case_sensitive:
        return lambda name: text in name
    return lambda name: text.lower() in name.lower()


def _folder(path: str | Path | None) -> Path:
    folder = Path(path or ".")
    folder.mkdir(parents=True, exist_ok=True)
    return folder
