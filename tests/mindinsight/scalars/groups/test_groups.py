"""Lines, bands and densities of groups, held against plain loops over the definitions in `columns` and
`density`.
"""

from __future__ import annotations

import itertools
import math
import statistics
from bisect import bisect_right
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mindinsight.scalars.curves.looks import Along, Look, SmoothingKind
from mindinsight.scalars.curves.scales import Scale, ScaleKind
from mindinsight.scalars.curves.smoothing import smoothed
from mindinsight.scalars.groups.bands import Band, GroupBand, Line, group_band
from mindinsight.scalars.groups.columns import Grid, cells, values
from mindinsight.scalars.groups.density import Density, density
from mindinsight.scalars.groups.members import Member
from mindinsight.scalars.groups.points import GroupPoints, gather
from mindinsight.scalars.queries import Part
from mindinsight.store import ColumnStore, Rows, Table
from tests.mindinsight.scalars.curves.shapes import Shape, shapes

pytestmark = pytest.mark.usefixtures("both_ways")

NAN = math.nan
Points = list[tuple[float, float]]


# --- the definitions, point by point


@dataclass
class Knot:
    column: int
    x: float
    y: float


def edges_of(grid: Grid) -> list[float]:
    return [grid.low + (grid.high - grid.low) * (k / grid.width) for k in range(1, grid.width)]


def column_of(x: float, grid: Grid) -> int:
    if x < grid.low:
        return -1
    return grid.width if x > grid.high else bisect_right(edges_of(grid), x)


def plain_values(points: Points, grid: Grid) -> list[float]:
    """The value of one member at each column; its points are in order of x."""
    finite = [(x, y) for x, y in points if math.isfinite(x) and math.isfinite(y)]
    inside: dict[int, Points] = {}
    for x, y in finite:
        inside.setdefault(column_of(x, grid), []).append((x, y))
    before, behind = inside.pop(-1, []), inside.pop(grid.width, [])
    knots = [Knot(-1, *before[-1])] if before else []
    for column, here in sorted(inside.items()):
        knots.append(Knot(column, (here[0][0] + here[-1][0]) / 2, math.fsum(y for _, y in here) / len(here)))
    knots += [Knot(grid.width, *behind[0])] if behind else []
    own = {knot.column: knot.y for knot in knots}
    return [own.get(column, carried(knots, grid, column)) for column in range(grid.width)]


def carried(knots: list[Knot], grid: Grid, column: int) -> float:
    x = grid.low + (grid.high - grid.low) * ((column + 0.5) / grid.width)
    for one, other in itertools.pairwise(knots):
        if one.x <= x < other.x:
            return one.y + (other.y - one.y) * (x - one.x) / (other.x - one.x)
    return NAN


def plain_cover(points: Points, grid: Grid) -> list[tuple[float, float] | None]:
    """The lowest and highest place that the line through a member's points passes in each column."""
    finite = [(x, y) for x, y in points if math.isfinite(x) and math.isfinite(y)]
    edges = [grid.low, *edges_of(grid), grid.high]
    found: list[tuple[float, float] | None] = []
    for column in range(grid.width):
        passed = [y for x, y in finite if column_of(x, grid) == column]
        for (x0, y0), (x1, y1) in itertools.pairwise(finite):
            if column_of(x0, grid) == column_of(x1, grid):
                continue
            left, right = max(edges[column], x0), min(edges[column + 1], x1)
            if left <= right and column_of(x0, grid) <= column <= column_of(x1, grid):
                passed += [y0 + (y1 - y0) * (x - x0) / (x1 - x0) for x in (left, right)]
        found.append((min(passed), max(passed)) if passed else None)
    return found


# --- what is looked at


def part_of(series: int, run: int, rows: Rows, segment: int = 0) -> Part:
    if not len(rows):
        return Part(series, run, "y", segment, None, None, None)
    return Part(series, run, "y", segment, int(rows["step"][0]), int(rows["step"][-1]), float(rows["wall"][0]))


def group_of(directory: Path, members: list[list[Rows]], look: Look = Look()) -> GroupPoints:  # noqa: B008
    """The points of members, each of which has its points in one or more series."""
    store = ColumnStore(directory)
    listed = []
    for run, parts in enumerate(members, 1):
        held = [part_of(run * 100 + at, run, rows) for at, rows in enumerate(parts)]
        for part, rows in zip(held, parts, strict=True):
            store.write(Table.POINTS, run, part.series, 0, rows)
        listed.append(Member(tuple(held)))
    return gather(store, listed, look)


def rows_of(points: Points) -> Rows:
    rows = np.zeros(len(points), Table.POINTS.dtype)
    rows["step"], rows["value"] = [x for x, _ in points], [y for _, y in points]
    rows["wall"] = rows["step"] / 10 + 5
    return rows


def points_of(parts: list[Rows], column: str = "step") -> Points:
    """All points of a member in order of x, those that the store would have no place for left out."""
    listed = [(float(x), float(y)) for rows in parts for x, y in zip(rows[column], rows["value"], strict=True)]
    return sorted((point for point in listed if math.isfinite(point[0])), key=lambda point: point[0])


def band_of(group: GroupPoints, grid: Grid, line: Line, band: Band) -> GroupBand:
    return group_band(values(cells(group, grid), group.members, grid), grid.centres, line, band)


few = st.lists(st.lists(shapes(5_000).map(lambda shape: replace(shape, falls=0.0)), min_size=1, max_size=2), max_size=4)


@settings(max_examples=30)
@given(few, st.integers(16, 300), st.data())
def test_each_member_has_the_value_of_the_definition(
    tmp_path_factory: pytest.TempPathFactory, members: list[list[Shape]], width: int, data: st.DataObject
) -> None:
    parts = [_one_after_the_other([shape.rows() for shape in shapes]) for shapes in members]
    group = group_of(tmp_path_factory.mktemp("store"), parts)
    low, high = group.extent() or (0.0, 1.0)
    cut = sorted(data.draw(st.tuples(st.floats(0, 1), st.floats(0, 1))))
    low, high = low + (high - low) * cut[0], low + (high - low) * cut[1]
    grid = Grid(low, high if high > low else low + 1, width)
    found = values(cells(group, grid), group.members, grid)
    assert found.shape == (len(members), width)
    for place, own in enumerate(parts):
        expected = plain_values(points_of(own), grid)
        np.testing.assert_allclose(found[place], expected, rtol=1e-9, atol=1e-9)


def _one_after_the_other(parts: list[Rows]) -> list[Rows]:
    """Files of one segment go on from each other."""
    reach = 0
    for rows in parts:
        if len(rows):
            rows["step"] += reach - rows["step"][0]
            reach = int(rows["step"][-1]) + 1
    return parts


THREE: list[Points] = [
    [(0, 1.0), (10, 3.0)],
    [(0, 2.0), (5, NAN), (10, 8.0)],
    [(5, 6.0)],
]


def test_a_column_without_points_is_carried_between_its_neighbours(tmp_path: Path) -> None:
    group = group_of(tmp_path, [[rows_of(points)] for points in THREE])
    grid = Grid(0, 10, 16)
    found = values(cells(group, grid), 3, grid)
    # Column 8 of 16 begins at 5 and has its middle at 5.3125.
    np.testing.assert_allclose(found[:, 8], [1 + 2 * 0.53125, 2 + 6 * 0.53125, 6.0])
    assert np.isnan(found[2, [0, 7, 9, 15]]).all()


@pytest.mark.parametrize("band", list(Band))
@pytest.mark.parametrize("line", list(Line))
def test_lines_and_bands_are_those_of_the_statistics_module(tmp_path: Path, line: Line, band: Band) -> None:
    chance = np.random.default_rng(3)
    members = [[(step, float(chance.normal())) for step in range(0, 60, every)] for every in (1, 1, 2, 3, 7)]
    members.append([(31, 4.0), (32, 5.0)])
    grid = Grid(0, 59, 20)
    found = band_of(group_of(tmp_path, [[rows_of(points)] for points in members]), grid, line, band)
    at_columns = list(zip(*(plain_values(points, grid) for points in members), strict=True))
    for column, row in enumerate(at_columns):
        here = sorted(value for value in row if math.isfinite(value))
        middle = statistics.fmean(here) if line is Line.MEAN else statistics.median(here)
        assert found.line[column] == pytest.approx(middle)
        assert found.count[column] == len(here)
        low, high = plain_band(here, band)
        np.testing.assert_allclose([found.low[column], found.high[column]], [low, high], rtol=1e-9)


def plain_band(here: list[float], band: Band) -> tuple[float, float]:
    if band is Band.NONE or (len(here) < 2 and band in (Band.STD, Band.SE)):
        return NAN, NAN
    if band is Band.MINMAX:
        return here[0], here[-1]
    if band is Band.QUARTILES:
        quarters = statistics.quantiles(here, n=4, method="inclusive") if len(here) > 1 else [here[0]] * 3
        return quarters[0], quarters[2]
    spread = statistics.stdev(here) / (1 if band is Band.STD else math.sqrt(len(here)))
    return statistics.fmean(here) - spread, statistics.fmean(here) + spread


def test_the_band_of_equal_members_is_their_line(tmp_path: Path) -> None:
    points = [(step, math.sin(step / 7)) for step in range(100)]
    group = group_of(tmp_path, [[rows_of(points)] for _ in range(5)])
    found = band_of(group, Grid(0, 99, 50), Line.MEAN, Band.STD)
    np.testing.assert_allclose(found.low, found.line, atol=1e-12)
    np.testing.assert_allclose(found.high, found.line, atol=1e-12)


def test_large_values_have_a_mean(tmp_path: Path) -> None:
    group = group_of(tmp_path, [[rows_of([(0, 1.7e308), (1, 1.7e308)])] for _ in range(3)])
    found = band_of(group, Grid(0, 1, 16), Line.MEAN, Band.MINMAX)
    np.testing.assert_allclose(found.line, 1.7e308)


def test_steps_that_were_trained_again_count_once(tmp_path: Path) -> None:
    store = ColumnStore(tmp_path)
    old, new = rows_of([(step, 1.0) for step in range(10)]), rows_of([(step, 5.0) for step in range(6, 12)])
    for series, rows in ((1, old), (2, new)):
        store.write(Table.POINTS, 1, series, 0, rows)
    member = Member((part_of(1, 1, old), part_of(2, 1, new, segment=1)))
    for axis, scale in ((Along.STEP, 1.0), (Along.RELATIVE_TIME, 0.1)):
        group = gather(store, [member], Look(axis))
        found = values(cells(group, Grid(0, 11 * scale, 12)), 1, Grid(0, 11 * scale, 12))
        assert found[0].tolist() == [1.0] * 6 + [5.0] * 6


@pytest.mark.parametrize("count", [50, 3_000])
def test_relative_axes_begin_at_each_member_s_first_point(tmp_path: Path, count: int) -> None:
    late = rows_of([(1000 + step, float(step)) for step in range(count)])
    early = rows_of([(step, float(step)) for step in range(count)])
    for axis in (Along.RELATIVE_TIME, Along.RELATIVE_STEP):
        group = group_of(tmp_path / axis, [[late], [early]], Look(axis))
        low, high = group.extent() or (NAN, NAN)
        assert low == pytest.approx(0)
        found = band_of(group, Grid(0, high, 20), Line.MEAN, Band.MINMAX)
        np.testing.assert_allclose(found.low, found.high, atol=1e-6)
        assert (found.count == 2).all()


@pytest.mark.parametrize("count", [60, 3_000])
def test_columns_of_a_logarithmic_axis_are_equal_in_its_own_measure(tmp_path: Path, count: int) -> None:
    group = group_of(tmp_path, [[rows_of([(step, float(step)) for step in range(count)])]])
    low, high = group.extent(above_zero=True) or (NAN, NAN)
    assert (low, high) == (1, count - 1)
    grid = Grid(low, high, 16, Scale(ScaleKind.LOG))
    found = values(cells(group, grid), 1, grid)[0]
    edges = [10 ** (math.log10(high) * k / 16) for k in range(17)]
    for column in range(16):
        here = [step for step in range(1, count) if edges[column] <= step < edges[column + 1] + (column == 15)]
        if here:
            assert found[column] == pytest.approx(statistics.fmean(here))


@pytest.mark.parametrize("count", [400, 3_000])
def test_a_smoothed_group_is_the_group_of_smoothed_members(tmp_path: Path, count: int) -> None:
    rows = Shape(count, seed=4).rows()
    again = rows.copy()
    again["value"] = smoothed(rows, 0.9)["value"]
    look = Look(kind=SmoothingKind.EMA, weight=0.9)
    grid = Grid(0, count, 50)
    np.testing.assert_allclose(
        values(cells(group_of(tmp_path / "a", [[rows]], look), grid), 1, grid),
        values(cells(group_of(tmp_path / "b", [[again]]), grid), 1, grid),
        rtol=1e-9,
    )


# --- densities


@settings(max_examples=30)
@given(few, st.integers(16, 60), st.integers(8, 50))
def test_each_pixel_counts_the_members_that_pass_it(
    tmp_path_factory: pytest.TempPathFactory, members: list[list[Shape]], width: int, height: int
) -> None:
    parts = [
        _one_after_the_other([replace(shape, count=min(shape.count, 60)).rows() for shape in own]) for own in members
    ]
    group = group_of(tmp_path_factory.mktemp("store"), parts)
    low, high = group.extent() or (0.0, 1.0)
    grid = Grid(low, high if high > low else low + 1, width)
    image = density(cells(group, grid), group.members, grid, height)
    pairs = zip(image.counts, plain_counts([points_of(own) for own in parts], grid, image, 1e-9), strict=True)
    for row, (fewest, most) in ((row, pair) for row, pair in pairs):
        assert (np.asarray(fewest) <= row).all()
        assert (row <= np.asarray(most)).all()


def plain_counts(
    members: list[Points], grid: Grid, image: Density, rounding: float
) -> list[tuple[list[int], list[int]]]:
    """For each row from the top: how many members pass each pixel at least and at most, rounding considered."""
    height, width = image.counts.shape
    size = (image.high - image.low) / height
    covers = [plain_cover(points, grid) for points in members]
    rows = []
    for row in range(height):
        bottom = image.high - (row + 1) * size
        counts = []
        for room in (-rounding, rounding):
            slack = room * max(1.0, abs(image.high), abs(image.low))
            passed = [
                [cover is not None and cover[0] < bottom + size + slack and cover[1] >= bottom - slack for cover in own]
                for own in covers
            ]
            counts.append([sum(own[column] for own in passed) for column in range(width)])
        rows.append((counts[0], counts[1]))
    return rows


def test_members_that_run_alike_cover_the_same_pixels(tmp_path: Path) -> None:
    points = [(step, math.sin(step / 9)) for step in range(200)]
    group = group_of(tmp_path, [[rows_of(points)] for _ in range(7)])
    grid = Grid(0, 199, 64)
    image = density(cells(group, grid), 7, grid, 40)
    assert set(np.unique(image.counts)) == {0, 7}
    assert (image.counts > 0).any(axis=0).all()


def test_a_logarithmic_density_has_no_place_for_what_is_not_above_zero(tmp_path: Path) -> None:
    group = group_of(tmp_path, [[rows_of([(0, 1.0), (1, 100.0)])], [rows_of([(0, -1.0), (1, 0.0)])]])
    grid = Grid(0, 1, 16)
    image = density(cells(group, grid), 2, grid, 20, Scale(ScaleKind.LOG), between=(0.0, 2.0))
    assert image.counts.max() == 1
    assert image.counts[-1, 0] == 1
    assert image.counts[0, -1] == 1


def test_a_range_asked_for_is_kept_and_what_lies_outside_is_left_out(tmp_path: Path) -> None:
    group = group_of(tmp_path, [[rows_of([(0, 0.0), (10, 0.0)])], [rows_of([(0, 99.0), (10, 99.0)])]])
    grid = Grid(0, 10, 16)
    image = density(cells(group, grid), 2, grid, 10, between=(-1.0, 1.0))
    assert (image.low, image.high) == (-1.0, 1.0)
    assert image.counts.sum() == 16
    assert image.counts[4].sum() == 16
