"""Watching executions: their names, their values, and nothing left behind."""

from typing import Any

from framework import Tensor, nn, ops
from framework.ops import operations as P  # noqa: N812
from framework.pynative import value_and_gradient
from framework.pynative.observe import Execution, watching


class Inner(nn.Cell):
    def construct(self, x: Any) -> Any:
        return ops.relu(ops.exp(x)) + ops.relu(x)


class Outer(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.first = Inner()
        self.second = Inner()

    def construct(self, x: Any) -> Any:
        for _ in range(2):
            x = ops.relu(x)
        return self.second(self.first(x))


def watched(call: Any) -> list[Execution]:
    """What executes in a call."""
    seen: list[Execution] = []
    with watching(seen.append):
        call()
    return seen


def test_names_scopes_and_iterations() -> None:
    net, x = Outer(), Tensor([0.5])
    seen = watched(lambda: net(x))
    assert [(item.full_name, item.iteration) for item in seen] == [
        ("Default/ReLU-op0", 0),
        ("Default/ReLU-op0", 1),
        ("Default/first-Inner/Exp-op0", 0),
        ("Default/first-Inner/ReLU-op0", 0),
        ("Default/first-Inner/ReLU-op1", 0),
        ("Default/first-Inner/Add-op0", 0),
        ("Default/second-Inner/Exp-op0", 0),
        ("Default/second-Inner/ReLU-op0", 0),
        ("Default/second-Inner/ReLU-op1", 0),
        ("Default/second-Inner/Add-op0", 0),
    ]
    again = watched(lambda: (net(x), net(x)))
    assert [item.full_name for item in again] == 2 * [item.full_name for item in seen]


def test_inputs_and_outputs() -> None:
    (seen,) = watched(lambda: Tensor([1.0]) + Tensor([2.0]))
    assert (seen.primitive.name, [float(i) for i in seen.inputs], float(seen.outputs)) == ("Add", [1.0, 2.0], 3.0)


def test_what_runs_backward_says_so() -> None:
    net, x = Outer(), Tensor([0.5])
    names = [item.full_name for item in watched(lambda: value_and_gradient(net, [x]))]
    assert "Gradients/Default/second-Inner/ReluGrad-op0" in names
    assert "Gradients/Default/ReluGrad-op0" in names


def test_nothing_stays_when_nobody_watches() -> None:
    before = {name: vars(getattr(P, name)).get("__call__") for name in ("Add", "ReLU", "Exp")}
    seen = watched(lambda: ops.exp(Tensor([1.0])))

    class Late(P.Exp):
        """Defined by someone while others watch."""

    ops.exp(Tensor([1.0]))
    Late()(Tensor([1.0]))
    assert len(seen) == 1
    assert before == {name: vars(getattr(P, name)).get("__call__") for name in before}


def test_classes_defined_and_first_called_while_watched() -> None:
    seen: list[Execution] = []
    with watching(seen.append):

        class Twice(P.Exp):
            ufunc = None

            def compute(self, xp: Any, x: Any) -> Any:
                return x + x

        assert float(Twice()(Tensor([1.5]))) == 3.0
        assert float(P.Cosh()(Tensor([0.0]))) == 1.0
    assert [item.primitive.name for item in seen] == ["Twice", "Cosh"]
    assert float(Twice()(Tensor([2.5]))) == 5.0
    assert len(seen) == 2
