/* Operations on each row of a matrix: softmax and its logarithm, layer normalization and its gradient. */

/* exp(x), within 2 units in the last place; 0 below -87.3, where results are subnormal, and infinity above 88.7.
 * Cephes' expf: 2^n times a polynomial of the rest, x - n log 2, with log 2 in two parts. */
INLINE lanes OF(exp)(lanes x) {
    const lanes low = OF(all)(-87.33654f), high = OF(all)(88.72283f);
    const lanes within = OF(choose)(x < low, low, OF(choose)(x > high, high, x));
    const lanes shifted = within * 1.44269504f + 12582912.0f;
    const lanes n = shifted - 12582912.0f;
    const lanes r = within - n * 0.693359375f - n * -2.12194440e-4f;
    lanes p = r * 1.9875691500e-4f + 1.3981999507e-3f;
    p = p * r + 8.3334519073e-3f;
    p = p * r + 4.1665795894e-2f;
    p = p * r + 1.6666665459e-1f;
    p = p * r + 5.0000001201e-1f;
    p = p * r * r + r + 1.0f;
    /* 2^n in two factors, since 2^128 would overflow. The shifted number's last bits are n. */
    const whole power = (whole)shifted - 0x4b400000, half = power >> 1;
    const lanes made = p * (lanes)((half + 127) << 23) * (lanes)((power - half + 127) << 23);
    const lanes bounded = OF(choose)(x < low, OF(all)(0), OF(choose)(x > high, OF(all)(INFINITY), made));
    return OF(choose)(x != x, x, bounded);
}

INLINE float OF(max_row)(const float *x, int64_t count) {
    lanes most = OF(all)(-INFINITY);
    EACH(count, most = OF(larger)(LOAD(x, -INFINITY), most);)
    float found = most[0];
    for (int lane = 1; lane < LANES; lane++)
        found = most[lane] > found || most[lane] != most[lane] ? most[lane] : found;
    return found;
}

WIDE void OF(softmax_rows)(const float *x, float *out, int64_t width, int64_t first, int64_t last) {
    for (int64_t row = first; row < last; row++) {
        const float *seen = x + row * width;
        float *made = out + row * width;
        const float most = OF(max_row)(seen, width);
        lanes sums = OF(all)(0);
        EACH(width, const lanes e = OF(exp)(LOAD(seen, -INFINITY) - most); sums += e; STORE(made, e))
        const float share = 1 / OF(sum)(sums);
        EACH(width, STORE(made, LOAD(made, 0) * share))
    }
}

WIDE void OF(log_softmax_rows)(const float *x, float *out, int64_t width, int64_t first, int64_t last) {
    for (int64_t row = first; row < last; row++) {
        const float *seen = x + row * width;
        float *made = out + row * width;
        const float most = OF(max_row)(seen, width);
        lanes sums = OF(all)(0);
        EACH(width, sums += OF(exp)(LOAD(seen, -INFINITY) - most);)
        const float rest = logf(OF(sum)(sums));
        EACH(width, STORE(made, LOAD(seen, 0) - most - rest))
    }
}

/* The sum over these rows of -log_softmax(x) at the row's label. */
WIDE double OF(cross_entropy_rows)(const float *x, const int64_t *labels, int64_t width, int64_t first, int64_t last) {
    double sum = 0;
    for (int64_t row = first; row < last; row++) {
        const float *seen = x + row * width;
        const float most = OF(max_row)(seen, width);
        lanes sums = OF(all)(0);
        EACH(width, sums += OF(exp)(LOAD(seen, -INFINITY) - most);)
        sum += logf(OF(sum)(sums)) - (seen[labels[row]] - most);
    }
    return sum;
}

/* factor times (softmax(x) - 1 at the label). */
WIDE void OF(cross_entropy_back_rows)(const float *x, const int64_t *labels, float factor, float *dx, int64_t width,
                                      int64_t first, int64_t last) {
    OF(softmax_rows)(x, dx, width, first, last);
    for (int64_t row = first; row < last; row++) {
        float *made = dx + row * width;
        made[labels[row]] -= 1;
        EACH(width, STORE(made, LOAD(made, 0) * factor))
    }
}

WIDE void OF(layer_norm_rows)(const float *x, const float *gamma, const float *beta, float epsilon, float *out,
                              float *mean, float *variance, int64_t width, int64_t first, int64_t last) {
    for (int64_t row = first; row < last; row++) {
        const float *seen = x + row * width;
        const float m = OF(sum_row)(seen, width) / width;
        const float v = OF(sum_squares)(seen, m, width) / width;
        const float r = 1 / sqrtf(v + epsilon);
        float *made = out + row * width;
        EACH(width, STORE(made, (LOAD(seen, 0) - m) * r * LOAD(gamma, 0) + LOAD(beta, 0)))
        mean[row] = m;
        variance[row] = v;
    }
}

/* With n the normalized x and g = dy gamma: dx = r (g - mean(g) - n mean(g n)). Adds the sums over
 * these rows of dy n and of dy to dgamma and dbeta. */
WIDE void OF(layer_norm_back_rows)(const float *x, const float *dy, const float *gamma, const float *mean,
                                   const float *variance, float epsilon, float *dx, float *dgamma, float *dbeta,
                                   int64_t width, int64_t first, int64_t last) {
    for (int64_t row = first; row < last; row++) {
        const float *seen = x + row * width, *given = dy + row * width;
        const float m = mean[row], r = 1 / sqrtf(variance[row] + epsilon);
        float *made = dx + row * width;
        lanes sums = OF(all)(0), products = OF(all)(0);
        EACH(width, const lanes g = LOAD(given, 0) * LOAD(gamma, 0); sums += g; products += g * (LOAD(seen, 0) - m);)
        const float one = OF(sum)(sums) / width, other = OF(sum)(products) * r / width;
        EACH(width, {
            const lanes d = LOAD(given, 0), n = (LOAD(seen, 0) - m) * r;
            STORE(made, r * (d * LOAD(gamma, 0) - one - n * other))
            STORE(dgamma, LOAD(dgamma, 0) + d * n)
            STORE(dbeta, LOAD(dbeta, 0) + d)
        })
    }
}
