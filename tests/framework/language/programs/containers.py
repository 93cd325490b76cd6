"""Lists, tuples, dictionaries and texts, and what goes through them."""

# What a user may write is not what this project would.
# ruff: noqa
# mypy: ignore-errors
import functools
import operator
from collections import namedtuple

import framework as ms
from framework import ops
from tests.framework.language.programs.cases import S, T, V, X, case


@case(V)
def comp(v):
    ys = [v[i] * j for i in range(3) if i != 1 for j in (1, 2) if j > 0]
    d = {k: v * n for n, k in enumerate("abc")}
    g = sum(x for x in ys)
    return ops.stack(ys).sum() + d["c"] + g


@case(V)
def comp_tensor(v):
    return ops.stack([row * 2 for row in v])


@case(V)
def rows_of_tensors(v):
    total = v.sum() * 0
    for place, (one, other) in enumerate(zip(v, v * 2)):
        total += one * other * place
    for place, one in enumerate(reversed(list(v))):
        total += one * place
    for one in map(lambda row: row * 3, v):
        total = total * 2 + one
    return total + functools.reduce(lambda a, b: a * 2 + b, v)


@case(V, 3)
def fstr(v, n):
    name = f"{n:03d}-{n!r:>4}-{v.shape}"
    assert name == "003-   3-(3,)", name
    return v * len(name)


@case(S)
def dicts(s):
    d = {"a": s, "b": {"c": s * 2}, 3: 1.0}
    d["z"] = s * 5
    d["b"]["c"] = d["b"]["c"] + 1
    d["a"] += 3
    total = s * 0
    for k in d:
        if k == "b":
            continue
        total += d[k]
    for k, v in d.items():
        if isinstance(v, dict):
            total += v["c"]
    for v in d.values():
        total += 1
    e = {**d, "q": 1}
    f = dict(a=1, b=s)
    g = dict(f, c=3)
    return total + len(d) + len(e) + d.get("nope", 7) + ("a" in d) + f["b"] + g["c"] + len(list(d.keys()))


@case(S)
def tup(s):
    t = (s, s * 2) + (3,)
    u = t * 2
    l = [1, s]
    l.append(s)
    l.extend((4, s))
    l += [s]
    l[0] = s * 9
    return t[1:], u[-1], l, l[::-1], len(l), (1, 2) < (1, 3), [1] == [1], t.index(3) if False else 0


@case(X)
def unpackt(x):
    a, b = x
    (c, d, e), f = x
    g, *h = x
    return a + b, c, f, g, h


Point = namedtuple("Point", "x y")


@case(S)
def strs(s):
    k = "%s-%d" % ("a", 3) + "{}".format(2) + "x" * 2 + "abc"[1] + "A".lower() + ",".join(["a", "b"])
    return s * len(k)


@case(S)
def slices(s):
    sl = slice(0, 2)
    return V[sl] * s, (1, 2, 3)[sl], [1, s, 3][-2:]


@case(S, [T(1.0), (T(2.0), {"k": T(3.0)})])
def nestedargs(s, c):
    return s + c[0] + c[1][0] * c[1][1]["k"]


@case(S)
def inlist(s):
    return s * (3 in [1, 2, 3]) + s * ("a" in "abc") + s * (2 not in (1,)) + (1 if 1 in {1: 2} else 0)


@case(S)
def tuplecmp(s):
    return s * (s.shape == ()) + s * (V.shape != (3,)) + (s.dtype == ms.float32) + (s.dtype is ms.float32)


@case(S)
def methods_of_lists(s):
    l = [s, s + 1]
    l.insert(0, s * 7)
    x = l.pop()
    l.reverse()
    k = [3, 1, 2]
    k.sort(reverse=True)
    k.remove(2)
    k += (4,)
    k[0:1] = [8, 9]
    c = l.copy()
    c.append(x)
    return l, x, k, c, len(l)


@case(S)
def methods_of_dictionaries(s):
    d = {"a": s, "b": 2}
    d.update(c=s * 2)
    b = d.pop("b")
    e = d.setdefault("e", 5)
    c = d.copy()
    c["z"] = 1
    return d, b, e, c


@case(S)
def builtins_of_iteration(s):
    r = s
    for i, (a, b) in enumerate(zip((1, 2), (s, 3)), start=1):
        r += i * a * b
    for x in reversed([1, s]):
        r = r * x
    for k in sorted([3, 1, 2]):
        r = r * 10 + k
    for x in filter(lambda a: a > 1, [1, 2]):
        r += x
    total = functools.reduce(lambda a, b: a + b, map(lambda a: a * 2, [1, s]))
    return (
        r,
        total,
        divmod(7, 2),
        round(2.6),
        any([True]),
        all([1, 0]),
        max(1, 2),
        min(s, 3),
        operator.add(s, 1),
        callable(r),
    )


@case(V)
def orders_by_keys(v):
    d = {"b": v, "a": v * 2}
    total = 0.0
    for _, item in sorted(d.items(), key=lambda pair: pair[0]):
        total = total * v + item
    pairs = [(3, v), (1, v * 2)]
    pairs.sort(key=lambda p: p[0])
    longest = max(pairs, key=lambda p: p[0])[1]
    return total, pairs, longest, min([v, v * 3], key=lambda _: 0), max([], default=v)


@case(V)
def indices_are_evaluated_once(v):
    place, queue = 0, [0, 1]
    items = [[v, v * 2], [v * 3, v * 4]]
    items[(place := place + 1)][(place := place - 1)] *= 10
    items[(place := place + 1)][queue.pop()] = v * 7
    items[queue.pop()][1] += v
    table = {"a": {"b": [v, v]}}
    table["a"]["b"][len(queue)] -= v * 3
    items[0][0], (table["c"], items[1][1]) = v * 5, (v * 6, v * 8)
    for items[0][1] in (v, v * 9):
        place += 1
    return items, table, place, queue


@case(V)
def changes_what_a_loop_goes_through(v):
    table = {"a": v, "b": v * 2}
    for key, value in table.items():
        table[key] = value * 3
    for key in table.keys():
        table[key] += 1
    doubled = {key: value * 2 for key, value in table.items()}
    table.update(doubled)
    items = [v, v * 2, v * 3]
    for place, item in enumerate(items):
        items[place] = item * 2
    for place, item in zip(range(3), items):
        items[place] = item + place
    for item in reversed(items):
        table["a"] = table["a"] + item * 0.5
    return table, items, len(table.keys()), "a" in table.keys(), list(table.values())[0]
