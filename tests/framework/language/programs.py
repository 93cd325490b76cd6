"""Programs as users write them, one for each construct of Python that graph mode has, and their arguments."""

# What a user may write is not what this project would.
# ruff: noqa
# mypy: ignore-errors
import functools
import math
import operator
from collections import namedtuple

import numpy as np

import framework as ms
from framework import Parameter, Tensor, nn, ops

T = lambda *v, d=np.float32: Tensor(np.array(v if len(v) != 1 else v[0], d))
X = Tensor(np.array([[1.0, -2, 3], [4, 5, -6]], np.float32))
V = T(1.0, 2.0, 3.0)
S = T(2.0)
X = Tensor(np.array([[1.0, -2, 3], [4, 5, -6]], np.float32))
V = T(1.0, 2.0, 3.0)
S = T(2.0)
X = Tensor(np.array([[1.0, -2, 3], [4, 5, -6]], np.float32))
V = T(1.0, 2.0, 3.0)
S = T(2.0)
CASES = []


def case(*args):
    def keep(f):
        CASES.append((f, args))
        return f

    return keep


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
def nested_closures(s):
    def outer(a):
        def inner(b):
            def most(c):
                return a * b + c * s

            return most

        return inner

    return outer(2)(3)(4)


@case(V)
def comp(v):
    ys = [v[i] * j for i in range(3) if i != 1 for j in (1, 2) if j > 0]
    d = {k: v * n for n, k in enumerate("abc")}
    g = sum(x for x in ys)
    return ops.stack(ys).sum() + d["c"] + g


@case(V)
def comp_tensor(v):
    return ops.stack([row * 2 for row in v])


@case(V, 3)
def fstr(v, n):
    name = f"{n:03d}-{n!r:>4}-{v.shape}"
    assert name == "003-   3-(3,)", name
    return v * len(name)


@case(S)
def isins(s):
    r = 0
    class_ = (int, float)
    r += isinstance(s, Tensor)
    r += 2 * isinstance(3, int)
    r += 4 * isinstance(3.0, class_)
    r += 8 * isinstance([s], list)
    r += 16 * isinstance((s,), tuple)
    r += 32 * isinstance({"a": s}, dict)
    r += 64 * isinstance("a", str)
    r += 128 * isinstance(None, type(None))
    r += 256 * (not isinstance(True, float))
    r += 512 * isinstance(s.shape, tuple)
    r += 1024 * isinstance(lambda: 1, type(lambda: 1))
    return s * r


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


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.layers = nn.CellList([nn.Dense(3, 3, weight_init="ones") for _ in range(3)])
        self.seq = nn.SequentialCell(nn.ReLU(), nn.Dense(3, 2, weight_init="ones"))
        self.flag = True
        self.sizes = [1, 2]
        self.table = {"a": 2.0}

    def helper(self, x, k=1):
        return x * k

    @property
    def prop(self):
        return 5.0

    @staticmethod
    def stat(x):
        return x + 1

    @classmethod
    def clsm(cls, x):
        return x + 2

    def construct(self, x, y=None):
        for i, layer in enumerate(self.layers):
            x = layer(x) + i
        for layer in self.layers[1:]:
            x = layer(x)
        for cell in self.seq:
            x = cell(x)
        if y is not None:
            x = x + y
        if self.flag and self.training:
            x = x * 2
        return (
            self.stat(self.clsm(self.helper(x, k=self.table["a"]) * self.prop * self.sizes[1]))
            + len(self.layers)
            + self.layers[0](V).sum()
            + self.layers[-1].weight.sum()
        )


net = Net()


@case(X)
def cells(x):
    return net(x)


@case(X, S)
def cells2(x, s):
    return net(x, y=s)


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
def global_tensor(s):
    return s * V + math.pi


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
def ann(s):
    x: Tensor = s * 2
    y: int
    y = 3
    return x * y


@case(S)
def fdefaults(s):
    k = s * 2

    def f(a, b=k):
        return a + b

    g = lambda a, b=k: a * b
    return f(1) + g(2) + f(1, b=3)


@case(S)
def inlist(s):
    return s * (3 in [1, 2, 3]) + s * ("a" in "abc") + s * (2 not in (1,)) + (1 if 1 in {1: 2} else 0)


@case(S)
def tuplecmp(s):
    return s * (s.shape == ()) + s * (V.shape != (3,)) + (s.dtype == ms.float32) + (s.dtype is ms.float32)


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
def returns_before_it_recurs(s):
    def down(n):
        if n <= 1:
            return n
        return n * down(n - 1)

    return down(s * 2)


@case(S)
def raises_behind_a_return(s):
    if s > 1:
        return s
    raise ValueError("not reached")


@case(S)
def a_decorator_is_not_looked_through(s):
    return decorated(s) + decorated(s, y=4)


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


@case(S)
def decorators_within(s):
    @twice
    def inner(a):
        return a * s

    return inner(3)


@case(S)
def one_of_two_functions(s):
    def g(x):
        return x * s

    f = ops.sin if s > 1 else ops.cos
    k = lambda x: x * 2
    if s > 1:
        k = g
    return f(s) + k(s)


class Base(nn.Cell):
    def construct(self, x):
        return x * 3


class Derived(Base):
    def __init__(self):
        super().__init__()
        self.w = Parameter(T(1.0, 2.0, 3.0), name="w")

    def construct(self, x):
        return super().construct(x) + super(Derived, self).construct(x) + Base.construct(self, x)


derived = Derived()


@case(S)
def calls_of_the_base_class(s):
    return derived(s)


class WithOperators:
    def __init__(self, k):
        self.k = k

    def __call__(self, x):
        return x * self.k

    def __getitem__(self, i):
        return i * 10

    def __len__(self):
        return 4

    def __add__(self, other):
        return other + self.k

    def __bool__(self):
        return False


thing = WithOperators(3)


@case(S)
def objects_of_users(s):
    return thing(s) + thing[2] + len(thing) + (thing + 1) + (thing + s) + (1 if thing else 2)


@case(X)
def reads_by_masks(x):
    m = x[x[:, 0] > 1]
    return x[x > 0], x[x > 0].sum(), m.shape[0] * 2, m.T, m * 2 + m


@case(S)
def tells_parameters_from_tensors(s):
    w = derived.w
    return s * isinstance(w, Parameter) + 2 * isinstance(s, Parameter) + 4 * isinstance(w, Tensor)


@case(S)
def effects_behind_the_result(s):
    v = s * V

    def change(x):
        assert x.shape == (3,)
        return x.shape[0]

    change(v)
    return v


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


@case(V, S)
def partial_calls(v, s):
    def scale(k, g, by=1):
        return g * k * by

    inner = functools.partial(functools.partial(scale, s), by=3)
    return ms.ops.composite.HyperMap()(functools.partial(scale, s), (v, v * 2)), inner(v), inner(v, by=s)


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
def compiles_within(v):
    @ms.jit
    def f(y):
        return y * v

    @ms.jit(jit_level="O1")
    def g(y):
        return y + v

    return f(v) + g(v) + ms.jit(lambda y: y - v)(v * 3)


@case(V)
def makes_cells(v):
    return nn.ReLU()(v) + nn.Dense(3, 3, weight_init="ones", bias_init="zeros")(v.reshape(1, 3))


@case(S)
def recurs_within_its_own_argument(s):
    def f(y, depth):
        if depth == 0:
            return y
        if y > 2:
            return f(y * 0.5, depth - 1)
        return f(f(y + 1.0, depth - 1), depth - 1)

    return f(s, 3)


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


class Counted(nn.Cell):
    def __init__(self):
        super().__init__()
        self.weight = Parameter(T(1.0, 2.0, 3.0), name="weight")
        self.asked = Parameter(T(0.0), name="asked")

    def itself(self):
        self.asked += 1.0
        return self

    def construct(self, v):
        self.itself().weight += v
        self.itself().weight[0] = 5.0
        self.itself().weight[1:] *= 2.0
        return self.weight * 1.0, self.asked * 1.0


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
