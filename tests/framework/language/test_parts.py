"""A compiled function with a step for Python alone is cut there: the rest is compiled, and means what Python means."""

# What a user may write is not what this project would.
# ruff: noqa
# mypy: ignore-errors
from __future__ import annotations

import contextlib
import logging
import traceback

import numpy as np
import pytest

import framework as ms
from framework import Parameter, Tensor, nn, ops
from framework.engine.call.cells import cell_programs

X = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], np.float32)
NOTES = []


def note(value):
    """Python notes what it sees, and when."""
    NOTES.append(value if isinstance(value, str | int | float | tuple) else float(np.asarray(value).sum()))


def in_the_middle(x):
    y = ops.tanh(x * 0.5)
    note(y.asnumpy())
    return ops.exp(y) + x


def in_an_if(x):
    y = ops.sin(x)
    if y.shape[0] == 2:
        note(y.asnumpy())
        y = y * 2
    z = ops.cos(y)
    return z + y


def in_a_loop(x):
    y = ops.sin(x)
    for step in range(3):
        y = y * 0.5 + x
        note((step, round(float(y.asnumpy().sum()), 3)))
    return ops.cos(y) * step


def reads(y):
    note(y.asnumpy())
    return y + 1


def in_a_callee(x):
    y = ops.sin(x)
    z = reads(y)
    return ops.cos(z) * y


def twice(x):
    y = ops.sin(x)
    a = y.asnumpy()
    z = ops.cos(y) + 1
    b = z.asnumpy()
    w = ops.exp(z) * y
    return w + Tensor(a + b)


def by_a_number(x):
    scale = float(x.asnumpy().max())
    y = x * scale
    z = ops.sin(y) + x
    return z * 2


def by_numpy(x):
    row = np.sort(x.asnumpy(), axis=0)
    row = row + 1
    y = ops.sin(x) + Tensor(row)
    return ops.cos(y) * 2


def in_a_context(x):
    y = ops.sin(x)
    with contextlib.nullcontext(3) as times:
        z = y * times
    return ops.cos(z) + y


def in_print(x):
    y = ops.sin(x)
    print("before", y.shape)
    note(y.asnumpy())
    print("after", y.shape)
    return ops.cos(y)


def with_early_returns(x, way=2):
    y = ops.sin(x)
    if way == 0:
        return y
    note(y.asnumpy())
    z = ops.cos(y)
    if z.sum() > 100:
        return z
    return z * way


def returned_from_the_middle(x):
    y = ops.sin(x)
    if y.asnumpy().max() > 0:
        return y * 2
    return ops.cos(y)


def with_other_arguments(x, *more, factor=2, **named):
    y = x * factor
    for other in more:
        y = y + other
    note(y.asnumpy())
    for name in named:
        y = y * named[name]
    return ops.sin(y)


def with_a_closure(x):
    factor = x * 2
    scaled = lambda y: y * factor
    first = scaled(x)
    first.asnumpy()
    factor = x * 3
    return ops.sin(scaled(x)) + first


def with_a_generator(x):
    y = x * 2
    later = (y * i for i in range(3))
    x.asnumpy()
    y = y + 1
    return ops.sin(sum(later))


def with_a_gradient(x):
    loss, slope = ms.value_and_grad(lambda v: (ops.sin(v) * v).sum())(x)
    note(loss.asnumpy())
    return ops.cos(slope) * loss


def with_an_inner_function(x):
    def scaled(v):
        return ops.sin(v) * x

    y = scaled(x)
    note(y.asnumpy())
    return scaled(y) + 1


def with_a_while(x):
    y = x * 1
    while y.sum() < 100:
        y = y * 2
    note(y.asnumpy())
    return ops.sin(y)


def with_a_choice(x):
    if x.sum() > 0:
        y = ops.sin(x)
    else:
        y = ops.cos(x)
    note(y.asnumpy())
    return y * 2


def with_a_walrus(x):
    note(x.asnumpy())
    y = ops.sin(x)
    if (rows := x.shape[0]) > 1:
        y = y * rows
    return y + rows


def with_annotations(x: Tensor, times: int = 3) -> Tensor:
    y: Tensor = ops.sin(x)
    rows: int
    note(y.asnumpy())
    z: Tensor = y * times
    return z


def with_a_deleted_name(x):
    y = ops.sin(x)
    note(y.asnumpy())
    z = y * 2
    del y
    return ops.cos(z)


def calls_itself(x, times=2):
    y = ops.sin(x)
    note(y.asnumpy())
    if times:
        y = calls_itself(y, times - 1)
    return ops.cos(y)


def with_numbers_of_shapes(x):
    rows = x.shape[0]
    y = ops.sin(x)
    note(y.asnumpy())
    return ops.cos(y).reshape((rows * 3,)), rows


CUT = (
    in_the_middle, in_an_if, in_a_loop, in_a_callee, twice, by_a_number, by_numpy, in_a_context, in_print,
    with_early_returns, with_other_arguments, with_a_gradient, with_a_while, with_a_choice, with_a_walrus,
    with_annotations, with_an_inner_function, with_a_deleted_name, calls_itself, with_numbers_of_shapes,
)  # fmt: skip
"""Programs of which a part is compiled."""
WHOLE = (returned_from_the_middle, with_a_closure, with_a_generator)
"""Programs that may run whole."""


# What a change in place shows.


def an_argument_by_two_names(x):
    y = x
    z = ops.sin(x)
    z.asnumpy()
    y.add_(1)
    return x + z


def a_result_by_two_names(x):
    y = ops.sin(x)
    z = y
    x.asnumpy()
    z.add_(1)
    return y + z, y is z


def two_equal_results(x):
    y, z = ops.sin(x), ops.sin(x)
    x.asnumpy()
    z.add_(1)
    return y + z, y is z


def a_list_by_two_names(x):
    rows = [ops.sin(x)]
    same = rows
    x.asnumpy()
    same.append(x)
    return len(rows), rows[0] + 1, rows


def a_known_list(x):
    sizes = [1, 2]
    y = ops.sin(x)
    x.asnumpy()
    sizes.append(3)
    return y, sizes


def a_dictionary(x):
    named = {"a": ops.sin(x)}
    x.asnumpy()
    named["b"] = named["a"] * 2
    return named


def items_of_a_tuple(x):
    parts = ops.split(ops.sin(x), 1)
    first, pair = parts[0], (parts, 3)
    x.asnumpy()
    first.add_(1)
    return parts[0] + 1, pair[0][0] * 2


def an_item_of_the_argument(x):
    y = ops.sin(x)
    y.asnumpy()
    x[0] = 0
    return ops.cos(x) + y


def an_item_by_another_name(x):
    x.asnumpy()
    y = x
    y[0] = 1
    return ops.sin(x)


def fills(values):
    values[0] = 5


def an_item_in_a_callee(x):
    x.asnumpy()
    y = ops.sin(x)
    fills(y)
    return ops.cos(y)


def a_choice_of_an_argument(x):
    y = x
    if x.sum() > 100:
        y = ops.sin(x)
    z = ops.cos(y)
    z.asnumpy()
    y.add_(1)
    return y + z


def a_constant(x):
    y = Tensor([1.0, 2.0, 3.0]) + 0
    z = ops.zeros((3,), ms.float32)
    x.asnumpy()
    z.add_(y)
    return z * x


MUTATING = (
    an_argument_by_two_names, a_result_by_two_names, two_equal_results, a_list_by_two_names, a_known_list,
    a_dictionary, items_of_a_tuple, an_item_of_the_argument, an_item_by_another_name, an_item_in_a_callee,
    a_choice_of_an_argument, a_constant,
)  # fmt: skip


def plain(value):
    """A result as lists and numbers that can be compared."""
    if isinstance(value, Tensor):
        return str(value.dtype), value.shape, np.round(value.asnumpy().astype(np.float64), 3).tolist()
    if isinstance(value, tuple | list):
        return type(value).__name__, [plain(item) for item in value]
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    return value if not isinstance(value, float) else round(value, 3)


def outcome(function, *args, **kwargs):
    """The result or the error of a call, what was noted, and the arguments after it."""
    NOTES.clear()
    try:
        result = plain(function(*args, **kwargs))
    except Exception as error:
        lines = [place.lineno for place in traceback.extract_tb(error.__traceback__) if place.filename == __file__]
        result = type(error), str(error), lines[-1]
    return result, [item if not isinstance(item, float) else round(item, 3) for item in NOTES], [*map(plain, args)]


def means_the_same(function, compiled, rounds=4, **kwargs):
    for number in range(rounds):
        value = X * (1 + 0.1 * (number // 2))
        expected = outcome(function, Tensor(value), **kwargs)
        assert outcome(compiled, Tensor(value), **kwargs) == expected, number


@pytest.mark.parametrize("function", [*CUT, *WHOLE])
def test_it_means_what_python_means(function, capsys):
    compiled = ms.jit(function)
    for number in range(4):
        value = X * (1 + 0.1 * (number // 2))
        expected, printed = outcome(function, Tensor(value)), capsys.readouterr().out
        assert outcome(compiled, Tensor(value)) == expected
        assert capsys.readouterr().out == printed


@pytest.mark.parametrize("function", CUT)
def test_the_rest_is_compiled(function):
    compiled = ms.jit(function)
    for _ in range(4):
        compiled(Tensor(X))
    programs = [part.latest for part in compiled.parts if part.latest is not None]
    assert programs
    assert compiled.latest is None and compiled.compilations == 1, "the whole is tried once"
    before = [part.compilations for part in compiled.parts]
    compiled(Tensor(X))
    assert [part.compilations for part in compiled.parts] == before, "nothing is compiled again"


@pytest.mark.parametrize("function", MUTATING)
def test_a_change_in_place_is_seen_where_python_sees_it(function):
    means_the_same(function, ms.jit(function))


def test_other_arguments_reach_the_parts():
    expected = outcome(with_other_arguments, Tensor(X), Tensor(X), factor=3, twice=2.0)
    compiled = ms.jit(with_other_arguments)
    for _ in range(3):
        assert outcome(compiled, Tensor(X), Tensor(X), factor=3, twice=2.0) == expected


def unset(x, is_set=False):
    y = x * 2
    x.asnumpy()
    if is_set:
        z = y + 1
    w = ops.sin(y)
    note("before")
    return w + z


def misshaped(x):
    y = ops.sin(x)
    note(x.asnumpy())
    z = ops.cos(y)
    note("before")
    return z.reshape((5,))


def out_of_range(x):
    y = ops.sin(x)
    x.asnumpy()
    return [y, y * 2][int(x[0, 0]) + 7]


def refusing(x):
    y = ops.sin(x)
    if y.asnumpy().max() < 10:
        raise ValueError("too small")
    return ops.cos(y)


STEPS = Parameter(Tensor(0.0), name="steps")


def checked(value):
    if value.sum() > 0:
        raise ValueError("positive")
    return value


def refusing_in_a_callee(x):
    x.asnumpy()
    ops.assign_add(STEPS, Tensor(1.0))
    y = ops.sin(x)
    z = checked(x)
    return z + y


@pytest.mark.parametrize("function", [unset, misshaped, out_of_range, refusing, refusing_in_a_callee])
def test_errors_are_python_s(function):
    means_the_same(function, ms.jit(function))
    assert outcome(ms.jit(function), Tensor(X))[0][0] is not None


def test_a_variable_that_is_set_on_one_path():
    means_the_same(unset, ms.jit(unset), is_set=True)


class Counting:
    def __init__(self):
        self.count = 0

    def __call__(self):
        self.count += 1
        return self.count


COUNTING = Counting()


def with_effects(x):
    y = ops.sin(x)
    x.asnumpy()
    logging.getLogger("of the user").warning("step")
    z = ops.cos(y) * COUNTING()
    return z + y


def test_what_has_an_effect_happens_in_every_call(caplog):
    compiled = ms.jit(with_effects)
    COUNTING.count = 0
    for count in range(1, 5):
        caplog.clear()
        result = compiled(Tensor(X)).asnumpy()
        np.testing.assert_allclose(result, np.cos(np.sin(X)) * count + np.sin(X), rtol=1e-5)
        assert [record.getMessage() for record in caplog.records if record.name == "of the user"] == ["step"]


class Settings:
    """Items that are made anew whenever they are read."""

    def __init__(self):
        self.reads = 0

    def __getitem__(self, name):
        self.reads += 1
        return self.reads

    def __len__(self):
        return self.reads

    def __iter__(self):
        self.reads += 1
        return iter([self.reads, 2])


SETTINGS = Settings()
SIZES = {"factor": 1}


def by_items(x):
    x.asnumpy()
    y = ops.sin(x) * SETTINGS["factor"]
    y = y + len(SETTINGS)
    for item in SETTINGS:
        y = y * item
    return ops.cos(y) * SIZES["factor"]


def test_what_may_differ_is_read_in_every_call():
    compiled = ms.jit(by_items)
    for factor in (1, 1, 2, 3):
        SIZES["factor"], SETTINGS.reads = factor, 10 * factor
        expected = by_items(Tensor(X)).asnumpy()
        SETTINGS.reads = 10 * factor
        np.testing.assert_allclose(compiled(Tensor(X)).asnumpy(), expected, rtol=1e-4)
        assert SETTINGS.reads == 10 * factor + 2


def test_random_numbers_are_drawn_in_order():
    def draws(x):
        y = x + ops.standard_normal((2, 3))
        x.asnumpy()
        return y * ops.standard_normal((2, 3))

    compiled = ms.jit(draws)
    ms.set_seed(3)
    expected = [draws(Tensor(X)).asnumpy() for _ in range(3)]
    ms.set_seed(3)
    for value in expected:
        np.testing.assert_allclose(compiled(Tensor(X)).asnumpy(), value, rtol=1e-5)


def test_one_warning_names_the_statement(caplog):
    def told(x):
        y = ops.sin(x)
        note(y.asnumpy())
        return ops.cos(y)

    with caplog.at_level(logging.WARNING, logger="framework"):
        compiled = ms.jit(told)
        for _ in range(3):
            compiled(Tensor(X))
    (record,) = caplog.records
    message = record.getMessage()
    assert message.startswith("told is split: this statement runs line by line, and the rest is compiled")
    assert "note(y.asnumpy())" in message


@pytest.mark.parametrize("function", [in_the_middle, in_a_loop, in_a_callee, in_a_context, with_a_choice])
def test_gradients_are_those_of_the_operators(function):
    expected = ms.grad(function)(Tensor(X)).asnumpy()
    for gradient in (ms.grad(ms.jit(function)), ms.jit(ms.grad(function)), ms.grad(lambda x: ms.jit(function)(x) * 1)):
        np.testing.assert_allclose(gradient(Tensor(X)).asnumpy(), expected, rtol=1e-5)
    compiled = ms.jit(function)
    compiled(Tensor(X))
    value, slope = ms.value_and_grad(compiled)(Tensor(X))
    np.testing.assert_allclose(value.asnumpy(), function(Tensor(X)).asnumpy(), rtol=1e-5)
    np.testing.assert_allclose(slope.asnumpy(), expected, rtol=1e-5)


class Block(nn.Cell):
    def __init__(self):
        super().__init__()
        self.weight = Parameter(Tensor(np.full(3, 2.0, np.float32)), name="weight")
        self.steps = Parameter(Tensor(0.0), name="steps", requires_grad=False)

    def construct(self, x):
        y = ops.tanh(x * self.weight)
        note(y.asnumpy())
        ops.assign_add(self.steps, Tensor(1.0))
        return y + self.steps


class Network(nn.Cell):
    def __init__(self):
        super().__init__()
        self.dense = nn.Dense(3, 3, weight_init="ones")
        self.block = Block()
        self.count = 0

    def construct(self, x):
        y = self.dense(x)
        y = self.block(y)
        self.count += 1
        return ops.sin(y) * self.block.weight


@pytest.fixture
def graph_mode():
    ms.set_context(mode=ms.GRAPH_MODE)
    yield
    ms.set_context(mode=ms.PYNATIVE_MODE)


def test_cells_are_cut(graph_mode):
    compiled, expected = Network(), Network()
    for _ in range(4):
        ms.set_context(mode=ms.PYNATIVE_MODE)
        wanted = outcome(expected, Tensor(X))
        ms.set_context(mode=ms.GRAPH_MODE)
        assert outcome(compiled, Tensor(X)) == wanted
        assert float(compiled.block.steps) == float(expected.block.steps)
        assert compiled.count == expected.count
    assert any(part.latest is not None for part in cell_programs(compiled.block).parts)
    assert any(part.latest is not None for part in cell_programs(compiled).parts)


def test_a_jitted_cell_is_cut():
    compiled, expected = Block(), Block()
    jitted = ms.jit(compiled)
    for _ in range(3):
        assert outcome(jitted, Tensor(X)) == outcome(expected, Tensor(X))
    assert [part.latest is not None for part in jitted.parts] == [True, True]


def test_a_changed_attribute_is_seen(graph_mode):
    net = Block()
    first = net(Tensor(X)).asnumpy()
    net.weight.set_data(net.weight * 0)
    np.testing.assert_allclose(net(Tensor(X)).asnumpy(), np.full((2, 3), 2.0), rtol=1e-6)
    assert first.min() > 1.9, "the result of an earlier call stays"


def test_a_cell_with_hooks_runs_line_by_line(graph_mode):
    net, called = Block(), []
    net(Tensor(X))
    net.register_forward_hook(lambda *_: called.append(1))
    net(Tensor(X))
    net(Tensor(X))
    assert called == [1, 1]


def test_a_training_step_is_cut(graph_mode):
    def trained(wanted_mode):
        ms.set_context(mode=wanted_mode)
        ms.set_seed(1)
        net = nn.Dense(3, 1, weight_init="ones")
        optimizer = nn.Adam(net.trainable_params(), 0.1)
        gradient = ms.value_and_grad(lambda x: (net(x) ** 2).mean(), None, optimizer.parameters)

        def step(x):
            loss, slopes = gradient(x)
            note(loss.asnumpy())
            optimizer(slopes)
            return loss

        step = ms.jit(step) if wanted_mode == ms.GRAPH_MODE else step
        NOTES.clear()
        losses = [float(step(Tensor(X))) for _ in range(6)]
        return losses, list(NOTES), net.weight.asnumpy(), step

    losses, notes, weight, step = trained(ms.GRAPH_MODE)
    assert all(part.latest is not None for part in step.parts) and len(step.parts) == 2
    expected = trained(ms.PYNATIVE_MODE)
    np.testing.assert_allclose(losses, expected[0], rtol=1e-4)
    np.testing.assert_allclose(notes, expected[1], rtol=1e-4)
    np.testing.assert_allclose(weight, expected[2], rtol=1e-4)
