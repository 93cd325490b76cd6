/* Loops of the training core over contiguous Float32 arrays: pooling, softmax, normalization, recurrent layers.
 *
 * library.py calls them, after checks of types, shapes and layouts. ../pooling.py, ../softmax.py and
 * ../normalization.py do the same with numpy, and the tests compare the two.
 *
 * With GCC on x86-64 all loops are compiled twice, for every processor and for those with AVX2 and F16C; `is_wide` says
 * whether the machine has them.
 */

#include <float.h>
#include <math.h>
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "spread.h"

#ifndef SOURCE
#define SOURCE ""
#endif

#define EXPORT __attribute__((visibility("default")))
#define INLINE static inline __attribute__((always_inline))
#define WIDE __attribute__((noinline)) static
#define LANES 8

#if defined(__GNUC__) && !defined(__clang__)
/* Lanes are only passed to inlined functions. */
#pragma GCC diagnostic ignored "-Wpsabi"
#endif

#include "windows.h"

#define GENERATION any
#include "lanes.h"

#include "channels.h"
#include "pooling.h"
#include "rows.h"
#include "halves.h"

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#undef GENERATION
#define GENERATION avx2
#define HALF_LOOPS
#define WITH_F16C
#include <immintrin.h>
#pragma GCC push_options
#pragma GCC target("avx2,fma,bmi,bmi2,f16c")
#include "lanes.h"

#include "channels.h"
#include "pooling.h"
#include "rows.h"
#include "halves.h"
#pragma GCC pop_options
#undef WITH_F16C

static int is_wide(void) {
    /* F16C came before AVX2: every processor with the one has the other. */
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
}
#define PICK(name) (is_wide() ? name##_avx2 : name##_any)
#else
#define PICK(name) name##_any
#endif

/* The hash of the source that the library was compiled from. */
EXPORT const char *loops_source(void) {
    return "loops.c " SOURCE;
}

/* The scratch space that a thread needs for a line, or for two rows of windows. */
#define LINE_OF(p) (4 * ((p)->columns * (p)->step_right + (p)->window_columns + (p)->width + (p)->left) * sizeof(float))

/* Each returns 0 if there was no memory. */
#define WITH_LINE(call)                                                                                                \
    int done = 1;                                                                                                      \
    SPREAD(planes, threads, {                                                                                          \
        float *line = malloc(LINE_OF(p));                                                                              \
        if (line)                                                                                                      \
            call;                                                                                                      \
        else                                                                                                           \
            done = 0;                                                                                                  \
        free(line);                                                                                                    \
    })                                                                                                                 \
    return done;

EXPORT int max_pool(const float *x, float *out, const struct pool *p, int64_t planes, int threads) {
    WITH_LINE(PICK(max_planes)(x, out, p, first, last, line))
}

EXPORT int sum_pool(const float *x, float *out, const struct pool *p, int64_t planes, int threads) {
    WITH_LINE(PICK(sum_planes)(x, out, p, first, last, line))
}

EXPORT int max_pool_grad(const float *x, const float *out, const float *dout, float *dx, const struct pool *p,
                         int64_t planes, int threads) {
    WITH_LINE(PICK(max_back_planes)(x, out, dout, dx, p, first, last, line))
}

EXPORT void sum_pool_grad(const float *dout, float *dx, const struct pool *p, int64_t planes, int threads) {
    SPREAD(planes, threads, PICK(sum_back_planes)(dout, dx, p, first, last))
}

EXPORT void softmax(const float *x, float *out, int64_t rows, int64_t width, int threads) {
    SPREAD(rows, threads, PICK(softmax_rows)(x, out, width, first, last))
}

EXPORT void log_softmax(const float *x, float *out, int64_t rows, int64_t width, int threads) {
    SPREAD(rows, threads, PICK(log_softmax_rows)(x, out, width, first, last))
}

/* Labels are from 0 to width - 1. */
EXPORT double cross_entropy(const float *x, const int64_t *labels, int64_t rows, int64_t width) {
    return PICK(cross_entropy_rows)(x, labels, width, 0, rows);
}

EXPORT void cross_entropy_grad(const float *x, const int64_t *labels, float factor, float *dx, int64_t rows,
                               int64_t width, int threads) {
    SPREAD(rows, threads, PICK(cross_entropy_back_rows)(x, labels, factor, dx, width, first, last))
}

EXPORT void layer_norm(const float *x, const float *gamma, const float *beta, float epsilon, float *out, float *mean,
                       float *variance, int64_t rows, int64_t width, int threads) {
    SPREAD(rows, threads, PICK(layer_norm_rows)(x, gamma, beta, epsilon, out, mean, variance, width, first, last))
}

/* The rows are split into `parts` parts. `dgamma` and `dbeta` have one row per part, which the caller adds up. */
EXPORT void layer_norm_grad(const float *x, const float *dy, const float *gamma, const float *mean,
                            const float *variance, float epsilon, float *dx, float *dgamma, float *dbeta, int64_t rows,
                            int64_t width, int64_t parts, int threads) {
    memset(dgamma, 0, parts * width * sizeof(float));
    memset(dbeta, 0, parts * width * sizeof(float));
    SPREAD(parts, threads, {
        for (int64_t part = first; part < last; part++)
            PICK(layer_norm_back_rows)
            (x, dy, gamma, mean, variance, epsilon, dx, dgamma + part * width, dbeta + part * width, width,
             rows * part / parts, rows * (part + 1) / parts);
    })
}

EXPORT void batch_norm(const float *x, const float *scale, const float *bias, float epsilon, float *out, float *mean,
                       float *variance, int64_t images, int64_t channels, int64_t size, int threads) {
    SPREAD(channels, threads,
           PICK(batch_norm_channels)(x, scale, bias, epsilon, out, mean, variance, images, channels, size, first, last))
}

EXPORT void batch_norm_grad(const float *x, const float *dy, const float *scale, const float *mean,
                            const float *variance, float epsilon, float *dx, float *dscale, float *dbias,
                            int64_t images, int64_t channels, int64_t size, int threads) {
    SPREAD(channels, threads,
           PICK(batch_norm_back_channels)(x, dy, scale, mean, variance, epsilon, dx, dscale, dbias, images, channels,
                                          size, first, last))
}

#include "half_loops.h"

/* The compiler translates the following for each of these generations. */
#undef WIDE
#undef LANES
#define LANES 16
#if !defined(__x86_64__) || !defined(__GLIBC__) || !defined(__GNUC__) || defined(__clang__)
#define WIDE __attribute__((noinline)) static
#elif __GNUC__ >= 12
#define WIDE __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default"), noinline)) static
#else
#define WIDE __attribute__((target_clones("avx512f", "avx2", "default"), noinline)) static
#endif

#include "products.h"

#undef GENERATION
#define GENERATION each
#include "gates.h"
#include "recurrent.h"

#include "arrays.h"
#include "primitives.h"
#include "calls.h"
