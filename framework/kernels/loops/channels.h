/* Batch normalization: [images, channels, size] by the mean and variance of each channel, and the way back. */

WIDE void batch_norm_channels(const float *x, const float *scale, const float *bias, float epsilon, float *out,
                              float *mean, float *variance, int64_t images, int64_t channels, int64_t size,
                              int64_t first, int64_t last) {
    const int64_t next = channels * size;
    const double count = (double)images * size;
    for (int64_t channel = first; channel < last; channel++) {
        const float *seen = x + channel * size;
        double sum = 0, squares = 0;
        for (int64_t image = 0; image < images; image++)
            sum += sum_row(seen + image * next, size);
        const float m = (float)(sum / count);
        for (int64_t image = 0; image < images; image++)
            squares += sum_squares(seen + image * next, m, size);
        const float v = (float)(squares / count);
        const float factor = scale[channel] / sqrtf(v + epsilon), shift = bias[channel] - m * factor;
        for (int64_t image = 0; image < images; image++) {
            const float *from = seen + image * next;
            float *to = out + channel * size + image * next;
            for (int64_t i = 0; i < size; i++)
                to[i] = from[i] * factor + shift;
        }
        mean[channel] = m;
        variance[channel] = v;
    }
}

/* With n the normalized x: dx = scale r (dy - mean(dy) - n mean(dy n)), dscale = sum(dy n), dbias = sum(dy). */
WIDE void batch_norm_back_channels(const float *x, const float *dy, const float *scale, const float *mean,
                                   const float *variance, float epsilon, float *dx, float *dscale, float *dbias,
                                   int64_t images, int64_t channels, int64_t size, int64_t first, int64_t last) {
    const int64_t next = channels * size;
    const double count = (double)images * size;
    for (int64_t channel = first; channel < last; channel++) {
        const float *seen = x + channel * size, *given = dy + channel * size;
        const float m = mean[channel], r = 1 / sqrtf(variance[channel] + epsilon);
        double sum = 0, product = 0;
        for (int64_t image = 0; image < images; image++) {
            const float *of_x = seen + image * next, *of_dy = given + image * next;
            float sums[LANES] = {0}, products[LANES] = {0};
            int64_t i = 0;
            for (; i + LANES <= size; i += LANES)
                for (int lane = 0; lane < LANES; lane++) {
                    sums[lane] += of_dy[i + lane];
                    products[lane] += of_dy[i + lane] * (of_x[i + lane] - m);
                }
            for (; i < size; i++) {
                sums[i % LANES] += of_dy[i];
                products[i % LANES] += of_dy[i] * (of_x[i] - m);
            }
            sum += sum_of_lanes(sums);
            product += sum_of_lanes(products);
        }
        dbias[channel] = (float)sum;
        dscale[channel] = (float)(product * r);
        const float factor = scale[channel] * r;
        const float one = (float)(sum / count), other = (float)(product * r * r / count);
        for (int64_t image = 0; image < images; image++) {
            const float *of_x = seen + image * next, *of_dy = given + image * next;
            float *to = dx + channel * size + image * next;
            for (int64_t i = 0; i < size; i++)
                to[i] = factor * (of_dy[i] - one - (of_x[i] - m) * other);
        }
    }
}

EXPORT void batch_norm(const float *x, const float *scale, const float *bias, float epsilon, float *out, float *mean,
                       float *variance, int64_t images, int64_t channels, int64_t size, int threads) {
    SPREAD(channels, threads,
           batch_norm_channels(x, scale, bias, epsilon, out, mean, variance, images, channels, size, first, last))
}

EXPORT void batch_norm_grad(const float *x, const float *dy, const float *scale, const float *mean,
                            const float *variance, float epsilon, float *dx, float *dscale, float *dbias,
                            int64_t images, int64_t channels, int64_t size, int threads) {
    SPREAD(channels, threads,
           batch_norm_back_channels(x, dy, scale, mean, variance, epsilon, dx, dscale, dbias, images, channels, size,
                                    first, last))
}
