/* What is done to each row of a matrix: softmax and its logarithm, cross entropy, layer normalization; and the ways back. */

/* exp(x), within 2 units in the last place; 0 below -87.3, where numbers lose digits, and infinity above 88.7.
 * Cephes' expf: 2^n times a polynomial of what is left, x - n log 2, with log 2 in two parts. */
INLINE float exp_of(float x) {
    const float low = -87.33654f, high = 88.72283f;
    const float within = x < low ? low : (x > high ? high : x);
    const float shifted = within * 1.44269504f + 12582912.0f;
    const float n = shifted - 12582912.0f;
    const float r = within - n * 0.693359375f - n * -2.12194440e-4f;
    float p = 1.9875691500e-4f;
    p = p * r + 1.3981999507e-3f;
    p = p * r + 8.3334519073e-3f;
    p = p * r + 4.1665795894e-2f;
    p = p * r + 1.6666665459e-1f;
    p = p * r + 5.0000001201e-1f;
    p = p * r * r + r + 1.0f;
    /* 2^n in two factors, since 2^128 is no number. */
    union {
        int32_t bits;
        float number;
    } half, rest;
    const int32_t power = (int32_t)n, first = power >> 1;
    half.bits = (first + 127) << 23;
    rest.bits = (power - first + 127) << 23;
    const float made = p * half.number * rest.number;
    return x != x ? x : (x < low ? 0 : (x > high ? INFINITY : made));
}

INLINE float max_row(const float *x, int64_t count) {
    float lanes[LANES];
    for (int lane = 0; lane < LANES; lane++)
        lanes[lane] = -INFINITY;
    int64_t i = 0;
    for (; i + LANES <= count; i += LANES)
        for (int lane = 0; lane < LANES; lane++)
            lanes[lane] = larger(x[i + lane], lanes[lane]);
    for (; i < count; i++)
        lanes[i % LANES] = larger(x[i], lanes[i % LANES]);
    float most = lanes[0];
    for (int lane = 1; lane < LANES; lane++)
        most = larger(lanes[lane], most);
    return most;
}

WIDE void softmax_rows(const float *x, float *out, int64_t width, int64_t first, int64_t last) {
    for (int64_t row = first; row < last; row++) {
        const float *seen = x + row * width;
        float *made = out + row * width;
        const float most = max_row(seen, width);
        for (int64_t i = 0; i < width; i++)
            made[i] = exp_of(seen[i] - most);
        const float share = 1 / sum_row(made, width);
        for (int64_t i = 0; i < width; i++)
            made[i] *= share;
    }
}

/* The sum of exp(x - most), without keeping any. */
INLINE float sum_exp(const float *x, float most, int64_t count) {
    float lanes[LANES] = {0};
    int64_t i = 0;
    for (; i + LANES <= count; i += LANES)
        for (int lane = 0; lane < LANES; lane++)
            lanes[lane] += exp_of(x[i + lane] - most);
    for (; i < count; i++)
        lanes[i % LANES] += exp_of(x[i] - most);
    return sum_of_lanes(lanes);
}

WIDE void log_softmax_rows(const float *x, float *out, int64_t width, int64_t first, int64_t last) {
    for (int64_t row = first; row < last; row++) {
        const float *seen = x + row * width;
        const float most = max_row(seen, width), rest = logf(sum_exp(seen, most, width));
        for (int64_t i = 0; i < width; i++)
            out[row * width + i] = seen[i] - most - rest;
    }
}

WIDE void layer_norm_rows(const float *x, const float *gamma, const float *beta, float epsilon, float *out, float *mean,
                          float *variance, int64_t width, int64_t first, int64_t last) {
    for (int64_t row = first; row < last; row++) {
        const float *seen = x + row * width;
        const float m = sum_row(seen, width) / width;
        const float v = sum_squares(seen, m, width) / width;
        const float r = 1 / sqrtf(v + epsilon);
        float *made = out + row * width;
        for (int64_t i = 0; i < width; i++)
            made[i] = (seen[i] - m) * r * gamma[i] + beta[i];
        mean[row] = m;
        variance[row] = v;
    }
}

/* With n the normalized x and g = dy gamma: dx = r (g - mean(g) - n mean(g n)). The sums over rows of dy n and of dy are
 * added to dgamma and dbeta, those of these rows. */
WIDE void layer_norm_back_rows(const float *x, const float *dy, const float *gamma, const float *mean,
                               const float *variance, float epsilon, float *dx, float *dgamma, float *dbeta,
                               int64_t width, int64_t first, int64_t last) {
    for (int64_t row = first; row < last; row++) {
        const float *seen = x + row * width, *given = dy + row * width;
        const float m = mean[row], r = 1 / sqrtf(variance[row] + epsilon);
        float sums[LANES] = {0}, products[LANES] = {0};
        int64_t i = 0;
        for (; i + LANES <= width; i += LANES)
            for (int lane = 0; lane < LANES; lane++) {
                const float g = given[i + lane] * gamma[i + lane];
                sums[lane] += g;
                products[lane] += g * (seen[i + lane] - m);
            }
        for (; i < width; i++) {
            sums[i % LANES] += given[i] * gamma[i];
            products[i % LANES] += given[i] * gamma[i] * (seen[i] - m);
        }
        const float one = sum_of_lanes(sums) / width, other = sum_of_lanes(products) * r / width;
        float *made = dx + row * width;
        for (i = 0; i < width; i++) {
            const float n = (seen[i] - m) * r;
            made[i] = r * (given[i] * gamma[i] - one - n * other);
            dgamma[i] += given[i] * n;
            dbeta[i] += given[i];
        }
    }
}

EXPORT void softmax(const float *x, float *out, int64_t rows, int64_t width, int threads) {
    SPREAD(rows, threads, softmax_rows(x, out, width, first, last))
}

EXPORT void log_softmax(const float *x, float *out, int64_t rows, int64_t width, int threads) {
    SPREAD(rows, threads, log_softmax_rows(x, out, width, first, last))
}

EXPORT void layer_norm(const float *x, const float *gamma, const float *beta, float epsilon, float *out, float *mean,
                       float *variance, int64_t rows, int64_t width, int threads) {
    SPREAD(rows, threads, layer_norm_rows(x, gamma, beta, epsilon, out, mean, variance, width, first, last))
}

/* `dgamma` and `dbeta` have a row for each part of the rows, `parts` of them, which the caller adds up. */
EXPORT void layer_norm_grad(const float *x, const float *dy, const float *gamma, const float *mean,
                            const float *variance, float epsilon, float *dx, float *dgamma, float *dbeta, int64_t rows,
                            int64_t width, int64_t parts, int threads) {
    memset(dgamma, 0, parts * width * sizeof(float));
    memset(dbeta, 0, parts * width * sizeof(float));
    SPREAD(parts, threads, {
        for (int64_t part = first; part < last; part++)
            layer_norm_back_rows(x, dy, gamma, mean, variance, epsilon, dx, dgamma + part * width, dbeta + part * width,
                                 width, rows * part / parts, rows * (part + 1) / parts);
    })
}
