"""Watching executions: their names, their values, and complete clean-up."""

import io
import pdb
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import framework as ms
from framework import Parameter, Tensor, nn, ops
from framework.engine.call.cells import cell_programs
from framework.observe import Execution, watching
from framework.ops import operations as P  # noqa: N812
from framework.pynative import value_and_gradient


@pytest.fixture(autouse=True)
def _mode() -> Iterator[None]:
    yield
    ms.set_context(mode=ms.PYNATIVE_MODE)


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


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def test_names_scopes_and_iterations(mode: int) -> None:
    ms.set_context(mode=mode)
    net, x = Outer(), Tensor([0.5])
    seen = watched(lambda: net(x))
    assert [(item.full_name, item.iteration) for item in seen] == [
        ("Default/ReLU-op0", 0),
        ("Default/ReLU-op1", 0),
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


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def test_the_users_line_is_told(mode: int) -> None:
    ms.set_context(mode=mode)
    net = Outer()
    lines = {item.location.source.strip() for item in watched(lambda: net(Tensor([0.5]))) if item.location}
    assert lines == {"x = ops.relu(x)", "return ops.relu(ops.exp(x)) + ops.relu(x)"}


def test_inputs_and_outputs() -> None:
    (seen,) = watched(lambda: Tensor([1.0]) + Tensor([2.0]))
    assert (seen.primitive.name, [float(i) for i in seen.inputs], float(seen.outputs)) == ("Add", [1.0, 2.0], 3.0)


class Storing(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.total = Parameter(Tensor([1.0]), name="total")

    def construct(self, x: Any) -> Any:
        return P.AssignAdd()(self.total, x)


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def test_a_parameter_that_is_changed_is_shown_as_it_was(mode: int) -> None:
    ms.set_context(mode=mode)
    cell = Storing()
    (seen,) = watched(lambda: cell(Tensor([2.0])))
    assert [float(item) for item in seen.inputs] == [1.0, 2.0]
    assert float(seen.outputs) == 3.0


def test_equal_operators_that_compilation_has_merged_are_one_with_several_identities() -> None:
    class Twice(nn.Cell):
        def construct(self, x: Any) -> Any:
            return ops.exp(x) * 2.0 + ops.exp(x)

    cell = Twice()
    ms.set_context(mode=ms.GRAPH_MODE)
    members = {item.full_name: item.members for item in watched(lambda: cell(Tensor([1.0])))}
    assert members["Default/Exp-op0"] == ("Default/Exp-op0", "Default/Exp-op1")
    assert members["Default/Mul-op0"] == ("Default/Mul-op0",)
    ms.set_context(mode=ms.PYNATIVE_MODE)
    alone = [item.members for item in watched(lambda: cell(Tensor([1.0])))]
    assert alone == [("Default/Exp-op0",), ("Default/Mul-op0",), ("Default/Exp-op1",), ("Default/Add-op0",)]


def test_what_runs_backward_says_whose_gradient_it_is() -> None:
    net, x = Outer(), Tensor([0.5])
    names = [item.full_name for item in watched(lambda: value_and_gradient(net, [x]))]
    assert "Gradients/Default/second-Inner/Grad_ReLU-op1/ReluGrad-op0" in names
    assert "Gradients/Default/Grad_ReLU/ReluGrad-op0" in names
    # What two operators read gets the sum of two gradients.
    assert "Gradients/Default/first-Inner/Sum_Add/Add-op0" in names


def test_nothing_stays_when_nobody_watches() -> None:
    ops.exp(Tensor([1.0]))
    before = {name: vars(getattr(P, name)).get("__call__") for name in ("Add", "ReLU", "Exp")}
    is_true = Tensor.__bool__
    seen = watched(lambda: ops.exp(Tensor([1.0])))

    class Late(P.Exp):
        """Defined by someone while others watch."""

    ops.exp(Tensor([1.0]))
    Late()(Tensor([1.0]))
    assert len(seen) == 1
    assert before == {name: vars(getattr(P, name)).get("__call__") for name in before}
    assert Tensor.__bool__ is is_true


@pytest.mark.fast_path
def test_watchers_have_another_form_of_the_code() -> None:
    ms.set_context(mode=ms.GRAPH_MODE)
    net, x = Outer(), Tensor([0.5])
    net(x)
    executable = cell_programs(net).compile(x).executable
    plain = executable.source
    watched(lambda: net(x))
    assert executable.tapped().source != plain
    assert executable.source == plain


def test_a_compiled_program_tells_nobody_when_nobody_watches() -> None:
    ms.set_context(mode=ms.GRAPH_MODE)
    net, x = Outer(), Tensor([0.5])
    wanted = float(net(x))
    seen = watched(lambda: net(x))
    assert len(seen) == 10
    assert float(net(x)) == wanted
    assert len(seen) == 10
    assert cell_programs(net).compilations == 1


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def test_only_what_is_wanted_is_told_with_the_values_that_it_had(mode: int) -> None:
    ms.set_context(mode=mode)
    net, x = Outer(), Tensor(np.random.default_rng(0).standard_normal((3, 4), np.float32))
    net(x)
    whole = {item.full_name: item for item in watched(lambda: net(x))}
    names = {"Default/first-Inner/ReLU-op0", "Default/second-Inner/Add-op0", "Default/nowhere/Add-op0"}
    seen: list[tuple[str, Any, Any]] = []

    def keep(item: Execution) -> None:
        seen.append((item.full_name, [one.asnumpy().copy() for one in item.inputs], item.outputs.asnumpy().copy()))

    with watching(keep, names):
        net(x)
    assert [name for name, _, _ in seen] == ["Default/first-Inner/ReLU-op0", "Default/second-Inner/Add-op0"]
    for name, inputs, output in seen:
        np.testing.assert_array_equal(output, whole[name].outputs.asnumpy())
        for one, other in zip(inputs, whole[name].inputs, strict=True):
            np.testing.assert_array_equal(one, other.asnumpy())


def test_watchers_that_want_different_operators_each_see_their_own() -> None:
    net, x = Outer(), Tensor([0.5])
    first: list[Execution] = []
    second: list[Execution] = []
    with watching(first.append, ["Default/ReLU-op0"]), watching(second.append, ["Default/first-Inner/Exp-op0"]):
        net(x)
    assert [item.full_name for item in first] == ["Default/ReLU-op0"]
    assert [item.full_name for item in second] == ["Default/first-Inner/Exp-op0"]


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


def test_an_error_of_a_watcher_or_of_the_program_leaves_nothing_behind() -> None:
    def complain(execution: Execution) -> None:
        raise KeyError(execution.full_name)

    net = Outer()
    with pytest.raises(KeyError, match="Default/ReLU-op0"), watching(complain):
        net(Tensor([0.5]))
    assert next(item.full_name for item in watched(lambda: net(Tensor([0.5])))) == "Default/ReLU-op0"


class Stopping(nn.Cell):
    """Stops in a debugger that reads its commands from a text."""

    def __init__(self, commands: str) -> None:
        super().__init__()
        self.out = io.StringIO()
        self.debugger = pdb.Pdb(stdin=io.StringIO(commands), stdout=self.out, nosigint=True, readrc=False)

    def construct(self, x: Any) -> Any:
        y = ops.exp(x)
        self.debugger.set_trace()
        z = y * 2.0
        return z + 1.0


def test_pdb_stops_inside_of_construct() -> None:
    cell = Stopping("p float(y)\nnext\np float(z)\nwhere\ncontinue\n")
    assert float(cell(Tensor([0.0]))) == 3.0
    told = cell.out.getvalue()
    assert "-> z = y * 2.0" in told
    assert "(Pdb) 1.0" in told
    assert "-> return z + 1.0" in told
    assert "(Pdb) 2.0" in told
    assert "construct(self, x)" in told or "construct()" in told


def with_breakpoint(x: Any) -> Any:
    y = x * 2.0
    breakpoint()
    return y


def with_set_trace(x: Any) -> Any:
    y = x * 2.0
    pdb.set_trace()
    return y


@pytest.mark.parametrize("function", [with_breakpoint, with_set_trace, Stopping("continue\n")])
def test_breakpoints_are_refused_in_graph_mode(function: Any) -> None:
    with pytest.raises(TypeError, match=r"(?s)would stop in the compiler.*PYNATIVE_MODE.*\^\^\^"):
        ms.jit(function)(Tensor([0.0]))


class Raising(ops.PrimitiveWithInfer):
    """Its kernel rejects its input."""

    @ops.prim_attr_register
    def __init__(self, error: Any = ValueError) -> None:
        self.init_prim_io_names(inputs=["x"], outputs=["output"])

    def infer_shape(self, x: Any) -> Any:
        return x

    def infer_dtype(self, x: Any) -> Any:
        return x

    def compute(self, xp: Any, x: Any) -> Any:
        raise self.error("not with me")


class Failing(nn.Cell):
    def __init__(self, error: Any) -> None:
        super().__init__()
        self.raising = Raising(error)

    def construct(self, x: Any) -> Any:
        y = x * 2.0
        return self.raising(y) + 1.0  # here


@pytest.mark.parametrize("watcher", [False, True])
def test_an_error_while_a_compiled_program_runs_shows_the_users_line(watcher: bool) -> None:
    ms.set_context(mode=ms.GRAPH_MODE)
    cell = Failing(ValueError)
    call = (lambda: watched(lambda: cell(Tensor([1.0])))) if watcher else lambda: cell(Tensor([1.0]))
    with pytest.raises(ValueError, match="not with me") as caught:
        call()
    message = str(caught.value)
    assert message.startswith("Raising(<Tensor[Float32], (1,)>): not with me")
    assert "test_observe.py" in message
    assert "return self.raising(y) + 1.0  # here\n           ^^^^^^^^^^^^^^^" in message


def test_an_error_that_is_not_made_anew_has_a_note_of_the_line() -> None:
    ms.set_context(mode=ms.GRAPH_MODE)
    with pytest.raises(FloatingPointError, match="not with me") as caught:
        Failing(FloatingPointError)(Tensor([1.0]))
    assert "return self.raising(y) + 1.0  # here" in caught.value.__notes__[0]


def test_an_error_while_compiling_shows_the_users_line() -> None:
    class Wrong(nn.Cell):
        def construct(self, x: Any) -> Any:
            return ops.matmul(x, x)  # does not fit

    ms.set_context(mode=ms.GRAPH_MODE)
    with pytest.raises(ValueError, match="MatMul") as caught:
        Wrong()(Tensor(np.ones((2, 3))))
    assert "return ops.matmul(x, x)  # does not fit\n           ^^^^^^^^^^^^^^^" in str(caught.value)


def test_operators_are_seen_that_were_called_before() -> None:
    parameter = Parameter(Tensor([1.0]), name="p")
    for _ in range(2):
        P.AssignAdd()(parameter, Tensor([1.0]))
    (seen,) = watched(lambda: P.AssignAdd()(parameter, Tensor([1.0])))
    assert (seen.primitive.name, float(seen.outputs)) == ("AssignAdd", 4.0)
    P.AssignAdd()(parameter, Tensor([1.0]))
    assert float(parameter) == 5.0
