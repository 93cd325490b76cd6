"""What MindSpore's users import besides: module paths, names of arguments, checks of arguments, messages."""

import importlib
import inspect
import json
import logging
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import framework as ms
from framework import Tensor, log, observe, ops
from framework import _checkparam as check
from framework.compat.paths import PATHS
from framework.ops.arguments import inputs_of
from framework.ops.primitive import Primitive

NAMES = json.loads((Path(__file__).parents[2] / "tools" / "mindspore_names.json").read_text())
#: What these functions of MindSpore take besides has no meaning here.
OTHERWISE = {
    "grad", "value_and_grad", "relu", "scatter_nd_add", "scatter_nd_sub", "print_",
}  # fmt: skip


def arguments(function: Any) -> list[str]:
    """The names of a function's arguments."""
    if isinstance(function, Primitive):
        return [item.name for item in inputs_of(type(function))]
    given = inspect.signature(function).parameters.values()
    return [f"*{item.name}" if item.kind is item.VAR_POSITIONAL else item.name for item in given]


def test_functions_take_mindspores_arguments() -> None:
    theirs = {name: given.split() for name, given in NAMES["arguments"].items() if hasattr(ops, name)}
    assert len(theirs) > 240
    ours = {name: arguments(getattr(ops, name)) for name in theirs.keys() - OTHERWISE}
    assert {name: given for name, given in ours.items() if given[: len(theirs[name])] != theirs[name]} == {}


def test_operators_name_as_many_inputs_as_they_have() -> None:
    kinds: list[type[Primitive]] = [Primitive]
    while kinds:
        kind = kinds.pop()
        kinds += kind.__subclasses__()
        if "arguments" in kind.__dict__ and kind.compute is not Primitive.compute:
            assert tuple(item.name for item in inputs_of(kind)) == kind.arguments, kind


def by_name(x: Any, y: Any) -> Any:
    total = ops.add(other=y, input=x)
    grown = ops.expand_dims(input_x=total, axis=0)
    return ops.concat(tensors=(grown, ops.pow(grown, exponent=2)), axis=0), ops.zeros_like(input=y, dtype=ms.int32)


def test_inputs_of_operators_by_name() -> None:
    x, y = Tensor([1.0, 2.0]), Tensor([0.5, 0.5])
    for run in (by_name, ms.jit(by_name)):
        both, zeros = run(x, y)
        assert both.tolist() == [[1.5, 2.5], [2.25, 6.25]]
        assert (zeros.tolist(), zeros.dtype) == ([0, 0], ms.int32)
    weight = ms.Parameter(Tensor([1.0]), name="w")
    assert ops.assign(value=Tensor([3.0]), variable=weight).tolist() == weight.tolist() == [3.0]


def not_there(x: Any) -> Any:
    return ops.add(x, y=x)


def test_inputs_that_an_operator_does_not_have() -> None:
    message = r"Add.__call__\(\) got an unexpected keyword argument 'y'"
    for run in (not_there, ms.jit(not_there)):
        with pytest.raises(TypeError, match=message):
            run(Tensor([1.0]))
    with pytest.raises(TypeError, match=message), observe.watching(lambda execution: None):
        not_there(Tensor([1.0]))


def missing(x: Any) -> Any:
    return ops.add(input=x)


def test_inputs_that_a_call_leaves_out() -> None:
    with pytest.raises(TypeError, match=r"missing .*required .*argument: 'other'"):
        missing(Tensor([1.0]))
    with pytest.raises(TypeError, match=r"Add\(input, other\): missing a required argument: 'other'"):
        ms.jit(missing)(Tensor([1.0]))


def test_paths() -> None:
    for path, home in PATHS.items():
        assert importlib.import_module(f"framework.{path}") is importlib.import_module(f"framework.{home}")
    from framework.common.hook_handle import HookHandle
    from framework.nn.layer.container import CellList

    assert (HookHandle.__name__, CellList) == ("HookHandle", ms.nn.CellList)


def test_options_of_quotients_and_extremes() -> None:
    x = np.array([[7.0, -7.0, 0.26]], np.float32)

    def run(x: Any) -> Any:
        return (
            ops.div(x, 2, rounding_mode="floor"), ops.div(x, 2, rounding_mode="trunc"), ops.round(x, decimals=1),
            ops.amax(x, 1, initial=0.0, where=x < 1), ops.min(x, 1, initial=-9.0)[0], ops.softplus(x, 2, 1),
            ops.strided_slice(x, (0, 0), (1, 2), (1, 1), end_mask=2),
            ops.searchsorted(x[0], x[0], sorter=ops.argsort(x[0])),
            ops.max_pool2d(x[None, None], (1, 2), 1, return_indices=True)[1],
        )  # fmt: skip

    wanted = [
        np.floor(x / 2), np.trunc(x / 2), np.round(x, 1), [0.26], [-9.0],
        np.where(x * 2 > 1, x, np.log1p(np.exp(x * 2)) / 2), x, [2, 0, 1], [[[[0, 2]]]],
    ]  # fmt: skip
    for compiled in (run, ms.jit(run)):
        for got, want in zip(compiled(Tensor(x)), wanted, strict=True):
            np.testing.assert_allclose(got.asnumpy(), want, rtol=1e-5, atol=1e-6)
    with pytest.raises(ValueError, match="rounding_mode must be None, 'floor' or 'trunc', not 'up'"):
        ops.div(Tensor([1.0]), 2, rounding_mode="up")
    with pytest.raises(ValueError, match="with `where` need `initial`"):
        ops.amax(Tensor([1.0]), where=Tensor([True]))


CHECKS: list[tuple[Any, type[Exception], str]] = [
    (lambda: check.check_positive_int(0, "size", "Net"), ValueError, "For 'Net', the 'size' must be int and must"),
    (lambda: check.check_positive_int(True, "size"), TypeError, "The 'size' must be int, but got 'bool'"),
    (lambda: check.check_is_float(float("nan")), ValueError, "The input value must be a finite number"),
    (lambda: check.check_float_range(1.0, 0.0, 1.0, check.INC_LEFT, "p"), ValueError, r"range of \[0.0, 1.0\)"),
    (lambda: check.check_non_negative_int_sequence((1, -1), "pad"), ValueError, r"'pad\[1\]' must be int"),
    (lambda: check.check("rank", 3, "of x", 2, check.LE), ValueError, "should be <= of x: 2, but got 3"),
    (lambda: check.check_string("up", ["valid", "same"], "mode"), ValueError, r"one of \['valid', 'same'\]"),
    (lambda: check.check_value_type("name", 1, [str]), TypeError, "'name' must be of type str, but got 'int'"),
    (lambda: check.check_bool(1, "flag"), TypeError, "'flag' must be bool"),
    (lambda: check.check_subclass("x", ms.int32, [ms.int8], "Net"), TypeError, "one of .'Int8'., but got Int32"),
    (lambda: check.check_type_name("x", ms.int32, [ms.int8], "Net"), TypeError, "one of Int8, but got Int32"),
    (lambda: check.check_str_by_regular("a b"), ValueError, "does not fit the regular expression"),
    (lambda: check.check_isinstance("x", 1, str), ValueError, "must be an instance of"),
]  # fmt: skip


@pytest.mark.parametrize("case", CHECKS, ids=lambda case: case[2])
def test_checks_say_what_is_wrong(case: tuple[Any, type[Exception], str]) -> None:
    run, kind, message = case
    with pytest.raises(kind, match=message):
        run()


def test_checks_return_what_fits() -> None:
    assert check.check_int(3, 2, check.GE, "x") == 3
    assert check.check_int_range(3, 3, 5, check.INC_BOTH) == 3
    assert check.check_subclass("dtype", ms.int32, [ms.int32], None) is ms.int32
    assert check.check_positive_float_sequence((0.5, 2.0)) == (0.5, 2.0)


def test_messages(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logging.getLogger(), "handlers", [])
    (handler,) = (item for item in logging.getLogger("framework").handlers if isinstance(item, logging.StreamHandler))
    before, stream = log.get_level(), handler.setStream(sys.stderr)
    try:
        log.set_level(1)
        log.info("%d steps", 3)
        log.debug("not shown")
        assert log.get_log_config()["GLOG_v"] == "1"
        with pytest.raises(ValueError, match="GLOG_v must be 0"):
            log.set_level("loud")
    finally:
        log.set_level(before)
        handler.setStream(stream)
    shown = capsys.readouterr().err
    assert shown.startswith("[INFO]")
    assert shown.endswith("3 steps\n")
    assert "test_faces.py" in shown


def test_a_dynamic_loss_scale_of_a_user() -> None:
    scaler = ms.amp.DynamicLossScaler(16, 2, 2)
    seen = []
    for finite in (True, True, True, False, True, True):
        scaler.adjust(Tensor(finite))
        seen.append(float(scaler.scale_value))
    assert seen == [16, 32, 32, 16, 16, 32]
    static = ms.amp.StaticLossScaler(8)
    assert static.adjust(Tensor(False)) is False
    assert [item.tolist() for item in static.scale((Tensor([1.0]), Tensor([2.0])))] == [[8.0], [16.0]]
    with pytest.raises(ValueError, match=r"at least 1, not 0\.5"):
        ms.amp.StaticLossScaler(0.5)


def test_data_that_a_step_draws() -> None:
    data = ms.dataset.NumpySlicesDataset({"x": np.arange(5, dtype=np.float32)}, shuffle=False)
    step = ms.data_sink(lambda x: x * 2, data, sink_size=2, jit_config=ms.JitConfig(jit_level="O1"))
    assert [float(step()) for _ in range(4)] == [2.0, 6.0, 0.0, 4.0]
    helper = ms.train.DatasetHelper(data, sink_size=2)
    assert ms.train.connect_network_with_dataset(step, helper) is step
    try:
        assert [[float(x) for (x,) in helper] for _ in range(3)] == [[0.0, 1.0], [2.0, 3.0], [4.0, 0.0]]
    finally:
        helper.release()
    with pytest.raises(ValueError, match="above 0, not 0"):
        ms.data_sink(lambda x: x, data, 0)
