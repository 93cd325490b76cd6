/* Smoothing by windows around each point: the mean, and the mean weighted by a bell curve. Included by pixels.c.
 *
 * ../windows.py defines the result and computes the same with numpy. */

#include <stdlib.h>

/* A sum of values with their extremes, which bound the mean in spite of rounding. */
struct heap {
    double sum, min, max;
};

static const struct heap NOTHING = {0, INFINITY, -INFINITY};

static struct heap joined(struct heap one, struct heap other) {
    one.sum += other.sum;
    one.min = other.min < one.min ? other.min : one.min;
    one.max = other.max > one.max ? other.max : one.max;
    return one;
}

static double between(double value, double min, double max) {
    return fmin(fmax(value, min), max);
}

/* Copies the points; puts the finite values and their places in units into `value` and `place`; returns their number. */
static int64_t lay_out(const struct point *points, int64_t count, double unit, struct point *smoothed, double *place,
                       double *value) {
    int64_t found = 0;
    double at = 0, last = NAN;
    for (int64_t i = 0; i < count; i++) {
        smoothed[i] = points[i];
        if (!isfinite(points[i].value))
            continue;
        double step = (double)points[i].step, distance = (step - last) / unit;
        /* A distant point counts as one unit away. */
        at += found ? (distance >= 0 && distance < 1 ? distance : 1) : 0;
        last = step;
        place[found] = at;
        value[found++] = points[i].value;
    }
    return found;
}

/* Replaces the finite values by the smoothed ones. */
static void put_back(struct point *smoothed, int64_t count, const double *value) {
    for (int64_t i = 0; i < count; i++)
        if (isfinite(smoothed[i].value))
            smoothed[i].value = *value++;
}

/* Each sum of a window consists of two halves, so that nothing is ever subtracted: `suffix` has the sum from each point to
 * the middle, `back` the sum of later points. */
static void mean_of_windows(const double *place, const double *value, int64_t count, double reach, struct heap *suffix,
                            double *mean) {
    struct heap back = NOTHING;
    int64_t left = 0, middle = 0, right = 0;
    for (int64_t i = 0; i < count; i++) {
        for (; right < count && place[right] - place[i] <= reach; right++)
            back = joined(back, (struct heap){value[right], value[right], value[right]});
        for (; place[i] - place[left] > reach; left++) {
            if (left < middle)
                continue;
            struct heap all = back = NOTHING;
            for (int64_t at = right - 1; at >= left; at--)
                suffix[at] = all = joined(all, (struct heap){value[at], value[at], value[at]});
            middle = right;
        }
        struct heap all = left < middle ? joined(suffix[left], back) : back;
        mean[i] = between(all.sum / (double)(right - left), all.min, all.max);
    }
}

/* The mean of each window with this many units on either side. Returns false if there is no memory. */
EXPORT int smooth_mean(const struct point *points, int64_t count, double unit, double reach, struct point *smoothed) {
    double *place = malloc((size_t)count * 3 * sizeof(double));
    struct heap *suffix = malloc((size_t)count * sizeof(struct heap));
    if (place && suffix) {
        double *value = place + count, *mean = value + count;
        int64_t finite = lay_out(points, count, unit, smoothed, place, value);
        mean_of_windows(place, value, finite, reach, suffix, mean);
        put_back(smoothed, count, mean);
    }
    int done = place && suffix;
    free(place);
    free(suffix);
    return done;
}

/* Points so close that they may count as one: their number, average place and values. */
struct bin {
    int64_t number, count;
    double place;
    struct heap values;
};

static int64_t fill_bins(const double *place, const double *value, int64_t count, double width, struct bin *bins) {
    int64_t last = -1;
    for (int64_t i = 0; i < count; i++) {
        int64_t number = (int64_t)(place[i] / width);
        if (last < 0 || bins[last].number != number)
            bins[++last] = (struct bin){number, 0, 0, NOTHING};
        struct bin *bin = &bins[last];
        bin->count++;
        bin->place += (place[i] - bin->place) / (double)bin->count;
        bin->values = joined(bin->values, (struct heap){value[i], value[i], value[i]});
    }
    return last + 1;
}

/* The weighted mean at a place, its change from there on, and the extremes that bound it. */
struct bell {
    double mean, slope;
    struct heap seen;
};

static struct bell bell_at(const struct bin *bins, int64_t from, int64_t to, double place, double sigma) {
    double weights = 0, sums = 0, weight_slopes = 0, sum_slopes = 0;
    struct heap seen = NOTHING;
    for (int64_t at = from; at < to; at++) {
        double away = (place - bins[at].place) / sigma, weight = exp(-0.5 * away * away), slope = -weight * away / sigma;
        weights += weight * (double)bins[at].count;
        sums += weight * bins[at].values.sum;
        weight_slopes += slope * (double)bins[at].count;
        sum_slopes += slope * bins[at].values.sum;
        seen = joined(seen, bins[at].values);
    }
    double mean = sums / weights;
    return (struct bell){mean, (sum_slopes - mean * weight_slopes) / weights, seen};
}

/* The mean weighted by a bell curve of this width in units, cut off at `cut` widths. */
EXPORT int smooth_gaussian(const struct point *points, int64_t count, double unit, double sigma, double width, double cut,
                           struct point *smoothed) {
    double *place = malloc((size_t)count * 2 * sizeof(double));
    struct bin *bins = malloc((size_t)count * sizeof(struct bin));
    int done = place && bins;
    if (done) {
        double *value = place + count;
        int64_t finite = lay_out(points, count, unit, smoothed, place, value), from = 0, to = 0, i = 0;
        int64_t filled = fill_bins(place, value, finite, width, bins);
        for (int64_t at = 0; at < filled; at++) {
            while (to < filled && bins[to].place - bins[at].place <= cut * sigma)
                to++;
            while (bins[at].place - bins[from].place > cut * sigma)
                from++;
            struct bell bell = bell_at(bins, from, to, bins[at].place, sigma);
            for (int64_t end = i + bins[at].count; i < end; i++)
                value[i] = between(bell.mean + bell.slope * (place[i] - bins[at].place), bell.seen.min, bell.seen.max);
        }
        put_back(smoothed, count, value);
    }
    free(place);
    free(bins);
    return done;
}
