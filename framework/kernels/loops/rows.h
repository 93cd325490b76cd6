/* Operations on each row of a matrix: softmax and its logarithm, layer normalization and its gradient. */

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
