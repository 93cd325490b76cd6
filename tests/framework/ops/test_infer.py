"""What inference says of a primitive's output is what executing it gives."""

from typing import Any

import numpy as np
import pytest

from framework.common import dtype as mstype
from framework.common.tensor import Tensor
from framework.ir.abstract import UNKNOWN, Abstract, AbstractConst, AbstractScalar, AbstractTensor, AbstractTuple
from framework.observe import Execution, watching
from framework.ops import operations as P  # noqa: N812
from framework.pynative import value_and_gradient
from tests.framework.ops.every import PROGRAMS
from tests.framework.ops.programs import Program


def abstract(value: Any) -> Abstract:
    """All that is known of a value before the program runs."""
    if isinstance(value, np.ndarray):
        value = Tensor(value)
    if isinstance(value, Tensor):
        return AbstractTensor(tuple(value.shape), value.dtype)
    if isinstance(value, list | tuple):
        return AbstractTuple(tuple(abstract(item) for item in value))
    return AbstractScalar(value) if isinstance(value, bool | int | float) else AbstractConst(value)


def agree(said: Abstract, happened: Abstract) -> bool:
    """Whether an output is what inference said, in the dimensions that it knew."""
    if isinstance(said, AbstractTuple) and isinstance(happened, AbstractTuple):
        return len(said.elements) == len(happened.elements) and all(map(agree, said.elements, happened.elements))
    if isinstance(said, AbstractTensor) and isinstance(happened, AbstractTensor) and None in said.shape:
        if len(said.shape) != len(happened.shape):
            return False
        shape = [None if dim is None else size for dim, size in zip(said.shape, happened.shape, strict=True)]
        happened = AbstractTensor(tuple(shape), happened.dtype)
    return said == happened


def check(execution: Execution) -> None:
    """Inference and execution agree on one primitive."""
    said = execution.primitive.infer(*map(abstract, execution.inputs))
    assert agree(said, abstract(execution.outputs)), (
        f"{execution.primitive} on {[str(abstract(item)) for item in execution.inputs]}"
    )


@pytest.mark.parametrize("program", PROGRAMS, ids=repr)
def test_inference_agrees_with_execution(program: Program) -> None:
    seen: list[Execution] = []
    inputs = [Tensor(x) for x in program.inputs]
    with watching(seen.append):
        value_and_gradient(lambda *args: program.fn(*args), inputs, range(len(inputs)))
    assert seen
    for execution in seen:
        check(execution)


F16, I32 = mstype.float16, mstype.int32
MIXED = [
    (P.Add(), Tensor([1], I32), Tensor([[1.0]], F16)),
    (P.Mul(), Tensor([1], I32), 2.5),
    (P.Pow(), Tensor([1.0], F16), 2),
    (P.Div(), Tensor([1], I32), Tensor([2], I32)),
    (P.RealDiv(), Tensor([1], I32), Tensor([2], I32)),
    (P.Less(), Tensor([1.0]), 2),
    (P.Exp(), Tensor([1], I32)),
    (P.Select(), Tensor([True]), Tensor([1], I32), 0.5),
    (P.Argmax(0), Tensor([[1.0, 2.0]])),
    (P.ReduceMean(), Tensor([1, 2], I32), 0),
    (P.ReduceSum(), Tensor([True, True]), ()),
    (P.ReduceAll(True), Tensor([[True]]), 1),
    (P.OneHot(0), Tensor([1, 0]), 3, Tensor(1.0), Tensor(0.0)),
    (P.OneHot(), Tensor([1, 0]), 3, 1, 0),
    (P.Concat(), (Tensor([1], I32), Tensor([1.0], F16))),
    (P.Cast(), Tensor([1.5]), mstype.int8),
    (P.Fill(), mstype.float32, (2, 3), 1),
    (P.FillV2(), (2,), 1.5),
    (P.Ones(), 3, mstype.int64),
    (P.Range(), 0, 7, 2),
    (P.Range(), 0.0, 1.0, 0.3),
    (P.LinSpace(), 0.0, 1.0, 4),
    (P.Eye(), 2, 3, mstype.float32),
    (P.TensorShape(), Tensor([[1.0]])),
    (P.TopK(), Tensor([1, 2, 3], I32), 2),
    (P.StandardNormal(), (2, 3)),
    (P.UniformInt(), (2,), 0, 5),
    (P.Dropout(0.5), Tensor([[1.0]])),
    (P.SparseSoftmaxCrossEntropyWithLogits(True), Tensor([[1.0, 2.0]]), Tensor([1])),
    (P.Tile(), Tensor([1]), (2, 2)),
    (P.IsNan(), Tensor([1.0])),
    (P.BatchNorm(True), Tensor(np.ones((4, 2), np.float32)), *[Tensor([1.0, 1.0]) for _ in range(4)]),
    (P.UnsortedSegmentSum(), Tensor([[1.0], [2.0]]), Tensor([0, 1]), 3),
]


@pytest.mark.parametrize("case", MIXED, ids=lambda case: f"{case[0].name}-{len(case)}")
def test_element_types_and_values(case: tuple[Any, ...]) -> None:
    primitive, *inputs = case
    seen: list[Execution] = []
    with watching(seen.append):
        primitive(*inputs)
    for execution in seen:
        check(execution)


def test_questions_are_known_values() -> None:
    x = AbstractTensor((2, 3), mstype.float16)
    assert P.Shape().infer(x) == abstract((2, 3))
    assert P.Rank().infer(x) == AbstractScalar(2)
    assert P.Size().infer(x) == AbstractScalar(6)
    assert P.DType().infer(x) == AbstractConst(mstype.float16)


def test_a_leading_dimension_that_is_not_known_stays_so() -> None:
    x = AbstractTensor((None, 4), mstype.float32)
    w = AbstractTensor((4, 5), mstype.float32)
    assert P.MatMul().infer(x, w) == AbstractTensor((None, 5), mstype.float32)
    assert P.ReLU().infer(x) == x
    assert P.ReduceSum().infer(x, abstract(1)) == AbstractTensor((None,), mstype.float32)
    assert P.Reshape().infer(x, abstract((-1, 2))) == AbstractTensor((None, 2), mstype.float32)
    assert P.Shape().infer(x) == AbstractTuple((AbstractScalar(UNKNOWN, int), AbstractScalar(4)))
    images = AbstractTensor((None, 3, 8, 8), mstype.float32)
    weights = AbstractTensor((6, 3, 3, 3), mstype.float32)
    assert P.Conv2D(6, 3).infer(images, weights) == AbstractTensor((None, 6, 6, 6), mstype.float32)
    assert P.Flatten().infer(images) == AbstractTensor((None, 192), mstype.float32)
    pattern = AbstractTuple((AbstractConst(slice(None)), AbstractScalar(1)))
    assert P.GetItem().infer(x, pattern, AbstractTuple(())) == AbstractTensor((None,), mstype.float32)


def test_numbers_that_are_not_known_count_by_their_type() -> None:
    x = AbstractTensor((2,), mstype.int32)
    assert P.Mul().infer(x, AbstractScalar(UNKNOWN, float)) == AbstractTensor((2,), mstype.float32)


WRONG = [
    (P.Add(), (2, 3), (4,), r"\(2, 3\) and \(4,\) do not broadcast"),
    (P.MatMul(), (2, 3), (4, 5), r"3 columns of \(2, 3\) do not match the 4 rows of \(4, 5\)"),
    (P.BiasAdd(), (2, 3), (4,), r"a bias of shape \(4,\) does not fit 3 channels"),
    (P.Conv2D(6, 3), (1, 2, 8, 8), (6, 3, 3, 3), "do not fit images"),
    (P.LayerNorm(-1, -1), (2, 3), (4,), "must have shape"),
    (P.SmoothL1Loss(), (2,), (3,), "must have the same shape"),
]


@pytest.mark.parametrize(("primitive", "x", "y", "message"), WRONG, ids=lambda item: getattr(item, "name", ""))
def test_what_does_not_fit(primitive: Any, x: Any, y: Any, message: str) -> None:
    shapes = [AbstractTensor(shape, mstype.float32) for shape in (x, y)]
    if primitive.name == "LayerNorm":
        shapes.append(shapes[-1])
    with pytest.raises(ValueError, match=message):
        primitive.infer(*shapes)
