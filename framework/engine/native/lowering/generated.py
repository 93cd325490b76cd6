"""Lowering of generated kernels: segments call their loops with addresses and known strides."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from framework.engine.native.layouts import ClusterCall, Layout
from framework.engine.native.segments import Segment
from framework.kernels.fused import Cluster, loops_of
from framework.kernels.fused.cluster import ANY, axes_read, flat, read_strides

__all__ = ["record"]


def record(segment: Segment, cluster: Cluster, read: Sequence[Layout], made: Sequence[Layout]) -> None:
    """Record a call of a generated kernel's loops.

    Args:
        segment: the segment.
        cluster: the description of the kernel.
        read: the arrays that it reads; those that have to be contiguous are copied if need be.
        made: the arrays that it writes.
    """
    cluster = flat(cluster)
    strided = [item.strided for item in cluster.inputs]
    given, unit = read_strides(cluster)
    arrays = [item if may else segment.as_contiguous(item) for item, may in zip(read, strided, strict=True)]
    for name in unit:
        number, axis = map(int, name.split("."))
        if arrays[number].strides[axis] != arrays[number].dtype.itemsize:
            arrays[number] = segment.as_contiguous(arrays[number])
    strides = []
    for name in given:
        number, axis = map(int, name.split("."))
        strides.append(arrays[number].strides[axis])
    elements = made[-1].size if cluster.shape == ANY else prod(cluster.shape)
    length = elements if cluster.shape == ANY else axes_read(cluster)[0][0]
    name = " ".join(step.name for step in cluster.steps)
    segment.call_cluster(ClusterCall(name, loops_of(cluster), (*arrays, *made), tuple(strides), length, elements))
