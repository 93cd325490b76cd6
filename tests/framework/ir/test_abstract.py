from __future__ import annotations

import pytest

from framework.ir.abstract import (
    UNKNOWN,
    Abstract,
    AbstractConst,
    AbstractDict,
    AbstractEnv,
    AbstractFunction,
    AbstractJoinError,
    AbstractScalar,
    AbstractTensor,
    AbstractTuple,
    broaden,
    cotangent,
    join,
    known,
)


class Element:
    """Stands for an element type."""

    def __init__(self, name: str, floating: bool) -> None:
        self.name, self.is_floating_point = name, floating

    def __str__(self) -> str:
        return self.name


F32, I32 = Element("Float32", True), Element("Int32", False)


@pytest.mark.parametrize(
    ("one", "two", "joined"),
    [
        (AbstractScalar(1), AbstractScalar(1), AbstractScalar(1)),
        (AbstractScalar(1), AbstractScalar(2), AbstractScalar(UNKNOWN, int)),
        (AbstractTensor((2, 3), F32), AbstractTensor((4, 3), F32), AbstractTensor((None, 3), F32)),
        (
            AbstractTuple((AbstractScalar(1), AbstractScalar(True))),
            AbstractTuple((AbstractScalar(2), AbstractScalar(True))),
            AbstractTuple((AbstractScalar(UNKNOWN, int), AbstractScalar(True))),
        ),
        (
            AbstractDict(("a",), (AbstractScalar(1.0),)),
            AbstractDict(("a",), (AbstractScalar(2.0),)),
            AbstractDict(("a",), (AbstractScalar(UNKNOWN, float),)),
        ),
        (AbstractConst("x"), AbstractConst("x"), AbstractConst("x")),
    ],
)
def test_join_keeps_what_both_share(one: Abstract, two: Abstract, joined: Abstract) -> None:
    assert join(one, two) == joined
    assert join(two, one) == joined


@pytest.mark.parametrize(
    ("one", "two"),
    [
        (AbstractScalar(1), AbstractScalar(1.0)),
        (AbstractTensor((2,), F32), AbstractTensor((2,), I32)),
        (AbstractTensor((2, 3), F32), AbstractTensor((2, 4), F32)),
        (AbstractTensor((2,), F32), AbstractTensor((), F32)),
        (AbstractTuple((AbstractScalar(1),)), AbstractTuple(())),
        (AbstractTuple(()), AbstractTuple((), is_list=True)),
        (AbstractConst("x"), AbstractConst("y")),
        (AbstractConst(None), AbstractTensor((), F32)),
    ],
)
def test_what_shares_nothing_is_not_joined(one: Abstract, two: Abstract) -> None:
    with pytest.raises(AbstractJoinError):
        join(one, two)


def test_numbers_of_three_types_are_three_values() -> None:
    assert len({AbstractScalar(1), AbstractScalar(1.0), AbstractScalar(True)}) == 3


def test_broaden_forgets_numbers_but_not_objects() -> None:
    given = AbstractTuple((AbstractScalar(1), AbstractConst("x"), AbstractTensor((2,), F32, "the tensor")))
    assert known(given)
    broad = broaden(given)
    assert broad == AbstractTuple((AbstractScalar(UNKNOWN, int), AbstractConst("x"), AbstractTensor((2,), F32)))
    assert not known(broad)


def test_gradients_flow_through_floating_numbers_and_functions() -> None:
    given = AbstractTuple(
        (
            AbstractTensor((2,), F32),
            AbstractTensor((2,), I32),
            AbstractFunction(),
            AbstractScalar(2.0),
            AbstractScalar(2),
        )
    )
    assert cotangent(given) == AbstractTuple(
        (
            AbstractTensor((2,), F32),
            AbstractTensor((2,), I32),
            AbstractEnv(),
            AbstractScalar(UNKNOWN, float),
            AbstractConst(None),
        )
    )


@pytest.mark.parametrize(
    ("abstract", "text"),
    [
        (AbstractTensor((None, 3), F32), "<Tensor[Float32], (?, 3)>"),
        (AbstractTensor((2,), I32), "<Tensor[Int32], (2,)>"),
        (AbstractScalar(1), "<Int64, value=1>"),
        (AbstractTuple((AbstractTensor((), F32), AbstractScalar())), "<Tuple[Tensor[Float32], (), Int64]>"),
        (AbstractDict(("k",), (AbstractConst(None),)), "<Dictionary['k': None]>"),
    ],
)
def test_the_text_names_type_and_shape(abstract: Abstract, text: str) -> None:
    assert str(abstract) == text
