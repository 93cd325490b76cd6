/* Operations on LANES numbers at a time, 8 or 16; compiled once for each generation of processors (loops.c). */

/* The suffix of the functions of a generation. */
#define JOIN_(name, generation) name##_##generation
#define JOIN(name, generation) JOIN_(name, generation)
#define OF(name) JOIN(name, GENERATION)
#define lanes OF(lanes)
#define whole OF(whole)

typedef float lanes __attribute__((vector_size(4 * LANES)));
typedef int32_t whole __attribute__((vector_size(4 * LANES)));

INLINE lanes OF(load)(const float *x) {
    lanes loaded;
    memcpy(&loaded, x, sizeof loaded);
    return loaded;
}

INLINE void OF(store)(float *x, lanes stored) {
    memcpy(x, &stored, sizeof stored);
}

INLINE lanes OF(all)(float x) {
    return x - (lanes){0};
}

/* `one` where the mask is set, else `other`. */
INLINE lanes OF(choose)(whole mask, lanes one, lanes other) {
    return (lanes)((mask & (whole)one) | (~mask & (whole)other));
}

/* The larger of two numbers; NaN wins, as in numpy. */
INLINE lanes OF(larger)(lanes a, lanes b) {
    return OF(choose)((a > b) | (a != a), a, b);
}

#if LANES == 8
INLINE float OF(sum)(lanes x) {
    return ((x[0] + x[4]) + (x[1] + x[5])) + ((x[2] + x[6]) + (x[3] + x[7]));
}
#endif

/* Loads up to LANES numbers and fills the other lanes with `rest`. */
INLINE lanes OF(load_some)(const float *x, int64_t count, float rest) {
    lanes loaded = OF(all)(rest);
    for (int64_t i = 0; i < count; i++)
        loaded[i] = x[i];
    return loaded;
}

INLINE void OF(store_some)(float *x, int64_t count, lanes stored) {
    for (int64_t i = 0; i < count; i++)
        x[i] = stored[i];
}

/* Runs the following block on `count` numbers, LANES at a time: `at` is the index of the first, `some` the number of
 * them. */
#define EACH(count, ...)                                                                                               \
    {                                                                                                                  \
        int64_t at = 0;                                                                                                \
        for (; at + LANES <= (count); at += LANES) {                                                                   \
            enum { some = LANES };                                                                                     \
            __VA_ARGS__                                                                                                \
        }                                                                                                              \
        if (at < (count)) {                                                                                            \
            const int64_t some = (count)-at;                                                                           \
            __VA_ARGS__                                                                                                \
        }                                                                                                              \
    }
#define LOAD(x, rest) (some == LANES ? OF(load)((x) + at) : OF(load_some)((x) + at, some, rest))
#define STORE(x, made)                                                                                                 \
    if (some == LANES)                                                                                                 \
        OF(store)((x) + at, made);                                                                                     \
    else                                                                                                               \
        OF(store_some)((x) + at, some, made);

#if LANES == 8
INLINE float OF(sum_row)(const float *x, int64_t count) {
    lanes sums = OF(all)(0);
    EACH(count, sums += LOAD(x, 0);)
    return OF(sum)(sums);
}

/* The sum of squares of x - mean. */
INLINE float OF(sum_squares)(const float *x, float mean, int64_t count) {
    lanes sums = OF(all)(0);
    EACH(count, const lanes off = LOAD(x, mean) - mean; sums += off * off;)
    return OF(sum)(sums);
}
#endif

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
