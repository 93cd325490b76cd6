/* Batch normalization: [images, channels, size] by the mean and variance of each channel, and its gradient. */

WIDE void OF(batch_norm_channels)(const float *x, const float *scale, const float *bias, float epsilon, float *out,
                                  float *mean, float *variance, int64_t images, int64_t channels, int64_t size,
                                  int64_t first, int64_t last) {
    const int64_t next = channels * size;
    const double count = (double)images * size;
    for (int64_t channel = first; channel < last; channel++) {
        const float *seen = x + channel * size;
        double sum = 0, squares = 0;
        for (int64_t image = 0; image < images; image++)
            sum += OF(sum_row)(seen + image * next, size);
        const float m = (float)(sum / count);
        for (int64_t image = 0; image < images; image++)
            squares += OF(sum_squares)(seen + image * next, m, size);
        const float v = (float)(squares / count);
        const float factor = scale[channel] / sqrtf(v + epsilon), shift = bias[channel] - m * factor;
        for (int64_t image = 0; image < images; image++) {
            const float *from = seen + image * next;
            float *to = out + channel * size + image * next;
            EACH(size, STORE(to, LOAD(from, 0) * factor + shift))
        }
        mean[channel] = m;
        variance[channel] = v;
    }
}

/* With n the normalized x: dx = scale r (dy - mean(dy) - n mean(dy n)), dscale = sum(dy n), dbias = sum(dy). */
WIDE void OF(batch_norm_back_channels)(const float *x, const float *dy, const float *scale, const float *mean,
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
            lanes sums = OF(all)(0), products = OF(all)(0);
            EACH(size, const lanes d = LOAD(of_dy, 0); sums += d; products += d * (LOAD(of_x, 0) - m);)
            sum += OF(sum)(sums);
            product += OF(sum)(products);
        }
        dbias[channel] = (float)sum;
        dscale[channel] = (float)(product * r);
        const float factor = scale[channel] * r;
        const float one = (float)(sum / count), other = (float)(product * r * r / count);
        for (int64_t image = 0; image < images; image++) {
            const float *of_x = seen + image * next, *of_dy = given + image * next;
            float *to = dx + channel * size + image * next;
            EACH(size, STORE(to, factor * (LOAD(of_dy, 0) - one - (LOAD(of_x, 0) - m) * other)))
        }
    }
}
