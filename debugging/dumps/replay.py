"""A dumped iteration as a recorded step, so that what looks at live steps also looks at dumps. `faults.py` calls it."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from debugging.dumps.dump import Dump, Iteration, Rank, TensorFile
from debugging.dumps.program import Program, ProgramNode, Source
from debugging.tensors.recording import Executed, Input, Recording
from debugging.tensors.step_nodes import StepNodes
from debugging.tensors.tensor_names import TensorName

__all__ = ["nodes_of", "order_of", "recording_of"]


@dataclass(frozen=True)
class _Weight:
    name: str
    array: Any

    @property
    def current(self) -> Any:
        """Its elements, which do not change."""
        return self.array


def order_of(program: Program | None, iteration: Iteration) -> list[tuple[str, int]]:
    """The executed nodes of an iteration, in order: names and rounds.

    The graph's order is taken if it names every node and none ran twice; otherwise the times at which outputs were
    written.
    """
    times: dict[tuple[str, int], int] = {}
    parameters = set() if program is None else set(program.parameters)
    for file in iteration.files.values():
        if file.type == "Parameter" or file.node in parameters:
            continue
        key = file.node, file.round
        times[key] = max(times.get(key, 0), file.time)
    places = {} if program is None else {name: place for place, name in enumerate(program.order)}
    if all(name in places and not number for name, number in times):
        return sorted(times, key=lambda key: places[key[0]])
    return sorted(times, key=lambda key: times[key])


def recording_of(dump: Dump, rank: Rank, graph: int, iteration: Iteration) -> Recording:
    """A dumped iteration as a recording.

    Args:
        dump: The dump.
        rank: Of the iteration.
        graph: Id of its graph.
        iteration: The iteration.
    """
    return _Replay(dump, rank, graph, iteration).recording()


def nodes_of(rank: Rank, graph: int, recording: Recording) -> StepNodes:
    """The nodes of a recorded iteration."""
    program = rank.programs.get(graph)
    parameters = () if program is None else program.parameters
    inputs = frozenset() if program is None else program.inputs
    arrays = {name: recording.array(TensorName(name)) for name in parameters}
    weights = [
        _Weight(name, np.empty(0) if array is None else array) for name, array in arrays.items() if name not in inputs
    ]
    nodes = StepNodes(weights, frozenset() if program is None else program.trained or program.changed)
    nodes.add_inputs({name: arrays[name] for name in parameters if name in inputs})
    nodes.add_recorded(recording)
    return nodes


class _Replay:
    def __init__(self, dump: Dump, rank: Rank, graph: int, iteration: Iteration) -> None:
        self._dump = dump
        self._program = rank.programs.get(graph)
        self._iteration = iteration
        self._before = rank.iterations.get(graph, {}).get(iteration.number - 1)
        #: The type of each execution, for nodes that the graph does not have.
        self._types: dict[tuple[str, int], str] = {}
        for file in iteration.files.values():
            self._types.setdefault((file.node, file.round), file.type)
        #: Whether the graph says what its nodes read.
        self._follows = self._program is not None and self._program.has_edges
        self._made: dict[tuple[str, int, int], Any] = {}
        #: The last output with some elements, where the graph does not say what a node read.
        self._by_content: dict[bytes, TensorName] = {}

    def recording(self) -> Recording:
        """The recording."""
        made = Recording(self._iteration.number, "graph")
        program = self._program
        for name in program.parameters if program is not None and self._follows else ():
            array = self._parameter(name)
            if array is not None:
                made.give(TensorName(name), array)
        outputs = self._slots(is_input=False)
        inputs = self._slots(is_input=True)
        for name, number in order_of(program, self._iteration):
            key = name, number
            executed = self._executed(name, number, inputs.get(key, ()), outputs.get(key, ()))
            if executed is not None:
                made.add(executed)
                for read, array in executed.inputs:
                    if read is not None and made.array(read) is None:
                        made.give(read, array)
        if program is not None and program.loss is not None:
            made.loss = TensorName(program.loss.name or "", program.loss.slot)
        return made

    def _executed(self, name: str, number: int, inputs: Collection[int], outputs: Collection[int]) -> Executed | None:
        """An execution; None if it is not known what it read, so that it says nothing about a cause."""
        node = None if self._program is None else self._program.nodes.get(name)
        if node is not None and self._follows:
            read = tuple(self._read(node, number))
        else:
            read = tuple(self._read_files(name, number, inputs))
            if not read:
                return None
        own = node if node is not None else ProgramNode(name, self._types.get((name, number), name))
        executed = Executed(name, number, own, read, self._arrays(own, number, outputs), (name,), own.line)
        for tensor, array in executed.tensors:
            self._made[tensor.full_name, tensor.slot, number] = array
            if not self._follows and array.size:
                self._by_content[_digest(array)] = tensor
        return executed

    def _slots(self, *, is_input: bool) -> dict[tuple[str, int], list[int]]:
        """The dumped slots of each execution."""
        found: dict[tuple[str, int], list[int]] = {}
        for file in self._iteration.files.values():
            if file.is_input == is_input:
                found.setdefault((file.node, file.round), []).append(file.slot)
        return found

    def _arrays(self, node: ProgramNode, number: int, slots: Collection[int]) -> tuple[Any, ...]:
        """The outputs of a node; an empty array stands for one that was not dumped or cannot be read.

        Those of an operator that changes parameters are the parameters afterwards: MindSpore never sets the memory of
        its own outputs, and writes its inputs after it has run.
        """
        name, found = node.full_name, []
        for slot in node.changes or range(max(len(node.shapes), 1 + max(slots, default=-1))):
            if node.changes:
                parameter = node.inputs[slot].name or ""
                file = self._iteration.find(name, slot, is_input=True, round_=number) or self._iteration.find(parameter)
            else:
                file = self._iteration.find(name, slot, round_=number) or self._as_input(name, slot, number)
            array = self._dump.values(self._iteration, file)
            found.append(np.empty(0, np.float32) if array is None else array)
        return tuple(found)

    def _as_input(self, name: str, slot: int, number: int) -> TensorFile | None:
        """An output that was not dumped, as the input of a node that reads it; None if that was not dumped either."""
        found = (
            self._iteration.find(reader.full_name, place, is_input=True, round_=number)
            for reader in (self._program.readers(name, slot) if self._program is not None else ())
            for place, source in enumerate(reader.inputs)
            if source == (name, slot)
        )
        return next((file for file in found if file is not None), None)

    def _read(self, node: ProgramNode, number: int) -> Iterator[Input]:
        """What a node read, by the graph: the producer's output, or the dumped input."""
        for slot, source in enumerate(node.inputs):
            file = self._iteration.find(node.full_name, slot, is_input=True, round_=number)
            name, array = self._produced(source, number)
            if array is None and slot not in node.changes:
                array = self._dump.values(self._iteration, file)
            if array is not None:
                yield (name if source.name is not None else None), array

    def _produced(self, source: Source, number: int) -> tuple[TensorName | None, Any]:
        if source.name is None:
            return None, None
        for round_ in (number, *range(number - 1, -1, -1)):
            array = self._made.get((source.name, source.slot, round_))
            if array is not None and array.size:
                return TensorName(source.name, source.slot, round_), array
        name = TensorName(source.name, source.slot)
        is_parameter = self._program is not None and source.name in self._program.parameters
        return name, self._parameter(source.name) if is_parameter else None

    def _parameter(self, name: str) -> Any:
        """A parameter before the step. Dumps have it after the step, so a changed one is that of the step before."""
        changed = self._program is not None and name in self._program.changed
        iteration = self._before if changed else self._iteration
        return None if iteration is None else self._dump.values(iteration, iteration.find(name))

    def _read_files(self, name: str, number: int, slots: Collection[int]) -> Iterator[Input]:
        """What a node read, by its dumped inputs. The producer is the node that last made the same elements."""
        for slot in sorted(slots):
            file = self._iteration.find(name, slot, is_input=True, round_=number)
            array = self._dump.values(self._iteration, file)
            if file is not None and array is not None:
                yield (self._by_content.get(_digest(array)) if array.size else None) or file.name, array


def _digest(array: Any) -> bytes:
    head = f"{array.dtype}{array.shape}".encode()
    return hashlib.blake2b(np.ascontiguousarray(array).tobytes(), key=hashlib.sha256(head).digest()).digest()
