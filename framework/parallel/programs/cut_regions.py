"""Cuts regions of programs over ranks: reads, decides, cuts Parameters, writes. `infer.whole_regions` calls it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from framework import context
from framework.communication.data_parallel import check_device_num
from framework.communication.worlds import group_size
from framework.infer.evaluators.inference import Inference
from framework.infer.state.emitter import Emitter
from framework.ir.abstract import Abstract, AbstractTensor, AbstractTuple
from framework.ir.anf import FuncGraph, Node, Parameter
from framework.ir.clone import inline
from framework.ir.errors import InferenceError
from framework.nn.optim.optimizer import Optimizer
from framework.opt.pipeline import simplify
from framework.parallel.deciding import decided_divisions
from framework.parallel.layouts.placements import mesh_of, parts_of
from framework.parallel.programs.cut_parameters import cut_parameter, placement_of
from framework.parallel.programs.datasets import argument_placement, describes_parts, result_placement
from framework.parallel.programs.inserting import program_of_parts
from framework.parallel.programs.network_of_program import NetworkOfProgram, leaves
from framework.parallel.rules.indices import Division

__all__ = ["Regions"]


@dataclass
class _Decided:
    """A region whose divisions are decided."""

    graph: FuncGraph
    read: NetworkOfProgram
    divisions: list[Division]

    def written(self, infer: Inference) -> FuncGraph:
        """The function for the parts of this rank."""
        mesh = self.read.network.mesh
        return program_of_parts(
            infer, self.graph, self.read, self.divisions, lambda shape: result_placement(shape, mesh)
        )


class Regions:
    """What inference asks about regions."""

    def is_region(self, function: object) -> bool:
        """Whether a function without gradients is a region: every one but an optimizer's update."""
        return not isinstance(function, Optimizer)

    def whole(self, abstract: Abstract, position: int) -> Abstract:
        """The whole of which an argument of a region is this rank's part.

        Args:
            abstract: its abstract value.
            position: its position among the arguments that have dimensions.
        """
        if isinstance(abstract, AbstractTuple):
            return AbstractTuple(tuple(self.whole(item, position) for item in abstract.elements), abstract.is_list)
        if not isinstance(abstract, AbstractTensor) or abstract.shape is None:
            return abstract
        mesh = mesh_of(group_size())
        shape = tuple(length for length in abstract.shape if length is not None)
        if len(shape) < len(abstract.shape):
            return abstract
        counts = parts_of(argument_placement(position, shape, mesh), mesh, len(shape))
        return AbstractTensor(
            tuple(length * count for length, count in zip(shape, counts, strict=True)), abstract.dtype
        )

    def decide(self, infer: Inference, graph: FuncGraph) -> _Decided:
        """Decide how a region is divided, and cut its Parameters."""
        check_device_num(context.get_auto_parallel_context("device_num"))
        mesh = mesh_of(group_size())
        sized = [bool(getattr(item.abstract, "shape", None)) for item in graph.parameters]
        read = NetworkOfProgram(
            infer, graph, mesh, lambda place, shape: argument_placement(sum(sized[:place]), shape, mesh), placement_of
        )
        network = read.network
        network.results = [
            (number, result_placement(network.values[number].shape, mesh)) for number in leaves(read.of(graph.output))
        ]
        divisions = decided_divisions(network, graph.name)
        placements = network.placements(divisions)
        for number, weight in read.weights.items():
            if id(weight) in infer.program.read_before and any(item is not None for item in placements[number]):
                raise infer.program.error(
                    f"Parameter {weight.name} is cut over ranks, and this step also reads it outside of the function "
                    "that gradients are taken of: take loss and gradients from one call of value_and_grad"
                )
            cut_parameter(weight, placements[number])
        return _Decided(graph, read, divisions)

    def parts(self, infer: Inference, function: Node, given: Sequence[Node], named: Mapping[str, Node]) -> Node:
        """The result of a region without gradients, for this rank's parts."""
        build = infer.build
        graph = FuncGraph(infer.program.root.name)
        passed: list[Node] = []

        def whole(node: Node) -> Node:
            if not isinstance(node, Parameter) or node.default is not None:
                return node
            number = sum(bool(getattr(item.abstract, "shape", None)) for item in passed)
            passed.append(node)
            assert node.abstract is not None  # noqa: S101
            return graph.add_parameter(node.name, abstract=self.whole(node.abstract, number))

        outer, before = build.emitter, build.effects
        with infer.program.region():
            build.emitter = Emitter(graph)
            try:
                inner = [whole(node) for node in given]
                result = infer.call(function, inner, {name: whole(node) for name, node in named.items()})
                build.finish(build.emitter, build.materialized(result))
            except InferenceError as error:
                raise self.explained(error) from None
            finally:
                build.emitter = outer
            simplify(graph)
            decided = self.decide(infer, graph)
        made = inline(decided.written(infer), passed, outer.graph, state=outer.state if outer.effects else None)
        if build.effects > before:
            build.effect(made)
        return made

    def explained(self, error: InferenceError) -> InferenceError:
        """An error in a region, with what its arguments were taken for."""
        if not describes_parts():
            return error
        return type(error)(
            f"{error.message} (each of {group_size()} ranks is taken to pass its part of the batch, so "
            "shapes are those of the whole batch: write set_auto_parallel_context(full_batch=True) if every rank "
            "passes whole tensors)",
            error.location,
            error.within,
        )
