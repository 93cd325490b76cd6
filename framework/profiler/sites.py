"""What a site of a capture is, for people and files: names, the members of a fused kernel, and their work.

The share of a member in the time of its kernel is by the bytes that it would move alone, so it is an estimate.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Self

from framework.ir.abstract import AbstractTensor, AbstractTuple
from framework.ir.anf import CNode
from framework.profiler.work import PlannedTensor, bytes_of, flops_of
from framework.tracing import Site

__all__ = ["Member", "SiteText", "site_text"]


@dataclass(frozen=True)
class Member:
    """An operator that a kernel computes.

    Attributes:
        full_name: `scope/Type-opN`.
        op_type: the type of the operator.
        share: its share of the kernel's time, an estimate where there are several.
        flops: floating-point operations of one execution.
        bytes_moved: bytes of its inputs and outputs.
        memory: bytes of its outputs.
    """

    full_name: str
    op_type: str
    share: float = 1.0
    flops: int = 0
    bytes_moved: int = 0
    memory: int = 0


@dataclass(frozen=True)
class SiteText:
    """A site as it is written down.

    Attributes:
        kind: one of `framework.tracing.KINDS`.
        title: the name of the kernel or operator.
        line: the user's line; empty if it is unknown.
        shape: shape and element type of the output; empty if unknown.
        leads: whether its executions count as those of its members; not so for a helper, such as a copy.
        members: what it computes.
    """

    kind: str
    title: str
    line: str = ""
    shape: str = ""
    leads: bool = True
    members: tuple[Member, ...] = ()

    def plain(self) -> dict[str, Any]:
        """As JSON."""
        return asdict(self)

    @classmethod
    def of(cls, plain: Mapping[str, Any]) -> Self:
        """From JSON."""
        return cls(**{**plain, "members": tuple(Member(**one) for one in plain["members"])})


def site_text(site: Site) -> SiteText:
    """What a site is.

    Args:
        site: the site.
    """
    node = site.sources[0] if site.sources else None
    if isinstance(node, CNode):
        line = f"{node.location.file}:{node.location.line}" if node.location is not None else ""
        return SiteText(site.kind, site.title, line, _shape(node.abstract), site.leads, _members(node))
    members: tuple[Member, ...] = ()
    if site.kind in ("operator", "backward"):
        members = (Member(site.title, site.title.split()[0]),)
    return SiteText(site.kind, site.title, site.line, "", site.leads, members)


def _members(node: CNode) -> tuple[Member, ...]:
    """The operators that a node computes, with their shares."""
    sources = [one for one in getattr(node.operator, "sources", ()) if isinstance(one, CNode)] or [node]
    single = [_member(one) for one in sources]
    total = sum(one.bytes_moved for one in single) or len(single)
    shared = [Member(one.full_name, one.op_type, (one.bytes_moved or 1) / total if len(single) > 1 else 1.0,
                     one.flops, one.bytes_moved, one.memory) for one in single]  # fmt: skip
    return tuple(shared)


def _member(node: CNode) -> Member:
    primitive = node.operator
    op_type = str(getattr(primitive, "name", primitive))
    inputs, outputs = [_arrays(one.abstract) for one in node.arguments], _arrays(node.abstract)
    read, made = bytes_of(inputs, outputs)
    try:
        flops = flops_of(primitive, inputs, outputs)
    except (AttributeError, IndexError, TypeError):
        flops = 0  # an operator that a pass has made, of another form
    return Member(node.full_name or f"{node.scope or 'Default'}/{op_type}", op_type, 1.0, flops, read + made, made)


def _arrays(abstract: Any) -> Any:
    """The tensors of an abstract value."""
    if isinstance(abstract, AbstractTensor):
        shape = tuple(size or 1 for size in abstract.shape)
        size = abstract.dtype.itemsize
        for axis in shape:
            size *= axis
        return PlannedTensor(shape, size)
    if isinstance(abstract, AbstractTuple):
        return tuple(map(_arrays, abstract.elements))
    return None


def _shape(abstract: Any) -> str:
    return f"{abstract.dtype}{list(abstract.shape)}" if isinstance(abstract, AbstractTensor) else ""
