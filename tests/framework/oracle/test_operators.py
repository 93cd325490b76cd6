"""Every recorded operator: forward, gradient and second derivative, as real MindSpore computed them."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from framework import grad, jit
from framework.common.tensor import Tensor
from framework.pynative import value_and_gradient
from tests.framework.oracle.cases import DIRECTORY, Call, NotThereError, flat, operators

pytestmark = pytest.mark.skipif(not operators(), reason=f"no recording in {DIRECTORY}: set ORACLE_DIR")

# Outputs that this implementation does not share with the recording, and why.
DIFFERENT = {
    ("StridedSlice", "c5.out0"): "the recording reads behind the tensor's end: its last elements are no elements of x",
    ("TopK", "c3.out1"): "the order of equal values is not fixed",
    ("full", "c0.out0"): "the recording cuts the value to an integer; here the number's type is kept",
}


DOCUMENTED = Path(__file__).parents[3] / "docs/reference"
#: What the pages of operators and of names say that is there.
CLAIMED = {
    name
    for page in ("operators.md", "mindspore.md")
    for name in re.findall(r"^\| `(\w+)`", (DOCUMENTED / page).read_text(), re.MULTILINE)
}


def close(got: Any, wanted: np.ndarray, rtol: float, atol: float, what: str) -> None:
    """Equal in type, shape and, within tolerance, value."""
    array = got.asnumpy() if isinstance(got, Tensor) else np.asarray(got)
    assert array.shape == wanted.shape, what
    np.testing.assert_allclose(array, wanted, rtol=rtol, atol=atol, err_msg=what)


def calls(operator: str) -> list[Call]:
    """The cases that can run here; skips, with the reason, where none can."""
    made, missing = [], set()
    for case in operators()[operator]:
        try:
            made.append(Call(operator, case))
        except NotThereError as error:
            missing.add(str(error))
    claimed = sorted(name for name in missing if name.rpartition(".")[2] in CLAIMED)
    assert not claimed, f"docs/reference claims what is not there: {', '.join(claimed)}"
    if not made:
        pytest.skip(f"not there yet: {', '.join(sorted(missing))}")
    return made


# What graph mode leaves out on purpose.
NOT_COMPILED = {"Range": "the number of elements depends on tensors, which only the run shows"}


@pytest.mark.parametrize("operator", list(operators()))
def test_forward_in_graph_mode(operator: str) -> None:
    call = calls(operator)[0]
    if operator in NOT_COMPILED:
        pytest.skip(NOT_COMPILED[operator])
    out = jit(call.program())(*call.tensors())
    outputs = [out] if str(call.case["structure"]).startswith("python") else flat(out)
    for key, got in zip(call.case["outputs"], call.named(outputs, call.case["outputs"]), strict=True):
        if (operator, key) not in DIFFERENT:
            close(got, call.arrays[key], call.case["rtol"], call.case["atol"], f"{operator} {key}")


@pytest.mark.parametrize("operator", list(operators()))
def test_forward(operator: str) -> None:
    for call in calls(operator):
        case = call.case
        named = call.named(call.run(*call.tensors()), case["outputs"])
        for key, got, dtype in zip(case["outputs"], named, case["out_dtypes"], strict=True):
            what = f"{operator} {case['case']} {key}"
            if (operator, key) in DIFFERENT:
                continue
            close(got, call.arrays[key], case["rtol"], case["atol"], what)
            if isinstance(got, Tensor):
                assert str(got.asnumpy().dtype) == dtype, what
        for key, after in case.get("parameters_after", {}).items():
            close(call.parameters[key], call.arrays[after], case["rtol"], case["atol"], f"{operator} after {key}")
        for name, after in case.get("cell_parameters_after", {}).items():
            close(call.cell_parameters[name], call.arrays[after], case["rtol"], case["atol"], f"{operator} {name}")


def differentiable(operator: str) -> list[Call]:
    """The cases whose recording has gradients."""
    return [c for c in calls(operator) if c.case.get("gradients") or c.case.get("cell_gradients")]


RECORDED_GRADIENTS = [
    name
    for name, cases in operators().items()
    if any(case.get("gradients") or case.get("cell_gradients") for case in cases)
]


@pytest.mark.parametrize("operator", RECORDED_GRADIENTS)
def test_gradient(operator: str) -> None:
    for call in differentiable(operator):
        case = call.case
        wanted = [key for key in case["gradients"] if key in call.keys]
        tensors = call.tensors()
        cotangents = [Tensor(call.arrays[key]) for key in case["cotangents"].values()]
        names = list(case.get("cell_gradients", {}))
        weights = [call.cell_parameters[name] for name in names]

        def named(*given: Tensor, call: Call = call, case: dict[str, Any] = case) -> Any:
            return tuple(call.named(call.run(*given), list(case["cotangents"])))

        positions = [call.keys.index(key) for key in wanted]
        _, by_input, by_weight = value_and_gradient(named, tensors, positions, weights, sens=tuple(cotangents))
        wrong = set(case.get("finite_difference_mismatch", ()))
        for key, got in zip(wanted, by_input, strict=True):
            if key not in wrong:
                recorded = call.arrays[case["gradients"][key]]
                close(got, recorded, case["grad_rtol"], case["grad_atol"], f"{operator} {case['case']} d{key}")
        for name, got in zip(names, by_weight, strict=True):
            recorded = call.arrays[case["cell_gradients"][name]]
            close(got, recorded, case["grad_rtol"], case["grad_atol"], f"{operator} {case['case']} d{name}")


@pytest.mark.parametrize("operator", RECORDED_GRADIENTS)
def test_gradient_in_graph_mode(operator: str) -> None:
    flat_outputs = [c for c in differentiable(operator) if all(s == "tensor" for s in flat(c.case["structure"]))]
    call = next((c for c in flat_outputs if not any(isinstance(s, list) for s in c.case["structure"])), None)
    if call is None or set(call.case.get("finite_difference_mismatch", ())):
        pytest.skip("outputs within outputs, or a recorded gradient that is none")
    case, program = call.case, call.program()
    cotangents = tuple(Tensor(call.arrays[key]) for key in case["cotangents"].values())
    numbers = tuple(int(key.rsplit("out", 1)[1]) for key in case["cotangents"])
    one = case["structure"] == "tensor"

    def total(*tensors: Any) -> Any:
        out = program(*tensors)
        outputs = (out,) if one else out
        result = 0.0
        for number, cotangent in zip(numbers, cotangents):  # noqa: B905 - graph mode parses this form
            result = result + (outputs[number] * cotangent).sum()
        return result

    wanted = [key for key in case["gradients"] if key in call.keys]
    names = list(case.get("cell_gradients", {}))
    weights = [call.cell_parameters[name] for name in names]
    positions = tuple(call.keys.index(key) for key in wanted)
    by_input, by_weight = jit(grad(total, positions, weights))(*call.tensors())
    if len(positions) == 1:
        by_input = (by_input,)
    for key, got in zip(wanted, by_input, strict=True):
        close(got, call.arrays[case["gradients"][key]], case["grad_rtol"], case["grad_atol"], f"{operator} d{key}")
    for name, got in zip(names, by_weight, strict=True):
        recorded = call.arrays[case["cell_gradients"][name]]
        close(got, recorded, case["grad_rtol"], case["grad_atol"], f"{operator} d{name}")


RECORDED_SECOND = [name for name, cases in operators().items() if any(case.get("second") for case in cases)]


@pytest.mark.parametrize("operator", RECORDED_SECOND)
def test_second_derivative(operator: str) -> None:
    for call in differentiable(operator):
        case = call.case
        if not call.second_inputs:
            continue
        directions = case["second"]["directions"]
        by = [call.keys.index(key) for key in directions]
        cotangents = tuple(Tensor(call.arrays[key]) for key in case["cotangents"].values())

        def named(*given: Tensor, call: Call = call, case: dict[str, Any] = case) -> Any:
            return tuple(call.named(call.run(*given), list(case["cotangents"])))

        def directional(
            *given: Tensor,
            named: Any = named,
            call: Call = call,
            by: Any = by,
            ct: Any = cotangents,
            d: Any = directions,
        ) -> Any:
            _, gradients, _ = value_and_gradient(named, given, by, sens=ct)
            products = [(g * Tensor(call.arrays[key])).sum() for g, key in zip(gradients, d.values(), strict=True)]
            return sum(products[1:], products[0])

        positions = [call.keys.index(key) for key in call.second_inputs]
        _, found, _ = value_and_gradient(directional, call.tensors(), positions)
        for key, got in zip(call.second_inputs, found, strict=True):
            recorded = call.arrays[case["second"]["results"][key]]
            close(got, recorded, 1e-3, 1e-4, f"{operator} {case['case']} second d{key}")
