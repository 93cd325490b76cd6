"""Finds operators that the files of a dump number differently than the graph does. `mindspore.py` calls it.

MindSpore 2.10 writes the graph before its last passes. These number some operators anew: the `ReduceSum-op1` of the
files may be the `ReduceSum-op0` of the graph. Times show it: nothing is written before what it was computed from.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import permutations
from typing import Final

from debugging.dumps.formats.file_names import stem_of
from debugging.dumps.program import Program

__all__ = ["renumbered"]

_MOST: Final = 6
"""Most operators of a scope and type that are tried in every order; of more, those in a contradiction."""


def renumbered(program: Program, times: Mapping[str, int]) -> dict[str, str]:
    """Which node of the graph a node of the files is, where the numbers cannot be right.

    Args:
        program: The graph.
        times: When the outputs of nodes were written, by full names.

    Returns:
        The graph's full names by those of the files, for the nodes that differ.
    """
    edges = list(_edges(program, times))
    touching: dict[str, list[tuple[str, str]]] = {}
    for edge in edges:
        for name in edge:
            touching.setdefault(name, []).append(edge)
    #: The node of the files that stands for a node of the graph.
    now = {name: name for name in times}
    while True:
        wrong = [edge for edge in edges if times[now[edge[0]]] > times[now[edge[1]]]]
        gains = [(_best(members, touching, now, times), members) for members in _groups(wrong, touching)]
        improved = False
        for (gain, _), members in sorted(gains, key=lambda one: -one[0][0]):
            if gain > 0:
                # Another group may have changed since, so this one is looked at again.
                gain_now, found = _best(members, touching, now, times)
                if gain_now > 0:
                    now.update(found)
                    improved = True
        if not improved:
            return {file: name for name, file in now.items() if name != file}


def _edges(program: Program, times: Mapping[str, int]) -> Iterator[tuple[str, str]]:
    """Pairs of nodes that were both dumped: a producer and its reader."""
    for node in program.nodes.values():
        if node.full_name in times:
            for source in node.inputs:
                if source.name is not None and source.name in times and source.name in program.nodes:
                    yield source.name, node.full_name


def _groups(wrong: Collection[tuple[str, str]], touching: Mapping[str, object]) -> Iterator[list[str]]:
    """Operators of one scope and type of which one is in a contradiction; of too many, those alone that are in one."""
    wrong_ones = {name for edge in wrong for name in edge}
    stems = {stem_of(name) for name in wrong_ones}
    groups: dict[str, list[str]] = {}
    for name in sorted(touching) if stems else ():
        if (stem := stem_of(name)) in stems:
            groups.setdefault(stem, []).append(name)
    for members in groups.values():
        chosen = members if len(members) <= _MOST else [name for name in members if name in wrong_ones]
        if 1 < len(chosen) <= _MOST:
            yield chosen


def _best(
    members: Sequence[str],
    touching: Mapping[str, list[tuple[str, str]]],
    now: dict[str, str],
    times: Mapping[str, int],
) -> tuple[int, dict[str, str]]:
    """The order of a group that removes the most contradictions: how many it removes, and the order."""
    edges = {edge for name in members for edge in touching[name]}
    before = _contradictions(edges, now, times)
    best: tuple[int, dict[str, str]] = 0, {}
    for files in permutations([now[name] for name in members]):
        tried = dict(zip(members, files, strict=True))
        gain = before - _contradictions(edges, ChainMap(tried, now), times)
        if gain > best[0]:
            best = gain, tried
    return best


def _contradictions(edges: Iterable[tuple[str, str]], now: Mapping[str, str], times: Mapping[str, int]) -> int:
    return sum(times[now[source]] > times[now[reader]] for source, reader in edges)
