"""Einstein summation, computed by products of matrices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from framework.common.tensor import Tensor
from framework.ops.array.properties import shape
from framework.ops.array.reshaping import reshape
from framework.ops.array.transposing import transpose
from framework.ops.constexpr import constexpr
from framework.ops.matrices.diagonals import diagonal
from framework.ops.matrices.products import matmul
from framework.ops.reduction.totals import sum as sum_over

__all__ = [
    "einsum",
]


def einsum(equation: str, *operands: Any) -> Tensor:
    """Sums of products in Einstein's notation: letters that the result lacks are summed over.

    Args:
        equation: the letters of each operand's dimensions, separated by commas, then `->` and those of the result.
            Without `->` the result has the letters that come once, in alphabetical order. `...` stands for dimensions
            without a letter.
        operands: one tensor for each part of the equation, or one tuple or list of them. They are multiplied from left
            to right.

    Returns:
        A tensor with the dimensions of the result.

    Raises:
        ValueError: the equation does not fit the operands.

    Example:
        >>> print(ops.einsum("ij,jk->ki", Tensor([[1.0, 2.0]]), Tensor([[1.0, 0.0, 3.0], [0.0, 1.0, 1.0]])))
        [[1.]
         [2.]
         [5.]]

    """
    tensors = operands[0] if isinstance(operands[0], (tuple, list)) else operands
    plan = contraction_plan(equation, tuple([shape(item) for item in tensors]))
    out = _reduced(tensors[0], plan[0][0])
    for number in range(1, len(plan)):
        out = _product(out, _reduced(tensors[number], plan[number][0]), plan[number][1])
    for axes, order in plan[0][1]:
        out = transpose(sum_over(out, axes) if axes else out, order) if order else sum_over(out, axes)
    return out


def _reduced(x: Any, steps: Any) -> Tensor:
    """An operand with diagonals in place of repeated letters, summed over letters that no other part has."""
    for first, second in steps[0]:
        x = diagonal(x, 0, first, second)
    return sum_over(x, steps[1]) if steps[1] else x


def _product(left: Tensor, right: Tensor, step: Any) -> Tensor:
    """The product of two operands as batches of matrices."""
    orders, shapes, out_shape = step
    left = reshape(transpose(left, orders[0]) if orders[0] else left, shapes[0])
    right = reshape(transpose(right, orders[1]) if orders[1] else right, shapes[1])
    return reshape(matmul(left, right), out_shape)


@constexpr
def contraction_plan(equation: str, shapes: tuple[tuple[int, ...], ...]) -> tuple[Any, ...]:
    """The steps of a contraction, one entry per operand.

    An entry holds the operand's own diagonals and sums, then its product with the result so far. In the first entry the
    second item is the final sum and transposition.

    Args:
        equation: as for `einsum`.
        shapes: shapes of the operands.

    Returns:
        One entry for each operand.

    Raises:
        ValueError: the equation does not fit the shapes.
    """
    inputs, result = _expanded(equation.replace(" ", ""), shapes)
    sizes = _sizes(equation, inputs, shapes)
    if len(set(result)) != len(result) or set(result) - set(sizes):
        raise ValueError(f"einsum: the result of {equation!r} repeats a letter or has a letter that no operand has")
    reductions, names = [], []
    for place, letters in enumerate(inputs):
        elsewhere = set(result).union(*inputs[:place], *inputs[place + 1 :])
        diagonals, remaining = _diagonals(letters)
        axes = tuple(axis for axis, letter in enumerate(remaining) if letter not in elsewhere)
        reductions.append((diagonals, axes))
        names.append("".join(letter for letter in remaining if letter in elsewhere))
    plan: list[Any] = []
    letters = names[0]
    for place in range(1, len(names)):
        step, letters = _pair(letters, names[place], set(result).union(*names[place + 1 :]), sizes)
        plan.append((reductions[place], step))
    return ((reductions[0], _last_step(letters, result)), *plan)


def _sizes(equation: str, inputs: Sequence[str], shapes: tuple[tuple[int, ...], ...]) -> dict[str, int]:
    """The length of the dimension of each letter."""
    sizes: dict[str, int] = {}
    for letters, dims in zip(inputs, shapes, strict=True):
        for letter, size in zip(letters, dims, strict=True):
            if sizes.setdefault(letter, size) != size:
                raise ValueError(
                    f"einsum: {equation!r} uses {letter!r} for dimensions of lengths {sizes[letter]} and {size}"
                )
    return sizes


def _last_step(letters: str, result: str) -> tuple[tuple[tuple[int, ...], tuple[int, ...]], ...]:
    """The axes to sum over and the order of the others; empty if there is nothing to do."""
    axes = tuple(axis for axis, letter in enumerate(letters) if letter not in result)
    kept = [letter for letter in letters if letter in result]
    order = tuple(kept.index(letter) for letter in result)
    if not axes and kept == list(result):
        return ()
    return ((axes, () if order == tuple(range(len(order))) else order),)


_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


def _expanded(equation: str, shapes: tuple[tuple[int, ...], ...]) -> tuple[list[str], str]:
    """The letters of operands and result, with unused letters in place of `...`."""
    operands, arrow, result = equation.partition("->")
    inputs = operands.split(",")
    if len(inputs) != len(shapes):
        raise ValueError(f"einsum: {equation!r} takes {len(inputs)} operands, not {len(shapes)}")
    free = [letter for letter in _LETTERS if letter not in equation]
    unnamed = [len(dims) - len(letters.replace("...", "")) for letters, dims in zip(inputs, shapes, strict=True)]
    if any(count < 0 or (count and "..." not in letters) for count, letters in zip(unnamed, inputs, strict=True)):
        raise ValueError(f"einsum: {equation!r} does not fit the dimensions of shapes {', '.join(map(str, shapes))}")
    dots = "".join(free[: max(unnamed)])
    if not arrow:
        result = ("..." if "..." in operands else "") + "".join(
            sorted(letter for letter in set(operands) if letter.isalpha() and operands.count(letter) == 1)
        )
    expanded = [letters.replace("...", dots[len(dots) - n :]) for letters, n in zip(inputs, unnamed, strict=True)]
    return expanded, result.replace("...", dots)


def _diagonals(letters: str) -> tuple[tuple[tuple[int, int], ...], str]:
    """The pairs of axes to take diagonals of, in order, and the remaining letters; a diagonal becomes the last axis."""
    pairs = []
    while repeated := next((letter for letter in letters if letters.count(letter) > 1), ""):
        first = letters.index(repeated)
        second = letters.index(repeated, first + 1)
        pairs.append((first, second))
        letters = letters[:first] + letters[first + 1 : second] + letters[second + 1 :] + repeated
    return tuple(pairs), letters


def _pair(left: str, right: str, needed: set[str], sizes: dict[str, int]) -> tuple[Any, str]:
    """The axis orders and shapes that make two operands batches of matrices, and the letters of their product."""
    shared = [letter for letter in left if letter in right]
    batch = [letter for letter in shared if letter in needed]
    summed = [letter for letter in shared if letter not in needed]
    rows = [letter for letter in left if letter not in shared]
    columns = [letter for letter in right if letter not in shared]

    def order(letters: str, wanted: list[str]) -> tuple[int, ...]:
        axes = tuple(letters.index(letter) for letter in wanted)
        return () if axes == tuple(range(len(axes))) else axes

    def size(letters: list[str]) -> int:
        product = 1
        for letter in letters:
            product *= sizes[letter]
        return product

    orders = (order(left, [*batch, *rows, *summed]), order(right, [*batch, *summed, *columns]))
    shapes = ((size(batch), size(rows), size(summed)), (size(batch), size(summed), size(columns)))
    output = [*batch, *rows, *columns]
    return (orders, shapes, tuple(sizes[letter] for letter in output)), "".join(output)
