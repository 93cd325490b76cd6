"""Programs as messages of summary files, and back."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import framework as ms
from framework import Parameter, Tensor, ops
from framework.engine.interpreter import interpret
from framework.ir import python_ops
from framework.ir.anf_proto import from_protos, to_protos
from framework.ir.text import to_text
from framework.ir.verify import verify
from framework.ops import operations as P  # noqa: N812
from tests.framework.ir.programs import LOOP, operator, program


def test_there_is_a_message_for_each_graph_and_links_between_them() -> None:
    protos = to_protos(program(LOOP))
    assert [proto.name for proto in protos] == ["main", "header", "body", "after"]
    assert [node.op_type for node in protos[0].node] == ["call @header"]
    assert [constant.value.str_val for constant in protos[1].const_vals] == ["@body", "@after"]


def test_a_node_has_its_scope_attributes_and_type() -> None:
    node = next(node for node in to_protos(program(LOOP))[2].node if node.op_type == "Mul")
    assert (node.full_name, node.scope) == ("Default/Mul-op0", "Default")
    assert [attribute.name for attribute in node.attribute] == ["input_names"]
    assert [dim.size for dim in node.output_type.tensor_type.shape.dim] == [2, 3]


def test_a_program_comes_back_from_its_messages() -> None:
    original = program(LOOP)
    read = from_protos(to_protos(original), operator)
    verify(read)
    names = {line.split(" = ")[1] for line in to_text(read, notes=False).splitlines() if " = " in line}
    assert names == {line.split(" = ")[1] for line in to_text(original, notes=False).splitlines() if " = " in line}


def known(name: str, attrs: dict[str, Any]) -> Any:
    """The operator that a name stands for: Python's own, or a primitive."""
    if name in python_ops.ALL:
        return python_ops.op(name)
    primitive = getattr(P, name)(**{key: value for key, value in attrs.items() if not key.endswith("_names")})
    primitive.attrs.update(attrs)
    return primitive


WEIGHT = Parameter(Tensor(np.linspace(-0.5, 0.5, 9, dtype=np.float32).reshape(3, 3)), name="weight")


def looping(x: Any, n: Any) -> Any:
    i, total = 0, x * 0
    while i < n:
        total = total + ops.tanh(x) * i
        i = i + 1
    return total


def branching(x: Any) -> Any:
    y = ops.exp(x) if x.sum() > 0 else x * 2
    return y, ops.softmax(y)


def recursive(x: Any, n: Any) -> Any:
    if n <= 0:
        return x
    return recursive(x * 1.5, n - 1) + x


def gradient(x: Any, n: Any) -> Any:
    return ms.grad(lambda x, n: ops.matmul(looping(x, n), WEIGHT).sum())(x, n)


@pytest.mark.parametrize(
    ("function", "numbers"),
    [(looping, [4]), (branching, []), (recursive, [5]), (gradient, [4])],
    ids=["loop", "branch", "recursion", "gradient of a loop"],
)
def test_a_program_that_came_back_computes_the_same(function: Any, numbers: list[int]) -> None:
    x = Tensor(np.linspace(-1.0, 2.0, 9, dtype=np.float32).reshape(3, 3))
    arguments = [x, *map(Tensor, numbers)]
    jitted = ms.jit(function)
    root = jitted.compile(*arguments).root
    read = from_protos(to_protos(root), known, Tensor)
    verify(read)
    weights = [parameter.default for parameter in root.parameters if parameter.default is not None]
    found = interpret(read, *(item.asnumpy() for item in (*arguments, *weights)))
    wanted = function(*arguments)
    for one, other in zip(_items(found), _items(wanted), strict=True):
        np.testing.assert_allclose(np.asarray(one), other.asnumpy(), rtol=1e-5, atol=1e-6)


def _items(value: Any) -> tuple[Any, ...]:
    return value if isinstance(value, tuple) else (value,)
