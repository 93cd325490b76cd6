"""Programs as messages of summary files, and back: what comes back, and what messages have no place for."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import framework as ms
from framework import Parameter, Tensor, nn, ops
from framework.engine.interpreter import interpret
from framework.infer import specialize
from framework.ir import python_ops
from framework.ir.abstract import AbstractMonad, AbstractTensor
from framework.ir.anf import FuncGraph
from framework.ir.anf_proto import from_protos, to_protos
from framework.ir.manager import Manager
from framework.ir.text import to_text
from framework.ir.verify import verify
from framework.ops import operations as P  # noqa: N812
from framework.opt.pipeline import optimize
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
    """The operator with this name: Python's own, or a primitive."""
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


def doubled_until(x: Any) -> Any:
    while x.sum() < 10:
        x = x * 2 + 1
        if x.max() > 3:
            x = x - 0.5
    return x, {"mean": x.mean()}


def printed(x: Any) -> Any:
    print("x is", x)  # noqa: T201
    return ops.clip(x, -float("inf"), 1e-30).astype(ms.float16) * Tensor(3.0, ms.float16)


NET = nn.SequentialCell(nn.Conv2d(1, 3, 3), nn.BatchNorm2d(3), nn.ReLU(), nn.Flatten(), nn.Dense(48, 2)).set_train()
REAL: dict[str, tuple[Any, tuple[int, ...]]] = {
    "loop": (doubled_until, (2, 3)),
    "gradient of a loop": (ms.grad(lambda x: doubled_until(x)[0].sum()), (2, 3)),
    "network": (NET, (2, 1, 4, 4)),
    "side effects": (printed, (2, 3)),
}


def kept(root: FuncGraph) -> list[str]:
    """The lines of a program's text, without the parts that the module documents as not preserved in messages."""
    lines = []
    for line in to_text(root).splitlines():
        if line.startswith(("# In file", "      : (", "# Parameters")):
            continue
        named = re.sub(r"^(  %\d+)\([^)]*\) = ", r"\1 = ", line.removesuffix(" : has_default"))
        # Environments are written by what they are, and symbolic keys and objects by their text.
        lines.append(re.sub(r"^(%para\d+_.*): .*", r"\1", re.sub(r"'(Key\[.*?\]|<\w+>)'", r"\1", named)))
    return lines


@pytest.mark.parametrize("is_simplified", [False, True])
@pytest.mark.parametrize("name", sorted(REAL))
def test_all_that_has_a_place_comes_back(name: str, is_simplified: bool) -> None:
    function, shape = REAL[name]
    root = specialize(function, [AbstractTensor(shape, ms.float32)]).root
    if is_simplified:
        optimize(root)
    read = from_protos(to_protos(root), operator, Tensor)
    assert kept(read) == kept(root)
    types = [[node.abstract for node in Manager(graph).all_nodes()] for graph in (root, read)]
    for before, now in zip(*types, strict=True):
        assert now is None or str(now) == str(before)
        assert now is not None or not isinstance(before, AbstractTensor | AbstractMonad)


def test_a_constant_of_no_dimensions_has_none() -> None:
    root = specialize(lambda x: x * Tensor(3.0, ms.float32), [AbstractTensor((2,), ms.float32)]).root
    (proto,) = to_protos(root)
    tensor = next(item.value.tensor_val for item in proto.const_vals if item.value.HasField("tensor_val"))
    assert list(tensor.dims) == []
    assert np.frombuffer(tensor.raw_data, np.float32).tolist() == [3.0]
