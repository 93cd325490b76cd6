"""Optional inputs of primitives: a call that leaves them out has the gradients of one that gives their defaults."""

import inspect
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import pytest

from framework import Tensor, context, grad, jit
from framework.ops import operations as P  # noqa: N812
from framework.ops import prim_attr_register
from framework.ops.arguments import inputs_of
from framework.ops.gradients import bprop_getters
from framework.ops.primitive import Primitive, PrimitiveWithInfer


class Scaled(PrimitiveWithInfer):
    """x * scale, as a user defines it, with an optional input in front of another."""

    value_inputs = (1, 2)

    @prim_attr_register
    def __init__(self) -> None:
        self.init_prim_io_names(inputs=["x", "scale", "shift"], outputs=["output"])

    def infer_shape(self, x, scale=2.0, shift=0.0):
        return x

    def infer_dtype(self, x, scale=2.0, shift=0.0):
        return x

    def compute(self, xp, x, scale=2.0, shift=0.0):
        return x * scale + shift


@bprop_getters.register(Scaled)
def get_bprop_scaled(self):
    def bprop(x, scale, shift, out, dout):
        return dout * scale, None, None

    return bprop


class Case(NamedTuple):
    """A call without its optional inputs."""

    primitive: Primitive
    shapes: list[tuple[int, ...]]
    values: tuple[Any, ...] = ()

    @property
    def name(self) -> str:
        return "-".join(map(str, [self.primitive.name, *list(self.primitive.attrs.values())[:1]]))


CASES = [
    *[Case(kind(keep), [(2, 3)]) for kind in (P.ReduceSum, P.ReduceMean, P.ReduceProd, P.ReduceMax, P.ReduceMin)
      for keep in (False, True)],
    *[Case(P.BinaryCrossEntropy(reduction), [(2, 3), (2, 3)]) for reduction in ("none", "mean", "sum")],
    *[Case(P.PadV3(mode), [(3, 4)], ((2, 1),)) for mode in ("constant", "reflect", "edge", "circular")],
    Case(P.Resample("nearest"), [(1, 2, 3)], ((5,),)),
    Case(P.ResampleGrad("nearest"), [(1, 2, 5)], ((3,),)),
    Case(Scaled(), [(2, 3)]),
    Case(Scaled(), [(2, 3)], (3.0,)),
]  # fmt: skip

#: Calls whose last input has a default in the signature only; the kernel cannot do without it.
REFUSED = [
    Case(P.AdaptiveAvgPool2DGrad((3, 2)), [(1, 2, 3, 2)]),
    Case(P.Conv2DBackpropFilter(1, 2), [(1, 1, 2, 2), (1, 1, 3, 3)]),
    Case(P.Conv2DBackpropInput(1, 2), [(1, 1, 2, 2), (1, 1, 2, 2)]),
    Case(P.Conv2DTranspose(1, 2), [(1, 1, 2, 2), (1, 1, 2, 2)]),
    Case(P.Conv3DBackpropFilter(1, 2), [(1, 1, 2, 2, 2), (1, 1, 3, 3, 3)]),
    Case(P.Conv3DBackpropInput(1, 2), [(1, 1, 2, 2, 2), (1, 1, 2, 2, 2)]),
    Case(P.MirrorPadGrad("REFLECT"), [(3, 6)], (((1, 0), (2, 1)),)),
    Case(P.PadV3Grad("reflect"), [(2, 7)], ((2, 1),)),
    Case(P.ROIAlignGrad(2, 3, 0.8), [(1, 2, 2, 3), (1, 5)]),
    Case(P.ResizeBilinearGrad(), [(1, 1, 2, 2)]),
    Case(P.ResizeBilinearV2(), [(1, 1, 2, 2)]),
    Case(P.ResizeNearestNeighborGrad(), [(1, 1, 2, 2)]),
    Case(P.ResizeNearestNeighborV2(), [(1, 1, 2, 2)]),
    Case(P.StridedSliceGrad(), [(2, 2)], ((1, 0), (4, 2), (2, 1))),
]


def tensors(case: Case) -> list[Tensor]:
    rng = np.random.default_rng(7)
    return [Tensor(rng.standard_normal(shape)) for shape in case.shapes]


def optional(kind: type[Primitive]) -> list[Any]:
    """The defaults of a class's optional inputs."""
    return [item.default for item in inputs_of(kind) if item.default is not inspect.Parameter.empty]


def library() -> Iterator[type[Primitive]]:
    """All primitives that users can name."""
    return (kind for kind in vars(P).values() if isinstance(kind, type) and issubclass(kind, Primitive))


@pytest.fixture(params=[context.PYNATIVE_MODE, context.GRAPH_MODE], ids=["pynative", "graph"])
def mode(request: pytest.FixtureRequest) -> Iterator[int]:
    before = context.get_context("mode")
    context.set_context(mode=request.param)
    yield request.param
    context.set_context(mode=before)


def test_every_primitive_with_optional_inputs_has_a_case() -> None:
    wanted = {kind for kind in library() if optional(kind) and bprop_getters.has(kind)}
    assert {type(case.primitive) for case in [*CASES, *REFUSED]} == wanted | {Scaled}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_gradients_with_inputs_left_out(case: Case, mode: int) -> None:
    primitive, inputs = case.primitive, tensors(case)
    values = case.values
    defaults = optional(type(primitive))[-(len(inputs_of(type(primitive))) - len(inputs) - len(values)) :]
    weights = Tensor(np.cos(np.arange(primitive(*inputs, *values).size, dtype=np.float64)))

    def left_out(*x: Tensor) -> Tensor:
        return (primitive(*x, *values).reshape(-1) * weights).sum()

    def given(*x: Tensor) -> Tensor:
        return (primitive(*x, *values, *defaults).reshape(-1) * weights).sum()

    def second(fn: Any) -> Any:
        first = grad(fn)
        return grad(lambda *x: (first(*x) * first(*x)).sum())

    np.testing.assert_array_equal(left_out(*inputs).asnumpy(), given(*inputs).asnumpy())
    for derivative in (grad, second):
        found, expected = derivative(left_out)(*inputs).asnumpy(), derivative(given)(*inputs).asnumpy()
        assert derivative is second or found.any()
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("case", REFUSED, ids=lambda case: case.name)
def test_a_size_that_the_kernel_needs_cannot_be_left_out(case: Case, mode: int) -> None:
    primitive, values = case.primitive, case.values

    def call(*x: Tensor) -> Tensor:
        return primitive(*x, *values)

    run = jit(call) if mode == context.GRAPH_MODE else call
    with pytest.raises((TypeError, ValueError, IndexError), match=primitive.name):
        run(*tensors(case))


def test_missing_inputs_without_a_default_are_reported(mode: int) -> None:
    with pytest.raises(TypeError, match="Add"):
        grad(lambda x: P.Add()(x))(Tensor([1.0]))
