"""Einstein summation, as products of matrices."""

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
    """The sums of products that an equation names, in Einstein's notation: letters that the result lacks are summed.

    Args:
        equation: the letters of each operand's dimensions, with commas between, and of the result behind `->`; without
            `->`, the letters that come once, in order. `...` stands for the dimensions that have no letter.
        operands: as many tensors, or one tuple or list of them; they are taken together from left to right.

    Raises:
        ValueError: the equation does not fit the operands.

    Example:
        >>> print(ops.einsum("ij,jk->ki", Tensor([[1.0, 2.0]]), Tensor([[1.0, 0.0, 3.0], [0.0, 1.0, 1.0]])))
        [[1.]
         [2.]
         [5.]]

    """
    given = operands[0] if isinstance(operands[0], (tuple, list)) else operands
    plan = contraction_plan(equation, tuple([shape(item) for item in given]))
    out = _alone(given[0], plan[0][0])
    for number in range(1, len(plan)):
        out = _together(out, _alone(given[number], plan[number][0]), plan[number][1])
    for axes, order in plan[0][1]:
        out = transpose(sum_over(out, axes) if axes else out, order) if order else sum_over(out, axes)
    return out


def _alone(x: Any, steps: Any) -> Tensor:
    """An operand whose repeated letters are diagonals, and whose own letters are summed."""
    for first, second in steps[0]:
        x = diagonal(x, 0, first, second)
    return sum_over(x, steps[1]) if steps[1] else x


def _together(one: Tensor, other: Tensor, step: Any) -> Tensor:
    """Two operands as batches of matrices, and their products."""
    orders, shapes, made = step
    one = reshape(transpose(one, orders[0]) if orders[0] else one, shapes[0])
    other = reshape(transpose(other, orders[1]) if orders[1] else other, shapes[1])
    return reshape(matmul(one, other), made)


@constexpr
def contraction_plan(equation: str, shapes: tuple[tuple[int, ...], ...]) -> tuple[Any, ...]:
    """What is done with each operand alone, and with it and what stands to its left; behind the first, the end."""
    inputs, result = _named(equation.replace(" ", ""), shapes)
    sizes = _sizes(equation, inputs, shapes)
    if len(set(result)) != len(result) or set(result) - set(sizes):
        raise ValueError(f"einsum: the result of {equation!r} repeats a letter, or has one that no operand has")
    alone, names = [], []
    for place, letters in enumerate(inputs):
        elsewhere = set(result).union(*inputs[:place], *inputs[place + 1 :])
        diagonals, left = _diagonals(letters)
        axes = tuple(axis for axis, letter in enumerate(left) if letter not in elsewhere)
        alone.append((diagonals, axes))
        names.append("".join(letter for letter in left if letter in elsewhere))
    plan: list[Any] = []
    now = names[0]
    for place in range(1, len(names)):
        step, now = _pair(now, names[place], set(result).union(*names[place + 1 :]), sizes)
        plan.append((alone[place], step))
    return ((alone[0], _end(now, result)), *plan)


def _sizes(equation: str, inputs: Sequence[str], shapes: tuple[tuple[int, ...], ...]) -> dict[str, int]:
    """The size of the dimension that each letter names."""
    sizes: dict[str, int] = {}
    for letters, dims in zip(inputs, shapes, strict=True):
        for letter, size in zip(letters, dims, strict=True):
            if sizes.setdefault(letter, size) != size:
                raise ValueError(f"einsum: {equation!r} names dimensions of {sizes[letter]} and {size} {letter!r}")
    return sizes


def _end(letters: str, result: str) -> tuple[tuple[tuple[int, ...], tuple[int, ...]], ...]:
    """The last step: dimensions to sum over, and the order of the others; empty if there is nothing to do."""
    axes = tuple(axis for axis, letter in enumerate(letters) if letter not in result)
    kept = [letter for letter in letters if letter in result]
    order = tuple(kept.index(letter) for letter in result)
    if not axes and kept == list(result):
        return ()
    return ((axes, () if order == tuple(range(len(order))) else order),)


_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


def _named(equation: str, shapes: tuple[tuple[int, ...], ...]) -> tuple[list[str], str]:
    """The letters of operands and result; dimensions behind `...` get letters that the equation does not use."""
    left, arrow, result = equation.partition("->")
    inputs = left.split(",")
    if len(inputs) != len(shapes):
        raise ValueError(f"einsum: {equation!r} names {len(inputs)} operands, and {len(shapes)} were given")
    free = [letter for letter in _LETTERS if letter not in equation]
    more = [len(dims) - len(letters.replace("...", "")) for letters, dims in zip(inputs, shapes, strict=True)]
    if any(count < 0 or (count and "..." not in letters) for count, letters in zip(more, inputs, strict=True)):
        raise ValueError(f"einsum: {equation!r} does not name the dimensions of {', '.join(map(str, shapes))}")
    dots = "".join(free[: max(more)])
    if not arrow:
        result = ("..." if "..." in left else "") + "".join(
            sorted(letter for letter in set(left) if letter.isalpha() and left.count(letter) == 1)
        )
    named = [letters.replace("...", dots[len(dots) - count :]) for letters, count in zip(inputs, more, strict=True)]
    return named, result.replace("...", dots)


def _diagonals(letters: str) -> tuple[tuple[tuple[int, int], ...], str]:
    """Pairs of axes whose diagonals are taken, one after the other, and the letters behind; diagonals come last."""
    pairs = []
    while repeated := next((letter for letter in letters if letters.count(letter) > 1), ""):
        first = letters.index(repeated)
        second = letters.index(repeated, first + 1)
        pairs.append((first, second))
        letters = letters[:first] + letters[first + 1 : second] + letters[second + 1 :] + repeated
    return tuple(pairs), letters


def _pair(one: str, other: str, wanted: set[str], sizes: dict[str, int]) -> tuple[Any, str]:
    """How two operands become batches of matrices, and the letters of what they make."""
    both = [letter for letter in one if letter in other]
    batch = [letter for letter in both if letter in wanted]
    summed = [letter for letter in both if letter not in wanted]
    rows = [letter for letter in one if letter not in both]
    columns = [letter for letter in other if letter not in both]

    def order(letters: str, now: list[str]) -> tuple[int, ...]:
        found = tuple(letters.index(letter) for letter in now)
        return () if found == tuple(range(len(found))) else found

    def size(letters: list[str]) -> int:
        found = 1
        for letter in letters:
            found *= sizes[letter]
        return found

    orders = (order(one, [*batch, *rows, *summed]), order(other, [*batch, *summed, *columns]))
    shapes = ((size(batch), size(rows), size(summed)), (size(batch), size(summed), size(columns)))
    made = [*batch, *rows, *columns]
    return (orders, shapes, tuple(sizes[letter] for letter in made)), "".join(made)
