"""Recursive functions: one that calls itself below a choice becomes a graph, which calls itself.

A fixed point (Cousot and Cousot 1977): the function is evaluated for a signature and an assumed result. At first the
result is *bottom*, and paths that need it are left out. Then the signature is widened by the arguments of its own
calls, and the result by the returned values, until an evaluation changes neither.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from framework.infer.control_flow.loops import MOST_PASSES
from framework.infer.control_flow.signatures import (
    Signature,
    finish,
    joined,
    ordered,
    parameters,
    passed,
    signature_of,
)
from framework.infer.evaluators.inference import Inference
from framework.infer.state.emitter import Emitter
from framework.infer.state.flow import Entry, NotYetError, Recursion
from framework.infer.values import Closure, all_same
from framework.ir.abstract import Abstract, broaden
from framework.ir.anf import CNode, FuncGraph, Node

__all__ = ["Recursions"]


class Recursions:
    """Follows calls of recursive functions.

    Args:
        infer: the inference.
        inline: follows the body of a function for arguments.
    """

    def __init__(self, infer: Inference, inline: Callable[[Closure, list[Node]], Node]) -> None:
        self._infer = infer
        self._build = infer.build
        self._flow = infer.flow
        self._program = infer.program
        self._mutations = infer.mutations
        self._inline = inline

    def call(self, closure: Closure, arguments: list[Node]) -> Node:
        """A call from outside of the function: evaluates its graph."""
        record = Recursion(FuncGraph(closure.name, closure.graph.location), signature_of(arguments))
        place = self._program.location
        for _ in range(MOST_PASSES):
            checkpoint, self._program.location = self._flow.checkpoint(), place
            record.graph = FuncGraph(closure.name, closure.graph.location)
            record.calls, record.untyped = [], []
            before, had_effects, returned = self._build.effects, record.effects, record.returned
            result = self._attempt(closure, record)
            record.effects = self._build.effects > before
            wider = self._widened(closure, record)
            is_wider = not all_same(wider, record.signature)
            settled = result is not None and record.result is not None and record.result == result
            settled = settled and record.effects == had_effects and record.returned == returned
            if settled and not record.incomplete and not is_wider:
                return self._settled(record, arguments, result)
            if is_wider:
                wider = [b if a == b else broaden(b) for a, b in zip(record.signature, wider, strict=True)]
            record.signature, record.result = wider, result if result is not None else record.result
            self._flow.rollback(checkpoint)
            # If a number is known, the path that ends the recursion may be missing. In the next pass it is unknown.
            if result is None and not is_wider:
                break
        raise self._program.error(
            f"{closure.name}() never returns without calling itself, or its argument types keep changing: "
            "one path must return without calling it"
        )

    def _widened(self, closure: Closure, record: Recursion) -> Signature:
        """The join of the function's signature with the arguments that its own calls pass."""
        wider = record.signature
        for given in record.calls:
            pairs = zip(wider, given, strict=True)
            wider = [joined(self._infer, a, b, f"the arguments of {closure.name}()") for a, b in pairs]
        return wider

    def _settled(self, record: Recursion, arguments: list[Node], result: Abstract | None) -> CNode:
        for node in record.untyped:
            node.abstract = result
        return self._emit(record, arguments, result)

    def _attempt(self, closure: Closure, record: Recursion) -> Abstract | None:
        """Evaluate the function once. The result is None if nothing is known about it yet."""
        outer, self._build.emitter = self._build.emitter, Emitter(record.graph, self._build.emitter.depth)
        self._flow.active.append(Entry(closure.graph, closure.around, self._build.emitter.depth, record))
        record.incomplete = False
        try:
            given = parameters(closure.graph, record.graph, record.signature)
            result = self._inline(closure, given)
            record.returned |= self._mutations.may_be(result, given)
            finish(self._infer, self._build.materialized(result))
            if any(self._mutations.since(parameter) is not False for parameter in given):
                raise self._program.error(
                    f"{closure.name}() calls itself and changes an argument: copy the argument first"
                )
        except NotYetError:
            record.incomplete = True
            return None
        finally:
            self._flow.active.pop()
            self._build.emitter = outer
        return None if result.abstract is None else broaden(result.abstract)

    def call_again(self, record: Recursion, arguments: list[Node]) -> Node:
        """A call of the function by itself.

        Raises:
            NotYetError: nothing is known about its result yet.
        """
        record.calls.append(signature_of(arguments))
        if record.result is None:
            raise NotYetError
        call = self._emit(record, arguments, record.result)
        record.untyped.append(call)
        return call

    def _emit(self, record: Recursion, arguments: Sequence[Node], result: Abstract | None) -> CNode:
        given = ordered(self._infer, passed(self._infer, arguments, record.signature))
        call = self._build.emitter.graph.apply(record.graph, *given)
        call.abstract, call.location, call.scope = result, self._program.place, self._program.scope
        # It may return one of its arguments.
        self._mutations.link(call, [(arguments[place], {}) for place in sorted(record.returned)])
        if record.effects:
            self._build.effect(call)
        return call
