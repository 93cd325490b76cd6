/* Products of small matrices, for which calling a library takes longer than the product.
 *
 * A block of up to MOST_ROWS rows and one or two vectors of columns is summed in registers. The second matrix is read
 * by rows: in place if it is row-major, else from a copy in the caller's scratch space.
 */

#if defined(__GNUC__) && !defined(__clang__)
/* A multiplication and an addition, fused on processors that can. */
#pragma GCC push_options
#pragma GCC optimize("fp-contract=fast")
#endif

typedef float column __attribute__((vector_size(4 * LANES)));
typedef int32_t column_order __attribute__((vector_size(4 * LANES)));
#define MOST_ROWS 8

INLINE column load_column(const float *x) {
    column loaded;
    memcpy(&loaded, x, sizeof loaded);
    return loaded;
}

INLINE void store_columns(float *x, column stored, int64_t count) {
    if (count >= LANES) {
        memcpy(x, &stored, sizeof stored);
        return;
    }
    float kept[LANES];
    memcpy(kept, &stored, sizeof stored);
    for (int64_t i = 0; i < count; i++)
        x[i] = kept[i];
}

struct factor {
    const float *x;
    /* The distances in elements of neighbouring rows, and of neighbouring steps of the sum. */
    int64_t down, along;
};

INLINE void block_of(struct factor a, const float *b, int64_t b_down, float *c, int64_t c_down, int64_t inner,
                     int rows, int vectors, int64_t columns) {
    column sums[MOST_ROWS][2];
    for (int i = 0; i < rows; i++)
        for (int v = 0; v < vectors; v++)
            sums[i][v] = (column){0};
    for (int64_t k = 0; k < inner; k++) {
        column seen[2];
        for (int v = 0; v < vectors; v++)
            seen[v] = load_column(b + k * b_down + v * LANES);
        for (int i = 0; i < rows; i++)
            for (int v = 0; v < vectors; v++)
                sums[i][v] += a.x[i * a.down + k * a.along] * seen[v];
    }
    for (int i = 0; i < rows; i++)
        for (int v = 0; v < vectors; v++)
            store_columns(c + i * c_down + v * LANES, sums[i][v], columns - v * LANES);
}

#define ROWS_OF(count, vectors)                                                                                        \
    case count:                                                                                                        \
        block_of(here, b, b_down, c + i * c_down, c_down, inner, count, vectors, columns);                             \
        break;

#define PANEL(vectors)                                                                                                 \
    for (int64_t i = 0; i < rows; i += MOST_ROWS) {                                                                    \
        const struct factor here = {a.x + i * a.down, a.down, a.along};                                                \
        switch (rows - i < MOST_ROWS ? rows - i : MOST_ROWS) {                                                         \
            ROWS_OF(1, vectors)                                                                                        \
            ROWS_OF(2, vectors)                                                                                        \
            ROWS_OF(3, vectors)                                                                                        \
            ROWS_OF(4, vectors)                                                                                        \
            ROWS_OF(5, vectors)                                                                                        \
            ROWS_OF(6, vectors)                                                                                        \
            ROWS_OF(7, vectors)                                                                                        \
            ROWS_OF(8, vectors)                                                                                        \
        }                                                                                                              \
    }

WIDE void panel_of(struct factor a, const float *b, int64_t b_down, float *c, int64_t c_down, int64_t rows,
                   int64_t columns, int64_t inner) {
    if (columns > LANES)
        PANEL(2)
    else
        PANEL(1)
}

#if defined(__clang__) || !defined(__GNUC__)
INLINE column zipped(column one, column other, int half) {
    column made;
    for (int i = 0; i < LANES / 2; i++) {
        made[2 * i] = one[half * LANES / 2 + i];
        made[2 * i + 1] = other[half * LANES / 2 + i];
    }
    return made;
}
#else
INLINE column zipped(column one, column other, int half) {
    const column_order low = {0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23};
    return half ? __builtin_shuffle(one, other, low + LANES / 2) : __builtin_shuffle(one, other, low);
}
#endif

/* to[i][j] = from[j][i] for LANES rows and columns: four times, interleaves the rows of the two halves. */
INLINE void turn_square(const float *from, int64_t down, float *to, int64_t to_down) {
    column rows[LANES], made[LANES];
    for (int i = 0; i < LANES; i++)
        rows[i] = load_column(from + i * down);
    for (int round = 0; round < 4; round++) {
        for (int i = 0; i < LANES / 2; i++) {
            made[2 * i] = zipped(rows[i], rows[i + LANES / 2], 0);
            made[2 * i + 1] = zipped(rows[i], rows[i + LANES / 2], 1);
        }
        memcpy(rows, made, sizeof rows);
    }
    for (int i = 0; i < LANES; i++)
        memcpy(to + i * to_down, &rows[i], sizeof rows[i]);
}

/* Packs columns of the second matrix, padded with zeros to `width` columns. */
WIDE void copy_panel(struct factor b, float *to, int64_t columns, int64_t width, int64_t inner) {
    int64_t k = 0;
    if (columns < width)
        memset(to, 0, inner * width * sizeof(float));
    if (b.along == 1)
        for (; k + LANES <= inner; k += LANES) {
            int64_t j = 0;
            for (; j + LANES <= columns; j += LANES)
                turn_square(b.x + j * b.down + k, b.down, to + k * width + j, width);
            for (; j < columns; j++)
                for (int64_t i = 0; i < LANES; i++)
                    to[(k + i) * width + j] = b.x[j * b.down + k + i];
        }
    if (b.down == 1)
        for (; k < inner; k++)
            memcpy(to + k * width, b.x + k * b.along, columns * sizeof(float));
    for (; k < inner; k++)
        for (int64_t j = 0; j < columns; j++)
            to[k * width + j] = b.x[j * b.down + k * b.along];
}

/* c = a b, for matrices with distances of rows and columns in elements; `room` is for 2 LANES columns of b. */
EXPORT void small_product(const float *a, const float *b, float *c, float *room, int64_t rows, int64_t inner,
                          int64_t columns, int64_t a_down, int64_t a_right, int64_t b_down, int64_t b_right,
                          int64_t c_down) {
    const struct factor first = {a, a_down, a_right};
    for (int64_t j = 0; j < columns; j += 2 * LANES) {
        const int64_t left = columns - j, here = left < 2 * LANES ? left : 2 * LANES;
        const int64_t width = here > LANES ? 2 * LANES : LANES;
        if (b_right == 1 && here == width) {
            panel_of(first, b + j, b_down, c + j, c_down, rows, here, inner);
            continue;
        }
        const struct factor second = {b + j * b_right, b_right, b_down};
        copy_panel(second, room, here, width, inner);
        panel_of(first, room, width, c + j, c_down, rows, here, inner);
    }
}

/* The same for batches of matrices, with their distances in elements. */
EXPORT void small_products(const float *a, const float *b, float *c, float *room, const int64_t *sizes, int64_t count,
                           int64_t a_next, int64_t b_next, int64_t c_next) {
    for (int64_t i = 0; i < count; i++)
        small_product(a + i * a_next, b + i * b_next, c + i * c_next, room, sizes[0], sizes[1], sizes[2], sizes[3],
                      sizes[4], sizes[5], sizes[6], sizes[7]);
}

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC pop_options
#endif
