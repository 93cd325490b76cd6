/* x times the normal distribution function of x, and the derivative of this: the exact form of GELU (Hendrycks and
 * Gimpel 2016). */

/* exp(-x x / 2), and the share of the normal distribution beyond |x|: the exponential times a polynomial of
 * 1 / (1 + 0.35 |x|), within 4e-7 of its size while the exponential is a normal number. The coefficients are fitted to
 * the scaled complementary error function by least squares with weights (Lawson 1961). */
INLINE lanes OF(beyond)(lanes x, lanes *decay) {
    const lanes size = (lanes)((whole)x & 0x7fffffff), t = 1.0f / (1.0f + 0.35f * size);
    const lanes half = 0.5f * x * x;
    *decay = OF(choose)(half > 87.33654f, OF(all)(0), OF(fading)(half));
    lanes p = t * -2.9146259741e-2f + 1.4397325839e-1f;
    p = p * t - 2.5571737566e-1f;
    p = p * t + 1.5917758833e-1f;
    p = p * t - 2.3112085010e-2f;
    p = p * t + 1.0550890274e-1f;
    p = p * t + 1.1983265554e-1f;
    p = p * t + 1.3986189656e-1f;
    p = p * t + 1.3962140290e-1f;
    return p * t * *decay;
}

/* The share below x. */
#define BELOW(x, tail) OF(choose)((x) < 0.0f, tail, 1.0f - (tail))

WIDE void OF(gelu_row)(const float *x, float *out, int64_t count) {
    EACH(count, {
        const lanes seen = LOAD(x, 0);
        lanes decay;
        const lanes tail = OF(beyond)(seen, &decay);
        STORE(out, seen * BELOW(seen, tail))
    })
}

/* dout times (the share below x, and x times the density at x). */
WIDE void OF(gelu_back_row)(const float *x, const float *dout, float *dx, int64_t count) {
    EACH(count, {
        const lanes seen = LOAD(x, 0);
        lanes decay;
        const lanes tail = OF(beyond)(seen, &decay);
        STORE(dx, LOAD(dout, 0) * (BELOW(seen, tail) + seen * decay * 0.39894228f))
    })
}

EXPORT void gelu(const float *x, float *out, int64_t count, int threads) {
    SPREAD(count, threads, OF(gelu_row)(x + first, out + first, last - first))
}

EXPORT void gelu_grad(const float *x, const float *dout, float *dx, int64_t count, int threads) {
    SPREAD(count, threads, OF(gelu_back_row)(x + first, dout + first, dx + first, last - first))
}
