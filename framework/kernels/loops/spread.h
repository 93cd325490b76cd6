/* How loops are compiled and spread over threads.
 *
 * WIDE compiles a function for several generations of processors; the loader picks the one that fits the machine. What
 * it calls has to be INLINE to be compiled along. SPREAD cuts so many pieces of work into one run of them per thread, and
 * calls a WIDE function for each: what stands in a parallel region itself is compiled for the oldest processor only.
 */

#ifdef _OPENMP
#include <omp.h>
#endif

#define EXPORT __attribute__((visibility("default")))
#define INLINE static inline __attribute__((always_inline))

#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__)
#define WIDE __attribute__((target_clones("arch=skylake-avx512", "arch=haswell", "default"), noinline)) static
#else
#define WIDE __attribute__((noinline)) static
#endif

/* Numbers that are worked on side by side: sums of so many parts, added up at the end. */
#define LANES 16

#ifdef _OPENMP
#define SPREAD(pieces, threads, call)                                                                                  \
    if ((threads) > 1) {                                                                                               \
        _Pragma("omp parallel num_threads(threads)") {                                                                 \
            const int64_t part = omp_get_thread_num(), parts = omp_get_num_threads();                                  \
            const int64_t first = (pieces)*part / parts, last = (pieces) * (part + 1) / parts;                         \
            call;                                                                                                      \
        }                                                                                                              \
    } else {                                                                                                           \
        const int64_t first = 0, last = (pieces);                                                                      \
        call;                                                                                                          \
    }
#else
#define SPREAD(pieces, threads, call)                                                                                  \
    {                                                                                                                  \
        const int64_t first = 0, last = (pieces);                                                                      \
        (void)(threads);                                                                                               \
        call;                                                                                                          \
    }
#endif

INLINE float sum_of_lanes(const float *lanes) {
    float sum = 0;
    for (int i = 0; i < LANES; i++)
        sum += lanes[i];
    return sum;
}

/* The sum of x. */
INLINE float sum_row(const float *x, int64_t count) {
    float lanes[LANES] = {0};
    int64_t i = 0;
    for (; i + LANES <= count; i += LANES)
        for (int lane = 0; lane < LANES; lane++)
            lanes[lane] += x[i + lane];
    for (; i < count; i++)
        lanes[i % LANES] += x[i];
    return sum_of_lanes(lanes);
}

/* The sum of squares of x - mean. */
INLINE float sum_squares(const float *x, float mean, int64_t count) {
    float lanes[LANES] = {0};
    int64_t i = 0;
    for (; i + LANES <= count; i += LANES)
        for (int lane = 0; lane < LANES; lane++)
            lanes[lane] += (x[i + lane] - mean) * (x[i + lane] - mean);
    for (; i < count; i++)
        lanes[i % LANES] += (x[i] - mean) * (x[i] - mean);
    return sum_of_lanes(lanes);
}
