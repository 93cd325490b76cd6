"""Tensors: assignments, arithmetic and indices."""

# What a user may write is not what this project would.
# ruff: noqa
# mypy: ignore-errors
import math

import numpy as np

from framework import Tensor
from tests.framework.language.programs.cases import S, T, V, X, case


@case(X, S)
def assigns(x, s):
    a = b = x
    (c, (d, e)), [f, *g] = (a, (b, s)), (1, 2, 3)
    a += s
    a -= 1
    a *= 2
    a /= 3
    a **= 2
    a //= 1
    a %= 3
    k = 7
    k <<= 1
    k >>= 1
    k |= 8
    k &= 14
    k ^= 1
    return a + b + c * d - e + f + g[0] + g[1] + k


@case(V)
def matm(v):
    m = v.reshape(3, 1)
    m @= v.reshape(1, 3)
    return m


@case(X, T(1, d=np.int32), T(0, 1, d=np.int64))
def subs(x, i, ix):
    return (
        x[0],
        x[-1, ::2],
        x[..., 1],
        x[None],
        x[:, None, 1:],
        x[1:, [0, 2]],
        x[i],
        x[ix],
        x[ix, i],
        x[i, 1:],
        x[:, ::-1],
        x[(0, 1)],
        x[True],
        x[:, ix],
        x[[True, False]],
    )


@case(X, T(1, d=np.int32), T(0, 1, d=np.int64))
def sets(x, i, ix):
    x[0] = 1
    x[1, 1] = 5.0
    x[:, 2] = x[:, 0]
    x[i] = x[0] * 2
    x[ix, ix] = 7
    x[..., 0] += 3
    x[x > 6] = 0
    x[[0, 1], 1] = T(8.0, 9.0)
    x[-1, ::2] *= 2
    x[None, 0, 0] = 4
    return x


@case(S)
def global_tensor(s):
    return s * V + math.pi


@case(S)
def ann(s):
    x: Tensor = s * 2
    y: int
    y = 3
    return x * y


@case(X)
def reads_by_masks(x):
    m = x[x[:, 0] > 1]
    return x[x > 0], x[x > 0].sum(), m.shape[0] * 2, m.T, m * 2 + m


@case(X)
def counts_elements(x):
    return x.sum() / x.size, x.size * x, x.size / 2


@case(X)
def meets_numpy(x):
    row = np.ones(3, np.float32)
    return x * np.float32(2), np.float32(2) - x, x * np.int64(2), x * row, row - x, x > np.float32(1)


@case(X, S)
def goes_through_tensors(x, s):
    def f(a, b):
        return a * b + s

    return f(*x), [*x, s], list(x), tuple(x)[1], sum([*x[0]])


@case(V)
def changes_what_nothing_else_holds(v):
    def limited(t, most):
        if t.sum() > most:
            return t * 0.5
        return t

    def halved(n, t):
        if n <= 0:
            return t
        return halved(n - 1, t * 0.5)

    y = v * 1 if v.sum() > 0 else v * 2
    y[0] = 3.0
    if y.sum() > 2:
        y[1] = 4.0
    y[2] = 5.0
    y = limited(y, 100.0)
    y[0] = y[1] + 1
    z, i = v * 3, T(0.0)
    while i < 3:
        y, z = z, y
        y[0] = y[0] + z[0]
        if y[0] > 100:
            y[1] = 0.0
        i = i + 1
    w = halved(T(2.0), y + z)
    w[0] = 1.0
    kept = y.copy()
    y[1] = 8.0
    return y, z, w, kept
