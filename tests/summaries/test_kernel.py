"""The compiled walker: the same as Python's decoder, batch by batch and bit by bit, and as protobuf's own reading."""

import os
import struct
import subprocess
import sys
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from summaries import EventFileReader, Kind, read_record
from summaries.kernel import library
from summaries.kernel.build import PART
from summaries.kernel.compiling import CompiledPart, NoCompilerError, find_compiler
from summaries.kernel.loading import UnusableError
from summaries.kinds import KINDS
from summaries.reading.grouping import by_group
from summaries.reading.walker import group
from summaries.records import frame
from summaries.rows import PLACE, POINT
from summaries.schema import summary_pb2
from summaries.schema import tensorboard_pb2 as tb

from .both_ways import everything, python_alone, read_both_ways
from .hostile import Hostile, metadata

if library.LIBRARY is None:
    pytest.skip(f"no compiled reader: {library.MISSING}", allow_module_level=True)


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return tmp_path_factory.mktemp("kernel") / "file"


seeds = st.integers(0, (1 << 64) - 1)


@given(seed=seeds, windows=st.lists(st.integers(1, 2000), min_size=1, max_size=4))
@settings(max_examples=3 * settings.default.max_examples)
def test_both_ways_give_the_same_batches_of_whatever_there_is(path, seed, windows):
    path.write_bytes(Hostile(seed).file())
    read_both_ways(path, windows)


@given(seed=seeds)
def test_both_ways_give_the_same_of_a_file_that_grows_and_is_resumed(path, seed):
    content = Hostile(seed).file(damages=0)
    cut = Random(seed).randint(0, len(content))
    path.write_bytes(content[:cut])
    first = read_both_ways(path)[-1]
    grown, again = EventFileReader(path), None
    grown.read()
    with python_alone():
        again = EventFileReader(path)
        again.read()
    with path.open("ab") as file:
        file.write(content[cut:])
    assert everything(grown.read()) == everything(again.read())
    read_both_ways(path, offset=first.offset, kinds={tag: Kind.HISTOGRAM for tag in first.tags if len(tag) % 2})


names = st.sampled_from(["loss", "lr", "损失", "a/b", "t" * 1024])
floats = st.floats(width=32)


@st.composite
def mindspore_events(draw):
    event = summary_pb2.Event(wall_time=draw(st.floats()), step=draw(st.integers(-(1 << 63), (1 << 63) - 1)))
    for name in draw(st.lists(names, max_size=6)):
        value = event.summary.value.add(tag=name)
        kind = draw(st.sampled_from([Kind.SCALAR, Kind.SCALAR, Kind.IMAGE, Kind.TENSOR, Kind.HISTOGRAM, Kind.TEXT]))
        if kind is Kind.SCALAR:
            value.scalar_value = draw(floats)
        elif kind is Kind.IMAGE:
            value.image.encoded_image = draw(st.binary(max_size=200))
        elif kind is Kind.TENSOR:
            value.tensor.float_data.extend(draw(st.lists(floats, max_size=4)))
            if draw(st.booleans()):
                value.exact.content = b"content"
        elif kind is Kind.HISTOGRAM:
            value.histogram.count = draw(st.integers(0, 99))
        else:
            value.text.content = draw(st.text(max_size=9))
    return event


def mindspore_kind(value):
    content = value.WhichOneof("value")
    return {"scalar_value": Kind.SCALAR, None: Kind.TEXT}.get(content) or Kind(content)


def check_against(path, messages, kind_of, number_of):
    """Check points and places, by both ways, against the messages."""
    (batch,) = read_both_ways(path, [1 << 30])
    values = [(event, value) for event in messages for value in event.summary.value]
    numbers = [(event, value) for event, value in values if kind_of(value) is Kind.SCALAR]
    points = [(event.step, event.wall_time, number_of(value)) for event, value in numbers]
    assert batch.points.tobytes() == np.array(points, POINT).tobytes()
    assert [batch.tags[tag] for tag in batch.tag] == [value.tag for _, value in numbers]
    others = [(event, value) for event, value in values if kind_of(value) is not Kind.SCALAR]
    for (event, value), place, tag, kind in zip(others, batch.places, batch.place_tag, batch.place_kind, strict=True):
        assert (batch.tags[tag], KINDS[kind], place["step"]) == (value.tag, kind_of(value), event.step)
        assert place["wall"].tobytes() == struct.pack("<d", event.wall_time)
        payload = read_record(path, int(place["offset"]), int(place["length"]))
        found = payload[place["start"] : place["start"] + place["size"]]
        assert found == value.SerializePartialToString()
    assert (batch.damages, batch.restarts.tolist(), batch.records) == ([], [], len(messages) + 1)


@given(messages=st.lists(mindspore_events(), max_size=8))
def test_mindspore_s_events_are_read_as_protobuf_reads_them(hand, path, messages):
    payloads = [hand.version(), *(event.SerializePartialToString() for event in messages)]
    path.write_bytes(b"".join(map(frame, payloads)))
    check_against(path, messages, mindspore_kind, lambda value: value.scalar_value)


@st.composite
def tensorboard_events(draw):
    event = tb.Event(wall_time=draw(st.floats()), step=draw(st.integers(-(1 << 63), (1 << 63) - 1)))
    event.summary.SetInParent()
    for name in draw(st.lists(st.sampled_from(["loss", "lr", "损失"]), max_size=6)):
        value = event.summary.value.add(tag=name)
        kind = draw(st.sampled_from(["simple", "float", "double", "content", "image"]))
        if kind == "simple":
            value.simple_value = draw(floats)
        elif kind == "float":
            value.tensor.MergeFrom(tb.TensorProto(dtype=tb.DT_FLOAT, float_val=[draw(floats)]))
        elif kind == "double":
            value.tensor.MergeFrom(tb.TensorProto(dtype=tb.DT_DOUBLE, double_val=[draw(st.floats())]))
        elif kind == "content":
            content = struct.pack("<d", draw(st.floats()))
            value.tensor.MergeFrom(tb.TensorProto(dtype=tb.DT_DOUBLE, tensor_content=content))
        else:
            value.image.encoded_image_string = b"png"
        if kind != "image" and draw(st.booleans()):
            value.metadata.plugin_data.plugin_name = "scalars"
    return event


def tensorboard_number(value):
    if value.HasField("simple_value"):
        return value.simple_value
    if value.tensor.tensor_content:
        return struct.unpack("<d", value.tensor.tensor_content)[0]
    return [*value.tensor.float_val, *value.tensor.double_val][0]


@given(messages=st.lists(tensorboard_events(), max_size=8))
def test_tensorboard_s_events_are_read_as_protobuf_reads_them(hand, path, messages):
    payloads = [hand.version("brain.Event:2"), *(event.SerializeToString() for event in messages)]
    path.write_bytes(b"".join(map(frame, payloads)))

    def kind_of(value):
        return Kind.IMAGE if value.HasField("image") else Kind.SCALAR

    check_against(path, messages, kind_of, tensorboard_number)


def test_rows_beyond_the_room_of_one_call_are_kept_too(hand, path):
    image = hand.field(1, b"i") + hand.field(4, b"png")
    events = [hand.event(step, hand.scalar("x", step), image, hand.scalar("y", -step)) for step in range(20_000)]
    large = hand.event(7, *(hand.scalar("x", number) for number in range(50_000)))
    path.write_bytes(
        b"".join(map(frame, [hand.version(), *events, large, *events[:9], events[0] + hand.field(7, b"")]))
    )
    batches = read_both_ways(path, [64 << 20])
    assert sum(len(batch.points) for batch in batches) == 2 * 20_010 + 50_000
    assert sum(len(batch.places) for batch in batches) == 20_011


def test_large_records_are_the_same_too(hand, path):
    scalars = [hand.scalar(f"t{number % 50}", number) for number in range(120_000)]
    picture = hand.field(1, b"picture") + hand.field(4, bytes(3 << 20))
    step = b"\x10\x09"
    payloads = [
        hand.event(1, *scalars[:50], hand.field(1, b"picture") + hand.field(4, b"")),
        hand.event(2, *scalars),
        hand.event(3, picture, scalars[7], picture),
        hand.event(4, picture) + hand.field(1002, b"environment"),
        hand.event(5, picture, *scalars[:9])[:-1],
        hand.event(6, *scalars)[:-1],
        hand.field(5, hand.field(1, scalars[1])) + hand.field(5, hand.field(1, picture) * 2) + step,
    ]
    path.write_bytes(b"".join(map(frame, payloads)))
    found = read_both_ways(path, [1 << 20, 8 << 20])
    assert sum(len(batch.points) for batch in found) == 50 + 120_000 + 1 + 1
    assert sum(len(batch.places) for batch in found) == 1 + 2 + 2 + 2
    assert sum(batch.damage_count for batch in found) == 2


def test_very_many_tags_are_told_apart(hand, path):
    tags = [b"tag/%d" % number for number in np.random.default_rng(5).permutation(20_000)]
    events = [
        hand.event(3, *(hand.scalar(tag, number) for number, tag in enumerate(part, first)))
        for first in range(0, 20_000, 100)
        for part in [tags[first : first + 100]]
    ]
    path.write_bytes(b"".join(map(frame, [*events, *reversed(events)])))
    (batch,) = read_both_ways(path, [64 << 20])
    assert batch.tags == [tag.decode() for tag in tags]
    assert batch.points["value"].tolist() == batch.tag.tolist()


@given(
    tags=st.lists(st.binary(max_size=6) | st.text(max_size=4).map(lambda text: text.encode("utf-8", "surrogatepass")))
)
def test_whatever_the_tags_of_plain_numbers_are(hand, path, tags):
    edges = [b"", b"\0", b"\xed\xa0\x80", b"\xc0\x80", b"\xf4\x90\x80\x80", "\U0010ffff".encode(), b"t" * 1025]
    events = [hand.event(step, hand.scalar(tag, step)) for step, tag in enumerate([*tags, *edges, *tags])]
    path.write_bytes(b"".join(map(frame, events)))
    (batch,) = read_both_ways(path)
    assert "\U0010ffff" in batch.tags


def test_what_was_learned_from_a_record_that_python_takes_is_forgotten(hand, path):
    odd = hand.event(
        1, hand.scalar("new", 1.0), hand.scalar("newer", 2.0), hand.field(1, b"odd") + hand.field(77, b"?")
    )
    plain = [hand.event(step, hand.scalar("newer", step), hand.scalar("old", step)) for step in (2, 3)]
    path.write_bytes(b"".join(map(frame, [hand.event(0, hand.scalar("old", 0.0)), odd, *plain, odd])))
    (batch,) = read_both_ways(path)
    assert batch.tags[:3] == ["old", "new", "newer"]


def test_tags_beyond_the_walker_s_memory_are_read_by_python(hand, path, monkeypatch):
    monkeypatch.setattr("summaries.reading.walker._BYTES_LIMIT", 1000)
    events = [hand.event(step, *(hand.scalar(f"tag number {n}", step + n) for n in range(200))) for step in range(5)]
    path.write_bytes(b"".join(map(frame, events)))
    read_both_ways(path)


@pytest.mark.parametrize(
    "sequence",
    [
        [(1, "scalars"), (9, "histograms"), (400, ""), (20, "text"), (511, "scalars"), (30, "histograms")] * 3,
        [(9, "scalars"), (600, "histograms"), (9, "scalars"), (600, "histograms")],
        [(600, "scalars"), (600, "text"), (9, "images")],
    ],
)
def test_metadata_that_changes_is_followed(hand, path, sequence):
    def event(step: int, size: int, plugin: str) -> bytes:
        tensor = tb.TensorProto(dtype=tb.DT_FLOAT, float_val=[step]).SerializeToString()
        value = hand.field(1, b"x") + hand.field(8, tensor) + hand.field(9, metadata(plugin, b"m" * size))
        return hand.event(step, value)

    events = [event(step, *each) for step, each in enumerate(sequence)]
    path.write_bytes(b"".join(map(frame, [hand.version("brain.Event:2"), *(each for each in events for _ in "123")])))
    (batch,) = read_both_ways(path)
    scalars = [plugin in ("", "scalars") for _, plugin in sequence]
    assert batch.points["step"].tolist() == [step for step, scalar in enumerate(scalars) if scalar for _ in "123"]
    assert len(batch.places) == 3 * len(events) - len(batch.points)


def test_a_replaced_file_is_walked_anew(hand, path):
    path.write_bytes(b"".join(hand.file(9, tags=("a", "b"))))
    reader = EventFileReader(path)
    assert len(reader.read().points) == 18
    path.write_bytes(hand.record(hand.version("brain.Event:2")) + b"".join(hand.file(12, tags=("b", "c"))[1:]))
    batch = reader.read()
    assert batch.restarted
    assert [batch.tags[tag] for tag in batch.tag[:3]] == ["b", "c", "b"]


@pytest.mark.parametrize("tables", [False, True])
def test_checksums_have_the_values_of_their_definition(hand, tables):
    functions = library.LIBRARY
    rng = np.random.default_rng(2)
    functions.use_tables(tables)
    try:
        for size in [*range(40), 1000]:
            data = rng.bytes(size)
            assert functions.check(data, size, hand.masked(data))
            assert not functions.check(data, size, hand.masked(data) ^ 1 << size % 32)
    finally:
        functions.use_tables(0)


@given(data=st.data())
def test_rows_are_grouped_as_by_a_stable_sort(data):
    numbers = np.array(data.draw(st.lists(st.integers(0, data.draw(st.sampled_from([0, 3, 200_000]))))), np.int32)
    rows = np.zeros(len(numbers), data.draw(st.sampled_from([POINT, PLACE])))
    rows["step"] = np.arange(len(rows))
    expected = {n: np.flatnonzero(numbers == n).tolist() for n in sorted(set(numbers.tolist()))}
    found = {number: part["step"].tolist() for number, part in by_group(numbers, rows)}
    with python_alone():
        assert {number: part["step"].tolist() for number, part in by_group(numbers, rows)} == found == expected
    assert list(found) == list(expected)


@pytest.mark.parametrize("numbers", [[0, 1, 3], [0, -1, 2], [0, 1]])
def test_numbers_out_of_range_are_not_grouped(numbers):
    with pytest.raises(ValueError, match=r"0 to 2|2 numbers for 3 rows"):
        group(np.array(numbers, np.int32), np.zeros(3, POINT), 3)


def run(code: str, **environment: str) -> str:
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, env=os.environ | environment, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_the_environment_can_ask_for_python_alone():
    code = "from summaries.kernel import LIBRARY, MISSING; print(LIBRARY is None, MISSING)"
    assert run(code, MINDINSIGHT_KERNEL="0") == "True MINDINSIGHT_KERNEL=0 asks for Python alone"
    assert run(code) == "False"


def test_a_library_of_another_source_is_not_used(tmp_path):
    other = tmp_path / "other.so"
    other.write_bytes(PART.target.read_bytes().replace(PART.mark(), b"walk.c " + b"0" * 32))
    with pytest.raises(UnusableError, match="another version"):
        library.load(other)
    other.write_bytes(b"no library, though it says " + PART.mark())
    with pytest.raises(UnusableError, match="cannot be loaded"):
        library.load(other)
    with pytest.raises(UnusableError, match="not built"):
        library.load(tmp_path / "none.so")


@pytest.fixture
def compiler():
    try:
        return find_compiler()
    except NoCompilerError as error:
        pytest.skip(str(error))


def test_compiling_twice_makes_one_library(tmp_path, compiler):
    target = tmp_path / "walk.so"
    assert not PART.is_built(target)
    PART.build(target)
    assert PART.is_built(target)
    assert library.load(target).kernel_source() == PART.mark()
    assert list(tmp_path.iterdir()) == [target]


def test_the_source_compiles_without_warnings(tmp_path, compiler):
    PART.build(tmp_path / "walk.so", flags=("-Werror", "-Wconversion", "-pedantic"))


@pytest.mark.parametrize(
    ("cc", "path", "said"),
    [("false", os.environ["PATH"], "false"), ("", "", "No C compiler was found (cc"), ("none", "", "$CC (none)")],
)
def test_without_a_compiler_one_line_says_so(tmp_path, monkeypatch, capsys, cc, path, said):
    monkeypatch.setattr(CompiledPart, "target", tmp_path / "walk.so")
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    monkeypatch.setenv("CC", cc)
    monkeypatch.setenv("PATH", path)
    assert PART.main() == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("The compiled reader was not built")
    assert said in line
    assert not list(Path(tmp_path).iterdir())
