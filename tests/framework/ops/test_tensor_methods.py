"""Methods of tensors against numpy in both modes, those that change in place also by their gradients."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

import framework as ms
from framework import Parameter, Tensor, nn, ops

X = np.array([[0.5, -1.5, 2.0], [3.0, 0.25, -0.75]])
Y = np.array([[1.0, 2.0, -3.0]])
C = np.array([[1 + 2j, 3j], [0.5, -1 - 1j]])


def put(x: np.ndarray, index: Any, value: Any) -> np.ndarray:
    out = x.copy()
    out[index] = value
    return out


IN_PLACE: list[tuple[str, Callable[[Any], Any], Callable[[np.ndarray], np.ndarray]]] = [
    ("add_", lambda x: x.add_(Tensor(Y, ms.float64), alpha=2), lambda x: x + 2 * Y),
    ("sub_", lambda x: x.sub_(Tensor(Y, ms.float64)), lambda x: x - Y),
    ("mul_", lambda x: x.mul_(x), lambda x: x * x),
    ("div_", lambda x: x.div_(4), lambda x: x / 4),
    ("div_ floor", lambda x: x.div_(0.7, rounding_mode="floor"), lambda x: x // 0.7),
    ("copy_", lambda x: x.copy_(Tensor(Y, ms.float64)), lambda x: 0 * x + Y),
    ("fill_", lambda x: x.fill_(3), lambda x: 0 * x + 3),
    ("zero_", lambda x: x.zero_(), lambda x: 0 * x),
    ("clamp_", lambda x: x.clamp_(-1, 1), lambda x: np.clip(x, -1, 1)),
    ("masked_fill_", lambda x: x.masked_fill_(x > 0, 9.0), lambda x: np.where(x > 0, 9.0, x)),
    ("index_add_", lambda x: x.index_add_(1, Tensor([2, 2]), x[:, :2], alpha=2),
     lambda x: np.stack([x[:, 0], x[:, 1], x[:, 2] + 2 * x[:, 0] + 2 * x[:, 1]], 1)),
    ("index_copy_", lambda x: x.index_copy_(0, Tensor([1]), x[:1]), lambda x: x[[0, 0]]),
    ("index_fill_", lambda x: x.index_fill_(1, Tensor([0]), 7.0), lambda x: put(x, (slice(None), 0), 7.0)),
    ("index_put_", lambda x: x.index_put_([Tensor([0, 0]), Tensor([1, 1])], x[0, :2], True),
     lambda x: put(x, (0, 1), x[0, 1] + x[0, 0] + x[0, 1])),
    ("scatter_", lambda x: x.scatter_(1, Tensor([[1]]), x[1:, :1]), lambda x: put(x, (0, 1), x[1, 0])),
    ("scatter_ value", lambda x: x.scatter_(0, Tensor([[1]]), value=4.0), lambda x: put(x, (1, 0), 4.0)),
    ("scatter_add_", lambda x: x.scatter_add_(1, Tensor([[1]]), x[1:]), lambda x: put(x, (0, 1), x[0, 1] + x[1, 0])),
    ("fill_diagonal_", lambda x: x.fill_diagonal_(6.0), lambda x: put(x, ([0, 1], [0, 1]), 6.0)),
    ("tanh_", lambda x: x.tanh_(), np.tanh),
    ("remainder_", lambda x: x.remainder_(0.7), lambda x: x % 0.7),
]  # fmt: skip


def by_differences(function: Callable[[np.ndarray], np.ndarray], x: np.ndarray) -> np.ndarray:
    """The gradient of the sum of the squares of a function's result."""
    steps = (1e-6 * np.eye(x.size)).reshape(-1, *x.shape)
    return np.array([((function(x + d) ** 2).sum() - (function(x - d) ** 2).sum()) / 2e-6 for d in steps])


@pytest.mark.parametrize(("name", "change", "expected"), IN_PLACE, ids=[case[0] for case in IN_PLACE])
def test_changes_in_place(name: str, change: Callable[[Any], Any], expected: Any) -> None:
    x = Tensor(X)
    other, array = x, x.asnumpy()
    assert change(x) is x
    np.testing.assert_allclose(other.asnumpy(), expected(X), rtol=1e-6)
    assert (array == X).all()  # Who took the array keeps it.

    def squares(x: Any) -> Any:
        x = x * 1
        change(x)
        return (x * x).sum()

    gradient = by_differences(expected, X).reshape(X.shape)
    np.testing.assert_allclose(ms.grad(squares)(Tensor(X)).asnumpy(), gradient, atol=1e-4)


def saved(x: Any) -> Any:
    """The square is computed before its input changes."""
    y = x * 2
    z = y * y
    y.add_(100)
    return z.sum() + y.sum()


def branches(x: Any) -> Any:
    y = x * 1
    if x.sum() > 0:
        y.mul_(x)
    for _ in range(2):
        y.sub_(1)
    return (y * y).sum()


@pytest.mark.parametrize("taken", [lambda f: ms.grad(f), lambda f: ms.jit(ms.grad(f))], ids=["lines", "compiled"])
def test_gradients_are_of_the_values_at_the_time(taken: Any) -> None:
    np.testing.assert_allclose(taken(saved)(Tensor(X)).asnumpy(), 8 * X + 2, rtol=1e-6)
    np.testing.assert_allclose(taken(branches)(Tensor(X)).asnumpy(), 4 * X * (X * X - 2), rtol=1e-6)


def through_another_name(x: Any) -> Any:
    y = x * 1
    z = y
    y.add_(1)
    return z


def of_the_argument(x: Any) -> Any:
    x.add_(1)
    return x


def test_a_compiled_change_that_others_would_miss_is_refused() -> None:
    assert through_another_name(Tensor(X)).asnumpy()[0, 0] == 1.5
    with pytest.raises(TypeError, match="through another name"):
        ms.jit(through_another_name)(Tensor(X))
    with pytest.raises(TypeError, match="argument of the compiled function"):
        ms.jit(of_the_argument, fullgraph=True)(Tensor(X))


class Counting(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.total = Parameter(Tensor([1.0, 2.0]), name="total")

    def construct(self, x: Any) -> Any:
        self.total.add_(x)
        return self.total * 2


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def test_a_parameter_changes_in_both_modes(mode: int) -> None:
    ms.set_context(mode=mode)
    cell = Counting()
    assert cell(Tensor([1.0, 1.0])).asnumpy().tolist() == [4, 6]
    assert cell(Tensor([1.0, 1.0])).asnumpy().tolist() == [6, 8]
    assert cell.total.asnumpy().tolist() == [3, 4]
    ms.set_context(mode=ms.PYNATIVE_MODE)


def test_an_axis_that_is_not_there_is_refused() -> None:
    with pytest.raises(ValueError, match="axis 5 is out of range"):
        ops.slice_scatter(Tensor(X), Tensor(X), 5)
    assert Tensor(X).squeeze([]).shape == (2, 3)  # A list of axes, as a tuple of them.


def test_shape_and_type_stay() -> None:
    with pytest.raises(ValueError, match="cannot be changed in place to one of shape"):
        Tensor([1.0]).add_(Tensor([1.0, 2.0]))
    with pytest.raises(TypeError, match="Int64 cannot be changed in place to Float32"):
        Tensor([1]).add_(0.5)
    assert Tensor([1.0], ms.float32).mul_(Tensor(np.array([2.0]))).dtype is ms.float32
    with pytest.raises(ValueError, match="taken from another one by an index"):
        Tensor(X)[0].add_(1)


def test_a_changed_tensor_depends_on_what_changed_it() -> None:
    def assigned(x: Any) -> Any:
        y = x * 1
        ops.assign_add(y, x)
        return (y * x).sum()

    with pytest.raises(NotImplementedError, match="AssignAdd has no backward function"):
        ms.grad(assigned)(Tensor(X))


METHODS: list[tuple[str, Callable[[Any], Any], Any]] = [
    ("adjoint", lambda x: Tensor(C).adjoint(), C.conj().T),
    ("mT", lambda x: x.mT, X.T),
    ("real", lambda x: Tensor(C).real, C.real),
    ("imag", lambda x: ops.imag(Tensor(C)), C.imag),
    ("angle", lambda x: Tensor(C).angle(), np.angle(C)),
    ("complex", lambda x: ops.Complex()(x, x * 2), X + 2j * X),
    ("aminmax", lambda x: x.aminmax(axis=1, keepdims=True)[1], X.max(1, keepdims=True)),
    ("argmax_with_value", lambda x: x.argmax_with_value(1)[0], X.argmax(1)),
    ("approximate_equal", lambda x: x.approximate_equal(x + 0.1, 0.2), X == X),
    ("choose", lambda x: Tensor([0, 1, 5]).choose([[1, 2, 3], [4, 5, 6]]), [1, 5, 6]),
    ("choose wrap", lambda x: Tensor([0, 1, 2]).choose([[1, 2, 3], [4, 5, 6]], "wrap"), [1, 5, 3]),
    ("count_nonzero", lambda x: (x > 0).count_nonzero(1), (X > 0).sum(1)),
    ("expand", lambda x: x[:1].expand(4, -1), np.repeat(X[:1], 4, 0)),
    ("index_add", lambda x: x.index_add(1, Tensor([0, 0]), x[:, 1:]), np.stack([X.sum(1), X[:, 1], X[:, 2]], 1)),
    ("index_put", lambda x: x.index_put([Tensor([0, 1])], Tensor([5.0, 6, 7], ms.float64)), X * 0 + [5, 6, 7]),
    ("median", lambda x: x.median(1)[0], np.median(X, 1)),
    ("narrow", lambda x: x.narrow(1, 1, 2), X[:, 1:]),
    ("new_full", lambda x: x.new_full((2,), 3), [3.0, 3.0]),
    ("ptp", lambda x: x.ptp(0), np.ptp(X, 0)),
    ("repeat", lambda x: x.repeat(2, 1), np.tile(X, (2, 1))),
    ("resize", lambda x: x.resize(2, 4), [[0.5, -1.5, 2.0, 3.0], [0.25, -0.75, 0, 0]]),
    ("scatter_add", lambda x: x.scatter_add(0, Tensor([[1]]), x[:1]), put(X, (1, 0), 3.5)),
    ("scatter_max", lambda x: x.scatter_max(Tensor([[0]]), x[1:]), np.stack([X.max(0), X[1]])),
    ("searchsorted", lambda x: Tensor([1, 3, 5]).searchsorted(Tensor([3]), side="right"), [2]),
    ("select", lambda x: x.select(1, -1), X[:, -1]),
    ("stride", lambda x: Tensor(x.stride()), [3, 1]),
    ("sum_to_size", lambda x: x.sum_to_size(1, 3), X.sum(0, keepdims=True)),
    ("take", lambda x: x.take(Tensor([0, 5, 9]), mode="wrap"), X.ravel()[[0, 5, 3]]),
    ("trace", lambda x: x.trace(1, 0, 1), np.trace(X, 1)),
    ("max without its places", lambda x: x.max(0, True, initial=None), X.max(0, keepdims=True)),
    ("isreal", lambda x: Tensor(C).isreal(), C.imag == 0),
    ("msort", lambda x: x.msort(), np.sort(X, 0)),
    ("byte", lambda x: (x > 0).byte(), X > 0),
    ("logit", lambda x: x.clamp(0.1, 0.9).logit(), np.log(np.clip(X, 0.1, 0.9) / (1 - np.clip(X, 0.1, 0.9)))),
]


@pytest.mark.parametrize(("name", "function", "expected"), METHODS, ids=[case[0] for case in METHODS])
def test_methods(name: str, function: Callable[[Any], Any], expected: Any) -> None:
    for run in (function, ms.jit(function)):
        found = run(Tensor(X)).asnumpy()
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-7)


def test_gradients_of_complex_numbers() -> None:
    """Of the squared distance from the origin by both parts, through conjugate, angle and imaginary part."""

    def distance(a: Any, b: Any) -> Any:
        z = ops.Complex()(a, b)
        return (ops.real(z * ops.conj(z)) + ops.angle(z) + ops.imag(z)).sum()

    a, b = np.array([0.5, -1.0]), np.array([2.0, 0.25])
    square = a * a + b * b
    for taken in (ms.grad(distance, (0, 1)), ms.jit(ms.grad(distance, (0, 1)))):
        found = taken(Tensor(a), Tensor(b))
        np.testing.assert_allclose(found[0].asnumpy(), 2 * a - b / square, rtol=1e-6)
        np.testing.assert_allclose(found[1].asnumpy(), 2 * b + a / square + 1, rtol=1e-6)


def both(x: Any) -> Any:
    """Each pair computes the same with arguments of both spellings."""
    return (
        (x.prod(axis=1, keep_dims=True), x.prod(dim=1, keepdim=True)),
        ((x > 0).all(axis=0), (x > 0).all(dim=0)),
        ((x > 0).any(0), (x > 0).any(dim=0)),
        (x.argmin(axis=1), x.argmin(dim=1)),
        (x.argsort(axis=0), x.argsort(dim=0, stable=True)),
        (x.sort(0)[0], x.sort(dim=0)[0]),
        (x.std(0, 1), x.std(dim=0)),
        (x.var(axis=0, ddof=1, keepdims=True), x.var(dim=0, keepdim=True)),
        (x.cumsum(1), x.cumsum(dim=1)),
        (x.chunk(3, axis=1)[1], x.chunk(3, dim=1)[1]),
        (x.split(1, 1)[2], x.split(split_size=1, dim=1)[2]),
        (x.gather(1, Tensor([[0], [2]])), x.gather(dim=1, index=Tensor([[0], [2]]))),
        (x.index_select(0, Tensor([1])), x.index_select(dim=0, index=Tensor([1]))),
        (x.isclose(x), x.isclose(x2=x)),
        (x.repeat_interleave(2, 1), x.repeat_interleave(repeats=2, dim=1)),
        (x.remainder(0.7), x.remainder(divisor=0.7)),
        (x.masked_fill(x > 0, 1.0), x.masked_fill(mask=x > 0, value=1.0)),
        (x.equal(x), x.eq(other=x)),
        (x.maximum(0 * x), x.maximum(other=0 * x)),
        (x.pow(2), x.pow(exponent=2)),
        (x.mul(3), x.multiply(value=3)),
        (x[:1].expand_as(x), x[:1].expand_as(x=x)),
    )


def test_arguments_of_both_spellings() -> None:
    for run in (both, ms.jit(both)):
        for place, (first, second) in enumerate(run(Tensor(X))):
            assert (first.asnumpy() == second.asnumpy()).all(), place
    assert Tensor(X).var(0).asnumpy().tolist() == X.var(0).tolist()


def test_functions_of_sparse_tensors() -> None:
    values = np.array([-1.5, 2.25, 4.0], np.float32)
    coo = ms.COOTensor(Tensor([[0, 1], [1, 0], [1, 2]]), Tensor(values), (2, 3))
    csr = ms.CSRTensor(Tensor([0, 1, 3]), Tensor([1, 0, 2]), Tensor(values), (2, 3))
    for name, expected in (("abs", np.abs), ("cos", np.cos), ("isnan", np.isnan), ("square", np.square)):
        np.testing.assert_allclose(getattr(ops, f"coo_{name}")(coo).values.asnumpy(), expected(values), rtol=1e-6)
        found = getattr(ops, f"csr_{name}")(csr)
        np.testing.assert_allclose(found.values.asnumpy(), expected(values), rtol=1e-6)
        assert found.shape == (2, 3)
        assert found.indptr is csr.indptr
    with pytest.raises(TypeError, match="coo_abs takes a COOTensor, not a CSRTensor"):
        ops.coo_abs(csr)


class Pair(NamedTuple):
    first: int
    second: int


def pair(x: Any) -> Any:
    return Pair(1, 2)


def test_a_named_tuple_of_constants_is_a_result() -> None:
    assert ms.jit(pair)(Tensor(X)) == Pair(1, 2)


def test_gradients_by_complex_tensors() -> None:
    """Conjugates, as in MindSpore 2.10, which gives these numbers, and as in PyTorch."""
    x, w = (Tensor(np.array(item, np.complex64)) for item in ([[1 + 2j, 3 - 1j]], [[2 - 1j, 1 + 1j]]))
    sens = Tensor(np.array([[1 + 2j]], np.complex64))
    product = ops.MatMul(transpose_b=True)
    taken = ms.GradOperation(get_all=True, sens_param=True)(product)
    for by_x, by_w in (taken(x, w, sens), ms.jit(taken)(x, w, sens), ms.vjp(product, x, w)[1](sens)):
        np.testing.assert_allclose(by_x.asnumpy(), [[5j, 3 + 1j]])
        np.testing.assert_allclose(by_w.asnumpy(), [[5, 1 + 7j]])

    def size(z: Any) -> Any:
        return ops.real(z * ops.conj(z)).sum()

    for taken in (ms.grad(size), ms.jit(ms.grad(size)), ms.jit(lambda z: ms.vjp(size, z)[1](Tensor(1.0))[0])):
        np.testing.assert_allclose(taken(x).asnumpy(), 2 * x.asnumpy())
    matrix = ms.jacrev(lambda z: z * w)(x).asnumpy().reshape(2, 2)
    np.testing.assert_allclose(matrix, ms.jacfwd(lambda z: z * w)(x).asnumpy().reshape(2, 2))
