"""Slices compared with numpy's own indexing, and messages for invalid slices."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindinsight.tensors.arrays.slicing import (
    Item,
    SliceError,
    index_in_whole,
    parse_slice,
    resolve,
    slice_text,
    taken,
    unflat_index,
)

SHAPE = (4, 5, 6)


def by_text(array: Any, text: str) -> Any:
    return taken(array, resolve(parse_slice(text), array.shape))


@st.composite
def sliced(draw: st.DrawFn) -> tuple[tuple[int, ...], str]:
    """A shape, and a slice that numpy takes for it."""
    shape = tuple(draw(st.lists(st.integers(1, 5), min_size=0, max_size=4)))
    bound = st.none() | st.integers(-7, 7)
    step = st.none() | st.integers(-3, 3).filter(bool)
    entries: list[str] = []
    for size in shape[: draw(st.integers(0, len(shape)))]:
        if draw(st.booleans()):
            entries.append(str(draw(st.integers(-size, size - 1))))
        else:
            start, stop, by = draw(bound), draw(bound), draw(step)
            ends = ["" if end is None else str(end) for end in (start, stop)]
            entries.append(":".join([*ends, str(by)] if by is not None else ends))
    if entries and draw(st.booleans()) and len(entries) == len(shape):
        # `...` stands for any axes in between: here for none at all.
        entries.insert(draw(st.integers(0, len(entries))), "...")
    space = draw(st.sampled_from(["", " "]))
    text = f",{space}".join(entries)
    return shape, f"[{text}]" if draw(st.booleans()) else text


@given(sliced())
def test_a_slice_is_what_numpy_makes_of_it(asked: tuple[tuple[int, ...], str]) -> None:
    shape, text = asked
    array = np.arange(int(np.prod(shape, dtype=int))).reshape(shape)
    bare = text.strip("[]")
    expected = eval(f"array[{bare or '...'}]", {"array": array})  # noqa: S307  (the text is made above)
    items = resolve(parse_slice(text), shape)
    found = taken(array, items)
    np.testing.assert_array_equal(found, expected)
    assert np.shares_memory(found, array) or not found.size
    # The text that is shown means the same, and every element is found again in the whole.
    written = slice_text(items)
    np.testing.assert_array_equal(eval(f"array{written}", {"array": array}), expected)  # noqa: S307
    for number, value in enumerate(found.reshape(-1).tolist()):
        index = unflat_index(number, found.shape)
        assert found[tuple(index)] == value
        assert array[tuple(index_in_whole(items, shape, index))] == value


@pytest.mark.parametrize("text", ["", " ", "[]", "...", "[…]", ":", "[:, ...]", "[..., :]", "[:,:,:]", "[:,]"])
def test_many_texts_mean_everything(text: str) -> None:
    array = np.arange(120).reshape(SHAPE)
    np.testing.assert_array_equal(by_text(array, text), array)


@pytest.mark.parametrize(
    ("text", "reason", "position"),
    [
        ("[,]", "empty", 1),
        ("[:,,1]", "empty", 3),
        ("[None]", "newaxis", 1),
        ("[:, np.newaxis]", "newaxis", 4),
        ("[[1, 2]]", "list", 1),
        ("[(1, 2)]", "list", 1),
        ("[1 2]", "character", 3),
        ("[::0]", "zero_step", 3),
        ("[:::1]", "character", 3),
        ("[1.5]", "character", 1),
        ("[1e3]", "character", 1),
        ("[x]", "character", 1),
        ("[__import__('os')]", "character", 1),
        ("[1:2", "bracket", 4),
        ("1]", "character", 1),
        ("[..., ...]", "ellipsis_twice", 6),
        ("[... 1]", "character", 5),
        ("[0, 0, 0, 0]", "too_many", 10),
        ("[:, 9]", "out_of_range", 4),
        ("[:, -6]", "out_of_range", 4),
        ("[99999999999999999999]", "character", 1),
        ("1" * 1001, "too_long", 1000),
    ],
)
def test_what_is_no_slice_is_refused_at_its_character(text: str, reason: str, position: int) -> None:
    with pytest.raises(SliceError, match=rf"at character {position + 1}\)") as refused:
        resolve(parse_slice(text), SHAPE)
    assert (refused.value.reason, refused.value.position) == (reason, position)


@given(st.text(alphabet="0123456789-+:,.[] …NoneabX(", max_size=30))
def test_any_text_is_a_slice_or_refused_in_words(text: str) -> None:
    try:
        items: tuple[Item, ...] = resolve(parse_slice(text), SHAPE)
    except SliceError as error:
        position = error.position
    else:
        position = 0
        assert len(items) == len(SHAPE)
        taken(np.zeros(SHAPE), items)
    assert 0 <= position <= len(text)
