"""Marked Cells are computed again going backward: the same bits, less memory, nothing drawn or written twice."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import framework as ms
from framework import Parameter, Tensor, nn, ops
from framework.engine.call.cells import cell_programs
from framework.engine.compiler import CompiledProgram
from framework.ir.anf import CNode, Location
from framework.ir.manager import Manager
from framework.ir.reading import read_text
from framework.opt.recompute import recompute
from tests.framework.opt.test_rules import body, primitive
from tests.framework.test_random_programs import function_of, sources

X = "<Tensor[Float32], (2, 3)>"
BOTH = [ms.GRAPH_MODE, ms.PYNATIVE_MODE]


@pytest.fixture(autouse=True)
def mode() -> Iterator[None]:
    before = ms.get_context("mode")
    ms.set_context(mode=ms.GRAPH_MODE)
    yield
    ms.set_context(mode=before, max_device_memory=None)


class Block(nn.Cell):
    """What a transformer does to each token, with chance in it."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm((size,))
        self.wide, self.narrow = nn.Dense(size, 4 * size), nn.Dense(4 * size, size)
        self.gelu, self.dropout = nn.GELU(), nn.Dropout(p=0.2)

    def construct(self, x: Tensor) -> Tensor:
        return x + self.dropout(self.narrow(self.gelu(self.wide(self.norm(x)))))


class Normed(nn.Cell):
    """A convolution followed by moving averages, which are written in each step."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self.conv, self.norm, self.relu = nn.Conv2d(size, size, 3), nn.BatchNorm2d(size), nn.ReLU()

    def construct(self, x: Tensor) -> Tensor:
        return self.relu(self.norm(self.conv(x)))


class Stack(nn.Cell):
    """Blocks in sequence, then classes."""

    def __init__(self, blocks: list[nn.Cell], inputs: int) -> None:
        super().__init__()
        self.blocks, self.flatten, self.classes = nn.CellList(blocks), nn.Flatten(), nn.Dense(inputs, 10)

    def construct(self, x: Tensor) -> Tensor:
        for block in self.blocks:
            x = block(x)
        return self.classes(self.flatten(x))


def tokens(blocks: int = 4) -> tuple[Stack, Tensor]:
    return Stack([Block(32) for _ in range(blocks)], 32), Tensor(np.random.default_rng(1).random((512, 32), np.float32))


def images(blocks: int = 4) -> tuple[Stack, Tensor]:
    inputs = Tensor(np.random.default_rng(1).random((40, 4, 12, 12), np.float32))
    return Stack([Normed(4) for _ in range(blocks)], 4 * 144), inputs


def mark_blocks(net: Stack) -> None:
    for block in net.blocks:
        block.recompute()


def mark_every_other(net: Stack) -> None:
    net.blocks[1].recompute()
    net.blocks[3].recompute()


def mark_first_two(net: Stack) -> None:
    """Cells in one another that say so: the outer one counts."""
    net.blocks[0].recompute()
    net.blocks[0].cells()[0].recompute()
    net.blocks[1].cells()[1].recompute()


def mark_all(net: Stack) -> None:
    net.recompute()


def mark_list(net: Stack) -> None:
    net.blocks.recompute()


def trained(
    make: Callable[[], tuple[Stack, Tensor]], mark: Callable[[Stack], None] | None, steps: int = 3
) -> tuple[list[bytes], nn.Cell]:
    """The bits of the losses and of everything that training writes, and the step."""
    ms.set_seed(3)
    net, x = make()
    if mark is not None:
        mark(net)
    labels = Tensor(np.arange(x.shape[0], dtype=np.int32) % 10)
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    optimizer = nn.Momentum(net.trainable_params(), 0.1, 0.9)
    step = nn.TrainOneStepCell(nn.WithLossCell(net, loss), optimizer).set_train()
    losses = [step(x, labels).asnumpy().tobytes() for _ in range(steps)]
    return [*losses, *(item.asnumpy().tobytes() for item in step.get_parameters())], step


def program_of(cell: Any) -> CompiledProgram:
    latest = cell_programs(cell).latest
    assert latest is not None
    return latest


def operators(program: CompiledProgram, name: str) -> list[CNode]:
    return [node for node in Manager(program.root).all_nodes() if getattr(node.operator, "name", "") == name]


def text(*rows: tuple[str, str, str]) -> str:
    """A program of two parameters: for each application its text, its full name and its marks."""
    lines = ["# Parameters: 2, (X, X)", "subgraph @main(%para1_a, %para2_b) {"]
    for number, (row, name, marks) in enumerate(rows):
        lines += [f"  %{number} = {row}{marks}", "      : () -> (X)", f"      # Fullname with scope: ({name})"]
    return "\n".join([*lines, f"  Return(%{len(rows) - 1})", "}"]).replace("X", X)


def test_copies_wait_for_the_gradient_that_arrives() -> None:
    marked = " cnode_attrs: {recompute: 2}"
    root = read_text(
        text(
            ("Exp(%para1_a)", "Default/in-Cell/Exp-op0", marked),
            ("Tanh(%0)", "Default/in-Cell/Tanh-op0", marked),
            ("Sin(%1)", "Default/Sin-op0", ""),
            ("Cos(%1)", "Gradients/Default/Grad_Sin/Cos-op0", ""),
            ("Mul(%3, %para2_b)", "Gradients/Default/Grad_Sin/Mul-op0", ""),
            ("Mul(%4, %1)", "Gradients/Default/in-Cell/Grad_Tanh/Mul-op0", ""),
            ("Mul(%5, %0)", "Gradients/Default/in-Cell/Grad_Exp/Mul-op0", ""),
            ("MakeTuple(%2, %6)", "Compiled/MakeTuple-op0", ""),
        ),
        primitive,
    )
    place = Location("file", 1, 1, 0, 5, "x = y", "construct")
    for node in (*root.parameters, *Manager(root).all_nodes()):
        node.location = place
    assert recompute(root) == 1
    assert {node.location for node in Manager(root).all_nodes()} == {place}
    assert body(root) == [
        "%0 = Exp(%para1_a)",
        "%1 = Tanh(%0)",
        "%2 = Sin(%1)",
        "%3 = Cos(%1)",
        "%4 = Mul(%3, %para2_b)",
        # The gradient of the sine reads the tangent, which therefore is there anyway.
        "%5 = Mul(%4, %1)",
        "%6 = Depend(%para1_a, %4)",
        "%7 = Exp(%6)",
        "%8 = Mul(%5, %7)",
        "%9 = MakeTuple(%2, %8)",
        "Return(%9)",
    ]
    assert recompute(root) == 0


@pytest.mark.parametrize("mark", [mark_blocks, mark_every_other, mark_first_two, mark_list, mark_all])
@pytest.mark.parametrize("make", [tokens, images])
def test_training_gives_the_same_bits(make: Any, mark: Any) -> None:
    assert trained(make, mark)[0] == trained(make, None)[0]


# What BatchNorm gives is kept, for it writes its moving averages: it is not computed again.
@pytest.mark.fast_path
@pytest.mark.parametrize(("make", "share"), [(tokens, 0.3), (images, 0.7)])
def test_what_lies_within_takes_memory_only_while_it_is_needed(make: Any, share: float) -> None:
    def memory(blocks: int, mark: Any) -> int:
        return program_of(trained(lambda: make(blocks), mark, 1)[1]).executable.memory.peak

    # What one block more takes: all that it computes, or what enters it.
    kept, again = (memory(9, mark) - memory(6, mark) for mark in (None, mark_blocks))
    assert 0 < again < share * kept


@pytest.mark.fast_path
def test_the_process_takes_less_memory() -> None:
    def few_blocks() -> tuple[nn.Cell, Tensor]:
        return Stack([Block(64) for _ in range(4)], 64), Tensor(np.ones((512, 64), "f"))

    def most(mark: Any) -> int:
        trained(few_blocks, mark, 1)
        tracemalloc.start()
        try:
            trained(few_blocks, mark, 2)
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    kept, again = most(None), most(mark_blocks)
    # Each of the four blocks keeps about four arrays of 512 x 64 and two of 512 x 256 without it.
    assert kept - again > 3 * 512 * 256 * 4


def test_nothing_is_drawn_or_written_twice() -> None:
    def effects(program: CompiledProgram) -> list[CNode]:
        return [node for node in Manager(program.root).all_nodes() if getattr(node.operator, "side_effect", False)]

    plain, marked = (program_of(trained(tokens, mark, 1)[1]) for mark in (None, mark_blocks))
    assert len(operators(marked, "Dropout")) == len(operators(plain, "Dropout")) > 0
    assert len(effects(marked)) == len(effects(plain)) > 0
    plain, marked = (program_of(trained(images, mark, 1)[1]) for mark in (None, mark_blocks))
    assert len(effects(marked)) == len(effects(plain)) > 0
    assert len(operators(marked, "Conv2D")) > len(operators(plain, "Conv2D"))


def test_a_switch_that_is_turned_later_counts() -> None:
    net, x = tokens()
    gradient = ms.grad(lambda x: net(x).sum())
    before = ms.jit(gradient)(x).asnumpy()
    compiled = ms.jit(gradient)
    np.testing.assert_array_equal(compiled(x).asnumpy(), before)
    net.blocks[0].recompute()
    np.testing.assert_array_equal(compiled(x).asnumpy(), before)
    assert compiled.compilations == 2
    net.blocks[0].recompute(False)
    compiled(x)
    assert not [node for node in Manager(compiled.latest.root).all_nodes() if node.scope.startswith("Recomputed/")]


class Twice(nn.Cell):
    """One Cell at two places, the second after the first."""

    def __init__(self) -> None:
        super().__init__()
        self.inner = nn.SequentialCell(nn.Dense(6, 6), nn.Tanh(), nn.Dense(6, 6), nn.Sigmoid())
        self.scale = Parameter(Tensor(np.full(6, 0.7, np.float32)), name="scale")

    def construct(self, x: Tensor) -> Tensor:
        return self.inner(ops.sin(self.inner(x)) * self.scale) + x


class Looped(nn.Cell):
    """A Cell within a loop whose length depends on a tensor."""

    def __init__(self) -> None:
        super().__init__()
        self.inner = nn.SequentialCell(nn.Dense(6, 6), nn.Tanh(), nn.Sigmoid())

    def construct(self, x: Tensor) -> Tensor:
        while x.sum() < 40:
            x = x + ops.exp(self.inner(x))
        return x


@pytest.mark.parametrize("kind", [Twice, Looped])
@pytest.mark.parametrize("order", [1, 2])
def test_gradients_of_any_order_are_the_same(kind: Any, order: int) -> None:
    results = []
    for marked in (False, True):
        ms.set_seed(5)
        net = kind()
        net.inner.recompute(marked)
        function: Any = lambda x, net=net: net(x).sum()  # noqa: E731
        for _ in range(order):
            function = ms.grad(lambda x, inner=function: inner(x).sum())
        results.append(ms.jit(function)(Tensor(np.linspace(-1, 1, 12, dtype=np.float32).reshape(2, 6))).asnumpy())
    np.testing.assert_array_equal(*results)


@pytest.mark.parametrize("mode", BOTH)
def test_both_modes_agree(mode: int) -> None:
    _, x = tokens()
    results = []
    for current in (ms.PYNATIVE_MODE, mode):
        ms.set_context(mode=current)
        ms.set_seed(7)
        net = tokens()[0].set_train(False)
        mark_blocks(net)
        results.append(ms.grad(lambda x, net=net: ops.tanh(net(x)).sum())(x).asnumpy())
    np.testing.assert_allclose(*results, rtol=1e-5, atol=1e-6)


@settings(max_examples=25, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
@given(sources(), st.sampled_from(([0.3, -0.4], [0.8, 0.9])))
def test_random_programs_have_the_same_gradients(source: str, values: list[float]) -> None:
    function = function_of(source)

    class Net(nn.Cell):
        def construct(self, x: Tensor) -> Tensor:
            return function(x)

    x, results = Tensor(np.array(values)), []
    for marked in (False, True):
        outer = nn.SequentialCell(Net().recompute(marked), nn.Tanh())
        results.append(ms.jit(ms.grad(lambda x, net=outer: net(x).sum()))(x).asnumpy())
    np.testing.assert_array_equal(*results)


@pytest.mark.fast_path
def test_a_network_over_the_budget_trains_when_its_cells_are_computed_again() -> None:
    plain, step = trained(tokens, None)
    weights = sum(item.nbytes for item in step.get_parameters())
    kept = program_of(step).executable.memory.peak
    budget = weights + int(0.85 * kept)
    ms.set_context(max_device_memory=f"{budget / 1024}KB")
    with pytest.raises(MemoryError, match=r"max_device_memory is .*\.recompute\(\)(.|\n)*gelu-GELU"):
        trained(tokens, None)
    assert trained(tokens, mark_blocks)[0] == plain


@pytest.mark.parametrize("size", ["12", "GB", "-1GB", "1TB", 5, "1e3MB"])
def test_a_budget_is_a_number_and_a_unit(size: Any) -> None:
    with pytest.raises(ValueError, match="max_device_memory must be a number and KB, MB or GB"):
        ms.set_context(max_device_memory=size)
    assert ms.get_context("max_device_memory") is None
