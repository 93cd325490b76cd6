"""Finds and loads the compiled library once per process, and calls its functions with work graphs."""

from __future__ import annotations

from ctypes import POINTER, Structure, byref, c_char_p, c_int32, c_int64, c_void_p
from pathlib import Path
from weakref import WeakKeyDictionary

import numpy as np

from mindinsight.graphs.substructures.kernel.build import PART
from mindinsight.graphs.substructures.work import Colours, Integers, PatternPlan, Rows, WorkGraph
from summaries.kernel.loading import find, load


class _Graph(Structure):
    """`struct graph` of repeats.c."""

    _fields_ = [
        ("nodes", c_int64),
        ("edges", c_int64),
        *((name, c_void_p) for name in WorkGraph.KERNEL_COLUMNS),
    ]


class _Found(Structure):
    """`struct found` of repeats.c."""

    _fields_ = [("size", c_int32), ("count", c_int32), ("nodes", POINTER(c_int32))]


class _Pattern(Structure):
    """`struct pattern` of repeats.c."""

    _fields_ = [
        ("size", c_int32),
        ("nodes", c_void_p),
        ("from_", c_void_p),
        ("edge", c_void_p),
        ("out", c_void_p),
        ("signs", c_void_p),
    ]


class Kernel:
    """The functions of repeats.c.

    Args:
        path: the library.

    Raises:
        UnusableError: the library cannot be used.
    """

    def __init__(self, path: Path = PART.target) -> None:
        library = load(PART, path, "mindinsight.graphs.substructures.kernel")
        self._colour = library.colour_round
        self._keys = library.make_keys
        self._grow = library.grow
        self._signs = library.pattern_signs
        self._match = library.match
        self._verify = library.verify
        self._release = library.release
        library.repeats_source.restype = c_char_p
        graph = POINTER(_Graph)
        self._colour.argtypes = [graph, c_void_p, c_void_p, c_int32, c_int32]
        self._colour.restype = None
        self._keys.argtypes = [graph, c_void_p, c_void_p, c_void_p]
        self._grow.argtypes = [graph, c_void_p, c_int32, c_int32, c_int64, POINTER(_Found)]
        self._signs.argtypes = [graph, c_void_p, c_int32, c_void_p]
        self._signs.restype = None
        self._match.argtypes = [graph, POINTER(_Pattern), c_void_p, c_int64, c_int32, c_int64, POINTER(_Found)]
        self._verify.argtypes = [graph, c_void_p, c_int32, c_int32, c_int32, c_void_p]
        self._release.argtypes = [POINTER(_Found)]
        self._release.restype = None

    def colour_round(self, work: WorkGraph, before: Colours, widest_in: int, widest_out: int) -> Colours:
        """Returns the colours after one more round."""
        after = np.empty(len(work), np.uint64)
        self._colour(byref(_graph(work)), before.ctypes.data, after.ctypes.data, widest_in, widest_out)
        return after

    def make_keys(self, work: WorkGraph, near: Colours, middle: Colours, far: Colours) -> None:
        """Fills the keys of all edges and sorts `out_edge` by them."""
        colours = [np.ascontiguousarray(colour) for colour in (near, middle, far)]
        if self._keys(byref(_graph(work)), *(colour.ctypes.data for colour in colours)):
            raise MemoryError

    def grow(self, work: WorkGraph, roots: Integers, most_drops: int, budget: int) -> Rows:
        """Returns occurrences as rows, or none if nothing is saved."""
        found = _Found()
        roots = np.ascontiguousarray(roots, np.int32)
        if self._grow(byref(_graph(work)), roots.ctypes.data, len(roots), most_drops, budget, byref(found)):
            raise MemoryError
        return np.ascontiguousarray(self._take(found, found.size, found.count).T)

    def match(self, work: WorkGraph, plan: PatternPlan, anchors: Integers, tolerance: int, steps: int) -> Rows:
        """Returns disjoint occurrences of a pattern at some anchors, as rows."""
        found = _Found()
        signs = np.empty(len(plan.nodes), np.uint64)
        graph = _graph(work)
        self._signs(byref(graph), plan.nodes.ctypes.data, len(plan.nodes), signs.ctypes.data)
        pattern = _Pattern(
            len(plan.nodes),
            plan.nodes.ctypes.data,
            plan.before.ctypes.data,
            plan.edge.ctypes.data,
            plan.out.ctypes.data,
            signs.ctypes.data,
        )
        anchors = np.ascontiguousarray(anchors, np.int32)
        if self._match(byref(graph), byref(pattern), anchors.ctypes.data, len(anchors), tolerance, steps, byref(found)):
            raise MemoryError
        return self._take(found, found.count, found.size)

    def verify(self, work: WorkGraph, rows: Rows, labels: bool) -> np.ndarray[tuple[int], np.dtype[np.bool]]:
        """Returns for each row whether it equals the first one."""
        rows = np.ascontiguousarray(rows, np.int32)
        same = np.zeros(len(rows), np.uint8)
        count, size = rows.shape
        if self._verify(byref(_graph(work)), rows.ctypes.data, count, size, int(labels), same.ctypes.data):
            raise MemoryError
        return same.astype(np.bool)

    def _take(self, found: _Found, rows: int, columns: int) -> Rows:
        if not rows * columns:
            return np.empty((rows, columns), np.int32)
        copied = np.ctypeslib.as_array(found.nodes, (rows, columns)).copy()
        self._release(byref(found))
        return copied


_GRAPHS: WeakKeyDictionary[WorkGraph, _Graph] = WeakKeyDictionary()


def _graph(work: WorkGraph) -> _Graph:
    """The arrays must live as long as the work graph. Only `region` and `in_class` are ever replaced."""
    graph = _GRAPHS.get(work)
    if graph is None:
        columns = [getattr(work, name).ctypes.data for name in WorkGraph.KERNEL_COLUMNS]
        graph = _GRAPHS[work] = _Graph(len(work), work.edge_count, *columns)
    graph.region = work.region.ctypes.data
    graph.in_class = work.in_class.ctypes.data
    return graph


KERNEL: Kernel | None
"""Returns the loaded library, or None if Python does the work."""

MISSING: str
"""The reason why there is no library; empty if there is one."""

KERNEL, MISSING = find(Kernel)
