"""Programs whose nested functions capture variables that are set again: what they see is what Python's would see."""

# What a user may write is not what this project would.
# ruff: noqa
# mypy: ignore-errors
import functools

import framework as ms


def in_a_loop(x):
    for i in range(3):
        k = x * i

        def f(y):
            return y * k + i

        x = f(x) + 1.0
    return x


def in_a_loop_on_a_tensor(x):
    n = 0
    while (x * x).sum() < 30:
        k = x * 2
        f = lambda y: y * k + n
        x = f(x) + 0.5
        n += 1
    return x


def before_the_variable(x):
    def f(y):
        return y * k

    k = x * 2
    return f(x)


def set_again_between_two_calls(x):
    k = x
    f = lambda y: y * k
    a = f(x)
    k = x * 3
    return a + f(x)


def set_again_on_one_way(x):
    k = x
    f = lambda y: y * k
    if x.sum() < 0:
        k = x * 3
        a = f(x)
    else:
        a = f(x * 2)
    return a + f(x)


def set_on_one_of_several_rounds(x):
    total = x
    for i in range(4):
        if i % 2 == 0:
            k = x * i
        f = lambda y: y * k
        total = total + f(total)
    return total


def on_one_line(x):
    k = x
    f = lambda y: y * k
    k = x * 3
    return f(x)


def a_parameter(x):
    f = lambda: x * 2
    y = f()
    x = x + 1
    return y * f()


def of_a_target_of_several_names(x):
    for i, (a, b) in enumerate([(x, 1), (x * 2, 2)]):
        h = lambda v: v * a + b * i
        x = h(x)
    return x


def two_levels(x):
    for i in range(2):

        def outer(v):
            def inner(w):
                return w * v + i

            return inner(x)

        x = outer(x)
    return x


def functions_that_call_each_other(x):
    def a(y):
        return y * k

    def b(y):
        return a(y) + k

    def c(y):
        return b(a(y))

    total = x
    for i in range(3):
        k = x * i
        total = c(total) + 1.0
    return total


def mutual_recursion(x):
    def even(y):
        return y * k if (y * y).sum() > 9 else odd(y * 1.5 + k)

    def odd(y):
        return y - k if (y * y).sum() > 11 else even(y * 1.2 + 0.5)

    k = x
    t = even(x)
    k = x * 2 + 0.5
    return t + odd(x)


def recursion_in_a_loop(x):
    def go(y, n):
        return y * k if n == 0 else go(y + k, n - 1)

    y = k = x
    while (y * y).sum() < 60:
        k = y * 0.5 + 0.3
        y = go(y, 2) + 1.0
    return y


def each_call_of_a_recursive_function_has_its_own(x):
    def go(y, d):
        if d == 0:
            return y
        for i in range(2):
            f = lambda v: v * i + y
            t = go(y * 0.5, d - 1)
            y = f(t)
        return y

    return go(x, 2)


def defaults_are_kept(x):
    def f(y, a=2, *r, b=x, **q):
        return y * a * k + b + sum(r)

    k = 1.0
    t = f(x)
    k = 2.0
    return t + f(x, 3, x, b=x * 2) + f(y=x)


def recursive_lambdas(x):
    f = lambda n, y: y if n == 0 else g(n - 1, y * x)
    g = lambda n, y: y * 2 if n == 0 else f(n - 1, y + x)
    return f(5, x)


def a_recursive_function_on_each_way(x):
    if x.sum() < 0:

        def f(y, n):
            return y if n == 0 else f(y * x, n - 1)

    else:

        def f(y, n):
            return y * 2 if n == 0 else f(y + x, n - 1)

    return f(x, 3)


def a_recursive_function_in_a_loop(x):
    for i in range(3):

        def f(y, n):
            return y if n == 0 else f(y * x + i, n - 1)

        x = f(x, i)
    return x


def functions_made_of_former_ones(x):
    f = lambda y: y
    for i in range(3):
        f = lambda y, g=f, i=i: g(y) * x + i
    return f(x)


def passed_at_once(x):
    total = x
    for i in range(3):
        k = sorted([3, 1, 2], key=lambda v: v * i % 3)
        total = total * k[0] + sum(map(lambda y: y * i, [x, total])) + sum(y * i for y in [x, total])
    return total


def gradients_in_a_loop(x):
    w = x * 0
    for i in range(4):
        rate = 0.1 / (i + 1)
        g = ms.grad(lambda w: ((w - x) ** 2).sum() * rate)(w)
        update = lambda: w - g
        w = update()
    return w


def in_a_comprehension(x):
    t = x
    for i in range(3):
        t = t + sum([(lambda v: v * i)(y) for y in [x, t] if (lambda q: q < 2)(i)])
    return t


def assignments_in_comprehensions(x):
    rows = [[(last := x * i * j) for j in range(2)] for i in range(1, 3)]
    even = [y for i in range(4) if (y := i * 2) > 2]
    return last + rows[0][1] * sum(even) + y


EVERY = [item for item in list(vars().values()) if getattr(item, "__module__", "") == __name__]


def an_alias(x):
    k = x
    f = lambda y: y * k
    g = f
    k = x * 3
    return g(x)


def in_a_list(x):
    fs = [lambda y: y * i for i in range(3)]
    return sum([f(x) for f in fs])


def in_a_list_around_a_loop(x):
    k = x
    fs = [lambda y: y * k + 1.5]
    y = x
    while (y * y).sum() < 60:
        y = fs[0](y)
        k = y
    return y


def behind_a_choice(x):
    k = x
    fs = [lambda z: z * k]
    if x.sum() > 0:
        k = x * 2
    return fs[0](x)


def made_by_a_function(x):
    gs = []
    for i in range(2):

        def make(v):
            return lambda w: w * v + i

        gs.append(make(x))
    return gs[0](x)


def of_a_gradient(x):
    k = x
    g = ms.grad(lambda y: (y * y * k).sum())
    k = x * 3
    return g(x)


def of_a_partial_call(x):
    k = x
    g = functools.partial(lambda a, y: y * k + a, 1.0)
    k = x * 3
    return g(x)


def of_a_generator(x):
    k = 2
    items = (y * k for y in [x, x])
    k = 5
    return sum(items)


def of_a_map(x):
    k = 2
    items = map(lambda y: y * k, [x, x])
    k = 5
    return sum(items)


def made_in_a_comprehension(x):
    k = x
    fs = [(lambda y: y * k) for _ in range(2)]
    k = x * 3
    return fs[0](x)


REFUSED = [
    (an_alias, "k"), (in_a_list, "i"), (in_a_list_around_a_loop, "k"), (behind_a_choice, "k"), (made_by_a_function, "i"),
    (of_a_gradient, "k"), (of_a_partial_call, "k"), (of_a_generator, "k"), (of_a_map, "k"),
    (made_in_a_comprehension, "k"),
]  # fmt: skip
