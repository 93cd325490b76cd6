/* The places of windows over an image. */

/* `Pool` of library.py: the sizes of a plane, of its output and of the window, the strides, and the padding at the top
 * and left. */
struct pool {
    int64_t height, width, rows, columns, window_rows, window_columns, step_down, step_right, top, left;
};

/* The rows or columns inside the image of a window that begins at `place`: the first, and the end (exclusive). */
INLINE int64_t window_first(int64_t at) {
    return at < 0 ? -at : 0;
}
INLINE int64_t window_last(int64_t at, int64_t window, int64_t size) {
    return at + window > size ? (size > at ? size - at : 0) : window;
}

/* The windows of a row that have a column inside the image: the first, and the end (exclusive). */
INLINE int64_t first_inside(int64_t column, int64_t step) {
    return column < 0 ? (-column + step - 1) / step : 0;
}
INLINE int64_t last_inside(int64_t column, int64_t step, int64_t width, int64_t columns) {
    const int64_t last = width > column ? (width - column + step - 1) / step : 0;
    return last < columns ? last : columns;
}
