/* Operations of compiled programs on data in memory: copies between layouts, gathering rows by index, sums over axes,
 * checks of labels. */

#define COPY_ROWS(type)                                                                                                \
    for (int64_t i = 0; i < length; i++)                                                                               \
        *(type *)(to + i * to_step) = *(const type *)(from + i * from_step);

INLINE void copy_row(const char *from, char *to, int64_t length, int64_t from_step, int64_t to_step, int64_t size) {
    if (from_step == size && to_step == size)
        memcpy(to, from, length * size);
    else if (size == 4)
        COPY_ROWS(int32_t)
    else if (size == 8)
        COPY_ROWS(int64_t)
    else if (size == 2)
        COPY_ROWS(int16_t)
    else
        COPY_ROWS(char)
}

/* If the elements are adjacent along the outer axis of the source, copies them in square tiles. Row by row, each
 * element would come from another cache line, which later rows need again. */
static void copy_turned(const char *from, char *to, const int64_t *axis) {
    const int64_t rows = axis[0], to_row = axis[2], columns = axis[3], from_column = axis[4], square = 16;
    for (int64_t i = 0; i < rows; i += square)
        for (int64_t j = 0; j < columns; j += square)
            for (int64_t row = i; row < rows && row < i + square; row++) {
                const int64_t end = columns < j + square ? columns : j + square;
                for (int64_t column = j; column < end; column++)
                    *(int32_t *)(to + row * to_row + column * 4) =
                        *(const int32_t *)(from + row * 4 + column * from_column);
            }
}

static void copy_along(const char *from, char *to, const int64_t *axis, int64_t axes, int64_t size) {
    const int64_t length = axis[0], from_step = axis[1], to_step = axis[2];
    if (axes <= 1) {
        copy_row(from, to, length, from_step, to_step, size);
        return;
    }
    if (axes == 2 && size == 4 && from_step == 4 && axis[4] != 4 && axis[5] == 4) {
        copy_turned(from, to, axis);
        return;
    }
    for (int64_t i = 0; i < length; i++)
        copy_along(from + i * from_step, to + i * to_step, axis + 3, axes - 1, size);
}

/* Copies elements of `size` bytes. `axis` has, for each axis (at least one), the length and the strides in bytes of the
 * source and the target. */
EXPORT void copy_elements(const char *from, char *to, const int64_t *axis, int64_t axes, int64_t size) {
    copy_along(from, to, axis, axes, size);
}

typedef void ufunc_loop(char **arrays, const intptr_t *lengths, const intptr_t *strides, void *data);

/* Calls a loop of numpy for contiguous elements of `size` bytes. */
EXPORT void run_ufunc(ufunc_loop *loop, void *data, char *x, char *out, int64_t count, int64_t size) {
    char *arrays[] = {x, out};
    const intptr_t lengths[] = {count}, strides[] = {size, size};
    loop(arrays, lengths, strides, data);
}

EXPORT void clear_bytes(char *to, int64_t count) {
    memset(to, 0, count);
}

/* Adds in numpy's order, so the sum is bit for bit numpy's: row by row, and the numbers of a row pairwise. */
WIDE void sum_down(const float *x, float *out, int64_t rows, int64_t width, float divisor) {
    for (int64_t j = 0; j < width; j++)
        out[j] = 0;
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < width; j++)
            out[j] += x[i * width + j];
    if (divisor != 1)
        for (int64_t j = 0; j < width; j++)
            out[j] /= divisor;
}

static float sum_along(const float *x, int64_t count) {
    if (count < 8) {
        float sum = -0.0f;
        for (int64_t i = 0; i < count; i++)
            sum += x[i];
        return sum;
    }
    if (count <= 128) {
        float sums[8];
        int64_t i = 8;
        for (int lane = 0; lane < 8; lane++)
            sums[lane] = x[lane];
        for (; i < count - count % 8; i += 8)
            for (int lane = 0; lane < 8; lane++)
                sums[lane] += x[i + lane];
        float sum = ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
        for (; i < count; i++)
            sum += x[i];
        return sum;
    }
    const int64_t half = count / 2 - count / 2 % 8;
    return sum_along(x, half) + sum_along(x + half, count - half);
}

/* Sums over the second of three axes, and divides by a number. */
EXPORT void sum_axis(const float *x, float *out, int64_t outer, int64_t rows, int64_t width, float divisor) {
    for (int64_t i = 0; i < outer; i++)
        if (width == 1)
            out[i] = (0 + sum_along(x + i * rows, rows)) / divisor;
        else
            sum_down(x + i * rows * width, out + i * width, rows, width, divisor);
}

/* An element of an array of integers of 4 or 8 bytes (`size`). */
INLINE int64_t whole_number(const void *numbers, int64_t at, int64_t size) {
    return size == 4 ? ((const int32_t *)numbers)[at] : ((const int64_t *)numbers)[at];
}

/* Whether all integers (labels or indices) are at least `least` and below `end`. */
EXPORT int numbers_fit(const void *numbers, int64_t count, int64_t least, int64_t end, int64_t size) {
    int fit = 1;
    for (int64_t i = 0; i < count; i++) {
        const int64_t number = whole_number(numbers, i, size);
        fit &= number >= least && number < end;
    }
    return fit;
}

/* The row of a table at an index; a negative index counts from the end. */
INLINE int64_t row_named(const void *indices, int64_t at, int64_t rows, int64_t size) {
    const int64_t index = whole_number(indices, at, size);
    return index < 0 ? index + rows : index;
}

/* Gathers rows of `bytes` bytes from each of `tables` tables, at `count` valid indices. */
EXPORT void take_rows(const char *x, const void *indices, char *out, int64_t tables, int64_t rows, int64_t count,
                      int64_t bytes, int64_t size) {
    for (int64_t table = 0; table < tables; table++, x += rows * bytes)
        for (int64_t i = 0; i < count; i++, out += bytes)
            memcpy(out, x + row_named(indices, i, rows, size) * bytes, bytes);
}

WIDE void add_row(const float *x, float *to, int64_t width) {
    for (int64_t i = 0; i < width; i++)
        to[i] += x[i];
}

/* The gradient: adds the rows of `dout`, in order, to tables of zeros at these indices. */
EXPORT void add_rows(const float *dout, const void *indices, float *out, int64_t tables, int64_t rows, int64_t count,
                     int64_t width, int64_t size) {
    memset(out, 0, tables * rows * width * sizeof(float));
    for (int64_t table = 0; table < tables; table++, out += rows * width)
        for (int64_t i = 0; i < count; i++, dout += width)
            add_row(dout, out + row_named(indices, i, rows, size) * width, width);
}

EXPORT void widen(const int32_t *x, int64_t *out, int64_t count) {
    for (int64_t i = 0; i < count; i++)
        out[i] = x[i];
}

EXPORT void cross_entropy_mean(const float *x, const int64_t *labels, float *out, int64_t rows, int64_t width) {
    *out = (float)(cross_entropy(x, labels, rows, width) / rows);
}

EXPORT void cross_entropy_mean_grad(const float *x, const int64_t *labels, const float *factor, float *dx, int64_t rows,
                                    int64_t width, int64_t threads) {
    cross_entropy_grad(x, labels, *factor / (float)rows, dx, rows, width, threads);
}
