"""Functions to parse: every construct that graph mode has. What Python says of them is what their IR must say."""
# ruff: noqa: RET503, E731, F841, UP031, PLR, SIM, C4

from __future__ import annotations

from typing import Any

SCALE = 3


def branches(x: int) -> Any:
    if x < 0:
        y = -x
    elif x == 0:
        return "zero"
    else:
        y = x * SCALE
    return y


def early_return_in_a_loop(x: int) -> Any:
    for i in range(10):
        if i * i > x:
            return i
    return None


def falls_through(x: int) -> Any:
    if x > 3:
        return x


def loops(x: int) -> Any:
    total, rounds = 0, 0
    while x > 0:
        rounds += 1
        x -= 1
        if x % 3 == 0:
            continue
        if total > 40:
            break
        total += x
    else:
        total = -total
    return total, rounds


def nested_loops(x: int) -> Any:
    found = []
    for i in range(x):
        for j in range(i):
            if j == 3:
                break
            found.append((i, j))
        else:
            found.append(i)
    return found


def two_sequences(x: int) -> Any:
    total = 0
    for place, (a, b) in enumerate(zip((x, 2, 3), [4, 5, 6], strict=True)):
        total += place * a - b
    for key in {"a": 1, "b": 2}:
        total += len(key)
    return total


def short_circuit(x: int) -> Any:
    return x and 10 // x, x or "none", not x, 0 < x < 5, 5 > x > 1 > 0


def choice(x: int) -> Any:
    return 10 // x if x else "nothing"


def closures(x: int) -> Any:
    def scaled(y: int, by: int = x) -> int:
        return y * by

    twice = lambda y: 2 * y
    return scaled(3), scaled(3, by=4), twice(scaled(y=5))


def makes_functions(x: int) -> Any:
    def adder(n: int) -> Any:
        def add(y: int) -> int:
            return y + n

        return add

    return adder(x)(1), adder(2)(x)


def recursion(x: int) -> Any:
    def factorial(n: int) -> int:
        return 1 if n <= 1 else n * factorial(n - 1)

    return factorial(x)


def mutual_recursion(x: int) -> Any:
    def even(n: int) -> bool:
        return True if n == 0 else odd(n - 1)

    def odd(n: int) -> bool:
        return False if n == 0 else even(n - 1)

    return even(x), odd(x)


def arguments(x: int) -> Any:
    def f(a: int, /, b: int = 2, *rest: int, c: int = 3, **others: int) -> Any:
        return a, b, rest, c, others

    more, named = (x, x), {"c": 7, "d": 8}
    return f(1), f(x, *more), f(x, **named), f(1, b=x, e=9), f(*more, 4, 5, c=6)


def unpacking(x: int) -> Any:
    a, b = x, x + 1
    a, b = b, a
    first, *middle, last = range(x, x + 5)
    (c, d), e = (a, b), [x]
    return a, b, first, middle, last, c, d, e


def containers(x: int) -> Any:
    items = [x, *range(3), x]
    items[1] = "changed"
    items.append(4)
    items.extend((5, 6))
    table = {"a": x, "b": 2}
    table["c"] = 3
    return items, items[1:-1:2], items[-1], table, (*items, 1), table["a"], "b" in table


def comprehensions(x: int) -> Any:
    squares = [a * b for a in range(x) if a % 2 for b in range(a)]
    return squares, {str(a): a + x for a in range(3)}, sum(a for a in squares)


def texts(x: int) -> Any:
    return f"{x!r:>5}|{x + 1}", "%d of %s" % (x, "ten"), f"{x} {2}"


def checks(x: int) -> Any:
    assert x >= 0, "negative"
    if x > 100:
        raise ValueError(f"{x} is too much")
    return isinstance(x, int), x is None, x is not None


def walrus(x: int) -> Any:
    if (y := x + 1) > 3:
        return y
    return (z := y * 2) + z


def unused_variables(x: int) -> Any:
    y = x + 1
    if x:
        z = 2
    return y


EVERY = [
    value for value in list(globals().values()) if callable(value) and getattr(value, "__module__", "") == __name__
]
