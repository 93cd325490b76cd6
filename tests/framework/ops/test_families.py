"""The operators of a family stand in one file: class, functional form and gradient."""

import importlib
import inspect
import pkgutil
from typing import Any

import pytest

from framework import ops
from framework.ops import bprop
from framework.ops import functional as F  # noqa: N812
from framework.ops import operations as P  # noqa: N812
from framework.ops.gradients import bprop_getters, gradient
from framework.ops.primitive import Primitive

FACES = ("framework.ops.operations", "framework.ops.functional", "framework.ops.bprop")


def apart() -> dict[str, set[str]]:
    """Operators whose gradient is in another file, by the module of the operator."""
    found: dict[str, set[str]] = {}
    for kind, module in bprop_getters.modules().items():
        if kind.__module__.startswith("framework.") and kind.__module__ != module:
            found.setdefault(kind.__module__, set()).add(kind.__name__)
    return found


def test_an_operator_and_its_gradient_stand_in_one_file() -> None:
    assert apart() == {}


def test_an_operator_and_its_functional_form_stand_in_one_file() -> None:
    for name in F.__all__:
        item: Any = getattr(F, name)
        module = type(item).__module__
        if isinstance(item, Primitive):
            home = importlib.import_module(module)
            assert getattr(home, name) is item, f"{name} is not in {module}"


def test_faces_define_nothing() -> None:
    homes = {
        item.__module__
        for face in (P, F)
        for item in vars(face).values()
        if inspect.isclass(item) or inspect.isfunction(item)
    }
    assert homes & set(FACES) == set()
    assert [module.name for face in (P, F, bprop) for module in pkgutil.iter_modules(face.__path__)] == []


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
        ("operations.array", "Reshape"),
        ("operations.updates", "ApplyFtrl"),
        ("functional.picking", "where"),
        ("functional.primitives", "reshape"),
        ("bprop.registry", "bprop_getters"),
        ("bprop.scattering", "bprop_getters"),
    ],
)
def test_modules_that_moved_are_found_under_their_old_path(path: str, name: str) -> None:
    assert getattr(importlib.import_module(f"framework.ops.{path}"), name) is getattr(ops, name)


@pytest.mark.parametrize("face", [P, F])
def test_a_face_offers_a_name_once(face: Any) -> None:
    assert len(face.__all__) == len(set(face.__all__))
    assert all(hasattr(face, name) for name in face.__all__)
