"""Records of scalars: byte for byte those of protobuf, whoever makes them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from summaries.kernel import library
from summaries.schema.summary_pb2 import Event
from summaries.writing.scalar_events import scalar_records

from .both_ways import python_alone
from .conftest import record

tags = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=200)
steps = st.one_of(st.integers(-3, 3), st.integers(-(1 << 63), (1 << 63) - 1))
walls = st.one_of(st.sampled_from([0.0, 1.5, 1.7e9]), st.floats())
values = st.lists(st.tuples(tags, st.floats()), min_size=1, max_size=4).map(tuple)
points = st.lists(st.tuples(steps, walls, values), max_size=30)


@pytest.mark.skipif(library.LIBRARY is None, reason=f"no compiled reader: {library.MISSING}")
@given(points=points)
def test_compiled_records_are_those_of_protobuf(points):
    with python_alone():
        expected = scalar_records(points)
    assert scalar_records(points) == expected


def test_values_of_one_step_and_time_share_an_event(way):
    points = [(3, 1.5, (("loss", 0.25), ("accuracy", 2.0))), (3, 1.5, (("more", -1.0),)), (3, 2.5, (("loss", 1e300),))]
    together, alone = Event(wall_time=1.5, step=3), Event(wall_time=2.5, step=3)
    for tag, value in (("loss", 0.25), ("accuracy", 2.0), ("more", -1.0)):
        together.summary.value.add(tag=tag, scalar_value=value)
    alone.summary.value.add(tag="loss", scalar_value=float("inf"))
    assert scalar_records(points) == [record(event.SerializeToString()) for event in (together, alone)]


def test_nothing_gives_no_record(way):
    assert scalar_records([]) == []
