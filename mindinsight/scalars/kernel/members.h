/* The cells of a group's members in the columns of a chart, and the number of lines that pass each pixel. Included by
 * pixels.c.
 *
 * ../group_columns.py and ../group_density.py define what is computed, and compute the same with numpy. */

/* CELL of ../group_columns.py. */
struct cell {
    int64_t member, column, count;
    double total, first_x, last_x, first, last, min, max;
};

/* The columns of a chart: `inner` has the `edges` at which all columns except the first begin. */
struct chart {
    const double *inner;
    int64_t edges;
    double low, high;
    int64_t width;
};

static int64_t column_at(const struct chart *chart, double x, int64_t *behind) {
    while (*behind < chart->edges && chart->inner[*behind] <= x)
        ++*behind;
    return x < chart->low ? -1 : x > chart->high ? chart->width : *behind;
}

/* Writes a cell for each column of each member that has points there; returns their number. The points are finite, those of
 * a member stand together, and their x never falls. The buffer has one cell per point. */
EXPORT int64_t fill_cells(const double *x, const double *value, const int64_t *member, int64_t count,
                          const struct chart *chart, struct cell *cells) {
    int64_t found = 0, behind = 0;
    for (int64_t i = 0; i < count; i++) {
        bool same = i && member[i] == member[i - 1];
        if (!same)
            behind = 0;
        int64_t column = column_at(chart, x[i], &behind);
        struct cell *cell = cells + found - 1;
        if (!same || cell->column != column) {
            cell = cells + found++;
            *cell = (struct cell){member[i], column, 0, 0, x[i], x[i], value[i], value[i], value[i], value[i]};
        }
        cell->count++;
        cell->total += value[i];
        cell->last_x = x[i];
        cell->last = value[i];
        cell->min = value[i] < cell->min ? value[i] : cell->min;
        cell->max = value[i] > cell->max ? value[i] : cell->max;
    }
    return found;
}

static void widen(double *lows, double *highs, int64_t column, double low, double high) {
    if (low < lows[column])
        lows[column] = low;
    if (high > highs[column])
        highs[column] = high;
}

/* The lowest and the highest place of one member in each column: its cells, and the ways between them as far as the
 * common edges. `edges` has those of the chart, too, `width` + 1 in all. NaN widens nothing. */
static void reach(const struct cell *cells, int64_t count, const double *edges, int64_t width, double *lows,
                  double *highs) {
    for (int64_t column = 0; column < width; column++) {
        lows[column] = INFINITY;
        highs[column] = -INFINITY;
    }
    for (int64_t i = 0; i < count; i++) {
        const struct cell *here = cells + i, *there = here + 1;
        if (here->column >= 0 && here->column < width)
            widen(lows, highs, here->column, here->min, here->max);
        if (i + 1 == count)
            break;
        double slope = (there->first - here->last) / (there->first_x - here->last_x);
        int64_t last = there->column < width ? there->column : width;
        for (int64_t edge = here->column + 1; edge <= last; edge++) {
            double crossing = here->last + slope * (edges[edge] - here->last_x);
            if (edge > 0)
                widen(lows, highs, edge - 1, crossing, crossing);
            if (edge < width)
                widen(lows, highs, edge, crossing, crossing);
        }
    }
}

static int64_t end_of_member(const struct cell *cells, int64_t count, int64_t from) {
    int64_t end = from + 1;
    while (end < count && cells[end].member == cells[from].member)
        end++;
    return end;
}

/* Writes the lowest and the highest place of all members into `extent`: inf and -inf for none. Returns false if there is no
 * memory. */
EXPORT int members_extent(const struct cell *cells, int64_t count, const double *edges, int64_t width, double *extent) {
    double *lows = malloc((size_t)(2 * width) * sizeof(double)), *highs = lows + width;
    if (!lows)
        return 0;
    extent[0] = INFINITY;
    extent[1] = -INFINITY;
    for (int64_t from = 0, end; from < count; from = end) {
        end = end_of_member(cells, count, from);
        reach(cells + from, end - from, edges, width, lows, highs);
        for (int64_t column = 0; column < width; column++)
            if (lows[column] <= highs[column])
                widen(extent, extent + 1, 0, lows[column], highs[column]);
    }
    free(lows);
    return 1;
}

static double row_of(double place, double low, double high, int64_t height) {
    /* The upper edge belongs to the topmost row. */
    return place == high ? (double)(height - 1) : floor((place - low) * ((double)height / (high - low)));
}

/* Counts the members that pass each pixel between two places, rows from the top. Returns false if there is no memory. */
EXPORT int count_members(const struct cell *cells, int64_t count, const double *edges, int64_t width, int64_t height,
                         double low, double high, uint16_t *counts) {
    double *lows = malloc((size_t)(2 * width) * sizeof(double)), *highs = lows + width;
    /* Each line adds one at its beginning and subtracts one after its end. */
    int32_t *steps = calloc((size_t)((height + 1) * width), sizeof(int32_t));
    if (lows && steps) {
        for (int64_t from = 0, end; from < count; from = end) {
            end = end_of_member(cells, count, from);
            reach(cells + from, end - from, edges, width, lows, highs);
            for (int64_t column = 0; column < width; column++) {
                if (!(lows[column] <= highs[column]))
                    continue;
                double top = row_of(highs[column], low, high, height), bottom = row_of(lows[column], low, high, height);
                if (!(top >= 0 && bottom < (double)height))
                    continue;
                int64_t begin = bottom > 0 ? (int64_t)bottom : 0;
                int64_t last = top < (double)(height - 1) ? (int64_t)top : height - 1;
                steps[begin * width + column]++;
                steps[(last + 1) * width + column]--;
            }
        }
        for (int64_t row = 0; row < height; row++) {
            uint16_t *line = counts + (height - 1 - row) * width;
            for (int64_t column = 0; column < width; column++) {
                int32_t passed = steps[row * width + column];
                steps[(row + 1) * width + column] += passed;
                line[column] = passed < 65535 ? (uint16_t)passed : 65535;
            }
        }
    }
    int done = lows && steps;
    free(lows);
    free(steps);
    return done;
}
