"""Which operators have a fast way in PyNative mode, and that the usual inputs take it."""

from __future__ import annotations

import sysconfig
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from framework import Tensor, ops
from framework.observe import watching
from framework.ops import operations as P  # noqa: N812
from framework.ops.primitive import Primitive
from framework.ops.tensor_operators import OPERATORS
from framework.pynative import backward, fast, value_and_gradient
from framework.pynative.fast import array_backward, array_pass, generated_calls, operators, small_tensors
from framework.pynative.fast.array_backward import give, source_of
from framework.pynative.fast.generated_calls import call_of, generate, generate_operator, with_number
from framework.pynative.fast.kernel.build import PART, ExtensionPart

pytestmark = pytest.mark.fast_path

X = np.float32([1.0, -2.0, 3.0])

ON_ARRAYS = """
    ACos Abs Acosh Add Asin Asinh Atan Atan2 Atanh AvgPool AvgPoolGrad BatchMatMul BiasAdd BroadcastLike Cast Cos Cosh
    Cross CumProd CumSum Depend Diag DiagPart Digamma Div DivNoNan Erf Erfc Erfinv Exp ExpandDims Expm1 Flatten
    FloorMod Gather GatherD GatherNd GeLU Ger GetItem GetItemGrad Identity Inv L2Loss Lerp Lgamma Log Log1p LogSoftmax
    MaskedFill MatMul MatrixDeterminant MatrixInverse MaxPool MirrorPad Mish Mod Mul Neg PReLU PadV3 Polygamma ReLU
    RealDiv Reciprocal ReduceProd ReduceSum ReluGrad Reshape ResizeBilinearV2 Rsqrt ScatterNd Select SetItem SiLU
    Sigmoid Sin Sinh Slice Softmax Softplus Softsign Split Sqrt Square SquaredDifference Squeeze Stack StopGradient
    StridedSlice Sub SumLike Tan Tanh TensorScatterAdd TensorScatterUpdate Tile Transpose Tril Triu Unstack
"""
ON_TENSORS = "AddN BatchNorm Concat Dropout LayerNorm Maximum Minimum Pow ReLU6 ReduceMax ReduceMean Sort TopK"
#: These change their inputs, or take none.
NOT_GENERATED = "Adam ApplyMomentum Assign AssignAdd Fill Ones Print SGD ScatterUpdate StandardNormal Zeros"


@pytest.mark.parametrize("name", ON_ARRAYS.split())
def test_these_go_backward_on_arrays(name: str) -> None:
    assert source_of(getattr(P, name)()).startswith("def pull(")


@pytest.mark.parametrize("name", ON_TENSORS.split())
def test_these_go_backward_on_tensors(name: str) -> None:
    assert source_of(getattr(P, name)()) == ""


def test_calls_are_generated_for_all_that_only_compute() -> None:
    kinds = [kind for kind in vars(P).values() if isinstance(kind, type) and issubclass(kind, Primitive)]
    without = {kind.__name__ for kind in kinds if kind is not Primitive and not call_of(kind)}
    assert without.issuperset(NOT_GENERATED.split())
    assert without.isdisjoint(ON_ARRAYS.split())


def test_a_generated_call_says_what_it_computes() -> None:
    assert "_out = _a0 + _a1" in call_of(P.Add)
    assert "_out = np.exp(_a0)" in call_of(P.Exp)
    assert "with_number(self, np.multiply, input, other)" in call_of(P.Mul)
    assert "_a0.dtype is not _a1.dtype" in call_of(P.Mul)
    assert "with_number" not in call_of(P.MatMul)


def test_the_call_of_one_primitive_takes_its_inputs_alone() -> None:
    add, softmax = generate_operator(P.Sub()), generate_operator(P.Softmax())
    assert add(Tensor(X), Tensor(X * 3)).asnumpy().tolist() == (-2 * X).tolist()
    np.testing.assert_allclose(softmax(Tensor(X)).asnumpy(), np.exp(X) / np.exp(X).sum(), rtol=1e-6)


@pytest.fixture
def no_slow_way(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets everything fail that does not take the fast way."""

    def refuse(*given: Any) -> Any:
        raise AssertionError("the slow way was taken")

    monkeypatch.setattr(generated_calls, "execute", refuse)


@pytest.mark.parametrize(("x", "y"), [(X, 2.0), (2.0, X), (X, 3), (X.astype(np.int32), 3), (4, X.astype(np.int64))])
@pytest.mark.parametrize("name", ["subtract", "multiply", "maximum"])
@pytest.mark.usefixtures("no_slow_way")
def test_a_tensor_and_a_number_take_the_fast_way(x: Any, y: Any, name: str) -> None:
    ufunc, primitive = getattr(np, name), {"subtract": P.Sub, "multiply": P.Mul, "maximum": P.Maximum}[name]()
    given = [Tensor(item) if isinstance(item, np.ndarray) else item for item in (x, y)]
    found = with_number(primitive, ufunc, *given)
    assert found.asnumpy().tolist() == ufunc(x, y).tolist()
    assert found.dtype is next(item for item in given if isinstance(item, Tensor)).dtype


@pytest.mark.parametrize(
    ("x", "y", "ufunc"),
    [(X.astype(np.int32), 2.5, np.add), (X > 0, 2, np.add), (X.astype(np.int32), 2, np.power), (X, "2", np.add)],
)
@pytest.mark.usefixtures("no_slow_way")
def test_other_numbers_and_types_take_the_slow_way(x: Any, y: Any, ufunc: Any) -> None:
    with pytest.raises(AssertionError, match="the slow way"):
        with_number(P.Add(), ufunc, Tensor(x), y)


def test_a_number_is_recorded_on_its_side() -> None:
    for function, slope in ((lambda x: 5.0 - x, -1.0), (lambda x: x - 5.0, 1.0), (lambda x: 6.0 * x, 6.0)):
        _, (found,), _ = value_and_gradient(function, [Tensor(X)])
        assert found.asnumpy().tolist() == [slope] * 3


@pytest.mark.parametrize(
    ("known", "gradient", "wanted"),
    [
        (None, X, X),
        (X, X, 2 * X),
        (X, Tensor(X), 2 * X),
        (None, 2.5, np.float32(2.5)),
        (np.float32(1.5), 2.5, np.float32(4.0)),
        (np.float64(1.5), np.asarray(np.float32(2.5)), np.float64(4.0)),
        (X.astype(np.float64), X, 2 * X.astype(np.float64)),
    ],
)
def test_gradients_add_up(known: Any, gradient: Any, wanted: Any) -> None:
    gradients = [None, known, None]
    give(gradients, 1, gradient, P.Add())
    assert gradients[0] is gradients[2] is None
    assert gradients[1].dtype == wanted.dtype
    np.testing.assert_array_equal(gradients[1], wanted)


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The names of the primitives for which a backward function on arrays is written."""
    found: list[str] = []
    write = array_backward._written

    def noted(primitive: Primitive) -> Any:
        found.append(primitive.name)
        return write(primitive)

    monkeypatch.setattr(array_backward, "_written", noted)
    return found


def test_it_is_written_at_the_second_use(written: list[str]) -> None:
    exp = P.Exp()
    for count in (0, 1, 1):
        _, (found,), _ = value_and_gradient(lambda x: exp(x), [Tensor(X)])
        np.testing.assert_allclose(found.asnumpy(), np.exp(X), rtol=1e-6)
        assert written == ["Exp"] * count


def test_gradients_that_meet_add_up_whatever_their_types() -> None:
    half = Tensor(np.float16([1.0, 2.0, 3.0]))
    for _ in range(3):
        _, (found,), _ = value_and_gradient(
            lambda x: (ops.cast(x, "float32") * Tensor(X)).sum() + (x * x).sum() + x.sum(), [half]
        )
        assert found.asnumpy().dtype == np.float16
        assert found.asnumpy().tolist() == (np.float16(X) + np.float16([3.0, 5.0, 7.0])).tolist()


def test_the_compiler_is_told_where_the_headers_are(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[tuple[Any, tuple[str, ...]]] = []
    monkeypatch.setattr(
        ExtensionPart.__base__, "build", lambda self, target=None, *, flags=(): told.append((target, flags))
    )
    if not Path(sysconfig.get_path("include"), "Python.h").is_file():
        pytest.skip("this Python has no headers")
    assert PART.is_possible()
    PART.build(Path("made"), flags=("-Werror",))
    ((target, (python, numpy, last)),) = told
    assert (target, last) == (Path("made"), "-Werror")
    assert Path(python.removeprefix("-isystem"), "Python.h").is_file()
    assert Path(numpy.removeprefix("-isystem"), "numpy", "arrayobject.h").is_file()


def test_the_extension_module_is_loaded_where_it_was_built() -> None:
    if not PART.is_built():
        pytest.skip("the operators on small tensors were not compiled")
    assert callable(small_tensors._load().methods)


def test_a_call_is_generated_for_a_class() -> None:
    made = generate(P.Mul)
    assert made.__qualname__ == "Mul.__call__"
    assert made(P.Mul(), Tensor(X), Tensor(X)).asnumpy().tolist() == (X * X).tolist()
    assert generate(P.Assign).__qualname__ == "call"


PROGRAMS: dict[str, tuple[Callable[[Tensor, Tensor], Tensor], Callable[[Any, Any], Any]]] = {
    "a product": (lambda x, y: x * y, lambda x, y: (y, x)),
    "a product with one number": (lambda x, y: x.sum() * y, lambda x, y: (y.sum() + 0 * x, x.sum() + 0 * y)),
    "a quotient": (lambda x, y: x / y, lambda x, y: (1 / y, -x / y**2)),
    "an exponential": (lambda x, y: ops.exp(-x) - y, lambda x, y: (-np.exp(-x), -1 + 0 * y)),
}


@pytest.fixture
def installed() -> None:
    """Puts the fast ways in again, which changes nothing."""
    fast.install()


@pytest.mark.usefixtures("installed")
def test_backward_goes_on_arrays(monkeypatch: pytest.MonkeyPatch) -> None:
    y = np.float32([2.0, 4.0, -0.5])
    given = [Tensor(X), Tensor(y)]
    for function, _ in PROGRAMS.values():
        value_and_gradient(function, given, (0, 1))

    def refuse(*given: Any) -> Any:
        raise AssertionError("backward went on tensors")

    for module in (array_pass, backward):
        monkeypatch.setattr(module, "apply", refuse)
    for function, gradients in 2 * list(PROGRAMS.values()):
        _, found, _ = value_and_gradient(function, given, (0, 1))
        for one, wanted in zip(found, gradients(X, y), strict=True):
            np.testing.assert_allclose(one.asnumpy(), wanted, rtol=1e-6)


@pytest.mark.usefixtures("installed")
def test_the_operators_of_tensors_are_fast_unless_they_are_watched() -> None:
    own = Tensor.__add__
    assert own is operators.OWN["__add__"]
    with watching(lambda execution: None):
        assert Tensor.__add__ is OPERATORS["__add__"]
    assert Tensor.__add__ is own
