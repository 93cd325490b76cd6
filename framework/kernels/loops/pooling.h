/* Pooling of planes, images of one channel: the largest element or the sum of each window, and its gradient.
 *
 * A window is reduced down its columns first, into a line as wide as the padded image, and then along that line.
 */

INLINE float OF(larger_one)(float a, float b) {
    return a > b || a != a ? a : b;
}

INLINE void OF(along)(const float *line, float *out, int64_t count, int64_t window, int64_t step, int is_sum) {
    for (int64_t j = 0; j < count; j++)
        out[j] = line[j * step];
    for (int64_t place = 1; place < window; place++)
        for (int64_t j = 0; j < count; j++) {
            const float seen = line[j * step + place];
            out[j] = is_sum ? out[j] + seen : OF(larger_one)(out[j], seen);
        }
}

INLINE void OF(pool_planes)(const float *x, float *out, const struct pool *p, int64_t first, int64_t last, float *line,
                            int is_sum) {
    const float nothing = is_sum ? 0 : -INFINITY;
    const int64_t reach = (p->columns - 1) * p->step_right + p->window_columns;
    for (int64_t j = 0; j < reach; j++)
        line[j] = nothing;
    /* The part of the line that is inside the image. */
    const int64_t seen = p->width < reach - p->left ? p->width : reach - p->left;
    float *inner = line + p->left;
    for (int64_t plane = first; plane < last; plane++)
        for (int64_t i = 0; i < p->rows; i++) {
            const int64_t top = i * p->step_down - p->top;
            const int64_t begin = window_first(top), end = window_last(top, p->window_rows, p->height);
            const float *image = x + (plane * p->height + top) * p->width;
            if (begin < end)
                memcpy(inner, image + begin * p->width, seen * sizeof(float));
            else
                for (int64_t j = 0; j < seen; j++)
                    inner[j] = nothing;
            for (int64_t row = begin + 1; row < end; row++) {
                const float *next = image + row * p->width;
                if (is_sum) {
                    EACH(seen, STORE(inner, LOAD(inner, 0) + LOAD(next, 0)))
                } else {
                    EACH(seen, STORE(inner, OF(larger)(LOAD(inner, 0), LOAD(next, 0))))
                }
            }
            float *made = out + (plane * p->rows + i) * p->columns;
            if (p->window_columns == 2 && p->step_right == 2)
                OF(along)(line, made, p->columns, 2, 2, is_sum);
            else if (p->step_right == 1)
                OF(along)(line, made, p->columns, p->window_columns, 1, is_sum);
            else
                OF(along)(line, made, p->columns, p->window_columns, p->step_right, is_sum);
        }
}

/* Every second of 2 * LANES numbers, starting at the first or the second. */
INLINE lanes OF(every_other)(lanes one, lanes next, int from_second) {
#ifdef __clang__
    return from_second ? __builtin_shufflevector(one, next, 1, 3, 5, 7, 9, 11, 13, 15)
                       : __builtin_shufflevector(one, next, 0, 2, 4, 6, 8, 10, 12, 14);
#else
    return from_second ? __builtin_shuffle(one, next, (whole){1, 3, 5, 7, 9, 11, 13, 15})
                       : __builtin_shuffle(one, next, (whole){0, 2, 4, 6, 8, 10, 12, 14});
#endif
}

/* Whether windows are 2 x 2, do not overlap, and lie inside the image. */
INLINE int OF(is_2x2)(const struct pool *p) {
    return p->window_rows == 2 && p->window_columns == 2 && p->step_down == 2 && p->step_right == 2 && !p->top && !p->left
           && 2 * p->rows <= p->height && 2 * p->columns <= p->width;
}

INLINE void OF(max_2x2)(const float *x, float *out, const struct pool *p, int64_t first, int64_t last) {
    const int64_t columns = p->columns;
    for (int64_t plane = first; plane < last; plane++)
        for (int64_t i = 0; i < p->rows; i++) {
            const float *above = x + (plane * p->height + 2 * i) * p->width, *below = above + p->width;
            float *made = out + (plane * p->rows + i) * columns;
            /* If the count is not a multiple of LANES, some numbers are computed twice. */
            if (columns < LANES && 2 * columns >= LANES) {
                for (int64_t at = 0; at < columns; at += LANES / 2) {
                    const int64_t j = at + LANES / 2 <= columns ? at : columns - LANES / 2;
                    const lanes pairs = OF(larger)(OF(load)(above + 2 * j), OF(load)(below + 2 * j));
                    const lanes most = OF(larger)(OF(every_other)(pairs, pairs, 0), OF(every_other)(pairs, pairs, 1));
                    memcpy(made + j, &most, LANES / 2 * sizeof(float));
                }
                continue;
            }
            if (columns < LANES) {
                for (int64_t j = 0; j < columns; j++)
                    made[j] = OF(larger_one)(OF(larger_one)(above[2 * j], above[2 * j + 1]),
                                             OF(larger_one)(below[2 * j], below[2 * j + 1]));
                continue;
            }
            for (int64_t at = 0; at < columns; at += LANES) {
                const int64_t j = at + LANES <= columns ? at : columns - LANES;
                const lanes left = OF(larger)(OF(load)(above + 2 * j), OF(load)(below + 2 * j));
                const lanes right = OF(larger)(OF(load)(above + 2 * j + LANES), OF(load)(below + 2 * j + LANES));
                OF(store)(made + j, OF(larger)(OF(every_other)(left, right, 0), OF(every_other)(left, right, 1)));
            }
        }
}

WIDE void OF(max_planes)(const float *x, float *out, const struct pool *p, int64_t first, int64_t last, float *line) {
    if (OF(is_2x2)(p))
        OF(max_2x2)(x, out, p, first, last);
    else
        OF(pool_planes)(x, out, p, first, last, line, 0);
}

WIDE void OF(sum_planes)(const float *x, float *out, const struct pool *p, int64_t first, int64_t last, float *line) {
    OF(pool_planes)(x, out, p, first, last, line, 1);
}

/* Swaps the numbers of each pair of neighbours. */
INLINE whole OF(swapped)(whole x) {
#ifdef __clang__
    return __builtin_shufflevector(x, x, 1, 0, 3, 2, 5, 4, 7, 6);
#else
    return __builtin_shuffle(x, (whole){1, 0, 3, 2, 5, 4, 7, 6});
#endif
}

/* Adjacent windows of 2 x 2 in two rows, starting at a column. `o` and `d` have the maximum and the gradient of each
 * window, each twice. */
INLINE void OF(back_2x2)(const float *above, const float *below, const float *o, const float *d, float *up, float *down) {
    const whole is_right = {0, -1, 0, -1, 0, -1, 0, -1};
    const lanes most = OF(load)(o), gradient = OF(load)(d);
    const whole one = OF(load)(above) == most, two = OF(load)(below) == most;
    const whole taken = one | OF(swapped)(one);
    const whole first = one & ~(is_right & OF(swapped)(one));
    const whole second = two & ~taken & ~(is_right & OF(swapped)(two));
    OF(store)(up, (lanes)(first & (whole)gradient));
    OF(store)(down, (lanes)(second & (whole)gradient));
}

/* Adjacent windows of 2 x 2, at least LANES / 2 in a row. Each element belongs to one window, so it is written once.
 * `twice` has room for two rows. */
INLINE void OF(max_back_2x2)(const float *x, const float *out, const float *dout, float *dx, const struct pool *p,
                             int64_t first, int64_t last, float *twice) {
    const int64_t width = p->width, columns = p->columns, end = 2 * columns;
    float *o = twice, *d = twice + end;
    for (int64_t plane = first; plane < last; plane++) {
        float *made = dx + plane * p->height * width;
        for (int64_t i = 0; i < p->rows; i++) {
            const int64_t row = (plane * p->rows + i) * columns;
            for (int64_t j = 0; j < columns; j++) {
                o[2 * j] = o[2 * j + 1] = out[row + j];
                d[2 * j] = d[2 * j + 1] = dout[row + j];
            }
            const float *above = x + (plane * p->height + 2 * i) * width, *below = above + width;
            float *up = made + 2 * i * width, *down = up + width;
            /* If the count is not a multiple of LANES, some numbers are computed twice. */
            for (int64_t at = 0; at < end; at += LANES) {
                const int64_t j = at + LANES <= end ? at : end - LANES;
                OF(back_2x2)(above + j, below + j, o + j, d + j, up + j, down + j);
            }
            for (int64_t j = end; j < width; j++)
                up[j] = down[j] = 0;
        }
        for (int64_t j = 2 * p->rows * width; j < p->height * width; j++)
            made[j] = 0;
    }
}

/* Adds each gradient to the first maximum of its window; `line` has room for two rows of windows of 2 x 2. */
WIDE void OF(max_back_planes)(const float *x, const float *out, const float *dout, float *dx, const struct pool *p,
                              int64_t first, int64_t last, float *line) {
    if (OF(is_2x2)(p) && 2 * p->columns >= LANES) {
        OF(max_back_2x2)(x, out, dout, dx, p, first, last, line);
        return;
    }
    const int64_t size = p->height * p->width;
    memset(dx + first * size, 0, (last - first) * size * sizeof(float));
    for (int64_t plane = first; plane < last; plane++)
        for (int64_t i = 0; i < p->rows; i++) {
            const int64_t top = i * p->step_down - p->top;
            const int64_t begin = window_first(top), end = window_last(top, p->window_rows, p->height);
            for (int64_t j = 0; j < p->columns; j++) {
                const int64_t left = j * p->step_right - p->left, window = (plane * p->rows + i) * p->columns + j;
                const int64_t from = window_first(left), to = window_last(left, p->window_columns, p->width);
                const float most = out[window];
                for (int64_t row = begin; row < end; row++)
                    for (int64_t place = from; place < to; place++) {
                        const int64_t seen = (plane * p->height + top + row) * p->width + left + place;
                        if (x[seen] == most) {
                            dx[seen] += dout[window];
                            goto found;
                        }
                    }
            found:;
            }
        }
}

/* Adds each gradient to all elements of its window. */
WIDE void OF(sum_back_planes)(const float *dout, float *dx, const struct pool *p, int64_t first, int64_t last) {
    const int64_t size = p->height * p->width;
    memset(dx + first * size, 0, (last - first) * size * sizeof(float));
    for (int64_t plane = first; plane < last; plane++)
        for (int64_t i = 0; i < p->rows; i++) {
            const int64_t top = i * p->step_down - p->top;
            const float *d = dout + (plane * p->rows + i) * p->columns;
            for (int64_t row = window_first(top); row < window_last(top, p->window_rows, p->height); row++)
                for (int64_t place = 0; place < p->window_columns; place++) {
                    const int64_t begin = first_inside(place - p->left, p->step_right);
                    const int64_t end = last_inside(place - p->left, p->step_right, p->width, p->columns);
                    float *line = dx + (plane * p->height + top + row) * p->width + place - p->left;
                    for (int64_t j = begin; j < end; j++)
                        line[j * p->step_right] += d[j];
                }
        }
}
