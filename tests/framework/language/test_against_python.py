"""Builtins, operators and statements give in both modes what Python and numpy give for the same numbers."""

# What a user may write is not what this project would.
# ruff: noqa
# mypy: ignore-errors
from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import framework as ms
from framework import Tensor
from tests.framework.language.test_programs import copied, same

X = np.array([1.0, 2.0, 3.0], np.float32)
M = np.array([[1, 2], [3, 4]], np.int64)
N = np.array([1, 2, 3], np.int64)
S = np.array(2.0, np.float32)
CASES: list[tuple[Callable[..., Any], tuple[Any, ...], Any]] = []


def gives(wanted: Any, *arguments: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Add a function to the list: with numpy's arrays as tensors, its result is `wanted`."""

    def keep(function: Callable[..., Any]) -> Callable[..., Any]:
        CASES.append((function, tuple(Tensor(a) if isinstance(a, np.ndarray) else a for a in arguments), wanted))
        return function

    return keep


def plain(value: Any) -> Any:
    """A result with arrays in place of tensors."""
    if isinstance(value, tuple | list):
        return type(value)(map(plain, value))
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    return value.asnumpy() if isinstance(value, Tensor) else value


def agrees(found: Any, wanted: Any) -> None:
    """Check a result against Python's: numbers, types of containers, and shapes."""
    if isinstance(wanted, tuple | list):
        assert isinstance(found, type(wanted))
        assert len(found) == len(wanted)
        for one, two in zip(found, wanted, strict=True):
            agrees(one, two)
    elif isinstance(wanted, dict):
        assert list(found) == list(wanted)
        agrees(list(found.values()), list(wanted.values()))
    elif isinstance(wanted, np.ndarray | np.generic):
        assert found.shape == wanted.shape
        np.testing.assert_allclose(found, wanted, rtol=1e-6)
    else:
        assert type(found) is type(wanted)
        assert found == wanted


def big(x):
    return x > 2


class Even:
    def __call__(self, number):
        return number % 2 == 0


EVEN = Even()


@gives(((3, 4), [1, [2]], [0, 2, 4], [2], ["1", "2"], [1]))
def filters():
    known = tuple(filter(big, (1, 2, 3, 4)))
    truth = list(filter(lambda v: [v] if v else [], [0, 1]))
    return (
        known,
        list(filter(None, [0, 1, [], [2]])),
        list(filter(EVEN, range(5))),
        list(filter(bool, [0, 2])),
        list(filter(str.isdigit, "a1b2")),
        truth,
    )


@gives([X, X.sum()], X)
def filters_tensors(x):
    return list(filter(lambda v: v.ndim < 2, [x, x.sum(), x.reshape(1, 3)]))


@gives((np.int64(16), np.array([14, 16]), np.float32(7.5), np.array([7.0, 8, 9])), N, M, X)
def sums_from_a_start(n, m, x):
    return sum(n, 10), sum(m, start=10), sum(x, 1.5), sum(x, x)


@pytest.mark.parametrize("dtype", [np.bool_, np.int8, np.uint8, np.int32, np.int64, np.float16, np.float32])
@pytest.mark.parametrize("start", [(), (10,), (1.5,)])
def test_a_sum_has_the_type_of_its_rows(dtype, start):
    rows = np.array([[1, 1], [0, 1]], dtype)
    tensors = ms.jit(lambda x: sum(x, *start))(Tensor(rows)), sum(Tensor(rows), *start)
    assert tensors[0].dtype == tensors[1].dtype
    for found in tensors:
        np.testing.assert_array_equal(found.asnumpy(), np.array([1, 2]) + sum(start))


@gives((np.array([2.0, 4, 6]), [1, 2], 3, (1, 2)), X)
def mutable_values(x):
    y = ms.mutable((x, x))[0] * 2
    return y, ms.mutable([1, 2], dynamic_len=True), ms.mutable(input_data=3), ms.mutable((1, 2), True)


@pytest.mark.parametrize("mode", [lambda function: function, ms.jit])
def test_what_mutable_takes(mode):
    # What MindSpore 2.10 takes and refuses.
    taken = ((1, False), (1.5, False), ((1, 2, 3), True), ([], True), ({"a": 1}, False), (Tensor(X), False))
    for value, dynamic in taken:
        same(mode(lambda v, d=dynamic: ms.mutable(v, d))(value), value)
    for value, dynamic in (
        ("a", False),
        (None, False),
        ((1, "a"), False),
        (1, True),
        ({"a": 1}, True),
        (Tensor(X), True),
    ):
        with pytest.raises(TypeError, match="mutable"):
            mode(lambda v, d=dynamic: ms.mutable(v, d))(value)


@gives(({"a": X * 2 + 1, "c": [2, 3]}, [1, 4], X * 18 + 9), X)
def deletes(x):
    y = x * 2
    z = y + 1
    del y, x
    entries = {"a": z, "b": 2, "c": [1, 2, 3]}
    del entries["b"], entries["c"][0]
    items = [1, 2, 3, 4]
    del items[1:3]
    w = z
    for i in range(1, 4):
        y = w * (i - 1)
        w = w + y
        del y
    total = w * 1.5
    return entries, items, total


def deleted(x):
    del x
    return x


def deleted_on_a_way(x):
    y = 1
    if x.sum() > 0:
        del y
    return x * y


@pytest.mark.parametrize("function", [deleted, deleted_on_a_way])
def test_a_deleted_variable_has_no_value(function):
    with pytest.raises(UnboundLocalError):
        function(Tensor(X))
    with pytest.raises(ms.ir.errors.InferenceError, match=r"'[xy]' may be undefined here: line \d+ deletes it"):
        ms.jit(function)(Tensor(X))


@gives((X**2, 2**X, X**X, np.array([8.0, 8, 8], np.float32), 2), X)
def powers(x):
    return pow(x, 2), pow(2, x), pow(x, x), x * 0 + pow(2, 3), pow(2, 5, 5) + len((x,)) - 1


@gives((N | 4, 4 | N, 6 & N, 6 ^ N, N << 1, 1 << N, N << N, 16 >> N, N >> 1, ~(N > 1)), N)
def bits(n):
    return n | 4, 4 | n, 6 & n, 6 ^ n, n << 1, 1 << n, n << n, 16 >> n, n >> 1, ~(n > 1)


@gives((True, False, False, True, True, True, True, False, False, True), S, X)
def memberships(s, x):
    a = (s in [1, 2], s not in (2, 3), s in [], s in [s * 3, s * 1], 2 in x, s in x)
    return (*a, x in [x, 1], [1] in x, s in {"a": 1}, 2 in [1, s])


@gives((1, 2, 2, 1, 1, 0), S)
def finds(s):
    return [1, 2].index(s), [1, 2, 2].count(s), (s, s, 1).count(s), [s, 1].index(1), [1, s].count(1), (1, 3).count(s)


def no_place(s):
    return [1, 3].index(s)


def test_what_is_in_no_place_is_an_error_in_both_modes():
    for function in (no_place, ms.jit(no_place)):
        with pytest.raises(ValueError):
            function(Tensor(S))


@gives(({"a": X, "b": X * 2}, {"a": X, "b": 1}, {"a": X, "b": 2}, {"a": 1}, {}), X)
def dictionaries(x):
    pairs = dict(zip("ab", [x, x * 2]))
    return pairs, dict([("a", x), ["b", 1]]), dict([("a", x)], b=2), dict((("a", 1),)), dict()


@gives((False, (), [], 0, 0.0, "", {}, 3))
def nothing_given():
    return bool(), tuple(), list(), int(), float(), str(), dict(), int("3")


@gives((True, False, True, True, False, True, False, True, (True, True)), X, np.array([True, False]))
def any_and_all(x, b):
    a = any(b), all(b), any([x.sum() > 100, x.sum() > 1]), all([x.sum() > 1, x.ndim == 1])
    return (*a, any(v > 9 for v in x), all(x), all(x - 1), any(x - 1), (all(()), any([0, x.ndim])))


@gives((X, (1, X), X * 2, 1, X.sum(), (1, 4), [X, 1], X + 1, X * 3, True, True, 1, 0, -X, False), X, S)
def functions_of_operator(x, s):
    first = operator.itemgetter(0)([x, 1]), operator.itemgetter(1, 0)([x, 1]), operator.itemgetter("a")({"a": x * 2})
    second = operator.attrgetter("ndim")(x), operator.methodcaller("sum", axis=0)(x)
    both = operator.attrgetter("ndim", "dtype.itemsize")(x)
    third = operator.concat([x], [1]), operator.iadd(x, 1), operator.imul(x, 3), operator.truth(s)
    fourth = operator.contains([1, s], 2), operator.countOf([1, s], 2), operator.indexOf([s, 1], 2)
    return (*first, *second, both, *third, *fourth, operator.neg(x), operator.not_(s))


@gives((X * N, X + N, N + X, N * X, X - N, N - X, X / N, X // N, X % N, X + np.array([1, 1, 2]), False, True), X)
def lists_as_operands(x):
    a = x * (1, 2, 3), x + [1, 2, 3], [1, 2, 3] + x, (1, 2, 3) * x, x - [1, 2, 3], [1, 2, 3] - x
    return (*a, x / [1, 2, 3], x // [1, 2, 3], x % (1, 2, 3), x + [x[0], 1, 2], x == [1, 2, 3], x != (1, 2, 3))


def of_lists(x):
    return (x * [2, 3, 4] + [x[0] * x[1], 1, 2]).sum()


def test_lists_as_operands_have_gradients():
    for gradient in (ms.grad(of_lists), ms.jit(ms.grad(of_lists))):
        np.testing.assert_array_equal(gradient(Tensor(X)).asnumpy(), [4.0, 4.0, 4.0])


def test_a_list_takes_the_type_of_its_tensor():
    # MindSpore 2.10 computes the same in graph mode: n * (1.5, 2, 3) is Int32 [1 4 9].
    for function in (lambda n: n * (1.5, 2, 3), ms.jit(lambda n: n * (1.5, 2, 3))):
        found = function(Tensor(np.array([1, 2, 3], np.int32)))
        assert (found.dtype, found.asnumpy().tolist()) == (ms.int32, [1, 4, 9])


TEXTS = (
    "(3,) 2.0 't'", "[1. 2. 3.]", "2.00|    3", "2.012.0", "() 2.0", "2.00 2.0", "2.0 is 3", "2.0,a", "2.0", "a2.0a2.0",
    "Tensor(shape=[], dtype=Float32, value=\n2.)", "[Tensor(shape=[], dtype=Float32, value=\n2.)]",
)  # fmt: skip


@gives(TEXTS, X, S)
def texts(x, s):
    a = "{} {:.1f} {a!r}".format(x.shape, 2.0, a="t"), "{}".format(x), "{:.2f}|{a:>5}".format(s, a=3)
    b = "{0}{1}{0}".format(s, 1), "{0.shape} {1[0]}".format(s, [s]), f"{s:.2f} {s}", "%s is %d" % (s, 3)
    return (*a, *b, ",".join([str(s), "a"]), format(s, ".1f"), ("a" + str(s)) * 2, repr(s), f"{[s]}")


def prints(s):
    print("{:.1f}".format(s), [s], {"a": s}, sep="|")
    return s


def test_tensors_in_containers_are_printed_as_tensors(capsys):
    prints(Tensor(S))
    wanted = capsys.readouterr().out
    assert wanted.startswith("2.0|[Tensor(shape=[]")
    ms.jit(prints)(Tensor(S))
    assert capsys.readouterr().out == wanted


@gives((True, True, False, True, True, (3, None, 1, True, True, True, 5, True, False)), X)
def kinds_and_attributes(x):
    items = [x]
    found = getattr(x, "nothing", 3), getattr(EVEN, "zz", None), getattr(x, "ndim", 0), hasattr(EVEN, "__call__")
    others = hasattr(items, "append"), hasattr({"a": x}, "keys"), getattr(items, "foo", 5), hasattr((x,), "index")
    a = isinstance(x, (int, Tensor)), isinstance(1, (int, (str, float))), isinstance(x, (list, tuple))
    return (*a, isinstance(x, int | Tensor), issubclass(type(x), Tensor), (*found, *others, hasattr(x, "zz")))


def keyword(a, *, k=1):
    return a * k


def keywords(a, **named):
    return keyword(a, **named)


def with_default(a, f=lambda z, k=3: z * k):
    return f(a)


class Parts:
    x = (1, 2, 3, 4)


class MoreParts(Parts):
    def middle(self):
        return super().x[1:3]


PARTS = MoreParts()


@gives((X * 2, X * 2, X * 3, X * 2 * X, X * X, (2, 3), X), X)
def calls(x):
    assert x.sum() > 0, f"positive: {x}"
    nested = (lambda y: (lambda z: z * y)(x))(x)
    return (
        keywords(x, k=2),
        keywords(a=x, k=2),
        with_default(x),
        (lambda a, k=x: a * k)(x * 2),
        nested,
        PARTS.middle(),
        x,
    )


@gives((6, 6.0, True, 6.0, X * 6.0, 7, 2.0, (6, 6.0), X * 2, True, X, 1.0, X.reshape(1, 3)), X, N)
def numbers_of_tensors(x, n):
    total = x.sum()
    grown = x * 2 if float(total) > 3 else x
    a = int(total), float(total), bool(total), total.item(), x * float(total), int(total) + 1, total.item() / 3
    b = (int(n.sum()), float(n.sum())), grown, isinstance(int(total), int) and n.sum().item() == 6
    return (*a, *b, x * float(x[0:1]), x[0].item(), x.reshape(int(n[0]), 3))


TABLE = Tensor(X)


@gives((np.sin(X) * X, 6.0, 3.0), X)
def constants_are_read_while_compiling(x):
    return x * Tensor(np.sin(TABLE.asnumpy())), sum(TABLE.tolist()), TABLE[2].item()


def doubled(x):
    return x * 2


def tripled(x):
    return x * 3


@gives((X * 7, X * 8), X)
def functions_of_two_paths(x):
    found = []
    for sign in (1, -1):
        if (x * sign).sum() > 0:
            first, second = doubled, tripled
        else:
            first, second = tripled, doubled
        found.append(first(x) * 2 + second(x))
    return tuple(found)


def combined(a, b, c=1, d=0):
    return a * 100 + b * 10 + c - d


OF_TWO = functools.partial(combined, 2, c=3)


@gives((X * 10 + 203, X + 120, X * 10 + 203 - X, X * 10 + 204, 2, 8, 4), X, N)
def partial_functions(x, n):
    first, second = functools.partial(combined, 2), functools.partial(combined, 1, b=2)
    of_two = OF_TWO(x, d=x), OF_TWO(x, c=4)
    return first(x, c=3), second(c=x), *of_two, functools.partial(len)((x, n)), n.itemsize, x.itemsize


@gives(([X, 1, X, 1, X, 1], ([1, 2, 1, 2], [1, 2, 3]), X, {"b": 1}, 5), X)
def containers_that_grow(x):
    items, twice, more = [x, 1], ms.mutable([1, 2], True), ms.mutable([1, 2], True)
    items *= 3
    twice *= 2
    more += [3]
    entries = {"a": x, "b": 1}
    taken, missing = entries.pop("a", 0), entries.pop("c", 5)
    return items, (twice, more), taken, entries, missing


@pytest.mark.parametrize("start", [1.5, np.int8(3), np.array([1, 2], np.int64)])
def test_a_sum_of_narrow_rows_is_as_wide_as_its_start(start):
    rows = np.array([[100, 1], [100, 2]], np.int8)
    given = start if isinstance(start, float) else Tensor(np.asarray(start))
    line_by_line = sum(Tensor(rows), given)
    for found in (ms.jit(lambda x, s: sum(x, s))(Tensor(rows), given), ms.jit(lambda x: sum(x, given))(Tensor(rows))):
        same(found, line_by_line)
    wanted = (start + rows[0]) + rows[1]
    np.testing.assert_array_equal(line_by_line.asnumpy(), wanted)


class Scaled(ms.nn.Cell):
    def __init__(self):
        super().__init__()
        self.scale = 3
        self.weight = ms.Parameter(Tensor(X))

    def construct(self, x):
        return x + self.weight, super().scale


def test_compiled_functions_find_attributes_of_the_object_itself():
    # Python looks in the classes above only; MindSpore 2.10 in graph mode gives 3.
    with pytest.raises(AttributeError, match="scale"):
        Scaled()(Tensor(X))
    found = ms.jit(Scaled())(Tensor(X))
    agrees(plain(found), (X * 2, 3))


class Halves(ms.nn.Cell):
    def __init__(self):
        super().__init__()
        self.weight = ms.Parameter(Tensor(X * 1.0001))
        self.to_float(ms.float16)

    def construct(self, x):
        return x * self.weight


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def test_weights_are_cast_to_the_type_that_a_cell_computes_in(mode):
    ms.set_context(mode=mode)
    try:
        found = Halves()(Tensor(X))
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)
    assert found.dtype == ms.float16
    np.testing.assert_array_equal(found.asnumpy(), X.astype(np.float16) * (X * 1.0001).astype(np.float16))


@ms.jit
def repeated(x):
    count = ms.mutable(2)
    known = (1, 2) * 2
    return known, [ms.ops.functional.is_sequence_shape_unknown(items) for items in (known, (1, 2) * count)]


def test_the_length_of_a_repeated_tuple_is_known_if_the_count_is():
    assert repeated(Tensor(X)) == ((1, 2, 1, 2), [False, True])


@pytest.mark.parametrize(("function", "arguments", "wanted"), CASES, ids=[case[0].__name__ for case in CASES])
def test_both_modes_give_what_python_gives(function, arguments, wanted):
    compiled = ms.jit(function)
    for _ in range(2):
        line_by_line = function(*copied(arguments))
        agrees(plain(line_by_line), wanted)
        found = compiled(*copied(arguments))
        same(found, line_by_line)
    assert compiled.compilations == 1
    assert compiled.compile(*arguments) is not None, "it runs compiled, not line by line"
