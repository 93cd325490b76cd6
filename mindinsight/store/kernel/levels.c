/* Summarizes blocks of points, or of entries, into entries of the next level.
 *
 * library.py calls it. `mindinsight/store/levels.py` defines an entry and computes it without this file. The two agree
 * bit for bit, because sums are added in numpy's order.
 */

#include <math.h>
#include <stddef.h>
#include <stdint.h>

#define EXPORT __attribute__((visibility("default")))

enum { BLOCK = 64, LANES = 8 };

struct point {
    int64_t step;
    double wall, value;
};

struct level {
    int64_t step_first;
    double wall_first, min, max, sum;
    uint16_t min_at, max_at, finite, nan, pos_inf, neg_inf, step_falls, wall_falls;
};

_Static_assert(sizeof(struct point) == 24 && sizeof(struct level) == 56, "rows have no gaps");

static double sum_of(const double lane[LANES]) {
    return ((lane[0] + lane[1]) + (lane[2] + lane[3])) + ((lane[4] + lane[5]) + (lane[6] + lane[7]));
}

static struct level of_points(const struct point *points, const struct point *before) {
    struct level level = {.step_first = points->step, .wall_first = points->wall, .min = INFINITY, .max = -INFINITY};
    double lane[LANES];
    for (int at = 0; at < BLOCK; at++) {
        const struct point *point = points + at;
        double value = point->value;
        if (before) {
            level.step_falls += !(point->step >= before->step);
            level.wall_falls += !(point->wall >= before->wall);
        }
        before = point;
        if (isfinite(value)) {
            level.finite++;
            if (value < level.min) {
                level.min = value;
                level.min_at = (uint16_t)at;
            }
            if (value > level.max) {
                level.max = value;
                level.max_at = (uint16_t)at;
            }
        } else {
            level.nan += isnan(value) != 0;
            level.pos_inf += value > 0;
            level.neg_inf += value < 0;
            value = 0;
        }
        lane[at % LANES] = at < LANES ? value : lane[at % LANES] + value;
    }
    level.sum = sum_of(lane);
    return level;
}

static struct level of_levels(const struct level *ones) {
    struct level level = {.step_first = ones->step_first, .wall_first = ones->wall_first};
    double lane[LANES];
    int lowest = 0, highest = 0;
    for (int at = 0; at < BLOCK; at++) {
        const struct level *one = ones + at;
        level.finite += one->finite;
        level.nan += one->nan;
        level.pos_inf += one->pos_inf;
        level.neg_inf += one->neg_inf;
        level.step_falls += one->step_falls;
        level.wall_falls += one->wall_falls;
        if (one->min < ones[lowest].min)
            lowest = at;
        if (one->max > ones[highest].max)
            highest = at;
        lane[at % LANES] = at < LANES ? one->sum : lane[at % LANES] + one->sum;
    }
    level.sum = sum_of(lane);
    level.min = ones[lowest].min;
    level.max = ones[highest].max;
    level.min_at = (uint16_t)(lowest * BLOCK + ones[lowest].min_at);
    level.max_at = (uint16_t)(highest * BLOCK + ones[highest].max_at);
    return level;
}

#ifndef SOURCE
#define SOURCE "unknown"
#endif

/* The hash of the source that the library was compiled from. */
EXPORT const char *kernel_source(void) { return "levels.c " SOURCE; }

/* Makes one entry per block of points; `before` is the point before the first block, or NULL. */
EXPORT void summarise(const struct point *points, const struct point *before, int64_t blocks, struct level *entries) {
    for (int64_t block = 0; block < blocks; block++) {
        entries[block] = of_points(points + block * BLOCK, before);
        before = points + block * BLOCK + BLOCK - 1;
    }
}

/* Makes one entry of the next level per block of entries. */
EXPORT void condense(const struct level *ones, int64_t blocks, struct level *entries) {
    for (int64_t block = 0; block < blocks; block++)
        entries[block] = of_levels(ones + block * BLOCK);
}
