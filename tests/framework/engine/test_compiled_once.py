"""A function is compiled once, however often it is called, as long as nothing that it reads changes."""

from __future__ import annotations

import collections
import functools
import logging
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import framework as ms
from framework import Tensor, nn
from framework.engine.call.cells import cell_programs

ARRAY = np.arange(3.0)
TEXT = "rows {}"
ITEMS = [1, 2]
ENTRIES = {"a": 1}
NUMBER = 5
Point = collections.namedtuple("Point", "x y")
POINT = Point(1, 2)


class Settings:
    """An object whose properties make another object whenever they are read."""

    def __init__(self) -> None:
        self.n = 2

    @property
    def tensor(self) -> Tensor:
        return Tensor(np.full(3, self.n, np.float32))

    @property
    def array(self) -> Any:
        return np.full(3, self.n, np.float32)

    @property
    def number(self) -> Any:
        return np.float32(self.n)

    @property
    def function(self) -> Callable[[Any], Any]:
        return lambda value: value * self.n

    @property
    def partial(self) -> Callable[[Any], Any]:
        return functools.partial(times, self.n)

    @property
    def part(self) -> Settings:
        return Settings()

    def method(self, value: Any) -> Any:
        return value * self.n


def times(first: Any, second: Any) -> Any:
    return first * second


SETTINGS = Settings()
READERS: dict[str, tuple[Callable[[Any], Any], float]] = {
    "a method of a text": (lambda x: x + len(TEXT.format(x.shape[0])), 6),
    "a method of a text in the source": (lambda x: x + len(",".join(["a", "b"])), 3),
    "a method of an array": (lambda x: x + Tensor(ARRAY.astype(np.float32)).sum(), 3),
    "an array of an array": (lambda x: x + Tensor(ARRAY.T.astype(np.float32)).sum(), 3),
    "a method of a list": (lambda x: x + ITEMS.index(2), 1),
    "a method of a dictionary": (lambda x: x + ENTRIES.get("a", 0), 1),
    "a method of a number": (lambda x: x + NUMBER.bit_length(), 3),
    "an operator of a number": (lambda x: x + (3).__add__(NUMBER), 8),
    "a method of a named tuple": (lambda x: x + POINT._replace(x=4).x, 4),
    "a tensor of a property": (lambda x: x + SETTINGS.tensor, 2),
    "an array of a property": (lambda x: x + Tensor(SETTINGS.array), 2),
    "a number of a property": (lambda x: x + float(SETTINGS.number), 2),
    "a function of a property": (lambda x: x + SETTINGS.function(1), 2),
    "a partial function of a property": (lambda x: x + SETTINGS.partial(1), 2),
    "an object of a property": (lambda x: x + SETTINGS.part.n, 2),
    "a bound method": (lambda x: x + SETTINGS.method(1), 2),
}


@pytest.mark.parametrize("name", READERS)
def test_what_stays_the_same_is_compiled_once(name: str) -> None:
    function, more = READERS[name]
    compiled = ms.jit(function)
    for _ in range(3):
        np.testing.assert_array_equal(compiled(Tensor(np.zeros(3, np.float32))).asnumpy(), np.full(3, more, np.float32))
    assert compiled.compilations == 1


@pytest.mark.parametrize("name", [name for name in READERS if "property" in name or "bound" in name])
def test_what_a_property_reads_is_noticed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    function, _ = READERS[name]
    compiled = ms.jit(function)
    compiled(Tensor(np.zeros(3, np.float32)))
    monkeypatch.setattr(SETTINGS, "n", 7)
    wanted = function(Tensor(np.zeros(3, np.float32))).asnumpy()
    np.testing.assert_array_equal(compiled(Tensor(np.zeros(3, np.float32))).asnumpy(), wanted)


class Checked(nn.Cell):
    """A Cell whose assertions have texts that are made by methods, as published models have them."""

    def __init__(self) -> None:
        super().__init__()
        self.dense = nn.Dense(3, 2)

    def construct(self, x: Any) -> Any:
        assert x.ndim == 2, "expected two dimensions, not {}".format(x.ndim)  # noqa: UP032
        return self.dense(x) * Tensor(ARRAY[1:].astype(np.float32))


def test_a_training_step_is_compiled_once() -> None:
    net = nn.WithLossCell(Checked(), nn.MSELoss())
    step = nn.TrainOneStepCell(net, nn.Adam(net.trainable_params(), 0.01))
    ms.set_context(mode=ms.GRAPH_MODE)
    try:
        losses = [
            float(step(Tensor(np.ones((4, 3), np.float32)), Tensor(np.ones((4, 2), np.float32)))) for _ in range(5)
        ]
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)
    assert losses == sorted(losses, reverse=True)
    assert cell_programs(step).compilations == 1


def test_the_third_compilation_for_one_reason_is_told_once(caplog: pytest.LogCaptureFixture) -> None:
    scale = 0

    @ms.jit
    def scaled(x: Any) -> Any:
        return x * scale

    with caplog.at_level(logging.WARNING, logger="framework"):
        for scale in range(3):  # noqa: B007
            scaled(Tensor([1.0]))
        assert not caplog.records
        for scale in range(3, 8):  # noqa: B007
            scaled(Tensor([1.0]))
    (record,) = caplog.records
    assert "because of 'scale' ('scale', variable of a closure, is 3 and was 2)" in record.getMessage()
    assert scaled.compilations == 8
