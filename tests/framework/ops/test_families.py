"""The operators of a family stand in one file: class, functional form and gradient."""

import importlib
from typing import Any

import pytest

from framework import ops
from framework.ops import functional as F  # noqa: N812
from framework.ops import operations as P  # noqa: N812
from framework.ops.gradients import bprop_getters, gradient
from framework.ops.primitive import Primitive

#: Modules whose operators have their gradients in `framework.ops.bprop`: these are no families yet.
NOT_MOVED = {
    "array",
    "blocks",
    "choosing",
    "convolution",
    "creation",
    "detection",
    "factorizations",
    "gathering",
    "grids",
    "indexing",
    "ordering",
    "padded_sequences",
    "random",
    "resizing",
    "scattering",
    "searching",
    "sequences",
    "slicing",
    "state",
    "volumes",
}
OPERATIONS = "framework.ops.operations."


def apart() -> dict[str, set[str]]:
    """Operators whose gradient stands in another file, by the module of the operator."""
    found: dict[str, set[str]] = {}
    for kind, module in bprop_getters.modules().items():
        if kind.__module__.startswith("framework.") and kind.__module__ != module:
            found.setdefault(kind.__module__, set()).add(kind.__name__)
    return found


def test_an_operator_and_its_gradient_stand_in_one_file() -> None:
    allowed = {OPERATIONS + name for name in NOT_MOVED}
    assert {module: names for module, names in apart().items() if module not in allowed} == {}


def test_the_list_of_modules_that_are_no_families_is_as_short_as_it_can_be() -> None:
    assert {OPERATIONS + name for name in NOT_MOVED} - set(apart()) == set()


def test_an_operator_of_a_family_and_its_functional_form_stand_in_one_package() -> None:
    for name in F.__all__:
        item: Any = getattr(F, name)
        module = type(item).__module__
        if isinstance(item, Primitive) and not module.startswith(OPERATIONS):
            home = importlib.import_module(module)
            assert getattr(home, name) is item, f"{name} is not in {module}"


def test_a_row_is_the_gradient_of_the_classes_that_it_names() -> None:
    kinds = [type(name, (Primitive,), {}) for name in ("First", "Second")]

    @gradient(*kinds)
    def rule(x: Any, out: Any, dout: Any) -> Any:
        return -dout

    assert [bprop_getters.get(kind()) for kind in kinds] == [rule, rule]
    assert [bprop_getters.modules()[kind] for kind in kinds] == [__name__, __name__]
    with pytest.raises(NotImplementedError, match="Third has no backward function"):
        bprop_getters.get(type("Third", (Primitive,), {})())


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("operations.reduce", "ReduceSum"),
        ("operations.mathematics", "Exp"),
        ("functional.reductions", "var"),
        ("functional.arithmetic", "round"),
        ("bprop.registry", "bprop_getters"),
    ],
)
def test_modules_that_moved_are_found_under_their_old_path(path: str, name: str) -> None:
    assert getattr(importlib.import_module(f"framework.ops.{path}"), name) is getattr(ops, name)


@pytest.mark.parametrize("face", [P, F])
def test_a_face_offers_a_name_once(face: Any) -> None:
    assert len(face.__all__) == len(set(face.__all__))
    assert all(hasattr(face, name) for name in face.__all__)
