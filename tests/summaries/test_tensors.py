"""Tensors: what MindSpore's reader sees, and that every element type comes back bit for bit."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from summaries.schema.anf_ir_pb2 import DataType
from summaries.schema.summary_pb2 import Event, Summary
from summaries.tensor import check_size, fill_tensor, read_tensor

INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
TYPES = ["bool", *INTEGERS, "float16", "float32", "float64", "complex64", "complex128"]


def stored(array, element=None) -> Summary.Value:
    value = Summary.Value(tag="t")
    fill_tensor(value, array, element or array.dtype.name)
    return Summary.Value.FromString(value.SerializeToString())


@pytest.mark.parametrize("name", TYPES)
@given(data=st.data())
def test_every_type_comes_back_bit_for_bit(name, data):
    array = data.draw(hnp.arrays(name, hnp.array_shapes(min_dims=0, min_side=0, max_side=4)))
    back = read_tensor(stored(array))
    assert back.dtype == array.dtype
    assert back.shape == array.shape
    # A NaN's payload may change where numbers are converted.
    np.testing.assert_array_equal(back, array)
    if name not in ("float16", "float32"):
        assert back.tobytes() == array.tobytes()


@pytest.mark.parametrize("name", [name for name in TYPES if not name.startswith("complex")])
def test_mindspore_s_reader_sees_floats(name):
    value = stored(np.array([[0, 1, 2], [3, 4, 5]]).astype(name))
    assert list(value.tensor.dims) == [2, 3]
    assert value.tensor.data_type == DataType.Value(f"DT_{name.upper()}")
    expected = np.array([0, 1, 2, 3, 4, 5]).astype(name).astype(np.float32)
    assert list(value.tensor.float_data) == expected.tolist()


def test_the_exact_form_is_there_only_where_it_says_more():
    exact = {name for name in TYPES if stored(np.zeros(1, name)).HasField("exact")}
    assert exact == {"int32", "int64", "uint32", "uint64", "float64", "complex64", "complex128"}


def test_numbers_that_32_bits_would_round_are_kept():
    array = np.array([2**53 + 1, -(2**63)])
    assert read_tensor(stored(array)).tolist() == array.tolist()
    assert read_tensor(stored(np.array([1e300, 0.1]))).tolist() == [1e300, 0.1]


def test_bfloat16_is_known_by_its_name():
    value = stored(np.array([1.5], np.float32), "bfloat16")
    assert value.tensor.data_type == DataType.DT_BFLOAT16
    assert read_tensor(value).tolist() == [1.5]


def test_byte_order_and_layout_in_memory_do_not_matter():
    array = np.arange(6, dtype=">i8").reshape(2, 3).T
    assert read_tensor(stored(array, "int64")).tolist() == [[0, 3], [1, 4], [2, 5]]


def test_what_cannot_be_stored_is_refused():
    with pytest.raises(TypeError, match=r"'t'.*float128"):
        check_size("t", np.zeros(1), "float128")
    with pytest.raises(ValueError, match=r"'t'.*bytes"):
        check_size("t", np.broadcast_to(np.float32(0), (1 << 24,)), "float32")
    check_size("t", np.broadcast_to(np.float32(0), ((1 << 24) - 1024,)), "float32")


def test_real_tensors_are_read(real_data, payloads):
    shapes = {}
    for path in (real_data / "mindspore" / "tensors").rglob("*_MS"):
        for payload in payloads(path):
            for value in Event.FromString(payload).summary.value:
                if value.HasField("tensor"):
                    shapes[value.tag] = (read_tensor(value).shape, read_tensor(value).dtype.name)
    assert shapes["logits"] == ((8, 10), "float32")
    assert shapes["labels"] == ((8,), "int32")


def test_a_broken_tensor_is_an_error():
    with pytest.raises(ValueError, match="no tensor"):
        read_tensor(Summary.Value(tag="t"))
    with pytest.raises(ValueError, match="not an element type"):
        read_tensor(Summary.Value(tag="t", tensor={"data_type": DataType.DT_STRING}))
    with pytest.raises(ValueError, match="reshape"):
        read_tensor(Summary.Value(tag="t", tensor={"data_type": DataType.DT_FLOAT32, "dims": [2]}))
