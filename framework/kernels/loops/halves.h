/* Float16 and BFloat16: conversion to and from Float32, and numpy's element-wise loops for Float16.
 *
 * halves.py calls the conversions and puts the loops into numpy's ufuncs. Each loop computes in Float32 and rounds once,
 * as numpy's own loops do. Compiled for every processor (conversions only) and for those with F16C.
 */

/* One number, by integer arithmetic: exact, denormal numbers too. */
INLINE float OF(widened)(uint16_t half) {
    const uint32_t sign = (uint32_t)(half & 0x8000) << 16, size = (uint32_t)(half & 0x7fff) << 13;
    uint32_t bits = size | 0x7f800000;
    float made;
    memcpy(&made, &size, sizeof made);
    made *= 0x1p112f;
    if (size < 0x0f800000)
        memcpy(&bits, &made, sizeof bits);
    bits |= sign;
    memcpy(&made, &bits, sizeof made);
    return made;
}

/* One number, rounded to the nearest, of two equally near ones to the even one. */
INLINE uint16_t OF(narrowed)(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    const uint16_t sign = (bits >> 16) & 0x8000;
    bits &= 0x7fffffff;
    if (bits > 0x7f800000)
        return sign | 0x7e00 | ((bits >> 13) & 0x3ff);
    if (bits >= 0x477ff000)
        return sign | 0x7c00;
    if (bits < 0x38800000) {
        /* Below the smallest normal number: the addition rounds. */
        float size;
        memcpy(&size, &bits, sizeof size);
        size += 0.5f;
        memcpy(&bits, &size, sizeof bits);
        return sign | (uint16_t)(bits - 0x3f000000);
    }
    bits += 0xfff + ((bits >> 13) & 1) - 0x38000000;
    return sign | (uint16_t)(bits >> 13);
}

#ifdef WITH_F16C
INLINE lanes OF(from_halves)(const uint16_t *x) {
    __m128i halves;
    memcpy(&halves, x, sizeof halves);
    return (lanes)_mm256_cvtph_ps(halves);
}

INLINE void OF(to_halves)(uint16_t *x, lanes made) {
    const __m128i halves = _mm256_cvtps_ph((__m256)made, _MM_FROUND_TO_NEAREST_INT);
    memcpy(x, &halves, sizeof halves);
}
#else
INLINE lanes OF(from_halves)(const uint16_t *x) {
    lanes made;
    for (int i = 0; i < LANES; i++)
        made[i] = OF(widened)(x[i]);
    return made;
}

INLINE void OF(to_halves)(uint16_t *x, lanes made) {
    for (int i = 0; i < LANES; i++)
        x[i] = OF(narrowed)(made[i]);
}
#endif

WIDE void OF(widen_halves)(const uint16_t *x, float *out, int64_t count) {
    int64_t at = 0;
    for (; at + LANES <= count; at += LANES)
        OF(store)(out + at, OF(from_halves)(x + at));
    for (; at < count; at++)
        out[at] = OF(widened)(x[at]);
}

WIDE void OF(narrow_halves)(const float *x, uint16_t *out, int64_t count) {
    int64_t at = 0;
    for (; at + LANES <= count; at += LANES)
        OF(to_halves)(out + at, OF(load)(x + at));
    for (; at < count; at++)
        out[at] = OF(narrowed)(x[at]);
}

/* BFloat16 is the upper half of Float32. */
WIDE void OF(widen_brains)(const uint16_t *x, uint32_t *out, int64_t count) {
    for (int64_t at = 0; at < count; at++)
        out[at] = (uint32_t)x[at] << 16;
}

WIDE void OF(narrow_brains)(const uint32_t *x, uint16_t *out, int64_t count) {
    for (int64_t at = 0; at < count; at++) {
        const uint32_t rounded = x[at] + 0x7fff + ((x[at] >> 16) & 1), nan = x[at] | 0x400000;
        out[at] = ((x[at] & 0x7fffffff) > 0x7f800000 ? nan : rounded) >> 16;
    }
}

#ifdef WITH_F16C

/* Up to eight halves; `rest` fills the other lanes. `step` is 0 for a number that stands for all. */
INLINE lanes OF(some_halves)(const uint16_t *x, int64_t step, int64_t at, int64_t some, uint16_t rest) {
    uint16_t held[LANES];
    if (some == LANES)
        return step ? OF(from_halves)(x + at) : OF(all)(OF(widened)(*x));
    for (int64_t i = 0; i < LANES; i++)
        held[i] = i < some ? x[step ? at + i : 0] : rest;
    return OF(from_halves)(held);
}

INLINE void OF(put_halves)(uint16_t *out, int64_t at, int64_t some, lanes made) {
    uint16_t held[LANES];
    if (some == LANES) {
        OF(to_halves)(out + at, made);
        return;
    }
    OF(to_halves)(held, made);
    memcpy(out + at, held, some * sizeof *out);
}

INLINE void OF(put_truths)(char *out, int64_t at, int64_t some, whole made) {
    const __m256i truths = (__m256i)made;
    const __m128i words = _mm_packs_epi32(_mm256_castsi256_si128(truths), _mm256_extracti128_si256(truths, 1));
    const __m128i bytes = _mm_and_si128(_mm_packs_epi16(words, words), _mm_set1_epi8(1));
    memcpy(out + at, &bytes, some);
}

INLINE lanes OF(root)(lanes x) {
    return (lanes)_mm256_sqrt_ps((__m256)x);
}

/* Rounded to a whole number, in one of the directions of immintrin.h. */
#define TO_WHOLE(x, direction) ((lanes)_mm256_round_ps((__m256)(x), (direction) | _MM_FROUND_NO_EXC))

/* The largest, or the smallest, of a number and of others; NaN wins. */
#define EXTREME(name, better)                                                                                          \
    WIDE void OF(half_##name##_of_all)(uint16_t *out, const uint16_t *x, int64_t count) {                              \
        lanes found = OF(all)(OF(widened)(*out));                                                                      \
        for (int64_t at = 0; at < count; at += LANES) {                                                                \
            const lanes a = OF(some_halves)(x, 2, at, count - at < LANES ? count - at : LANES, x[0]);                  \
            found = OF(choose)((found better a) | (found != found), found, a);                                         \
        }                                                                                                              \
        float most = found[0];                                                                                         \
        for (int i = 1; i < LANES; i++)                                                                                \
            most = most better found[i] || most != most ? most : found[i];                                             \
        *out = OF(narrowed)(most);                                                                                     \
    }
EXTREME(maximum, >=)
EXTREME(minimum, <=)

/* The lanes beyond the last number hold 1, for which no operation raises a flag. */
#define ONE 0x3c00
#define TWO_HALVES(name, type, put, made)                                                                              \
    WIDE void OF(half_##name)(char **given, int64_t count, const int64_t *steps) {                                     \
        const uint16_t *one = (const uint16_t *)given[0], *other = (const uint16_t *)given[1];                         \
        type *out = (type *)given[2];                                                                                  \
        for (int64_t at = 0; at < count; at += LANES) {                                                                \
            const int64_t some = count - at < LANES ? count - at : LANES;                                              \
            const lanes a = OF(some_halves)(one, steps[0], at, some, ONE);                                             \
            const lanes b = OF(some_halves)(other, steps[1], at, some, ONE);                                           \
            OF(put)(out, at, some, made);                                                                              \
        }                                                                                                              \
    }
#define ONE_HALF(name, type, put, made)                                                                                \
    WIDE void OF(half_##name)(char **given, int64_t count, const int64_t *steps) {                                     \
        const uint16_t *one = (const uint16_t *)given[0];                                                              \
        type *out = (type *)given[1];                                                                                  \
        for (int64_t at = 0; at < count; at += LANES) {                                                                \
            const int64_t some = count - at < LANES ? count - at : LANES;                                              \
            const lanes a = OF(some_halves)(one, steps[0], at, some, ONE);                                             \
            OF(put)(out, at, some, made);                                                                              \
        }                                                                                                              \
    }

TWO_HALVES(add, uint16_t, put_halves, a + b)
TWO_HALVES(subtract, uint16_t, put_halves, a - b)
TWO_HALVES(multiply, uint16_t, put_halves, a * b)
TWO_HALVES(divide, uint16_t, put_halves, a / b)
/* NaN wins, and the first of two equal numbers, as in numpy. */
TWO_HALVES(maximum, uint16_t, put_halves, OF(choose)((a >= b) | (a != a), a, b))
TWO_HALVES(minimum, uint16_t, put_halves, OF(choose)((a <= b) | (a != a), a, b))
TWO_HALVES(greater, char, put_truths, a > b)
TWO_HALVES(greater_equal, char, put_truths, a >= b)
TWO_HALVES(less, char, put_truths, a < b)
TWO_HALVES(less_equal, char, put_truths, a <= b)
TWO_HALVES(equal, char, put_truths, a == b)
TWO_HALVES(not_equal, char, put_truths, a != b)
ONE_HALF(sqrt, uint16_t, put_halves, OF(root)(a))
ONE_HALF(square, uint16_t, put_halves, a * a)
ONE_HALF(reciprocal, uint16_t, put_halves, 1 / a)
ONE_HALF(floor, uint16_t, put_halves, TO_WHOLE(a, _MM_FROUND_TO_NEG_INF))
ONE_HALF(ceil, uint16_t, put_halves, TO_WHOLE(a, _MM_FROUND_TO_POS_INF))
ONE_HALF(trunc, uint16_t, put_halves, TO_WHOLE(a, _MM_FROUND_TO_ZERO))
ONE_HALF(rint, uint16_t, put_halves, TO_WHOLE(a, _MM_FROUND_TO_NEAREST_INT))
ONE_HALF(isnan, char, put_truths, a != a)
ONE_HALF(isfinite, char, put_truths, (a == a) & (OF(larger)(a, -a) < OF(all)(INFINITY)))

#undef ONE
#undef TWO_HALVES
#undef ONE_HALF
#undef TO_WHOLE
#undef EXTREME
#endif
