from __future__ import annotations

from typing import Any

import pytest

from framework.ir.anf import FuncGraph
from framework.ir.reading import read_text
from framework.ir.text import to_text
from framework.ir.verify import verify
from framework.ops import operations as P  # noqa: N812
from framework.opt.cse import share_expressions
from framework.opt.pipeline import optimize, simplify
from framework.opt.rewrite import rewrite
from framework.opt.rules import ALGEBRAIC, CONTROL, ENVIRONMENT, FOLDING, INLINING, TUPLES

X = "<Tensor[Float32], (2, 3)>"


def primitive(name: str, attrs: dict[str, Any]) -> Any:
    return getattr(P, name)()


def program(*lines: str, result: str) -> FuncGraph:
    """A program of one graph with the parameters %a and %b, one application a line."""
    nodes = "".join(f"  {line}\n      : () -> ({X})\n" for line in lines)
    head = f"# Parameters: 2, ({X}, {X})\nsubgraph @main(%para1_a, %para2_b) {{\n"
    return read_text(f"{head}{nodes}  Return({result})\n}}\n", primitive)


def body(root: FuncGraph) -> list[str]:
    """What is left, one application a line, then the result."""
    lines = to_text(root, notes=False).splitlines()
    return [
        line.strip().partition(" primitive_attrs")[0] for line in lines if " = " in line or line.startswith("  Return")
    ]


@pytest.mark.parametrize(
    ("rules", "lines", "result", "left"),
    [
        (TUPLES, ["%0 = MakeTuple(%para1_a, %para2_b)", "%1 = TupleGetItem(%0, 1)"], "%1", ["Return(%para2_b)"]),
        (ALGEBRAIC, ["%0 = Mul(%para1_a, 1)"], "%0", ["Return(%para1_a)"]),
        (ALGEBRAIC, ["%0 = Mul(1.0, %para1_a)"], "%0", ["Return(%para1_a)"]),
        (ALGEBRAIC, ["%0 = Add(%para1_a, 0)"], "%0", ["Return(%para1_a)"]),
        (ALGEBRAIC, ["%0 = Sub(%para1_a, 0.0)"], "%0", ["Return(%para1_a)"]),
        (ALGEBRAIC, ["%0 = ZerosLike(%para2_b)", "%1 = Add(%0, %para1_a)"], "%1", ["Return(%para1_a)"]),
        (
            ALGEBRAIC,
            ["%0 = ZerosLike(%para2_b)", "%1 = Mul(%0, %para1_a)"],
            "%1",
            ["%0 = ZerosLike(%para2_b)", "Return(%0)"],
        ),
        (ALGEBRAIC, ["%0 = Neg(%para1_a)", "%1 = Neg(%0)"], "%1", ["Return(%para1_a)"]),
        (ALGEBRAIC, ["%0 = SumLike(%para1_a, %para2_b)"], "%0", ["Return(%para1_a)"]),
        (ALGEBRAIC, ["%0 = Cast(%para1_a, Float32)"], "%0", ["Return(%para1_a)"]),
        (ALGEBRAIC, ["%0 = Reshape(%para1_a, (2, 3))"], "%0", ["Return(%para1_a)"]),
        (
            ALGEBRAIC,
            ["%0 = Transpose(%para1_a, (1, 0))", "%1 = Transpose(%0, (1, 0))"],
            "%1",
            ["Return(%para1_a)"],
        ),
        # What looks alike but is not: 0 - x, 1 / x.
        (ALGEBRAIC, ["%0 = Sub(0, %para1_a)"], "%0", ["%0 = Sub(0, %para1_a)", "Return(%0)"]),
        (ALGEBRAIC, ["%0 = Div(1, %para1_a)"], "%0", ["%0 = Div(1, %para1_a)", "Return(%0)"]),
        (CONTROL, ["%0 = Depend(%para1_a, U)"], "%0", ["Return(%para1_a)"]),
        (CONTROL, ["%0 = Switch(False, %para1_a, %para2_b)"], "%0", ["Return(%para2_b)"]),
    ],
)
def test_a_rule_rewrites_what_it_says(rules: Any, lines: list[str], result: str, left: list[str]) -> None:
    root = program(*lines, result=result)
    verify(root)
    rewrite(root, rules)
    verify(root)
    assert body(root) == left


def test_a_sum_with_zero_of_a_wider_type_stays() -> None:
    text = (
        "# Parameters: 1, (<Tensor[Float32], (3,)>)\nsubgraph @main(%para1_a) {\n"
        "  %0 = Add(%para1_a, 0)\n      : () -> (<Tensor[Float64], (3,)>)\n  Return(%0)\n}\n"
    )
    root = read_text(text, primitive)
    assert rewrite(root, ALGEBRAIC) == 0


def test_constants_are_folded() -> None:
    text = (
        "subgraph @main() {\n  %0 = mul(2, 3)\n      : () -> (<Int64>)\n"
        "  %1 = add(%0, 1)\n      : () -> (<Int64>)\n  Return(%1)\n}\n"
    )
    from framework.ir.python_ops import op

    root = read_text(text, lambda name, attrs: op(name))
    rewrite(root, FOLDING)
    assert body(root) == ["Return(7)"]


ENVIRON = (
    "# Parameters: 2, ({x}, {x})\nsubgraph @main(%para1_a, %para2_b) {{\n"
    "  %0 = EnvironSet({{}}, {first}, %para1_a)\n      : () -> (<EnvType>)\n"
    "  %1 = EnvironAdd({{}}, %0)\n      : () -> (<EnvType>)\n"
    "  %2 = EnvironGet(%1, {second}, %para2_b)\n      : () -> ({x})\n  Return(%2)\n}}\n"
)


def test_an_environment_that_is_known_cancels() -> None:
    from framework.ir.operators import SymbolicKey

    keys = {"one": SymbolicKey("one"), "two": SymbolicKey("two")}
    for second, left in (("one", "Return(%para1_a)"), ("two", "Return(%para2_b)")):
        root = read_text(ENVIRON.format(x=X, first="one", second=second), primitive)
        for node in (*root.output.inputs, *root.output.inputs[1].inputs[2].inputs):  # type: ignore[attr-defined]
            if isinstance(getattr(node, "value", None), str):
                node.value = keys[node.value]
        rewrite(root, ENVIRONMENT)
        assert body(root) == [left]


CALLS = f"""\
# Parameters: 1, ({X})
subgraph @main(%para1_a) {{
  %0 = call @double(%para1_a)
      : ({X}) -> ({X})
  %1 = Neg(%0)
      : ({X}) -> ({X})
  Return(%1)
}}
# Parameters: 1, ({X})
subgraph @double(%para2_x) {{
  %0 = Add(%para2_x, $(@main:%para1_a))
      : ({X}, {X}) -> ({X})
  Return(%0)
}}
"""


def test_a_call_becomes_the_body() -> None:
    root = read_text(CALLS, primitive)
    rewrite(root, INLINING)
    verify(root, typed=True)
    assert body(root) == ["%0 = Add(%para1_a, %para1_a)", "%1 = Neg(%0)", "Return(%1)"]


def test_a_recursive_function_is_not_inlined() -> None:
    root = read_text(CALLS.replace("Add(%para2_x, $(@main:%para1_a))", "call @double(%para2_x)"), primitive)
    assert rewrite(root, INLINING) == 0


def test_equal_expressions_are_computed_once() -> None:
    root = program("%0 = Mul(%para1_a, %para2_b)", "%1 = Mul(%para1_a, %para2_b)", "%2 = Add(%0, %1)", result="%2")
    assert share_expressions(root) == 1
    assert body(root) == ["%0 = Mul(%para1_a, %para2_b)", "%1 = Add(%0, %0)", "Return(%1)"]


def test_random_numbers_are_never_shared() -> None:
    root = program("%0 = Dropout(%para1_a)", "%1 = Dropout(%para1_a)", "%2 = Add(%0, %1)", result="%2")
    assert share_expressions(root) == 0


def test_optimizing_tells_of_each_pass_that_changed_something() -> None:
    root = program("%0 = Mul(%para1_a, 1)", "%1 = Neg(%0)", "%2 = Neg(%para1_a)", "%3 = Add(%1, %2)", result="%3")
    seen: list[tuple[str, list[str]]] = []
    optimize(root, after=lambda name, after: seen.append((name, body(after))))
    assert seen == [
        ("algebra", ["%0 = Neg(%para1_a)", "%1 = Neg(%para1_a)", "%2 = Add(%0, %1)", "Return(%2)"]),
        ("cse", ["%0 = Neg(%para1_a)", "%1 = Add(%0, %0)", "Return(%1)"]),
        ("fusion", ["%0 = Neg(%para1_a)", "%1 = Add(%0, %0)", "Return(%1)"]),
    ]


def test_simplifying_reaches_a_fixed_point() -> None:
    root = program("%0 = Mul(%para1_a, 1)", "%1 = Neg(%0)", "%2 = Neg(%1)", result="%2")
    simplify(root)
    assert body(root) == ["Return(%para1_a)"]
