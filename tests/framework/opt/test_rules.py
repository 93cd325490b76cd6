from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

from framework import Tensor
from framework.ir.abstract import AbstractTensor
from framework.ir.anf import FuncGraph, ValueNode
from framework.ir.manager import Manager
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
        (ALGEBRAIC, ["%0 = Div(%para1_a, 1)"], "%0", ["Return(%para1_a)"]),
        (ALGEBRAIC, ["%0 = RealDiv(%para1_a, 1.0)"], "%0", ["Return(%para1_a)"]),
        (ALGEBRAIC, ["%0 = Add(0.0, %para1_a)"], "%0", ["Return(%para1_a)"]),
        (ALGEBRAIC, ["%0 = OnesLike(%para2_b)", "%1 = Mul(%para1_a, %0)"], "%1", ["Return(%para1_a)"]),
        (ALGEBRAIC, ["%0 = OnesLike(%para2_b)", "%1 = Mul(%0, %para1_a)"], "%1", ["Return(%para1_a)"]),
        (ALGEBRAIC, ["%0 = ZerosLike(%para2_b)", "%1 = Add(%para1_a, %0)"], "%1", ["Return(%para1_a)"]),
        (ALGEBRAIC, ["%0 = ZerosLike(%para2_b)", "%1 = Sub(%para1_a, %0)"], "%1", ["Return(%para1_a)"]),
        (
            ALGEBRAIC,
            ["%0 = ZerosLike(%para2_b)", "%1 = Mul(%para1_a, %0)"],
            "%1",
            ["%0 = ZerosLike(%para2_b)", "Return(%0)"],
        ),
        (
            ALGEBRAIC,
            ["%0 = OnesLike(%para1_a)", "%1 = ZerosLike(%0)"],
            "%1",
            ["%0 = ZerosLike(%para1_a)", "Return(%0)"],
        ),
        (
            ALGEBRAIC,
            ["%0 = ZerosLike(%para1_a)", "%1 = ZerosLike(%0)"],
            "%1",
            ["%0 = ZerosLike(%para1_a)", "Return(%0)"],
        ),
        # What looks alike but is not: a number that is another, a truth value, tensors of other numbers.
        (ALGEBRAIC, ["%0 = Add(%para1_a, 1)"], "%0", ["%0 = Add(%para1_a, 1)", "Return(%0)"]),
        (ALGEBRAIC, ["%0 = Mul(%para1_a, 0)"], "%0", ["%0 = Mul(%para1_a, 0)", "Return(%0)"]),
        (ALGEBRAIC, ["%0 = Mul(%para1_a, True)"], "%0", ["%0 = Mul(%para1_a, True)", "Return(%0)"]),
        (
            ALGEBRAIC,
            ["%0 = OnesLike(%para2_b)", "%1 = Add(%para1_a, %0)"],
            "%1",
            ["%0 = OnesLike(%para2_b)", "%1 = Add(%para1_a, %0)", "Return(%1)"],
        ),
        (
            ALGEBRAIC,
            ["%0 = ZerosLike(%para2_b)", "%1 = Sub(%0, %para1_a)"],
            "%1",
            ["%0 = ZerosLike(%para2_b)", "%1 = Sub(%0, %para1_a)", "Return(%1)"],
        ),
        (ALGEBRAIC, ["%0 = Neg(%para1_a)", "%1 = Exp(%0)"], "%1", ["%0 = Neg(%para1_a)", "%1 = Exp(%0)", "Return(%1)"]),
        (ALGEBRAIC, ["%0 = Exp(%para1_a)", "%1 = Neg(%0)"], "%1", ["%0 = Exp(%para1_a)", "%1 = Neg(%0)", "Return(%1)"]),
        (
            ALGEBRAIC,
            ["%0 = Transpose(%para1_a, (1, 0))", "%1 = Transpose(%0, (0, 1))"],
            "%1",
            ["%0 = Transpose(%para1_a, (1, 0))", "%1 = Transpose(%0, (0, 1))", "Return(%1)"],
        ),
        (CONTROL, ["%0 = Depend(%para1_a, U)"], "%0", ["Return(%para1_a)"]),
        (CONTROL, ["%0 = Depend(%para1_a, %para2_b)"], "%0", ["%0 = Depend(%para1_a, %para2_b)", "Return(%0)"]),
        (CONTROL, ["%0 = UpdateState(U, 1)", "%1 = Depend(%para1_a, %0)"], "%1", ["Return(%para1_a)"]),
        (
            CONTROL,
            ["%0 = UpdateState(U, %para2_b)", "%1 = Depend(%para1_a, %0)"],
            "%1",
            ["%0 = UpdateState(U, %para2_b)", "%1 = Depend(%para1_a, %0)", "Return(%1)"],
        ),
        (CONTROL, ["%0 = Switch(True, %para1_a, %para2_b)"], "%0", ["Return(%para1_a)"]),
        (CONTROL, ["%0 = Switch(%para2_b, %para1_a, %para1_a)"], "%0", ["Return(%para1_a)"]),
        (
            CONTROL,
            ["%0 = Switch(%para2_b, %para1_a, %para2_b)"],
            "%0",
            ["%0 = Switch(%para2_b, %para1_a, %para2_b)", "Return(%0)"],
        ),
        (TUPLES, ["%0 = MakeList(%para1_a, %para2_b)", "%1 = TupleGetItem(%0, 0)"], "%1", ["Return(%para1_a)"]),
        (TUPLES, ["%0 = TupleGetItem((5, 6), 1)"], "%0", ["Return(6)"]),
        (
            TUPLES,
            ["%0 = Depend(%para1_a, %para2_b)", "%1 = DictGetItem(%0, 'v')"],
            "%1",
            ["%0 = Depend(%para1_a, %para2_b)", "%1 = DictGetItem(%0, 'v')", "Return(%1)"],
        ),
        (
            TUPLES,
            ["%0 = MakeDict(('u', 'v'), %para1_a, %para2_b)", "%1 = DictGetItem(%0, 'v')"],
            "%1",
            ["Return(%para2_b)"],
        ),
        (CONTROL, ["%0 = Switch(False, %para1_a, %para2_b)"], "%0", ["Return(%para2_b)"]),
    ],
)
def test_a_rule_rewrites_what_it_says(rules: Any, lines: list[str], result: str, left: list[str]) -> None:
    root = program(*lines, result=result)
    verify(root)
    rewrite(root, rules)
    verify(root)
    assert body(root) == left


def typed(parameter: str, *lines: tuple[str, str]) -> FuncGraph:
    """A program of one parameter %a, whose last application is the result; each with its type."""
    nodes = "".join(f"  %{n} = {line}\n      : () -> ({kind})\n" for n, (line, kind) in enumerate(lines))
    head = f"# Parameters: 1, ({parameter})\nsubgraph @main(%para1_a) {{\n"
    return read_text(f"{head}{nodes}  Return(%{len(lines) - 1})\n}}\n", primitive)


FLOAT_3, FLOAT_23 = "<Tensor[Float32], (3,)>", "<Tensor[Float32], (2, 3)>"
FLOAT_6, FLOAT_32, FLOAT_13 = "<Tensor[Float32], (6,)>", "<Tensor[Float32], (3, 2)>", "<Tensor[Float32], (1, 3)>"


@pytest.mark.parametrize(
    ("parameter", "lines", "left"),
    [
        # Of two reshapes the last counts, whatever the first one is.
        (FLOAT_23, [("Reshape(%para1_a, (6,))", FLOAT_6), ("Reshape(%0, (3, 2))", FLOAT_32)],
         ["%0 = Reshape(%para1_a, (3, 2))", "Return(%0)"]),
        (FLOAT_23, [("Flatten(%para1_a)", FLOAT_23), ("Reshape(%0, (3, 2))", FLOAT_32)],
         ["%0 = Reshape(%para1_a, (3, 2))", "Return(%0)"]),
        (FLOAT_23, [("Reshape(%para1_a, (6,))", FLOAT_6), ("Reshape(%0, (2, 3))", FLOAT_23)], ["Return(%para1_a)"]),
        (FLOAT_23, [("Neg(%para1_a)", FLOAT_23), ("Reshape(%0, (3, 2))", FLOAT_32)],
         ["%0 = Neg(%para1_a)", "%1 = Reshape(%0, (3, 2))", "Return(%1)"]),
        # Where something was broadcast, it is summed; where a dimension is open, nobody knows.
        (FLOAT_23, [("SumLike(%para1_a, 1.0)", "<Tensor[Float32], ()>")],
         ["%0 = SumLike(%para1_a, 1.0)", "Return(%0)"]),
        ("<Tensor[Float32], (?, 3)>", [("SumLike(%para1_a, %para1_a)", "<Tensor[Float32], (?, 3)>")],
         ["%0 = SumLike(%para1_a, %para1_a)", "Return(%0)"]),
        ("<Tensor[Float32], (?, 3)>", [("Reshape(%para1_a, (-1, 3))", "<Tensor[Float32], (?, 3)>")],
         ["%0 = Reshape(%para1_a, (-1, 3))", "Return(%0)"]),
        # A cast to another type stays.
        (FLOAT_3, [("Cast(%para1_a, Float64)", "<Tensor[Float64], (3,)>")],
         ["%0 = Cast(%para1_a, <DType>)", "Return(%0)"]),
        # The gradient that a loss begins with needs no loss; that of a longer tensor is one for each element.
        ("<Tensor[Float32], ()>", [("OnesLike(%para1_a)", "<Tensor[Float32], ()>")],
         ["Return(Tensor(shape=[], dtype=Float32, value=1.0))"]),
        (FLOAT_3, [("OnesLike(%para1_a)", FLOAT_3)], ["%0 = OnesLike(%para1_a)", "Return(%0)"]),
        # Zeros of one shape are nothing in a sum of another, which they widen.
        (FLOAT_3,
         [("Reshape(%para1_a, (1, 3))", FLOAT_13), ("ZerosLike(%0)", FLOAT_13), ("Add(%para1_a, %1)", FLOAT_13)],
         ["%0 = Reshape(%para1_a, (1, 3))", "%1 = ZerosLike(%0)", "%2 = Add(%para1_a, %1)", "Return(%2)"]),
        # What is spread over a known shape does not read the tensor that has it.
        (FLOAT_3,
         [("Reshape(%para1_a, (1, 3))", FLOAT_13), ("Neg(%para1_a)", FLOAT_3), ("BroadcastLike(%0, %1)", FLOAT_13)],
         ["%0 = Reshape(%para1_a, (1, 3))", "%1 = BroadcastTo(%0)", "Return(%1)"]),
    ],
)  # fmt: skip
def test_shapes_and_types_decide(parameter: str, lines: list[tuple[str, str]], left: list[str]) -> None:
    root = typed(parameter, *lines)
    rewrite(root, ALGEBRAIC)
    assert body(root) == left


def test_what_constants_make_is_a_constant() -> None:
    tensor = "Tensor(shape=[3], dtype=Float32, value=[1, 2, 3])"
    root = typed(FLOAT_3, (f"Add({tensor}, 1.0)", FLOAT_3), ("Mul(%0, %para1_a)", FLOAT_3))
    assert rewrite(root, FOLDING) == 1
    assert [value.asnumpy().tolist() for value in constants(root)] == [[2.0, 3.0, 4.0]]


@pytest.mark.parametrize("line", ["Add(%para1_a, 1.0)", "Dropout(Tensor(shape=[3], dtype=Float32, value=[1, 2, 3]))"])
def test_what_differs_from_call_to_call_is_no_constant(line: str) -> None:
    assert rewrite(typed(FLOAT_3, (line, FLOAT_3)), FOLDING) == 0


@pytest.mark.parametrize(("size", "folded"), [(4096, 1), (4097, 0)])
def test_large_constants_are_made_when_the_program_runs(size: int, folded: int) -> None:
    kind = f"<Tensor[Float32], ({size},)>"
    root = typed(FLOAT_3, ("Neg(1.0)", kind))
    tensor = Tensor(np.ones(size, np.float32))
    next(iter(Manager(root).all_nodes())).inputs[1] = ValueNode(tensor, AbstractTensor((size,), tensor.dtype, tensor))
    assert rewrite(root, FOLDING) == folded
    verify(root, typed=True)


def constants(root: FuncGraph) -> list[Any]:
    """The tensors that are constants of a program."""
    inputs = [item for node in Manager(root).all_nodes() for item in node.inputs]
    return [item.value for item in inputs if isinstance(item, ValueNode) and isinstance(item.value, Tensor)]


def test_rules_are_counted_by_name_and_looked_at_again() -> None:
    root = program("%0 = Mul(%para1_a, 1)", "%1 = Neg(%0)", "%2 = Neg(%1)", "%3 = Add(%2, 0)", result="%3")
    counts: Counter[str] = Counter()
    assert rewrite(root, ALGEBRAIC, counts) == 3
    assert counts == {"multiply_by_one": 1, "negate_twice": 1, "add_zero": 1}


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


def environments(*lines: str) -> list[str]:
    """What is left of a program of environments whose last application is a tensor."""
    kinds = ["<EnvType>"] * (len(lines) - 1) + [X]
    nodes = "".join(
        f"  %{n} = {line}\n      : () -> ({kind})\n" for n, (line, kind) in enumerate(zip(lines, kinds, strict=True))
    )
    head = f"# Parameters: 2, ({X}, {X})\nsubgraph @main(%para1_a, %para2_b) {{\n"
    root = read_text(f"{head}{nodes}  Return(%{len(lines) - 1})\n}}\n", primitive)
    rewrite(root, ENVIRONMENT)
    verify(root, typed=True)
    return body(root)


def test_an_environment_holds_what_was_set_last() -> None:
    sets = "EnvironSet({}, Key[one], %para1_a)", "EnvironSet(%0, Key[one], %para2_b)"
    assert environments(*sets, "EnvironGet(%1, Key[one], 0)") == ["Return(%para2_b)"]
    others = "EnvironSet({}, Key[one], %para1_a)", "EnvironSet(%0, Key[two], %para2_b)"
    assert environments(*others, "EnvironGet(%1, Key[one], 0)") == ["Return(%para1_a)"]
    assert environments("EnvironGet({}, Key[one], %para2_b)") == ["Return(%para2_b)"]


def test_what_two_environments_hold_is_added_up() -> None:
    sets = "EnvironSet({}, Key[one], %para1_a)", "EnvironSet({}, Key[one], %para2_b)"
    left = environments(*sets, "EnvironAdd(%0, %1)", "EnvironGet(%2, Key[one], 0)")
    assert left == ["%0 = Add(%para1_a, %para2_b)", "Return(%0)"]


def test_an_empty_environment_adds_nothing() -> None:
    for both in ("EnvironAdd({}, %0)", "EnvironAdd(%0, {})"):
        left = environments("EnvironSet({}, Key[one], %para1_a)", both, "EnvironGet(%1, Key[one], %para2_b)")
        assert left == ["Return(%para1_a)"]


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


def test_functions_that_call_each_other_are_not_inlined() -> None:
    """The second one is called at one place only."""
    text = CALLS.replace("Add(%para2_x, $(@main:%para1_a))", "call @half(%para2_x)")
    half = (
        text[text.index("# Parameters", 1) :].replace("@half", "@double").replace("subgraph @double", "subgraph @half")
    )
    assert rewrite(read_text(text + half.replace("para2", "para3"), primitive), INLINING) == 0


def test_a_large_function_that_is_called_twice_stays_one() -> None:
    def left(lines: int) -> int:
        inner = "".join(f"  %{n + 1} = Neg(%{n})\n      : ({X}) -> ({X})\n" for n in range(lines - 1))
        text = f"""\
# Parameters: 1, ({X})
subgraph @main(%para1_a) {{
  %0 = call @inner(%para1_a)
      : ({X}) -> ({X})
  %1 = call @inner(%0)
      : ({X}) -> ({X})
  Return(%1)
}}
# Parameters: 1, ({X})
subgraph @inner(%para2_x) {{
  %0 = Exp(%para2_x)
      : ({X}) -> ({X})
{inner}  Return(%{lines - 1})
}}
"""
        root = read_text(text, primitive)
        rewrite(root, INLINING)
        verify(root, typed=True)
        return len(Manager(root).graphs)

    assert (left(4), left(5)) == (1, 2)


def test_a_function_with_a_backward_function_of_its_own_stays_until_the_end() -> None:
    root = read_text(CALLS, primitive)
    inner = next(graph for graph in Manager(root).graphs if graph is not root)
    inner.attrs["bprop"] = inner
    assert rewrite(root, INLINING) == 0
    assert rewrite(root, INLINING, keep=lambda graph: False) == 1


def test_expressions_are_equal_if_operator_attributes_and_inputs_are() -> None:
    for first, second, shared in (
        ("Mul(%para1_a, %para2_b)", "Mul(%para2_b, %para1_a)", 0),
        ("Mul(%para1_a, 1)", "Mul(%para1_a, 1.0)", 0),
        ("Mul(%para1_a, 2)", "Mul(%para1_a, 2)", 1),
        ("Exp(%para1_a)", "Neg(%para1_a)", 0),
        ("MakeTuple(%para1_a, %para2_b)", "MakeTuple(%para1_a, %para2_b)", 1),
        ("MakeTuple(%para1_a, %para2_b)", "MakeList(%para1_a, %para2_b)", 0),
    ):
        root = program(f"%0 = {first}", f"%1 = {second}", "%2 = MakeTuple(%0, %1)", result="%2")
        assert share_expressions(root) == shared, (first, second)


def test_an_expression_of_the_graph_around_is_read_from_there() -> None:
    text = CALLS.replace("Add(%para2_x, $(@main:%para1_a))", "Neg($(@main:%para1_a))").replace(
        "%1 = Neg(%0)", "%1 = Neg(%para1_a)"
    )
    root = read_text(text.replace("Return(%1)", "Return(%2)").replace("  Return(%2)\n", "  %2 = Add(%0, %1)\n"
        f"      : ({X}, {X}) -> ({X})\n  Return(%2)\n", 1), primitive)  # fmt: skip
    assert share_expressions(root) == 1
    verify(root, typed=True)


def test_a_shared_expression_remembers_whose_it_was() -> None:
    root = program(
        "%0 = Exp(%para1_a)", "%1 = Exp(%para1_a)", "%2 = Exp(%para1_a)", "%3 = MakeTuple(%0, %1, %2)", result="%3"
    )
    first, second, third, _ = Manager(root).nodes(root)
    second.full_name, third.full_name = "Default/one", "Default/two"
    assert share_expressions(root) == 2
    assert first.also == ("Default/one", "Default/two")


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
    changes = optimize(root, after=lambda name, after: seen.append((name, body(after))))
    assert {name: count for name, count in changes.items() if count} == {"algebra": 1, "cse": 1, "fusion": 2}
    assert changes.keys() >= {"inline", "recompute"}
    assert seen == [
        ("algebra", ["%0 = Neg(%para1_a)", "%1 = Neg(%para1_a)", "%2 = Add(%0, %1)", "Return(%2)"]),
        ("cse", ["%0 = Neg(%para1_a)", "%1 = Add(%0, %0)", "Return(%1)"]),
        ("fusion", ["%0 = Neg(%para1_a)", "%1 = Add(%0, %0)", "Return(%1)"]),
    ]


def test_simplifying_reaches_a_fixed_point() -> None:
    root = program("%0 = Mul(%para1_a, 1)", "%1 = Neg(%0)", "%2 = Neg(%1)", result="%2")
    simplify(root)
    assert body(root) == ["Return(%para1_a)"]
