"""Writes how a kernel spreads its loops over threads: each runs a part of the outermost loop.

Threads are created for a call and joined at its end, which takes some 20 us. So only kernels that take several times as
long are spread. The variable `threads` of a module is the largest number of threads, 1 at first.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from llvmlite import ir

from framework.kernels.fused.cluster import MOST_THREADS
from framework.kernels.fused.loops import I64, POINTER, integer

__all__ = ["write_spread", "write_whole"]

LEAST_WORK: Final = 3_000_000
"""Kernels of fewer elements times steps run on one thread."""
_ALIGNED: Final = 64
_JOB: Final = 24
_I32: Final = ir.IntType(32)


def write_spread(module: ir.Module, body: ir.Function, steps: int) -> ir.Function:
    """Write `run(table, length, elements)`: the loops from 0 to `length`, on several threads if that is worth it.

    Args:
        module: the module to write to.
        body: the loops.
        steps: the number of operations per element.
    """
    limit = ir.GlobalVariable(module, I64, "threads")
    limit.initializer = integer(1)
    run = ir.Function(module, ir.FunctionType(ir.VoidType(), [POINTER, I64, I64]), "run")
    table, length, elements = run.args
    builder = ir.IRBuilder(run.append_basic_block("entry"))
    threads = builder.load(limit, typ=I64)
    is_small = builder.icmp_signed("<", elements, integer(LEAST_WORK // steps))
    alone = builder.or_(is_small, builder.icmp_signed("<", threads, integer(2)))
    with builder.if_then(alone):
        builder.call(body, [table, integer(0), length])
        builder.ret_void()
    _spread(module, builder, body, (table, length, threads))
    builder.ret_void()
    return run


def write_whole(module: ir.Module, body: ir.Function) -> ir.Function:
    """Write the same `run` for loops that are not divided."""
    ir.GlobalVariable(module, I64, "threads").initializer = integer(1)
    run = ir.Function(module, ir.FunctionType(ir.VoidType(), [POINTER, I64, I64]), "run")
    builder = ir.IRBuilder(run.append_basic_block("entry"))
    builder.call(body, [run.args[0], integer(0), run.args[1]])
    builder.ret_void()
    return run


def _spread(
    module: ir.Module, builder: ir.IRBuilder, body: ir.Function, given: tuple[ir.Value, ir.Value, ir.Value]
) -> None:
    table, length, threads = given
    work = _write_work(module, body)
    create = ir.Function(module, ir.FunctionType(_I32, [POINTER, POINTER, POINTER, POINTER]), "pthread_create")
    join = ir.Function(module, ir.FunctionType(_I32, [I64, POINTER]), "pthread_join")
    jobs = builder.alloca(POINTER, MOST_THREADS * _JOB // 8)
    names = builder.alloca(POINTER, MOST_THREADS)
    # If rows are single elements, each part begins with a line of the cache.
    part = builder.sdiv(builder.sub(builder.add(length, threads), integer(1)), threads)
    aligned = builder.and_(builder.add(part, integer(_ALIGNED - 1)), integer(-_ALIGNED))
    is_long = builder.icmp_signed(">", length, integer(_ALIGNED * _ALIGNED))
    part = builder.select(is_long, aligned, part)

    def smaller(x: ir.Value) -> ir.Value:
        return builder.select(builder.icmp_signed("<", x, length), x, length)

    def at(base: ir.Value, offset: ir.Value) -> ir.Value:
        return builder.gep(base, [offset], source_etype=ir.IntType(8))

    def begin(number: ir.Value) -> None:
        job = at(jobs, builder.mul(number, integer(_JOB)))
        first = smaller(builder.mul(number, part))
        last = smaller(builder.add(first, part))
        for place, value in enumerate((table, first, last)):
            builder.store(value, at(job, integer(8 * place)))
        name = at(names, builder.mul(number, integer(8)))
        null = ir.Constant(POINTER, None)
        failed = builder.icmp_signed("!=", builder.call(create, [name, null, work, job]), ir.Constant(_I32, 0))
        with builder.if_then(failed):
            builder.store(integer(0), name)
            builder.call(body, [table, first, last])

    def end(number: ir.Value) -> None:
        name = builder.load(at(names, builder.mul(number, integer(8))), typ=I64)
        with builder.if_then(builder.icmp_signed("!=", name, integer(0))):
            builder.call(join, [name, ir.Constant(POINTER, None)])

    _each(builder, threads, begin)
    builder.call(body, [table, integer(0), smaller(part)])
    _each(builder, threads, end)


def _each(builder: ir.IRBuilder, count: ir.Value, inside: Callable[[ir.Value], None]) -> None:
    """`for number in range(1, count)`."""
    before = builder.block
    head, work, after = (builder.append_basic_block(name) for name in ("head", "work", "after"))
    builder.branch(head)
    builder.position_at_end(head)
    number = builder.phi(I64)
    number.add_incoming(integer(1), before)
    builder.cbranch(builder.icmp_signed("<", number, count), work, after)
    builder.position_at_end(work)
    inside(number)
    number.add_incoming(builder.add(number, integer(1)), builder.block)
    builder.branch(head)
    builder.position_at_end(after)


def _write_work(module: ir.Module, body: ir.Function) -> ir.Function:
    """What a thread runs: the loops, for the table and the part that it is given."""
    work = ir.Function(module, ir.FunctionType(POINTER, [POINTER]), "work")
    work.linkage = "internal"
    builder = ir.IRBuilder(work.append_basic_block("entry"))
    table, first, last = (
        builder.load(builder.gep(work.args[0], [integer(8 * place)], source_etype=ir.IntType(8)), typ=kind)
        for place, kind in enumerate((POINTER, I64, I64))
    )
    builder.call(body, [table, first, last])
    builder.ret(ir.Constant(POINTER, None))
    return work
