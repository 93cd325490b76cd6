"""Decisions and loops, and the ways out of them."""

# What a user may write is not what this project would.
# ruff: noqa
# mypy: ignore-errors

from framework import Tensor, ops
from tests.framework.language.programs.cases import S, T, V, case


@case(S, T(3.0))
def compare(s, t):
    r = 0
    if s < t <= 3 and not t == s:
        r += 1
    if s != t or s > 5:
        r += 2
    if 1 < s < 2:
        r += 4
    return r + s


@case(S)
def break_for_zip_in_while(s):
    total = s * 0
    i = s * 0
    while i < 5:
        for a, b in zip([1.0, 2.0, 3.0], (s, s * 2, s * 3)):
            if b > 5:
                break
            total = total + a * b * i
        else:
            total += 100
        i += 1
        if total > 50:
            continue
        total += 0.5
    return total


@case(S)
def early(s):
    for i in range(5):
        for j in range(3):
            if s * i > 5 + j:
                return s + i * 10 + j
    return s


@case(T(-1.0))
def early2(s):
    while s < 10:
        if s > 5:
            return s * 2
        s = s + 1.5
    return s - 1


@case(S)
def loop10000(s):
    i = 0
    while i < 10000:
        s = s + 0.001 * s / (1 + s)
        i += 1
    return s


@case(S)
def for10000(s):
    for i in range(10000):
        s = s + 0.001 * i
    return s


@case(S)
def while_else(s):
    while s < 10:
        s = s * 2
        if s > 100:
            break
    else:
        s = s + 1000
    return s


@case(S)
def walrus(s):
    if (t := s * 2) > 1:
        return t
    return s


@case(S)
def ifexp(s):
    return (s if s > 1 else -s) + (1 if s.ndim else 2) + (s * 2 if not s > 1 else s * 3)


@case(S)
def chained(s):
    return s.reshape(1).sum().abs() if s is not None and isinstance(s, Tensor) and hasattr(s, "shape") else 0


@case(S)
def undefd(s):
    if s > 0:
        y = s
    else:
        y = -s
    for i in range(0):
        z = 1
    return y


@case(S)
def loopvar_after(s):
    for i in range(4):
        s += i
    return s * i


@case(S)
def tern_shapes(s):
    if s.ndim == 0:
        r = s.reshape(1)
    else:
        r = s[0]
    return r


@case(S)
def deep_while(s):
    i = 0
    while True:
        i += 1
        if i > 5:
            break
        j = 0
        while True:
            j += 1
            if j == 2:
                continue
            if j > i:
                break
            s = s + j * i
            if s > 40:
                return s
    return -s


@case(S)
def none_ret(s):
    if s > 100:
        return None
    return None


@case(S)
def breaks_of_several_rounds(s):
    n = m = 0
    for i in range(3):
        for j in range(3):
            if j * s > 3:
                break
            n += 1
        else:
            n += 10
            continue
        m = n * 100
        break
    else:
        n += 1000
    return s * n + m


@case(S)
def raises_behind_a_return(s):
    if s > 1:
        return s
    raise ValueError("not reached")


@case(S)
def changes_on_one_of_two_ways(s):
    l, x = [s, s], s * V
    if s > 1:
        l[0] = s * 5
        x[0] = 7
        return x, l[0]
    x[1] = s
    return x, l[0]


@case(S)
def changes_in_a_loop(s):
    l, d = [s, s], {"a": s}
    while l[0] < 10:
        l[0] += 1
        d["a"] = l[0] * 2
        for i in range(2):
            l[1] = l[1] + i
    return l, d


@case(S)
def one_of_two_functions(s):
    def g(x):
        return x * s

    f = ops.sin if s > 1 else ops.cos
    k = lambda x: x * 2
    if s > 1:
        k = g
    return f(s) + k(s)
