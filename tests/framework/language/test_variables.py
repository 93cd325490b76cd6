"""Values that `mutable` makes variable in compiled functions, facts about values, kinds of refusals."""

import random

import numpy as np
import pytest

import framework as ms
from framework import Tensor, mutable, ops
from framework.ops import functional

MODES = pytest.mark.parametrize("mode", [lambda function: function, ms.jit], ids=["pynative", "graph"])


def test_what_mutable_makes_variable():
    @ms.jit
    def known(x):
        items, count = mutable([1, 2, 3], True), mutable(2)
        first = items[0]
        items[0] = 7
        items.append(4)
        return [
            functional.isconstant(1),
            functional.isconstant(x),
            functional.isconstant(count + 1),
            functional.isconstant(first),
            functional.isconstant(len(items)),
            functional.isconstant(len(mutable([1, 2]))),
            functional.is_sequence_shape_unknown(items),
            functional.is_sequence_shape_unknown(items * 2 + [1]),
            functional.is_sequence_shape_unknown((1, 2, 3)[:count]),
            functional.is_sequence_shape_unknown(range(count)),
            functional.is_sequence_shape_unknown(tuple(items)),
            functional.is_sequence_shape_unknown(mutable([1, 2])),
            functional.is_sequence_value_unknown(mutable((1, 2))),
            functional.is_sequence_value_unknown((1, 2)),
            functional.is_dynamic_sequence_element_unknown(mutable([], True)),
        ]

    # What MindSpore 2.10 answers.
    yes, no = True, False
    assert known(Tensor(1.0)) == [yes, no, no, no, no, yes, yes, yes, yes, yes, yes, no, yes, no, yes]


@MODES
def test_variable_values_are_computed_with(mode):
    def summed(x):
        items = mutable([x, x * 2], True)
        items.append(x * 3)
        total = mutable(0.5) * x
        for place in range(len(items)):
            total = total + items[place]
        return total

    assert mode(summed)(Tensor(2.0)) == 13
    assert ms.grad(mode(summed))(Tensor(2.0)) == 6.5


@pytest.mark.parametrize(
    ("function", "kind"),
    [
        (lambda: list(map(abs, mutable([1], True))), RuntimeError),
        (lambda: list(zip(mutable([1], True), [2], strict=False)), RuntimeError),
        (lambda: mutable(mutable((1, 2), True)), RuntimeError),
        (lambda: mutable((1, 2.0), True), ValueError),
        (lambda: mutable([1], True) + mutable([1.0]), TypeError),
        (lambda: mutable(1, 2), TypeError),
        (lambda: range(Tensor([3])), TypeError),
        (lambda: {"a": 1}["b"], KeyError),
        (lambda: [1, 2][5], IndexError),
        (lambda: Tensor([1]).nothing, AttributeError),
        (lambda: 1 // 0, ZeroDivisionError),
        (lambda: undefined + 1, NameError),  # noqa: F821
        (lambda: Tensor([1]).abs, RuntimeError),
        (lambda: (1, test_what_mutable_makes_variable), RuntimeError),
    ],
)
def test_kinds_of_refusals(function, kind):
    with pytest.raises(kind):
        ms.jit(function)()


@ops.constexpr
def refuse(error):
    raise error


@pytest.mark.parametrize(
    ("error", "told"), [(ValueError, "ValueError"), (KeyError("a"), "there is no key 'a'"), (IndexError("far"), "far")]
)
def test_what_a_function_at_compile_time_raises_is_named(error, told):
    with pytest.raises(error if isinstance(error, type) else type(error), match=f"^{told}"):
        ms.jit(lambda: refuse(error))()


def set_on_one_path(x):
    if x > 0:
        y = x
    return y


def name_alone(x):
    undefined  # noqa: B018, F821
    return x


def append_another_type():
    items = mutable([1], True)
    items.append(1.5)
    return items


def set_another_type():
    items, place = [1, 2], mutable(0)
    items[place] = 1.5
    return items


def test_kinds_of_refusals_in_statements():
    with pytest.raises(UnboundLocalError):
        ms.jit(set_on_one_path)(Tensor(1.0))
    with pytest.raises(NameError):
        ms.jit(name_alone)(Tensor(1.0))
    for function in (append_another_type, set_another_type):
        with pytest.raises(TypeError):
            ms.jit(function)()


def test_a_list_of_the_caller_is_changed_line_by_line():
    @ms.jit
    def changed(items):
        items.insert(0, 5)
        return items

    given = [Tensor(1.0)]
    assert changed(given) == given == [5, Tensor(1.0)]


@pytest.mark.parametrize("drawn", [random.random, lambda: float(np.random.rand())])
def test_what_differs_in_every_call_runs_line_by_line(drawn):
    changed = ms.jit(lambda x: x * drawn())
    assert changed(Tensor(2.0)) != changed(Tensor(2.0))


@MODES
def test_loops_as_operators(mode):
    assert mode(lambda x: ops.WhileLoop()(lambda v: v < 100, lambda v: v + 1, x))(0) == 100
    assert mode(lambda n: ops.ForiLoop()(0, n, lambda i, v: i + v, 0))(10) == 45
    assert mode(lambda xs: ops.Scan()(lambda r, x: (r + x, r * x), 1, xs, 3, False))([1, 2, 3]) == (7, [1, 4, 12])
    doubled = mode(lambda x: ops.WhileLoop()(lambda v: v.sum() < 100, lambda v: v * 2, x))
    np.testing.assert_array_equal(doubled(Tensor([1.0, 2.0])).asnumpy(), [64, 128])
    np.testing.assert_array_equal(ms.grad(lambda x: doubled(x).sum())(Tensor([1.0, 2.0])).asnumpy(), [64, 64])
    counted = mode(lambda n, x: ops.ForiLoop()(0, n, lambda i, v: v * 2 + i, x))
    assert counted(Tensor(3), Tensor(1.0)) == 12
    with pytest.raises(ValueError, match="type"):
        mode(lambda x: ops.WhileLoop()(lambda v: v < 100, lambda v: v * 1.5, x))(1)
    assert mode(lambda c, x: ops.switch(c, x, -x))(Tensor(False), Tensor(2.0)) == -2
    assert mode(lambda x: ops.Partial()(functional.scalar_sub, 7)(x))(5) == 2


@pytest.mark.parametrize("number", [np.float64(2.5), np.float32(2.5), np.int64(3), np.int8(3)])
def test_numbers_of_numpy_are_constants(number):
    x = Tensor([1.0, 4.0])
    for function in (
        lambda x: x * number,
        lambda x: ops.maximum(x, number),
        lambda x: ops.clip_by_value(x, number, number),
        lambda x: x.sum(axis=np.int64(0)),
        lambda x: ops.full((2,), number) + x,
    ):
        expected, found = function(x), ms.jit(function)(x)
        assert found.dtype == expected.dtype
        np.testing.assert_array_equal(found.asnumpy(), expected.asnumpy())
    assert ms.jit(lambda x: (x, number, number > x.sum().item()))(x)[1:] == (number, False)


@ops.constexpr(name="gaps")
def gaps(items):
    return sum(item is None for item in items)


@MODES
def test_constexpr_with_options(mode):
    assert mode(lambda: gaps((1, None, [2], None)))() == 2
    # The elements of a tensor are not known, but the function can run line by line. MindSpore 2.10 gives 0, too.
    assert mode(lambda x: gaps((1, x, [2], x)))(Tensor(1.0)) == 0
    with pytest.raises(ValueError, match="get_instance"):
        ops.constexpr(get_instance=False)


@MODES
def test_the_gradient_stops_at_tuples_and_numbers(mode):
    assert ms.grad(mode(lambda x: ops.stop_gradient((x, x * 2))[1] * x))(Tensor(3.0)) == 6
    assert mode(lambda x: ops.stop_gradient(x))(3) == 3


def test_programs_are_written_as_mindspore_writes_them(tmp_path, monkeypatch):
    monkeypatch.setenv("MS_DEV_SAVE_GRAPHS", "1")
    monkeypatch.setenv("MS_DEV_SAVE_GRAPHS_PATH", str(tmp_path))
    monkeypatch.setenv("MS_DEV_DUMP_IR_PASSES", "_validate")
    ms.jit(lambda x: x * 2 + 1)(Tensor([1.0]))
    (written,) = tmp_path.glob("*.ir")
    assert "_validate_" in written.name
    assert "Mul" in written.read_text()


@MODES
def test_vmap_stacks_numbers_and_refuses_as_mindspore_does(mode):
    x = Tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])

    def mapped(**axes):
        return mode(ms.vmap(lambda x: (x, 1, 2.5, True), **axes))(x)

    _, *numbers = mapped(in_axes=1)
    # The element types are those of MindSpore 2.10.
    assert [number.dtype for number in numbers] == [ms.int64, ms.float32, ms.bool_]
    assert [number.asnumpy().tolist() for number in numbers] == [[1] * 3, [2.5] * 3, [True] * 3]
    for axes in (
        {"in_axes": None},
        {"in_axes": 1.0},
        {"in_axes": 5},
        {"in_axes": (1, 1)},
        {"in_axes": 1, "out_axes": (0, 0)},
        {"in_axes": 1, "out_axes": (0, 1, 0, 0)},
        {"in_axes": 1, "out_axes": None},
    ):
        with pytest.raises(RuntimeError, match="vmap"):
            mapped(**axes)


class Doubled(ms.nn.Cell):
    def construct(self, x):
        return x * 2 if x.shape[0] < 3 else x.nothing


def test_a_cell_is_compiled_without_running():
    cell = Doubled()
    assert cell.compile(Tensor([1.0, 2.0])) is None
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        cell.compile(Tensor([1.0, 2.0, 3.0]))
    ms.set_context(mode=ms.GRAPH_MODE)
    try:
        assert cell(Tensor([1.0, 2.0])).asnumpy().tolist() == [2, 4]
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)


@MODES
def test_an_assignment_loses_no_digits(mode):
    # What MindSpore 2.10 takes and refuses.
    for kind, value, fits in (
        (ms.float32, ms.int32, True),
        (ms.float64, ms.float32, True),
        (ms.int64, ms.int32, True),
        (ms.int8, ms.uint8, False),
        (ms.float32, ms.float64, False),
        (ms.float16, ms.float32, False),
        (ms.int32, ms.float32, False),
    ):
        parameter = ms.Parameter(Tensor([1], kind), name="p")
        assigned = mode(lambda x, parameter=parameter: ops.assign(parameter, x))
        if fits:
            assert assigned(Tensor([3], value)).dtype is kind
            assert parameter.asnumpy() == [3]
        else:
            with pytest.raises(TypeError, match="does not fit"):
                assigned(Tensor([3], value))
            assert parameter.asnumpy() == [1]


@pytest.mark.parametrize("setting", [{"device_id": "a"}, {"save_graphs": "x"}, {"device_target": 1}])
def test_settings_have_types(setting):
    with pytest.raises(TypeError, match="must be of type"):
        ms.set_context(**setting)
