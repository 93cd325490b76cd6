"""Writes clock reads around the calls of a segment, for a capture: each call becomes a slice in the recorder's ring.

Called by `machine_code`. The calls themselves stay what they are.
"""

from __future__ import annotations

import ctypes
import functools
import platform
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from framework.engine.native.layouts import Call, ClusterCall
from framework.ir.anf import Node
from framework.kernels.fused.compiling import engine_of, object_of
from framework.tracing import RECORDER, ROW_WORDS

if TYPE_CHECKING:
    from llvmlite import ir

    from framework.engine.native.segments import Segment
    from framework.kernels.fused.arrays import ArrayReader

__all__ = ["SliceWriter", "prepare_clock", "sites_of"]

_WORD: Final = 8
_HELPERS: Final = ("copy_elements", "widen")
_READS_CYCLES: Final = platform.machine().lower() in ("x86_64", "amd64")
_MONOTONIC: Final = 1
"""The number of the clock of `perf_counter_ns` in Linux."""


def sites_of(segment: Segment) -> list[int]:
    """New sites, one for each call of a segment. Of several calls of a node, the one with the most work leads."""
    calls: dict[Node, list[Call | ClusterCall]] = {}
    for call, node in zip(segment.calls, segment.call_nodes, strict=True):
        calls.setdefault(node, []).append(call)
    leading = {node: max(made, key=lambda one: (one.name not in _HELPERS, one.work)) for node, made in calls.items()}
    return [
        RECORDER.site(
            "loops" if isinstance(call, ClusterCall) else "kernel", _title(call), (node,), leads=leading[node] is call
        )
        for call, node in zip(segment.calls, segment.call_nodes, strict=True)
    ]


def _title(call: Call | ClusterCall) -> str:
    return " ".join(call.name.split())


class SliceWriter:
    """Writes the clock reads of one function.

    Args:
        builder: writes the function.
        reader: declares functions.
    """

    def __init__(self, builder: ir.IRBuilder, reader: ArrayReader) -> None:
        from llvmlite import ir

        from framework.kernels.fused.loops import I64, POINTER

        self._builder, self._reader, self._i64 = builder, reader, I64
        self._ring = builder.inttoptr(ir.Constant(I64, RECORDER.ring.address), POINTER)
        self._thread = builder.call(reader.external("PyThread_get_thread_ident", I64, []), [])
        #: Where the system's clock writes; None for the counter of cycles.
        self._moment = None if _READS_CYCLES else builder.alloca(I64, 2)
        self._since = _now(builder, reader, self._moment)

    def begin(self) -> None:
        """Write that the next slice begins here."""
        self._since = _now(self._builder, self._reader, self._moment)

    def end(self, site: int) -> None:
        """Write that a slice ends here, and the next one begins."""
        from llvmlite import ir

        builder, i64 = self._builder, self._i64
        now = _now(builder, self._reader, self._moment)
        count = builder.atomic_rmw("add", self._ring, ir.Constant(i64, 1), "monotonic")
        slot = builder.and_(count, ir.Constant(i64, RECORDER.ring.capacity - 1))
        begin = builder.add(builder.mul(slot, ir.Constant(i64, _WORD * ROW_WORDS)), ir.Constant(i64, _WORD))
        row = builder.gep(self._ring, [begin], source_etype=ir.IntType(8))
        for place, item in ((0, ir.Constant(i64, site)), (1, self._since), (3, self._thread)):
            builder.store(item, self._reader.at(row, _WORD * place))
        # Written last, so that who reads the row finds it whole.
        builder.fence("release")
        builder.store(now, self._reader.at(row, _WORD * 2))
        self._since = now


def _now(builder: ir.IRBuilder, reader: ArrayReader, moment: ir.Value | None) -> ir.Value:
    """The clock: the counter of the processor's cycles where programs may read it, else that of the system."""
    from llvmlite import ir

    i64 = ir.IntType(64)
    if moment is None:
        return builder.call(reader.external("llvm.readcyclecounter", i64, []), [])
    read = reader.external("clock_gettime", ir.IntType(32), [i64, moment.type])
    builder.call(read, [ir.Constant(i64, _MONOTONIC), moment])
    seconds = builder.load(moment, typ=i64)
    rest = builder.load(reader.at(moment, _WORD), typ=i64)
    return builder.add(builder.mul(seconds, ir.Constant(i64, 10**9)), rest)


@functools.cache
def _clock() -> Callable[[], int]:
    """The clock as a function."""
    from llvmlite import ir

    from framework.kernels.fused.arrays import ArrayReader

    module = ir.Module("clock")
    function = ir.Function(module, ir.FunctionType(ir.IntType(64), []), "clock")
    block = function.append_basic_block("entry")
    builder = ir.IRBuilder(block)
    reader = ArrayReader(builder, block, None)
    builder.ret(_now(builder, reader, None if _READS_CYCLES else builder.alloca(ir.IntType(64), 2)))
    engine = engine_of(object_of(module))
    return ctypes.CFUNCTYPE(ctypes.c_int64)(engine.get_function_address("clock"))


def prepare_clock() -> None:
    """Let the recorder read the clock of machine code."""
    RECORDER.read_ticks = _clock()
