"""Functions: their parameters, closures, decorators and recursion."""

# What a user may write is not what this project would.
# ruff: noqa
# mypy: ignore-errors
import functools

import numpy as np

import framework as ms
from tests.framework.language.programs.cases import S, T, V, case


@case(S)
def nested_closures(s):
    def outer(a):
        def inner(b):
            def most(c):
                return a * b + c * s

            return most

        return inner

    return outer(2)(3)(4)


@case(S)
def stars(s):
    def f(*args, **kw):
        return sum(args) + sum(kw.values())

    def g(a, b=2, *rest, c, d=4, **kw):
        return a + b * 10 + sum(rest) * 100 + c * 1000 + d * 10000 + kw.get("z", 0)

    first, *middle, last = (1, 2, 3, 4)
    lst = [*middle, s, *range(2)]
    kw = {"c": s}
    return f(*lst, **{"x": 1, "y": s}) + g(1, c=s) + g(*lst, **kw, z=3) + g(1, 2, 3, 4, c=1) + first + last


def posonly(a, /, b, *, c=3):
    return a * 100 + b * 10 + c


@case(S)
def calls(s):
    return posonly(s, 2) + posonly(s, b=1, c=s)


l1, l2 = (lambda x: x * 2), (lambda x: x * 3)


@case(S)
def lambdas(s):
    f, g = lambda x: x + 1, lambda x, y=2: x * y
    return f(g(s)) + l1(s) * l2(s) + (lambda a, *b: a + len(b))(s, 1, 2)


def twice(f):
    @functools.wraps(f)
    def wrapper(*a, **k):
        return f(*a, **k) * 2

    return wrapper


@twice
def decorated(x, y=1):
    return x + y


@case(T(5, d=np.int32))
def fact(n):
    def f(n):
        if n <= 1:
            return n
        return n * f(n - 1)

    return f(n)


def even(n):
    return n == 0 if n <= 0 else odd(n - 1)


def odd(n):
    if n <= 0:
        return n != 0
    return even(n - 1)


@case(T(7, d=np.int32))
def mutual(n):
    return even(n), odd(n)


@case(S)
def fdefaults(s):
    k = s * 2

    def f(a, b=k):
        return a + b

    g = lambda a, b=k: a * b
    return f(1) + g(2) + f(1, b=3)


@case(S)
def returns_before_it_recurs(s):
    def down(n):
        if n <= 1:
            return n
        return n * down(n - 1)

    return down(s * 2)


@case(S)
def a_decorator_is_not_looked_through(s):
    return decorated(s) + decorated(s, y=4)


@case(S)
def decorators_within(s):
    @twice
    def inner(a):
        return a * s

    return inner(3)


@case(S)
def effects_behind_the_result(s):
    v = s * V

    def change(x):
        assert x.shape == (3,)
        return x.shape[0]

    change(v)
    return v


@case(V, S)
def partial_calls(v, s):
    def scale(k, g, by=1):
        return g * k * by

    inner = functools.partial(functools.partial(scale, s), by=3)
    return ms.ops.composite.HyperMap()(functools.partial(scale, s), (v, v * 2)), inner(v), inner(v, by=s)


@case(V)
def compiles_within(v):
    @ms.jit
    def f(y):
        return y * v

    @ms.jit(jit_level="O1")
    def g(y):
        return y + v

    return f(v) + g(v) + ms.jit(lambda y: y - v)(v * 3)


@case(S)
def recurs_within_its_own_argument(s):
    def f(y, depth):
        if depth == 0:
            return y
        if y > 2:
            return f(y * 0.5, depth - 1)
        return f(f(y + 1.0, depth - 1), depth - 1)

    return f(s, 3)
