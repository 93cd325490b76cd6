"""Watchpoints: each condition against its definition, expressions, targets, counts, and the recommended set."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import framework as ms
from debugging.tensors.statistics import statistics_of
from debugging.watch import WatchError, Watchpoints
from debugging.watch.conditions import CONDITIONS, Observed, settings_of
from debugging.watch.expression_parser import Expression
from debugging.watch.expression_values import Moment
from framework.debugger.modes import set_mode
from framework.observe import watching
from summaries.schema import debugger_pb2 as wire
from tests.framework.debugger.faults import SHOWN_BY_WATCHPOINTS, plant
from tests.framework.debugger.networks import batch, training
from tests.framework.debugger.parts import nodes_of, runner_of, watchpoints_of

SHORT = "WI WO GE TO OO WL GL TL WS GV TS TZ WNC WCL WCS AR TR"


@pytest.fixture(autouse=True)
def _mode() -> Iterator[None]:
    yield
    ms.set_context(mode=ms.PYNATIVE_MODE)


def test_there_are_the_seventeen() -> None:
    assert [condition.short for condition in CONDITIONS.values()] == SHORT.split()


def holds(condition: str, array: Any, before: Any = None, **settings: float) -> bool:
    """Whether a condition holds of a tensor."""
    known = CONDITIONS[condition]
    given = [wire.Setting(name=name, value=value, enabled=True) for name, value in settings.items()]
    return any(item.hit for item in known.measure(Observed(array, before), settings_of(known, given)))


@pytest.mark.parametrize("seed", range(20))
def test_conditions_hold_as_they_are_defined(seed: int) -> None:
    random = np.random.default_rng(seed)
    x = (random.standard_normal(60) * 10.0 ** random.integers(-6, 4)).astype(np.float32)
    if seed % 3 == 0:
        x[random.integers(60)] = [np.nan, np.inf, -np.inf][seed % 9 // 3]
    if seed % 4 == 1:
        x[:] = 0
    y = x * np.float32(1 + 10.0 ** random.integers(-7, 1))
    wide, then = x.astype(np.float64), y.astype(np.float64)
    finite = wide[np.isfinite(wide)]
    edge = float(10.0 ** random.integers(-6, 4))
    bad = not np.isfinite(wide).all()
    for name in ("weight_overflow", "gradient_exploding", "tensor_overflow"):
        assert holds(name, x) == bad
    for sort in ("weight", "gradient", "tensor"):
        assert holds(f"{sort}_too_large", x, max_gt=edge) == (finite.max() > edge)
        assert holds(f"{sort}_too_large", x, min_gt=edge) == (finite.min() > edge)
        assert holds(f"{sort}_too_large", x, mean_gt=edge) == (finite.mean() > edge)
        assert holds(f"{sort}_too_large", x, abs_mean_gt=edge) == (np.abs(finite).mean() > edge)
    for name in ("weight_too_small", "gradient_vanishing", "tensor_too_small"):
        assert holds(name, x, abs_mean_lt=edge) == (np.abs(finite).mean() < edge)
        assert holds(name, x, max_lt=edge, min_lt=-edge) == (finite.max() < edge or finite.min() < -edge)
    zeros = 100 * np.count_nonzero(wide == 0) / 60
    assert holds("tensor_all_zero", x, zero_percentage_ge=50) == (zeros >= 50)
    assert holds("weight_initialization", x) == (zeros >= 100)
    both = np.isfinite(wide) & np.isfinite(then)
    with np.errstate(invalid="ignore"):
        close = np.allclose(wide, then, 1e-5, 1e-8)
    ratio = np.abs(wide[both] - then[both]).mean() / (np.abs(then)[both].mean() + 1e-9)
    assert holds("weight_change_too_large", x, y) == (ratio > 0.1)
    assert holds("weight_change_too_small", x, y) == (ratio < 1e-4)
    assert holds("weight_not_changed", x, y) == close
    inside = 100 * np.count_nonzero((wide >= -edge) & (wide <= edge)) / 60
    ends = {"range_start_inclusive": -edge, "range_end_inclusive": edge}
    assert holds("tensor_range", x, **ends, range_percentage_lt=50) == (inside < 50)
    assert holds("activation_range", x, **ends, range_percentage_gt=50) == (inside > 50)
    assert holds("tensor_range", x, max_min_gt=edge) == (finite.max() - finite.min() > edge)


def test_an_operator_overflows_only_where_its_inputs_are_finite() -> None:
    condition = CONDITIONS["operator_overflow"]
    bad, good = np.array([np.inf], np.float32), np.array([1.0], np.float32)
    assert next(condition.measure(Observed(bad, inputs=[good]), {})).hit
    assert not next(condition.measure(Observed(bad, inputs=[bad]), {})).hit
    assert not next(condition.measure(Observed(good, inputs=[good]), {})).hit


@pytest.mark.parametrize(
    ("message", "what"),
    [
        (wire.Watchpoint(condition="tensor_overflows"), "no condition 'tensor_overflows'"),
        (wire.Watchpoint(condition="weight_too_large"), "at least one of abs_mean_gt"),
        (wire.Watchpoint(condition="tensor_all_zero", settings=[wire.Setting(name="zeros")]), "no setting 'zeros'"),
        (
            wire.Watchpoint(
                condition="tensor_all_zero",
                settings=[wire.Setting(name="zero_percentage_ge", value=math.nan, enabled=True)],
            ),
            "needs a number",
        ),
        (wire.Watchpoint(condition="weight_overflow", targets=wire.Targets(nodes=["nowhere"])), "is a weight"),
        (
            wire.Watchpoint(
                condition="tensor_range", settings=[wire.Setting(name="range_percentage_lt", value=1, enabled=True)]
            ),
            "both ends",
        ),
        (wire.Watchpoint(condition="expression", expression="abs_max > 1"), "choose target nodes"),
        (wire.Watchpoint(condition="expression", expression='max("nowhere*") > 1'), "no node's name matches"),
        (wire.Watchpoint(condition="expression", expression="max >"), "not the end"),
    ],
)
def test_a_watchpoint_that_makes_no_sense_is_refused_and_the_others_stay(message: wire.Watchpoint, what: str) -> None:
    step = training()
    watch = watchpoints_of(step, nodes_of(step, batch()))
    good = wire.Watchpoint(id=1, condition="weight_overflow", enabled=True)
    watch.set([good])
    message.id = 7
    with pytest.raises(WatchError, match=what) as raised:
        watch.set([good, message])
    assert raised.value.watchpoint == 7
    assert [item.watchpoint.id for item in watch.watching().watched] == [1]


def value(text: str, step: int = 5, loss: float = 2.0, array: Any = (3.0, -4.0), **others: Any) -> bool:
    """Whether an expression holds."""
    found = statistics_of(np.array(array, np.float32))
    by_pattern = {name: [statistics_of(np.array(item, np.float32)) for item in items] for name, items in others.items()}
    return Expression(text)(Moment(step, loss, 0.1, found, "x", lambda pattern: iter(by_pattern.get(pattern, ()))))


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("abs_max > 3.5 and step > 4", True),
        ("abs_max > 3.5 and step > 5", False),
        ("min < -3 or max > 10", True),
        ("not (step == 5)", False),
        ("not not step == 5", True),
        ("2 + 3 * 4 - 6 / 2 == 11", True),
        ("-(-step) == 5", True),
        ("abs(min) == 4 and sqrt(l2 * l2) == 5", True),
        ("log10(1000) == 3", True),
        ("1 / 0 > 1e30", True),
        ("isnan(0 / 0)", True),
        ("0 / 0 > 1", False),
        ("loss > 1.5 and lr < .2", True),
        ('max("w") > 9', True),
        ('min("w") < -1', True),
        ('mean("nothing") > 0', False),
        ("step", True),
    ],
)
def test_expressions_mean_what_they_say(text: str, wanted: bool) -> None:
    assert value(text, w=[[10.0, 1.0], [-2.0, 3.0]]) == wanted


def test_averages_and_what_was_before() -> None:
    spike, rising = Expression("loss > 3 * ema(loss, 10)"), Expression("prev(loss) < loss")
    held = []
    for step, loss in enumerate([1.0, 1.1, 0.9, 1.0, 8.0, 1.0], 1):
        moment = Moment(step, loss, 0.1, None, "", lambda _: iter(()))
        held.append((spike(moment), rising(moment)))
    assert [one for one, _ in held] == [False, False, False, False, True, False]
    assert [other for _, other in held] == [False, True, False, True, True, False]


@pytest.mark.parametrize(
    ("text", "what", "at"),
    [
        ("abs_max >> 3", "not '>'", 9),
        ("abs_maxx > 3", "no 'abs_maxx'", 0),
        ("(step > 3", "is expected, not the end", 9),
        ("step > 3)", "not expected here", 8),
        ("__import__('os')", "no function '__import__'", 0),
        ("loss.real > 1", "is not expected here", 4),
        ("max(loss) > 1", "pattern in quotes", 0),
        ("ema(loss, loss) > 1", "number of steps", 10),
        ("step > 3 step", "not expected here", 9),
        ("", "not the end", 0),
        ("(" * 60 + "1" + ")" * 60, "brackets are nested", 40),
        ("lambda: 1", "is not expected here", 6),
        ("[1][0]", "is not expected here", 0),
    ],
)
def test_what_is_no_expression_is_refused_with_its_place(text: str, what: str, at: int) -> None:
    with pytest.raises(WatchError, match=what) as raised:
        Expression(text)
    assert raised.value.at == at


@given(st.text(alphabet="abcmnx_ ()<>=!+-*/,.\"'0123456789eE[]{}@:;&|%\\", max_size=40))
def test_any_text_is_an_expression_or_refused(text: str) -> None:
    try:
        made = Expression(text)
    except WatchError as error:
        assert 0 <= error.at <= len(text)  # noqa: PT017
        return
    made(Moment(1, math.nan, math.nan, None, "", lambda _: iter(())))


def run(watch: Watchpoints, step: Any, number: int, rows: Any) -> list[wire.Hit]:
    """A step with watchpoints, as the session runs it."""
    hits: list[wire.Hit] = []
    needs = watch.needs()
    watch.begin_step(number)
    if needs.names is None:
        loss = step(*rows)
    else:
        with watching(lambda execution: hits.extend(watch.see(execution)), needs.names):
            loss = step(*rows)
    return hits + watch.end_step(number, float(loss.asnumpy()))


@pytest.mark.parametrize("mode", ["graph", "pynative"])
def test_only_what_is_armed_is_observed_and_hits_say_what_was_measured(mode: str) -> None:
    set_mode(mode)
    step = training()
    nodes = nodes_of(step, batch())
    watch = watchpoints_of(step, nodes)
    assert not watch.needs().is_armed
    on_relu = wire.Watchpoint(
        id=3, condition="tensor_too_large", enabled=True, targets=wire.Targets(patterns=["*/relu-ReLU/ReLU-op0"]),
        settings=[wire.Setting(name="max_gt", value=0.5, enabled=True)],
    )  # fmt: skip
    watch.set([on_relu])
    needs = watch.needs()
    assert needs.names is not None
    assert [name.rpartition("/")[2] for name in needs.names] == ["ReLU-op0"]
    (hit,) = run(watch, step, 1, batch())
    x, _ = batch()
    fresh = training().parameters_dict()
    made = np.maximum(x.asnumpy() @ fresh["first.weight"].asnumpy().T + fresh["first.bias"].asnumpy(), 0)
    np.testing.assert_allclose(hit.measured[0].actual, made.max(), rtol=1e-5)
    assert (hit.measured[0].name, hit.measured[0].set, hit.measured[0].hit) == ("max_gt", 0.5, True)
    assert hit.line.line > 0
    watched = watch.watching().watched[0]
    assert (watched.steps, watched.checks, watched.hits, watched.last_hit_step) == (1, 1, 1, 1)


def test_what_several_look_at_costs_once() -> None:
    step = training()
    nodes = nodes_of(step, batch())

    def estimates(*conditions: str) -> list[float]:
        watch = watchpoints_of(step, nodes)
        watch.cost.step_seconds = 1.0
        watch.set([wire.Watchpoint(id=n, condition=one, enabled=True) for n, one in enumerate(conditions, 1)])
        return [item.cost for item in watch.watching().watched]

    (overflow,), (change,) = estimates("weight_overflow"), estimates("weight_change_too_large")
    assert overflow > 0
    np.testing.assert_allclose(change, 2 * overflow)
    both = estimates("weight_overflow", "weight_change_too_large")
    np.testing.assert_allclose(both, [overflow, overflow])
    assert estimates("weight_initialization") == [0.0]
    assert all(math.isnan(item.cost) for item in watchpoints_of(step, nodes).recommended())


def test_what_is_not_wanted_is_left_out_of_the_estimates() -> None:
    step = training()
    watch = watchpoints_of(step, nodes_of(step, batch()))
    assert all(math.isnan(item.cost) for item in watch.recommended([1]))
    watch.cost.step_seconds = 1.0
    every = {item.watchpoint.condition: item for item in watch.recommended()}
    # Both look at the gradients, and at nothing else.
    vanishing, exploding = every["gradient_vanishing"], every["gradient_exploding"]
    assert vanishing.cost == exploding.cost > 0
    without = {item.watchpoint.id: item.cost for item in watch.recommended([vanishing.watchpoint.id])}
    np.testing.assert_allclose(without[exploding.watchpoint.id], 2 * exploding.cost)
    assert without[vanishing.watchpoint.id] == pytest.approx(0.0, abs=1e-15), "the pass is made anyway"
    others = set(without) - {vanishing.watchpoint.id, exploding.watchpoint.id}
    assert all(without[item.watchpoint.id] == item.cost for item in every.values() if item.watchpoint.id in others)
    alone = watch.recommended([item.watchpoint.id for item in every.values() if item is not exploding])
    (cost,) = [item.cost for item in alone if item.watchpoint.id == exploding.watchpoint.id]
    np.testing.assert_allclose(cost, 2 * exploding.cost)


def test_counts_go_on_where_a_watchpoint_looks_at_the_same() -> None:
    step = training()
    watch = watchpoints_of(step, nodes_of(step, batch()))
    always = wire.Watchpoint(id=1, condition="expression", expression="step > 0", enabled=True)
    watch.set([always])
    assert len(run(watch, step, 1, batch())) == 1
    always.log_only = True
    watch.set([always])
    assert watch.watching().watched[0].hits == 1
    always.expression = "step > 1"
    watch.set([always])
    assert watch.watching().watched[0].hits == 0


@pytest.mark.parametrize("mode", ["graph", "pynative"])
def test_a_hit_that_goes_on_is_told_once_and_counted(mode: str) -> None:
    set_mode(mode)
    step = training()
    watch = watchpoints_of(step, nodes_of(step, batch()))
    large = wire.Watchpoint(
        id=1, condition="weight_too_large", enabled=True, targets=wire.Targets(nodes=["first.weight"]),
        settings=[wire.Setting(name="max_gt", value=0.0, enabled=True)],
    )  # fmt: skip
    odd = wire.Watchpoint(id=2, condition="expression", expression="step != 3", enabled=True)
    watch.set([large, odd])
    told = [[hit.watchpoint for hit in run(watch, step, number, batch(number))] for number in range(1, 6)]
    assert told == [[1, 2], [], [], [2], []]
    assert [item.hits for item in watch.watching().watched] == [5, 4]


def test_expressions_about_patterns_see_the_whole_step() -> None:
    step = training()
    watch = watchpoints_of(step, nodes_of(step, batch()))
    text = 'abs_max("*.weight") > 0 and max("*/relu-ReLU/*") > 0 and loss > 0'
    watch.set([wire.Watchpoint(id=1, condition="expression", expression=text, enabled=True)])
    (hit,) = run(watch, step, 1, batch())
    assert hit.advice == "expression"


@pytest.mark.parametrize("mode", ["graph", "pynative"])
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kind", SHOWN_BY_WATCHPOINTS)
def test_the_recommended_set_names_what_was_planted(kind: str, seed: int, mode: str) -> None:
    set_mode(mode)
    planted = plant(kind, seed)
    watch = watchpoints_of(planted.training, nodes_of(planted.training, planted.batches[0]))
    offered = watch.recommended()
    watch.set([item.watchpoint for item in offered])
    found = set()
    for number, rows in enumerate(planted.batches[:4], 1):
        found |= {hit.tensor.full_name for hit in run(watch, planted.training, number, rows)}
    assert any(culprit in name for culprit in planted.culprits for name in found)


def test_a_good_training_is_left_alone_by_the_recommended_set() -> None:
    step = training()
    watch = watchpoints_of(step, nodes_of(step, batch()))
    watch.set([item.watchpoint for item in watch.recommended()])
    assert [hit for number in range(1, 6) for hit in run(watch, step, number, batch(number, 40))] == []


@pytest.mark.parametrize("mode", ["graph", "pynative"])
def test_what_is_paused_is_looked_at_again(mode: str) -> None:
    set_mode(mode)
    step = training()
    nodes = nodes_of(step, batch())
    watch = watchpoints_of(step, nodes)
    _, recording = runner_of(step, nodes).record(1, batch())
    watch.set(
        [
            wire.Watchpoint(
                id=1,
                condition="tensor_too_large",
                enabled=True,
                settings=[wire.Setting(name="max_gt", value=0.0, enabled=True)],
            )
        ]
    )
    hits = watch.recheck(recording)
    assert len(hits) > 5
    assert watch.watching().watched[0].hits == 0
