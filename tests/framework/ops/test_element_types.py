"""Every operator with every element type: inference says what execution gives, or both refuse with the same words."""

import contextlib
import doctest
import io
import itertools
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from framework import jit
from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.common.tensor import Tensor
from framework.ir.abstract import Abstract
from framework.observe import Execution, watching
from framework.ops import operations as P  # noqa: N812
from framework.ops.primitive import PrimitiveWithInfer
from tests.framework.ops.every import PROGRAMS
from tests.framework.ops.test_examples import MODULES, NAMES
from tests.framework.ops.test_infer import abstract, agree

TYPES = (mstype.bool_, *mstype.number_type)
#: Types of the first tensor and of the others.
MIXED = [
    (mstype.int32, mstype.float32),
    (mstype.float32, mstype.int32),
    (mstype.float16, mstype.float32),
    (mstype.float64, mstype.float32),
    (mstype.int8, mstype.uint8),
    (mstype.bool_, mstype.int32),
]
RECEIVING = (P.NeighborExchange, P.Receive)

#: In so many tests are the operators checked.
SHARES = 16


@pytest.fixture(scope="module")
def executions() -> dict[str, list[Execution]]:
    """What the programs and the examples of all operators execute, by the operator's name; each different one once."""
    seen: list[Execution] = []
    with watching(seen.append), contextlib.redirect_stdout(io.StringIO()):
        for program in PROGRAMS:
            program.fn(*map(Tensor, program.inputs))
        runner = doctest.DocTestRunner()
        for module in MODULES:
            for example in doctest.DocTestFinder().find(module, extraglobs=NAMES):
                runner.run(example, out=lambda text: None)
    different: dict[str, dict[str, Execution]] = {}
    for execution in seen:
        primitive = execution.primitive
        # What changes a Parameter would change that of the other tests; what draws or prints has no types to compare;
        # what receives gives the type that it was told, and has no message twice.
        if isinstance(primitive, PrimitiveWithInfer) and not primitive.writes and not isinstance(primitive, RECEIVING):
            key = f"{primitive!r} {[str(abstract(item)) for item in execution.inputs]}"
            different.setdefault(primitive.name, {}).setdefault(key, execution)
    return {name: list(found.values()) for name, found in different.items()}


def of_types(inputs: Any, types: Iterator[DType]) -> Any:
    """The inputs with the next of the types for each tensor of floating-point numbers."""
    if isinstance(inputs, list | tuple):
        return type(inputs)(of_types(item, types) for item in inputs)
    if not isinstance(inputs, Tensor) or inputs.dtype.kind != "float":
        return inputs
    to, numbers = next(types), inputs.asnumpy()
    with np.errstate(invalid="ignore", over="ignore"):
        return Tensor((numbers if to.is_floating_point else np.abs(np.rint(numbers))).astype(to.numpy))


def outcome(run: Any, inputs: Any) -> Any:
    """What is known of the output, or the error."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)
            result = run(*inputs)
            return result if isinstance(result, Abstract) else abstract(result)
    except (TypeError, ValueError, OverflowError) as error:
        return error


@pytest.mark.parametrize("share", range(SHARES))
def test_inference_and_execution_give_one_element_type(share: int, executions: dict[str, list[Execution]]) -> None:
    names = sorted(executions)[share::SHARES]
    assert len(names) >= 10, "the programs and examples execute far fewer operators than there are"
    for execution in itertools.chain.from_iterable(executions[name] for name in names):
        for first, others in [*zip(TYPES, TYPES, strict=True), *MIXED]:
            inputs = of_types(execution.inputs, itertools.chain([first], itertools.repeat(others)))
            happened = outcome(execution.primitive, inputs)
            if isinstance(happened, OverflowError):
                continue  # A number of the example that the type has no room for.
            said = outcome(execution.primitive.infer, tuple(map(abstract, inputs)))
            what = f"{execution.primitive!r} of {[str(abstract(item)) for item in inputs]}: {happened}, not {said}"
            if isinstance(said, Exception):
                assert isinstance(happened, type(said)), what
                assert str(said) in str(happened), what
            else:
                assert agree(said, happened), what


REFUSED: list[tuple[Any, tuple[Any, ...], str]] = [
    (P.Softmax(), (Tensor([1, 2], mstype.int32),), "x must be Float16, Float32, Float64 or BFloat16, not Int32"),
    (P.Sign(), (Tensor([True]),), "x must be Int8, .* or Complex128, not Bool"),
    (P.Atan2(), (Tensor([1, 2], mstype.int32), 2), "x must be Float16, Float32, Float64 or BFloat16, not Int32"),
    (P.Xlogy(), (Tensor([1, 2]), Tensor([1, 2])), "x must be Float16, .*, not Int64"),
    (P.Lgamma(), (Tensor([1j]),), "x must be Bool, .* or BFloat16, not Complex128"),
    (P.MatrixInverse(), (Tensor([[2.0]], mstype.float16),), "x must be Float32, Float64, .*, not Float16"),
]


@pytest.mark.parametrize(("primitive", "inputs", "message"), REFUSED, ids=lambda item: getattr(item, "name", ""))
def test_what_is_refused_and_which_types_are_taken(primitive: Any, inputs: Any, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        primitive(*inputs)
    with pytest.raises(TypeError, match=message):
        jit(lambda *given: primitive(*given))(*inputs)


def test_numbers_meet_a_tensor_of_integers_in_a_type_that_is_taken() -> None:
    x = Tensor([0, 2], mstype.int32)
    assert P.Xdivy()(x, 0.5).dtype is mstype.float32
    assert P.Xdivy()(x, 0.5).tolist() == [0.0, 4.0]


@pytest.mark.parametrize("label", [-1, 2])
def test_a_label_that_names_no_class(label: int) -> None:
    logits, labels = Tensor([[1.0, 2.0], [3.0, 4.0]]), Tensor([0, label], mstype.int32)
    with pytest.raises(ValueError, match="must lie from 0 to 1, not from"):
        P.SparseSoftmaxCrossEntropyWithLogits()(logits, labels)


def test_absolute_values_of_complex_numbers_are_real() -> None:
    x = Tensor([3 + 4j], mstype.complex128)
    assert jit(lambda x: P.Abs()(x))(x).dtype is P.Abs()(x).dtype is mstype.float64
    assert jit(lambda x: P.Abs()(x))(x).tolist() == [5.0]
