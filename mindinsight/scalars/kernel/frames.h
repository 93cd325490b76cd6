/* Views of many series in one call, as frames of docs/architecture/wire.md. Part of pixels.c.
 *
 * For one series, ../pixels.py, ../envelope.py and ../../api/frames.py do the same with the same arithmetic. Series whose
 * points are not in order of x, and edges that cannot be compared exactly, are left to these modules.
 */

#include <float.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS = 1, ENVELOPE = 2, FLOAT32 = 1, FLOAT64 = 2, HEADER = 40 };

/* The view that a request applies to all its series. REQUEST of library.py. */
struct request {
    double low, high;
    int64_t has_low, has_high;
    int64_t by_wall;
    int64_t width;
    /* The next series without a thread. */
    int64_t next;
};

/* One series of a request. ASKED of library.py. */
struct asked {
    struct series series;
    int64_t run, number;
    double stored, origin;
    /* The buffer of its frame, with space for the header and 7 x width + 3 points. */
    unsigned char *frame;
    /* The size of the frame in bytes; -1 if the series is left to Python. */
    int64_t size;
};

/* The shown points, and the points that they represent. */
struct view {
    const struct point *points;
    int64_t count, first, end;
    bool whole;
};

static bool rises(const struct series *series, bool by_wall) {
    const struct point *points = series->points;
    int64_t falls = 0, at = series->ones_count * BLOCK;
    if (!series->count)
        return true;
    if (by_wall && !(isfinite(points[0].wall) && isfinite(points[series->count - 1].wall)))
        return false;
    for (int64_t i = 0; i < series->twos_count; i++)
        falls += by_wall ? series->twos[i].wall_falls : series->twos[i].step_falls;
    for (int64_t i = series->twos_count * BLOCK; i < series->ones_count; i++)
        falls += by_wall ? series->ones[i].wall_falls : series->ones[i].step_falls;
    for (at = at ? at : 1; at < series->count; at++)
        falls += by_wall ? !(points[at].wall >= points[at - 1].wall) : points[at].step < points[at - 1].step;
    return !falls;
}

static double place_of(const struct asked *asked, bool by_wall, int64_t at) {
    const struct point *point = &asked->series.points[at];
    return (by_wall ? point->wall : (double)point->step) - asked->origin;
}

/* Sums of two smaller numbers are valid steps, whatever their signs. */
static bool is_near(double place) {
    return -0x1p61 < place && place < 0x1p61;
}

/* Finds the first point at or behind each of at most TILE places of the chart, which rise, behind others for which
 * `before` was returned. */
static int64_t find(const struct asked *asked, bool by_wall, int64_t before, const double *place, int64_t count,
                    int64_t *found) {
    int64_t step[TILE];
    double wall[TILE];
    for (int64_t i = 0; i < count; i++)
        if (by_wall)
            wall[i] = place[i] + asked->origin;
        else
            step[i] = (int64_t)ceil(place[i]) + (int64_t)asked->origin;
    return by_wall ? search_walls_from(&asked->series, before, wall, count, found)
                   : search_steps_from(&asked->series, before, step, count, found);
}

static int64_t find_one(const struct asked *asked, bool by_wall, double place) {
    int64_t found;
    find(asked, by_wall, 0, &place, 1, &found);
    return found;
}

/* Adds the extremes between two points, in columns of equal width from `left` on. */
static int64_t show_between(const struct request *request, const struct asked *asked, double left, double span,
                            int64_t first, int64_t end, struct point *shown) {
    int64_t starts[TILE + 2] = {first}, count = 0, before = 0, columns = span > 0 ? request->width : 1;
    for (int64_t k = 1; k < columns; k += TILE) {
        double place[TILE];
        int64_t found[TILE], edges = columns - k < TILE ? columns - k : TILE, filled = 0;
        for (int64_t i = 0; i < edges; i++)
            place[i] = left + span * ((double)(k + i) / (double)request->width);
        before = find(asked, request->by_wall, before, place, edges, found);
        for (int64_t i = 0; i < edges; i++) {
            int64_t edge = found[i] < end ? found[i] : end;
            if (edge > starts[filled])
                starts[++filled] = edge;
        }
        count += show_columns(&asked->series, starts, filled, shown + count);
        starts[0] = starts[filled];
    }
    starts[1] = end;
    return count + show_columns(&asked->series, starts, end > starts[0], shown + count);
}

/* Makes a view in `shown`, which is large enough. Returns false if the series is left to Python. */
static bool look(const struct request *request, const struct asked *asked, struct point *shown, struct view *view) {
    const struct series *series = &asked->series;
    const bool by_wall = request->by_wall;
    *view = (struct view){series->points, 0, 0, 0, true};
    if (!series->count)
        return true;
    if (!rises(series, by_wall))
        return false;
    double left = request->has_low ? request->low : place_of(asked, by_wall, 0);
    double right = request->has_high ? request->high : place_of(asked, by_wall, series->count - 1);
    if (!is_near(left) || !is_near(right) || !is_near(asked->origin))
        return false;
    int64_t first = request->has_low || left > right ? find_one(asked, by_wall, left) : 0, end = first;
    if (left <= right) {
        end = request->has_high ? find_one(asked, by_wall, nextafter(right, INFINITY)) : series->count;
        end = end > first ? end : first;
    }
    view->first = first > 0 ? first - 1 : 0;
    view->end = end < series->count ? end + 1 : series->count;
    if (end - first <= 2 * request->width) {
        view->points = series->points + view->first;
        view->count = view->end - view->first;
        return true;
    }
    view->points = shown;
    view->whole = false;
    if (first > 0)
        shown[view->count++] = series->points[first - 1];
    view->count += show_between(request, asked, left, right - left, first, end, shown + view->count);
    if (end < series->count)
        shown[view->count++] = series->points[end];
    return true;
}

static unsigned char *put(unsigned char *at, const void *bytes, size_t count) {
    memcpy(at, bytes, count);
    return at + count;
}

/* Writes values as float32 if that is exact for all of them, else as float64; returns which. */
static uint8_t put_values(const struct view *view, unsigned char *at, unsigned char **end) {
    float *narrow = (float *)at;
    double *wide = (double *)at;
    bool exact = true;
    for (int64_t i = 0; i < view->count; i++) {
        double value = view->points[i].value;
        narrow[i] = (float)value;
        exact &= (double)narrow[i] == value || isnan(value);
    }
    *end = at + view->count * (int64_t)sizeof *narrow;
    if (exact)
        return FLOAT32;
    for (int64_t i = 0; i < view->count; i++)
        wide[i] = view->points[i].value;
    *end = at + view->count * (int64_t)sizeof *wide;
    return FLOAT64;
}

static void write_frame(struct asked *asked, const struct view *view) {
    int64_t *step = (int64_t *)(asked->frame + HEADER);
    double *wall = (double *)(step + view->count);
    unsigned char *end;
    for (int64_t i = 0; i < view->count; i++) {
        step[i] = view->points[i].step;
        wall[i] = view->points[i].wall;
    }
    const uint8_t type = put_values(view, (unsigned char *)(wall + view->count), &end);
    for (; (end - asked->frame) % 8; end++)
        *end = 0;
    const uint8_t kinds[] = {1, view->whole ? POINTS : ENVELOPE, type, 0};
    const uint32_t numbers[] = {(uint32_t)asked->run, (uint32_t)asked->number, (uint32_t)view->count};
    const int64_t places[] = {view->first, view->end};
    unsigned char *at = put(put(put(asked->frame, kinds, sizeof kinds), numbers, sizeof numbers), places, sizeof places);
    put(at, &asked->stored, sizeof asked->stored);
    asked->size = end - asked->frame;
}

/* Makes the frames of the series that no other call with the same request has taken, so threads share the work. Returns
 * false if there is no memory. */
EXPORT int show_frames(struct request *request, struct asked *asked, int64_t count) {
    struct point *shown = malloc((size_t)(7 * request->width + 2) * sizeof *shown);
    int64_t mine;
    while (shown && (mine = __atomic_fetch_add(&request->next, 1, __ATOMIC_RELAXED)) < count) {
        struct view view;
        asked[mine].size = -1;
        if (look(request, &asked[mine], shown, &view))
            write_frame(&asked[mine], &view);
    }
    free(shown);
    return shown != NULL;
}
