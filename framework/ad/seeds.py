"""The seed of the backward pass: the gradient with respect to a result, which is given or ones.

A seed of a wrong shape is an error, with the same message as from the tape (`framework.pynative.gradient`). Otherwise
the first operator would broadcast it, and the gradient would be wrong.
"""

from __future__ import annotations

from collections.abc import Iterator

from framework.ad.sensitivity import flows, zeros
from framework.infer.evaluators.inference import Inference
from framework.ir.abstract import Abstract, AbstractDict, AbstractScalar, AbstractTensor, AbstractTuple, Shape
from framework.ir.anf import Node
from framework.ir.naming import COMPILED
from framework.ops import operations as P  # noqa: N812

__all__ = ["seed"]


def seed(infer: Inference, value: Node, sens: Node | None, *, has_aux: bool) -> Node:
    """The gradient with respect to the result of a function.

    Args:
        infer: the inference.
        value: the result.
        sens: the given gradient, in the structure of the result; None for ones.
        has_aux: whether only the first of the results is differentiated.

    Raises:
        InferenceError: the result contains no tensor, or `sens` does not fit it.
    """
    if has_aux and isinstance(value.abstract, AbstractTuple):
        items = infer.build.items(value)
        first = seed(infer, items[0], sens, has_aux=False)
        return infer.build.make_tuple([first, *(_none_for(infer, item) for item in items[1:])])
    count = len(_leaves(value.abstract))
    if not count:
        raise infer.program.error(
            f"the function returned {value.abstract}: only functions that return tensors have gradients"
        )
    if sens is not None and len(_leaves(sens.abstract)) != count:
        given = len(_leaves(sens.abstract))
        raise infer.program.error(f"the function returned {count} tensors, sens holds {given}: pass one for each")
    return _seed(infer, value, None if sens is None else iter(_tensors(infer, sens)))


def _seed(infer: Inference, value: Node, given: Iterator[Node] | None) -> Node:
    if isinstance(value.abstract, AbstractTuple | AbstractDict):
        return infer.build.make_tuple([_seed(infer, item, given) for item in _parts(infer, value)])
    if not _leaves(value.abstract):
        return _none_for(infer, value)
    sens = None if given is None else next(given)
    if sens is not None and not _fits(shape := _shape(sens.abstract), wanted := _shape(value.abstract)):
        raise infer.program.error(f"sens of shape {shape} does not fit an output of shape {wanted}")
    if not flows(value.abstract):
        return _none_for(infer, value)
    if sens is not None and isinstance(sens.abstract, AbstractTensor) and len(shape) == len(wanted):
        return sens
    ones = infer.build.primitive(P.OnesLike(), [value])
    return ones if sens is None else infer.build.primitive(P.Mul(), [ones, sens])


def _none_for(infer: Inference, value: Node) -> Node:
    """Zeros for a result that is not differentiated; in PyNative mode nothing executes for it."""
    with infer.program.backward(COMPILED, infer.program.made):
        return zeros(infer, value)


def _parts(infer: Inference, node: Node) -> list[Node]:
    if isinstance(node.abstract, AbstractDict):
        return list(infer.build.entries(node).values())
    return infer.build.items(node)


def _tensors(infer: Inference, node: Node) -> list[Node]:
    """The tensors and numbers of a structure."""
    if isinstance(node.abstract, AbstractTuple | AbstractDict):
        return [item for part in _parts(infer, node) for item in _tensors(infer, part)]
    return [node] if _leaves(node.abstract) else []


def _leaves(abstract: Abstract | None) -> list[Abstract]:
    """The tensors and numbers of a structure: one gradient belongs to each."""
    if isinstance(abstract, AbstractTuple | AbstractDict):
        return [leaf for element in abstract.elements for leaf in _leaves(element)]
    is_number = isinstance(abstract, AbstractScalar) and abstract.type is not bool
    return [abstract] if abstract is not None and (is_number or isinstance(abstract, AbstractTensor)) else []


def _shape(abstract: Abstract | None) -> Shape:
    return abstract.shape if isinstance(abstract, AbstractTensor) else ()


def _fits(given: Shape, wanted: Shape) -> bool:
    if not given and all(size == 1 for size in wanted):
        return True  # The scale of a loss is a scalar, a loss may have the shape (1,).
    return len(given) == len(wanted) and all(
        one == other or None in (one, other) for one, other in zip(given, wanted, strict=True)
    )
