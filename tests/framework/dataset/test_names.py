"""No public name without a test."""

import re
from pathlib import Path
from types import ModuleType

import pytest

import framework.dataset as ds

TESTS = "\n".join(
    path.read_text() for path in sorted(Path(__file__).parent.rglob("test_*.py")) if path != Path(__file__)
)


OLDER = [ds.vision.c_transforms, ds.vision.py_transforms]


@pytest.mark.parametrize("home", [ds, ds.text, ds.text.utils, ds.transforms, ds.vision, *OLDER])
def test_every_public_name_exists_and_is_tested(home: ModuleType) -> None:
    assert [name for name in home.__all__ if not hasattr(home, name)] == []
    assert [name for name in home.__all__ if not re.search(rf"\b{name}\b", TESTS)] == []


def test_every_method_is_tested() -> None:
    methods = {name for kind in ds.Dataset.__mro__ for name in vars(kind) if not name.startswith("_")} - {"node"}
    assert sorted(name for name in methods if not re.search(rf"\.{name}\b", TESTS)) == []
