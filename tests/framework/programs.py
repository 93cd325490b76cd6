"""Functions on tensors with every kind of control flow; both modes, and gradients of any order, must agree on them."""
# ruff: noqa: E731

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from framework.ops import functional as F  # noqa: N812


def straight(x: Any) -> Any:
    a = x * x
    b = x * a
    return a + b - x / (a + 1.0)


def chooses(x: Any) -> Any:
    if x.sum() > 1.0:
        y = x * 2.0
    elif x.sum() < -1.0:
        return x * x * x
    else:
        y = x - 1.0
    return y * y + 1.0


def loops(x: Any) -> Any:
    i = 0
    while (x * x).sum() < 50.0:
        x = x * 1.5 + 0.25
        i = i + 1
    return x * i


def unrolls(x: Any) -> Any:
    total = x
    for i, scale in enumerate([1.0, -0.5, 2.0]):
        if i == 1:
            continue
        total = total + scale * F.sin(total)
    return total


def breaks(x: Any) -> Any:
    y = x
    for i in range(6):
        y = y * 1.5 + i
        if y.sum() > 20.0:
            break
    else:
        y = -y
    return y * x


def nested_loops(x: Any) -> Any:
    total = x * 0.0
    while total.sum() < 6.0:
        inner = x * x + 0.5
        while inner.sum() < 4.0:
            inner = inner * 2.0
            if inner.sum() > 3.0:
                continue
            inner = inner + x * 0.1
        total = total + inner
    return total


def closes_over(x: Any) -> Any:
    def scaled(y: Any, by: Any = x) -> Any:
        return y * by

    twice = lambda g, y: g(g(y))
    return twice(scaled, x) + scaled(x, 3.0)


def recurs(x: Any) -> Any:
    def grow(y: Any) -> Any:
        return y * x if y.sum() > 5.0 else grow(y * y + 1.0) + 1.0

    return grow(x)


def recurs_by_number(x: Any) -> Any:
    def power(y: Any, n: int) -> Any:
        if n == 0:
            return y * 0.0 + 1.0
        return y * power(y, n - 1)

    return power(x, 3) + power(F.cos(x), 2)


def mutual(x: Any) -> Any:
    def even(y: Any) -> Any:
        return y * 3.0 if y.sum() > 9.0 else odd(y + x * x + 1.0)

    def odd(y: Any) -> Any:
        return y * y if y.sum() > 7.0 else even(y * 1.5 + 0.5)

    return even(x)


def containers(x: Any) -> Any:
    items = [x, x * 2.0]
    items.append(items[0] * items[1])
    table = {"a": items[-1], "b": (x, x * x)}
    first, (second, third) = table["a"], table["b"]
    return sum([first, second, third]) + [y * 2.0 for y in items][1]


def shapes(x: Any) -> Any:
    y = x.reshape(-1, 1) @ x.reshape(1, -1)
    return y[0] * x.shape[0] + y.T[-1] + y.sum(axis=0)


def short_circuits(x: Any) -> Any:
    if x.sum() > 0.0 and (x * x).sum() > 2.0:
        return x * 4.0
    return x * 0.5 if not x.sum() < -2.0 else -x


def early(x: Any) -> Any:
    for i in range(4):
        x = x * x * 0.5 + 0.25
        if x.sum() > 3.0:
            return x * i
        x = x + 0.5
    return x


def chooses_elements(x: Any) -> Any:
    parts, i, y = (x, x * 2.0, x * x), 0, x
    while (y * y).sum() < 60.0:
        y = y + parts[i % 3] + 1.0
        i = i + 1
    return y * parts[i % 3 - 3]


EVERY: list[Callable[[Any], Any]] = [
    straight, chooses, loops, unrolls, breaks, nested_loops, closes_over, recurs, recurs_by_number, mutual, containers,
    shapes, short_circuits, early, chooses_elements,
]  # fmt: skip
INPUTS = ([0.5, 1.25], [-0.75, 0.25], [2.0, 1.5], [-1.5, -1.0])
