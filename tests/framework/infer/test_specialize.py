from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from framework.common import dtype as mstype
from framework.common.parameter import Parameter
from framework.common.tensor import Tensor
from framework.engine.interpreter import interpret
from framework.infer import specialize
from framework.ir.abstract import Abstract, AbstractScalar, AbstractTensor
from framework.ir.manager import Manager
from framework.ir.text import to_text
from framework.ir.verify import verify
from framework.ops import functional as F  # noqa: N812
from framework.ops import operations as P  # noqa: N812
from tests.framework import programs

VECTOR = AbstractTensor((2,), mstype.float64)


@pytest.mark.parametrize("function", programs.EVERY, ids=lambda function: function.__name__)
def test_what_is_left_of_a_function_does_what_python_does(function: Callable[[Any], Any]) -> None:
    program = specialize(function, [VECTOR])
    verify(program.root, typed=True)
    for values in programs.INPUTS:
        x = np.array(values)
        np.testing.assert_array_equal(interpret(program.root, x), function(Tensor(x)).asnumpy())


def operators(function: Any, *arguments: Abstract) -> list[str]:
    nodes = Manager(specialize(function, arguments).root).all_nodes()
    return [getattr(node.operator, "name", "call") for node in nodes]


def test_known_conditions_leave_no_choice() -> None:
    def by_rank(x: Any, training: bool) -> Any:
        if x.ndim == 2 and training and x is not None and isinstance(x, Tensor):
            return x.reshape(-1)
        return x @ x

    assert operators(by_rank, AbstractTensor((2, 3), mstype.float32), AbstractScalar(True)) == ["Reshape"]


def test_a_loop_that_depends_on_a_tensor_stays_one() -> None:
    assert operators(programs.loops, VECTOR).count("Add") == 1


def test_a_loop_of_many_known_rounds_stays_one() -> None:
    def many(x: Any) -> Any:
        for i in range(5000):
            x = x + i
        return x

    program = specialize(many, [VECTOR])
    assert interpret(program.root, np.zeros(2))[0] == sum(range(5000))
    assert len(list(Manager(program.root).all_nodes())) < 1100


def test_a_leading_dimension_may_be_unknown() -> None:
    def batch(x: Any) -> Any:
        return (x * 2.0).sum(axis=1) / x.shape[0]

    program = specialize(batch, [AbstractTensor((None, 3), mstype.float64)])
    assert str(program.root.output.abstract) == "<Tensor[Float64], (?,)>"
    for rows in (1, 4):
        np.testing.assert_allclose(interpret(program.root, np.ones((rows, 3))), np.full(rows, 6.0 / rows))


def test_the_result_of_a_recursion_is_found_from_where_it_ends() -> None:
    program = specialize(programs.recurs, [VECTOR])
    assert program.root.output.abstract == VECTOR


def test_side_effects_keep_their_order(capsys: pytest.CaptureFixture[str]) -> None:
    weight = Parameter(Tensor([1.0]), name="w")
    assign = P.Assign()

    def steps(x: Any) -> Any:
        print(x)  # noqa: T201
        before = weight * 1.0
        assign(weight, x)
        print("now", weight)  # noqa: T201
        return before + weight

    program = specialize(steps, [AbstractTensor((1,), mstype.float32)])
    verify(program.root, typed=True)
    assert interpret(program.root, np.array([5.0]), np.array([1.0])) == 6.0
    assert capsys.readouterr().out == "[5.]\nnow [5.]\n"


def test_an_operator_has_scope_full_name_and_place() -> None:
    text = to_text(specialize(programs.straight, [VECTOR]).root)
    assert "# Fullname with scope: (Default/Mul-op0)" in text
    assert "# Fullname with scope: (Default/Mul-op1)" in text
    assert "# In file " in text
    assert "test_specialize" not in text
    assert "/programs.py:" in text
    assert "%0(a) = Mul(%para1_x0, %para1_x0)" in text


def disagree(x: Any) -> Any:
    if x.sum() > 0:  # noqa: SIM108
        y = x
    else:
        y = x.sum()
    return y


def wrong_shapes(x: Any) -> Any:
    return F.matmul(x.reshape(1, 2), x.reshape(1, 2))


def no_attribute(x: Any) -> Any:
    return x.elephant()


def undefined(x: Any) -> Any:
    if x.sum() > 0:
        y = x
    return y


def unknown_element(x: Any) -> Any:
    return float(x) * x


def not_compiled(x: Any) -> Any:
    return np.sin(x)


def grows(x: Any) -> Any:
    while x.sum() < 10:
        x = F.concat((x, x))
    return x


def endless(x: Any) -> Any:
    def again(y: Any) -> Any:
        return again(y) if y.sum() > 0 else again(-y)

    return again(x)


def masked(x: Any) -> Any:
    return x[x > 1.0, 0]


def wrong_call(x: Any) -> Any:
    return disagree(x, 2)  # type: ignore[call-arg]


@pytest.mark.parametrize(
    ("function", "told", "line"),
    [
        (disagree, r"values of 'y' differ .*\(2,\)> and .*\(\)>", "if x.sum() > 0:"),
        (wrong_shapes, r"MatMul\(<Tensor\[Float64\], \(1, 2\)>, .*: .*do not match", "return F.matmul("),
        (no_attribute, "no attribute 'elephant'", "return x.elephant()"),
        (undefined, "'y' may be undefined here", "return y"),
        (unknown_element, r"Float64\], \(2,\)> is not a number: it must have one element", "return float(x) * x"),
        (not_compiled, "sin is not compiled", "return np.sin(x)"),
        (wrong_call, "takes 1 positional arguments but 2 were given", "return disagree(x, 2)"),
        (masked, "the number of elements that a mask picks", "return x[x > 1.0, 0]"),
        (endless, "one path must return without calling it", "return again(x)"),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_errors_name_the_line_the_operator_and_the_shapes(function: Any, told: str, line: str) -> None:
    with pytest.raises((TypeError, ValueError), match=told) as caught:
        specialize(function, [VECTOR])
    assert f"\n    {line}" in str(caught.value)


def test_a_loop_whose_values_change_shape_is_an_error_or_a_leading_dimension() -> None:
    program = specialize(grows, [VECTOR])
    assert str(program.root.output.abstract) == "<Tensor[Float64], (?,)>"
    assert interpret(program.root, np.ones(2)).shape == (16,)
