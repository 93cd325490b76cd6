"""Reads the folders of a dump of MindSpore: `rank_N/{.dump_metadata,graphs,execution_order,NET/GRAPH/ITERATION}`.

`opening.py` calls it. Only the names of files are read here; a file is opened when its tensor is asked for.
"""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from debugging.dumps.damages import Damages
from debugging.dumps.dump import Dump, Iteration, Rank, TensorFile
from debugging.dumps.formats.file_names import FileName, NameTable, parse_name, stem_of, written
from debugging.dumps.formats.npy_files import open_npy
from debugging.dumps.formats.renumbering import renumbered
from debugging.dumps.program import Program, program_of
from debugging.dumps.tables import StatisticRow, read_below, read_order, read_statistics

__all__ = ["entries_of", "folders_of", "is_mindspore", "read_mindspore"]

_RANK: Final = re.compile(r"rank_(\d+)")
_GRAPH: Final = re.compile(r"ms_output_trace_code_graph_(\d+)\.pb")
_ORDER: Final = re.compile(r"ms_execution_order_graph_(\d+)\.csv")
_EXECUTED: Final = re.compile(r"ms_global_execution_order_graph_(\d+)\.csv")
_OWN: Final = frozenset((".dump_metadata", "graphs", "execution_order"))


def is_mindspore(root: Path) -> bool:
    """Whether a folder has a rank of MindSpore."""
    return any(_RANK.fullmatch(name) for name in folders_of(root, "", Damages()))


def folders_of(root: Path, relative: str, damages: Damages) -> list[str]:
    """The names of the folders in a folder. Links are named and not followed."""
    return sorted(entry.name for entry in entries_of(root, relative, damages) if entry.is_dir(follow_symlinks=False))


def entries_of(root: Path, relative: str, damages: Damages) -> Iterator[os.DirEntry[str]]:
    """The entries of a folder but its links."""
    try:
        with os.scandir(root / relative) as found:
            for entry in found:
                if entry.is_symlink():
                    damages.add("it is a link; links are not followed", f"{relative}/{entry.name}".lstrip("/"))
                else:
                    yield entry
    except OSError as error:
        damages.add(f"the folder cannot be read: {error.strerror}", relative or ".")


def read_mindspore(root: Path) -> Dump:
    """Read the folders and file names of a dump.

    Args:
        root: The folder with `rank_N`.
    """
    dump = Dump(root, "mindspore", open_npy)
    for name in folders_of(root, "", dump.damages):
        match = _RANK.fullmatch(name)
        if match is None:
            dump.damages.add("it is no folder of a rank; it is left out", name)
            continue
        rank = Rank(int(match[1]), name)
        dump.ranks[rank.number] = rank
        _Reading(dump, rank).read()
    for number in range(max(dump.ranks, default=0)):
        if number not in dump.ranks:
            dump.damages.add("the rank is missing", f"rank_{number}")
    return dump


class _Reading:
    """Reads one rank."""

    def __init__(self, dump: Dump, rank: Rank) -> None:
        self._dump = dump
        self._rank = rank
        self._damages = dump.damages
        self._executed: dict[int, set[int]] = {}

    def read(self) -> None:
        settings = self._metadata()
        self._graphs()
        self._orders()
        folder = self._rank.folder
        for net in folders_of(self._dump.root, folder, self._damages):
            if net not in _OWN:
                self._net(f"{folder}/{net}")
        if not self._rank.iterations:
            self._damages.add("it has no iteration", folder)
        asked = _asked(settings)
        for graph, executed in self._executed.items():
            found = self._rank.iterations.get(graph, {})
            for number in sorted(executed & asked - found.keys()):
                self._damages.add("the iteration was run and should have been dumped, and is missing",
                                  f"{folder}, graph {graph}, iteration {number}")  # fmt: skip

    def _metadata(self) -> dict[str, Any]:
        read: dict[str, Any] = {}
        for name in ("config.json", "data_dump.json"):
            path = f"{self._rank.folder}/.dump_metadata/{name}"
            try:
                found = json.loads(read_below(self._dump.root, path))
            except FileNotFoundError:
                self._damages.add("it is missing", path)
            except (OSError, ValueError) as error:
                self._damages.add(f"it cannot be read: {error}", path)
            else:
                read.update(found if isinstance(found, dict) else {})
        self._dump.settings = {**read, **self._dump.settings}
        return read

    def _graphs(self) -> None:
        folder = f"{self._rank.folder}/graphs"
        for entry in entries_of(self._dump.root, folder, self._damages):
            match = _GRAPH.fullmatch(entry.name)
            if match is None:
                continue
            path = f"{folder}/{entry.name}"
            try:
                self._rank.programs[int(match[1])] = program_of(read_below(self._dump.root, path))
            except (OSError, ValueError) as error:
                self._damages.add(f"the graph cannot be read: {error}", path)

    def _orders(self) -> None:
        folder = f"{self._rank.folder}/execution_order"
        for entry in entries_of(self._dump.root, folder, self._damages):
            path = f"{folder}/{entry.name}"
            order, executed = _ORDER.fullmatch(entry.name), _EXECUTED.fullmatch(entry.name)
            try:
                if order is not None and (program := self._rank.programs.get(int(order[1]))) is not None:
                    program.order = read_order(self._dump.root, path)
                elif executed is not None:
                    lines = read_order(self._dump.root, path)
                    self._executed[int(executed[1])] = {int(line) for line in lines if line.isdecimal()}
            except OSError as error:
                self._damages.add(f"the order cannot be read: {error.strerror}", path)

    def _net(self, folder: str) -> None:
        for graph in folders_of(self._dump.root, folder, self._damages):
            if not graph.isdecimal():
                self._damages.add("it is no folder of a graph; it is left out", f"{folder}/{graph}")
                continue
            found: dict[int, Iteration] = {}
            for number in folders_of(self._dump.root, f"{folder}/{graph}", self._damages):
                if number.isdecimal():
                    found[int(number)] = Iteration(int(number), f"{folder}/{graph}/{number}")
                else:
                    self._damages.add("it is no folder of an iteration; it is left out", f"{folder}/{graph}/{number}")
            self._rank.iterations.setdefault(int(graph), {}).update(found)
            program = self._rank.programs.get(int(graph))
            if program is None:
                self._damages.add(
                    "the graph is missing: nodes have the names of their files, and it is not known what they read",
                    f"{self._rank.folder}/graphs/ms_output_trace_code_graph_{graph}.pb",
                )
            elif not program.order:
                self._damages.add(
                    "the order of execution is missing; the times of files are taken",
                    f"{self._rank.folder}/execution_order/ms_execution_order_graph_{graph}.csv",
                )
            table = _table(program)
            for group in table.ambiguous() if table is not None else ():
                self._dump.notes.add("their names are written alike in files; the first one is taken", ", ".join(group))
            for iteration in found.values():
                self._iteration(int(graph), iteration, table)

    def _iteration(self, graph: int, iteration: Iteration, table: NameTable | None) -> None:
        read: list[tuple[FileName, str]] = []
        for entry in entries_of(self._dump.root, iteration.folder, self._damages):
            name = parse_name(entry.name)
            if name is not None and entry.is_file(follow_symlinks=False):
                read.append((name, entry.name))
            elif entry.name == "statistic.csv":
                path = f"{iteration.folder}/{entry.name}"
                iteration.statistics = read_statistics(self._dump.root, path, self._damages)
            else:
                self._damages.add("its name is not that of a dumped tensor; it is left out",
                                  f"{iteration.folder}/{entry.name}")  # fmt: skip
        full_names = self._full_names(iteration, [name.name for name, _ in read], table)
        self._renumber(graph, iteration, full_names, [name for name, _ in read])
        rounds: dict[tuple[str, bool, int], int] = {}
        for name, file in sorted(read, key=lambda one: one[0].time):
            full_name = full_names.get(name.name, name.name)
            key = full_name, name.is_input, name.slot
            number = rounds.get(key, 0)
            rounds[key] = number + 1
            iteration.add(TensorFile(full_name, name.type, name.is_input, name.slot, number, name.format, name.dtype,
                                     name.time, file))  # fmt: skip
        _add_rows(iteration, full_names)
        if not iteration.files:
            self._damages.add("the iteration has no tensors", iteration.folder)

    def _full_names(self, iteration: Iteration, names: list[str], table: NameTable | None) -> dict[str, str]:
        if table is None:
            return {}
        asked = [*names, *(row.op_name for row in iteration.statistics)]
        found, anew = table.match(asked)
        for name in dict.fromkeys(asked):
            if name not in found:
                self._damages.add("the graph has no node of this name", f"{iteration.folder}, {name}")
        stems = Counter(stem_of(full_name) for full_name in anew.values())
        for name, full_name in anew.items():
            sure = "" if stems[stem_of(full_name)] == 1 else ", by its number: it may be another one of its scope"
            self._dump.notes.add(
                f"the graph has no node of this name; {full_name} is left over and taken{sure}",
                f"{iteration.folder}, {name}",
            )
        return found

    def _renumber(self, graph: int, iteration: Iteration, full_names: dict[str, str], read: list[FileName]) -> None:
        """Correct names whose numbers contradict the times of files."""
        program = self._rank.programs.get(graph)
        if program is None:
            return
        times: dict[str, int] = {}
        for name in read:
            full_name = full_names.get(name.name)
            if not name.is_input and full_name is not None:
                times[full_name] = max(times.get(full_name, 0), name.time)
        changed = renumbered(program, times)
        for spelled, full_name in full_names.items():
            if full_name in changed:
                full_names[spelled] = changed[full_name]
                self._dump.notes.add(
                    f"its number is not the graph's, by the times of files; it is {changed[full_name]} there",
                    f"{iteration.folder}, {spelled}",
                )


def _table(program: Program | None) -> NameTable | None:
    return None if program is None else NameTable((*program.nodes, *program.parameters))


def _add_rows(iteration: Iteration, full_names: dict[str, str]) -> None:
    """Give rows of statistics full names, and add tensors of which only statistics were dumped."""
    for row in iteration.statistics:
        row.op_name = full_names.get(row.op_name, full_names.get(written(row.op_name), row.op_name))
        row.io = row.io.lower()
        if iteration.find(row.op_name, row.slot, is_input=row.io == "input") is None:
            iteration.add(_of_row(row))


def _of_row(row: StatisticRow) -> TensorFile:
    time = int(row.time_stamp or 0)
    return TensorFile(row.op_name, row.op_type, row.io == "input", row.slot, 0, "", row.data_type, time, "")


def _asked(settings: dict[str, Any]) -> set[int]:
    """The iterations that the settings ask for: `0-2|5`. "all" and what is not understood ask for none by number."""
    common = settings.get("common_dump_settings")
    text = common.get("iteration", "") if isinstance(common, dict) else ""
    found = set[int]()
    for part in str(text).split("|"):
        ends = re.fullmatch(r"(\d+)(?:-(\d+))?", part.strip())
        if ends is not None:
            first, last = int(ends[1]), int(ends[2] or ends[1])
            found.update(range(first, min(last, first + 1_000_000) + 1))
    return found
