"""Element types and their promotion, as MindSpore's rules have it."""

import numpy as np
import pytest

import framework as ms
from framework.common import dtype as mstype


@pytest.mark.parametrize(
    ("x", "y", "met"),
    [
        (mstype.int8, mstype.uint8, mstype.int16),
        (mstype.int64, mstype.float16, mstype.float16),
        (mstype.float16, mstype.float32, mstype.float32),
        (mstype.bool_, mstype.int8, mstype.int8),
        (mstype.int32, mstype.int64, mstype.int64),
        (mstype.float64, mstype.complex64, mstype.complex128),
        (mstype.int32, 0.5, mstype.float32),
        (mstype.float16, 0.5, mstype.float16),
        (mstype.float32, 2, mstype.float32),
        (mstype.uint8, 2, mstype.uint8),
        (mstype.bool_, 2, mstype.int64),
        (mstype.int16, True, mstype.int16),
    ],
)
def test_two_types_meet(x: object, y: object, met: mstype.DType) -> None:
    assert mstype.result_type(x, y) is met
    assert mstype.result_type(y, x) is met


def test_no_integer_type_holds_both() -> None:
    with pytest.raises(TypeError, match="UInt64 and Int32; cast one"):
        mstype.promote(mstype.uint64, mstype.int32)


def test_types_stand_for_numpys_and_pythons() -> None:
    assert mstype.of(np.dtype(">f4")) is mstype.float32
    assert mstype.pytype_to_dtype(float) is mstype.float64
    assert mstype.pytype_to_dtype(int) is mstype.int64
    assert mstype.dtype_to_nptype(mstype.float16) == np.float16
    assert mstype.float32() is mstype.float32


def test_strings_are_no_elements() -> None:
    with pytest.raises(TypeError, match="cannot hold elements of type <U1"):
        mstype.of(np.array(["a"]).dtype)


@pytest.mark.parametrize(
    ("python", "value", "kind"),
    [(list, [1], "list_"), (tuple, (1,), "tuple_"), (str, "a", "string"), (type(None), None, "type_none")],
)
def test_kinds_of_values_stand_for_python_types(python: type, value: object, kind: str) -> None:
    """As in MindSpore 2.10."""
    found = getattr(mstype, kind)
    assert getattr(ms, kind) is found
    assert mstype.get_py_obj_dtype(value) is found
    assert mstype.get_py_obj_dtype(python) is found
    assert mstype.dtype_to_pytype(found) is python
    with pytest.raises(KeyError):
        mstype.dtype_to_pytype(mstype.number)
    with pytest.raises(NotImplementedError, match="dict"):
        mstype.get_py_obj_dtype({})
