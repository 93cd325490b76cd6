/* Pooling of planes, images of one channel: the largest element or the sum of each window, and the way back.
 *
 * A window's sum or maximum is taken down its columns first, into a line as long as an image is wide with its padding,
 * then along that line.
 */

/* `struct pool` of library.py: sizes of a plane and of its output, the window, its steps, and what is added above and on
 * the left. */
struct pool {
    int64_t height, width, rows, columns, window_rows, window_columns, step_down, step_right, top, left;
};

/* The larger of two numbers; what is no number wins, as numpy has it. */
INLINE float larger(float a, float b) {
    return a > b || a != a ? a : b;
}

/* The first row or column in a window that lies within an image, and the one behind the last. */
INLINE int64_t window_first(int64_t at) {
    return at < 0 ? -at : 0;
}
INLINE int64_t window_last(int64_t at, int64_t window, int64_t size) {
    return at + window > size ? (size > at ? size - at : 0) : window;
}

INLINE void along(const float *line, float *out, int64_t count, int64_t window, int64_t step, int is_sum) {
    for (int64_t j = 0; j < count; j++)
        out[j] = line[j * step];
    for (int64_t place = 1; place < window; place++)
        for (int64_t j = 0; j < count; j++) {
            const float seen = line[j * step + place];
            out[j] = is_sum ? out[j] + seen : larger(out[j], seen);
        }
}

INLINE void pool_planes(const float *x, float *out, const struct pool *p, int64_t first, int64_t last, float *line,
                        int is_sum) {
    const float nothing = is_sum ? 0 : -INFINITY;
    const int64_t long_ = (p->columns - 1) * p->step_right + p->window_columns;
    for (int64_t j = 0; j < long_; j++)
        line[j] = nothing;
    /* What of an image lies in the line. */
    const int64_t seen = p->width < long_ - p->left ? p->width : long_ - p->left;
    float *inner = line + p->left;
    for (int64_t plane = first; plane < last; plane++)
        for (int64_t i = 0; i < p->rows; i++) {
            const int64_t at = i * p->step_down - p->top;
            const int64_t begin = window_first(at), end = window_last(at, p->window_rows, p->height);
            const float *image = x + (plane * p->height + at) * p->width;
            for (int64_t j = 0; j < seen; j++)
                inner[j] = begin < end ? image[begin * p->width + j] : nothing;
            for (int64_t row = begin + 1; row < end; row++)
                for (int64_t j = 0; j < seen; j++) {
                    const float next = image[row * p->width + j];
                    inner[j] = is_sum ? inner[j] + next : larger(inner[j], next);
                }
            float *made = out + (plane * p->rows + i) * p->columns;
            if (p->window_columns == 2 && p->step_right == 2)
                along(line, made, p->columns, 2, 2, is_sum);
            else if (p->step_right == 1)
                along(line, made, p->columns, p->window_columns, 1, is_sum);
            else
                along(line, made, p->columns, p->window_columns, p->step_right, is_sum);
        }
}

WIDE void max_planes(const float *x, float *out, const struct pool *p, int64_t first, int64_t last, float *line) {
    pool_planes(x, out, p, first, last, line, 0);
}

WIDE void sum_planes(const float *x, float *out, const struct pool *p, int64_t first, int64_t last, float *line) {
    pool_planes(x, out, p, first, last, line, 1);
}

/* Windows of 2 x 2 side by side: each element belongs to one, so all are written once. */
INLINE void max_back_2x2(const float *x, const float *out, const float *dout, float *dx, const struct pool *p,
                         int64_t first, int64_t last) {
    const int64_t width = p->width, columns = p->columns;
    for (int64_t plane = first; plane < last; plane++) {
        float *made = dx + plane * p->height * width;
        for (int64_t i = 0; i < p->rows; i++) {
            const float *above = x + (plane * p->height + 2 * i) * width, *below = above + width;
            const float *o = out + (plane * p->rows + i) * columns, *d = dout + (plane * p->rows + i) * columns;
            float *up = made + 2 * i * width, *down = up + width;
            for (int64_t j = 0; j < columns; j++) {
                const int one = above[2 * j] == o[j], two = (above[2 * j + 1] == o[j]) & !one;
                const int three = (below[2 * j] == o[j]) & !(one | two);
                const int four = (below[2 * j + 1] == o[j]) & !(one | two | three);
                up[2 * j] = one ? d[j] : 0;
                up[2 * j + 1] = two ? d[j] : 0;
                down[2 * j] = three ? d[j] : 0;
                down[2 * j + 1] = four ? d[j] : 0;
            }
            for (int64_t j = 2 * columns; j < width; j++)
                up[j] = down[j] = 0;
        }
        for (int64_t j = 2 * p->rows * width; j < p->height * width; j++)
            made[j] = 0;
    }
}

/* The windows in a row of which a column lies within the image: first, and behind the last. */
INLINE int64_t first_inside(int64_t column, int64_t step) {
    return column < 0 ? (-column + step - 1) / step : 0;
}
INLINE int64_t last_inside(int64_t column, int64_t step, int64_t width, int64_t columns) {
    const int64_t last = width > column ? (width - column + step - 1) / step : 0;
    return last < columns ? last : columns;
}

/* To the first of the largest elements of each window; `taken` has room for a row of windows. */
WIDE void max_back_planes(const float *x, const float *out, const float *dout, float *dx, const struct pool *p,
                          int64_t first, int64_t last, int32_t *taken) {
    if (p->window_rows == 2 && p->window_columns == 2 && p->step_down == 2 && p->step_right == 2 && !p->top && !p->left
        && 2 * p->rows <= p->height && 2 * p->columns <= p->width) {
        max_back_2x2(x, out, dout, dx, p, first, last);
        return;
    }
    const int64_t size = p->height * p->width;
    memset(dx + first * size, 0, (last - first) * size * sizeof(float));
    for (int64_t plane = first; plane < last; plane++)
        for (int64_t i = 0; i < p->rows; i++) {
            const int64_t at = i * p->step_down - p->top;
            const float *o = out + (plane * p->rows + i) * p->columns, *d = dout + (plane * p->rows + i) * p->columns;
            memset(taken, 0, p->columns * sizeof(int32_t));
            for (int64_t row = window_first(at); row < window_last(at, p->window_rows, p->height); row++)
                for (int64_t place = 0; place < p->window_columns; place++) {
                    const int64_t begin = first_inside(place - p->left, p->step_right);
                    const int64_t end = last_inside(place - p->left, p->step_right, p->width, p->columns);
                    const int64_t line = (plane * p->height + at + row) * p->width + place - p->left;
                    for (int64_t j = begin; j < end; j++) {
                        const int64_t seen = line + j * p->step_right;
                        const int is_first = (x[seen] == o[j]) & !taken[j];
                        dx[seen] += is_first ? d[j] : 0;
                        taken[j] |= is_first;
                    }
                }
        }
}

/* To all elements of each window alike. */
WIDE void sum_back_planes(const float *dout, float *dx, const struct pool *p, int64_t first, int64_t last) {
    const int64_t size = p->height * p->width;
    memset(dx + first * size, 0, (last - first) * size * sizeof(float));
    for (int64_t plane = first; plane < last; plane++)
        for (int64_t i = 0; i < p->rows; i++) {
            const int64_t at = i * p->step_down - p->top;
            const float *d = dout + (plane * p->rows + i) * p->columns;
            for (int64_t row = window_first(at); row < window_last(at, p->window_rows, p->height); row++)
                for (int64_t place = 0; place < p->window_columns; place++) {
                    const int64_t begin = first_inside(place - p->left, p->step_right);
                    const int64_t end = last_inside(place - p->left, p->step_right, p->width, p->columns);
                    float *line = dx + (plane * p->height + at + row) * p->width + place - p->left;
                    for (int64_t j = begin; j < end; j++)
                        line[j * p->step_right] += d[j];
                }
        }
}

/* The room that a thread needs for a line or a row of windows. */
#define LINE_OF(p) (((p)->columns * (p)->step_right + (p)->window_columns + (p)->width + (p)->left) * sizeof(float))

/* Each returns 0 where there was no memory. */
#define WITH_LINE(type, call)                                                                                          \
    int done = 1;                                                                                                      \
    SPREAD(planes, threads, {                                                                                          \
        type *line = malloc(LINE_OF(p));                                                                               \
        if (line)                                                                                                      \
            call;                                                                                                      \
        else                                                                                                           \
            done = 0;                                                                                                  \
        free(line);                                                                                                    \
    })                                                                                                                 \
    return done;

EXPORT int max_pool(const float *x, float *out, const struct pool *p, int64_t planes, int threads) {
    WITH_LINE(float, max_planes(x, out, p, first, last, line))
}

EXPORT int sum_pool(const float *x, float *out, const struct pool *p, int64_t planes, int threads) {
    WITH_LINE(float, sum_planes(x, out, p, first, last, line))
}

EXPORT int max_pool_grad(const float *x, const float *out, const float *dout, float *dx, const struct pool *p,
                         int64_t planes, int threads) {
    WITH_LINE(int32_t, max_back_planes(x, out, dout, dx, p, first, last, line))
}

EXPORT void sum_pool_grad(const float *dout, float *dx, const struct pool *p, int64_t planes, int threads) {
    SPREAD(planes, threads, sum_back_planes(dout, dx, p, first, last))
}
