/* Finds the points of pixel columns and the extremes of each column; smooths whole series.
 *
 * Called from library.py with the rows of a series and its levels, which lie in memory or in mapped files. The same in
 * numpy, several times slower, is in ../pixels.py, ../cover.py and ../smoothing.py; the tests compare both with loops over
 * all points.
 *
 * The values in levels are trusted, but their indices are not: only points and entries that the caller counted
 * are read.
 */

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#define EXPORT __attribute__((visibility("default")))
#define BLOCK 64

#ifndef SOURCE
#define SOURCE ""
#endif

/* POINT of summaries/rows.py. */
struct point {
    int64_t step;
    double wall, value;
};

/* LEVEL of mindinsight/store/levels.py. */
struct entry {
    int64_t step_first;
    double wall_first, min, max, sum;
    uint16_t min_at, max_at, finite, nan, pos_inf, neg_inf, step_falls, wall_falls;
};

/* A series: its points in order of x, and its levels of 64 and 4096 points. */
struct series {
    const struct point *points;
    int64_t count;
    const struct entry *ones;
    int64_t ones_count;
    const struct entry *twos;
    int64_t twos_count;
};

/* COLUMN of ../columns.py: places are indices of points; -1 for none. */
struct column {
    int64_t low, high, first, last, nan_at, pos_at, neg_at;
    int64_t finite, nan, pos_inf, neg_inf;
    double min, max, sum;
};

/* The hash of the source that the library was compiled from. */
EXPORT const char *pixels_source(void) {
    return "pixels.c " SOURCE;
}

/* ------------------------------------------------------------------------------------------------ search */

/* The distance of prefetching in places: a file's pages are rarely in the processor's cache. */
#define AHEAD 16
#define LINE 64

/* The number of columns that are begun before the first one is ended. */
#define BEGUN 8

/* The number of columns that are searched, read and copied together. */
#define TILE 64

/* The entries that begin before a place say in which points to look: those of the block of the last one of them. */
static int64_t range_begin(int64_t before) {
    return before ? (before - 1) * BLOCK : 0;
}

static int64_t range_end(const struct series *series, int64_t before) {
    return before < series->ones_count ? before * BLOCK : series->count;
}

/* DEFINE_SEARCH makes functions for one type of x.
 *
 * `NAME_entries`: the number of entries that begin before x. `before` is the result for a smaller x.
 * `NAME_guess`: the place in its range if the points there were evenly distributed.
 * `NAME`: for each of `count` places, in any order but fastest in rising order, the index of the first point at or after
 * it. The search starts at the guess with growing strides: the guess is usually right, and distant memory is not touched.
 * `NAME_from`: the same for places after others; `before` is the result for those.
 */
#define DEFINE_SEARCH(NAME, TYPE, X, FIRST)                                                                            \
    static int64_t NAME##_entries(const struct series *series, TYPE x, int64_t before) {                               \
        int64_t stride = 1, end = series->ones_count;                                                                  \
        while (before + stride <= end && series->ones[before + stride - 1].FIRST < x) {                                \
            before += stride;                                                                                          \
            stride *= 2;                                                                                               \
        }                                                                                                              \
        if (before + stride < end)                                                                                     \
            end = before + stride;                                                                                     \
        while (before < end) {                                                                                         \
            int64_t middle = before + (end - before) / 2;                                                              \
            if (series->ones[middle].FIRST < x)                                                                        \
                before = middle + 1;                                                                                   \
            else                                                                                                       \
                end = middle;                                                                                          \
        }                                                                                                              \
        return before;                                                                                                 \
    }                                                                                                                  \
                                                                                                                       \
    static int64_t NAME##_guess(const struct series *series, TYPE x, int64_t before) {                                 \
        int64_t low = range_begin(before), high = range_end(series, before);                                           \
        if (!before || before >= series->ones_count)                                                                   \
            return low + (high - low) / 2;                                                                             \
        double first = (double)series->ones[before - 1].FIRST, next = (double)series->ones[before].FIRST;              \
        double part = ((double)x - first) / (next - first);                                                            \
        return part > 0 && part < 1 ? low + (int64_t)(part * (double)(high - low)) : low;                              \
    }                                                                                                                  \
                                                                                                                       \
    static int64_t NAME##_point(const struct series *series, TYPE x, int64_t before) {                                 \
        int64_t low = range_begin(before), high = range_end(series, before);                                           \
        int64_t at = NAME##_guess(series, x, before);                                                                  \
        for (int64_t stride = 1; at >= low && at < high; stride *= 2)                                                  \
            if (series->points[at].X < x) {                                                                            \
                low = at + 1;                                                                                          \
                at += stride;                                                                                          \
            } else {                                                                                                   \
                high = at;                                                                                             \
                at -= stride;                                                                                          \
            }                                                                                                          \
        while (low < high) {                                                                                           \
            int64_t middle = low + (high - low) / 2;                                                                   \
            if (series->points[middle].X < x)                                                                          \
                low = middle + 1;                                                                                      \
            else                                                                                                       \
                high = middle;                                                                                         \
        }                                                                                                              \
        return low;                                                                                                    \
    }                                                                                                                  \
                                                                                                                       \
    static int64_t NAME##_from(const struct series *series, int64_t before, const TYPE *sought, int64_t count,          \
                               int64_t *found) {                                                                       \
        int64_t last = before;                                                                                         \
        for (int64_t i = 0; i < count; i++) {                                                                          \
            int64_t from = !i ? before : sought[i] >= sought[i - 1] ? found[i - 1] : 0;                                \
            last = found[i] = NAME##_entries(series, sought[i], from);                                                 \
        }                                                                                                              \
        for (int64_t i = 0; i < count && i < AHEAD; i++)                                                               \
            __builtin_prefetch(&series->points[NAME##_guess(series, sought[i], found[i])]);                            \
        for (int64_t i = 0; i < count; i++) {                                                                          \
            if (i + AHEAD < count)                                                                                     \
                __builtin_prefetch(&series->points[NAME##_guess(series, sought[i + AHEAD], found[i + AHEAD])]);        \
            found[i] = NAME##_point(series, sought[i], found[i]);                                                      \
        }                                                                                                              \
        return last;                                                                                                   \
    }                                                                                                                  \
                                                                                                                       \
    EXPORT void NAME(const struct series *series, const TYPE *sought, int64_t count, int64_t *found) {                 \
        NAME##_from(series, 0, sought, count, found);                                                                  \
    }

DEFINE_SEARCH(search_steps, int64_t, step, step_first)
DEFINE_SEARCH(search_walls, double, wall, wall_first)

/* ------------------------------------------------------------------------------------------------ columns */

static void offer_low(struct column *column, double value, int64_t at) {
    if (value < column->min || (value == column->min && at < column->low)) {
        column->min = value;
        column->low = at;
    }
}

static void offer_high(struct column *column, double value, int64_t at) {
    if (value > column->max || (value == column->max && at < column->high)) {
        column->max = value;
        column->high = at;
    }
}

static void offer_first(int64_t *first, int64_t at) {
    if (*first < 0 || at < *first)
        *first = at;
}

static void offer_last(int64_t *last, int64_t at) {
    if (at > *last)
        *last = at;
}

static void take_point(struct column *column, double value, int64_t at) {
    if (isfinite(value)) {
        offer_low(column, value, at);
        offer_high(column, value, at);
        offer_first(&column->first, at);
        offer_last(&column->last, at);
        column->sum += value;
        column->finite++;
    } else if (isnan(value)) {
        offer_first(&column->nan_at, at);
        column->nan++;
    } else if (value > 0) {
        offer_first(&column->pos_at, at);
        column->pos_inf++;
    } else {
        offer_first(&column->neg_at, at);
        column->neg_inf++;
    }
}

/* Whether the block's lowest value is outside these points and would be the column's lowest. */
static bool hides_low(const struct column *column, const struct entry *entry, int64_t begin, int64_t end) {
    int64_t low = begin / BLOCK * BLOCK + entry->min_at;
    return (low < begin || low >= end) && (entry->min < column->min || (entry->min == column->min && begin < column->low));
}

static bool hides_high(const struct column *column, const struct entry *entry, int64_t begin, int64_t end) {
    int64_t high = begin / BLOCK * BLOCK + entry->max_at;
    return (high < begin || high >= end) &&
           (entry->max > column->max || (entry->max == column->max && begin < column->high));
}

/* The lowest of some finite values: four at once and without branches, because a new lowest value is unpredictable. Its
 * first place is only searched for if the value matters. */
static void scan_low(const struct point *points, struct column *column, int64_t begin, int64_t end) {
    double lane[4] = {INFINITY, INFINITY, INFINITY, INFINITY};
    int64_t at = begin;
    for (; at + 4 <= end; at += 4)
        for (int i = 0; i < 4; i++)
            lane[i] = points[at + i].value < lane[i] ? points[at + i].value : lane[i];
    for (; at < end; at++)
        lane[0] = points[at].value < lane[0] ? points[at].value : lane[0];
    for (int i = 1; i < 4; i++)
        lane[0] = lane[i] < lane[0] ? lane[i] : lane[0];
    if (lane[0] > column->min || (lane[0] == column->min && begin > column->low))
        return;
    for (at = begin; points[at].value != lane[0]; at++)
        ;
    offer_low(column, lane[0], at);
}

static void scan_high(const struct point *points, struct column *column, int64_t begin, int64_t end) {
    double lane[4] = {-INFINITY, -INFINITY, -INFINITY, -INFINITY};
    int64_t at = begin;
    for (; at + 4 <= end; at += 4)
        for (int i = 0; i < 4; i++)
            lane[i] = points[at + i].value > lane[i] ? points[at + i].value : lane[i];
    for (; at < end; at++)
        lane[0] = points[at].value > lane[0] ? points[at].value : lane[0];
    for (int i = 1; i < 4; i++)
        lane[0] = lane[i] > lane[0] ? lane[i] : lane[0];
    if (lane[0] < column->max || (lane[0] == column->max && begin > column->high))
        return;
    for (at = begin; points[at].value != lane[0]; at++)
        ;
    offer_high(column, lane[0], at);
}

/* Points of one block that is finite: they are looked at only if the block's extreme lies outside of them and would
 * be the column's. */
static void take_finite_part(const struct series *series, struct column *column, int64_t begin, int64_t end) {
    const struct entry *entry = &series->ones[begin / BLOCK];
    int64_t base = begin / BLOCK * BLOCK, low = base + entry->min_at, high = base + entry->max_at;
    bool lower = hides_low(column, entry, begin, end), higher = hides_high(column, entry, begin, end);
    if (begin <= low && low < end)
        offer_low(column, entry->min, low);
    if (begin <= high && high < end)
        offer_high(column, entry->max, high);
    if (lower)
        scan_low(series->points, column, begin, end);
    if (higher)
        scan_high(series->points, column, begin, end);
    offer_first(&column->first, begin);
    offer_last(&column->last, end - 1);
    column->finite += end - begin;
}

/* Points of one block. */
static void take_part(const struct series *series, struct column *column, int64_t begin, int64_t end, bool sums) {
    int64_t block = begin / BLOCK;
    if (begin == end)
        return;
    if (!sums && block < series->ones_count && series->ones[block].finite == BLOCK)
        take_finite_part(series, column, begin, end);
    else
        for (int64_t at = begin; at < end; at++)
            take_point(column, series->points[at].value, at);
}

static bool is_nan(double value) {
    return isnan(value);
}

static bool is_finite(double value) {
    return isfinite(value);
}

static bool is_pos_inf(double value) {
    return isinf(value) && value > 0;
}

static bool is_neg_inf(double value) {
    return isinf(value) && value < 0;
}

/* The first point of a kind in a block that may have one, unless the column already has an earlier point. */
static void find_first(const struct series *series, int64_t begin, int64_t end, uint16_t count, bool of_kind(double),
                       int64_t *first) {
    if (!count || (*first >= 0 && *first < begin))
        return;
    for (int64_t at = begin; at < end; at++)
        if (of_kind(series->points[at].value)) {
            offer_first(first, at);
            return;
        }
}

static void find_last(const struct series *series, int64_t begin, int64_t end, uint16_t count, int64_t *last) {
    if (!count || *last >= end)
        return;
    for (int64_t at = end - 1; at >= begin; at--)
        if (isfinite(series->points[at].value)) {
            offer_last(last, at);
            return;
        }
}

/* A whole block of `size` points. */
static void take_entry(const struct series *series, struct column *column, const struct entry *entry, int64_t begin,
                       int64_t size) {
    int64_t end = begin + size;
    if (entry->finite) {
        offer_low(column, entry->min, begin + entry->min_at);
        offer_high(column, entry->max, begin + entry->max_at);
    }
    column->sum += entry->sum;
    column->finite += entry->finite;
    if (entry->finite == size) {
        offer_first(&column->first, begin);
        offer_last(&column->last, end - 1);
        return;
    }
    column->nan += entry->nan;
    column->pos_inf += entry->pos_inf;
    column->neg_inf += entry->neg_inf;
    find_first(series, begin, end, entry->finite, is_finite, &column->first);
    find_first(series, begin, end, entry->nan, is_nan, &column->nan_at);
    find_first(series, begin, end, entry->pos_inf, is_pos_inf, &column->pos_at);
    find_first(series, begin, end, entry->neg_inf, is_neg_inf, &column->neg_at);
    find_last(series, begin, end, entry->finite, &column->last);
}

/* Blocks of 64 from number `block` on, while all their values are finite; returns the number of the next block.
 *
 * A new lowest value is unpredictable, and a mispredicted branch costs more than the comparison, so there is no branch. */
static int64_t take_finite_blocks(const struct series *series, struct column *column, int64_t block, int64_t end) {
    int64_t first = block, low = block, high = block;
    double min = INFINITY, max = -INFINITY, sum = 0;
    for (; block < end && series->ones[block].finite == BLOCK; block++) {
        const struct entry *entry = &series->ones[block];
        low = entry->min < min ? block : low;
        min = entry->min < min ? entry->min : min;
        high = entry->max > max ? block : high;
        max = entry->max > max ? entry->max : max;
        sum += entry->sum;
    }
    if (block > first) {
        offer_low(column, min, low * BLOCK + series->ones[low].min_at);
        offer_high(column, max, high * BLOCK + series->ones[high].max_at);
        offer_first(&column->first, first * BLOCK);
        offer_last(&column->last, block * BLOCK - 1);
        column->finite += (block - first) * BLOCK;
        column->sum += sum;
    }
    return block;
}

/* The whole blocks from number `block` to `end`. */
static void take_blocks(const struct series *series, struct column *column, int64_t block, int64_t end) {
    while (block < end) {
        if (block % BLOCK == 0 && block + BLOCK <= end && block / BLOCK < series->twos_count) {
            take_entry(series, column, &series->twos[block / BLOCK], block * BLOCK, BLOCK * BLOCK);
            block += BLOCK;
            continue;
        }
        /* The last possible start of a block of 4096. */
        int64_t next = (block / BLOCK + 1) * BLOCK;
        next = take_finite_blocks(series, column, block, next < end ? next : end);
        if (next == block)
            take_entry(series, column, &series->ones[next++], block * BLOCK, BLOCK);
        block = next;
    }
}

/* The whole blocks between two places, as far as there are entries; none if `block` is not below `behind`. */
struct blocks {
    int64_t block, behind;
};

static struct blocks whole_blocks(const struct series *series, int64_t begin, int64_t end) {
    struct blocks whole = {(begin + BLOCK - 1) / BLOCK, end / BLOCK};
    if (whole.behind > series->ones_count)
        whole.behind = series->ones_count;
    return whole;
}

/* Begins a column with its whole blocks, so that few points at its ends can matter. */
static void begin_column(const struct series *series, struct column *column, int64_t begin, int64_t end) {
    struct blocks whole = whole_blocks(series, begin, end);
    *column = (struct column){-1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, INFINITY, -INFINITY, 0};
    if (whole.block < whole.behind)
        take_blocks(series, column, whole.block, whole.behind);
}

/* Ends a column with the points before and after its whole blocks. */
static void end_column(const struct series *series, struct column *column, int64_t begin, int64_t end, bool sums) {
    struct blocks whole = whole_blocks(series, begin, end);
    if (whole.block < whole.behind) {
        take_part(series, column, begin, whole.block * BLOCK, sums);
        begin = whole.behind * BLOCK;
    }
    for (int64_t next; begin < end; begin = next) {
        next = (begin / BLOCK + 1) * BLOCK;
        take_part(series, column, begin, next < end ? next : end, sums);
    }
}

/* Prefetches the points of one block that `take_part` may read. */
static void ask_for_part(const struct series *series, const struct column *column, int64_t begin, int64_t end) {
    int64_t block = begin / BLOCK;
    if (begin == end)
        return;
    if (block < series->ones_count && series->ones[block].finite == BLOCK &&
        !hides_low(column, &series->ones[block], begin, end) && !hides_high(column, &series->ones[block], begin, end))
        return;
    for (const char *line = (const char *)&series->points[begin]; line < (const char *)&series->points[end]; line += LINE)
        __builtin_prefetch(line);
}

/* Prefetches the points that `end_column` may read. */
static void ask_for_ends(const struct series *series, const struct column *column, int64_t begin, int64_t end) {
    struct blocks whole = whole_blocks(series, begin, end);
    if (whole.block < whole.behind) {
        ask_for_part(series, column, begin, whole.block * BLOCK);
        begin = whole.behind * BLOCK;
    }
    int64_t next = (begin / BLOCK + 1) * BLOCK;
    ask_for_part(series, column, begin, next < end ? next : end);
}

/* Prefetches the memory of a later column. */
static void ask_ahead(const struct series *series, const int64_t *starts, int64_t count, int64_t i) {
    if (i + AHEAD <= count)
        __builtin_prefetch(&series->points[starts[i + AHEAD]]);
}

/* Fills a row for each pixel column.
 *
 * `starts` has the index of each column's first point, and at the end the index after the last point of the last column. */
EXPORT void fill_columns(const struct series *series, const int64_t *starts, int64_t count, struct column *columns) {
    for (int64_t i = 0; i < count; i++) {
        ask_ahead(series, starts, count, i);
        begin_column(series, &columns[i], starts[i], starts[i + 1]);
        end_column(series, &columns[i], starts[i], starts[i + 1], true);
    }
}

/* Inserts a place in order into a column's places, which begin at `from`, unless it is there; returns their end. */
static int64_t put_place(int64_t *places, int64_t from, int64_t end, int64_t place) {
    int64_t at = end;
    if (place < 0)
        return end;
    while (at > from && places[at - 1] >= place)
        at--;
    if (at < end && places[at] == place)
        return end;
    for (int64_t moved = end; moved > at; moved--)
        places[moved] = places[moved - 1];
    places[at] = place;
    return end + 1;
}

/* The places of the extremes in a column whose values are all finite. */
static int64_t put_finite(const struct column *column, int64_t *places, int64_t end) {
    bool falls = column->high < column->low;
    places[end++] = column->first;
    places[end] = falls ? column->high : column->low;
    end += places[end] != places[end - 1];
    places[end] = falls ? column->low : column->high;
    end += places[end] != places[end - 1];
    places[end] = column->last;
    return end + (places[end] != places[end - 1]);
}

static int64_t put_all(const struct column *column, int64_t *places, int64_t end) {
    const int64_t found[] = {column->first,  column->low,    column->high,  column->last,
                             column->nan_at, column->pos_at, column->neg_at};
    const int64_t from = end;
    for (int kind = 0; kind < 7; kind++)
        end = put_place(places, from, end, found[kind]);
    return end;
}

/* Writes the places of the extremes of each column, in order; returns their number, at most seven per column.
 *
 * A column is begun some columns before it is ended. The beginning reads entries only; afterwards the necessary points are
 * known and are prefetched meanwhile. */
static int64_t standing_out(const struct series *series, const int64_t *starts, int64_t count, int64_t *places) {
    struct column begun[BEGUN];
    int64_t end = 0;
    for (int64_t next = 0; next < count + BEGUN; next++) {
        int64_t i = next - BEGUN;
        struct column *column = &begun[next % BEGUN];
        if (i >= 0) {
            end_column(series, column, starts[i], starts[i + 1], false);
            int64_t from = end;
            end = column->finite == starts[i + 1] - starts[i] ? put_finite(column, places, end)
                                                              : put_all(column, places, end);
            /* They will be read soon. */
            for (; from < end; from++)
                __builtin_prefetch(&series->points[places[from]]);
        }
        if (next < count) {
            begin_column(series, column, starts[next], starts[next + 1]);
            ask_for_ends(series, column, starts[next], starts[next + 1]);
        }
    }
    return end;
}

/* Copies the extremes of each column, in order; returns the number of points, at most seven per column.
 *
 * It handles a few columns at a time: each column's points are in separate pages, and entering a page takes longer than
 * reading the points. */
static int64_t show_columns(const struct series *series, const int64_t *starts, int64_t count, struct point *shown) {
    int64_t places[7 * TILE], end = 0;
    for (int64_t first = 0; first < count; first += TILE) {
        int64_t found = standing_out(series, starts + first, count - first < TILE ? count - first : TILE, places);
        for (int64_t i = 0; i < found; i++)
            shown[end++] = series->points[places[i]];
    }
    return end;
}

/* The same with the points on either side of all columns, if there are any. `shown` has space for seven points per column
 * and two more. */
EXPORT int64_t show_points(const struct series *series, const int64_t *starts, int64_t count, struct point *shown) {
    int64_t end = 0;
    if (starts[0] > 0)
        shown[end++] = series->points[starts[0] - 1];
    end += show_columns(series, starts, count, shown + end);
    if (starts[count] < series->count)
        shown[end++] = series->points[starts[count]];
    return end;
}

/* ------------------------------------------------------------------------------------------------ smoothing */

/* Writes the points with smoothed values, as ../smoothing.py describes. `log_weight` is well below 0. */
EXPORT void smooth(const struct point *points, int64_t count, double log_weight, double unit, struct point *smoothed) {
    const double full = exp(log_weight);
    double mean = 0, rest = 1, last = NAN, known_distance = 1, weight = full;
    for (int64_t i = 0; i < count; i++) {
        smoothed[i] = points[i];
        if (!isfinite(points[i].value))
            continue;
        double step = (double)points[i].step, distance = (step - last) / unit;
        last = step;
        /* The first point and one far away count in full. */
        if (!(distance >= 0 && distance < 1))
            distance = 1;
        if (distance != known_distance) {
            known_distance = distance;
            weight = exp(log_weight * distance);
        }
        /* The first point is unchanged: a division by its weight could round it. */
        mean = rest == 1 ? points[i].value : mean + (points[i].value - mean) * (1 - weight) / (1 - rest * weight);
        rest *= weight;
        smoothed[i].value = mean;
    }
}

/* Smooths series that are stored one after another, each up to one of `ends`. ../smoothing.py defines the unit. */
EXPORT void smooth_each(const struct point *points, const int64_t *ends, int64_t count, double log_weight,
                        double units, struct point *smoothed) {
    for (int64_t i = 0, from = 0; i < count; from = ends[i++]) {
        if (from == ends[i])
            continue;
        double unit = ((double)points[ends[i] - 1].step - (double)points[from].step) / units;
        unit = unit > 1 ? pow(2, ceil(4 * log2(unit)) / 4) : 1;
        smooth(points + from, ends[i] - from, log_weight, unit, smoothed + from);
    }
}

#include "windows.h"
#include "frames.h"
#include "members.h"
