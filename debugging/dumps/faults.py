"""Finds where a number of a dump first was not finite. `mindinsight dump` calls it."""

from __future__ import annotations

from dataclasses import dataclass

from debugging.cause import History, find_cause
from debugging.dumps.dump import Dump
from debugging.dumps.program import Line
from debugging.dumps.replay import nodes_of, recording_of
from debugging.tensors.tensor_names import TensorName
from summaries.schema import debugger_pb2 as wire

__all__ = ["Fault", "find_fault"]


@dataclass(frozen=True)
class Fault:
    """The first number that is not finite.

    Attributes:
        rank: Where.
        graph: Id of the graph.
        iteration: When.
        cause: What `find_cause` says: verdict, producer with its inputs, path to the loss.
        line: The line of the source that made the operator; None if unknown.
    """

    rank: int
    graph: int
    iteration: int
    cause: wire.Cause
    line: Line | None = None

    @property
    def operator(self) -> str:
        """Full name of the operator, or name of the tensor that came in."""
        return self.cause.producer.tensor.full_name

    def lines(self) -> list[str]:
        """What a terminal shows."""
        cause = self.cause
        where = f"rank {self.rank}, iteration {self.iteration}"
        if cause.verdict in ("not_finite_input", "not_finite_weight"):
            lines = [f"Not finite: {self.operator} in {where}. It was so before an operator of the dump read it."]
        else:
            lines = [
                f"Not finite: {self.operator} ({cause.producer.type}) in {where}.",
                "It is the first operator, in order of execution, whose output is not finite from finite inputs.",
            ]
        if self.line is not None:
            lines.append(f"  {self.line}")
        lines.append(
            f"  cause: {cause.verdict}" + "".join(f", {name} {text}" for name, text in sorted(cause.facts.items()))
        )
        lines += [f"  input {_told(item)}" for item in cause.producer.inputs]
        if cause.producer.HasField("output"):
            lines.append(f"  output {_told(cause.producer.output)}")
        if cause.propagators:
            lines.append(f"  {cause.propagators} further operators pass it on")
        return lines


def _told(found: wire.Statistics) -> str:
    name = str(TensorName.of(found.tensor)) if found.HasField("tensor") else "constant"
    shape = "x".join(map(str, found.shape)) or "scalar"
    counts = (("NaN", found.nans), ("+inf", found.pos_infs), ("-inf", found.neg_infs))
    bad = [f"{int(count)} {what}" for what, count in counts if count]
    zeros = f", {int(found.zeros)} of {int(found.count)} zero" if found.zeros else ""
    return f"{name}: {found.dtype} {shape}, min {found.min:.6g}, max {found.max:.6g}{zeros}" + "".join(
        f", {item}" for item in bad
    )


def find_fault(dump: Dump) -> Fault | None:
    """The first operator, in order of execution, that made a number that is not finite from finite ones.

    Iterations are searched from the earliest one on. A node counts only if its output and its inputs were dumped, or
    the outputs of the nodes that it reads; msprobe does not say what these are, so equal elements stand for it.

    Args:
        dump: The dump.

    Returns:
        The fault; None if all numbers that can be read are finite, or none has a known origin.
    """
    for rank, graph, iteration in dump.all_iterations():
        recording = recording_of(dump, rank, graph, iteration)
        cause = find_cause(recording, History(), nodes_of(rank, graph, recording))
        if cause.verdict != "nothing":
            program = rank.programs.get(graph)
            node = None if program is None else program.nodes.get(cause.producer.tensor.full_name)
            line = None if node is None else node.line
            return Fault(rank.number, graph, iteration.number, cause, line)
    return None
