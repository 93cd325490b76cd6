"""Following an event file: growth, truncation, damage, replacement, resuming, hostile contents."""

import os
import resource
import struct
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from summaries import DamageReason, EventFileReader, Flavour
from summaries.kinds import KINDS, Kind
from summaries.reading.decode import MAX_DAMAGES
from summaries.records import DamagedRecordError, frame, read_record, read_records
from summaries.rows import PLACE, POINT
from summaries.schema import scan_pb2
from summaries.schema import tensorboard_pb2 as tb

pytestmark = pytest.mark.usefixtures("way")


@pytest.fixture
def path(tmp_path):
    return tmp_path / "events.out.events.summary.1.0.host_MS"


def points(drained) -> list[tuple[str, int, float]]:
    return [(tag, step, value) for tag, step, _, value in drained.points]


def test_columns_have_the_contract_s_types_and_file_order(hand, path):
    values = [hand.scalar("b", 1.0), hand.scalar("a", 2.0), hand.scalar("b", 3.0)]
    path.write_bytes(hand.record(hand.version()) + hand.record(hand.event(7, *values, wall=12.25)))
    batch = EventFileReader(path).read()
    assert batch.tags == ["b", "a"]
    assert [batch.points.dtype, batch.tag.dtype] == [POINT, np.int32]
    assert [batch.places.dtype, batch.place_tag.dtype, batch.place_kind.dtype] == [PLACE, np.int32, np.uint8]
    assert batch.tag.tolist() == [0, 1, 0]
    assert batch.points.tolist() == [(7, 12.25, 1), (7, 12.25, 2), (7, 12.25, 3)]
    assert (len(batch.places), batch.restarts.tolist(), batch.records) == (0, [], 2)
    assert (batch.complete, batch.restarted, batch.damages, batch.writer) == (True, False, [], None)
    assert batch.flavour is Flavour.MINDSPORE
    assert batch.offset == batch.size == batch.bytes_read == path.stat().st_size


@pytest.mark.parametrize("number", [0.0, -0.0, float("nan"), float("inf"), -float("inf"), 1e-45, 3.4e38])
@pytest.mark.parametrize("tensorboard", [False, True])
def test_every_float_is_data(hand, path, number, tensorboard):
    path.write_bytes(hand.record(hand.event(1, hand.scalar("x", number, tensorboard=tensorboard))))
    batch = EventFileReader(path).read()
    assert batch.points["value"].astype("<f4").tobytes() == struct.pack("<f", number)
    assert not batch.notices


@pytest.mark.parametrize("step", [0, -1, (1 << 63) - 1, -(1 << 63)])
def test_every_step_is_data(hand, path, step):
    path.write_bytes(hand.record(hand.event(step, hand.scalar("x", 1))))
    assert EventFileReader(path).read().points["step"].tolist() == [step]


def test_truncated_at_any_byte_nothing_is_lost(hand, path, drain):
    records = hand.file(4, tags=("loss", "accuracy"))
    data = b"".join(records)
    expected = [(tag, step, float(step)) for step in range(4) for tag in ("loss", "accuracy")]
    ends = np.cumsum([len(part) for part in records])
    for cut in range(len(data) + 1):
        path.write_bytes(data[:cut])
        reader = EventFileReader(path)
        first = drain(reader)
        whole = max(0, int((ends <= cut).sum()) - 1)
        assert points(first) == expected[: 2 * whole]
        assert first.last.complete
        assert first.last.offset == (0 if cut < ends[0] else ends[whole])
        path.write_bytes(data)
        rest = drain(reader)
        assert points(first) + points(rest) == expected
        assert not first.damages + rest.damages
        assert not first.restarted
        assert not rest.restarted
        assert reader.tail() is None


def test_growing_byte_by_byte_each_record_appears_with_its_last_byte(hand, path):
    records = hand.file(5)
    ends = set(np.cumsum([len(part) for part in records]).tolist())
    reader = EventFileReader(path)
    steps = []
    with path.open("wb", buffering=0) as file:
        for index, byte in enumerate(b"".join(records)):
            file.write(bytes([byte]))
            batch = reader.read()
            assert batch.damage_count == 0
            assert batch.complete
            grown = index + 1 in ends and index + 1 > len(records[0])
            assert len(batch.points) == (1 if grown else 0)
            steps += batch.points["step"].tolist()
    assert steps == [0, 1, 2, 3, 4]


@given(data=st.data())
@settings(max_examples=150, deadline=None)
def test_a_flipped_byte_costs_one_record_at_most(hand, drain, tmp_path_factory, data):
    path = tmp_path_factory.mktemp("flip") / "file"
    records = hand.file(8)
    starts = [0, *np.cumsum([len(part) for part in records]).tolist()]
    content = bytearray(b"".join(records))
    flips = data.draw(
        st.lists(
            st.tuples(st.integers(0, len(content) - 1), st.integers(1, 255)),
            min_size=1,
            max_size=3,
            unique_by=lambda flip: flip[0],
        )
    )
    for position, mask in flips:
        content[position] ^= mask
    path.write_bytes(content)
    hit = {int(np.searchsorted(starts, position, side="right")) - 1 for position, _ in flips}
    drained = drain(path)
    assert drained.steps == [index - 1 for index in range(1, len(records)) if index not in hit]
    tail = drained.reader.tail()
    found = [*drained.damages, *([tail] if tail else [])]
    for index in hit:
        assert any(d.offset <= starts[index] < d.offset + d.length for d in found), (index, found)
    assert all(int(np.searchsorted(starts, d.offset)) in hit for d in found)


@given(content=st.binary(max_size=400), budget=st.integers(1, 100))
@settings(max_examples=100, deadline=None)
def test_arbitrary_bytes_do_no_harm(hand, drain, tmp_path_factory, content, budget):
    path = tmp_path_factory.mktemp("noise") / "file"
    path.write_bytes(hand.record(hand.event(1, hand.scalar("x", 1))) + content)
    assert drain(path, budget).steps[:1] == [1]


@given(payload=st.binary(max_size=60))
@settings(max_examples=200, deadline=None)
def test_sound_records_with_arbitrary_payloads_do_no_harm(hand, drain, tmp_path_factory, payload):
    path = tmp_path_factory.mktemp("payload") / "file"
    after = hand.record(hand.event(2, hand.scalar("x", 1)))
    path.write_bytes(hand.record(hand.field(5, payload)) + hand.record(payload) + after)
    assert drain(path).steps[-1:] == [2]


def test_a_record_that_is_no_event_is_skipped_and_named(hand, path, drain):
    good = hand.record(hand.event(1, hand.scalar("x", 1)))
    path.write_bytes(good + hand.record(b"\x0a\xff\xff") + good)
    drained = drain(path)
    assert drained.steps == [1, 1]
    (damage,) = drained.damages
    assert (damage.offset, damage.length) == (len(good), 19)
    assert damage.reason is DamageReason.UNPARSABLE


def test_small_budgets_give_the_same_points(hand, path, drain):
    path.write_bytes(b"".join(hand.file(300)))
    assert points(drain(path, 1)) == points(drain(path, 500)) == points(drain(path))


def test_one_call_reads_no_more_than_asked(hand, path):
    path.write_bytes(b"".join(hand.file(3000)))
    reader = EventFileReader(path)
    batch = reader.read(10_000)
    assert not batch.complete
    assert 9_000 < batch.bytes_read <= 10_000
    assert batch.offset == batch.bytes_read


def test_a_reader_resumes_at_a_stored_offset(hand, path, drain):
    records = hand.file(10, tags=("a", "b"))
    path.write_bytes(b"".join(records[:6]))
    offset = drain(path).reader.offset
    path.write_bytes(b"".join(records))
    resumed = drain(EventFileReader(path, offset=offset))
    assert points(resumed) == [(tag, step, float(step)) for step in range(5, 10) for tag in ("a", "b")]
    assert resumed.last.flavour is Flavour.MINDSPORE
    assert not resumed.restarted


@pytest.mark.parametrize("how", ["truncated", "rewritten", "renamed_over"])
def test_a_replaced_file_is_read_anew(hand, path, drain, how):
    path.write_bytes(b"".join(hand.file(10)))
    reader = EventFileReader(path)
    assert len(drain(reader).points) == 10
    longer = how != "truncated"
    other = hand.record(hand.version("MindSpore.Event:1 ")) + b"".join(hand.file(40 if longer else 2)[1:])
    if how == "renamed_over":
        fresh = path.with_suffix(".new")
        fresh.write_bytes(b"".join(hand.file(40)))
        fresh.replace(path)
    else:
        path.write_bytes(other)
    again = drain(reader)
    assert again.restarted
    assert again.steps == list(range(40 if longer else 2))
    assert not again.damages
    assert not drain(reader).restarted


@pytest.mark.parametrize("broken", [False, True])
def test_a_torn_tail_that_is_cut_off_and_written_anew_is_no_replacement(hand, path, drain, broken):
    records = hand.file(6)
    torn = bytearray(hand.record(hand.event(99, *(hand.scalar(f"t{n}", n) for n in range(50))))[:300])
    if broken:
        torn[8] ^= 1
    whole = b"".join(records[:4])
    reader = EventFileReader(path)
    path.write_bytes(whole + torn)
    assert drain(reader).steps == [0, 1, 2]
    path.write_bytes(whole + torn[:5])
    assert drain(reader).steps == []
    path.write_bytes(b"".join(records))
    rest = drain(reader)
    assert rest.steps == [3, 4, 5]
    assert not rest.restarted
    assert not rest.damages


def test_a_torn_tail_may_be_replaced_between_two_looks(hand, path, drain):
    records = hand.file(6)
    torn = hand.record(hand.event(99, *(hand.scalar(f"t{n}", n) for n in range(50))))[:40]
    reader = EventFileReader(path)
    path.write_bytes(b"".join(records[:4]) + torn)
    assert drain(reader).steps == [0, 1, 2]
    path.write_bytes(b"".join(records))
    assert drain(reader).steps == [3, 4, 5]


def test_a_pipe_is_refused_at_once(path):
    os.mkfifo(path)
    with pytest.raises(OSError, match="no regular file"):
        EventFileReader(path).read()


def test_a_stored_offset_behind_the_end_starts_anew(hand, path, drain):
    path.write_bytes(b"".join(hand.file(3)))
    drained = drain(EventFileReader(path, offset=10_000))
    assert drained.restarted
    assert drained.steps == [0, 1, 2]


def test_a_file_that_is_not_there_is_an_error_that_passes(hand, path, drain):
    reader = EventFileReader(path)
    with pytest.raises(FileNotFoundError):
        reader.read()
    path.write_bytes(b"".join(hand.file(2)))
    assert drain(reader).steps == [0, 1]
    path.unlink()
    with pytest.raises(FileNotFoundError):
        reader.read()


def test_an_empty_file_is_complete(path):
    path.touch()
    batch = EventFileReader(path).read()
    assert batch.complete
    assert batch.flavour is Flavour.UNKNOWN
    assert len(batch.points) == 0


def test_an_idle_file_is_not_opened(hand, path, monkeypatch):
    path.write_bytes(b"".join(hand.file(2)))
    reader = EventFileReader(path)
    reader.read()
    monkeypatch.setattr("summaries.reading.reader.EventFileReader._read", None)
    assert reader.read().complete


def test_bad_tags_spoil_only_their_own_values(hand, path, drain):
    bad = [b"", b"\xff\xfe", b"t" * 1025, b"null\0"]
    values = [hand.scalar(tag, 1) for tag in (*bad, b"good", b"t" * 1024, "损失".encode())]
    path.write_bytes(hand.record(hand.event(1, *values)) * 3)
    drained = drain(path)
    assert drained.counts() == {"good": 3, "t" * 1024: 3, "损失": 3}
    assert [damage.reason for damage in drained.damages] == [DamageReason.BAD_TAG] * 4
    text = " ".join(damage.message for damage in drained.damages)
    assert all(part in text for part in ("is empty", "not UTF-8", "1025 bytes", "zero byte"))


def test_tags_beyond_the_limit_are_left_out_and_reported_once(hand, path, drain, monkeypatch):
    monkeypatch.setattr("summaries.reading.tags.MAX_TAGS", 10)
    path.write_bytes(b"".join(hand.record(hand.event(n, hand.scalar(f"t{n % 15}", n))) for n in range(45)))
    drained = drain(path)
    assert len(drained.points) == 30
    assert len(drained.last.tags) == 10
    assert [damage.reason for damage in drained.damages] == [DamageReason.TOO_MANY_TAGS]


def test_too_many_tags_do_no_harm(hand, path, drain):
    def event(first: int) -> bytes:
        values = (b"\x0a\x0c\x0a\x05%05x\x1d\0\0\x80\x3f" % n for n in range(first, first + 125_000))
        return hand.event(1) + hand.field(5, b"".join(values))

    path.write_bytes(b"".join(frame(event(first)) for first in range(0, 250_000, 125_000)))
    drained = drain(path)
    assert len(drained.last.tags) == len(drained.points) == 100_000
    assert [damage.reason for damage in drained.damages] == [DamageReason.TOO_MANY_TAGS]


def test_many_damages_are_counted_but_not_all_listed(hand, path):
    broken = bytearray(hand.record(b""))
    broken[-1] ^= 1
    path.write_bytes(bytes(broken) * (2 * MAX_DAMAGES))
    batch = EventFileReader(path).read()
    assert len(batch.damages) == MAX_DAMAGES
    assert batch.damage_count == 2 * MAX_DAMAGES


def test_deep_nesting_does_no_harm(hand, path, drain):
    deep = b""
    for _ in range(3000):
        deep = hand.field(9, deep)
    groups = b"\x63" * 100_000
    after = hand.record(hand.event(2, hand.scalar("x", 1)))
    nested = hand.event(1, hand.field(1, b"t") + hand.field(8, deep), hand.scalar("x", 1))
    path.write_bytes(frame(nested) + frame(groups) + frame(hand.field(4, deep)) + after)
    drained = drain(path)
    assert drained.steps == [1, 2]
    assert [damage.reason for damage in drained.damages] == [DamageReason.UNPARSABLE]


def test_a_record_of_millions_of_empty_values_does_not_fill_the_memory(hand, path, drain):
    payload = hand.field(5, b"\x0a\x00" * 8_000_000)
    path.write_bytes(frame(payload) + hand.record(hand.event(1, hand.scalar("x", 1))))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    drained = drain(path)
    assert drained.steps == [1]
    assert [damage.reason for damage in drained.damages] == [DamageReason.UNPARSABLE]
    assert "more than 1048576 values" in drained.damages[0].message
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024
    assert grown < 300 << 20


def test_a_large_summary_gives_the_same_as_small_ones(hand, path, drain):
    values = [hand.scalar(f"tag{n % 50}", n) for n in range(120_000)]
    large = hand.event(3, *values)
    assert len(large) > 1 << 20
    broken = hand.field(5, b"".join(hand.field(1, value) for value in values) + b"\x0a\xff")
    path.write_bytes(frame(large) + frame(broken))
    drained = drain(path)
    assert [value for *_, value in drained.points] == list(range(120_000))
    assert set(drained.steps) == {3}
    assert [damage.reason for damage in drained.damages] == [DamageReason.UNPARSABLE]


def write_tensorboard(hand, path, *events: tb.Event, version: str = "brain.Event:2") -> None:
    records = [hand.version(version), *(event.SerializeToString() for event in events)]
    path.write_bytes(b"".join(hand.record(payload) for payload in records))


def tensor_event(step: int, tensor: tb.TensorProto, plugin: str | None, tag: str = "loss") -> tb.Event:
    value = tb.Summary.Value(tag=tag, tensor=tensor)
    if plugin is not None:
        value.metadata.plugin_data.plugin_name = plugin
    return tb.Event(wall_time=1, step=step, summary=tb.Summary(value=[value]))


@pytest.mark.parametrize(
    ("tensor", "expected"),
    [
        (tb.TensorProto(dtype=tb.DT_FLOAT, float_val=[0.5]), 0.5),
        (tb.TensorProto(dtype=tb.DT_FLOAT, tensor_content=struct.pack("<f", 0.25)), 0.25),
        (tb.TensorProto(dtype=tb.DT_FLOAT), 0.0),
        (tb.TensorProto(dtype=tb.DT_DOUBLE, double_val=[0.5]), 0.5),
        (tb.TensorProto(dtype=tb.DT_DOUBLE, double_val=[1e300]), 1e300),
        (tb.TensorProto(dtype=tb.DT_INT32, int_val=[-3]), -3.0),
        (tb.TensorProto(dtype=tb.DT_UINT8, tensor_content=b"\x07"), 7.0),
        (tb.TensorProto(dtype=tb.DT_INT64, int64_val=[(1 << 53) - 1]), float((1 << 53) - 1)),
        (tb.TensorProto(dtype=tb.DT_UINT64, uint64_val=[5]), 5.0),
        (tb.TensorProto(dtype=tb.DT_BOOL, bool_val=[True]), 1.0),
        (tb.TensorProto(dtype=tb.DT_HALF, half_val=[0x3800]), 0.5),
        (tb.TensorProto(dtype=tb.DT_HALF, tensor_content=b"\x00\x38"), 0.5),
        (tb.TensorProto(dtype=tb.DT_BFLOAT16, half_val=[0x3F00]), 0.5),
    ],
)
@pytest.mark.parametrize("plugin", ["scalars", None])
def test_scalars_stored_as_tensors_are_scalars(hand, path, drain, tensor, expected, plugin):
    write_tensorboard(hand, path, tensor_event(1, tensor, plugin), tensor_event(2, tensor, None))
    drained = drain(path)
    assert points(drained) == [("loss", 1, expected), ("loss", 2, expected)]
    assert drained.last.flavour is Flavour.TENSORBOARD


def shaped(*sizes: int) -> tb.TensorShapeProto:
    return tb.TensorShapeProto(dim=[tb.TensorShapeProto.Dim(size=size) for size in sizes])


@pytest.mark.parametrize(
    ("tensor", "plugin", "kind"),
    [
        (tb.TensorProto(dtype=tb.DT_STRING, string_val=[b"hi"]), "text", "text"),
        (tb.TensorProto(dtype=tb.DT_STRING, string_val=[b"hi"]), None, "other"),
        (tb.TensorProto(dtype=tb.DT_STRING, string_val=[b"layout"]), "custom_scalars", "other"),
        (tb.TensorProto(dtype=tb.DT_FLOAT, float_val=[1], tensor_shape=shaped(1)), None, "tensor"),
        (tb.TensorProto(dtype=tb.DT_FLOAT, float_val=[1, 2], tensor_shape=shaped(2)), "scalars", "tensor"),
        (tb.TensorProto(dtype=tb.DT_FLOAT, float_val=[1, 2]), None, "tensor"),
        (tb.TensorProto(dtype=tb.DT_FLOAT, tensor_content=b"123"), None, "tensor"),
        (tb.TensorProto(dtype=tb.DT_FLOAT, float_val=[1]), "hparams", "hparams"),
        (tb.TensorProto(dtype=tb.DT_FLOAT, tensor_shape=shaped(6, 9)), "pr_curves", "pr_curve"),
        (tb.TensorProto(dtype=tb.DT_DOUBLE, tensor_shape=shaped(3, 3)), "histograms", "histogram"),
    ],
)
def test_other_tensors_are_noticed_by_their_kind(hand, path, drain, tensor, plugin, kind):
    write_tensorboard(hand, path, tensor_event(1, tensor, plugin), tensor_event(2, tensor, None))
    drained = drain(path)
    assert drained.points == []
    assert drained.notices == {kind: 2}


def value_at(path, place) -> scan_pb2.Value:
    payload = read_record(path, int(place["offset"]), int(place["length"]))
    return scan_pb2.Value.FromString(payload[place["start"] : place["start"] + place["size"]])


def test_places_say_where_values_stand(hand, path, drain):
    image = hand.field(1, b"picture") + hand.field(4, b"png")
    text = hand.field(1, b"note") + hand.field(1000, b"words")
    records = [hand.version(), hand.event(3, image, hand.scalar("x", 1), text, wall=2.5), hand.event(4, text)]
    path.write_bytes(b"".join(map(hand.record, records)))
    drained = drain(path)
    assert [(tag, kind, int(place["step"])) for tag, kind, place in drained.places] == [
        ("picture", Kind.IMAGE, 3),
        ("note", Kind.TEXT, 3),
        ("note", Kind.TEXT, 4),
    ]
    found = [value_at(path, place) for _, _, place in drained.places]
    assert [value.image or value.text for value in found] == [b"png", b"words", b"words"]
    assert {float(place["wall"]) for _, _, place in drained.places[:2]} == {2.5}
    assert all(place["flags"] == 0 for _, _, place in drained.places)


@pytest.mark.parametrize("padding", [0, 2 << 20])
@pytest.mark.parametrize(
    ("number", "kind"),
    [
        (4, Kind.GRAPH),
        (7, Kind.SESSION),
        (8, Kind.PROFILE),
        (9, Kind.GRAPH),
        (1002, Kind.ENVIRONMENT),
        (1003, Kind.PROFILE),
        (1004, Kind.PASS_GRAPH),
        (1005, Kind.LIVE_EDIT),
    ],
)
def test_fields_of_the_event_have_places_without_a_tag(hand, path, drain, number, kind, padding):
    content = b"content" + bytes(padding)
    event = hand.event(5, hand.scalar("x", 1)) + hand.field(number, content)
    path.write_bytes(frame(hand.version()) + frame(event))
    drained = drain(path)
    assert drained.steps == [5]
    ((tag, found, place),) = drained.places
    assert (tag, found, int(place["step"])) == ("", kind, 5)
    payload = read_record(path, int(place["offset"]), int(place["length"]))
    assert payload[place["start"] : place["start"] + place["size"]] == content
    assert drained.notices == {kind: 1}


def test_a_version_record_may_hold_more(hand, path, drain):
    path.write_bytes(hand.record(hand.version() + hand.field(1002, b"")))
    assert drain(path).notices == {"environment": 1}


def test_groups_and_unknown_fields_do_not_shift_places(hand, path, drain):
    group = b"\x53\x0b" + hand.field(1, b"inner") + b"\x0c\x54"
    note = hand.field(1, b"note") + hand.field(1000, b"words")
    summary = group + hand.field(1, note) + b"\x10\x07" + group + hand.field(1, note)
    path.write_bytes(hand.record(hand.field(5, summary) + group + hand.field(5, hand.field(1, note))))
    drained = drain(path)
    assert len(drained.places) == 3
    assert all(value_at(path, place).text == b"words" for _, _, place in drained.places)


def test_batches_are_taken_apart_by_tag_and_kind(hand, path):
    rng = np.random.default_rng(3)
    numbers = rng.integers(0, 40, 3000)
    kinds = [(4, Kind.IMAGE), (6, Kind.AUDIO)]
    values = []
    for place, number in enumerate(numbers.tolist()):
        tag = f"t{number}"
        if place % 3:
            values.append(hand.event(place, hand.scalar(tag, place)))
        else:
            values.append(hand.event(place, hand.field(1, tag.encode()) + hand.field(kinds[place % 2][0], b"")))
    path.write_bytes(b"".join(map(frame, values)))
    batch = EventFileReader(path).read()
    found = {batch.tags[tag]: points for tag, points in batch.scalars()}
    assert sorted(found) == sorted({f"t{number}" for place, number in enumerate(numbers) if place % 3})
    for tag, points in found.items():
        expected = [place for place, number in enumerate(numbers) if f"t{number}" == tag and place % 3]
        assert points["step"].tolist() == points["value"].tolist() == expected
    others = {(batch.tags[tag], kind): places["step"].tolist() for tag, kind, places in batch.others()}
    assert sum(map(len, others.values())) == 1000
    for (tag, kind), steps in others.items():
        assert steps == [
            place
            for place, number in enumerate(numbers)
            if not place % 3 and f"t{number}" == tag and kinds[place % 2][1] is kind
        ]
    assert batch.place_kind.max() < len(KINDS)


def test_a_session_that_starts_again_is_a_restart(hand, path, drain):
    start = hand.record(hand.field(7, b"\x08\x01"))
    stop = hand.record(hand.field(7, b"\x08\x02"))
    broken = hand.record(hand.field(7, b"\x08"))
    points = [hand.record(hand.event(step, hand.scalar("x", step))) for step in range(6)]
    head = hand.record(hand.version("brain.Event:2"))
    order = [head, start, points[0], stop, points[1], start, points[2], points[3], start, broken, start, points[4]]
    path.write_bytes(b"".join(order))
    assert drain(path).restarts == [2, 4]
    assert drain(path, 1).restarts == [2, 4]
    path.write_bytes(b"".join([*order, start]))
    reader = EventFileReader(path)
    assert drain(reader).restarts == [2, 4]
    with path.open("ab") as file:
        file.write(points[5])
    assert reader.read().restarts.tolist() == [0]


def test_a_segment_that_supersedes_earlier_ones_is_a_restart(hand, path, drain):
    point = hand.record(hand.event(7, hand.scalar("x", 1)))
    path.write_bytes(hand.record(hand.version() + hand.field(1001, b"\x18\x07")) + point + point)
    assert drain(path).restarts == [0]
    path.write_bytes(hand.record(hand.version() + hand.field(1001, hand.field(1, b"id"))) + point + point)
    assert drain(path).restarts == []


def test_a_record_that_changed_is_not_handed_out(hand, path):
    data = bytearray(hand.record(b"payload"))
    path.write_bytes(data)
    assert read_record(path, 0, 7) == b"payload"
    assert list(read_records(path, [(0, 6), (0, 7), (100, 7)])) == [None, b"payload", None]
    for offset, length in [(0, 6), (0, 8), (1, 7), (100, 7)]:
        with pytest.raises(DamagedRecordError, match=path.name):
            read_record(path, offset, length)
    for position in range(len(data)):
        data[position] ^= 1
        path.write_bytes(data)
        with pytest.raises(DamagedRecordError, match="no sound record of 7 bytes at byte 0"):
            read_record(path, 0, 7)
        data[position] ^= 1


def test_a_resumed_reader_is_told_the_kinds(hand, path, drain):
    tensor = tb.TensorProto(dtype=tb.DT_DOUBLE, tensor_shape=shaped(3, 3))
    write_tensorboard(hand, path, tensor_event(1, tensor, "histograms"), tensor_event(2, tensor, None))
    first = EventFileReader(path)
    batch = first.read(150)
    assert [kind for _, kind, _ in batch.others()] == [Kind.HISTOGRAM]
    assert not batch.complete
    kinds = {batch.tags[tag]: kind for tag, kind, _ in batch.others()}
    resumed = drain(EventFileReader(path, offset=first.offset, kinds=kinds))
    assert [(tag, kind) for tag, kind, _ in resumed.places] == [("loss", Kind.HISTOGRAM)]


def test_field_nine_is_a_histogram_in_one_kind_of_file_and_metadata_in_the_other(hand, path, drain):
    value = hand.field(1, b"x") + hand.field(9, b"")
    path.write_bytes(hand.record(hand.version()) + hand.record(hand.event(1, value)))
    assert drain(path).notices == {"histogram": 1}
    path.write_bytes(hand.record(hand.version("brain.Event:2")) + hand.record(hand.event(1, value)))
    assert drain(path).notices == {"other": 1}


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="counts descriptors in /proc")
def test_readers_hold_no_descriptors(hand, path):
    path.write_bytes(b"".join(hand.file(2)))
    before = len(os.listdir("/proc/self/fd"))  # noqa: PTH208
    readers = [EventFileReader(path) for _ in range(20)]
    assert all(reader.read().complete for reader in readers)
    assert len(os.listdir("/proc/self/fd")) == before  # noqa: PTH208
